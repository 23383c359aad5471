//! Phase and execution: words beside a small rail of dots, never badges.

use super::icon::glyph;
use crate::domain::operation::Phase;
use crate::domain::remote::Execution;
use leptos::prelude::*;

/// The symbol of a phase in `style/icons.svg`.
const fn phase_glyph(phase: Phase) -> &'static str {
    match phase {
        Phase::Prepared => "g-p-prepared",
        Phase::Submitting => "g-p-submitting",
        Phase::Accepted => "g-p-accepted",
        Phase::Succeeded => "g-p-succeeded",
        Phase::Failed => "g-p-failed",
        Phase::Delivered => "g-p-delivered",
    }
}

/// The symbol of an execution: a cross for failed, a stop for cancelled, an hourglass for expired.
const fn execution_glyph(execution: Execution) -> &'static str {
    match execution {
        Execution::Queued => "g-x-queued",
        Execution::Running => "g-x-running",
        Execution::Succeeded => "g-x-succeeded",
        Execution::Failed => "g-x-failed",
        Execution::Cancelled => "g-x-cancelled",
        Execution::Expired => "g-x-expired",
        Execution::Unknown => "g-x-unknown",
    }
}

pub fn phase(phase: Phase) -> AnyView {
    view! {
        <span class="state" data-phase=phase.as_str()>{glyph("g", phase_glyph(phase))}{phase.as_str()}</span>
    }
    .into_any()
}

pub fn execution(execution: Execution) -> AnyView {
    view! {
        <span class="state" data-execution=execution.as_str()>
            {glyph("g g3", execution_glyph(execution))}
            {execution.as_str()}
        </span>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_state_has_a_glyph_of_its_own() {
        let sheet = &crate::assets::ICONS.body;
        let drawing = |name: &str| {
            let start = sheet
                .find(&format!("<symbol id=\"{name}\""))
                .expect("in the sheet");
            let body = &sheet[start..];
            let open = body.find('>').expect("open");
            body[open..body.find("</symbol>").expect("closed")].to_owned()
        };
        let phases: BTreeSet<String> = Phase::ALL
            .iter()
            .map(|value| drawing(phase_glyph(*value)))
            .collect();
        assert_eq!(phases.len(), Phase::ALL.len());
        let executions: BTreeSet<String> = Execution::ALL
            .iter()
            .map(|value| drawing(execution_glyph(*value)))
            .collect();
        assert_eq!(executions.len(), Execution::ALL.len());
    }
}
