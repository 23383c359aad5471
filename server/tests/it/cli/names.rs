//! `dlo operators add`: a name that readers could take for another's is refused, and whoever is there stays.

use super::{err, on, out, run};
use crate::support::backend::Kind;
use server::database::Database;
use server::values;

async fn alike_are_refused(kind: Kind) {
    let Some(backend) = on(kind).await else { return };
    let url = backend.url.as_str();
    let add = |name: &str, code| {
        let args = [
            "operators",
            "add",
            name,
            "--role",
            "viewer",
            "--database-url",
            url,
        ];
        run(&args, "correct horse\n", code)
    };
    add("ada", 0);
    add("m.okafor", 0);
    for alike in ["Ada", "\u{430}da", "ａｄａ", "ADA", "ad\u{fe0f}a", "rn.okafor"] {
        let said = err(&add(alike, 1));
        assert!(said.contains("(name_looks_alike)"), "{said}");
        assert!(!said.contains('\u{430}'), "{said}");
    }
    for hidden in ["ad\u{200b}a", "\u{202e}ada", "System"] {
        let said = err(&add(hidden, 2));
        assert!(said.contains("no name for a person"), "{said}");
    }
    // The same person again is no other.
    assert!(out(&add("ada", 0)).contains("ada was viewer"));
    // One from before the rule keeps their name and gets a new password, and the list shows what is in it.
    let database = Database::open(&backend.location).await.expect("it opens");
    let mut tx = database.write().await.expect("a transaction");
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_operators (name, role, password_hash, created_at) VALUES ($1, 'viewer', 'x', $2)",
        values!["\u{430}d\u{200b}a", now],
    )
    .await
    .expect("a row");
    tx.commit().await.expect("kept");
    database.close().await;
    add("\u{430}d\u{200b}a", 0);
    let listed = out(&run(&["operators", "list", "--database-url", url], "", 0));
    assert!(listed.contains("⟨U+0430⟩d⟨U+200B⟩a"), "{listed}");
    assert_eq!(listed.lines().count(), 3, "{listed}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn look_alikes_are_refused_on_sqlite() {
    alike_are_refused(Kind::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn look_alikes_are_refused_on_postgres() {
    alike_are_refused(Kind::Postgres).await;
}
