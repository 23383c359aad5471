//! `dlo providers`: the switch that stops creation, and who turned it.

use super::{dlo, err, on, out, run};
use crate::support::backend::Kind;
use crate::support::process::signal;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

#[tokio::test]
async fn creation_is_paused_by_name_with_a_reason_and_audited() {
    for kind in [Kind::Sqlite, Kind::Postgres] {
        let Some(backend) = on(kind).await else { continue };
        let url = &backend.url;
        let folder = tempfile::tempdir().expect("a folder");
        let config = folder.path().join("dlo.toml");
        let text = "[providers.genace]\nprofile = \"genace\"\nbase_url = \"https://api.example.test\"\n\
                    [providers.other]\nprofile = \"genace\"\nbase_url = \"https://other.example.test\"\n";
        std::fs::write(&config, text).expect("a file");
        let config = config.display().to_string();
        run(&["migrate", "--database-url", url], "", 0);
        let say = |words: &[&str], code: i32| {
            let shared = ["--as", "lead", "--config", &config, "--database-url", url];
            run(&[&["providers"], words, &shared[..]].concat(), "", code)
        };
        // Without a reason, with an empty one, or for a name that stops nothing: refused.
        say(&["pause", "genace"], 2);
        say(&["pause", "genace", "--reason", "  "], 2);
        let refused = err(&say(&["pause", "gennace", "--reason", "an outage"], 2));
        assert!(
            refused.contains("gennace") && refused.contains("genace, other"),
            "{refused}"
        );
        say(&["resume", "genace", "--reason", "never paused"], 1);
        say(
            &[
                "pause",
                "genace",
                "--reason",
                "an outage, key sk-abcdef1234567890",
            ],
            0,
        );
        let listed = out(&say(&["list"], 0));
        let line = |name: &str| {
            listed
                .lines()
                .find(|line| line.starts_with(name))
                .unwrap_or_else(|| panic!("{listed}"))
        };
        assert!(
            line("genace").contains("creation paused by lead at ") && line("genace").contains("an outage"),
            "{listed}"
        );
        assert!(line("other").contains("creation allowed"), "{listed}");
        assert!(!listed.contains("sk-abcdef1234567890"), "{listed}");
        say(&["resume", "genace", "--reason", "they answer again"], 0);
        let listed = out(&say(&["list"], 0));
        assert!(!listed.contains("paused"), "{listed}");
        let exported = out(&run(&["audit", "export", "--database-url", url], "", 0));
        let told: Vec<(String, String, String)> = exported
            .lines()
            .filter(|line| !line.contains("audit_exported"))
            .map(|line| {
                let entry: serde_json::Value = serde_json::from_str(line).expect("JSON");
                let text = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
                (text("actor"), text("action"), text("reason"))
            })
            .collect();
        assert_eq!(told.len(), 2, "{exported}");
        assert_eq!(
            (told[0].0.as_str(), told[0].1.as_str()),
            ("lead", "creation_paused")
        );
        assert!(
            told[0].2.starts_with("genace: an outage") && !told[0].2.contains("sk-abcdef"),
            "{exported}"
        );
        assert_eq!(
            (told[1].1.as_str(), told[1].2.as_str()),
            ("creation_resumed", "genace: they answer again")
        );
    }
}

#[tokio::test]
async fn a_provider_to_try_against_answers_and_ends_when_told() {
    run(&["providers", "pretend", "--bind", "nowhere"], "", 2);
    let mut child = dlo(&["providers", "pretend", "--bind", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let line = BufReader::new(child.stdout.take().expect("an output"))
        .lines()
        .next()
        .expect("a line")
        .expect("text");
    let base = line
        .split([' ', ','])
        .find(|word| word.starts_with("http://"))
        .unwrap_or_else(|| panic!("{line}"));
    let client = reqwest::Client::builder().no_proxy().build().expect("a client");
    let created = client
        .post(format!("{base}/v1/generations"))
        .bearer_auth("any")
        .json(&serde_json::json!({ "client_reference": "op_1" }))
        .send()
        .await
        .expect("an answer");
    assert!(created.status().is_success(), "{}", created.status());
    signal(child.id(), "-TERM");
    assert!(child.wait().expect("it ends").success());
}
