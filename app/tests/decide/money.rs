//! When money is settled, and when the flag stands.

use crate::sample;
use app::domain::accounting::{is_settled, refund_unresolved};
use app::domain::decision::DecisionKind;
use app::domain::evidence::Evidence;
use app::domain::money::ChargeState;
use app::domain::operation::{Dispatch, Operation, Phase};
use app::domain::remote::Execution;
use proptest::prelude::*;
use rust_decimal::Decimal;

fn failed() -> Operation {
    let mut record = sample::attached(Phase::Failed, Some(Execution::Failed));
    record.charge = sample::charge(ChargeState::Charged);
    record
}

#[test]
fn only_refunded_and_none_settle_by_themselves() {
    for &state in ChargeState::ALL {
        let record = Operation {
            charge: sample::charge(state),
            ..failed()
        };
        let settled = matches!(state, ChargeState::Refunded | ChargeState::None);
        assert_eq!(is_settled(&record), settled, "{state}");
        assert_eq!(
            refund_unresolved(&record, &Evidence::default()),
            !settled,
            "{state}"
        );
    }
}

#[test]
fn decisions_settle_the_job_they_spoke_of() {
    let cases = [
        (DecisionKind::ChargeAccepted, Some("gj_1"), None, true),
        (DecisionKind::ChargeAccepted, Some("gj_2"), None, false),
        (DecisionKind::ChargeAccepted, None, None, false),
        (DecisionKind::RefundRequested, Some("gj_1"), None, false),
        (DecisionKind::RefundConfirmed, Some("gj_1"), Some(12), true),
        (DecisionKind::RefundConfirmed, Some("gj_1"), Some(11), false),
        (DecisionKind::RefundConfirmed, Some("gj_2"), Some(12), false),
        (DecisionKind::RefundConfirmed, Some("gj_1"), None, false),
    ];
    for (decision, job, amount, settled) in cases {
        let mut record = failed();
        record.accounting = vec![sample::accounting(decision, job, amount)];
        assert_eq!(is_settled(&record), settled, "{decision} of {job:?}, {amount:?}");
    }
}

#[test]
fn confirmed_refunds_add_up_with_what_the_provider_refunded() {
    let confirmed = |amount| sample::accounting(DecisionKind::RefundConfirmed, Some("gj_1"), Some(amount));
    let mut record = failed();
    record.accounting = vec![confirmed(5), confirmed(4)];
    assert!(!is_settled(&record));
    record.charge.refunded = Some(Decimal::from(3));
    assert!(is_settled(&record));
    record.charge.charged = None;
    assert!(!is_settled(&record), "an unknown charge is never covered");
}

#[test]
fn the_flag_stands_only_where_a_generation_ended_without_what_was_paid_for() {
    let evidence = Evidence::default();
    let flag = |record: &Operation| refund_unresolved(record, &evidence);
    let charged = |mut record: Operation| {
        record.charge = sample::charge(ChargeState::Charged);
        record
    };
    assert!(flag(&charged(sample::attached(
        Phase::Accepted,
        Some(Execution::Failed)
    ))));
    assert!(
        flag(&charged(sample::attached(
            Phase::Succeeded,
            Some(Execution::Succeeded)
        ))),
        "no outputs"
    );
    assert!(!flag(&charged(sample::attached(
        Phase::Accepted,
        Some(Execution::Running)
    ))));
    assert!(!flag(&charged(sample::attached(
        Phase::Delivered,
        Some(Execution::Failed)
    ))));
    let mut closed = charged(sample::attached(Phase::Accepted, Some(Execution::Running)));
    closed.closure = Some(sample::closure());
    assert!(flag(&closed));
    assert!(
        !flag(&sample::record(Phase::Failed, Dispatch::ConfirmedNotSent)),
        "nothing was submitted"
    );
    assert!(
        flag(&sample::record(Phase::Failed, Dispatch::Sent)),
        "rejected, charge unknown"
    );
}

proptest! {
    #[test]
    fn no_amounts_overflow(amounts in prop::collection::vec(any::<i128>(), 0..5), refunded: i64) {
        let mut record = failed();
        record.charge.refunded = Some(Decimal::from(refunded));
        record.accounting = amounts
            .into_iter()
            .map(|amount| {
                let mut entry = sample::accounting(DecisionKind::RefundConfirmed, Some("gj_1"), None);
                entry.amount = Some(Decimal::try_from_i128_with_scale(amount, 0).unwrap_or(Decimal::MAX));
                entry
            })
            .collect();
        let _ = is_settled(&record);
    }
}
