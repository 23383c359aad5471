//! Our copies of outputs, through a route of ours: their headers, their ranges, and what is never shown.

use crate::support::app::TestApp;
use crate::support::provider::Stage;
use app::domain::role::Role;
use reqwest::Response;
use serde_json::json;
use server::fixture::output_body;

use crate::support::backend::{Backend, Kind};
use crate::web_pages::reported;

async fn get(app: &TestApp, cookie: &str, path: &str, range: Option<&str>) -> Response {
    let mut request = app.client.get(app.url(path)).header("cookie", cookie);
    if let Some(range) = range {
        request = request.header("range", range);
    }
    request.send().await.expect("an answer")
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

#[tokio::test]
async fn a_copy_is_shown_from_our_store_only() {
    let (backend, database) = Backend::open(Kind::Memory).await.expect("memory is always there");
    let stage = Stage::new("").await;
    let app = TestApp::start(backend, database, stage.config.clone()).await;
    let folder = stage.folder.path().join("copies/op_1/gj_1");
    std::fs::create_dir_all(&folder).expect("a folder");
    let picture = output_body("gj_1", 0, "image/png", 12 * 1024);
    std::fs::write(folder.join("0.png"), &picture).expect("a picture");
    let page = b"<html><script>alert(1)</script></html>";
    std::fs::write(folder.join("1.png"), page).expect("a page that pretends");
    std::fs::write(stage.folder.path().join("copies/secret"), "no").expect("a file");
    let copy =
        |index: u32, state: &str, key: &str| json!({"index": index, "state": state, "storage_key": key});
    let fields = json!({
        "phase": "succeeded", "dispatch": "sent", "remote": {"job_id": "gj_1", "execution": "succeeded",
            "outputs": [{"index": 0, "content_type": "image/png"}, {"index": 1}, {"index": 2}, {"index": 3}, {"index": 4}]},
        "outputs": [
            copy(0, "delivered", "op_1/gj_1/0.png"), copy(1, "delivered", "op_1/gj_1/1.png"),
            copy(2, "failed", "op_1/gj_1/0.png"), copy(3, "delivered", "../secret"),
            copy(4, "delivered", "op_1/gj_1/4.png"),
        ],
    });
    reported(&app, "/api/v1/operations/op_1", fields).await;
    let mut browser = app.signed_in(Role::Viewer).await;
    let operation = browser.get("/operations/op_1").await.expect(200);
    assert!(
        operation.has("[data-preview='0'] img[src='/operations/op_1/outputs/0']"),
        "{}",
        operation.body
    );
    assert!(
        !operation.has("img[src^='http'], video[src^='http']"),
        "nothing comes from elsewhere"
    );
    assert!(
        operation
            .header("content-security-policy")
            .contains("media-src 'self'")
    );
    let cookie = browser.cookie.clone().expect("signed in");

    let shown = get(&app, &cookie, "/operations/op_1/outputs/0", None).await;
    assert_eq!(shown.status(), 200);
    assert_eq!(header(&shown, "content-type"), "image/png");
    assert_eq!(header(&shown, "x-content-type-options"), "nosniff");
    assert_eq!(
        header(&shown, "content-security-policy"),
        "default-src 'none'; sandbox"
    );
    assert_eq!(header(&shown, "cross-origin-resource-policy"), "same-origin");
    assert_eq!(shown.bytes().await.expect("bytes"), picture);

    let part = get(&app, &cookie, "/operations/op_1/outputs/0", Some("bytes=10-19")).await;
    assert_eq!(part.status(), 206);
    assert_eq!(header(&part, "content-range"), "bytes 10-19/12288");
    assert_eq!(part.bytes().await.expect("bytes"), picture[10..20]);
    let beyond = get(&app, &cookie, "/operations/op_1/outputs/0", Some("bytes=99999-")).await;
    assert_eq!(beyond.status(), 416);

    let pretends = get(&app, &cookie, "/operations/op_1/outputs/1", None).await;
    assert_eq!(header(&pretends, "content-type"), "application/octet-stream");
    assert!(header(&pretends, "content-disposition").starts_with("attachment"));
    for (index, why) in [
        ("2", "a copy that failed is none"),
        ("3", "a key that is none of ours opens nothing"),
        ("4", "nothing lies there"),
        ("5", "no such index"),
        ("x", "no index"),
    ] {
        let path = format!("/operations/op_1/outputs/{index}");
        assert_eq!(get(&app, &cookie, &path, None).await.status(), 404, "{why}");
    }
    let away = get(&app, "dlo_session=none", "/operations/op_1/outputs/0", None).await;
    assert_eq!(away.status(), 303, "only for people who are signed in");
}
