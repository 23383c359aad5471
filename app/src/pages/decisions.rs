//! Recording a decision: one form a decision, one server function for all, because their order is one.

use super::ordered;
use super::query::way_back;
use super::review_stale::SEEN;
use crate::components::form::{reason, send_back};
use crate::desk::{Code, DecisionOrder, DeskError};
use crate::domain::decision::{Decision, DecisionKind};
use crate::domain::ids::{DeadLetterId, JobId, OperationId};
use crate::edge::Edge;
use crate::href::{self, Query};
use chrono::{DateTime, NaiveDateTime, Utc};
use leptos::prelude::*;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// The fields of a decision's form, as they come. `page` is the page whose form it was: `review`, or the operation's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DecisionForm {
    pub operation: String,
    pub decision: String,
    pub revision: String,
    pub reason: String,
    pub key: String,
    pub page: String,
    pub back: String,
    pub message: String,
    pub job_id: String,
    pub id: String,
    pub evidence: String,
    pub through: String,
    pub indexes: String,
    pub reference: String,
    pub amount: String,
    pub dead_letter_id: String,
}

fn malformed(what: &str) -> DeskError {
    DeskError::new(
        Code::InvalidRequest,
        format!("The {what} is missing or malformed."),
    )
}

fn text(value: &str, what: &str) -> Result<String, DeskError> {
    let value = value.trim();
    if value.is_empty() || value.chars().count() > crate::desk::order::MAX_REASON {
        Err(malformed(what))
    } else {
        Ok(value.to_owned())
    }
}

/// RFC 3339, or `2026-11-30 14:05:11` in UTC.
fn moment(value: &str) -> Result<DateTime<Utc>, DeskError> {
    let value = value.trim().trim_end_matches(" UTC");
    if let Ok(at) = DateTime::parse_from_rfc3339(value) {
        return Ok(at.to_utc());
    }
    [
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%d %H:%M",
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
    ]
    .iter()
    .find_map(|format| NaiveDateTime::parse_from_str(value, format).ok())
    .map(|at| at.and_utc())
    .ok_or_else(|| malformed("time"))
}

fn indexes(value: &str) -> Result<Vec<u32>, DeskError> {
    let parts = value.split([',', ' ']).filter(|part| !part.is_empty());
    let list: Vec<u32> = parts
        .map(str::parse)
        .collect::<Result<_, _>>()
        .map_err(|_| malformed("list of outputs"))?;
    if list.is_empty() {
        Err(malformed("list of outputs"))
    } else {
        Ok(list)
    }
}

/// The decision that the fields spell, or what is wrong with them.
fn parse(kind: DecisionKind, typed: &DecisionForm) -> Result<Decision, DeskError> {
    let job = || JobId::parse(typed.job_id.trim()).ok_or_else(|| malformed("job id"));
    let id = || OperationId::parse(typed.id.trim()).ok_or_else(|| malformed("operation id"));
    Ok(match kind {
        DecisionKind::AttachJob => Decision::AttachJob { job_id: job()? },
        DecisionKind::ChooseJob => Decision::ChooseJob { job_id: job()? },
        DecisionKind::AdoptAsOperation => Decision::AdoptAsOperation {
            job_id: job()?,
            id: id()?,
        },
        DecisionKind::ConfirmNotSent => Decision::ConfirmNotSent {
            evidence: text(&typed.evidence, "evidence")?,
        },
        DecisionKind::OutsideSendExcluded => Decision::OutsideSendExcluded {
            evidence: text(&typed.evidence, "evidence")?,
            through: moment(&typed.through)?,
        },
        DecisionKind::CloseUnresolved => Decision::CloseUnresolved,
        DecisionKind::OutputsLost => Decision::OutputsLost {
            indexes: indexes(&typed.indexes)?,
        },
        DecisionKind::RefundConfirmed => Decision::RefundConfirmed {
            reference: text(&typed.reference, "reference")?,
            amount: Decimal::from_str_exact(typed.amount.trim())
                .ok()
                .filter(|amount| !amount.is_sign_negative())
                .ok_or_else(|| malformed("amount"))?,
        },
        DecisionKind::ChargeAccepted => Decision::ChargeAccepted,
        DecisionKind::RefundRequested => Decision::RefundRequested,
        DecisionKind::AcknowledgeObsolete => Decision::AcknowledgeObsolete {
            dead_letter_id: match typed.dead_letter_id.trim() {
                "" => None,
                text => Some(DeadLetterId::parse(text).ok_or_else(|| malformed("message id"))?),
            },
        },
        DecisionKind::PrepareNewOperation => Decision::PrepareNewOperation { id: id()? },
        DecisionKind::Reopen => Decision::Reopen,
    })
}

impl DecisionForm {
    fn order(&self) -> Result<(OperationId, DecisionOrder), DeskError> {
        let target = OperationId::parse(&self.operation).ok_or_else(|| malformed("operation id"))?;
        let kind: DecisionKind = self.decision.parse().map_err(|_| malformed("decision"))?;
        let order = DecisionOrder {
            revision: self.revision.parse().map_err(|_| malformed("revision"))?,
            reason: reason(&self.reason)?.to_owned(),
            decision: parse(kind, self)?,
        };
        Ok((target, order))
    }

    /// The way here, for the page that follows.
    fn side(&self) -> Query {
        let back = way_back(&Query::of(&[("back", &self.back)])).to_text();
        Query::of(&[("back", &back), ("message", &self.message)])
    }

    /// Back to the page of the form, with what was typed.
    fn refused(&self, edge: &Edge, code: Code) {
        let page = match self.page.as_str() {
            "review" => href::review(&self.operation),
            _ => href::operation(&self.operation),
        };
        let kept = [
            ("reason", &self.reason),
            ("job_id", &self.job_id),
            ("id", &self.id),
            ("evidence", &self.evidence),
            ("through", &self.through),
            ("indexes", &self.indexes),
            ("reference", &self.reference),
            ("amount", &self.amount),
            ("dead_letter_id", &self.dead_letter_id),
        ];
        let kept = kept.map(|(name, value)| (name, value.as_str()));
        let side = if code == Code::PlanStale {
            self.side().and(SEEN, &self.revision)
        } else {
            self.side()
        };
        send_back(edge, &page, &side, &self.decision, code, &kept);
    }
}

/// Records one decision on one operation.
#[server(prefix = "/forms", endpoint = "decisions/record")]
pub async fn record_decision(#[server(flatten)] form: DecisionForm) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let result = async {
        let (target, order) = form.order()?;
        desk.decide(&target, order, &form.key).await
    };
    match result.await {
        Ok(_) => {
            let page = href::operation(&form.operation);
            edge.reply
                .redirect(&href::with(&page, &form.side().and("done", "decided")));
        }
        Err(error) => form.refused(&edge, error.code),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    fn full() -> DecisionForm {
        DecisionForm {
            job_id: " gj_1 ".to_owned(),
            id: "op_2".to_owned(),
            evidence: "asked the provider".to_owned(),
            through: "2026-11-30 14:05:11 UTC".to_owned(),
            indexes: "2, 3".to_owned(),
            reference: "RF-1".to_owned(),
            amount: "12.50".to_owned(),
            ..DecisionForm::default()
        }
    }

    #[test]
    fn a_full_form_spells_every_decision() {
        for kind in DecisionKind::ALL {
            assert_eq!(parse(*kind, &full()).map(|decision| decision.kind()), Ok(*kind));
        }
        let through = Utc.with_ymd_and_hms(2026, 11, 30, 14, 5, 11).unwrap();
        assert_eq!(
            parse(DecisionKind::OutsideSendExcluded, &full()),
            Ok(Decision::OutsideSendExcluded {
                evidence: "asked the provider".to_owned(),
                through
            })
        );
        assert_eq!(
            parse(DecisionKind::OutputsLost, &full()),
            Ok(Decision::OutputsLost { indexes: vec![2, 3] })
        );
    }

    #[test]
    fn a_malformed_field_is_refused() {
        let with = |change: fn(&mut DecisionForm)| {
            let mut form = full();
            change(&mut form);
            form
        };
        let wrong = [
            (DecisionKind::AttachJob, with(|form| form.job_id = " ".to_owned())),
            (
                DecisionKind::OutsideSendExcluded,
                with(|form| form.through = "soon".to_owned()),
            ),
            (
                DecisionKind::OutputsLost,
                with(|form| form.indexes = "1, x".to_owned()),
            ),
            (
                DecisionKind::RefundConfirmed,
                with(|form| form.amount = "-1".to_owned()),
            ),
            (
                DecisionKind::RefundConfirmed,
                with(|form| form.amount = "1e3".to_owned()),
            ),
            (
                DecisionKind::AcknowledgeObsolete,
                with(|form| form.dead_letter_id = "zz".to_owned()),
            ),
        ];
        for (kind, form) in wrong {
            let refused = parse(kind, &form).map_err(|error| error.code);
            assert_eq!(refused, Err(Code::InvalidRequest), "{kind} {form:?}");
        }
    }
}
