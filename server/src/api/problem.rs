//! Refusals as `application/problem+json` (RFC 9457) with a stable code.

use app::desk::{Code, DeskError};
use app::domain::guard::GuardResult;
use app::domain::plan::Plan;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// Seconds after which an unavailable service may be asked again.
pub const RETRY_UNAVAILABLE: u64 = 5;

/// The body of a refusal.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ProblemBody {
    /// Always `about:blank`: the code says more.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status in words.
    title: &'static str,
    status: u16,
    /// Stable; made for programs.
    code: Code,
    /// One or two sentences; made for people.
    detail: String,
    /// With `plan_stale`: the plan that holds now.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Box<Plan>>,
    /// With `guard_blocked`: all guards.
    #[serde(skip_serializing_if = "Option::is_none")]
    guards: Option<Vec<GuardResult>>,
}

/// A refusal on its way out.
#[derive(Debug)]
pub struct Problem {
    pub error: DeskError,
    /// Seconds, for `Retry-After`.
    pub retry_after: Option<u64>,
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        DeskError::new(code, detail).into()
    }
}

impl From<DeskError> for Problem {
    fn from(error: DeskError) -> Self {
        let retry_after = if error.code == Code::Unavailable {
            Some(RETRY_UNAVAILABLE)
        } else {
            (error.code == Code::SlowDown).then_some(1)
        };
        Self { error, retry_after }
    }
}

/// The status of a refusal.
pub fn status(code: Code) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = status(self.error.code);
        let body = ProblemBody {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            code: self.error.code,
            detail: self.error.detail,
            plan: self.error.plan,
            guards: (!self.error.guards.is_empty()).then_some(self.error.guards),
        };
        let mut response = (status, axum::Json(body)).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
