//! The sequences on which earlier drafts of the protocol broke, each as one way through the model.

mod following;
mod sending;

use crate::action::Action::{self, Claim, Confirm, Connect, Pass, Permit, Requeue};
use crate::state::Person::Ann;

/// Confirmed, claimed, permitted and connected by the first worker.
const ON_THE_WAY: [Action; 4] = [Confirm(0, Ann), Claim(0, 0), Permit(0), Connect(0)];
/// The lease of the first worker is over, and a second claim ends the creation.
const SECOND_CLAIM: [Action; 5] = [Pass, Pass, Requeue(0), Claim(1, 0), Permit(1)];
