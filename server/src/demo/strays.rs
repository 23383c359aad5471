//! Messages of the demo that name no operation which the office holds.

use super::application::{DELIVER, Letter, POLL, REFUND};
use super::application::{Outbox, QUEUES};
use crate::database::DbError;
use serde_json::{Value, json};

/// What groups them in the outbox.
pub const ABOUT: &str = "strays";

/// A job that no worker of the application has a handler for.
const REINDEX: Letter<'_> = Letter {
    job_name: "catalogue.reindex",
    queue: QUEUES[1],
    priority: 200,
    max_attempts: 2,
};

/// Each dies for a reason of its own: an operation from before the office, no operation at all, args that are no
/// object, a job without a handler.
fn letters() -> Vec<(Letter<'static>, Value)> {
    vec![
        (
            REFUND,
            json!({ "operation_id": "op_2023_legacy_20871", "credits": 12, "reason": "render_failed" }),
        ),
        (
            DELIVER,
            json!({
                "operation_id": "op_2023_legacy_20914",
                "job_id": "gj_old_5512",
                "output_url": "https://cdn.genace.example/o/5512/0.mp4?X-Amz-Signature=9f2c61d0b7&X-Amz-Expires=3600",
                "notify_email": "producer@studio-north.example",
            }),
        ),
        (
            POLL,
            json!({ "job_id": "gj_old_5530", "prompt": "a fishing boat at dawn, slow push in" }),
        ),
        (POLL, json!(["op_2023_legacy_20990", "gj_old_5541"])),
        (REINDEX, json!({ "shard": 3 })),
    ]
}

/// How many there are.
pub fn count() -> usize {
    letters().len()
}

/// Queues them all.
///
/// # Errors
/// The database did not take one.
pub async fn send(outbox: &Outbox) -> Result<(), DbError> {
    for (letter, args) in letters() {
        outbox.send(ABOUT, letter, &args).await?;
    }
    Ok(())
}
