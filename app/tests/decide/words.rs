//! The sentences of every row, on one page.

use crate::sample;
use app::domain::evidence::Evidence;
use app::domain::money::ChargeState;
use app::domain::operation::{Dispatch, Operation, Phase};
use app::domain::plan::{decide, observe_plan, sentence};
use app::domain::remote::{CopyState, Execution, Fetch, Reason};
use std::fmt::Write as _;

/// One record for each way through the table, in the table's order.
fn rows() -> Vec<(u8, Operation, Evidence)> {
    let none = Evidence::default;
    let naming = |job: &str| Evidence {
        messages: vec![sample::message_naming(1, job)],
        ..Evidence::default()
    };
    let change = |mut record: Operation, change: fn(&mut Operation)| {
        change(&mut record);
        record
    };
    let succeeded = |listed: u32| {
        let mut record = sample::attached(Phase::Succeeded, Some(Execution::Succeeded));
        record.remote.outputs = sample::listed(0..listed);
        record.charge = sample::charge(ChargeState::Charged);
        record
    };
    let failed = |change: fn(&mut Operation)| {
        let mut record = sample::attached(Phase::Failed, Some(Execution::Failed));
        record.charge = sample::charge(ChargeState::Charged);
        change(&mut record);
        record
    };
    vec![
        (
            1,
            change(succeeded(1), |record| {
                record.phase = Phase::Delivered;
                record.outputs = vec![sample::copy(0, CopyState::Delivered, 0)];
            }),
            none(),
        ),
        (
            2,
            change(succeeded(1), |record| record.closure = Some(sample::closure())),
            none(),
        ),
        (
            3,
            sample::attached(Phase::Accepted, Some(Execution::Running)),
            naming("gj_2"),
        ),
        (
            3,
            sample::attached(Phase::Accepted, None),
            Evidence {
                held_elsewhere: ["gj_1".into()].into(),
                ..none()
            },
        ),
        (
            4,
            sample::record(Phase::Submitting, Dispatch::OutcomeUnknown),
            naming("gj_1"),
        ),
        (5, sample::record(Phase::Succeeded, Dispatch::Sent), none()),
        (
            6,
            change(succeeded(0), |record| record.remote.empty_observations = 1),
            none(),
        ),
        (
            6,
            change(succeeded(0), |record| record.remote.empty_observations = 3),
            none(),
        ),
        (
            7,
            change(succeeded(2), |record| {
                record.outputs = vec![
                    sample::copy(0, CopyState::Delivered, 0),
                    sample::copy(1, CopyState::Failed, 3),
                ]
            }),
            none(),
        ),
        (
            8,
            change(succeeded(4), |record| {
                record.outputs = vec![sample::copy(1, CopyState::Delivered, 0)]
            }),
            none(),
        ),
        (
            9,
            change(succeeded(1), |record| {
                record.outputs = vec![sample::copy(0, CopyState::Delivered, 0)]
            }),
            none(),
        ),
        (
            10,
            change(
                sample::attached(Phase::Accepted, Some(Execution::Running)),
                |record| {
                    record.remote.fetch = Some(Fetch::NotFound);
                },
            ),
            none(),
        ),
        (
            11,
            change(
                sample::attached(Phase::Accepted, Some(Execution::Unknown)),
                |record| {
                    record.remote.raw_status = Some("thermal_hold".to_owned());
                },
            ),
            none(),
        ),
        (
            12,
            change(succeeded(1), |record| record.phase = Phase::Failed),
            none(),
        ),
        (
            13,
            sample::record(Phase::Failed, Dispatch::OutcomeUnknown),
            none(),
        ),
        (
            13,
            change(
                sample::record(Phase::Failed, Dispatch::ConfirmedNotSent),
                |record| {
                    record.remote.execution = Some(Execution::Queued);
                },
            ),
            none(),
        ),
        (
            14,
            sample::record(Phase::Failed, Dispatch::ConfirmedNotSent),
            none(),
        ),
        (15, failed(|_| {}), none()),
        (
            15,
            failed(|record| record.remote.reason = Some(Reason::SubmissionFailure)),
            none(),
        ),
        (
            15,
            failed(|record| record.charge.state = ChargeState::RefundPending),
            none(),
        ),
        (15, sample::record(Phase::Failed, Dispatch::Sent), none()),
        (
            16,
            failed(|record| record.charge.state = ChargeState::None),
            none(),
        ),
        (
            17,
            sample::attached(Phase::Accepted, Some(Execution::Running)),
            none(),
        ),
        (17, sample::attached(Phase::Submitting, None), none()),
        (
            18,
            sample::record(Phase::Submitting, Dispatch::OutcomeUnknown),
            none(),
        ),
        (18, sample::record(Phase::Accepted, Dispatch::Sent), none()),
        (19, sample::unsent(), none()),
        (20, sample::record(Phase::Prepared, Dispatch::NotRecorded), none()),
        (
            20,
            change(sample::unsent(), |record| {
                record.charge = sample::charge(ChargeState::Charged)
            }),
            none(),
        ),
        (
            20,
            change(sample::unsent(), |record| {
                record.adopted_jobs = vec!["gj_9".into()]
            }),
            none(),
        ),
    ]
}

#[test]
fn every_row_explains_itself() {
    let mut page = String::new();
    for (row, record, evidence) in rows() {
        let plan = decide(&record, &evidence, sample::now());
        assert_eq!(plan.row, row, "{record:#?}");
        let (known, not_known) = sentence(&record, &evidence);
        let decisions: Vec<&str> = plan.decisions.iter().map(|kind| kind.as_str()).collect();
        let _ = writeln!(page, "{row} {}: {}", plan.action, plan.summary);
        let _ = writeln!(page, "    known: {known}\n    not known: {not_known}");
        for refused in &plan.refused {
            let _ = writeln!(page, "    not {}: {}", refused.action, refused.why);
        }
        let _ = writeln!(page, "    decisions: {}", decisions.join(", "));
    }
    insta::assert_snapshot!(page);
}

#[test]
fn a_read_beside_the_plan_says_what_it_writes() {
    let record = sample::attached(Phase::Delivered, Some(Execution::Succeeded));
    let evidence = Evidence {
        messages: vec![sample::message_naming(1, "gj_2")],
        ..Evidence::default()
    };
    let summary = |job: &str| {
        observe_plan(&record, &evidence, &job.into(), sample::now())
            .map(|plan| plan.summary)
            .expect("a known id")
    };
    assert_eq!(
        summary("gj_1"),
        "Reads the status of job gj_1. Creates nothing. It is the attached job; a read is permitted at any time."
    );
    assert_eq!(
        summary("gj_2"),
        "Reads the status of job gj_2. Creates nothing. It is not the attached job: the read writes only what is \
         known of this id."
    );
}
