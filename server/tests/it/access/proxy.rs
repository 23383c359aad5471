//! A proxy that signs people in: believed where it is configured, from its own addresses, and nowhere else.

use crate::support::app::{TestApp, system};
use crate::support::backend::{Backend, Kind};
use app::domain::role::Role;
use server::config::{Config, Flags};
use server::storage::operators;

async fn start(section: &str) -> TestApp {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    let text = format!("[sign_in]\n{section}");
    let config = Config::from_parts(Some(&text), &[], &Flags::default()).expect("a configuration");
    TestApp::start(backend, database, config).await
}

/// The role under which a page is shown; `None` where it is not.
async fn shown(app: &TestApp, headers: &[(&str, &str)]) -> Option<String> {
    let mut request = app.client.get(app.url("/queues")).header("accept", "text/html");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = app.send(request).await;
    if answer.status.as_u16() == 303 {
        assert!(answer.header("location").starts_with("/login"));
        return None;
    }
    let answer = answer.expect(200);
    Role::ALL
        .iter()
        .find(|role| answer.has(&format!(".who [data-role={role}]")))
        .map(ToString::to_string)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_believed_unless_it_is_configured() {
    let app = start("").await;
    app.person("mira", Role::Admin, "correct horse").await;
    for name in [
        "x-forwarded-user",
        "remote-user",
        "x-remote-user",
        "x-auth-request-user",
    ] {
        assert_eq!(shown(&app, &[(name, "mira")]).await, None, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listed_proxy_names_a_person_who_is_known() {
    let app = start("trusted_header = \"X-User\"\ntrusted_from = [\"127.0.0.1\"]\n").await;
    app.person("mira", Role::Approver, "correct horse").await;
    app.person("gone", Role::Admin, "correct horse").await;
    assert!(
        operators::disable(&app.office.database, &system(), "gone")
            .await
            .expect("disabled")
    );
    assert_eq!(
        shown(&app, &[("x-user", "mira")]).await.as_deref(),
        Some("approver")
    );
    for (headers, why) in [
        (&[][..], "no header"),
        (&[("x-user", "")], "no name"),
        (&[("x-user", "stranger")], "nobody of ours"),
        (&[("x-user", "gone")], "disabled"),
        (&[("x-user", "system")], "the system is no person"),
        (&[("x-user", "System")], "whatever its capitals"),
        (&[("x-user", "Mira")], "nobody of ours, and looks like mira"),
        (&[("x-user", "mira"), ("x-user", "gone")], "two names"),
        (&[("x-forwarded-user", "mira")], "another header"),
    ] {
        assert_eq!(shown(&app, headers).await, None, "{why}");
    }
    // Its forms are checked like anybody's.
    let form = |origin: String| {
        app.client
            .post(app.url("/forms/dead-letters/acknowledge"))
            .header("x-user", "mira")
            .header("origin", origin)
            .header("content-type", "application/x-www-form-urlencoded")
            .body("id=x&reason=y&key=z")
    };
    app.send(form("http://evil.test".to_owned())).await.expect(403);
    let answer = app.send(form(app.url(""))).await.expect(303);
    assert!(
        !answer.header("location").starts_with("/login"),
        "{}",
        answer.header("location")
    );
    // No session of ours: nothing to sign out of here, and it is said.
    let page = app
        .send(app.client.get(app.url("/permissions")).header("x-user", "mira"))
        .await
        .expect(200);
    assert!(
        page.body.contains("A proxy before this office signs you in"),
        "{}",
        page.body
    );
    assert_eq!(page.header("set-cookie"), "");
    // Their row has a password, and this is not its way in.
    assert!(!page.has("input[type=password]"), "{}", page.body);
    let answer = app
        .send(
            app.client
                .post(app.url("/forms/password"))
                .header("x-user", "mira")
                .header("origin", app.url(""))
                .header("content-type", "application/x-www-form-urlencoded")
                .body("current=correct+horse&password=battery+staple&again=battery+staple"),
        )
        .await
        .expect(303);
    let back = answer.header("location");
    assert!(
        back.starts_with("/permissions?refused=not_allowed_here"),
        "{back}"
    );
    assert_eq!(answer.header("set-cookie"), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stranger_who_sends_the_header_is_not_believed() {
    let app = start("trusted_header = \"X-User\"\ntrusted_from = [\"192.0.2.0/24\", \"::1\"]\n").await;
    app.person("mira", Role::Admin, "correct horse").await;
    let lies = [
        &[("x-user", "mira")][..],
        &[("x-user", "mira"), ("x-forwarded-for", "192.0.2.1")],
        &[
            ("x-user", "mira"),
            ("x-real-ip", "192.0.2.1"),
            ("forwarded", "for=192.0.2.1"),
        ],
    ];
    for headers in lies {
        assert_eq!(shown(&app, headers).await, None, "{headers:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_become_roles_by_the_configured_table() {
    let app = start(
        "trusted_header = \"X-User\"\ntrusted_role_header = \"X-Groups\"\ntrusted_from = [\"127.0.0.0/8\"]\n\
         [sign_in.roles]\nstaff = \"viewer\"\nleads = \"approver\"\n",
    )
    .await;
    for (groups, role) in [
        ("staff", Some("viewer")),
        ("staff, leads", Some("approver")),
        ("admin", None),
        ("", None),
        ("Leads", None),
    ] {
        let seen = shown(&app, &[("x-user", "anybody"), ("x-groups", groups)]).await;
        assert_eq!(seen.as_deref(), role, "{groups}");
    }
    assert_eq!(shown(&app, &[("x-user", "anybody")]).await, None, "no groups");
    app.person("mira", Role::Admin, "correct horse").await;
    for alike in ["Mira", "rnira"] {
        let seen = shown(&app, &[("x-user", alike), ("x-groups", "staff")]).await;
        assert_eq!(seen, None, "{alike} would be taken for mira");
    }
}

#[test]
fn what_would_let_anybody_in_is_refused() {
    let said = |section: &str| {
        let text = format!("[sign_in]\n{section}");
        match Config::from_parts(Some(&text), &[], &Flags::default()) {
            Ok(_) => "nothing was refused".to_owned(),
            Err(error) => error.to_string(),
        }
    };
    for (section, key) in [
        ("trusted_header = \"X-User\"", "sign_in.trusted_from"),
        (
            "trusted_header = \"X User\"\ntrusted_from = [\"::1\"]",
            "sign_in.trusted_header",
        ),
        (
            "trusted_header = \"X-User\"\ntrusted_from = [\"host.test\"]",
            "sign_in.trusted_from[0]",
        ),
        (
            "trusted_role_header = \"X-Groups\"",
            "sign_in.trusted_role_header",
        ),
        (
            "trusted_header = \"X-User\"\ntrusted_from = [\"::1\"]\ntrusted_role_header = \"X-Groups\"",
            "sign_in.roles",
        ),
        ("roles = { bots = \"reporter\" }", "sign_in.roles.bots"),
    ] {
        let words = said(section);
        assert!(words.contains(key), "{section}: {words}");
    }
}
