//! A wire between the program and its PostgreSQL that can be cut, and joined again.

use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// The wire.
pub struct Proxy {
    address: SocketAddr,
    whole: Arc<watch::Sender<bool>>,
}

impl Proxy {
    /// A wire to `host:port`, whole.
    pub async fn to(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let (whole, seen) = watch::channel(true);
        let whole = Arc::new(whole);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(stream, target.clone(), seen.clone()));
            }
        });
        Self { address, whole }
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
        self.whole.send_replace(false);
    }

    pub fn join(&self) {
        self.whole.send_replace(true);
    }
}

/// `host:port` of a database's URL.
pub fn place_of(database: &str) -> String {
    let (_, rest) = database.split_once("://").expect("a URL");
    let (_, place) = rest.rsplit_once('@').expect("a user");
    place.split_once('/').expect("a database").0.to_owned()
}

async fn carry(mut from: TcpStream, target: String, mut whole: watch::Receiver<bool>) {
    if !*whole.borrow_and_update() {
        return;
    }
    let Ok(mut to) = TcpStream::connect(target).await else {
        return;
    };
    tokio::select! {
        _ = tokio::io::copy_bidirectional(&mut from, &mut to) => {}
        _ = whole.wait_for(|whole| !whole) => {}
    }
}
