//! `no_competing_job`, in all its ways.

use crate::sample;
use crate::world::{World, table};
use app::domain::decision::DecisionKind;
use app::domain::guard::{CompetingJob, GuardName, Verdict};
use app::domain::ids::DeadLetterId;
use app::domain::operation::DispatchProof;
use app::domain::plan::Action;
use uuid::Uuid;

#[test]
fn somebody_outside_may_have_sent_it() {
    use Verdict::{Block, Pass};
    let guard = GuardName::NoCompetingJob;
    table(
        &World::creation(),
        &[
            (guard, Pass, "nobody", |_| {}),
            (guard, Block, "a living job names it", |world| {
                world.facts.competing_jobs = vec![CompetingJob {
                    id: "j1".to_owned(),
                    job_name: "render.submit".to_owned(),
                    status: "queued".to_owned(),
                }];
                world.record.outside_send_excluded_through = Some(sample::now());
            }),
            (guard, Block, "replayed by others", |world| {
                world.evidence.messages = vec![sample::message(1)];
                world.evidence.messages[0].resurrections = 2;
                world.evidence.messages[0].own_replays = 1;
                world.evidence.messages[0].last_resurrection_at = Some(sample::minutes_ago(3));
            }),
            (guard, Block, "replayed by others, then purged", |world| {
                world.evidence.messages = vec![sample::message(1)];
                world.evidence.messages[0].resurrections = 1;
                world.evidence.messages[0].purged = true;
            }),
            (guard, Block, "replayed after the exclusion", |world| {
                world.evidence.messages = vec![sample::message(1)];
                world.evidence.messages[0].resurrections = 1;
                world.evidence.messages[0].last_resurrection_at = Some(sample::minutes_ago(3));
                world.record.outside_send_excluded_through = Some(sample::minutes_ago(4));
            }),
            (guard, Pass, "excluded", |world| {
                world.evidence.messages = vec![sample::message(1)];
                world.evidence.messages[0].resurrections = 1;
                world.evidence.messages[0].last_resurrection_at = Some(sample::minutes_ago(3));
                world.record.outside_send_excluded_through = Some(sample::minutes_ago(3));
            }),
            (guard, Pass, "replayed by us alone", |world| {
                world.evidence.messages = vec![sample::message(1)];
                world.evidence.messages[0].resurrections = 2;
                world.evidence.messages[0].own_replays = 2;
            }),
            (guard, Pass, "died before the evidence", |world| {
                world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(10))];
            }),
            (guard, Block, "died after the evidence", |world| {
                world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(8))];
            }),
            (guard, Block, "the evidence has no moment", |world| {
                world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(10))];
                world.record.not_sent_since = None;
            }),
            (guard, Pass, "another kind of message died", |world| {
                world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(8))];
                world.evidence.messages[0].facts.action = Some(Action::Deliver);
            }),
            (
                guard,
                Pass,
                "the evidence names that message and attempt",
                |world| {
                    world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(8))];
                    world.record.dispatch_proof = Some(DispatchProof {
                        message_id: DeadLetterId(Uuid::from_u128(1)),
                        attempts: 3,
                    });
                },
            ),
            (guard, Block, "the evidence names an earlier attempt", |world| {
                world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(8))];
                world.record.dispatch_proof = Some(DispatchProof {
                    message_id: DeadLetterId(Uuid::from_u128(1)),
                    attempts: 2,
                });
            }),
            (guard, Block, "the evidence names another message", |world| {
                world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(8))];
                world.record.dispatch_proof = Some(DispatchProof {
                    message_id: DeadLetterId(Uuid::from_u128(2)),
                    attempts: 3,
                });
            }),
            (guard, Pass, "its death is excluded", |world| {
                world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(8))];
                world.record.outside_send_excluded_through = Some(sample::minutes_ago(8));
            }),
        ],
    );
}

#[test]
fn a_blocked_competition_offers_the_decision_that_clears_it() {
    let mut world = World::creation();
    assert!(
        !world
            .plan()
            .decisions
            .contains(&DecisionKind::OutsideSendExcluded)
    );
    world.evidence.messages = vec![sample::dispatch_message(1, sample::minutes_ago(8))];
    let plan = world.plan();
    assert!(!plan.allowed);
    assert!(plan.decisions.contains(&DecisionKind::OutsideSendExcluded));
    assert!(plan.decisions.is_sorted());
}
