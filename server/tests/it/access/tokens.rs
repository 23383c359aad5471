//! Tokens: their time, their names, and that nothing but their owner holds the secret.

use crate::support::app::{TestApp, system};
use crate::support::backend::Backend;
use app::domain::role::Role;
use chrono::{TimeDelta, Utc};
use server::config::Config;
use server::database::Database;
use server::storage::tokens::{self, NewToken};
use server::values;
use uuid::Uuid;

crate::on_every_backend!(
    a_token_is_worthless_after_its_time,
    a_name_means_one_valid_token,
    the_table_holds_no_secret,
);

async fn start(backend: Backend, database: Database) -> TestApp {
    TestApp::start(backend, database, Config::default()).await
}

async fn make(app: &TestApp, name: &str, secret: &str, days: Option<i64>) -> bool {
    let new = NewToken {
        id: Uuid::now_v7(),
        name,
        role: Role::Viewer,
        secret,
        expires_at: days.map(|days| Utc::now() + TimeDelta::days(days)),
    };
    tokens::create_named(&app.office.database, &system(), &new)
        .await
        .expect("an answer")
}

async fn status(app: &TestApp, secret: &str) -> u16 {
    let request = app.client.get(app.url("/api/v1/queues")).bearer_auth(secret);
    app.send(request).await.status.as_u16()
}

async fn a_token_is_worthless_after_its_time(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    assert!(make(&app, "young", "dlo_young", Some(1)).await);
    assert!(make(&app, "old", "dlo_old", Some(-1)).await);
    assert!(make(&app, "for ever", "dlo_ever", None).await);
    assert_eq!(status(&app, "dlo_young").await, 200);
    assert_eq!(status(&app, "dlo_ever").await, 200);
    assert_eq!(status(&app, "dlo_old").await, 401);
    let mut tx = app.office.database.write().await.expect("a transaction");
    let past = tx.now() - TimeDelta::seconds(1);
    tx.execute(
        "UPDATE dlo_tokens SET expires_at = $1 WHERE name = 'young'",
        values![past],
    )
    .await
    .expect("changed");
    tx.commit().await.expect("kept");
    assert_eq!(status(&app, "dlo_young").await, 401, "from the next request on");
}

async fn a_name_means_one_valid_token(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    assert!(make(&app, "studio", "dlo_one", Some(1)).await);
    assert!(!make(&app, "studio", "dlo_two", None).await);
    assert_eq!(status(&app, "dlo_two").await, 401);
    assert!(make(&app, "studio 2", "dlo_three", None).await);
    let all = tokens::list(&app.office.database).await.expect("tokens");
    let id = all
        .iter()
        .find(|token| token.name == "studio")
        .expect("the first")
        .id;
    assert!(
        tokens::revoke(&app.office.database, &system(), id)
            .await
            .expect("revoked")
    );
    assert!(
        make(&app, "studio", "dlo_four", Some(-1)).await,
        "the name is free again"
    );
    assert!(
        make(&app, "studio", "dlo_five", None).await,
        "an expired one holds no name"
    );
    // Of many at once, one is made.
    let made = futures::future::join_all((0..6).map(|n| {
        let app = &app;
        async move { make(app, "crowd", &format!("dlo_crowd_{n}"), None).await }
    }))
    .await;
    assert_eq!(made.into_iter().filter(|made| *made).count(), 1);
}

async fn the_table_holds_no_secret(backend: Backend, database: Database) {
    let app = start(backend, database).await;
    assert!(make(&app, "studio", "dlo_a_secret_of_ours", None).await);
    let mut tx = app.office.database.read().await.expect("a transaction");
    for row in tx
        .fetch_all("SELECT name, hash FROM dlo_tokens", vec![])
        .await
        .expect("rows")
    {
        let hash = row.text("hash").expect("a hash");
        assert_eq!(hash.len(), 64, "{hash}");
        assert!(hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
    }
    let row = tx
        .fetch_one("SELECT hash FROM dlo_tokens WHERE name = 'studio'", vec![])
        .await
        .expect("one");
    assert_eq!(
        row.text("hash").expect("a hash"),
        tokens::hash("dlo_a_secret_of_ours")
    );
    drop(tx);
    for token in tokens::list(&app.office.database).await.expect("tokens") {
        assert!(!format!("{token:?}").contains("dlo_"), "{token:?}");
    }
}
