//! One creation request and its receipt: what came back, kept for ever.

use super::ids::{AttemptId, JobId, RecoveryId};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

crate::slugs! {
    /// How a creation request ended (DESIGN 4.6). `confirmed_by_person` closes attempts by `confirm_not_sent`.
    pub enum ReceiptKind ("receipt") {
        NotSent => "not_sent",
        Rejected => "rejected",
        Accepted => "accepted",
        Unknown => "unknown",
        ConfirmedByPerson => "confirmed_by_person",
    }
}

/// What came back from one creation request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Receipt {
    pub kind: ReceiptKind,
    /// HTTP status, where one came.
    pub status: Option<u16>,
    pub job_id: Option<JobId>,
    /// Where the id stood: a JSON pointer or a header name.
    pub job_id_at: Option<String>,
    /// Only from a field of the answer, or `none` where the profile lists the status as uncharged.
    pub charge: Option<super::money::Charge>,
    /// Why it is so, in safe words: "connection refused", "502 without a job id".
    pub detail: String,
    pub category: Option<super::operation::ErrorCategory>,
}

/// One creation attempt. `receipt: None` means that the process died or the answer is still out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Attempt {
    pub id: AttemptId,
    /// 1, 2, 3 …, per operation.
    pub number: i64,
    pub recovery_id: RecoveryId,
    pub started_at: DateTime<Utc>,
    pub receipt: Option<Receipt>,
    pub received_at: Option<DateTime<Utc>>,
}

impl Attempt {
    /// Open until a receipt other than `unknown` (or a later `confirm_not_sent`) closes it.
    pub fn is_open(&self) -> bool {
        match self.receipt.as_ref().map(|receipt| receipt.kind) {
            None | Some(ReceiptKind::Unknown) => true,
            Some(
                ReceiptKind::NotSent
                | ReceiptKind::Rejected
                | ReceiptKind::Accepted
                | ReceiptKind::ConfirmedByPerson,
            ) => false,
        }
    }
}

/// Which of an attempt's receipts, oldest first, tells most of it: one that names an id, else one that closes it, else
/// one that says that the outcome is unknown. Of equals the first: what came first was acted on.
pub fn most_telling(receipts: &[&Receipt]) -> Option<usize> {
    (0..receipts.len()).rev().max_by_key(|at| weight(receipts[*at]))
}

const fn weight(receipt: &Receipt) -> u8 {
    match (receipt.job_id.is_some(), receipt.kind) {
        (true, _) => 2,
        (
            false,
            ReceiptKind::NotSent
            | ReceiptKind::Rejected
            | ReceiptKind::Accepted
            | ReceiptKind::ConfirmedByPerson,
        ) => 1,
        (false, ReceiptKind::Unknown) => 0,
    }
}
