//! What the log keeps of a database failure. Readers see only `unavailable`.

/// A database failure.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    #[error("the database location is not one of postgres://…, sqlite:PATH, memory:")]
    Location,
    #[error("the database was migrated by a newer program")]
    Newer,
    #[error("the database schema is not up to date: run `dlo migrate`")]
    NotMigrated,
    #[error("migration: {0}")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    #[error("{table}.{column} of {id} is impossible")]
    Inconsistent {
        table: &'static str,
        column: &'static str,
        id: String,
    },
    #[error(transparent)]
    Sqlx(#[from] sqlx::Error),
}

impl DbError {
    /// A unique index refused the write.
    pub fn is_unique_violation(&self) -> bool {
        match self {
            Self::Sqlx(sqlx::Error::Database(inner)) => inner.is_unique_violation(),
            Self::Sqlx(_)
            | Self::Location
            | Self::Newer
            | Self::NotMigrated
            | Self::Migrate(_)
            | Self::Inconsistent { .. } => false,
        }
    }

    /// Trying again may help: the database was busy, restarted a serialisation or could not be reached.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Sqlx(sqlx::Error::Database(inner)) => {
                matches!(
                    inner.code().as_deref(),
                    Some("40001" | "40P01" | "55P03" | "5" | "517" | "261" | "6")
                )
            }
            Self::Sqlx(sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) | sqlx::Error::PoolClosed) => true,
            Self::Sqlx(_)
            | Self::Location
            | Self::Newer
            | Self::NotMigrated
            | Self::Migrate(_)
            | Self::Inconsistent { .. } => false,
        }
    }
}
