//! A test that hangs is named and ends the run; otherwise it would hang until somebody's patience ends.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::Command;
use std::sync::{LazyLock, Mutex, Once};
use std::time::{Duration, Instant};

/// The longest test takes a tenth of it on a quiet machine.
const LIMIT: Duration = Duration::from_secs(600);
/// Runs that are meant to be long.
const LONG: [&str; 4] = [
    "DLO_TEST_LONG",
    "DLO_TEST_KILLS",
    "DLO_TEST_SOAK_SECONDS",
    "DLO_TEST_AWAY_SECONDS",
];

static WATCH: Once = Once::new();
static RUNNING: LazyLock<Mutex<BTreeMap<u64, (String, Instant)>>> = LazyLock::new(Mutex::default);

/// One test's time. It is over with the value.
pub struct Limit(u64);

impl Limit {
    /// Begins the time of the test whose thread this is.
    pub fn start() -> Self {
        WATCH.call_once(|| {
            if LONG.iter().all(|name| std::env::var_os(name).is_none()) {
                std::thread::spawn(watch);
            }
        });
        let name = std::thread::current().name().unwrap_or("a test").to_owned();
        let mut running = RUNNING.lock().expect("the list");
        let number = running.last_key_value().map_or(0, |(last, _)| last + 1);
        running.insert(number, (name, Instant::now()));
        Self(number)
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        RUNNING.lock().expect("the list").remove(&self.0);
    }
}

fn watch() {
    loop {
        std::thread::sleep(Duration::from_secs(5));
        let late: Vec<String> = RUNNING
            .lock()
            .expect("the list")
            .values()
            .filter(|(_, since)| since.elapsed() > LIMIT)
            .map(|(name, _)| name.clone())
            .collect();
        if !late.is_empty() {
            // Not `eprintln!`: that is kept back with the output of the test that hangs.
            let _ = writeln!(
                std::io::stderr(),
                "hangs for over {} s, the run ends: {}",
                LIMIT.as_secs(),
                late.join(", ")
            );
            end_children();
            std::process::exit(101);
        }
    }
}

/// What this process has started must not outlive it: it would hold on to ports, and to whoever reads our output.
fn end_children() {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return;
    };
    let children = tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    for pid in children.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()) {
        let _ = Command::new("kill").args(["-KILL", &pid]).status();
    }
}
