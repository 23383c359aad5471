//! `dlo_decisions`: what people recorded.

use super::text::Reader;
use crate::database::{DbError, Row, Tx};
use crate::values;
use app::desk::DecisionView;
use app::domain::ids::OperationId;

/// Records a decision. `at` is the transaction's moment, whatever the view says.
pub async fn insert(tx: &mut Tx, operation: &OperationId, decision: &DecisionView) -> Result<(), DbError> {
    let at = tx.now();
    tx.execute(
        "INSERT INTO dlo_decisions (operation_id, decision, detail, decided_by, role, reason, revision, decided_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        values![
            operation,
            decision.decision.as_str(),
            decision.detail.to_string(),
            &decision.by,
            &decision.role,
            &decision.reason,
            decision.revision,
            at,
        ],
    )
    .await?;
    Ok(())
}

/// The decisions of one operation, oldest first.
pub async fn list(tx: &mut Tx, operation: &OperationId) -> Result<Vec<DecisionView>, DbError> {
    let rows = tx
        .fetch_all(
            "SELECT * FROM dlo_decisions WHERE operation_id = $1 ORDER BY seq",
            values![operation],
        )
        .await?;
    rows.iter()
        .map(|row| {
            let reader = Reader {
                row,
                table: "dlo_decisions",
                id: operation.0.clone(),
            };
            Ok(DecisionView {
                at: reader.get("decided_at", Row::time)?,
                by: reader.text("decided_by")?,
                role: reader.text("role")?,
                decision: reader.slug("decision")?,
                reason: reader.text("reason")?,
                detail: reader.json("detail")?,
                revision: reader.get("revision", Row::int)?,
            })
        })
        .collect()
}
