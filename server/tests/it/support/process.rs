//! Processes that a test has started.

use std::process::Command;

/// Sends a signal (`-TERM`, `-STOP`, …), as a service manager would.
#[track_caller]
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill")
        .args([name, &pid.to_string()])
        .status()
        .expect("kill runs");
    assert!(sent.success(), "{pid} could not be told {name}");
}
