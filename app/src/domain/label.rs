//! Labels: the words a person reads for what is wrong. Derived by one total function, never stored as truth (DESIGN 2).

crate::slugs! {
    /// In the order of the operation's life on the desk's rail.
    pub enum Label ("label") {
        NotSubmitted => "not_submitted",
        SubmissionRejected => "submission_rejected",
        SubmissionOutcomeUnknown => "submission_outcome_unknown",
        RenderInProgress => "render_in_progress",
        RemoteStateUnclear => "remote_state_unclear",
        RemoteRenderFailed => "remote_render_failed",
        LocalDeliveryFailure => "local_delivery_failure",
        AlreadyDelivered => "already_delivered",
        Closed => "closed",
        NoOperationRecord => "no_operation_record",
    }
}

impl Label {
    /// The words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::NotSubmitted => "Not submitted",
            Self::SubmissionRejected => "Submission rejected",
            Self::SubmissionOutcomeUnknown => "Submission outcome unknown",
            Self::RenderInProgress => "Render still in progress",
            Self::RemoteStateUnclear => "Remote state unclear",
            Self::RemoteRenderFailed => "Remote render failed",
            Self::LocalDeliveryFailure => "Local delivery failure",
            Self::AlreadyDelivered => "Already delivered",
            Self::Closed => "Closed",
            Self::NoOperationRecord => "No operation record",
        }
    }
}
