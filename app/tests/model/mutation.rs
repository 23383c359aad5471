//! Rules broken on purpose: the model must find each.

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// The client sends again when the answer is lost.
    RequestRetried,
    /// The lease is not looked at before the first byte.
    LeaseIgnored,
    /// The permit is not confirmed once the connection stands.
    FenceIgnored,
    /// The permit does not decide again.
    PermitBlind,
    /// A second claim of a creation gets a permit of its own.
    SecondClaimSends,
    /// Nothing keeps two recoveries apart.
    TwoRecoveries,
    /// A late receipt writes the record.
    LateReceiptWrites,
    /// The id in a receipt that does not write the record is dropped.
    ReceiptIdDropped,
    /// The reconciler takes an unknown outcome for nothing sent.
    UnknownForgotten,
    /// A person's word is taken while the attempt may be under way.
    WordWithoutWait,
    /// A recovery that has ended is ended again.
    EndedEndsAgain,
    /// A read of a delivered operation moves its phase.
    DeliveredFollowsReads,
    /// A reservation outlives its recovery.
    ReservationKept,
    /// A dispatch counts its own reservation against itself when it is sent.
    OwnReservationCounts,
    /// The requester may approve.
    SamePersonApproves,
    /// An approval is taken although the record moved.
    ApprovalOutlivesRevision,
    /// Nobody asks whether who agreed is still permitted.
    DismissedMayCreate,
    /// A reopened parent is not held back by its child.
    ParentNotHeldBack,
    /// A child is not held back by its reopened parent.
    ChildNotHeldBack,
    /// The reconciler ends nothing.
    ReconcilerSleeps,
}
