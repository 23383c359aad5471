//! One newtype per kind of id. Ids that come from outside are opaque strings; ours are UUIDs.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! text_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// The id as text.
            pub fn as_str(&self) -> &str { &self.0 }
        }
        impl From<&str> for $name {
            fn from(text: &str) -> Self { Self(text.to_owned()) }
        }
        impl From<String> for $name {
            fn from(text: String) -> Self { Self(text) }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.write_str(&self.0) }
        }
    };
}

macro_rules! uuid_id {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// Reads any spelling of a UUID (upper case, braces, urn, 32 digits) and canonicalises it.
            pub fn parse(text: &str) -> Option<Self> { Uuid::parse_str(text).ok().map(Self) }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}", self.0.as_hyphenated())
            }
        }
    };
}

text_id!(
    /// The application's own name for one wanted generation; links point to it.
    OperationId
);
text_id!(
    /// The provider's id of one remote job.
    JobId
);
uuid_id!(
    /// A row of `soniq_dead_letter_jobs`.
    DeadLetterId
);
uuid_id!(
    /// A row of `soniq_jobs`.
    QueueJobId
);
uuid_id!(
    /// A row of `dlo_recoveries`.
    RecoveryId
);
uuid_id!(
    /// A row of `dlo_attempts`: one creation request, and its receipt.
    AttemptId
);

/// The longest operation or job id that is taken, in bytes.
pub const MAX_TEXT_ID: usize = 200;

impl OperationId {
    /// An operation id from outside: 1 to [`MAX_TEXT_ID`] bytes, no control characters.
    pub fn parse(text: &str) -> Option<Self> {
        acceptable(text).then(|| Self(text.to_owned()))
    }
}

impl JobId {
    /// A job id from outside: 1 to [`MAX_TEXT_ID`] bytes, no control characters.
    pub fn parse(text: &str) -> Option<Self> {
        acceptable(text).then(|| Self(text.to_owned()))
    }
}

fn acceptable(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_TEXT_ID && !text.chars().any(char::is_control)
}
