//! The scenarios without the office around them: a stub takes the reports, applies them as pure functions, and the
//! decision table says where each case stands.

use super::application::{Message, QUEUES};
use super::cast::{Case, cast};
use super::scenarios::scenarios;
use super::settings::{self, Places};
use super::stage::{Closed, Stage, script};
use crate::database::{Database, Location};
use crate::fixture::Fixture;
use crate::storage::jobs;
use app::domain::dead_letter::{Disposition, Message as Letter, MessageFacts};
use app::domain::evidence::Evidence;
use app::domain::ids::{DeadLetterId, JobId, OperationId};
use app::domain::operation::Operation;
use app::domain::plan::decide;
use app::domain::redact::safe_error;
use app::domain::transition::report::{apply_patch, parse_patch, parse_put};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::put;
use axum::{Json, Router};
use chrono::Utc;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

type Records = Arc<Mutex<HashMap<String, Operation>>>;

async fn put_one(State(records): State<Records>, Path(id): Path<String>, Json(body): Json<Value>) -> Response {
    let new = parse_put(&body).expect("a valid record");
    let record = new.into_record(OperationId(id.clone()), None, Utc::now(), |_| false);
    records.lock().expect("records").insert(id, record);
    (StatusCode::CREATED, Json(json!({}))).into_response()
}

async fn patch_one(State(records): State<Records>, Path(id): Path<String>, Json(body): Json<Value>) -> Response {
    let mut records = records.lock().expect("records");
    let patch = parse_patch(&body).unwrap_or_else(|invalid| panic!("{id}: {invalid:?}: {body}"));
    let held: BTreeSet<JobId> =
        records.values().filter(|other| other.id.as_str() != id).filter_map(|other| other.job_id.clone()).collect();
    let before = records.get(&id).expect("a known record").clone();
    match apply_patch(&before, &patch, Utc::now(), |job| held.contains(job)) {
        Ok(change) => {
            records.insert(id, change.record);
            Json(json!({})).into_response()
        }
        Err(refusal) => {
            eprintln!("{id}: {refusal:?}: {body}");
            (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({ "code": refusal.code }))).into_response()
        }
    }
}

async fn get_one(State(records): State<Records>, Path(id): Path<String>) -> Response {
    match records.lock().expect("records").get(&id) {
        Some(record) => Json(json!({ "revision": record.revision })).into_response(),
        None => (StatusCode::NOT_FOUND, Json(json!({ "code": "not_found" }))).into_response(),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_case_ends_in_its_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let places = Places::within(folder.path());
    std::fs::write(&places.key, "gna_live_key").expect("a key");
    let fixture = Fixture::start("127.0.0.1:0".parse().expect("an address")).await.expect("the fixture");
    let config = settings::office(&places, &fixture, "127.0.0.1:0").expect("a configuration");
    let database = Database::open(&Location::File(places.database.clone())).await.expect("a database");
    database.migrate().await.expect("migrated");
    let records: Records = Arc::default();
    let stub = Router::new()
        .route("/api/v1/operations/{id}", put(put_one).patch(patch_one).get(get_one))
        .with_state(Arc::clone(&records));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let office = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, stub).await });
    let cases = cast(scenarios());
    script(&fixture, &cases);
    let closed = Closed::new().expect("a closed port");
    let stage = Stage {
        places: &places,
        config: &config,
        fixture: &fixture,
        closed: &closed,
        database: &database,
        office: &office,
        token: "dlo_x".to_owned(),
        key: "gna_live_key",
    };
    let application = Arc::new(stage.application(&cases).await.expect("the application"));
    for case in &cases {
        application.want(case).await.expect("wanted");
    }
    super::strays::send(&application.outbox).await.expect("sent");
    let letters: Arc<Mutex<Vec<Letter>>> = Arc::default();
    let started = std::time::Instant::now();
    let workers: Vec<_> = (0..8)
        .map(|_| {
            let (application, database, letters) = (Arc::clone(&application), database.clone(), Arc::clone(&letters));
            tokio::spawn(async move {
                let queues = QUEUES.map(str::to_owned);
                loop {
                    let mut tx = database.write().await.expect("tx");
                    let claimed = jobs::claim(&mut tx, Some(&queues), chrono::Duration::seconds(30)).await.expect("claim");
                    tx.commit().await.expect("commit");
                    let Some(job) = claimed else {
                        if application.outbox.busy().await.expect("busy").is_empty() {
                            return;
                        }
                        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                        continue;
                    };
                    let args: Value = serde_json::from_slice(&job.args).unwrap_or_default();
                    let known = super::application::JOB_NAMES.contains(&job.job_name.as_str());
                    let outcome = match args.as_object() {
                        Some(args) if known => {
                            let message = Message {
                                id: job.id.0,
                                job_name: job.job_name.clone(),
                                args: args.clone(),
                                attempt: job.attempt,
                                max_attempts: job.max_attempts,
                            };
                            application.handle(&message).await
                        }
                        _ => Err(super::application::Failure::permanent(
                            app::domain::operation::ErrorCategory::HandlerMissing,
                            "not registered",
                        )),
                    };
                    let mut tx = database.write().await.expect("tx");
                    match outcome {
                        Ok(()) => {
                            jobs::finish(&mut tx, job.id, job.attempt, None, chrono::Duration::seconds(1)).await.expect("finish");
                        }
                        Err(failure) if failure.permanent || job.attempt >= job.max_attempts => {
                            let guessed = safe_error(&failure.text).0;
                            if guessed != failure.category {
                                eprintln!("CATEGORY {} {} guessed {guessed}", failure.category, failure.text);
                            }
                            jobs::move_to_dead_letters(&mut tx, job.id, "max_retries_exceeded", Some(job.attempt), &failure.text).await.expect("move");
                            letters.lock().expect("letters").push(Letter {
                                id: DeadLetterId(job.id.0),
                                facts: MessageFacts {
                                    operation_id: args["operation_id"].as_str().map(OperationId::from),
                                    job_id: args["job_id"].as_str().map(JobId::from),
                                    action: None,
                                    error_category: None,
                                },
                                attempts: job.attempt,
                                died_at: Utc::now(),
                                resurrections: 0,
                                own_replays: 0,
                                last_resurrection_at: None,
                                purged: false,
                                disposition: Disposition::Open,
                            });
                        }
                        Err(failure) => {
                            jobs::retry(&mut tx, job.id, job.attempt, &failure.text, chrono::Duration::seconds(1)).await.expect("retry");
                        }
                    }
                    tx.commit().await.expect("commit");
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.expect("a worker");
    }
    eprintln!("took {:?}", started.elapsed());
    let letters = letters.lock().expect("letters").clone();
    let records = records.lock().expect("records").clone();
    let posts = fixture.posts();
    let mut wrong = Vec::new();
    for case in &cases {
        judge(case, &records, &letters, &posts, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn judge(
    case: &Case,
    records: &HashMap<String, Operation>,
    letters: &[Letter],
    posts: &[crate::fixture::PostRecord],
    wrong: &mut Vec<String>,
) {
    let record = &records[case.id.as_str()];
    let messages: Vec<Letter> =
        letters.iter().filter(|letter| letter.facts.operation_id.as_ref() == Some(&case.id)).cloned().collect();
    let held = records.values().filter(|other| other.id != case.id).filter_map(|other| other.job_id.clone()).collect();
    let evidence = Evidence { messages: messages.clone(), held_elsewhere: held, ..Evidence::default() };
    let plan = decide(record, &evidence, Utc::now());
    let sent = posts.iter().filter(|post| post.client_reference.as_deref() == Some(case.id.as_str())).count();
    let (name, scenario) = (case.scenario.name, &case.scenario);
    if (plan.row, plan.label, sent, messages.len()) != (scenario.row, scenario.label, scenario.posts, scenario.deaths) {
        wrong.push(format!(
            "{name}: row {} {} posts {sent} deaths {} (wanted {} {} {} {}) phase {} dispatch {} {:?}",
            plan.row, plan.label, messages.len(), scenario.row, scenario.label, scenario.posts, scenario.deaths,
            record.phase, record.dispatch, record.remote
        ));
    }
}
