//! Pages and API of the running program.

use crate::child::{self, Serving};
use crate::client::{Connection, Credential, Measured, measure as measure_round};
use crate::place::Place;
use futures::future::join_all;
use serde_json::Value;
use server::database::Database;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The table's head.
pub const HEAD: &str = "\
| what | database | median, 1 connection | 99 % | per second | median, 8 connections | 99 % | per second | bytes | gzip |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|";

/// How long one round of requests takes.
const ROUND: Duration = Duration::from_millis(1500);
/// The machine is shared: of so many rounds the one with the best median counts.
const ROUNDS: usize = 3;
/// Requests before anything counts.
const WARM_UP: usize = 200;
/// How often the start is timed; the median counts.
const STARTS: usize = 5;
/// Desk pages that are asked for after a change each.
const CHANGES: usize = 200;
/// Open desks that all ask again after one change, and how often they are made to.
const ROOM: usize = 50;
const ROOM_CHANGES: usize = 20;
/// Operation pages that are asked for in turn.
const OPERATIONS: usize = 200;

const NAME: &str = "figures";
const PASSWORD: &str = "the figures' own password";

/// Measures all pages and prints their rows; answers what belongs below the table.
pub async fn measure(place: &Place) -> Vec<String> {
    child::run(place, &["operators", "add", NAME, "--role", "viewer"], PASSWORD).await;
    let token = child::run(
        place,
        &["tokens", "create", "--name", NAME, "--role", "viewer"],
        "",
    )
    .await;
    let token = Credential::Token(token);
    let server = Serving::start(place).await;
    let cookie = sign_in(server.address).await;
    let operations = operation_pages(server.address, &token).await;
    let one = |path: &str| Arc::new(vec![path.to_owned()]);
    let pages = [
        ("desk, 50 rows", one("/dead-letters"), &cookie),
        (
            "desk by label",
            one("/dead-letters?label=local_delivery_failure"),
            &cookie,
        ),
        ("operation", Arc::new(operations), &cookie),
        ("API list, 50 rows", one("/api/v1/dead-letters?limit=50"), &token),
    ];
    warm_up(server.address, &pages).await;
    let warm = server.resident();
    for (name, paths, credential) in &pages {
        let first = best(server.address, credential, paths, 1).await;
        let many = best(server.address, credential, paths, 8).await;
        let mut connection = Connection::open(server.address).await;
        let plain = connection.get(&paths[0], credential, false).await.len();
        let packed = connection.get(&paths[0], credential, true).await.len();
        println!(
            "| {name} | {} | {} | {} | {:.0} | {} | {} | {:.0} | {plain} | {packed} |",
            place.name,
            milliseconds(first.median),
            milliseconds(first.p99),
            first.per_second,
            milliseconds(many.median),
            milliseconds(many.p99),
            many.per_second,
        );
    }
    let busy = server.resident();
    let changed = after_changes(place, server.address, &cookie).await;
    let room = room_after_changes(place, server.address, &cookie).await;
    server.stop().await;
    let started = start_to_first_page(place, &cookie).await;
    vec![
        format!("resident memory: {warm:.1} MiB after warm-up, {busy:.1} MiB after all of the above"),
        format!(
            "the desk, asked for after a change each time: {} median, 1 connection",
            milliseconds(changed)
        ),
        format!(
            "{ROOM} open desks that ask at once after a change: {} until the last has it (median)",
            milliseconds(room)
        ),
        format!("start to the first whole desk page: {}", milliseconds(started)),
    ]
}

async fn warm_up(address: SocketAddr, pages: &[(&str, Arc<Vec<String>>, &Credential)]) {
    let mut connection = Connection::open(address).await;
    for (_, paths, credential) in pages {
        for path in paths.iter().cycle().take(WARM_UP) {
            connection.get(path, credential, true).await;
        }
    }
}

async fn best(
    address: SocketAddr,
    credential: &Credential,
    paths: &Arc<Vec<String>>,
    connections: usize,
) -> Measured {
    let mut best: Option<Measured> = None;
    for _ in 0..ROUNDS {
        let round = measure_round(address, credential, paths, connections, ROUND).await;
        if best.is_none_or(|best| round.median < best.median) {
            best = Some(round);
        }
    }
    best.expect("there are rounds")
}

/// Signs in by the form, as a browser does; answers the cookie.
async fn sign_in(address: SocketAddr) -> Credential {
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("a client");
    let body = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("name", NAME), ("password", PASSWORD), ("next", "/dead-letters")])
        .finish();
    let answer = client
        .post(format!("http://{address}/forms/sign-in"))
        .header("origin", format!("http://{address}"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body)
        .send()
        .await
        .expect("an answer");
    let set = answer
        .headers()
        .get("set-cookie")
        .and_then(|set| set.to_str().ok())
        .expect("a session");
    Credential::Cookie(set.split(';').next().unwrap_or_default().to_owned())
}

/// Addresses of operations that the desk's newest rows lead to.
async fn operation_pages(address: SocketAddr, token: &Credential) -> Vec<String> {
    let mut connection = Connection::open(address).await;
    let path = format!("/api/v1/dead-letters?limit={OPERATIONS}");
    let list: Value = serde_json::from_slice(&connection.get(&path, token, false).await).expect("JSON");
    let items = list["items"].as_array().expect("items");
    let held = items.iter().filter(|item| item["label"] != "no_operation_record");
    held.filter_map(|item| item["operation_id"].as_str())
        .map(|id| format!("/operations/{id}"))
        .collect()
}

/// One desk page after each of many changes by somebody else: nothing that was kept may be shown again.
async fn after_changes(place: &Place, address: SocketAddr, credential: &Credential) -> Duration {
    let database = Database::open(&place.location).await.expect("the database opens");
    let mut connection = Connection::open(address).await;
    let mut took = Vec::new();
    for n in 0..CHANGES {
        change(&database, &format!("changed_{n}")).await;
        let asked = Instant::now();
        connection.get("/dead-letters", credential, true).await;
        took.push(asked.elapsed());
    }
    database.close().await;
    took.sort_unstable();
    took[took.len() / 2]
}

/// Somebody else's change, which no desk shows.
async fn change(database: &Database, owner: &str) {
    let mut tx = database.write().await.expect("begin");
    let at = tx.now();
    tx.execute(
        "INSERT INTO dlo_owners (id, authorized, remaining_credits, as_of) VALUES ($1, $2, '1', $3)",
        server::values![owner, true, at],
    )
    .await
    .expect("a change");
    tx.commit().await.expect("commit");
}

/// A change sends every open desk for itself again, all at once: the time until the last one has it.
async fn room_after_changes(place: &Place, address: SocketAddr, credential: &Credential) -> Duration {
    let database = Database::open(&place.location).await.expect("the database opens");
    let mut room = Vec::new();
    for _ in 0..ROOM {
        room.push(Connection::open(address).await);
    }
    let mut took = Vec::new();
    for n in 0..ROOM_CHANGES {
        change(&database, &format!("room_{n}")).await;
        let asked = Instant::now();
        join_all(
            room.iter_mut()
                .map(|one| one.get("/dead-letters", credential, true)),
        )
        .await;
        took.push(asked.elapsed());
    }
    database.close().await;
    took.sort_unstable();
    took[took.len() / 2]
}

/// From the start of the process to the last byte of the desk.
async fn start_to_first_page(place: &Place, cookie: &Credential) -> Duration {
    let mut took = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let server = Serving::start(place).await;
        Connection::open(server.address)
            .await
            .get("/dead-letters", cookie, true)
            .await;
        took.push(began.elapsed());
        server.stop().await;
    }
    took.sort_unstable();
    took[took.len() / 2]
}

fn milliseconds(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
}
