//! What these tests share.

use app::desk::{DeadLetterFilter, DeadLetterRow, DeadLetterView, LetterFound};
use app::domain::ids::{DeadLetterId, OperationId, QueueJobId};
use app::domain::operation::Operation;
use app::domain::role::{Caller, Role};
use chrono::{DateTime, Utc};
use server::config::Messages;
use server::database::{Database, Tx};
use server::storage::dead_letters::{self, Cursor, Redactor};
use server::storage::jobs::{self, NewJob};
use server::storage::operations;
use server::values;
use uuid::Uuid;

/// The raw JSON of a value.
pub fn json(text: &str) -> Box<serde_json::value::RawValue> {
    serde_json::value::RawValue::from_string(text.to_owned()).expect("JSON")
}

/// The `n`th id.
pub fn id(n: u128) -> Uuid {
    Uuid::from_u128(0x4000_8000_0000_0000_0000 + n)
}

/// Queues a job under the `n`th id.
pub async fn enqueue(database: &Database, n: u128, name: &str, args: &str, queue: &str) -> QueueJobId {
    let args = json(args);
    let job = NewJob {
        id: QueueJobId(id(n)),
        job_name: name,
        args: &args,
        queue,
        priority: 100,
        max_attempts: 3,
        scheduled_at: None,
    };
    let mut tx = database.write().await.expect("begin");
    jobs::enqueue(&mut tx, &job).await.expect("enqueue");
    tx.commit().await.expect("commit");
    job.id
}

/// A dead letter as Soniq's worker would have left it.
pub struct Letter<'a> {
    pub n: u128,
    pub name: &'a str,
    pub args: &'a str,
    pub queue: &'a str,
    pub error: Option<&'a str>,
    pub died_at: DateTime<Utc>,
}

impl Default for Letter<'_> {
    fn default() -> Self {
        Self {
            n: 1,
            name: "render.poll",
            args: "{}",
            queue: "render",
            error: Some("Max retries exceeded: TimeoutError: timed out"),
            died_at: crate::support::sample::moment(),
        }
    }
}

/// Puts it into the dead table.
pub async fn bury(database: &Database, letter: &Letter<'_>) -> DeadLetterId {
    let mut tx = database.write().await.expect("begin");
    tx.execute(
        "INSERT INTO soniq_dead_letter_jobs (id, job_name, args, queue, priority, max_attempts, attempts, last_error, \
         dead_letter_reason, original_created_at, moved_to_dead_letter_at, resurrection_count, created_at) \
         VALUES ($1, $2, $3, $4, 100, 3, 3, $5, 'max_retries_exceeded', $6, $6, NULL, $6)",
        values![id(letter.n), letter.name, json(letter.args), letter.queue, letter.error, letter.died_at],
    )
    .await
    .expect("insert");
    tx.commit().await.expect("commit");
    DeadLetterId(id(letter.n))
}

/// Reads all that nobody has read yet.
pub async fn project(database: &Database) -> usize {
    dead_letters_project(database, 200).await
}

async fn dead_letters_project(database: &Database, limit: u32) -> usize {
    let mut all = 0;
    loop {
        let projected = server::storage::messages::project(database, &Messages::default(), limit)
            .await
            .expect("project");
        all += projected;
        if projected == 0 {
            return all;
        }
    }
}

/// All pages of a filtered list.
pub async fn pages(database: &Database, filter: &DeadLetterFilter, size: u32) -> Vec<DeadLetterRow> {
    let (mut rows, mut after): (Vec<DeadLetterRow>, Option<Cursor>) = (Vec::new(), None);
    loop {
        let mut tx = database.read().await.expect("begin");
        let listed = dead_letters::list(
            &mut tx,
            &Messages::default(),
            &Redactor::default(),
            filter,
            after.as_ref(),
            size,
        )
        .await
        .expect("a page");
        assert!(listed.rows.len() <= size as usize);
        rows.extend(listed.rows);
        match listed.next {
            // As it travels: through the URL and back.
            Some(place) => after = Some(Cursor::decode(&place.encode()).expect("our own cursor")),
            None => return rows,
        }
    }
}

/// The readable rows.
pub fn readable(rows: &[DeadLetterRow]) -> Vec<&DeadLetterView> {
    rows.iter()
        .filter_map(|row| match row {
            DeadLetterRow::Readable(view) => Some(view.as_ref()),
            DeadLetterRow::Unreadable(_) => None,
        })
        .collect()
}

/// The ids of a filtered list, in its order.
pub async fn listed(database: &Database, filter: &DeadLetterFilter) -> Vec<Uuid> {
    readable(&pages(database, filter, 200).await)
        .iter()
        .map(|view| view.id.0)
        .collect()
}

/// One dead letter.
pub async fn get(tx: &mut Tx, id: DeadLetterId) -> DeadLetterView {
    let found = dead_letters::get(tx, &Messages::default(), &Redactor::default(), id)
        .await
        .expect("read")
        .expect("it is there");
    opened(found)
}

/// What was found, which must be readable.
pub fn opened(found: LetterFound) -> DeadLetterView {
    match found {
        LetterFound::Readable(view) => *view,
        LetterFound::Unreadable(why) => panic!("unreadable: {why:?}"),
    }
}

/// Somebody with this role.
pub fn caller(role: Role) -> Caller {
    Caller {
        name: format!("a-{role}"),
        role,
    }
}

/// An operation is recorded.
pub async fn record(database: &Database, operation: &Operation) {
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, operation, &[]).await.expect("create");
    tx.commit().await.expect("commit");
}

/// The operation as it stands.
pub async fn load(database: &Database, id: &str) -> Operation {
    let mut tx = database.read().await.expect("begin");
    operations::load(&mut tx, &OperationId::from(id))
        .await
        .expect("load")
        .expect("it is recorded")
}
