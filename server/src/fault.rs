//! Fail points: named moments at which a test can stop the real program, to kill it there.
//!
//! Compiled in only with the feature `failpoints`, which the crash tests turn on and releases do not.
//! `FAILPOINTS=permitted=return` stops at the point `permitted`: it says so on standard error and never goes on.

/// A moment between "row claimed" and "result recorded".
pub async fn point(name: &'static str) {
    if reached(name) {
        eprintln!("halted at {name}");
        std::future::pending::<()>().await;
    }
}

#[cfg(feature = "failpoints")]
fn reached(name: &'static str) -> bool {
    fail::fail_point!(name, |_| true);
    false
}

#[cfg(not(feature = "failpoints"))]
const fn reached(_name: &'static str) -> bool {
    false
}
