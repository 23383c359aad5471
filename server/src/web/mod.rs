//! What is served: pages, forms, the API, health. The router is put together here and nowhere else.

pub mod assets;
pub mod body;
pub mod edge;
pub mod error_page;
pub mod health;
pub mod metrics;
pub mod origin;
pub mod pages;
mod serve;

pub use serve::{SHUTDOWN_GRACE, serve};

use crate::api;
use crate::office::Office;
use crate::office::session;
use crate::office::throttle::Throttle;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware;
use axum::response::{Redirect, Response};
use axum::routing::{any, get};
use std::sync::Arc;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;

/// Requests that are worked on at once; more wait their turn.
const MAX_AT_ONCE: usize = 512;

/// Nothing but our own files, and no frame around us.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; \
     script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// What every handler may use.
#[derive(Clone)]
pub struct Served {
    pub office: Arc<Office>,
    pub throttle: Arc<Throttle>,
    pub own: Arc<origin::Own>,
}

impl Served {
    pub fn new(office: Arc<Office>) -> Self {
        let own = origin::Own::new(&office.config.server.public_url);
        Self {
            office,
            throttle: Arc::new(Throttle::default()),
            own: Arc::new(own),
        }
    }
}

/// Every route of this program.
pub fn router(office: Arc<Office>) -> Router {
    pages::prepare();
    metrics::install();
    let sessions = session::layer(&office);
    let served = Served::new(office);
    let pages = Router::new()
        .route("/login", get(pages::page))
        .route("/dead-letters", get(pages::page))
        .route("/dead-letters/{id}", get(pages::page))
        .route("/operations", get(pages::page))
        .route("/operations/{id}", get(pages::page))
        .route("/operations/{id}/review", get(pages::page))
        .route("/recoveries", get(pages::page))
        .route("/recoveries/{id}", get(pages::page))
        .route("/queues", get(pages::page))
        .route("/audit", get(pages::page))
        .layer(middleware::from_fn(pages::signed_in_only))
        .route("/forms/{*form}", any(pages::form))
        .route("/", get(|| async { Redirect::to(app::href::DEAD_LETTERS) }))
        .fallback(pages::unknown)
        .method_not_allowed_fallback(pages::wrong_method)
        .layer(middleware::from_fn_with_state(served.clone(), pages::identify))
        .layer(sessions)
        .layer(middleware::from_fn_with_state(
            served.clone(),
            pages::own_forms_only,
        ));
    let compression = CompressionLayer::new()
        .gzip(true)
        .br(true)
        .quality(CompressionLevel::Fastest);
    Router::new()
        .nest(api::ROOT, api::router(served.clone()))
        .merge(pages)
        .layer(compression)
        .merge(assets::router())
        .merge(health::router())
        .with_state(served)
        .layer(middleware::from_fn(edge::guarded))
        .layer(middleware::from_fn(metrics::count))
        .layer(if_absent(header::CACHE_CONTROL, "no-store"))
        .layer(if_absent(
            header::CONTENT_SECURITY_POLICY,
            CONTENT_SECURITY_POLICY,
        ))
        .layer(if_absent(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .layer(if_absent(header::REFERRER_POLICY, "same-origin"))
        .layer(if_absent(
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ))
        .layer(if_absent(header::X_FRAME_OPTIONS, "DENY"))
        .layer(GlobalConcurrencyLimitLayer::new(MAX_AT_ONCE))
}

fn if_absent(name: HeaderName, value: &'static str) -> SetResponseHeaderLayer<HeaderValue> {
    SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value))
}

/// Which face a refusal has: a problem for programs, a page for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    Api,
    Page,
}

impl Face {
    pub fn of(path: &str) -> Self {
        if path == "/api" || path.starts_with("/api/") {
            Self::Api
        } else {
            Self::Page
        }
    }

    /// The refusal as an answer.
    pub fn refuse(self, problem: api::problem::Problem, reference: &str) -> Response {
        use axum::response::IntoResponse;
        match self {
            Self::Api => problem.into_response(),
            Self::Page => error_page::response(problem, reference),
        }
    }
}

/// The name of this request, which the log, the error page and the header `x-request-id` carry.
#[derive(Debug, Clone)]
pub struct Reference(pub String);

impl Reference {
    /// The request's name, which [`edge::guarded`] gave it.
    pub fn of(request: &Request) -> String {
        request
            .extensions()
            .get::<Self>()
            .map(|reference| reference.0.clone())
            .unwrap_or_default()
    }
}
