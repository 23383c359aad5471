//! `dlo_views`: filters that a person gave a name.

use super::audit::{self, Entry};
use super::text::Reader;
use crate::database::{Database, DbError, Row};
use crate::values;
use app::desk::{SavedView, ViewOrder, ViewedList};
use app::domain::role::Caller;

const COLUMNS: &str = "seq, owner, name, list, query, shared";

fn from_row(row: &Row) -> Result<SavedView, DbError> {
    let id = row.int("seq")?;
    let reader = Reader {
        row,
        table: "dlo_views",
        id: id.to_string(),
    };
    Ok(SavedView {
        id,
        owner: reader.text("owner")?,
        name: reader.text("name")?,
        list: reader.slug("list")?,
        query: reader.text("query")?,
        shared: reader.get("shared", Row::flag)?,
    })
}

/// What this person sees beside a list: their own views, then what others share, by name.
///
/// # Errors
/// When the database does not answer.
pub async fn list(database: &Database, person: &str, list: ViewedList) -> Result<Vec<SavedView>, DbError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM dlo_views WHERE list = $1 AND (owner = $2 OR shared) \
         ORDER BY CASE WHEN owner = $2 THEN 0 ELSE 1 END, name, owner LIMIT 100"
    );
    let rows = database.look_up_all(&sql, values![list.as_str(), person]).await?;
    // A view that cannot be read is left out: it is a convenience, no evidence.
    Ok(rows.iter().filter_map(|row| from_row(row).ok()).collect())
}

/// How many this person has.
///
/// # Errors
/// When the database does not answer.
pub async fn count(database: &Database, person: &str) -> Result<i64, DbError> {
    let sql = "SELECT COUNT(*) AS found FROM dlo_views WHERE owner = $1";
    match database.look_up(sql, values![person]).await? {
        Some(row) => row.int("found"),
        None => Ok(0),
    }
}

/// Saves a view; one of the same name of this person on this list is replaced. A shared one is audited: others follow it.
///
/// # Errors
/// When the database does not answer.
pub async fn save(database: &Database, by: &Caller, order: &ViewOrder) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_views (owner, name, list, query, shared, saved_at) VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (owner, list, name) DO UPDATE SET query = excluded.query, shared = excluded.shared, \
         saved_at = excluded.saved_at",
        values![
            &by.name,
            &order.name,
            order.list.as_str(),
            &order.query,
            order.shared,
            now
        ],
    )
    .await?;
    if order.shared {
        let entry = Entry::new(by, "view_shared").reason(&order.name);
        audit::append(&mut tx, entry).await?;
    }
    tx.commit().await
}

/// Deletes a view of this person; `false` when it is not theirs or not there.
///
/// # Errors
/// When the database does not answer.
pub async fn delete(database: &Database, by: &Caller, id: i64) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    let sql = format!("SELECT {COLUMNS} FROM dlo_views WHERE seq = $1 AND owner = $2");
    let Some(row) = tx.fetch_optional(&sql, values![id, &by.name]).await? else {
        return Ok(false);
    };
    tx.execute("DELETE FROM dlo_views WHERE seq = $1", values![id])
        .await?;
    if row.flag("shared")? {
        let entry = Entry::new(by, "view_deleted").reason(row.text("name")?);
        audit::append(&mut tx, entry).await?;
    }
    tx.commit().await?;
    Ok(true)
}
