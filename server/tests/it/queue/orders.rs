//! What people do with a dead letter: replay, purge, link, acknowledge; with roles, keys, refusals and the audit.

use super::shared::{Letter, bury, caller, id, load, record};
use crate::support::backend::Backend;
use crate::support::{raw, sample};
use app::desk::{Code, DeadLetterFilter, DeskError};
use app::domain::ids::OperationId;
use app::domain::operation::{Operation, Phase};
use app::domain::role::Role;
use serde_json::json;
use server::config::{Config, Policy, ReplayWithoutRecord};
use server::database::Database;
use server::office::Office;
use std::fmt::Debug;
use std::sync::Arc;

crate::on_every_backend!(
    a_letter_without_record_is_replayed_where_allowed,
    a_purge_is_confirmed_and_final,
    a_link_is_evidence,
    obsolete_and_unrecorded_letters_are_acknowledged,
    bad_requests_are_refused_in_order,
);

const OP: &str = r#"{"operation_id": "op_1"}"#;

fn office(database: &Database, replay_without_record: ReplayWithoutRecord) -> Office {
    let policy = Policy {
        replay_without_record,
        ..Policy::default()
    };
    Office::new(
        database.clone(),
        Arc::new(Config {
            policy,
            ..Config::default()
        }),
    )
}

fn refused<T: Debug>(answer: Result<T, DeskError>) -> Code {
    answer.expect_err("it is refused").code
}

async fn audited(database: &Database) -> Vec<String> {
    raw::texts(database, "SELECT action FROM dlo_audit ORDER BY seq").await
}

async fn a_letter_without_record_is_replayed_where_allowed(_backend: Backend, database: Database) {
    let operator = caller(Role::Operator);
    let letter = bury(
        &database,
        &Letter {
            args: OP,
            ..Letter::default()
        },
    )
    .await
    .to_string();
    let strict = office(&database, ReplayWithoutRecord::Refuse);
    assert_eq!(
        refused(strict.replay(&operator, &letter, "please", "k1").await),
        Code::RecordRequired
    );
    let office = office(&database, ReplayWithoutRecord::Allow);
    let first = office
        .replay(&operator, &letter.to_uppercase(), "please", "k1")
        .await
        .expect("replayed");
    let again = office
        .replay(&operator, &letter, "please", "k1")
        .await
        .expect("the first answer");
    assert_eq!(first, again, "one key, one job");
    assert_eq!(
        refused(office.replay(&operator, &letter, "another", "k1").await),
        Code::IdempotencyConflict
    );
    let second = office
        .replay(&operator, &letter, "please", "k2")
        .await
        .expect("replayed");
    assert_ne!(first, second, "another key, another job");
    assert_eq!(
        raw::number(
            &database,
            "SELECT COUNT(*) FROM soniq_jobs WHERE status = 'queued'"
        )
        .await,
        2
    );
    let view = super::shared::opened(office.dead_letter(&operator, &letter).await.expect("a view"));
    assert_eq!((view.resurrection_count, view.replays), (2, 2));
    record(&database, &sample::operation("op_1")).await;
    assert_eq!(
        refused(office.replay(&operator, &letter, "please", "k3").await),
        Code::RecordExists
    );
    assert_eq!(
        refused(
            office
                .replay(&operator, &id(99).to_string(), "please", "k4")
                .await
        ),
        Code::NotFound
    );
    assert_eq!(
        audited(&database).await,
        ["refused_replay", "replay", "replay", "refused_replay"]
    );
}

async fn a_purge_is_confirmed_and_final(_backend: Backend, database: Database) {
    let office = office(&database, ReplayWithoutRecord::Refuse);
    let (operator, approver) = (caller(Role::Operator), caller(Role::Approver));
    record(&database, &sample::accepted("op_1", "gj_1")).await;
    let letter = bury(
        &database,
        &Letter {
            args: OP,
            ..Letter::default()
        },
    )
    .await
    .to_string();
    assert_eq!(
        refused(office.purge(&operator, &letter, "old", &letter, "k1").await),
        Code::RoleRequired
    );
    assert_eq!(
        refused(office.purge(&approver, &letter, "old", "yes", "k2").await),
        Code::ConfirmMismatch
    );
    let running = format!(
        "INSERT INTO dlo_recoveries (id, operation_id, action, effect, state, requested_by, requested_role, reason, \
         revision_before, created_at, heard_at) VALUES ('{}', 'op_1', 'observe', 'reads_status', 'running', 'a', \
         'operator', 'r', 1, '2026-01-01T00:00:00.000000+00:00', '2026-01-01T00:00:00.000000+00:00')",
        id(70)
    );
    raw::script(&database, &running).await.expect("insert");
    assert_eq!(
        refused(office.purge(&approver, &letter, "old", "yes", "k3").await),
        Code::RecoveryActive
    );
    raw::script(&database, "DELETE FROM dlo_recoveries")
        .await
        .expect("delete");
    let braced = format!("{{{}}}", letter.to_uppercase());
    assert!(
        office
            .purge(&approver, &letter, "old", &braced, "k4")
            .await
            .expect("purged"),
        "confirmed in any spelling"
    );
    assert!(
        office
            .purge(&approver, &letter, "old", &braced, "k4")
            .await
            .expect("the first answer")
    );
    assert!(
        !office
            .purge(&approver, &letter, "old", &letter, "k5")
            .await
            .expect("it is not there")
    );
    assert_eq!(
        refused(office.dead_letter(&operator, &letter).await),
        Code::NotFound
    );
    assert_eq!(
        raw::number(
            &database,
            "SELECT COUNT(*) FROM dlo_messages WHERE purged_at IS NOT NULL"
        )
        .await,
        1
    );
    let audited = audited(&database).await;
    assert_eq!(
        audited,
        ["refused_purge", "refused_purge", "refused_purge", "purge"]
    );
    let listed = office
        .dead_letters(&operator, &DeadLetterFilter::default(), &Default::default())
        .await
        .expect("a page");
    assert!(listed.items.is_empty() && listed.next_cursor.is_none());
}

async fn a_link_is_evidence(_backend: Backend, database: Database) {
    let office = office(&database, ReplayWithoutRecord::Refuse);
    let operator = caller(Role::Operator);
    record(&database, &sample::accepted("op_1", "gj_1")).await;
    record(&database, &sample::accepted("op_2", "gj_2")).await;
    let stray = r#"{"job_id": "gj_9"}"#;
    let letter = bury(
        &database,
        &Letter {
            args: stray,
            ..Letter::default()
        },
    )
    .await
    .to_string();
    let (op, other) = (OperationId::from("op_1"), OperationId::from("op_2"));
    let nobody = OperationId::from("op_3");
    assert_eq!(
        refused(office.link(&operator, &letter, &nobody, "mine", "k1").await),
        Code::NotFound
    );
    office
        .link(&operator, &letter, &op, "mine", "k2")
        .await
        .expect("linked");
    office
        .link(&operator, &letter, &op, "mine", "k3")
        .await
        .expect("linked already");
    assert_eq!(
        refused(office.link(&operator, &letter, &other, "mine", "k4").await),
        Code::RecordExists
    );
    assert_eq!(load(&database, "op_1").await.revision, 2, "new evidence");
    let view = super::shared::opened(office.dead_letter(&operator, &letter).await.expect("a view"));
    assert_eq!(view.operation_id, Some(op));
    assert_eq!(view.label.as_str(), "remote_state_unclear", "its job id contests");
    let linked = raw::rows(&database, "SELECT linked, label FROM dlo_messages").await;
    assert_eq!(linked, [[json!(1), json!("remote_state_unclear")]]);
    let revisions = raw::rows(
        &database,
        "SELECT revision_before, revision_after FROM dlo_audit WHERE action = 'link'",
    )
    .await;
    assert_eq!(revisions, [[json!(1), json!(2)]]);
}

async fn obsolete_and_unrecorded_letters_are_acknowledged(_backend: Backend, database: Database) {
    let office = office(&database, ReplayWithoutRecord::Refuse);
    let operator = caller(Role::Operator);
    record(
        &database,
        &Operation {
            phase: Phase::Delivered,
            ..sample::accepted("op_1", "gj_1")
        },
    )
    .await;
    record(&database, &sample::accepted("op_2", "gj_2")).await;
    let obsolete = bury(
        &database,
        &Letter {
            n: 1,
            args: OP,
            ..Letter::default()
        },
    )
    .await
    .to_string();
    let live = bury(
        &database,
        &Letter {
            n: 2,
            args: r#"{"operation_id": "op_2"}"#,
            ..Letter::default()
        },
    )
    .await
    .to_string();
    let stray = bury(
        &database,
        &Letter {
            n: 3,
            ..Letter::default()
        },
    )
    .await
    .to_string();
    office
        .acknowledge(&operator, &obsolete, "delivered", "k1")
        .await
        .expect("acknowledged");
    office
        .acknowledge(&operator, &stray, "noise", "k2")
        .await
        .expect("acknowledged");
    assert_eq!(
        refused(office.acknowledge(&operator, &live, "noise", "k3").await),
        Code::RecordExists
    );
    let viewer = caller(Role::Viewer);
    assert_eq!(
        refused(office.acknowledge(&viewer, &stray, "noise", "k4").await),
        Code::RoleRequired
    );
    office.project(false).await.expect("project");
    let open = DeadLetterFilter {
        disposition: Some(app::domain::dead_letter::Disposition::Open),
        ..DeadLetterFilter::default()
    };
    assert_eq!(super::shared::listed(&database, &open).await, [id(2)]);
}

async fn bad_requests_are_refused_in_order(_backend: Backend, database: Database) {
    let office = office(&database, ReplayWithoutRecord::Allow);
    let (viewer, operator) = (caller(Role::Viewer), caller(Role::Operator));
    let somewhere = id(5).to_string();
    for bad in [
        "not-a-uuid",
        "",
        " 00000000-0000-4000-8000-0000000000d1",
        "' OR 1=1--",
    ] {
        assert_eq!(
            refused(office.dead_letter(&viewer, bad).await),
            Code::BadId,
            "{bad}"
        );
        assert_eq!(
            refused(office.replay(&viewer, bad, "", "").await),
            Code::BadId,
            "{bad}"
        );
        assert_eq!(
            refused(office.purge(&viewer, bad, "x", bad, "k").await),
            Code::BadId,
            "{bad}"
        );
    }
    let long = "x".repeat(501);
    for reason in ["", "  ", &long] {
        assert_eq!(
            refused(office.replay(&viewer, &somewhere, reason, "k").await),
            Code::InvalidRequest
        );
    }
    assert_eq!(
        refused(office.replay(&viewer, &somewhere, "r", "").await),
        Code::MissingIdempotencyKey
    );
    assert_eq!(
        refused(office.replay(&viewer, &somewhere, "r", "k").await),
        Code::RoleRequired
    );
    assert_eq!(
        refused(office.replay(&operator, &somewhere, "r", "k").await),
        Code::NotFound
    );
    let control = OperationId::from("a\nb");
    assert_eq!(
        refused(office.link(&operator, &somewhere, &control, "r", "k").await),
        Code::InvalidRequest
    );
    let reversed = DeadLetterFilter {
        from: Some(sample::moment()),
        to: Some(sample::moment() - chrono::Duration::seconds(1)),
        ..DeadLetterFilter::default()
    };
    let page = app::desk::PageRequest::default();
    assert_eq!(
        refused(office.dead_letters(&viewer, &reversed, &page).await),
        Code::InvalidRequest
    );
    assert_eq!(
        refused(office.summary(&viewer, &reversed).await),
        Code::InvalidRequest
    );
    let nonsense = app::desk::PageRequest {
        cursor: Some("nonsense".to_owned()),
        ..page
    };
    let all = DeadLetterFilter::default();
    assert_eq!(
        refused(office.dead_letters(&viewer, &all, &nonsense).await),
        Code::InvalidRequest
    );
}
