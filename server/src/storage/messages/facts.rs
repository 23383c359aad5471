//! What a message knew when it died, taken from its args and its error text.

use crate::config::Messages;
use crate::storage::dead_letters::RawLetter;
use crate::storage::jobs::OWN_QUEUE;
use app::domain::dead_letter::MessageFacts;
use app::domain::ids::{JobId, OperationId};
use app::domain::operation::ErrorCategory;
use app::domain::plan::Action;
use app::domain::redact::{lenient_json, safe_error};
use serde_json::Value;

/// The field in which our own jobs name their operation, whatever the configuration says.
pub const OWN_REFERENCE: &str = "/operation_id";
/// What Soniq and we write before a handler's own words.
const PREFIXES: [&str; 2] = ["Max retries exceeded: ", "Retry policy declined: "];

/// What a dead letter says, never the record's truth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub facts: MessageFacts,
    /// One redacted line.
    pub safe_error: String,
}

/// Reads a dead letter by the configured pointers. What is no id is none.
pub fn find(config: &Messages, letter: &RawLetter) -> Found {
    let args = lenient_json(&letter.args);
    let error = letter.last_error.as_deref().unwrap_or_default();
    let (guessed, safe_error) = safe_error(error);
    let error_category = text_at(&args, &config.error_category)
        .find_map(|text| text.parse().ok())
        .or_else(|| stated(error))
        .or((!error.is_empty()).then_some(guessed));
    let facts = MessageFacts {
        operation_id: operation_id(config, &letter.queue, &args),
        job_id: text_at(&args, &config.job_id).find_map(JobId::parse),
        action: action(config, &letter.job_name),
        error_category,
    };
    Found { facts, safe_error }
}

/// Which operation a job's args name.
pub fn operation_id(config: &Messages, queue: &str, args: &Value) -> Option<OperationId> {
    let own = (queue == OWN_QUEUE)
        .then(|| args.pointer(OWN_REFERENCE).and_then(Value::as_str))
        .flatten();
    own.into_iter()
        .chain(text_at(args, &config.operation_id))
        .find_map(OperationId::parse)
}

/// What a job of this name does: our own names, then the application's.
pub fn action(config: &Messages, job_name: &str) -> Option<Action> {
    match own_action(job_name) {
        Some(action) => Some(action),
        None => config.actions.get(job_name).copied(),
    }
}

/// `generation.observe` and its like: the jobs of our own worker.
pub fn own_action(job_name: &str) -> Option<Action> {
    let action: Action = job_name.strip_prefix("generation.")?.parse().ok()?;
    match action {
        Action::Dispatch | Action::Observe | Action::Deliver | Action::InspectAccounting => Some(action),
        Action::Reconcile | Action::Acknowledge => None,
    }
}

/// A handler of our queue code writes its category before its words: `storage_full: no space left`.
fn stated(error: &str) -> Option<ErrorCategory> {
    let words = PREFIXES
        .iter()
        .find_map(|prefix| error.strip_prefix(prefix))
        .unwrap_or(error);
    words.split_once(':')?.0.parse().ok()
}

fn text_at<'a>(args: &'a Value, pointers: &'a [String]) -> impl Iterator<Item = &'a str> {
    pointers
        .iter()
        .filter_map(|pointer| args.pointer(pointer).and_then(Value::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;
    use app::domain::ids::DeadLetterId;
    use chrono::DateTime;

    fn letter(job_name: &str, args: &str, error: Option<&str>) -> RawLetter {
        RawLetter {
            id: DeadLetterId(uuid::Uuid::nil()),
            job_name: job_name.to_owned(),
            args: args.as_bytes().to_vec(),
            queue: "render".to_owned(),
            priority: 100,
            max_attempts: 3,
            attempts: 3,
            last_error: error.map(str::to_owned),
            reason: "max_retries_exceeded".to_owned(),
            original_created_at: DateTime::UNIX_EPOCH,
            died_at: DateTime::UNIX_EPOCH,
            resurrections: 0,
            last_resurrection_at: None,
            tags: None,
        }
    }

    #[test]
    fn finds_ids_and_action_leniently() {
        let found = find(
            &Messages::default(),
            &letter(
                "render.poll",
                r#"{"op_id": "op 1", "remote_job_id": "gj_1", "x": NaN}"#,
                None,
            ),
        );
        assert_eq!(found.facts.operation_id, Some(OperationId::from("op 1")));
        assert_eq!(found.facts.job_id, Some(JobId::from("gj_1")));
        assert_eq!(found.facts.action, Some(Action::Observe));
        assert_eq!(found.facts.error_category, None);
    }

    #[test]
    fn what_is_no_id_is_none() {
        for args in [
            r#"{"operation_id": "", "job_id": 7}"#,
            "[1]",
            "null",
            "\"op_1\"",
            "{",
            r#"{"operation_id": "a\nb"}"#,
        ] {
            let found = find(&Messages::default(), &letter("nobody.knows", args, None));
            assert_eq!(found.facts, MessageFacts::default(), "{args}");
        }
    }

    #[test]
    fn a_stated_category_outranks_a_guess() {
        let of = |args: &str, error: &str| {
            find(
                &Messages::default(),
                &letter("generation.deliver", args, Some(error)),
            )
            .facts
            .error_category
        };
        assert_eq!(
            of(r#"{"error_category": "tls"}"#, "timeout: x"),
            Some(ErrorCategory::Tls)
        );
        assert_eq!(
            of(r#"{"error_category": "nonsense"}"#, "timeout: x"),
            Some(ErrorCategory::Timeout)
        );
        assert_eq!(
            of("{}", "Max retries exceeded: storage_full: 507"),
            Some(ErrorCategory::StorageFull)
        );
        assert_eq!(
            of("{}", "Max retries exceeded: E: got 502"),
            Some(ErrorCategory::Http5xx)
        );
    }
}
