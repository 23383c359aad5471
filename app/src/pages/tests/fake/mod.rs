//! A make-believe port and request: it answers with samples, writes down what was ordered, or refuses.

mod around;
mod desk;

use crate::desk::{Answer, Code, Desk, DeskError};
use crate::edge::{Around, Edge, Reply};
use crate::href::Query;
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
