//! How Dead Letter Office runs: storage, queue, recoveries, providers, artifacts, sessions, web and command line.

pub mod config;
pub mod database;
pub mod office;
pub mod storage;

/// Until the provider clients arrive.
pub mod provider {
    /// Host rules.
    pub mod net {
        /// A host rule.
        pub struct HostRule;
        impl HostRule {
            /// Parses.
            pub fn parse(text: &str) -> Option<Self> {
                (!text.is_empty()).then_some(Self)
            }
        }
    }
}
