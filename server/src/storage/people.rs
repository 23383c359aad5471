//! Who acted before, as they are known now: people and tokens by the name that the audit keeps.

use crate::database::{DbError, Tx};
use crate::values;
use app::domain::permission::Permission;
use app::domain::protocol::Present;
use app::domain::role::{Caller, Role};

/// What is known now of this name. One name may be a person's and a token's: the one that may create counts.
pub async fn present(tx: &mut Tx, name: &str) -> Result<Present, DbError> {
    if name == Caller::SYSTEM {
        return Ok(Present::May(Role::Admin));
    }
    let sql = "SELECT role, disabled_at AS left_at FROM dlo_operators WHERE name = $1 \
               UNION ALL SELECT role, COALESCE(revoked_at, CASE WHEN expires_at <= $2 THEN expires_at END) AS left_at \
               FROM dlo_tokens WHERE name = $1";
    let now = tx.now();
    let rows = tx.fetch_all(sql, values![name, now]).await?;
    let mut found = if rows.is_empty() {
        Present::Unknown
    } else {
        Present::Dismissed
    };
    for row in &rows {
        if row.opt_time("left_at")?.is_some() {
            continue;
        }
        let role: Role = row.text("role")?.parse().map_err(|_| DbError::Inconsistent {
            table: "dlo_operators",
            column: "role",
            id: name.to_owned(),
        })?;
        if role.includes(Permission::Dispatch.least()) {
            return Ok(Present::May(role));
        }
        found = Present::May(role);
    }
    Ok(found)
}
