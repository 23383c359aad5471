//! How many cases the fuzzers of both crates try.

use proptest::test_runner::{Config, RngSeed};

/// So many cases; `PROPTEST_CASES` asks for another number, a million for one. The usual few are the same ones each time;
/// a long run looks elsewhere.
pub fn cases(usual: u32) -> Config {
    let asked = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|text| text.parse().ok());
    Config {
        cases: asked.unwrap_or(usual),
        failure_persistence: None,
        rng_seed: asked.map_or(RngSeed::Fixed(20_261_130), |_: u32| RngSeed::Random),
        ..Config::default()
    }
}
