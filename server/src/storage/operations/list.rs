//! The operations list: newest first by `updated_at`, then id.

use super::from_row;
use crate::database::{DbError, Tx, Value};
use crate::storage::text::containing;
use app::desk::filter::STUCK_MINUTES;
use app::desk::{Counted, OperationFilter, Unseen};
use app::domain::operation::Operation;
use chrono::{DateTime, TimeDelta, Utc};

/// Where a page of the list ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub updated_at: DateTime<Utc>,
    pub id: String,
}

/// One row in its place: readable, or why not.
pub struct Listed {
    /// `None` only where the row's own time is impossible; the list cannot go on after such a row.
    pub place: Option<Place>,
    pub record: Result<Operation, DbError>,
}

/// At most `limit` rows after `after`. Filters on label and action use the index over derived values.
pub async fn list(
    tx: &mut Tx,
    filter: &OperationFilter,
    after: Option<&Place>,
    limit: u32,
) -> Result<Vec<Listed>, DbError> {
    let mut wanted = Wanted::default();
    if let Some(label) = filter.label {
        wanted.equal("label", label.as_str());
    }
    if let Some(action) = filter.action {
        wanted.equal("next_action", action.as_str());
    }
    if let Some(phase) = filter.phase {
        wanted.equal("phase", phase.as_str());
    }
    if let Some(owner) = &filter.owner {
        wanted.equal("owner", owner);
    }
    if let Some(provider) = &filter.provider {
        wanted.equal("provider", provider);
    }
    if let Some(q) = filter.q.as_deref().map(str::trim).filter(|q| !q.is_empty()) {
        let at = wanted.bind(containing(q));
        wanted.conditions.push(format!(
            "(LOWER(id) LIKE ${at} ESCAPE '\\' OR EXISTS (SELECT 1 FROM dlo_known_jobs AS known \
             WHERE known.operation_id = dlo_operations.id AND LOWER(known.job_id) LIKE ${at} ESCAPE '\\'))"
        ));
    }
    if let Some(unseen) = filter.unseen {
        wanted.unseen(unseen, tx.now());
    }
    match filter.counted {
        // The same conditions as in the figures (`storage/overview.rs`), so that each leads to its rows.
        Some(Counted::MoneyUnresolved) => wanted.conditions.push("refund_unresolved".to_owned()),
        Some(Counted::PossiblyBilled) => wanted
            .conditions
            .push("dispatch = 'outcome_unknown' AND job_id IS NULL AND closure IS NULL".to_owned()),
        None => {}
    }
    if let Some(place) = after {
        let (at, id) = (wanted.bind(place.updated_at), wanted.bind(place.id.as_str()));
        wanted.conditions.push(format!(
            "(updated_at < ${at} OR (updated_at = ${at} AND id > ${id}))"
        ));
    }
    let limit = wanted.bind(i64::from(limit));
    let sql = format!(
        "SELECT * FROM dlo_operations{} ORDER BY updated_at DESC, id LIMIT ${limit}",
        wanted.clause()
    );
    let rows = tx.fetch_all(&sql, wanted.values).await?;
    rows.iter()
        .map(|row| {
            let place = match row.time("updated_at") {
                Ok(updated_at) => Some(Place {
                    updated_at,
                    id: row.text("id")?,
                }),
                Err(_) => None,
            };
            Ok(Listed {
                place,
                record: from_row(row),
            })
        })
        .collect()
}

/// Conditions with the values that they bind.
#[derive(Default)]
struct Wanted {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Wanted {
    fn bind(&mut self, value: impl Into<Value>) -> usize {
        self.values.push(value.into());
        self.values.len()
    }

    fn equal(&mut self, column: &str, value: &str) {
        let at = self.bind(value);
        self.conditions.push(format!("{column} = ${at}"));
    }

    /// No dead letter that is still there names it; and why not.
    fn unseen(&mut self, unseen: Unseen, now: DateTime<Utc>) {
        let message = |which: &str| {
            format!(
                "EXISTS (SELECT 1 FROM dlo_messages AS message \
                 WHERE message.operation_id = dlo_operations.id{which})"
            )
        };
        self.conditions
            .push(format!("NOT {}", message(" AND message.purged_at IS NULL")));
        match unseen {
            Unseen::Any => {}
            Unseen::Purged => self.conditions.push(message("")),
            Unseen::NeverDied => self.conditions.push(format!("NOT {}", message(""))),
            Unseen::StuckSubmitting => self.stuck("submitting", now),
            Unseen::StuckAccepted => self.stuck("accepted", now),
        }
    }

    fn stuck(&mut self, phase: &'static str, now: DateTime<Utc>) {
        let at = self.bind(now - TimeDelta::minutes(STUCK_MINUTES));
        self.conditions.push(format!(
            "phase = '{phase}' AND updated_at < ${at} AND closure IS NULL \
             AND NOT EXISTS (SELECT 1 FROM dlo_recoveries AS recovery \
             WHERE recovery.operation_id = dlo_operations.id AND recovery.finished_at IS NULL)"
        ));
    }

    fn clause(&self) -> String {
        if self.conditions.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", self.conditions.join(" AND "))
        }
    }
}
