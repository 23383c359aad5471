//! What is known when somebody asks: evidence, the facts of the guards, the plan.

use crate::mutation::Mutation;
use crate::office::Office;
use crate::people::caller;
use crate::state::{Person, State, recovery_id};
use app::domain::decision::allows_child;
use app::domain::evidence::Evidence;
use app::domain::guard::{
    CompetingJob, GuardFacts, Kinship, OwnerFacts, ParentFacts, ProviderFacts, SpecificationFacts, rival,
};
use app::domain::ids::JobId;
use app::domain::plan::{Plan, decide, glance};
use app::domain::role::Caller;
use chrono::Duration;
use rust_decimal::Decimal;

impl Office {
    /// Evidence as storage gathers it, ids that another operation holds included.
    pub fn evidence(&self, state: &State, at: usize) -> Evidence {
        let case = &state.cases[at];
        let mut evidence = case.evidence();
        let known = evidence.known_jobs(&case.record);
        let others = state.cases.iter().enumerate().filter(|(other, _)| *other != at);
        evidence.held_elsewhere = others
            .filter_map(|(_, other)| other.record.job_id.clone())
            .filter(|job_id| known.contains(job_id))
            .collect();
        evidence
    }

    pub fn is_held(state: &State, at: usize, job_id: &JobId) -> bool {
        let mut others = state.cases.iter().enumerate().filter(|(other, _)| *other != at);
        others.any(|(_, other)| other.record.job_id.as_ref() == Some(job_id))
    }

    pub fn guard_facts(
        &self,
        state: &State,
        at: usize,
        caller: &Caller,
        seen: Option<i64>,
        own: Option<usize>,
    ) -> GuardFacts {
        let case = &state.cases[at];
        let now = state.clock.now();
        let reserved = state
            .cases
            .iter()
            .enumerate()
            .flat_map(|(owner, case)| {
                let works = case.works.iter().enumerate();
                works.map(move |(work, entry)| (owner, work, entry))
            })
            .filter(|(owner, work, entry)| {
                let is_own = *owner == at && Some(*work) == own;
                entry.stored.reservation_open && (!is_own || self.breaks(Mutation::OwnReservationCounts))
            })
            .count();
        let parent = case.record.parent.as_ref().and_then(|id| {
            let found = state.cases.iter().position(|other| other.record.id == *id)?;
            let record = &state.cases[found].record;
            let evidence = self.evidence(state, found);
            let row = glance(record, &evidence).row;
            Some(ParentFacts {
                id: id.clone(),
                still_allows: self.breaks(Mutation::ChildNotHeldBack) || allows_child(record, &evidence, row),
            })
        });
        GuardFacts {
            caller: caller.clone(),
            seen_revision: seen,
            provider: ProviderFacts::Configured {
                fingerprint: "f1".to_owned(),
                creation_paused: None,
            },
            active_recovery: case
                .active()
                .find(|work| Some(*work) != own)
                .filter(|_| !self.breaks(Mutation::TwoRecoveries))
                .map(|work| recovery_id(at, work)),
            dead_letter: None,
            owner: Some(OwnerFacts {
                id: case.record.owner.clone(),
                authorized: true,
                remaining_credits: Decimal::from(self.bounds.credits),
                as_of: now,
            }),
            specification: Some(SpecificationFacts {
                id: case.record.specification.id.clone(),
                current_revision: 1,
                model: None,
                model_available: true,
                active: true,
                estimated_credits: Decimal::ONE,
                has_body: true,
                as_of: now,
            }),
            reserved_elsewhere: Decimal::from(reserved),
            competing_jobs: case
                .competing
                .then(|| CompetingJob {
                    id: "j".to_owned(),
                    job_name: "render.submit".to_owned(),
                    status: "processing".to_owned(),
                })
                .into_iter()
                .collect(),
            parent,
            rival: self.rival_of(state, at),
            facts_max_age: Duration::days(1),
            greedy_worker: None,
        }
    }

    fn rival_of(&self, state: &State, at: usize) -> Option<app::domain::guard::Rival> {
        if self.breaks(Mutation::ParentNotHeldBack) {
            return None;
        }
        let record = &state.cases[at].record;
        let heads = [
            (Kinship::Child, Some(&record.id)),
            (Kinship::Sibling, record.parent.as_ref()),
        ];
        for (kinship, head) in heads {
            let Some(head) = head else { continue };
            let adopted = state.cases.iter().find(|case| case.record.id == *head);
            for (other, case) in state.cases.iter().enumerate() {
                if other == at || case.record.parent.as_ref() != Some(head) {
                    continue;
                }
                let is_adopted = adopted.is_some_and(|head| {
                    let ids = &head.record.adopted_jobs;
                    case.record.job_id.as_ref().is_some_and(|id| ids.contains(id))
                });
                let evidence = self.evidence(state, other);
                let row = glance(&case.record, &evidence).row;
                if let Some(found) = rival(kinship, &case.record, &evidence, row, is_adopted) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The plan of the record with its guards, as a person sees it.
    pub fn plan(&self, state: &State, at: usize, person: Person) -> Plan {
        let evidence = self.evidence(state, at);
        let record = &state.cases[at].record;
        let now = state.clock.now();
        let facts = self.guard_facts(state, at, &caller(person), None, None);
        decide(record, &evidence, now).guarded(record, &evidence, &facts, now)
    }
}
