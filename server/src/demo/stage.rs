//! Sets the stage: scripts the fixture for each case, and puts the application together.

use super::DemoError;
use super::application::{Application, Catalogue, Genace, OfficeClient, Outbox, PROVIDER, Parts};
use super::cast::Case;
use super::settings::{self, Places};
use crate::artifacts::Artifacts;
use crate::config::Config;
use crate::database::Database;
use crate::fixture::Fixture;
use crate::provider::Readers;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpSocket;

/// An address that refuses connections, for as long as the value lives: bound, and never listened on.
pub struct Closed {
    _socket: TcpSocket,
    address: SocketAddr,
}

impl Closed {
    /// # Errors
    /// No port is free.
    pub fn new() -> std::io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let address = socket.local_addr()?;
        Ok(Self {
            _socket: socket,
            address,
        })
    }
}

/// Tells the fixture what becomes of each case.
pub fn script(fixture: &Fixture, cases: &[Case]) {
    for case in cases {
        for creation in &case.scenario.creations {
            fixture.script_create(case.id.as_str(), creation.clone());
            fixture.script_job(case.id.as_str(), case.scenario.job.clone());
        }
    }
}

/// What the application is made from.
pub struct Stage<'a> {
    pub places: &'a Places,
    pub config: &'a Config,
    pub fixture: &'a Fixture,
    pub closed: &'a Closed,
    pub database: &'a Database,
    /// `http://host:port` of the office.
    pub office: &'a str,
    /// A reporter's token.
    pub token: String,
    /// The provider's key.
    pub key: &'a str,
}

impl Stage<'_> {
    /// Puts the application together.
    ///
    /// # Errors
    /// A client, a store or a file could not be made.
    pub async fn application(self, cases: &[Case]) -> Result<Application, DemoError> {
        let readers = Readers::from_config(self.config)?;
        let reader = readers
            .get(PROVIDER)
            .cloned()
            .ok_or(DemoError::Incomplete("the provider's reader"))?;
        let parts = Parts {
            office: OfficeClient::new(self.office, self.token)?,
            genace: Genace::new(self.fixture.addr(), self.key)?,
            away: Genace::new(self.closed.address, self.key)?,
            reader,
            store: Artifacts::from_config(&self.config.artifacts)?,
            full_store: Artifacts::from_config(&settings::full_store(self.config))?,
            catalogue: Catalogue::create(&self.places.catalogue).await?,
            outbox: Outbox::new(self.database.clone()),
        };
        Ok(Application::new(parts, cases))
    }
}
