//! A provider may answer anything, and name any URL: what is read of it is bounded, and nothing leads inside.

use super::answer::Answer;
use super::policy::{Policy, endpoint};
use super::{is_public, observe, receipt};
use crate::config::{Config, Flags, ProviderConfig};
use crate::fuzzing::cases;
use app::domain::attempt::ReceiptKind;
use app::domain::ids::JobId;
use app::domain::remote::{Fetch, MAX_RAW_STATUS};
use chrono::DateTime;
use http::{HeaderMap, HeaderValue};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;
use url::{Host, Url};

static GENACE: LazyLock<ProviderConfig> = LazyLock::new(|| {
    let text = "[providers.genace]\nprofile = \"genace\"\nbase_url = \"https://api.example.test\"\n\
                [providers.genace.create]\njob_id_headers = [\"x-job-id\"]\n";
    Config::from_parts(Some(text), &[], &Flags::default())
        .ok()
        .and_then(|mut config| config.providers.remove("genace"))
        .expect("a provider")
});

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        prop::sample::select(vec![
            "gj_1",
            "succeeded",
            "failed",
            "queued",
            "pending",
            "https://cdn.example.test/a",
            "//x",
            "javascript:x",
            "http://[::1]/",
            "\0",
        ])
        .prop_map(Value::from),
    ]
}

fn tree() -> impl Strategy<Value = Value> {
    let names = vec![
        "id",
        "state",
        "outputs",
        "url",
        "content_type",
        "error",
        "code",
        "job_id",
        "job",
        "credits",
        "charged",
        "reserved",
        "refunded",
        "compensation",
        "submission_failure",
        "client_reference",
    ];
    leaf().prop_recursive(4, 40, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(names.clone()), inner), 0..8).prop_map(|fields| {
                fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}

/// An answer that is well-formed more often than chance would have it.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let likely = (tree(), tree(), any::<bool>()).prop_map(|(outputs, error, list)| {
        let outputs = if list {
            json!([{ "url": outputs }, outputs])
        } else {
            outputs
        };
        json!({ "id": "gj_1", "state": "succeeded", "outputs": outputs, "error": error })
            .to_string()
            .into_bytes()
    });
    prop_oneof![
        3 => likely,
        2 => tree().prop_map(|tree| tree.to_string().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..300),
        1 => (tree(), 0_usize..200).prop_map(|(tree, keep)| {
            let mut text = tree.to_string().into_bytes();
            text.truncate(keep);
            text
        }),
    ]
}

fn read(body: &[u8]) -> Answer {
    let url = Url::parse("https://api.example.test/v1/jobs/gj_1").expect("a URL");
    observe::read(body, &JobId::from("gj_1"), &url, &GENACE, DateTime::UNIX_EPOCH)
}

/// One IPv4 address in a spelling that some program understands.
fn spelled(address: Ipv4Addr, how: u8) -> String {
    let [a, b, c, d] = address.octets();
    let whole = u32::from(address);
    match how % 10 {
        0 => format!("{a}.{b}.{c}.{d}"),
        1 => whole.to_string(),
        2 => format!("0x{whole:x}"),
        3 => format!("0{whole:o}"),
        4 => format!("0x{a:x}.0x{b:X}.{c}.{d}"),
        5 => format!("0{a:o}.{b}.{}", u32::from(c) << 8 | u32::from(d)),
        6 => format!("{a}.{}", whole & 0xff_ffff),
        7 => format!("[::ffff:{a}.{b}.{c}.{d}]"),
        8 => format!("[::ffff:{:x}:{:x}]", whole >> 16, whole & 0xffff),
        _ => format!("[64:ff9b::{:x}:{:x}]", whole >> 16, whole & 0xffff),
    }
}

fn private() -> impl Strategy<Value = Ipv4Addr> {
    let nets = vec![
        (127_u8, 0_u8),
        (10, 0),
        (172, 16),
        (172, 31),
        (192, 168),
        (169, 254),
        (100, 64),
        (0, 0),
        (224, 0),
    ];
    (prop::sample::select(nets), any::<u8>(), any::<u8>())
        .prop_map(|((a, b), c, d)| Ipv4Addr::new(a, b, c, d))
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn any_answer_is_read_within_bounds(body in body()) {
        let answer = read(&body);
        let seen = &answer.observation;
        prop_assert!([Fetch::Ok, Fetch::BadPayload].contains(&seen.fetch));
        prop_assert!(seen.raw_status.as_ref().is_none_or(|raw| raw.chars().count() <= MAX_RAW_STATUS));
        prop_assert!(seen.outputs.as_ref().is_none_or(|outputs| outputs.len() <= 1000));
        let listed = seen.outputs.as_ref().map_or(0, Vec::len);
        prop_assert!(answer.links.len() <= listed);
        let base = Url::parse("https://api.example.test").expect("a URL");
        let policy = Policy::listing(&base, &[]);
        for link in &answer.links {
            // What is no web address is kept as it was said, and never asked.
            prop_assert!(["http", "https"].contains(&link.url.scheme()) || !policy.allows(&link.url), "{:?}", link);
        }
        if seen.fetch == Fetch::BadPayload {
            prop_assert!(seen.execution.is_none() && seen.outputs.is_none() && seen.charge.is_none());
        }
    }

    #[test]
    fn any_receipt_is_one_of_three(
        body in body(), status in 100_u16..600, whole in any::<bool>(), named in any::<bool>(), id in "[ -~]{0,40}"
    ) {
        let mut headers = HeaderMap::new();
        if named && let Ok(value) = HeaderValue::from_str(&id) {
            headers.insert("x-job-id", value);
        }
        let receipt = receipt::classify(status, &headers, &body, whole, &GENACE);
        match receipt.kind {
            ReceiptKind::Accepted => prop_assert!(receipt.job_id.is_some()),
            ReceiptKind::Rejected => prop_assert!(whole && receipt.job_id.is_none()),
            ReceiptKind::Unknown => prop_assert!(receipt.job_id.is_none()),
            ReceiptKind::NotSent | ReceiptKind::ConfirmedByPerson => {
                return Err(TestCaseError::fail(format!("an answer came: {receipt:?}")));
            }
        }
        prop_assert!(receipt.detail.len() < 200);
    }

    #[test]
    fn no_spelling_of_a_private_address_is_allowed(
        address in private(), how in any::<u8>(), scheme in prop::sample::select(vec!["http", "https"]), port in 1_u16..
    ) {
        let base = Url::parse("https://api.example.test").expect("a URL");
        let policy = Policy::listing(&base, &["cdn.example.test".to_owned(), "8.8.8.8".to_owned()]);
        prop_assert!(!is_public(IpAddr::V4(address)));
        for ip in [IpAddr::V4(address), IpAddr::V6(address.to_ipv6_mapped())] {
            prop_assert!(!policy.allows_address(&Host::Domain("cdn.example.test".to_owned()), port, ip), "{}", ip);
        }
        let text = format!("{scheme}://{}:{port}/x", spelled(address, how));
        if let Ok(url) = Url::parse(&text) {
            prop_assert!(!policy.allows(&url), "{}", text);
        }
    }

    #[test]
    fn only_what_is_listed_is_allowed(text in "(https?|ftp|file|data|javascript)?:?[/\\\\]{0,3}[a-z0-9@:.%\\[\\]-]{0,30}[/?#@\\\\]?[ -~]{0,20}") {
        let base = Url::parse("https://api.example.test").expect("a URL");
        let policy = Policy::listing(&base, &["cdn.example.test".to_owned()]);
        if let Ok(url) = Url::parse(&text) && policy.allows(&url) {
            let (host, port) = endpoint(&url).expect("a host");
            let own = host == Host::Domain("api.example.test".to_owned()) && port == 443;
            prop_assert!(own || host == Host::Domain("cdn.example.test".to_owned()), "{}", text);
        }
    }
}
