//! What was begun is worth something once, in its browser, and leads nowhere else.

use super::super::issuer::Issuer;
use super::{Jar, start, start_on};
use crate::support::backend::Backend;
use serde_json::json;
use server::database::Database;
use server::values;

crate::on_every_backend!(a_state_is_worth_something_once_and_in_its_browser);

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
    // A page elsewhere sends a browser here without its cookie: that counts for nobody.
    let guessed = "/login/oidc/callback?state=guessed";
    for _ in 0..30 {
        Jar::new(&app).get(guessed).await.expect(303);
    }
    let mut tries = 0;
    loop {
        let mut jar = Jar::new(&app);
        jar.cookies.insert("dlo_sign_in".to_owned(), "a".repeat(64));
        if jar.get(guessed).await.status.as_u16() == 429 {
            break;
        }
        tries += 1;
        assert!(tries < 40, "without end");
    }
    assert!(begun > 40 && tries >= 20, "{begun} {tries}");
}

/// Whoever is refused may try again, and still comes to where they wanted to be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_keeps_the_way_back() {
    let issuer = Issuer::start().await;
    let app = start(&issuer).await;
    let mut jar = Jar::new(&app);
    for code in ["role_required", "sign_in_refused", "issuer_unavailable"] {
        issuer.now(|ways| match code {
            "role_required" => ways.claims = json!({"groups": ["guests"]}),
            "sign_in_refused" => ways.error = Some("access_denied"),
            _ => ways.token_status = Some(302),
        });
        let answer = jar.signs_in("/queues").await.expect(303);
        let location = answer.header("location").to_owned();
        assert_eq!(
            location,
            format!("/login?next=%2Fqueues&refused={code}&form=single-sign-on")
        );
        let page = jar.get(&location).await.expect(200);
        assert!(
            page.has("a[data-single-sign-on][href='/login/oidc?next=%2Fqueues']")
                && page.has("input[name=next][value='/queues']"),
            "{}",
            page.body
        );
    }
}
