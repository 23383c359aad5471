//! `dlo purge`: what the dry run prints is what the real run deletes.

use super::shared::{Letter, bury, id, project, record};
use crate::support::backend::{Backend, Kind};
use crate::support::{raw, sample};
use chrono::{Duration, Utc};
use server::database::Database;
use std::collections::BTreeSet;
use std::process::{Command, Output, Stdio};

fn purge(backend: &Backend, arguments: &[&str], code: i32) -> (String, String) {
    run(backend, &[&["purge"], arguments].concat(), code)
}

fn run(backend: &Backend, arguments: &[&str], code: i32) -> (String, String) {
    let output: Output = Command::new(env!("CARGO_BIN_EXE_dlo"))
        .args(arguments)
        .args(["--as", "mira", "--database-url", &backend.url])
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out} {err}");
    (out, err)
}

async fn ids(database: &Database) -> BTreeSet<String> {
    raw::texts(database, "SELECT CAST(id AS TEXT) FROM soniq_dead_letter_jobs")
        .await
        .into_iter()
        .collect()
}

/// Ids of lines that begin with this word.
fn lines(out: &str, verb: &str) -> Vec<String> {
    out.lines()
        .filter_map(|line| line.strip_prefix(verb)?.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// 215 old and acknowledged ones (three batches), old open ones, a young one, one held by a recovery, an impossible one.
async fn fill(backend: &Backend, database: &Database) {
    record(database, &sample::accepted("op_held", "gj_1")).await;
    let now = Utc::now();
    let old = |n: u128| now - Duration::days(100) - Duration::seconds(i64::try_from(n % 7).expect("small"));
    for n in 1..=215 {
        bury(
            database,
            &Letter {
                n,
                args: r#"{"operation_id": "op_gone", "job_id": "gj_7"}"#,
                died_at: old(n),
                ..Letter::default()
            },
        )
        .await;
    }
    for (n, args, died_at) in [
        (301, "{}", old(1)),
        (302, "{}", old(2)),
        (303, "{}", now - Duration::days(89)),
        (304, r#"{"operation_id": "op_held"}"#, old(3)),
        (305, "{}", old(4)),
    ] {
        bury(
            database,
            &Letter {
                n,
                args,
                died_at,
                ..Letter::default()
            },
        )
        .await;
    }
    project(database).await;
    let nonsense = match backend.kind {
        Kind::Postgres => "infinity",
        Kind::Memory | Kind::Sqlite => "yesterday",
    };
    let at = "2026-01-01T00:00:00.000000+00:00";
    for sql in [
        format!(
            "UPDATE dlo_messages SET disposition = 'acknowledged' WHERE message_id NOT IN ('{}', '{}')",
            id(301),
            id(302)
        ),
        format!(
            "UPDATE soniq_dead_letter_jobs SET original_created_at = '{nonsense}' WHERE id = '{}'",
            id(305)
        ),
        format!(
            "INSERT INTO dlo_recoveries (id, operation_id, action, effect, state, requested_by, requested_role, reason, \
             revision_before, created_at, heard_at) VALUES ('{}', 'op_held', 'observe', 'reads_status', 'running', 'a', \
             'operator', 'r', 1, '{at}', '{at}')",
            id(70)
        ),
    ] {
        raw::script(database, &sql).await.expect("it runs");
    }
}

async fn the_dry_run_says_what_goes(kind: Kind) {
    let Some((backend, database)) = Backend::open(kind).await else {
        return;
    };
    fill(&backend, &database).await;
    let before = ids(&database).await;
    let order = ["--older-than", "90d", "--only-acknowledged"];
    let (dry, told) = purge(&backend, &order, 0);
    let (same, _) = purge(&backend, &[&order[..], &["--dry-run"]].concat(), 0);
    assert_eq!(dry, same, "a dry run is the default");
    assert_eq!(ids(&database).await, before, "nothing is deleted");
    assert_eq!(raw::number(&database, "SELECT COUNT(*) FROM dlo_audit").await, 0);
    let announced = lines(&dry, "purge ");
    assert_eq!(announced.len(), 215);
    assert_eq!(
        lines(&dry, "keep ").into_iter().collect::<BTreeSet<_>>(),
        [id(304), id(305)].map(|id| id.to_string()).into()
    );
    assert!(
        dry.contains("is under way") && dry.contains("cannot be read"),
        "{dry}"
    );

    // The moment that it prints makes the real run the same one.
    let again = told
        .lines()
        .find_map(|line| line.strip_prefix("dlo: to purge these: dlo "))
        .unwrap_or_else(|| panic!("{told}"));
    let (real, _) = run(&backend, &again.split(' ').collect::<Vec<_>>(), 0);
    assert_eq!(real, dry, "it deletes exactly what was printed");
    let gone: BTreeSet<String> = announced.into_iter().collect();
    let left: BTreeSet<String> = before.difference(&gone).cloned().collect();
    assert_eq!(ids(&database).await, left);
    let kept = "SELECT COUNT(*) FROM dlo_messages WHERE purged_at IS NOT NULL AND operation_id = 'op_gone' \
                AND job_id = 'gj_7' AND attempts = 3 AND error_category = 'timeout'";
    assert_eq!(raw::number(&database, kept).await, 215, "what they knew stays");
    let audited = "SELECT COUNT(*) FROM dlo_audit WHERE action = 'purge' AND actor = 'mira' AND reason LIKE 'Retention:%' \
                   AND dead_letter_id IS NOT NULL AND operation_id = 'op_gone'";
    assert_eq!(raw::number(&database, audited).await, 215);
    run(&backend, &["audit", "verify"], 0);

    // Again: nothing is left but what is kept. And open ones go only when they are meant.
    let execute = [&order[..], &["--execute"]].concat();
    let (again, _) = purge(&backend, &execute, 0);
    assert_eq!(
        (lines(&again, "purge ").len(), lines(&again, "keep ").len()),
        (0, 2)
    );
    let (all, _) = purge(
        &backend,
        &["--older-than", "90d", "--execute", "--reason", "cleared"],
        0,
    );
    assert_eq!(
        lines(&all, "purge ").into_iter().collect::<BTreeSet<_>>(),
        [id(301), id(302)].map(|id| id.to_string()).into()
    );
    assert_eq!(
        ids(&database).await,
        [id(303), id(304), id(305)].map(|id| id.to_string()).into()
    );
    for wrong in [
        &[][..],
        &["--only-acknowledged"],
        &["--older-than", "90"],
        &["--older-than", "90d", "--before", "2026-01-01T00:00:00Z"],
        &["--older-than", "90d", "--dry-run", "--execute"],
        &["--before", "yesterday"],
    ] {
        purge(&backend, wrong, 2);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    the_dry_run_says_what_goes(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres() {
    the_dry_run_says_what_goes(Kind::Postgres).await;
}
