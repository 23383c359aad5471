//! Liveness: what changes is announced to open pages, of every process, and nothing but that it changed.

use crate::support::app::{Browser, NO_DUTIES, TestApp};
use crate::support::backend::{Backend, Kind};
use app::desk::Topic;
use app::domain::ids::OperationId;
use app::domain::role::{Caller, Role};
use serde_json::{Value, json};
use server::background;
use server::config::Config;
use server::database::Database;
use server::live::{Known, Live, MAX_PER_PERSON};
use server::office::Office;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

crate::on_every_backend!(
    a_change_is_announced_and_nothing_else_is_said,
    who_comes_back_is_told_what_was_missed,
    the_desk_hears_of_everything,
    seats_are_bounded_and_given_back,
    streams_end_with_the_program,
);

/// The bound of every wait here.
const PATIENCE: Duration = Duration::from_secs(30);
const OPERATION: &str = "/api/v1/operations/a%2Fb%20c";
const OPERATION_EVENTS: &str = "/events?operation=a%2Fb%20c";

async fn start(backend: Backend, database: Database) -> TestApp {
    TestApp::start(backend, database, Config::default()).await
}

fn record(phase: &str) -> Value {
    json!({"provider": "genace", "owner": "studio", "specification": {"id": "spec_1", "revision": 1}, "phase": phase})
}

/// An open stream.
struct Stream {
    response: reqwest::Response,
    unread: String,
    /// All that was ever said.
    heard: String,
}

/// One event: its name and its id.
#[derive(Debug, PartialEq, Eq)]
struct Said {
    event: String,
    id: String,
}

impl Stream {
    async fn open(app: &TestApp, browser: &Browser<'_>, path: &str, last: Option<&str>) -> Self {
        let mut request = app
            .client
            .get(app.url(path))
            .header("cookie", browser.cookie.as_deref().expect("signed in"))
            .header("accept-encoding", "br, gzip");
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert!(!response.headers().contains_key("content-encoding"));
        Self {
            response,
            unread: String::new(),
            heard: String::new(),
        }
    }

    /// The next event; comments are passed over. `None` when the stream has ended.
    async fn next(&mut self) -> Option<Said> {
        let read = async {
            loop {
                if let Some((block, rest)) = self.unread.split_once("\n\n") {
                    let field = |name: &str| {
                        let found = block.lines().find_map(|line| line.strip_prefix(name));
                        found.unwrap_or_default().trim().to_owned()
                    };
                    let said = Said {
                        event: field("event:"),
                        id: field("id:"),
                    };
                    self.unread = rest.to_owned();
                    if !said.event.is_empty() {
                        return Some(said);
                    }
                    continue;
                }
                let chunk = self.response.chunk().await.ok()??;
                let text = String::from_utf8(chunk.to_vec()).expect("text");
                self.unread.push_str(&text);
                self.heard.push_str(&text);
            }
        };
        tokio::time::timeout(PATIENCE, read)
            .await
            .expect("an event, or the end, in time")
    }

    async fn expect(&mut self, event: &str) -> String {
        let said = self.next().await.expect("the stream goes on");
        assert_eq!(said.event, event, "{}", self.heard);
        said.id
    }
}

async fn a_change_is_announced_and_nothing_else_is_said(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.put(Role::Reporter, OPERATION, &record("prepared"))
        .await
        .expect(201);
    let mut browser = app.signed_in(Role::Viewer).await;
    let page = browser.get("/operations/a%2Fb%20c").await.expect(200);
    let document = page.page();
    let selector = scraper::Selector::parse("[data-events]").expect("a selector");
    let place = document.select(&selector).next().expect("the page says where");
    let address = place.value().attr("data-events").expect("an address").to_owned();
    assert!(
        address.starts_with("/events?operation=a%2Fb%20c&seen="),
        "{address}"
    );
    drop(document);

    // The page is as new as the database: it is told so, and only then of the change.
    let mut stream = Stream::open(&app, &browser, &address, None).await;
    let first = stream.expect("beat").await;
    assert!(address.ends_with(&first), "{address} {first}");
    let patch = json!({"phase": "submitting", "dispatch": "sent", "remote": {"job_id": "gj_secret"}});
    app.patch(Role::Reporter, OPERATION, 1, &patch).await.expect(200);
    let changed = stream.expect("changed").await;
    assert_ne!(changed, first);
    for word in ["gj_secret", "submitting", "genace", "studio"] {
        assert!(!stream.heard.contains(word), "{}", stream.heard);
    }
    assert!(stream.heard.contains("retry:"), "{}", stream.heard);
}

async fn who_comes_back_is_told_what_was_missed(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.put(Role::Reporter, OPERATION, &record("prepared"))
        .await
        .expect(201);
    let browser = app.signed_in(Role::Viewer).await;
    let mut stream = Stream::open(&app, &browser, OPERATION_EVENTS, None).await;
    let first = stream.expect("beat").await;
    drop(stream);
    // Nothing happened meanwhile.
    let mut stream = Stream::open(&app, &browser, OPERATION_EVENTS, Some(&first)).await;
    assert_eq!(stream.expect("beat").await, first);
    drop(stream);
    let patch = json!({"phase": "submitting"});
    app.patch(Role::Reporter, OPERATION, 1, &patch).await.expect(200);
    // What the browser knows outdoes what the page said when it was made.
    let stale = format!("{OPERATION_EVENTS}&seen=made-long-ago");
    let mut stream = Stream::open(&app, &browser, &stale, Some(&first)).await;
    let now = stream.expect("changed").await;
    drop(stream);
    let mut stream = Stream::open(&app, &browser, &stale, Some(&now)).await;
    assert_eq!(stream.expect("beat").await, now);
}

async fn the_desk_hears_of_everything(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let browser = app.signed_in(Role::Viewer).await;
    let mut stream = Stream::open(&app, &browser, "/events?desk", None).await;
    let mut mark = stream.expect("beat").await;
    app.put(Role::Reporter, OPERATION, &record("prepared"))
        .await
        .expect(201);
    let next = stream.expect("changed").await;
    assert_ne!(next, mark);
    mark = next;
    // A message dies: nobody announces that, the projector finds it.
    let letter = crate::queue::shared::Letter::default();
    let id = crate::queue::shared::bury(&app.office.database, &letter).await;
    let next = stream.expect("changed").await;
    assert_ne!(next, mark);
    mark = next;
    let body = json!({"reason": "seen", "confirm": id.to_string()});
    let path = format!("/api/v1/dead-letters/{id}/purge");
    app.post(Role::Approver, &path, &body).await.expect(200);
    assert_ne!(stream.expect("changed").await, mark);
}

async fn seats_are_bounded_and_given_back(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let signed_out = app.send(app.client.get(app.url("/events?desk"))).await;
    signed_out.refused(401, "unauthenticated");
    let mut browser = app.signed_in(Role::Viewer).await;
    for wrong in ["/events", "/events?desk&operation=x", "/events?recovery=7"] {
        browser.get(wrong).await.refused(400, "invalid_request");
    }
    let mut streams = Vec::new();
    for _ in 0..MAX_PER_PERSON {
        streams.push(Stream::open(&app, &browser, "/events?desk", None).await);
    }
    assert_eq!(app.office.live.waiting(), MAX_PER_PERSON);
    let full = browser.get("/events?desk").await;
    assert_eq!(full.header("retry-after"), "30");
    full.refused(429, "slow_down");
    // Somebody else is not concerned.
    let other = app.signed_in(Role::Viewer).await;
    Stream::open(&app, &other, "/events?desk", None)
        .await
        .expect("beat")
        .await;
    drop(streams);
    let until = Instant::now() + PATIENCE;
    while app.office.live.waiting() > 1 {
        assert!(Instant::now() < until, "seats are given back in time");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    Stream::open(&app, &browser, "/events?desk", None)
        .await
        .expect("beat")
        .await;
}

async fn streams_end_with_the_program(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let browser = app.signed_in(Role::Viewer).await;
    let mut stream = Stream::open(&app, &browser, "/events?desk", None).await;
    stream.expect("beat").await;
    app.office.ending.cancel();
    // The change is not lost: the browser asks another server with the id that it has.
    while let Some(said) = stream.next().await {
        assert_eq!(said.event, "changed", "{said:?}");
    }
    let late = app
        .client
        .get(app.url("/events?desk"))
        .header("cookie", browser.cookie.as_deref().expect("signed in"));
    app.send(late).await.expect(503);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_reaches_readers_of_another_process() {
    let Some((backend, database)) = Backend::open(Kind::Postgres).await else {
        return;
    };
    let second = Database::open(&backend.location).await.expect("it opens again");
    // This one never looks by itself within the test: only an announcement can wake it.
    let live = Arc::new(Live::polling(Some(Duration::from_secs(3600))));
    let reader = Arc::new(Office::new(second, Arc::new(Config::default())).watched_by(live));
    let stop = CancellationToken::new();
    let _working = background::start(&reader, NO_DUTIES, &stop).expect("the duties start");
    let app = start(backend, database).await;
    let topic = Topic::Operation(OperationId::from("a/b c"));
    let caller = Caller {
        name: "reader".to_owned(),
        role: Role::Viewer,
    };
    let mark = reader.mark(&caller, &topic).await.expect("a mark");
    let known = Known {
        mark: mark.clone(),
        looked: Instant::now(),
    };
    let mut seat = reader.live.sit("reader", topic.clone(), known).expect("a seat");
    seat.known.borrow_and_update();
    // Whoever begins to listen looks once by itself: a change before that would prove nothing.
    listening(&app.office.database).await;
    app.put(Role::Reporter, OPERATION, &record("prepared"))
        .await
        .expect(201);
    tokio::time::timeout(PATIENCE, seat.known.changed())
        .await
        .expect("announced in time")
        .expect("somebody looks");
    assert_ne!(seat.known.borrow_and_update().mark, mark);
    // That one may have been seen by the first look. This one can only have been announced.
    let patch = json!({"phase": "submitting"});
    app.patch(Role::Reporter, OPERATION, 1, &patch).await.expect(200);
    tokio::time::timeout(PATIENCE, seat.known.changed())
        .await
        .expect("announced in time")
        .expect("somebody looks");
    assert_eq!(
        seat.known.borrow().mark,
        app.office.mark(&caller, &topic).await.expect("a mark"),
        "every process finds the same marks"
    );
    stop.cancel();
}

/// Waits until a connection to this database listens for changes.
async fn listening(database: &Database) {
    let until = Instant::now() + PATIENCE;
    loop {
        let sql = "SELECT COUNT(*) AS found FROM pg_stat_activity WHERE datname = current_database() \
                   AND query LIKE 'LISTEN%dlo_changed%'";
        let row = database
            .look_up(sql, vec![])
            .await
            .expect("a look")
            .expect("a row");
        if row.int("found").expect("a number") > 0 {
            return;
        }
        assert!(Instant::now() < until, "it listens in time");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
