//! Filters as SQL. What the dead table itself knows is asked of it, so that a row not yet projected is found; what only
//! the projection knows is asked of `dlo_messages`.

use super::cursor::Cursor;
use super::raw::id_value;
use crate::database::{Dialect, Tx, Value};
use crate::storage::text::containing;
use app::desk::{DeadLetterFilter, WantedCategory};
use chrono::{DateTime, SecondsFormat, Utc};

/// Which table leads the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// `soniq_dead_letter_jobs d LEFT JOIN dlo_messages m`.
    Dead,
    /// `dlo_messages m` (joined to `d` where rows are shown): its indexes serve the filter.
    Messages,
}

impl Lead {
    /// The table that serves this filter.
    pub fn of(filter: &DeadLetterFilter) -> Self {
        let DeadLetterFilter {
            label,
            action,
            phase,
            category,
            operation,
            owner,
            disposition,
            q,
            ..
        } = filter;
        let projected = label.is_some()
            || action.is_some()
            || phase.is_some()
            || category.is_some()
            || operation.is_some()
            || owner.is_some()
            || disposition.is_some()
            || q.as_deref().is_some_and(|q| !q.trim().is_empty());
        if projected { Self::Messages } else { Self::Dead }
    }

    /// The column of the moment of death.
    pub const fn at(self) -> &'static str {
        match self {
            Self::Dead => "d.moved_to_dead_letter_at",
            Self::Messages => "m.died_at",
        }
    }

    /// The column of the id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Dead => "d.id",
            Self::Messages => "m.message_id",
        }
    }
}

/// Conditions with the values that they bind.
pub struct Narrow {
    conditions: Vec<String>,
    values: Vec<Value>,
}

impl Narrow {
    /// The conditions of a filter.
    pub fn new(tx: &Tx, filter: &DeadLetterFilter, lead: Lead) -> Self {
        let mut narrow = Self {
            conditions: Vec::new(),
            values: Vec::new(),
        };
        if lead == Lead::Messages {
            narrow.conditions.push("m.purged_at IS NULL".to_owned());
        }
        let (queue, job_name, reason) = match lead {
            Lead::Dead => ("d.queue", "d.job_name", "d.dead_letter_reason"),
            Lead::Messages => ("m.queue", "m.job_name", "m.reason"),
        };
        narrow.equal(queue, filter.queue.as_deref());
        narrow.equal(job_name, filter.job_name.as_deref());
        narrow.equal(reason, filter.reason.as_deref());
        narrow.equal("m.label", filter.label.map(|label| label.as_str()));
        narrow.equal("m.next_action", filter.action.map(|action| action.as_str()));
        narrow.equal("m.phase", filter.phase.map(|phase| phase.as_str()));
        match filter.category {
            Some(WantedCategory::Is(category)) => narrow.equal("m.error_category", Some(category.as_str())),
            Some(WantedCategory::NotStated) => narrow.conditions.push("m.error_category IS NULL".to_owned()),
            None => {}
        }
        narrow.equal("m.operation_id", filter.operation.as_deref());
        narrow.equal("m.owner", filter.owner.as_deref());
        narrow.equal(
            "m.disposition",
            filter.disposition.map(|disposition| disposition.as_str()),
        );
        if let Some(from) = filter.from {
            let place = narrow.bind(lower_bound(tx, from));
            narrow.conditions.push(format!("{} >= ${place}", lead.at()));
        }
        if let Some(to) = filter.to {
            let place = narrow.bind(Value::from(to));
            narrow.conditions.push(format!("{} <= ${place}", lead.at()));
        }
        if let Some(q) = filter.q.as_deref().map(str::trim).filter(|q| !q.is_empty()) {
            narrow.search(q);
        }
        narrow
    }

    /// Rows after a place, newest first or oldest first. `false`: nobody's place, and so no row comes after it.
    pub fn after(&mut self, tx: &Tx, lead: Lead, place: &Cursor, oldest_first: bool) -> bool {
        let Some(id) = id_value(tx, &place.id) else {
            return false;
        };
        let cast = match tx.dialect() {
            Dialect::Postgres if !place.is_moment() => return false,
            Dialect::Postgres => "::timestamptz",
            Dialect::Sqlite => "",
        };
        let at = self.bind(Value::Text(Some(place.at.clone())));
        let id = self.bind(id);
        let (column, key) = (lead.at(), lead.id());
        // The first half is what an index can use.
        let (beyond, later) = if oldest_first { (">", "<") } else { ("<", ">") };
        self.conditions.push(format!(
            "{column} {beyond}= ${at}{cast} AND ({column} {beyond} ${at}{cast} OR {key} {later} ${id})"
        ));
        true
    }

    /// Binds one more value; answers its number.
    pub fn bind(&mut self, value: Value) -> usize {
        self.values.push(value);
        self.values.len()
    }

    /// ` WHERE …`, or nothing; and the values.
    pub fn clause(self) -> (String, Vec<Value>) {
        let clause = if self.conditions.is_empty() {
            String::new()
        } else {
            format!(" WHERE {}", self.conditions.join(" AND "))
        };
        (clause, self.values)
    }

    fn equal(&mut self, column: &str, wanted: Option<&str>) {
        if let Some(wanted) = wanted {
            let place = self.bind(Value::from(wanted));
            self.conditions.push(format!("{column} = ${place}"));
        }
    }

    /// Parts of operation, message and job ids, and every word in the safe error.
    fn search(&mut self, q: &str) {
        let whole = self.bind(Value::from(containing(q)));
        let words: Vec<String> = q
            .split_whitespace()
            .map(|word| {
                let word = self.bind(Value::from(containing(word)));
                format!("LOWER(m.safe_error) LIKE ${word} ESCAPE '\\'")
            })
            .collect();
        self.conditions.push(format!(
            "(LOWER(m.operation_id) LIKE ${whole} ESCAPE '\\' OR LOWER(m.job_id) LIKE ${whole} ESCAPE '\\' \
             OR LOWER(CAST(m.message_id AS TEXT)) LIKE ${whole} ESCAPE '\\' OR ({}))",
            words.join(" AND ")
        ));
    }
}

/// The least text of a moment: in SQLite a whole second may stand without its fraction, and that sorts first.
fn lower_bound(tx: &Tx, from: DateTime<Utc>) -> Value {
    match tx.dialect() {
        Dialect::Postgres => Value::from(from),
        Dialect::Sqlite if from.timestamp_subsec_micros() == 0 => {
            Value::from(from.to_rfc3339_opts(SecondsFormat::Secs, false))
        }
        Dialect::Sqlite => Value::from(from),
    }
}
