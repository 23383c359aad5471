//! The conformance cases: what was reported, and what must follow.

use crate::sample;
use app::domain::evidence::Evidence;
use app::domain::ids::JobId;
use app::domain::money::Charge;
use app::domain::operation::{Dispatch, Operation, OperationError, Phase, SpecificationRef};
use app::domain::plan::{Action, Effect, decide};
use app::domain::remote::{CopyState, OutputCopy, Remote};
use app::domain::{accounting, label};
use serde::Deserialize;

const CASES: &str = include_str!("../fixtures/incidents.json");

#[derive(Deserialize)]
struct Case {
    name: String,
    record: Reported,
    expect: Expected,
}

#[derive(Deserialize)]
struct Expected {
    action: Action,
    effect: Effect,
    label: label::Label,
    refund_unresolved: bool,
}

/// The shape of `PUT /operations/{id}`, as far as the cases use it.
#[derive(Deserialize)]
struct Reported {
    provider: String,
    owner: String,
    specification: SpecificationRef,
    model: Option<String>,
    phase: Phase,
    dispatch: Dispatch,
    #[serde(default)]
    remote: ReportedRemote,
    charge: Option<Charge>,
    #[serde(default)]
    outputs: Vec<ReportedCopy>,
    error: Option<OperationError>,
}

#[derive(Deserialize, Default)]
struct ReportedRemote {
    job_id: Option<JobId>,
    #[serde(flatten)]
    axes: Remote,
}

#[derive(Deserialize)]
struct ReportedCopy {
    index: u32,
    state: CopyState,
}

impl Reported {
    fn into_record(self) -> Operation {
        let copies = self.outputs.iter().map(|reported| OutputCopy {
            ..sample::copy(reported.index, reported.state, 0)
        });
        Operation {
            provider: self.provider,
            owner: self.owner,
            specification: self.specification,
            model: self.model,
            job_id: self.remote.job_id,
            remote: self.remote.axes,
            charge: self.charge.unwrap_or_default(),
            outputs: copies.collect(),
            error: self.error,
            ..sample::record(self.phase, self.dispatch)
        }
    }
}

#[test]
fn every_incident_gets_its_action_effect_label_and_flag() {
    let cases: Vec<Case> = serde_json::from_str(CASES).expect("the cases parse");
    assert_eq!(cases.len(), 21);
    for case in cases {
        let record = case.record.into_record();
        let evidence = Evidence::default();
        let plan = decide(&record, &evidence, sample::now());
        let found = (plan.action, plan.effect, plan.label, plan.refund_unresolved);
        let expected = (
            case.expect.action,
            case.expect.effect,
            case.expect.label,
            case.expect.refund_unresolved,
        );
        assert_eq!(found, expected, "{}", case.name);
        assert_eq!(plan.label, label::label(&record, &evidence), "{}", case.name);
        assert_eq!(
            plan.refund_unresolved,
            accounting::refund_unresolved(&record, &evidence),
            "{}",
            case.name
        );
    }
}
