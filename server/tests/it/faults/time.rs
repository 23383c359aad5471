//! Time: leases are the database's, timeouts are monotonic. A clock that is set by an hour changes nothing.

use crate::protocol::play::Play;
use crate::support::backend::Backend;
use serde_json::json;
use server::database::{Database, Dialect};
use server::fixture::{CreateScript, JobScript, OutputFault, OutputScript};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where leases are given, kept and judged, and where work is timed.
const TIMED: [&str; 5] = [
    "src/queue",
    "src/worker",
    "src/storage/jobs",
    "src/storage/recoveries",
    "src/storage/circuits.rs",
];

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).expect("a folder") {
            sources(&entry.expect("an entry").path(), found);
        }
    } else {
        found.push(path.to_owned());
    }
}

/// By construction: whoever judges a lease has no way to the clock on the wall.
#[test]
fn no_lease_looks_at_the_clock_on_the_wall() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for place in TIMED {
        sources(&root.join(place), &mut files);
    }
    assert!(files.len() > 15, "{files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source");
        for clock in ["Utc::now", "SystemTime", "Local::now", "OffsetDateTime"] {
            assert!(!text.contains(clock), "{} asks {clock}", file.display());
        }
    }
}

crate::on_every_backend!(a_clock_that_is_set_by_an_hour_changes_nothing);

/// All moments by which leases are judged, moved: what a clock that was set looks like from the database.
async fn set_the_clock(play: &Play, dialect: Dialect, hours: i32) {
    // A clock that goes forward makes every moment on record older.
    let moved = |column: &str| match dialect {
        Dialect::Postgres => format!("{column} - interval '{hours} hours'"),
        Dialect::Sqlite => format!(
            "strftime('%Y-%m-%dT%H:%M:%f000+00:00', {column}, '{} hours')",
            -hours
        ),
    };
    play.sql(&format!("UPDATE dlo_leases SET until_at = {}", moved("until_at")))
        .await;
    play.sql(&format!(
        "UPDATE dlo_recoveries SET lease_until = {}, heard_at = {} WHERE finished_at IS NULL",
        moved("lease_until"),
        moved("heard_at")
    ))
    .await;
}

async fn a_clock_that_is_set_by_an_hour_changes_nothing(backend: Backend, database: Database) {
    let dialect = database.dialect();
    let play = Play::start(backend, database).await;
    for (hours, name) in [(1, "forward"), (-1, "back")] {
        let (sent, copied) = (format!("op_sent_{name}"), format!("op_copied_{name}"));
        play.fixture
            .script_create(&sent, CreateScript::SlowAnswer { ms: 900 });
        play.fixture.script_job(&sent, JobScript::resting("running"));
        play.ready(&sent).await;
        let job = format!("gj_{name}");
        let slow = server::fixture::Armed::once(OutputFault::Drip { ms: 900 });
        let output = OutputScript::new("video/mp4").bytes(100_000).fault(slow);
        play.fixture.put_job(&job, JobScript::succeeded(vec![output]));
        play.operation(
            &copied,
            json!({ "phase": "succeeded", "dispatch": "sent", "remote": { "job_id": job, "fetch": "ok",
                "execution": "succeeded", "outputs": [{ "index": 0, "content_type": "video/mp4" }] } }),
        )
        .await;
        let dispatch = play.confirm(&sent, "dispatch").await;
        let deliver = play.confirm(&copied, "deliver").await;
        for recovery in [&dispatch, &deliver] {
            play.until(&format!("/api/v1/recoveries/{recovery}"), |value| {
                value["state"] == "running"
            })
            .await;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        set_the_clock(&play, dialect, hours).await;
        play.ended(&dispatch).await;
        play.ended(&deliver).await;
        // Its receipt may come after its recovery was given up; it is written all the same.
        let record = play
            .until(&format!("/api/v1/operations/{sent}"), |record| {
                record["remote"]["job_id"].is_string()
            })
            .await;
        assert_eq!(record["phase"], "accepted", "{name}: {record:#}");
        let record = play.record(&copied).await;
        if record["phase"] != "delivered" {
            play.recover(&copied, "deliver").await;
        }
        assert_eq!(play.record(&copied).await["phase"], "delivered", "{name}");
    }
    assert_eq!(play.posts(), 2, "one each");
    assert_eq!(
        play.count("SELECT COUNT(*) AS n FROM dlo_recoveries WHERE finished_at IS NULL")
            .await,
        0
    );
}
