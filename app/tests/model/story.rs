//! One way through the model, step by step.

use crate::action::Action;
use crate::office::{Bounds, Office};
use crate::state::Person::Ann;
use crate::state::{Left, Person, Render, State};
use app::domain::guard::{GuardName, Verdict};
use app::domain::operation::{Dispatch, Phase};
use app::domain::plan::Action as Step;
use app::domain::recovery::RecoveryState;
use app::domain::remote::Execution;

pub const PLENTY: Left = Left {
    dispatches: 9,
    reads: 9,
    crashes: 9,
    passes: 20,
    leaps: 9,
    decisions: 20,
    reports: 9,
    letters: 9,
    cancels: 9,
    deletions: 9,
    facts: 9,
    dismissals: 9,
};

/// Everything may happen, and each worker keeps its place.
pub fn bounds() -> Bounds {
    Bounds {
        alike: false,
        people: &Person::BOTH,
        ..Bounds::new("a script", PLENTY)
    }
}

pub struct Story {
    pub office: Office,
    pub state: State,
}

impl Story {
    pub fn of(bounds: Bounds) -> Self {
        let office = Office::new(bounds);
        let state = office.begin();
        Self { office, state }
    }

    /// Every step must be possible, and break no rule.
    #[track_caller]
    pub fn goes(&mut self, way: &[Action]) -> &mut Self {
        for (at, action) in way.iter().enumerate() {
            let next = self.office.step(&self.state, action);
            self.state = next.unwrap_or_else(|| panic!("step {at}: {action:?} cannot happen"));
            assert_eq!(self.state.broken, [], "step {at}: {action:?}");
        }
        self
    }

    #[track_caller]
    pub fn cannot(&mut self, action: Action) -> &mut Self {
        assert!(
            self.office.step(&self.state, &action).is_none(),
            "{action:?} can happen"
        );
        self
    }

    pub fn recovery(&self, at: usize, work: usize) -> RecoveryState {
        self.state.cases[at].works[work].stored.recovery.state
    }

    pub fn action(&self, at: usize) -> Step {
        self.office.plan(&self.state, at, Ann).action
    }

    pub fn verdict(&self, at: usize, name: GuardName) -> Option<Verdict> {
        let plan = self.office.plan(&self.state, at, Ann);
        let mut guards = plan.guards.iter();
        guards
            .find(|result| result.guard == name)
            .map(|result| result.verdict)
    }

    pub fn posts(&self) -> u8 {
        let works = self.state.cases.iter().flat_map(|case| &case.works);
        works.map(|work| work.posts).sum()
    }

    pub fn phase(&self, at: usize) -> (Phase, Dispatch) {
        let record = &self.state.cases[at].record;
        (record.phase, record.dispatch)
    }

    /// The application's own consumer had a render made that nobody told us of.
    pub fn rendered_outside(&mut self, at: usize) {
        let case = &mut self.state.cases[at];
        let job_id = case.next_job(at);
        case.renders.push(Render {
            job_id,
            execution: Execution::Running,
            ours: false,
        });
    }
}
