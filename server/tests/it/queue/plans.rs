//! The desk's statements at 100,000 rows: an index leads each of them, and nothing is sorted or read whole. The chart
//! reads its two days from an index alone, and so do the groups.

use crate::support::backend::{Backend, Kind};
use crate::support::raw;
use app::desk::finding::{first_hour, within};
use app::desk::{DeadLetterFilter, WantedCategory};
use app::domain::dead_letter::Disposition;
use app::domain::label::Label;
use app::domain::operation::ErrorCategory;
use app::domain::plan::Action;
use server::config::Messages;
use server::database::{Database, Dialect, Tx, Value};
use server::storage::dead_letters::{self, Cursor, Redactor};

/// Rows without a record, a label in ten: enough for a planner to care.
const POSTGRES: &str = "\
INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, dead_letter_reason, \
 original_created_at, moved_to_dead_letter_at) \
SELECT gen_random_uuid(), 'render.poll', '{}', 'queue-' || (n % 7), 100, 3, 3, 'max_retries_exceeded', \
 now() - n * interval '1 minute', now() - n * interval '1 minute' FROM generate_series(1, 100000) AS n";
const SQLITE: &str = "\
WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 100000) \
INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, dead_letter_reason, \
 original_created_at, moved_to_dead_letter_at) \
SELECT printf('00000000-0000-4000-8000-%012d', n), 'render.poll', '{}', 'queue-' || (n % 7), 100, 3, 3, \
 'max_retries_exceeded', strftime('%Y-%m-%dT%H:%M:%S.000000+00:00', 1700000000 - n * 60, 'unixepoch'), \
 strftime('%Y-%m-%dT%H:%M:%S.000000+00:00', 1700000000 - n * 60, 'unixepoch') FROM counted";
/// What the projection would keep of them.
const KEPT: &str = "\
INSERT INTO dlo_messages (message_id, operation_id, safe_error, job_name, queue, reason, attempts, max_attempts, died_at, \
 label, next_action, error_category, owner) \
SELECT d.id, d.queue, '', d.job_name, d.queue, d.dead_letter_reason, 3, 3, d.moved_to_dead_letter_at, \
 CASE WHEN d.queue = 'queue-1' THEN 'local_delivery_failure' WHEN d.queue = 'queue-2' THEN 'remote_render_failed' \
 ELSE 'render_in_progress' END, CASE WHEN d.queue = 'queue-1' THEN 'deliver' ELSE 'observe' END, 'timeout', d.queue \
FROM soniq_dead_letter_jobs d";

/// One for each way into the list.
fn filters() -> Vec<DeadLetterFilter> {
    let none = DeadLetterFilter::default;
    vec![
        none(),
        DeadLetterFilter {
            oldest_first: true,
            ..none()
        },
        DeadLetterFilter {
            queue: Some("queue-3".to_owned()),
            ..none()
        },
        DeadLetterFilter {
            queue: Some("queue-3".to_owned()),
            oldest_first: true,
            ..none()
        },
        DeadLetterFilter {
            label: Some(Label::LocalDeliveryFailure),
            ..none()
        },
        DeadLetterFilter {
            action: Some(Action::Deliver),
            ..none()
        },
        DeadLetterFilter {
            category: Some(WantedCategory::Is(ErrorCategory::Timeout)),
            ..none()
        },
        DeadLetterFilter {
            owner: Some("queue-3".to_owned()),
            ..none()
        },
        DeadLetterFilter {
            disposition: Some(Disposition::Open),
            ..none()
        },
    ]
}

async fn fill(database: &Database, rows: &str) {
    for sql in [rows, KEPT, "ANALYZE"] {
        raw::script(database, sql).await.expect("it runs");
    }
}

/// What a plan says that reads or sorts a whole table. (A join with the empty `dlo_operations` may.)
const WHOLE: [&str; 6] = [
    "Seq Scan on soniq_dead_letter_jobs",
    "Seq Scan on dlo_messages",
    "Bitmap Heap Scan",
    "USE TEMP B-TREE FOR ORDER BY",
    "SCAN d\n",
    "SCAN m\n",
];

/// The plan of the list under a filter, as text.
async fn plan(database: &Database, filter: &DeadLetterFilter, after: Option<&Cursor>) -> String {
    let mut tx = database.read().await.expect("begin");
    let statement = dead_letters::statement(&tx, filter, after, 50).expect("a statement");
    explained(&mut tx, statement).await
}

async fn explained(tx: &mut Tx, (sql, values): (String, Vec<Value>)) -> String {
    let (word, column) = match tx.dialect() {
        Dialect::Postgres => ("EXPLAIN", "QUERY PLAN"),
        Dialect::Sqlite => ("EXPLAIN QUERY PLAN", "detail"),
    };
    let rows = tx
        .fetch_all(&format!("{word} {sql}"), values)
        .await
        .expect("a plan");
    rows.iter()
        .map(|row| row.text(column).expect("text"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Where the first page ends.
async fn second_page(database: &Database, filter: &DeadLetterFilter) -> Cursor {
    let mut tx = database.read().await.expect("begin");
    let (config, redactor) = (Messages::default(), Redactor::default());
    let listed = dead_letters::list(&mut tx, &config, &redactor, filter, None, 50)
        .await
        .expect("a page");
    listed.next.expect("another page")
}

async fn every_list_is_led_by_an_index(kind: Kind, rows: &str) {
    let Some((_backend, database)) = Backend::open(kind).await else {
        return;
    };
    fill(&database, rows).await;
    for filter in filters() {
        for after in [None, Some(&second_page(&database, &filter).await)] {
            let plan = plan(&database, &filter, after).await + "\n";
            for whole in WHOLE {
                assert!(!plan.contains(whole), "{filter:?}: {whole} in\n{plan}");
            }
        }
    }
    counts_are_led_by_an_index(&database).await;
}

/// Under no filter the chart looks at two days of the index, and the groups at an index alone.
async fn counts_are_led_by_an_index(database: &Database) {
    let none = DeadLetterFilter::default();
    let mut tx = database.read().await.expect("begin");
    let window = within(&none, first_hour(&none, tx.now()));
    let statement = dead_letters::hours_statement(&tx, &window);
    let hours = explained(&mut tx, statement).await + "\n";
    assert!(hours.contains("dlo_messages_died"), "{hours}");
    assert!(
        !hours.contains("Seq Scan") && !hours.contains("SCAN m\n"),
        "{hours}"
    );
    let statement = dead_letters::categories_statement(&tx, &none);
    let groups = explained(&mut tx, statement).await + "\n";
    match tx.dialect() {
        Dialect::Sqlite => assert!(groups.contains("INDEX dlo_messages_category"), "{groups}"),
        // Whether an index alone will do depends on what was cleaned up; the table is small beside it.
        Dialect::Postgres => assert!(!groups.contains("Sort Key: m.died_at"), "{groups}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    every_list_is_led_by_an_index(Kind::Sqlite, SQLITE).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    every_list_is_led_by_an_index(Kind::Postgres, POSTGRES).await;
}
