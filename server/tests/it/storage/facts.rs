//! Facts, pauses, decisions and reservations.

use crate::support::backend::Backend;
use crate::support::sample::{moment, operation};
use app::desk::DecisionView;
use app::domain::attempt::{Receipt, ReceiptKind};
use app::domain::decision::DecisionKind;
use app::domain::guard::{OwnerFacts, ProviderFacts, SpecificationFacts};
use app::domain::ids::{AttemptId, JobId, OperationId, RecoveryId};
use app::domain::operation::Operation;
use app::domain::plan::Action;
use app::domain::role::{Caller, Role};
use chrono::Duration;
use rust_decimal::Decimal;
use serde_json::json;
use server::config::{Config, Flags};
use server::database::{Database, Tx};
use server::storage::guard_facts::{self, Asker};
use server::storage::{attempts, decisions, facts, operations, providers, reservations};
use server::values;
use uuid::Uuid;

crate::on_every_backend!(
    older_facts_are_ignored,
    a_body_is_write_only,
    a_pause_has_a_reason,
    decisions_are_listed,
    reservations_end,
    guards_get_their_facts,
);

fn owner(credits: &str) -> OwnerFacts {
    OwnerFacts {
        id: "owner-1".to_owned(),
        authorized: true,
        remaining_credits: credits.parse().expect("an amount"),
        as_of: moment(),
    }
}

fn specification() -> SpecificationFacts {
    SpecificationFacts {
        id: "spec-1".to_owned(),
        current_revision: 3,
        model: Some("m".to_owned()),
        model_available: true,
        active: true,
        estimated_credits: "2.50".parse().expect("an amount"),
        has_body: false,
        as_of: moment(),
    }
}

async fn older_facts_are_ignored(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    assert_eq!(
        facts::put_owner(&mut tx, &owner("10.50")).await.expect("put"),
        owner("10.50")
    );
    let older = OwnerFacts {
        as_of: moment() - Duration::seconds(1),
        ..owner("99")
    };
    assert_eq!(
        facts::put_owner(&mut tx, &older).await.expect("put"),
        owner("10.50")
    );
    let ahead = OwnerFacts {
        as_of: tx.now() + Duration::days(400),
        authorized: false,
        ..owner("3")
    };
    let stands = facts::put_owner(&mut tx, &ahead).await.expect("put");
    assert_eq!((stands.as_of, stands.authorized), (tx.now(), false));
    facts::lock_owner(&mut tx, "owner-1").await.expect("lock");
    facts::lock_owner(&mut tx, "nobody").await.expect("lock");
    assert_eq!(facts::owner(&mut tx, "nobody").await.expect("owner"), None);
}

async fn a_body_is_write_only(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    let body = json!({"prompt": "secret", "n": 1});
    let stands = facts::put_specification(&mut tx, &specification(), Some(&body))
        .await
        .expect("put");
    assert_eq!(
        stands,
        SpecificationFacts {
            has_body: true,
            ..specification()
        }
    );
    let kept = facts::put_specification(&mut tx, &specification(), None)
        .await
        .expect("put");
    assert!(
        kept.has_body,
        "an absent body leaves the one of the same revision"
    );
    assert_eq!(
        facts::specification_body(&mut tx, "spec-1", 3)
            .await
            .expect("body"),
        Some(body)
    );
    assert_eq!(
        facts::specification_body(&mut tx, "spec-1", 2)
            .await
            .expect("body"),
        None
    );
    let next = SpecificationFacts {
        current_revision: 4,
        ..specification()
    };
    assert!(
        !facts::put_specification(&mut tx, &next, None)
            .await
            .expect("put")
            .has_body
    );
    let older = SpecificationFacts {
        active: false,
        as_of: moment() - Duration::seconds(1),
        ..specification()
    };
    assert!(
        facts::put_specification(&mut tx, &older, None)
            .await
            .expect("put")
            .active
    );
    assert_eq!(facts::specification(&mut tx, "none").await.expect("none"), None);
}

async fn a_pause_has_a_reason(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    assert_eq!(providers::paused(&mut tx, "genace").await.expect("paused"), None);
    providers::pause(&mut tx, "genace", "bill", "ann")
        .await
        .expect("pause");
    providers::pause(&mut tx, "genace", "outage", "bob")
        .await
        .expect("pause");
    assert_eq!(
        providers::paused(&mut tx, "genace")
            .await
            .expect("paused")
            .as_deref(),
        Some("outage")
    );
    assert!(providers::resume(&mut tx, "genace").await.expect("resume"));
    assert!(!providers::resume(&mut tx, "genace").await.expect("resume"));
}

async fn decisions_are_listed(_backend: Backend, database: Database) {
    let id = OperationId::from("op");
    let mut tx = database.write().await.expect("begin");
    let decision = DecisionView {
        at: tx.now(),
        by: "ann".to_owned(),
        role: "operator".to_owned(),
        decision: DecisionKind::ChooseJob,
        reason: "r".to_owned(),
        detail: json!({"job_id": "gj_1"}),
        revision: 4,
    };
    decisions::insert(&mut tx, &id, &decision).await.expect("insert");
    assert_eq!(decisions::list(&mut tx, &id).await.expect("list"), [decision]);
}

/// A recovery that holds back credits, as its confirmation writes it.
async fn reserve(tx: &mut Tx, number: u128, operation: &str, credits: &str) -> RecoveryId {
    let id = RecoveryId(Uuid::from_u128(number));
    let now = tx.now();
    tx.execute(
        "INSERT INTO dlo_recoveries (id, operation_id, action, effect, state, requested_by, requested_role, reason, \
         revision_before, owner, reserved, reservation_open, created_at, heard_at) \
         VALUES ($1, $2, 'dispatch', 'submits_new_generation', 'requested', 'ann', 'approver', 'r', 1, 'owner-1', $3, \
         $4, $5, $6)",
        values![id, &OperationId::from(operation), credits, true, now, now],
    )
    .await
    .expect("recovery");
    id
}

async fn reservations_end(_backend: Backend, database: Database) {
    let mut tx = database.write().await.expect("begin");
    let first = reserve(&mut tx, 1, "a", "1.25").await;
    let second = reserve(&mut tx, 2, "b", "2").await;
    let sum = async |tx: &mut Tx, except| reservations::open_sum(tx, "owner-1", except).await.expect("sum");
    assert_eq!(sum(&mut tx, None).await, Decimal::new(325, 2));
    assert_eq!(sum(&mut tx, Some(first)).await, Decimal::from(2));
    let attempt = AttemptId(Uuid::from_u128(9));
    let id = OperationId::from("a");
    attempts::insert(&mut tx, &id, first, attempt)
        .await
        .expect("attempt");
    let later = tx.now() + Duration::seconds(1);
    reservations::end_counted(&mut tx, "owner-1", later)
        .await
        .expect("end");
    assert_eq!(
        sum(&mut tx, None).await,
        Decimal::new(325, 2),
        "nothing came back yet"
    );
    let receipt = Receipt {
        kind: ReceiptKind::Accepted,
        status: Some(201),
        job_id: Some(JobId::from("gj_1")),
        job_id_at: None,
        charge: None,
        detail: String::new(),
        category: None,
    };
    attempts::append_receipt(&mut tx, &id, attempt, &receipt)
        .await
        .expect("receipt");
    let same = tx.now();
    reservations::end_counted(&mut tx, "owner-1", same)
        .await
        .expect("end");
    assert_eq!(
        sum(&mut tx, None).await,
        Decimal::new(325, 2),
        "the facts are not younger than the receipt"
    );
    reservations::end_counted(&mut tx, "owner-1", later)
        .await
        .expect("end");
    assert_eq!(sum(&mut tx, None).await, Decimal::from(2));
    reservations::end_of_operation(&mut tx, &OperationId::from("b"))
        .await
        .expect("end");
    assert_eq!(sum(&mut tx, None).await, Decimal::ZERO);
    reservations::end(&mut tx, second).await.expect("end");
}

async fn guards_get_their_facts(_backend: Backend, database: Database) {
    let text = "[providers.genace]\nprofile = \"genace\"\nbase_url = \"https://api.example.test\"\naccount = \"main\"\n";
    let config = Config::from_parts(Some(text), &[], &Flags::default()).expect("a configuration");
    let caller = Caller {
        name: "ann".to_owned(),
        role: Role::Approver,
    };
    let mut tx = database.write().await.expect("begin");
    let parent = operation("parent");
    let child = Operation {
        parent: Some(parent.id.clone()),
        ..operation("child")
    };
    operations::create(&mut tx, &parent, &[]).await.expect("insert");
    operations::create(&mut tx, &child, &[]).await.expect("insert");
    facts::put_owner(&mut tx, &owner("5")).await.expect("owner");
    facts::put_specification(&mut tx, &specification(), None)
        .await
        .expect("specification");
    providers::pause(&mut tx, "genace", "bill", "ann")
        .await
        .expect("pause");
    let active = reserve(&mut tx, 1, "child", "1").await;
    let planning = Asker::planning(&caller, None);
    let gathered = guard_facts::gather(&mut tx, &config, &child, Action::Dispatch, &planning)
        .await
        .expect("facts");
    assert_eq!(gathered.active_recovery, Some(active));
    assert_eq!(gathered.reserved_elsewhere, Decimal::ONE);
    assert_eq!(gathered.owner, Some(owner("5")));
    assert_eq!(gathered.specification, Some(specification()));
    assert!(gathered.parent.is_some_and(|parent| !parent.still_allows));
    let ProviderFacts::Configured {
        fingerprint,
        creation_paused,
    } = gathered.provider
    else {
        panic!("configured")
    };
    assert_eq!(creation_paused.as_deref(), Some("bill"));
    assert_eq!(Some(fingerprint), guard_facts::pin(&config, "genace", ""));
    assert_ne!(
        guard_facts::pin(&config, "genace", ""),
        guard_facts::pin(&config, "genace", "second")
    );
    assert_eq!(guard_facts::pin(&config, "elsewhere", ""), None);
    let executing = Asker {
        except: Some((active, None)),
        ..planning
    };
    let gathered = guard_facts::gather(&mut tx, &config, &child, Action::Dispatch, &executing)
        .await
        .expect("facts");
    assert_eq!(
        (gathered.active_recovery, gathered.reserved_elsewhere),
        (None, Decimal::ZERO)
    );
    let unknown = Operation {
        provider: "elsewhere".to_owned(),
        parent: None,
        ..operation("x")
    };
    let gathered = guard_facts::gather(&mut tx, &config, &unknown, Action::Observe, &executing)
        .await
        .expect("facts");
    assert_eq!(
        (gathered.provider, gathered.parent),
        (ProviderFacts::Missing, None)
    );
}
