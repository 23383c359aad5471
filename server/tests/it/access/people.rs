//! People: the first one, their sessions' ends, and what a wrong name costs.

use crate::support::app::{TestApp, system};
use crate::support::backend::Backend;
use crate::support::raw;
use app::domain::role::Role;
use server::config::Config;
use server::database::Database;
use server::storage::operators;
use server::values;
use std::sync::atomic::Ordering;

crate::on_every_backend!(
    the_first_person_comes_by_a_link_once,
    a_link_ends_with_its_time_and_with_the_first_person,
    signing_out_everywhere_ends_every_session_of_one_person,
    another_role_gets_another_session_id,
    a_failure_of_ours_signs_nobody_out,
    a_password_is_changed_by_who_knows_it,
    an_unknown_name_is_as_much_work_as_a_known_one,
);

async fn start(backend: Backend, database: Database) -> TestApp {
    TestApp::start(backend, database, Config::default()).await
}

fn set_up<'a>(link: &'a str, name: &'a str, password: &'a str, again: &'a str) -> [(&'a str, &'a str); 4] {
    [
        ("link", link),
        ("name", name),
        ("password", password),
        ("again", again),
    ]
}

async fn the_first_person_comes_by_a_link_once(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let link = app
        .office
        .offer_set_up()
        .await
        .expect("an answer")
        .expect("nobody is there");
    assert_eq!(link.len(), 64);
    let mut browser = app.browser();
    browser.get("/setup").await.expect(404);
    browser.get("/setup?link=guessed").await.expect(404);
    let page = browser.get(&format!("/setup?link={link}")).await.expect(200);
    assert!(
        page.has("form[action='/forms/set-up'] input[name=password][minlength='8']"),
        "{}",
        page.body
    );
    // The table does not hold what the link holds.
    let mut tx = app.office.database.read().await.expect("a transaction");
    let row = tx
        .fetch_one("SELECT hash FROM dlo_setup_links", vec![])
        .await
        .expect("one link");
    assert_ne!(row.text("hash").expect("a hash"), link);
    drop(tx);
    for (name, password, again, code) in [
        ("mira", "short", "short", "invalid_request"),
        ("mira", "password1", "password1", "invalid_request"),
        ("mira-mira", "Mira-Mira", "Mira-Mira", "invalid_request"),
        ("system", "correct horse", "correct horse", "invalid_request"),
        ("", "correct horse", "correct horse", "invalid_request"),
        ("mira", "correct horse", "another horse", "confirm_mismatch"),
    ] {
        let answer = browser
            .form("/forms/set-up", &set_up(&link, name, password, again))
            .await
            .expect(303);
        let back = answer.header("location");
        assert!(
            back.starts_with("/setup?link=") && back.contains(&format!("refused={code}")),
            "{name}: {back}"
        );
        assert!(!back.contains("horse") && !back.contains(password), "{back}");
        let page = browser.get(back.trim_end_matches("#refused")).await.expect(200);
        assert!(
            page.has(&format!("[role=alert][data-code={code}]")),
            "{}",
            page.body
        );
    }
    let wrong = browser
        .form(
            "/forms/set-up",
            &set_up("guessed", "mira", "correct horse", "correct horse"),
        )
        .await;
    assert!(wrong.expect(303).header("location").contains("refused=not_found"));
    // Of two at once, one is first.
    let fields = |name| set_up(&link, name, "correct horse", "correct horse");
    let (mut one, mut two) = (app.browser(), app.browser());
    let (fields_one, fields_two) = (fields("mira"), fields("noor"));
    let (first, second) = tokio::join!(
        one.form("/forms/set-up", &fields_one),
        two.form("/forms/set-up", &fields_two)
    );
    let (first, second) = (first.expect(303), second.expect(303));
    let locations = [first.header("location"), second.header("location")];
    assert_eq!(
        locations.iter().filter(|to| **to == "/permissions").count(),
        1,
        "{locations:?}"
    );
    let people = operators::list(&app.office.database).await.expect("people");
    assert_eq!((people.len(), people[0].role), (1, Role::Admin));
    let mut in_first = if locations[0] == "/permissions" { one } else { two };
    let page = in_first.get("/permissions").await.expect(200);
    assert!(
        page.has("[data-permission=manage][data-may=true]"),
        "{}",
        page.body
    );
    app.browser()
        .get(&format!("/setup?link={link}"))
        .await
        .expect(404);
    assert_eq!(
        app.office.offer_set_up().await.expect("an answer"),
        None,
        "somebody is there"
    );
}

async fn a_link_ends_with_its_time_and_with_the_first_person(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let link = app
        .office
        .offer_set_up()
        .await
        .expect("an answer")
        .expect("nobody is there");
    let other = app
        .office
        .offer_set_up()
        .await
        .expect("an answer")
        .expect("another process");
    let path = format!("/setup?link={link}");
    app.browser().get(&path).await.expect(200);
    let mut tx = app.office.database.write().await.expect("a transaction");
    let past = tx.now() - chrono::TimeDelta::seconds(1);
    tx.execute(
        "UPDATE dlo_setup_links SET expires_at = $1 WHERE hash = $2",
        values![past, server::storage::tokens::hash(&link)],
    )
    .await
    .expect("changed");
    tx.commit().await.expect("kept");
    app.browser().get(&path).await.expect(404);
    let other = format!("/setup?link={other}");
    app.browser().get(&other).await.expect(200);
    app.person("mira", Role::Viewer, "correct horse").await;
    app.browser().get(&other).await.expect(404);
}

async fn signing_out_everywhere_ends_every_session_of_one_person(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.person("mira", Role::Operator, "correct horse").await;
    app.person("noor", Role::Operator, "correct horse").await;
    let (mut one, mut two, mut other) = (app.browser(), app.browser(), app.browser());
    one.sign_in("mira", "correct horse").await.expect(303);
    two.sign_in("mira", "correct horse").await.expect(303);
    other.sign_in("noor", "correct horse").await.expect(303);
    let page = one.get("/permissions").await.expect(200);
    assert!(
        page.has("form[action='/forms/sign-out-everywhere'] button"),
        "{}",
        page.body
    );
    let kept = one.cookie.clone();
    let answer = one.form("/forms/sign-out-everywhere", &[]).await.expect(303);
    assert_eq!(answer.header("location"), "/login");
    one.cookie = kept;
    for browser in [&mut one, &mut two] {
        let answer = browser.get("/queues").await.expect(303);
        assert!(answer.header("location").starts_with("/login"));
    }
    other.get("/queues").await.expect(200);
    // From the command line as well, and one may come back.
    two.sign_in("mira", "correct horse").await.expect(303);
    two.get("/queues").await.expect(200);
    let database = &app.office.database;
    assert!(
        operators::sign_out_everywhere(database, &system(), "mira")
            .await
            .expect("ended")
    );
    assert!(
        !operators::sign_out_everywhere(database, &system(), "nobody")
            .await
            .expect("an answer")
    );
    two.get("/queues").await.expect(303);
    other.get("/queues").await.expect(200);
}

async fn another_role_gets_another_session_id(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.person("mira", Role::Viewer, "correct horse").await;
    let mut browser = app.browser();
    browser.sign_in("mira", "correct horse").await.expect(303);
    let before = browser.cookie.clone();
    browser.get("/queues").await.expect(200);
    assert_eq!(browser.cookie, before, "the same role, the same id");
    let changed = operators::change_role(&app.office.database, &system(), "mira", Role::Approver).await;
    assert_eq!(changed.expect("changed"), Some(Role::Viewer));
    let page = browser.get("/queues").await.expect(200);
    assert!(
        page.has("[data-role=approver]"),
        "still signed in, with the new role"
    );
    assert_ne!(browser.cookie, before, "under a new id");
    let mut stale = app.browser();
    stale.cookie = before;
    stale.get("/queues").await.expect(303);
    browser.get("/queues").await.expect(200);
}

/// The answer is a failure, and its cookie does not come: whoever got another role meanwhile is still who they were.
async fn a_failure_of_ours_signs_nobody_out(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.person("mira", Role::Viewer, "correct horse").await;
    let mut browser = app.browser();
    browser.sign_in("mira", "correct horse").await.expect(303);
    let before = browser.cookie.clone();
    let database = &app.office.database;
    operators::change_role(database, &system(), "mira", Role::Approver)
        .await
        .expect("changed");
    let rename = |from: &str, to: &str| format!("ALTER TABLE {from} RENAME TO {to}");
    raw::script(database, &rename("dlo_recoveries", "dlo_gone"))
        .await
        .expect("gone");
    for _ in 0..2 {
        let failed = browser.get("/recoveries").await;
        assert!(failed.status.is_server_error(), "{}", failed.status);
        assert_eq!(browser.cookie, before, "the same id");
    }
    raw::script(database, &rename("dlo_gone", "dlo_recoveries"))
        .await
        .expect("back");
    let page = browser.get("/recoveries").await.expect(200);
    assert!(page.has("[data-role=approver]"), "{}", page.body);
    assert_ne!(browser.cookie, before, "now under a new id");
    let mut stale = app.browser();
    stale.cookie = before;
    stale.get("/queues").await.expect(303);
    // Whoever leaves has left, also when their role is another one since.
    operators::change_role(database, &system(), "mira", Role::Viewer)
        .await
        .expect("changed");
    let kept = browser.cookie.clone();
    browser.form("/forms/sign-out", &[]).await.expect(303);
    browser.cookie = kept;
    browser.get("/queues").await.expect(303);
    let sessions = raw::number(database, "SELECT COUNT(*) FROM dlo_sessions").await;
    assert_eq!(sessions, 0, "no session is left behind");
}

async fn a_password_is_changed_by_who_knows_it(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.person("mira", Role::Operator, "correct horse").await;
    let (mut here, mut there) = (app.browser(), app.browser());
    here.sign_in("mira", "correct horse").await.expect(303);
    there.sign_in("mira", "correct horse").await.expect(303);
    let fields = |current, new, again| [("current", current), ("password", new), ("again", again)];
    for (current, new, again, code) in [
        (
            "wrong horse",
            "battery staple",
            "battery staple",
            "unauthenticated",
        ),
        (
            "correct horse",
            "battery staple",
            "battery stable",
            "confirm_mismatch",
        ),
        ("correct horse", "short", "short", "invalid_request"),
        ("correct horse", "password1", "password1", "invalid_request"),
    ] {
        let answer = here
            .form("/forms/password", &fields(current, new, again))
            .await
            .expect(303);
        let back = answer.header("location").to_owned();
        assert!(back.contains(&format!("refused={code}")), "{back}");
        assert!(!back.contains("horse") && !back.contains("staple"), "{back}");
        let page = here.get(back.trim_end_matches("#refused")).await.expect(200);
        assert!(
            page.has(&format!("details[open] [role=alert][data-code={code}]")),
            "{}",
            page.body
        );
    }
    there.get("/queues").await.expect(200);
    let before = here.cookie.clone();
    let changed = fields("correct horse", "battery staple", "battery staple");
    let answer = here.form("/forms/password", &changed).await.expect(303);
    assert_eq!(answer.header("location"), "/permissions?done=password");
    assert_ne!(here.cookie, before, "another session id");
    here.get("/queues").await.expect(200);
    there.get("/queues").await.expect(303);
    let old = app.browser().sign_in("mira", "correct horse").await.expect(303);
    assert!(
        old.header("location").contains("refused"),
        "{}",
        old.header("location")
    );
    let new = app.browser().sign_in("mira", "battery staple").await.expect(303);
    assert_eq!(new.header("location"), "/queues");
}

async fn an_unknown_name_is_as_much_work_as_a_known_one(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.person("mira", Role::Operator, "correct horse").await;
    app.person("gone", Role::Operator, "correct horse").await;
    assert!(
        operators::disable(&app.office.database, &system(), "gone")
            .await
            .expect("disabled")
    );
    let mut answers = Vec::new();
    for (name, password) in [
        ("mira", "wrong password"),
        ("nobody", "wrong password"),
        ("gone", "correct horse"),
        ("\u{0}", "wrong password"),
    ] {
        let before = app.office.password_checks.load(Ordering::Relaxed);
        let answer = app.browser().sign_in(name, password).await.expect(303);
        let after = app.office.password_checks.load(Ordering::Relaxed);
        assert_eq!(
            after - before,
            1,
            "{name:?}: one password is checked with argon2id"
        );
        let location = answer.header("location").to_owned();
        answers.push(
            location
                .split("&typed.name")
                .next()
                .unwrap_or_default()
                .to_owned(),
        );
        assert_eq!(answer.header("set-cookie"), "");
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "one answer for all: {answers:?}");
}
