//! What a decision must bear to be one, and how it is kept.

use app::desk::order::MAX_REASON;
use app::desk::{Candidates, Code, DeskError};
use app::domain::decision::Decision;
use app::domain::ids::{JobId, OperationId};
use app::domain::redact::redact_text;
use rust_decimal::Decimal;
use serde_json::Value;
use std::collections::BTreeSet;

/// The longest reference, in bytes.
const MAX_REFERENCE: usize = 200;
/// The most indexes that one decision names.
const MAX_INDEXES: usize = 1000;
/// Digits after the point that an amount may have.
const MAX_SCALE: u32 = 9;

/// Refuses what is malformed, whatever the operation: 400.
pub fn check(decision: &Decision) -> Result<(), DeskError> {
    match decision {
        Decision::AttachJob { job_id } | Decision::ChooseJob { job_id } => job(job_id),
        Decision::AdoptAsOperation { job_id, id } => {
            job(job_id)?;
            operation(id)
        }
        Decision::PrepareNewOperation { id } => operation(id),
        Decision::ConfirmNotSent { evidence } | Decision::OutsideSendExcluded { evidence, through: _ } => {
            text("evidence", evidence, MAX_REASON)
        }
        Decision::OutputsLost { indexes } => {
            let distinct: BTreeSet<&u32> = indexes.iter().collect();
            must(
                !indexes.is_empty() && indexes.len() <= MAX_INDEXES && distinct.len() == indexes.len(),
                "indexes: name each lost output once.",
            )
        }
        Decision::RefundConfirmed { reference, amount } => {
            text("reference", reference, MAX_REFERENCE)?;
            must(
                *amount > Decimal::ZERO && amount.scale() <= MAX_SCALE,
                "amount: an amount above zero with at most nine digits after the point is expected.",
            )
        }
        Decision::CloseUnresolved
        | Decision::ChargeAccepted
        | Decision::RefundRequested
        | Decision::AcknowledgeObsolete { .. }
        | Decision::Reopen => Ok(()),
    }
}

fn must(holds: bool, otherwise: &str) -> Result<(), DeskError> {
    if holds {
        Ok(())
    } else {
        Err(DeskError::new(Code::InvalidRequest, otherwise))
    }
}

fn job(id: &JobId) -> Result<(), DeskError> {
    must(
        JobId::parse(id.as_str()).is_some(),
        "job_id: an id has 1 to 200 bytes and no control characters.",
    )
}

fn operation(id: &OperationId) -> Result<(), DeskError> {
    must(
        OperationId::parse(id.as_str()).is_some(),
        "id: an id has 1 to 200 bytes and no control characters.",
    )
}

fn text(field: &str, value: &str, most: usize) -> Result<(), DeskError> {
    let count = value.chars().count();
    must(
        !value.trim().is_empty() && count <= most,
        &format!("{field}: 1 to {most} characters are expected."),
    )
}

/// What the decision named, redacted, and what the provider's search found before it.
pub fn detail(decision: &Decision, candidates: Option<&Candidates>) -> Value {
    let mut detail = serde_json::to_value(decision).unwrap_or_default();
    if let Value::Object(fields) = &mut detail {
        fields.remove("decision");
        for name in ["evidence", "reference"] {
            if let Some(Value::String(words)) = fields.get_mut(name) {
                *words = redact_text(words);
            }
        }
        if let Some(found) = candidates {
            fields.insert(
                "candidates".to_owned(),
                serde_json::to_value(found).unwrap_or_default(),
            );
        }
    }
    detail
}
