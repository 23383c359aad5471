//! Idempotency of decisions, and who may record them.

use crate::support::backend::Backend;
use crate::support::desk::Desk;
use app::desk::{AuditFilter, Code, DecisionOrder, PageRequest};
use app::domain::decision::Decision;
use app::domain::ids::OperationId;
use serde_json::json;
use server::database::Database;
use server::storage::audit::{Verified, verify};
use std::sync::Arc;

crate::on_every_backend!(
    the_same_key_gives_the_same_answer,
    eight_at_once_record_one_decision,
    refusals_come_in_order,
    refusals_are_audited,
);

async fn the_same_key_gives_the_same_answer(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({})).await;
    let first = desk
        .decide_as(&desk.operator, "a", 1, Decision::CloseUnresolved, "k")
        .await
        .expect("recorded");
    let again = desk
        .decide_as(&desk.operator, "a", 1, Decision::CloseUnresolved, "k")
        .await
        .expect("the first answer");
    assert_eq!(first, again);
    assert_eq!(desk.view("a").await.decisions.len(), 1);
    let other = desk
        .decide_as(&desk.operator, "a", 1, Decision::Reopen, "k")
        .await
        .expect_err("another order");
    assert_eq!(other.code, Code::IdempotencyConflict);
    let somebody = desk
        .decide_as(&desk.approver, "a", 2, Decision::Reopen, "k")
        .await
        .expect("their own key");
    assert_eq!(somebody.0, 3);
}

async fn eight_at_once_record_one_decision(_backend: Backend, database: Database) {
    let desk = Arc::new(Desk::new(database));
    desk.made("a", json!({})).await;
    let callers: Vec<_> = (0..8)
        .map(|_| {
            let desk = Arc::clone(&desk);
            tokio::spawn(async move {
                let operator = desk.operator.clone();
                desk.decide_as(&operator, "a", 1, Decision::CloseUnresolved, "k")
                    .await
                    .expect("an answer")
                    .0
            })
        })
        .collect();
    for caller in callers {
        assert_eq!(caller.await.expect("answered"), 2);
    }
    assert_eq!(desk.view("a").await.decisions.len(), 1);
    assert_eq!(
        verify(desk.database()).await.expect("verify"),
        Verified::Whole { entries: 1 }
    );
}

async fn refusals_come_in_order(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let order = |revision: i64, reason: &str, decision: Decision| DecisionOrder {
        revision,
        reason: reason.to_owned(),
        decision,
    };
    let prepare = || Decision::PrepareNewOperation {
        id: OperationId::from("b"),
    };
    let refuse = async |order: DecisionOrder, key: &str| {
        let id = OperationId::from("a");
        desk.office
            .decide(&desk.operator, &id, order, key)
            .await
            .expect_err("refused")
            .code
    };
    assert_eq!(refuse(order(9, " ", prepare()), "k").await, Code::InvalidRequest);
    assert_eq!(
        refuse(order(9, &"x".repeat(501), prepare()), "k").await,
        Code::InvalidRequest
    );
    assert_eq!(
        refuse(order(9, "r", prepare()), "").await,
        Code::MissingIdempotencyKey
    );
    assert_eq!(refuse(order(9, "r", prepare()), "k").await, Code::RoleRequired);
    assert_eq!(refuse(order(9, "r", Decision::Reopen), "k").await, Code::NotFound);
    desk.made("a", json!({})).await;
    desk.activate("a").await;
    let stale = desk
        .decide_as(&desk.operator, "a", 9, Decision::Reopen, "k")
        .await
        .expect_err("stale");
    assert_eq!(
        (stale.code, stale.plan.map(|plan| plan.revision)),
        (Code::PlanStale, Some(1))
    );
    assert_eq!(
        refuse(order(1, "r", Decision::Reopen), "k").await,
        Code::RecoveryActive
    );
}

async fn refusals_are_audited(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("a", json!({})).await;
    assert_eq!(desk.refused("a", Decision::Reopen).await, Code::NotAllowedHere);
    desk.decide("a", Decision::CloseUnresolved)
        .await
        .expect("recorded");
    let audit = desk
        .office
        .audit(&desk.operator, &AuditFilter::default(), &PageRequest::default())
        .await
        .expect("audit");
    let told: Vec<_> = audit
        .items
        .iter()
        .map(|entry| (entry.action.as_str(), entry.revision_after))
        .collect();
    assert_eq!(told, [("close_unresolved", Some(2)), ("refused_reopen", None)]);
    assert_eq!(audit.items[0].reason.as_deref(), Some("because"));
    assert!(!audit.items[0].guards.is_empty());
    let one = PageRequest {
        cursor: None,
        limit: 1,
    };
    let first = desk
        .office
        .audit(&desk.operator, &AuditFilter::default(), &one)
        .await
        .expect("audit");
    let next = PageRequest {
        cursor: first.next_cursor,
        limit: 1,
    };
    let second = desk
        .office
        .audit(&desk.operator, &AuditFilter::default(), &next)
        .await
        .expect("audit");
    assert_eq!((second.items[0].seq, second.next_cursor), (1, None));
    let bad = PageRequest {
        cursor: Some("x".to_owned()),
        limit: 1,
    };
    let refused = desk
        .office
        .audit(&desk.operator, &AuditFilter::default(), &bad)
        .await
        .expect_err("cursor");
    assert_eq!(refused.code, Code::InvalidRequest);
}
