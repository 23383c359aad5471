//! Where a database of the figures lies: made for one run, and gone after it.

use server::database::Location;
use sqlx::{AssertSqlSafe, PgPool};
use tempfile::TempDir;

/// A database that nobody else uses.
pub struct Place {
    pub name: &'static str,
    pub location: Location,
    /// As `--database-url` wants it.
    pub url: String,
    /// The server's own folder.
    pub folder: TempDir,
    /// The server and the name of a database on it, to be dropped.
    made: Option<(String, String)>,
}

impl Place {
    /// A file in a temporary folder.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite:{}", folder.path().join("figures.db").display());
        Self {
            name: "SQLite",
            location: url.parse().expect("a location"),
            url,
            folder,
            made: None,
        }
    }

    /// A new database on the server that `DLO_TEST_POSTGRES` names; says so when there is none.
    pub async fn postgres() -> Option<Self> {
        let Ok(server) = std::env::var("DLO_TEST_POSTGRES") else {
            println!("Left out: PostgreSQL (DLO_TEST_POSTGRES is not set).");
            return None;
        };
        let name = format!("dlo_figures_{}", std::process::id());
        run(&server, format!("CREATE DATABASE {name}")).await;
        let (base, _) = server.rsplit_once('/').expect("the URL names a database");
        let url = format!("{base}/{name}");
        Some(Self {
            name: "PostgreSQL",
            location: url.parse().expect("a location"),
            url,
            folder: tempfile::tempdir().expect("a temporary folder"),
            made: Some((server, name)),
        })
    }

    /// Takes it away.
    pub async fn clear(self) {
        if let Some((server, name)) = &self.made {
            run(server, format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
    }
}

async fn run(server: &str, sql: String) {
    let pool = PgPool::connect(server)
        .await
        .expect("the PostgreSQL server answers");
    sqlx::query(AssertSqlSafe(sql))
        .execute(&pool)
        .await
        .expect("the statement runs");
    pool.close().await;
}
