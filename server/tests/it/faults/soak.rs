//! A long time of everything at once, on loopback: flat memory, no descriptor leak, no error.
//! `DLO_TEST_SOAK_SECONDS=1800` makes it half an hour; the suite has a few seconds of it.

use super::bot::{self, Bot};
use super::follower::{Heard, follows};
use super::machine::{Process, Stage};
use super::person;
use crate::support::backend::Kind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long it soaks.
const SECONDS: &str = "DLO_TEST_SOAK_SECONDS";
/// Pages that readers open all the time.
const PAGES: [&str; 6] = [
    "/dead-letters",
    "/dead-letters?disposition=open&action=observe",
    "/operations",
    "/recoveries",
    "/queues",
    "/audit",
];
/// Desks that are open all the time, and follow what changes.
const FOLLOWERS: usize = 6;
/// What it may grow after its first third, in KiB: pools, caches and the allocator's own habits.
const MAY_GROW: u64 = 64 * 1024;
/// Descriptors that come and go with connections.
const MAY_OPEN: usize = 24;

fn seconds() -> u64 {
    std::env::var(SECONDS)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(6)
}

/// What the system says of the process.
#[derive(Debug, Clone, Copy)]
struct Size {
    kib: u64,
    descriptors: usize,
}

fn size(process: &Process) -> Size {
    let folder = format!("/proc/{}", process.pid());
    let status = std::fs::read_to_string(format!("{folder}/status")).expect("it runs");
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().split(' ').next()?.parse().ok())
        .expect("a size");
    let descriptors = std::fs::read_dir(format!("{folder}/fd"))
        .expect("it runs")
        .count();
    Size { kib, descriptors }
}

/// Readers open page after page.
async fn read(stage: &Stage, at: &str, cookie: &str, answered: &AtomicU64) {
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    for path in PAGES.iter().cycle() {
        let page = client
            .get(format!("{at}{path}"))
            .header("cookie", cookie)
            .header("accept", "text/html")
            .send()
            .await
            .expect("an answer");
        assert_eq!(page.status(), 200, "{path}");
        let length = page.text().await.expect("a page").len();
        assert!(length > 500, "{path}: {length} bytes");
        answered.fetch_add(1, Ordering::Relaxed);
        let list = stage.get(at, "/dead-letters?limit=50").await;
        assert!(list["items"].is_array());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn soaks(kind: Kind) {
    let Some(stage) = Stage::new(kind, "[policy]\nreplay_without_record = \"allow\"\n").await else {
        return;
    };
    let process = stage.start("").await;
    let at = process.at.clone();
    bot::facts(&stage, &at).await;
    let cookie = person::enters(&stage, &at).await;
    let whole = Duration::from_secs(seconds());
    let pages = AtomicU64::new(0);
    let heard = Heard::default();
    let followers =
        futures::future::join_all((0..FOLLOWERS).map(|_| follows(&stage, || at.clone(), &cookie, &heard)));
    let mut people = [Bot::new("one", 7), Bot::new("two", 8)];
    let [first, second] = &mut people;
    let mut sizes = Vec::new();
    let watch = async {
        let began = Instant::now();
        let step = (whole / 60).max(Duration::from_millis(250));
        while began.elapsed() < whole {
            tokio::time::sleep(step).await;
            sizes.push(size(&process));
        }
    };
    tokio::select! {
        () = watch => {}
        () = first.work(&stage, &at) => {}
        () = second.work(&stage, &at) => {}
        () = read(&stage, &at, &cookie, &pages) => {}
        _ = followers => {}
    }
    let settled = sizes[sizes.len() / 3];
    let last = sizes[sizes.len() - 1];
    let most = sizes.iter().map(|size| size.descriptors).max().unwrap_or(0);
    let operations = stage.count("SELECT COUNT(*) AS n FROM dlo_operations").await;
    let recoveries = stage.count("SELECT COUNT(*) AS n FROM dlo_recoveries").await;
    println!(
        "{kind:?}: {} s, {} pages, {operations} operations, {recoveries} recoveries, {heard:?}; after a third {settled:?}, at the \
         end {last:?}, most descriptors {most}",
        whole.as_secs(),
        pages.load(Ordering::Relaxed)
    );
    assert!(
        pages.load(Ordering::Relaxed) > 3 && operations > 0,
        "nothing happened"
    );
    let followed = heard.pages.load(Ordering::Relaxed);
    assert!(followed >= FOLLOWERS as u64, "nobody followed: {heard:?}");
    assert!(
        last.kib < settled.kib + MAY_GROW,
        "memory grows: {settled:?} {last:?}"
    );
    assert!(
        last.descriptors < settled.descriptors + MAY_OPEN,
        "descriptors leak: {settled:?} {last:?}"
    );
    // It logs at the level of errors, and has none to tell.
    assert_eq!(process.errors(), Vec::<String>::new());
    let (status, took, errors) = process.terminate(Duration::from_secs(15)).await;
    assert!(status.success(), "{took:?}: {errors:?}");
    stage.said(&["audit", "verify"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_at_once_for_a_long_time() {
    tokio::join!(soaks(Kind::Sqlite), soaks(Kind::Postgres));
}
