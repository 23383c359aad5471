//! Plain forms: a key minted with the page, a reason, and refusals that come back in words with what was typed kept.

use super::badge::Tone;
use super::icon::icon;
use crate::desk::order::MAX_REASON;
use crate::desk::{Code, DeskError};
use crate::edge::Edge;
use crate::href::{self, Query};
use leptos::prelude::*;

/// The marker that a redirect back to a form ends with, so that the browser stops at the refusal.
pub const ANCHOR: &str = "refused";

/// Names of query values that carry what was typed begin so.
pub const TYPED: &str = "typed.";

/// Names that a page accepts in its query beside its own.
pub const SIDE_NAMES: &[&str] = &["refused", "form", "done", "back", "__path", "__err"];

/// A form that was refused and came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Returned {
    /// The form's name.
    pub form: String,
    pub code: Code,
    /// Field names and what was typed.
    pub typed: Query,
}

impl Returned {
    /// Reads it from the page's query.
    pub fn of(query: &Query) -> Option<Self> {
        let code = query.get("refused")?.parse().ok()?;
        let form = query.get("form")?.to_owned();
        let typed = query
            .0
            .iter()
            .filter_map(|(name, value)| Some((name.strip_prefix(TYPED)?.to_owned(), value.clone())));
        Some(Self {
            form,
            code,
            typed: Query(typed.collect()),
        })
    }

    /// What was typed into a field of this form.
    pub fn typed(returned: Option<&Self>, field: &str) -> String {
        returned
            .and_then(|back| back.typed.get(field))
            .unwrap_or_default()
            .to_owned()
    }
}

/// Whether this form came back because a field is wrong.
pub fn is_invalid(returned: Option<&Returned>) -> bool {
    returned.is_some_and(|back| back.code == Code::InvalidRequest)
}

/// Sends the browser back to the form's page, with the code and what was typed.
pub fn send_back(edge: &Edge, page: &str, query: &Query, form: &str, code: Code, typed: &[(&str, &str)]) {
    let mut query = query.and("refused", code.as_str()).and("form", form);
    for (name, value) in typed {
        let value: String = value.chars().take(2 * MAX_REASON).collect();
        query.set(&format!("{TYPED}{name}"), &value);
    }
    edge.reply
        .redirect(&format!("{}#{ANCHOR}", href::with(page, &query)));
}

/// A reason as it may be stored: trimmed, present, at most [`MAX_REASON`] characters.
pub fn reason(text: &str) -> Result<&str, DeskError> {
    let text = text.trim();
    if text.is_empty() {
        Err(DeskError::new(Code::InvalidRequest, "A reason is required."))
    } else if text.chars().count() > MAX_REASON {
        Err(DeskError::new(
            Code::InvalidRequest,
            "A reason has at most 500 characters.",
        ))
    } else {
        Ok(text)
    }
}

/// What a refusal means to the person at the form, and what they can do.
pub const fn refusal(code: Code) -> (&'static str, &'static str) {
    match code {
        Code::Unauthenticated => ("You are signed out.", "Sign in and send it again."),
        Code::SignInExpired => (
            "That sign-in is over.",
            "This browser began no such sign-in, or it took longer than ten minutes. Begin again.",
        ),
        Code::SignInRefused => (
            "You were not let in.",
            "The sign-in service did not confirm who you are, or this office does not let you in. Begin again, or ask an administrator.",
        ),
        Code::NameLooksAlike => (
            "Your name looks like another one here.",
            "Readers of the audit could take one of you for the other, so you were not let in. Ask an administrator.",
        ),
        Code::IssuerUnavailable => (
            "The sign-in service did not answer.",
            "Nothing is wrong with your account. Try again in a moment.",
        ),
        Code::InvalidRequest | Code::InvalidRecord | Code::BadId => (
            "Something is missing or malformed.",
            "A reason is required, at most 500 characters; ids, amounts and times must be well-formed.",
        ),
        Code::MissingIdempotencyKey => (
            "The form was incomplete.",
            "Load this page again and send it again.",
        ),
        Code::BodyTooLarge => ("Too much was sent.", "Shorten the texts and send it again."),
        Code::UnsupportedMediaType => ("The form came in an unknown shape.", "Load this page again."),
        Code::RoleRequired => (
            "Your role does not allow this.",
            "Someone with a higher role can do it.",
        ),
        Code::CrossSite => ("The form came from another site.", "Send it from this page."),
        Code::NotFound => (
            "What it speaks of is not there.",
            "It may have been purged since this page was made.",
        ),
        Code::MethodNotAllowed => ("That cannot be asked like this.", "Load this page again."),
        Code::AlreadyExists => ("That operation id is taken.", "Choose another id."),
        Code::RevisionMismatch | Code::PlanStale => (
            "The plan changed while you were reading.",
            "Nothing was written. This page shows the plan that holds now: read it, and confirm again if it is still right.",
        ),
        Code::PreconditionRequired => ("The revision was missing.", "Load this page again."),
        Code::PhaseRegression | Code::EvidenceRegression | Code::TerminalPhase => {
            ("The record does not go backwards.", "Nothing was written.")
        }
        Code::IdempotencyConflict => (
            "This form was already sent with other content.",
            "Nothing more was written. Load this page again to send another.",
        ),
        Code::RecoveryActive => (
            "A recovery of this operation is under way.",
            "Wait for its end or cancel it; at most one runs at a time.",
        ),
        Code::UseDecision => (
            "This plan is a person's decision.",
            "Record one of the decisions below.",
        ),
        Code::ConfirmMismatch => (
            "The typed id does not match.",
            "Type the id exactly as it is shown.",
        ),
        Code::GuardBlocked => (
            "A guard blocks this now.",
            "Nothing was written. The guards below say why.",
        ),
        Code::NotAllowedHere => (
            "That decision is not allowed in this state.",
            "Nothing was written. The decisions that are allowed are listed below.",
        ),
        Code::JobNotConfirmed => (
            "The provider did not confirm that job id.",
            "A read must answer with exactly that id before it can be attached.",
        ),
        Code::JobHeldElsewhere => (
            "Another operation holds that job id.",
            "One remote job belongs to one operation.",
        ),
        Code::RecordExists => (
            "This message has an operation record.",
            "Use the operation's plan.",
        ),
        Code::RecordRequired => (
            "Messages without an operation record are not replayed here.",
            "Link it to an operation, or acknowledge it.",
        ),
        Code::SlowDown => ("Too many tries.", "Wait a little and send it again."),
        Code::Unavailable => (
            "The database did not answer.",
            "Nothing is known to be written. Try again.",
        ),
        Code::Internal => ("Something went wrong on our side.", "The log holds the details."),
    }
}

/// The refusal above a form, when this form was refused.
pub fn refused(returned: Option<&Returned>, form: &str) -> Option<AnyView> {
    let back = returned.filter(|back| back.form == form)?;
    let (title, text) = refusal(back.code);
    Some(
        view! {
            <div class="notice" data-tone=Tone::Refuse.as_str() role="alert" id=ANCHOR tabindex="-1"
                data-code=back.code.as_str()>
                {icon("block")}
                <div><h3>{title}</h3><p>{text}</p></div>
            </div>
        }
        .into_any(),
    )
}

/// A hidden field.
pub fn hidden(name: &'static str, value: String) -> AnyView {
    view! { <input type="hidden" name=name value=value/> }.into_any()
}

/// The reason, kept in the audit.
pub fn reason_field(typed: String, invalid: bool) -> AnyView {
    view! {
        <label class="field">
            <span>"Reason, kept in the audit"</span>
            <textarea name="reason" rows="3" required maxlength=MAX_REASON.to_string()
                aria-invalid=invalid.then_some("true")>{typed}</textarea>
            <small>"Required, at most 500 characters."</small>
        </label>
    }
    .into_any()
}

/// A line of text that the form needs.
pub fn text_field(
    name: &'static str,
    words: AnyView,
    hint: &'static str,
    typed: String,
    mono: bool,
) -> AnyView {
    view! {
        <label class="field">
            <span>{words}</span>
            <input name=name class=mono.then_some("m") autocomplete="off" spellcheck="false" required
                maxlength="200" value=typed/>
            {(!hint.is_empty()).then(|| view! { <small>{hint}</small> })}
        </label>
    }
    .into_any()
}

/// What a finished form says on the page that follows; a closed list, so that a link cannot put words here.
pub fn finished(query: &Query) -> Option<String> {
    let words = match query.get("done")? {
        "decided" => "The decision is recorded.",
        "cancelled" => "The recovery is cancelled.",
        "approved" => "The creation is approved: its job is queued.",
        "acknowledged" => "The message is acknowledged.",
        "linked" => "The message is linked to the operation.",
        "replayed" => "The message was replayed as it is: a new job is queued.",
        "purged" => "The message is purged. What it knew is kept as evidence.",
        "absent" => "The message was not there any more.",
        "requested" => "The recovery is requested.",
        "verified" => "The chain was checked.",
        "password" => "Your password is changed. Your other sessions have ended.",
        "noted" => "The note is written.",
        "claimed" => "You have claimed this operation. The claim ends by itself after 30 minutes.",
        "released" => "The claim is released.",
        "unclaimed" => "Nobody had claimed it.",
        "preferred" => "Your preferences are saved.",
        "view_saved" => "The view is saved.",
        "view_deleted" => "The view is deleted.",
        "absent_view" => "That view is not there, or not yours.",
        "paused" => "Creation is paused there. Reading and delivering go on.",
        "resumed" => "Creation is allowed there again.",
        "was_not_paused" => "Creation was not paused there.",
        _ => return None,
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_comes_back_with_what_was_typed() {
        let query = Query::parse("refused=plan_stale&form=confirm&typed.reason=a%20b%26c&from=x");
        let back = Returned::of(&query).expect("returned");
        assert_eq!((back.code, back.form.as_str()), (Code::PlanStale, "confirm"));
        assert_eq!(Returned::typed(Some(&back), "reason"), "a b&c");
        assert!(refused(Some(&back), "confirm").is_some());
        assert!(refused(Some(&back), "purge").is_none());
        assert!(Returned::of(&Query::parse("refused=made_up&form=confirm")).is_none());
    }

    #[test]
    fn a_reason_is_present_and_short() {
        assert!(reason("  ").is_err());
        assert_eq!(
            reason(" disk was full \n").map_err(|error| error.code),
            Ok("disk was full")
        );
        assert!(reason(&"ö".repeat(500)).is_ok());
        assert!(reason(&"ö".repeat(501)).is_err());
    }
}
