//! Each rule is broken on purpose, and the model finds a way that it matters.

use crate::exhaustive::{approvals, clocks, crashes, deliveries, evidence, family, flights, stalls};
use crate::mutation::Mutation;
use crate::office::{Bounds, Office};
use stateright::{Checker, HasDiscoveries, Model};

const ONE_REQUEST: &str = "never more than one creation request per approved dispatch";
const AFTER_ACCEPTANCE: &str = "never a creation request for an operation that was ever accepted";
const ONE_RECOVERY: &str = "never two active recoveries";
const TERMINAL: &str = "a terminal state never goes back";
const UNKNOWN: &str = "an unknown outcome never leaves by itself";
const IDS: &str = "a job id that reached us is never lost";
const RECOVERIES: &str = "every recovery ends";
const RESERVED: &str = "nothing stays reserved";
const PEOPLE: &str = "two people agree where two are asked for";
const DISMISSED: &str = "who was dismissed creates nothing";
const FAMILY: &str = "of a parent and its child one spends";

/// Searches until this rule is broken, and shows the way.
fn finds(mutation: Mutation, bounds: Bounds, rule: &'static str) {
    let checker = Office::new(bounds)
        .with(mutation)
        .checker()
        .threads(2)
        .finish_when(HasDiscoveries::AnyOf([rule].into()))
        .spawn_bfs()
        .join();
    let way = checker.discovery(rule).unwrap_or_else(|| {
        panic!(
            "{mutation:?}: nobody noticed in {} states",
            checker.unique_state_count()
        )
    });
    println!("{mutation:?} breaks “{rule}”: {:?}", way.into_actions());
}

macro_rules! broken {
    ($($name:ident: $mutation:ident, $bounds:expr, $rule:expr;)+) => { $(
        #[test]
        fn $name() {
            finds(Mutation::$mutation, $bounds, $rule);
        }
    )+ };
}

broken! {
    a_retried_request_is_found: RequestRetried, stalls(), ONE_REQUEST;
    an_ignored_lease_is_found: LeaseIgnored, stalls(), AFTER_ACCEPTANCE;
    an_ignored_fence_is_found: FenceIgnored, clocks(), AFTER_ACCEPTANCE;
    a_blind_permit_is_found: PermitBlind, evidence(), AFTER_ACCEPTANCE;
    a_second_claim_that_sends_is_found: SecondClaimSends, stalls(), ONE_REQUEST;
    two_recoveries_are_found: TwoRecoveries, Bounds { credits: 2, ..stalls() }, ONE_RECOVERY;
    a_late_receipt_that_writes_is_found: LateReceiptWrites, stalls(), UNKNOWN_OR_SENT;
    a_dropped_id_is_found: ReceiptIdDropped, evidence(), IDS;
    a_forgotten_unknown_is_found: UnknownForgotten, stalls(), UNKNOWN;
    a_word_without_waiting_is_found: WordWithoutWait, flights(), AFTER_ACCEPTANCE;
    an_end_that_ends_again_is_found: EndedEndsAgain, stalls(), TERMINAL;
    a_delivered_operation_that_moves_is_found: DeliveredFollowsReads, deliveries(), TERMINAL;
    a_kept_reservation_is_found: ReservationKept, crashes(), RESERVED;
    one_person_alone_is_found: SamePersonApproves, approvals(), PEOPLE;
    an_approval_of_a_moved_record_is_found: ApprovalOutlivesRevision, approvals(), PEOPLE;
    a_dismissed_person_is_found: DismissedMayCreate, approvals(), DISMISSED;
    a_parent_that_spends_beside_its_child_is_found: ParentNotHeldBack, family(), FAMILY;
    a_child_that_spends_beside_its_parent_is_found: ChildNotHeldBack, family(), FAMILY;
    a_sleeping_reconciler_is_found: ReconcilerSleeps, stalls(), RECOVERIES;
}

/// What the late `not_sent` of a stalled attempt would undo.
const UNKNOWN_OR_SENT: &str = "every accepted render can be observed";

/// A dispatch that counts its own reservation against itself is never sent at all.
#[test]
fn a_dispatch_that_refuses_itself_is_found() {
    let checker = Office::new(stalls())
        .with(Mutation::OwnReservationCounts)
        .checker()
        .threads(2)
        .spawn_bfs()
        .join();
    checker.assert_no_discovery("a creation is sent");
    assert!(checker.unique_state_count() > 100);
}
