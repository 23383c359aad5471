//! Fills the demo's history: wants every generation, watches its messages end, and lets people attend to some.

use super::application::Application;
use super::cast::Case;
use super::people::People;
use super::story::DeskStep;
use super::{DemoError, strays};
use crate::office::Filling;
use chrono::Utc;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// How often it is looked at how far things are.
const LOOK: Duration = Duration::from_millis(300);

/// What fills the history.
pub struct History {
    pub application: Arc<Application>,
    pub people: Arc<People>,
    pub filling: Arc<Filling>,
    pub cases: Arc<Vec<Case>>,
}

impl History {
    /// Runs the whole story. Answers what went another way than the story tells it.
    ///
    /// # Errors
    /// The office refused the application's reports, or the database did not answer.
    pub async fn fill(self) -> Result<Vec<String>, DemoError> {
        let attended: HashSet<&str> = self
            .cases
            .iter()
            .filter(|case| is_attended(case))
            .map(|case| case.id.as_str())
            .collect();
        // Each case, each visit to the desk, and the strays together.
        let steps = self.cases.len() + attended.len() + 1;
        self.filling.expect(u32::try_from(steps).unwrap_or(u32::MAX));
        self.application.report_facts(Utc::now()).await?;
        for case in self.cases.iter() {
            self.application.want(case).await?;
        }
        strays::send(&self.application.outbox).await?;
        let mut open: Vec<&Case> = self.cases.iter().collect();
        let mut visits = JoinSet::new();
        let mut troubles = Vec::new();
        let mut visited = 0;
        loop {
            let busy = self.application.outbox.busy().await?;
            let (still, quiet): (Vec<&Case>, Vec<&Case>) =
                open.into_iter().partition(|case| busy.contains(case.id.as_str()));
            open = still;
            for case in quiet.into_iter().filter(|case| is_attended(case)) {
                let (people, case) = (Arc::clone(&self.people), case.clone());
                visits.spawn(async move {
                    let done = people.attend(&case).await;
                    done.map_err(|error| format!("{} ({}): {error}", case.scenario.name, case.id))
                });
            }
            while let Some(done) = visits.try_join_next() {
                visited += 1;
                if let Ok(Err(trouble)) = done {
                    tracing::warn!(%trouble, "a visit to the demo's desk went another way");
                    troubles.push(trouble);
                }
            }
            let strays = usize::from(!busy.contains(strays::ABOUT));
            let done = self.cases.len() - open.len() + visited + strays;
            self.filling.reached(u32::try_from(done).unwrap_or(u32::MAX));
            if done >= steps {
                return Ok(troubles);
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

fn is_attended(case: &Case) -> bool {
    case.scenario.desk != DeskStep::Leave
}
