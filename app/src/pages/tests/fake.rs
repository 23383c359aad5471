//! A make-believe port and request: it answers with samples, writes down what was ordered, or refuses.

use crate::desk::*;
use crate::domain::audit::AuditEntry;
use crate::domain::ids::{DeadLetterId, JobId, OperationId, QueueJobId, RecoveryId};
use crate::domain::plan::Plan;
use crate::domain::recovery::{Recovery, RecoveryState};
use crate::domain::redact::reveal::Field;
use crate::domain::role::Caller;
use crate::edge::{Around, Edge, Reply};
use crate::href::Query;
use crate::pages::samples;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::executor::block_on;
use leptos::prelude::*;
use leptos_meta::ServerMetaContext;
use leptos_router::location::RequestUrl;
use std::future::Future;
use std::sync::{Arc, Mutex};

/// What happened at the port and to the answer.
#[derive(Default)]
pub struct Log {
    pub orders: Mutex<Vec<String>>,
    pub redirect: Mutex<Option<String>>,
    pub status: Mutex<Option<u16>>,
}

impl Log {
    pub fn redirected(&self) -> String {
        self.redirect.lock().expect("lock").clone().unwrap_or_default()
    }

    pub fn ordered(&self) -> Vec<String> {
        self.orders.lock().expect("lock").clone()
    }

    pub fn status(&self) -> u16 {
        self.status.lock().expect("lock").unwrap_or(200)
    }
}

impl Reply for Arc<Log> {
    fn redirect(&self, path: &str) {
        *self.redirect.lock().expect("lock") = Some(path.to_owned());
    }

    fn status(&self, code: u16) {
        *self.status.lock().expect("lock") = Some(code);
    }
}

/// A port that refuses every order with this code, or takes it.
#[derive(Clone, Default)]
pub struct FakeDesk {
    pub log: Arc<Log>,
    pub refuse: Option<Code>,
    pub down: bool,
    pub around: Around,
}

impl FakeDesk {
    pub fn refusing(code: Code) -> Self {
        Self {
            refuse: Some(code),
            ..Self::default()
        }
    }

    fn order<T>(&self, words: String, answer: T) -> Answer<T> {
        match self.refuse {
            Some(code) => Err(DeskError::new(code, "No.")),
            None => {
                self.log.orders.lock().expect("lock").push(words);
                Ok(answer)
            }
        }
    }

    fn read<T>(&self, answer: T) -> Answer<T> {
        if self.down {
            Err(DeskError::new(Code::Unavailable, "The database did not answer."))
        } else {
            Ok(answer)
        }
    }

    /// Runs something with port and request in the context, as the server does.
    fn within<T, F: Future<Output = T>>(&self, url: &str, run: impl FnOnce() -> F) -> T {
        let owner = Owner::new();
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let edge = Edge {
            path: path.to_owned(),
            query: Query::parse(query),
            form_key: "minted".to_owned(),
            reference: "ref".to_owned(),
            reply: Arc::new(self.log.clone()),
            around: self.around.clone(),
        };
        let desk: Arc<dyn Desk> = Arc::new(self.clone());
        let work = owner.with(|| {
            provide_context(RequestUrl::new(&format!("http://leptos.dev{url}")));
            provide_context(desk);
            provide_context(edge);
            leptos::reactive::computed::ScopedFuture::new(run())
        });
        block_on(work)
    }

    /// The document of a path, without what the server adds to its head.
    pub fn page(&self, url: &str) -> String {
        self.within(url, || async {
            // The server puts the title into the head; here nothing takes it.
            let (meta, _head) = ServerMetaContext::new();
            provide_context(meta);
            crate::pages::shell()
                .to_html_stream_in_order()
                .collect::<String>()
                .await
        })
    }

    /// Runs a server function as its form does.
    pub fn form<F: Future<Output = Result<(), ServerFnError>>>(&self, run: impl FnOnce() -> F) {
        self.within("/forms/x", run)
            .expect("a form's answer is a redirect");
    }
}

#[async_trait]
impl Desk for FakeDesk {
    fn caller(&self) -> Option<Caller> {
        Some(samples::caller())
    }

    fn now(&self) -> DateTime<Utc> {
        samples::now()
    }

    fn issuer(&self) -> Option<String> {
        None
    }

    async fn sign_in(&self, name: &str, _password: &str) -> Answer<Caller> {
        self.order(format!("sign_in {name}"), samples::caller())
    }

    async fn sign_out(&self) -> Answer<()> {
        self.order("sign_out".to_owned(), ())
    }

    async fn sign_out_everywhere(&self) -> Answer<()> {
        self.order("sign_out_everywhere".to_owned(), ())
    }

    async fn change_password(&self, _current: &str, _new: &str) -> Answer<()> {
        self.order("change_password".to_owned(), ())
    }

    async fn may_set_up(&self, link: &str) -> Answer<()> {
        if link == "good" {
            Ok(())
        } else {
            Err(DeskError::new(Code::NotFound, "The link is worth nothing."))
        }
    }

    async fn set_up(&self, link: &str, name: &str, _password: &str) -> Answer<Caller> {
        self.order(format!("set_up {link} {name}"), samples::caller())
    }

    async fn standing(&self) -> Answer<Standing> {
        self.read(samples::standing(self.now()))
    }

    async fn chain(&self) -> Answer<Option<ChainCheck>> {
        self.read(Some(samples::chain(self.now(), None)))
    }

    async fn verify_chain(&self) -> Answer<ChainCheck> {
        self.order("verify_chain".to_owned(), samples::chain(self.now(), None))
    }

    async fn overview(&self) -> Answer<Overview> {
        self.read(samples::overview())
    }

    async fn summary(&self, _filter: &DeadLetterFilter) -> Answer<Summary> {
        self.read(samples::summary())
    }

    async fn hours(&self, _filter: &DeadLetterFilter) -> Answer<Hours> {
        self.read(samples::hours(self.now()))
    }

    async fn categories(&self, _filter: &DeadLetterFilter) -> Answer<Vec<CategoryCount>> {
        self.read(samples::categories(self.now()))
    }

    async fn mark(&self, _topic: &Topic) -> Answer<String> {
        self.read("m1".to_owned())
    }

    async fn dead_letters(
        &self,
        _filter: &DeadLetterFilter,
        _page: &PageRequest,
    ) -> Answer<Arc<PageOf<DeadLetterRow>>> {
        let rows = samples::dead_letters(self.now())
            .into_iter()
            .map(|one| DeadLetterRow::Readable(Box::new(one)));
        self.read(Arc::new(PageOf {
            items: rows.collect(),
            next_cursor: None,
        }))
    }

    async fn dead_letter(&self, id: &str) -> Answer<LetterFound> {
        let found = samples::dead_letters(self.now())
            .into_iter()
            .find(|one| one.id.to_string() == id);
        found
            .map(|one| LetterFound::Readable(Box::new(one)))
            .ok_or_else(|| DeskError::new(Code::NotFound, "It is not there."))
    }

    async fn operations(
        &self,
        _filter: &OperationFilter,
        _page: &PageRequest,
    ) -> Answer<PageOf<OperationRow>> {
        self.read(PageOf {
            items: samples::operation_rows(self.now()),
            next_cursor: None,
        })
    }

    async fn operation(&self, id: &OperationId) -> Answer<OperationView> {
        let view = samples::half_delivered(self.now());
        if *id == view.id {
            self.read(view)
        } else if id.as_str() == "a/b c" {
            self.read(OperationView {
                id: id.clone(),
                ..samples::contested(self.now())
            })
        } else {
            Err(DeskError::new(Code::NotFound, "It is not on record."))
        }
    }

    async fn plan(
        &self,
        id: &OperationId,
        observe: Option<&JobId>,
        _led_by: Option<DeadLetterId>,
    ) -> Answer<Plan> {
        let view = self.operation(id).await?;
        Ok(observe.map_or_else(
            || view.plan.clone(),
            |job| samples::observe_plan(&view, job.as_str()),
        ))
    }

    async fn candidates(&self, _id: &OperationId) -> Answer<Candidates> {
        self.read(samples::candidates())
    }

    async fn recoveries(&self, _filter: &RecoveryFilter, _page: &PageRequest) -> Answer<PageOf<Recovery>> {
        self.read(PageOf {
            items: samples::recoveries(self.now()),
            next_cursor: None,
        })
    }

    async fn recovery(&self, id: &str) -> Answer<Recovery> {
        let found = samples::recoveries(self.now())
            .into_iter()
            .find(|one| one.id.to_string() == id);
        found.ok_or_else(|| DeskError::new(Code::NotFound, "It is not there."))
    }

    async fn queues(&self) -> Answer<QueuesView> {
        self.read(QueuesView::default())
    }

    async fn audit(&self, _filter: &AuditFilter, _page: &PageRequest) -> Answer<PageOf<AuditEntry>> {
        self.read(PageOf {
            items: samples::audit(self.now()),
            next_cursor: None,
        })
    }

    async fn confirm(&self, operation: &OperationId, order: RecoveryOrder, key: &str) -> Answer<Ordered> {
        let job = order.job_id.map_or_else(|| "-".to_owned(), |job| job.to_string());
        let words = format!(
            "confirm {operation} {} r{} {job} {} {key}",
            order.action, order.revision, order.reason
        );
        let recovery_id = RecoveryId(uuid::Uuid::nil());
        self.order(
            words,
            Ordered {
                recovery_id,
                state: RecoveryState::Requested,
                job_id: None,
            },
        )
    }

    async fn decide(&self, operation: &OperationId, order: DecisionOrder, key: &str) -> Answer<(i64, Plan)> {
        let words = format!(
            "decide {operation} {} r{} {} {key}",
            order.decision.kind(),
            order.revision,
            order.reason
        );
        self.order(
            words,
            (order.revision + 1, samples::half_delivered(self.now()).plan),
        )
    }

    async fn approve(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery> {
        let first = samples::recoveries(self.now()).remove(0);
        self.order(format!("approve {recovery} {reason} {key}"), first)
    }

    async fn cancel(&self, recovery: RecoveryId, reason: &str, key: &str) -> Answer<Recovery> {
        let first = samples::recoveries(self.now()).remove(0);
        self.order(format!("cancel {recovery} {reason} {key}"), first)
    }

    async fn replay(&self, id: &str, reason: &str, key: &str) -> Answer<QueueJobId> {
        self.order(
            format!("replay {id} {reason} {key}"),
            QueueJobId(uuid::Uuid::nil()),
        )
    }

    async fn purge(&self, id: &str, reason: &str, confirm: &str, key: &str) -> Answer<bool> {
        self.order(format!("purge {id} {reason} {confirm} {key}"), true)
    }

    async fn link(&self, id: &str, operation: &OperationId, reason: &str, key: &str) -> Answer<()> {
        self.order(format!("link {id} {operation} {reason} {key}"), ())
    }

    async fn acknowledge(&self, id: &str, reason: &str, key: &str) -> Answer<()> {
        self.order(format!("acknowledge {id} {reason} {key}"), ())
    }
}

#[async_trait]
impl Notes for FakeDesk {
    async fn write_note(&self, operation: &OperationId, text: &str, key: &str) -> Answer<NoteView> {
        self.order(
            format!("note {operation} {text} {key}"),
            samples::notes(self.now()).remove(0),
        )
    }
}

#[async_trait]
impl Reveals for FakeDesk {
    async fn revealable(&self, _id: &str) -> Answer<Vec<Field>> {
        self.read(Vec::new())
    }

    async fn reveal(&self, id: &str, field: &str, reason: &str) -> Answer<String> {
        self.order(format!("reveal {id} {field} {reason}"), "ticket-1".to_owned())
    }

    async fn revealed(&self, id: &str, ticket: &str) -> Answer<Revealed> {
        let (_, model) = crate::pages::reveal::samples().remove(0);
        self.order(format!("revealed {id} {ticket}"), model.revealed)
    }
}

#[async_trait]
impl Claims for FakeDesk {
    async fn claim(&self, operation: &OperationId, key: &str) -> Answer<ClaimView> {
        let held = samples::mine(self.now()).claim.expect("a claim");
        self.order(format!("claim {operation} {key}"), held)
    }

    async fn release(&self, operation: &OperationId, key: &str) -> Answer<bool> {
        self.order(format!("release {operation} {key}"), true)
    }
}

#[async_trait]
impl Revisions for FakeDesk {
    async fn revision(&self, _operation: &OperationId, revision: i64) -> Answer<RevisionView> {
        let view = samples::revision(self.now());
        match revision {
            5 => self.read(view),
            1..=4 => self.read(RevisionView {
                revision,
                then: None,
                ..view
            }),
            _ => Err(DeskError::new(Code::NotFound, "It has not been there.")),
        }
    }
}

#[async_trait]
impl PreferenceDesk for FakeDesk {
    async fn prefer(&self, chosen: Preferences) -> Answer<()> {
        let words = format!(
            "prefer {} {} {} {}",
            chosen.theme, chosen.density, chosen.zone, chosen.shortcuts
        );
        self.order(words, ())
    }
}

#[async_trait]
impl Pieces for FakeDesk {
    async fn shelf(&self) -> Option<Arc<dyn Shelf>> {
        None
    }
}

#[async_trait]
impl Views for FakeDesk {
    async fn views(&self, list: ViewedList) -> Answer<Vec<SavedView>> {
        self.read(samples::views(list))
    }

    async fn save_view(&self, order: ViewOrder) -> Answer<()> {
        let words = format!(
            "save_view {} {} {} {}",
            order.list, order.name, order.query, order.shared
        );
        self.order(words, ())
    }

    async fn delete_view(&self, id: i64) -> Answer<bool> {
        self.order(format!("delete_view {id}"), id == 1)
    }
}

#[async_trait]
impl Providers for FakeDesk {
    async fn providers(&self) -> Answer<Vec<ProviderView>> {
        self.read(samples::providers(self.now()))
    }

    async fn pause(&self, provider: &str, reason: &str, key: &str) -> Answer<()> {
        self.order(format!("pause {provider} {reason} {key}"), ())
    }

    async fn resume(&self, provider: &str, reason: &str, key: &str) -> Answer<bool> {
        self.order(format!("resume {provider} {reason} {key}"), true)
    }
}
