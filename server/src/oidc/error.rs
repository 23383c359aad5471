//! Why somebody does not come in by the issuer: what the library says, in words for the log.

use super::http::HttpError;
use openidconnect::core::CoreRequestTokenError;
use openidconnect::{ClaimsVerificationError, DiscoveryError, SignatureVerificationError};

/// Why somebody does not come in by the issuer. For the log: no token, no code and no secret is in it.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    #[error("the issuer does not answer: {0}")]
    Unreachable(String),
    #[error("the issuer refused: {0}")]
    Refused(String),
    #[error("the token is worth nothing: {0}")]
    Token(String),
}

/// Why it is not known what the issuer says of itself.
pub(super) fn unread(error: DiscoveryError<HttpError>) -> String {
    match error {
        DiscoveryError::Request(error) => error.to_string(),
        DiscoveryError::Response(status, ..) => format!("status {status}, or no JSON"),
        DiscoveryError::Parse(_) => "what it says of itself cannot be read".to_owned(),
        DiscoveryError::Validation(_) => "it calls itself something else".to_owned(),
        _other => "what it says of itself is no use".to_owned(),
    }
}

pub(super) fn not_exchanged(error: CoreRequestTokenError<HttpError>) -> OidcError {
    match error {
        CoreRequestTokenError::ServerResponse(refusal) => {
            let code = refusal.error().to_string();
            OidcError::Refused(format!("the code: {}", plain(&code)))
        }
        CoreRequestTokenError::Request(error) => OidcError::Unreachable(error.to_string()),
        CoreRequestTokenError::Parse(..) => OidcError::Token("its answer cannot be read".to_owned()),
        CoreRequestTokenError::Other(_) => OidcError::Token("its answer is empty".to_owned()),
    }
}

/// A code of a refusal as it may stand in the log: the standards' letters, and not many.
pub fn plain(code: &str) -> String {
    code.chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || *letter == '_')
        .take(40)
        .collect()
}

pub(super) fn is_of_an_unknown_key(error: &ClaimsVerificationError) -> bool {
    matches!(
        error,
        ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey)
    )
}

/// Why a token is worth nothing, without a word of it.
pub(super) fn worthless(error: &ClaimsVerificationError) -> OidcError {
    let why = match error {
        ClaimsVerificationError::Expired(_) => "it is too old, or from the future",
        ClaimsVerificationError::InvalidAudience(_) => "it is for somebody else",
        ClaimsVerificationError::InvalidIssuer(_) => "it is another issuer's",
        ClaimsVerificationError::InvalidNonce(_) => "it answers another sign-in",
        ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoSignature) => {
            "it is not signed"
        }
        ClaimsVerificationError::SignatureVerification(SignatureVerificationError::NoMatchingKey) => {
            "it is signed by a key that the issuer does not have"
        }
        ClaimsVerificationError::SignatureVerification(_) => "its signature is wrong",
        _other => "its form is not taken here",
    };
    OidcError::Token(why.to_owned())
}
