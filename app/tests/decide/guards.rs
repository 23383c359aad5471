//! Each guard, each verdict.

use crate::sample;
use app::domain::attempt::ReceiptKind;
use app::domain::dead_letter::Disposition;
use app::domain::decision::DecisionKind;
use app::domain::evidence::Evidence;
use app::domain::guard::{
    CompetingJob, GuardFacts, GuardName, OwnerFacts, ParentFacts, ProviderFacts, SpecificationFacts, Verdict,
};
use app::domain::ids::{DeadLetterId, RecoveryId};
use app::domain::operation::{Dispatch, DispatchProof, Operation, Phase};
use app::domain::plan::{Action, Plan, decide, observe_plan};
use app::domain::remote::{Execution, Fetch};
use app::domain::role::{Caller, Role};
use chrono::Duration;
use rust_decimal::Decimal;
use uuid::Uuid;

/// A record, its evidence and the facts about it; one thing of it is changed per case.
#[derive(Clone)]
struct World {
    record: Operation,
    evidence: Evidence,
    facts: GuardFacts,
}

impl World {
    fn of(record: Operation) -> Self {
        let facts = GuardFacts {
            caller: Caller {
                name: "m.okafor".to_owned(),
                role: Role::Approver,
            },
            seen_revision: Some(7),
            provider: ProviderFacts::Configured {
                fingerprint: "9f2c41aa".to_owned(),
                creation_paused: None,
            },
            active_recovery: None,
            dead_letter: None,
            owner: Some(OwnerFacts {
                id: "user_42".to_owned(),
                authorized: true,
                remaining_credits: Decimal::from(31),
                as_of: sample::minutes_ago(4),
            }),
            specification: Some(SpecificationFacts {
                id: "spec_9".to_owned(),
                current_revision: 3,
                model: Some("aurora-video-2".to_owned()),
                model_available: true,
                active: true,
                estimated_credits: Decimal::from(12),
                has_body: true,
                as_of: sample::minutes_ago(10),
            }),
            reserved_elsewhere: Decimal::ZERO,
            competing_jobs: Vec::new(),
            parent: None,
            facts_max_age: Duration::hours(24),
            greedy_worker: None,
        };
        Self {
            record,
            evidence: Evidence::default(),
            facts,
        }
    }

    fn creation() -> Self {
        Self::of(sample::unsent())
    }

    fn read() -> Self {
        Self::of(sample::attached(Phase::Accepted, Some(Execution::Running)))
    }

    fn plan(&self) -> Plan {
        decide(&self.record, &self.evidence, sample::now()).guarded(
            &self.record,
            &self.evidence,
            &self.facts,
            sample::now(),
        )
    }
}

/// The guard's answer; every answer is a sentence, and `allowed` agrees with all of them.
fn verdict(world: &World, guard: GuardName) -> Option<Verdict> {
    let plan = world.plan();
    assert!(
        plan.guards.iter().all(|result| result.detail.ends_with('.')),
        "{:#?}",
        plan.guards
    );
    assert_eq!(
        plan.allowed,
        plan.guards.iter().all(|result| result.verdict != Verdict::Block)
    );
    let mut found = plan
        .guards
        .iter()
        .filter(|result| result.guard == guard)
        .map(|result| result.verdict);
    let verdict = found.next();
    assert_eq!(found.next(), None, "{guard} is listed once");
    verdict
}

type Change = fn(&mut World);

fn table(base: &World, cases: &[(GuardName, Verdict, &str, Change)]) {
    for (guard, expected, story, change) in cases {
        let mut world = base.clone();
        change(&mut world);
        assert_eq!(
            verdict(&world, *guard),
            Some(*expected),
            "{guard}: {story}\n{:#?}",
            world.plan().guards
        );
    }
}

fn owner(world: &mut World) -> &mut OwnerFacts {
    world.facts.owner.as_mut().expect("owner facts")
}

fn specification(world: &mut World) -> &mut SpecificationFacts {
    world.facts.specification.as_mut().expect("specification facts")
}

fn names(world: &World) -> Vec<GuardName> {
    world.plan().guards.iter().map(|result| result.guard).collect()
}

#[test]
fn each_plan_has_its_guards_in_order() {
    use GuardName as G;
    let always = [
        G::RecordCurrent,
        G::NoActiveRecovery,
        G::OperatorPermitted,
        G::MessageNotSuperseded,
    ];
    let read = [G::JobKnown, G::ProviderPinned, G::CredentialsAccepted];
    let creation = [
        G::ProviderPinned,
        G::ConfirmedNotSent,
        G::NoEarlierOpenAttempt,
        G::NoCompetingJob,
        G::SpecificationCurrent,
        G::ModelAvailable,
        G::OwnerAuthorized,
        G::BudgetSufficient,
        G::FactsFresh,
        G::CreationNotPaused,
        G::ParentSettled,
    ];
    assert_eq!(names(&World::creation()), [&always[..], &creation].concat());
    assert_eq!(names(&World::read()), [&always[..], &read].concat());
    for phase in [Phase::Submitting, Phase::Delivered, Phase::Failed] {
        assert_eq!(
            names(&World::of(sample::record(phase, Dispatch::Sent))),
            always,
            "{phase}"
        );
    }
    assert!(World::creation().plan().allowed && World::read().plan().allowed);
}

#[test]
fn the_guards_of_every_plan() {
    use GuardName as G;
    use Verdict::{Block, Pass, Warn};
    table(
        &World::read(),
        &[
            (G::RecordCurrent, Pass, "seen", |_| {}),
            (G::RecordCurrent, Pass, "only planned", |world| {
                world.facts.seen_revision = None
            }),
            (G::RecordCurrent, Block, "moved on", |world| {
                world.facts.seen_revision = Some(6)
            }),
            (G::NoActiveRecovery, Pass, "none", |_| {}),
            (G::NoActiveRecovery, Block, "one runs", |world| {
                world.facts.active_recovery = Some(RecoveryId(Uuid::from_u128(5)));
            }),
            (G::OperatorPermitted, Pass, "an approver reads", |_| {}),
            (G::OperatorPermitted, Block, "a viewer", |world| {
                world.facts.caller.role = Role::Viewer
            }),
            (G::OperatorPermitted, Block, "a machine", |world| {
                world.facts.caller.role = Role::Reporter
            }),
            (G::MessageNotSuperseded, Pass, "no message", |_| {}),
            (G::MessageNotSuperseded, Pass, "the newest message", |world| {
                world.evidence.messages = vec![sample::message(1)];
                world.facts.dead_letter = Some(DeadLetterId(Uuid::from_u128(1)));
            }),
            (G::MessageNotSuperseded, Warn, "a newer one exists", |world| {
                world.evidence.messages = vec![
                    sample::message(1),
                    sample::dispatch_message(2, sample::minutes_ago(1)),
                ];
                world.facts.dead_letter = Some(DeadLetterId(Uuid::from_u128(1)));
            }),
            (G::MessageNotSuperseded, Warn, "acknowledged", |world| {
                world.evidence.messages = vec![sample::message(1)];
                world.evidence.messages[0].disposition = Disposition::Acknowledged;
                world.facts.dead_letter = Some(DeadLetterId(Uuid::from_u128(1)));
            }),
            (G::QueueExclusive, Block, "a worker takes every queue", |world| {
                world.facts.greedy_worker = Some("worker-7".to_owned());
            }),
        ],
    );
    let mut operator = World::creation();
    operator.facts.caller.role = Role::Operator;
    assert_eq!(
        verdict(&operator, G::OperatorPermitted),
        Some(Block),
        "creation needs an approver"
    );
}

#[test]
fn the_guards_of_a_read() {
    use GuardName as G;
    use Verdict::{Block, Pass, Warn};
    table(
        &World::read(),
        &[
            (G::JobKnown, Pass, "attached", |_| {}),
            (G::JobKnown, Pass, "evidence names it", |world| {
                world.record.job_id = None;
                world.evidence.messages = vec![sample::message_naming(1, "gj_5")];
            }),
            (G::ProviderPinned, Pass, "matches", |_| {}),
            (G::ProviderPinned, Block, "not configured", |world| {
                world.facts.provider = ProviderFacts::Missing
            }),
            (G::ProviderPinned, Block, "never pinned", |world| {
                world.record.fingerprint = None
            }),
            (G::ProviderPinned, Block, "redirected", |world| {
                world.facts.provider = ProviderFacts::Configured {
                    fingerprint: "other".to_owned(),
                    creation_paused: None,
                };
            }),
            (G::ProviderPinned, Pass, "a pause stops no read", |world| {
                world.facts.provider = ProviderFacts::Configured {
                    fingerprint: "9f2c41aa".to_owned(),
                    creation_paused: Some("incident".to_owned()),
                };
            }),
            (G::CredentialsAccepted, Pass, "never read", |_| {}),
            (G::CredentialsAccepted, Pass, "read", |world| {
                world.record.remote.fetch = Some(Fetch::Ok)
            }),
            (G::CredentialsAccepted, Warn, "401", |world| {
                world.record.remote.fetch = Some(Fetch::Unauthorized);
            }),
            (G::CredentialsAccepted, Warn, "403", |world| {
                world.record.remote.fetch = Some(Fetch::Forbidden)
            }),
        ],
    );
}

#[test]
fn obsolete_facts_stop_no_read() {
    let mut world = World::read();
    world.facts.owner = None;
    world.facts.specification = None;
    world.record.parent = Some("op_0".into());
    assert!(world.plan().allowed);
}

#[test]
fn an_alternative_read_survives_a_record_that_moved() {
    let world = World::read();
    let facts = GuardFacts {
        seen_revision: Some(2),
        ..world.facts.clone()
    };
    let plan = observe_plan(&world.record, &world.evidence, &"gj_1".into(), sample::now())
        .expect("a plan")
        .guarded(&world.record, &world.evidence, &facts, sample::now());
    assert!(plan.allowed);
    assert_eq!(plan.guards[0].verdict, Verdict::Warn);
}

#[test]
fn the_guards_of_a_creation() {
    use GuardName as G;
    use Verdict::{Block, Pass, Warn};
    table(
        &World::creation(),
        &[
            (G::ProviderPinned, Block, "never pinned", |world| {
                world.record.fingerprint = None
            }),
            (G::ConfirmedNotSent, Pass, "recorded", |_| {}),
            (G::NoEarlierOpenAttempt, Pass, "no attempt", |_| {}),
            (G::NoEarlierOpenAttempt, Pass, "not sent", |world| {
                world.evidence.attempts = vec![sample::attempt(1, Some(ReceiptKind::NotSent))];
            }),
            (G::NoEarlierOpenAttempt, Pass, "confirmed by a person", |world| {
                world.evidence.attempts = vec![sample::attempt(1, Some(ReceiptKind::ConfirmedByPerson))];
            }),
            (G::NoEarlierOpenAttempt, Block, "no receipt", |world| {
                world.evidence.attempts = vec![
                    sample::attempt(1, None),
                    sample::attempt(2, Some(ReceiptKind::NotSent)),
                ];
            }),
            (G::NoEarlierOpenAttempt, Block, "unknown", |world| {
                world.evidence.attempts = vec![sample::attempt(1, Some(ReceiptKind::Unknown))];
            }),
            (G::SpecificationCurrent, Pass, "current", |_| {}),
            (G::SpecificationCurrent, Block, "unknown", |world| {
                world.facts.specification = None
            }),
            (G::SpecificationCurrent, Block, "inactive", |world| {
                specification(world).active = false
            }),
            (G::SpecificationCurrent, Block, "moved on", |world| {
                specification(world).current_revision = 4
            }),
            (G::SpecificationCurrent, Block, "no body", |world| {
                specification(world).has_body = false
            }),
            (G::ModelAvailable, Pass, "available", |_| {}),
            (G::ModelAvailable, Pass, "the record names none", |world| {
                world.record.model = None
            }),
            (G::ModelAvailable, Pass, "the facts name none", |world| {
                specification(world).model = None
            }),
            (G::ModelAvailable, Block, "gone", |world| {
                specification(world).model_available = false
            }),
            (G::ModelAvailable, Block, "another", |world| {
                specification(world).model = Some("aurora-video-3".to_owned());
            }),
            (G::ModelAvailable, Block, "unknown", |world| {
                world.facts.specification = None
            }),
            (G::OwnerAuthorized, Pass, "authorized", |_| {}),
            (G::OwnerAuthorized, Block, "not authorized", |world| {
                owner(world).authorized = false
            }),
            (G::OwnerAuthorized, Block, "unknown", |world| {
                world.facts.owner = None
            }),
            (G::BudgetSufficient, Pass, "enough", |_| {}),
            (G::BudgetSufficient, Pass, "exactly enough", |world| {
                world.facts.reserved_elsewhere = Decimal::from(19);
            }),
            (G::BudgetSufficient, Block, "reserved by others", |world| {
                world.facts.reserved_elsewhere = Decimal::new(1901, 2);
            }),
            (G::BudgetSufficient, Block, "no facts", |world| {
                world.facts.owner = None
            }),
            (G::BudgetSufficient, Block, "absurd figures", |world| {
                owner(world).remaining_credits = Decimal::MIN;
                world.facts.reserved_elsewhere = Decimal::MAX;
            }),
            (G::FactsFresh, Pass, "fresh", |_| {}),
            (G::FactsFresh, Pass, "a clock ahead of ours", |world| {
                owner(world).as_of = sample::minutes_ago(-30);
            }),
            (G::FactsFresh, Pass, "just below 80 %", |world| {
                owner(world).as_of = sample::minutes_ago(19 * 60 + 11);
            }),
            (G::FactsFresh, Warn, "80 %", |world| {
                owner(world).as_of = sample::minutes_ago(19 * 60 + 12)
            }),
            (G::FactsFresh, Warn, "as old as may be", |world| {
                specification(world).as_of = sample::minutes_ago(24 * 60);
            }),
            (G::FactsFresh, Block, "too old", |world| {
                specification(world).as_of = sample::minutes_ago(24 * 60 + 1);
            }),
            (G::FactsFresh, Block, "missing", |world| {
                world.facts.specification = None
            }),
            (G::CreationNotPaused, Pass, "on", |_| {}),
            (G::CreationNotPaused, Block, "paused", |world| {
                world.facts.provider = ProviderFacts::Configured {
                    fingerprint: "9f2c41aa".to_owned(),
                    creation_paused: Some("incident".to_owned()),
                };
            }),
            (G::ParentSettled, Pass, "no parent", |_| {}),
            (G::ParentSettled, Pass, "still allows", |world| {
                world.record.parent = Some("op_0".into());
                world.facts.parent = Some(ParentFacts {
                    id: "op_0".into(),
                    still_allows: true,
                });
            }),
            (G::ParentSettled, Block, "moved on", |world| {
                world.record.parent = Some("op_0".into());
                world.facts.parent = Some(ParentFacts {
                    id: "op_0".into(),
                    still_allows: false,
                });
            }),
            (G::ParentSettled, Block, "not recorded", |world| {
                world.record.parent = Some("op_0".into())
            }),
        ],
    );
}

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
