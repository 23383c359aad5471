//! What a decision asks the provider first, outside of any transaction that holds a lock.

use super::super::idempotent;
use super::{Failure, Office, Standing};
use crate::storage::idempotency::Claim;
use crate::storage::operations;
use app::desk::{Candidates, Code, DecisionOrder, DeskError};
use app::domain::decision::Decision;
use app::domain::ids::{JobId, OperationId};
use app::domain::plan::Plan;
use app::domain::remote::Fetch;
use app::domain::role::Caller;
use app::domain::transition::Observation;

/// What the provider said.
#[derive(Debug, Clone, Default)]
pub struct Answered {
    /// `attach_job`: the answer of the read.
    pub observation: Option<Observation>,
    /// `confirm_not_sent`: what the search found, where there is one.
    pub candidates: Option<Candidates>,
}

/// The order was carried out before, or this is what was asked for it.
pub enum Asked {
    FirstAnswer(Box<(i64, Plan)>),
    Answered(Answered),
}

impl Office {
    /// Asks where the decision needs it, and only when it would otherwise be recorded.
    pub(super) async fn ask(
        &self,
        caller: &Caller,
        id: &OperationId,
        order: &DecisionOrder,
        claim: &Claim,
    ) -> Result<Asked, Failure> {
        if !asks_first(&order.decision) {
            return Ok(Asked::Answered(Answered::default()));
        }
        let mut tx = self.database.read().await?;
        if let Some(answer) = idempotent::peek(&mut tx, claim).await? {
            return Ok(Asked::FirstAnswer(Box::new(answer)));
        }
        let standing = self.standing(&mut tx, caller, id, order).await?;
        let Decision::AttachJob { job_id } = &order.decision else {
            tx.rollback().await?;
            let candidates = self.search_first(&standing).await;
            return Ok(Asked::Answered(Answered {
                observation: None,
                candidates,
            }));
        };
        let (provider, account) = (&standing.record.provider, &standing.record.account);
        let holder = operations::holder(&mut tx, provider, account, job_id).await?;
        tx.rollback().await?;
        if holder.is_some() {
            return Err(
                DeskError::new(Code::JobHeldElsewhere, "Another operation holds this job id.").into(),
            );
        }
        let observation = Some(self.read_job(&standing, job_id).await?);
        Ok(Asked::Answered(Answered {
            observation,
            candidates: None,
        }))
    }

    async fn read_job(&self, standing: &Standing, job_id: &JobId) -> Result<Observation, Failure> {
        let not_confirmed = |detail: String| Failure::from(DeskError::new(Code::JobNotConfirmed, detail));
        let record = &standing.record;
        if !self.is_pinned(record) {
            let detail = format!(
                "The configuration of {} is not the one that the record was made with, and an id is never sent elsewhere.",
                record.provider
            );
            return Err(not_confirmed(detail));
        }
        let Some(asks) = &self.asks else {
            return Err(not_confirmed(
                "Nobody asks providers here, so no answer bears this id.".to_owned(),
            ));
        };
        let seen = asks.observe(record, job_id).await;
        if seen.fetch == Fetch::Ok {
            Ok(seen)
        } else {
            Err(not_confirmed(format!(
                "The provider did not answer with the job {job_id} ({}).",
                seen.fetch
            )))
        }
    }

    /// `None` where the provider has no search.
    async fn search_first(&self, standing: &Standing) -> Option<Candidates> {
        let configured = self.config.providers.get(&standing.record.provider)?;
        configured.search()?;
        Some(self.search(&standing.record).await)
    }
}

/// A read for `attach_job`, the search for `confirm_not_sent`.
const fn asks_first(decision: &Decision) -> bool {
    match decision {
        Decision::AttachJob { .. } | Decision::ConfirmNotSent { .. } => true,
        Decision::ChooseJob { .. }
        | Decision::AdoptAsOperation { .. }
        | Decision::OutsideSendExcluded { .. }
        | Decision::CloseUnresolved
        | Decision::OutputsLost { .. }
        | Decision::RefundConfirmed { .. }
        | Decision::ChargeAccepted
        | Decision::RefundRequested
        | Decision::AcknowledgeObsolete { .. }
        | Decision::PrepareNewOperation { .. }
        | Decision::Reopen => false,
    }
}
