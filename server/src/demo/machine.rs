//! The demo's machine: everything that `dlo serve` runs, the fixture and the application beside it, on one temporary
//! folder.

use super::application::{Application, OfficeClient};
use super::cast::{Case, cast};
use super::history::History;
use super::people::People;
use super::scenarios::scenarios;
use super::settings::{self, Places};
use super::stage::{Closed, Stage, script};
use super::{DemoError, crew, strays};
use crate::background::{self, Duties};
use crate::database::{Database, Location};
use crate::fixture::{Fixture, FixtureOptions};
use crate::office::{Office, password};
use crate::provider::Readers;
use crate::storage::{operators, tokens};
use crate::web;
use app::domain::role::{Caller, Role};
use rand::Rng;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Where the pages are when nobody says otherwise; another port when it is taken.
const USUAL: &str = "127.0.0.1:8080";
/// How long what runs may take to end.
const GRACE: Duration = Duration::from_secs(2);
/// Letters and figures that nobody mistakes for others.
const PASSWORD_LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";
const PASSWORD_LENGTH: usize = 10;

/// Who can sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    pub name: &'static str,
    pub password: String,
}

/// The people: a name that says the role.
const PEOPLE: [(&str, Role); 3] = [
    ("viewer", Role::Viewer),
    ("operator", Role::Operator),
    ("approver", Role::Approver),
];

/// A running demo. Call [`Demo::stop`] to end it; dropping it only removes the folder.
pub struct Demo {
    pub address: SocketAddr,
    pub sign_ins: Vec<SignIn>,
    /// Plays the provider.
    pub fixture: Fixture,
    pub office: Arc<Office>,
    application: Arc<Application>,
    cases: Arc<Vec<Case>>,
    filled: watch::Receiver<Option<Vec<String>>>,
    stop: CancellationToken,
    duties: JoinSet<()>,
    tasks: JoinSet<()>,
    serving: JoinHandle<std::io::Result<()>>,
    _closed: Closed,
    folder: TempDir,
}

impl Demo {
    /// Starts everything; pages answer when this returns, and the history begins to fill.
    ///
    /// # Errors
    /// Something could not be opened.
    pub async fn start(bind: Option<&str>) -> Result<Self, DemoError> {
        let folder = tempfile::Builder::new().prefix("dlo-demo-").tempdir()?;
        let places = Places::within(folder.path());
        let key = format!("gna_demo_{:016x}", rand::random::<u64>());
        std::fs::write(&places.key, &key)?;
        let options = FixtureOptions::new(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let fixture = Fixture::start_with(FixtureOptions {
            expected_key: Some(key.clone()),
            ..options
        })
        .await?;
        let listener = listen(bind).await?;
        let address = listener.local_addr()?;
        let config = Arc::new(settings::office(&places, &fixture, &address.to_string())?);
        let database = Database::open(&Location::File(places.database.clone())).await?;
        database.migrate().await?;
        let sign_ins = add_people(&database).await?;
        let readers = Arc::new(Readers::from_config(&config)?);
        let office = Arc::new(Office::new(database.clone(), Arc::clone(&config)).asking(readers));

        let stop = CancellationToken::new();
        let duties = background::start(
            &office,
            Duties {
                worker: true,
                housekeeping: true,
            },
            &stop,
        )?;
        let serving = tokio::spawn(web::serve(listener, Arc::clone(&office), stop.clone()));

        let base = format!("http://{}", reachable(address));
        let cases = Arc::new(cast(scenarios()));
        script(&fixture, &cases);
        let closed = Closed::new()?;
        let stage = Stage {
            places: &places,
            config: &config,
            fixture: &fixture,
            closed: &closed,
            database: &database,
            office: &base,
            token: mint(&database, "studio", Role::Reporter).await?,
            key: &key,
        };
        let application = Arc::new(stage.application(&cases).await?);
        let people = People {
            operator: OfficeClient::new(&base, mint(&database, "operator", Role::Operator).await?)?,
            approver: OfficeClient::new(&base, mint(&database, "approver", Role::Approver).await?)?,
        };
        let history = History {
            application: Arc::clone(&application),
            people: Arc::new(people),
            filling: Arc::clone(&office.filling),
            cases: Arc::clone(&cases),
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(crew::worker(&application, database).run(stop.clone()));
        let filled = fill(&mut tasks, history, stop.clone());
        Ok(Self {
            address,
            sign_ins,
            fixture,
            office,
            application,
            cases,
            filled,
            stop,
            duties,
            tasks,
            serving,
            _closed: closed,
            folder,
        })
    }

    /// Waits until the history has filled; answers what went another way than the story tells it.
    pub async fn filled(&self) -> Vec<String> {
        let mut filled = self.filled.clone();
        let told = match filled.wait_for(Option::is_some).await {
            Ok(told) => told.clone(),
            Err(_) => None,
        };
        told.unwrap_or_else(|| vec!["the history stopped before its end".to_owned()])
    }

    /// What the story says of each operation: its id, scenario, final row, label, creation requests and dead letters.
    pub fn expectations(&self) -> Vec<Expectation> {
        self.cases
            .iter()
            .map(|case| Expectation {
                operation: case.id.to_string(),
                scenario: case.scenario.name,
                row: case.scenario.row,
                label: case.scenario.label,
                posts: case.scenario.posts,
                deaths: case.scenario.deaths,
            })
            .collect()
    }

    /// Messages that the application queued, each one an id that a dead letter may bear.
    pub fn messages(&self) -> Vec<Uuid> {
        self.application.outbox.sent()
    }

    /// How many messages name no operation that the office holds.
    pub fn strays(&self) -> usize {
        strays::count()
    }

    /// Serving ended by itself.
    pub async fn served(&mut self) -> std::io::Result<()> {
        (&mut self.serving)
            .await
            .unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()))
    }

    /// Ends everything and removes the folder.
    ///
    /// # Errors
    /// The folder could not be removed.
    pub async fn stop(mut self) -> std::io::Result<()> {
        self.stop.cancel();
        let ended = async {
            while self.tasks.join_next().await.is_some() {}
            while self.duties.join_next().await.is_some() {}
            if !self.serving.is_finished() {
                drop((&mut self.serving).await);
            }
        };
        // A recovery that follows a render is dropped in the middle: nothing outlives the folder.
        drop(tokio::time::timeout(GRACE, ended).await);
        self.tasks.shutdown().await;
        self.duties.shutdown().await;
        self.serving.abort();
        self.fixture.stop().await;
        self.application.catalogue.close().await;
        self.office.database.close().await;
        self.folder.close()
    }
}

/// What the story says of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    pub operation: String,
    pub scenario: &'static str,
    pub row: u8,
    pub label: app::domain::label::Label,
    pub posts: usize,
    pub deaths: usize,
}

/// Fills the history beside everything else.
fn fill(
    tasks: &mut JoinSet<()>,
    history: History,
    stop: CancellationToken,
) -> watch::Receiver<Option<Vec<String>>> {
    let (tell, filled) = watch::channel(None);
    let filling = Arc::clone(&history.filling);
    tasks.spawn(async move {
        let troubles = tokio::select! {
            () = stop.cancelled() => return,
            done = history.fill() => done.unwrap_or_else(|error| {
                tracing::error!(%error, "the demo's history stopped filling");
                // Nothing more will come: the pages must not say that it will.
                filling.expect(0);
                vec![error.to_string()]
            }),
        };
        tell.send_replace(Some(troubles));
        // The receivers read what was told for as long as the demo runs.
        stop.cancelled().await;
    });
    filled
}

async fn listen(bind: Option<&str>) -> std::io::Result<TcpListener> {
    match bind {
        Some(bind) => TcpListener::bind(bind).await,
        None => match TcpListener::bind(USUAL).await {
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
                TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await
            }
            listener => listener,
        },
    }
}

/// An address that this machine can call: `0.0.0.0` cannot be called everywhere.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => SocketAddr::from((Ipv4Addr::LOCALHOST, v4.port())),
        SocketAddr::V4(_) | SocketAddr::V6(_) => address,
    }
}

/// Adds the people, each with a fresh password.
async fn add_people(database: &Database) -> Result<Vec<SignIn>, DemoError> {
    let mut sign_ins = Vec::new();
    for (name, role) in PEOPLE {
        let secret = fresh_password();
        let hash = password::hash(secret.clone())
            .await
            .map_err(|_| DemoError::Incomplete("a password"))?;
        operators::add(database, &system(), name, role, &hash).await?;
        sign_ins.push(SignIn {
            name,
            password: secret,
        });
    }
    Ok(sign_ins)
}

fn fresh_password() -> String {
    let mut random = rand::rng();
    (0..PASSWORD_LENGTH)
        .map(|_| char::from(PASSWORD_LETTERS[random.random_range(0..PASSWORD_LETTERS.len())]))
        .collect()
}

/// A fresh token that lives as long as the demo.
async fn mint(database: &Database, name: &str, role: Role) -> Result<String, DemoError> {
    let secret = format!("{}{}", tokens::PREFIX, hex::encode(rand::random::<[u8; 32]>()));
    tokens::create(database, &system(), Uuid::now_v7(), name, role, &secret).await?;
    Ok(secret)
}

fn system() -> Caller {
    Caller {
        name: Caller::SYSTEM.to_owned(),
        role: Role::Admin,
    }
}
