//! What workers do: claim, permit, read, copy, and what ends their work for them. One transaction a step.

use crate::check::{Goal, Rule, reach};
use crate::mutation::Mutation;
use crate::office::Office;
use crate::state::{
    Begun, CLAIMS, Copied, Hold, LEASE, Person, Result, SILENCE, State, Worker, attempt_id, moment,
    ticks_long,
};
use app::domain::attempt::{Attempt, Receipt, ReceiptKind};
use app::domain::operation::{Dispatch, Phase};
use app::domain::plan::{Action as Step, missing_outputs};
use app::domain::protocol::{
    Ending, JobState, Leave, Present, abandoned, ends_with_recovery, leave, refused_by_guards,
    still_permitted,
};
use app::domain::recovery::RecoveryState;
use app::domain::remote::{Execution, Fetch, Output};
use app::domain::role::Role;
use app::domain::transition::{Observation, begin_dispatch};
use chrono::Duration;

impl Office {
    /// Ends a recovery with its lease, its job and what it held back. `false` when it had ended already.
    pub fn end(&self, state: &mut State, at: usize, work: usize, ending: &Ending) -> bool {
        let now = state.clock.now();
        let case = &mut state.cases[at];
        let entry = &mut case.works[work];
        let stored = &mut entry.stored;
        if !stored.recovery.state.is_active() && !self.breaks(Mutation::EndedEndsAgain) {
            return false;
        }
        stored.recovery.state = ending.state;
        stored.recovery.finished_at = Some(now);
        stored.fence += 1;
        stored.lease_until = None;
        self.release(state, at, work);
        true
    }

    /// Lets go of what the recovery held back, when its receipts say so.
    pub fn release(&self, state: &mut State, at: usize, work: usize) {
        let case = &mut state.cases[at];
        let id = case.works[work].stored.recovery.id;
        let begun = case.attempts.iter().find(|begun| begun.attempt.recovery_id == id);
        let kinds: Option<Vec<ReceiptKind>> =
            begun.map(|begun| begun.receipts.iter().map(|(receipt, _)| receipt.kind).collect());
        if ends_with_recovery(kinds.as_deref()) && !self.breaks(Mutation::ReservationKept) {
            case.works[work].stored.reservation_open = false;
        }
    }

    pub fn claim(&self, state: &mut State, worker: usize, at: usize) -> Option<()> {
        if state.workers[worker] != Worker::Idle {
            return None;
        }
        let case = &mut state.cases[at];
        let queued = |work: &usize| case.works[*work].job == JobState::Queued;
        let work = case.active().find(queued)?;
        let entry = &mut case.works[work];
        entry.claims += 1;
        if entry.claims > CLAIMS {
            entry.job = JobState::Dead;
            entry.job_lease = None;
            return Some(());
        }
        entry.job = JobState::Processing;
        entry.job_lease = Some(state.clock.database + LEASE);
        state.workers[worker] = Worker::Claimed(Hold {
            operation: at,
            work,
            claim: entry.claims,
            fence: 0,
            deadline: state.clock.monotonic + LEASE,
            attempt: None,
            renders: 0,
        });
        Some(())
    }

    /// The job goes back to the queue, or dies with its last claim.
    pub fn retry(&self, state: &mut State, worker: usize, hold: &Hold) {
        let entry = &mut state.cases[hold.operation].works[hold.work];
        if entry.job == JobState::Processing && entry.claims == hold.claim {
            entry.job_lease = None;
            entry.job = if entry.claims < CLAIMS {
                JobState::Queued
            } else {
                JobState::Dead
            };
        }
        state.workers[worker] = Worker::Idle;
    }

    pub fn permit(&self, state: &mut State, worker: usize) -> Option<()> {
        let Worker::Claimed(hold) = state.workers[worker].clone() else {
            return None;
        };
        let (at, work) = (hold.operation, hold.work);
        let now = state.clock.now();
        let remaining = hold.deadline - state.clock.monotonic;
        let evidence = self.evidence(state, at);
        let case = &state.cases[at];
        let stored = &case.works[work].stored;
        let creates = stored.recovery.action == Step::Dispatch;
        let begun = case
            .attempts
            .iter()
            .position(|begun| begun.attempt.recovery_id == stored.recovery.id);
        let over = creates && begun.is_some() && !stored.is_leased(now) && remaining > 0;
        if over && stored.recovery.state.is_active() && self.breaks(Mutation::SecondClaimSends) {
            return self.grant(state, worker, hold, remaining, begun);
        }
        let first = stored.recovery.state == RecoveryState::Requested;
        if creates && first && remaining > 0 && self.breaks(Mutation::PermitBlind) {
            return self.grant(state, worker, hold, remaining, None);
        }
        let plan = match leave(stored, &case.record, &evidence, now) {
            Leave::Ended(_) => {
                state.workers[worker] = Worker::Idle;
                return Some(());
            }
            Leave::Held => {
                self.retry(state, worker, &hold);
                return Some(());
            }
            Leave::Ends(_) | Leave::Plan(_) if remaining <= 0 => {
                self.retry(state, worker, &hold);
                return Some(());
            }
            Leave::Ends(ending) => {
                if ending.state == RecoveryState::OutcomeUnknown {
                    reach(state, Goal::SecondClaimEnds);
                }
                return self.finish(state, worker, at, work, &ending);
            }
            Leave::Plan(plan) => plan,
        };
        let present = |name: &str| {
            let mut gone = state.dismissed.iter().map(|person| person.name());
            if gone.any(|gone| gone == name) && !self.breaks(Mutation::DismissedMayCreate) {
                Present::Dismissed
            } else {
                Present::May(Role::Approver)
            }
        };
        if let Err(ending) = still_permitted(stored, present) {
            return self.finish(state, worker, at, work, &ending);
        }
        let facts = self.guard_facts(state, at, &stored.requester(), None, Some(work));
        let plan = plan.guarded(&case.record, &evidence, &facts, now);
        if let Some(ending) = refused_by_guards(&plan) {
            reach(state, Goal::RefusedAtPermit);
            return self.finish(state, worker, at, work, &ending);
        }
        self.grant(state, worker, hold, remaining, None)
    }

    pub fn finish(
        &self,
        state: &mut State,
        worker: usize,
        at: usize,
        work: usize,
        ending: &Ending,
    ) -> Option<()> {
        self.end(state, at, work, ending);
        state.workers[worker] = Worker::Idle;
        Some(())
    }

    fn grant(
        &self,
        state: &mut State,
        worker: usize,
        mut hold: Hold,
        remaining: i64,
        again: Option<usize>,
    ) -> Option<()> {
        let now = state.clock.now();
        crate::check::at_permit(self, state, &hold);
        let case = &mut state.cases[hold.operation];
        let stored = &mut case.works[hold.work].stored;
        stored.fence += 1;
        stored.recovery.state = RecoveryState::Running;
        stored.lease_until = Some(now + ticks_long(remaining));
        stored.heard_at = now;
        hold.fence = stored.fence;
        hold.renders = case.renders.len();
        if stored.recovery.action == Step::Dispatch {
            let recovery = stored.recovery.id;
            hold.attempt = again.or(Some(case.attempts.len()));
            if again.is_none() {
                case.record = begin_dispatch(&case.record, now).record;
                let number = case.attempts.len() + 1;
                case.attempts.push(Begun {
                    attempt: Attempt {
                        id: attempt_id(hold.operation, number),
                        number: i64::try_from(number).unwrap_or(i64::MAX),
                        recovery_id: recovery,
                        started_at: now,
                        receipt: None,
                        received_at: None,
                    },
                    receipts: Vec::new(),
                });
            }
        }
        state.workers[worker] = Worker::Permitted(hold);
        Some(())
    }

    /// One answered GET, or one whose answer is lost.
    pub fn observe(&self, state: &mut State, worker: usize, answer: Option<Execution>) -> Option<()> {
        let Worker::Permitted(hold) = state.workers[worker].clone() else {
            return None;
        };
        let outputs = self.bounds.outputs;
        let now = state.clock.now();
        let case = &mut state.cases[hold.operation];
        let recovery = &case.works[hold.work].stored.recovery;
        match recovery.action {
            Step::Observe | Step::InspectAccounting => {}
            Step::Dispatch | Step::Deliver | Step::Reconcile | Step::Acknowledge => return None,
        }
        let job = recovery.remote_job_id.clone()?;
        let Some(execution) = answer else {
            state.workers[worker] = Worker::Holding(hold, Result::Nothing);
            return Some(());
        };
        let render = case.renders.iter_mut().find(|render| render.job_id == job)?;
        // The provider does not take back what it said.
        if render.execution.is_terminal() && render.execution != execution {
            return None;
        }
        render.execution = execution;
        let listed = (execution == Execution::Succeeded).then(|| {
            let indexes = 0..outputs;
            indexes
                .map(|index| Output {
                    index,
                    content_type: None,
                })
                .collect()
        });
        let seen = Observation {
            fetch: Fetch::Ok,
            execution: Some(execution),
            reason: None,
            raw_status: None,
            outputs: listed,
            outputs_expected: None,
            charge: None,
            observed_at: now,
        };
        state.workers[worker] = Worker::Holding(hold, Result::Seen(job, seen));
        Some(())
    }

    /// The missing outputs are fetched, each with its own luck.
    pub fn copy(&self, state: &mut State, worker: usize, results: &[Copied]) -> Option<()> {
        let Worker::Permitted(hold) = state.workers[worker].clone() else {
            return None;
        };
        let case = &state.cases[hold.operation];
        if case.works[hold.work].stored.recovery.action != Step::Deliver {
            return None;
        }
        let missing = missing_outputs(&case.record).len();
        if missing != results.len() && !(missing == 0 && results == [Copied::Ours]) {
            return None;
        }
        let results = results.iter().copied().take(missing).collect();
        state.workers[worker] = Worker::Holding(hold, Result::Copied(results));
        Some(())
    }

    pub fn crash(&self, state: &mut State, worker: usize) -> Option<()> {
        if state.workers[worker] == Worker::Idle {
            return None;
        }
        state.left.crashes = state.left.crashes.checked_sub(1)?;
        state.workers[worker] = Worker::Idle;
        Some(())
    }

    /// The queue puts back what was claimed and not ended before its lease did.
    pub fn requeue(&self, state: &mut State, at: usize) -> Option<()> {
        let now = state.clock.database;
        let case = &mut state.cases[at];
        let lost = |work: &usize| {
            let entry = &case.works[*work];
            entry.job == JobState::Processing && entry.job_lease.is_some_and(|until| until <= now)
        };
        let work = case.active().find(lost)?;
        case.works[work].job = JobState::Queued;
        case.works[work].job_lease = None;
        Some(())
    }

    pub fn reconcile(&self, state: &mut State, at: usize) -> Option<()> {
        if self.breaks(Mutation::ReconcilerSleeps) {
            return None;
        }
        let now = state.clock.now();
        let bound: Duration = ticks_long(SILENCE);
        let case = &state.cases[at];
        let found = case.active().find_map(|work| {
            let entry = &case.works[work];
            let why = abandoned(&entry.stored, &case.record, entry.job, now, bound)?;
            Some((work, why))
        });
        let (work, why) = found?;
        let id = case.works[work].stored.recovery.id;
        let mut told = case.attempts.iter().map(Begun::told);
        let attempt = told.find(|attempt| attempt.recovery_id == id);
        let kept = attempt.as_ref().map(|attempt| attempt.receipt.as_ref());
        let ending = why.ending(&case.works[work].stored, kept, "");
        if ending.state == RecoveryState::OutcomeUnknown && self.breaks(Mutation::UnknownForgotten) {
            let record = &mut state.cases[at].record;
            record.phase = Phase::Prepared;
            record.dispatch = Dispatch::ConfirmedNotSent;
            record.not_sent_since = Some(now);
        }
        self.end(state, at, work, &ending).then_some(())
    }
}

pub fn receipt(kind: ReceiptKind, job_id: Option<app::domain::ids::JobId>) -> Receipt {
    Receipt {
        kind,
        status: None,
        job_id,
        job_id_at: None,
        charge: None,
        detail: String::new(),
        category: None,
    }
}

/// Whether who agreed to a creation has been dismissed.
pub fn agreed_by_dismissed(state: &State, agreed: &[&str]) -> Option<Rule> {
    let gone: Vec<&str> = state.dismissed.iter().copied().map(Person::name).collect();
    let found = agreed.iter().any(|name| gone.contains(name));
    found.then_some(Rule::DismissedCreateNothing)
}

/// Everything that was held in hand is gone, and a long time has passed.
pub fn long_after(state: &State) -> State {
    let mut later = state.clone();
    later.workers = vec![Worker::Idle; later.workers.len()];
    later.clock.database += 100;
    debug_assert!(later.clock.now() > moment(0));
    later
}
