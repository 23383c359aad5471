//! People: what they may be called, and how somebody else knows them.

use super::redact::visible;
use super::role::{Caller, Role};

/// The longest name of a person or a token, in characters.
pub const MAX_NAME: usize = 64;

/// A name that can be stored and shown: 1 to [`MAX_NAME`] characters, none of them blank at the ends or a control.
pub fn is_name(text: &str) -> bool {
    let length = text.chars().count();
    (1..=MAX_NAME).contains(&length) && text.trim() == text && !text.chars().any(char::is_control)
}

/// Whether others can read a name for what it is: no hidden characters, and none of our own words.
pub fn is_plain_name(name: &str) -> bool {
    let ours = [Caller::SYSTEM, Caller::NOBODY];
    is_name(name) && visible(name) == name && !ours.contains(&name.to_lowercase().as_str())
}

/// Somebody whom an issuer knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub issuer: String,
    /// Who they are there; never another person's.
    pub subject: String,
    /// The name to show. Others may have chosen the same.
    pub name: String,
    /// What their groups mean here, if anything.
    pub role: Option<Role>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_be_shown() {
        for good in ["m.okafor", "ünï", "Ana María", &"x".repeat(64)] {
            assert!(is_name(good) && is_plain_name(good), "{good}");
        }
        for bad in ["", " ", " x", "x\n", "a\u{0}b", &"x".repeat(65)] {
            assert!(!is_name(bad) && !is_plain_name(bad), "{bad:?}");
        }
        for ours in ["system", "System", "signed out", "a\u{202e}da"] {
            assert!(is_name(ours) && !is_plain_name(ours), "{ours:?}");
        }
    }
}
