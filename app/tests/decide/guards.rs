//! Each guard, each verdict.

use crate::sample;
use crate::world::{World, table, verdict};
use app::domain::attempt::ReceiptKind;
use app::domain::dead_letter::Disposition;
use app::domain::guard::{
    GuardFacts, GuardName, OwnerFacts, ParentFacts, ProviderFacts, SpecificationFacts, Verdict,
};
use app::domain::ids::{DeadLetterId, RecoveryId};
use app::domain::operation::{Dispatch, Phase};
use app::domain::plan::observe_plan;
use app::domain::remote::Fetch;
use app::domain::role::Role;
use rust_decimal::Decimal;
use uuid::Uuid;

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
        rival: None,
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
            (G::SpecificationCurrent, Warn, "no body", |world| {
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
