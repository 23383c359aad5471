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
    #[error("the database stayed silent")]
    Silent,
    #[error(transparent)]
    Sqlx(#[from] sqlx::Error),
}

/// What is wrong, as far as it matters to whoever asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It cannot be reached, or the connection broke.
    Away,
    /// It did not answer in time: too many ask at once, or somebody else holds it.
    Busy,
    /// It takes no changes. Reading works.
    ReadOnly,
    /// It has no room left. Reading works.
    Full,
    Other,
}

impl DbError {
    /// What is wrong with the database.
    pub fn trouble(&self) -> Trouble {
        match self {
            Self::Sqlx(error) => trouble(error),
            Self::Migrate(sqlx::migrate::MigrateError::Execute(error)) => trouble(error),
            Self::Silent => Trouble::Away,
            Self::Location
            | Self::Newer
            | Self::NotMigrated
            | Self::Migrate(_)
            | Self::Inconsistent { .. } => Trouble::Other,
        }
    }

    /// The connection was cut; another may stand.
    pub(super) fn is_cut(&self) -> bool {
        // One that stayed silent was waited for long enough.
        self.trouble() == Trouble::Away && !matches!(self, Self::Silent | Self::Sqlx(sqlx::Error::PoolClosed))
    }

    /// A unique index refused the write.
    pub fn is_unique_violation(&self) -> bool {
        match self {
            Self::Sqlx(sqlx::Error::Database(inner)) => inner.is_unique_violation(),
            Self::Sqlx(_)
            | Self::Silent
            | Self::Location
            | Self::Newer
            | Self::NotMigrated
            | Self::Migrate(_)
            | Self::Inconsistent { .. } => false,
        }
    }

    /// It was waited for somebody else as long as one waits here: begun again at once, it would take as long again.
    pub fn has_waited(&self) -> bool {
        match self {
            // A lock or the whole statement took too long in PostgreSQL; SQLite was held by another writer.
            Self::Sqlx(sqlx::Error::Database(inner)) => {
                matches!(inner.code().as_deref(), Some("55P03" | "57014" | "5"))
            }
            Self::Silent | Self::Sqlx(sqlx::Error::PoolTimedOut) => true,
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
                    Some(
                        "40001"
                            | "40P01"
                            | "55P03"
                            | "57014"
                            | "57P01"
                            | "57P02"
                            | "57P03"
                            | "53300"
                            | "5"
                            | "517"
                            | "261"
                            | "6"
                    )
                )
            }
            Self::Silent
            | Self::Sqlx(sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) | sqlx::Error::PoolClosed) => true,
            Self::Sqlx(_)
            | Self::Location
            | Self::Newer
            | Self::NotMigrated
            | Self::Migrate(_)
            | Self::Inconsistent { .. } => false,
        }
    }
}

fn trouble(error: &sqlx::Error) -> Trouble {
    match error {
        sqlx::Error::Database(inner) => {
            let code = inner.code().unwrap_or_default().into_owned();
            if inner.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some() {
                of_sqlite(&code)
            } else {
                of_postgres(&code)
            }
        }
        sqlx::Error::PoolTimedOut => Trouble::Busy,
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => Trouble::Away,
        // The library's list may grow; nothing else says that the database is away, busy or full.
        _other => Trouble::Other,
    }
}

/// SQLSTATE.
fn of_postgres(code: &str) -> Trouble {
    match code {
        "25006" => Trouble::ReadOnly,
        "53100" => Trouble::Full,
        "53300" | "55P03" | "40001" | "40P01" | "57014" => Trouble::Busy,
        // Shut down, starting, recovering, or the connection was ended.
        "57P01" | "57P02" | "57P03" | "57P05" => Trouble::Away,
        code if code.starts_with("08") => Trouble::Away,
        _other => Trouble::Other,
    }
}

/// Extended result codes; the lowest byte is the kind.
fn of_sqlite(code: &str) -> Trouble {
    match code.parse::<u32>().map(|code| code & 0xff) {
        Ok(5 | 6) => Trouble::Busy,
        Ok(8) => Trouble::ReadOnly,
        Ok(13) => Trouble::Full,
        // Input and output errors, and files that cannot be opened.
        Ok(10 | 14) => Trouble::Away,
        Ok(_) | Err(_) => Trouble::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_by_their_kind() {
        assert_eq!(of_postgres("25006"), Trouble::ReadOnly);
        assert_eq!(of_postgres("53100"), Trouble::Full);
        assert_eq!(of_postgres("08006"), Trouble::Away);
        assert_eq!(of_postgres("23505"), Trouble::Other);
        // SQLITE_READONLY_DBMOVED, SQLITE_IOERR_WRITE, SQLITE_BUSY_SNAPSHOT.
        assert_eq!(of_sqlite("1032"), Trouble::ReadOnly);
        assert_eq!(of_sqlite("778"), Trouble::Away);
        assert_eq!(of_sqlite("517"), Trouble::Busy);
        assert_eq!(of_sqlite("13"), Trouble::Full);
    }
}
