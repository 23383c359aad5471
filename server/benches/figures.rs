//! The figures of BENCHMARKS.md: pages and API of the real program on 100,000 dead letters, decisions and worker jobs
//! per second. `cargo bench -p figures` prints them as Markdown.
//!
//! It measures on SQLite (a temporary file), and on PostgreSQL where `DLO_TEST_POSTGRES` names a server on which
//! databases may be made; of both alone the one that is named: `cargo bench -p figures -- postgres`.

use figures::place::Place;
use figures::{child, pages, seed, work};
use server::database::Database;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    child::build();
    println!("decide: {} per second, one thread", thousands(work::decisions()));
    println!();
    println!("{}", pages::HEAD);
    let mut below = Vec::new();
    let named: Vec<String> = std::env::args()
        .skip(1)
        .filter(|name| !name.starts_with('-'))
        .collect();
    let wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    let sqlite = wanted("sqlite").then(Place::sqlite);
    let postgres = if wanted("postgres") {
        Place::postgres().await
    } else {
        None
    };
    for place in [sqlite, postgres].into_iter().flatten() {
        let database = Database::open(&place.location).await.expect("the database opens");
        let seeded = seed::fill(&database).await;
        below.push(format!("{}: {seeded}", place.name));
        below.extend(
            pages::measure(&place)
                .await
                .into_iter()
                .map(|line| format!("{}: {line}", place.name)),
        );
        let nothing = work::plain_jobs(&database).await;
        below.push(format!(
            "{}: plain jobs with a handler that does nothing: {} per second",
            place.name,
            thousands(nothing)
        ));
        let observed = work::observations(&database).await;
        below.push(format!("{}: {observed}", place.name));
        database.close().await;
        place.clear().await;
    }
    println!();
    for line in below {
        println!("- {line}");
    }
}

/// A rate as people read it: `12,345`.
fn thousands(rate: f64) -> String {
    let digits = format!("{rate:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
