//! A person at the pages.

use super::machine::Stage;
use crate::support::app::system;
use app::domain::role::Role;
use server::office::password;
use server::storage::operators;

/// Adds one who may do everything, and signs in; answers the cookie.
pub async fn enters(stage: &Stage, at: &str) -> String {
    exists(stage).await;
    signed_in(stage, at).await
}

/// Adds one who may do everything.
pub async fn exists(stage: &Stage) {
    let hash = password::hash("a good password".to_owned())
        .await
        .expect("a hash");
    operators::add(&stage.database, &system(), "mira", Role::Admin, &hash)
        .await
        .expect("a person");
}

/// Signs in by the form; answers the cookie.
pub async fn signed_in(stage: &Stage, at: &str) -> String {
    let answer = stage
        .client
        .post(format!("{at}/forms/sign-in"))
        .header("origin", at)
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("name=mira&password=a+good+password&next=%2Fqueues")
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status(), 303);
    let cookie = answer.headers()["set-cookie"].to_str().expect("text");
    cookie.split(';').next().expect("a pair").to_owned()
}
