//! A row read from either database, lenient where Soniq's columns are.

use super::error::DbError;
use super::time::parse_sqlite_time;
use chrono::{DateTime, Utc};
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, ValueRef as _};
use uuid::Uuid;

/// One row.
pub enum Row {
    Postgres(PgRow),
    Sqlite(SqliteRow),
}

impl Row {
    /// Text; bytes that are no UTF-8 are replaced, a NUL is kept.
    pub fn text(&self, column: &str) -> Result<String, DbError> {
        self.opt_text(column)?.ok_or_else(|| null(column))
    }

    /// Text or NULL.
    pub fn opt_text(&self, column: &str) -> Result<Option<String>, DbError> {
        match self {
            Self::Postgres(row) => Ok(row.try_get_unchecked::<Option<String>, _>(column)?),
            Self::Sqlite(row) => {
                if row.try_get_raw(column)?.is_null() {
                    return Ok(None);
                }
                let bytes: Vec<u8> = row.try_get_unchecked(column)?;
                Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
            }
        }
    }

    /// The bytes of a text or blob column, as stored.
    pub fn opt_bytes(&self, column: &str) -> Result<Option<Vec<u8>>, DbError> {
        match self {
            Self::Postgres(row) => Ok(row.try_get_unchecked::<Option<Vec<u8>>, _>(column)?),
            Self::Sqlite(row) => {
                if row.try_get_raw(column)?.is_null() {
                    return Ok(None);
                }
                Ok(Some(row.try_get_unchecked::<Vec<u8>, _>(column)?))
            }
        }
    }

    /// A whole number of any width.
    pub fn int(&self, column: &str) -> Result<i64, DbError> {
        self.opt_int(column)?.ok_or_else(|| null(column))
    }

    /// A whole number or NULL.
    pub fn opt_int(&self, column: &str) -> Result<Option<i64>, DbError> {
        match self {
            Self::Postgres(row) => match row.try_get::<Option<i64>, _>(column) {
                Ok(number) => Ok(number),
                Err(_) => Ok(row.try_get::<Option<i32>, _>(column)?.map(i64::from)),
            },
            Self::Sqlite(row) => Ok(row.try_get_unchecked::<Option<i64>, _>(column)?),
        }
    }

    /// A flag; NULL is false.
    pub fn flag(&self, column: &str) -> Result<bool, DbError> {
        match self {
            Self::Postgres(row) => Ok(row.try_get::<Option<bool>, _>(column)?.unwrap_or(false)),
            Self::Sqlite(row) => Ok(row.try_get_unchecked::<Option<i64>, _>(column)?.unwrap_or(0) != 0),
        }
    }

    /// A moment.
    pub fn time(&self, column: &str) -> Result<DateTime<Utc>, DbError> {
        self.opt_time(column)?.ok_or_else(|| null(column))
    }

    /// A moment or NULL; text that is no time is an error.
    pub fn opt_time(&self, column: &str) -> Result<Option<DateTime<Utc>>, DbError> {
        match self {
            Self::Postgres(row) => Ok(row.try_get::<Option<DateTime<Utc>>, _>(column)?),
            Self::Sqlite(_) => match self.opt_text(column)? {
                None => Ok(None),
                Some(text) => match parse_sqlite_time(&text) {
                    Some(at) => Ok(Some(at)),
                    None => Err(DbError::Sqlx(sqlx::Error::Decode(
                        format!("{column} is no time").into(),
                    ))),
                },
            },
        }
    }

    /// A UUID.
    pub fn uuid(&self, column: &str) -> Result<Uuid, DbError> {
        self.opt_uuid(column)?.ok_or_else(|| null(column))
    }

    /// A UUID or NULL; text that is no UUID is an error.
    pub fn opt_uuid(&self, column: &str) -> Result<Option<Uuid>, DbError> {
        match self {
            Self::Postgres(row) => Ok(row.try_get::<Option<Uuid>, _>(column)?),
            Self::Sqlite(_) => match self.opt_text(column)? {
                None => Ok(None),
                Some(text) => match Uuid::parse_str(&text) {
                    Ok(id) => Ok(Some(id)),
                    Err(_) => Err(DbError::Sqlx(sqlx::Error::Decode(
                        format!("{column} is no uuid").into(),
                    ))),
                },
            },
        }
    }

    /// The text of a JSON column (`jsonb` in PostgreSQL must be selected as `column::text`; see [`super::Tx::json_text`]).
    pub fn opt_json_bytes(&self, column: &str) -> Result<Option<Vec<u8>>, DbError> {
        match self {
            Self::Postgres(_) => Ok(self.opt_text(column)?.map(String::into_bytes)),
            Self::Sqlite(_) => self.opt_bytes(column),
        }
    }
}

fn null(column: &str) -> DbError {
    DbError::Sqlx(sqlx::Error::Decode(format!("{column} is NULL").into()))
}
