//! Filters from the URL and back. A closed list takes only its own values; a name that no filter has is refused.

use crate::components::form::{SIDE_NAMES, TYPED};
use crate::desk::filter::{DEFAULT_LIMIT, MAX_LIMIT};
use crate::desk::{
    Age, AuditFilter, Code, DeadLetterFilter, DeskError, OperationFilter, PageRequest, RecoveryFilter,
    WantedCategory,
};
use crate::href::Query;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use std::str::FromStr;

fn bad(name: &str) -> DeskError {
    DeskError::new(
        Code::InvalidRequest,
        format!("The filter {name} has a value that it does not know."),
    )
}

fn closed<T: FromStr>(query: &Query, name: &str) -> Result<Option<T>, DeskError> {
    query
        .get(name)
        .map(|text| text.parse().map_err(|_| bad(name)))
        .transpose()
}

fn open(query: &Query, name: &str) -> Option<String> {
    query
        .get(name)
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
}

/// A time in a filter: RFC 3339, or `2026-11-30T14:05`, `2026-11-30 14:05` and `2026-11-30` in UTC. A day alone means its start
/// in `from` and its end in `to`.
fn time(query: &Query, name: &str, end_of_day: bool) -> Result<Option<DateTime<Utc>>, DeskError> {
    let Some(text) = query.get(name) else {
        return Ok(None);
    };
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(Some(at.to_utc()));
    }
    for format in ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M"] {
        if let Ok(at) = NaiveDateTime::parse_from_str(text, format) {
            return Ok(Some(at.and_utc()));
        }
    }
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| bad(name))?;
    let clock = if end_of_day {
        NaiveTime::from_hms_micro_opt(23, 59, 59, 999_999)
    } else {
        Some(NaiveTime::MIN)
    };
    Ok(clock.map(|clock| day.and_time(clock).and_utc()))
}

/// The desk's own word for messages that state no error category: a group of them is counted, and so it must be found.
/// The API's closed list does not have it.
pub const NOT_STATED: &str = "none";

fn category(query: &Query) -> Result<Option<WantedCategory>, DeskError> {
    match query.get("category") {
        Some(NOT_STATED) => Ok(Some(WantedCategory::NotStated)),
        Some(_) | None => Ok(closed(query, "category")?.map(WantedCategory::Is)),
    }
}

type Range = (Option<DateTime<Utc>>, Option<DateTime<Utc>>);

fn range(query: &Query) -> Result<Range, DeskError> {
    let (from, to) = (time(query, "from", false)?, time(query, "to", true)?);
    match (from, to) {
        (Some(start), Some(end)) if start > end => Err(DeskError::new(
            Code::InvalidRequest,
            "The range is reversed: its end is before its start.",
        )),
        range => Ok(range),
    }
}

/// Refuses names that this list does not have.
fn known(query: &Query, names: &[&str]) -> Result<(), DeskError> {
    let stray = query.0.iter().map(|(name, _)| name.as_str()).find(|name| {
        !names.contains(name)
            && !SIDE_NAMES.contains(name)
            && !name.starts_with(TYPED)
            && !["cursor", "limit"].contains(name)
    });
    match stray {
        Some(_) => Err(DeskError::new(
            Code::InvalidRequest,
            "The address names a filter that this page does not have.",
        )),
        None => Ok(()),
    }
}

/// Which page of the list.
pub fn page(query: &Query) -> Result<PageRequest, DeskError> {
    let limit = match query.get("limit") {
        None => DEFAULT_LIMIT,
        Some(text) => text
            .parse()
            .ok()
            .filter(|limit| (1..=MAX_LIMIT).contains(limit))
            .ok_or_else(|| DeskError::new(Code::InvalidRequest, "A page has 1 to 200 rows."))?,
    };
    Ok(PageRequest {
        cursor: query.get("cursor").map(str::to_owned),
        limit,
    })
}

/// Names of the desk's filters, with words for chips and fields.
pub const DEAD_LETTER_NAMES: &[(&str, &str)] = &[
    ("q", "search"),
    ("label", "label"),
    ("action", "next action"),
    ("phase", "phase"),
    ("category", "error"),
    ("queue", "queue"),
    ("job_name", "job name"),
    ("reason", "reason"),
    ("operation", "operation"),
    ("owner", "owner"),
    ("disposition", "disposition"),
    ("age", "died"),
    ("from", "since"),
    ("to", "until"),
];

/// Names that shape the desk without narrowing it.
pub const DESK_SHAPE: &[(&str, &str)] = &[("sort", "order"), ("group", "group")];

fn names(table: &[(&'static str, &'static str)]) -> Vec<&'static str> {
    table.iter().map(|(name, _)| *name).collect()
}

pub fn dead_letters(query: &Query) -> Result<DeadLetterFilter, DeskError> {
    let mut own = names(DEAD_LETTER_NAMES);
    own.extend(names(DESK_SHAPE));
    known(query, &own)?;
    let (from, to) = range(query)?;
    let oldest_first = match query.get("sort") {
        None | Some("newest") => false,
        Some("oldest") => true,
        Some(_) => return Err(bad("sort")),
    };
    Ok(DeadLetterFilter {
        queue: open(query, "queue"),
        job_name: open(query, "job_name"),
        reason: open(query, "reason"),
        label: closed(query, "label")?,
        action: closed(query, "action")?,
        phase: closed(query, "phase")?,
        category: category(query)?,
        operation: open(query, "operation"),
        owner: open(query, "owner"),
        disposition: closed(query, "disposition")?,
        q: open(query, "q"),
        from,
        to,
        oldest_first,
    })
}

/// The desk's filter as of `now`: [`dead_letters`], narrowed by the age.
pub fn desk(query: &Query, now: DateTime<Utc>) -> Result<DeadLetterFilter, DeskError> {
    let filter = dead_letters(query)?;
    let filter = match closed::<Age>(query, "age")? {
        Some(age) => filter.aged(age, now),
        None => filter,
    };
    match (filter.from, filter.to) {
        (Some(from), Some(to)) if from > to => Err(DeskError::new(
            Code::InvalidRequest,
            "The age and the range exclude each other.",
        )),
        (Some(_) | None, Some(_) | None) => Ok(filter),
    }
}

/// Whether the desk shows groups instead of rows.
pub fn grouped(query: &Query) -> Result<bool, DeskError> {
    match query.get("group") {
        None => Ok(false),
        Some("category") => Ok(true),
        Some(_) => Err(bad("group")),
    }
}

pub const OPERATION_NAMES: &[(&str, &str)] = &[
    ("q", "search"),
    ("label", "label"),
    ("action", "next action"),
    ("phase", "phase"),
    ("owner", "owner"),
    ("provider", "provider"),
    ("unseen", "out of sight:"),
    ("counted", "only"),
];

pub fn operations(query: &Query) -> Result<OperationFilter, DeskError> {
    known(query, &names(OPERATION_NAMES))?;
    Ok(OperationFilter {
        label: closed(query, "label")?,
        action: closed(query, "action")?,
        phase: closed(query, "phase")?,
        owner: open(query, "owner"),
        provider: open(query, "provider"),
        q: open(query, "q"),
        unseen: closed(query, "unseen")?,
        counted: closed(query, "counted")?,
    })
}

pub const RECOVERY_NAMES: &[(&str, &str)] = &[("state", "state"), ("operation", "operation")];

/// The page's own word for all states that have not ended.
pub const ACTIVE: &str = "active";

pub fn recoveries(query: &Query) -> Result<RecoveryFilter, DeskError> {
    known(query, &names(RECOVERY_NAMES))?;
    let only_active = query.get("state") == Some(ACTIVE);
    Ok(RecoveryFilter {
        state: if only_active {
            None
        } else {
            closed(query, "state")?
        },
        only_active,
        operation: open(query, "operation"),
    })
}

pub const AUDIT_NAMES: &[(&str, &str)] = &[
    ("operation", "operation"),
    ("actor", "who"),
    ("from", "since"),
    ("to", "until"),
];

pub fn audit(query: &Query) -> Result<AuditFilter, DeskError> {
    known(query, &names(AUDIT_NAMES))?;
    let (from, to) = range(query)?;
    Ok(AuditFilter {
        operation: open(query, "operation"),
        actor: open(query, "actor"),
        from,
        to,
    })
}

/// The part of a query that filters: without cursor, notices and what forms sent back.
pub fn filters_only(query: &Query, table: &[(&str, &str)]) -> Query {
    let kept = query
        .0
        .iter()
        .filter(|(name, value)| !value.is_empty() && table.iter().any(|(own, _)| own == name));
    Query(kept.cloned().collect())
}

/// The filters of the list that led here, from `back`; only what is a filter of the desk survives.
pub fn way_back(query: &Query) -> Query {
    let text = query.get("back").unwrap_or_default();
    let back = Query::parse(text);
    let mut kept = filters_only(&back, DEAD_LETTER_NAMES);
    kept.0.extend(filters_only(&back, DESK_SHAPE).0);
    if let Some(cursor) = back.get("cursor") {
        kept.set("cursor", cursor);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_takes_its_own_values_only() {
        assert!(dead_letters(&Query::parse("label=closed&phase=failed&cursor=x&limit=200")).is_ok());
        for wrong in [
            "label=nope",
            "phase=x",
            "category=zz",
            "disposition=maybe",
            "made_up=1",
            "from=yesterday",
        ] {
            let error = dead_letters(&Query::parse(wrong)).expect_err(wrong);
            assert_eq!(error.code, Code::InvalidRequest, "{wrong}");
        }
        assert!(dead_letters(&Query::parse("from=2026-12-01&to=2026-11-01")).is_err());
        let now = "2026-11-30T14:05:11Z".parse().expect("a time");
        assert!(desk(&Query::parse("age=7d&sort=oldest&group=category"), now).is_ok());
        for wrong in ["age=1y", "sort=up", "age=over-7d&from=2026-11-30"] {
            assert!(desk(&Query::parse(wrong), now).is_err(), "{wrong}");
        }
        assert!(grouped(&Query::parse("group=owner")).is_err());
        let none = desk(&Query::parse("category=none"), now).expect("no category is a group of its own");
        assert_eq!(none.category, Some(WantedCategory::NotStated));
        let active = recoveries(&Query::parse("state=active")).expect("all active ones");
        assert_eq!((active.state, active.only_active), (None, true));
        assert!(recoveries(&Query::parse("state=running")).is_ok_and(|filter| !filter.only_active));
        assert!(operations(&Query::parse("counted=money_unresolved")).is_ok());
        assert!(operations(&Query::parse("counted=all")).is_err());
        assert!(page(&Query::parse("limit=0")).is_err());
        assert!(page(&Query::parse("limit=201")).is_err());
    }

    #[test]
    fn a_day_is_meant_whole() {
        let filter = dead_letters(&Query::parse("from=2026-11-30&to=2026-11-30")).expect("a day");
        let (from, to) = (filter.from.expect("from"), filter.to.expect("to"));
        assert_eq!((to - from).num_seconds(), 86_399);
        let typed = dead_letters(&Query::parse("from=2026-11-30%2014%3A05")).expect("as a person types it");
        assert_eq!(typed.from, "2026-11-30T14:05:00Z".parse().ok());
    }

    #[test]
    fn a_way_back_keeps_filters_and_nothing_else() {
        let query = Query::parse("back=label%3Dclosed%26evil%3D1%26cursor%3Dabc");
        assert_eq!(way_back(&query).to_text(), "label=closed&cursor=abc");
    }
}
