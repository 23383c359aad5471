//! The API's edge: who may call, and what is refused before anything is looked up.

use crate::support::app::{TestApp, fresh_key};
use crate::support::backend::{Backend, Kind};
use app::domain::role::Role;
use reqwest::Method;
use serde_json::{Value, json};
use server::config::Config;
use server::database::Database;
use server::storage::tokens;

crate::on_every_backend!(
    every_described_route_is_guarded,
    malformed_calls_are_told_what_is_wrong,
    a_revoked_token_is_worthless,
    use_of_a_token_is_kept,
    roles_are_checked_on_every_write,
);

async fn start(backend: Backend, database: Database) -> TestApp {
    TestApp::start(backend, database, Config::default()).await
}

/// Every route and method of the description, with an id that nobody has.
async fn described(app: &TestApp) -> Vec<(Method, String)> {
    let answer = app
        .send(app.client.get(app.url("/api/v1/openapi.json")))
        .await
        .expect(200);
    let document = answer.json();
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("an item") {
            let Ok(method) = Method::from_bytes(method.to_uppercase().as_bytes()) else {
                continue;
            };
            assert!(
                operation["responses"]["401"].is_object(),
                "{method} {path} tells of 401"
            );
            let id = if path.starts_with("/operations") {
                "nobody"
            } else {
                "00000000-0000-4000-8000-000000000000"
            };
            routes.push((method, format!("/api/v1{}", path.replace("{id}", id))));
        }
    }
    routes
}

async fn every_described_route_is_guarded(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let routes = described(&app).await;
    assert_eq!(routes.len(), 26, "{routes:?}");
    for (method, path) in routes {
        for token in [None, Some("dlo_unknown"), Some("something else")] {
            let mut request = app.client.request(method.clone(), app.url(&path));
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            let answer = app.send(request).await;
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            answer.refused(401, "unauthenticated");
        }
        if method != Method::GET {
            // Known and guarded: the body is asked for before anything else.
            let request = app
                .client
                .request(method.clone(), app.url(&path))
                .bearer_auth(app.token(Role::Admin));
            let answer = app.send(request.header("idempotency-key", fresh_key())).await;
            answer.refused(415, "unsupported_media_type");
        }
    }
    app.get(Role::Admin, "/api/v1/nothing")
        .await
        .refused(404, "not_found");
    app.get(Role::Admin, "/api/v2/operations")
        .await
        .refused(404, "not_found");
    app.get(Role::Admin, "/api").await.refused(404, "not_found");
    let request = app
        .client
        .delete(app.url("/api/v1/operations/x"))
        .bearer_auth(app.token(Role::Admin));
    app.send(request).await.refused(405, "method_not_allowed");
}

async fn malformed_calls_are_told_what_is_wrong(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let path = "/api/v1/operations/nobody/recoveries";
    let post = || {
        app.client
            .post(app.url(path))
            .bearer_auth(app.token(Role::Operator))
    };
    app.send(post().json(&json!({})))
        .await
        .refused(400, "missing_idempotency_key");
    for bad in ["", "two words", &"k".repeat(201)] {
        let request = post().header("idempotency-key", bad).json(&json!({}));
        app.send(request).await.refused(400, "missing_idempotency_key");
    }
    let keyed = || post().header("idempotency-key", fresh_key());
    app.send(keyed().body("{}"))
        .await
        .refused(415, "unsupported_media_type");
    app.send(
        keyed()
            .header("content-type", "application/x-www-form-urlencoded")
            .body("a=b"),
    )
    .await
    .refused(415, "unsupported_media_type");
    let json = |body: &str| {
        keyed()
            .header("content-type", "application/json")
            .body(body.to_owned())
    };
    for bad in [
        "",
        "{",
        "[]",
        "null",
        "{\"a\": NaN}",
        "{}",
        r#"{"revision": "1", "action": "observe", "reason": "x"}"#,
        r#"{"revision": 1, "action": "explode", "reason": "x"}"#,
        r#"{"revision": 1, "action": "observe", "reason": ""}"#,
        r#"{"revision": 1, "action": "observe", "reason": "x", "dead_letter_id": "no uuid"}"#,
        r#"{"revision": 1, "action": "observe", "reason": "x", "colour": "red"}"#,
        r#"{"revision": 1e99, "action": "observe", "reason": "x"}"#,
    ] {
        app.send(json(bad)).await.refused(400, "invalid_request");
    }
    let long = json!({"revision": 1, "action": "observe", "reason": "ö".repeat(501)});
    app.post(Role::Operator, path, &long)
        .await
        .refused(400, "invalid_request");
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    app.send(json(&deep)).await.refused(400, "invalid_request");

    // Ten megabytes get an answer, not a reset; with and without a length, and also without a token.
    let big = format!("{{\"reason\": \"{}\"}}", "x".repeat(10 * 1024 * 1024));
    app.send(json(&big)).await.refused(413, "body_too_large");
    let chunks = (0..160).map(|_| Ok::<_, std::io::Error>("x".repeat(65_536)));
    let body = reqwest::Body::wrap_stream(futures::stream::iter(chunks));
    let request = keyed().header("content-type", "application/json").body(body);
    app.send(request).await.refused(413, "body_too_large");
    app.send(app.client.post(app.url(path)).body(big.clone()))
        .await
        .refused(401, "unauthenticated");
    app.send(app.client.post(app.url("/api/v1/nothing")).body(big))
        .await
        .refused(401, "unauthenticated");

    for bad in [
        "/api/v1/dead-letters?colour=red",
        "/api/v1/dead-letters?label=made_up",
        "/api/v1/dead-letters?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z",
        "/api/v1/dead-letters?limit=0",
        "/api/v1/dead-letters?limit=201",
        "/api/v1/operations?phase=nowhere",
        "/api/v1/operations?action=",
        "/api/v1/recoveries?state=lost",
        "/api/v1/audit?seq=1",
        "/api/v1/queues?queue=x",
        "/api/v1/operations/x/plan?x=1",
    ] {
        app.get(Role::Viewer, bad).await.refused(400, "invalid_request");
    }
    let reason = json!({"reason": "x"});
    app.get(Role::Viewer, "/api/v1/recoveries/not-a-uuid")
        .await
        .refused(400, "bad_id");
    app.post(Role::Operator, "/api/v1/recoveries/not-a-uuid/cancel", &reason)
        .await
        .refused(400, "bad_id");
    app.get(Role::Viewer, "/api/v1/operations/%FF")
        .await
        .refused(400, "bad_id");
    app.get(Role::Viewer, &format!("/api/v1/operations/{}", "x".repeat(201)))
        .await
        .refused(400, "bad_id");

    let put = |path: &str| {
        let request = app
            .client
            .put(app.url(path))
            .bearer_auth(app.token(Role::Reporter));
        request.json(&json!({"provider": "genace"}))
    };
    app.send(put("/api/v1/operations/x"))
        .await
        .refused(428, "precondition_required");
    let tagged = put("/api/v1/operations/x").header("if-none-match", "\"1\"");
    app.send(tagged).await.refused(428, "precondition_required");
    let patch = || {
        app.client
            .patch(app.url("/api/v1/operations/x"))
            .bearer_auth(app.token(Role::Reporter))
    };
    app.send(patch().json(&json!({})))
        .await
        .refused(428, "precondition_required");
    app.send(patch().header("if-match", "seven").json(&json!({})))
        .await
        .refused(400, "invalid_request");
}

async fn a_revoked_token_is_worthless(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.get(Role::Viewer, "/api/v1/nothing")
        .await
        .refused(404, "not_found");
    let all = tokens::list(&app.office.database).await.expect("tokens");
    let viewer = all
        .iter()
        .find(|token| token.role == Role::Viewer)
        .expect("the viewer's");
    let by = crate::support::app::system();
    assert!(
        tokens::revoke(&app.office.database, &by, viewer.id)
            .await
            .expect("revoked")
    );
    assert!(
        !tokens::revoke(&app.office.database, &by, viewer.id)
            .await
            .expect("revoked already")
    );
    app.get(Role::Viewer, "/api/v1/nothing")
        .await
        .refused(401, "unauthenticated");
}

async fn use_of_a_token_is_kept(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    app.get(Role::Viewer, "/api/v1/nothing")
        .await
        .refused(404, "not_found");
    let kept = async || {
        let all = tokens::list(&app.office.database).await.expect("tokens");
        all.into_iter()
            .find(|token| token.role == Role::Viewer)
            .and_then(|token| token.last_used_at)
    };
    let mut first = kept().await;
    for _ in 0..200 {
        if first.is_some() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        first = kept().await;
    }
    assert!(first.is_some(), "the use is written");
    app.get(Role::Viewer, "/api/v1/nothing")
        .await
        .refused(404, "not_found");
    assert_eq!(kept().await, first, "and not again within a minute");
}

async fn roles_are_checked_on_every_write(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    let order = json!({"revision": 1, "action": "observe", "reason": "looking"});
    let reason = json!({"reason": "looking"});
    let uuid = "00000000-0000-4000-8000-000000000000";
    let writes: [(String, Value); 8] = [
        ("operations/nobody/recoveries".to_owned(), order),
        (
            "operations/nobody/decisions".to_owned(),
            json!({"revision": 1, "decision": "reopen", "reason": "x"}),
        ),
        (format!("recoveries/{uuid}/cancel"), reason.clone()),
        (format!("recoveries/{uuid}/approve"), reason.clone()),
        (format!("dead-letters/{uuid}/replay"), reason.clone()),
        (
            format!("dead-letters/{uuid}/purge"),
            json!({"reason": "x", "confirm": uuid}),
        ),
        (
            format!("dead-letters/{uuid}/link"),
            json!({"reason": "x", "operation_id": "nobody"}),
        ),
        (format!("dead-letters/{uuid}/acknowledge"), reason),
    ];
    for (path, body) in writes {
        for role in [Role::Viewer, Role::Reporter] {
            app.post(role, &format!("/api/v1/{path}"), &body)
                .await
                .refused(403, "role_required");
        }
    }
    for role in [Role::Viewer, Role::Operator, Role::Approver] {
        let facts = json!({"authorized": true, "remaining_credits": "10", "as_of": "2026-01-01T00:00:00Z"});
        app.put(role, "/api/v1/owners/o", &facts)
            .await
            .refused(403, "role_required");
        app.put(role, "/api/v1/specifications/s", &json!({}))
            .await
            .refused(403, "role_required");
        app.put(role, "/api/v1/operations/x", &json!({}))
            .await
            .refused(403, "role_required");
        app.patch(role, "/api/v1/operations/x", 1, &json!({}))
            .await
            .refused(403, "role_required");
        let path = format!("/api/v1/recoveries/{uuid}/report");
        app.post(role, &path, &json!({"outcome": "done"}))
            .await
            .refused(403, "role_required");
    }
    app.get(Role::Viewer, "/api/v1/operations/nobody/candidates")
        .await
        .refused(403, "role_required");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_openapi_names_every_word_as_the_api_says_it() {
    let Some((backend, database)) = Backend::open(Kind::Memory).await else {
        return;
    };
    let app = TestApp::start(backend, database, Config::default()).await;
    let document = app
        .send(app.client.get(app.url("/api/v1/openapi.json")))
        .await
        .expect(200)
        .json();
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["Action"]["enum"][0], "dispatch", "{}", schemas["Action"]);
    for (name, schema) in schemas.as_object().expect("schemas") {
        for word in schema["enum"].as_array().into_iter().flatten() {
            let word = word.as_str().unwrap_or_default();
            assert!(!word.contains(char::is_uppercase), "{name} says {word}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_target_that_is_no_path_is_refused() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let Some((backend, database)) = Backend::open(Kind::Memory).await else {
        return;
    };
    let app = TestApp::start(backend, database, Config::default()).await;
    let mut line = tokio::net::TcpStream::connect(app.address)
        .await
        .expect("a connection");
    line.write_all(b"GET evil.test:80 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
        .await
        .expect("sent");
    let mut answer = String::new();
    line.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}
