//! `/events`: server-sent events for open pages. They say that something changed, and never what.
//!
//! `GET /events?desk`, `?operation=ID`, `?recovery=ID`; `seen` is the mark of the page, `Last-Event-ID` outdoes it.
//! `changed` comes with the mark as its id; `beat` says that the state of that mark still holds.

use super::visit::Visit;
use super::{Face, Reference, Served};
use crate::api::problem::Problem;
use crate::live::{Known, Seat};
use app::desk::{Code, DeskError, Topic};
use app::href::Query;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::{Stream, stream};
use std::convert::Infallible;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How often a page hears that its state holds. The script takes 40 s of silence for a sign.
const BEAT: Duration = Duration::from_secs(12);
/// A comment, for proxies and for noticing readers that have gone.
const KEEP_ALIVE: Duration = Duration::from_secs(5);
/// The least time between two changes that one page is told.
const REST: Duration = Duration::from_millis(800);
/// A look that is older proves nothing: the page hears no beat then, and says that it is stale.
const LOOKED: Duration = Duration::from_secs(20);
/// A stream ends after this time, and the browser asks again: a session that is over is noticed so.
const LIFE: Duration = Duration::from_secs(600);
/// Milliseconds that a browser waits before it asks again.
const RETRY: Duration = Duration::from_secs(2);
/// Seconds until somebody with too many open pages may try again.
const RETRY_FULL: u64 = 30;

/// One open page.
struct Listener {
    seat: Seat,
    /// The mark that the page knows; `None` until the first event.
    told: Option<String>,
    /// The mark of the beginning.
    first: String,
    ending: CancellationToken,
    until: Instant,
}

impl Listener {
    /// The next event; `None`: the stream ends.
    async fn next(&mut self) -> Option<Event> {
        if self.ending.is_cancelled() {
            return None;
        }
        let Some(told) = self.told.clone() else {
            // The page learns the mark that it may come back with.
            self.told = Some(self.first.clone());
            return Some(beat(&self.first).retry(RETRY));
        };
        let mut silent = Instant::now();
        loop {
            let known = self.seat.known.borrow_and_update().clone();
            if known.mark != told {
                self.told = Some(known.mark.clone());
                return Some(Event::default().event("changed").id(known.mark).data("changed"));
            }
            if silent.elapsed() >= BEAT {
                if known.looked.elapsed() < LOOKED {
                    return Some(beat(&told));
                }
                silent = Instant::now();
            }
            if Instant::now() >= self.until {
                return None;
            }
            let rest = BEAT.saturating_sub(silent.elapsed());
            tokio::select! {
                () = self.ending.cancelled() => return None,
                changed = self.seat.known.changed() => if changed.is_err() { return None },
                () = tokio::time::sleep(rest) => {}
            }
        }
    }
}

fn beat(mark: &str) -> Event {
    Event::default().event("beat").id(mark).data("holds")
}

/// Events as they come, not closer than [`REST`].
fn events(listener: Listener) -> impl Stream<Item = Result<Event, Infallible>> {
    stream::unfold((listener, false), |(mut listener, told)| async move {
        if told {
            tokio::select! {
                () = listener.ending.cancelled() => return None,
                () = tokio::time::sleep(REST) => {}
            }
        }
        let event = listener.next().await?;
        Some((Ok(event), (listener, true)))
    })
}

/// Opens a stream for somebody who is signed in.
pub async fn open(State(served): State<Served>, request: Request) -> Response {
    let reference = Reference::of(&request);
    let refuse = |problem: Problem| Face::Api.refuse(problem, &reference);
    let caller = request.extensions().get::<Visit>().and_then(Visit::caller);
    let Some(caller) = caller else {
        return refuse(Problem::new(Code::Unauthenticated, "Sign in first."));
    };
    let query = Query::parse(request.uri().query().unwrap_or_default());
    let Some(topic) = Topic::of(&query) else {
        return refuse(Problem::new(
            Code::InvalidRequest,
            "Name one thing to be told of: desk, operation or recovery.",
        ));
    };
    let last = request.headers().get("last-event-id");
    let last = last
        .and_then(|value| value.to_str().ok())
        .filter(|id| !id.is_empty());
    let seen = last.or_else(|| query.get("seen")).map(str::to_owned);
    let now = Instant::now();
    let mark = match served.office.mark(&caller, &topic).await {
        Ok(mark) => mark,
        Err(error) => return refuse(error.into()),
    };
    let known = Known {
        mark: mark.clone(),
        looked: now,
    };
    let Ok(seat) = served.office.live.sit(&caller.name, topic, known) else {
        let error = DeskError::new(
            Code::SlowDown,
            "Too many pages of yours are open, or of all together.",
        );
        return refuse(Problem {
            retry_after: Some(RETRY_FULL),
            ..Problem::from(error)
        });
    };
    let listener = Listener {
        seat,
        // Who has seen another state is told at once.
        told: seen.filter(|seen| *seen != mark),
        first: mark,
        ending: served.office.ending.clone(),
        until: now + LIFE,
    };
    let stream = Sse::new(events(listener)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE).text("here"));
    let mut response = (StatusCode::OK, stream).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that would collect the stream first are told not to.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}
