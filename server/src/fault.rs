//! Fail points: named moments at which a test can stop the real program, to kill it there.
//!
//! Compiled in only with the feature `failpoints`, which the crash tests turn on and releases do not.
//! `FAILPOINTS=permit.committed=return` stops there: the program says so on standard error, and what reached the point
//! never goes on. A name is a step and a moment of it; every transaction has the moments `written`, just before its
//! commit, and `committed`, just after ([`crate::database::Tx::commit_at`]).

/// A moment of a step between "row claimed" and "result recorded", or of an order of a person.
pub async fn point(step: &str, moment: &str) {
    if reached(step, moment).await {
        eprintln!("halted at {step}.{moment}");
        std::future::pending::<()>().await;
    }
}

/// A point that sleeps does so on a thread of its own: on one of the runtime's it would also stall whatever was just woken
/// there, and a stall would spread by chance.
#[cfg(feature = "failpoints")]
async fn reached(step: &str, moment: &str) -> bool {
    let name = format!("{step}.{moment}");
    let stopped = move || {
        fail::fail_point!(&name, |_| true);
        false
    };
    // A thread that panics was told to.
    tokio::task::spawn_blocking(stopped).await.unwrap_or(true)
}

#[cfg(not(feature = "failpoints"))]
#[expect(clippy::unused_async, reason = "with fail points it waits")]
async fn reached(_step: &str, _moment: &str) -> bool {
    false
}
