//! One hidden field, shown once to somebody who may see it and says why; and to nobody else, in no other way.

use crate::queue::shared::{Letter, bury, project};
use crate::support::app::{Answer, Browser, TestApp};
use crate::support::backend::Backend;
use crate::support::raw;
use crate::web_pages::{form, send};
use app::domain::role::Role;
use server::config::{Config, Flags};
use server::database::Database;
use server::values;

crate::on_every_backend!(
    a_field_is_shown_once_with_a_reason,
    only_who_may_is_shown_a_field,
    nothing_is_revealed_unless_it_is_allowed,
);

const PROMPT: &str = "a heron over the Elbe, oil on canvas";
const KEY: &str = "Qz01Xk7Vb2Mw9Rt4Yp6Hd3Lf8Sj";

async fn start(backend: Backend, database: Database, policy: &str) -> (TestApp, String) {
    let text = format!("[policy]\n{policy}");
    let config = Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration");
    let app = TestApp::start(backend, database, config).await;
    // In the order in which PostgreSQL keeps the names.
    let args = format!(
        r#"{{"body": {{"note": "token={KEY} of ada@example.test"}}, "prompt": "{PROMPT}", "api_key": "{KEY}", "operation_id": "op_1"}}"#
    );
    let error = format!("ValueError: prompt='{PROMPT}', Authorization: Bearer {KEY}");
    let letter = Letter {
        args: &args,
        error: Some(&error),
        ..Letter::default()
    };
    let id = bury(&app.office.database, &letter).await.to_string();
    project(&app.office.database).await;
    (app, id)
}

/// The form for one field, as the page holds it.
fn asking(page: &Answer, field: &str) -> (String, Vec<(String, String)>) {
    form(
        page,
        &format!("details[data-field='{field}'] form[data-action=reveal]"),
    )
}

async fn reveal(browser: &mut Browser<'_>, id: &str, field: &str, reason: &str) -> String {
    let page = browser.get(&format!("/dead-letters/{id}")).await.expect(200);
    send(browser, &asking(&page, field), &[("reason", reason)]).await
}

/// Reasons of the audit's entries with this action.
async fn kept(app: &TestApp, action: &str) -> Vec<String> {
    let sql = format!("SELECT COALESCE(reason, '') FROM dlo_audit WHERE action = '{action}' ORDER BY seq");
    raw::texts(&app.office.database, &sql).await
}

async fn a_field_is_shown_once_with_a_reason(backend: Backend, database: Database) {
    let (app, id) = start(backend, database, "reveal = \"allow\"\n").await;
    let mut browser = app.signed_in(Role::Approver).await;
    let page = browser.get(&format!("/dead-letters/{id}")).await.expect(200);
    assert!(
        !page.body.contains("heron") && !page.body.contains(KEY) && !page.body.contains("ada@"),
        "{}",
        page.body
    );
    assert!(page.has("details[data-field='error']"), "{}", page.body);
    // The prompt and the note, and no key.
    let offered = page.page();
    let fields = scraper::Selector::parse("details[data-field] summary b").expect("a selector");
    let paths: Vec<String> = offered
        .select(&fields)
        .map(|path| path.text().collect())
        .collect();
    assert_eq!(paths, ["the error text", "body.note", "prompt"]);

    // Without a reason nothing happens.
    let back = reveal(&mut browser, &id, "args.1", "  ").await;
    assert!(back.contains("refused=invalid_request"), "{back}");
    let page = browser.get(&back).await.expect(200);
    assert!(
        page.has("details[open][data-field='args.1'] [role=alert][data-code=invalid_request]"),
        "{}",
        page.body
    );
    assert!(kept(&app, "revealed").await.is_empty());

    for (field, shown, hidden, path) in [
        ("args.1", PROMPT, KEY, "prompt"),
        ("args.0", "ada@example.test", KEY, "body.note"),
        ("error", PROMPT, KEY, "the error text"),
    ] {
        let to = reveal(&mut browser, &id, field, "The customer asks about it").await;
        assert!(
            to.starts_with(&format!("/dead-letters/{id}/revealed?ticket=")),
            "{to}"
        );
        let page = browser.get(&to).await.expect(200);
        assert!(
            page.body.contains(&shown.replace('\'', "&#39;")) && !page.body.contains(hidden),
            "{}",
            page.body
        );
        assert!(
            page.has(&format!("main[data-revealed='{field}']")) && !page.has("main [data-live]"),
            "{}",
            page.body
        );
        assert_eq!(page.header("cache-control"), "no-store");
        let again = browser.get(&to).await.expect(404);
        assert!(!again.body.contains(shown), "{}", again.body);
        assert_eq!(
            kept(&app, "revealed").await.last().map(String::as_str),
            Some(&*format!("{path}, because: The customer asks about it"))
        );
    }
    let who = raw::texts(
        &app.office.database,
        "SELECT dead_letter_id FROM dlo_audit WHERE action = 'revealed'",
    )
    .await;
    assert_eq!(who, [id.clone(), id.clone(), id.clone()]);

    // It is nowhere else: no list, no page, no table of ours, no answer of the API, no event.
    for path in [
        format!("/dead-letters/{id}"),
        "/dead-letters".to_owned(),
        "/audit".to_owned(),
        "/dead-letters?q=heron".to_owned(),
    ] {
        let page = browser.get(&path).await.expect(200);
        assert!(
            !page.body.contains("a heron") && !page.body.contains("ada@example"),
            "{path}: {}",
            page.body
        );
    }
    for path in [format!("/api/v1/dead-letters/{id}"), "/api/v1/audit".to_owned()] {
        let answer = app.get(Role::Admin, &path).await.expect(200);
        assert!(
            !answer.body.contains("a heron") && !answer.body.contains("ada@example"),
            "{path}"
        );
    }
    for sql in [
        "SELECT ticket || person || message_id || field FROM dlo_reveals",
        "SELECT data FROM dlo_sessions",
    ] {
        let rows = raw::texts(&app.office.database, sql).await.join(" ");
        assert!(!rows.contains("heron"), "{sql}: {rows}");
    }
}

async fn only_who_may_is_shown_a_field(backend: Backend, database: Database) {
    let (app, id) = start(backend, database, "reveal = \"allow\"\n").await;
    let path = format!("/dead-letters/{id}");
    let fields = [
        ("id", id.as_str()),
        ("field", "args.1"),
        ("reason", "I want to know"),
    ];
    for role in Role::ALL {
        let mut browser = app.signed_in(*role).await;
        let may = matches!(role, Role::Approver | Role::Admin);
        let page = browser.get(&path).await.expect(200);
        assert_eq!(page.has("form[data-action=reveal]"), may, "{role}");
        let to = browser
            .form("/forms/dead-letters/reveal", &fields)
            .await
            .expect(303);
        assert_eq!(
            to.header("location").contains("refused=role_required"),
            !may,
            "{role}: {}",
            to.header("location")
        );
    }
    assert_eq!(kept(&app, "revealed").await.len(), 2);
    let refused = kept(&app, "refused_reveal").await;
    assert_eq!(refused, ["role_required: I want to know"; 3]);

    let mut browser = app.signed_in(Role::Approver).await;
    // Another site cannot ask, and what is no field of it is none.
    let foreign = [("origin", "https://evil.test"), ("sec-fetch-site", "cross-site")];
    browser
        .form_with("/forms/dead-letters/reveal", &fields, &foreign)
        .await
        .expect(403);
    for field in ["args.2", "args.99", "api_key", "args.1 "] {
        let fields = [("id", id.as_str()), ("field", field), ("reason", "x")];
        let to = browser
            .form("/forms/dead-letters/reveal", &fields)
            .await
            .expect(303);
        assert!(
            to.header("location").contains("refused=not_found"),
            "{field}: {}",
            to.header("location")
        );
    }
    // A ticket is its person's, its message's, and young.
    let to = reveal(&mut browser, &id, "args.1", "x").await;
    app.signed_in(Role::Admin).await.get(&to).await.expect(404);
    let other = to.replace(&id, "00000000-0000-4000-8000-000000000099");
    browser.get(&other).await.expect(404);
    app.signed_in(Role::Viewer).await.get(&to).await.expect(403);
    let mut tx = app.office.database.write().await.expect("a transaction");
    let past = tx.now() - chrono::TimeDelta::seconds(1);
    tx.execute("UPDATE dlo_reveals SET expires_at = $1", values![past])
        .await
        .expect("changed");
    tx.commit().await.expect("kept");
    browser.get(&to).await.expect(404);
    let ticket = to.split("ticket=").nth(1).expect("a ticket").to_owned();
    let stored = raw::texts(&app.office.database, "SELECT ticket FROM dlo_reveals").await;
    assert!(
        !stored.is_empty() && !stored.contains(&ticket),
        "only its hash is there"
    );
}

async fn nothing_is_revealed_unless_it_is_allowed(backend: Backend, database: Database) {
    let (app, id) = start(backend, database, "").await;
    let mut browser = app.signed_in(Role::Admin).await;
    let page = browser.get(&format!("/dead-letters/{id}")).await.expect(200);
    assert!(!page.has("form[data-action=reveal]"), "{}", page.body);
    let fields = [
        ("id", id.as_str()),
        ("field", "args.1"),
        ("reason", "I want to know"),
    ];
    let to = browser
        .form("/forms/dead-letters/reveal", &fields)
        .await
        .expect(303);
    assert!(
        to.header("location").contains("refused=not_allowed_here"),
        "{}",
        to.header("location")
    );
    browser
        .get(&format!("/dead-letters/{id}/revealed?ticket=x"))
        .await
        .expect(404);
    assert_eq!(
        kept(&app, "refused_reveal").await,
        ["not_allowed_here: I want to know"]
    );
    let page = browser.get("/permissions").await.expect(200);
    assert!(page.body.contains("policy.reveal is"), "{}", page.body);
}
