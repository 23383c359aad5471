//! People whom an issuer knows. Who they are is the issuer and its subject; the name is only what others read, and never
//! one that somebody else has.

use super::audit::{self, Entry};
use super::operators::{ELSEWHERE, Operator, add_alone, read_step};
use crate::database::{Database, DbError, Tx};
use crate::values;
use app::domain::person::{Known, Look, OURS, is_namesake};
use app::domain::role::{Caller, Role};
use sha2::{Digest, Sha256};

/// What became of somebody whom the issuer sent.
#[derive(Clone, PartialEq, Eq)]
pub enum Arrival {
    /// They are this person, with the role of this moment.
    Person(Box<Operator>),
    /// They are this person, who was disabled here.
    Disabled(String),
    /// No group of theirs means a role here. Whoever they were before has no session any more, and the least role.
    WithoutRole,
    /// They are nobody here yet, and readers could take their name for this one, which somebody has.
    LooksLike(String),
}

/// Finds or makes the person of an identity, and gives them the role that the issuer's groups mean now.
///
/// # Errors
/// When the database does not answer.
pub async fn arrive(database: &Database, known: &Known) -> Result<Arrival, DbError> {
    let mut tx = database.write().await?;
    let arrival = match find(&mut tx, known).await? {
        Some(person) => come_back(&mut tx, person, known.role).await?,
        None => match known.role {
            Some(role) => come_first(&mut tx, known, role).await?,
            None => Arrival::WithoutRole,
        },
    };
    tx.commit().await?;
    Ok(arrival)
}

async fn find(tx: &mut Tx, known: &Known) -> Result<Option<Operator>, DbError> {
    let row = tx
        .fetch_optional(
            "SELECT name FROM dlo_identities WHERE issuer = $1 AND subject = $2",
            values![known.issuer.as_str(), known.subject.as_str()],
        )
        .await?;
    match row {
        Some(row) => read_step(tx, &row.text("name")?).await,
        None => Ok(None),
    }
}

fn system() -> Caller {
    Caller {
        name: Caller::SYSTEM.to_owned(),
        role: Role::Admin,
    }
}

async fn come_back(tx: &mut Tx, person: Operator, role: Option<Role>) -> Result<Arrival, DbError> {
    if person.disabled_at.is_some() {
        return Ok(Arrival::Disabled(person.name));
    }
    let Some(role) = role else {
        // Creations that they agreed to wait for their role, not for their session: it goes with what gave it.
        change_role(tx, &person, Role::Viewer).await?;
        tx.execute(
            "UPDATE dlo_operators SET generation = generation + 1 WHERE name = $1",
            values![person.name.as_str()],
        )
        .await?;
        let reason = format!("{}: no group of theirs means a role any more", person.name);
        audit::append(tx, Entry::new(&system(), "signed_out_everywhere").reason(reason)).await?;
        return Ok(Arrival::WithoutRole);
    };
    change_role(tx, &person, role).await?;
    Ok(Arrival::Person(Box::new(Operator { role, ..person })))
}

/// Gives a person the role that their groups mean now, and audits it where it is another one.
async fn change_role(tx: &mut Tx, person: &Operator, role: Role) -> Result<(), DbError> {
    if role == person.role {
        return Ok(());
    }
    tx.execute(
        "UPDATE dlo_operators SET role = $2 WHERE name = $1",
        values![person.name.as_str(), role.as_str()],
    )
    .await?;
    let reason = format!(
        "{} from {} to {role}, by single sign-on",
        person.name, person.role
    );
    audit::append(tx, Entry::new(&system(), "role_changed").reason(reason)).await?;
    Ok(())
}

async fn come_first(tx: &mut Tx, known: &Known, role: Role) -> Result<Arrival, DbError> {
    // Two at once would both find the name free, or make one identity twice.
    add_alone(tx).await?;
    if let Some(person) = find(tx, known).await? {
        return come_back(tx, person, Some(role)).await;
    }
    let name = match naming(tx, known).await? {
        Naming::Free(name) => name,
        Naming::LooksLike(other) => return Ok(Arrival::LooksLike(other)),
    };
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_operators (name, role, password_hash, created_at) VALUES ($1, $2, $3, $4)",
        values![name.as_str(), role.as_str(), ELSEWHERE.to_string(), now],
    )
    .await?;
    tx.execute(
        "INSERT INTO dlo_identities (issuer, subject, name, created_at) VALUES ($1, $2, $3, $4)",
        values![known.issuer.as_str(), known.subject.as_str(), name.as_str(), now],
    )
    .await?;
    let reason = format!("{name} as {role}, by single sign-on");
    audit::append(tx, Entry::new(&system(), "operator_added").reason(reason)).await?;
    let person = read_step(tx, &name).await?;
    person
        .map(|person| Arrival::Person(Box::new(person)))
        .ok_or(DbError::Sqlx(sqlx::Error::RowNotFound))
}

/// What somebody who comes first may be called.
enum Naming {
    Free(String),
    /// Readers could take it for this one.
    LooksLike(String),
}

/// The name that they want, where nobody has it; with a mark that is theirs alone where somebody has it, whatever its
/// capitals and its width: people are namesakes. One that only looks like somebody's is nobody's.
async fn naming(tx: &mut Tx, known: &Known) -> Result<Naming, DbError> {
    let rows = tx
        .fetch_all(
            "SELECT name FROM dlo_operators UNION SELECT name FROM dlo_tokens UNION SELECT DISTINCT actor FROM dlo_audit",
            vec![],
        )
        .await?;
    let mut taken: Vec<String> = OURS.map(str::to_owned).into();
    for row in &rows {
        taken.push(row.text("name")?);
    }
    let alike = |name: &str| {
        let look = Look::of(name);
        taken.iter().filter(move |other| look.is_like(&Look::of(other)))
    };
    if let Some(other) = alike(&known.name).find(|other| !is_namesake(other, &known.name)) {
        return Ok(Naming::LooksLike(other.clone()));
    }
    if alike(&known.name).next().is_none() {
        return Ok(Naming::Free(known.name.clone()));
    }
    let digest = hex::encode(Sha256::digest(
        format!("{}\n{}", known.issuer, known.subject).as_bytes(),
    ));
    // Eight digits tell them apart; more, where somebody else has those.
    let candidates = [8, 16, 32].map(|digits| {
        let kept: String = known.name.chars().take(61 - digits).collect();
        format!("{} ({})", kept.trim_end(), &digest[..digits])
    });
    let [.., longest] = &candidates;
    let free = candidates.iter().find(|name| alike(name).next().is_none());
    Ok(Naming::Free(free.unwrap_or(longest).clone()))
}

/// Whether an issuer knows the person of this name: they have no password here, and get none.
///
/// # Errors
/// When the database does not answer.
pub async fn is_known_elsewhere(tx: &mut Tx, name: &str) -> Result<bool, DbError> {
    let row = tx
        .fetch_optional("SELECT name FROM dlo_identities WHERE name = $1", values![name])
        .await?;
    Ok(row.is_some())
}
