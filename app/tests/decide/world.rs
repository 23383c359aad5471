//! A record with its evidence and facts, where every guard passes: cases change one thing of it.

use crate::sample;
use app::domain::evidence::Evidence;
use app::domain::guard::{GuardFacts, GuardName, OwnerFacts, ProviderFacts, SpecificationFacts, Verdict};
use app::domain::operation::{Operation, Phase};
use app::domain::plan::{Plan, decide};
use app::domain::remote::Execution;
use app::domain::role::{Caller, Role};
use chrono::Duration;
use rust_decimal::Decimal;

/// A record, its evidence and the facts about it; one thing of it is changed per case.
#[derive(Clone)]
pub struct World {
    pub record: Operation,
    pub evidence: Evidence,
    pub facts: GuardFacts,
}

impl World {
    pub fn of(record: Operation) -> Self {
        let facts = GuardFacts {
            rival: None,
            caller: Caller {
                name: "m.okafor".to_owned(),
                role: Role::Approver,
            },
            seen_revision: Some(7),
            provider: ProviderFacts::Configured {
                fingerprint: "9f2c41aa".to_owned(),
                creation_paused: None,
            },
            active_recovery: None,
            dead_letter: None,
            owner: Some(OwnerFacts {
                id: "user_42".to_owned(),
                authorized: true,
                remaining_credits: Decimal::from(31),
                as_of: sample::minutes_ago(4),
            }),
            specification: Some(SpecificationFacts {
                id: "spec_9".to_owned(),
                current_revision: 3,
                model: Some("aurora-video-2".to_owned()),
                model_available: true,
                active: true,
                estimated_credits: Decimal::from(12),
                has_body: true,
                as_of: sample::minutes_ago(10),
            }),
            reserved_elsewhere: Decimal::ZERO,
            competing_jobs: Vec::new(),
            parent: None,
            facts_max_age: Duration::hours(24),
            greedy_worker: None,
        };
        Self {
            record,
            evidence: Evidence::default(),
            facts,
        }
    }

    pub fn creation() -> Self {
        Self::of(sample::unsent())
    }

    pub fn read() -> Self {
        Self::of(sample::attached(Phase::Accepted, Some(Execution::Running)))
    }

    pub fn plan(&self) -> Plan {
        decide(&self.record, &self.evidence, sample::now()).guarded(
            &self.record,
            &self.evidence,
            &self.facts,
            sample::now(),
        )
    }
}

/// The guard's answer; every answer is a sentence, and `allowed` agrees with all of them.
pub fn verdict(world: &World, guard: GuardName) -> Option<Verdict> {
    let plan = world.plan();
    assert!(
        plan.guards.iter().all(|result| result.detail.ends_with('.')),
        "{:#?}",
        plan.guards
    );
    assert_eq!(
        plan.allowed,
        plan.guards.iter().all(|result| result.verdict != Verdict::Block)
    );
    let mut found = plan
        .guards
        .iter()
        .filter(|result| result.guard == guard)
        .map(|result| result.verdict);
    let verdict = found.next();
    assert_eq!(found.next(), None, "{guard} is listed once");
    verdict
}

pub type Change = fn(&mut World);

pub fn table(base: &World, cases: &[(GuardName, Verdict, &str, Change)]) {
    for (guard, expected, story, change) in cases {
        let mut world = base.clone();
        change(&mut world);
        assert_eq!(
            verdict(&world, *guard),
            Some(*expected),
            "{guard}: {story}\n{:#?}",
            world.plan().guards
        );
    }
}
