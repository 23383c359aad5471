//! People: what they may be called, and how somebody else knows them.

use super::redact::visible;
use super::role::{Caller, Role};
use unicode_normalization::UnicodeNormalization;
use unicode_security::mixed_script::AugmentedScriptSet;
use unicode_security::{MixedScript, skeleton};

/// The longest name of a person or a token, in characters.
pub const MAX_NAME: usize = 64;

/// A name that can be stored and shown: 1 to [`MAX_NAME`] characters, none of them blank at the ends or a control.
pub fn is_name(text: &str) -> bool {
    let length = text.chars().count();
    (1..=MAX_NAME).contains(&length) && text.trim() == text && !text.chars().any(char::is_control)
}

/// Who acts in the audit and is no person.
pub const OURS: [&str; 2] = [Caller::SYSTEM, Caller::NOBODY];

/// Whether others can read a name for what it is: no hidden characters, and none of our own words.
pub fn is_plain_name(name: &str) -> bool {
    is_name(name) && visible(name) == name && !OURS.contains(&name.to_lowercase().as_str())
}

/// The name in one spelling of its letters: width, ligatures and runs of blanks are the font's matter, not the name's.
fn spelling(name: &str) -> String {
    let plain: String = name.nfkc().collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether two names are spelt alike but for capitals, width and blanks: namesakes, as people are.
pub fn is_namesake(one: &str, other: &str) -> bool {
    spelling(one).to_lowercase() == spelling(other).to_lowercase()
}

/// What a name looks like: its skeleton by UTS 39, where letters that look alike are one and hidden characters are none.
/// As it stands, and in small letters: `I` looks like `l`, and `i` does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    stands: String,
    small: String,
}

impl Look {
    pub fn of(name: &str) -> Self {
        let spelt = spelling(name);
        let bones = |text: &str| skeleton(text).collect::<String>().to_lowercase();
        Self {
            small: bones(&spelt.to_lowercase()),
            stands: bones(&spelt),
        }
    }

    /// Whether a reader could take one for the other.
    pub fn is_like(&self, other: &Self) -> bool {
        self.stands == other.stands || self.small == other.small
    }
}

/// The letters of a name that come from another script than the rest, and so may stand for what they are not. Where some are
/// Latin those are the rest, else those of the first letter. Japanese and Korean mix scripts by themselves: those are one.
pub fn foreign_letters(name: &str) -> Vec<char> {
    if name.is_single_script() {
        return Vec::new();
    }
    let latin = name.chars().find(char::is_ascii_alphabetic);
    let Some(first) = latin.or_else(|| name.chars().find(|letter| letter.is_alphabetic())) else {
        return Vec::new();
    };
    let own = AugmentedScriptSet::for_char(first);
    name.chars()
        .filter(|letter| {
            let mut both = own;
            both.intersect_with(AugmentedScriptSet::for_char(*letter));
            both.is_empty()
        })
        .collect()
}

/// A name for a terminal or a log: what could not be seen, or stands for what it is not, is written by its code.
pub fn written(name: &str) -> String {
    let foreign = foreign_letters(name);
    let mut out = String::with_capacity(name.len());
    for letter in visible(name).chars() {
        if foreign.contains(&letter) {
            out.push_str(&format!("⟨U+{:04X}⟩", u32::from(letter)));
        } else {
            out.push(letter);
        }
    }
    out
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
    fn names_that_look_alike_are_told() {
        for (one, other) in [
            ("ada", "Ada"),
            ("ada", "\u{430}da"),
            ("ADA", "\u{430}da"),
            ("ada", "ａｄａ"),
            ("ada", "ad\u{200b}a"),
            ("ada", "ad\u{fe0f}a"),
            ("Ana María", "Ana  Mari\u{301}a"),
            ("Ida", "lda"),
            ("noor", "n00r"),
            ("scope", "ѕсоре"),
            ("system", "ѕystem"),
            ("modern", "modem"),
        ] {
            assert!(Look::of(one).is_like(&Look::of(other)), "{one} {other}");
            assert!(Look::of(other).is_like(&Look::of(one)), "{other} {one}");
        }
        for (one, other) in [
            ("ada", "ida"),
            ("ada", "ada (1f2e3d4c)"),
            ("mira", "mirä"),
            ("m.okafor", "m.okafor2"),
            ("анна", "anna"),
            ("田中", "中田"),
        ] {
            assert!(!Look::of(one).is_like(&Look::of(other)), "{one} {other}");
        }
        assert!(is_namesake("ada", "ＡＤＡ") && is_namesake("Ana María", "ana  mari\u{301}a"));
        assert!(!is_namesake("ada", "\u{430}da") && !is_namesake("Ida", "lda"));
    }

    #[test]
    fn letters_of_another_script_are_written_out() {
        for (name, shown) in [
            ("ada", "ada"),
            ("анна", "анна"),
            ("田中たろう", "田中たろう"),
            ("김 金 2", "김 金 2"),
            ("m.okafor-3", "m.okafor-3"),
            ("\u{430}da", "⟨U+0430⟩da"),
            ("ad\u{200b}a", "ad⟨U+200B⟩a"),
            ("α\u{430}", "α⟨U+0430⟩"),
        ] {
            assert_eq!(written(name), shown, "{name}");
        }
    }

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
