//! The figures of BENCHMARKS.md: pages and API of the real program on 100,000 dead letters, decisions and worker jobs
//! per second. `cargo bench -p server --bench figures` prints them as Markdown.
//!
//! It measures on SQLite (a temporary file), and on PostgreSQL where `DLO_TEST_POSTGRES` names a server on which
//! databases may be made.

#[path = "figures/child.rs"]
mod child;
#[path = "figures/client.rs"]
mod client;
#[path = "figures/pages.rs"]
mod pages;
#[path = "figures/place.rs"]
mod place;
#[path = "figures/sample.rs"]
mod sample;
#[path = "figures/seed.rs"]
mod seed;
#[path = "figures/work.rs"]
mod work;

use place::Place;
use server::database::Database;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    println!("decide: {} per second, one thread", thousands(work::decisions()));
    println!();
    println!("{}", pages::HEAD);
    let mut below = Vec::new();
    for place in [Some(Place::sqlite()), Place::postgres().await]
        .into_iter()
        .flatten()
    {
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
