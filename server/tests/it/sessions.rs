//! Signing in and out, and what a session is worth afterwards.

use crate::support::app::{TestApp, system};
use crate::support::backend::Backend;
use app::domain::role::Role;
use server::config::{Config, Flags};
use server::database::Database;
use server::storage::{operators, sessions};
use server::values;

crate::on_every_backend!(
    signing_in_starts_a_session_and_signing_out_ends_it,
    a_changed_person_is_another_person_at_once,
    too_many_tries_wait_and_lock_out_nobody_else,
    a_session_is_bound_to_its_time,
    a_session_ends_by_itself_where_nothing_happens,
    only_a_person_keeps_a_session_alive,
    over_https_the_cookie_is_bound_to_the_host,
);

async fn start(backend: Backend, database: Database) -> TestApp {
    TestApp::start(backend, database, Config::default()).await
}

async fn signing_in_starts_a_session_and_signing_out_ends_it(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.person("mira", Role::Operator, "correct horse").await;
    let mut browser = app.browser();
    for (name, password) in [
        ("mira", "wrong"),
        ("nobody", "correct horse"),
        ("mira", ""),
        ("", ""),
        ("MIRA", "correct horse"),
    ] {
        let answer = browser.sign_in(name, password).await.expect(303);
        assert!(
            answer.header("location").starts_with("/login?"),
            "{}",
            answer.header("location")
        );
        assert!(answer.header("location").contains("refused=unauthenticated"));
        assert_eq!(browser.cookie, None);
        assert!(
            !answer.header("location").contains("horse"),
            "a password never travels in a URL"
        );
    }
    // A session that somebody planted before is worth nothing after.
    browser.cookie = Some("dlo_session=AAAAAAAAAAAAAAAAAAAAAA".to_owned());
    let answer = browser.sign_in("mira", "correct horse").await.expect(303);
    assert_eq!(answer.header("location"), "/queues");
    let set = answer.header("set-cookie").to_owned();
    assert!(
        set.starts_with("dlo_session=") && !set.contains("AAAAAAAAAAAAAAAAAAAAAA"),
        "{set}"
    );
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Secure"), "{set}");
    let page = browser.get("/login").await.expect(303);
    assert_eq!(page.header("location"), "/dead-letters", "already signed in");

    // The table does not hold what the cookie holds.
    let secret = browser
        .cookie
        .clone()
        .expect("a cookie")
        .replace("dlo_session=", "");
    let mut tx = app.office.database.read().await.expect("a transaction");
    let row = tx
        .fetch_one("SELECT id, data FROM dlo_sessions", vec![])
        .await
        .expect("one session");
    drop(tx);
    assert!(!row.text("id").expect("an id").contains(&secret));
    assert!(!row.text("data").expect("data").contains("horse"));

    // Signing in again rotates the id and ends the old one.
    let old = browser.cookie.clone();
    browser.sign_in("mira", "correct horse").await.expect(303);
    assert_ne!(browser.cookie, old);
    let mut stale = app.browser();
    stale.cookie = old;
    assert!(
        stale
            .get("/queues")
            .await
            .expect(303)
            .header("location")
            .starts_with("/login")
    );

    let current = browser.cookie.clone();
    let answer = browser.form("/forms/sign-out", &[]).await.expect(303);
    assert_eq!(answer.header("location"), "/login");
    let mut again = app.browser();
    again.cookie = current;
    assert!(
        again
            .get("/queues")
            .await
            .expect(303)
            .header("location")
            .starts_with("/login")
    );
}

async fn a_changed_person_is_another_person_at_once(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let database = &app.office.database;
    app.person("mira", Role::Operator, "one").await;
    let mut browser = app.browser();
    browser.sign_in("mira", "one").await.expect(303);
    browser.get("/login").await.expect(303);
    // The role is the row's.
    let mut tx = database.write().await.expect("a transaction");
    tx.execute("UPDATE dlo_operators SET role = 'viewer'", vec![])
        .await
        .expect("changed");
    tx.commit().await.expect("kept");
    let page = browser.get("/nowhere").await.expect(404);
    assert!(page.has("[data-role=viewer]"), "{}", page.body);
    // A new password ends the sessions of the old one.
    app.person("mira", Role::Operator, "two").await;
    assert!(
        browser
            .get("/queues")
            .await
            .expect(303)
            .header("location")
            .starts_with("/login")
    );
    browser.sign_in("mira", "two").await.expect(303);
    browser.get("/login").await.expect(303);
    assert!(
        operators::disable(database, &system(), "mira")
            .await
            .expect("disabled")
    );
    assert!(
        !operators::disable(database, &system(), "mira")
            .await
            .expect("disabled already")
    );
    assert!(
        browser
            .get("/queues")
            .await
            .expect(303)
            .header("location")
            .starts_with("/login")
    );
    let answer = browser.sign_in("mira", "two").await.expect(303);
    assert!(
        answer.header("location").contains("refused=unauthenticated"),
        "the same answer as for a wrong password"
    );
}

async fn too_many_tries_wait_and_lock_out_nobody_else(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.person("mira", Role::Operator, "correct horse").await;
    app.person("noor", Role::Operator, "correct horse").await;
    let mut browser = app.browser();
    for _ in 0..5 {
        browser.sign_in("mira", "wrong").await.expect(303);
    }
    let answer = browser.sign_in("mira", "correct horse").await.expect(429);
    assert!(answer.has("[data-code=slow_down]"), "{}", answer.body);
    let wait: u64 = answer.header("retry-after").parse().expect("seconds");
    assert!((1..=60).contains(&wait), "{wait}");
    browser.sign_in("noor", "correct horse").await.expect(303);
}

async fn a_session_is_bound_to_its_time(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    browser.get("/login").await.expect(303);
    let database = &app.office.database;
    // Older than a day, though just used.
    let mut tx = database.write().await.expect("a transaction");
    let row = tx
        .fetch_one("SELECT data FROM dlo_sessions", vec![])
        .await
        .expect("one session");
    let mut data: serde_json::Value = serde_json::from_str(&row.text("data").expect("data")).expect("JSON");
    let since = data["person"]["since"].as_i64().expect("seconds");
    data["person"]["since"] = (since - 24 * 3600).into();
    tx.execute("UPDATE dlo_sessions SET data = $1", values![data.to_string()])
        .await
        .expect("changed");
    tx.commit().await.expect("kept");
    assert!(
        browser
            .get("/queues")
            .await
            .expect(303)
            .header("location")
            .starts_with("/login")
    );

    let mut browser = app.signed_in(Role::Viewer).await;
    let mut tx = database.write().await.expect("a transaction");
    let past = tx.now() - chrono::TimeDelta::seconds(1);
    tx.execute("UPDATE dlo_sessions SET expires_at = $1", values![past])
        .await
        .expect("changed");
    tx.commit().await.expect("kept");
    assert!(
        browser
            .get("/queues")
            .await
            .expect(303)
            .header("location")
            .starts_with("/login")
    );
    sessions::delete_expired(database).await.expect("deleted");
    let mut tx = database.read().await.expect("a transaction");
    let row = tx
        .fetch_one("SELECT COUNT(*) AS n FROM dlo_sessions", vec![])
        .await
        .expect("a count");
    assert_eq!(row.int("n").expect("n"), 0);
}

/// Nothing in the database says that a time has come.
async fn a_session_ends_by_itself_where_nothing_happens(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    let mut tx = app.office.database.write().await.expect("a transaction");
    let soon = tx.now() + chrono::TimeDelta::seconds(4);
    tx.execute("UPDATE dlo_sessions SET expires_at = $1", values![soon])
        .await
        .expect("changed");
    tx.commit().await.expect("kept");
    browser.get("/login").await.expect(303);
    browser.get("/login").await.expect(303);
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    browser.get("/login").await.expect(200);
}

/// What an open page asks for by itself is no use of the session; following a link is.
async fn only_a_person_keeps_a_session_alive(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    let cookie = browser.cookie.clone().expect("signed in");
    browser.get("/queues").await.expect(200);
    let database = &app.office.database;
    let used = async || {
        let row = database
            .look_up("SELECT data, expires_at FROM dlo_sessions", vec![])
            .await
            .expect("a look")
            .expect("one session");
        let data: serde_json::Value = serde_json::from_str(&row.text("data").expect("data")).expect("JSON");
        let used = data["person"]["used"].as_i64().expect("seconds");
        (data, used, row.time("expires_at").expect("a time"))
    };
    // Last used an hour ago.
    let (mut data, now, _) = used().await;
    let before = now - 3600;
    data["person"]["used"] = before.into();
    let mut tx = database.write().await.expect("a transaction");
    let soon = tx.now() + chrono::TimeDelta::hours(7);
    tx.execute(
        "UPDATE dlo_sessions SET data = $1, expires_at = $2",
        values![data.to_string(), soon],
    )
    .await
    .expect("changed");
    tx.commit().await.expect("kept");
    let ask = async |wanted: &str| {
        let request = app.client.get(app.url("/queues")).header("cookie", &cookie);
        let answer = request
            .header("sec-fetch-site", "same-origin")
            .header("sec-fetch-dest", wanted)
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status(), 200);
    };
    ask("empty").await;
    let (_, then, ends) = used().await;
    assert_eq!((then, ends), (before, soon), "a page that asked by itself");
    ask("document").await;
    let (_, then, ends) = used().await;
    assert!(then >= now && ends > soon, "somebody followed a link");
}

async fn over_https_the_cookie_is_bound_to_the_host(backend: Backend, database: Database) {
    let text = "[server]\npublic_url = \"https://office.example.test\"\n";
    let config = Config::from_parts(Some(text), &[], &Flags::default()).expect("a configuration");
    let app = TestApp::start(backend, database, config).await;
    app.person("mira", Role::Viewer, "correct horse").await;
    let fields = [("name", "mira"), ("password", "correct horse")];
    let headers = [
        ("origin", "https://office.example.test"),
        ("sec-fetch-site", "same-origin"),
    ];
    let answer = app
        .browser()
        .form_with("/forms/sign-in", &fields, &headers)
        .await
        .expect(303);
    let set = answer.header("set-cookie");
    assert!(
        set.starts_with("__Host-dlo_session=") && set.contains("Secure"),
        "{set}"
    );
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Domain"), "{set}");
    let policy = answer.header("strict-transport-security");
    assert_eq!(policy, "max-age=31536000; includeSubDomains");
}
