//! Records over HTTP: awkward ids, preconditions, keys, and the same record on its pages.

use crate::support::app::TestApp;
use crate::support::backend::Backend;
use app::domain::money::ChargeState;
use app::domain::operation::{Dispatch, ErrorCategory, OperationError, Phase, SpecificationRef};
use app::domain::remote::{CopyState, Execution, Fetch, Output, Reason};
use app::domain::role::Role;
use serde_json::{Value, json};
use server::api::bodies::{
    ChargeReport, CopyReport, OperationReport, OwnerReport, RemoteReport, SpecificationReport,
};
use server::config::Config;
use server::database::Database;

crate::on_every_backend!(
    an_awkward_id_travels_everywhere,
    preconditions_hold_the_revision,
    a_key_gives_the_first_answer_again,
    refusals_come_in_their_order,
    pages_show_the_record,
    described_bodies_are_read,
);

async fn start(backend: Backend, database: Database) -> TestApp {
    TestApp::start(backend, database, Config::default()).await
}

/// A record whose plan is `reconcile`: nobody knows whether it was sent.
fn unknown_outcome() -> Value {
    json!({
        "provider": "genace", "account": "main", "owner": "o1", "specification": {"id": "s1", "revision": 1},
        "phase": "submitting", "dispatch": "outcome_unknown",
    })
}

const AWKWARD: &str = "/api/v1/operations/a%2Fb%20c";

async fn an_awkward_id_travels_everywhere(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let made = app
        .put(Role::Reporter, AWKWARD, &unknown_outcome())
        .await
        .expect(201);
    assert_eq!(made.header("etag"), "\"1\"");
    assert_eq!(made.json()["id"], "a/b c");
    let plan = app
        .get(Role::Viewer, &format!("{AWKWARD}/plan"))
        .await
        .expect(200)
        .json();
    assert_eq!(
        (&plan["operation_id"], &plan["action"]),
        (&json!("a/b c"), &json!("reconcile"))
    );
    assert_eq!(plan["revision"], 1);
    let listed = app
        .get(Role::Viewer, "/api/v1/operations?q=a%2Fb%20c")
        .await
        .expect(200)
        .json();
    assert_eq!(listed["items"][0]["id"], "a/b c");
    for id in ["%C3%BC%E2%80%AE", "..%2F..", "%3Cb%3E", "100%25"] {
        let path = format!("/api/v1/operations/{id}");
        let made = app
            .put(Role::Reporter, &path, &unknown_outcome())
            .await
            .expect(201)
            .json();
        let shown = app.get(Role::Viewer, &path).await.expect(200).json();
        assert_eq!(made["id"], shown["id"]);
    }
    app.put(Role::Reporter, "/api/v1/operations/a%00b", &unknown_outcome())
        .await
        .refused(400, "bad_id");
    app.get(Role::Viewer, "/api/v1/operations/nobody")
        .await
        .refused(404, "not_found");
    app.get(Role::Viewer, "/api/v1/operations/nobody/plan")
        .await
        .refused(404, "not_found");
}

async fn preconditions_hold_the_revision(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.put(Role::Reporter, AWKWARD, &unknown_outcome())
        .await
        .expect(201);
    app.put(Role::Reporter, AWKWARD, &unknown_outcome())
        .await
        .refused(412, "already_exists");
    app.put(Role::Reporter, "/api/v1/operations/x", &json!({"colour": "red"}))
        .await
        .refused(422, "invalid_record");
    let report = json!({"phase": "accepted", "remote": {"job_id": "gj_1"}});
    let changed = app.patch(Role::Reporter, AWKWARD, 1, &report).await.expect(200);
    assert_eq!(
        (changed.header("etag"), &changed.json()["revision"]),
        ("\"2\"", &json!(2))
    );
    app.patch(Role::Reporter, AWKWARD, 1, &report)
        .await
        .refused(412, "revision_mismatch");
    app.patch(Role::Reporter, AWKWARD, 2, &json!({"phase": "prepared"}))
        .await
        .refused(422, "phase_regression");
    app.patch(Role::Reporter, "/api/v1/operations/nobody", 1, &report)
        .await
        .refused(404, "not_found");
    let shown = app.get(Role::Viewer, AWKWARD).await.expect(200);
    assert_eq!(shown.header("etag"), "\"2\"");
}

async fn a_key_gives_the_first_answer_again(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.put(Role::Reporter, AWKWARD, &unknown_outcome())
        .await
        .expect(201);
    let path = format!("{AWKWARD}/decisions");
    let order = json!({"revision": 1, "decision": "close_unresolved", "reason": "nobody knows"});
    let first = app
        .post_with_key(Role::Operator, &path, &order, "k1")
        .await
        .expect(200);
    let again = app
        .post_with_key(Role::Operator, &path, &order, "k1")
        .await
        .expect(200);
    assert_eq!(first.json(), again.json());
    assert_eq!(first.json()["revision"], 2);
    let other = json!({"revision": 2, "decision": "reopen", "reason": "somebody knows"});
    app.post_with_key(Role::Operator, &path, &other, "k1")
        .await
        .refused(422, "idempotency_conflict");
    app.post_with_key(Role::Operator, &path, &other, "k2")
        .await
        .expect(200);
    // A refusal is not stored: the same key may be used again when it has become right.
    let stale = json!({"revision": 1, "decision": "close_unresolved", "reason": "again"});
    let refused = app
        .post_with_key(Role::Operator, &path, &stale, "k3")
        .await
        .refused(409, "plan_stale");
    assert_eq!(refused["plan"]["revision"], 3);
    let fresh = json!({"revision": 3, "decision": "close_unresolved", "reason": "again"});
    app.post_with_key(Role::Operator, &path, &fresh, "k3")
        .await
        .expect(200);
}

async fn refusals_come_in_their_order(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.put(Role::Reporter, AWKWARD, &unknown_outcome())
        .await
        .expect(201);
    let path = format!("{AWKWARD}/recoveries");
    let order = |revision: i64, action: &str| json!({"revision": revision, "action": action, "reason": "x"});
    app.post(
        Role::Operator,
        "/api/v1/operations/nobody/recoveries",
        &order(1, "observe"),
    )
    .await
    .refused(404, "not_found");
    let stale = app
        .post(Role::Operator, &path, &order(7, "reconcile"))
        .await
        .refused(409, "plan_stale");
    assert_eq!(stale["plan"]["operation_id"], "a/b c");
    app.post(Role::Operator, &path, &order(1, "deliver"))
        .await
        .refused(409, "plan_stale");
    app.post(Role::Operator, &path, &order(1, "reconcile"))
        .await
        .refused(422, "use_decision");
    let not_here = json!({"revision": 1, "decision": "reopen", "reason": "x"});
    app.post(Role::Operator, &format!("{AWKWARD}/decisions"), &not_here)
        .await
        .refused(422, "not_allowed_here");
    let needs_approver = json!({"revision": 1, "decision": "confirm_not_sent", "reason": "x", "evidence": "the provider said so"});
    app.post(Role::Operator, &format!("{AWKWARD}/decisions"), &needs_approver)
        .await
        .refused(403, "role_required");
    let uuid = "00000000-0000-4000-8000-000000000000";
    app.get(Role::Viewer, &format!("/api/v1/dead-letters/{uuid}"))
        .await
        .refused(404, "not_found");
    app.get(Role::Viewer, "/api/v1/dead-letters/nonsense")
        .await
        .refused(400, "bad_id");
    app.get(Role::Viewer, "/api/v1/dead-letters?cursor=nonsense")
        .await
        .refused(400, "invalid_request");
    app.get(Role::Viewer, "/api/v1/operations?cursor=nonsense")
        .await
        .refused(400, "invalid_request");
    app.get(Role::Viewer, "/api/v1/recoveries?cursor=nonsense")
        .await
        .refused(400, "invalid_request");
    app.get(Role::Viewer, "/api/v1/audit?cursor=nonsense")
        .await
        .refused(400, "invalid_request");
    app.get(Role::Viewer, &format!("/api/v1/recoveries/{uuid}"))
        .await
        .refused(404, "not_found");
    let reason = json!({"reason": "x"});
    app.post(
        Role::Operator,
        &format!("/api/v1/dead-letters/{uuid}/replay"),
        &reason,
    )
    .await
    .refused(404, "not_found");
    let purge = json!({"reason": "x", "confirm": uuid});
    let purged = app
        .post(
            Role::Approver,
            &format!("/api/v1/dead-letters/{uuid}/purge"),
            &purge,
        )
        .await
        .expect(200);
    assert_eq!(purged.json()["purged"], false);
    let audit = app.get(Role::Viewer, "/api/v1/audit").await.expect(200).json();
    assert!(audit["items"].as_array().is_some_and(|items| !items.is_empty()));
    let queues = app.get(Role::Viewer, "/api/v1/queues").await.expect(200).json();
    assert_eq!(queues["totals"]["dead_letter"], 0);
}

async fn pages_show_the_record(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.put(Role::Reporter, AWKWARD, &unknown_outcome())
        .await
        .expect(201);
    let mut browser = app.signed_in(Role::Operator).await;
    for path in [
        "/dead-letters",
        "/operations",
        "/operations/a%2Fb%20c",
        "/operations/a%2Fb%20c/review",
        "/recoveries",
        "/queues",
        "/audit",
    ] {
        let page = browser.get(path).await.expect(200);
        assert!(
            page.has("main") && page.has("[data-role=operator]"),
            "{path}: {}",
            page.body
        );
        assert!(!page.has("script:not([src])"), "{path}: nothing is inline");
    }
    let page = browser.get("/operations/nobody").await.expect(404);
    assert!(page.has("[data-code=not_found]"), "{}", page.body);
    browser.get("/dead-letters/nonsense").await.expect(400);
    browser.get("/dead-letters?label=made_up").await.expect(400);
    // A decision by a plain form, end to end.
    let review = browser.get("/operations/a%2Fb%20c/review").await.expect(200);
    assert!(review.has("form[method=post]"), "{}", review.body);
}

/// Every field that the description names is one that the server knows.
async fn described_bodies_are_read(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let now = chrono::Utc::now();
    let report = OperationReport {
        provider: Some("genace".to_owned()),
        account: Some("main".to_owned()),
        owner: Some("o1".to_owned()),
        specification: Some(SpecificationRef {
            id: "s1".to_owned(),
            revision: 1,
        }),
        model: Some("m1".to_owned()),
        phase: Some(Phase::Succeeded),
        dispatch: Some(Dispatch::Sent),
        remote: Some(RemoteReport {
            job_id: Some("gj_1".to_owned()),
            fetch: Some(Fetch::Ok),
            execution: Some(Execution::Succeeded),
            reason: Some(Reason::None),
            raw_status: Some("succeeded".to_owned()),
            outputs: Some(vec![Output {
                index: 0,
                content_type: Some("image/png".to_owned()),
            }]),
            outputs_expected: Some(1),
            empty_observations: Some(0),
            observed_at: Some(now),
        }),
        charge: Some(ChargeReport {
            state: Some(ChargeState::Charged),
            reserved: Some("4".to_owned()),
            charged: Some("4.50".to_owned()),
            refunded: Some("0".to_owned()),
        }),
        outputs: Some(vec![CopyReport {
            index: 0,
            state: CopyState::Failed,
            storage_key: None,
            bytes: None,
            sha256: None,
            category: Some(ErrorCategory::StorageFull),
        }]),
        error: Some(OperationError {
            category: ErrorCategory::StorageFull,
            detail: Some("no space".to_owned()),
        }),
        dispatch_proof: None,
        parent: None,
    };
    let body = serde_json::to_value(&report).expect("JSON");
    let made = app.put(Role::Reporter, AWKWARD, &body).await.expect(201).json();
    assert_eq!(
        (&made["label"], &made["charge"]["charged"]),
        (&json!("local_delivery_failure"), &json!("4.50"))
    );
    let owner = OwnerReport {
        authorized: true,
        remaining_credits: "100.5".to_owned(),
        as_of: Some(now),
    };
    let body = serde_json::to_value(&owner).expect("JSON");
    app.put(Role::Reporter, "/api/v1/owners/o1", &body)
        .await
        .expect(200);
    let specification = SpecificationReport {
        current_revision: 1,
        model: Some("m1".to_owned()),
        model_available: true,
        active: true,
        estimated_credits: "4".to_owned(),
        body: Some(json!({"prompt": "a secret wish"})),
        as_of: Some(now),
    };
    let body = serde_json::to_value(&specification).expect("JSON");
    let kept = app
        .put(Role::Reporter, "/api/v1/specifications/s1", &body)
        .await
        .expect(200);
    assert!(!kept.body.contains("secret wish"), "{}", kept.body);
}
