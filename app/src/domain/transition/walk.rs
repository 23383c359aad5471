//! Every phase × stored execution × source × read, walked: what must hold whatever comes together.

use super::sample::{at, attached, job, nobody, outputs, seen, unseen};
use super::{Observation, Reading, apply_observation, apply_patch, parse_patch};
use crate::domain::operation::{Operation, Phase};
use crate::domain::remote::{Execution, Fetch, Source};
use serde_json::json;

fn records() -> impl Iterator<Item = Operation> {
    let executions = || [None].into_iter().chain(Execution::ALL.iter().copied().map(Some));
    Phase::ALL.iter().flat_map(move |phase| {
        executions().flat_map(move |execution| {
            Source::ALL.iter().map(move |source| {
                let mut record = attached(*phase, execution);
                record.remote.outputs = Some(outputs(&[1]));
                record.remote.source = execution.map(|_| *source);
                record.remote.read_at = match (source, execution) {
                    (Source::Get, Some(_)) => record.remote.observed_at,
                    (Source::Get, None) | (Source::Reported, _) => None,
                };
                record
            })
        })
    })
}

fn reads() -> impl Iterator<Item = Observation> {
    let good = Execution::ALL.iter().map(|execution| {
        let mut read = seen(*execution);
        read.outputs = Some(outputs(&[0]));
        read
    });
    let failed = Fetch::ALL.iter().filter(|fetch| **fetch != Fetch::Ok);
    good.chain(failed.map(|fetch| unseen(*fetch)))
}

#[test]
fn a_read_never_loses_what_is_known() {
    for before in records() {
        for read in reads() {
            for minutes in [0, -120] {
                let read = Observation {
                    observed_at: at(minutes),
                    ..read.clone()
                };
                let change =
                    apply_observation(&before, &job("gj_1"), &read, Reading::default(), at(5), nobody);
                let after = &change.record;
                assert_eq!(after.revision, before.revision + i64::from(change.changed));
                assert_eq!(after.job_id, before.job_id);
                assert!(
                    after
                        .remote
                        .outputs
                        .iter()
                        .flatten()
                        .any(|output| output.index == 1)
                );
                assert!(after.remote.execution.is_some() || before.remote.execution.is_none());
                assert_ne!(
                    (before.phase, after.phase == Phase::Delivered),
                    (Phase::Delivered, false)
                );
                assert!(after.phase != Phase::Prepared || before.phase == Phase::Prepared);
                if before.phase == Phase::Succeeded {
                    assert_eq!(after.phase, Phase::Succeeded);
                }
                let again = apply_observation(after, &job("gj_1"), &read, Reading::default(), at(5), nobody);
                assert!(!again.changed, "the same answer twice says nothing new");
            }
        }
    }
}

#[test]
fn a_report_never_overrules_our_own_terminal_read() {
    for before in records().filter(|record| record.remote.read_at.is_some()) {
        for execution in Execution::ALL {
            let patch =
                parse_patch(&json!({"remote": {"execution": execution, "outputs": []}})).unwrap_or_default();
            if let Ok(change) = apply_patch(&before, &patch, at(5), nobody) {
                assert_eq!(change.record.remote, before.remote);
                assert_eq!(change.record.phase, before.phase);
            }
        }
    }
}
