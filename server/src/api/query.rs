//! Query strings, read strictly: an unknown parameter or value, a repeated one, a reversed range are refused.

use super::problem::Problem;
use app::desk::filter::{DEFAULT_LIMIT, MAX_LIMIT};
use app::desk::{
    AuditFilter, Code, DeadLetterFilter, OperationFilter, PageRequest, RecoveryFilter, WantedCategory,
};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use std::collections::BTreeMap;
use std::str::FromStr;

/// The longest value of an open parameter, in characters.
const MAX_VALUE: usize = 500;

fn refuse(why: impl Into<String>) -> Problem {
    Problem::new(Code::InvalidRequest, why)
}

/// `from` and `to`, inclusive.
pub type Range = (Option<DateTime<Utc>>, Option<DateTime<Utc>>);

/// The parameters of one call, taken out one by one.
pub struct Query {
    values: BTreeMap<String, String>,
}

impl Query {
    /// Reads the part of the URL after the question mark, and refuses names that are not in the list.
    ///
    /// # Errors
    /// An unknown or repeated name, or a value of absurd length.
    pub fn parse(text: Option<&str>, known: &[&str]) -> Result<Self, Problem> {
        let mut values = BTreeMap::new();
        for (name, value) in url::form_urlencoded::parse(text.unwrap_or_default().as_bytes()) {
            if !known.contains(&name.as_ref()) {
                let name: String = name.chars().take(64).collect();
                return Err(refuse(format!(
                    "There is no parameter {name:?} here; known are: {}.",
                    known.join(", ")
                )));
            }
            if value.chars().count() > MAX_VALUE || value.contains('\0') {
                return Err(refuse(format!("The value of {name} is too long or holds a NUL.")));
            }
            if values.insert(name.to_string(), value.into_owned()).is_some() {
                return Err(refuse(format!("The parameter {name} stands there twice.")));
            }
        }
        Ok(Self { values })
    }

    /// A value of an open list; an empty one counts as absent.
    pub fn open(&mut self, name: &str) -> Option<String> {
        self.values.remove(name).filter(|value| !value.is_empty())
    }

    /// A value of a closed list.
    ///
    /// # Errors
    /// A value that is not in the list.
    pub fn closed<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, Problem> {
        self.values
            .remove(name)
            .map(|value| {
                value
                    .parse()
                    .map_err(|_| refuse(format!("The parameter {name} has an unknown value.")))
            })
            .transpose()
    }

    /// `from` and `to`, inclusive: RFC 3339, or a day.
    ///
    /// # Errors
    /// No time, or a range that ends before it begins.
    pub fn range(&mut self) -> Result<Range, Problem> {
        let from = self
            .values
            .remove("from")
            .map(|text| moment("from", &text, false))
            .transpose()?;
        let to = self
            .values
            .remove("to")
            .map(|text| moment("to", &text, true))
            .transpose()?;
        match (from, to) {
            (Some(start), Some(end)) if start > end => {
                Err(refuse("The range is reversed: to is before from."))
            }
            range => Ok(range),
        }
    }

    /// `cursor` and `limit`.
    ///
    /// # Errors
    /// A limit that is not from 1 to 200.
    pub fn page(&mut self) -> Result<PageRequest, Problem> {
        let limit = match self.values.remove("limit") {
            None => DEFAULT_LIMIT,
            Some(text) => text
                .parse()
                .ok()
                .filter(|limit| (1..=MAX_LIMIT).contains(limit))
                .ok_or_else(|| refuse("The limit must be a number from 1 to 200."))?,
        };
        let cursor = self.values.remove("cursor");
        if cursor.as_deref() == Some("") {
            return Err(refuse("The cursor is not one that a page before gave."));
        }
        Ok(PageRequest { cursor, limit })
    }
}

fn moment(name: &str, text: &str, end_of_day: bool) -> Result<DateTime<Utc>, Problem> {
    // A plus sign that was not encoded arrives as a space.
    let text = text.replace(' ', "+");
    if let Ok(at) = DateTime::parse_from_rfc3339(&text) {
        return Ok(at.to_utc());
    }
    let wrong = || {
        refuse(format!(
            "The parameter {name} must be a time like 2026-11-30T14:05:00Z."
        ))
    };
    let day = NaiveDate::parse_from_str(&text, "%Y-%m-%d").map_err(|_| wrong())?;
    let clock = if end_of_day {
        NaiveTime::from_hms_micro_opt(23, 59, 59, 999_999)
    } else {
        Some(NaiveTime::MIN)
    };
    clock.map(|clock| day.and_time(clock).and_utc()).ok_or_else(wrong)
}

/// `GET /dead-letters`.
///
/// # Errors
/// As [`Query::parse`] and the readers of its values.
pub fn dead_letters(text: Option<&str>) -> Result<(DeadLetterFilter, PageRequest), Problem> {
    let mut query = Query::parse(
        text,
        &[
            "queue",
            "job_name",
            "reason",
            "label",
            "action",
            "phase",
            "category",
            "operation",
            "owner",
            "disposition",
            "q",
            "from",
            "to",
            "cursor",
            "limit",
        ],
    )?;
    let (from, to) = query.range()?;
    let filter = DeadLetterFilter {
        queue: query.open("queue"),
        job_name: query.open("job_name"),
        reason: query.open("reason"),
        label: query.closed("label")?,
        action: query.closed("action")?,
        phase: query.closed("phase")?,
        category: query.closed("category")?.map(WantedCategory::Is),
        operation: query.open("operation"),
        owner: query.open("owner"),
        disposition: query.closed("disposition")?,
        q: query.open("q"),
        from,
        to,
        oldest_first: false,
    };
    Ok((filter, query.page()?))
}

/// `GET /operations`.
///
/// # Errors
/// As [`dead_letters`].
pub fn operations(text: Option<&str>) -> Result<(OperationFilter, PageRequest), Problem> {
    let mut query = Query::parse(
        text,
        &[
            "label", "action", "phase", "owner", "q", "unseen", "cursor", "limit",
        ],
    )?;
    let filter = OperationFilter {
        label: query.closed("label")?,
        action: query.closed("action")?,
        phase: query.closed("phase")?,
        owner: query.open("owner"),
        q: query.open("q"),
        unseen: query.closed("unseen")?,
        counted: None,
        provider: None,
    };
    Ok((filter, query.page()?))
}

/// `GET /recoveries`.
///
/// # Errors
/// As [`dead_letters`].
pub fn recoveries(text: Option<&str>) -> Result<(RecoveryFilter, PageRequest), Problem> {
    let mut query = Query::parse(text, &["state", "operation", "cursor", "limit"])?;
    let filter = RecoveryFilter {
        state: query.closed("state")?,
        only_active: false,
        operation: query.open("operation"),
    };
    Ok((filter, query.page()?))
}

/// `GET /audit`.
///
/// # Errors
/// As [`dead_letters`].
pub fn audit(text: Option<&str>) -> Result<(AuditFilter, PageRequest), Problem> {
    let mut query = Query::parse(text, &["operation", "actor", "from", "to", "cursor", "limit"])?;
    let (from, to) = query.range()?;
    let filter = AuditFilter {
        operation: query.open("operation"),
        actor: query.open("actor"),
        from,
        to,
    };
    Ok((filter, query.page()?))
}

/// A call that takes no parameters.
///
/// # Errors
/// Any parameter.
pub fn none(text: Option<&str>) -> Result<(), Problem> {
    match text {
        None | Some("") => Ok(()),
        Some(_) => Err(refuse("This call takes no parameters.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T>(result: Result<T, Problem>) -> Option<Code> {
        result.err().map(|problem| problem.error.code)
    }

    #[test]
    fn what_is_known_is_read() {
        let (filter, page) = dead_letters(Some(
            "label=local_delivery_failure&q=a%20b&from=2026-01-01&to=2026-01-01T00:00:00+00:00&limit=200&cursor=x",
        ))
        .map_err(|problem| problem.error.detail)
        .expect("a filter");
        assert_eq!(filter.q.as_deref(), Some("a b"));
        assert_eq!(filter.from, filter.to);
        assert_eq!(
            page,
            PageRequest {
                cursor: Some("x".to_owned()),
                limit: 200
            }
        );
    }

    #[test]
    fn what_is_not_known_is_refused() {
        for bad in [
            "colour=red",
            "label=made_up",
            "label=",
            "action=explode",
            "phase=PREPARED",
            "category=x",
            "disposition=lost",
            "from=yesterday",
            "from=2026-02-01&to=2026-01-01",
            "limit=0",
            "limit=201",
            "limit=-1",
            "limit=ten",
            "cursor=",
            "q=a&q=b",
            "q=%00",
        ] {
            assert_eq!(code(dead_letters(Some(bad))), Some(Code::InvalidRequest), "{bad}");
        }
        assert_eq!(code(recoveries(Some("state=lost"))), Some(Code::InvalidRequest));
        assert_eq!(code(none(Some("x=1"))), Some(Code::InvalidRequest));
        assert_eq!(code(operations(None)), None);
    }
}
