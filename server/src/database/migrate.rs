//! Migrations: embedded, forward only, recorded in `dlo_migrations`. A newer database is refused.

use super::patience::unbounded;
use super::{Database, DbError};
use sqlx::Connection as _;
use sqlx::migrate::{MigrateError, Migrator};

static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");
static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");

/// Where the applied versions are recorded; Soniq and the application may have tables of their own beside it.
const TABLE: &str = "dlo_migrations";

fn migrator(of: &Migrator) -> Migrator {
    let mut migrator = Migrator {
        migrations: of.migrations.clone(),
        ..Migrator::DEFAULT
    };
    migrator.dangerous_set_table_name(TABLE);
    migrator
}

pub(super) async fn run(database: &Database) -> Result<(), DbError> {
    let result = match database {
        Database::Postgres { pool, .. } => {
            // A connection of its own, which nobody else gets without its bounds.
            let mut connection = pool.acquire().await?.detach();
            unbounded(&mut connection).await?;
            let result = migrator(&POSTGRES).run(&mut connection).await;
            connection.close().await.ok();
            result
        }
        Database::Sqlite { writer, .. } => migrator(&SQLITE).run(writer).await,
    };
    result.map_err(|error| match error {
        MigrateError::VersionMissing(_) | MigrateError::VersionTooNew(..) => DbError::Newer,
        other => DbError::Migrate(other),
    })
}

pub(super) async fn is_current(database: &Database) -> Result<bool, DbError> {
    let mut tx = database.read().await?;
    let exists = tx.pick(
        "SELECT to_regclass('dlo_migrations') IS NOT NULL AS found",
        "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'dlo_migrations') AS found",
    );
    if !tx.fetch_one(exists, vec![]).await?.flag("found")? {
        return Ok(false);
    }
    let latest = match database {
        Database::Postgres { .. } => &POSTGRES,
        Database::Sqlite { .. } => &SQLITE,
    }
    .iter()
    .map(|migration| migration.version)
    .max()
    .unwrap_or(0);
    let applied = tx
        .fetch_one(
            "SELECT COALESCE(MAX(version), 0) AS version FROM dlo_migrations WHERE success",
            vec![],
        )
        .await?;
    let applied = applied.int("version")?;
    if applied > latest {
        Err(DbError::Newer)
    } else {
        Ok(applied == latest)
    }
}
