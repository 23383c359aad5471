//! One spends once: an operation and another that was prepared in its stead do not both create.

use super::{Bench, GuardName, GuardResult};
use crate::domain::decision::allows_child;
use crate::domain::evidence::Evidence;
use crate::domain::ids::OperationId;
use crate::domain::operation::{Operation, Phase};

/// How another operation is related to the one at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// It was prepared in the stead of this one.
    Child,
    /// Both were prepared in the stead of the same one.
    Sibling,
}

/// Another operation for the same want that may still be sent, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rival {
    pub id: OperationId,
    pub kinship: Kinship,
    pub phase: Phase,
}

/// Whether this relative holds a creation back. `adopted`: it is a paid extra render that became an operation, and not a
/// new want. `plan_row` is the row of the decision table that it stands in.
///
/// A child does as long as it is not in a state that would allow another operation in its own stead; a delivered child
/// does as well, because the render exists. A delivered sibling came before, and somebody knew it.
pub fn rival(
    kinship: Kinship,
    relative: &Operation,
    evidence: &Evidence,
    plan_row: u8,
    adopted: bool,
) -> Option<Rival> {
    let over = match kinship {
        Kinship::Child => false,
        Kinship::Sibling => relative.phase == Phase::Delivered,
    };
    let holds_back = !adopted && !over && !allows_child(relative, evidence, plan_row);
    holds_back.then(|| Rival {
        id: relative.id.clone(),
        kinship,
        phase: relative.phase,
    })
}

/// Listed only when it blocks. (That a parent holds its child back says `parent_settled`.)
pub(super) fn no_rival_operation(bench: &Bench<'_>) -> Option<GuardResult> {
    let rival = bench.facts.rival.as_ref()?;
    let relation = match rival.kinship {
        Kinship::Child => "was prepared in its stead",
        Kinship::Sibling => "was prepared in the stead of the same operation",
    };
    let way_out = match rival.phase {
        Phase::Delivered => {
            "close this one, and prepare a new operation from it if another render is wanted".to_owned()
        }
        Phase::Prepared | Phase::Submitting | Phase::Accepted | Phase::Succeeded | Phase::Failed => {
            format!("settle or close {} first, or close this one", rival.id)
        }
    };
    Some(GuardResult::block(
        GuardName::NoRivalOperation,
        format!(
            "{} {relation} and is {}: one of the two spends. To go on, {way_out}.",
            rival.id, rival.phase
        ),
    ))
}
