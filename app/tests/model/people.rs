//! What people do: confirm, approve, cancel, decide.

use crate::action::Word;
use crate::check::Goal;
use crate::mutation::Mutation;
use crate::office::Office;
use crate::state::{
    APPROVAL, CREATION_VALID, Case, LEASE, Person, State, TIMEOUT, Work, job_id, moment, recovery_id,
    ticks_long,
};
use app::desk::RecoveryOrder;
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::dead_letter::Disposition;
use app::domain::decision::{Decision, allowed};
use app::domain::evidence::Evidence;
use app::domain::guard::{GuardName, Verdict};
use app::domain::ids::JobId;
use app::domain::plan::{Action as Step, decide, glance, missing_outputs};
use app::domain::protocol::{Approval, JobState, Stored, approval, begins_as, confirmed, may_cancel};
use app::domain::recovery::{Recovery, RecoveryState};
use app::domain::remote::Fetch;
use app::domain::role::{Caller, Role};
use app::domain::transition::{Context, Observation, adopt, apply_decision, new_child};
use chrono::Duration;

pub fn order(revision: i64, action: Step, job: Option<JobId>) -> RecoveryOrder {
    RecoveryOrder {
        revision,
        action,
        reason: String::new(),
        job_id: job,
        dead_letter_id: None,
        confirm: None,
        follow: false,
    }
}

impl Office {
    pub fn confirm(&self, state: &mut State, at: usize, person: Person) -> Option<()> {
        let record = &state.cases[at].record;
        let evidence = self.evidence(state, at);
        let action = glance(record, &evidence).action;
        self.intend(state, at, person, &order(record.revision, action, None))
    }

    /// A read of the last id that reached us, beside the plan.
    pub fn read_beside(&self, state: &mut State, at: usize, person: Person) -> Option<()> {
        let job = state.cases[at].told.last()?.clone();
        self.intend(state, at, person, &order(0, Step::Observe, Some(job)))
    }

    /// Step 3 of the protocol.
    pub fn intend(&self, state: &mut State, at: usize, person: Person, order: &RecoveryOrder) -> Option<()> {
        let now = state.clock.now();
        let evidence = self.evidence(state, at);
        let record = &state.cases[at].record;
        let plan = confirmed(record, &evidence, order, now).ok()?;
        let active = state.cases[at].active().next().is_some();
        if !plan.effect.makes_recovery() || (active && !self.breaks(Mutation::TwoRecoveries)) {
            return None;
        }
        let seen = (!plan.is_alternative()).then_some(order.revision);
        let facts = self.guard_facts(state, at, &caller(person), seen, None);
        let plan = plan.guarded(record, &evidence, &facts, now);
        if !plan.allowed {
            return None;
        }
        let creates = plan.action == Step::Dispatch;
        let left = if creates {
            &mut state.left.dispatches
        } else {
            &mut state.left.reads
        };
        *left = left.checked_sub(1)?;
        let begins = begins_as(plan.action, self.bounds.approvals);
        let awaits = begins == RecoveryState::AwaitingApproval;
        let case = &mut state.cases[at];
        let work = case.works.len();
        let valid = if awaits { APPROVAL } else { CREATION_VALID };
        case.works.push(Work {
            stored: Stored {
                recovery: Recovery {
                    id: recovery_id(at, work),
                    operation_id: case.record.id.clone(),
                    dead_letter_id: None,
                    action: plan.action,
                    effect: plan.effect,
                    state: begins,
                    outcome: None,
                    requested_by: person.name().to_owned(),
                    approved_by: None,
                    reason: String::new(),
                    revision_before: case.record.revision,
                    revision_after: None,
                    job_id: Some(job_id(at, work)),
                    remote_job_id: plan.job_id.clone(),
                    follow: false,
                    created_at: moment(0),
                    finished_at: None,
                },
                requested_role: Role::Approver,
                fence: 0,
                lease_until: None,
                handed_back: false,
                reservation_open: creates,
                valid_until: creates.then(|| now + ticks_long(valid)),
                heard_at: now,
                started_at: None,
            },
            job: if awaits {
                JobState::Missing
            } else {
                JobState::Queued
            },
            claims: 0,
            job_lease: None,
            posts: 0,
        });
        Some(())
    }

    pub fn approve(&self, state: &mut State, at: usize, person: Person) -> Option<()> {
        let now = state.clock.now();
        let work = state.cases[at].active().next()?;
        let evidence = self.evidence(state, at);
        let case = &state.cases[at];
        let stored = &case.works[work].stored;
        let plan = decide(&case.record, &evidence, now);
        match approval(stored, person.name(), case.record.revision, plan.action, now) {
            Approval::NotAwaited => return None,
            Approval::SamePerson if self.breaks(Mutation::SamePersonApproves) => {}
            Approval::SamePerson => return None,
            Approval::Over(_)
                if self.breaks(Mutation::ApprovalOutlivesRevision) && !stored.is_overdue(now) => {}
            Approval::Over(ending) => {
                return self.end(state, at, work, &ending).then_some(());
            }
            Approval::Stands => {
                let seen = Some(stored.recovery.revision_before);
                let facts = self.guard_facts(state, at, &caller(person), seen, Some(work));
                if !plan.guarded(&case.record, &evidence, &facts, now).allowed {
                    return None;
                }
            }
        }
        let entry = &mut state.cases[at].works[work];
        let recovery = &mut entry.stored.recovery;
        recovery.state = RecoveryState::Requested;
        recovery.approved_by = Some(person.name().to_owned());
        entry.stored.valid_until = Some(now + ticks_long(CREATION_VALID));
        entry.stored.heard_at = now;
        entry.job = JobState::Queued;
        Some(())
    }

    pub fn cancel(&self, state: &mut State, at: usize) -> Option<()> {
        state.left.cancels = state.left.cancels.checked_sub(1)?;
        let work = state.cases[at].active().next()?;
        let stored = &state.cases[at].works[work].stored;
        may_cancel(stored.recovery.state, stored.recovery.follow).ok()?;
        let ending = app::domain::protocol::Ending::new(RecoveryState::Cancelled, "");
        self.end(state, at, work, &ending).then_some(())
    }

    pub fn decide(&self, state: &mut State, at: usize, word: Word) -> Option<()> {
        state.left.decisions = state.left.decisions.checked_sub(1)?;
        if state.cases[at].active().next().is_some() {
            return None;
        }
        let now = state.clock.now();
        let plan = self.plan(state, at, Person::Ann);
        let evidence = self.evidence(state, at);
        let case = &state.cases[at];
        let decision = spoken(state, case, at, word, &evidence)?;
        let wait = if self.breaks(Mutation::WordWithoutWait) {
            Duration::seconds(-1)
        } else if self.bounds.flight {
            ticks_long(LEASE + TIMEOUT)
        } else {
            ticks_long(LEASE)
        };
        let competing = plan
            .guards
            .iter()
            .any(|result| result.guard == GuardName::NoCompetingJob && result.verdict == Verdict::Block);
        allowed(
            decision.kind(),
            &case.record,
            &evidence,
            plan.row,
            now,
            wait,
            competing,
        )
        .ok()?;
        let found = match &decision {
            Decision::AttachJob { job_id } => case.renders.iter().find(|render| render.job_id == *job_id),
            Decision::ChooseJob { .. }
            | Decision::AdoptAsOperation { .. }
            | Decision::ConfirmNotSent { .. }
            | Decision::OutsideSendExcluded { .. }
            | Decision::CloseUnresolved
            | Decision::OutputsLost { .. }
            | Decision::RefundConfirmed { .. }
            | Decision::ChargeAccepted
            | Decision::RefundRequested
            | Decision::AcknowledgeObsolete { .. }
            | Decision::PrepareNewOperation { .. }
            | Decision::Reopen => None,
        };
        let seen = found.map(|render| Observation {
            fetch: Fetch::Ok,
            execution: Some(render.execution),
            reason: None,
            raw_status: None,
            outputs: None,
            outputs_expected: None,
            charge: None,
            observed_at: now,
        });
        let context = Context {
            by: Person::Ann.name(),
            reason: "",
            now,
            observation: seen.as_ref(),
            candidates: &[],
        };
        let change = apply_decision(&case.record, &evidence, &decision, &context).ok()?;
        let made = match &decision {
            Decision::AdoptAsOperation { job_id, id } => {
                let (_, child) = adopt(&case.record, &evidence, job_id, id, &context).ok()?;
                let renders = &mut state.cases[at].renders;
                let mut made = Case::of(child);
                let place = renders.iter().position(|render| render.job_id == *job_id)?;
                made.told.push(job_id.clone());
                made.renders.push(renders[place].clone());
                Some(made)
            }
            Decision::PrepareNewOperation { id } => {
                if has_open_child(self, state, at) {
                    return None;
                }
                let fingerprint = case.record.fingerprint.clone();
                Some(Case::of(new_child(&case.record, id, Some(1), fingerprint, now)))
            }
            Decision::AttachJob { job_id } => {
                state.cases[at].told.push(job_id.clone());
                None
            }
            Decision::ConfirmNotSent { .. } => {
                for begun in &mut state.cases[at].attempts {
                    if begun.told().is_open() {
                        begun.receipts.push((word_of_person(), now));
                    }
                }
                None
            }
            Decision::AcknowledgeObsolete { .. } => {
                for message in &mut state.cases[at].messages {
                    message.disposition = Disposition::Acknowledged;
                }
                None
            }
            Decision::ChooseJob { .. }
            | Decision::OutsideSendExcluded { .. }
            | Decision::CloseUnresolved
            | Decision::OutputsLost { .. }
            | Decision::RefundConfirmed { .. }
            | Decision::ChargeAccepted
            | Decision::RefundRequested
            | Decision::Reopen => None,
        };
        let releases = word == Word::ConfirmNotSent || change.record.closure.is_some();
        let case = &mut state.cases[at];
        case.record = change.record;
        if releases {
            for work in &mut case.works {
                work.stored.reservation_open = false;
            }
        }
        if let Some(made) = made {
            if word == Word::PrepareNew {
                crate::check::reach(state, Goal::ChildPrepared);
            }
            state.cases.push(made);
        }
        Some(())
    }
}

pub fn caller(person: Person) -> Caller {
    Caller {
        name: person.name().to_owned(),
        role: Role::Approver,
    }
}

fn word_of_person() -> Receipt {
    Receipt {
        kind: ReceiptKind::ConfirmedByPerson,
        status: None,
        job_id: None,
        job_id_at: None,
        charge: None,
        detail: String::new(),
        category: None,
    }
}

/// The decision with arguments that are true; `None` where there are none.
fn spoken(state: &State, case: &Case, at: usize, word: Word, evidence: &Evidence) -> Option<Decision> {
    let record = &case.record;
    let other = || {
        let own = evidence.own_jobs(record);
        own.into_iter().find(|job| record.job_id.as_ref() != Some(job))
    };
    let fresh = || format!("op_{}", state.cases.len()).into();
    let room = state.cases.len() < MOST_CASES;
    Some(match word {
        // Truthfully: nothing was accepted for this operation, by anybody.
        Word::ConfirmNotSent if case.renders.is_empty() => Decision::ConfirmNotSent {
            evidence: String::new(),
        },
        Word::ConfirmNotSent => return None,
        Word::CloseUnresolved => Decision::CloseUnresolved,
        Word::Reopen => Decision::Reopen,
        Word::ChargeAccepted => Decision::ChargeAccepted,
        Word::RefundRequested => Decision::RefundRequested,
        Word::OutsideSendExcluded => Decision::OutsideSendExcluded {
            evidence: String::new(),
            through: state.clock.now(),
        },
        Word::ChooseOther => Decision::ChooseJob { job_id: other()? },
        Word::AdoptOther if room => Decision::AdoptAsOperation {
            job_id: other()?,
            id: fresh(),
        },
        Word::PrepareNew if room => Decision::PrepareNewOperation { id: fresh() },
        Word::AdoptOther | Word::PrepareNew => return None,
        Word::AttachFound => {
            let known = evidence.known_jobs(record);
            let found = case
                .renders
                .iter()
                .find(|render| !known.contains(&render.job_id))?;
            if Office::is_held(state, at, &found.job_id) {
                return None;
            }
            Decision::AttachJob {
                job_id: found.job_id.clone(),
            }
        }
        Word::OutputsLost => Decision::OutputsLost {
            indexes: missing_outputs(record),
        },
        Word::AcknowledgeObsolete => Decision::AcknowledgeObsolete { dead_letter_id: None },
    })
}

/// The most operations that a story has.
pub const MOST_CASES: usize = 3;

fn has_open_child(office: &Office, state: &State, at: usize) -> bool {
    let parent = &state.cases[at].record;
    (0..state.cases.len()).any(|other| {
        let record = &state.cases[other].record;
        let adopted = record
            .job_id
            .as_ref()
            .is_some_and(|job| parent.adopted_jobs.contains(job));
        let evidence = office.evidence(state, other);
        let ended = record.closure.is_some() || glance(record, &evidence).action == Step::Acknowledge;
        record.parent.as_ref() == Some(&parent.id) && !adopted && !ended
    })
}

/// Whether a read of this id is permitted now, whatever the plan is: `observe_plan` asks the same.
pub fn is_observable(case: &Case, evidence: &Evidence, job: &JobId) -> bool {
    evidence.jobs(&case.record).known.contains(job)
}
