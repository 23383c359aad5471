//! Passwords: argon2id, away from the threads that answer requests, a few at a time.

use app::pages::setup::MIN_PASSWORD;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use tokio::sync::Semaphore;

/// Verifications at once: each holds about 19 MiB and a core.
const AT_ONCE: usize = 2;
static TURN: Semaphore = Semaphore::const_new(AT_ONCE);

/// The longest password that is looked at, in bytes.
pub const MAX_PASSWORD: usize = 1024;

/// What everybody tries first, of eight characters and more, in lower case (NIST SP 800-63B, 3.1.1.2: a short list of
/// what is expected is enough where tries are limited).
const OBVIOUS: [&str; 40] = [
    "password",
    "password1",
    "password12",
    "password123",
    "password1234",
    "passw0rd",
    "p@ssw0rd",
    "p@ssword",
    "passwort",
    "12345678",
    "123456789",
    "1234567890",
    "123123123",
    "87654321",
    "987654321",
    "0123456789",
    "11223344",
    "qwertyui",
    "qwertyuiop",
    "qwerty123",
    "qwertz123",
    "1q2w3e4r",
    "1qaz2wsx",
    "asdfghjk",
    "asdfghjkl",
    "zxcvbnm,",
    "abcd1234",
    "abc12345",
    "iloveyou",
    "sunshine",
    "princess",
    "football",
    "baseball",
    "superman",
    "letmein1",
    "welcome1",
    "changeme",
    "changeit",
    "administrator",
    "deadletteroffice",
];

/// Whether a person may choose this password. Nothing is asked of its characters but their number, and that it is not
/// the first that everybody tries.
///
/// # Errors
/// What is wrong with it; never the password itself.
pub fn acceptable(name: &str, password: &str) -> Result<(), PasswordError> {
    if password.chars().count() < MIN_PASSWORD {
        return Err(PasswordError::Short);
    }
    if password.len() > MAX_PASSWORD {
        return Err(PasswordError::Length);
    }
    let plain = password.to_lowercase();
    let first = plain.chars().next();
    let monotone = plain.chars().all(|character| Some(character) == first);
    if monotone || plain == name.to_lowercase() || OBVIOUS.contains(&plain.as_str()) {
        return Err(PasswordError::Obvious);
    }
    Ok(())
}

/// What an unknown name is checked against, so that it takes as long as a known one.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| hash_now("nobody signs in with this").ok());

/// Why no hash could be made. The log keeps the reason; it never holds the password.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    #[error("the password is empty or longer than {MAX_PASSWORD} bytes")]
    Length,
    #[error("the password is too short: it needs at least {MIN_PASSWORD} characters")]
    Short,
    #[error("the password is one that everybody tries first, or the name itself: choose another")]
    Obvious,
    #[error("hashing failed: {0}")]
    Hash(String),
}

fn hash_now(password: &str) -> Result<String, PasswordError> {
    Argon2::default()
        .hash_password(password.as_bytes())
        .map(|hash: PasswordHash| hash.to_string())
        .map_err(|error| PasswordError::Hash(error.to_string()))
}

/// The PHC string of a password, with a fresh salt.
///
/// # Errors
/// An empty or over-long password, or a system without randomness.
pub async fn hash(password: String) -> Result<String, PasswordError> {
    if password.is_empty() || password.len() > MAX_PASSWORD {
        return Err(PasswordError::Length);
    }
    tokio::task::spawn_blocking(move || hash_now(&password))
        .await
        .map_err(|error| PasswordError::Hash(error.to_string()))?
}

/// Whether the password has this hash. Without a hash, or with one that is none, it is checked against nobody's, and
/// never fits: the work is the same. `worked` counts the checks that were made.
pub async fn verify(password: String, hash: Option<String>, worked: &Arc<AtomicU64>) -> bool {
    let Ok(_turn) = TURN.acquire().await else {
        return false;
    };
    let worked = worked.clone();
    tokio::task::spawn_blocking(move || {
        let hash = hash.filter(|hash| PasswordHash::new(hash).is_ok());
        let known = hash.is_some();
        let Some(hash) = hash.or_else(|| NOBODY.clone()) else {
            return false;
        };
        let Ok(parsed) = PasswordHash::new(&hash) else {
            return false;
        };
        let fits = password.len() <= MAX_PASSWORD
            && Argon2::default()
                .verify_password(password.as_bytes(), &parsed)
                .is_ok();
        worked.fetch_add(1, Ordering::Relaxed);
        fits && known
    })
    .await
    .unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_of_a_known_person_fits() {
        let hashed = hash("correct horse".to_owned()).await.expect("hash");
        assert!(hashed.starts_with("$argon2id$"), "{hashed}");
        let worked: Arc<AtomicU64> = Arc::default();
        let check = |password: &str, hash: Option<&str>| {
            let (password, hash) = (password.to_owned(), hash.map(str::to_owned));
            let worked = Arc::clone(&worked);
            async move { verify(password, hash, &worked).await }
        };
        assert!(check("correct horse", Some(&hashed)).await);
        assert!(!check("wrong", Some(&hashed)).await);
        assert!(!check("nobody signs in with this", None).await);
        assert!(!check("nobody signs in with this", Some("!sso")).await);
        assert!(!check(&"x".repeat(MAX_PASSWORD + 1), Some(&hashed)).await);
        assert_eq!(worked.load(Ordering::Relaxed), 5, "each was work");
        assert!(hash(String::new()).await.is_err());
    }

    #[test]
    fn nobody_costs_what_somebody_costs() {
        let parameters = |hash: &str| {
            let parsed = PasswordHash::new(hash).expect("a hash");
            (parsed.algorithm.to_string(), parsed.params.to_string())
        };
        let nobody = NOBODY.as_deref().expect("a hash");
        let somebody = hash_now("correct horse").expect("a hash");
        assert_eq!(parameters(nobody), parameters(&somebody));
    }

    #[test]
    fn a_password_is_long_enough_and_not_the_first_guess() {
        let said = |name: &str, password: &str| acceptable(name, password).err().map(|e| e.to_string());
        for good in [
            "correct horse",
            "ölsardine",
            &"ü".repeat(7).replace("üü", "üx1"),
            &"ab".repeat(32),
        ] {
            assert_eq!(said("mira", good), None, "{good}");
        }
        for short in ["", "seven 7", "öööööö1"] {
            assert!(
                said("mira", short).is_some_and(|words| words.contains("too short")),
                "{short}"
            );
        }
        for obvious in ["Password1", "12345678", "aaaaaaaa", "m.okafor"] {
            let words = said("M.Okafor", obvious).unwrap_or_default();
            assert!(
                words.contains("everybody") && !words.contains(obvious),
                "{obvious}: {words}"
            );
        }
        assert!(matches!(
            acceptable("mira", &"xy".repeat(600)),
            Err(PasswordError::Length)
        ));
    }
}
