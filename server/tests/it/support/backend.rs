//! A fresh, migrated database per test, on each of the three backends.

use super::limit::Limit;
use server::database::{Database, Location};
use std::sync::atomic::{AtomicU32, Ordering};

/// Names the superuser URL of a PostgreSQL server that tests may make databases on.
pub const POSTGRES: &str = "DLO_TEST_POSTGRES";
/// Set by `./check`: a missing PostgreSQL fails instead of being left out.
pub const REQUIRED: &str = "DLO_TEST_REQUIRE_POSTGRES";

/// The three backends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Memory,
    Sqlite,
    Postgres,
}

/// A database that is gone with the value.
pub struct Backend {
    pub kind: Kind,
    pub location: Location,
    /// As `--database-url` wants it.
    pub url: String,
    folder: Option<tempfile::TempDir>,
    _limit: Limit,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Backend {
    /// An empty database; `None` where PostgreSQL is not offered and not required.
    pub async fn empty(kind: Kind) -> Option<Self> {
        let (url, folder) = match kind {
            Kind::Memory => ("memory:".to_owned(), None),
            Kind::Sqlite => {
                let folder = tempfile::tempdir().expect("a temporary folder");
                (
                    format!("sqlite:{}", folder.path().join("test.db").display()),
                    Some(folder),
                )
            }
            Kind::Postgres => (postgres_database().await?, None),
        };
        let location = url.parse().expect("a location");
        Some(Self {
            kind,
            location,
            url,
            folder,
            _limit: Limit::start(),
        })
    }

    /// A migrated database, opened.
    pub async fn open(kind: Kind) -> Option<(Self, Database)> {
        let backend = Self::empty(kind).await?;
        let database = Database::open(&backend.location)
            .await
            .expect("the database opens");
        database.migrate().await.expect("the database migrates");
        Some((backend, database))
    }

    /// The SQLite file's folder.
    pub fn folder(&self) -> Option<&std::path::Path> {
        self.folder.as_ref().map(tempfile::TempDir::path)
    }
}

async fn postgres_database() -> Option<String> {
    let Ok(server) = std::env::var(POSTGRES) else {
        assert!(
            std::env::var(REQUIRED).is_err(),
            "{POSTGRES} is not set and PostgreSQL is required"
        );
        eprintln!("left out: PostgreSQL ({POSTGRES} is not set; ./check sets it)");
        return None;
    };
    let name = format!(
        "dlo_test_{}_{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    );
    let pool = sqlx::PgPool::connect(&server)
        .await
        .expect("the PostgreSQL server answers");
    for sql in [
        format!("DROP DATABASE IF EXISTS {name}"),
        format!("CREATE DATABASE {name}"),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(sql))
            .execute(&pool)
            .await
            .expect("a test database is made");
    }
    pool.close().await;
    let (base, _) = server.rsplit_once('/').expect("the URL names a database");
    Some(format!("{base}/{name}"))
}

/// Writes one test per backend from an `async fn(Backend, Database)`.
#[macro_export]
macro_rules! on_every_backend {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => { $(
        mod $name {
            use $crate::support::backend::{Backend, Kind};
            async fn run(kind: Kind) {
                if let Some((backend, database)) = Backend::open(kind).await {
                    super::$name(backend, database).await;
                }
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn memory() { run(Kind::Memory).await }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() { run(Kind::Sqlite).await }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() { run(Kind::Postgres).await }
        }
    )+ };
}
