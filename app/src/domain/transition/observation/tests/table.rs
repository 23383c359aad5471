//! Each row of DESIGN 4.7, and the rules below it.

use super::observe;
use crate::domain::money::ChargeState;
use crate::domain::operation::{Dispatch, Phase};
use crate::domain::remote::{Execution, Fetch, MAX_RAW_STATUS, Source};
use crate::domain::transition::Observation;
use crate::domain::transition::sample::{at, attached, charge, outputs, read, seen, unseen};

const OPEN: [Phase; 4] = [Phase::Prepared, Phase::Submitting, Phase::Accepted, Phase::Failed];

#[test]
fn a_running_job_makes_an_open_record_accepted_and_sent() {
    for phase in OPEN {
        for execution in [Execution::Queued, Execution::Running] {
            let mut before = attached(phase, None);
            before.dispatch = Dispatch::ConfirmedNotSent;
            before.not_sent_since = Some(at(-60));
            let change = observe(&before, &seen(execution));
            assert_eq!(
                (change.record.phase, change.record.dispatch),
                (Phase::Accepted, Dispatch::Sent)
            );
            assert_eq!(change.record.not_sent_since, None);
            assert_eq!(change.record.remote.execution, Some(execution));
            assert!(change.changed);
            assert_eq!(change.record.revision, 4);
            assert_eq!(change.events[0].revision, 4);
        }
    }
}

#[test]
fn a_finished_job_moves_an_open_record() {
    for phase in OPEN {
        let change = observe(&attached(phase, None), &seen(Execution::Succeeded));
        assert_eq!(change.record.phase, Phase::Succeeded);
        for execution in [Execution::Failed, Execution::Cancelled, Execution::Expired] {
            let change = observe(&attached(phase, None), &seen(execution));
            assert_eq!(change.record.phase, Phase::Failed);
            assert_eq!(change.record.remote.execution, Some(execution));
        }
    }
}

#[test]
fn an_unknown_state_or_a_failed_read_keeps_the_phase() {
    for phase in OPEN {
        let mut unknown = seen(Execution::Unknown);
        unknown.raw_status = Some("x".repeat(100));
        let change = observe(&attached(phase, Some(Execution::Running)), &unknown);
        assert_eq!(change.record.phase, phase);
        assert_eq!(change.record.remote.execution, Some(Execution::Unknown));
        assert_eq!(
            change.record.remote.raw_status.map(|raw| raw.chars().count()),
            Some(MAX_RAW_STATUS)
        );
        for fetch in Fetch::ALL.iter().copied().filter(|fetch| *fetch != Fetch::Ok) {
            let mut broken = unseen(fetch);
            broken.execution = Some(Execution::Failed);
            let change = observe(&attached(phase, Some(Execution::Running)), &broken);
            assert_eq!(change.record.phase, phase);
            assert_eq!(
                change.record.remote.execution,
                Some(Execution::Running),
                "the last good value is kept"
            );
            assert_eq!(change.record.remote.fetch, Some(fetch));
        }
    }
}

#[test]
fn a_succeeded_record_grows_by_success_and_keeps_contradictions_aside() {
    let mut before = read(Phase::Succeeded, Execution::Succeeded);
    before.remote.outputs = Some(outputs(&[0, 1]));
    let mut again = seen(Execution::Succeeded);
    again.outputs = Some(outputs(&[2]));
    again.charge = Some(charge(ChargeState::Charged, Some(12), None));
    let change = observe(&before, &again);
    assert_eq!(
        change.record.remote.outputs,
        Some(outputs(&[0, 1, 2])),
        "a list never shrinks"
    );
    assert_eq!(change.record.charge.state, ChargeState::Charged);
    assert_eq!(change.events[0].money.as_deref(), Some("12 charged"));

    for execution in Execution::ALL
        .iter()
        .copied()
        .filter(|execution| *execution != Execution::Succeeded)
    {
        let mut other = seen(execution);
        other.charge = Some(charge(ChargeState::Refunded, Some(12), Some(12)));
        let change = observe(&before, &other);
        assert_eq!(change.record.phase, Phase::Succeeded);
        assert_eq!(change.record.remote.execution, Some(Execution::Succeeded));
        assert_eq!(change.record.remote.contradiction, Some(execution));
        assert_eq!(change.record.charge.state, ChargeState::Refunded);
        let resolved = observe(
            &change.record,
            &Observation {
                observed_at: at(1),
                ..seen(Execution::Succeeded)
            },
        );
        assert_eq!(resolved.record.remote.contradiction, None);
    }
}

#[test]
fn success_known_only_by_phase_is_not_overruled_either() {
    let change = observe(&attached(Phase::Succeeded, None), &seen(Execution::Running));
    assert_eq!(
        (change.record.phase, change.record.remote.execution),
        (Phase::Succeeded, None)
    );
    assert_eq!(change.record.remote.contradiction, Some(Execution::Running));
}

#[test]
fn a_delivered_record_changes_its_charge_alone() {
    let before = read(Phase::Delivered, Execution::Succeeded);
    let mut other = seen(Execution::Failed);
    other.outputs = Some(outputs(&[7]));
    assert_eq!(observe(&before, &other).record, before);
    other.charge = Some(charge(ChargeState::PartiallyRefunded, Some(12), Some(2)));
    let change = observe(&before, &other);
    assert!(change.changed);
    assert_eq!(
        change.record.charge,
        charge(ChargeState::PartiallyRefunded, Some(12), Some(2))
    );
    assert_eq!(change.record.remote, before.remote);
    let lost = observe(&before, &unseen(Fetch::NotFound));
    assert_eq!((lost.record.clone(), lost.changed), (before, false));
}

#[test]
fn among_our_reads_a_terminal_state_stays_and_the_phase_follows_it() {
    let mut before = read(Phase::Accepted, Execution::Failed);
    before.charge = charge(ChargeState::Charged, Some(3), None);
    let change = observe(&before, &seen(Execution::Running));
    assert_eq!(change.record.remote.execution, Some(Execution::Failed));
    assert_eq!(change.record.remote.contradiction, Some(Execution::Running));
    assert_eq!(change.record.phase, Phase::Failed);
    let corrected = observe(&before, &seen(Execution::Succeeded));
    assert_eq!(corrected.record.phase, Phase::Succeeded);
}

#[test]
fn a_report_is_corrected_by_any_read_of_ours() {
    let mut before = attached(Phase::Failed, Some(Execution::Failed));
    before.remote.observed_at = Some(at(4));
    let change = observe(&before, &seen(Execution::Running));
    assert_eq!(change.record.remote.execution, Some(Execution::Running));
    assert_eq!(change.record.phase, Phase::Accepted);
    assert_eq!(change.record.remote.source, Some(Source::Get));
}

#[test]
fn an_older_read_only_adds_to_the_list() {
    let mut before = read(Phase::Accepted, Execution::Running);
    before.remote.observed_at = Some(at(3));
    before.remote.read_at = Some(at(3));
    let mut older = seen(Execution::Succeeded);
    older.outputs = Some(outputs(&[0]));
    older.charge = Some(charge(ChargeState::Charged, Some(9), None));
    let change = observe(&before, &older);
    assert_eq!(change.record.remote.execution, Some(Execution::Running));
    assert_eq!(change.record.remote.observed_at, Some(at(3)));
    assert_eq!(change.record.phase, Phase::Accepted);
    assert_eq!(change.record.charge.state, ChargeState::Unknown);
    assert_eq!(change.record.remote.outputs, Some(outputs(&[0])));
}

#[test]
fn a_failed_read_does_not_hide_an_older_good_one() {
    let mut before = read(Phase::Accepted, Execution::Running);
    before.remote.fetch = Some(Fetch::Network);
    before.remote.observed_at = Some(at(3));
    let change = observe(&before, &seen(Execution::Succeeded));
    assert_eq!(change.record.phase, Phase::Succeeded);
    assert_eq!(
        change.record.remote.fetch,
        Some(Fetch::Network),
        "the newest fetch stands"
    );
}

#[test]
fn a_read_that_says_nothing_new_keeps_its_time_and_the_revision() {
    let before = read(Phase::Accepted, Execution::Running);
    let change = observe(&before, &seen(Execution::Running));
    assert!(!change.changed);
    assert!(change.events.is_empty());
    assert_eq!(
        (change.record.revision, change.record.updated_at),
        (before.revision, before.updated_at)
    );
    assert_eq!(change.record.remote.observed_at, Some(at(0)));
    assert_eq!(change.record.remote.read_at, Some(at(0)));
}

#[test]
fn the_time_of_a_read_is_clamped_to_now() {
    let mut early = seen(Execution::Running);
    early.observed_at = at(500);
    assert_eq!(
        observe(&attached(Phase::Accepted, None), &early)
            .record
            .remote
            .observed_at,
        Some(at(5))
    );
}

#[test]
fn good_reads_of_success_without_outputs_are_counted() {
    let mut record = attached(Phase::Accepted, Some(Execution::Running));
    for (minute, listed) in [(0, None), (1, Some(Vec::new())), (2, None)] {
        let mut empty = seen(Execution::Succeeded);
        empty.outputs = listed;
        empty.observed_at = at(minute);
        let change = observe(&record, &empty);
        assert!(change.changed);
        record = change.record;
    }
    assert_eq!(record.remote.empty_observations, 3);
    assert_eq!(record.remote.outputs, Some(Vec::new()));
    let failed_read = observe(
        &record,
        &Observation {
            observed_at: at(3),
            ..unseen(Fetch::ServerError)
        },
    );
    assert_eq!(failed_read.record.remote.empty_observations, 3);
    let filled = Observation {
        outputs: Some(outputs(&[0])),
        observed_at: at(4),
        ..seen(Execution::Succeeded)
    };
    assert_eq!(observe(&record, &filled).record.remote.empty_observations, 3);
}

#[test]
fn a_charge_that_is_not_stated_is_kept() {
    let mut before = read(Phase::Accepted, Execution::Running);
    before.charge = charge(ChargeState::Charged, Some(12), None);
    let mut silent = seen(Execution::Failed);
    silent.charge = Some(charge(ChargeState::Unknown, None, None));
    assert_eq!(observe(&before, &silent).record.charge, before.charge);
    silent.charge = Some(charge(ChargeState::RefundPending, None, None));
    assert_eq!(
        observe(&before, &silent).record.charge,
        charge(ChargeState::RefundPending, Some(12), None)
    );
}
