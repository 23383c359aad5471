//! PostgreSQL goes away, takes no changes, or takes too long: what is said, what still works, and that it heals.

use super::bot::facts;
use super::machine::{Call, Process, Stage};
use super::person;
use super::proxy::{Proxy, place_of};
use super::stop::{confirm, confirmation, ended, posted, put};
use crate::support::backend::{Kind, POSTGRES};
use serde_json::json;
use server::fixture::{CreateScript, JobScript};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use std::time::{Duration, Instant};

/// How long the database is away; the minute by `DLO_TEST_AWAY_SECONDS=60`.
const AWAY: &str = "DLO_TEST_AWAY_SECONDS";

fn away() -> Duration {
    let seconds = std::env::var(AWAY).ok().and_then(|text| text.parse().ok());
    Duration::from_secs(seconds.unwrap_or(3))
}

/// What was answered, and whether it said when to come back.
pub struct Said {
    pub status: u16,
    pub again: bool,
    pub text: String,
}

pub async fn ask(stage: &Stage, url: String, cookie: &str) -> Said {
    let request = stage.client.get(url).header("accept", "text/html");
    let request = if cookie.is_empty() {
        request.bearer_auth(&stage.token)
    } else {
        request.header("cookie", cookie)
    };
    let answer = request.send().await.expect("an answer, not a broken connection");
    Said {
        status: answer.status().as_u16(),
        again: answer.headers().contains_key("retry-after"),
        text: answer.text().await.expect("a body"),
    }
}

/// Waits until it is ready again, by itself.
pub async fn heals(stage: &Stage, at: &str) {
    let started = Instant::now();
    loop {
        let said = ask(stage, format!("{at}/readyz"), "").await;
        if said.status == 200 {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{}", said.text);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Cut in the middle of a transaction, then away for a while.
async fn it_goes_away_and_comes_back() {
    let Some(stage) = Stage::new(Kind::Postgres, "").await else {
        return;
    };
    let proxy = Proxy::to(place_of(&stage.backend.url)).await;
    let mut process = stage.spawn("intend.written=1*sleep(900)", &proxy.url(&stage.backend.url));
    process.listening().await;
    let at = process.at.clone();
    facts(&stage, &at).await;
    let cookie = person::enters(&stage, &at).await;
    stage.fixture.put_job("gj_a", JobScript::resting("failed"));
    let known = json!({ "phase": "accepted", "dispatch": "sent", "remote": { "job_id": "gj_a" } });
    put(&stage, &at, "op_a", known).await;
    let order = confirmation("op_a", "observe", false);
    let cut = async {
        tokio::time::sleep(Duration::from_millis(400)).await;
        proxy.cut();
    };
    let (answer, ()) = tokio::join!(stage.call(&at, &order), cut);
    let (status, body) = answer.expect("an answer, not a broken connection");
    assert_eq!(
        (status, body["code"].as_str()),
        (503, Some("unavailable")),
        "{body:#}"
    );
    let made = "SELECT COUNT(*) AS n FROM dlo_recoveries";
    assert_eq!(stage.count(made).await, 0, "half an order was done");
    is_away(&stage, &at, &cookie).await;
    tokio::time::sleep(away()).await;
    proxy.join();
    heals(&stage, &at).await;
    // The same order, word for word.
    let (status, body) = stage.call(&at, &order).await.expect("an answer");
    assert_eq!(status, 202, "{body:#}");
    let recovery = body["recovery_id"].as_str().expect("an id").to_owned();
    assert_eq!(ended(&stage, &at, &recovery).await["state"], "succeeded");
    assert_eq!(stage.count(made).await, 1);
    a_receipt_outlives_it(&stage, &proxy, &at).await;
    stage.said(&["audit", "verify"]);
}

/// Every door says the same, and the program itself lives.
async fn is_away(stage: &Stage, at: &str, cookie: &str) {
    let alive = ask(stage, format!("{at}/healthz"), "").await;
    assert_eq!(alive.status, 200, "{}", alive.text);
    let doors = [
        (format!("{at}/readyz"), ""),
        (format!("{at}/api/v1/queues"), ""),
        (format!("{at}/dead-letters"), cookie),
    ];
    let asked = doors.iter().map(|(url, cookie)| ask(stage, url.clone(), cookie));
    for (said, (url, _)) in futures::future::join_all(asked).await.iter().zip(&doors) {
        assert_eq!(said.status, 503, "{url}: {}", said.text);
        assert!(said.again, "{url} does not say when to come back");
        assert!(said.text.contains("database"), "{url}: {}", said.text);
        for secret in ["postgres://", "127.0.0.1", "SELECT", "sqlx"] {
            assert!(
                !said.text.contains(secret),
                "{url} tells of {secret}: {}",
                said.text
            );
        }
    }
}

/// The provider accepts while the database is away: the only trace of a paid render is kept until it can be written.
async fn a_receipt_outlives_it(stage: &Stage, proxy: &Proxy, at: &str) {
    stage
        .fixture
        .script_create("op_r", CreateScript::SlowAnswer { ms: 700 });
    put(
        stage,
        at,
        "op_r",
        json!({ "phase": "prepared", "dispatch": "confirmed_not_sent" }),
    )
    .await;
    confirm(stage, at, "op_r", "dispatch", false).await;
    posted(stage, 1).await;
    proxy.cut();
    tokio::time::sleep(away()).await;
    proxy.join();
    heals(stage, at).await;
    let record = super::stop::until(stage, at, "/operations/op_r", |record| {
        record["remote"]["job_id"].is_string()
    })
    .await;
    assert_eq!(record["phase"], "accepted", "{record:#}");
    assert_eq!(stage.fixture.posts().len(), 1);
}

async fn administrator() -> sqlx::PgConnection {
    let server = std::env::var(POSTGRES).expect("it is offered");
    sqlx::PgConnection::connect(&server)
        .await
        .expect("the server answers")
}

async fn administer(sql: String) {
    administrator()
        .await
        .execute(AssertSqlSafe(sql))
        .await
        .expect("the statement runs");
}

/// The database's name, which its URL ends with.
fn name(stage: &Stage) -> &str {
    stage.backend.url.rsplit('/').next().expect("a name")
}

/// Sets what every new connection begins with, and ends the old ones.
async fn everybody(stage: &Stage, setting: &str) {
    let name = name(stage);
    administer(format!("ALTER DATABASE {name} {setting}")).await;
    administer(format!(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    ))
    .await;
}

/// It takes no changes: reading goes on, orders are refused in words, and it heals.
async fn it_is_read_only() {
    let Some(stage) = Stage::new(Kind::Postgres, "").await else {
        return;
    };
    let process = stage.start("").await;
    let at = process.at.clone();
    facts(&stage, &at).await;
    let cookie = person::enters(&stage, &at).await;
    put(
        &stage,
        &at,
        "op_w",
        json!({ "phase": "accepted", "dispatch": "sent", "remote": { "job_id": "gj_w" } }),
    )
    .await;
    everybody(&stage, "SET default_transaction_read_only = on").await;
    let started = Instant::now();
    loop {
        let said = ask(&stage, format!("{at}/readyz"), "").await;
        if said.status == 503 && said.text.contains("read-only") {
            break;
        }
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{}: {}",
            said.status,
            said.text
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for path in ["/dead-letters", "/operations/op_w", "/queues"] {
        let said = ask(&stage, format!("{at}{path}"), &cookie).await;
        assert_eq!(said.status, 200, "{path}: {}", said.text);
    }
    refused(&stage, &process, "op_w", "read-only").await;
    everybody(&stage, "RESET default_transaction_read_only").await;
    heals(&stage, &at).await;
    confirm(&stage, &at, "op_w", "observe", false).await;
}

/// An order is refused, says why and that reading works, and does nothing.
async fn refused(stage: &Stage, process: &Process, id: &str, why: &str) {
    let (status, body) = stage
        .call(&process.at, &confirmation(id, "observe", false))
        .await
        .expect("an answer");
    assert_eq!(
        (status, body["code"].as_str()),
        (503, Some("unavailable")),
        "{body:#}"
    );
    let detail = body["detail"].as_str().expect("words");
    assert!(
        detail.contains(why) && detail.contains("Reading still works"),
        "{detail}"
    );
    assert_eq!(stage.count("SELECT COUNT(*) AS n FROM dlo_recoveries").await, 0);
}

/// A table is locked for longer than a connection is waited for: some wait, the others are told to come back.
async fn it_is_slow() {
    let Some(stage) = Stage::new(Kind::Postgres, "").await else {
        return;
    };
    let process = stage.start("").await;
    let at = process.at.clone();
    put(
        &stage,
        &at,
        "op_l",
        json!({ "phase": "accepted", "dispatch": "sent" }),
    )
    .await;
    let server = stage.backend.url.clone();
    let mut locker = sqlx::PgConnection::connect(&server).await.expect("a connection");
    locker
        .execute("BEGIN; LOCK TABLE dlo_operations IN ACCESS EXCLUSIVE MODE")
        .await
        .expect("a lock");
    let readers: Vec<_> = (0..24)
        .map(|_| ask(&stage, format!("{at}/api/v1/operations/op_l"), ""))
        .collect();
    let others = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let alive = ask(&stage, format!("{at}/healthz"), "").await;
        assert_eq!(alive.status, 200, "{}", alive.text);
        let ready = ask(&stage, format!("{at}/readyz"), "").await;
        assert_eq!(ready.status, 503, "{}", ready.text);
        tokio::time::sleep(Duration::from_secs(4)).await;
        locker.execute("COMMIT").await.expect("the lock's end");
    };
    let (answers, ()) = tokio::join!(futures::future::join_all(readers), others);
    let turned_away = answers
        .iter()
        .filter(|said| said.status == 503 && said.again)
        .count();
    let read = answers.iter().filter(|said| said.status == 200).count();
    assert_eq!(turned_away + read, 24, "every one was answered");
    assert!(
        turned_away > 0 && read > 0,
        "{turned_away} turned away, {read} read"
    );
    heals(&stage, &at).await;
}

/// It says nothing any more, and nothing breaks: who had asked is told in the end, who asks is told soon, and the
/// connections that the silence has swallowed do not take up the places of others for ever.
async fn it_stays_silent() {
    let Some(stage) = Stage::new(Kind::Postgres, "").await else {
        return;
    };
    let proxy = Proxy::to(place_of(&stage.backend.url)).await;
    let mut process = stage.spawn("", &proxy.url(&stage.backend.url));
    process.listening().await;
    let at = process.at.clone();
    facts(&stage, &at).await;
    let cookie = person::enters(&stage, &at).await;
    let known = json!({ "phase": "accepted", "dispatch": "sent" });
    put(&stage, &at, "op_h", known).await;
    // Held in the middle of their statements, more of them than there are connections.
    let mut locker = sqlx::PgConnection::connect(&stage.backend.url)
        .await
        .expect("a connection");
    locker
        .execute("BEGIN; LOCK TABLE dlo_operations IN ACCESS EXCLUSIVE MODE")
        .await
        .expect("a lock");
    let asked = Instant::now();
    let readers: Vec<_> = (0..20)
        .map(|_| ask(&stage, format!("{at}/api/v1/operations/op_h"), ""))
        .collect();
    let silence = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        proxy.hush();
        locker.execute("COMMIT").await.expect("the lock's end");
        is_away(&stage, &at, &cookie).await;
        assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
    };
    let (answers, ()) = tokio::join!(futures::future::join_all(readers), silence);
    assert!(asked.elapsed() < Duration::from_secs(50), "{:?}", asked.elapsed());
    for said in answers {
        assert!(said.status == 503 && said.again, "{}: {}", said.status, said.text);
    }
    proxy.join();
    heals(&stage, &at).await;
    let again: Vec<_> = (0..20)
        .map(|_| ask(&stage, format!("{at}/api/v1/operations/op_h"), ""))
        .collect();
    for said in futures::future::join_all(again).await {
        assert_eq!(said.status, 200, "{}", said.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_trouble_is_said_and_heals() {
    tokio::join!(
        it_goes_away_and_comes_back(),
        it_is_read_only(),
        it_is_slow(),
        it_stays_silent()
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn orders_that_were_cut_off_are_done_whole_or_not_at_all() {
    let Some(stage) = Stage::new(Kind::Postgres, "").await else {
        return;
    };
    let proxy = Proxy::to(place_of(&stage.backend.url)).await;
    let mut process = stage.spawn("", &proxy.url(&stage.backend.url));
    process.listening().await;
    let at = process.at.clone();
    facts(&stage, &at).await;
    // The wire breaks at many moments of the same order, sent again until it is answered.
    for number in 0..12_u64 {
        let id = format!("op_{number}");
        put(
            &stage,
            &at,
            &id,
            json!({ "phase": "accepted", "dispatch": "sent" }),
        )
        .await;
        let decision = json!({ "revision": 1, "decision": "close_unresolved", "reason": "not worth it" });
        let call = Call::post(&format!("/operations/{id}/decisions"), decision);
        let cut = async {
            tokio::time::sleep(Duration::from_millis(number * 4)).await;
            proxy.cut();
            tokio::time::sleep(Duration::from_millis(30)).await;
            proxy.join();
        };
        let (mut answer, ()) = tokio::join!(stage.call(&at, &call), cut);
        let started = Instant::now();
        while !matches!(&answer, Some((200, _))) {
            assert!(started.elapsed() < Duration::from_secs(20), "{answer:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
            answer = stage.call(&at, &call).await;
        }
        let record = stage.get(&at, &format!("/operations/{id}")).await;
        assert_eq!(
            record["decisions"].as_array().map(Vec::len),
            Some(1),
            "{record:#}"
        );
        assert_eq!(record["revision"], 2, "{record:#}");
    }
    let entries = stage
        .count("SELECT COUNT(*) AS n FROM dlo_audit WHERE action = 'close_unresolved'")
        .await;
    assert_eq!(entries, 12, "one entry each");
    stage.said(&["audit", "verify"]);
}
