//! The command line, through the built binary.

mod names;
mod providers;

use crate::support::backend::{Backend, Kind};
use crate::support::process::signal;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn dlo(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dlo"));
    command.args(args).env_remove("RUST_LOG").stdin(Stdio::null());
    command
}

#[track_caller]
fn run(args: &[&str], input: &str, code: i32) -> Output {
    let mut child = dlo(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    // It may have ended already without reading.
    child
        .stdin
        .take()
        .expect("an input")
        .write_all(input.as_bytes())
        .ok();
    let output = child.wait_with_output().expect("it ends");
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    output
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running `dlo serve`.
struct Served {
    child: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn serve(url: &str) -> Served {
    let mut child = dlo(&["serve", "--bind", "127.0.0.1:0", "--database-url", url])
        .env("DLO_WORKER__ENABLED", "false")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines();
    let line = lines.next().expect("a line").expect("text");
    let address = line
        .strip_prefix("Listening on ")
        .unwrap_or_else(|| panic!("{line}"))
        .to_owned();
    Served { child, address }
}

async fn on(kind: Kind) -> Option<Backend> {
    Backend::empty(kind).await
}

#[tokio::test]
async fn people_and_tokens_are_kept_and_audited() {
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let Some(backend) = on(kind).await else { continue };
        let url = &backend.url;
        assert!(err(&run(&["tokens", "list", "--database-url", url], "", 1)).contains("dlo migrate"));
        run(&["migrate", "--database-url", url], "", 0);
        run(&["--database-url", url, "migrate"], "", 0);
        let add = [
            "operators",
            "add",
            "m.okafor",
            "--role",
            "operator",
            "--database-url",
            url,
        ];
        run(&add, "", 2);
        run(&add, "correct horse\n", 0);
        run(
            &[
                "--as",
                "lead",
                "operators",
                "add",
                "m.okafor",
                "--role",
                "approver",
                "--database-url",
                url,
            ],
            "other horse\n",
            0,
        );
        let short = run(&add, "seven 7\n", 2);
        assert!(err(&short).contains("at least 8 characters"), "{}", err(&short));
        let obvious = run(&add, "Password123\n", 2);
        assert!(
            err(&obvious).contains("everybody tries first"),
            "{}",
            err(&obvious)
        );
        let listed = out(&run(&["operators", "list", "--database-url", url], "", 0));
        assert!(
            listed.contains("m.okafor") && listed.contains("approver") && listed.contains("enabled"),
            "{listed}"
        );
        assert!(!listed.contains("argon2"), "{listed}");
        let made = out(&run(
            &[
                "tokens",
                "create",
                "--name",
                "app",
                "--role",
                "reporter",
                "--database-url",
                url,
            ],
            "",
            0,
        ));
        let token = made.trim_end();
        assert!(
            token.starts_with("dlo_") && token.len() >= 47 && !token.contains(char::is_whitespace),
            "{made:?}"
        );
        let listed = out(&run(&["tokens", "--database-url", url, "list"], "", 0));
        assert!(
            listed.contains("app") && listed.contains("reporter") && !listed.contains(token),
            "{listed}"
        );
        let id = listed.split(' ').next().expect("an id").to_owned();
        run(&["tokens", "revoke", &id, "--database-url", url], "", 0);
        run(&["tokens", "revoke", &id, "--database-url", url], "", 1);
        run(&["tokens", "revoke", "no-uuid", "--database-url", url], "", 2);
        run(
            &["operators", "disable", "m.okafor", "--database-url", url],
            "",
            0,
        );
        run(&["operators", "disable", "nobody", "--database-url", url], "", 1);

        let exported = out(&run(&["audit", "export", "--database-url", url], "", 0));
        let entries: Vec<serde_json::Value> = exported
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let actions: Vec<&str> = entries
            .iter()
            .filter_map(|entry| entry["action"].as_str())
            .collect();
        assert_eq!(
            actions,
            [
                "operator_added",
                "role_changed",
                "token_created",
                "token_revoked",
                "operator_disabled",
                "audit_exported"
            ]
        );
        assert_eq!(
            (&entries[0]["actor"], &entries[1]["actor"]),
            (&"system".into(), &"lead".into())
        );
        assert!(
            !exported.contains(token) && !exported.contains("horse"),
            "{exported}"
        );
        let csv = out(&run(
            &["audit", "export", "--format", "csv", "--database-url", url],
            "",
            0,
        ));
        assert_eq!(csv.lines().count(), 8, "{csv}");
        let verified = out(&run(&["audit", "verify", "--database-url", url], "", 0));
        assert!(verified.contains("7 entries"), "{verified}");
    }
}

#[tokio::test]
async fn people_change_roles_and_tokens_have_names_and_ends() {
    let backend = on(Kind::Sqlite).await.expect("SQLite is always there");
    let dlo = |args: &[&str], input: &str, code: i32| {
        let all = [args, &["--database-url", &backend.url]].concat();
        run(&all, input, code)
    };
    dlo(&["migrate"], "", 0);
    dlo(
        &["operators", "add", "mira", "--role", "viewer"],
        "correct horse\n",
        0,
    );
    let changed = out(&dlo(&["operators", "role", "mira", "--role", "approver"], "", 0));
    assert_eq!(changed, "mira was viewer and is now approver\n");
    dlo(&["operators", "role", "nobody", "--role", "viewer"], "", 1);
    let gone = out(&dlo(&["operators", "sign-out", "mira"], "", 0));
    assert_eq!(gone, "signed mira out everywhere\n");
    dlo(&["operators", "sign-out", "nobody"], "", 1);

    let create = ["tokens", "create", "--name", "studio", "--role", "reporter"];
    dlo(&[&create[..], &["--expires-in-days", "0"]].concat(), "", 2);
    let made = out(&dlo(&[&create[..], &["--expires-in-days", "30"]].concat(), "", 0));
    assert!(made.starts_with("dlo_") && made.lines().count() == 1, "{made}");
    let again = dlo(&create, "", 1);
    assert!(
        err(&again).contains("named \"studio\" already"),
        "{}",
        err(&again)
    );
    assert_eq!(out(&again), "");
    let listed = out(&dlo(&["tokens", "list"], "", 0));
    assert!(
        listed.contains(" valid ") && listed.contains(" until 20") && listed.contains("never used"),
        "{listed}"
    );
    let exported = out(&dlo(&["audit", "export"], "", 0));
    for action in ["role_changed", "signed_out_everywhere", "token_created"] {
        assert!(exported.contains(action), "{action}: {exported}");
    }
    assert!(exported.contains("mira from viewer to approver"), "{exported}");
}

#[tokio::test]
async fn the_first_start_prints_a_link_once() {
    let backend = on(Kind::Sqlite).await.expect("SQLite is always there");
    let mut child = dlo(&["serve", "--bind", "127.0.0.1:0", "--database-url", &backend.url])
        .env("DLO_WORKER__ENABLED", "false")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut lines = BufReader::new(child.stdout.take().expect("an output")).lines();
    let mut line = || lines.next().expect("a line").expect("text");
    let address = line().strip_prefix("Listening on ").expect("where").to_owned();
    let served = Served { child, address };
    assert!(line().contains("within 30 minutes"));
    let link = line();
    assert!(
        link.starts_with(&format!("{}/setup?link=", served.address)),
        "{link}"
    );
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let page = client.get(&link).send().await.expect("an answer");
    assert_eq!(page.status(), 200);
    let secret = link.rsplit('=').next().expect("a secret");
    let form = format!("link={secret}&name=mira&password=correct+horse&again=correct+horse");
    let answer = client
        .post(format!("{}/forms/set-up", served.address))
        .header("origin", &served.address)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form)
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.headers()["location"], "/permissions");
    assert_eq!(client.get(&link).send().await.expect("an answer").status(), 404);
    drop(served);
    let mut child = dlo(&["serve", "--bind", "127.0.0.1:0", "--database-url", &backend.url])
        .env("DLO_WORKER__ENABLED", "false")
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut again = BufReader::new(child.stdout.take().expect("an output")).lines();
    let first = again.next().expect("a line").expect("text");
    let address = first.strip_prefix("Listening on ").expect("where").to_owned();
    let served = Served { child, address };
    signal(served.child.id(), "-TERM");
    let rest: Vec<String> = again.map_while(Result::ok).collect();
    assert!(
        rest.is_empty(),
        "somebody can sign in: no link is printed: {rest:?}"
    );
}

#[test]
fn wrong_usage_and_configuration_end_with_two() {
    for args in [
        &["frobnicate"][..],
        &["tokens", "create", "--name", "x", "--role", "king"],
        &["migrate", "--database-url", "mysql://x"],
        &["migrate", "--config", "/nowhere/dlo.toml"],
        &["serve", "--bind", "nonsense", "--database-url", "memory:"],
        &["migrate", "--as", " "],
        &["worker", "--bind", "127.0.0.1:0"],
    ] {
        run(args, "", 2);
    }
    run(&["--help"], "", 0);
    let output = run(
        &[
            "migrate",
            "--database-url",
            "postgres://user:hunter2@127.0.0.1:1/x",
        ],
        "",
        1,
    );
    assert!(!err(&output).contains("hunter2"), "{}", err(&output));
}

#[tokio::test]
async fn serve_says_where_and_ends_when_told() {
    let backend = on(Kind::Sqlite).await.expect("SQLite is always there");
    let mut served = serve(&backend.url);
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let answer = client
        .get(format!("{}/readyz", served.address))
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status(), 200);
    let began = Instant::now();
    signal(served.child.id(), "-TERM");
    let status = loop {
        if let Some(status) = served.child.try_wait().expect("a status") {
            break status;
        }
        assert!(
            began.elapsed() < Duration::from_secs(15),
            "it ends within 15 seconds"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn a_newer_database_is_refused() {
    let (backend, database) = Backend::open(Kind::Sqlite).await.expect("SQLite is always there");
    let mut tx = database.write().await.expect("a transaction");
    tx.execute(
        "INSERT INTO dlo_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', TRUE, X'00', 0)",
        vec![],
    )
    .await
    .expect("a row");
    tx.commit().await.expect("kept");
    database.close().await;
    let output = run(
        &["serve", "--bind", "127.0.0.1:0", "--database-url", &backend.url],
        "",
        1,
    );
    assert!(err(&output).contains("newer program"), "{}", err(&output));
}

#[tokio::test]
async fn doctor_names_what_is_wrong() {
    let backend = on(Kind::Sqlite).await.expect("SQLite is always there");
    let folder = backend.folder().expect("a folder");
    let artifacts = format!("file:{}", folder.join("artifacts").display());
    let doctor = |code: i32, base_url: &str| {
        let text = format!(
            "[artifacts]\nurl = \"{artifacts}\"\n[providers.genace]\nprofile = \"genace\"\napi_key_env = \"\"\n\
             base_url = \"{base_url}\"\n"
        );
        let config = folder.join("dlo.toml");
        std::fs::write(&config, text).expect("a file");
        let config = config.display().to_string();
        out(&run(
            &["doctor", "--config", &config, "--database-url", &backend.url],
            "",
            code,
        ))
    };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    let found = doctor(1, &base_url);
    assert!(found.contains("WRONG database"), "{found}");
    run(&["migrate", "--database-url", &backend.url], "", 0);
    let found = doctor(0, &base_url);
    for part in [
        "ok    database",
        "ok    migration",
        "ok    workers",
        "ok    clock",
        "ok    provider genace",
        "ok    artifacts",
    ] {
        assert!(found.contains(part), "{part}: {found}");
    }
    drop(listener);
    let found = doctor(1, &base_url);
    assert!(found.contains("WRONG provider genace"), "{found}");
    // A database in memory is made and migrated by each program for itself.
    let folder = tempfile::tempdir().expect("a folder");
    let output = dlo(&["doctor", "--database-url", "memory:"])
        .current_dir(folder.path())
        .output()
        .expect("it ends");
    assert!(
        output.status.success() && out(&output).contains("ok    migration"),
        "{}",
        out(&output)
    );
}
