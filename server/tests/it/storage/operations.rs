//! Records come back as they went in, impossible rows are named, and what is derived follows the facts.

use crate::support::backend::Backend;
use crate::support::sample::{accepted, moment, operation};
use app::desk::{Event, EventKind, Lane, OperationFilter};
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::decision::{Accounting, Closure, DecisionKind};
use app::domain::ids::{AttemptId, DeadLetterId, JobId, OperationId, RecoveryId};
use app::domain::label::Label;
use app::domain::money::{Charge, ChargeState};
use app::domain::operation::{Dispatch, DispatchProof, ErrorCategory, Operation, OperationError, Phase};
use app::domain::plan::Action;
use app::domain::remote::{
    CopyState, Execution, Fetch, OtherJob, Output, OutputCopy, Reason, Remote, RemoteJob, Source,
};
use server::database::{Database, DbError, Tx};
use server::storage::{attempts, events, evidence, operations};
use server::values;
use std::collections::BTreeSet;
use uuid::Uuid;

crate::on_every_backend!(
    a_record_comes_back,
    an_update_needs_its_row,
    an_impossible_row_is_named,
    one_holder_per_job,
    neighbours_follow_the_holder,
    the_list_is_keyset_paged,
    the_list_is_filtered,
    events_keep_their_order,
);

fn everything(id: &str) -> Operation {
    let copy = OutputCopy {
        index: 2,
        state: CopyState::Failed,
        storage_key: Some("k".to_owned()),
        bytes: Some(u64::from(u32::MAX) + 1),
        sha256: Some("ab".to_owned()),
        category: Some(ErrorCategory::OutputExpired),
        permanent_failures: 2,
    };
    let remote = Remote {
        fetch: Some(Fetch::Ok),
        execution: Some(Execution::Failed),
        reason: Some(Reason::Moderation),
        raw_status: Some("odd \u{202e} ü".to_owned()),
        outputs: Some(vec![Output {
            index: 2,
            content_type: Some("image/png".to_owned()),
        }]),
        outputs_expected: Some(3),
        empty_observations: 1,
        observed_at: Some(moment()),
        source: Some(Source::Get),
        read_at: Some(moment()),
        contradiction: Some(Execution::Running),
    };
    Operation {
        revision: 9,
        fingerprint: Some("f".repeat(16)),
        model: Some("m".to_owned()),
        phase: Phase::Failed,
        dispatch: Dispatch::Sent,
        not_sent_since: Some(moment()),
        dispatch_proof: Some(DispatchProof {
            message_id: DeadLetterId(Uuid::from_u128(5)),
            attempts: 4,
        }),
        job_id: Some(JobId::from("a/b c")),
        remote: remote.clone(),
        charge: Charge {
            state: ChargeState::PartiallyRefunded,
            reserved: None,
            charged: Some("12.5000".parse().expect("an amount")),
            refunded: Some("0.1".parse().expect("an amount")),
        },
        outputs: vec![copy.clone()],
        other_jobs: vec![OtherJob {
            job_id: JobId::from("gj_2"),
            job: RemoteJob {
                remote,
                outputs: vec![copy],
                ..RemoteJob::default()
            },
        }],
        settled_jobs: vec![JobId::from("gj_2")],
        adopted_jobs: vec![JobId::from("gj_3")],
        lost_outputs: vec![7],
        error: Some(OperationError {
            category: ErrorCategory::Moderation,
            detail: Some("d".to_owned()),
        }),
        parent: Some(OperationId::from("parent")),
        closure: Some(Closure {
            decision: DecisionKind::CloseUnresolved,
            by: "ann".to_owned(),
            at: moment(),
            reason: "r".to_owned(),
        }),
        accounting: vec![Accounting {
            decision: DecisionKind::RefundConfirmed,
            job_id: None,
            reference: Some("x".to_owned()),
            amount: Some("0.10".parse().expect("an amount")),
            by: "ann".to_owned(),
            at: moment(),
        }],
        outside_send_excluded_through: Some(moment()),
        ..operation(id)
    }
}

async fn a_record_comes_back(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    for record in [operation("plain"), everything("every field / ü")] {
        operations::create(&mut tx, &record, &[]).await.expect("insert");
        assert_eq!(
            operations::load(&mut tx, &record.id).await.expect("load"),
            Some(record.clone())
        );
        assert_eq!(
            operations::lock(&mut tx, &record.id).await.expect("lock"),
            Some(record.clone())
        );
        let changed = Operation {
            revision: record.revision + 1,
            phase: Phase::Submitting,
            ..record
        };
        operations::update(&mut tx, &changed).await.expect("update");
        assert_eq!(
            operations::load(&mut tx, &changed.id).await.expect("load"),
            Some(changed)
        );
    }
    assert_eq!(
        operations::load(&mut tx, &OperationId::from("absent"))
            .await
            .expect("load"),
        None
    );
    let ids = [
        OperationId::from("plain"),
        OperationId::from("absent"),
        OperationId::from("every field / ü"),
    ];
    assert_eq!(operations::load_many(&mut tx, &ids).await.expect("load").len(), 2);
    assert!(operations::exists(&mut tx, &ids[0]).await.expect("exists"));
    assert!(!operations::exists(&mut tx, &ids[1]).await.expect("exists"));
    let children = operations::children(&mut tx, &OperationId::from("parent"))
        .await
        .expect("children");
    assert_eq!(children, vec![ids[2].clone()]);
    tx.commit().await.expect("commit");
}

async fn an_update_needs_its_row(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    let refused = operations::update(&mut tx, &operation("absent")).await;
    assert!(
        matches!(
            refused,
            Err(DbError::Inconsistent {
                table: "dlo_operations",
                ..
            })
        ),
        "{refused:?}"
    );
}

async fn an_impossible_row_is_named(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, &operation("odd"), &[])
        .await
        .expect("insert");
    for (column, value) in [
        ("phase", "perhaps"),
        ("remote", "{"),
        ("charge", "null"),
        ("closure", "[]"),
    ] {
        tx.execute(
            &format!("UPDATE dlo_operations SET {column} = $1"),
            values![value],
        )
        .await
        .expect("spoil");
        let refused = operations::load(&mut tx, &OperationId::from("odd")).await;
        match refused {
            Err(DbError::Inconsistent {
                table: "dlo_operations",
                column: named,
                id,
            }) => {
                assert_eq!((named, id.as_str()), (column, "odd"));
            }
            other => panic!("{column}: {other:?}"),
        }
        let listed = operations::list(&mut tx, &OperationFilter::default(), None, 10)
            .await
            .expect("list");
        assert_eq!(listed.len(), 1);
        assert!(listed[0].record.is_err());
        operations::update(&mut tx, &operation("odd"))
            .await
            .expect("repair");
    }
}

async fn one_holder_per_job(_backend: Backend, database: Database) {
    let job = JobId::from("gj_1");
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, &accepted("a", "gj_1"), &[])
        .await
        .expect("insert");
    let other_account = Operation {
        account: "second".to_owned(),
        ..accepted("elsewhere", "gj_1")
    };
    operations::create(&mut tx, &other_account, &[])
        .await
        .expect("another account may");
    let holder = operations::holder(&mut tx, "genace", "main", &job)
        .await
        .expect("holder");
    assert_eq!(holder, Some(OperationId::from("a")));
    let ids = BTreeSet::from([job.clone(), JobId::from("gj_2")]);
    let held = operations::held_elsewhere(&mut tx, "genace", "main", &OperationId::from("b"), &ids)
        .await
        .expect("held");
    assert_eq!(held, BTreeSet::from([job]));
    let own = operations::held_elsewhere(&mut tx, "genace", "main", &OperationId::from("a"), &ids)
        .await
        .expect("held");
    assert_eq!(own, BTreeSet::new());
    tx.commit().await.expect("commit");
    let mut tx = database.write().await.expect("begin");
    let refused = operations::create(&mut tx, &accepted("b", "gj_1"), &[])
        .await
        .expect_err("held");
    assert!(refused.is_unique_violation(), "{refused:?}");
}

async fn label_of(tx: &mut Tx, id: &str) -> String {
    let row = tx
        .fetch_one(
            "SELECT label FROM dlo_operations WHERE id = $1",
            values![&OperationId::from(id)],
        )
        .await
        .expect("row");
    row.text("label").expect("label")
}

async fn neighbours_follow_the_holder(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    let knows = Operation {
        other_jobs: vec![OtherJob {
            job_id: JobId::from("gj_1"),
            job: RemoteJob::default(),
        }],
        ..operation("knows")
    };
    operations::create(&mut tx, &knows, &[]).await.expect("insert");
    assert_eq!(label_of(&mut tx, "knows").await, Label::RenderInProgress.as_str());
    operations::create(&mut tx, &accepted("holds", "gj_1"), &[])
        .await
        .expect("insert");
    assert_eq!(
        label_of(&mut tx, "knows").await,
        Label::RemoteStateUnclear.as_str()
    );
    assert_eq!(label_of(&mut tx, "holds").await, Label::RenderInProgress.as_str());
    // The holder lets go of it: nobody contests it any more.
    let lets_go = Operation {
        job_id: Some(JobId::from("gj_9")),
        ..accepted("holds", "gj_9")
    };
    operations::save(&mut tx, &lets_go, &[]).await.expect("save");
    assert_eq!(label_of(&mut tx, "knows").await, Label::RenderInProgress.as_str());
    // A receipt of its own names a second id.
    let attempt = AttemptId(Uuid::from_u128(1));
    let id = OperationId::from("holds");
    attempts::insert(&mut tx, &id, RecoveryId(Uuid::from_u128(2)), attempt)
        .await
        .expect("attempt");
    let receipt = Receipt {
        kind: ReceiptKind::Accepted,
        status: Some(502),
        job_id: Some(JobId::from("gj_10")),
        job_id_at: Some("/error/job_id".to_owned()),
        charge: None,
        detail: "502 with a job id".to_owned(),
        category: None,
    };
    attempts::append_receipt(&mut tx, &id, attempt, &receipt)
        .await
        .expect("receipt");
    operations::save(&mut tx, &lets_go, &[]).await.expect("save");
    assert_eq!(
        label_of(&mut tx, "holds").await,
        Label::RemoteStateUnclear.as_str()
    );
    let gathered = evidence::gather_many(&mut tx, &[&lets_go, &knows])
        .await
        .expect("evidence");
    let one_by_one = [
        evidence::gather(&mut tx, &lets_go).await.expect("one"),
        evidence::gather(&mut tx, &knows).await.expect("one"),
    ];
    assert_eq!(gathered, one_by_one);
}

async fn the_list_is_keyset_paged(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    for (number, id) in ["e", "d", "c", "b", "a"].iter().enumerate() {
        let updated_at = moment() + chrono::Duration::microseconds(i64::try_from(number / 2).expect("small"));
        operations::create(
            &mut tx,
            &Operation {
                updated_at,
                ..operation(id)
            },
            &[],
        )
        .await
        .expect("insert");
    }
    let mut seen = Vec::new();
    let mut place = None;
    loop {
        let page = operations::list(&mut tx, &OperationFilter::default(), place.as_ref(), 2)
            .await
            .expect("list");
        let Some(last) = page.last() else { break };
        place = last.place.clone();
        seen.extend(
            page.iter()
                .map(|listed| listed.record.as_ref().expect("readable").id.0.clone()),
        );
    }
    assert_eq!(seen, ["a", "b", "c", "d", "e"]);
}

async fn the_list_is_filtered(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, &operation("op_50%"), &[])
        .await
        .expect("insert");
    operations::create(&mut tx, &accepted("op_500", "GJ_x"), &[])
        .await
        .expect("insert");
    let other = Operation {
        owner: "o2".to_owned(),
        ..operation("third")
    };
    operations::create(&mut tx, &other, &[]).await.expect("insert");
    let none = OperationFilter::default;
    let cases = [
        (
            OperationFilter {
                q: Some("50%".to_owned()),
                ..none()
            },
            vec!["op_50%"],
        ),
        (
            OperationFilter {
                q: Some("gj_X".to_owned()),
                ..none()
            },
            vec!["op_500"],
        ),
        (
            OperationFilter {
                owner: Some("o2".to_owned()),
                ..none()
            },
            vec!["third"],
        ),
        (
            OperationFilter {
                phase: Some(Phase::Accepted),
                ..none()
            },
            vec!["op_500"],
        ),
        (
            OperationFilter {
                label: Some(Label::RenderInProgress),
                ..none()
            },
            vec!["op_500"],
        ),
        (
            OperationFilter {
                action: Some(Action::Reconcile),
                ..none()
            },
            vec!["op_50%", "third"],
        ),
        (
            OperationFilter {
                label: Some(Label::Closed),
                q: Some(String::new()),
                ..none()
            },
            vec![],
        ),
    ];
    for (filter, expected) in cases {
        let listed = operations::list(&mut tx, &filter, None, 10).await.expect("list");
        let ids: Vec<String> = listed
            .iter()
            .map(|row| row.record.as_ref().expect("readable").id.0.clone())
            .collect();
        assert_eq!(ids, expected, "{filter:?}");
    }
}

async fn events_keep_their_order(_backend: Backend, database: Database) {
    let told = |title: &str| Event {
        at: moment(),
        kind: EventKind::Report,
        lane: Lane::OurSide,
        title: title.to_owned(),
        detail: String::new(),
        source: "reported".to_owned(),
        money: None,
        phase: None,
        execution: None,
        revision: 1,
    };
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, &operation("a"), &[told("one"), told("two")])
        .await
        .expect("insert");
    operations::save(&mut tx, &operation("a"), &[told("three")])
        .await
        .expect("save");
    let listed = events::list(&mut tx, &OperationId::from("a"))
        .await
        .expect("list");
    assert_eq!(listed, [told("one"), told("two"), told("three")]);
}
