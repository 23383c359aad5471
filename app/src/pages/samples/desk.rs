//! What people add around an operation: notes, claims, revisions, views; and the providers' switches.

use super::stories::half_delivered;
use crate::desk::view::OperationView;
use crate::desk::{ClaimView, NoteView, ProviderView, RevisionView, SavedView, ViewedList};
use crate::domain::ids::{JobId, OperationId};
use crate::domain::operation::{Dispatch, ErrorCategory, Operation, Phase, SpecificationRef};
use crate::domain::remote::{CopyState, Execution, Fetch, Output, OutputCopy};
use crate::domain::role::Role;
use chrono::{DateTime, TimeDelta, Utc};

/// Two notes; one holds markup and a mark that turns text round.
pub fn notes(now: DateTime<Utc>) -> Vec<NoteView> {
    let note = |minutes: i64, by: &str, role, text: &str| NoteView {
        at: now - TimeDelta::minutes(minutes),
        by: by.to_owned(),
        role,
        text: text.to_owned(),
    };
    vec![
        note(
            14,
            "a.lindqvist",
            Role::Operator,
            "The volume of delivery-2 was full until 13:40.\nIt has room again.",
        ),
        note(
            3,
            "m.okafor",
            Role::Approver,
            "<b>Seen</b> with the provider\u{202e}, ticket 4711.",
        ),
    ]
}

fn held_by(by: &str, now: DateTime<Utc>) -> OperationView {
    OperationView {
        notes: notes(now),
        claim: Some(ClaimView {
            by: by.to_owned(),
            since: now - TimeDelta::minutes(9),
            until: now + TimeDelta::minutes(21),
        }),
        ..half_delivered(now)
    }
}

/// Somebody else is looking at it.
/// Of twenty outputs, one is ours and one could not be written.
pub fn twenty(now: DateTime<Utc>) -> OperationView {
    let mut view = half_delivered(now);
    view.remote.axes.outputs = Some(
        (0..20)
            .map(|index| Output {
                index,
                content_type: Some("image/png".to_owned()),
            })
            .collect(),
    );
    view.outputs.truncate(1);
    view.outputs.push(OutputCopy {
        index: 19,
        state: CopyState::Failed,
        storage_key: None,
        bytes: None,
        sha256: None,
        category: Some(ErrorCategory::StorageWrite),
        permanent_failures: 0,
    });
    view.plan.outputs = (1..20).collect();
    view.plan.summary = "Copies outputs 1 to 19 of the finished job gj_48211 into our storage.".to_owned();
    view
}

pub fn claimed(now: DateTime<Utc>) -> OperationView {
    held_by("a.lindqvist", now)
}

/// The reader is looking at it.
pub fn mine(now: DateTime<Utc>) -> OperationView {
    held_by(&super::caller().name, now)
}

/// A record at revision 5 of 7.
pub fn revision(now: DateTime<Utc>) -> RevisionView {
    let view = half_delivered(now);
    let specification = SpecificationRef {
        id: "spec_210".to_owned(),
        revision: 4,
    };
    let written = now - TimeDelta::minutes(26);
    let mut then = Operation::new(
        OperationId::from("op_7f3a"),
        "genace",
        "studio-north",
        specification,
        written,
    );
    then.revision = 5;
    then.phase = Phase::Accepted;
    then.dispatch = Dispatch::Sent;
    then.job_id = Some(JobId::from("gj_48211"));
    then.remote.execution = Some(Execution::Running);
    then.remote.fetch = Some(Fetch::Ok);
    then.remote.observed_at = Some(written);
    let mut current = then.clone();
    current.revision = 7;
    current.phase = Phase::Succeeded;
    current.remote.execution = Some(Execution::Succeeded);
    current.remote.outputs = Some(vec![
        Output {
            index: 0,
            content_type: Some("video/mp4".to_owned()),
        },
        Output {
            index: 1,
            content_type: None,
        },
    ]);
    current.updated_at = now;
    RevisionView {
        operation: then.id.clone(),
        revision: 5,
        then: Some((then, written)),
        now: current,
        timeline: view.timeline.iter().take(4).cloned().collect(),
        kept: vec![(7, now), (6, now - TimeDelta::minutes(2)), (5, written)],
    }
}

/// One's own view, a shared one of one's own, and one that another shares.
pub fn views(list: ViewedList) -> Vec<SavedView> {
    let view = |id, owner: &str, name: &str, query: &str, shared| SavedView {
        id,
        owner: owner.to_owned(),
        name: name.to_owned(),
        list,
        query: query.to_owned(),
        shared,
    };
    let me = super::caller().name;
    vec![
        view(1, &me, "Full disk", "category=storage_full", false),
        view(2, &me, "My night", "disposition=open", true),
        view(
            3,
            "j.ferreira",
            "Money first <b>",
            "label=remote_render_failed",
            true,
        ),
    ]
}

/// One allowed, one paused, one that is paused and not configured any more.
pub fn providers(now: DateTime<Utc>) -> Vec<ProviderView> {
    let provider = |name: &str, configured, waiting| ProviderView {
        name: name.to_owned(),
        configured,
        host: "api.example.test".to_owned(),
        account: "main".to_owned(),
        pause: None,
        waiting,
    };
    let paused = |name: &str| crate::desk::PauseView {
        provider: name.to_owned(),
        ..crate::pages::providers::sample_pause(now)
    };
    vec![
        ProviderView {
            pause: Some(paused("genace")),
            ..provider("genace", true, 3)
        },
        ProviderView {
            pause: Some(paused("old<i>")),
            host: String::new(),
            account: String::new(),
            ..provider("old<i>", false, 0)
        },
        provider("other", true, 1),
    ]
}
