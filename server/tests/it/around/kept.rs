//! What stands around every page is read once while nothing changes, and again when another process changed it.

use crate::support::backend::{Backend, Kind};
use app::desk::{Preferences, Theme, ViewOrder, ViewedList};
use app::domain::role::{Caller, Role};
use server::config::{Config, Flags};
use server::database::Database;
use server::office::Office;
use server::office::kept::Moment;
use std::sync::Arc;

crate::on_every_backend!(what_another_process_chose_is_seen_at_the_next_moment);

/// An office that knows a provider, on this database.
fn office(database: Database) -> Office {
    let text = "[providers.genace]\nprofile = \"genace\"\nbase_url = \"https://api.example.test\"\n";
    let config = Config::from_parts(Some(text), &[], &Flags::default()).expect("a configuration");
    Office::new(database, Arc::new(config))
}

async fn what_another_process_chose_is_seen_at_the_next_moment(backend: Backend, database: Database) {
    let second = match backend.kind {
        Kind::Memory => database.clone(),
        Kind::Sqlite | Kind::Postgres => Database::open(&backend.location).await.expect("it opens again"),
    };
    let (here, there) = (office(database), office(second));
    let admin = Caller {
        name: "ada".to_owned(),
        role: Role::Admin,
    };
    let seen = async || {
        let moment = Moment::default();
        let views = here.views(&moment, &admin, ViewedList::DeadLetters).await;
        (
            here.preferences(&moment, &admin.name).await.theme,
            here.paused(&moment).await.len(),
            views.expect("views").len(),
        )
    };
    let before = seen().await;
    assert_eq!(before, (Theme::System, 0, 0));
    assert_eq!(seen().await, before, "nothing was changed");

    let dark = Preferences {
        theme: Theme::Dark,
        ..Preferences::default()
    };
    there.prefer(&admin, &dark).await.expect("chosen");
    assert_eq!(seen().await, (Theme::Dark, 0, 0));
    there
        .switch_creation(&admin, "genace", true, "an outage", "key-1")
        .await
        .expect("paused");
    assert_eq!(seen().await, (Theme::Dark, 1, 0));
    let view = ViewOrder {
        name: "mine".to_owned(),
        list: ViewedList::DeadLetters,
        query: "label=closed".to_owned(),
        shared: false,
    };
    there.save_view(&admin, &view).await.expect("saved");
    assert_eq!(seen().await, (Theme::Dark, 1, 1));
    there
        .switch_creation(&admin, "genace", false, "over", "key-2")
        .await
        .expect("resumed");
    assert_eq!(seen().await, (Theme::Dark, 0, 1));
    // Of another person nothing of this is said.
    let theirs = here.preferences(&Moment::default(), "bob").await;
    assert_eq!(theirs, Preferences::default());
}
