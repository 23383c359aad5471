//! What helps to find: the chart's hours, groups by error category, the other order, counts that stop early. Counts equal
//! the rows.

use super::shared::{Letter, bury, caller, listed, pages, project, record};
use crate::support::backend::Backend;
use crate::support::sample;
use app::desk::finding::{HOURS, hour_of};
use app::desk::view::COUNT_CAP;
use app::desk::{DeadLetterFilter, Hours, WantedCategory};
use app::domain::label::Label;
use app::domain::operation::ErrorCategory;
use app::domain::role::Role;
use chrono::{DateTime, Duration, Utc};
use server::config::Config;
use server::database::{Database, Dialect};
use server::office::Office;
use std::sync::Arc;

crate::on_every_backend!(
    the_hours_hold_exactly_their_rows,
    groups_count_their_rows_and_say_when,
    the_oldest_come_first_where_asked_and_page_completely,
    counting_stops_at_ten_thousand_under_a_filter,
);

/// The moment of the list, in the middle of an hour.
fn now() -> DateTime<Utc> {
    sample::moment()
}

fn office(database: &Database) -> Office {
    Office::new(database.clone(), Arc::new(Config::default()))
}

async fn hours(office: &Office, filter: &DeadLetterFilter) -> Hours {
    let viewer = caller(Role::Viewer);
    office.hours(&viewer, filter, now()).await.expect("hours")
}

fn one_hour(filter: &DeadLetterFilter, hour: DateTime<Utc>) -> DeadLetterFilter {
    DeadLetterFilter {
        from: Some(hour),
        to: Some(hour + Duration::hours(1) - Duration::microseconds(1)),
        ..filter.clone()
    }
}

async fn the_hours_hold_exactly_their_rows(_backend: Backend, database: Database) {
    record(&database, &sample::accepted("op_1", "gj_1")).await;
    // On the hour, a microsecond before the next, and on both sides of the window.
    let edges = [
        hour_of(now()),
        hour_of(now()) + Duration::hours(1) - Duration::microseconds(1),
        hour_of(now()) - Duration::hours(3),
        hour_of(now()) - Duration::hours(3) + Duration::minutes(59),
        hour_of(now()) - Duration::hours(HOURS - 1),
        hour_of(now()) - Duration::hours(HOURS - 1) - Duration::microseconds(1),
    ];
    for (died_at, n) in edges.into_iter().zip(1..) {
        let args = if n % 2 == 0 {
            r#"{"operation_id": "op_1"}"#
        } else {
            "{}"
        };
        let letter = Letter {
            n,
            died_at,
            args,
            queue: if n == 1 { "a" } else { "b" },
            ..Letter::default()
        };
        bury(&database, &letter).await;
    }
    project(&database).await;
    let office = office(&database);
    let none = DeadLetterFilter::default();
    let found = hours(&office, &none).await;
    assert_eq!(found.first, hour_of(now()) - Duration::hours(HOURS - 1));
    let all: i64 = found.counts.iter().map(|one| one.count).sum();
    assert_eq!(all, 5, "the sixth is older");
    for filter in [
        none.clone(),
        DeadLetterFilter {
            label: Some(Label::RenderInProgress),
            ..none.clone()
        },
        DeadLetterFilter {
            queue: Some("b".to_owned()),
            ..none.clone()
        },
    ] {
        let found = hours(&office, &filter).await;
        assert!(!found.counts.is_empty());
        for number in 0..HOURS {
            let hour = found.first + Duration::hours(number);
            let counted: i64 = found
                .counts
                .iter()
                .filter(|one| one.hour == hour)
                .map(|one| one.count)
                .sum();
            let rows = listed(&database, &one_hour(&filter, hour)).await;
            assert_eq!(
                counted,
                i64::try_from(rows.len()).expect("few"),
                "{filter:?} {hour}"
            );
        }
    }
    // An older range moves the window to its end.
    let older = one_hour(&none, hour_of(now()) - Duration::hours(HOURS));
    let found = hours(&office, &older).await;
    assert_eq!(found.counts.iter().map(|one| one.count).sum::<i64>(), 1);
}

async fn groups_count_their_rows_and_say_when(_backend: Backend, database: Database) {
    let errors = [
        Some("Max retries exceeded: TimeoutError: timed out"),
        Some("Max retries exceeded: storage_full: no space left on device"),
        Some("Max retries exceeded: storage_full: no space left on device"),
        None,
    ];
    for (error, n) in errors.into_iter().zip(1_u128..) {
        let died_at = now() - Duration::hours(i64::try_from(n).expect("small"));
        let letter = Letter {
            n,
            error,
            died_at,
            ..Letter::default()
        };
        bury(&database, &letter).await;
    }
    project(&database).await;
    let office = office(&database);
    let viewer = caller(Role::Viewer);
    let groups = office
        .categories(&viewer, &DeadLetterFilter::default())
        .await
        .expect("groups");
    assert_eq!(groups[0].category, Some(ErrorCategory::StorageFull), "most first");
    assert_eq!(groups[0].first_at, Some(now() - Duration::hours(3)));
    assert_eq!(groups[0].last_at, Some(now() - Duration::hours(2)));
    assert!(
        groups
            .iter()
            .any(|group| group.category.is_none() && group.count == 1)
    );
    for group in groups {
        let wanted = group
            .category
            .map_or(WantedCategory::NotStated, WantedCategory::Is);
        let filter = DeadLetterFilter {
            category: Some(wanted),
            ..DeadLetterFilter::default()
        };
        let rows = listed(&database, &filter).await;
        assert_eq!(group.count, i64::try_from(rows.len()).expect("few"), "{wanted:?}");
    }
    let narrow = DeadLetterFilter {
        from: Some(now() - Duration::minutes(150)),
        ..DeadLetterFilter::default()
    };
    let groups = office.categories(&viewer, &narrow).await.expect("groups");
    assert_eq!(groups.iter().map(|group| group.count).sum::<i64>(), 2);
}

async fn the_oldest_come_first_where_asked_and_page_completely(_backend: Backend, database: Database) {
    for n in 0..25 {
        let later = Duration::seconds(i64::from(n >= 20));
        let letter = Letter {
            n,
            died_at: now() + later,
            ..Letter::default()
        };
        bury(&database, &letter).await;
    }
    for lead in [false, true] {
        if lead {
            project(&database).await;
        }
        let newest = DeadLetterFilter {
            // What only the projection knows makes it lead.
            label: lead.then_some(Label::NoOperationRecord),
            ..DeadLetterFilter::default()
        };
        let oldest = DeadLetterFilter {
            oldest_first: true,
            ..newest.clone()
        };
        let mut expected = listed(&database, &newest).await;
        expected.reverse();
        assert_eq!(expected.len(), 25);
        assert_eq!(listed(&database, &oldest).await, expected);
        for size in [1, 4, 24, 25] {
            let rows = pages(&database, &oldest, size).await;
            let ids: Vec<_> = super::shared::readable(&rows)
                .iter()
                .map(|view| view.id.0)
                .collect();
            assert_eq!(ids, expected, "pages of {size}");
        }
    }
}

/// Many letters at once, as the projection keeps them.
async fn many(database: &Database, count: i64) {
    let rows = match database.dialect() {
        Dialect::Postgres => format!(
            "SELECT gen_random_uuid() AS id, now() - n * interval '1 second' AS at FROM generate_series(1, {count}) AS n"
        ),
        Dialect::Sqlite => format!(
            "WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < {count}) \
             SELECT printf('00000000-0000-4000-8000-%012d', n) AS id, \
             strftime('%Y-%m-%dT%H:%M:%S.000000+00:00', 1700000000 - n, 'unixepoch') AS at FROM counted"
        ),
    };
    let sql = format!(
        "INSERT INTO dlo_messages (message_id, safe_error, job_name, queue, reason, attempts, max_attempts, died_at, label) \
         SELECT id, 'timed out', 'render.poll', 'render', 'max_retries_exceeded', 3, 3, at, 'no_operation_record' \
         FROM ({rows}) AS made"
    );
    crate::support::raw::script(database, &sql)
        .await
        .expect("inserted");
}

async fn counting_stops_at_ten_thousand_under_a_filter(_backend: Backend, database: Database) {
    many(&database, COUNT_CAP + 5).await;
    let mut tx = database.read().await.expect("begin");
    let none = DeadLetterFilter::default;
    let all = server::storage::dead_letters::summary(&mut tx, &none())
        .await
        .expect("counts");
    assert_eq!(
        (all.total, all.capped),
        (COUNT_CAP + 5, false),
        "an index counts alone"
    );
    let timed = DeadLetterFilter {
        q: Some("timed".to_owned()),
        ..none()
    };
    let found = server::storage::dead_letters::summary(&mut tx, &timed)
        .await
        .expect("counts");
    assert!(found.capped);
    assert_eq!(found.total, COUNT_CAP + 1);
    let never = DeadLetterFilter {
        q: Some("nothing says so".to_owned()),
        ..none()
    };
    let found = server::storage::dead_letters::summary(&mut tx, &never)
        .await
        .expect("counts");
    assert_eq!((found.total, found.capped), (0, false));
}
