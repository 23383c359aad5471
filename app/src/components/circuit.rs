//! A provider that does not answer, in words: what waits, until when, and that nobody is kept from asking.

use super::notice::caution;
use super::text::outside;
use super::time::{ago, clock_zoned};
use crate::desk::view::Circuit;
use chrono::{DateTime, Utc};
use leptos::prelude::*;

/// The sentence of one circuit.
fn words(circuit: &Circuit, now: DateTime<Utc>) -> String {
    let account = if circuit.account.is_empty() {
        String::new()
    } else {
        format!(", account {},", circuit.account)
    };
    let reads = if circuit.unanswered == 1 {
        "the last read".to_owned()
    } else {
        format!("the last {} reads", circuit.unanswered)
    };
    let waits = if circuit.waits_until > now {
        format!(
            "What is only repeated waits until {}",
            clock_zoned(circuit.waits_until)
        )
    } else {
        "The next read decides".to_owned()
    };
    format!(
        "{}{account} left {reads} unanswered ({}), first {}. {waits}; what you order is asked at once.",
        circuit.provider,
        circuit.fetch,
        ago(now, circuit.since)
    )
}

/// The notice of a provider that does not answer.
pub fn circuit(circuit: &Circuit, now: DateTime<Utc>) -> AnyView {
    let text = outside(&words(circuit, now));
    view! {
        <div data-circuit=circuit.provider.clone()>
            {caution("The provider does not answer.", text)}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::remote::Fetch;
    use chrono::TimeDelta;

    #[test]
    fn it_says_what_waits_and_what_does_not() {
        let now: DateTime<Utc> = "2026-09-01T14:05:00Z".parse().expect("a time");
        let mut stated = Circuit {
            provider: "genace".to_owned(),
            account: "main".to_owned(),
            unanswered: 6,
            fetch: Fetch::ServerError,
            waits_until: now + TimeDelta::seconds(10),
            since: now - TimeDelta::seconds(40),
        };
        assert_eq!(
            words(&stated, now),
            "genace, account main, left the last 6 reads unanswered (server_error), first 40 s ago. \
             What is only repeated waits until 14:05:10 UTC; what you order is asked at once."
        );
        stated.waits_until = now;
        assert!(words(&stated, now).contains("The next read decides"));
    }
}
