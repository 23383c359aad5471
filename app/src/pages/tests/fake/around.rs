//! The other traits of the port: what stands around the desk.

use super::FakeDesk;
use crate::desk::*;
use crate::domain::ids::OperationId;
use crate::domain::redact::reveal::Field;
use crate::pages::samples;
use async_trait::async_trait;
use std::sync::Arc;

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
