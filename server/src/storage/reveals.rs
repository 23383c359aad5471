//! Tickets for one look at one hidden field. They name the field; its value stays where it is, and is read when it is shown.

use super::tokens::hash;
use crate::database::{Database, DbError, Tx};
use crate::values;
use app::domain::ids::DeadLetterId;
use chrono::TimeDelta;

/// How long a ticket is worth a look.
pub const VALID: TimeDelta = TimeDelta::minutes(2);

/// Keeps a ticket of this person, by the hash of its secret; forgets those that are over.
pub async fn keep(
    tx: &mut Tx,
    ticket: &str,
    person: &str,
    message: DeadLetterId,
    field: &str,
) -> Result<(), DbError> {
    let now = tx.now();
    tx.execute("DELETE FROM dlo_reveals WHERE expires_at <= $1", values![now])
        .await?;
    tx.execute(
        "INSERT INTO dlo_reveals (ticket, person, message_id, field, expires_at) VALUES ($1, $2, $3, $4, $5)",
        values![hash(ticket), person, message.to_string(), field, now + VALID],
    )
    .await?;
    Ok(())
}

/// Takes a ticket: the field that it names. The second time there is none, and another person has none.
///
/// # Errors
/// When the database does not answer.
pub async fn take(
    database: &Database,
    ticket: &str,
    person: &str,
    message: DeadLetterId,
) -> Result<Option<String>, DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    let found = tx
        .fetch_optional(
            "DELETE FROM dlo_reveals WHERE ticket = $1 AND person = $2 AND message_id = $3 AND expires_at > $4 \
             RETURNING field",
            values![hash(ticket), person, message.to_string(), now],
        )
        .await?;
    tx.commit().await?;
    found.map(|row| row.text("field")).transpose()
}
