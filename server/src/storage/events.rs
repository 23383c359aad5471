//! `dlo_events`: the operation's timeline.

use super::text::json;
use crate::database::{DbError, Tx};
use crate::values;
use app::desk::Event;
use app::domain::ids::OperationId;

/// Adds events, in their order.
pub async fn append(tx: &mut Tx, operation: &OperationId, events: &[Event]) -> Result<(), DbError> {
    for event in events {
        tx.execute(
            "INSERT INTO dlo_events (operation_id, body, at) VALUES ($1, $2, $3)",
            values![operation, json(event), event.at],
        )
        .await?;
    }
    Ok(())
}

/// The timeline, in the order in which we learned of it. What cannot be read is left out: it is no truth but a story.
pub async fn list(tx: &mut Tx, operation: &OperationId) -> Result<Vec<Event>, DbError> {
    let rows = tx
        .fetch_all(
            "SELECT body FROM dlo_events WHERE operation_id = $1 ORDER BY seq",
            values![operation],
        )
        .await?;
    let mut events = Vec::new();
    for row in &rows {
        match serde_json::from_str(&row.text("body")?) {
            Ok(event) => events.push(event),
            Err(_) => tracing::warn!(operation = %operation, "an event of the timeline is unreadable"),
        }
    }
    Ok(events)
}
