//! Two and three servers on one PostgreSQL, real processes.

use super::bot::facts;
use super::follower::{Heard, follows};
use super::machine::{Call, Condition, Process, Stage};
use super::person;
use super::stop::{confirm, confirmation, ended, put, until};
use crate::support::backend::Kind;
use crate::support::process::signal;
use serde_json::{Value, json};
use server::fixture::JobScript;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Operations that are confirmed on all servers at once.
const CONFIRMED: usize = 100;
/// At the same time.
const AT_ONCE: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_operation_confirmed_everywhere_is_sent_once() {
    let Some(stage) = Stage::new(Kind::Postgres, "").await else {
        return;
    };
    let servers = [
        stage.start("").await,
        stage.start("").await,
        stage.start("").await,
    ];
    facts(&stage, &servers[0].at).await;
    let owner = json!({ "authorized": true, "remaining_credits": "100000", "as_of": chrono::Utc::now().to_rfc3339() });
    stage
        .call(&servers[0].at, &Call::put("/owners/studio", owner))
        .await;
    let ids: Vec<String> = (0..CONFIRMED).map(|number| format!("op_{number}")).collect();
    for some in ids.chunks(AT_ONCE) {
        futures::future::join_all(some.iter().map(|id| everywhere(&stage, &servers, id))).await;
    }
    let mut sent: BTreeMap<String, u32> = BTreeMap::new();
    let recoveries = "SELECT COUNT(*) AS n FROM dlo_recoveries";
    for _ in 0..600 {
        let open = stage
            .count(&format!("{recoveries} WHERE finished_at IS NULL"))
            .await;
        if open == 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let succeeded = stage
        .count(&format!("{recoveries} WHERE state = 'succeeded'"))
        .await;
    assert_eq!(usize::try_from(succeeded).expect("a count"), CONFIRMED);
    for post in stage.fixture.posts() {
        *sent.entry(post.client_reference.unwrap_or_default()).or_default() += 1;
    }
    assert_eq!(sent.len(), CONFIRMED);
    assert!(sent.values().all(|times| *times == 1), "{sent:?}");
    stage.said(&["audit", "verify"]);
}

/// Confirms one operation on every server in the same moment: one takes it, the others say why not.
async fn everywhere(stage: &Stage, servers: &[Process], id: &str) {
    let ready = json!({ "phase": "prepared", "dispatch": "confirmed_not_sent" });
    put(stage, &servers[0].at, id, ready).await;
    // Each with a key of its own: three people, not one who sends again.
    let calls: Vec<Call> = servers
        .iter()
        .map(|_| confirmation(id, "dispatch", false))
        .collect();
    let sent = servers
        .iter()
        .zip(&calls)
        .map(|(server, call)| stage.call(&server.at, call));
    let mut taken = 0;
    for answer in futures::future::join_all(sent).await {
        let (status, body) = answer.expect("an answer");
        match (status, body["code"].as_str()) {
            (202, _) => taken += 1,
            (409, Some("recovery_active" | "plan_stale")) => {}
            other => panic!("{id}: {other:?} {body:#}"),
        }
    }
    assert_eq!(taken, 1, "{id}");
}

/// A process that is stopped in the middle of its work loses it to another, and writes nothing when it wakes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_leases_of_a_stopped_process_are_taken_over() {
    let Some(stage) = Stage::new(Kind::Postgres, "").await else {
        return;
    };
    // Each stalls where the answer of its read, or the first byte of its creation, is due: long enough for both to
    // stall at once, however slow the machine is.
    let stalled = stage
        .start("observe.answered=1*sleep(9000);dispatch.before_send=1*sleep(9000)")
        .await;
    facts(&stage, &stalled.at).await;
    stage.fixture.put_job("gj_o", JobScript::resting("failed"));
    put(
        &stage,
        &stalled.at,
        "op_o",
        json!({ "phase": "accepted", "dispatch": "sent", "remote": { "job_id": "gj_o" } }),
    )
    .await;
    put(
        &stage,
        &stalled.at,
        "op_s",
        json!({ "phase": "prepared", "dispatch": "confirmed_not_sent" }),
    )
    .await;
    let observe = confirm(&stage, &stalled.at, "op_o", "observe", false).await;
    let dispatch = confirm(&stage, &stalled.at, "op_s", "dispatch", false).await;
    let running = "SELECT COUNT(*) AS n FROM dlo_recoveries WHERE state = 'running'";
    let started = Instant::now();
    while stage.count(running).await < 2 {
        assert!(
            started.elapsed() < Duration::from_secs(9),
            "they did not stall at the same time"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    signal(stalled.pid(), "-STOP");
    let other = stage.start("").await;
    let end = ended(&stage, &other.at, &observe).await;
    assert_eq!(end["state"], "succeeded", "{end:#}");
    let end = ended(&stage, &other.at, &dispatch).await;
    assert_eq!(end["state"], "outcome_unknown", "{end:#}");
    assert_eq!(stage.fixture.posts().len(), 0);
    signal(stalled.pid(), "-CONT");
    // It wakes, finds its lease over, sends nothing, and says so: now that is proven.
    let record = until(&stage, &other.at, "/operations/op_s", |record| {
        record["dispatch"] == "confirmed_not_sent"
    })
    .await;
    assert_eq!(record["phase"], "prepared", "{record:#}");
    assert_eq!(stage.fixture.posts().len(), 0, "the stalled one sends nothing");
    let ends = stage
        .count("SELECT COUNT(*) AS n FROM dlo_audit WHERE action LIKE 'observe_ended%'")
        .await;
    assert_eq!(ends, 1, "one end of the observation");
    stage.said(&["audit", "verify"]);
}

/// Servers are replaced one by one while people work: what was answered is there, and who was refused knew when to
/// come back. Open pages follow on another server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_loses_nothing_that_was_answered() {
    let Some(stage) = Stage::new(Kind::Postgres, "").await else {
        return;
    };
    let stage = Arc::new(stage);
    let first = stage.start("").await;
    facts(&stage, &first.at).await;
    let second = stage.start("").await;
    let live = Arc::new(Mutex::new(vec![first.at.clone(), second.at.clone()]));
    let load = Load {
        stage: stage.clone(),
        live: live.clone(),
        stop: Arc::default(),
        answered: Arc::default(),
        refused: Arc::default(),
    };
    let people: Vec<_> = (0..3)
        .map(|person| tokio::spawn(load.clone().work(person)))
        .collect();
    let cookie = person::enters(&stage, &first.at).await;
    let heard = Arc::new(Heard::default());
    let reader = {
        let (stage, live, heard) = (stage.clone(), live.clone(), heard.clone());
        let at = move || live.lock().expect("the list").last().expect("one lives").clone();
        tokio::spawn(async move { follows(&stage, at, &cookie, &heard).await })
    };
    let mut kept = Vec::new();
    for old in [first, second] {
        tokio::time::sleep(Duration::from_millis(400)).await;
        let new = stage.start("").await;
        live.lock().expect("the list").push(new.at.clone());
        let at = old.at.clone();
        let (status, took, errors) = old.terminate(Duration::from_secs(15)).await;
        assert!(status.success(), "{took:?}: {errors:?}");
        live.lock().expect("the list").retain(|one| *one != at);
        kept.push(new);
    }
    // Until a page has followed to the newest server, and been shown anew.
    let started = Instant::now();
    while heard.streams.load(Ordering::Relaxed) < 2 || heard.pages.load(Ordering::Relaxed) == 0 {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "nobody followed: {heard:?}"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    load.stop.store(true, Ordering::Relaxed);
    for person in people {
        person.await.expect("no person gives up");
    }
    reader.abort();
    assert!(
        reader.await.is_err_and(|end| end.is_cancelled()),
        "the reader gave up"
    );
    let answered = load.answered.lock().expect("the list").clone();
    assert!(answered.len() > 20, "{} were answered", answered.len());
    assert!(
        load.refused.load(Ordering::Relaxed) > 0,
        "nobody was told to come back"
    );
    let at = live.lock().expect("the list")[0].clone();
    for id in answered {
        stage.get(&at, &format!("/operations/{id}")).await;
    }
    drop(kept);
}

/// People who report operations to whichever server answers.
#[derive(Clone)]
struct Load {
    stage: Arc<Stage>,
    live: Arc<Mutex<Vec<String>>>,
    stop: Arc<AtomicBool>,
    answered: Arc<Mutex<Vec<String>>>,
    refused: Arc<AtomicUsize>,
}

impl Load {
    async fn work(self, person: usize) {
        let mut number = 0;
        while !self.stop.load(Ordering::Relaxed) {
            number += 1;
            let id = format!("op_{person}_{number}");
            let body: Value = json!({
                "provider": "genace", "account": "main", "owner": "studio", "phase": "prepared",
                "specification": { "id": "spec_9", "revision": 3 },
            });
            let call = Call::put(&format!("/operations/{id}"), body).when(Condition::New);
            let mut turn = person;
            loop {
                let at = {
                    let live = self.live.lock().expect("the list");
                    live[turn % live.len()].clone()
                };
                turn += 1;
                match self.stage.call(&at, &call).await {
                    Some((201, _)) => break,
                    // The first try had got through, and its answer was not waited for.
                    Some((412, _)) => panic!("{id} was made by a request that was not answered"),
                    Some((503, _)) => {
                        self.refused.fetch_add(1, Ordering::Relaxed);
                    }
                    Some((status, body)) => panic!("{id}: {status} {body:#}"),
                    // It does not listen any more: then it has done nothing either.
                    None => {}
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            self.answered.lock().expect("the list").push(id);
        }
    }
}
