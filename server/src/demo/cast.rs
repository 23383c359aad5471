//! Who and what the demo is about: owners, specifications, and one operation with a name of its own for each time
//! that a scenario is lived through. The same seed gives the same cast.

use super::story::{Facts, Scenario};
use app::domain::ids::OperationId;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::Arc;

/// Where the cast begins.
const SEED: u64 = 0x0dea_d1e7;

/// What the application asks for, and what it costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Specification {
    pub id: &'static str,
    pub revision: i64,
    pub model: &'static str,
    pub credits: &'static str,
    pub seconds: u32,
}

/// The specifications at their current revisions.
pub const SPECIFICATIONS: [Specification; 4] = [
    Specification {
        id: "spec_launch_film",
        revision: 4,
        model: "aurora-video-2",
        credits: "12",
        seconds: 8,
    },
    Specification {
        id: "spec_product_loop",
        revision: 7,
        model: "aurora-video-2",
        credits: "12",
        seconds: 6,
    },
    Specification {
        id: "spec_teaser_vertical",
        revision: 3,
        model: "aurora-video-2-fast",
        credits: "12",
        seconds: 5,
    },
    Specification {
        id: "spec_story_cut",
        revision: 2,
        model: "lumen-motion-1",
        credits: "12",
        seconds: 12,
    },
];

/// An owner, as the application reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owner {
    pub id: &'static str,
    pub authorized: bool,
    pub credits: &'static str,
}

/// Owners who may create and can pay.
const GOOD_OWNERS: [Owner; 4] = [
    Owner {
        id: "studio-north",
        authorized: true,
        credits: "860",
    },
    Owner {
        id: "studio-harbour",
        authorized: true,
        credits: "412.5",
    },
    Owner {
        id: "agency-vale",
        authorized: true,
        credits: "1240",
    },
    Owner {
        id: "studio-lumen",
        authorized: true,
        credits: "305",
    },
];
const POOR_OWNER: Owner = Owner {
    id: "studio-ember",
    authorized: true,
    credits: "2",
};
const BARRED_OWNER: Owner = Owner {
    id: "agency-quarry",
    authorized: false,
    credits: "730",
};

/// All owners.
pub fn owners() -> Vec<Owner> {
    let mut all = GOOD_OWNERS.to_vec();
    all.extend([POOR_OWNER, BARRED_OWNER]);
    all
}

const SUBJECTS: [&str; 12] = [
    "a red tram crossing the old bridge",
    "a ceramic cup filling with tea",
    "two dancers under a paper moon",
    "a lighthouse in winter fog",
    "a bicycle courier at dusk",
    "a loaf of bread cut open",
    "a kite above a harbour wall",
    "a greenhouse after rain",
    "a brass telescope on a balcony",
    "a wool scarf in the wind",
    "a night market from above",
    "an orchard in blossom",
];
const MOVES: [&str; 6] = [
    "slow push in",
    "handheld, shallow focus",
    "orbit left, 35 mm",
    "static, long exposure",
    "crane up to a wide",
    "macro, rack focus",
];
const MOODS: [&str; 5] = [
    "warm dusk light",
    "overcast, muted",
    "high contrast",
    "film grain",
    "morning haze",
];

/// One operation of the demo.
#[derive(Debug, Clone)]
pub struct Case {
    pub id: OperationId,
    pub scenario: Arc<Scenario>,
    pub owner: Owner,
    pub specification: Specification,
    /// The revision that it was prepared from.
    pub revision: i64,
    pub title: String,
    pub prompt: String,
    /// Of the generation.
    pub seed: u32,
}

/// One case for each time that a scenario is lived through, in the order of the scenarios.
pub fn cast(scenarios: Vec<Scenario>) -> Vec<Case> {
    let mut random = StdRng::seed_from_u64(SEED);
    let mut cases = Vec::new();
    for scenario in scenarios {
        let scenario = Arc::new(scenario);
        for _ in 0..scenario.count {
            cases.push(case(&mut random, &scenario));
        }
    }
    cases
}

fn case(random: &mut StdRng, scenario: &Arc<Scenario>) -> Case {
    let specification = pick(random, &SPECIFICATIONS);
    let (subject, motion, mood) = (
        pick(random, &SUBJECTS),
        pick(random, &MOVES),
        pick(random, &MOODS),
    );
    let good = pick(random, &GOOD_OWNERS);
    Case {
        id: OperationId(format!("op_{:016x}", random.random::<u64>())),
        scenario: Arc::clone(scenario),
        owner: match scenario.facts {
            Facts::Good | Facts::OldSpecification => good,
            Facts::PoorOwner => POOR_OWNER,
            Facts::BarredOwner => BARRED_OWNER,
        },
        specification,
        revision: match scenario.facts {
            Facts::OldSpecification => specification.revision - 1,
            Facts::Good | Facts::PoorOwner | Facts::BarredOwner => specification.revision,
        },
        title: subject.to_owned(),
        prompt: format!("{subject}, {motion}, {mood}"),
        seed: random.random_range(1..1_000_000),
    }
}

fn pick<T: Copy>(random: &mut StdRng, list: &[T]) -> T {
    list[random.random_range(0..list.len())]
}

#[cfg(test)]
mod tests {
    use super::cast;
    use crate::demo::scenarios::scenarios;
    use std::collections::BTreeSet;

    #[test]
    fn the_cast_is_the_same_each_time_and_every_id_is_its_own() {
        let ids = |of: Vec<super::Case>| of.into_iter().map(|case| case.id).collect::<Vec<_>>();
        let first = ids(cast(scenarios()));
        assert_eq!(first, ids(cast(scenarios())));
        assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), first.len());
    }
}
