//! A dead letter as readers see it: texts and args redacted, its operation's standing beside it.

use super::raw::RawLetter;
use crate::database::{DbError, Row};
use crate::storage::messages::Found;
use crate::storage::text::Reader;
use app::desk::DeadLetterView;
use app::domain::dead_letter::{Disposition, MessageFacts};
use app::domain::ids::{DeadLetterId, JobId, OperationId};
use app::domain::label::Label;
use app::domain::operation::{Dispatch, Phase};
use app::domain::plan::{Action, Effect};
use app::domain::redact::{lenient_json, redact_json, redact_text};
use app::domain::remote::Remote;
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::sync::{Arc, Mutex};

/// What a person may read of a dead letter's texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Redacted {
    pub error_text: Option<String>,
    pub args: Value,
    pub hidden_values: u32,
    pub tags: Value,
}

/// Redacts a dead letter's texts.
pub fn redacted(letter: &RawLetter) -> Redacted {
    let (args, hidden_values) = redact_json(&lenient_json(&letter.args));
    let tags = match &letter.tags {
        None => Value::Null,
        Some(bytes) => match lenient_json(bytes) {
            // Soniq's PostgreSQL runtime encodes twice: a JSON string that holds an object.
            Value::String(inner) => lenient_json(inner.as_bytes()),
            other
            @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => other,
        },
    };
    Redacted {
        error_text: letter.last_error.as_deref().map(redact_text),
        args,
        hidden_values,
        tags: redact_json(&tags).0,
    }
}

/// Remembers redactions: a dead letter's texts do not change, and lists show the same ones again and again.
#[derive(Debug, Default)]
pub struct Redactor {
    known: Mutex<HashMap<(DeadLetterId, u64), Arc<Redacted>>>,
}

/// Letters that are remembered; then all are forgotten.
const MAX_KNOWN: usize = 512;
/// A letter with longer texts is redacted each time, in bytes.
const MAX_REMEMBERED: usize = 16 * 1024;

impl Redactor {
    /// As [`redacted`].
    pub fn of(&self, letter: &RawLetter) -> Arc<Redacted> {
        let size = letter.args.len()
            + letter.last_error.as_ref().map_or(0, String::len)
            + letter.tags.as_ref().map_or(0, Vec::len);
        if size > MAX_REMEMBERED {
            return Arc::new(redacted(letter));
        }
        let mut hasher = DefaultHasher::new();
        (&letter.args, &letter.last_error, &letter.tags).hash(&mut hasher);
        let key = (letter.id, hasher.finish());
        let lock = || {
            self.known
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
        };
        if let Some(found) = lock().get(&key) {
            return Arc::clone(found);
        }
        let made = Arc::new(redacted(letter));
        let mut known = lock();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(key, Arc::clone(&made));
        made
    }
}

/// What the projection knows of the message.
#[derive(Debug, Clone)]
pub struct Projected {
    pub facts: MessageFacts,
    pub own_replays: i64,
    pub disposition: Disposition,
}

impl Projected {
    /// A row not yet projected, read on the spot.
    pub fn on_the_spot(found: Found) -> Self {
        Self {
            facts: found.facts,
            own_replays: 0,
            disposition: Disposition::Open,
        }
    }
}

/// What to select from `dlo_messages m`.
pub const MESSAGE_COLUMNS: &str = "CAST(m.message_id AS TEXT) AS m_id, m.operation_id AS m_operation, m.job_id AS m_job, \
     m.action AS m_action, m.error_category AS m_error_category, m.own_replays AS m_own_replays, m.disposition AS m_disposition";

/// Reads the projection; `None` when the row has none yet.
pub fn projected(row: &Row) -> Result<Option<Projected>, DbError> {
    let Some(id) = row.opt_text("m_id")? else {
        return Ok(None);
    };
    let reader = Reader {
        row,
        table: "dlo_messages",
        id,
    };
    Ok(Some(Projected {
        facts: MessageFacts {
            operation_id: row.opt_text("m_operation")?.map(OperationId),
            job_id: row.opt_text("m_job")?.map(JobId),
            action: reader.opt_slug("m_action")?,
            error_category: reader.opt_slug("m_error_category")?,
        },
        own_replays: reader.get("m_own_replays", Row::int)?,
        disposition: reader.slug("m_disposition")?,
    }))
}

/// Where the message's operation stands.
#[derive(Debug, Clone)]
pub struct Standing {
    pub phase: Phase,
    pub dispatch: Dispatch,
    pub remote: Remote,
    pub label: Label,
    pub refund_unresolved: bool,
    pub next_action: Action,
    pub job_attached: bool,
}

/// What to select from `dlo_operations o`.
pub const OPERATION_COLUMNS: &str = "o.id AS o_id, o.phase AS o_phase, o.dispatch AS o_dispatch, o.remote AS o_remote, \
     o.label AS o_label, o.next_action AS o_next_action, o.refund_unresolved AS o_refund, o.job_id AS o_job";

/// Reads the standing; `None` when we hold no such operation.
pub fn standing(row: &Row) -> Result<Option<Standing>, DbError> {
    let Some(id) = row.opt_text("o_id")? else {
        return Ok(None);
    };
    let reader = Reader {
        row,
        table: "dlo_operations",
        id,
    };
    Ok(Some(Standing {
        phase: reader.slug("o_phase")?,
        dispatch: reader.slug("o_dispatch")?,
        remote: reader.json("o_remote")?,
        label: reader.slug("o_label")?,
        refund_unresolved: row.flag("o_refund")?,
        next_action: reader.slug("o_next_action")?,
        job_attached: row.opt_text("o_job")?.is_some(),
    }))
}

/// The effect of a decided action. Only row 15 of the table has two: it reads where a job is attached.
const fn effect(action: Action, job_attached: bool) -> Effect {
    match action {
        Action::Dispatch => Effect::SubmitsNewGeneration,
        Action::Observe => Effect::ReadsStatus,
        Action::Deliver => Effect::CopiesExistingOutput,
        Action::InspectAccounting if job_attached => Effect::ReadsStatus,
        Action::InspectAccounting | Action::Reconcile => Effect::RecordsDecision,
        Action::Acknowledge => Effect::None,
    }
}

/// Puts the view together.
pub fn view(
    letter: &RawLetter,
    projected: Projected,
    standing: Option<Standing>,
    redactor: &Redactor,
) -> DeadLetterView {
    let shown = redactor.of(letter);
    let standing = standing.as_ref();
    let remote = standing.map(|standing| &standing.remote);
    DeadLetterView {
        id: letter.id,
        job_name: letter.job_name.clone(),
        queue: letter.queue.clone(),
        priority: letter.priority,
        reason: letter.reason.clone(),
        attempts: letter.attempts,
        max_attempts: letter.max_attempts,
        action: projected.facts.action,
        operation_id: projected.facts.operation_id,
        job_id: projected.facts.job_id,
        error_category: projected.facts.error_category,
        error_text: shown.error_text.clone(),
        args: shown.args.clone(),
        hidden_values: shown.hidden_values,
        tags: shown.tags.clone(),
        resurrection_count: letter.resurrections,
        replays: projected.own_replays,
        last_resurrection_at: letter.last_resurrection_at,
        original_created_at: letter.original_created_at,
        moved_to_dead_letter_at: letter.died_at,
        disposition: projected.disposition,
        phase: standing.map(|standing| standing.phase),
        dispatch: standing.map(|standing| standing.dispatch),
        remote_execution: remote.and_then(|remote| remote.execution),
        remote_fetch: remote.and_then(|remote| remote.fetch),
        remote_raw_status: remote.and_then(|remote| remote.raw_status.clone()),
        remote_observed_at: remote.and_then(|remote| remote.observed_at),
        label: standing.map_or(Label::NoOperationRecord, |standing| standing.label),
        refund_unresolved: standing.is_some_and(|standing| standing.refund_unresolved),
        next_action: standing.map(|standing| standing.next_action),
        effect: standing.map(|standing| effect(standing.next_action, standing.job_attached)),
        lineage: None,
        warnings: None,
    }
}
