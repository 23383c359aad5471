use super::*;
use crate::domain::dead_letter::{Disposition, MessageFacts};
use crate::domain::decision::DecisionKind;
use crate::domain::ids::{DeadLetterId, JobId};
use crate::domain::operation::{Dispatch, Phase};
use crate::domain::transition::sample::{at, attached, closed, record};
use uuid::Uuid;

fn message(job_id: Option<&str>) -> Message {
    Message {
        id: DeadLetterId(Uuid::from_u128(1)),
        facts: MessageFacts {
            job_id: job_id.map(JobId::from),
            ..MessageFacts::default()
        },
        attempts: 3,
        died_at: at(-1),
        resurrections: 0,
        own_replays: 0,
        last_resurrection_at: None,
        purged: false,
        disposition: Disposition::Open,
    }
}

#[test]
fn a_message_counts_the_revision_on_and_overwrites_nothing() {
    let before = attached(Phase::Accepted, None);
    let change = apply_message(&before, &message(Some("gj_2")), false, at(0));
    assert!(change.changed);
    let same = Operation {
        revision: before.revision,
        updated_at: before.updated_at,
        ..change.record
    };
    assert_eq!(same, before);
}

#[test]
fn only_an_unknown_id_voids_a_closure() {
    let before = closed(
        record(Phase::Failed, Dispatch::OutcomeUnknown),
        DecisionKind::CloseUnresolved,
    );
    assert!(
        apply_message(&before, &message(None), false, at(0))
            .record
            .closure
            .is_some()
    );
    assert!(
        apply_message(&before, &message(Some("gj_2")), true, at(0))
            .record
            .closure
            .is_some()
    );
    assert!(
        apply_message(&before, &message(Some("gj_2")), false, at(0))
            .record
            .closure
            .is_none()
    );
}
