mod others;
mod table;

use super::*;
use crate::domain::transition::sample::{at, job, nobody};

fn observe(record: &Operation, seen: &Observation) -> Change {
    apply_observation(record, &job("gj_1"), seen, Reading::default(), at(5), nobody)
}
