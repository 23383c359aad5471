//! SQL as a stranger would run it, beside our adapter.

use serde_json::{Value, json};
use server::database::Database;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Column as _, Row as _, TypeInfo as _, ValueRef as _};

/// Runs a script of any number of statements.
pub async fn script(database: &Database, sql: &str) -> Result<(), sqlx::Error> {
    let sql = AssertSqlSafe(sql.to_owned());
    match database {
        Database::Postgres { pool, .. } => sqlx::raw_sql(sql).execute(pool).await.map(drop),
        Database::Sqlite { writer, .. } => sqlx::raw_sql(sql).execute(writer).await.map(drop),
    }
}

/// The rows of a query: numbers and truth values as numbers, ids as lower-case text, NULL as null.
pub async fn rows(database: &Database, sql: &str) -> Vec<Vec<Value>> {
    let query = AssertSqlSafe(sql.to_owned());
    match database {
        Database::Postgres { pool, .. } => {
            let rows = sqlx::query(query)
                .fetch_all(pool)
                .await
                .unwrap_or_else(|error| panic!("{sql}: {error}"));
            rows.iter()
                .map(|row| (0..row.len()).map(|at| postgres(row, at)).collect())
                .collect()
        }
        Database::Sqlite { writer, .. } => {
            let rows = sqlx::query(query)
                .fetch_all(writer)
                .await
                .unwrap_or_else(|error| panic!("{sql}: {error}"));
            rows.iter()
                .map(|row| (0..row.len()).map(|at| sqlite(row, at)).collect())
                .collect()
        }
    }
}

/// The one number of a query.
pub async fn number(database: &Database, sql: &str) -> i64 {
    rows(database, sql).await[0][0]
        .as_i64()
        .unwrap_or_else(|| panic!("{sql}: no number"))
}

/// The texts of a query's first column.
pub async fn texts(database: &Database, sql: &str) -> Vec<String> {
    let rows = rows(database, sql).await;
    rows.into_iter()
        .map(|row| {
            row[0]
                .as_str()
                .unwrap_or_else(|| panic!("{sql}: no text"))
                .to_owned()
        })
        .collect()
}

fn postgres(row: &PgRow, at: usize) -> Value {
    if row.try_get_raw(at).expect("a column").is_null() {
        return Value::Null;
    }
    match row.column(at).type_info().name() {
        "BOOL" => json!(i64::from(row.get::<bool, _>(at))),
        "INT4" => json!(row.get::<i32, _>(at)),
        "INT8" => json!(row.get::<i64, _>(at)),
        "UUID" => json!(row.get::<uuid::Uuid, _>(at).to_string()),
        "TEXT" | "VARCHAR" => json!(row.get::<String, _>(at)),
        other => panic!("a column of type {other}"),
    }
}

fn sqlite(row: &SqliteRow, at: usize) -> Value {
    let raw = row.try_get_raw(at).expect("a column");
    if raw.is_null() {
        return Value::Null;
    }
    match raw.type_info().name() {
        "INTEGER" | "BOOLEAN" => json!(row.get_unchecked::<i64, _>(at)),
        "TEXT" => json!(row.get_unchecked::<String, _>(at)),
        other => panic!("a column of type {other}"),
    }
}
