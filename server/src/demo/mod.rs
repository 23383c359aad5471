//! `dlo demo`: everything in one process, on one temporary folder. SQLite, the fixture provider, our worker, the web
//! server, and a small application whose messages really die.

mod application;
mod cast;
mod crew;
mod error;
mod history;
mod machine;
mod people;
mod renders;
mod scenarios;
mod settings;
mod stage;
mod story;
mod strays;

pub use error::DemoError;
pub use machine::{Demo, Expectation, SignIn};

use std::fmt::Write as _;
use std::io::Write as _;
use tokio::signal::unix::{SignalKind, signal};

/// How the demo is run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Address and port of the pages; port 8080 on loopback (or a free one) when absent.
    pub bind: Option<String>,
}

/// Runs the demo until SIGINT or SIGTERM, then ends all of it and removes its folder.
///
/// # Errors
/// It could not start, serving failed, or the folder could not be removed.
pub async fn run(options: Options) -> Result<(), DemoError> {
    // Listened for first, so that a signal during the start is not lost.
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut demo = Demo::start(options.bind.as_deref()).await?;
    let mut out = std::io::stdout();
    out.write_all(welcome(&demo).as_bytes())?;
    out.flush()?;
    let served = tokio::select! {
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
        served = demo.served() => served,
    };
    demo.stop().await?;
    Ok(served?)
}

/// What is printed when the pages answer.
fn welcome(demo: &Demo) -> String {
    let mut text = format!("Dead Letter Office, the demo: http://{}\n", demo.address);
    for SignIn { name, password } in &demo.sign_ins {
        // Writing to a String does not fail.
        let _ = writeln!(text, "  sign in as {name:<11} password {password}");
    }
    text.push_str("Its history fills within a minute. Ctrl-C ends it and leaves nothing behind.\n");
    text
}
