//! The demo, as a reader meets it: it fills by itself, with every row of the decision table and every label.

use crate::access::crawl::walk::Walk;
use crate::support::process::signal;
use app::domain::label::Label;
use app::domain::role::{Caller, Role};
use serde_json::Value;
use server::demo::{Demo, Expectation, SignIn};
use server::storage::tokens;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// The history is complete within a minute.
const A_MINUTE: Duration = Duration::from_secs(60);
/// What a message knew is projected within a second of its death; a busy machine may take longer.
const SETTLED: Duration = Duration::from_secs(10);
const TOKEN: &str = "dlo_the_reader_of_this_test";

struct Reader {
    http: reqwest::Client,
    base: String,
}

impl Reader {
    async fn of(demo: &Demo) -> Self {
        let system = Caller {
            name: Caller::SYSTEM.to_owned(),
            role: Role::Admin,
        };
        tokens::create(
            &demo.office.database,
            &system,
            Uuid::now_v7(),
            "reader",
            Role::Viewer,
            TOKEN,
        )
        .await
        .expect("a token");
        let http = reqwest::Client::builder()
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .expect("a client");
        Self {
            http,
            base: format!("http://{}", demo.address),
        }
    }

    async fn text(&self, path: &str) -> String {
        let answer = self
            .http
            .get(format!("{}{path}", self.base))
            .bearer_auth(TOKEN)
            .send()
            .await
            .expect("an answer");
        let status = answer.status();
        let text = answer.text().await.expect("a body");
        assert!(status.is_success(), "{path}: {status}: {text}");
        text
    }

    async fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path).await).expect("JSON")
    }

    /// All items of a list.
    async fn all(&self, list: &str) -> Vec<Value> {
        let mut items = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self.json(&format!("/api/v1/{list}?limit=50{cursor}")).await;
            items.extend(page["items"].as_array().expect("items").iter().cloned());
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return items,
            }
        }
    }

    /// Where each operation stands otherwise than the story says.
    async fn differences(&self, demo: &Demo) -> Vec<String> {
        let mut wrong = Vec::new();
        for wanted in demo.expectations() {
            let seen = self
                .json(&format!("/api/v1/operations/{}", wanted.operation))
                .await;
            let row = seen["plan"]["row"].as_u64().unwrap_or_default();
            let label = seen["label"].as_str().unwrap_or_default();
            let letters = seen["dead_letters"].as_array().map_or(0, Vec::len);
            if (row, label, letters) != (u64::from(wanted.row), wanted.label.as_str(), wanted.deaths) {
                wrong.push(format!(
                    "{wanted:?}: row {row}, label {label}, {letters} dead letters; {}",
                    seen["plan"]["summary"]
                ));
            }
        }
        wrong
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn its_history_fills_with_every_row_and_every_label() {
    let demo = Demo::start(Some("127.0.0.1:0")).await.expect("the demo starts");
    let reader = Reader::of(&demo).await;
    let viewer = Caller {
        name: "viewer".to_owned(),
        role: Role::Viewer,
    };
    let head = demo.office.overview(&viewer).await.expect("an overview");
    assert!(
        head.filling
            .is_some_and(|told| told.starts_with("The demo's history still fills: "))
    );

    let started = Instant::now();
    let troubles = tokio::time::timeout(A_MINUTE, demo.filled())
        .await
        .expect("filled within a minute");
    println!("filled after {:?}", started.elapsed());
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
    assert_eq!(
        demo.office.overview(&viewer).await.expect("an overview").filling,
        None
    );

    let chain = demo.office.chain(&viewer).expect("a viewer may know");
    let chain = chain.expect("it was checked at the start");
    assert_eq!(chain.broken_at, None);

    let settling = Instant::now();
    let wrong = loop {
        let wrong = reader.differences(&demo).await;
        if wrong.is_empty() || settling.elapsed() > SETTLED {
            break wrong;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    rows_and_labels(&reader).await;
    moves_are_deaths(&reader, &demo).await;
    creations_are_the_storys(&demo);
    nothing_secret_is_shown(&reader, &demo).await;
    people_were_at_the_desk(&reader).await;
    let address = demo.address;
    demo.stop().await.expect("the demo ends, and its folder is gone");
    assert!(
        tokio::net::TcpStream::connect(address).await.is_err(),
        "nobody serves any more"
    );
}

async fn rows_and_labels(reader: &Reader) {
    let mut rows = BTreeSet::new();
    for operation in reader.all("operations").await {
        let id = operation["id"].as_str().expect("an id").to_owned();
        rows.extend(reader.json(&format!("/api/v1/operations/{id}/plan")).await["row"].as_u64());
    }
    assert_eq!(rows, (1..=20).collect());
    let letters = reader.all("dead-letters").await;
    let labels: BTreeSet<String> = letters
        .iter()
        .filter_map(|letter| Some(letter["label"].as_str()?.to_owned()))
        .collect();
    assert_eq!(
        labels,
        Label::ALL.iter().map(|label| label.as_str().to_owned()).collect()
    );
}

/// Nothing was put into the dead table by hand: each dead letter was a message of the application's or a job of ours.
async fn moves_are_deaths(reader: &Reader, demo: &Demo) {
    let mut known: BTreeSet<String> = demo.messages().iter().map(Uuid::to_string).collect();
    let ours = reader.all("recoveries").await;
    known.extend(
        ours.iter()
            .filter_map(|recovery| Some(recovery["job_id"].as_str()?.to_owned())),
    );
    let letters = reader.all("dead-letters").await;
    let ids: BTreeSet<&str> = letters
        .iter()
        .filter_map(|letter| letter["id"].as_str())
        .collect();
    assert_eq!(ids.len(), letters.len());
    assert!(ids.iter().all(|id| known.contains(*id)));
    let told: usize = demo.expectations().iter().map(|wanted| wanted.deaths).sum();
    assert_eq!(letters.len(), told + demo.strays());
    let queues = reader.json("/api/v1/queues").await;
    assert_eq!(
        queues["totals"]["dead_letter"].as_u64(),
        u64::try_from(letters.len()).ok()
    );
}

/// The provider saw the creation requests that the story tells, and no other.
fn creations_are_the_storys(demo: &Demo) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for post in demo.fixture.posts() {
        *seen.entry(post.client_reference.unwrap_or_default()).or_default() += 1;
    }
    for Expectation {
        operation,
        posts,
        scenario,
        ..
    } in demo.expectations()
    {
        assert_eq!(
            seen.remove(&operation).unwrap_or_default(),
            posts,
            "{scenario} {operation}"
        );
    }
    // What is left is the replacement that the approver sent.
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert!(
        seen.iter()
            .all(|(operation, posts)| operation.ends_with("_r2") && *posts == 1),
        "{seen:?}"
    );
    assert_eq!(demo.fixture.credentials_leaked(), 0);
}

/// What its application lets slip, on purpose: on no page, in no answer, in no figure.
async fn nothing_secret_is_shown(reader: &Reader, demo: &Demo) {
    let SignIn { name, password } = demo.sign_ins.first().expect("somebody");
    let answer = reader
        .http
        .post(format!("{}/forms/sign-in", reader.base))
        .header("origin", &reader.base)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(format!("name={name}&password={password}"))
        .send()
        .await
        .expect("an answer");
    let cookie = answer.headers()["set-cookie"].to_str().expect("text");
    let cookie = cookie.split(';').next().expect("a pair");
    let mut walk = Walk::new(reader.http.clone(), &reader.base, cookie, TOKEN);
    walk.pages().await;
    walk.api().await;
    walk.open().await;
    println!("{} pages and {} answers of the demo", walk.pages, walk.answers);
    assert!(walk.pages > 100 && walk.answers > 100);
    let secrets = [
        "gna_demo_",
        "token=",
        "slow push in",
        "one continuous take",
        "whk_",
        "producer@",
        "Signature=9f",
        password,
        TOKEN,
    ];
    let found = walk.found(&secrets);
    assert!(found.is_empty(), "{found:?}");
}

async fn people_were_at_the_desk(reader: &Reader) {
    let recoveries = reader.all("recoveries").await;
    let states: BTreeSet<&str> = recoveries
        .iter()
        .filter_map(|recovery| recovery["state"].as_str())
        .collect();
    for state in ["running", "succeeded", "failed"] {
        assert!(states.contains(state), "{state} is missing: {states:?}");
    }
    let audit = reader.all("audit").await;
    let actors: BTreeSet<&str> = audit.iter().filter_map(|entry| entry["actor"].as_str()).collect();
    assert!(
        actors.contains("operator") && actors.contains("approver"),
        "{actors:?}"
    );
}

/// The program itself: says where it is, and ends on SIGTERM without a trace.
#[test]
fn the_program_ends_on_sigterm_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut program = Command::new(env!("CARGO_BIN_EXE_dlo"))
        .args(["demo", "--bind", "127.0.0.1:0"])
        .env("TMPDIR", folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("dlo starts");
    let lines: Vec<String> = BufReader::new(program.stdout.take().expect("its output"))
        .lines()
        .take(4)
        .map(|line| line.expect("a line"))
        .collect();
    assert!(lines[0].contains("http://127.0.0.1:"), "{lines:?}");
    for (line, name) in lines[1..].iter().zip(["viewer", "operator", "approver"]) {
        assert!(
            line.starts_with(&format!("  sign in as {name}")) && line.contains(" password "),
            "{lines:?}"
        );
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 1);
    std::thread::sleep(Duration::from_secs(2));
    signal(program.id(), "-TERM");
    let asked = Instant::now();
    let status = loop {
        match program.try_wait().expect("a status") {
            Some(status) => break status,
            None if asked.elapsed() > Duration::from_secs(15) => {
                program.kill().expect("it can be ended");
                panic!("it did not end within 15 seconds");
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    assert!(status.success(), "{status}");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("the folder").count(),
        0,
        "a trace is left"
    );
}
