//! Attempts are numbered, receipts only grow, and the most telling one stands for the attempt.

use crate::support::backend::Backend;
use crate::support::sample::operation;
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::ids::{AttemptId, JobId, OperationId, RecoveryId};
use server::database::{Database, Tx};
use server::storage::{attempts, evidence, operations};
use uuid::Uuid;

crate::on_every_backend!(
    the_telling_receipt_stands,
    a_person_closes_what_is_open,
    one_attempt_per_recovery
);

fn receipt(kind: ReceiptKind, job_id: Option<&str>) -> Receipt {
    Receipt {
        kind,
        status: None,
        job_id: job_id.map(JobId::from),
        job_id_at: None,
        charge: None,
        detail: "d".to_owned(),
        category: None,
    }
}

async fn begin(tx: &mut Tx, number: u128) -> AttemptId {
    let id = AttemptId(Uuid::from_u128(number));
    let attempt = attempts::insert(
        tx,
        &OperationId::from("op"),
        RecoveryId(Uuid::from_u128(100 + number)),
        id,
    )
    .await
    .expect("attempt");
    assert_eq!(attempt.number, i64::try_from(number).expect("small"));
    id
}

async fn the_telling_receipt_stands(_backend: Backend, database: Database) {
    let id = OperationId::from("op");
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, &operation("op"), &[])
        .await
        .expect("insert");
    let first = begin(&mut tx, 1).await;
    let second = begin(&mut tx, 2).await;
    begin(&mut tx, 3).await;
    for (attempt, kind, job_id) in [
        (first, ReceiptKind::Unknown, None),
        (first, ReceiptKind::Accepted, Some("gj_1")),
        (first, ReceiptKind::Accepted, Some("gj_2")),
        (second, ReceiptKind::Unknown, None),
        (second, ReceiptKind::Rejected, None),
    ] {
        attempts::append_receipt(&mut tx, &id, attempt, &receipt(kind, job_id))
            .await
            .expect("receipt");
    }
    let listed = attempts::list(&mut tx, &id).await.expect("list");
    let kinds: Vec<_> = listed
        .iter()
        .map(|attempt| attempt.receipt.as_ref().map(|receipt| receipt.kind))
        .collect();
    assert_eq!(
        kinds,
        [Some(ReceiptKind::Accepted), Some(ReceiptKind::Rejected), None]
    );
    assert_eq!(
        listed[0]
            .receipt
            .as_ref()
            .and_then(|receipt| receipt.job_id.clone()),
        Some(JobId::from("gj_1"))
    );
    let gathered = evidence::gather(&mut tx, &operation("op"))
        .await
        .expect("evidence");
    let ids: Vec<_> = gathered.job_ids().into_iter().collect();
    assert_eq!(
        ids,
        [JobId::from("gj_1"), JobId::from("gj_2")],
        "no id of any receipt is lost"
    );
    let found = attempts::by_recovery(&mut tx, RecoveryId(Uuid::from_u128(102)))
        .await
        .expect("found");
    assert_eq!(found.map(|row| row.attempt.id), Some(second));
    let absent = attempts::by_recovery(&mut tx, RecoveryId(Uuid::from_u128(999)))
        .await
        .expect("found");
    assert!(absent.is_none());
}

async fn a_person_closes_what_is_open(_backend: Backend, database: Database) {
    let id = OperationId::from("op");
    let mut tx = database.write().await.expect("begin");
    let first = begin(&mut tx, 1).await;
    begin(&mut tx, 2).await;
    attempts::append_receipt(&mut tx, &id, first, &receipt(ReceiptKind::NotSent, None))
        .await
        .expect("receipt");
    assert_eq!(
        attempts::close_by_person(&mut tx, &id, "ann looked")
            .await
            .expect("close"),
        1
    );
    let listed = attempts::list(&mut tx, &id).await.expect("list");
    assert!(listed.iter().all(|attempt| !attempt.is_open()), "{listed:?}");
    assert_eq!(
        attempts::close_by_person(&mut tx, &id, "again")
            .await
            .expect("close"),
        0
    );
    assert!(
        tx.execute("DELETE FROM dlo_receipts", vec![]).await.is_err(),
        "receipts only grow"
    );
}

async fn one_attempt_per_recovery(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    begin(&mut tx, 1).await;
    let recovery = RecoveryId(Uuid::from_u128(101));
    let again = attempts::insert(
        &mut tx,
        &OperationId::from("op"),
        recovery,
        AttemptId(Uuid::from_u128(9)),
    )
    .await;
    assert!(again.expect_err("refused").is_unique_violation());
}
