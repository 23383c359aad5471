//! The dead-letter contract (DESIGN 5) as data: each case on each backend.

use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::desk::{DeadLetterFilter, DeadLetterRow};
use app::domain::ids::{DeadLetterId, QueueJobId};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use server::config::{Messages, Retries, Worker};
use server::database::Database;
use server::queue::{Registry, Settings, run_once};
use server::storage::dead_letters::{self, Cursor, Redactor, Replay};
use server::storage::stats;
use uuid::Uuid;

#[derive(Deserialize)]
struct Suite {
    ids: Map<String, Value>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    n: u32,
    title: String,
    backends: Vec<String>,
    setup: Vec<String>,
    setup_pg: Vec<String>,
    setup_sqlite: Vec<String>,
    #[serde(rename = "do")]
    verbs: Vec<Vec<Value>>,
    returns: Vec<Value>,
    expect: Vec<Expected>,
}

#[derive(Deserialize)]
struct Expected {
    sql: String,
    rows: Vec<Vec<Value>>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory() {
    run(Kind::Memory).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    run(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    run(Kind::Postgres).await;
}

/// Every case is for every backend.
const CASES: usize = 23;

async fn run(kind: Kind) {
    let suite: Suite = serde_json::from_str(include_str!("../fixtures/soniq/contract.json"))
        .expect("the suite is what we think");
    let mut checked = 0;
    for case in &suite.cases {
        let Some((_backend, database)) = Backend::open(kind).await else {
            return;
        };
        let own = match kind {
            Kind::Postgres => (&case.setup_pg, "pg"),
            Kind::Memory | Kind::Sqlite => (&case.setup_sqlite, "sqlite"),
        };
        if case.backends.iter().any(|backend| backend == own.1) {
            check(&database, &suite.ids, case, own.0).await;
            checked += 1;
        }
        database.close().await;
    }
    assert_eq!(checked, CASES, "no case is left out");
}

async fn check(database: &Database, ids: &Map<String, Value>, case: &Case, own_setup: &[String]) {
    let name = format!("case {}: {}", case.n, case.title);
    for sql in case.setup.iter().chain(own_setup) {
        raw::script(database, sql)
            .await
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let mut fresh: Vec<String> = Vec::new();
    assert_eq!(case.verbs.len(), case.returns.len(), "{name}");
    for (verb, wanted) in case.verbs.iter().zip(&case.returns) {
        let mut answer = carry_out(database, verb).await;
        if wanted == "id" {
            let id = answer
                .as_str()
                .unwrap_or_else(|| panic!("{name}: {answer}"))
                .to_owned();
            assert!(
                !fresh.contains(&id) && !ids.values().any(|known| known == &json!(id)),
                "{name}: {id} is not new"
            );
            assert!(Uuid::parse_str(&id).is_ok(), "{name}: {id}");
            fresh.push(id);
            answer = json!("id");
        }
        assert_eq!(&answer, wanted, "{name}: {verb:?}");
    }
    for Expected { sql, rows } in &case.expect {
        let mut sql = sql.clone();
        for (key, id) in ids {
            sql = sql.replace(&format!("{{{key}}}"), id.as_str().expect("an id"));
        }
        for (at, id) in fresh.iter().enumerate() {
            sql = sql.replace(&format!("{{R{}}}", at + 1), id);
        }
        assert_eq!(&raw::rows(database, &sql).await, rows, "{name}: {sql}");
    }
}

async fn carry_out(database: &Database, verb: &[Value]) -> Value {
    let text = |at: usize| verb[at].as_str().expect("a text");
    match text(0) {
        "replay" | "replay_forced" => replay(database, text(1)).await,
        "purge" => purge(database, text(1)).await,
        "list" => json!(list(database, &verb[1]).await),
        "pages" => {
            let mut ids = pages(database, verb[1].as_u64().expect("a size") as u32).await;
            ids.sort();
            json!(ids)
        }
        "stats" => {
            let mut tx = database.read().await.expect("begin");
            json!(stats::read(&mut tx).await.expect("stats").totals)
        }
        "worker" => {
            let settings = Settings::new(None, &Worker::default(), &Retries::default());
            run_once(database, &Registry::new(), &settings)
                .await
                .expect("the worker runs");
            Value::Null
        }
        "sql" => match raw::script(database, text(1)).await {
            Ok(()) => json!("accepted"),
            Err(_) => json!("error"),
        },
        other => panic!("an unknown verb: {other}"),
    }
}

async fn replay(database: &Database, id: &str) -> Value {
    let Some(id) = DeadLetterId::parse(id) else {
        return json!("bad_id");
    };
    let mut tx = database.write().await.expect("begin");
    let order = Replay {
        job_id: QueueJobId(Uuid::new_v4()),
        by: "test",
        reason: "contract",
        recovery: None,
    };
    let job = dead_letters::replay(&mut tx, id, &order).await.expect("replay");
    tx.commit().await.expect("commit");
    job.map_or_else(|| json!("not_found"), |job| json!(job.to_string()))
}

async fn purge(database: &Database, id: &str) -> Value {
    let Some(id) = DeadLetterId::parse(id) else {
        return json!("bad_id");
    };
    let mut tx = database.write().await.expect("begin");
    let purged = dead_letters::purge(&mut tx, &Messages::default(), id)
        .await
        .expect("purge");
    tx.commit().await.expect("commit");
    json!(purged)
}

async fn list(database: &Database, filter: &Value) -> Vec<String> {
    let one = |key: &str| filter[key][0].as_str().map(str::to_owned);
    let moment = |key: &str| {
        filter[key]
            .as_str()
            .map(|text| text.parse::<DateTime<Utc>>().expect("a moment"))
    };
    let filter = DeadLetterFilter {
        job_name: one("job_names"),
        queue: one("queues"),
        reason: one("reasons"),
        from: moment("date_from"),
        to: moment("date_to"),
        ..DeadLetterFilter::default()
    };
    page(database, &filter, None, 200).await.0
}

async fn pages(database: &Database, size: u32) -> Vec<String> {
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let (page, next) = page(database, &DeadLetterFilter::default(), after, size).await;
        ids.extend(page);
        match next {
            Some(place) => after = Some(place),
            None => return ids,
        }
    }
}

async fn page(
    database: &Database,
    filter: &DeadLetterFilter,
    after: Option<Cursor>,
    limit: u32,
) -> (Vec<String>, Option<Cursor>) {
    let mut tx = database.read().await.expect("begin");
    let listed = dead_letters::list(
        &mut tx,
        &Messages::default(),
        &Redactor::default(),
        filter,
        after.as_ref(),
        limit,
    )
    .await
    .expect("a page");
    let ids = listed.rows.iter().map(|row| match row {
        DeadLetterRow::Readable(view) => view.id.to_string(),
        DeadLetterRow::Unreadable(why) => panic!("unreadable: {why:?}"),
    });
    (ids.collect(), listed.next)
}
