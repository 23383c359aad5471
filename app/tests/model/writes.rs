//! What workers write down: a receipt, a read, copies. One transaction each.

use crate::check::{Goal, reach};
use crate::mutation::Mutation;
use crate::office::Office;
use crate::state::{Copied, Hold, Result, State, Worker};
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::operation::{ErrorCategory, Phase};
use app::domain::plan::missing_outputs;
use app::domain::protocol::{Ending, ending_of_attempt};
use app::domain::recovery::RecoveryState;
use app::domain::transition::{
    Observation, OutputOutcome, OutputResult, Reading, apply_delivery, apply_observation, apply_receipt,
};

/// Row 4: an id that only evidence names is attached when the answer bears it.
const EVIDENCE_ROW: u8 = 4;

impl Office {
    pub fn write(&self, state: &mut State, worker: usize) -> Option<()> {
        let Worker::Holding(hold, result) = state.workers[worker].clone() else {
            return None;
        };
        match result {
            Result::Receipt(receipt) => self.write_receipt(state, &hold, receipt),
            Result::Seen(job, seen) => self.write_observation(state, &hold, &job, &seen),
            Result::Copied(results) => {
                if self.write_copies(state, &hold, &results) {
                    self.retry(state, worker, &hold);
                    return Some(());
                }
            }
            Result::Nothing => {
                let stored = &mut state.cases[hold.operation].works[hold.work].stored;
                if stored.is_held_with(hold.fence) {
                    stored.lease_until = None;
                }
                self.retry(state, worker, &hold);
                return Some(());
            }
        }
        state.workers[worker] = Worker::Idle;
        Some(())
    }

    /// Stored whatever happened to the lease, in one transaction with the end of the recovery.
    pub fn write_receipt(&self, state: &mut State, hold: &Hold, mut receipt: Receipt) {
        let now = state.clock.now();
        let at = hold.operation;
        let Some(attempt) = hold.attempt else { return };
        if let Some(job) = &receipt.job_id {
            let told = job.clone();
            state.cases[at].told.push(told);
        }
        let held = receipt
            .job_id
            .as_ref()
            .is_some_and(|job| Self::is_held(state, at, job));
        let case = &mut state.cases[at];
        let is_newest = attempt + 1 == case.attempts.len() || self.breaks(Mutation::LateReceiptWrites);
        let told = case.attempts[attempt].attempt.clone();
        let writes = is_newest && case.record.phase == Phase::Submitting && case.record.job_id.is_none();
        if !writes && self.breaks(Mutation::ReceiptIdDropped) {
            receipt.job_id = None;
        }
        case.attempts[attempt].receipts.push((receipt.clone(), now));
        case.record = apply_receipt(&case.record, &told, &receipt, is_newest, now, |_| held).record;
        if receipt.kind == ReceiptKind::Unknown {
            reach(state, Goal::Unknown);
        }
        let ending = ending_of_attempt(Some(&receipt), true);
        if !self.end(state, at, hold.work, &ending) {
            reach(state, Goal::LateReceipt);
            self.release(state, at, hold.work);
        }
    }

    pub fn write_observation(
        &self,
        state: &mut State,
        hold: &Hold,
        job: &app::domain::ids::JobId,
        seen: &Observation,
    ) {
        let now = state.clock.now();
        let at = hold.operation;
        let held = Self::is_held(state, at, job);
        let evidence = self.evidence(state, at);
        let case = &mut state.cases[at];
        if !case.works[hold.work].stored.is_held_with(hold.fence) {
            return;
        }
        let row = app::domain::plan::glance(&case.record, &evidence).row;
        let reading = Reading {
            attach: row == EVIDENCE_ROW,
            delivering: false,
        };
        if case.record.phase == Phase::Delivered && self.breaks(Mutation::DeliveredFollowsReads) {
            case.record.phase = Phase::Accepted;
        }
        case.record = apply_observation(&case.record, job, seen, reading, now, |_| held).record;
        reach(state, Goal::Observed);
        let ending = Ending::new(RecoveryState::Succeeded, "");
        self.end(state, at, hold.work, &ending);
    }

    /// Answers whether the queue tries again.
    pub fn write_copies(&self, state: &mut State, hold: &Hold, results: &[Copied]) -> bool {
        let now = state.clock.now();
        let at = hold.operation;
        let case = &mut state.cases[at];
        if !case.works[hold.work].stored.is_held_with(hold.fence) {
            return false;
        }
        let missing = missing_outputs(&case.record);
        let copied: Vec<OutputResult> = missing
            .iter()
            .zip(results)
            .map(|(index, result)| OutputResult {
                index: *index,
                outcome: match result {
                    Copied::Ours => OutputOutcome::Delivered {
                        storage_key: format!("{index}"),
                        bytes: 1,
                        sha256: String::new(),
                        content_type: None,
                    },
                    Copied::Lost => OutputOutcome::Failed {
                        category: ErrorCategory::OutputExpired,
                    },
                    Copied::Unwritable => OutputOutcome::Failed {
                        category: ErrorCategory::StorageWrite,
                    },
                },
            })
            .collect();
        case.record = apply_delivery(&case.record, &copied, now).record;
        let passing = results.contains(&Copied::Unwritable);
        if case.record.phase == Phase::Delivered {
            reach(state, Goal::Delivered);
            self.end(state, at, hold.work, &Ending::new(RecoveryState::Succeeded, ""));
            return false;
        }
        if !passing {
            self.end(state, at, hold.work, &Ending::new(RecoveryState::Failed, ""));
            return false;
        }
        case.works[hold.work].stored.lease_until = None;
        true
    }
}
