//! The port on the office: one value per request. It knows who asks; the office decides what they may.

use super::kept::Moment;
use super::pieces::Laid;
use super::setup::no_password;
use super::throttle::{Throttle, Try, seconds};
use super::{Office, session};
use crate::config::{ReplayWithoutRecord, Reveal};

use app::desk::{
    Answer, AuditFilter, CameBy, Candidates, CategoryCount, ChainCheck, Code, DeadLetterFilter,
    DeadLetterRow, DecisionOrder, Desk, DeskError, Hours, LetterFound, OperationFilter, OperationRow,
    OperationView, Ordered, Overview, PageOf, PageRequest, QueuesView, RecoveryFilter, RecoveryOrder,
    Standing, Summary, Topic,
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
    /// How the caller came in.
    pub came_by: CameBy,
    pub now: DateTime<Utc>,
    /// The state of the database that this request reads.
    pub moment: Arc<Moment>,
    /// Pieces that the page is put together from.
    pub laid: Arc<Laid>,
    /// Filled when the answer must be 429: whole seconds to wait.
    pub slow_down: Arc<OnceLock<u64>>,
}

impl OfficeDesk {
    /// Counts a try of a password.
    fn begin_try(&self, name: &str) -> Answer<Try> {
        self.throttle
            .begin_sign_in(name, self.address, Instant::now())
            .map_err(|wait| {
                let wait = *self.slow_down.get_or_init(|| seconds(wait));
                DeskError::new(
                    Code::SlowDown,
                    format!("Too many tries. Try again in {wait} seconds."),
                )
            })
    }

    /// Whether the caller could change a password here: not who came by a proxy, whatever row bears their name.
    async fn has_password(&self) -> Answer<bool> {
        let caller = self.signed_in()?;
        Ok(self.came_by != CameBy::Proxy && self.office.has_password(&caller.name).await?)
    }

    pub(super) fn signed_in(&self) -> Answer<&Caller> {
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

    fn issuer(&self) -> Option<String> {
        let issuer = self.office.issuer.as_ref();
        issuer.map(|issuer| issuer.label().to_owned())
    }

    async fn sign_in(&self, name: &str, password: &str) -> Answer<Caller> {
        let tried = self.begin_try(name)?;
        let signed_in = match self.office.sign_in(name, password).await {
            Ok(signed_in) => signed_in,
            Err(error) => {
                if error.code == Code::Unauthenticated {
                    self.office.note_sign_in_refused(name, self.address).await;
                }
                return Err(error);
            }
        };
        session::start(&self.session, &signed_in).await?;
        self.throttle.signed_in(tried, Instant::now());
        self.office
            .note_signed_in(&signed_in.caller, self.address, "by password")
            .await;
        Ok(signed_in.caller)
    }

    async fn sign_out(&self) -> Answer<()> {
        session::end(&self.session).await?;
        if let Some(caller) = &self.caller {
            self.office.note_signed_out(caller).await;
        }
        Ok(())
    }

    async fn sign_out_everywhere(&self) -> Answer<()> {
        self.office.sign_out_everywhere(self.signed_in()?).await?;
        session::end(&self.session).await
    }

    async fn change_password(&self, current: &str, new: &str) -> Answer<()> {
        let caller = self.signed_in()?;
        // Before it is a try: there is nothing to guess.
        if !self.has_password().await? {
            return Err(no_password());
        }
        let tried = self.begin_try(&caller.name)?;
        let changed = self.office.change_password(caller, current, new).await?;
        session::start(&self.session, &changed).await?;
        self.throttle.signed_in(tried, Instant::now());
        Ok(())
    }

    async fn may_set_up(&self, link: &str) -> Answer<()> {
        self.office.may_set_up(link).await
    }

    async fn set_up(&self, link: &str, name: &str, password: &str) -> Answer<Caller> {
        let signed_in = self.office.set_up(link, name, password).await?;
        session::start(&self.session, &signed_in).await?;
        self.office
            .note_signed_in(&signed_in.caller, self.address, "by the set-up link")
            .await;
        Ok(signed_in.caller)
    }

    async fn standing(&self) -> Answer<Standing> {
        self.signed_in()?;
        Ok(Standing {
            came_by: self.came_by,
            has_password: self.has_password().await?,
            idle_minutes: session::IDLE.whole_minutes(),
            replay_without_record: self.office.config.policy.replay_without_record
                == ReplayWithoutRecord::Allow,
            reveal: self.office.config.policy.reveal == Reveal::Allow,
            people_for_a_creation: self.office.config.approvals.dispatch,
        })
    }

    async fn chain(&self) -> Answer<Option<ChainCheck>> {
        self.office.chain(self.signed_in()?)
    }

    async fn verify_chain(&self) -> Answer<ChainCheck> {
        self.office.verify_chain(self.signed_in()?).await
    }

    async fn overview(&self) -> Answer<Overview> {
        self.office.overview(self.signed_in()?).await
    }

    async fn summary(&self, filter: &DeadLetterFilter) -> Answer<Summary> {
        self.office.summary(self.signed_in()?, filter).await
    }

    async fn hours(&self, filter: &DeadLetterFilter) -> Answer<Hours> {
        self.office.hours(self.signed_in()?, filter, self.now).await
    }

    async fn categories(&self, filter: &DeadLetterFilter) -> Answer<Vec<CategoryCount>> {
        self.office.categories(self.signed_in()?, filter).await
    }

    async fn mark(&self, topic: &Topic) -> Answer<String> {
        self.office.mark_at(&self.moment, self.signed_in()?, topic).await
    }

    async fn dead_letters(
        &self,
        filter: &DeadLetterFilter,
        page: &PageRequest,
    ) -> Answer<Arc<PageOf<DeadLetterRow>>> {
        self.office
            .dead_letters_at(&self.moment, self.signed_in()?, filter, page)
            .await
    }

    async fn dead_letter(&self, id: &str) -> Answer<LetterFound> {
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

    async fn approve(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery> {
        self.office
            .approve(self.signed_in()?, recovery, reason, key)
            .await
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
