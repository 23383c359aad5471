//! Passwords: argon2id, away from the threads that answer requests, a few at a time.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// Verifications at once: each holds about 19 MiB and a core.
const AT_ONCE: usize = 2;
static TURN: Semaphore = Semaphore::const_new(AT_ONCE);

/// The longest password that is looked at, in bytes.
pub const MAX_PASSWORD: usize = 1024;

/// What an unknown name is checked against, so that it takes as long as a known one.
static NOBODY: LazyLock<Option<String>> = LazyLock::new(|| hash_now("nobody signs in with this").ok());

/// Why no hash could be made. The log keeps the reason; it never holds the password.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    #[error("the password is empty or longer than {MAX_PASSWORD} bytes")]
    Length,
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

/// Whether the password has this hash. Without a hash it is checked against nobody's, and never fits.
pub async fn verify(password: String, hash: Option<String>) -> bool {
    let Ok(_turn) = TURN.acquire().await else {
        return false;
    };
    tokio::task::spawn_blocking(move || {
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
        assert!(verify("correct horse".to_owned(), Some(hashed.clone())).await);
        assert!(!verify("wrong".to_owned(), Some(hashed.clone())).await);
        assert!(!verify("nobody signs in with this".to_owned(), None).await);
        assert!(!verify("x".repeat(MAX_PASSWORD + 1), Some(hashed)).await);
        assert!(hash(String::new()).await.is_err());
    }
}
