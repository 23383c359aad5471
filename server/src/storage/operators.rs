//! People who sign in. Every change is audited in the transaction that makes it.

use super::audit::{self, Entry};
use super::identities;
use crate::database::{Database, DbError, Dialect, Row, Tx};
use crate::values;
use app::domain::person::Look;
use app::domain::role::{Caller, Role};
use chrono::{DateTime, Utc};

/// A person. The hash is a PHC string (argon2id) and never leaves the server.
#[derive(Clone, PartialEq, Eq)]
pub struct Operator {
    pub name: String,
    pub role: Role,
    pub password_hash: String,
    pub created_at: DateTime<Utc>,
    pub disabled_at: Option<DateTime<Utc>>,
    /// Sessions of another generation are over.
    pub generation: i64,
}

impl Operator {
    /// Their password is somebody else's matter: none of ours is stored.
    pub fn is_signed_in_elsewhere(&self) -> bool {
        self.password_hash.starts_with(ELSEWHERE)
    }
}

/// How the hash begins of somebody who has no password here. No password fits it.
pub(super) const ELSEWHERE: char = '!';

/// What adding a person did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    New,
    /// The person was there: role and password are now the given ones, and the person is enabled.
    Changed {
        before: Role,
    },
    /// Single sign-on signs this person in: nothing was changed.
    Elsewhere,
    /// Somebody is there already whose name readers could take for this one: nothing was changed.
    LooksLike(String),
}

const COLUMNS: &str = "name, role, password_hash, created_at, disabled_at, generation";

fn operator(row: &Row) -> Result<Operator, DbError> {
    let name = row.text("name")?;
    let role = row.text("role")?.parse().map_err(|_| DbError::Inconsistent {
        table: "dlo_operators",
        column: "role",
        id: name.clone(),
    })?;
    Ok(Operator {
        role,
        password_hash: row.text("password_hash")?,
        created_at: row.time("created_at")?,
        disabled_at: row.opt_time("disabled_at")?,
        generation: row.int("generation")?,
        name,
    })
}

/// The person of this name, disabled or not.
///
/// # Errors
/// When the database does not answer, or the row's role is none.
pub async fn find(database: &Database, name: &str) -> Result<Option<Operator>, DbError> {
    let sql = format!("SELECT {COLUMNS} FROM dlo_operators WHERE name = $1");
    database
        .look_up(&sql, values![name])
        .await?
        .as_ref()
        .map(operator)
        .transpose()
}

/// As [`find`], inside a transaction that may change the person.
pub(super) async fn read_step(tx: &mut Tx, name: &str) -> Result<Option<Operator>, DbError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM dlo_operators WHERE name = $1{}",
        tx.for_update()
    );
    let row = tx.fetch_optional(&sql, values![name]).await?;
    row.as_ref().map(operator).transpose()
}

/// Everybody, by name.
///
/// # Errors
/// As [`find`].
pub async fn list(database: &Database) -> Result<Vec<Operator>, DbError> {
    let mut tx = database.read().await?;
    let sql = format!("SELECT {COLUMNS} FROM dlo_operators ORDER BY name");
    tx.fetch_all(&sql, vec![]).await?.iter().map(operator).collect()
}

/// Somebody else here whose name readers could take for this one; disabled ones too, whom the audit still names.
///
/// # Errors
/// When the database does not answer.
pub async fn alike(database: &Database, name: &str) -> Result<Option<String>, DbError> {
    first_alike(&database.look_up_all(NAMES, vec![]).await?, name)
}

const NAMES: &str = "SELECT name FROM dlo_operators";

fn first_alike(rows: &[Row], name: &str) -> Result<Option<String>, DbError> {
    let look = Look::of(name);
    for row in rows {
        let other = row.text("name")?;
        if other != name && look.is_like(&Look::of(&other)) {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Waits until nobody else adds a person: two at once would not see each other's names.
pub(super) async fn add_alone(tx: &mut Tx) -> Result<(), DbError> {
    if tx.dialect() == Dialect::Postgres {
        tx.execute("LOCK TABLE dlo_operators IN SHARE ROW EXCLUSIVE MODE", vec![])
            .await?;
    }
    Ok(())
}

/// Adds a person, or gives one who is there a new role and password.
///
/// # Errors
/// When the database does not answer.
pub async fn add(
    database: &Database,
    by: &Caller,
    name: &str,
    role: Role,
    password_hash: &str,
) -> Result<Added, DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    add_alone(&mut tx).await?;
    let before = read_step(&mut tx, name).await?;
    if before.is_none()
        && let Some(other) = first_alike(&tx.fetch_all(NAMES, vec![]).await?, name)?
    {
        return Ok(Added::LooksLike(other));
    }
    if identities::is_known_elsewhere(&mut tx, name).await? {
        return Ok(Added::Elsewhere);
    }
    let (added, entry) = match before {
        None => {
            tx.execute(
                "INSERT INTO dlo_operators (name, role, password_hash, created_at) VALUES ($1, $2, $3, $4)",
                values![name, role.as_str(), password_hash, now],
            )
            .await?;
            (
                Added::New,
                Entry::new(by, "operator_added").reason(format!("{name} as {role}")),
            )
        }
        Some(before) => {
            tx.execute(
                "UPDATE dlo_operators SET role = $2, password_hash = $3, disabled_at = NULL WHERE name = $1",
                values![name, role.as_str(), password_hash],
            )
            .await?;
            let enabled = if before.disabled_at.is_some() {
                ", enabled again"
            } else {
                ""
            };
            let reason = format!("{name} from {} to {role}, new password{enabled}", before.role);
            (
                Added::Changed { before: before.role },
                Entry::new(by, "role_changed").reason(reason),
            )
        }
    };
    audit::append(&mut tx, entry).await?;
    tx.commit().await?;
    Ok(added)
}

/// Gives a person another role and leaves the rest. `None` when there is no such person, else the role before.
///
/// # Errors
/// When the database does not answer.
pub async fn change_role(
    database: &Database,
    by: &Caller,
    name: &str,
    role: Role,
) -> Result<Option<Role>, DbError> {
    let mut tx = database.write().await?;
    let Some(before) = read_step(&mut tx, name).await? else {
        return Ok(None);
    };
    let before = before.role;
    tx.execute(
        "UPDATE dlo_operators SET role = $2 WHERE name = $1",
        values![name, role.as_str()],
    )
    .await?;
    let entry = Entry::new(by, "role_changed").reason(format!("{name} from {before} to {role}"));
    audit::append(&mut tx, entry).await?;
    tx.commit().await?;
    Ok(Some(before))
}

/// Gives a person another password, by themselves; all their sessions end.
///
/// # Errors
/// When the database does not answer.
pub async fn change_password(database: &Database, by: &Caller, password_hash: &str) -> Result<(), DbError> {
    let mut tx = database.write().await?;
    tx.execute(
        "UPDATE dlo_operators SET password_hash = $2, generation = generation + 1 WHERE name = $1",
        values![by.name.as_str(), password_hash],
    )
    .await?;
    audit::append(&mut tx, Entry::new(by, "password_changed")).await?;
    tx.commit().await
}

/// Ends all sessions of a person, from the next request on. `false` when there is no such person.
///
/// # Errors
/// When the database does not answer.
pub async fn sign_out_everywhere(database: &Database, by: &Caller, name: &str) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    let changed = tx
        .execute(
            "UPDATE dlo_operators SET generation = generation + 1 WHERE name = $1",
            values![name],
        )
        .await?;
    if changed == 0 {
        return Ok(false);
    }
    audit::append(&mut tx, Entry::new(by, "signed_out_everywhere").reason(name)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Disables a person from the next request on. `false` when there is no such enabled person.
///
/// # Errors
/// When the database does not answer.
pub async fn disable(database: &Database, by: &Caller, name: &str) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    let now = tx.now();
    let changed = tx
        .execute(
            "UPDATE dlo_operators SET disabled_at = $2 WHERE name = $1 AND disabled_at IS NULL",
            values![name, now],
        )
        .await?;
    if changed == 0 {
        return Ok(false);
    }
    audit::append(&mut tx, Entry::new(by, "operator_disabled").reason(name)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Lets a disabled person come in again, by the way they came before. `false` when there is no such disabled person.
///
/// # Errors
/// When the database does not answer.
pub async fn enable(database: &Database, by: &Caller, name: &str) -> Result<bool, DbError> {
    let mut tx = database.write().await?;
    let changed = tx
        .execute(
            "UPDATE dlo_operators SET disabled_at = NULL, generation = generation + 1 \
             WHERE name = $1 AND disabled_at IS NOT NULL",
            values![name],
        )
        .await?;
    if changed == 0 {
        return Ok(false);
    }
    audit::append(&mut tx, Entry::new(by, "operator_enabled").reason(name)).await?;
    tx.commit().await?;
    Ok(true)
}
