//! What a person should know before a replay. Warnings refuse nothing: only a guard blocks.

use serde::{Deserialize, Serialize};

crate::slugs! {
    /// What is warned of.
    pub enum WarningKind ("warning") {
        /// A job that would do the same work waits or runs already: the dead letter has lost its `dedup_key`.
        QueuedTwin => "queued_twin",
        /// No living worker is known to have a handler of that name. Advisory: the registry is never cleaned.
        HandlerNotRegistered => "handler_not_registered",
        /// It was replayed before, by us or by others.
        ReplayedBefore => "replayed_before",
    }
}

/// One warning with its sentence of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReplayWarning {
    pub warning: WarningKind,
    pub detail: String,
}

/// A queued or processing job that would do what the replay does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Twin {
    pub id: String,
    /// As readers may see it.
    pub job_name: String,
    pub status: String,
    /// As readers may see it.
    pub dedup_key: Option<String>,
}

/// What the registry says of a handler's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HandlerStanding {
    /// A worker that lives may have registered it.
    Registered,
    /// Workers have registered it, and none of those alive now can be among them.
    WorkersGone,
    /// No worker has ever registered it.
    Never,
}

/// Warns of twins; the first one is named.
pub fn queued_twin(twins: &[Twin]) -> Option<ReplayWarning> {
    let first = twins.first()?;
    let key = first
        .dedup_key
        .as_ref()
        .map(|key| format!(" with the dedup key {key}"))
        .unwrap_or_default();
    let more = match twins.len() {
        1 => String::new(),
        count => format!(" So are {} more.", count - 1),
    };
    Some(ReplayWarning {
        warning: WarningKind::QueuedTwin,
        detail: format!(
            "Job {} ({}) of the same work is {} already{key}: replayed now, it may run twice. \
             A dead letter has lost its dedup key, so the queue does not stop this.{more}",
            first.id, first.job_name, first.status
        ),
    })
}

/// Warns of a handler that no living worker is known to have.
pub fn handler(job_name: &str, standing: HandlerStanding) -> Option<ReplayWarning> {
    let detail = match standing {
        HandlerStanding::Registered => return None,
        HandlerStanding::WorkersGone => format!(
            "The workers that registered {job_name} are not running now: the job waits until one starts, or dies as \
             unknown if another worker takes its queue."
        ),
        HandlerStanding::Never => format!(
            "No worker has ever registered {job_name}: the first one that takes the job moves it to the dead letters \
             again, as unknown."
        ),
    };
    Some(ReplayWarning {
        warning: WarningKind::HandlerNotRegistered,
        detail,
    })
}

/// Warns of earlier replays. `all` is the contract's own count, `ours` what we recorded.
pub fn replayed_before(what: &str, all: i64, ours: i64) -> Option<ReplayWarning> {
    let all = all.max(ours);
    if all <= 0 {
        return None;
    }
    let times = if all == 1 {
        "once".to_owned()
    } else {
        format!("{all} times")
    };
    let outside = match all - ours {
        0 => String::new(),
        outside => format!(", {outside} outside"),
    };
    Some(ReplayWarning {
        warning: WarningKind::ReplayedBefore,
        detail: format!("{what} replayed {times} already: {ours} by us{outside}."),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_says_what_it_found_or_nothing() {
        assert_eq!(queued_twin(&[]), None);
        assert_eq!(handler("a", HandlerStanding::Registered), None);
        assert_eq!(replayed_before("It was", 0, 0), None);
        let twin = Twin {
            id: "j1".to_owned(),
            job_name: "billing.refund".to_owned(),
            status: "queued".to_owned(),
            dedup_key: Some("refund:op_1".to_owned()),
        };
        let warned = queued_twin(&[twin.clone(), twin]).expect("a warning").detail;
        assert!(
            warned.contains("dedup key refund:op_1") && warned.contains("1 more"),
            "{warned}"
        );
        let times = |all, ours| replayed_before("It was", all, ours).map(|warning| warning.detail);
        assert_eq!(
            times(3, 2).as_deref(),
            Some("It was replayed 3 times already: 2 by us, 1 outside.")
        );
        assert_eq!(
            times(1, 1).as_deref(),
            Some("It was replayed once already: 1 by us.")
        );
        assert_eq!(
            times(0, 1).as_deref(),
            Some("It was replayed once already: 1 by us."),
            "a count that somebody lowered hides no replay of ours"
        );
        let never = handler("x", HandlerStanding::Never).expect("a warning").detail;
        assert!(never.contains("No worker has ever registered x"), "{never}");
    }
}
