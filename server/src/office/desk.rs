//! The port on the office: one value per request. It knows who asks; the office decides what they may.

use super::throttle::{Throttle, seconds};
use super::{Office, session};

use app::desk::{
    Answer, AuditFilter, Candidates, Code, DeadLetterFilter, DeadLetterRow, DeadLetterView, DecisionOrder,
    Desk, DeskError, OperationFilter, OperationRow, OperationView, Ordered, Overview, PageOf, PageRequest,
    QueuesView, RecoveryFilter, RecoveryOrder, Summary,
};
use app::domain::audit::AuditEntry;
use app::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use app::domain::plan::Plan;
use app::domain::recovery::Recovery;
use app::domain::role::Caller;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use tower_sessions::Session;

/// The office as one browser sees it, for one request.
pub struct OfficeDesk {
    pub office: Arc<Office>,
    pub throttle: Arc<Throttle>,
    pub session: Session,
    pub address: IpAddr,
    pub caller: Option<Caller>,
    pub now: DateTime<Utc>,
    /// Filled when the answer must be 429: whole seconds to wait.
    pub slow_down: Arc<OnceLock<u64>>,
}

impl OfficeDesk {
    fn signed_in(&self) -> Answer<&Caller> {
        self.caller
            .as_ref()
            .ok_or_else(|| DeskError::new(Code::Unauthenticated, "Sign in first."))
    }
}

#[async_trait]
impl Desk for OfficeDesk {
    fn caller(&self) -> Option<Caller> {
        self.caller.clone()
    }

    fn now(&self) -> DateTime<Utc> {
        self.now
    }

    async fn sign_in(&self, name: &str, password: &str) -> Answer<Caller> {
        let tried = self
            .throttle
            .begin_sign_in(name, self.address, Instant::now())
            .map_err(|wait| {
                let wait = *self.slow_down.get_or_init(|| seconds(wait));
                DeskError::new(
                    Code::SlowDown,
                    format!("Too many tries. Try again in {wait} seconds."),
                )
            })?;
        let signed_in = self.office.sign_in(name, password).await?;
        session::start(&self.session, &signed_in).await?;
        self.throttle.signed_in(tried, Instant::now());
        tracing::info!(person = %signed_in.caller.name, "signed in");
        Ok(signed_in.caller)
    }

    async fn sign_out(&self) -> Answer<()> {
        session::end(&self.session).await
    }

    async fn overview(&self) -> Answer<Overview> {
        self.office.overview(self.signed_in()?).await
    }

    async fn summary(&self, filter: &DeadLetterFilter) -> Answer<Summary> {
        self.office.summary(self.signed_in()?, filter).await
    }

    async fn dead_letters(
        &self,
        filter: &DeadLetterFilter,
        page: &PageRequest,
    ) -> Answer<PageOf<DeadLetterRow>> {
        self.office.dead_letters(self.signed_in()?, filter, page).await
    }

    async fn dead_letter(&self, id: &str) -> Answer<DeadLetterView> {
        self.office.dead_letter(self.signed_in()?, id).await
    }

    async fn operations(&self, filter: &OperationFilter, page: &PageRequest) -> Answer<PageOf<OperationRow>> {
        self.office.operations(self.signed_in()?, filter, page).await
    }

    async fn operation(&self, id: &OperationId) -> Answer<OperationView> {
        self.office.operation(self.signed_in()?, id).await
    }

    async fn plan(
        &self,
        id: &OperationId,
        observe: Option<&JobId>,
        led_by: Option<DeadLetterId>,
    ) -> Answer<Plan> {
        self.office.plan(self.signed_in()?, id, observe, led_by).await
    }

    async fn candidates(&self, id: &OperationId) -> Answer<Candidates> {
        self.office.candidates(self.signed_in()?, id).await
    }

    async fn recoveries(&self, filter: &RecoveryFilter, page: &PageRequest) -> Answer<PageOf<Recovery>> {
        self.office.recoveries(self.signed_in()?, filter, page).await
    }

    async fn recovery(&self, id: &str) -> Answer<Recovery> {
        self.office.recovery(self.signed_in()?, id).await
    }

    async fn queues(&self) -> Answer<QueuesView> {
        self.office.queues(self.signed_in()?).await
    }

    async fn audit(&self, filter: &AuditFilter, page: &PageRequest) -> Answer<PageOf<AuditEntry>> {
        self.office.audit(self.signed_in()?, filter, page).await
    }

    async fn confirm(&self, operation: &OperationId, order: RecoveryOrder, key: &str) -> Answer<Ordered> {
        self.office
            .confirm(self.signed_in()?, operation, order, key)
            .await
    }

    async fn decide(&self, operation: &OperationId, order: DecisionOrder, key: &str) -> Answer<(i64, Plan)> {
        self.office.decide(self.signed_in()?, operation, order, key).await
    }

    async fn cancel(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery> {
        self.office.cancel(self.signed_in()?, recovery, reason, key).await
    }

    async fn replay(&self, id: &str, reason: &str, key: &str) -> Answer<QueueJobId> {
        self.office.replay(self.signed_in()?, id, reason, key).await
    }

    async fn purge(&self, id: &str, reason: &str, confirm: &str, key: &str) -> Answer<bool> {
        self.office
            .purge(self.signed_in()?, id, reason, confirm, key)
            .await
    }

    async fn link(&self, id: &str, operation: &OperationId, reason: &str, key: &str) -> Answer<()> {
        self.office
            .link(self.signed_in()?, id, operation, reason, key)
            .await
    }

    async fn acknowledge(&self, id: &str, reason: &str, key: &str) -> Answer<()> {
        self.office.acknowledge(self.signed_in()?, id, reason, key).await
    }
}
