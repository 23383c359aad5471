//! The desk's list: order, paging, filters, rows that cannot be what they say.

use super::shared::{Letter, bury, get, id, listed, pages, project, readable};
use crate::support::backend::{Backend, Kind};
use crate::support::{raw, sample};
use app::desk::{DeadLetterFilter, DeadLetterRow, WantedCategory};
use app::domain::ids::DeadLetterId;
use app::domain::label::Label;
use app::domain::operation::{ErrorCategory, Phase};
use app::domain::plan::{Action, Effect};
use chrono::Duration;
use server::config::Config;
use server::database::Database;
use server::office::Office;
use server::storage::{dead_letters, operations};
use std::collections::BTreeSet;
use std::sync::Arc;

crate::on_every_backend!(
    paging_over_equal_times_is_complete,
    filters_are_exact_and_bounds_inclusive,
    words_and_ids_are_found,
    an_operations_standing_is_shown,
    an_impossible_row_stands_in_its_place,
    counts_follow_the_filter,
);

async fn paging_over_equal_times_is_complete(_backend: Backend, database: Database) {
    for n in 0..25 {
        let later = Duration::seconds(i64::from(n >= 20));
        bury(
            &database,
            &Letter {
                n,
                died_at: sample::moment() + later,
                ..Letter::default()
            },
        )
        .await;
    }
    // Some are read already, some not: it must not matter.
    server::storage::messages::project(&database, &Config::default().messages, 9)
        .await
        .expect("project");
    for size in [1, 4, 5, 24, 25, 26] {
        let rows = pages(&database, &DeadLetterFilter::default(), size).await;
        let ids: Vec<_> = readable(&rows).iter().map(|view| view.id.0).collect();
        assert_eq!(ids.len(), 25, "pages of {size}");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 25, "pages of {size}");
        assert_eq!(ids[0], id(20), "the newest first, then by id");
        assert_eq!(ids[5], id(0));
    }
    project(&database).await;
    let all = DeadLetterFilter {
        label: Some(Label::NoOperationRecord),
        ..DeadLetterFilter::default()
    };
    assert_eq!(
        pages(&database, &all, 4).await.len(),
        25,
        "the projection's order pages as well"
    );
}

async fn filters_are_exact_and_bounds_inclusive(_backend: Backend, database: Database) {
    let whole = chrono::DateTime::from_timestamp(1_700_000_000, 0).expect("a moment");
    let letters = [
        Letter {
            n: 1,
            name: "render.poll",
            queue: "Render",
            died_at: whole,
            ..Letter::default()
        },
        Letter {
            n: 2,
            name: "render.poll.short",
            died_at: whole + Duration::microseconds(1),
            ..Letter::default()
        },
        Letter {
            n: 3,
            name: "Render.Poll",
            died_at: whole + Duration::seconds(1),
            ..Letter::default()
        },
    ];
    for letter in &letters {
        bury(&database, letter).await;
    }
    if matches!(database, Database::Sqlite { .. }) {
        // Python leaves the fraction out when it is zero.
        let sql = "UPDATE soniq_dead_letter_jobs SET moved_to_dead_letter_at = '2023-11-14T22:13:20+00:00' \
                   WHERE moved_to_dead_letter_at = '2023-11-14T22:13:20.000000+00:00'";
        raw::script(&database, sql).await.expect("update");
    }
    for projected in [false, true] {
        if projected {
            assert_eq!(project(&database).await, 3);
        }
        let filter = |change: fn(&mut DeadLetterFilter)| {
            let mut filter = DeadLetterFilter::default();
            change(&mut filter);
            filter
        };
        let exact = filter(|filter| filter.job_name = Some("render.poll".to_owned()));
        assert_eq!(listed(&database, &exact).await, [id(1)]);
        let queue = filter(|filter| filter.queue = Some("render".to_owned()));
        assert_eq!(listed(&database, &queue).await, [id(3), id(2)]);
        let reason = filter(|filter| filter.reason = Some("MAX_RETRIES_EXCEEDED".to_owned()));
        assert!(listed(&database, &reason).await.is_empty());
        let between = |from, to| DeadLetterFilter {
            from: Some(from),
            to: Some(to),
            ..DeadLetterFilter::default()
        };
        assert_eq!(listed(&database, &between(whole, whole)).await, [id(1)]);
        let micro = whole + Duration::microseconds(1);
        assert_eq!(listed(&database, &between(micro, micro)).await, [id(2)]);
        assert_eq!(
            listed(&database, &between(whole, whole + Duration::seconds(1))).await,
            [id(3), id(2), id(1)]
        );
    }
}

async fn words_and_ids_are_found(_backend: Backend, database: Database) {
    let letter = Letter {
        args: r#"{"operation_id": "op_100%_a", "job_id": "GJ_7"}"#,
        error: Some("Max retries exceeded: OSError: No space left on device"),
        ..Letter::default()
    };
    let found = bury(&database, &letter).await;
    bury(
        &database,
        &Letter {
            n: 2,
            ..Letter::default()
        },
    )
    .await;
    project(&database).await;
    for q in [
        "op_100%",
        "gj_7",
        "SPACE device",
        " op_100%_a ",
        &found.to_string()[24..],
        &found.to_string(),
    ] {
        let filter = DeadLetterFilter {
            q: Some(q.to_owned()),
            ..DeadLetterFilter::default()
        };
        assert_eq!(listed(&database, &filter).await, [found.0], "{q}");
    }
    for q in [
        "op_1000",
        "op%a",
        "space nowhere",
        "'; DROP TABLE soniq_jobs; --",
        "\\",
    ] {
        let filter = DeadLetterFilter {
            q: Some(q.to_owned()),
            ..DeadLetterFilter::default()
        };
        assert!(listed(&database, &filter).await.is_empty(), "{q}");
    }
    let blank = DeadLetterFilter {
        q: Some("  ".to_owned()),
        ..DeadLetterFilter::default()
    };
    assert_eq!(listed(&database, &blank).await.len(), 2);
}

async fn an_operations_standing_is_shown(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, &sample::accepted("op_1", "gj_1"), &[])
        .await
        .expect("create");
    tx.commit().await.expect("commit");
    let args = r#"{"operation_id": "op_1", "job_id": "gj_1", "prompt": "a cat", "token": "s3cr3t"}"#;
    let letter = bury(
        &database,
        &Letter {
            name: "render.submit",
            args,
            ..Letter::default()
        },
    )
    .await;
    for projected in [false, true] {
        if projected {
            project(&database).await;
        }
        let mut tx = database.read().await.expect("begin");
        let view = get(&mut tx, letter).await;
        drop(tx);
        assert_eq!(view.operation_id.as_ref().map(|id| id.as_str()), Some("op_1"));
        assert_eq!(view.action, Some(Action::Dispatch), "what the message wanted");
        assert_eq!(
            view.next_action,
            Some(Action::Observe),
            "what the record asks for"
        );
        assert_eq!(view.effect, Some(Effect::ReadsStatus));
        assert_eq!(view.label, Label::RenderInProgress);
        assert_eq!(view.phase, Some(Phase::Accepted));
        assert_eq!(view.error_category, Some(ErrorCategory::Timeout));
        assert!(view.hidden_values >= 2);
        assert!(!view.args.to_string().contains("a cat") && !view.args.to_string().contains("s3cr3t"));
    }
    let by = async |filter: DeadLetterFilter| listed(&database, &filter).await;
    let none = DeadLetterFilter::default;
    assert_eq!(
        by(DeadLetterFilter {
            label: Some(Label::RenderInProgress),
            ..none()
        })
        .await,
        [letter.0]
    );
    assert_eq!(
        by(DeadLetterFilter {
            action: Some(Action::Observe),
            ..none()
        })
        .await,
        [letter.0]
    );
    assert_eq!(
        by(DeadLetterFilter {
            phase: Some(Phase::Accepted),
            ..none()
        })
        .await,
        [letter.0]
    );
    assert_eq!(
        by(DeadLetterFilter {
            owner: Some("owner-1".to_owned()),
            ..none()
        })
        .await,
        [letter.0]
    );
    assert_eq!(
        by(DeadLetterFilter {
            operation: Some("op_1".to_owned()),
            ..none()
        })
        .await,
        [letter.0]
    );
    assert_eq!(
        by(DeadLetterFilter {
            category: Some(WantedCategory::Is(ErrorCategory::Timeout)),
            ..none()
        })
        .await,
        [letter.0]
    );
    assert!(
        by(DeadLetterFilter {
            action: Some(Action::Dispatch),
            ..none()
        })
        .await
        .is_empty()
    );
    assert!(
        by(DeadLetterFilter {
            operation: Some("OP_1".to_owned()),
            ..none()
        })
        .await
        .is_empty()
    );
}

async fn an_impossible_row_stands_in_its_place(backend: Backend, database: Database) {
    for n in 1..=3 {
        let died_at = sample::moment() + Duration::seconds(i64::try_from(n).expect("small"));
        bury(
            &database,
            &Letter {
                n,
                died_at,
                ..Letter::default()
            },
        )
        .await;
    }
    let broken = match backend.kind {
        Kind::Postgres => {
            "UPDATE soniq_dead_letter_jobs SET original_created_at = 'infinity' WHERE id = '{}'"
        }
        Kind::Memory | Kind::Sqlite => {
            "UPDATE soniq_dead_letter_jobs SET original_created_at = 'yesterday' WHERE id = '{}'"
        }
    };
    raw::script(&database, &broken.replace("{}", &id(2).to_string()))
        .await
        .expect("update");
    for projected in [false, true] {
        if projected {
            assert_eq!(project(&database).await, 3, "it is read once like any other");
        }
        let rows = pages(&database, &DeadLetterFilter::default(), 1).await;
        assert_eq!(rows.len(), 3);
        match &rows[1] {
            DeadLetterRow::Unreadable(why) => {
                assert_eq!(
                    (why.table.as_str(), why.column.as_str()),
                    ("soniq_dead_letter_jobs", "original_created_at")
                );
                assert_eq!(why.id, id(2).to_string());
            }
            DeadLetterRow::Readable(view) => panic!("{view:?}"),
        }
    }
    if backend.kind != Kind::Postgres {
        raw::script(
            &database,
            "UPDATE soniq_dead_letter_jobs SET id = 'no id' WHERE original_created_at = 'yesterday'",
        )
        .await
        .expect("update");
        assert_eq!(project(&database).await, 1);
        assert_eq!(project(&database).await, 0, "not again and again");
        let rows = pages(&database, &DeadLetterFilter::default(), 1).await;
        assert!(
            matches!(&rows[1], DeadLetterRow::Unreadable(why) if why.column == "id" && why.id == "no id")
        );
        assert_eq!(rows.len(), 3);
    }
}

async fn counts_follow_the_filter(_backend: Backend, database: Database) {
    let office = Office::new(database.clone(), Arc::new(Config::default()));
    let viewer = super::shared::caller(app::domain::role::Role::Viewer);
    let empty = office
        .summary(&viewer, &DeadLetterFilter::default())
        .await
        .expect("counts");
    assert!(!empty.ever_died);
    assert_eq!(empty.labels.len(), Label::ALL.len(), "every label once");
    let mut tx = database.write().await.expect("begin");
    operations::create(&mut tx, &sample::accepted("op_1", "gj_1"), &[])
        .await
        .expect("create");
    tx.commit().await.expect("commit");
    let named = r#"{"operation_id": "op_1"}"#;
    bury(
        &database,
        &Letter {
            n: 1,
            args: named,
            queue: "a",
            ..Letter::default()
        },
    )
    .await;
    bury(
        &database,
        &Letter {
            n: 2,
            args: named,
            queue: "b",
            ..Letter::default()
        },
    )
    .await;
    let gone = bury(
        &database,
        &Letter {
            n: 3,
            queue: "b",
            ..Letter::default()
        },
    )
    .await;
    office.project(false).await.expect("project");
    let filter = DeadLetterFilter {
        label: Some(Label::RenderInProgress),
        queue: Some("a".to_owned()),
        ..DeadLetterFilter::default()
    };
    let counted = office.summary(&viewer, &filter).await.expect("counts");
    assert_eq!(counted.total, 3, "without its own label and queue");
    assert_eq!(counted.queues, [("a".to_owned(), 1), ("b".to_owned(), 2)]);
    let of = |label| {
        counted
            .labels
            .iter()
            .find(|count| count.label == label)
            .map(|count| count.count)
    };
    assert_eq!(of(Label::RenderInProgress), Some(2));
    assert_eq!(of(Label::NoOperationRecord), Some(1));
    // Somebody else purges one: it is noticed, and what it knew stays.
    raw::script(
        &database,
        &format!("DELETE FROM soniq_dead_letter_jobs WHERE id = '{gone}'"),
    )
    .await
    .expect("delete");
    office.project(false).await.expect("project");
    let counted = office
        .summary(&viewer, &DeadLetterFilter::default())
        .await
        .expect("counts");
    assert_eq!(counted.total, 2);
    assert_eq!(
        raw::number(&database, "SELECT COUNT(*) FROM dlo_messages").await,
        3
    );
    let mut tx = database.read().await.expect("begin");
    let owner = DeadLetterFilter {
        owner: Some("owner-1".to_owned()),
        ..DeadLetterFilter::default()
    };
    assert_eq!(
        dead_letters::summary(&mut tx, &owner)
            .await
            .expect("counts")
            .total,
        2
    );
    assert!(
        !dead_letters::exists(&mut tx, DeadLetterId(gone.0))
            .await
            .expect("look")
    );
}
