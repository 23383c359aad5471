//! Names whose values open doors. Texts, JSON and what may be revealed ask the same lists, so that a name that one of them
//! hides is not shown by another.

use super::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Names whose value is a secret.
pub(super) const SECRET_NAME: &str = r"[a-z0-9_.-]*(?:api[_-]?key|secret|passwd|password|passphrase|passcode|token|credential|signature|x-(?:amz|goog|ms)-[a-z-]+|(?:access|private|account|encryption|signing|shared|subscription|client|license|ssh)[_-]?key|session[_-]?id|bearer|jwt)[a-z0-9_-]*|pwd|sig|hmac|sas|otp|auth|x-auth|x-key|key-pair-id|googleaccessid|awsaccesskeyid";

/// Headers whose whole value is a secret, up to the end of the line or of the quote.
pub(super) const SECRET_HEADER: &str =
    r"(?:proxy-)?authorization|(?:set-)?cookie2?|x-(?:api|auth)[a-z0-9_-]*";

/// Parts of a field's name that tell of a secret, wherever they stand in it. A sentence holds such words without one.
const ANYWHERE: &str = r"secret|passw|passphrase|passcode|token|credential|signature|authorization|cookie|bearer|jwt|private|session";

/// Words of a field's name that tell of a secret when they stand alone in it.
const ALONE: &str = r"pass|pin|cvv|cvc|ssn|iban|card|nonce|sid|key";

static OPENS_DOORS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        "(?i){ANYWHERE}|(?:api|access)[_-]?key|(?:^|[^a-z])(?:{SECRET_NAME}|{SECRET_HEADER}|{ALONE})(?:$|[^a-z])"
    ))
});

/// Whether the value of a field with this name is a key, a token, a password or a signature.
pub(super) fn opens_doors(name: &str) -> bool {
    OPENS_DOORS.is_match(name) || OPENS_DOORS.is_match(&parted(name))
}

/// The name with a `_` where a capital begins another word: `clientKey`, `RSAKey`.
fn parted(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut parted = String::with_capacity(name.len());
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let before_small = letters.get(at + 1).is_some_and(|after| after.is_lowercase());
        if letter.is_uppercase() && before.is_some_and(|before| !before.is_uppercase() || before_small) {
            parted.push('_');
        }
        parted.push(*letter);
    }
    parted
}
