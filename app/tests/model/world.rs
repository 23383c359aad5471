//! What comes from outside: reports, dead letters, facts, an administrator's hand.

use crate::action::{Letter, Told};
use crate::office::Office;
use crate::state::{Case, Render, State};
use app::domain::attempt::ReceiptKind;
use app::domain::dead_letter::{Disposition, Message, MessageFacts};
use app::domain::ids::DeadLetterId;
use app::domain::operation::{Dispatch, Phase};
use app::domain::plan::Action as Step;
use app::domain::protocol::{JobState, counted_by_facts, outcome_is_known};
use app::domain::remote::Execution;
use app::domain::transition::report::ReportedAxes;
use app::domain::transition::{Patch, apply_message, apply_patch};
use chrono::{DateTime, Utc};
use uuid::Uuid;

impl Office {
    pub fn report(&self, state: &mut State, at: usize, told: Told) -> Option<()> {
        state.left.reports = state.left.reports.checked_sub(1)?;
        let now = state.clock.now();
        let case = &mut state.cases[at];
        let mut patch = Patch::default();
        match told {
            Told::Job => {
                let unheard = case
                    .renders
                    .iter()
                    .find(|render| !case.told.contains(&render.job_id));
                let job = unheard?.job_id.clone();
                case.told.push(job.clone());
                patch.remote = ReportedAxes {
                    job_id: Some(job),
                    ..ReportedAxes::default()
                };
            }
            Told::Failed => patch.phase = Some(Phase::Failed),
            Told::Accepted => patch.phase = Some(Phase::Accepted),
            Told::FailedSent => {
                patch.phase = Some(Phase::Failed);
                patch.dispatch = Some(Dispatch::Sent);
            }
        }
        let named = patch.remote.job_id.clone();
        let held = named.is_some_and(|job| Self::is_held(state, at, &job));
        let case = &mut state.cases[at];
        case.record = apply_patch(&case.record, &patch, now, |_| held).ok()?.record;
        Some(())
    }

    pub fn letter(&self, state: &mut State, at: usize, letter: Letter) -> Option<()> {
        state.left.letters = state.left.letters.checked_sub(1)?;
        let now = state.clock.now();
        let case = &mut state.cases[at];
        let (action, job_id) = match letter {
            Letter::NamesJob => {
                // The application's own consumer had sent it; we learn of both at once.
                let job_id = case.next_job(at);
                case.renders.push(Render {
                    job_id: job_id.clone(),
                    execution: Execution::Running,
                    ours: false,
                });
                case.told.push(job_id.clone());
                (Step::Observe, Some(job_id))
            }
            Letter::Dispatch => (Step::Dispatch, None),
            Letter::ReplayedOutside => {
                let first = case.messages.first_mut()?;
                first.resurrections += 1;
                first.last_resurrection_at = Some(now);
                return Some(());
            }
            Letter::Purged => {
                let first = case.messages.first_mut().filter(|first| !first.purged)?;
                first.purged = true;
                return Some(());
            }
        };
        let message = Message {
            id: DeadLetterId(Uuid::from_u128(case.messages.len() as u128 + 1)),
            facts: MessageFacts {
                operation_id: Some(case.record.id.clone()),
                job_id: job_id.clone(),
                action: Some(action),
                error_category: None,
            },
            attempts: 3,
            died_at: now,
            resurrections: 0,
            own_replays: 0,
            last_resurrection_at: None,
            purged: false,
            disposition: Disposition::Open,
        };
        let known = job_id.is_some_and(|job| case.evidence().job_ids().contains(&job));
        case.record = apply_message(&case.record, &message, known, now).record;
        case.messages.push(message);
        Some(())
    }

    /// Owner facts arrive that are younger than everything.
    pub fn facts_arrive(&self, state: &mut State) -> Option<()> {
        state.left.facts = state.left.facts.checked_sub(1)?;
        let as_of = state.clock.now() + chrono::Duration::seconds(1);
        for case in &mut state.cases {
            count(case, as_of);
        }
        Some(())
    }

    pub fn delete_job(&self, state: &mut State, at: usize) -> Option<()> {
        state.left.deletions = state.left.deletions.checked_sub(1)?;
        let case = &mut state.cases[at];
        let there = |work: &usize| match case.works[*work].job {
            JobState::Queued | JobState::Processing => true,
            JobState::Done | JobState::Cancelled | JobState::Dead | JobState::Missing => false,
        };
        let work = case.active().find(there)?;
        case.works[work].job = JobState::Missing;
        case.works[work].job_lease = None;
        Some(())
    }
}

/// Ends the reservations that these owner facts have counted.
pub fn count(case: &mut Case, as_of: DateTime<Utc>) {
    let known = outcome_is_known(&case.record);
    for work in &mut case.works {
        let stored = &mut work.stored;
        let begun = case
            .attempts
            .iter()
            .find(|begun| begun.attempt.recovery_id == stored.recovery.id);
        let accepted = begun.and_then(|begun| {
            let mut receipts = begun.receipts.iter();
            let accepted = receipts.find(|(receipt, _)| receipt.kind == ReceiptKind::Accepted);
            accepted.map(|(_, at)| *at)
        });
        if counted_by_facts(known, accepted, stored.recovery.finished_at, as_of) {
            stored.reservation_open = false;
        }
    }
}
