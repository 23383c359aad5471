//! `PUT /owners/{id}` and `PUT /specifications/{id}`.

use crate::support::backend::Backend;
use crate::support::desk::Desk;
use app::desk::Code;
use app::domain::guard::{GuardName, Verdict};
use serde_json::{Value, json};
use server::database::Database;

crate::on_every_backend!(facts_are_read_exactly, creation_waits_for_facts);

fn owner() -> Value {
    json!({"authorized": true, "remaining_credits": "12.50", "as_of": "2026-05-04T10:00:00Z"})
}

fn specification() -> Value {
    json!({"current_revision": 3, "model": "m", "model_available": true, "active": true, "estimated_credits": 2.5,
        "body": {"prompt": "x"}})
}

async fn facts_are_read_exactly(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let office = &desk.office;
    let stands = office
        .put_owner(&desk.reporter, "o", &owner())
        .await
        .expect("stored");
    assert_eq!(stands.remaining_credits.to_string(), "12.50");
    assert_eq!(
        office
            .put_owner(&desk.operator, "o", &owner())
            .await
            .expect_err("role")
            .code,
        Code::RoleRequired
    );
    assert_eq!(
        office
            .put_owner(&desk.reporter, "", &owner())
            .await
            .expect_err("id")
            .code,
        Code::BadId
    );
    for (name, value) in [
        ("authorized", json!("yes")),
        ("authorized", Value::Null),
        ("remaining_credits", json!("1e3")),
        ("remaining_credits", json!("NaN")),
        ("remaining_credits", json!("")),
        ("remaining_credits", json!([1])),
        ("as_of", json!("yesterday")),
        ("as_of", json!("+262142-12-31T23:59:59Z")),
        ("surplus", json!(1)),
    ] {
        let mut body = owner();
        body[name] = value;
        let refused = office
            .put_owner(&desk.reporter, "o", &body)
            .await
            .expect_err("refused");
        assert_eq!(refused.code, Code::InvalidRecord, "{body}");
    }
    let stands = office
        .put_specification(&desk.reporter, "s", &specification())
        .await
        .expect("stored");
    assert!(stands.has_body);
    for (name, value) in [
        ("current_revision", json!(1.5)),
        ("current_revision", json!(-1)),
        ("estimated_credits", json!("-1")),
        ("model", json!("")),
        ("body", json!("text")),
    ] {
        let mut body = specification();
        body[name] = value;
        let refused = office
            .put_specification(&desk.reporter, "s", &body)
            .await
            .expect_err("refused");
        assert_eq!(refused.code, Code::InvalidRecord, "{body}");
    }
    let refused = office
        .put_owner(&desk.reporter, "o", &json!([]))
        .await
        .expect_err("refused");
    assert_eq!(refused.code, Code::InvalidRecord);
}

async fn creation_waits_for_facts(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({"dispatch": "confirmed_not_sent"})).await;
    let fresh = json!({"authorized": true, "remaining_credits": "2.49"});
    desk.office
        .put_owner(&desk.reporter, "owner-1", &fresh)
        .await
        .expect("stored");
    desk.office
        .put_specification(&desk.reporter, "spec-1", &specification())
        .await
        .expect("stored");
    let plan = desk
        .office
        .plan(&desk.approver, &"a".into(), None, None)
        .await
        .expect("plan");
    let blocked: Vec<GuardName> = plan
        .guards
        .iter()
        .filter(|guard| guard.verdict == Verdict::Block)
        .map(|guard| guard.guard)
        .collect();
    assert_eq!(blocked, [GuardName::BudgetSufficient]);
    let enough = json!({"authorized": true, "remaining_credits": "2.5"});
    desk.office
        .put_owner(&desk.reporter, "owner-1", &enough)
        .await
        .expect("stored");
    let plan = desk
        .office
        .plan(&desk.approver, &"a".into(), None, None)
        .await
        .expect("plan");
    assert!(plan.allowed, "{:?}", plan.guards);
    let plan = desk
        .office
        .plan(&desk.operator, &"a".into(), None, None)
        .await
        .expect("plan");
    assert!(!plan.allowed, "an operator may not create");
}
