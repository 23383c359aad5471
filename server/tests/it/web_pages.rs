//! Pages and their forms, as a browser without scripts uses them: it sends what the page holds, and follows where it leads.

use crate::support::app::{Answer, Browser, TestApp, fresh_key};
use crate::support::backend::Backend;
use crate::support::provider::Stage;
use app::domain::role::Role;
use scraper::Selector;
use serde_json::{Value, json};
use server::database::Database;

crate::on_every_backend!(
    every_page_of_an_empty_office_answers,
    a_plan_is_reviewed_confirmed_once_and_cancelled,
    a_decision_is_recorded_and_a_stale_one_comes_back,
    a_viewer_sees_everything_and_orders_nothing,
    a_second_person_approves_on_a_page,
    awkward_addresses_are_told_what_is_wrong,
);

pub async fn start(backend: Backend, database: Database) -> (TestApp, Stage) {
    let stage = Stage::new("").await;
    let app = TestApp::start(backend, database, stage.config.clone()).await;
    (app, stage)
}

/// An operation as the application reports it.
pub async fn reported(app: &TestApp, path: &str, fields: Value) {
    let mut body = json!({
        "provider": "genace", "owner": "studio", "specification": {"id": "spec_1", "revision": 1},
    });
    for (name, value) in fields.as_object().expect("fields") {
        body[name] = value.clone();
    }
    app.put(Role::Reporter, path, &body).await.expect(201);
}

/// What a form on a page would send: its action, and every field as the page holds it.
#[track_caller]
pub fn form(page: &Answer, selector: &str) -> (String, Vec<(String, String)>) {
    let document = page.page();
    let select = |text: &str| Selector::parse(text).expect("a selector");
    let form = document
        .select(&select(selector))
        .next()
        .unwrap_or_else(|| panic!("no {selector}: {}", page.body));
    let action = form.value().attr("action").expect("an action").to_owned();
    let named = select("input[name]:not([type=checkbox]), textarea[name]");
    let fields = form.select(&named).map(|field| {
        let name = field.value().attr("name").unwrap_or_default().to_owned();
        let value = match field.value().attr("value") {
            Some(value) => value.to_owned(),
            None => field.text().collect(),
        };
        (name, value)
    });
    (action, fields.collect())
}

/// Sends a form with some fields filled in; answers where it leads, without the fragment.
pub async fn send(
    browser: &mut Browser<'_>,
    form: &(String, Vec<(String, String)>),
    filled: &[(&str, &str)],
) -> String {
    let (action, fields) = form;
    let mut fields: Vec<(&str, &str)> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    for (name, value) in filled {
        fields.retain(|(own, _)| own != name);
        fields.push((name, value));
    }
    let answer = browser.form(action, &fields).await.expect(303);
    let location = answer.header("location");
    location.split('#').next().unwrap_or_default().to_owned()
}

async fn every_page_of_an_empty_office_answers(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    for path in ["/dead-letters", "/operations", "/recoveries", "/queues", "/audit"] {
        let page = browser.get(path).await.expect(200);
        assert!(page.has("main#main") && page.has("h1"), "{path}: {}", page.body);
        assert!(page.has("title"), "{path}");
        assert!(
            page.body.matches("<script").count() == 1 && !page.body.contains(" style="),
            "{path}"
        );
    }
    assert!(browser.get("/dead-letters").await.has("[data-empty-state=never]"));
    assert!(
        browser
            .get("/dead-letters?label=closed")
            .await
            .has("[data-empty-state=filtered]")
    );
}

async fn a_plan_is_reviewed_confirmed_once_and_cancelled(backend: Backend, database: Database) {
    let (app, stage) = start(backend, database).await;
    let fields = json!({"phase": "accepted", "dispatch": "sent", "remote": {"job_id": "gj_1"}});
    reported(&app, "/api/v1/operations/a%2Fb%20c", fields).await;
    let mut browser = app.signed_in(Role::Operator).await;

    let page = browser.get("/operations/a%2Fb%20c").await.expect(200);
    assert!(
        page.has("main[data-operation='a/b c'][data-label=render_in_progress]"),
        "{}",
        page.body
    );
    assert!(
        page.has("[data-plan=observe][data-allowed=true]"),
        "{}",
        page.body
    );
    let review = browser.get("/operations/a%2Fb%20c/review").await.expect(200);
    let confirm = form(&review, "form[data-action=observe]");
    let without_reason = send(&mut browser, &confirm, &[]).await;
    assert!(
        without_reason.contains("refused=invalid_request"),
        "{without_reason}"
    );

    let recovery = send(&mut browser, &confirm, &[("reason", "is it still there?")]).await;
    assert!(recovery.starts_with("/recoveries/"), "{recovery}");
    let again = send(&mut browser, &confirm, &[("reason", "is it still there?")]).await;
    assert_eq!(again, recovery, "the same page sent twice is one order");
    let page = browser.get(&recovery).await.expect(200);
    assert!(page.has("main[data-state=requested]"), "{}", page.body);
    let listed = browser.get("/recoveries").await.expect(200);
    assert!(
        listed.has("tr[data-recovery][data-state=requested][data-action=observe]"),
        "{}",
        listed.body
    );

    let key = fresh_key();
    let busy = send(
        &mut browser,
        &confirm,
        &[("reason", "once <more>"), ("key", &key)],
    )
    .await;
    assert!(busy.contains("refused="), "{busy}");
    let back = browser.get(&busy).await.expect(200);
    assert!(back.has("[role=alert][data-code]"), "{}", back.body);
    let (_, kept) = form(&back, "form[data-action=observe]");
    assert!(
        kept.contains(&("reason".to_owned(), "once <more>".to_owned())),
        "{kept:?}"
    );

    let cancel = form(&page, "form[data-action=cancel]");
    let cancelled = send(&mut browser, &cancel, &[("reason", "not now")]).await;
    let page = browser.get(&cancelled).await.expect(200);
    assert!(page.has("main[data-state=cancelled]"), "{}", page.body);
    assert!(!page.has("form[data-action=cancel]"), "{}", page.body);
    let audit = browser.get("/audit?operation=a%2Fb%20c").await.expect(200);
    assert!(audit.body.contains("is it still there?"), "{}", audit.body);
    assert_eq!(stage.fixture.counts().method("POST"), 0, "nothing was ever sent");
}

async fn a_decision_is_recorded_and_a_stale_one_comes_back(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let fields = json!({"phase": "submitting", "dispatch": "outcome_unknown"});
    reported(&app, "/api/v1/operations/op_1", fields).await;
    let mut browser = app.signed_in(Role::Operator).await;
    let page = browser.get("/operations/op_1").await.expect(200);
    assert!(page.has("[data-plan=reconcile]"), "{}", page.body);
    let close = form(&page, "form[data-decision=close_unresolved]");
    let done = send(&mut browser, &close, &[("reason", "nobody knows")]).await;
    assert_eq!(done, "/operations/op_1?done=decided");
    let page = browser.get(&done).await.expect(200);
    assert!(
        page.has("main[data-label=closed]") && page.has("[data-notice=done]"),
        "{}",
        page.body
    );
    let key = fresh_key();
    let stale = send(&mut browser, &close, &[("reason", "late"), ("key", &key)]).await;
    assert!(stale.contains("refused=plan_stale"), "{stale}");
    let back = browser.get(&stale).await.expect(200);
    assert!(back.has("[data-code=plan_stale]"), "{}", back.body);
    let reopen = form(&back, "form[data-decision=reopen]");
    let open = send(&mut browser, &reopen, &[("reason", "it was found")]).await;
    let page = browser.get(&open).await.expect(200);
    assert!(
        page.has("main[data-label=submission_outcome_unknown]"),
        "{}",
        page.body
    );
}

async fn a_viewer_sees_everything_and_orders_nothing(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let fields = json!({"phase": "accepted", "dispatch": "sent", "remote": {"job_id": "gj_2"}});
    reported(&app, "/api/v1/operations/op_2", fields).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    let review = browser.get("/operations/op_2/review").await.expect(200);
    assert!(
        review.has("form[data-action=observe] button[type=submit][disabled]"),
        "{}",
        review.body
    );
    assert!(
        review.has("[data-guard=operator_permitted][data-verdict=block]"),
        "{}",
        review.body
    );
    let confirm = form(&review, "form[data-action=observe]");
    let refused = send(&mut browser, &confirm, &[("reason", "let me")]).await;
    assert!(refused.contains("refused=role_required"), "{refused}");
    assert!(browser.get("/recoveries").await.has("[data-empty-state=never]"));
}

async fn awkward_addresses_are_told_what_is_wrong(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    for (path, status, code) in [
        ("/operations/nobody", 404, "not_found"),
        ("/operations/nobody/review", 404, "not_found"),
        ("/operations/%3C%2Ftitle%3E%3Cscript%3E", 404, "not_found"),
        (
            "/dead-letters/00000000-0000-4000-8000-000000000000",
            404,
            "not_found",
        ),
        ("/dead-letters/zz", 400, "bad_id"),
        (
            "/recoveries/00000000-0000-4000-8000-000000000000",
            404,
            "not_found",
        ),
        ("/dead-letters?label=nope", 400, "invalid_request"),
        ("/dead-letters?made_up=1", 400, "invalid_request"),
        (
            "/dead-letters?from=2026-12-01&to=2026-11-01",
            400,
            "invalid_request",
        ),
        ("/dead-letters?cursor=nonsense", 400, "invalid_request"),
        ("/operations?phase=nope", 400, "invalid_request"),
        ("/recoveries?state=nope", 400, "invalid_request"),
        ("/audit?limit=1000", 400, "invalid_request"),
    ] {
        let page = browser.get(path).await.expect(status);
        assert!(
            page.has(&format!("main[data-code={code}]")),
            "{path}: {}",
            page.body
        );
        assert_eq!(page.body.matches("<script").count(), 1, "{path}: {}", page.body);
    }
}

async fn a_second_person_approves_on_a_page(backend: Backend, database: Database) {
    let stage = Stage::new("[approvals]\ndispatch = 2\n").await;
    let app = TestApp::start(backend, database, stage.config.clone()).await;
    let now = chrono::Utc::now().to_rfc3339();
    let owner = json!({"authorized": true, "remaining_credits": "100", "as_of": now});
    let specification = json!({
        "current_revision": 1, "model": null, "model_available": true, "active": true, "estimated_credits": "12",
        "body": {"prompt": "a red fox"},
    });
    for (path, body) in [
        ("/api/v1/owners/studio", owner),
        ("/api/v1/specifications/spec_1", specification),
    ] {
        let put = app
            .client
            .put(app.url(path))
            .bearer_auth(app.token(Role::Reporter))
            .json(&body);
        app.send(put).await.expect(200);
    }
    let fields = json!({"phase": "prepared", "dispatch": "confirmed_not_sent"});
    reported(&app, "/api/v1/operations/op_1", fields).await;

    let mut first = app.signed_in(Role::Approver).await;
    let review = first.get("/operations/op_1/review").await.expect(200);
    let confirm = form(&review, "form[data-action=dispatch]");
    let recovery = send(
        &mut first,
        &confirm,
        &[("reason", "it is wanted"), ("confirm", "op_1")],
    )
    .await;
    let page = first.get(&recovery).await.expect(200);
    assert!(page.has("main[data-state=awaiting_approval]"), "{}", page.body);
    let (own_page, _) = recovery.split_once('?').expect("the notice is in the query");
    let approval = format!("{own_page}/approve");
    assert!(
        page.has(&format!("a[data-approve][href='{approval}']")) && !page.has("form[data-action=approve]"),
        "the approval has a page of its own: {}",
        page.body
    );
    let page = first.get(&approval).await.expect(200);
    assert!(
        page.has("form[data-action=approve] button[type=submit][disabled]"),
        "the requester is told to ask somebody else: {}",
        page.body
    );
    let own = form(&page, "form[data-action=approve]");
    let refused = send(&mut first, &own, &[("reason", "mine")]).await;
    assert!(refused.contains("refused=role_required"), "{refused}");

    let mut operator = app.signed_in(Role::Operator).await;
    let seen = operator.get(&approval).await.expect(200);
    assert!(
        seen.has("form[data-action=approve] button[disabled]"),
        "{}",
        seen.body
    );

    let mut second = app.signed_in(Role::Approver).await;
    let page = second.get(&approval).await.expect(200);
    assert!(
        page.has(".effect a[autofocus]") && page.has("[data-guard]"),
        "the effect and its guards stand before the button, the focus on what does nothing: {}",
        page.body
    );
    assert!(
        page.has("form[data-action=approve] button:not([disabled])"),
        "{}",
        page.body
    );
    let approve = form(&page, "form[data-action=approve]");
    let without_reason = send(&mut second, &approve, &[]).await;
    assert!(
        without_reason.contains("refused=invalid_request"),
        "{without_reason}"
    );
    let done = send(&mut second, &approve, &[("reason", "I agree")]).await;
    assert!(done.ends_with("?done=approved"), "{done}");
    let page = second.get(&done).await.expect(200);
    assert!(page.has("main[data-state=requested]"), "{}", page.body);
    assert!(
        page.has("[data-notice=done]") && !page.has("a[data-approve]"),
        "{}",
        page.body
    );
    let over = second.get(&approval).await.expect(200);
    assert!(
        over.has("main[data-approval=false]") && !over.has("form[data-action=approve]"),
        "{}",
        over.body
    );
    assert_eq!(stage.fixture.counts().method("POST"), 0, "no worker is here");
}
