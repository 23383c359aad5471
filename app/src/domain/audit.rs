//! The audit: append-only, each entry carrying the hash of the one before.

use super::guard::GuardResult;
use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// One entry, as every reader sees it (DESIGN 7).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AuditEntry {
    /// 1, 2, 3 …, without gaps.
    pub seq: i64,
    pub at: DateTime<Utc>,
    pub actor: String,
    pub role: String,
    /// What was done: an action, a decision, or `purge`, `refused`, `cancel`, `token_created` ….
    pub action: String,
    pub effect: Option<String>,
    pub operation_id: Option<String>,
    pub dead_letter_id: Option<String>,
    pub recovery_id: Option<String>,
    pub revision_before: Option<i64>,
    pub revision_after: Option<i64>,
    pub reason: Option<String>,
    pub guards: Vec<GuardResult>,
    /// Hex SHA-256 over the entry before and this entry's fields.
    pub hash: String,
}

/// The hash that the first entry follows.
pub const GENESIS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

impl AuditEntry {
    /// The hash of this entry after one whose hash is `previous`: SHA-256 over the JSON of all other fields, in a fixed order.
    pub fn chained_hash(&self, previous: &str) -> String {
        let body = serde_json::json!([
            previous,
            self.seq,
            self.at.to_rfc3339_opts(SecondsFormat::Micros, true),
            self.actor,
            self.role,
            self.action,
            self.effect,
            self.operation_id,
            self.dead_letter_id,
            self.recovery_id,
            self.revision_before,
            self.revision_after,
            self.reason,
            self.guards,
        ]);
        hex::encode(Sha256::digest(body.to_string().as_bytes()))
    }
}
