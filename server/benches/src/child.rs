//! The real program in a process of its own.

use crate::place::Place;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// A running `dlo serve`.
pub struct Serving {
    child: Child,
    /// Kept open: a program whose reader has gone would fail to say more.
    _words: Lines<BufReader<ChildStdout>>,
    pub address: SocketAddr,
}

/// Builds the program as users build it.
///
/// # Panics
/// When it does not build.
pub fn build() {
    let built = std::process::Command::new(env!("CARGO"))
        // From the workspace's root and of its default members, as README has it: the same build, and made once.
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .args(["build", "--release", "--quiet", "--bin", "dlo"])
        .status()
        .expect("cargo runs");
    assert!(built.success(), "the program does not build");
}

/// The release build, beside the folder of this program.
fn program() -> PathBuf {
    let own = std::env::current_exe().expect("a program has a path");
    own.ancestors()
        .nth(2)
        .expect("the folder of the build")
        .join("dlo")
}

fn dlo(place: &Place) -> Command {
    let mut command = Command::new(program());
    command
        .current_dir(place.folder.path())
        .env("RUST_LOG", "error")
        .args(["--database-url", &place.url])
        .kill_on_drop(true);
    command
}

/// Runs a command with this standard input; answers what it printed.
pub async fn run(place: &Place, arguments: &[&str], input: &str) -> String {
    let mut child = dlo(place)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("its input");
    stdin.write_all(input.as_bytes()).await.expect("it reads");
    drop(stdin);
    let output = child.wait_with_output().await.expect("it ends");
    assert!(output.status.success(), "dlo {arguments:?}");
    String::from_utf8(output.stdout).expect("text").trim().to_owned()
}

impl Serving {
    /// Starts it; answers when it listens.
    pub async fn start(place: &Place) -> Self {
        let mut child = dlo(place)
            .args(["serve", "--bind", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut words = BufReader::new(child.stdout.take().expect("its words")).lines();
        let said = words.next_line().await.expect("its words").expect("it listens");
        let address = said
            .strip_prefix("Listening on http://")
            .expect("its address")
            .parse()
            .expect("an address");
        Self {
            child,
            _words: words,
            address,
        }
    }

    /// Resident memory, in MiB (Linux).
    pub fn resident(&self) -> f64 {
        let pid = self.child.id().expect("it runs");
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1024.0)
    }

    /// Ends it as a service manager would.
    pub async fn stop(mut self) {
        let pid = self.child.id().expect("it runs").to_string();
        let told = Command::new("kill")
            .args(["-TERM", &pid])
            .status()
            .await
            .expect("kill runs");
        assert!(told.success(), "the program was gone already");
        self.child.wait().await.expect("it ends");
    }
}
