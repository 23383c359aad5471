//! `dlo purge`: retention of the dead table. Without `--execute` it only shows what would go.

use super::context::{CliError, Context, Outcome};
use super::tokens::moment;
use crate::office::kept_words;
use crate::storage::dead_letters::{Old, Retention};
use app::domain::redact::visible;
use chrono::{DateTime, Duration, Utc};
use clap::Args;

/// Which dead letters go.
#[derive(Debug, Clone, Args)]
pub struct Purge {
    /// Dead for longer than this: `90d`, `12w`, `48h`.
    #[arg(long, value_name = "AGE", value_parser = age, required_unless_present = "before", conflicts_with = "before")]
    older_than: Option<Duration>,
    /// Dead before this moment: `2026-09-01T00:00:00Z`, as a dry run prints it.
    #[arg(long, value_name = "MOMENT", value_parser = instant)]
    before: Option<DateTime<Utc>>,
    /// Only those that a person has acknowledged.
    #[arg(long)]
    only_acknowledged: bool,
    /// Delete nothing, print what would be deleted. This is the default.
    #[arg(long, conflicts_with = "execute")]
    dry_run: bool,
    /// Delete them for ever, in batches.
    #[arg(long)]
    execute: bool,
    /// For the audit.
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// An age: a whole number and one of `h`, `d`, `w`.
fn age(text: &str) -> Result<Duration, String> {
    let unit = |letter| match letter {
        'h' => Some(1),
        'd' => Some(24),
        'w' => Some(24 * 7),
        _ => None,
    };
    let hours = text
        .char_indices()
        .next_back()
        .and_then(|(at, letter)| {
            let number: i64 = text[..at].parse::<u32>().ok()?.into();
            number.checked_mul(unit(letter)?)
        })
        .and_then(Duration::try_hours)
        .filter(|age| !age.is_zero());
    hours.ok_or_else(|| "a whole number of hours, days or weeks: 48h, 90d, 12w".to_owned())
}

fn instant(text: &str) -> Result<DateTime<Utc>, String> {
    DateTime::parse_from_rfc3339(text)
        .map(|at| at.to_utc())
        .map_err(|_| "a moment like 2026-09-01T00:00:00Z".to_owned())
}

impl Purge {
    /// A whole second, so that it can be printed and given again.
    fn before(&self, now: DateTime<Utc>) -> Result<DateTime<Utc>, CliError> {
        let before = match (self.before, self.older_than) {
            (Some(before), _) => Some(before),
            (None, Some(age)) => now.checked_sub_signed(age),
            (None, None) => None,
        };
        before
            .and_then(|before| DateTime::from_timestamp(before.timestamp(), 0))
            .ok_or_else(|| CliError::usage("that is too long ago"))
    }
}

pub async fn purge(context: Context, order: &Purge) -> Outcome {
    let before = order.before(Utc::now())?;
    let database = context.current().await?;
    let caller = context.caller.clone();
    let office = context.office(database)?;
    let retention = Retention {
        before,
        only_acknowledged: order.only_acknowledged,
    };
    let which = if order.only_acknowledged {
        "acknowledged, "
    } else {
        ""
    };
    let reason = match &order.reason {
        Some(reason) => reason.clone(),
        None => format!("Retention: {which}dead before {}.", moment(before)),
    };
    let (mut purged, mut kept, mut after) = (0_u64, 0_u64, None);
    loop {
        let mut batch = office
            .old_dead_letters(&caller, &retention, after.as_ref())
            .await?;
        if order.execute {
            batch = office
                .purge_old_dead_letters(&caller, &retention, batch, &reason)
                .await?;
        }
        for letter in &batch.letters {
            println!("{}", line(letter));
            match letter.kept {
                None => purged += 1,
                Some(_) => kept += 1,
            }
        }
        match batch.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    summary(order, before, purged, kept);
    Ok(())
}

/// One dead letter: the same line in a dry run and in the real one.
fn line(letter: &Old) -> String {
    let operation = letter
        .operation
        .as_ref()
        .map_or_else(|| "-".to_owned(), |operation| visible(operation.as_str()));
    let verb = if letter.kept.is_none() { "purge" } else { "keep" };
    let why = letter
        .kept
        .map(|kept| format!("  # {}", kept_words(kept)))
        .unwrap_or_default();
    format!(
        "{verb} {} died {} queue {} job {} {} operation {operation}{why}",
        visible(&letter.id),
        visible(&letter.died_at),
        visible(&letter.queue),
        visible(&letter.job_name),
        letter.disposition,
    )
}

/// How many, on standard error: standard output holds the lines alone.
fn summary(order: &Purge, before: DateTime<Utc>, purged: u64, kept: u64) {
    let before = moment(before);
    if order.execute {
        eprintln!(
            "dlo: {purged} purged, {kept} kept; dead before {before}. What they knew stays as evidence."
        );
        return;
    }
    let only = if order.only_acknowledged {
        " --only-acknowledged"
    } else {
        ""
    };
    eprintln!(
        "dlo: dry run: {purged} would be purged, {kept} kept; nothing is deleted.\n\
         dlo: to purge these: dlo purge --before {before}{only} --execute"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_whole_and_not_nothing() {
        assert_eq!(age("90d"), Ok(Duration::days(90)));
        assert_eq!(age("12w"), Ok(Duration::weeks(12)));
        assert_eq!(age("48h"), Ok(Duration::hours(48)));
        for wrong in ["", "d", "90", "0d", "-1d", "1.5d", "90 d", "9999999999d", "1ü"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
