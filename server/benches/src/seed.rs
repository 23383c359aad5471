//! 100,000 dead letters of about 60,000 operations. Records and letters are written in bulk; what our own tables know of
//! the letters is read by the real projector.

use crate::sample;
use chrono::{DateTime, Duration, Utc};
use server::config::Messages;
use server::database::{Database, Dialect, Tx, Value};
use server::storage::{messages, operations};
use std::time::Instant;
use uuid::Uuid;

/// Dead letters.
pub const LETTERS: u32 = 100_000;
/// Operations; some have two letters.
pub const OPERATIONS: u32 = 60_000;
/// Each so many letters, one names no operation of ours.
const STRAY: u32 = 33;
/// Letters of one statement: SQLite binds 32,766 values at most.
const ROWS: u32 = 250;
/// Letters that one transaction of the projector reads.
const BATCH: u32 = 5_000;
/// Between two deaths: the letters are spread over three months.
const APART: i64 = 77;

/// Migrates an empty database and fills it; answers what that took. Ends the run where anything stands already.
pub async fn fill(database: &Database) -> String {
    refuse_unless_empty(database).await;
    database.migrate().await.expect("the database migrates");
    let now = DateTime::from_timestamp_micros(Utc::now().timestamp_micros()).expect("a moment");
    let mut tx = database.write().await.expect("begin");
    roomy(&mut tx).await;
    for n in 0..OPERATIONS {
        operations::insert(&mut tx, &sample::operation(n, now))
            .await
            .expect("an operation");
    }
    tx.commit().await.expect("commit");
    let mut tx = database.write().await.expect("begin");
    roomy(&mut tx).await;
    for first in (0..LETTERS).step_by(usize::try_from(ROWS).expect("a count")) {
        bury(&mut tx, first, now).await;
    }
    tx.commit().await.expect("commit");
    analyze(database).await;
    let began = Instant::now();
    while messages::project(database, &Messages::default(), BATCH)
        .await
        .expect("the projector reads")
        > 0
    {}
    let took = began.elapsed().as_secs_f64();
    analyze(database).await;
    format!(
        "the projector read {LETTERS} dead letters in {took:.0} s, {:.0} per second",
        f64::from(LETTERS) / took
    )
}

async fn refuse_unless_empty(database: &Database) {
    let mut tx = database.read().await.expect("begin");
    let tables = tx.pick(
        "SELECT COUNT(*) AS n FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace \
         WHERE c.relkind = 'r' AND s.nspname NOT IN ('pg_catalog', 'information_schema')",
        "SELECT COUNT(*) AS n FROM sqlite_master",
    );
    let found = tx
        .fetch_one(tables, vec![])
        .await
        .expect("a row")
        .int("n")
        .expect("a number");
    assert_eq!(
        found, 0,
        "the database is not empty: figures are measured on one of their own"
    );
}

/// Writes some letters, as a worker's move leaves them.
async fn bury(tx: &mut Tx, first: u32, now: DateTime<Utc>) {
    let mut rows = Vec::new();
    let mut values: Vec<Value> = Vec::new();
    for n in first..LETTERS.min(first + ROWS) {
        let letter = if n.is_multiple_of(STRAY) {
            sample::stray(n)
        } else {
            sample::letter(&sample::operation(n % OPERATIONS, now))
        };
        let died = now - Duration::seconds(i64::from(LETTERS - n) * APART);
        let places: Vec<String> = (values.len() + 1..=values.len() + 8)
            .map(|place| format!("${place}"))
            .collect();
        let [id, name, args, queue, error, made, died_at, again] = places.try_into().expect("eight");
        rows.push(format!(
            "({id}, {name}, {args}, {queue}, 100, 3, 3, {error}, 'max_retries_exceeded', {made}, {died_at}, {again}, {died_at})"
        ));
        values.extend([
            Value::from(Uuid::from_u128(
                0x4000_8000_0000_0000_0000 + u128::from(n.wrapping_mul(2_654_435_761)),
            )),
            Value::from(letter.job_name),
            Value::from(serde_json::value::RawValue::from_string(letter.args).expect("JSON")),
            Value::from(letter.queue),
            Value::from(letter.error),
            Value::from(died - Duration::minutes(6)),
            Value::from(died),
            Value::from(i64::from(n.is_multiple_of(20))),
        ]);
    }
    let sql = format!(
        "INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, last_error, \
         dead_letter_reason, original_created_at, moved_to_dead_letter_at, resurrection_count, created_at) VALUES {}",
        rows.join(", ")
    );
    tx.execute(&sql, values).await.expect("dead letters");
}

/// SQLite's own page cache holds 2 MB, and ids are random: writing so many rows would read most pages again and again.
async fn roomy(tx: &mut Tx) {
    if tx.dialect() == Dialect::Sqlite {
        tx.execute("PRAGMA cache_size = -400000", vec![])
            .await
            .expect("a larger cache");
    }
}

async fn analyze(database: &Database) {
    let mut tx = database.write().await.expect("begin");
    tx.execute("ANALYZE", vec![]).await.expect("statistics");
    tx.commit().await.expect("commit");
}
