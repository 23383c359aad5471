//! Saved views: one's own and shared ones, deleted by their owner only.

use crate::support::backend::Backend;
use crate::web_pages::{form, send, start};
use app::domain::role::Role;
use server::database::Database;

crate::on_every_backend!(filters_get_a_name);

async fn filters_get_a_name(backend: Backend, database: Database) {
    let (app, _stage) = start(backend, database).await;
    let mut approver = app.signed_in(Role::Approver).await;
    let mut viewer = app.signed_in(Role::Viewer).await;
    let filtered = "/dead-letters?label=remote_render_failed&disposition=open";

    let page = approver.get(filtered).await.expect(200);
    let save = form(&page, "form[data-action=save-view]");
    let named = [("name", "Money <b>first</b>"), ("shared", "yes")];
    let after = send(&mut approver, &save, &named).await;
    assert_eq!(after, format!("{filtered}&done=view_saved"));

    let page = viewer.get(filtered).await.expect(200);
    assert!(
        page.has("a[data-view][aria-current]"),
        "it is shared: {}",
        page.body
    );
    assert!(page.body.contains("Money &lt;b&gt;first"), "{}", page.body);
    assert!(
        !page.has("form[data-action=delete-view]"),
        "only its owner deletes it: {}",
        page.body
    );
    assert!(
        !page.has("input[name=shared]"),
        "a viewer shares nothing: {}",
        page.body
    );
    let own = form(&page, "form[data-action=save-view]");
    let shared = send(&mut viewer, &own, &[("name", "mine"), ("shared", "yes")]).await;
    assert!(shared.contains("refused=role_required"), "{shared}");
    viewer.get(&shared).await.expect(200);
    let nameless = send(&mut viewer, &own, &[("name", " ")]).await;
    assert!(nameless.contains("refused=invalid_request"), "{nameless}");
    send(&mut viewer, &own, &[("name", "mine")]).await;
    let page = viewer.get("/dead-letters").await.expect(200);
    let delete = form(&page, "form[data-action=delete-view]");

    let theirs = approver.get("/dead-letters").await.expect(200);
    assert!(
        !theirs.body.contains(">mine<"),
        "it is not shared: {}",
        theirs.body
    );
    let not_theirs = send(&mut approver, &delete, &[]).await;
    assert!(not_theirs.ends_with("done=absent_view"), "{not_theirs}");
    let gone = send(&mut viewer, &delete, &[]).await;
    assert_eq!(gone, "/dead-letters?done=view_deleted");
    let page = viewer.get("/dead-letters").await.expect(200);
    assert!(!page.body.contains(">mine<"), "{}", page.body);
    let operations = viewer.get("/operations").await.expect(200);
    assert!(
        !operations.has("a[data-view]"),
        "each list has its own: {}",
        operations.body
    );
}
