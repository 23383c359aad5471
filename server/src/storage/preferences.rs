//! `dlo_preferences`: how a person wants to read, by name.

use super::text::Reader;
use crate::database::{Database, DbError, Row};
use crate::values;
use app::desk::Preferences;

/// What this person chose; the defaults where they chose nothing. A row that cannot be read is none: it never breaks a page.
///
/// # Errors
/// When the database does not answer.
pub async fn find(database: &Database, person: &str) -> Result<Preferences, DbError> {
    let sql = "SELECT theme, density, zone, shortcuts FROM dlo_preferences WHERE person = $1";
    let Some(row) = database.look_up(sql, values![person]).await? else {
        return Ok(Preferences::default());
    };
    match from_row(&row, person) {
        Err(DbError::Inconsistent { table, column, id }) => {
            tracing::warn!(table, column, id, "an impossible row");
            Ok(Preferences::default())
        }
        other => other,
    }
}

fn from_row(row: &Row, person: &str) -> Result<Preferences, DbError> {
    let reader = Reader {
        row,
        table: "dlo_preferences",
        id: person.to_owned(),
    };
    Ok(Preferences {
        theme: reader.slug("theme")?,
        density: reader.slug("density")?,
        zone: reader.slug("zone")?,
        shortcuts: reader.get("shortcuts", Row::flag)?,
    })
}

/// Keeps what the person chose.
///
/// # Errors
/// When the database does not answer.
pub async fn save(database: &Database, person: &str, chosen: &Preferences) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_preferences (person, theme, density, zone, shortcuts, changed_at) \
         VALUES ($1, $2, $3, $4, $5, $6) \
         ON CONFLICT (person) DO UPDATE SET theme = excluded.theme, density = excluded.density, \
         zone = excluded.zone, shortcuts = excluded.shortcuts, changed_at = excluded.changed_at",
        values![
            person,
            chosen.theme.as_str(),
            chosen.density.as_str(),
            chosen.zone.to_string(),
            chosen.shortcuts,
            now
        ],
    )
    .await?;
    tx.commit().await
}
