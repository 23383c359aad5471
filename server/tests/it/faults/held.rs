//! PostgreSQL, with a row that somebody else holds: whoever needs it is told that the database is busy, and soon enough.

use crate::protocol::play::{NO_WORKER, Play};
use crate::support::backend::{Backend, Kind};
use app::domain::role::Role;
use server::database::{Database, Location};
use sqlx::{Connection as _, Executor as _};
use std::time::{Duration, Instant};

/// What a connection of the pool is bound to.
async fn bounds(database: &Database) -> [String; 2] {
    let sql =
        "SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement";
    let row = database
        .look_up(sql, vec![])
        .await
        .expect("an answer")
        .expect("a row");
    ["lock", "statement"].map(|column| row.text(column).expect("text"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_too_long_for_a_lock_is_told_that_the_database_is_busy() {
    let Some((backend, database)) = Backend::open(Kind::Postgres).await else {
        return;
    };
    let url = backend.url.clone();
    let play = Play::start_with(backend, database, NO_WORKER, "").await;
    play.accepted("op_q", "gj_q").await;
    let order = play.order("op_q", "observe").await;
    let mut browser = play.app.signed_in(Role::Admin).await;
    let mut holder = sqlx::PgConnection::connect(&url).await.expect("a connection");
    holder
        .execute(
            "BEGIN; SELECT 1 FROM dlo_operations WHERE id = 'op_q' FOR UPDATE; LOCK TABLE dlo_audit IN ACCESS EXCLUSIVE MODE",
        )
        .await
        .expect("a lock");
    let asked = Instant::now();
    let send = || {
        let path = "/api/v1/operations/op_q/recoveries";
        play.app.post_with_key(Role::Approver, path, &order, "held")
    };
    let mut other = play.app.browser();
    other.cookie = browser.cookie.clone();
    let told = async { (send().await, asked.elapsed()) };
    let ((refusal, waited), page, record) =
        tokio::join!(told, browser.get("/audit"), other.get("/operations/op_q"));
    record.expect(200);
    assert!(!page.header("retry-after").is_empty());
    let page = page.expect(503);
    assert!(page.body.contains("did not answer in time"), "{}", page.body);
    assert!(!refusal.header("retry-after").is_empty());
    let said = refusal.refused(503, "unavailable");
    let words = said["detail"].as_str().unwrap_or_default().to_owned();
    assert!(
        words.contains("did not answer in time") && words.contains("Nothing was changed"),
        "{words}"
    );
    assert!(
        waited < Duration::from_secs(17),
        "told before patience with a silent network ends: {waited:?}"
    );
    // Nobody was left waiting behind our back, and the order is still to be had.
    holder.execute("COMMIT").await.expect("the lock's end");
    send().await.expect(202);
    assert_eq!(bounds(&play.app.office.database).await, ["10s", "18s"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stricter_bounds_of_the_server_stay() {
    let Some((backend, database)) = Backend::open(Kind::Postgres).await else {
        return;
    };
    assert_eq!(bounds(&database).await, ["10s", "18s"]);
    let set = format!(
        "{}?options=-c%20lock_timeout%3D300ms%20-c%20statement_timeout%3D1min",
        backend.url
    );
    let location: Location = set.parse().expect("a location");
    let strict = Database::open(&location).await.expect("the database opens");
    assert_eq!(bounds(&strict).await, ["300ms", "18s"]);
    // A migration waits for another's as long as that takes; whoever asks next is bound again.
    strict.migrate().await.expect("the database migrates");
    assert_eq!(bounds(&strict).await, ["300ms", "18s"]);
    strict.close().await;
}
