//! The model: the product's rules, carried out one transaction at a time, and every order in which they can come.

use crate::action::{Action, Answer, Letter, Told, Word};
use crate::check;
use crate::mutation::Mutation;
use crate::state::{Case, Clock, Copied, Left, Person, State, Worker, moment};
use app::domain::operation::{Dispatch, Operation, SpecificationRef};
use app::domain::plan::Action as Step;
use app::domain::protocol::JobState;
use app::domain::remote::Execution;
use stateright::{Model, Property};

/// How far the search goes.
#[derive(Debug, Clone)]
pub struct Bounds {
    pub name: &'static str,
    pub left: Left,
    /// `approvals.dispatch`.
    pub approvals: u8,
    pub credits: i64,
    pub words: &'static [Word],
    pub told: &'static [Told],
    pub letters: &'static [Letter],
    pub answers: &'static [Answer],
    pub outputs: u32,
    pub leaps: &'static [i64],
    /// Ann alone, where a second person makes no difference.
    pub people: &'static [Person],
    /// Requests take time: what was sent arrives later.
    pub flight: bool,
    /// Two workers are alike: states that differ by their order are one.
    pub alike: bool,
}

impl Bounds {
    pub fn new(name: &'static str, left: Left) -> Self {
        Self {
            name,
            left,
            approvals: 1,
            credits: 1,
            words: &Word::ALL,
            told: &Told::ALL,
            letters: &Letter::ALL,
            answers: &Answer::ALL,
            outputs: 1,
            leaps: &[3, -3],
            people: &[Person::Ann],
            flight: false,
            alike: true,
        }
    }
}

/// The office with everybody around it.
#[derive(Debug, Clone)]
pub struct Office {
    pub bounds: Bounds,
    pub mutation: Option<Mutation>,
    pub start: Operation,
}

/// An operation of which it is known that nothing was sent.
pub fn ready() -> Operation {
    let specification = SpecificationRef {
        id: "spec".to_owned(),
        revision: 1,
    };
    Operation {
        account: "main".to_owned(),
        fingerprint: Some("f1".to_owned()),
        dispatch: Dispatch::ConfirmedNotSent,
        not_sent_since: Some(moment(0)),
        ..Operation::new("op_0".into(), "genace", "studio", specification, moment(0))
    }
}

impl Office {
    pub fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            mutation: None,
            start: ready(),
        }
    }

    pub fn with(self, mutation: Mutation) -> Self {
        Self {
            mutation: Some(mutation),
            ..self
        }
    }

    pub fn breaks(&self, mutation: Mutation) -> bool {
        self.mutation == Some(mutation)
    }

    pub fn begin(&self) -> State {
        State {
            cases: vec![Case::of(self.start.clone())],
            workers: vec![Worker::Idle, Worker::Idle],
            clock: Clock {
                database: 0,
                monotonic: 0,
            },
            dismissed: Vec::new(),
            left: self.bounds.left,
            broken: Vec::new(),
            reached: Vec::new(),
        }
    }

    /// One step; `None` where it cannot happen or changes nothing.
    pub fn step(&self, last: &State, action: &Action) -> Option<State> {
        let mut next = last.clone();
        self.act(&mut next, action)?;
        self.level(&mut next);
        check::after(self, last, &mut next, action);
        (next != *last).then_some(next)
    }

    /// One step without its consequences being looked at.
    pub fn happens(&self, last: &State, action: &Action) -> Option<State> {
        let mut next = last.clone();
        self.act(&mut next, action)?;
        self.level(&mut next);
        (next != *last).then_some(next)
    }

    fn act(&self, state: &mut State, action: &Action) -> Option<()> {
        match action {
            Action::Confirm(case, person) => self.confirm(state, *case, *person),
            Action::Read(case, person) => self.read_beside(state, *case, *person),
            Action::Approve(case, person) => self.approve(state, *case, *person),
            Action::Cancel(case) => self.cancel(state, *case),
            Action::Decide(case, word) => self.decide(state, *case, *word),
            Action::Claim(worker, case) => self.claim(state, *worker, *case),
            Action::Permit(worker) => self.permit(state, *worker),
            Action::Connect(worker) => self.connect(state, *worker),
            Action::Send(worker, answer) => self.send(state, *worker, *answer),
            Action::Arrive(worker, answer) => self.arrive(state, *worker, *answer),
            Action::Observe(worker, answer) => self.observe(state, *worker, *answer),
            Action::Copy(worker, results) => self.copy(state, *worker, results),
            Action::Write(worker) => self.write(state, *worker),
            Action::Crash(worker) => self.crash(state, *worker),
            Action::Requeue(case) => self.requeue(state, *case),
            Action::Reconcile(case) => self.reconcile(state, *case),
            Action::DeleteJob(case) => self.delete_job(state, *case),
            Action::Compete(case) => {
                state.cases[*case].competing = !state.cases[*case].competing;
                Some(())
            }
            Action::Pass => {
                state.left.passes = state.left.passes.checked_sub(1)?;
                state.clock.database += 1;
                state.clock.monotonic += 1;
                Some(())
            }
            Action::Leap(by) => {
                // In the microseconds between the last look at the permit and the first byte the clock stays.
                let about_to_send = state
                    .workers
                    .iter()
                    .any(|worker| matches!(worker, Worker::Ready(_)));
                if about_to_send {
                    return None;
                }
                state.left.leaps = state.left.leaps.checked_sub(1)?;
                state.clock.database += by;
                Some(())
            }
            Action::Report(case, told) => self.report(state, *case, *told),
            Action::Letter(case, letter) => self.letter(state, *case, *letter),
            Action::Facts => self.facts_arrive(state),
            Action::Dismiss(person) => {
                state.left.dismissals = state.left.dismissals.checked_sub(1)?;
                state.dismissed.push(*person);
                Some(())
            }
        }
    }

    /// Takes out what makes no difference any more, so that states which behave alike are one.
    fn level(&self, state: &mut State) {
        for case in &mut state.cases {
            let revision = case.record.revision;
            case.record.revision = 1;
            case.record.updated_at = moment(0);
            case.record.created_at = moment(0);
            if let Some(error) = &mut case.record.error {
                error.detail = None;
            }
            if let Some(closure) = &mut case.record.closure {
                closure.at = moment(0);
            }
            for entry in &mut case.record.accounting {
                entry.at = moment(0);
            }
            let others = case
                .record
                .other_jobs
                .iter_mut()
                .map(|other| &mut other.job.remote);
            for remote in others.chain([&mut case.record.remote]) {
                // Reads of one run are ordered; only that there was one matters.
                remote.observed_at = remote.observed_at.map(|_| moment(0));
                remote.read_at = remote.read_at.map(|_| moment(0));
            }
            for work in &mut case.works {
                let stored = &mut work.stored;
                let recovery = &mut stored.recovery;
                let current = recovery.state.is_active() && recovery.revision_before == revision;
                recovery.revision_before = i64::from(current);
                recovery.created_at = moment(0);
                if !recovery.state.is_active() {
                    recovery.revision_after = Some(0);
                    recovery.outcome = None;
                    stored.fence = 0;
                    stored.lease_until = None;
                    stored.valid_until = None;
                    stored.heard_at = moment(0);
                    work.job = JobState::Missing;
                    work.job_lease = None;
                    work.claims = 0;
                }
            }
        }
        // Only differences of monotonic moments matter.
        let earliest = state.clock.monotonic;
        for worker in &mut state.workers {
            if let Worker::Claimed(hold)
            | Worker::Permitted(hold)
            | Worker::Ready(hold)
            | Worker::Holding(hold, _) = worker
            {
                hold.deadline = (hold.deadline - earliest).max(0);
            }
        }
        for worker in &mut state.workers {
            if let Worker::Flying(hold, until) = worker {
                hold.deadline = 0;
                *until = (*until - earliest).max(0);
            }
        }
        state.clock.monotonic = 0;
        if self.bounds.alike {
            state.workers.sort_by_key(|worker| match worker {
                Worker::Idle => (0, None),
                Worker::Claimed(hold) => (1, Some(hold.clone())),
                Worker::Permitted(hold) => (2, Some(hold.clone())),
                Worker::Ready(hold) => (3, Some(hold.clone())),
                Worker::Holding(hold, _) => (4, Some(hold.clone())),
                Worker::Flying(hold, _) => (5, Some(hold.clone())),
            });
        }
    }

    fn actions_of_people(&self, state: &State, case: usize, actions: &mut Vec<Action>) {
        let bounds = &self.bounds;
        let left = state.left;
        for person in bounds.people.iter().filter(|who| !state.dismissed.contains(who)) {
            if left.dispatches > 0 || left.reads > 0 {
                actions.push(Action::Confirm(case, *person));
            }
            if left.reads > 0 && !state.cases[case].told.is_empty() {
                actions.push(Action::Read(case, *person));
            }
            if bounds.approvals > 1 {
                actions.push(Action::Approve(case, *person));
            }
        }
        if left.cancels > 0 {
            actions.push(Action::Cancel(case));
        }
        if left.decisions > 0 {
            actions.extend(bounds.words.iter().map(|word| Action::Decide(case, *word)));
        }
        if left.reports > 0 {
            actions.extend(bounds.told.iter().map(|told| Action::Report(case, *told)));
        }
        if left.letters > 0 {
            actions.extend(bounds.letters.iter().map(|letter| Action::Letter(case, *letter)));
        }
        if left.deletions > 0 {
            actions.push(Action::DeleteJob(case));
        }
        actions.push(Action::Requeue(case));
        actions.push(Action::Reconcile(case));
    }

    fn actions_of_worker(&self, state: &State, worker: usize, actions: &mut Vec<Action>) {
        match &state.workers[worker] {
            Worker::Idle => {
                actions.extend((0..state.cases.len()).map(|case| Action::Claim(worker, case)));
                return;
            }
            Worker::Claimed(_) => actions.push(Action::Permit(worker)),
            Worker::Permitted(hold) if hold.attempt.is_some() => actions.push(Action::Connect(worker)),
            Worker::Permitted(hold) => {
                match state.cases[hold.operation].works[hold.work]
                    .stored
                    .recovery
                    .action
                {
                    Step::Deliver => {
                        let results = [Copied::Ours, Copied::Lost, Copied::Unwritable];
                        actions.extend(results.map(|result| Action::Copy(worker, vec![result])));
                    }
                    Step::Dispatch
                    | Step::Observe
                    | Step::InspectAccounting
                    | Step::Reconcile
                    | Step::Acknowledge => {
                        let answers = [
                            None,
                            Some(Execution::Running),
                            Some(Execution::Succeeded),
                            Some(Execution::Failed),
                        ];
                        actions.extend(answers.map(|answer| Action::Observe(worker, answer)));
                    }
                }
            }
            Worker::Ready(_) => {
                let answers = self.bounds.answers.iter();
                actions.extend(answers.map(|answer| Action::Send(worker, *answer)));
            }
            Worker::Flying(_, _) => {
                let answers = self.bounds.answers.iter();
                actions.extend(answers.map(|answer| Action::Arrive(worker, *answer)));
            }
            Worker::Holding(_, _) => actions.push(Action::Write(worker)),
        }
        if state.left.crashes > 0 {
            actions.push(Action::Crash(worker));
        }
    }
}

impl Model for Office {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![self.begin()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        // What is broken is found: nothing that follows is of interest.
        if !state.broken.is_empty() {
            return;
        }
        for case in 0..state.cases.len() {
            self.actions_of_people(state, case, actions);
        }
        for worker in 0..state.workers.len() {
            // Two idle workers are alike.
            let idle = state.workers[..worker].contains(&Worker::Idle);
            if !(idle && state.workers[worker] == Worker::Idle) {
                self.actions_of_worker(state, worker, actions);
            }
        }
        if state.left.passes > 0 {
            actions.push(Action::Pass);
        }
        if state.left.leaps > 0 {
            actions.extend(self.bounds.leaps.iter().map(|by| Action::Leap(*by)));
        }
        if state.left.facts > 0 {
            actions.push(Action::Facts);
        }
        if state.left.dismissals > 0 {
            let present = self
                .bounds
                .people
                .iter()
                .filter(|who| !state.dismissed.contains(who));
            actions.extend(present.map(|person| Action::Dismiss(*person)));
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        self.step(last, &action)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        check::properties()
    }
}
