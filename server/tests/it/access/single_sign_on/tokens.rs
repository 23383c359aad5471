//! What an issuer says: tokens that are worth nothing, keys that change, and no answer at all.

use super::super::issuer::{CLIENT, Issuer, Signed, Ways};
use super::{Jar, configured, kept, start};
use crate::support::app::TestApp;
use crate::support::backend::{Backend, Kind};
use app::domain::role::Role;
use serde_json::json;
use server::storage::operators;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_thing_that_is_wrong_with_a_token_is_refused() {
    let issuer = Issuer::start().await;
    let app = start(&issuer).await;
    let now = chrono::Utc::now().timestamp();
    let claims = |value: serde_json::Value| {
        Box::new(move |ways: &mut Ways| ways.claims = value) as Box<dyn FnOnce(&mut Ways)>
    };
    let signed = |signed| Box::new(move |ways: &mut Ways| ways.signed = signed) as Box<dyn FnOnce(&mut Ways)>;
    let mut expected = Vec::new();
    for (change, words) in [
        (
            claims(json!({"iss": "https://other.example.test"})),
            "it is another issuer's",
        ),
        (
            claims(json!({"aud": "another-client"})),
            "it is for somebody else",
        ),
        (
            claims(json!({"aud": [CLIENT, "another-client"]})),
            "it is for somebody else",
        ),
        (
            claims(json!({"azp": "another-client"})),
            "it is for somebody else",
        ),
        (claims(json!({"nonce": "another"})), "it answers another sign-in"),
        (claims(json!({"nonce": null})), "it answers another sign-in"),
        (
            claims(json!({"exp": now - 1})),
            "it is too old, or from the future",
        ),
        (
            claims(json!({"iat": now - 3600})),
            "it is too old, or from the future",
        ),
        (
            claims(json!({"iat": now + 3600})),
            "it is too old, or from the future",
        ),
        (claims(json!({"sub": "ünï"})), "its subject cannot be kept"),
        (signed(Signed::Wrongly), "its signature is wrong"),
        (signed(Signed::None), "it is not signed"),
        (signed(Signed::Hs256), "its signature is wrong"),
    ] {
        issuer.now(change);
        let mut jar = Jar::new(&app);
        let answer = jar.signs_in("/queues").await;
        jar.is_refused(answer, "sign_in_refused").await;
        expected.push(format!(
            "by single sign-on: the token is worth nothing: {words}, from 127.0.0.1"
        ));
    }
    for (change, words) in [
        (
            Box::new(|ways: &mut Ways| ways.error = Some("access_denied")) as Box<dyn FnOnce(&mut Ways)>,
            "access_denied",
        ),
        (
            Box::new(|ways: &mut Ways| ways.error = Some("<i>x</i> y")),
            "ixiy",
        ),
        (
            Box::new(|ways: &mut Ways| ways.iss = Some("https://other.example.test")),
            "another one answered",
        ),
    ] {
        issuer.now(change);
        let mut jar = Jar::new(&app);
        let answer = jar.signs_in("/queues").await;
        jar.is_refused(answer, "sign_in_refused").await;
        expected.push(format!(
            "by single sign-on: the issuer refused: {words}, from 127.0.0.1"
        ));
    }
    let words: Vec<String> = kept(&app, "sign_in_refused")
        .await
        .into_iter()
        .map(|(_, words)| words)
        .collect();
    assert_eq!(words, expected);
    assert!(
        operators::list(&app.office.database)
            .await
            .expect("people")
            .is_empty()
    );
    // And the same browser comes in when nothing is wrong.
    issuer.now(|_| {});
    let mut jar = Jar::new(&app);
    jar.signs_in("/queues").await.expect(303);
    assert_eq!(jar.shown().await, Some(Role::Approver));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_are_asked_for_again_when_one_is_unknown_and_not_without_end() {
    let issuer = Issuer::start().await;
    let app = start(&issuer).await;
    issuer.now(|ways| ways.signed = Signed::Es256);
    let mut jar = Jar::new(&app);
    jar.signs_in("/queues").await.expect(303);
    assert_eq!((jar.shown().await, issuer.described()), (Some(Role::Approver), 1));
    let mut jar = Jar::new(&app);
    issuer.now(|_| {});
    jar.signs_in("/queues").await.expect(303);
    assert_eq!(issuer.described(), 1, "both keys are known");
    issuer.now(|ways| ways.kid = "rsa-2");
    let mut jar = Jar::new(&app);
    jar.signs_in("/queues").await.expect(303);
    assert_eq!(
        (jar.shown().await, issuer.described()),
        (Some(Role::Approver), 2),
        "a new key is found"
    );
    issuer.now(|ways| ways.kid = "rsa-3");
    for _ in 0..3 {
        let mut jar = Jar::new(&app);
        let answer = jar.signs_in("/queues").await;
        jar.is_refused(answer, "sign_in_refused").await;
    }
    assert_eq!(issuer.described(), 2, "not at every unknown one");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_issuer_that_does_not_answer_is_said_so() {
    // Nobody listens there any more.
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address")
    };
    // Somebody listens and never says a word.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let silent_at = silent.local_addr().expect("an address");
    tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = silent.accept().await {
            held.push(stream);
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    for at in [nobody, silent_at] {
        let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
        let config = configured(&format!("http://{at}"), &folder, "");
        let app = TestApp::start(backend, database, config).await;
        let began = Instant::now();
        let mut jars: Vec<Jar> = (0..4).map(|_| Jar::new(&app)).collect();
        let all = jars.iter_mut().map(|jar| async move {
            let answer = jar.get("/login/oidc?next=%2Fqueues").await;
            jar.is_refused(answer, "issuer_unavailable").await;
        });
        futures::future::join_all(all).await;
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "one waits for all: {:?}",
            began.elapsed()
        );
        // The other way in is open.
        app.person("mira", Role::Viewer, "correct horse").await;
        let answer = app.browser().sign_in("mira", "correct horse").await.expect(303);
        assert_eq!(answer.header("location"), "/queues");
    }
    let issuer = Issuer::start().await;
    issuer.now(|ways| ways.called = Some("https://other.example.test"));
    let app = start(&issuer).await;
    let mut jar = Jar::new(&app);
    let answer = jar.get("/login/oidc").await;
    jar.is_refused(answer, "issuer_unavailable").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_endpoint_that_leads_elsewhere_is_not_followed() {
    let issuer = Issuer::start().await;
    let app = start(&issuer).await;
    for (status, code) in [
        (302, "issuer_unavailable"),
        (307, "issuer_unavailable"),
        (500, "sign_in_refused"),
        (200, "sign_in_refused"),
    ] {
        issuer.now(|ways| ways.token_status = Some(status));
        let mut jar = Jar::new(&app);
        let answer = jar.signs_in("/queues").await;
        jar.is_refused(answer, code).await;
    }
    let words: Vec<String> = kept(&app, "sign_in_refused")
        .await
        .into_iter()
        .map(|(_, words)| words)
        .collect();
    assert!(
        words[0].contains("the answer is a redirect, which is not followed"),
        "{words:?}"
    );
    assert_eq!(issuer.exchanged(), 0);
}
