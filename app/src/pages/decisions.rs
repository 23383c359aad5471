//! Recording a decision: one form a decision, one server function for all, because their order is one.

use super::ordered;
use super::query::way_back;
use crate::components::form::{reason, send_back};
use crate::desk::{Code, DecisionOrder, DeskError};
use crate::domain::decision::{Decision, DecisionKind};
use crate::domain::ids::{DeadLetterId, JobId, OperationId};
use crate::href::{self, Query};
use chrono::{DateTime, NaiveDateTime, Utc};
use leptos::prelude::*;
use rust_decimal::Decimal;

/// What the fields of a decision's form hold, as typed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Typed<'a> {
    pub job_id: &'a str,
    pub id: &'a str,
    pub evidence: &'a str,
    pub through: &'a str,
    pub indexes: &'a str,
    pub reference: &'a str,
    pub amount: &'a str,
    pub dead_letter_id: &'a str,
}

fn malformed(what: &str) -> DeskError {
    DeskError::new(Code::InvalidRequest, format!("The {what} is missing or malformed."))
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
    ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(value, format).ok())
        .map(|at| at.and_utc())
        .ok_or_else(|| malformed("time"))
}

fn indexes(value: &str) -> Result<Vec<u32>, DeskError> {
    let parts = value.split([',', ' ']).filter(|part| !part.is_empty());
    let list: Vec<u32> = parts.map(str::parse).collect::<Result<_, _>>().map_err(|_| malformed("list of outputs"))?;
    if list.is_empty() { Err(malformed("list of outputs")) } else { Ok(list) }
}

/// The decision that the fields spell, or what is wrong with them.
pub fn parse(kind: DecisionKind, typed: Typed<'_>) -> Result<Decision, DeskError> {
    let job = || JobId::parse(typed.job_id.trim()).ok_or_else(|| malformed("job id"));
    let id = || OperationId::parse(typed.id.trim()).ok_or_else(|| malformed("operation id"));
    Ok(match kind {
        DecisionKind::AttachJob => Decision::AttachJob { job_id: job()? },
        DecisionKind::ChooseJob => Decision::ChooseJob { job_id: job()? },
        DecisionKind::AdoptAsOperation => Decision::AdoptAsOperation { job_id: job()?, id: id()? },
        DecisionKind::ConfirmNotSent => Decision::ConfirmNotSent { evidence: text(typed.evidence, "evidence")? },
        DecisionKind::OutsideSendExcluded => Decision::OutsideSendExcluded {
            evidence: text(typed.evidence, "evidence")?,
            through: moment(typed.through)?,
        },
        DecisionKind::CloseUnresolved => Decision::CloseUnresolved,
        DecisionKind::OutputsLost => Decision::OutputsLost { indexes: indexes(typed.indexes)? },
        DecisionKind::RefundConfirmed => Decision::RefundConfirmed {
            reference: text(typed.reference, "reference")?,
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

/// Records one decision on one operation. `page` is the page whose form it was: `review`, or the operation's own.
#[server(prefix = "/forms", endpoint = "decisions/record")]
pub async fn record_decision(
    #[server(default)] operation: String,
    #[server(default)] decision: String,
    #[server(default)] revision: String,
    #[server(default)] reason: String,
    #[server(default)] key: String,
    #[server(default)] page: String,
    #[server(default)] back: String,
    #[server(default)] message: String,
    #[server(default)] job_id: String,
    #[server(default)] id: String,
    #[server(default)] evidence: String,
    #[server(default)] through: String,
    #[server(default)] indexes: String,
    #[server(default)] reference: String,
    #[server(default)] amount: String,
    #[server(default)] dead_letter_id: String,
) -> Result<(), ServerFnError> {
    let (desk, edge) = ordered()?;
    let typed = Typed {
        job_id: &job_id,
        id: &id,
        evidence: &evidence,
        through: &through,
        indexes: &indexes,
        reference: &reference,
        amount: &amount,
        dead_letter_id: &dead_letter_id,
    };
    let result = async {
        let kind: DecisionKind = decision.parse().map_err(|_| malformed("decision"))?;
        let order = DecisionOrder {
            revision: revision.parse().map_err(|_| malformed("revision"))?,
            reason: self::reason(&reason)?.to_owned(),
            decision: parse(kind, typed)?,
        };
        let target = OperationId::parse(&operation).ok_or_else(|| malformed("operation id"))?;
        desk.decide(&target, order, &key).await
    }
    .await;
    let back = way_back(&Query::of(&[("back", &back)])).to_text();
    let query = Query::of(&[("back", &back), ("message", &message)]);
    match result {
        Ok(_) => edge.reply.redirect(&href::with(&href::operation(&operation), &query.and("done", "decided"))),
        Err(error) => {
            let page = if page == "review" { href::review(&operation) } else { href::operation(&operation) };
            let kept = [
                ("reason", reason.as_str()),
                ("job_id", job_id.as_str()),
                ("id", id.as_str()),
                ("evidence", evidence.as_str()),
                ("through", through.as_str()),
                ("indexes", indexes.as_str()),
                ("reference", reference.as_str()),
                ("amount", amount.as_str()),
                ("dead_letter_id", dead_letter_id.as_str()),
            ];
            send_back(&edge, &page, &query, &decision, error.code, &kept);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    const FULL: Typed<'static> = Typed {
        job_id: " gj_1 ",
        id: "op_2",
        evidence: "asked the provider",
        through: "2026-11-30 14:05:11 UTC",
        indexes: "2, 3",
        reference: "RF-1",
        amount: "12.50",
        dead_letter_id: "",
    };

    #[test]
    fn a_full_form_spells_every_decision() {
        for kind in DecisionKind::ALL {
            assert_eq!(parse(*kind, FULL).map(|decision| decision.kind()), Ok(*kind));
        }
        let at = Utc.with_ymd_and_hms(2026, 11, 30, 14, 5, 11).unwrap();
        assert_eq!(
            parse(DecisionKind::OutsideSendExcluded, FULL),
            Ok(Decision::OutsideSendExcluded { evidence: "asked the provider".to_owned(), through: at })
        );
        assert_eq!(parse(DecisionKind::OutputsLost, FULL), Ok(Decision::OutputsLost { indexes: vec![2, 3] }));
    }

    #[test]
    fn a_malformed_field_is_refused() {
        let wrong = [
            (DecisionKind::AttachJob, Typed { job_id: " ", ..FULL }),
            (DecisionKind::OutsideSendExcluded, Typed { through: "soon", ..FULL }),
            (DecisionKind::OutputsLost, Typed { indexes: "1, x", ..FULL }),
            (DecisionKind::RefundConfirmed, Typed { amount: "-1", ..FULL }),
            (DecisionKind::RefundConfirmed, Typed { amount: "1e3", ..FULL }),
            (DecisionKind::AcknowledgeObsolete, Typed { dead_letter_id: "zz", ..FULL }),
        ];
        for (kind, typed) in wrong {
            assert_eq!(parse(kind, typed).map_err(|error| error.code), Err(Code::InvalidRequest), "{kind} {typed:?}");
        }
    }
}
