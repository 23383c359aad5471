//! The end in good order: SIGTERM, what it waits for, and who carries on.

use super::bot::facts;
use super::machine::{Call, Condition, Process, Stage};
use crate::support::backend::{Backend, Kind};
use serde_json::{Value, json};
use server::config::Config;
use server::fixture::{CreateScript, JobScript, OutputScript};
use server::office::Office;
use server::web;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// What the program promises.
const BOUND: Duration = Duration::from_secs(15);
/// What creates nothing is let go of much sooner.
const SOON: Duration = Duration::from_secs(6);

/// An operation in this state, on record.
pub async fn put(stage: &Stage, at: &str, id: &str, state: Value) {
    let mut body = json!({
        "provider": "genace", "account": "main", "owner": "studio",
        "specification": { "id": "spec_9", "revision": 3 }, "model": "m",
    });
    for (key, value) in state.as_object().expect("an object") {
        body[key] = value.clone();
    }
    let call = Call::put(&format!("/operations/{id}"), body).when(Condition::New);
    let started = Instant::now();
    loop {
        let (status, body) = stage.call(at, &call).await.expect("an answer");
        // Connections to a database that was away are found out one by one.
        if status == 503 && started.elapsed() < Duration::from_secs(10) {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        }
        assert!(status == 201 || status == 412, "{id}: {status} {body:#}");
        return;
    }
}

/// What is sent when the plan of `id` at its first revision is confirmed.
pub fn confirmation(id: &str, action: &str, follow: bool) -> Call {
    let order =
        json!({ "revision": 1, "action": action, "reason": "it is due", "confirm": id, "follow": follow });
    Call::post(&format!("/operations/{id}/recoveries"), order)
}

/// Confirms it; answers the recovery's id.
pub async fn confirm(stage: &Stage, at: &str, id: &str, action: &str, follow: bool) -> String {
    let call = confirmation(id, action, follow);
    let (status, body) = stage.call(at, &call).await.expect("an answer");
    assert_eq!(status, 202, "{body:#}");
    body["recovery_id"].as_str().expect("an id").to_owned()
}

/// Asks until the answer is as wanted.
pub async fn until(stage: &Stage, at: &str, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let started = Instant::now();
    loop {
        let value = stage.get(at, path).await;
        if wanted(&value) {
            return value;
        }
        assert!(
            started.elapsed() < Duration::from_secs(40),
            "{path} stays {value:#}"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits for the end of a recovery.
pub async fn ended(stage: &Stage, at: &str, recovery: &str) -> Value {
    let path = format!("/recoveries/{recovery}");
    until(stage, at, &path, |value| !value["finished_at"].is_null()).await
}

async fn begun(kind: Kind, more: &[(&str, &str)]) -> Option<(Stage, Process)> {
    let mut stage = Stage::new(kind, "").await?;
    for (name, value) in more {
        stage.environment.push(((*name).to_owned(), (*value).to_owned()));
    }
    let process = stage.start("").await;
    facts(&stage, &process.at).await;
    Some((stage, process))
}

fn ready() -> Value {
    json!({ "phase": "prepared", "dispatch": "confirmed_not_sent" })
}

fn accepted(job: &str) -> Value {
    json!({ "phase": "accepted", "dispatch": "sent", "remote": { "job_id": job } })
}

/// A recovery that follows a render is let go of at once, and another process goes on with it.
async fn a_follow_changes_hands(kind: Kind) {
    let Some((stage, first)) = begun(kind, &[]).await else {
        return;
    };
    stage.fixture.put_job("gj_f", JobScript::open("running"));
    put(&stage, &first.at, "op_f", accepted("gj_f")).await;
    let recovery = confirm(&stage, &first.at, "op_f", "observe", true).await;
    let path = format!("/recoveries/{recovery}");
    until(&stage, &first.at, &path, |value| value["state"] == "running").await;
    let read = stage.fixture.gets("gj_f");
    let (status, took, errors) = first.terminate(BOUND).await;
    assert!(status.success() && took < SOON, "{took:?}: {errors:?}");
    let second = stage.start("").await;
    let state = stage.get(&second.at, &path).await;
    assert_eq!(state["state"], "running", "it was not lost: {state:#}");
    let succeeded = JobScript::succeeded(vec![OutputScript::new("image/png")]);
    stage.fixture.put_job("gj_f", succeeded);
    let end = ended(&stage, &second.at, &recovery).await;
    assert_eq!(end["state"], "succeeded", "{end:#}");
    assert!(stage.fixture.gets("gj_f") > read);
}

/// A follow can be cancelled between two polls; what is read afterwards is not written.
async fn a_follow_is_cancelled() {
    let Some((stage, process)) = begun(Kind::Sqlite, &[]).await else {
        return;
    };
    stage.fixture.put_job("gj_c", JobScript::open("running"));
    put(&stage, &process.at, "op_c", accepted("gj_c")).await;
    let recovery = confirm(&stage, &process.at, "op_c", "observe", true).await;
    let path = format!("/recoveries/{recovery}");
    until(&stage, &process.at, &path, |value| value["state"] == "running").await;
    let call = Call::post(&format!("{path}/cancel"), json!({ "reason": "not worth it" }));
    let (status, body) = stage.call(&process.at, &call).await.expect("an answer");
    assert_eq!((status, &body["state"]), (200, &json!("cancelled")), "{body:#}");
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let read = stage.fixture.gets("gj_c");
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(stage.fixture.gets("gj_c"), read, "nobody asks any more");
    let open = stage
        .count("SELECT COUNT(*) AS n FROM soniq_jobs WHERE status IN ('queued', 'processing')")
        .await;
    assert_eq!(open, 0, "no job of it is left");
}

/// A dispatch whose answer comes in time is finished first.
async fn a_dispatch_in_flight_is_finished() {
    let Some((stage, process)) = begun(Kind::Sqlite, &[]).await else {
        return;
    };
    stage
        .fixture
        .script_create("op_d", CreateScript::SlowAnswer { ms: 1500 });
    put(&stage, &process.at, "op_d", ready()).await;
    let recovery = confirm(&stage, &process.at, "op_d", "dispatch", false).await;
    posted(&stage, 1).await;
    let (status, took, errors) = process.terminate(BOUND).await;
    assert!(status.success() && took < SOON, "{took:?}: {errors:?}");
    let process = stage.start("").await;
    let end = ended(&stage, &process.at, &recovery).await;
    assert_eq!(end["state"], "succeeded", "{end:#}");
    assert_eq!(stage.fixture.posts().len(), 1);
}

/// One that is not answered in time is written down as unknown before the program ends, and never sent again.
async fn a_dispatch_without_an_answer_is_unknown() {
    let patient = [
        ("DLO_WORKER__LEASE_SECONDS", "40"),
        ("DLO_PROVIDERS__GENACE__TIMEOUT_SECONDS", "30"),
    ];
    let Some((stage, process)) = begun(Kind::Sqlite, &patient).await else {
        return;
    };
    let silent = CreateScript::HangAfterRead {
        billed: true,
        ms: 60_000,
    };
    stage.fixture.script_create("op_u", silent);
    put(&stage, &process.at, "op_u", ready()).await;
    confirm(&stage, &process.at, "op_u", "dispatch", false).await;
    posted(&stage, 1).await;
    let (status, took, errors) = process.terminate(BOUND).await;
    assert!(status.success() && took < BOUND, "{took:?}: {errors:?}");
    let known = stage
        .count("SELECT COUNT(*) AS n FROM dlo_recoveries WHERE state = 'outcome_unknown'")
        .await;
    assert_eq!(known, 1, "it is on record before anybody else looks");
    let process = stage.start("").await;
    let record = stage.get(&process.at, "/operations/op_u").await;
    assert_eq!(
        (&record["dispatch"], &record["plan"]["action"]),
        (&json!("outcome_unknown"), &json!("reconcile"))
    );
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(stage.fixture.posts().len(), 1, "and never sent again");
}

/// While it ends it says so: 503 and when to come back, to whoever asks.
async fn it_says_that_it_ends() {
    let Some((stage, mut process)) = begun(Kind::Sqlite, &[]).await else {
        return;
    };
    let at = process.at.clone();
    process.tell_to_end();
    let (mut refused, mut not_ready) = (0, 0);
    let started = Instant::now();
    while !process.ended() && started.elapsed() < BOUND {
        if let Ok(answer) = stage.client.get(format!("{at}/api/v1/queues")).send().await
            && answer.status() == 503
        {
            assert!(answer.headers().contains_key("retry-after"));
            let body: Value = answer.json().await.expect("a problem");
            assert_eq!(body["code"], "unavailable", "{body:#}");
            refused += 1;
            // It may be gone in between.
            if let Ok(ready) = stage.client.get(format!("{at}/readyz")).send().await {
                assert_eq!(ready.status(), 503);
                not_ready += 1;
            }
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(refused > 0 && not_ready > 0, "it was silent");
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

/// Waits until the provider has seen so many creations.
pub async fn posted(stage: &Stage, wanted: usize) {
    let started = Instant::now();
    while stage.fixture.posts().len() < wanted {
        assert!(started.elapsed() < Duration::from_secs(20), "nothing is sent");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_ends_in_good_order() {
    tokio::join!(
        a_follow_changes_hands(Kind::Sqlite),
        a_follow_changes_hands(Kind::Postgres),
        a_follow_is_cancelled(),
        a_dispatch_in_flight_is_finished(),
        a_dispatch_without_an_answer_is_unknown(),
        it_says_that_it_ends(),
    );
}

/// Who sends half a head and waits is hung up on; others are served meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_does_not_come_has_an_end() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let (_backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    let office = Arc::new(Office::new(database, Arc::new(Config::default())));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("an address");
    let stop = CancellationToken::new();
    let serving = tokio::spawn(web::serve_with(
        listener,
        office,
        stop.clone(),
        web::Limits {
            head_time: Duration::from_millis(300),
            ..web::Limits::default()
        },
    ));
    for begun in ["", "GET /hea", "GET /healthz HTTP/1.1\r\nhost: x\r\n"] {
        let mut slow = tokio::net::TcpStream::connect(address)
            .await
            .expect("a connection");
        slow.write_all(begun.as_bytes()).await.expect("half a head");
        let mut rest = Vec::new();
        let hung_up = tokio::time::timeout(Duration::from_secs(5), slow.read_to_end(&mut rest)).await;
        assert!(hung_up.is_ok(), "{begun:?} is waited for for ever");
    }
    let alive = reqwest::Client::builder().no_proxy().build().expect("a client");
    let alive = alive
        .get(format!("http://{address}/healthz"))
        .send()
        .await
        .expect("an answer");
    assert_eq!(alive.status(), 200);
    stop.cancel();
    serving.await.expect("it ends").expect("in good order");
}
