//! Badges: one total function from each vocabulary to words, icon, tone and place. The tone says what must be done.

use super::icon::icon;
use crate::domain::guard::Verdict;
use crate::domain::label::Label;
use crate::domain::plan::Effect;
use crate::domain::recovery::RecoveryState;
use leptos::prelude::*;

crate::slugs! {
    /// What must be done.
    pub enum Tone ("tone") {
        /// A safe machine action restores it.
        Act => "act",
        /// The render is gone: look at the money.
        Lost => "lost",
        /// Only a person can know.
        Decide => "decide",
        /// Nothing urgent.
        Plain => "plain",
        /// Said quietly.
        Soft => "soft",
        /// Nothing to do.
        Rest => "rest",
        /// Costs money.
        Spend => "spend",
        /// A guard blocks.
        Refuse => "refuse",
        /// Passes: no box.
        Bare => "bare",
    }
}

/// On whose side it went wrong; drawn as a bar at the start (ours) or the end (the provider's).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Ours,
    Remote,
}

impl Place {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Remote => "remote",
        }
    }
}

/// How one value looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Face {
    pub words: &'static str,
    /// A symbol of `style/icons.svg`.
    pub icon: &'static str,
    pub tone: Tone,
    pub place: Option<Place>,
}

const fn face(words: &'static str, icon: &'static str, tone: Tone) -> Face {
    Face {
        words,
        icon,
        tone,
        place: None,
    }
}

/// The flag that stands beside a label.
pub const REFUND_UNRESOLVED: Face = face("Refund unresolved", "money", Tone::Decide);

pub const fn label(label: Label) -> Face {
    let words = label.words();
    match label {
        Label::NotSubmitted => face(words, "not-submitted", Tone::Plain),
        Label::SubmissionRejected => face(words, "rejected", Tone::Plain),
        Label::SubmissionOutcomeUnknown => face(words, "outcome-unknown", Tone::Decide),
        Label::RenderInProgress => face(words, "in-progress", Tone::Plain),
        Label::RemoteStateUnclear => face(words, "unclear", Tone::Decide),
        Label::RemoteRenderFailed => Face {
            words,
            icon: "remote-failed",
            tone: Tone::Lost,
            place: Some(Place::Remote),
        },
        Label::LocalDeliveryFailure => Face {
            words,
            icon: "local-failure",
            tone: Tone::Act,
            place: Some(Place::Ours),
        },
        Label::AlreadyDelivered => face(words, "delivered", Tone::Rest),
        Label::Closed => face(words, "closed", Tone::Rest),
        Label::NoOperationRecord => face(words, "no-record", Tone::Decide),
    }
}

pub const fn effect(effect: Effect) -> Face {
    match effect {
        Effect::SubmitsNewGeneration => face("Submits new generation", "e-submit", Tone::Spend),
        Effect::ReadsStatus => face("Reads status", "e-read", Tone::Soft),
        Effect::CopiesExistingOutput => face("Copies existing output", "e-copy", Tone::Soft),
        Effect::RecordsDecision => face("Records decision", "e-record", Tone::Soft),
        Effect::None => face("No outside effect", "e-none", Tone::Rest),
    }
}

/// Only guards that warn or block are boxed.
pub const fn verdict(verdict: Verdict) -> Face {
    match verdict {
        Verdict::Pass => face("pass", "pass", Tone::Bare),
        Verdict::Warn => face("warn", "warn", Tone::Decide),
        Verdict::Block => face("block", "block", Tone::Refuse),
    }
}

pub const fn recovery(state: RecoveryState) -> Face {
    match state {
        RecoveryState::AwaitingApproval => face("Awaiting approval", "user", Tone::Decide),
        RecoveryState::Requested => face("Requested", "in-progress", Tone::Plain),
        RecoveryState::Running => face("Running", "stale", Tone::Act),
        RecoveryState::Succeeded => face("Succeeded", "pass", Tone::Rest),
        RecoveryState::AlreadyDone => face("Already done", "delivered", Tone::Rest),
        RecoveryState::StillRunning => face("Still running", "wait", Tone::Plain),
        RecoveryState::Refused => face("Refused", "block", Tone::Plain),
        RecoveryState::Failed => face("Failed", "warn", Tone::Decide),
        RecoveryState::Cancelled => face("Cancelled", "x", Tone::Rest),
        RecoveryState::OutcomeUnknown => face("Outcome unknown", "outcome-unknown", Tone::Decide),
    }
}

/// A badge with no vocabulary of its own: `not copied`, `we are here`.
pub fn tag(face: Face) -> AnyView {
    view! {
        <span class="tag" data-tone=face.tone.as_str() data-place=face.place.map(Place::as_str)>
            {icon(face.icon)}
            {face.words}
        </span>
    }
    .into_any()
}

pub fn label_tag(value: Label) -> AnyView {
    view! { <span data-label=value.as_str()>{tag(label(value))}</span> }.into_any()
}

pub fn effect_tag(value: Effect) -> AnyView {
    view! { <span data-effect=value.as_str()>{tag(effect(value))}</span> }.into_any()
}

pub fn recovery_tag(value: RecoveryState) -> AnyView {
    view! { <span data-state=value.as_str()>{tag(recovery(value))}</span> }.into_any()
}

/// The label and, where it stands, the flag beside it.
pub fn label_and_flag(value: Label, refund_unresolved: bool) -> AnyView {
    let flag = refund_unresolved
        .then(|| view! { <span data-flag="refund_unresolved">{tag(REFUND_UNRESOLVED)}</span> });
    view! { <span class="tags">{label_tag(value)} {flag}</span> }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_labels_that_matter_share_nothing() {
        let ours = label(Label::LocalDeliveryFailure);
        let theirs = label(Label::RemoteRenderFailed);
        assert_ne!(ours.icon, theirs.icon);
        assert_ne!(ours.tone, theirs.tone);
        assert_ne!(ours.place, theirs.place);
        for other in Label::ALL {
            let face = label(*other);
            if *other != Label::LocalDeliveryFailure {
                assert_ne!(face.tone, ours.tone, "{other}");
            }
            if *other != Label::RemoteRenderFailed {
                assert_ne!(face.tone, theirs.tone, "{other}");
            }
        }
    }

    #[test]
    fn every_icon_is_in_the_sheet() {
        let faces = Label::ALL
            .iter()
            .map(|value| label(*value))
            .chain(Effect::ALL.iter().map(|value| effect(*value)))
            .chain(Verdict::ALL.iter().map(|value| verdict(*value)))
            .chain(RecoveryState::ALL.iter().map(|value| recovery(*value)))
            .chain([REFUND_UNRESOLVED]);
        for face in faces {
            let id = format!("<symbol id=\"{}\"", face.icon);
            assert!(crate::assets::ICONS.body.contains(&id), "{}", face.icon);
        }
    }
}
