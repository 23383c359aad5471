//! Single sign-on, against an issuer that really signs: who comes in, as whom, and everything that is refused.

use super::issuer::{CLIENT, Issuer, SECRET, Signed, Ways};
use crate::support::app::{Answer, TestApp, system};
use crate::support::backend::{Backend, Kind};
use app::desk::AuditFilter;
use app::domain::role::Role;
use serde_json::json;
use server::config::{Config, Flags};
use server::database::Database;
use server::storage::operators::{self, Added};
use server::storage::{audit, tokens};
use server::values;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

crate::on_every_backend!(
    somebody_comes_in_with_the_role_of_their_groups,
    a_state_is_worth_something_once_and_in_its_browser,
    a_name_is_nobody_elses,
);

fn configured(issuer: &str, folder: &tempfile::TempDir, more: &str) -> Config {
    let secret = folder.path().join("secret");
    std::fs::write(&secret, format!("{SECRET}\n")).expect("a secret");
    let text = format!(
        "[sign_in.roles]\nstaff = \"viewer\"\nleads = \"approver\"\n\
         [sign_in.oidc]\nissuer = \"{issuer}\"\nclient_id = \"{CLIENT}\"\nclient_secret_file = \"{}\"\n\
         label = \"Example Accounts\"\ntimeout_seconds = 2\n{more}",
        secret.display()
    );
    Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration")
}

async fn start_on(backend: Backend, database: Database, issuer: &Issuer) -> TestApp {
    let folder = tempfile::tempdir().expect("a folder");
    TestApp::start(backend, database, configured(issuer.url(), &folder, "")).await
}

async fn start(issuer: &Issuer) -> TestApp {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    start_on(backend, database, issuer).await
}

/// A browser that keeps every cookie it is given.
struct Jar<'a> {
    app: &'a TestApp,
    cookies: BTreeMap<String, String>,
}

impl<'a> Jar<'a> {
    fn new(app: &'a TestApp) -> Self {
        Self {
            app,
            cookies: BTreeMap::new(),
        }
    }

    async fn get_with(&mut self, url: &str, headers: &[(&str, &str)]) -> Answer {
        let url = if url.starts_with('/') {
            self.app.url(url)
        } else {
            url.to_owned()
        };
        let mut request = self.app.client.get(&url).header("accept", "text/html");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if url.starts_with(&self.app.url("")) && !self.cookies.is_empty() {
            let pairs: Vec<String> = self
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            request = request.header("cookie", pairs.join("; "));
        }
        let answer = self.app.send(request).await;
        for set in answer.headers.get_all("set-cookie") {
            let set = set.to_str().expect("text");
            let (name, value) = set
                .split(';')
                .next()
                .and_then(|pair| pair.split_once('='))
                .expect("a pair");
            if value.is_empty() {
                self.cookies.remove(name);
            } else {
                for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
                    assert!(set.contains(part), "{set}");
                }
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    async fn get(&mut self, url: &str) -> Answer {
        self.get_with(url, &[]).await
    }

    /// Goes to the issuer, which sends the browser back; answers where to.
    async fn goes_and_is_sent(&mut self, next: &str) -> String {
        let query: String = url::form_urlencoded::byte_serialize(next.as_bytes()).collect();
        let answer = self.get(&format!("/login/oidc?next={query}")).await.expect(303);
        let issuer = answer.header("location").to_owned();
        assert!(issuer.contains("/authorize?"), "{issuer}");
        let answer = self.get(&issuer).await.expect(303);
        let back = answer.header("location").to_owned();
        assert!(back.starts_with(&self.app.url("/login/oidc/callback?")), "{back}");
        back
    }

    /// The whole way.
    async fn signs_in(&mut self, next: &str) -> Answer {
        let back = self.goes_and_is_sent(next).await;
        self.get(&back).await
    }

    /// The role under which a page is shown; `None` where it is not.
    async fn shown(&mut self) -> Option<Role> {
        let answer = self.get("/queues").await;
        if answer.status.as_u16() == 303 {
            assert!(answer.header("location").starts_with("/login"));
            return None;
        }
        let answer = answer.expect(200);
        Role::ALL
            .iter()
            .find(|role| answer.has(&format!(".who [data-role={role}]")))
            .copied()
    }

    /// Nobody came in, the sign-in page says why, and the answer holds nothing of the issuer's.
    async fn is_refused(&mut self, answer: Answer, code: &str) {
        let answer = answer.expect(303);
        let location = answer.header("location").to_owned();
        assert!(
            location.starts_with("/login?next=")
                && location.contains(&format!("refused={code}&form=single-sign-on")),
            "{code}: {location}"
        );
        assert!(
            !self.cookies.contains_key("dlo_session"),
            "{code}: {:?}",
            self.cookies
        );
        let page = self.get(&location).await.expect(200);
        assert!(
            page.has(&format!("[role=alert][data-code={code}]")),
            "{}",
            page.body
        );
        assert!(page.has("a[data-single-sign-on]"), "and one may try again");
        assert!(
            !page.body.contains("secret words") && !page.body.contains("<b>no</b>"),
            "{}",
            page.body
        );
    }
}

/// What the audit keeps of these, oldest first: who, and the words.
async fn kept(app: &TestApp, action: &str) -> Vec<(String, String)> {
    let mut tx = app.office.database.read().await.expect("a transaction");
    let mut all = audit::list(&mut tx, &AuditFilter::default(), None, 200)
        .await
        .expect("entries");
    all.reverse();
    all.into_iter()
        .filter(|entry| entry.action == action)
        .map(|entry| (entry.actor, entry.reason.unwrap_or_default()))
        .collect()
}

async fn somebody_comes_in_with_the_role_of_their_groups(backend: Backend, database: Database) {
    let issuer = Issuer::start().await;
    let app = start_on(backend, database, &issuer).await;
    let mut jar = Jar::new(&app);
    let page = jar.get("/login?next=%2Fqueues").await.expect(200);
    assert!(page.body.contains("Sign in with "), "{}", page.body);
    assert!(
        page.has("a[data-single-sign-on][href='/login/oidc?next=%2Fqueues']")
            && page.has("input[name=password]"),
        "{}",
        page.body
    );
    assert_eq!(
        issuer.described(),
        0,
        "it is asked when somebody comes, and not before"
    );
    let answer = jar.signs_in("/queues").await.expect(303);
    assert_eq!(answer.header("location"), "/queues");
    assert_eq!(jar.cookies.keys().collect::<Vec<_>>(), ["dlo_session"]);
    assert_eq!(jar.shown().await, Some(Role::Approver));
    assert!(jar.get("/permissions").await.body.contains("<bdi>ada</bdi>"));
    assert_eq!(
        jar.get("/login/oidc").await.expect(303).header("location"),
        "/dead-letters"
    );
    assert_eq!(
        kept(&app, "operator_added").await,
        [(
            "system".to_owned(),
            "ada as approver, by single sign-on".to_owned()
        )]
    );
    assert_eq!(
        kept(&app, "signed_in").await,
        [("ada".to_owned(), "by single sign-on, from 127.0.0.1".to_owned())]
    );

    // Nobody sets a password for them, neither themselves nor by trying one.
    let session = jar.cookies["dlo_session"].clone();
    let mut browser = app.browser();
    browser.cookie = Some(format!("dlo_session={session}"));
    let fields = [
        ("current", "!"),
        ("password", "battery staple"),
        ("again", "battery staple"),
    ];
    let answer = browser.form("/forms/password", &fields).await.expect(303);
    assert!(answer.header("location").contains("refused=not_allowed_here"));
    for password in ["!", "", "battery staple"] {
        let answer = app.browser().sign_in("ada", password).await.expect(303);
        assert!(answer.header("location").contains("refused=unauthenticated"));
    }

    // Another role at the issuer is another one here from the next sign-in on, in every browser of theirs.
    issuer.now(|ways| ways.claims = json!({"groups": ["staff"]}));
    let mut other = Jar::new(&app);
    other.signs_in("/queues").await.expect(303);
    assert_eq!(other.shown().await, Some(Role::Viewer));
    assert_eq!(jar.shown().await, Some(Role::Viewer));
    assert_ne!(jar.cookies["dlo_session"], session, "under another session id");
    let changed = kept(&app, "role_changed").await;
    assert_eq!(changed[0].1, "ada from approver to viewer, by single sign-on");

    // Disabled here is disabled, whatever the issuer says.
    let database = &app.office.database;
    assert!(
        operators::disable(database, &system(), "ada")
            .await
            .expect("disabled")
    );
    assert_eq!(other.shown().await, None);
    let mut third = Jar::new(&app);
    let answer = third.signs_in("/queues").await;
    third.is_refused(answer, "sign_in_refused").await;
    assert!(
        operators::enable(database, &system(), "ada")
            .await
            .expect("enabled")
    );
    third.signs_in("/queues").await.expect(303);
    assert_eq!(third.shown().await, Some(Role::Viewer));

    // Without a group that means a role nobody comes in, and nobody stays.
    issuer.now(|ways| ways.claims = json!({"groups": ["guests"]}));
    let mut fourth = Jar::new(&app);
    let answer = fourth.signs_in("/queues").await;
    fourth.is_refused(answer, "role_required").await;
    assert_eq!(third.shown().await, None);
    issuer.now(|ways| ways.claims = json!({"sub": "subject-2", "groups": "reporter"}));
    let answer = fourth.signs_in("/queues").await;
    fourth.is_refused(answer, "role_required").await;
    assert_eq!(operators::list(database).await.expect("people").len(), 1);
    let refused: Vec<String> = kept(&app, "sign_in_refused")
        .await
        .into_iter()
        .map(|(_, words)| words)
        .collect();
    let words = [
        "as ada, from 127.0.0.1",
        "as ada, from 127.0.0.1",
        "as ada, from 127.0.0.1",
        "by single sign-on: as ada, who is disabled here, from 127.0.0.1",
        "by single sign-on: no group of theirs means a role here, from 127.0.0.1",
        "by single sign-on: no group of theirs means a role here, from 127.0.0.1",
    ];
    assert_eq!(refused, words);
}

async fn a_state_is_worth_something_once_and_in_its_browser(backend: Backend, database: Database) {
    let issuer = Issuer::start().await;
    let app = start_on(backend, database, &issuer).await;
    let mut jar = Jar::new(&app);
    let back = jar.goes_and_is_sent("/queues").await;
    let binding = jar.cookies.clone();

    // Somebody pastes the link into another browser, with a cookie of its own or without: it is not theirs.
    let mut other = Jar::new(&app);
    let answer = other.get(&back).await;
    other.is_refused(answer, "sign_in_expired").await;
    other.goes_and_is_sent("/queues").await;
    let answer = other.get(&back).await;
    other.is_refused(answer, "sign_in_expired").await;
    assert_eq!(issuer.exchanged(), 0, "and its code went nowhere");

    // The browser that began it still comes in, once.
    let answer = jar.get(&back).await.expect(303);
    assert_eq!(answer.header("location"), "/queues");
    let mut again = Jar::new(&app);
    again.cookies = binding;
    let answer = again.get(&back).await;
    again.is_refused(answer, "sign_in_expired").await;
    assert_eq!(issuer.exchanged(), 1);

    // What was begun ends by itself; the table does not hold what the link and the cookie hold.
    let mut late = Jar::new(&app);
    let back = late.goes_and_is_sent("/queues").await;
    let mut tx = app.office.database.write().await.expect("a transaction");
    let rows = tx
        .fetch_all("SELECT state, browser FROM dlo_sign_ins", vec![])
        .await
        .expect("rows");
    for row in &rows {
        let state = row.text("state").expect("a hash");
        assert!(
            !back.contains(&state)
                && !late.cookies["dlo_sign_in"].contains(&row.text("browser").expect("a hash"))
        );
    }
    let past = tx.now() - chrono::TimeDelta::seconds(1);
    tx.execute("UPDATE dlo_sign_ins SET expires_at = $1", values![past])
        .await
        .expect("changed");
    tx.commit().await.expect("kept");
    let answer = late.get(&back).await;
    late.is_refused(answer, "sign_in_expired").await;

    // A code is bound to the verifier that only this office knows.
    let mut forged = Jar::new(&app);
    let back = forged.goes_and_is_sent("/queues").await;
    let mut tx = app.office.database.write().await.expect("a transaction");
    tx.execute("UPDATE dlo_sign_ins SET verifier = $1", values!["v".repeat(43)])
        .await
        .expect("changed");
    tx.commit().await.expect("kept");
    let answer = forged.get(&back).await;
    forged.is_refused(answer, "sign_in_refused").await;
    assert_eq!(issuer.exchanged(), 1);

    for query in ["", "?state=guessed&code=x", "?code=x", "?state=a&state=b&code=x"] {
        let answer = forged.get(&format!("/login/oidc/callback{query}")).await;
        forged.is_refused(answer, "sign_in_expired").await;
    }
}

async fn a_name_is_nobody_elses(backend: Backend, database: Database) {
    let issuer = Issuer::start().await;
    let app = start_on(backend, database, &issuer).await;
    let database = &app.office.database;
    app.person("ada", Role::Admin, "correct horse").await;
    tokens::create(
        database,
        &system(),
        uuid::Uuid::now_v7(),
        "Renderer",
        Role::Reporter,
        "dlo_x",
    )
    .await
    .expect("a token");
    let named = |sub: &str, name: &str| {
        let claims = json!({"sub": sub, "preferred_username": name, "groups": ["staff"]});
        issuer.now(|ways| ways.claims = claims);
    };
    for (sub, name) in [
        ("1", "ada"),
        ("2", "ADA"),
        ("3", "renderer"),
        ("4", "system"),
        ("5", "noor"),
        ("6", "noor"),
    ] {
        named(sub, name);
        let mut jar = Jar::new(&app);
        jar.signs_in("/queues").await.expect(303);
        assert_eq!(jar.shown().await, Some(Role::Viewer), "{name}");
    }
    let people = operators::list(database).await.expect("people");
    let names: Vec<&str> = people.iter().map(|person| person.name.as_str()).collect();
    assert_eq!(people.len(), 7, "{names:?}");
    let marked = |start: &str| {
        names
            .iter()
            .filter(|name| name.starts_with(start) && name.ends_with(')'))
            .count()
    };
    assert_eq!(
        (
            marked("ada ("),
            marked("ADA ("),
            marked("renderer ("),
            marked("noor (")
        ),
        (1, 1, 1, 1),
        "{names:?}"
    );
    assert!(names.contains(&"4"), "the system's name is nobody's: {names:?}");
    let ada = people
        .iter()
        .find(|person| person.name == "ada")
        .expect("she is there");
    assert_eq!(ada.role, Role::Admin);
    app.browser().sign_in("ada", "correct horse").await.expect(303);

    // Who comes again is who they were, whatever they call themselves now.
    named("5", "ada");
    let mut jar = Jar::new(&app);
    jar.signs_in("/queues").await.expect(303);
    assert!(jar.get("/permissions").await.body.contains("<bdi>noor</bdi>"));
    assert_eq!(operators::list(database).await.expect("people").len(), 7);

    // And nobody gets a password for somebody whom the issuer knows.
    let added = operators::add(database, &system(), "noor", Role::Admin, "$argon2id$x").await;
    assert_eq!(added.expect("an answer"), Added::Elsewhere);
    assert_eq!(jar.shown().await, Some(Role::Viewer));
}

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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_sign_in_leads_away_or_begins_elsewhere() {
    let issuer = Issuer::start().await;
    let app = start(&issuer).await;
    for next in [
        "//evil.test",
        "https://evil.test/",
        "/\\evil.test",
        "",
        "javascript:alert(1)",
    ] {
        let answer = Jar::new(&app).signs_in(next).await.expect(303);
        assert_eq!(answer.header("location"), "/dead-letters", "{next}");
    }
    let asked = issuer.described();
    for headers in [
        &[("sec-fetch-site", "cross-site")][..],
        &[("sec-fetch-site", "same-site")],
        &[("referer", "https://evil.test/")],
    ] {
        let mut jar = Jar::new(&app);
        let answer = jar
            .get_with("/login/oidc?next=%2Fqueues", headers)
            .await
            .expect(303);
        assert_eq!(answer.header("location"), "/login?next=%2Fqueues", "{headers:?}");
        assert!(jar.cookies.is_empty());
    }
    assert_eq!(issuer.described(), asked);
    // As many as one address may begin, and come back with nothing.
    let mut begun = 0;
    while Jar::new(&app).get("/login/oidc").await.status.as_u16() == 303 {
        begun += 1;
        assert!(begun < 100, "without end");
    }
    let answer = Jar::new(&app).get("/login/oidc").await.expect(429);
    assert!(answer.has("[data-code=slow_down]") && !answer.header("retry-after").is_empty());
    let mut tries = 0;
    while Jar::new(&app)
        .get("/login/oidc/callback?state=guessed")
        .await
        .status
        .as_u16()
        == 303
    {
        tries += 1;
        assert!(tries < 40, "without end");
    }
    assert!(begun > 40 && tries >= 20, "{begun} {tries}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_office_without_an_issuer_has_no_such_way() {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    let app = TestApp::start(backend, database, Config::default()).await;
    let page = app.browser().get("/login").await.expect(200);
    assert!(!page.has("a[data-single-sign-on]"), "{}", page.body);
    app.browser().get("/login/oidc").await.expect(404);
    app.browser()
        .get("/login/oidc/callback?state=x&code=y")
        .await
        .expect(404);
}

#[test]
fn what_would_let_somebody_else_in_is_refused() {
    let said = |text: &str| match Config::from_parts(Some(text), &[], &Flags::default()) {
        Ok(_) => "nothing was refused".to_owned(),
        Err(error) => error.to_string(),
    };
    let whole = "[sign_in.roles]\nstaff = \"viewer\"\n[sign_in.oidc]\nissuer = \"https://issuer.example.test\"\nclient_id = \"x\"\n";
    assert_eq!(said(whole), "nothing was refused");
    for (text, key) in [
        (whole.replace("https:", "http:"), "sign_in.oidc.issuer"),
        (whole.replace("test\"", "test/?x=1\""), "sign_in.oidc.issuer"),
        (whole.replace("client_id = \"x\"", ""), "sign_in.oidc.client_id"),
        (
            whole.replace("issuer = \"https://issuer.example.test\"", ""),
            "sign_in.oidc.issuer",
        ),
        (whole.replace("staff = \"viewer\"", ""), "sign_in.roles"),
        (whole.replace("viewer", "reporter"), "sign_in.roles.staff"),
        (format!("{whole}roles_claim = \"\"\n"), "sign_in.oidc.roles_claim"),
        (format!("{whole}name_claim = \"\"\n"), "sign_in.oidc.name_claim"),
        (
            format!("{whole}timeout_seconds = 0\n"),
            "sign_in.oidc.timeout_seconds",
        ),
        (format!("{whole}client_secret = \"x\"\n"), "client_secret"),
        (
            format!("[server]\nbind = \"0.0.0.0:80\"\n{whole}"),
            "server.public_url",
        ),
        (
            format!("[sign_in]\ntrusted_header = \"X-User\"\ntrusted_from = [\"::1\"]\n{whole}"),
            "sign_in.trusted_header",
        ),
    ] {
        let words = said(&text);
        assert!(words.contains(key), "{text}: {words}");
    }
}
