//! Every combination of the axes, against the table as the design writes it; and the whole of it on one page.

use crate::book::{label_by_the_book, row_by_the_book};
use crate::sample;
use app::domain::evidence::Evidence;
use app::domain::label::{Label, label};
use app::domain::money::ChargeState;
use app::domain::operation::{Dispatch, Operation, Phase};
use app::domain::plan::{Action, Effect, Glance, Plan, decide, glance, observe_plan, same_plan, sentence};
use app::domain::remote::{CopyState, Execution, Fetch};
use app::domain::role::Role;
use std::collections::BTreeMap;
use std::fmt::Write as _;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Job {
    None,
    Attached,
    EvidenceOnly,
    Contested,
    Adopted,
}

const JOBS: [Job; 5] = [
    Job::None,
    Job::Attached,
    Job::EvidenceOnly,
    Job::Contested,
    Job::Adopted,
];

#[derive(Debug, Clone, Copy)]
enum Copies {
    None,
    Partial,
    All,
}

fn evidence(job: Job) -> Evidence {
    match job {
        Job::None | Job::Attached | Job::Adopted => Evidence::default(),
        Job::EvidenceOnly => Evidence {
            messages: vec![sample::message_naming(1, "gj_1")],
            ..Evidence::default()
        },
        Job::Contested => Evidence {
            messages: vec![sample::message_naming(1, "gj_2")],
            ..Evidence::default()
        },
    }
}

fn with_job(record: &mut Operation, job: Job) {
    match job {
        Job::None | Job::EvidenceOnly => {}
        Job::Attached | Job::Contested => record.job_id = Some("gj_1".into()),
        Job::Adopted => {
            record.other_jobs = vec![sample::other_job("gj_3")];
            record.adopted_jobs = vec!["gj_3".into()];
        }
    }
}

fn options<T: Copy>(values: &[T]) -> Vec<Option<T>> {
    std::iter::once(None)
        .chain(values.iter().copied().map(Some))
        .collect()
}

/// Calls `visit` with every record of one phase and one kind of job id.
fn walk(phase: Phase, job: Job, mut visit: impl FnMut(&Operation, &Evidence)) {
    let evidence = evidence(job);
    let mut record = sample::record(phase, Dispatch::NotRecorded);
    with_job(&mut record, job);
    for &dispatch in Dispatch::ALL {
        record.dispatch = dispatch;
        for outputs in [None, sample::listed([]), sample::listed([0, 1])] {
            record.remote.outputs = outputs;
            for copies in [Copies::None, Copies::Partial, Copies::All] {
                record.outputs = match copies {
                    Copies::None => vec![],
                    Copies::Partial => vec![sample::copy(0, CopyState::Delivered, 0)],
                    Copies::All => [0, 1]
                        .map(|index| sample::copy(index, CopyState::Delivered, 0))
                        .to_vec(),
                };
                for execution in options(Execution::ALL) {
                    record.remote.execution = execution;
                    for fetch in options(Fetch::ALL) {
                        record.remote.fetch = fetch;
                        for &charge in ChargeState::ALL {
                            record.charge.state = charge;
                            visit(&record, &evidence);
                        }
                    }
                }
            }
        }
    }
}

fn check(record: &Operation, evidence: &Evidence, plan: &Plan) {
    let case = || format!("{record:#?}\n{plan:#?}");
    assert_eq!(
        Some(plan.row),
        row_by_the_book(record, evidence),
        "row of {}",
        case()
    );
    assert_eq!(
        plan.label,
        label_by_the_book(record, evidence),
        "label of {}",
        case()
    );
    let found = Glance {
        action: plan.action,
        effect: plan.effect,
        label: plan.label,
        refund_unresolved: plan.refund_unresolved,
        row: plan.row,
    };
    assert_eq!(
        found,
        glance(record, evidence),
        "a list shows the same: {}",
        case()
    );

    let known = evidence.known_jobs(record);
    match plan.action {
        Action::Dispatch => {
            assert!(
                record.phase == Phase::Prepared && record.dispatch == Dispatch::ConfirmedNotSent,
                "{}",
                case()
            );
            assert!(!record.has_remote_life() && known.is_empty(), "{}", case());
            assert_eq!(
                (plan.role, plan.effect),
                (Role::Approver, Effect::SubmitsNewGeneration)
            );
            assert_eq!(
                (plan.label, plan.refund_unresolved),
                (Label::NotSubmitted, false),
                "{}",
                case()
            );
        }
        Action::Observe => assert_eq!(plan.effect, Effect::ReadsStatus),
        Action::Deliver => assert_eq!(plan.effect, Effect::CopiesExistingOutput),
        Action::InspectAccounting => {
            let effect = if record.job_id.is_some() {
                Effect::ReadsStatus
            } else {
                Effect::RecordsDecision
            };
            assert_eq!(plan.effect, effect, "{}", case());
        }
        Action::Reconcile => assert_eq!(plan.effect, Effect::RecordsDecision),
        Action::Acknowledge => assert_eq!(plan.effect, Effect::None),
    }
    let reads = matches!(plan.effect, Effect::ReadsStatus | Effect::CopiesExistingOutput);
    assert_eq!(plan.job_id.is_some(), reads, "{}", case());
    assert_eq!(!plan.outputs.is_empty(), plan.row == 8, "{}", case());
    assert_eq!(plan.alternatives.len(), known.len(), "{}", case());

    let mut named: Vec<Action> = plan.refused.iter().map(|refused| refused.action).collect();
    named.push(plan.action);
    if !known.is_empty() && plan.action != Action::Observe {
        named.push(Action::Observe);
    }
    named.sort_unstable();
    assert_eq!(
        named,
        Action::ALL,
        "every other action is refused or permitted: {}",
        case()
    );
    assert!(
        plan.refused.iter().all(|refused| refused.why.ends_with('.')),
        "{}",
        case()
    );
    assert!(plan.summary.ends_with('.'), "{}", case());
}

#[test]
fn every_combination_is_decided_as_the_table_says() {
    std::thread::scope(|scope| {
        for &phase in Phase::ALL {
            scope.spawn(move || {
                for job in JOBS {
                    walk(phase, job, |record, evidence| {
                        check(record, evidence, &decide(record, evidence, sample::now()));
                    });
                }
            });
        }
    });
}

#[test]
fn the_same_record_has_the_same_plan() {
    for &phase in Phase::ALL {
        for job in JOBS {
            let mut seen = 0_u32;
            walk(phase, job, |record, evidence| {
                seen += 1;
                if seen.is_multiple_of(101) {
                    let plan = decide(record, evidence, sample::now());
                    assert_eq!(plan, decide(&record.clone(), &evidence.clone(), sample::now()));
                    assert!(same_plan(
                        &plan,
                        &decide(record, evidence, sample::minutes_ago(3))
                    ));
                    let (known, not_known) = sentence(record, evidence);
                    assert!(
                        known.ends_with('.') && not_known.ends_with('.'),
                        "{known} / {not_known}"
                    );
                }
            });
        }
    }
}

#[test]
fn delivered_and_closed_are_acknowledged_whatever_else_is_said() {
    for &phase in Phase::ALL {
        for job in JOBS {
            let mut seen = 0_u32;
            walk(phase, job, |record, evidence| {
                seen += 1;
                if seen.is_multiple_of(37) {
                    let closed = Operation {
                        closure: Some(sample::closure()),
                        ..record.clone()
                    };
                    let plan = decide(&closed, evidence, sample::now());
                    let row = if phase == Phase::Delivered { 1 } else { 2 };
                    assert_eq!(
                        (plan.action, plan.effect, plan.row),
                        (Action::Acknowledge, Effect::None, row)
                    );
                    assert_eq!(plan.label, label(&closed, evidence));
                }
            });
        }
    }
}

#[test]
fn a_known_id_can_be_read_at_any_time_and_an_unknown_one_never() {
    for &phase in Phase::ALL {
        for closed in [false, true] {
            let mut record = sample::attached(phase, Some(Execution::Succeeded));
            record.closure = closed.then(sample::closure);
            record.adopted_jobs = vec!["gj_9".into()];
            let evidence = evidence(Job::Contested);
            for job in ["gj_1", "gj_2", "gj_9"] {
                let plan = observe_plan(&record, &evidence, &job.into(), sample::now()).expect("a plan");
                assert_eq!((plan.action, plan.effect), (Action::Observe, Effect::ReadsStatus));
                assert_eq!((plan.job_id.clone(), plan.row), (Some(job.into()), 0));
                assert!(plan.is_alternative());
                assert!(
                    plan.summary
                        .starts_with(&format!("Reads the status of job {job}. Creates nothing."))
                );
            }
            assert_eq!(
                observe_plan(&record, &evidence, &"gj_4".into(), sample::now()),
                None
            );
        }
    }
}

/// What the snapshot shows of the remote side: the classes between which the table tells apart.
fn remote_classes() -> [(&'static str, Option<Execution>, Option<Fetch>, bool); 8] {
    [
        ("never read", None, None, false),
        ("running", Some(Execution::Running), Some(Fetch::Ok), false),
        (
            "running, then not found",
            Some(Execution::Running),
            Some(Fetch::NotFound),
            false,
        ),
        ("unknown", Some(Execution::Unknown), Some(Fetch::Ok), false),
        (
            "succeeded, no outputs",
            Some(Execution::Succeeded),
            Some(Fetch::Ok),
            false,
        ),
        (
            "succeeded, outputs",
            Some(Execution::Succeeded),
            Some(Fetch::Ok),
            true,
        ),
        (
            "failed, unsettled",
            Some(Execution::Failed),
            Some(Fetch::Ok),
            false,
        ),
        (
            "failed, refunded",
            Some(Execution::Failed),
            Some(Fetch::Ok),
            false,
        ),
    ]
}

#[test]
fn the_matrix_on_one_page() {
    let mut page = String::new();
    for &phase in Phase::ALL {
        for job in JOBS {
            let _ = writeln!(page, "{phase}, job id: {job:?}");
            for (outcome, cases) in outcomes(phase, job) {
                let _ = writeln!(page, "  {outcome}");
                for (evidence, remote) in by_evidence(&cases) {
                    let _ = writeln!(page, "      {evidence}: {}", remote.join(" | "));
                }
            }
        }
    }
    insta::assert_snapshot!(page);
}

type Cases = Vec<(&'static str, Vec<Dispatch>)>;

/// Outcomes in the order in which they first appear, each with the remote classes and the evidence that lead there.
fn outcomes(phase: Phase, job: Job) -> Vec<(String, Cases)> {
    let mut outcomes: Vec<(String, Cases)> = Vec::new();
    for (name, execution, fetch, outputs) in remote_classes() {
        for &dispatch in Dispatch::ALL {
            let mut record = sample::record(phase, dispatch);
            with_job(&mut record, job);
            record.remote.execution = execution;
            record.remote.fetch = fetch;
            record.remote.outputs = outputs.then(|| sample::listed([0])).flatten();
            if name == "failed, refunded" {
                record.charge = sample::charge(ChargeState::Refunded);
            }
            let plan = decide(&record, &evidence(job), sample::now());
            let money = if plan.refund_unresolved {
                ", refund unresolved"
            } else {
                ""
            };
            let outcome = format!(
                "{:>2} {} ({}): {}{money}",
                plan.row, plan.action, plan.effect, plan.label
            );
            let at = outcomes
                .iter()
                .position(|(known, _)| *known == outcome)
                .unwrap_or_else(|| {
                    outcomes.push((outcome, Vec::new()));
                    outcomes.len() - 1
                });
            match outcomes[at].1.last_mut() {
                Some((last, dispatches)) if *last == name => dispatches.push(dispatch),
                Some(_) | None => outcomes[at].1.push((name, vec![dispatch])),
            }
        }
    }
    outcomes
}

/// One line for each set of evidence, with the remote classes that it leads there with.
fn by_evidence(cases: &Cases) -> BTreeMap<String, Vec<&'static str>> {
    let mut lines: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for (name, dispatches) in cases {
        let evidence = if dispatches.len() == Dispatch::ALL.len() {
            "any evidence".to_owned()
        } else {
            dispatches
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        };
        lines.entry(evidence).or_default().push(name);
    }
    lines
}
