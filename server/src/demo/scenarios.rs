//! The demo's scenarios: every row of the decision table and every label, from failures that really happen.

use super::renders;
use super::story::{Deliver, DeskStep, Facts, Poll, Refund, Scenario, Submit};
use crate::fixture::{Armed, CreateScript, OutputFault, ReadFault};
use app::domain::label::Label;
use serde_json::json;

/// The scenario whose first operation lends its job to a careless cache.
pub const LENDER: &str = "delivered";

/// Longer than the application waits for an answer.
const TOO_LONG_MS: u64 = 20_000;

/// All of them, in the order in which their operations are submitted.
pub fn scenarios() -> Vec<Scenario> {
    let mut all = finished();
    all.extend(submissions());
    all.extend(waiting());
    all.extend(ended());
    all.extend(deliveries());
    all
}

/// Delivered operations, with and without a message that died all the same.
fn finished() -> Vec<Scenario> {
    vec![
        Scenario::new("delivered", 6, 1, Label::AlreadyDelivered).deaths(0),
        Scenario::new("delivered_with_stills", 3, 1, Label::AlreadyDelivered)
            .job(renders::film_and_stills())
            .deaths(0),
        Scenario::new("catalogue_fails", 1, 1, Label::AlreadyDelivered).deliver(Deliver::CatalogueFails),
        Scenario::new("catalogue_fails_acknowledged", 1, 1, Label::AlreadyDelivered)
            .deliver(Deliver::CatalogueFails)
            .desk(DeskStep::Acknowledge),
    ]
}

/// What can go wrong before a job id is attached.
fn submissions() -> Vec<Scenario> {
    let unknown = Label::SubmissionOutcomeUnknown;
    vec![
        Scenario::new("bad_gateway", 2, 18, unknown)
            .answered(CreateScript::BadGatewayWithoutId { billed: true }),
        Scenario::new("bad_gateway_closed", 1, 2, Label::Closed)
            .answered(CreateScript::BadGatewayWithoutId { billed: false })
            .desk(DeskStep::Close),
        // The application does not look for the job id in a 502.
        Scenario::new("bad_gateway_naming_the_job", 2, 18, unknown).answered(CreateScript::BadGatewayWithId),
        Scenario::new("submit_times_out", 1, 18, unknown).answered(CreateScript::HangAfterRead {
            billed: true,
            ms: TOO_LONG_MS,
        }),
        Scenario::new("submit_resets", 1, 18, unknown)
            .answered(CreateScript::ResetBeforeAnswer { billed: true }),
        Scenario::new("submit_html", 1, 18, unknown).answered(CreateScript::HtmlError {
            status: 502,
            billed: false,
        }),
        Scenario::new("submit_truncated", 1, 18, unknown)
            .answered(CreateScript::TruncatedJson { billed: true }),
        Scenario::new("accepted_without_id", 1, 18, unknown)
            .answered(CreateScript::AcceptedWithoutId { billed: true }),
        Scenario::new("given_up_after_timeout", 1, 13, unknown)
            .answered(CreateScript::HangAfterRead {
                billed: true,
                ms: TOO_LONG_MS,
            })
            .submit(Submit::MarksFailed),
        Scenario::new("webhook_without_job", 2, 5, Label::RemoteStateUnclear)
            .answered(CreateScript::HangAfterRead {
                billed: true,
                ms: TOO_LONG_MS,
            })
            .submit(Submit::Webhook),
        Scenario::new("report_lost", 2, 4, Label::RenderInProgress)
            .job(renders::unreadable(ReadFault::Status {
                status: 500,
                retry_after_seconds: None,
            }))
            .submit(Submit::LosesReport)
            .poll(Poll::Silent),
        Scenario {
            creations: vec![
                CreateScript::BadGatewayWithoutId { billed: true },
                CreateScript::Accepted,
            ],
            ..sent_twice()
        },
        Scenario::new("borrowed_job", 1, 3, Label::RemoteStateUnclear)
            .submit(Submit::Borrows)
            .posts(0),
        Scenario::new("refused_connection", 2, 19, Label::NotSubmitted)
            .submit(Submit::Unreachable)
            .posts(0),
        Scenario::new("refused_connection_old_specification", 1, 19, Label::NotSubmitted)
            .submit(Submit::Unreachable)
            .facts(Facts::OldSpecification)
            .posts(0),
        Scenario::new("refused_connection_poor_owner", 1, 19, Label::NotSubmitted)
            .submit(Submit::Unreachable)
            .facts(Facts::PoorOwner)
            .posts(0),
        Scenario::new("refused_connection_barred_owner", 1, 19, Label::NotSubmitted)
            .submit(Submit::Unreachable)
            .facts(Facts::BarredOwner)
            .posts(0),
        Scenario::new("refused_connection_sent_by_desk", 1, 17, Label::RenderInProgress)
            .job(renders::endless())
            .submit(Submit::Unreachable)
            .desk(DeskStep::Dispatch),
        Scenario::new("refused_and_given_up", 1, 14, Label::NotSubmitted)
            .submit(Submit::UnreachableMarksFailed)
            .posts(0),
        Scenario::new("setting_missing", 1, 20, unknown)
            .submit(Submit::MissingSetting)
            .posts(0),
        Scenario::new("handler_missing", 1, 20, unknown)
            .submit(Submit::Unregistered)
            .posts(0),
        rejected("rejected_parameters", 1, 422, "invalid_parameters"),
        rejected("rejected_model", 1, 400, "model_not_supported"),
        rejected("rejected_replaced", 1, 422, "invalid_parameters").desk(DeskStep::Replace),
        Scenario::new("rejected_and_charged", 1, 15, Label::SubmissionRejected).answered(
            CreateScript::Rejected {
                status: 422,
                code: "moderation_precheck".to_owned(),
                charged: Some(json!(3)),
            },
        ),
    ]
}

/// Two jobs for one operation: the first answer was lost, and the application sent again.
fn sent_twice() -> Scenario {
    Scenario::new("sent_twice", 2, 3, Label::RemoteStateUnclear)
        .submit(Submit::Blind)
        .poll(Poll::Searches)
        .posts(2)
}

fn rejected(name: &'static str, count: usize, status: u16, code: &str) -> Scenario {
    Scenario::new(name, count, 16, Label::SubmissionRejected).answered(CreateScript::Rejected {
        status,
        code: code.to_owned(),
        charged: None,
    })
}

/// What can go wrong while the provider renders.
fn waiting() -> Vec<Scenario> {
    let running = Label::RenderInProgress;
    let status = |status| ReadFault::Status {
        status,
        retry_after_seconds: None,
    };
    vec![
        Scenario::new("still_rendering", 2, 17, running).job(renders::endless()),
        Scenario::new("still_rendering_followed", 1, 17, running)
            .job(renders::endless())
            .desk(DeskStep::Follow),
        Scenario::new("provider_down", 1, 17, running).job(renders::unreadable(status(503))),
        Scenario::new("status_page_is_html", 1, 17, running).job(renders::unreadable(ReadFault::Html)),
        Scenario::new("status_truncated", 1, 17, running).job(renders::unreadable(ReadFault::TruncatedJson)),
        Scenario::new("status_refused", 1, 17, running).job(renders::unreadable(status(401))),
        Scenario::new("status_rate_limited", 1, 17, running).job(renders::unreadable(ReadFault::Status {
            status: 429,
            retry_after_seconds: Some(30),
        })),
        Scenario::new("given_up_waiting", 2, 12, running)
            .job(renders::endless())
            .poll(Poll::MarksFailed),
        Scenario::new("job_not_found", 2, 10, Label::RemoteStateUnclear)
            .job(renders::unreadable(status(404))),
        Scenario::new("unlisted_status", 2, 11, Label::RemoteStateUnclear).job(renders::held_for_review()),
        Scenario::new("success_without_outputs", 2, 6, Label::RemoteStateUnclear).job(renders::no_outputs()),
        Scenario::new("success_outputs_not_stated", 1, 6, Label::RemoteStateUnclear)
            .job(renders::outputs_not_stated())
            .poll(Poll::Hurried),
    ]
}

/// Renders that the provider gave up, and their money.
fn ended() -> Vec<Scenario> {
    let lost = Label::RemoteRenderFailed;
    vec![
        Scenario::new("moderated", 2, 15, lost).job(renders::failed("moderation")),
        Scenario::new("render_failed", 1, 15, lost).job(renders::partly_refunded()),
        Scenario::new("render_cancelled", 1, 15, lost).job(renders::ended("cancelled")),
        Scenario::new("render_expired", 1, 15, lost).job(renders::ended("expired")),
        Scenario::new("refund_pending", 1, 15, lost).job(renders::refund_pending()),
        // One read by the poll and three by the refund's attempts; the desk's own read is the fifth.
        Scenario::new("refund_seen_by_desk", 1, 16, lost)
            .job(renders::refund_arrives(4))
            .desk(DeskStep::Recover),
        Scenario::new("marked_by_hand", 1, 15, lost).job(renders::failed("operator_marked")),
        Scenario::new("marked_by_hand_requested", 1, 15, lost)
            .job(renders::failed("operator_marked"))
            .desk(DeskStep::RequestRefund),
        Scenario::new("refunded_ledger_fails", 2, 16, lost)
            .job(renders::refunded())
            .refund(Refund::LedgerFails),
    ]
}

/// Renders that succeeded and did not arrive.
fn deliveries() -> Vec<Scenario> {
    let ours = Label::LocalDeliveryFailure;
    vec![
        Scenario::new("store_full", 3, 8, ours).deliver(Deliver::StoreFull),
        Scenario::new("store_full_recovered", 2, 1, Label::AlreadyDelivered)
            .deliver(Deliver::StoreFull)
            .desk(DeskStep::Recover),
        Scenario::new("one_of_three_missing", 1, 8, ours).job(renders::preview_fails(Armed::times(
            OutputFault::Status { status: 503 },
            3,
        ))),
        // Our own worker fails at it too: its job becomes a dead letter of its own.
        Scenario::new("one_of_three_missing_for_ever", 1, 8, ours)
            .job(renders::preview_fails(Armed::forever(OutputFault::Status {
                status: 503,
            })))
            .desk(DeskStep::Recover)
            .deaths(2),
        Scenario::new("output_breaks_off", 1, 8, ours)
            .job(renders::film_fails(OutputFault::ResetMidBody { keep: 20_000 })),
        Scenario::new("output_is_a_page", 1, 8, ours)
            .job(renders::film_fails(OutputFault::HtmlBody))
            .deliver(Deliver::Hurried),
        Scenario::new("urls_expired", 1, 7, ours).job(renders::expires_at_once()),
        Scenario::new("output_of_another_type", 1, 7, ours).job(renders::film_fails(
            OutputFault::WrongBody {
                content_type: "image/png".to_owned(),
            },
        )),
        Scenario::new("output_on_an_unlisted_host", 1, 7, ours).job(renders::elsewhere()),
        Scenario::new("completion_lost", 1, 9, ours).deliver(Deliver::LosesCompletion),
    ]
}

#[cfg(test)]
mod tests {
    use super::scenarios;
    use app::domain::label::Label;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_and_every_label_is_claimed() {
        let rows: BTreeSet<u8> = scenarios().iter().map(|scenario| scenario.row).collect();
        assert_eq!(rows, (1..=20).collect());
        let labels: Vec<Label> = scenarios().iter().map(|scenario| scenario.label).collect();
        for label in Label::ALL {
            // Messages that name no operation are not operations: the demo sends them beside the scenarios.
            assert!(
                labels.contains(label) || *label == Label::NoOperationRecord,
                "{label}"
            );
        }
    }

    #[test]
    fn about_eighty_operations_and_each_name_once() {
        let all = scenarios();
        let names: BTreeSet<&str> = all.iter().map(|scenario| scenario.name).collect();
        assert_eq!(names.len(), all.len());
        let operations: usize = all.iter().map(|scenario| scenario.count).sum();
        assert!((75..=90).contains(&operations), "{operations}");
    }
}
