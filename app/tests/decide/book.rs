//! The tables as the design writes them, line by line: what the code is checked against.

use app::domain::evidence::Evidence;
use app::domain::label::Label;
use app::domain::money::ChargeState;
use app::domain::operation::{Dispatch, Operation, Phase};
use app::domain::plan::missing_outputs;
use app::domain::remote::{Execution, Fetch};

/// The decision table, row by row as it is written; `None` would be an undecided record.
pub fn row_by_the_book(record: &Operation, evidence: &Evidence) -> Option<u8> {
    let own = evidence.own_jobs(record);
    let id = record.job_id.is_some();
    let phase = |wanted: &[Phase]| wanted.contains(&record.phase);
    let execution = record.remote.execution;
    let lost = matches!(
        execution,
        Some(Execution::Failed | Execution::Cancelled | Execution::Expired)
    );
    let settled = matches!(record.charge.state, ChargeState::None | ChargeState::Refunded);
    let unsent = record.dispatch == Dispatch::ConfirmedNotSent;
    let life = execution.is_some()
        || record
            .remote
            .outputs
            .as_ref()
            .is_some_and(|list| !list.is_empty())
        || !matches!(record.charge.state, ChargeState::Unknown | ChargeState::None);
    let missing = missing_outputs(record);
    let rows = [
        phase(&[Phase::Delivered]),
        record.closure.is_some(),
        own.len() >= 2,
        !id && own.len() == 1,
        phase(&[Phase::Succeeded]) && !id,
        phase(&[Phase::Succeeded]) && record.remote.outputs.as_ref().is_none_or(Vec::is_empty),
        false, // the walk has no delivery that failed
        phase(&[Phase::Succeeded]) && !missing.is_empty(),
        phase(&[Phase::Succeeded]),
        id && record.remote.fetch == Some(Fetch::NotFound) && !lost,
        id && execution == Some(Execution::Unknown),
        phase(&[Phase::Failed]) && id && !lost,
        phase(&[Phase::Failed]) && !id && record.dispatch != Dispatch::Sent && (!unsent || life),
        phase(&[Phase::Failed]) && !id && unsent,
        phase(&[Phase::Failed]) && !settled,
        phase(&[Phase::Failed]),
        phase(&[Phase::Prepared, Phase::Submitting, Phase::Accepted]) && id,
        phase(&[Phase::Accepted, Phase::Submitting]) && !id,
        phase(&[Phase::Prepared]) && unsent && !life && evidence.known_jobs(record).is_empty(),
        phase(&[Phase::Prepared]),
    ];
    rows.iter()
        .position(|holds| *holds)
        .and_then(|index| u8::try_from(index + 1).ok())
}

/// The label table, line by line as it is written.
pub fn label_by_the_book(record: &Operation, evidence: &Evidence) -> Label {
    let own = evidence.own_jobs(record);
    let known = !own.is_empty();
    let execution = record.remote.execution;
    let lost = matches!(
        execution,
        Some(Execution::Failed | Execution::Cancelled | Execution::Expired)
    );
    let succeeded = record.phase == Phase::Succeeded || execution == Some(Execution::Succeeded);
    let has_outputs = record
        .remote
        .outputs
        .as_ref()
        .is_some_and(|list| !list.is_empty());
    let charged = !matches!(record.charge.state, ChargeState::Unknown | ChargeState::None);
    let life = execution.is_some() || has_outputs || charged;
    let failed = record.phase == Phase::Failed;
    let unsent = record.dispatch == Dispatch::ConfirmedNotSent;
    let lines = [
        (record.phase == Phase::Delivered, Label::AlreadyDelivered),
        (record.closure.is_some(), Label::Closed),
        (
            own.len() >= 2 || (succeeded && !has_outputs),
            Label::RemoteStateUnclear,
        ),
        (succeeded, Label::LocalDeliveryFailure),
        (lost, Label::RemoteRenderFailed),
        (
            known && record.remote.fetch == Some(Fetch::NotFound) || execution == Some(Execution::Unknown),
            Label::RemoteStateUnclear,
        ),
        (
            known
                && (matches!(execution, Some(Execution::Queued | Execution::Running))
                    || execution.is_none() && !failed),
            Label::RenderInProgress,
        ),
        (failed && known && execution.is_none(), Label::RemoteStateUnclear),
        (
            failed && !known && record.dispatch == Dispatch::Sent,
            Label::SubmissionRejected,
        ),
        (
            unsent && (failed || record.phase == Phase::Prepared) && !life,
            Label::NotSubmitted,
        ),
    ];
    lines
        .into_iter()
        .find_map(|(holds, label)| holds.then_some(label))
        .unwrap_or(Label::SubmissionOutcomeUnknown)
}
