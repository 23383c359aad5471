//! A link in an incident: it opens what it names, also after sign-in; the operation as a text to paste.

use crate::support::backend::Backend;
use crate::web_pages::{reported, start};
use app::domain::role::Role;
use serde_json::json;
use server::database::Database;

crate::on_every_backend!(a_link_leads_to_what_it_names);

async fn a_link_leads_to_what_it_names(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let fields = json!({"phase": "accepted", "dispatch": "sent", "remote": {"job_id": "gj_1"},
        "error": {"category": "timeout", "detail": "GET https://cdn.example.test/a?X-Amz-Signature=abcdef0123456789"}});
    reported(&app, "/api/v1/operations/a%2Fb%20c", fields).await;
    app.person("ada", Role::Viewer, "a good password").await;

    let mut browser = app.browser();
    let link = "/operations/a%2Fb%20c?at=1&back=label%3Dclosed%26q%3Da%2526b";
    let away = browser.get(link).await.expect(303);
    let login = away.header("location").to_owned();
    assert!(login.starts_with("/login?next="), "{login}");
    let page = browser.get(&login).await.expect(200);
    let (action, fields) = crate::web_pages::form(&page, "form[data-action=sign-in]");
    let next = fields
        .iter()
        .find(|(name, _)| name == "next")
        .map(|(_, value)| value.clone())
        .expect("the way back");
    let answer = browser
        .form(
            &action,
            &[("name", "ada"), ("password", "a good password"), ("next", &next)],
        )
        .await
        .expect(303);
    assert_eq!(answer.header("location"), link, "with its whole query");
    browser.get(answer.header("location")).await.expect(200);

    let page = browser.get("/operations/a%2Fb%20c").await.expect(200);
    let title = page.body.split("<title>").nth(1).unwrap_or_default();
    assert!(
        title.starts_with("a/b c: Render still in progress"),
        "the title says id and label: {title}"
    );
    assert!(page.has("textarea#markdown[readonly]"), "{}", page.body);

    let text = browser.get("/operations/a%2Fb%20c?as=markdown").await.expect(200);
    assert_eq!(text.header("content-type"), "text/markdown; charset=utf-8");
    let url = app.url("/operations/a%2Fb%20c");
    for words in [
        "**`a/b c`** Render still in progress",
        "`gj_1`",
        &format!("<{url}>"),
    ] {
        assert!(text.body.contains(words), "{words}: {}", text.body);
    }
    assert!(
        !text.body.contains("X-Amz-Signature") && text.body.lines().count() < 20,
        "compact and redacted: {}",
        text.body
    );
    browser.get("/operations/none?as=markdown").await.expect(404);
    let nobody = app.browser().get("/operations/a%2Fb%20c?as=markdown").await;
    assert_eq!(nobody.status.as_u16(), 303);
}
