//! The desk as a page: every count leads to exactly its rows, and the page is light.

use crate::queue::shared::{Letter, bury};
use crate::support::app::{Answer, Browser, TestApp};
use crate::support::backend::{Backend, Kind};
use crate::support::desk::CONFIG;
use crate::web_pages::{form, send};
use app::domain::role::Role;
use chrono::{Duration, Utc};
use scraper::Selector;
use serde_json::json;
use server::config::{Config, Flags};
use server::database::Database;

crate::on_every_backend!(
    every_count_of_the_desk_leads_to_its_rows,
    words_of_the_error_and_ids_are_found_from_the_page,
    a_message_without_a_category_is_found_by_its_group,
    the_figures_at_the_head_lead_to_their_rows,
    a_message_is_folded_and_says_how_much_it_hides,
    rows_that_were_rendered_before_are_the_readers_own_and_true,
);

fn select(text: &str) -> Selector {
    Selector::parse(text).expect("a selector")
}

/// Links of these elements with the number that each of them claims.
fn claims(page: &Answer, element: &str, link: &str, number: &str) -> Vec<(String, usize)> {
    let document = page.page();
    let (element, link, number) = (select(element), select(link), select(number));
    let found = document.select(&element).filter_map(|one| {
        let href = one.select(&link).next()?.value().attr("href")?.to_owned();
        let words: String = one.select(&number).next()?.text().collect();
        let digits: String = words.chars().filter(char::is_ascii_digit).collect();
        Some((href, digits.parse().ok()?))
    });
    found.collect()
}

async fn rows(browser: &mut Browser<'_>, href: &str) -> usize {
    let page = browser.get(href).await.expect(200);
    let document = page.page();
    let count = document.select(&select("tr[data-message]")).count();
    let total = document.select(&select("[data-total]")).next().expect("a total");
    assert_eq!(
        total.value().attr("data-total"),
        Some(count.to_string().as_str()),
        "{href}: the head counts the rows"
    );
    count
}

/// Letters of the last hours, some of an operation, with two kinds of errors.
async fn filled(app: &TestApp) {
    let record = json!({"provider": "genace", "owner": "studio", "specification": {"id": "s", "revision": 1},
        "phase": "accepted", "dispatch": "sent", "remote": {"job_id": "gj_1"}});
    app.put(Role::Reporter, "/api/v1/operations/op_1", &record)
        .await
        .expect(201);
    for n in 1..=18 {
        let letter = Letter {
            n,
            args: if n % 3 == 0 {
                r#"{"operation_id": "op_1"}"#
            } else {
                "{}"
            },
            queue: if n % 2 == 0 { "render" } else { "delivery" },
            error: Some(if n % 4 == 0 {
                "storage_full: no space left on device"
            } else {
                "TimeoutError: timed out"
            }),
            died_at: Utc::now() - Duration::minutes(i64::try_from(n).expect("small") * 25),
            ..Letter::default()
        };
        bury(&app.office.database, &letter).await;
    }
}

async fn every_count_of_the_desk_leads_to_its_rows(backend: Backend, database: Database) {
    let app = TestApp::start(backend, database, Config::default()).await;
    filled(&app).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    let desk = browser.get("/dead-letters").await.expect(200);
    let hours = claims(&desk, ".chart tr[data-hour]", "a", "td");
    assert_eq!(
        hours.iter().map(|(_, count)| count).sum::<usize>(),
        18,
        "{}",
        desk.body
    );
    let labels = claims(&desk, ".side li", "a", ".n");
    assert!(labels.len() >= 13, "all, ten labels, two queues: {labels:?}");
    let grouped = browser
        .get("/dead-letters?group=category&queue=render")
        .await
        .expect(200);
    let groups = claims(&grouped, "tr[data-category]", "a", "td");
    assert_eq!(groups.len(), 2, "{}", grouped.body);
    for (href, claimed) in hours.iter().chain(&labels).chain(&groups) {
        assert_eq!(rows(&mut browser, href).await, *claimed, "{href}");
    }
    // Also where a queue or a label is chosen already.
    for under in [
        "queue=delivery",
        "label=render_in_progress",
        "label=no_operation_record&queue=render",
    ] {
        let page = browser.get(&format!("/dead-letters?{under}")).await.expect(200);
        for (href, claimed) in &claims(&page, ".side li", "a", ".n") {
            assert_eq!(rows(&mut browser, href).await, *claimed, "{under}: {href}");
        }
    }
    // Label and queue together, from one link after the other; the order is kept by every link.
    let both = "/dead-letters?label=render_in_progress&queue=render&sort=oldest";
    assert_eq!(rows(&mut browser, both).await, 3);
    let page = browser.get(&format!("{both}&limit=2")).await.expect(200);
    assert!(page.has("table[aria-label='Dead letters, oldest first']"));
    let next = select("a[rel=next]");
    let href = page
        .page()
        .select(&next)
        .next()
        .and_then(|link| link.value().attr("href").map(str::to_owned));
    let href = href.expect("another page");
    for kept in ["sort=oldest", "queue=render", "label=render_in_progress"] {
        assert!(href.contains(kept), "{href}");
    }
    let page = browser.get(&href).await.expect(200);
    assert_eq!(page.page().select(&select("tr[data-message]")).count(), 1);
    assert!(page.has("a.chip[data-filter=queue]") && !page.has("a.chip[data-filter=sort]"));
}

async fn words_of_the_error_and_ids_are_found_from_the_page(backend: Backend, database: Database) {
    let app = TestApp::start(backend, database, Config::default()).await;
    filled(&app).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    for (query, found) in [
        ("q=space%20left", 4),
        ("q=op_1", 6),
        ("q=space&queue=delivery", 0),
        ("age=1h", 2),
        ("age=over-24h", 0),
        ("q=nothing%20says%20so", 0),
        ("category=storage_full&age=24h", 4),
    ] {
        assert_eq!(
            rows(&mut browser, &format!("/dead-letters?{query}")).await,
            found,
            "{query}"
        );
    }
    let page = browser.get("/dead-letters?q=space&age=24h").await.expect(200);
    let document = page.page();
    let chips: Vec<String> = document
        .select(&select("a.chip > span:first-child"))
        .map(|chip| chip.text().collect())
        .collect();
    assert_eq!(chips, ["search space", "died in the last 24 h"]);
    for wrong in ["age=1y", "sort=up", "group=owner", "age=over-7d&from=2099-01-01"] {
        browser.get(&format!("/dead-letters?{wrong}")).await.expect(400);
    }
}

async fn a_message_without_a_category_is_found_by_its_group(backend: Backend, database: Database) {
    let app = TestApp::start(backend, database, Config::default()).await;
    filled(&app).await;
    for n in 31..=32 {
        let silent = Letter {
            n,
            error: None,
            died_at: Utc::now(),
            ..Letter::default()
        };
        bury(&app.office.database, &silent).await;
    }
    let mut browser = app.signed_in(Role::Viewer).await;
    let grouped = browser.get("/dead-letters?group=category").await.expect(200);
    let groups = claims(&grouped, "tr[data-category]", "a", "td");
    let silent = ("/dead-letters?category=none".to_owned(), 2);
    assert!(groups.contains(&silent), "{groups:?}");
    for (href, claimed) in &groups {
        assert_eq!(rows(&mut browser, href).await, *claimed, "{href}");
    }
    let page = browser.get(&silent.0).await.expect(200);
    assert!(page.body.contains("not stated"), "the chip says it in words");
    assert!(page.has("select[name=category] option[value=none][selected]"));
    // A word of the page, and none of the contract.
    app.get(Role::Viewer, "/api/v1/dead-letters?category=none")
        .await
        .refused(400, "invalid_request");
}

async fn the_figures_at_the_head_lead_to_their_rows(backend: Backend, database: Database) {
    let config = Config::from_parts(Some(CONFIG), &[], &Flags::default()).expect("a configuration");
    let app = TestApp::start(backend, database, config).await;
    let record = |phase: &str, dispatch: &str, remote: serde_json::Value| {
        json!({"provider": "genace", "owner": "studio", "specification": {"id": "s", "revision": 1}, "account": "main",
            "phase": phase, "dispatch": dispatch, "remote": remote, "charge": {"state": "charged", "charged": "12"}})
    };
    let job = |n: i64, execution: &str| json!({"job_id": format!("gj_{n}"), "execution": execution});
    let records = [
        record("failed", "sent", job(1, "failed")),
        record("failed", "sent", job(2, "failed")),
        record("accepted", "sent", job(3, "running")),
        record("submitting", "outcome_unknown", json!({})),
    ];
    for (n, record) in records.iter().enumerate() {
        let path = format!("/api/v1/operations/op_{n}");
        app.put(Role::Reporter, &path, record).await.expect(201);
    }
    let order = json!({"revision": 1, "action": "observe", "reason": "is it there?", "job_id": "gj_3"});
    app.post(Role::Operator, "/api/v1/operations/op_2/recoveries", &order)
        .await
        .expect(202);
    let mut browser = app.signed_in(Role::Viewer).await;
    let desk = browser.get("/dead-letters").await.expect(200);
    let figures = claims(&desk, "[data-fact]", "a", "b");
    assert_eq!(
        figures.iter().map(|(_, count)| *count).collect::<Vec<_>>(),
        [1, 2, 1],
        "{}",
        desk.body
    );
    for (href, claimed) in &figures {
        let page = browser.get(href).await.expect(200);
        let found = page.page().select(&select("tbody tr")).count();
        assert_eq!(found, *claimed, "{href}");
        assert!(page.has("a.chip"), "{href}: what is chosen can be removed");
    }
    for wrong in ["/operations?counted=all", "/recoveries?state=ended"] {
        browser.get(wrong).await.expect(400);
    }
    for closed in ["/operations?counted=possibly_billed", "/recoveries?state=active"] {
        app.get(Role::Viewer, &format!("/api/v1{closed}"))
            .await
            .refused(400, "invalid_request");
    }
}

async fn a_message_is_folded_and_says_how_much_it_hides(backend: Backend, database: Database) {
    let app = TestApp::start(backend, database, Config::default()).await;
    filled(&app).await;
    let args = json!({"operation_id": "op_1", "prompt": "a lighthouse in fog", "api_key": "sk-live-4711",
        "output_url": "https://cdn.example.test/a.mp4?X-Amz-Signature=0f1e2d3c", "model": "lumen-1"});
    let letter = Letter {
        n: 77,
        args: &args.to_string(),
        died_at: Utc::now(),
        ..Letter::default()
    };
    let id = bury(&app.office.database, &letter).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    // Nothing runs beside this office: the desk's own reading finds what the message says.
    browser.get("/dead-letters?q=op_1").await.expect(200);
    let operation = browser.get("/operations/op_1").await.expect(200);
    let fold = format!("section[data-message='{id}'] > details:not([open]) > summary");
    let document = operation.page();
    let summary = document.select(&select(&fold)).next().expect("it is folded");
    let words: String = summary.text().collect();
    assert!(words.contains("3 values hidden"), "{words}");
    let message = browser.get(&format!("/dead-letters/{id}")).await.expect(200);
    assert!(message.body.contains("3 values hidden"), "{}", message.body);
    for page in [&operation, &message] {
        for secret in ["lighthouse", "sk-live-4711", "0f1e2d3c"] {
            assert!(!page.body.contains(secret), "{secret}");
        }
        assert!(page.body.contains("lumen-1"), "what is no secret is shown");
    }
}

/// The largest sizes in bytes: a page and the sheet compressed, the script as it is.
const DESK: usize = 30_000;
const SHEET: usize = 20_000;
const SCRIPT: usize = 10_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_desk_with_fifty_rows_is_light() {
    let Some((backend, database)) = Backend::open(Kind::Memory).await else {
        return;
    };
    let app = TestApp::start(backend, database, Config::default()).await;
    for n in 0..60_u128 {
        // Ids as applications make them: nothing in them repeats.
        let id = format!("op_{}", uuid::Uuid::new_v4().simple());
        let (phase, dispatch, remote) = match n % 4 {
            0 => (
                "succeeded",
                "sent",
                json!({"job_id": format!("gj_{n}"), "execution": "succeeded",
                "outputs": [{"index": 0, "content_type": "image/png"}]}),
            ),
            1 => (
                "failed",
                "sent",
                json!({"job_id": format!("gj_{n}"), "execution": "failed", "reason": "moderation"}),
            ),
            2 => ("submitting", "outcome_unknown", json!({})),
            _ => (
                "accepted",
                "sent",
                json!({"job_id": format!("gj_{n}"), "execution": "running"}),
            ),
        };
        let record = json!({"provider": "genace", "owner": "studio", "specification": {"id": "s", "revision": 1},
            "phase": phase, "dispatch": dispatch, "remote": remote, "charge": {"state": "charged", "charged": "12"}});
        app.put(Role::Reporter, &format!("/api/v1/operations/{id}"), &record)
            .await
            .expect(201);
        let args = json!({"operation_id": id}).to_string();
        let letter = Letter {
            // Ids of messages do not repeat either.
            n: uuid::Uuid::new_v4().as_u128() >> 8,
            args: &args,
            died_at: Utc::now() - Duration::minutes(i64::try_from(n).expect("small") * 40),
            ..Letter::default()
        };
        bury(&app.office.database, &letter).await;
    }
    let mut browser = app.signed_in(Role::Viewer).await;
    let page = browser.get("/dead-letters").await.expect(200);
    let document = page.page();
    assert_eq!(document.select(&select("tr[data-message]")).count(), 50);
    assert_eq!(document.select(&select("script")).count(), 1, "one script");
    assert_eq!(
        document
            .select(&select("script:not([src^='/assets/app.'])"))
            .count(),
        0,
        "none inline"
    );
    assert_eq!(document.select(&select("link[rel=stylesheet]")).count(), 1);
    let attribute = |selector: &str, name: &str| {
        let found = document.select(&select(selector)).next().expect("it is there");
        found.value().attr(name).expect("an address").to_owned()
    };
    let (sheet, script) = (
        attribute("link[rel=stylesheet]", "href"),
        attribute("script", "src"),
    );
    let size = async |path: &str, encoding: &str| {
        let request = app
            .client
            .get(app.url(path))
            .header("cookie", browser.cookie.as_deref().expect("signed in"))
            .header("accept-encoding", encoding);
        let answer = request.send().await.expect("sent");
        assert_eq!(answer.status(), 200, "{path}");
        answer.bytes().await.expect("bytes").len()
    };
    for encoding in ["br", "gzip"] {
        let desk = size("/dead-letters", encoding).await;
        let css = size(&sheet, encoding).await;
        println!("desk {desk} B, sheet {css} B in {encoding}");
        assert!(desk <= DESK, "the desk has {desk} bytes in {encoding}");
        assert!(css <= SHEET, "the sheet has {css} bytes in {encoding}");
    }
    let plain = size(&script, "identity").await;
    println!("script {plain} B, {} B in br", size(&script, "br").await);
    assert!(plain <= SCRIPT, "the script has {plain} bytes");
}

/// The text of the rows, clocks in their readers' zones.
fn clocks(page: &Answer) -> Vec<String> {
    let document = page.page();
    let clocks = select("tr[data-message] small time");
    let found = document.select(&clocks);
    found.map(|clock| clock.text().collect()).collect()
}

/// Rows are rendered once for all who ask in the same second: in each zone, for each filter, and only while nothing was
/// changed by anybody.
async fn rows_that_were_rendered_before_are_the_readers_own_and_true(backend: Backend, database: Database) {
    let app = TestApp::start(backend, database, Config::default()).await;
    let letter = |n, queue| Letter {
        n,
        queue,
        died_at: Utc::now() - Duration::hours(3),
        ..Letter::default()
    };
    bury(&app.office.database, &letter(1, "render")).await;
    let mut here = app.signed_in(Role::Viewer).await;
    let mut there = app.signed_in(Role::Operator).await;
    let page = there.get("/preferences").await.expect(200);
    let prefer = form(&page, "form[data-action=prefer]");
    let other = ["theme", "density", "shortcuts", "zone", "zone_name"];
    let kept = prefer
        .1
        .iter()
        .filter(|(name, _)| !other.contains(&name.as_str()));
    let kept = (prefer.0.clone(), kept.cloned().collect());
    let far = [
        ("theme", "dark"),
        ("density", "dense"),
        ("zone", "named"),
        ("zone_name", "Asia/Kolkata"),
    ];
    assert_eq!(send(&mut there, &kept, &far).await, "/preferences?done=preferred");
    for round in 0..6 {
        let mine = clocks(&here.get("/dead-letters").await.expect(200));
        let theirs = clocks(&there.get("/dead-letters").await.expect(200));
        assert_eq!((mine.len(), theirs.len()), (1, 1), "{round}");
        assert_ne!(mine, theirs, "half past in Kolkata is no full hour's distance");
    }
    // Another letter, by somebody who does not speak to us.
    bury(&app.office.database, &letter(2, "delivery")).await;
    assert_eq!(clocks(&here.get("/dead-letters").await.expect(200)).len(), 2);
    assert_eq!(clocks(&there.get("/dead-letters").await.expect(200)).len(), 2);
    assert_eq!(
        clocks(&here.get("/dead-letters?queue=delivery").await.expect(200)).len(),
        1
    );
}
