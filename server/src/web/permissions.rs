//! No route without a rule: what `app::domain::permission::ROUTES` does not name is answered to nobody, and what it
//! does not open to anybody is answered to nobody who is signed out. Which role is enough is decided by the office, by
//! the same table, once it is known what is asked for.

use super::pages::{sent_from, to_login};
use super::{Face, Reference};
use crate::api::problem::Problem;
use app::desk::{Code, DeskError};
use app::domain::permission::{Access, ROUTES, route};
use app::domain::role::Caller;
use axum::extract::{MatchedPath, Request};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The route of all forms; each form has a rule of its own.
pub const FORMS: &str = "/forms/{*form}";

/// What a request asks for, as the table writes it. `None` for an address that no route has.
fn asked(request: &Request) -> Option<String> {
    let matched = request.extensions().get::<MatchedPath>()?.as_str();
    Some(if matched == FORMS {
        request.uri().path().to_owned()
    } else {
        matched.to_owned()
    })
}

/// Lets through what has a rule, and whoever it lets in.
pub async fn ruled(request: Request, next: Next) -> Response {
    let Some(path) = asked(&request) else {
        // Nobody's address: what answers there says so, and nothing else.
        return next.run(request).await;
    };
    // Below a nested router the address is cut; what was matched is whole.
    // Whoever listens for events is a program of the page.
    let face = if path == app::href::EVENTS {
        Face::Api
    } else {
        Face::of(&path)
    };
    let Some(rule) = route(request.method().as_str(), &path) else {
        return without_rule(face, &path, request, next).await;
    };
    match rule.access {
        Access::Anyone => next.run(request).await,
        Access::With(_) | Access::ByContent(_) if request.extensions().get::<Caller>().is_some() => {
            next.run(request).await
        }
        Access::With(_) | Access::ByContent(_) => match face {
            Face::Api => Problem::new(Code::Unauthenticated, "This needs a valid token.").into_response(),
            Face::Page if *request.method() == Method::GET || *request.method() == Method::HEAD => {
                to_login(request.uri().path_and_query().map_or("/", |path| path.as_str()))
            }
            Face::Page => to_login(&sent_from(request.headers())),
        },
    }
}

/// A method that a path does not have is told so; a form that nobody knows is not there; a route that somebody forgot
/// to rule on is refused, and the log says so.
async fn without_rule(face: Face, path: &str, request: Request, next: Next) -> Response {
    let reference = Reference::of(&request);
    let refuse = |code, detail: &str| face.refuse(DeskError::new(code, detail).into(), &reference);
    let known = ROUTES.iter().any(|route| route.path == path);
    let is_form = path.starts_with("/forms/");
    if is_form && leptos::server_fn::axum::get_server_fn_service(path, request.method().clone()).is_none() {
        return next.run(request).await;
    }
    if known && face == Face::Page && !is_form {
        return super::pages::wrong_method(request).await;
    }
    if known {
        return refuse(Code::MethodNotAllowed, "This route does not have that method.");
    }
    tracing::error!(route = %path, "a route without a rule was refused");
    refuse(Code::RoleRequired, "No rule says who may do this, so nobody may.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::http::StatusCode;
    use axum::routing::get;
    use axum::{Router, middleware};
    use tower::ServiceExt;

    async fn status(method: &str, path: &str, signed_in: bool) -> StatusCode {
        let fine = || async { "answered" };
        let router = Router::new()
            .route("/queues", get(fine).delete(fine))
            .route("/healthz", get(fine))
            .route("/api/v1/queues", get(fine))
            .route("/forgotten", get(fine))
            .layer(middleware::from_fn(ruled));
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .body(Body::empty())
            .expect("a request");
        if signed_in {
            request.extensions_mut().insert(Caller {
                name: "mira".to_owned(),
                role: app::domain::role::Role::Admin,
            });
        }
        router.oneshot(request).await.expect("an answer").status()
    }

    #[tokio::test]
    async fn what_has_no_rule_is_refused_to_everybody() {
        assert_eq!(status("GET", "/forgotten", true).await, StatusCode::FORBIDDEN);
        assert_eq!(status("GET", "/forgotten", false).await, StatusCode::FORBIDDEN);
        // A method that the router has and the table has not.
        assert_eq!(
            status("DELETE", "/queues", true).await,
            StatusCode::METHOD_NOT_ALLOWED
        );
    }

    #[tokio::test]
    async fn what_has_a_rule_is_answered_to_whom_it_lets_in() {
        assert_eq!(status("GET", "/healthz", false).await, StatusCode::OK);
        assert_eq!(status("GET", "/queues", false).await, StatusCode::SEE_OTHER);
        assert_eq!(status("GET", "/queues", true).await, StatusCode::OK);
        assert_eq!(status("HEAD", "/queues", true).await, StatusCode::OK);
        assert_eq!(
            status("GET", "/api/v1/queues", false).await,
            StatusCode::UNAUTHORIZED
        );
        assert_eq!(status("GET", "/api/v1/queues", true).await, StatusCode::OK);
    }
}
