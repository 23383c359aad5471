//! What the samples show of queues: lineage, warnings, stuck jobs, the dead table.

use super::uuid;
use crate::desk::view::Inconsistency;
use crate::desk::*;
use crate::domain::ids::{DeadLetterId, QueueJobId, RecoveryId};
use crate::domain::recovery::RecoveryState;
use crate::domain::warning::{ReplayWarning, WarningKind};
use chrono::{DateTime, TimeDelta, Utc};

/// One replay that is done, one that died again, and two that somebody else made.
pub fn lineage(died: DateTime<Utc>) -> Lineage {
    let replay = |number: u128, end: ReplayEnd| ReplayView {
        job_id: QueueJobId(uuid(number)),
        replayed_by: "m.okafor".to_owned(),
        reason: "the disk has room again".to_owned(),
        replayed_at: died + TimeDelta::minutes(1),
        recovery_id: Some(RecoveryId(uuid(0x0193_0000 + number))),
        recovery_state: Some(RecoveryState::Failed),
        end,
        ended_at: (end != ReplayEnd::Queued).then(|| died + TimeDelta::minutes(2)),
        dead_letter_id: (end == ReplayEnd::DeadLetter).then(|| DeadLetterId(uuid(number))),
        dead_letter_purged: false,
    };
    Lineage {
        came_from: Some(CameFrom {
            dead_letter_id: DeadLetterId(uuid(91)),
            purged: false,
            replayed_by: "a.lind".to_owned(),
            reason: "once more".to_owned(),
            replayed_at: died - TimeDelta::minutes(9),
            recovery_id: None,
        }),
        replays: ReplayEnd::ALL
            .iter()
            .zip(81..)
            .map(|(end, number)| replay(number, *end))
            .collect(),
        replayed_outside: 2,
        not_counted: 0,
    }
}

/// One of each kind.
pub fn warnings() -> Vec<ReplayWarning> {
    WarningKind::ALL
        .iter()
        .map(|kind| ReplayWarning {
            warning: *kind,
            detail: "It was replayed twice already: 0 by us, 2 outside.".to_owned(),
        })
        .collect()
}

/// An impossible row, with what is readable of it.
pub fn unreadable_letter() -> UnreadableLetter {
    let readable = [
        ("job_name", "render.poll"),
        ("queue", "render"),
        ("last_error", "timed out\u{202e}<b>"),
        ("original_created_at", "yesterday"),
    ];
    UnreadableLetter::new(
        Inconsistency {
            table: "soniq_dead_letter_jobs".to_owned(),
            column: "original_created_at".to_owned(),
            id: uuid(0x0bad).to_string(),
        },
        readable
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into(),
    )
}

/// Two queues, a stuck job of each kind, a growing dead table.
pub fn queues(now: DateTime<Utc>) -> QueuesView {
    let totals = Totals {
        queued: 4,
        processing: 2,
        done: 12_031,
        cancelled: 3,
        dead_letter: 60,
        total: 12_100,
    };
    let queue = |name: &str, totals| QueueStats {
        queue: name.to_owned(),
        totals,
    };
    let stuck = |kind: StuckKind, number: u128| StuckJob {
        id: uuid(number).to_string(),
        job_name: "render.poll".to_owned(),
        queue: (kind != StuckKind::NoQueue).then(|| "render".to_owned()),
        status: "processing".to_owned(),
        attempts: (kind != StuckKind::NoAttempts).then_some(1),
        max_attempts: Some(3),
        worker_id: None,
        since: (kind != StuckKind::UnreadableTime).then(|| now - TimeDelta::hours(3)),
        stuck: kind,
        means: kind.means().to_owned(),
    };
    QueuesView {
        circuits: Vec::new(),
        totals,
        queues: vec![
            queue("render", totals),
            queue("dead-letter-office", Totals::default()),
        ],
        stuck: StuckView {
            counts: StuckKind::ALL
                .iter()
                .map(|kind| StuckCount {
                    stuck: *kind,
                    jobs: 1,
                })
                .collect(),
            items: StuckKind::ALL
                .iter()
                .zip(31..)
                .map(|(kind, number)| stuck(*kind, number))
                .collect(),
        },
        dead_letters: DeadTable {
            rows: 60,
            bytes: 3_481_600,
            bytes_estimated: true,
            oldest_at: Some(now - TimeDelta::days(112)),
            died_last_day: 7,
            died_last_week: 31,
            purged_last_week: 4,
            growth_per_day: 3.9,
        },
    }
}
