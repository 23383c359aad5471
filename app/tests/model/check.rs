//! What must hold in every state, and what must be possible.

use crate::action::{Action, Told, Word};
use crate::office::Office;
use crate::people::is_observable;
use crate::state::{Case, Hold, Left, State, Work, moment};
use crate::worker::{agreed_by_dismissed, long_after};
use crate::world::count;
use app::domain::attempt::ReceiptKind;
use app::domain::operation::{Dispatch, Phase};
use app::domain::plan::{Action as Step, glance};
use app::domain::remote::Execution;
use stateright::Property;

/// A rule that was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    OneRequestPerDispatch,
    NoRequestAfterAcceptance,
    OneActiveRecovery,
    TerminalStays,
    UnknownStays,
    NoIdIsLost,
    EveryRenderIsObservable,
    EveryRecoveryEnds,
    NothingStaysReserved,
    EveryRowHasAnExit,
    TwoPeopleAgree,
    DismissedCreateNothing,
    OneSpendsOnce,
}

/// Something that must be possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Goal {
    Sent,
    SentAgain,
    Unknown,
    SecondClaimEnds,
    RefusedAtPermit,
    LateReceipt,
    Observed,
    Delivered,
    ChildPrepared,
}

pub fn reach(state: &mut State, goal: Goal) {
    if let Err(place) = state.reached.binary_search(&goal) {
        state.reached.insert(place, goal);
    }
}

fn breaks(state: &mut State, rule: Rule) {
    if let Err(place) = state.broken.binary_search(&rule) {
        state.broken.insert(place, rule);
    }
}

macro_rules! always {
    ($name:literal, $rule:ident) => {
        Property::always($name, |_: &Office, state: &State| {
            !state.broken.contains(&Rule::$rule)
        })
    };
}

/// The rules by their words.
pub fn properties() -> Vec<Property<Office>> {
    vec![
        always!(
            "never more than one creation request per approved dispatch",
            OneRequestPerDispatch
        ),
        always!(
            "never a creation request for an operation that was ever accepted",
            NoRequestAfterAcceptance
        ),
        always!("never two active recoveries", OneActiveRecovery),
        always!("a terminal state never goes back", TerminalStays),
        always!("an unknown outcome never leaves by itself", UnknownStays),
        always!("a job id that reached us is never lost", NoIdIsLost),
        always!("every accepted render can be observed", EveryRenderIsObservable),
        always!("every recovery ends", EveryRecoveryEnds),
        always!("nothing stays reserved", NothingStaysReserved),
        always!("every row has an exit that a person can take", EveryRowHasAnExit),
        always!("two people agree where two are asked for", TwoPeopleAgree),
        always!("who was dismissed creates nothing", DismissedCreateNothing),
        always!("of a parent and its child one spends", OneSpendsOnce),
        Property::sometimes("a creation is sent", |_: &Office, state: &State| {
            state.reached.contains(&Goal::Sent)
        }),
    ]
}

/// What must be true when a creation is permitted.
pub fn at_permit(office: &Office, state: &mut State, hold: &Hold) {
    let case = &state.cases[hold.operation];
    let recovery = &case.works[hold.work].stored.recovery;
    if recovery.action != Step::Dispatch {
        return;
    }
    let (requester, approver) = (recovery.requested_by.clone(), recovery.approved_by.clone());
    let two = approver.as_ref().is_some_and(|approver| *approver != requester);
    let mut agreed = vec![requester.as_str()];
    agreed.extend(approver.as_deref());
    if let Some(rule) = agreed_by_dismissed(state, &agreed) {
        breaks(state, rule);
    }
    if office.bounds.approvals > 1 && !two {
        breaks(state, Rule::TwoPeopleAgree);
    }
    let own = &state.cases[hold.operation].record;
    let spends = |other: &Case| {
        let under_way = match other.record.phase {
            Phase::Submitting | Phase::Accepted | Phase::Succeeded => true,
            Phase::Prepared | Phase::Failed | Phase::Delivered => false,
        };
        let related =
            other.record.parent.as_ref() == Some(&own.id) || own.parent.as_ref() == Some(&other.record.id);
        related && under_way && other.record.closure.is_none()
    };
    if state.cases.iter().any(spends) {
        breaks(state, Rule::OneSpendsOnce);
    }
}

/// What must be true when the first byte of a creation leaves.
pub fn at_post(state: &mut State, hold: &Hold) {
    let case = &state.cases[hold.operation];
    let known = case.renders.iter().enumerate();
    let mut accepted = known.filter(|(at, render)| render.ours || *at < hold.renders);
    if accepted.next().is_some() {
        breaks(state, Rule::NoRequestAfterAcceptance);
    }
}

/// The provider accepted a second request for one operation.
pub fn twice(state: &mut State) {
    breaks(state, Rule::NoRequestAfterAcceptance);
}

/// Compares a state with the one before, and looks whether everything in it can still come to an end.
pub fn after(office: &Office, last: &State, next: &mut State, action: &Action) {
    let mut found = Vec::new();
    for (at, case) in next.cases.iter().enumerate() {
        found.extend(of_case(case));
        if let Some(before) = last.cases.get(at) {
            found.extend(between(before, case, action));
        }
    }
    if let Action::Approve(at, _) = action
        && let Some(before) = last.cases.get(*at)
    {
        let approved = |(work, entry): (usize, &Work)| {
            let now = &next.cases[*at].works[work].stored.recovery;
            now.approved_by != entry.stored.recovery.approved_by && entry.stored.recovery.revision_before != 1
        };
        if before.works.iter().enumerate().any(approved) {
            found.push(Rule::TwoPeopleAgree);
        }
    }
    if last.cases != next.cases {
        found.extend(settles(office, next));
    }
    for rule in found {
        breaks(next, rule);
    }
}

fn of_case(case: &Case) -> Vec<Rule> {
    let mut found = Vec::new();
    if case.works.iter().any(|work| work.posts > 1) {
        found.push(Rule::OneRequestPerDispatch);
    }
    if case.active().count() > 1 {
        found.push(Rule::OneActiveRecovery);
    }
    let known = case.evidence().known_jobs(&case.record);
    if case.told.iter().any(|job| !known.contains(job)) {
        found.push(Rule::NoIdIsLost);
    }
    found
}

fn between(before: &Case, after: &Case, action: &Action) -> Vec<Rule> {
    let mut found = Vec::new();
    let ended_moved = before.works.iter().zip(&after.works).any(|(old, new)| {
        let (old, new) = (old.stored.recovery.state, new.stored.recovery.state);
        !old.is_active() && old != new
    });
    let undelivered = before.record.phase == Phase::Delivered && after.record.phase != Phase::Delivered;
    let read = before.record.remote.read_at.is_some() && before.record.job_id == after.record.job_id;
    let reopened = read
        && before.record.remote.execution.is_some_and(Execution::is_terminal)
        && !after.record.remote.execution.is_some_and(Execution::is_terminal);
    if ended_moved || undelivered || reopened {
        found.push(Rule::TerminalStays);
    }
    let unknown = |case: &Case| {
        case.record.phase == Phase::Submitting
            && case.record.dispatch == Dispatch::OutcomeUnknown
            && case.record.job_id.is_none()
    };
    let somebody = match action {
        Action::Write(_) | Action::Decide(_, _) | Action::Report(_, _) | Action::Letter(_, _) => true,
        Action::Confirm(_, _)
        | Action::Read(_, _)
        | Action::Approve(_, _)
        | Action::Cancel(_)
        | Action::Claim(_, _)
        | Action::Permit(_)
        | Action::Connect(_)
        | Action::Send(_, _)
        | Action::Arrive(_, _)
        | Action::Observe(_, _)
        | Action::Copy(_, _)
        | Action::Crash(_)
        | Action::Requeue(_)
        | Action::Reconcile(_)
        | Action::DeleteJob(_)
        | Action::Compete(_)
        | Action::Pass
        | Action::Leap(_)
        | Action::Facts
        | Action::Dismiss(_) => false,
    };
    if unknown(before) && !unknown(after) && !somebody {
        found.push(Rule::UnknownStays);
    }
    found
}

/// Lets everything come to rest: hands are empty, a long time passes, the reconciler does its rounds. Then every
/// recovery has ended, every accepted render can be observed, and people and facts can free what is reserved.
pub fn settles(office: &Office, state: &State) -> Vec<Rule> {
    let mut found = Vec::new();
    if state
        .cases
        .iter()
        .all(|case| case.works.is_empty() && case.renders.is_empty())
    {
        return found;
    }
    let mut later = long_after(state);
    later.left = Left {
        decisions: 9,
        reports: 9,
        ..Left::default()
    };
    for at in 0..later.cases.len() {
        while office.reconcile(&mut later, at).is_some() {}
        if later.cases[at].active().next().is_some() {
            found.push(Rule::EveryRecoveryEnds);
        }
        if later.cases[at]
            .works
            .iter()
            .any(|work| keeps_too_long(&later.cases[at], work))
        {
            found.push(Rule::NothingStaysReserved);
        }
        let exits = [Word::CloseUnresolved, Word::AcknowledgeObsolete];
        let exit = |word: &Word| office.decide(&mut later.clone(), at, *word).is_some();
        if !exits.iter().any(exit) {
            found.push(Rule::EveryRowHasAnExit);
        }
        let renders = later.cases[at].renders.clone();
        for render in &renders {
            if gone_to_another(&later, at, &render.job_id) {
                continue;
            }
            let evidence = office.evidence(&later, at);
            if glance(&later.cases[at].record, &evidence).action == Step::Dispatch {
                found.push(Rule::EveryRenderIsObservable);
            }
            // Where an id is attached already, the application's report is what names a further one.
            let attached = is_observable(&later.cases[at], &evidence, &render.job_id)
                || office.decide(&mut later, at, Word::AttachFound).is_some()
                || office.report(&mut later, at, Told::Job).is_some();
            let evidence = office.evidence(&later, at);
            if !attached || !is_observable(&later.cases[at], &evidence, &render.job_id) {
                found.push(Rule::EveryRenderIsObservable);
            }
        }
        if later.cases[at].is_reserved() {
            count(&mut later.cases[at], moment(1_000_000));
        }
        if later.cases[at].is_reserved() && office.decide(&mut later, at, Word::CloseUnresolved).is_none() {
            found.push(Rule::NothingStaysReserved);
        }
        if later.cases[at].is_reserved() {
            found.push(Rule::NothingStaysReserved);
        }
    }
    found.dedup();
    found
}

/// Nothing of it may still be charged: its attempt was not begun, or has a receipt that says so.
fn keeps_too_long(case: &Case, work: &Work) -> bool {
    let id = work.stored.recovery.id;
    let begun = case.attempts.iter().find(|begun| begun.attempt.recovery_id == id);
    let charges = begun.is_some_and(|begun| {
        let told = begun.told();
        let accepted = begun
            .receipts
            .iter()
            .any(|(receipt, _)| receipt.kind == ReceiptKind::Accepted);
        accepted || told.is_open()
    });
    work.stored.reservation_open && !charges
}

/// The id became an operation of its own.
fn gone_to_another(state: &State, at: usize, job: &app::domain::ids::JobId) -> bool {
    state.cases[at].record.adopted_jobs.contains(job)
}
