//! A wire between the program and its PostgreSQL that can be cut, or carry nothing, and be joined again.

use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// How the wire is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Whole,
    /// Every connection breaks, and none comes about.
    Cut,
    /// Nothing breaks, and nothing comes through.
    Silent,
}

/// The wire.
pub struct Proxy {
    address: SocketAddr,
    state: Arc<watch::Sender<State>>,
}

impl Proxy {
    /// A wire to `host:port`, whole.
    pub async fn to(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (state, seen) = watch::channel(State::Whole);
        let state = Arc::new(state);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, target.clone(), seen.clone()));
            }
        });
        Self { address, state }
    }

    /// The same database by way of the wire.
    pub fn url(&self, database: &str) -> String {
        let (scheme, rest) = database.split_once("://").expect("a URL");
        let (user, place) = rest.rsplit_once('@').expect("a user");
        let (_, name) = place.split_once('/').expect("a database");
        format!("{scheme}://{user}@{}/{name}", self.address)
    }

    /// Every connection breaks, and none comes about.
    pub fn cut(&self) {
        self.state.send_replace(State::Cut);
    }

    /// Connections stay, and carry nothing; new ones come about as far as this wire.
    pub fn hush(&self) {
        self.state.send_replace(State::Silent);
    }

    pub fn join(&self) {
        self.state.send_replace(State::Whole);
    }
}

/// `host:port` of a database's URL.
pub fn place_of(database: &str) -> String {
    let (_, rest) = database.split_once("://").expect("a URL");
    let (_, place) = rest.rsplit_once('@').expect("a user");
    place.split_once('/').expect("a database").0.to_owned()
}

async fn carry(mut from: TcpStream, target: String, mut state: watch::Receiver<State>) {
    if *state.borrow_and_update() == State::Cut {
        return;
    }
    let Ok(mut to) = TcpStream::connect(target).await else {
        return;
    };
    // Whoever sent into the silence is not answered later either: as behind a firewall that forgot the connection.
    let mut forgotten = false;
    loop {
        let now = *state.borrow_and_update();
        forgotten |= now == State::Silent;
        tokio::select! {
            _ = tokio::io::copy_bidirectional(&mut from, &mut to), if !forgotten => return,
            changed = state.changed() => {
                if changed.is_err() || *state.borrow() == State::Cut {
                    return;
                }
            }
        }
    }
}
