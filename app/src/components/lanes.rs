//! Two lanes on one time axis: what our side did, and what the provider said. Each cell draws its part of a rail.
//! Where our side is behind the remote, its rail is hatched.

use super::time::{ago, fine};
use crate::desk::view::{Event, Lane, OperationView};
use crate::domain::indexes;
use crate::domain::operation::Phase;
use crate::domain::remote::Execution;
use chrono::{DateTime, Utc};

crate::slugs! {
    /// The part of a rail in one cell: above its event and below it.
    pub enum Rail ("rail") {
        None => "none",
        /// The lane begins here.
        Start => "start",
        /// Begins and ends here.
        Only => "only",
        Line => "rail",
        /// The last event: dots follow.
        End => "end",
        /// The last event: nothing can follow.
        Stop => "stop",
        /// After the last event.
        Rest => "rest",
        /// The remote is ahead from here on.
        Lag => "lag",
        /// Begins here, already behind.
        First => "first",
        Gap => "gap",
        /// Caught up here.
        Caught => "caught",
        /// Behind until now.
        Last => "last",
    }
}

crate::slugs! {
    /// How an event's mark is drawn.
    pub enum Dot ("dot") {
        Done => "done",
        Now => "now",
        End => "end",
        Small => "small",
        Fail => "fail",
        Todo => "todo",
        None => "none",
    }
}

/// One event in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub dot: Dot,
    pub title: String,
    pub detail: String,
    /// Where our side stands now.
    pub here: bool,
}

/// A cell: its part of the rail, and its event if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    pub rail: Rail,
    pub mark: Option<Mark>,
}

/// The time of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    /// An event, and the distance from the one before.
    At {
        at: DateTime<Utc>,
        after: Option<String>,
    },
    /// Nothing happened for this long.
    Behind(String),
    Now(DateTime<Utc>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub moment: Moment,
    pub ours: Cell,
    pub remote: Cell,
}

/// Both lanes with their heads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    pub ours: String,
    pub remote: String,
    pub rows: Vec<Row>,
    /// Older events that are only on the timeline.
    pub left_out: usize,
}

/// More rows than this would push the plan off the first screens.
const MOST_ROWS: usize = 14;

/// Our phase that matches a terminal word of the provider.
const fn answers(execution: Execution) -> Option<Phase> {
    match execution {
        Execution::Succeeded => Some(Phase::Delivered),
        Execution::Failed | Execution::Cancelled | Execution::Expired => Some(Phase::Failed),
        Execution::Queued | Execution::Running | Execution::Unknown => None,
    }
}

/// What our side would reach next, and why it is not there.
fn not_reached(view: &OperationView) -> Option<(&'static str, String)> {
    if view.closure.is_some() {
        return None;
    }
    match view.phase {
        Phase::Delivered => None,
        Phase::Failed => None,
        Phase::Prepared => Some(("submitted", "not reached: nothing was sent".to_owned())),
        Phase::Submitting => Some(("accepted", "not known: no answer settled it".to_owned())),
        Phase::Accepted => {
            let execution = view.remote.axes.execution;
            Some(match execution {
                Some(Execution::Failed | Execution::Cancelled | Execution::Expired) => {
                    ("failed", "not recorded on our side yet".to_owned())
                }
                Some(Execution::Succeeded | Execution::Queued | Execution::Running | Execution::Unknown)
                | None => ("succeeded", "not reached".to_owned()),
            })
        }
        Phase::Succeeded => Some((
            "delivered",
            match view.plan.outputs.as_slice() {
                [] => "not reached".to_owned(),
                [one] => format!("not reached: output {one} is missing"),
                many => format!(
                    "not reached: {} are missing",
                    indexes::outputs(many, view.remote.axes.outputs_in_all())
                ),
            },
        )),
    }
}

struct Merged<'a> {
    at: DateTime<Utc>,
    ours: Option<&'a Event>,
    remote: Option<&'a Event>,
}

/// Events of the same moment share a row.
fn merged(events: &[Event]) -> Vec<Merged<'_>> {
    let mut rows: Vec<Merged<'_>> = Vec::new();
    for event in events {
        let free = |row: &Merged<'_>| {
            row.at == event.at
                && match event.lane {
                    Lane::OurSide => row.ours.is_none(),
                    Lane::Remote => row.remote.is_none(),
                    Lane::Neither => false,
                }
        };
        let place = match rows.last() {
            Some(row) if free(row) => rows.len() - 1,
            Some(_) | None => rows.len(),
        };
        if place == rows.len() && event.lane != Lane::Neither {
            rows.push(Merged {
                at: event.at,
                ours: None,
                remote: None,
            });
        }
        match event.lane {
            Lane::OurSide => rows[place].ours = Some(event),
            Lane::Remote => rows[place].remote = Some(event),
            Lane::Neither => {}
        }
    }
    rows
}

/// The lanes of an operation, from its timeline.
pub fn lanes(view: &OperationView, now: DateTime<Utc>) -> Lanes {
    let all = merged(&view.timeline);
    let left_out = all.len().saturating_sub(MOST_ROWS);
    let events = &all[left_out..];
    let earlier = &all[..left_out];
    let began = |pick: fn(&Merged<'_>) -> bool| earlier.iter().any(pick);

    let first_ours = events.iter().position(|row| row.ours.is_some());
    let first_remote = events.iter().position(|row| row.remote.is_some());
    // The remote rail ends with the provider's terminal word, which later reads only repeat; else with its last one.
    let current = view
        .remote
        .axes
        .execution
        .filter(|execution| execution.is_terminal());
    let last_remote = current
        .and_then(|current| {
            events
                .iter()
                .position(|row| row.remote.and_then(|event| event.execution) == Some(current))
        })
        .or_else(|| events.iter().rposition(|row| row.remote.is_some()));
    let ours_before = began(|row| row.ours.is_some());
    let remote_before = began(|row| row.remote.is_some());
    // Where our side stands: the last event that moved the phase, else the last one of ours.
    let here = events
        .iter()
        .rposition(|row| row.ours.is_some_and(|event| event.phase == Some(view.phase)))
        .or_else(|| events.iter().rposition(|row| row.ours.is_some()));

    // Behind: from the provider's terminal word until our phase answers it.
    let terminal = |row: &Merged<'_>| row.remote.and_then(|event| event.execution).and_then(answers);
    let wanted = view.remote.axes.execution.and_then(answers);
    let lag_from = wanted.and_then(|wanted| events.iter().position(|row| terminal(row) == Some(wanted)));
    let lag_to = lag_from.and_then(|from| {
        let reached = |row: &Merged<'_>| row.ours.and_then(|event| event.phase) == wanted;
        if events[..=from].iter().any(reached) {
            return Some(from);
        }
        events
            .iter()
            .enumerate()
            .skip(from)
            .find(|(_, row)| reached(row))
            .map(|(place, _)| place)
    });
    let open_lag = match (lag_from, lag_to) {
        (Some(from), None) if wanted != Some(view.phase) && view.closure.is_none() => Some(from),
        _ => None,
    };

    let mut rows: Vec<Row> = Vec::with_capacity(events.len() + 2);
    for (place, event) in events.iter().enumerate() {
        let lagging = |at: usize| match (lag_from, lag_to, open_lag) {
            (Some(from), Some(to), _) => from <= at && at < to,
            (Some(from), None, Some(_)) => from <= at,
            _ => false,
        };
        let is_last_row = place + 1 == events.len();
        let started = ours_before || first_ours.is_some_and(|first| first <= place);
        let ours_rail = if !started {
            Rail::None
        } else {
            let begins = !ours_before && first_ours == Some(place);
            let above = place > 0 && lagging(place - 1);
            match (begins, above, lagging(place)) {
                (true, _, true) => Rail::First,
                (true, _, false) => Rail::Start,
                (false, true, true) => Rail::Gap,
                (false, true, false) => Rail::Caught,
                (false, false, true) => Rail::Lag,
                (false, false, false) if is_last_row && not_reached(view).is_none() => Rail::Stop,
                (false, false, false) => Rail::Line,
            }
        };
        let begins = !remote_before && first_remote == Some(place);
        let remote_rail = match (first_remote, last_remote) {
            (Some(_), Some(last)) => {
                if place > last {
                    Rail::Rest
                } else if begins && place == last {
                    Rail::Only
                } else if begins {
                    Rail::Start
                } else if place == last {
                    Rail::End
                } else if remote_before || first_remote.is_some_and(|first| first < place) {
                    Rail::Line
                } else {
                    Rail::None
                }
            }
            (None, _) | (_, None) if remote_before => Rail::Rest,
            (None, _) | (_, None) => Rail::None,
        };
        let after = place
            .checked_sub(1)
            .map(|before| format!("+{}", fine(event.at - events[before].at)));
        rows.push(Row {
            moment: Moment::At { at: event.at, after },
            ours: Cell {
                rail: ours_rail,
                mark: event.ours.map(|ours| our_mark(ours, here == Some(place))),
            },
            remote: Cell {
                rail: remote_rail,
                mark: event
                    .remote
                    .map(|remote| remote_mark(remote, last_remote == Some(place))),
            },
        });
    }
    if let Some(from) = open_lag {
        let distance = fine(now - events[from].at);
        rows.push(Row {
            moment: Moment::Behind(distance),
            ours: Cell {
                rail: Rail::Gap,
                mark: None,
            },
            remote: Cell {
                rail: Rail::Rest,
                mark: None,
            },
        });
    }
    if let Some((title, detail)) = not_reached(view) {
        let rail = match (open_lag, first_ours.is_some() || ours_before) {
            (Some(_), _) => Rail::Last,
            (None, true) => Rail::Stop,
            (None, false) => Rail::None,
        };
        rows.push(Row {
            moment: Moment::Now(now),
            ours: Cell {
                rail,
                mark: Some(Mark {
                    dot: Dot::Todo,
                    title: title.to_owned(),
                    detail,
                    here: false,
                }),
            },
            remote: Cell {
                rail: Rail::None,
                mark: None,
            },
        });
    }
    Lanes {
        ours: our_head(view),
        remote: remote_head(view, now),
        rows,
        left_out,
    }
}

fn our_mark(event: &Event, here: bool) -> Mark {
    let failed = event.phase == Some(Phase::Failed) || event.kind == crate::desk::EventKind::DeadLetter;
    let dot = if here {
        Dot::Now
    } else if failed {
        Dot::Fail
    } else if event.phase.is_some() {
        Dot::Done
    } else {
        Dot::Small
    };
    Mark {
        dot,
        title: event.title.clone(),
        detail: event.detail.clone(),
        here,
    }
}

fn remote_mark(event: &Event, last: bool) -> Mark {
    let dot = match event.execution {
        Some(Execution::Failed | Execution::Cancelled | Execution::Expired) => Dot::Fail,
        Some(Execution::Succeeded) if last => Dot::End,
        Some(Execution::Succeeded | Execution::Queued | Execution::Running) => Dot::Done,
        Some(Execution::Unknown) | None => Dot::Small,
    };
    Mark {
        dot,
        title: event.title.clone(),
        detail: event.detail.clone(),
        here: false,
    }
}

fn our_head(view: &OperationView) -> String {
    match (view.phase, view.closure.is_some()) {
        (phase, true) => format!("{phase}, closed"),
        (Phase::Succeeded, false) => "succeeded, not delivered".to_owned(),
        (phase, false) => format!("{phase}, {}", super::words::dispatch(view.dispatch)),
    }
}

fn remote_head(view: &OperationView, now: DateTime<Utc>) -> String {
    let axes = &view.remote.axes;
    match (&view.remote.job_id, axes.execution, axes.observed_at) {
        (None, None, _) => "no job id".to_owned(),
        (_, execution, observed) => {
            let state = execution.map_or("never read", Execution::as_str);
            match (axes.fetch, observed) {
                (Some(fetch), Some(at)) => {
                    format!("{state}, {} {}", super::words::fetch(fetch), ago(now, at))
                }
                (None, Some(at)) => format!("{state}, reported {}", ago(now, at)),
                (_, None) => state.to_owned(),
            }
        }
    }
}
