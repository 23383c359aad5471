//! SIGKILL, at every fail point and at random times, while people work. `DLO_TEST_KILLS=2000` makes it a long run.

use super::bot::{self, Bot};
use super::invariants::{self, Found};
use super::machine::{Process, Stage};
use super::person;
use super::points;
use crate::support::backend::Kind;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;
use std::time::Duration;

/// How many kills the long run makes, in all of its stages together.
const KILLS: &str = "DLO_TEST_KILLS";
/// Kills of one stage in the suite. There are four stages.
const USUAL: usize = 15;
/// A point that is not come to in time is given up: the program is killed where it stands.
const TO_A_POINT: Duration = Duration::from_secs(2);
/// Points that are armed at once; the first that is come to kills.
const ARMED: usize = 12;
/// People who work at once.
const PEOPLE: usize = 3;

fn kills() -> usize {
    std::env::var(KILLS)
        .ok()
        .and_then(|text| text.parse::<usize>().ok())
        .map_or(USUAL, |all| all.div_ceil(4))
}

/// Points in an order of their own for each stage, so that few kills reach different ones.
struct Plan {
    points: Vec<String>,
    next: usize,
    rng: StdRng,
    reached: BTreeMap<String, u32>,
}

impl Plan {
    fn new(seed: u64) -> Self {
        use rand::seq::SliceRandom;
        let mut rng = StdRng::seed_from_u64(seed);
        let mut points = points::all();
        points.shuffle(&mut rng);
        Self {
            points,
            next: 0,
            rng,
            reached: BTreeMap::new(),
        }
    }

    /// Three of four die at a point, the others at any time. Several are armed at once, first those that were not come
    /// to yet; some strike only when they were passed a few times.
    fn failpoints(&mut self) -> Option<String> {
        if self.rng.random_range(0..4) == 0 {
            return None;
        }
        let least = |point: &&String| self.reached.get(*point).copied().unwrap_or(0);
        let fewest = self.points.iter().map(|point| least(&point)).min().unwrap_or(0);
        let mut armed = Vec::new();
        for _ in 0..self.points.len() {
            let point = &self.points[self.next % self.points.len()];
            self.next += 1;
            if least(&point) == fewest {
                let passed = self.rng.random_range(0..3);
                armed.push(match passed {
                    0 => format!("{point}=return"),
                    _ => format!("{point}={passed}*off->return"),
                });
            }
            if armed.len() == ARMED {
                break;
            }
        }
        Some(armed.join(";"))
    }

    /// Waits for the moment of death.
    async fn moment(&mut self, process: &mut Process, at_a_point: bool) {
        if at_a_point {
            if let Some(point) = process.halted(TO_A_POINT).await {
                *self.reached.entry(point).or_default() += 1;
            }
        } else {
            let wait = self.rng.random_range(5..600);
            tokio::time::sleep(Duration::from_millis(wait)).await;
        }
    }
}

/// Kills the program again and again while people work, then lets it live, and checks everything.
async fn killed_again_and_again(kind: Kind, approvals: u8, seed: u64) {
    let more = format!("[approvals]\ndispatch = {approvals}\n[policy]\nreplay_without_record = \"allow\"\n");
    let Some(stage) = Stage::new(kind, &more).await else {
        return;
    };
    let process = stage.start("").await;
    bot::facts(&stage, &process.at).await;
    let cookie = person::enters(&stage, &process.at).await;
    process.kill();
    let mut bots: Vec<Bot> = (0..PEOPLE)
        .map(|number| {
            Bot::new(
                &format!("{seed}{}", char::from(b'a' + u8::try_from(number).unwrap_or(0))),
                seed + number as u64,
            )
        })
        .collect();
    let mut plan = Plan::new(seed);
    let kills = kills();
    for number in 1..=kills {
        let failpoints = plan.failpoints();
        let mut process = stage.spawn(failpoints.as_deref().unwrap_or(""), &stage.backend.url);
        if failpoints.is_none() && plan.rng.random_range(0..4) == 0 {
            // In the middle of its start.
            let wait = plan.rng.random_range(1..200);
            tokio::time::sleep(Duration::from_millis(wait)).await;
            process.kill();
            continue;
        }
        if !process.listens().await {
            // On a machine with too much to do it may not reach its database in time: whoever watches over it starts it
            // again.
            let errors = process.errors();
            assert!(errors.iter().any(|line| line.contains("in time")), "{errors:?}");
            continue;
        }
        let at = process.at.clone();
        let [first, second, third] = &mut bots[..] else {
            unreachable!("three people")
        };
        tokio::select! {
            () = plan.moment(&mut process, failpoints.is_some()) => {}
            () = first.work(&stage, &at) => {}
            () = second.work(&stage, &at) => {}
            () = third.work(&stage, &at) => {}
        }
        process.kill();
        if number % 100 == 0 {
            eprintln!("{kind:?} {approvals}: {number} of {kills} kills");
        }
    }
    // Now it lives, and people finish what they have in hand.
    let process = stage.start("").await;
    for bot in &mut bots {
        bot.winding_up = true;
    }
    for _ in 0..12 {
        for bot in &mut bots {
            bot.round(&stage, &process.at).await;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    for bot in &bots {
        bot.provider_heals(&stage);
    }
    let found = invariants::hold(&stage, &process, &bots, &cookie).await;
    tell(kind, approvals, kills, &plan, &found);
    let (status, took, errors) = process.terminate(Duration::from_secs(15)).await;
    assert!(status.success(), "{took:?}: {errors:?}");
}

fn tell(kind: Kind, approvals: u8, kills: usize, plan: &Plan, found: &Found) {
    let missed: Vec<&String> = plan
        .points
        .iter()
        .filter(|point| !plan.reached.contains_key(*point))
        .collect();
    println!(
        "{kind:?}, {approvals} to approve: {kills} kills, {} of {} points reached, {} recoveries, {found:?}; not reached: {missed:?}",
        plan.reached.len(),
        plan.points.len(),
        found.recoveries
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite() {
    killed_again_and_again(Kind::Sqlite, 1, 11).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_sqlite_with_a_second_person() {
    killed_again_and_again(Kind::Sqlite, 2, 22).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres() {
    killed_again_and_again(Kind::Postgres, 1, 33).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_postgres_with_a_second_person() {
    killed_again_and_again(Kind::Postgres, 2, 44).await;
}
