//! What a call is made of, read strictly: ids, keys, preconditions, bodies. Each failure is a [`Problem`].

use super::problem::Problem;
use crate::web::body::TooLarge;
use app::desk::Code;
use app::desk::order::MAX_REASON;
use app::domain::ids::OperationId;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The longest idempotency key.
const MAX_KEY: usize = 200;

/// The one id in the path, percent-decoded.
pub struct PathId(pub String);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let id: Result<Path<String>, PathRejection> = Path::from_request_parts(parts, state).await;
        match id {
            Ok(Path(id)) => Ok(Self(id)),
            Err(_) => Err(Problem::new(
                Code::BadId,
                "The id in the path is not valid UTF-8.",
            )),
        }
    }
}

/// The operation in the path.
pub struct PathOperation(pub OperationId);

impl<S: Send + Sync> FromRequestParts<S> for PathOperation {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let PathId(text) = PathId::from_request_parts(parts, state).await?;
        OperationId::parse(&text).map(Self).ok_or_else(|| {
            Problem::new(
                Code::BadId,
                "An operation id has 1 to 200 bytes and no control characters.",
            )
        })
    }
}

/// The `Idempotency-Key`, required on every POST.
pub struct Key(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let refuse = |why: &str| Err(Problem::new(Code::MissingIdempotencyKey, why));
        let Some(value) = parts.headers.get("idempotency-key") else {
            return refuse("This call needs the header Idempotency-Key.");
        };
        match value.to_str() {
            Ok(key)
                if (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic()) =>
            {
                Ok(Self(key.to_owned()))
            }
            Ok(_) | Err(_) => refuse("An Idempotency-Key has 1 to 200 visible characters."),
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(Ok(value)) = headers.get(header::CONTENT_TYPE).map(|value| value.to_str()) else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// A JSON object as body, read into a shape.
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if request.extensions().get::<TooLarge>().is_some() {
            return Err(TooLarge::refusal().into());
        }
        if !is_json(request.headers()) {
            return Err(Problem::new(
                Code::UnsupportedMediaType,
                "The body must be application/json.",
            ));
        }
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|_| Problem::new(Code::InvalidRequest, "The body could not be read."))?;
        // First as any JSON: a body that is none is told apart from one of another shape.
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            Problem::new(
                Code::InvalidRequest,
                format!("The body is not valid JSON (line {line}, column {column})."),
            )
        })?;
        if !value.is_object() {
            return Err(Problem::new(
                Code::InvalidRequest,
                "The body must be a JSON object.",
            ));
        }
        serde_json::from_value(value)
            .map(Self)
            .map_err(|error| shape(&error))
    }
}

/// What serde says of a wrong shape names fields and types of ours; what it quotes is the caller's own.
pub fn shape(error: &serde_json::Error) -> Problem {
    let words: String = error.to_string().chars().take(300).collect();
    Problem::new(
        Code::InvalidRequest,
        format!("The body has the wrong shape: {words}."),
    )
}

/// A body with a reason and nothing else.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
// The remote axis has a schema of that name.
#[schema(as = ReasonGiven)]
pub struct Reason {
    /// Required, at most 500 characters; kept in the audit.
    pub reason: String,
}

/// A reason as it may be stored.
///
/// # Errors
/// `invalid_request` when it is empty, too long, or holds a NUL.
pub fn reason(text: &str) -> Result<&str, Problem> {
    let refuse = |why: &str| Err(Problem::new(Code::InvalidRequest, why));
    let trimmed = text.trim();
    if trimmed.is_empty() {
        refuse("A reason is required.")
    } else if trimmed.chars().count() > MAX_REASON {
        refuse("A reason has at most 500 characters.")
    } else if trimmed.contains('\0') {
        refuse("A reason holds no NUL character.")
    } else {
        Ok(trimmed)
    }
}

/// Whether the caller asks to create only: `If-None-Match: *`.
///
/// # Errors
/// 428 without it.
pub fn must_be_absent(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get(header::IF_NONE_MATCH) {
        Some(value) if value.as_bytes() == b"*" => Ok(()),
        Some(_) | None => Err(Problem::new(
            Code::PreconditionRequired,
            "Creating an operation needs the header If-None-Match: *.",
        )),
    }
}

/// The revision in `If-Match: "7"`.
///
/// # Errors
/// 428 without it, 400 when it is no revision.
pub fn expected_revision(headers: &HeaderMap) -> Result<i64, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        return Err(Problem::new(
            Code::PreconditionRequired,
            "Changing an operation needs the header If-Match with its revision, like \"7\".",
        ));
    };
    let digits = value
        .to_str()
        .ok()
        .and_then(|text| text.strip_prefix('"')?.strip_suffix('"'));
    digits
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| {
            Problem::new(
                Code::InvalidRequest,
                "If-Match must be one revision in quotes, like \"7\".",
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn headers(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_revision_is_read_from_a_strong_tag_only() {
        assert_eq!(
            expected_revision(&headers(header::IF_MATCH, "\"7\"")).map_err(|p| p.error.code),
            Ok(7)
        );
        for bad in [
            "7",
            "W/\"7\"",
            "*",
            "\"7\", \"8\"",
            "\"-7\"",
            "\"\"",
            "\"99999999999999999999\"",
        ] {
            let refused = expected_revision(&headers(header::IF_MATCH, bad)).expect_err(bad);
            assert_eq!(refused.error.code, Code::InvalidRequest, "{bad}");
        }
        let refused = expected_revision(&HeaderMap::new()).expect_err("absent");
        assert_eq!(refused.error.code, Code::PreconditionRequired);
    }

    #[test]
    fn json_is_told_from_other_types() {
        for good in [
            "application/json",
            "application/json; charset=utf-8",
            "Application/JSON",
        ] {
            assert!(is_json(&headers(header::CONTENT_TYPE, good)), "{good}");
        }
        for bad in [
            "text/plain",
            "application/jsonp",
            "application/x-www-form-urlencoded",
            "",
        ] {
            assert!(!is_json(&headers(header::CONTENT_TYPE, bad)), "{bad}");
        }
    }

    #[test]
    fn a_reason_is_present_and_short() {
        assert!(reason(" \n").is_err());
        assert!(reason("a\0b").is_err());
        assert!(reason(&"ö".repeat(501)).is_err());
        assert!(reason(&" ö".repeat(250)).is_ok());
    }
}
