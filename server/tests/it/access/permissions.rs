//! Every route of the running program, asked by everybody, against the one table of rules.

use crate::support::app::{TestApp, fresh_key};
use crate::support::backend::{Backend, Kind};
use app::domain::permission::{Access, Permission, ROUTES, Route};
use app::domain::role::{Caller, Role};
use regex::Regex;
use reqwest::Method;
use serde_json::{Value, json};
use server::config::Config;
use server::web;
use std::collections::BTreeSet;

const UUID: &str = "00000000-0000-4000-8000-000000000000";

async fn start() -> TestApp {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory");
    TestApp::start(backend, database, Config::default()).await
}

fn may(role: Role, permission: Permission) -> bool {
    let name = "x".to_owned();
    Caller { name, role }.has(permission)
}

/// The paths that the router really has, as it prints itself.
fn paths(app: &TestApp) -> BTreeSet<String> {
    let router = web::router(web::Served::new(app.office.clone()), false);
    let printed = format!("{router:?}");
    let path = Regex::new(r#"RouteId\(\d+\): "(/[^"]*)""#).expect("a pattern");
    path.captures_iter(&printed)
        .map(|found| found[1].to_owned())
        // What is below it has routes of its own; the prefix alone is nobody's.
        .filter(|path| !path.contains("__private__") && path != "/api/v1")
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_of_the_router_has_a_rule_and_every_rule_a_route() {
    let app = start().await;
    let mut routed = paths(&app);
    assert!(routed.remove(web::permissions::FORMS), "{routed:?}");
    let forms: BTreeSet<(String, String)> = leptos::server_fn::axum::server_fn_paths()
        .map(|(path, method)| (method.to_string(), path.to_owned()))
        .collect();
    let ruled_forms: BTreeSet<(String, String)> = ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/forms/"))
        .map(|route| (route.method.to_owned(), route.path.to_owned()))
        .collect();
    assert_eq!(forms, ruled_forms, "the forms' functions and their rules");
    let ruled: BTreeSet<String> = ROUTES
        .iter()
        .filter(|route| !route.path.starts_with("/forms/"))
        .map(|route| route.path.to_owned())
        .collect();
    assert_eq!(routed, ruled, "the router's paths and their rules");

    let pages: BTreeSet<String> = leptos_axum::generate_route_list(app::pages::shell)
        .iter()
        .map(|page| page.path().to_owned())
        .collect();
    let ruled: BTreeSet<String> = ROUTES
        .iter()
        .filter(|route| route.is_page || route.path == "/")
        .map(|route| route.path.to_owned())
        .collect();
    assert_eq!(pages, ruled, "the rendered pages and their rules");

    // The description for programs says the same.
    let document = app
        .send(app.client.get(app.url("/api/v1/openapi.json")))
        .await
        .expect(200)
        .json();
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for method in item.as_object().expect("an item").keys() {
            if Method::from_bytes(method.to_uppercase().as_bytes()).is_ok() && method != "parameters" {
                described.insert((method.to_uppercase(), format!("/api/v1{path}")));
            }
        }
    }
    let ruled: BTreeSet<(String, String)> = ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/api/") && route.access != Access::Anyone)
        .map(|route| (route.method.to_owned(), route.path.to_owned()))
        .collect();
    assert_eq!(described, ruled, "the description and the rules");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_method_without_a_rule_is_nobodys() {
    let app = start().await;
    for path in paths(&app) {
        if path == web::permissions::FORMS {
            continue;
        }
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let ruled = app::domain::permission::route(method, &path).is_some();
            if ruled {
                continue;
            }
            let method = Method::from_bytes(method.as_bytes()).expect("a method");
            let request = app
                .client
                .request(method.clone(), app.url(&concrete(&path)))
                .header("origin", app.url(""))
                .bearer_auth(app.token(Role::Admin));
            let status = app.send(request).await.status.as_u16();
            assert_eq!(status, 405, "{method} {path}");
        }
    }
}

/// The path with an id that nobody has.
fn concrete(path: &str) -> String {
    let id = if path.contains("/operations/") {
        "nobody"
    } else {
        UUID
    };
    path.replace("{id}", id)
        .replace("{index}", "0")
        .replace("{file}", "no-such.css")
}

/// A well-formed body of an API call; with `grave`, one that needs the second permission of the route.
fn body(path: &str, grave: bool) -> Value {
    let decision = if grave { "confirm_not_sent" } else { "reopen" };
    let action = if grave { "dispatch" } else { "observe" };
    match path.rsplit('/').next().unwrap_or_default() {
        "recoveries" => json!({"revision": 1, "action": action, "reason": "x"}),
        "decisions" if grave => json!({"revision": 1, "decision": decision, "reason": "x", "evidence": "y"}),
        "decisions" => json!({"revision": 1, "decision": decision, "reason": "x"}),
        "purge" => json!({"reason": "x", "confirm": UUID}),
        "link" => json!({"reason": "x", "operation_id": "nobody"}),
        "report" => json!({"outcome": "done"}),
        "notes" => json!({"text": "x"}),
        "claim" | "release" => json!({}),
        "{id}" => json!({}),
        _other => json!({"reason": "x"}),
    }
}

async fn call(app: &TestApp, route: &Route, token: Option<&str>, grave: bool) -> u16 {
    let method = Method::from_bytes(route.method.as_bytes()).expect("a method");
    let mut request = app.client.request(method.clone(), app.url(&concrete(route.path)));
    if let Some(token) = token {
        request = request.bearer_auth(token);
    }
    if method != Method::GET {
        request = request
            .header("idempotency-key", fresh_key())
            .json(&body(route.path, grave));
    }
    if method == Method::PUT {
        request = request.header("if-none-match", "*");
    }
    if method == Method::PATCH {
        request = request.header("if-match", "\"1\"");
    }
    let answer = app.send(request).await;
    let status = answer.status.as_u16();
    if matches!(status, 401 | 403) {
        let code = if status == 401 {
            "unauthenticated"
        } else {
            "role_required"
        };
        answer.refused(status, code);
    }
    status
}

/// What the table promises.
fn let_in(route: &Route, role: Role, grave: bool) -> bool {
    match route.access {
        Access::Anyone => true,
        Access::With(permission) => may(role, permission),
        Access::ByContent(all) => may(role, all[0]) && (!grave || may(role, all[1])),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_is_answered_to_whom_the_table_lets_in() {
    let app = start().await;
    for route in ROUTES.iter().filter(|route| route.path.starts_with("/api/")) {
        for grave in [false, true] {
            for token in [None, Some("dlo_unknown")] {
                let refused = call(&app, route, token, grave).await == 401;
                assert_eq!(
                    refused,
                    route.access != Access::Anyone,
                    "signed out: {} {}",
                    route.method,
                    route.path
                );
            }
            for role in Role::ALL {
                let status = call(&app, route, Some(app.token(*role)), grave).await;
                assert_ne!(status, 401, "{role}: {} {}", route.method, route.path);
                assert_eq!(
                    status != 403,
                    let_in(route, *role, grave),
                    "{role}: {} {} (grave: {grave}): {status}",
                    route.method,
                    route.path
                );
            }
        }
    }
}

/// Every field that some form wants, well-formed.
fn fields(grave: bool) -> Vec<(&'static str, &'static str)> {
    vec![
        ("operation", "nobody"),
        ("recovery", UUID),
        ("id", UUID),
        ("revision", "1"),
        ("action", if grave { "dispatch" } else { "observe" }),
        ("decision", if grave { "confirm_not_sent" } else { "reopen" }),
        ("evidence", "seen"),
        ("reason", "x"),
        ("confirm", UUID),
        ("text", "seen"),
        ("provider", "genace"),
        ("name", "mine"),
        ("list", "dead_letters"),
        ("query", "label=closed"),
        ("shared", if grave { "yes" } else { "" }),
        ("theme", "dark"),
        ("field", "error"),
        ("density", "dense"),
        ("zone", "utc"),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_form_is_taken_from_whom_the_table_lets_in() {
    let app = start().await;
    let forms: Vec<&Route> = ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/forms/") && route.access != Access::Anyone)
        .collect();
    assert!(forms.len() >= 11);
    for route in &forms {
        let answer = app.browser().form(route.path, &fields(false)).await.expect(303);
        assert!(
            answer.header("location").starts_with("/login?"),
            "signed out: {}",
            route.path
        );
    }
    for role in Role::ALL {
        let mut browser = app.signed_in(*role).await;
        for (route, grave) in forms.iter().flat_map(|route| [(route, false), (route, true)]) {
            let key = fresh_key();
            let mut fields = fields(grave);
            fields.push(("key", &key));
            let answer = browser.form(route.path, &fields).await.expect(303);
            let location = answer.header("location");
            assert!(
                !location.contains("invalid_request"),
                "{}: {location}",
                route.path
            );
            assert_eq!(
                !location.contains("refused=role_required"),
                let_in(route, *role, grave),
                "{role}: {} (grave: {grave}): {location}",
                route.path
            );
            if route.path.starts_with("/forms/sign-out") {
                browser = app.signed_in(*role).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_page_is_shown_to_whom_the_table_lets_in() {
    let app = start().await;
    let pages: Vec<&Route> = ROUTES.iter().filter(|route| route.is_page).collect();
    assert!(pages.len() >= 13);
    for route in &pages {
        let answer = app.browser().get(&concrete(route.path)).await;
        if route.access == Access::Anyone {
            assert!([200, 404].contains(&answer.status.as_u16()), "{}", route.path);
        } else {
            let location = answer.expect(303).header("location").to_owned();
            assert!(location.starts_with("/login?next="), "{}: {location}", route.path);
        }
    }
    for role in Role::ALL {
        let mut browser = app.signed_in(*role).await;
        for route in &pages {
            let answer = browser.get(&concrete(route.path)).await;
            let status = answer.status.as_u16();
            if !let_in(route, *role, false) {
                assert_eq!(status, 403, "{role}: {}", route.path);
                continue;
            }
            let fine = [200, 404].contains(&status) || (route.path == "/login" && status == 303);
            assert!(fine, "{role}: {}: {status}", route.path);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_is_shown_the_table_that_the_server_decides_by() {
    let app = start().await;
    for role in Role::ALL {
        let page = app.signed_in(*role).await.get("/permissions").await.expect(200);
        for permission in Permission::ALL {
            let row = format!(
                "tr[data-permission={permission}][data-may={}]",
                may(*role, *permission)
            );
            assert!(page.has(&row), "{role}: {row}");
        }
        for route in ROUTES.iter().filter(|route| route.access != Access::Anyone) {
            let words = format!("{} {}", route.method, route.path);
            assert!(page.body.contains(&words), "{words}");
        }
    }
}
