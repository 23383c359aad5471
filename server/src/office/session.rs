//! The browser's session: a cookie that names a row, and who that row speaks for.

use super::Office;
use super::kept::Moment;
use super::session_store::SessionsKept;
use super::sign_in::SignedIn;
use app::desk::{Answer, CameBy, Code, DeskError};
use app::domain::role::{Caller, Role};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use tower_sessions::cookie::SameSite;
use tower_sessions::{Expiry, Session, SessionManagerLayer};

/// A session that is not used for so long is over.
pub const IDLE: Duration = Duration::hours(8);
/// No session lives longer, used or not.
const ABSOLUTE: Duration = Duration::hours(24);
/// Use is written down at most so often: reading a page stays a read.
const TOUCH: Duration = Duration::minutes(5);

/// The cookie's name. Over https it is bound to this host.
const COOKIE: &str = "dlo_session";
const SECURE_COOKIE: &str = "__Host-dlo_session";

const PERSON: &str = "person";

/// What a session remembers.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Person {
    name: String,
    credential: String,
    /// The role that the session's id was given under.
    role: Role,
    /// Unix seconds.
    since: i64,
    used: i64,
}

/// The layer that loads and saves sessions.
pub fn layer(office: &Office, secure: bool) -> SessionManagerLayer<SessionsKept> {
    SessionManagerLayer::new(SessionsKept::new(office.database.clone()))
        .with_name(if secure { SECURE_COOKIE } else { COOKIE })
        .with_secure(secure)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
        .with_expiry(Expiry::OnInactivity(IDLE))
}

fn unreadable(error: &tower_sessions::session::Error) -> DeskError {
    tracing::warn!(error = %error, "a session could not be read or written");
    let detail = match error {
        tower_sessions::session::Error::Store(tower_sessions::session_store::Error::Backend(words)) => {
            words.clone()
        }
        tower_sessions::session::Error::Store(_) | tower_sessions::session::Error::SerdeJson(_) => {
            "The session could not be read. Try again.".to_owned()
        }
    };
    DeskError::new(Code::Unavailable, detail)
}

/// Somebody whom a session speaks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visitor {
    pub caller: Caller,
    pub came_by: CameBy,
}

impl Visitor {
    /// The role of this moment, for whoever came by a session.
    pub const fn role_of_session(&self) -> Option<Role> {
        match self.came_by {
            CameBy::Session { .. } => Some(self.caller.role),
            CameBy::Proxy => None,
        }
    }
}

/// Who the session speaks for, with the role of this moment. A session that is over is ended, and so is one of an
/// earlier version.
///
/// Only `used` by a person keeps it alive: a page that is left open asks by itself.
///
/// # Errors
/// `unavailable`.
pub async fn visitor(session: &Session, office: &Office, used: bool) -> Answer<Option<Visitor>> {
    let person: Option<Person> = match session.get(PERSON).await {
        Err(tower_sessions::session::Error::SerdeJson(_)) => {
            end(session).await?;
            None
        }
        read => read.map_err(|error| unreadable(&error))?,
    };
    let Some(mut person) = person else { return Ok(None) };
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let fresh = now - person.since < ABSOLUTE.whole_seconds();
    let caller = if fresh {
        office
            .person(&Moment::current(), &person.name, &person.credential)
            .await?
    } else {
        None
    };
    let Some(caller) = caller else {
        end(session).await?;
        return Ok(None);
    };
    let came_by = CameBy::Session {
        since: moment(person.since),
        until: moment(person.since + ABSOLUTE.whole_seconds()),
    };
    if used && now - person.used >= TOUCH.whole_seconds() {
        person.used = now;
        session
            .insert(PERSON, person)
            .await
            .map_err(|error| unreadable(&error))?;
    }
    Ok(Some(Visitor { caller, came_by }))
}

/// Gives the session of somebody who got another role another id: what was known of the old one is worth nothing.
///
/// Called once the answer is known, and not when it is a failure of ours: the library sends no cookie with one, so the
/// browser would be left with an id that nobody knows any more. Then the next answer does it. What the request itself made
/// of the session (signed out, begun anew) stays.
pub async fn renew(session: &Session, role: Role) {
    let renewed = async {
        let Some(mut person) = session.get::<Person>(PERSON).await? else {
            return Ok(());
        };
        if person.role != role {
            person.role = role;
            session.cycle_id().await?;
            session.insert(PERSON, person).await?;
        }
        Ok::<_, tower_sessions::session::Error>(())
    };
    if let Err(error) = renewed.await {
        tracing::warn!(error = %error, "a session was not given another id");
    }
}

fn moment(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap_or_default()
}

/// Starts a session under a new id: one that somebody planted before is worth nothing.
///
/// # Errors
/// `unavailable`.
pub async fn start(session: &Session, signed_in: &SignedIn) -> Answer<()> {
    let now = OffsetDateTime::now_utc().unix_timestamp();
    let person = Person {
        name: signed_in.caller.name.clone(),
        credential: signed_in.credential.clone(),
        role: signed_in.caller.role,
        since: now,
        used: now,
    };
    session.cycle_id().await.map_err(|error| unreadable(&error))?;
    session.clear().await;
    session
        .insert(PERSON, person)
        .await
        .map_err(|error| unreadable(&error))
}

/// Ends the session here and in the table.
///
/// # Errors
/// `unavailable`.
pub async fn end(session: &Session) -> Answer<()> {
    session.flush().await.map_err(|error| unreadable(&error))
}
