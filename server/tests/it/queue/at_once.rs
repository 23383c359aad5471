//! A dead letter is found by every filter at once, not when it has been projected; and an impossible one is shown.

use super::shared::{Letter, bury, caller, id, record};
use crate::support::app::TestApp;
use crate::support::backend::{Backend, Kind};
use crate::support::{raw, sample};
use app::desk::{DeadLetterFilter, DeadLetterRow, PageRequest};
use app::domain::dead_letter::Disposition;
use app::domain::label::Label;
use app::domain::operation::Phase;
use app::domain::plan::Action;
use app::domain::role::Role;
use server::config::Config;
use server::database::Database;
use server::office::Office;
use std::sync::Arc;

crate::on_every_backend!(
    derived_filters_miss_nothing,
    an_impossible_letter_is_shown_with_what_is_readable
);

async fn derived_filters_miss_nothing(_backend: Backend, database: Database) {
    record(&database, &sample::accepted("op_1", "gj_1")).await;
    let none = DeadLetterFilter::default;
    let filters = [
        DeadLetterFilter {
            label: Some(Label::RenderInProgress),
            ..none()
        },
        DeadLetterFilter {
            disposition: Some(Disposition::Open),
            ..none()
        },
        DeadLetterFilter {
            operation: Some("op_1".to_owned()),
            ..none()
        },
        DeadLetterFilter {
            owner: Some("owner-1".to_owned()),
            ..none()
        },
        DeadLetterFilter {
            phase: Some(Phase::Accepted),
            ..none()
        },
        DeadLetterFilter {
            action: Some(Action::Observe),
            ..none()
        },
        DeadLetterFilter {
            q: Some("timed".to_owned()),
            ..none()
        },
    ];
    let viewer = caller(Role::Viewer);
    for (n, filter) in (1..).zip(&filters) {
        let office = Office::new(database.clone(), Arc::new(Config::default()));
        bury(
            &database,
            &Letter {
                n,
                args: r#"{"operation_id": "op_1"}"#,
                died_at: sample::moment() + chrono::Duration::seconds(i64::try_from(n).expect("small")),
                ..Letter::default()
            },
        )
        .await;
        let page = office
            .dead_letters(&viewer, filter, &PageRequest::default())
            .await
            .expect("a page");
        let Some(DeadLetterRow::Readable(first)) = page.items.first() else {
            panic!("{filter:?} finds nothing");
        };
        assert_eq!(first.id.0, id(n), "{filter:?}");
        let counted = office.summary(&viewer, filter).await.expect("counts");
        assert_eq!(counted.total, i64::try_from(n).expect("small"), "{filter:?}");
    }
}

async fn an_impossible_letter_is_shown_with_what_is_readable(backend: Backend, database: Database) {
    let letter = bury(
        &database,
        &Letter {
            args: r#"{"operation_id": "op_1", "api_key": "s3cr3t-s3cr3t", "size": 7}"#,
            error: Some("401 Authorization: Bearer abcdefghijklmnop"),
            ..Letter::default()
        },
    )
    .await;
    let nonsense = match backend.kind {
        Kind::Postgres => "infinity",
        Kind::Memory | Kind::Sqlite => "yesterday",
    };
    let sql = format!("UPDATE soniq_dead_letter_jobs SET original_created_at = '{nonsense}'");
    raw::script(&database, &sql).await.expect("update");
    let app = TestApp::start(backend, database, Config::default()).await;
    let path = format!("/dead-letters/{letter}");
    let seen = app.get(Role::Viewer, &format!("/api/v1{path}")).await.expect(200);
    assert!(
        !seen.body.contains("s3cr3t") && !seen.body.contains("abcdefghijklmnop"),
        "{}",
        seen.body
    );
    let seen = seen.json();
    let at = |key: &str| seen[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        (at("code"), at("table"), at("column"), at("id")),
        (
            "inconsistent".to_owned(),
            "soniq_dead_letter_jobs".to_owned(),
            "original_created_at".to_owned(),
            letter.to_string()
        )
    );
    let readable = |name: &str| seen["readable"][name].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        [
            readable("job_name"),
            readable("queue"),
            readable("attempts"),
            readable("id")
        ],
        ["render.poll", "render", "3", &letter.to_string()]
    );
    assert!(readable("args").contains("op_1") && readable("last_error").contains("401"));
    assert!(readable("moved_to_dead_letter_at").starts_with("2023-11-14T22:13:20"));
    let mut browser = app.signed_in(Role::Approver).await;
    let page = browser.get(&path).await.expect(200);
    assert!(page.has("main[data-inconsistent='soniq_dead_letter_jobs.original_created_at']"));
    assert!(page.has("tr[data-column=job_name]"));
    // It can be purged like any other.
    let question = browser.get(&format!("{path}/purge")).await.expect(200);
    assert!(question.has("form[data-action=purge] button[data-tone=destroy]:not([disabled])"));
    let body = serde_json::json!({ "reason": "it cannot be read", "confirm": letter.to_string() });
    let purged = app
        .post(Role::Approver, &format!("/api/v1{path}/purge"), &body)
        .await
        .expect(200);
    assert_eq!(purged.json()["purged"], true);
}
