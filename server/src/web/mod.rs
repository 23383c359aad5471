//! What is served: pages, forms, the API, health. The router is put together here and nowhere else.

pub mod assets;
pub mod body;
pub mod edge;
pub mod ending;
pub mod error_page;
pub mod events;
pub mod health;
mod limits;
pub mod metrics;
pub mod origin;
pub mod outputs;
mod packed;
pub mod pages;
pub mod permissions;
mod proxy;
mod serve;
mod single_sign_on;
pub mod summary;
pub mod visit;

pub use limits::Limits;
pub use serve::{DRAIN, SHUTDOWN_GRACE, serve, serve_with};

use crate::api;
use crate::artifacts::Artifacts;
use crate::office::Office;
use crate::office::session;
use crate::office::throttle::Throttle;
use app::domain::permission::ROUTES;
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware;
use axum::response::{Redirect, Response};
use axum::routing::{any, get};
use std::sync::Arc;
use tokio::sync::OnceCell;
use tower::limit::GlobalConcurrencyLimitLayer;
use tower::util::option_layer;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, NotForContentType, Predicate};
use tower_http::set_header::SetResponseHeaderLayer;

/// Nothing but our own files, and no frame around us.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; media-src 'self'; \
     script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/// What every handler may use.
#[derive(Clone)]
pub struct Served {
    pub office: Arc<Office>,
    pub throttle: Arc<Throttle>,
    pub own: Arc<origin::Own>,
    pub limits: Limits,
    /// Whether this connection's cookies are bound to https.
    pub secure: bool,
    /// Our copies of outputs, opened when the first is asked for.
    pub copies: Arc<OnceCell<Artifacts>>,
}

impl Served {
    pub fn new(office: Arc<Office>) -> Self {
        let own = origin::Own::new(&office.config.server.public_url);
        Self {
            office,
            throttle: Arc::new(Throttle::default()),
            own: Arc::new(own),
            limits: Limits::default(),
            secure: true,
            copies: Arc::default(),
        }
    }
}

/// Every route of this program. `secure` says whether this connection's cookies must be.
pub fn router(served: Served, secure: bool) -> Router {
    pages::prepare();
    metrics::install();
    let served = Served { secure, ..served };
    let sessions = session::layer(&served.office, secure);
    // The table of rules is the list of pages: one that has no rule is not there.
    let pages = ROUTES
        .iter()
        .filter(|route| route.is_page)
        .fold(Router::new(), |router, route| {
            // An operation has a summary for whoever is sent its link.
            let shown = if route.path == "/operations/{id}" {
                get(summary::operation)
            } else {
                get(pages::page)
            };
            router.route(route.path, shown)
        });
    let pages = pages
        .route(permissions::FORMS, any(pages::form))
        .route("/operations/{id}/outputs/{index}", get(outputs::show))
        .route(app::href::EVENTS, get(events::open))
        .route(app::href::SINGLE_SIGN_ON, get(single_sign_on::begin))
        .route(app::href::SINGLE_SIGN_ON_BACK, get(single_sign_on::finish))
        .route("/", get(|| async { Redirect::to(app::href::DEAD_LETTERS) }))
        .fallback(pages::unknown)
        .method_not_allowed_fallback(pages::wrong_method)
        .layer(middleware::from_fn(permissions::ruled))
        .layer(middleware::from_fn_with_state(served.clone(), visit::identify))
        .layer(sessions)
        .layer(middleware::from_fn_with_state(
            served.clone(),
            pages::own_forms_only,
        ));
    let compression = CompressionLayer::new()
        .gzip(true)
        .br(true)
        .quality(CompressionLevel::Fastest)
        // Media are packed already, and are asked for in parts.
        .compress_when(DefaultPredicate::new().and(NotForContentType::const_new("video/")));
    let ending = middleware::from_fn_with_state(served.clone(), ending::refuse_at_the_end);
    let open = assets::router()
        .merge(health::router())
        .layer(middleware::from_fn(permissions::ruled));
    let (limits, config) = (served.limits, served.office.config.clone());
    let routes = Router::new()
        .nest(api::ROOT, api::router(served.clone()))
        .merge(pages)
        .layer(middleware::from_fn(edge::in_one_moment))
        .layer(compression)
        .merge(open)
        .with_state(served);
    let https = config.server.is_https();
    bounded(routes, limits, |routes| routes.layer(ending))
        .layer(option_layer(https.then(|| {
            if_absent(
                header::STRICT_TRANSPORT_SECURITY,
                "max-age=31536000; includeSubDomains",
            )
        })))
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
}

/// The routes under their bounds in time and number. `first` is asked before a turn is waited for.
fn bounded(routes: Router, limits: Limits, first: impl FnOnce(Router) -> Router) -> Router {
    // Inside the guard: waiting for a turn counts as time, and a slow body takes nobody's turn.
    let routes = routes.layer(GlobalConcurrencyLimitLayer::new(limits.at_once));
    first(routes).layer(middleware::from_fn_with_state(limits, edge::guarded))
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
