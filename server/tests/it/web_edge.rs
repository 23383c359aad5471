//! The pages' edge: headers, origins, ways back, assets, health.

use crate::support::app::TestApp;
use crate::support::backend::Backend;
use app::domain::role::Role;
use server::config::Config;
use server::database::Database;

crate::on_every_backend!(
    a_signed_out_page_leads_to_the_sign_in_with_the_way_back,
    forms_of_other_sites_are_refused,
    pages_have_one_script_of_ours_and_strict_headers,
    unknown_paths_and_methods_are_told_apart,
    health_and_figures_are_open,
);

async fn start(backend: Backend, database: Database) -> TestApp {
    TestApp::start(backend, database, Config::default()).await
}

async fn a_signed_out_page_leads_to_the_sign_in_with_the_way_back(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let mut browser = app.browser();
    let answer = browser.get("/").await.expect(303);
    assert_eq!(answer.header("location"), "/dead-letters");
    for (path, next) in [
        (
            "/dead-letters?label=closed&q=a%20b",
            "%2Fdead-letters%3Flabel%3Dclosed%26q%3Da%2520b",
        ),
        ("/operations/a%2Fb%20c", "%2Foperations%2Fa%252Fb%2520c"),
        ("/operations/x/review", "%2Foperations%2Fx%2Freview"),
        ("/audit", "%2Faudit"),
    ] {
        let answer = browser.get(path).await.expect(303);
        assert_eq!(answer.header("location"), format!("/login?next={next}"));
    }
    let login = browser.get("/login?next=%2Faudit").await.expect(200);
    assert!(
        login.has("form[method=post][action='/forms/sign-in'] input[name=next][value='/audit']"),
        "{}",
        login.body
    );
    let login = browser.get("/login?next=%2F%2Fevil.test%2F").await.expect(200);
    assert!(!login.body.contains("evil.test"), "{}", login.body);
    // A form of a signed-out browser: back to where it came from, after signing in.
    let origin = app.url("");
    let referer = app.url("/operations/x/review?observe=1");
    let answer = browser
        .form_with(
            "/forms/recoveries/confirm",
            &[],
            &[("origin", &origin), ("referer", &referer)],
        )
        .await
        .expect(303);
    assert_eq!(
        answer.header("location"),
        "/login?next=%2Foperations%2Fx%2Freview%3Fobserve%3D1"
    );
}

async fn forms_of_other_sites_are_refused(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let mut browser = app.signed_in(Role::Operator).await;
    let cookie = browser.cookie.clone();
    let origin = app.url("");
    let evil = "http://evil.test/page";
    for headers in [
        &[][..],
        &[("origin", "http://evil.test")],
        &[("origin", "null")],
        &[("referer", evil)],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "none")],
        &[("origin", &*origin), ("referer", evil)],
        &[("sec-fetch-site", "same-origin"), ("referer", evil)],
    ] {
        let answer = browser
            .form_with("/forms/sign-out", &[], headers)
            .await
            .expect(403);
        assert!(answer.has("[data-code=cross_site]"), "{}", answer.body);
        assert_eq!(answer.header("location"), "");
    }
    assert_eq!(browser.cookie, cookie, "still signed in");
    browser.get("/queues").await.expect(200);
    // Nothing leads away, whatever the form says.
    for next in [
        "https://evil.test/",
        "//evil.test",
        "/\\evil.test",
        "javascript:alert(1)",
    ] {
        app.person("mira", Role::Viewer, "a good password").await;
        let fields = [("name", "mira"), ("password", "a good password"), ("next", next)];
        let answer = app.browser().form("/forms/sign-in", &fields).await.expect(303);
        assert_eq!(answer.header("location"), "/dead-letters");
    }
}

async fn pages_have_one_script_of_ours_and_strict_headers(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let mut browser = app.browser();
    let page = browser.get("/login").await.expect(200);
    assert_eq!(page.body.matches("<script").count(), 1, "{}", page.body);
    assert!(
        page.has("head > script[type=module][src^='/assets/app.']:empty"),
        "{}",
        page.body
    );
    assert!(!page.has("[onclick], [onload], [style], style"), "{}", page.body);
    assert!(page.body.starts_with("<!DOCTYPE html>"), "{}", page.body);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("referrer-policy"), "same-origin");
    assert_eq!(page.header("cross-origin-opener-policy"), "same-origin");
    let policy = page.header("content-security-policy");
    for part in [
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ] {
        assert!(policy.split("; ").any(|said| said == part), "{policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(!page.header("x-request-id").is_empty());

    let document = page.page();
    let links = scraper::Selector::parse("link[href^='/assets/'], script").expect("a selector");
    let hrefs: Vec<&str> = document
        .select(&links)
        .filter_map(|link| link.value().attr("href").or_else(|| link.value().attr("src")))
        .collect();
    assert!(hrefs.len() >= 3, "{hrefs:?}");
    for href in hrefs {
        let plain = app.send(app.client.get(app.url(href))).await.expect(200);
        assert_eq!(
            plain.header("cache-control"),
            "public, max-age=31536000, immutable"
        );
        let packed = app
            .client
            .get(app.url(href))
            .header("accept-encoding", "gzip, br")
            .send()
            .await
            .expect("sent");
        assert_eq!(packed.headers()["content-encoding"], "br");
        let size = packed.bytes().await.expect("bytes").len();
        assert!(size < plain.body.len(), "{href}: {size}");
    }
    app.send(app.client.get(app.url("/assets/dlo.css")))
        .await
        .expect(404);
    let packed = app
        .client
        .get(app.url("/login"))
        .header("accept-encoding", "gzip")
        .send()
        .await
        .expect("sent");
    assert_eq!(packed.headers()["content-encoding"], "gzip");
}

async fn unknown_paths_and_methods_are_told_apart(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let mut browser = app.browser();
    let lost = browser.get("/nowhere/at-all").await.expect(404);
    assert!(lost.has("[data-code=not_found]"), "{}", lost.body);
    let slash = browser.get("/operations/?q=x").await.expect(308);
    assert_eq!(slash.header("location"), "/operations?q=x");
    let wrong = browser.form("/queues", &[]).await.expect(405);
    assert!(wrong.has("[data-code=method_not_allowed]"), "{}", wrong.body);
    browser.form("/forms/no-such-form", &[]).await.expect(405);
    browser.get("/forms/sign-in").await.expect(404);
    let origin = app.url("");
    let big = "x".repeat(10 * 1024 * 1024);
    let large = browser
        .form_with("/forms/sign-in", &[("name", &big)], &[("origin", &origin)])
        .await
        .expect(413);
    assert!(large.has("[data-code=body_too_large]"), "{}", large.body);
    let head = app.client.head(app.url("/login")).send().await.expect("sent");
    assert_eq!(head.status(), 200);
}

async fn health_and_figures_are_open(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let answer = app.send(app.client.get(app.url("/healthz"))).await.expect(200);
    assert_eq!(answer.body, "ok\n");
    app.send(app.client.get(app.url("/readyz"))).await.expect(200);
    app.get(Role::Viewer, "/api/v1/nothing")
        .await
        .refused(404, "not_found");
    let figures = app.send(app.client.get(app.url("/metrics"))).await.expect(200);
    assert!(figures.header("content-type").starts_with("text/plain"));
    for part in [
        "dlo_http_requests_total{",
        "dlo_recoveries{state=\"running\"} 0",
        "dlo_queue_jobs{state=\"dead_letter\"} 0",
        "dlo_database_up 1",
        "dlo_http_request_duration_seconds_bucket",
    ] {
        assert!(figures.body.contains(part), "{part}: {}", figures.body);
    }
    let database = app.office.database.clone();
    database.close().await;
    let answer = app.send(app.client.get(app.url("/readyz"))).await.expect(503);
    assert!(
        answer.body.contains("does not answer"),
        "{:?}: {}",
        app.backend.kind,
        answer.body
    );
    app.get(Role::Viewer, "/api/v1/queues")
        .await
        .refused(503, "unavailable");
}
