//! Who comes in, with which role, and under which name.

use super::super::issuer::Issuer;
use super::{Jar, kept, sections, start_on};
use crate::protocol::play::{NO_WORKER, Play};
use crate::support::app::{fresh_key, system};
use crate::support::backend::Backend;
use crate::support::raw;
use app::domain::role::Role;
use serde_json::json;
use server::background::{self, Duties};
use server::database::Database;
use server::storage::operators::{self, Added};
use server::storage::tokens;
use tokio_util::sync::CancellationToken;

crate::on_every_backend!(
    somebody_comes_in_with_the_role_of_their_groups,
    a_name_is_nobody_elses,
    a_name_that_looks_like_anothers_is_refused,
    who_lost_their_groups_creates_nothing,
);

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
    let back = answer.header("location").to_owned();
    assert!(back.contains("refused=not_allowed_here"), "{back}");
    for (path, refused) in [("/permissions", false), (back.trim_end_matches("#refused"), true)] {
        let page = jar.get(path).await.expect(200);
        assert!(
            !page.has("input[type=password]") && page.has("[data-signs-in=elsewhere]"),
            "{}",
            page.body
        );
        assert_eq!(page.has("[role=alert][data-code=not_allowed_here]"), refused);
        assert!(page.body.contains("Example Accounts"), "{}", page.body);
    }
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

/// Readers of the audit would take one for the other.
async fn a_name_that_looks_like_anothers_is_refused(backend: Backend, database: Database) {
    let issuer = Issuer::start().await;
    let app = start_on(backend, database, &issuer).await;
    let database = &app.office.database;
    app.person("ada", Role::Admin, "correct horse").await;
    let named = |sub: &str, name: &str| {
        let claims = json!({"sub": sub, "preferred_username": name, "groups": ["staff"]});
        issuer.now(|ways| ways.claims = claims);
    };
    for (sub, name) in [
        ("1", "\u{430}da"),
        ("2", "\u{430}d\u{430}"),
        ("3", "ѕystem"),
        ("4", "АDA"),
    ] {
        named(sub, name);
        let mut jar = Jar::new(&app);
        let answer = jar.signs_in("/queues").await;
        jar.is_refused(answer, "name_looks_alike").await;
    }
    assert_eq!(operators::list(database).await.expect("people").len(), 1);
    let why = kept(&app, "sign_in_refused").await;
    assert_eq!(
        why[0].1,
        "by single sign-on: as ⟨U+0430⟩da, which looks like ada, a name that is taken here, from 127.0.0.1"
    );
    // One that is nobody's comes in, and is shown for what it is.
    named("5", "v\u{456}ra");
    let mut jar = Jar::new(&app);
    jar.signs_in("/queues").await.expect(303);
    let page = jar.get("/permissions").await.expect(200);
    assert!(!page.body.contains(">v\u{456}ra<"), "{}", page.body);
    assert!(
        page.has("main bdi .odd") && page.has("header bdi .odd"),
        "{}",
        page.body
    );
    // Who was there before the rule stays, whatever they are called, and whoever comes by then.
    raw::script(
        database,
        "UPDATE dlo_operators SET name = 'vira' WHERE name = 'ada'",
    )
    .await
    .expect("renamed");
    jar = Jar::new(&app);
    jar.signs_in("/queues").await.expect(303);
    assert_eq!(jar.shown().await, Some(Role::Viewer));
    let added = operators::add(database, &system(), "vira", Role::Viewer, "$argon2id$x").await;
    assert_eq!(added.expect("an answer"), Added::Changed { before: Role::Admin });
    let added = operators::add(database, &system(), "V1ra", Role::Viewer, "$argon2id$x").await;
    assert_eq!(added.expect("an answer"), Added::New, "1 is no i");
    let added = operators::add(database, &system(), "Vіra", Role::Viewer, "$argon2id$x").await;
    assert!(matches!(added.expect("an answer"), Added::LooksLike(_)));
}

async fn who_lost_their_groups_creates_nothing(backend: Backend, database: Database) {
    let issuer = Issuer::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let more = format!("[approvals]\ndispatch = 2\n{}", sections(issuer.url(), &folder));
    let play = Play::start_with(backend, database, NO_WORKER, &more).await;
    play.ready("op_1").await;
    let recovery = play.confirm("op_1", "dispatch").await;

    // Somebody whom the issuer calls an approver agrees.
    let mut jar = Jar::new(&play.app);
    jar.signs_in("/queues").await.expect(303);
    let mut browser = play.app.browser();
    browser.cookie = Some(format!("dlo_session={}", jar.cookies["dlo_session"]));
    let key = fresh_key();
    let fields = [
        ("recovery", recovery.as_str()),
        ("reason", "I agree"),
        ("key", key.as_str()),
    ];
    let answer = browser
        .form("/forms/recoveries/approve", &fields)
        .await
        .expect(303);
    let location = answer.header("location");
    assert!(location.contains("done=approved"), "{location}");

    // The issuer takes the group back, and the office learns it when they come again.
    issuer.now(|ways| ways.claims = json!({"groups": ["guests"]}));
    let mut again = Jar::new(&play.app);
    let answer = again.signs_in("/queues").await;
    again.is_refused(answer, "role_required").await;
    assert_eq!(jar.shown().await, None);
    let people = operators::list(&play.app.office.database).await.expect("people");
    let roles: Vec<Role> = people.iter().map(|person| person.role).collect();
    assert_eq!(roles, [Role::Viewer]);
    let changed = kept(&play.app, "role_changed").await;
    let words: Vec<&str> = changed.iter().map(|(_, words)| words.as_str()).collect();
    assert_eq!(words, ["ada from approver to viewer, by single sign-on"]);

    // Only now somebody carries it out.
    let stop = CancellationToken::new();
    let duties = Duties {
        worker: true,
        housekeeping: false,
    };
    let working = background::start(&play.app.office, duties, &stop).expect("the worker starts");
    let ended = play.ended(&recovery).await;
    assert_eq!(ended["state"], "refused", "{ended:#}");
    assert!(
        ended["outcome"]
            .as_str()
            .is_some_and(|words| words.contains("ada")),
        "{ended:#}"
    );
    assert_eq!(play.posts(), 0);
    stop.cancel();
    drop(working);
}
