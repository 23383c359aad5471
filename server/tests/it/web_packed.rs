//! Pages as they travel: put together from pieces that others have asked for before, and packed for whoever takes that.

use crate::queue::shared::{Letter, bury};
use crate::support::app::TestApp;
use crate::support::backend::Backend;
use app::domain::role::Role;
use chrono::{Duration, Utc};
use flate2::read::GzDecoder;
use regex::Regex;
use reqwest::Response;
use server::config::Config;
use server::database::Database;
use std::io::Read;

crate::on_every_backend!(
    a_packed_page_is_the_plain_one,
    a_page_is_packed_as_its_reader_takes_it,
);

async fn asked(app: &TestApp, cookie: &str, path: &str, encoding: &str) -> Response {
    let request = app.client.get(app.url(path)).header("cookie", cookie);
    let request = request.header("accept-encoding", encoding);
    let answer = request.send().await.expect("sent");
    assert_eq!(answer.status(), 200, "{path}");
    answer
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    let value = answer.headers().get(name);
    value.map_or("", |value| value.to_str().expect("text"))
}

fn unpacked(packed: &[u8]) -> String {
    let mut text = String::new();
    // Checksum and length are compared.
    let read = GzDecoder::new(packed).read_to_string(&mut text);
    read.expect("a whole member");
    text
}

/// The page without what each has of its own: the keys of its forms, and parts of the second.
fn keyless(page: &str) -> String {
    let key = Regex::new("[0-9a-f]{32}|\\.[0-9]{3,9}Z").expect("an expression");
    key.replace_all(page, "key").into_owned()
}

async fn desk(backend: Backend, database: Database) -> (TestApp, String) {
    let app = TestApp::start(backend, database, Config::default()).await;
    for n in 1..=60 {
        let letter = Letter {
            n,
            // So long ago that the second of the page does not show.
            died_at: Utc::now() - Duration::days(3),
            ..Letter::default()
        };
        bury(&app.office.database, &letter).await;
    }
    let cookie = app.signed_in(Role::Viewer).await.cookie.expect("signed in");
    (app, cookie)
}

async fn a_packed_page_is_the_plain_one(backend: Backend, database: Database) {
    let (app, cookie) = desk(backend, database).await;
    let queues = "/dead-letters?group=category";
    for path in ["/dead-letters", queues, "/queues", "/operations", "/dead-letters"] {
        // The page says when it was made: both must be of one second.
        let mut tries = 0;
        loop {
            let plain = asked(&app, &cookie, path, "identity").await;
            let plain = plain.text().await.expect("text");
            assert!(plain.ends_with("</html>"), "{path} is whole");
            assert!(plain.contains("data-live"), "{path}");
            let packed = asked(&app, &cookie, path, "gzip").await;
            assert_eq!(header(&packed, "content-encoding"), "gzip", "{path}");
            let packed = packed.bytes().await.expect("bytes");
            assert!(packed.len() < plain.len() / 2, "{path}: {}", packed.len());
            let (packed, plain) = (keyless(&unpacked(&packed)), keyless(&plain));
            if packed == plain {
                break;
            }
            tries += 1;
            let first = packed
                .bytes()
                .zip(plain.bytes())
                .take_while(|(a, b)| a == b)
                .count();
            let near = plain.get(first.saturating_sub(60)..).unwrap_or_default();
            let near: String = near.chars().take(120).collect();
            assert!(tries < 20, "{path} is another page when it is packed: {near}");
        }
    }
}

async fn a_page_is_packed_as_its_reader_takes_it(backend: Backend, database: Database) {
    let (app, cookie) = desk(backend, database).await;
    for (takes, expected) in [
        ("gzip, deflate, br, zstd", "gzip"),
        ("br, gzip;q=0", "br"),
        ("br", "br"),
        ("identity", ""),
        ("gzip;q=0", ""),
    ] {
        let answer = asked(&app, &cookie, "/dead-letters", takes).await;
        assert_eq!(header(&answer, "content-encoding"), expected, "{takes}");
        assert_eq!(header(&answer, "vary"), "accept-encoding", "{takes}");
        assert_eq!(header(&answer, "cache-control"), "no-store", "{takes}");
        assert_eq!(
            header(&answer, "content-type"),
            "text/html; charset=utf-8",
            "{takes}"
        );
    }
    let head = app
        .client
        .head(app.url("/dead-letters"))
        .header("cookie", &cookie);
    let head = head.header("accept-encoding", "gzip").send().await.expect("sent");
    assert_eq!(head.status(), 200);
    assert_eq!(head.bytes().await.expect("no body").len(), 0);
}
