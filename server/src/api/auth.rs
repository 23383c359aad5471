//! Bearer tokens, and nothing else: a browser's session does not reach the API.

use super::problem::Problem;
use crate::office::kept::Moment;
use crate::office::throttle::seconds;
use crate::storage::tokens::PREFIX;
use crate::web::Served;
use app::desk::{Code, DeskError};
use app::domain::role::Caller;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::time::Instant;

/// Who calls: put into the request by [`bearer`].
pub struct By(pub Caller);

impl<S: Send + Sync> FromRequestParts<S> for By {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts
            .extensions
            .get::<Caller>()
            .cloned()
            .map(Self)
            .ok_or_else(unauthenticated)
    }
}

fn unauthenticated() -> Problem {
    Problem::new(
        Code::Unauthenticated,
        "This needs a valid token: Authorization: Bearer dlo_….",
    )
}

fn secret(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let value = values.next()?.to_str().ok()?;
    if values.next().is_some() {
        return None;
    }
    let (scheme, secret) = value.split_once(' ')?;
    let secret = secret.trim();
    (scheme.eq_ignore_ascii_case("bearer") && secret.starts_with(PREFIX)).then_some(secret)
}

/// Lets only known tokens through, and their writes only as fast as is sane.
pub async fn bearer(State(served): State<Served>, mut request: Request, next: Next) -> Response {
    let Some(secret) = secret(request.headers()) else {
        return unauthenticated().into_response();
    };
    let token = match served.office.token(&Moment::current(), secret).await {
        Ok(Some(token)) => token,
        Ok(None) => return unauthenticated().into_response(),
        Err(error) => return Problem::from(error).into_response(),
    };
    let reads = request.method() == Method::GET || request.method() == Method::HEAD;
    if !reads && let Err(wait) = served.throttle.write(&token.id.to_string(), Instant::now()) {
        let error = DeskError::new(Code::SlowDown, "This token writes too fast.");
        return Problem {
            retry_after: Some(seconds(wait)),
            ..Problem::from(error)
        }
        .into_response();
    }
    request.extensions_mut().insert(token.caller());
    next.run(request).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn with(value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(header::AUTHORIZATION, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_bearer_token_of_ours_is_read() {
        assert_eq!(secret(&with("Bearer dlo_abc")), Some("dlo_abc"));
        assert_eq!(secret(&with("bearer  dlo_abc ")), Some("dlo_abc"));
        for bad in ["", "dlo_abc", "Basic dlo_abc", "Bearer abc", "Bearer"] {
            assert_eq!(secret(&with(bad)), None, "{bad}");
        }
        let mut two = with("Bearer dlo_abc");
        two.append(header::AUTHORIZATION, HeaderValue::from_static("Bearer dlo_def"));
        assert_eq!(secret(&two), None);
    }
}
