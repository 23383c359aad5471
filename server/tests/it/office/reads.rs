//! Lists, plans and the head of every page.

use crate::support::backend::Backend;
use crate::support::desk::Desk;
use app::desk::{Code, OperationFilter, OperationRow, PageRequest};
use app::domain::ids::{JobId, OperationId};
use app::domain::label::Label;
use app::domain::plan::Action;
use rust_decimal::Decimal;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(
    operations_are_paged,
    an_impossible_row_stands_in_its_place,
    the_overview_counts,
    plans
);

async fn operations_are_paged(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    for number in 0..5 {
        desk.made(&format!("op-{number}"), json!({})).await;
    }
    let mut seen = Vec::new();
    let mut page = PageRequest {
        cursor: None,
        limit: 2,
    };
    loop {
        let answer = desk
            .office
            .operations(&desk.operator, &OperationFilter::default(), &page)
            .await
            .expect("a page");
        for row in answer.items {
            let OperationRow::Readable(row) = row else {
                panic!("readable")
            };
            assert_eq!(row.label, Label::SubmissionOutcomeUnknown);
            seen.push(row.id.0);
        }
        match answer.next_cursor {
            Some(cursor) => page.cursor = Some(cursor),
            None => break,
        }
    }
    assert_eq!(seen, ["op-4", "op-3", "op-2", "op-1", "op-0"]);
    page.cursor = Some("nonsense".to_owned());
    let refused = desk
        .office
        .operations(&desk.operator, &OperationFilter::default(), &page)
        .await
        .expect_err("cursor");
    assert_eq!(refused.code, Code::InvalidRequest);
}

async fn an_impossible_row_stands_in_its_place(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    desk.made("good", json!({})).await;
    desk.made("odd", json!({})).await;
    let mut tx = desk.database().write().await.expect("begin");
    tx.execute("UPDATE dlo_operations SET remote = '7' WHERE id = 'odd'", vec![])
        .await
        .expect("spoil");
    tx.commit().await.expect("commit");
    let page = PageRequest::default();
    let answer = desk
        .office
        .operations(&desk.operator, &OperationFilter::default(), &page)
        .await
        .expect("a page");
    let OperationRow::Unreadable(odd) = &answer.items[0] else {
        panic!("unreadable")
    };
    assert_eq!(
        (odd.table.as_str(), odd.column.as_str(), odd.id.as_str()),
        ("dlo_operations", "remote", "odd")
    );
    assert!(matches!(&answer.items[1], OperationRow::Readable(row) if row.id.as_str() == "good"));
}

async fn the_overview_counts(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let empty = desk.office.overview(&desk.operator).await.expect("overview");
    assert_eq!(empty, app::desk::Overview::default());
    for (id, charged) in [("a", "1.10"), ("b", "2.2")] {
        let charge = json!({"state": "charged", "charged": charged});
        let remote = json!({"job_id": format!("gj_{id}"), "execution": "failed"});
        desk.made(
            id,
            json!({"phase": "failed", "dispatch": "sent", "remote": remote, "charge": charge}),
        )
        .await;
    }
    desk.made("c", json!({"phase": "submitting", "dispatch": "outcome_unknown"}))
        .await;
    desk.activate("a").await;
    let counted = desk.office.overview(&desk.operator).await.expect("overview");
    assert_eq!(
        (
            counted.recoveries_running,
            counted.money_unresolved,
            counted.attempts_possibly_billed
        ),
        (1, 2, 1)
    );
    assert_eq!(counted.credits_unresolved, Decimal::new(33, 1));
}

async fn plans(_backend: Backend, database: Database) {
    let desk = Desk::new(database);
    let id = OperationId::from("a");
    let plan = async |observe: Option<&JobId>| desk.office.plan(&desk.operator, &id, observe, None).await;
    assert_eq!(plan(None).await.expect_err("absent").code, Code::NotFound);
    desk.made("a", json!({"phase": "delivered", "remote": {"job_id": "gj_1"}}))
        .await;
    assert_eq!(plan(None).await.expect("plan").action, Action::Acknowledge);
    let read = plan(Some(&JobId::from("gj_1"))).await.expect("a permitted read");
    assert_eq!((read.action, read.row, read.allowed), (Action::Observe, 0, true));
    assert_eq!(
        plan(Some(&JobId::from("gj_2"))).await.expect_err("unknown").code,
        Code::NotFound
    );
    let found = desk
        .office
        .candidates(&desk.operator, &id)
        .await
        .expect("candidates");
    assert!(found.searched);
    let refused = desk
        .office
        .candidates(&desk.reporter, &id)
        .await
        .expect_err("role");
    assert_eq!(refused.code, Code::RoleRequired);
}
