//! The record as it stood, and a plan that went stale while it was read.

use crate::support::backend::Backend;
use crate::web_pages::{form, reported, send, start};
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;
use server::values;

crate::on_every_backend!(a_revision_is_shown_as_it_stood, a_stale_plan_says_what_changed,);

async fn a_revision_is_shown_as_it_stood(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let fields = json!({"phase": "accepted", "dispatch": "sent", "remote": {"job_id": "gj_1"}});
    reported(&app, "/api/v1/operations/a%2Fb%20c", fields).await;
    let patch = json!({"phase": "succeeded", "remote": {"execution": "succeeded", "outputs_expected": 2}});
    app.patch(Role::Reporter, "/api/v1/operations/a%2Fb%20c", 1, &patch)
        .await
        .expect(200);
    let mut browser = app.signed_in(Role::Viewer).await;
    let page = browser.get("/operations/a%2Fb%20c").await.expect(200);
    assert!(page.has("a[href='/operations/a%2Fb%20c?at=1']"), "{}", page.body);
    let then = browser.get("/operations/a%2Fb%20c?at=1").await.expect(200);
    assert!(
        then.has("main[data-history='1'][data-revision='2']"),
        "{}",
        then.body
    );
    assert!(then.has("[data-notice=history]"), "{}", then.body);
    for field in ["phase", "execution", "outputs expected"] {
        assert!(
            then.has(&format!("tr[data-field='{field}'][data-differs=true]")),
            "{field}: {}",
            then.body
        );
    }
    assert!(
        !then.has("tr[data-field=owner][data-differs=true]"),
        "{}",
        then.body
    );
    assert!(
        !then.has("main form") && !then.has("main button"),
        "history offers nothing: {}",
        then.body
    );
    let now = browser.get("/operations/a%2Fb%20c?at=2").await.expect(200);
    assert!(now.has("[data-diff='0']"), "{}", now.body);
    browser.get("/operations/a%2Fb%20c?at=3").await.expect(404);
    browser.get("/operations/a%2Fb%20c?at=0").await.expect(404);
    browser.get("/operations/a%2Fb%20c?at=soon").await.expect(400);

    // A revision from before they were kept.
    let mut tx = app.office.database.write().await.expect("begin");
    tx.execute("DELETE FROM dlo_revisions WHERE revision = $1", values![1_i64])
        .await
        .expect("as an older program left it");
    tx.commit().await.expect("commit");
    let gone = browser.get("/operations/a%2Fb%20c?at=1").await.expect(200);
    assert!(gone.has("[data-not-kept]"), "{}", gone.body);
}

async fn a_stale_plan_says_what_changed(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let fields = json!({"phase": "accepted", "dispatch": "sent", "remote": {"job_id": "gj_1"}});
    reported(&app, "/api/v1/operations/op_1", fields).await;
    let mut browser = app.signed_in(Role::Operator).await;
    let review = browser.get("/operations/op_1/review").await.expect(200);
    let confirm = form(&review, "form[data-action=observe]");
    let patch = json!({"phase": "delivered"});
    app.patch(Role::Reporter, "/api/v1/operations/op_1", 1, &patch)
        .await
        .expect(200);
    // The alternative read is always allowed: the plan itself must be the stale one.
    let mut stale = confirm.clone();
    for (name, value) in &mut stale.1 {
        if name == "action" {
            *value = "deliver".to_owned();
        }
    }
    let back = send(&mut browser, &stale, &[("reason", "I read it a while ago")]).await;
    assert!(
        back.contains("refused=plan_stale") && back.contains("seen=1") && back.contains("was=deliver"),
        "{back}"
    );
    let page = browser.get(&back).await.expect(200);
    assert!(page.has("[data-stale='1'] [data-was=deliver]"), "{}", page.body);
    assert!(
        page.has("[data-stale] tr[data-field=phase][data-differs=true]"),
        "{}",
        page.body
    );
    assert!(
        page.has("[data-plan=acknowledge]"),
        "the new plan is offered: {}",
        page.body
    );
}
