//! The desk itself: who asks, what is read, what is ordered.

use super::FakeDesk;
use crate::desk::*;
use crate::domain::audit::AuditEntry;
use crate::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use crate::domain::plan::Plan;
use crate::domain::recovery::{Recovery, RecoveryState};
use crate::domain::role::Caller;
use crate::pages::samples;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::sync::Arc;

#[async_trait]
impl Desk for FakeDesk {
    fn caller(&self) -> Option<Caller> {
        Some(samples::caller())
    }

    fn now(&self) -> DateTime<Utc> {
        samples::now()
    }

    fn issuer(&self) -> Option<String> {
        None
    }

    async fn sign_in(&self, name: &str, _password: &str) -> Answer<Caller> {
        self.order(format!("sign_in {name}"), samples::caller())
    }

    async fn sign_out(&self) -> Answer<()> {
        self.order("sign_out".to_owned(), ())
    }

    async fn sign_out_everywhere(&self) -> Answer<()> {
        self.order("sign_out_everywhere".to_owned(), ())
    }

    async fn change_password(&self, _current: &str, _new: &str) -> Answer<()> {
        self.order("change_password".to_owned(), ())
    }

    async fn may_set_up(&self, link: &str) -> Answer<()> {
        if link == "good" {
            Ok(())
        } else {
            Err(DeskError::new(Code::NotFound, "The link is worth nothing."))
        }
    }

    async fn set_up(&self, link: &str, name: &str, _password: &str) -> Answer<Caller> {
        self.order(format!("set_up {link} {name}"), samples::caller())
    }

    async fn standing(&self) -> Answer<Standing> {
        self.read(samples::standing(self.now()))
    }

    async fn chain(&self) -> Answer<Option<ChainCheck>> {
        self.read(Some(samples::chain(self.now(), None)))
    }

    async fn verify_chain(&self) -> Answer<ChainCheck> {
        self.order("verify_chain".to_owned(), samples::chain(self.now(), None))
    }

    async fn overview(&self) -> Answer<Overview> {
        self.read(samples::overview())
    }

    async fn summary(&self, _filter: &DeadLetterFilter) -> Answer<Summary> {
        self.read(samples::summary())
    }

    async fn hours(&self, _filter: &DeadLetterFilter) -> Answer<Hours> {
        self.read(samples::hours(self.now()))
    }

    async fn categories(&self, _filter: &DeadLetterFilter) -> Answer<Vec<CategoryCount>> {
        self.read(samples::categories(self.now()))
    }

    async fn mark(&self, _topic: &Topic) -> Answer<String> {
        self.read("m1".to_owned())
    }

    async fn dead_letters(
        &self,
        _filter: &DeadLetterFilter,
        _page: &PageRequest,
    ) -> Answer<Arc<PageOf<DeadLetterRow>>> {
        let rows = samples::dead_letters(self.now())
            .into_iter()
            .map(|one| DeadLetterRow::Readable(Box::new(one)));
        self.read(Arc::new(PageOf {
            items: rows.collect(),
            next_cursor: None,
        }))
    }

    async fn dead_letter(&self, id: &str) -> Answer<LetterFound> {
        let found = samples::dead_letters(self.now())
            .into_iter()
            .find(|one| one.id.to_string() == id);
        found
            .map(|one| LetterFound::Readable(Box::new(one)))
            .ok_or_else(|| DeskError::new(Code::NotFound, "It is not there."))
    }

    async fn operations(
        &self,
        _filter: &OperationFilter,
        _page: &PageRequest,
    ) -> Answer<PageOf<OperationRow>> {
        self.read(PageOf {
            items: samples::operation_rows(self.now()),
            next_cursor: None,
        })
    }

    async fn operation(&self, id: &OperationId) -> Answer<OperationView> {
        let view = samples::half_delivered(self.now());
        if *id == view.id {
            self.read(view)
        } else if id.as_str() == "a/b c" {
            self.read(OperationView {
                id: id.clone(),
                ..samples::contested(self.now())
            })
        } else {
            Err(DeskError::new(Code::NotFound, "It is not on record."))
        }
    }

    async fn plan(
        &self,
        id: &OperationId,
        observe: Option<&JobId>,
        _led_by: Option<DeadLetterId>,
    ) -> Answer<Plan> {
        let view = self.operation(id).await?;
        Ok(observe.map_or_else(
            || view.plan.clone(),
            |job| samples::observe_plan(&view, job.as_str()),
        ))
    }

    async fn candidates(&self, _id: &OperationId) -> Answer<Candidates> {
        self.read(samples::candidates())
    }

    async fn recoveries(&self, _filter: &RecoveryFilter, _page: &PageRequest) -> Answer<PageOf<Recovery>> {
        self.read(PageOf {
            items: samples::recoveries(self.now()),
            next_cursor: None,
        })
    }

    async fn recovery(&self, id: &str) -> Answer<Recovery> {
        let found = samples::recoveries(self.now())
            .into_iter()
            .find(|one| one.id.to_string() == id);
        found.ok_or_else(|| DeskError::new(Code::NotFound, "It is not there."))
    }

    async fn queues(&self) -> Answer<QueuesView> {
        self.read(QueuesView::default())
    }

    async fn audit(&self, _filter: &AuditFilter, _page: &PageRequest) -> Answer<PageOf<AuditEntry>> {
        self.read(PageOf {
            items: samples::audit(self.now()),
            next_cursor: None,
        })
    }

    async fn confirm(&self, operation: &OperationId, order: RecoveryOrder, key: &str) -> Answer<Ordered> {
        let job = order.job_id.map_or_else(|| "-".to_owned(), |job| job.to_string());
        let words = format!(
            "confirm {operation} {} r{} {job} {} {key}",
            order.action, order.revision, order.reason
        );
        let recovery_id = RecoveryId(uuid::Uuid::nil());
        self.order(
            words,
            Ordered {
                recovery_id,
                state: RecoveryState::Requested,
                job_id: None,
            },
        )
    }

    async fn decide(&self, operation: &OperationId, order: DecisionOrder, key: &str) -> Answer<(i64, Plan)> {
        let words = format!(
            "decide {operation} {} r{} {} {key}",
            order.decision.kind(),
            order.revision,
            order.reason
        );
        self.order(
            words,
            (order.revision + 1, samples::half_delivered(self.now()).plan),
        )
    }

    async fn approve(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery> {
        let first = samples::recoveries(self.now()).remove(0);
        self.order(format!("approve {recovery} {reason} {key}"), first)
    }

    async fn cancel(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery> {
        let first = samples::recoveries(self.now()).remove(0);
        self.order(format!("cancel {recovery} {reason} {key}"), first)
    }

    async fn replay(&self, id: &str, reason: &str, key: &str) -> Answer<QueueJobId> {
        self.order(
            format!("replay {id} {reason} {key}"),
            QueueJobId(uuid::Uuid::nil()),
        )
    }

    async fn purge(&self, id: &str, reason: &str, confirm: &str, key: &str) -> Answer<bool> {
        self.order(format!("purge {id} {reason} {confirm} {key}"), true)
    }

    async fn link(&self, id: &str, operation: &OperationId, reason: &str, key: &str) -> Answer<()> {
        self.order(format!("link {id} {operation} {reason} {key}"), ())
    }

    async fn acknowledge(&self, id: &str, reason: &str, key: &str) -> Answer<()> {
        self.order(format!("acknowledge {id} {reason} {key}"), ())
    }
}
