//! What happens without a page: decisions, and jobs of the worker.

use crate::sample;
use app::desk::RecoveryOrder;
use app::domain::dead_letter::{Disposition, Message, MessageFacts};
use app::domain::evidence::Evidence;
use app::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId};
use app::domain::operation::Operation;
use app::domain::plan::{Action, decide};
use app::domain::role::{Caller, Role};
use chrono::{DateTime, Utc};
use server::config::{Config, Flags};
use server::database::Database;
use server::fixture::{Fixture, JobScript, OutputScript};
use server::office::Office;
use server::queue::{Registry, Settings, Worker};
use server::storage::jobs::{self, NewJob};
use server::storage::operations;
use server::worker::{self, Executor};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// How long decisions are made for.
const DECIDING: Duration = Duration::from_secs(2);
/// Different records that are decided in turn.
const RECORDS: u32 = 1_000;
/// Jobs whose handler does nothing.
const PLAIN: u32 = 3_000;
/// Recoveries that read a status.
const OBSERVED: u32 = 400;
/// How often the end is looked for.
const LOOK: Duration = Duration::from_millis(20);

const QUEUE: &str = "figures";

/// Decisions per second on one thread, on the mix of the seed, each with the evidence of one dead letter.
pub fn decisions() -> f64 {
    let now = Utc::now();
    let cases: Vec<(Operation, Evidence)> = (0..RECORDS)
        .map(|n| {
            let record = sample::operation(n, now);
            let evidence = Evidence {
                messages: vec![message(&record, now)],
                ..Evidence::default()
            };
            (record, evidence)
        })
        .collect();
    let began = Instant::now();
    let mut rounds: u32 = 0;
    while began.elapsed() < DECIDING {
        for (record, evidence) in &cases {
            black_box(decide(black_box(record), black_box(evidence), now));
        }
        rounds += 1;
    }
    f64::from(rounds) * f64::from(RECORDS) / began.elapsed().as_secs_f64()
}

fn message(record: &Operation, died_at: DateTime<Utc>) -> Message {
    Message {
        id: DeadLetterId(Uuid::nil()),
        facts: MessageFacts {
            operation_id: Some(record.id.clone()),
            job_id: record.job_id.clone(),
            action: Some(Action::Observe),
            error_category: None,
        },
        attempts: 3,
        died_at,
        resurrections: 0,
        own_replays: 0,
        last_resurrection_at: None,
        purged: false,
        disposition: Disposition::Open,
    }
}

/// Jobs per second from claim to `done`, with the handler's own work left out.
pub async fn plain_jobs(database: &Database) -> f64 {
    let args = serde_json::value::RawValue::from_string("{}".to_owned()).expect("JSON");
    let mut tx = database.write().await.expect("begin");
    for _ in 0..PLAIN {
        let job = NewJob {
            id: QueueJobId(Uuid::now_v7()),
            job_name: "figures.nothing",
            args: &args,
            queue: QUEUE,
            priority: jobs::DEFAULT_PRIORITY,
            max_attempts: 1,
            scheduled_at: None,
        };
        jobs::enqueue(&mut tx, &job).await.expect("a job");
    }
    tx.commit().await.expect("commit");
    let config = Config::from_parts(None, &[], &Flags::default()).expect("a configuration");
    let worker = Worker {
        database: database.clone(),
        registry: Arc::new(Registry::new().on("figures.nothing", |_| async { Ok(serde_json::Value::Null) })),
        settings: Arc::new(Settings::new(
            Some(vec![QUEUE.to_owned()]),
            &config.worker,
            &config.retries,
        )),
        bell: Arc::new(Notify::new()),
    };
    let open =
        "SELECT COUNT(*) AS n FROM soniq_jobs WHERE queue = 'figures' AND status IN ('queued', 'processing')";
    per_second(database, PLAIN, open, |stop| worker.run(stop)).await
}

/// Confirms observations of jobs at the fixture provider, and has the real worker carry them out.
pub async fn observations(database: &Database) -> String {
    let fixture = Fixture::start(([127, 0, 0, 1], 0).into())
        .await
        .expect("free ports");
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(&fixture, folder.path());
    let office = Arc::new(Office::new(database.clone(), Arc::new(config)));
    let now = DateTime::from_timestamp_micros(Utc::now().timestamp_micros()).expect("a moment");
    let fingerprint = office
        .config
        .providers
        .get(sample::PROVIDER)
        .map(|found| found.fingerprint(sample::PROVIDER));
    let mut tx = database.write().await.expect("begin");
    for n in 0..OBSERVED {
        let job = format!("gj_figures_{n}");
        fixture.put_job(&job, JobScript::succeeded(vec![OutputScript::new("video/mp4")]));
        // Accepted and running, as far as we know.
        let mut record = sample::operation(n, now);
        record.id = OperationId(format!("figures_{n}"));
        record.phase = app::domain::operation::Phase::Accepted;
        record.dispatch = app::domain::operation::Dispatch::Sent;
        record.not_sent_since = None;
        record.job_id = Some(JobId(job));
        record.fingerprint = fingerprint.clone();
        record.remote = app::domain::remote::Remote::default();
        record.charge = app::domain::money::Charge::default();
        record.outputs = Vec::new();
        record.error = None;
        operations::create(&mut tx, &record, &[])
            .await
            .expect("an operation");
    }
    tx.commit().await.expect("commit");
    let caller = Caller {
        name: "figures".to_owned(),
        role: Role::Operator,
    };
    let began = Instant::now();
    for n in 0..OBSERVED {
        let order = RecoveryOrder {
            revision: 1,
            action: Action::Observe,
            reason: "the figures ask for it".to_owned(),
            job_id: None,
            dead_letter_id: None,
            confirm: None,
            follow: false,
        };
        let id = OperationId(format!("figures_{n}"));
        office
            .confirm(&caller, &id, order, &Uuid::now_v7().to_string())
            .await
            .expect("confirmed");
    }
    let confirmed = f64::from(OBSERVED) / began.elapsed().as_secs_f64();
    let executor = Executor::new(Arc::clone(&office)).expect("a worker");
    let open = "SELECT COUNT(*) AS n FROM dlo_recoveries WHERE finished_at IS NULL";
    let carried_out = per_second(database, OBSERVED, open, |stop| worker::run(executor, stop)).await;
    fixture.stop().await;
    format!(
        "recoveries that observe: {confirmed:.0} confirmed per second one after the other, {carried_out:.0} carried out per second"
    )
}

fn config(fixture: &Fixture, folder: &std::path::Path) -> Config {
    let key = folder.join("key");
    std::fs::write(&key, "a key of the figures").expect("a key file");
    let text = format!(
        "[artifacts]\nurl = \"file:{}\"\n\
         [providers.{}]\nprofile = \"genace\"\napi_key_env = \"\"\napi_key_file = \"{}\"\nbase_url = \"{}\"\n\
         account = \"main\"\nallow_hosts = [\"{}\"]\n",
        folder.join("copies").display(),
        sample::PROVIDER,
        key.display(),
        fixture.base_url(),
        fixture.output_host(),
    );
    Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration")
}

/// Runs a worker until this query counts nothing more; answers jobs per second.
async fn per_second<F>(
    database: &Database,
    jobs: u32,
    open: &str,
    run: impl FnOnce(CancellationToken) -> F,
) -> f64
where
    F: Future<Output = ()> + Send + 'static,
{
    let stop = CancellationToken::new();
    let began = Instant::now();
    let working = tokio::spawn(run(stop.clone()));
    loop {
        let mut tx = database.read().await.expect("begin");
        if tx
            .fetch_one(open, vec![])
            .await
            .expect("a row")
            .int("n")
            .expect("a number")
            == 0
        {
            break;
        }
        drop(tx);
        tokio::time::sleep(LOOK).await;
    }
    let took = began.elapsed().as_secs_f64();
    stop.cancel();
    working.await.expect("it ends");
    f64::from(jobs) / took
}
