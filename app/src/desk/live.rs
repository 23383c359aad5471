//! What an open page waits for. A mark is a short text that is another one after every change; it says nothing else.

use crate::domain::ids::{OperationId, RecoveryId};
use crate::href::{self, Query};

/// What can change under a reader.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Anything at all: lists and counts.
    Desk,
    /// One operation with its messages, recoveries and audit.
    Operation(OperationId),
    Recovery(RecoveryId),
}

impl Topic {
    /// Where changes are announced, to somebody whose page shows the state of `seen`.
    pub fn events(&self, seen: Option<&str>) -> String {
        let mut query = match self {
            Self::Desk => Query::of(&[("desk", "all")]),
            Self::Operation(id) => Query::of(&[("operation", id.as_str())]),
            Self::Recovery(id) => Query::of(&[("recovery", &id.to_string())]),
        };
        query.set("seen", seen.unwrap_or_default());
        href::with(href::EVENTS, &query)
    }

    /// The topic of a query that [`Topic::events`] wrote; `None` unless it names exactly one.
    pub fn of(query: &Query) -> Option<Self> {
        let operation = query
            .get("operation")
            .and_then(OperationId::parse)
            .map(Self::Operation);
        let recovery = query
            .get("recovery")
            .and_then(RecoveryId::parse)
            .map(Self::Recovery);
        let desk = query
            .0
            .iter()
            .any(|(name, _)| name == "desk")
            .then_some(Self::Desk);
        let mut named = [operation, recovery, desk].into_iter().flatten();
        named.next().filter(|_| named.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_comes_back_from_its_address() {
        let recovery = RecoveryId(uuid::Uuid::from_u128(7));
        for topic in [
            Topic::Desk,
            Topic::Operation(OperationId::from("a/b c&desk=1")),
            Topic::Recovery(recovery),
        ] {
            let address = topic.events(Some("m1"));
            let (path, query) = address.split_once('?').expect("a query");
            assert_eq!(path, "/events");
            let query = Query::parse(query);
            assert_eq!(Topic::of(&query), Some(topic));
            assert_eq!(query.get("seen"), Some("m1"));
        }
        assert_eq!(Topic::of(&Query::parse("desk")), Some(Topic::Desk));
        for wrong in ["", "seen=1", "recovery=x", "desk&operation=a"] {
            assert_eq!(Topic::of(&Query::parse(wrong)), None, "{wrong}");
        }
    }
}
