//! Both workers on one database, under load. `DLO_TEST_LONG=1` makes it last a minute.

use super::programs::{Console, both};
use crate::protocol::play::{ALL, Play};
use app::domain::role::Role;
use serde_json::{Value, json};
use server::database::Database;
use server::fixture::JobScript;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Set for the long run.
const LONG: &str = "DLO_TEST_LONG";
/// People who confirm recoveries at the same time, each of an operation of its own.
const PEOPLE: usize = 3;
/// The application stops to enqueue when so many of its jobs wait.
const WAITING: i64 = 60;
/// Jobs that are enqueued at once.
const BATCH: u64 = 20;

/// How often the job of this number fails: most never, some once, some until they die.
const fn fails(number: u64) -> i64 {
    match number % 10 {
        3 => 1,
        7 => 2,
        _ => 0,
    }
}

/// What was done so far, and whether it is enough.
#[derive(Default)]
struct Tally {
    stop: AtomicBool,
    enqueued: AtomicU64,
    recovered: AtomicU64,
    replayed: AtomicU64,
}

impl Tally {
    fn goes_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
    }

    /// Less would show nothing.
    fn shows_something(&self) -> bool {
        let [enqueued, recovered, replayed] =
            [&self.enqueued, &self.recovered, &self.replayed].map(|count| count.load(Ordering::Relaxed));
        enqueued >= 100 && recovered >= 8 && replayed >= 4
    }
}

/// Enqueues until told to stop; answers each job's id, and how often it fails.
async fn produce(database: Database, mut console: Console, tally: Arc<Tally>) -> HashMap<String, i64> {
    let mut made = HashMap::new();
    let mut number = 0;
    while tally.goes_on() {
        if count(
            &database,
            "SELECT COUNT(*) AS n FROM soniq_jobs WHERE status = 'queued' AND queue = 'default'",
        )
        .await
            > WAITING
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        }
        let batch: Vec<(&str, Value)> = (number..number + BATCH)
            .map(|number| ("load.step", json!({ "number": number, "fails": fails(number) })))
            .collect();
        let ids = tokio::task::block_in_place(|| console.enqueue(&batch));
        made.extend(ids.into_iter().zip((number..).map(fails)));
        number += BATCH;
        tally.enqueued.fetch_add(BATCH, Ordering::Relaxed);
    }
    made
}

/// Confirms recoveries of one operation until told to stop; answers how many succeeded.
async fn recover(play: Arc<Play>, operation: String, tally: Arc<Tally>) -> u64 {
    let mut done = 0;
    while tally.goes_on() {
        let ended = play.recover(&operation, "observe").await;
        assert_eq!(ended["state"], "succeeded", "{ended:#}");
        done += 1;
        tally.recovered.fetch_add(1, Ordering::Relaxed);
    }
    done
}

/// Replays dead letters of the application until told to stop; answers the new jobs.
async fn replay(play: Arc<Play>, tally: Arc<Tally>) -> Vec<String> {
    let mut made = Vec::new();
    while tally.goes_on() {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let list = play.get("/api/v1/dead-letters?limit=1").await;
        let Some(letter) = list["items"][0]["id"].as_str() else {
            continue;
        };
        let path = format!("/api/v1/dead-letters/{letter}/replay");
        let answer = play
            .app
            .post(Role::Operator, &path, &json!({ "reason": "again" }))
            .await
            .expect(200)
            .json();
        made.push(answer["job_id"].as_str().expect("a job").to_owned());
        tally.replayed.fetch_add(1, Ordering::Relaxed);
    }
    made
}

async fn count(database: &Database, sql: &str) -> i64 {
    let row = database.look_up(sql, vec![]).await.expect("a row");
    row.expect("a row").int("n").expect("a number")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_kinds_of_workers_share_a_database_and_nothing_is_lost_or_done_twice() {
    let Some((backend, database, soniq)) = both().await else {
        return;
    };
    let lasts = Duration::from_secs(if std::env::var_os(LONG).is_some() { 60 } else { 7 });
    // A lease that ends while the machine is busy would let a read be repeated, as it should; not here.
    let settings =
        "[policy]\nreplay_without_record = \"allow\"\n[worker]\nlease_seconds = 120\npoll_seconds = 1";
    let play = Arc::new(Play::start_with(backend, database.clone(), ALL, settings).await);
    let worker = soniq.worker(&database, &["--queues", "default,render"]).await;
    let console = soniq.console();
    let tally = Arc::new(Tally::default());
    let mut people = Vec::new();
    for number in 0..PEOPLE {
        let (operation, job) = (format!("op_{number}"), format!("gj_{number}"));
        play.accepted(&operation, &job).await;
        play.fixture.put_job(&job, JobScript::resting("running"));
        people.push(tokio::spawn(recover(play.clone(), operation, tally.clone())));
    }
    let producer = tokio::spawn(produce(database.clone(), console, tally.clone()));
    let replayer = tokio::spawn(replay(play.clone(), tally.clone()));
    let started = Instant::now();
    while started.elapsed() < lasts || !tally.shows_something() {
        assert!(
            started.elapsed() < lasts + Duration::from_secs(60),
            "too little happens: {}",
            worker.said()
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let lasted = started.elapsed();
    tally.stop.store(true, Ordering::Relaxed);
    let mut made = producer.await.expect("the producer");
    let replayed = replayer.await.expect("the replayer");
    let mut recovered = 0;
    for person in people {
        recovered += person.await.expect("a person");
    }
    let enqueued = made.len();
    // Whatever is replayed had died, and dies again.
    made.extend(replayed.iter().map(|job| (job.clone(), 2)));
    let open = "SELECT COUNT(*) AS n FROM soniq_jobs WHERE status IN ('queued', 'processing')";
    let started = Instant::now();
    while count(&database, open).await > 0 {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "{} stay open",
            count(&database, open).await
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    // Every job ran as often as it should, once per attempt, and ended where it should.
    let rows = database
        .look_up_all(
            "SELECT r.job_id, COUNT(*) AS runs, COUNT(DISTINCT r.attempt) AS attempts, MAX(j.status) AS status, \
             MAX(d.dead_letter_reason) AS reason FROM interop_runs r LEFT JOIN soniq_jobs j ON j.id = r.job_id \
             LEFT JOIN soniq_dead_letter_jobs d ON d.id = r.job_id GROUP BY r.job_id",
            vec![],
        )
        .await
        .expect("rows");
    assert_eq!(rows.len(), made.len(), "jobs that ran, jobs that were made");
    for row in &rows {
        let id = row.uuid("job_id").expect("an id").to_string();
        let fails = made
            .get(&id)
            .unwrap_or_else(|| panic!("{id} ran and was never made"));
        let wanted = if *fails == 0 { 1 } else { 2 };
        let (runs, attempts) = (
            row.int("runs").expect("a number"),
            row.int("attempts").expect("a number"),
        );
        assert_eq!((runs, attempts), (wanted, wanted), "{id}");
        let ends = (
            row.opt_text("status").expect("text"),
            row.opt_text("reason").expect("text"),
        );
        let wanted = if *fails == 2 {
            (None, Some("max_retries_exceeded".to_owned()))
        } else {
            (Some("done".to_owned()), None)
        };
        assert_eq!(ends, wanted, "{id}");
    }
    let dead = count(&database, "SELECT COUNT(*) AS n FROM soniq_dead_letter_jobs").await;
    let dying = made.values().filter(|fails| **fails == 2).count();
    assert_eq!(
        usize::try_from(dead).expect("a count"),
        dying,
        "nothing else died"
    );
    // Ours: one job and one read for each recovery.
    let own = "SELECT COUNT(*) AS n FROM soniq_jobs WHERE queue = 'dead-letter-office' AND status = 'done' AND attempts = 1";
    let own = u64::try_from(count(&database, own).await).expect("a count");
    let reads: u64 = (0..PEOPLE)
        .map(|number| play.fixture.gets(&format!("gj_{number}")))
        .sum();
    assert_eq!((own, reads), (recovered, recovered));
    let taken =
        "SELECT COUNT(*) AS n FROM soniq_jobs WHERE queue = 'dead-letter-office' AND worker_id IS NOT NULL";
    assert_eq!(count(&database, taken).await, 0, "Soniq's worker had one of ours");
    println!(
        "{lasted:.0?}: {enqueued} jobs of the application, {dying} of them and of {} replays died as they should, \
         {recovered} recoveries; none twice, none lost, none unknown",
        replayed.len()
    );
}
