//! Pages and their forms. The context that both need is wired here, once.

use super::packed::{self, GZIP};
use super::visit::{Visit, reader};
use super::{Face, Reference, Served};
use crate::api::problem::{Problem, RETRY_UNAVAILABLE};
use crate::office::desk::OfficeDesk;
use crate::office::kept::Moment;
use crate::office::pieces::Laid;
use app::desk::{CameBy, Code, Desk, DeskError};
use app::domain::role::Caller;
use app::edge::{Around, Edge, Reply};
use app::href::{self, Query};
use app::pages::shell;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::Utc;
use futures::{StreamExt, stream};
use leptos::prelude::*;
use leptos_axum::{ResponseOptions, handle_response_inner, handle_server_fns_with_context};
use leptos_integration_utils::{BoxedFnOnce, PinnedFuture, PinnedStream};
use std::sync::{Arc, OnceLock};

/// Makes the page renderer ready. May be called any number of times.
pub fn prepare() {
    // The second call finds the work done.
    any_spawner::Executor::init_tokio().ok();
}

/// What an answer was asked to become while it was made.
struct Answered {
    options: ResponseOptions,
}

impl Reply for Answered {
    fn redirect(&self, path: &str) {
        let path = if href::is_ours(path) {
            path
        } else {
            href::DEAD_LETTERS
        };
        if let Ok(location) = HeaderValue::from_str(path) {
            self.options.insert_header(header::LOCATION, location);
            self.options.set_status(StatusCode::SEE_OTHER);
        }
    }

    fn status(&self, code: u16) {
        if let Ok(status) = StatusCode::from_u16(code) {
            self.options.set_status(status);
        }
        if code == Code::Unavailable.status() {
            let again = HeaderValue::from(RETRY_UNAVAILABLE);
            self.options.insert_header(header::RETRY_AFTER, again);
        }
    }
}

/// Refuses mutations that another site may have sent, before anything else looks at them.
pub async fn own_forms_only(State(served): State<Served>, request: Request, next: Next) -> Response {
    let safe = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    if !safe && let Err(error) = served.own.check(request.headers(), request.uri()) {
        tracing::warn!("a mutation from another site was refused");
        return Face::Page.refuse(error.into(), &Reference::of(&request));
    }
    next.run(request).await
}

/// Sends a signed-out browser to the sign-in page, with the way back.
pub fn to_login(next: &str) -> Response {
    let query = Query::of(&[(
        "next",
        if href::is_ours(next) {
            next
        } else {
            href::DEAD_LETTERS
        },
    )]);
    Redirect::to(&href::with(href::LOGIN, &query)).into_response()
}

/// The one place where a request becomes what pages and forms see.
struct Context {
    desk: Arc<dyn Desk>,
    path: String,
    query: Query,
    form_key: String,
    reference: String,
    slow_down: Arc<OnceLock<u64>>,
    around: Around,
    laid: Arc<Laid>,
}

impl Context {
    fn new(served: Served, request: &Request, moment: Arc<Moment>, around: Around) -> Result<Self, Problem> {
        let Some(visit) = request.extensions().get::<Visit>().cloned() else {
            return Err(Problem::new(Code::Internal, "The request was not identified."));
        };
        let slow_down = Arc::new(OnceLock::new());
        let laid = Arc::<Laid>::default();
        let desk = OfficeDesk {
            office: served.office,
            throttle: served.throttle,
            session: visit.session,
            address: visit.address,
            came_by: visit
                .visitor
                .as_ref()
                .map_or(CameBy::Proxy, |visitor| visitor.came_by),
            caller: visit.visitor.map(|visitor| visitor.caller),
            now: Utc::now(),
            moment,
            laid: laid.clone(),
            slow_down: slow_down.clone(),
        };
        Ok(Self {
            desk: Arc::new(desk),
            path: request.uri().path().to_owned(),
            query: Query::parse(request.uri().query().unwrap_or_default()),
            form_key: hex::encode(rand::random::<[u8; 16]>()),
            reference: Reference::of(request),
            slow_down,
            around,
            laid,
        })
    }

    /// Gives it to whatever is rendered or run next.
    fn provider(&self) -> impl Fn() + Clone + Send + 'static {
        let desk = self.desk.clone();
        let (path, query) = (self.path.clone(), self.query.clone());
        let (form_key, reference) = (self.form_key.clone(), self.reference.clone());
        let around = self.around.clone();
        move || {
            let options = use_context::<ResponseOptions>().unwrap_or_default();
            provide_context(desk.clone());
            provide_context(Edge {
                path: path.clone(),
                query: query.clone(),
                form_key: form_key.clone(),
                reference: reference.clone(),
                reply: Arc::new(Answered { options }),
                around: around.clone(),
            });
        }
    }
}

/// Collects the whole page and drops the library's script chunks: nothing inline runs.
fn without_scripts<IV: IntoView + 'static>(
    view: IV,
    _scripts: BoxedFnOnce<PinnedStream<String>>,
    _out_of_order: bool,
) -> PinnedFuture<PinnedStream<String>> {
    Box::pin(async move {
        let html: String = view.to_html_stream_in_order().collect().await;
        let whole: PinnedStream<String> = Box::pin(stream::iter([html]));
        whole
    })
}

/// Scheme and host of this office as the browser reaches it.
pub fn base(served: &Served, request: &Request) -> String {
    let public = served.office.config.server.public_url.trim_end_matches('/');
    if !public.is_empty() {
        return public.to_owned();
    }
    let host = request.headers().get(header::HOST);
    let host = host
        .and_then(|host| host.to_str().ok())
        .or_else(|| request.uri().authority().map(|authority| authority.as_str()))
        // What is no host is written nowhere.
        .filter(|host| host.parse::<axum::http::uri::Authority>().is_ok());
    host.map_or_else(String::new, |host| format!("http://{host}"))
}

/// What stands around the page: how its reader wants to read, and where creation is paused.
async fn around(served: &Served, moment: &Moment, reader: Option<Caller>, base: String) -> Around {
    let Some(caller) = reader else {
        return Around {
            base,
            ..Around::default()
        };
    };
    Around {
        preferences: served.office.preferences(moment, &caller.name).await,
        paused: served.office.paused(moment).await,
        base,
    }
}

/// The refusal of whoever is not signed in, where a layer did not send them away already.
pub fn signed_out() -> Problem {
    Problem::new(Code::Unauthenticated, "Sign in first.")
}

/// Renders a page.
pub async fn page(State(served): State<Served>, request: Request) -> Response {
    let (reader, base) = (reader(&request), base(&served, &request));
    let moment = Moment::current();
    let around = around(&served, &moment, reader, base).await;
    let context = match Context::new(served, &request, moment, around) {
        Ok(context) => context,
        Err(problem) => return Face::Page.refuse(problem, &Reference::of(&request)),
    };
    let laid = context.laid.clone();
    let accepts_gzip = packed::accepts(request.headers(), GZIP);
    let rendered = handle_response_inner(context.provider(), shell, request, without_scripts).await;
    packed::page(rendered, &laid, accepts_gzip).await
}

/// A path that nobody has.
pub async fn unknown(state: State<Served>, request: Request) -> Response {
    let path = request.uri().path();
    if Face::of(path) == Face::Api {
        return Problem::new(Code::NotFound, "There is no such route.").into_response();
    }
    match path.strip_suffix('/') {
        Some(shorter) if href::is_ours(shorter) => {
            let query = Query::parse(request.uri().query().unwrap_or_default());
            Redirect::permanent(&href::with(shorter, &query)).into_response()
        }
        // The page would be framed for whoever is signed in, and nobody else is let near one that has no rule.
        Some(_) | None if request.extensions().get::<Caller>().is_none() => {
            let error = DeskError::new(Code::NotFound, "It may be mistyped, or belong to another office.");
            Face::Page.refuse(error.into(), &Reference::of(&request))
        }
        Some(_) | None => page(state, request).await,
    }
}

/// A page asked for by a method that it does not have.
pub async fn wrong_method(request: Request) -> Response {
    let error = DeskError::new(
        Code::MethodNotAllowed,
        "A page can only be read; forms are sent to addresses of their own.",
    );
    Face::Page.refuse(error.into(), &Reference::of(&request))
}

/// The page that a form was sent from, as a path of ours.
pub fn sent_from(headers: &HeaderMap) -> String {
    let referer = headers
        .get(header::REFERER)
        .and_then(|value| value.to_str().ok()?.parse::<Uri>().ok());
    referer
        .and_then(|uri| Some(uri.path_and_query()?.as_str().to_owned()))
        .unwrap_or_default()
}

/// Runs a form's server function. The answer is a redirect to a path of ours, or a refusal.
pub async fn form(State(served): State<Served>, mut request: Request) -> Response {
    let reference = Reference::of(&request);
    if request.extensions().get::<super::body::TooLarge>().is_some() {
        return Face::Page.refuse(super::body::TooLarge::refusal().into(), &reference);
    }
    let known =
        leptos::server_fn::axum::get_server_fn_service(request.uri().path(), request.method().clone());
    if known.is_none() {
        let read = request.method() == Method::GET || request.method() == Method::HEAD;
        let code = if read {
            Code::NotFound
        } else {
            Code::MethodNotAllowed
        };
        return Face::Page.refuse(Problem::new(code, "There is no such form."), &reference);
    }
    let context = match Context::new(served, &request, Arc::default(), Around::default()) {
        Ok(context) => context,
        Err(problem) => return Face::Page.refuse(problem, &reference),
    };
    // The library would answer with a redirect to whatever the Referer says.
    request.headers_mut().remove(header::REFERER);
    let response = handle_server_fns_with_context(context.provider(), request)
        .await
        .into_response();
    if let Some(seconds) = context.slow_down.get() {
        let error = DeskError::new(
            Code::SlowDown,
            format!("Too many tries. Try again in {seconds} seconds."),
        );
        let problem = Problem {
            retry_after: Some(*seconds),
            ..Problem::from(error)
        };
        return Face::Page.refuse(problem, &reference);
    }
    let location = response
        .headers()
        .get(header::LOCATION)
        .and_then(|location| location.to_str().ok());
    match location {
        Some(path) if response.status() == StatusCode::SEE_OTHER && href::is_ours(path) => {
            let (mut parts, _) = response.into_parts();
            parts.headers.remove(header::CONTENT_TYPE);
            parts.headers.remove(header::CONTENT_LENGTH);
            Response::from_parts(parts, Body::empty())
        }
        // The form could not be read, or its function went nowhere.
        Some(_) | None => Face::Page.refuse(
            Problem::new(Code::InvalidRequest, "The form could not be read."),
            &reference,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_back_is_a_path() {
        let mut headers = HeaderMap::new();
        headers.insert(
            header::REFERER,
            HeaderValue::from_static("http://h/operations/a%2Fb?x=1#y"),
        );
        assert_eq!(sent_from(&headers), "/operations/a%2Fb?x=1");
        assert_eq!(sent_from(&HeaderMap::new()), "");
    }
}
