//! What all dead letters and receipts of one operation add to its record.

use super::attempt::Attempt;
use super::dead_letter::Message;
use super::ids::JobId;
use super::operation::Operation;
use std::collections::BTreeSet;

/// Evidence about one operation, gathered by storage, judged by [`super::plan::decide`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Every dead letter that names the operation, or was linked to it; purged ones included.
    pub messages: Vec<Message>,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
    /// Ids that further receipts of an attempt name: an attempt shows only its most telling receipt.
    pub extra_job_ids: BTreeSet<JobId>,
    /// Known ids that another operation of the same provider and account has attached.
    pub held_elsewhere: BTreeSet<JobId>,
}

impl Evidence {
    /// Ids that dead letters and receipts name.
    pub fn job_ids(&self) -> BTreeSet<JobId> {
        let messages = self
            .messages
            .iter()
            .filter_map(|message| message.facts.job_id.clone());
        let receipts = self.attempts.iter().filter_map(|attempt| {
            attempt
                .receipt
                .as_ref()
                .and_then(|receipt| receipt.job_id.clone())
        });
        messages
            .chain(receipts)
            .chain(self.extra_job_ids.iter().cloned())
            .collect()
    }

    /// Every job id ever known to the operation: attached, reported, in a receipt, in a dead letter.
    pub fn known_jobs(&self, record: &Operation) -> BTreeSet<JobId> {
        let mut known = self.job_ids();
        known.extend(record.job_id.iter().cloned());
        known.extend(record.other_jobs.iter().map(|other| other.job_id.clone()));
        known.extend(record.settled_jobs.iter().cloned());
        known.extend(record.adopted_jobs.iter().cloned());
        known
    }

    /// Known ids that have not become operations of their own.
    pub fn own_jobs(&self, record: &Operation) -> BTreeSet<JobId> {
        self.jobs(record).own
    }

    /// Contested: two or more ids are known, or a known one is held elsewhere, and no decision has settled it.
    pub fn is_contested(&self, record: &Operation) -> bool {
        self.jobs(record).contested
    }

    /// All that the table and the labels ask of ids, found once.
    pub fn jobs(&self, record: &Operation) -> Jobs {
        let known = self.known_jobs(record);
        let own: BTreeSet<JobId> = known
            .iter()
            .filter(|job| !record.adopted_jobs.contains(job))
            .cloned()
            .collect();
        let unsettled = |job: &&JobId| !record.settled_jobs.contains(job);
        let contested = (own.len() >= 2 && own.iter().any(|job| unsettled(&job)))
            || own
                .iter()
                .filter(unsettled)
                .any(|job| self.held_elsewhere.contains(job));
        Jobs {
            known,
            own,
            contested,
        }
    }
}

/// The job ids of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jobs {
    /// Every id ever known to it.
    pub known: BTreeSet<JobId>,
    /// Those that have not become operations of their own.
    pub own: BTreeSet<JobId>,
    /// See [`Evidence::is_contested`].
    pub contested: bool,
}
