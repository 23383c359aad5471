//! What evidence and closures do to the label; the axes are walked in the matrix.

use crate::sample;
use app::domain::evidence::Evidence;
use app::domain::label::{Label, label};
use app::domain::operation::{Dispatch, Phase};
use app::domain::remote::{Execution, Fetch};

#[test]
fn local_and_remote_failures_are_never_merged() {
    let evidence = Evidence::default();
    for phase in [Phase::Submitting, Phase::Accepted, Phase::Failed] {
        for execution in [Execution::Failed, Execution::Cancelled, Execution::Expired] {
            let record = sample::attached(phase, Some(execution));
            assert_eq!(
                label(&record, &evidence),
                Label::RemoteRenderFailed,
                "{phase} {execution}"
            );
        }
        let mut record = sample::attached(phase, Some(Execution::Succeeded));
        record.remote.outputs = sample::listed([0]);
        assert_eq!(label(&record, &evidence), Label::LocalDeliveryFailure, "{phase}");
    }
}

#[test]
fn an_id_that_only_a_message_knows_counts_as_known() {
    let mut record = sample::record(Phase::Prepared, Dispatch::ConfirmedNotSent);
    let evidence = Evidence {
        messages: vec![sample::message_naming(1, "gj_1")],
        ..Evidence::default()
    };
    assert_eq!(label(&record, &Evidence::default()), Label::NotSubmitted);
    assert_eq!(label(&record, &evidence), Label::RenderInProgress);
    record.adopted_jobs = vec!["gj_1".into()];
    assert_eq!(label(&record, &evidence), Label::NotSubmitted);
}

#[test]
fn a_closure_stands_before_everything_but_delivery() {
    let mut record = sample::attached(Phase::Failed, Some(Execution::Failed));
    record.remote.fetch = Some(Fetch::NotFound);
    record.closure = Some(sample::closure());
    assert_eq!(label(&record, &Evidence::default()), Label::Closed);
    record.phase = Phase::Delivered;
    assert_eq!(label(&record, &Evidence::default()), Label::AlreadyDelivered);
}

#[test]
fn an_id_held_by_another_operation_is_unclear_until_settled() {
    let mut record = sample::attached(Phase::Accepted, Some(Execution::Running));
    let evidence = Evidence {
        held_elsewhere: ["gj_1".into()].into(),
        ..Evidence::default()
    };
    assert_eq!(label(&record, &evidence), Label::RemoteStateUnclear);
    record.settled_jobs = vec!["gj_1".into()];
    assert_eq!(label(&record, &evidence), Label::RenderInProgress);
}
