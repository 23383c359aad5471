//! A creation on its way: connect, send once, and what comes back.

use crate::action::Answer;
use crate::check::{Goal, reach};
use crate::mutation::Mutation;
use crate::office::Office;
use crate::state::{Hold, Render, Result, State, TIMEOUT, Worker};
use crate::worker::receipt;
use app::domain::attempt::ReceiptKind;
use app::domain::remote::Execution;

impl Office {
    /// The connection stands, and the permit is looked at once more.
    pub fn connect(&self, state: &mut State, worker: usize) -> Option<()> {
        let Worker::Permitted(hold) = state.workers[worker].clone() else {
            return None;
        };
        hold.attempt?;
        let stored = &state.cases[hold.operation].works[hold.work].stored;
        let now = state.clock.now();
        let holds = stored.may_send_with(hold.fence, now) || self.breaks(Mutation::FenceIgnored);
        state.workers[worker] = if holds {
            Worker::Ready(hold)
        } else {
            Worker::Holding(hold, Result::Receipt(receipt(ReceiptKind::NotSent, None)))
        };
        Some(())
    }

    /// The first byte leaves, or it does not.
    pub fn send(&self, state: &mut State, worker: usize, answer: Answer) -> Option<()> {
        let Worker::Ready(hold) = state.workers[worker].clone() else {
            return None;
        };
        let over = state.clock.monotonic >= hold.deadline && !self.breaks(Mutation::LeaseIgnored);
        let answer = match answer {
            Answer::Unsent => Answer::Unsent,
            Answer::Accepted | Answer::AcceptedUnheard | Answer::Rejected | Answer::Unheard if over => {
                return None;
            }
            Answer::Accepted | Answer::AcceptedUnheard | Answer::Rejected | Answer::Unheard => answer,
        };
        if answer != Answer::Unsent {
            self.post(state, &hold);
            if self.bounds.flight {
                let until = state.clock.monotonic + TIMEOUT;
                state.workers[worker] = Worker::Flying(hold, until);
                return Some(());
            }
        }
        self.answer(state, worker, hold, answer);
        Some(())
    }

    /// What was under way is accepted or not, before its time is over; after it nothing arrives any more.
    pub fn arrive(&self, state: &mut State, worker: usize, answer: Answer) -> Option<()> {
        let Worker::Flying(hold, until) = state.workers[worker].clone() else {
            return None;
        };
        let late = state.clock.monotonic >= until;
        match answer {
            Answer::Unsent => return None,
            Answer::Accepted | Answer::AcceptedUnheard | Answer::Rejected if late => return None,
            Answer::Accepted | Answer::AcceptedUnheard | Answer::Rejected | Answer::Unheard => {}
        }
        let accepts = answer == Answer::Accepted || answer == Answer::AcceptedUnheard;
        if accepts
            && state.cases[hold.operation]
                .renders
                .iter()
                .any(|render| render.ours)
        {
            crate::check::twice(state);
        }
        self.answer(state, worker, hold, answer);
        Some(())
    }

    pub fn answer(&self, state: &mut State, worker: usize, hold: Hold, answer: Answer) {
        let mut kind = match answer {
            Answer::Accepted => ReceiptKind::Accepted,
            Answer::AcceptedUnheard | Answer::Unheard => ReceiptKind::Unknown,
            Answer::Rejected => ReceiptKind::Rejected,
            Answer::Unsent => ReceiptKind::NotSent,
        };
        let accepts = match answer {
            Answer::Accepted | Answer::AcceptedUnheard => true,
            Answer::Rejected | Answer::Unheard | Answer::Unsent => false,
        };
        let mut job = accepts.then(|| self.render(state, &hold));
        if kind == ReceiptKind::Unknown && self.breaks(Mutation::RequestRetried) {
            self.post(state, &hold);
            kind = ReceiptKind::Accepted;
            job = Some(self.render(state, &hold));
        }
        let heard = job.filter(|_| kind == ReceiptKind::Accepted);
        state.workers[worker] = Worker::Holding(hold, Result::Receipt(receipt(kind, heard)));
    }

    pub fn post(&self, state: &mut State, hold: &Hold) {
        crate::check::at_post(state, hold);
        state.cases[hold.operation].works[hold.work].posts += 1;
        let attempts = state.cases[hold.operation].attempts.len();
        reach(state, Goal::Sent);
        if attempts > 1 {
            reach(state, Goal::SentAgain);
        }
    }

    pub fn render(&self, state: &mut State, hold: &Hold) -> app::domain::ids::JobId {
        let case = &mut state.cases[hold.operation];
        let job_id = case.next_job(hold.operation);
        case.renders.push(Render {
            job_id: job_id.clone(),
            execution: Execution::Running,
            ours: true,
        });
        job_id
    }
}
