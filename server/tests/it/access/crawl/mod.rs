//! Planted secrets, and a crawl for them: every page, every answer of the API, the figures, the log, what the command
//! line prints, the audit's exports, and our own tables. None of them is found anywhere.

pub mod plants;
pub mod walk;

use crate::faults::machine::{Call, Condition, Process, Stage};
use crate::support::app::system;
use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::domain::role::Role;
use plants::Plant;
use reqwest::Method;
use serde_json::{Value, json};
use server::database::Database;
use server::office::password;
use server::storage::operators;
use server::values;
use std::time::{Duration, Instant};
use walk::{Found, Walk};

/// What the fixtures' own application let slip.
pub const OF_THE_DUMPS: [&str; 5] = [
    "eyJhbGciOiJIUzI1NiJ9",
    "0f1e2d3c4b5a69788796a5b4c3d2e1f0",
    "AKIAIOSFODNN7EXAMPLE",
    "a red fox",
    "dchen im Regen",
];

fn operation(number: usize) -> String {
    format!("op_plant_{number:03}")
}

/// One dead letter a plant: in the error, in the args at every depth, in JSON inside strings, in the tags.
async fn bury(database: &Database, plants: &[Plant]) {
    let mut tx = database.write().await.expect("a transaction");
    for (number, plant) in plants.iter().enumerate() {
        let text = &plant.text;
        let inside =
            json!({ "prompt": format!("a walrus called {}", plant.secret), "note": text, "list": [text] });
        let args = json!({
            "operation_id": operation(number),
            "note": text,
            "prompt": format!("a {} walrus", plant.secret),
            "error": text,
            "url": format!("https://cdn.example.com/v.mp4?sig={}", plant.secret),
            "payload": { "deep": [[{ "request": inside, "headers": { "authorization": text } }]] },
            "raw": inside.to_string(),
            "rawer": json!({ "body": inside.to_string() }).to_string(),
        });
        let error = format!(
            "Traceback (most recent call last):\n  File \"/app/render.py\", line 3, in submit\n    {text}\n\
             During handling of the above exception, another exception occurred:\nRuntimeError: {text}"
        );
        let at = format!("2026-11-29T10:{:02}:00.000000+00:00", number % 60);
        tx.execute(
            "INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, \
             last_error, dead_letter_reason, original_created_at, moved_to_dead_letter_at, tags, created_at) \
             VALUES ($1, 'render.submit', $2, 'media', 100, 3, 3, $3, 'max_retries_exceeded', $4, $4, $5, $4)",
            values![
                format!("00000000-0000-4000-9000-{number:012}"),
                args.to_string(),
                error,
                at,
                json!({ "team": text, "nested": { "key": plant.secret } }).to_string(),
            ],
        )
        .await
        .expect("a dead letter");
    }
    tx.commit().await.expect("kept");
}

async fn call(stage: &Stage, at: &str, order: Call) -> Value {
    let path = order.path.clone();
    let (status, value) = stage.call(at, &order).await.expect("an answer");
    assert!(status < 500, "{path}: {status}: {value}");
    value
}

/// The application reports records with secrets in every text that it may send, and people type some into reasons.
async fn report(stage: &Stage, at: &str, plants: &[Plant]) {
    for (number, plant) in plants.iter().enumerate().filter(|(number, _)| number % 2 == 0) {
        let id = operation(number);
        let text = &plant.text;
        let head: String = text.chars().take(64).collect();
        let record = json!({
            "provider": "genace",
            "owner": "studio",
            "specification": { "id": "spec", "revision": 1 },
            "phase": "failed",
            "dispatch": "sent",
            "error": { "category": "other", "detail": text },
            "outputs": [{ "index": 0, "state": "delivered",
                "storage_key": format!("https://cdn.example.com/v.mp4?X-Amz-Signature={}", plant.secret) }],
            "remote": {
                "job_id": format!("gj_{number}"), "fetch": "ok", "execution": "unknown", "raw_status": head,
                "outputs": [{ "index": 0, "content_type": "video/mp4",
                    "url": format!("https://cdn.example.com/v.mp4?sig={}", plant.secret) }],
            },
        });
        let put = Call::put(&format!("/operations/{id}"), record).when(Condition::New);
        call(stage, at, put).await;
        let seen = call(stage, at, Call::get(&format!("/operations/{id}"))).await;
        let revision = seen["revision"].as_i64().unwrap_or(1);
        let reason = format!("Seen in the log: {text}");
        let decision = json!({ "revision": revision, "decision": "refund_requested", "reason": reason });
        call(
            stage,
            at,
            Call::post(&format!("/operations/{id}/decisions"), decision),
        )
        .await;
        // Refused, and audited with what was typed.
        let order = json!({ "revision": 1, "action": "deliver", "reason": reason });
        call(
            stage,
            at,
            Call::post(&format!("/operations/{id}/recoveries"), order),
        )
        .await;
        let letter = format!("/dead-letters/00000000-0000-4000-9000-{number:012}");
        let reason = json!({ "reason": text });
        call(
            stage,
            at,
            Call::post(&format!("{letter}/acknowledge"), reason.clone()),
        )
        .await;
        call(stage, at, Call::post(&format!("{letter}/replay"), reason)).await;
        let facts = json!({ "body": { "prompt": text }, "current_revision": 1, "model": "m", "model_available": true,
            "active": true, "estimated_credits": "1" });
        call(
            stage,
            at,
            Call::put(&format!("/specifications/spec_{number}"), facts),
        )
        .await;
        // What is searched for is in the address, and stays out of the log.
        let query = url::form_urlencoded::byte_serialize(plant.secret.as_bytes()).collect::<String>();
        call(stage, at, Call::get(&format!("/dead-letters?q={query}"))).await;
        call(stage, at, Call::get(&format!("/operations/{query}"))).await;
        let mut lost = Call::get(&format!("/nowhere/{query}?token={query}"));
        lost.method = Method::POST;
        call(stage, at, lost).await;
    }
}

/// Everything that the tables named `dlo_` hold, but what reporters may store and nobody may read.
async fn our_tables(database: &Database) -> String {
    let tables = raw::texts(
        database,
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'dlo\\_%' ESCAPE '\\' \
         AND name NOT IN ('dlo_specifications', 'dlo_migrations')",
    )
    .await;
    assert!(tables.len() > 15, "{tables:?}");
    let mut all = String::new();
    for table in tables {
        let columns = raw::texts(
            database,
            &format!("SELECT name FROM pragma_table_info('{table}')"),
        )
        .await;
        for column in columns {
            let sql =
                format!("SELECT CAST(\"{column}\" AS TEXT) FROM {table} WHERE \"{column}\" IS NOT NULL");
            for text in raw::texts(database, &sql).await {
                all.push_str(&format!("{table}.{column}: {text}\n"));
            }
        }
    }
    all
}

async fn projected(stage: &Stage, wanted: i64) {
    let started = Instant::now();
    loop {
        let seen = stage
            .count("SELECT COUNT(*) AS n FROM dlo_messages WHERE operation_id LIKE 'op_plant_%'")
            .await;
        if seen >= wanted {
            return;
        }
        assert!(
            started.elapsed() < Duration::from_secs(40),
            "{seen} of {wanted} are known"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn signed_in(stage: &Stage, at: &str) -> String {
    let hash = password::hash("correct horse".to_owned()).await.expect("a hash");
    operators::add(&stage.database, &system(), "crawler", Role::Admin, &hash)
        .await
        .expect("a person");
    let answer = stage
        .client
        .post(format!("{at}/forms/sign-in"))
        .header("origin", at)
        .header("content-type", "application/x-www-form-urlencoded")
        .body("name=crawler&password=correct+horse")
        .send()
        .await
        .expect("an answer");
    let cookie = answer.headers()["set-cookie"].to_str().expect("text");
    cookie.split(';').next().expect("a pair").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_planted_secret_is_found_anywhere() {
    let backend = Backend::empty(Kind::Sqlite)
        .await
        .expect("SQLite is always there");
    let database = Database::open(&backend.location).await.expect("it opens");
    raw::script(
        &database,
        include_str!("../../../fixtures/soniq/soniq_sqlite.sql"),
    )
    .await
    .expect("the dump loads");
    database.migrate().await.expect("only our tables are added");
    let plants = plants::all();
    bury(&database, &plants).await;
    let mut stage = Stage::on(backend, database, "[policy]\nreveal = \"allow\"\n").await;
    stage
        .environment
        .push(("RUST_LOG".to_owned(), "debug".to_owned()));
    let process: Process = stage.start("").await;
    let at = process.at.clone();
    projected(&stage, i64::try_from(plants.len()).expect("a count")).await;
    report(&stage, &at, &plants).await;

    let mut secrets: Vec<&str> = plants.iter().map(|plant| plant.secret.as_str()).collect();
    secrets.extend(OF_THE_DUMPS);
    let mut walk = Walk::new(
        stage.client.clone(),
        &at,
        &signed_in(&stage, &at).await,
        &stage.token,
    );
    walk.pages().await;
    walk.api().await;
    walk.open().await;
    let (pages, answers) = (walk.pages, walk.answers);
    let mut found: Vec<Found> = walk.found(&secrets);
    for (name, arguments) in [
        ("export", &["audit", "export"][..]),
        ("export as CSV", &["audit", "export", "--format", "csv"]),
        ("operators", &["operators", "list"]),
        ("tokens", &["tokens", "list"]),
        ("plan", &["plan", "op_plant_000"]),
        ("plan as JSON", &["plan", "op_plant_000", "--json"]),
    ] {
        let done = stage
            .dlo(&stage.backend.url)
            .args(arguments)
            .output()
            .expect("dlo runs");
        assert!(done.status.success(), "{arguments:?}");
        let text = [done.stdout, done.stderr].concat();
        walk::search(name, &String::from_utf8_lossy(&text), &secrets, &mut found);
    }
    walk::search(
        "our tables",
        &our_tables(&stage.database).await,
        &secrets,
        &mut found,
    );
    let (status, _, log) = process.terminate(Duration::from_secs(40)).await;
    assert!(status.success());
    assert!(log.len() > 100, "the log says something: {}", log.len());
    walk::search("the log", &log.join("\n"), &secrets, &mut found);
    let odd = log
        .iter()
        .find(|line| line.chars().any(|c| c.is_control() && c != '\t'));
    assert_eq!(odd, None, "a terminal would obey this line");
    println!(
        "{} secrets, {pages} pages, {answers} answers, {} lines of the log",
        secrets.len(),
        log.len()
    );
    assert!(
        pages > 2 * plants.len() && answers > 2 * plants.len(),
        "{pages} pages, {answers} answers"
    );
    let told: Vec<String> = found
        .iter()
        .map(|one| {
            let plant = plants.iter().find(|plant| plant.secret == one.secret);
            format!(
                "{}: {:?}: …{}…",
                one.place,
                plant.map(|plant| &plant.text),
                one.around
            )
        })
        .collect();
    assert!(told.is_empty(), "{} places:\n{}", told.len(), told.join("\n"));
}
