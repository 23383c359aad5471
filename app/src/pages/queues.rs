//! `/queues`: Soniq's six keys for each queue, in one consistent snapshot; the jobs that are stuck, and how the dead table
//! grows. Nothing here changes anything. Jobs come and go without being announced, so an open page reads them again with
//! every beat.

use super::error::Problem;
use super::queues_parts::{dead_table, stuck};
use super::{Page, Wanted};
use crate::components::circuit::circuit;
use crate::components::empty::{Empty, empty};
use crate::components::frame::{Section, strip};
use crate::components::ledger::{Breadth, column, figures, ledger};
use crate::components::live::{self, Events};
use crate::components::text::outside;
use crate::components::words::thousands;
use crate::desk::view::Overview;
use crate::desk::{QueuesView, Topic, Totals};
use crate::href::{self, Query};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub now: DateTime<Utc>,
    pub overview: Overview,
    pub queues: QueuesView,
    pub events: Events,
}

fn counts(totals: Totals, dead: AnyView) -> AnyView {
    view! {
        <td role="cell" class="r n" data-l="Queued">{thousands(totals.queued)}</td>
        <td role="cell" class="r n" data-l="Processing">{thousands(totals.processing)}</td>
        <td role="cell" class="r n" data-l="Done">{thousands(totals.done)}</td>
        <td role="cell" class="r n" data-l="Cancelled">{thousands(totals.cancelled)}</td>
        <td role="cell" class="r n" data-l="Dead letters">{dead}</td>
        <td role="cell" class="r n" data-l="Total"><strong>{thousands(totals.total)}</strong></td>
    }
    .into_any()
}

pub fn view(model: Model) -> AnyView {
    let nothing = model.queues.queues.is_empty();
    let stuck = stuck(&model.queues.stuck, model.now);
    let dead_table = dead_table(&model.queues.dead_letters, model.now);
    let circuits: Vec<AnyView> = model
        .queues
        .circuits
        .iter()
        .map(|stated| circuit(stated, model.now))
        .collect();
    let rows = model
        .queues
        .queues
        .into_iter()
        .map(|one| {
            let href = href::with(href::DEAD_LETTERS, &Query::of(&[("queue", &one.queue)]));
            let dead = thousands(one.totals.dead_letter);
            let dead = if one.totals.dead_letter > 0 {
                view! { <a href=href>{dead}</a> }.into_any()
            } else {
                dead.into_any()
            };
            view! {
                <tr role="row" data-queue=one.queue.clone()>
                    <th role="rowheader" scope="row" class="w"><strong class="m">{outside(&one.queue)}</strong></th>
                    {counts(one.totals, dead)}
                </tr>
            }
        })
        .collect::<Vec<_>>();
    let totals = model.queues.totals;
    let all = view! {
        <tr role="row" data-queue-totals="">
            <th role="rowheader" scope="row" class="w"><strong>"All queues"</strong></th>
            {counts(totals, view! { <a href=href::DEAD_LETTERS>{thousands(totals.dead_letter)}</a> }.into_any())}
        </tr>
    };
    let table = ledger(
        "Queues",
        "figures",
        Breadth::Few,
        [
            column("Queue"),
            figures("Queued"),
            figures("Processing"),
            figures("Done"),
            figures("Cancelled"),
            figures("Dead letters"),
            figures("Total"),
        ],
        view! { {rows} {all} },
    );
    let never = nothing.then(|| {
        empty(Empty::Never {
            title: "No queue has ever held a job".to_owned(),
            text: "A queue appears here with its first job or dead letter.".to_owned(),
        })
    });
    view! {
        {strip(model.overview, model.now)}
        <main id="main" class="page" data-live="main" data-events=model.events data-every=live::OFTEN>
            <h1>"Queues"</h1>
            {circuits}
            <div class="spread">
                <div>
                    <section class="block">
                        <h2>"Jobs by queue and status" <small>"one snapshot, in which a job that moves is counted once"</small></h2>
                        {never}
                        {(!nothing).then_some(table)}
                    </section>
                </div>
                <div>{stuck} {dead_table}</div>
            </div>
        </main>
    }
    .into_any()
}

pub(super) async fn load(wanted: Wanted) -> Result<Page, Problem> {
    let Wanted { desk, .. } = wanted;
    let events = live::events(desk.as_ref(), &Topic::Desk).await;
    let queues = desk.queues().await?;
    let overview = desk.overview().await.unwrap_or_default();
    let model = Model {
        now: desk.now(),
        overview,
        queues,
        events,
    };
    Ok(Page {
        title: "Queues".to_owned(),
        section: Section::Queues,
        status: 200,
        body: view(model).into_any(),
    })
}

#[cfg(test)]
pub fn samples(now: DateTime<Utc>) -> Vec<(&'static str, Model)> {
    vec![
        (
            "queues",
            Model {
                now,
                overview: super::samples::overview(),
                queues: super::samples::queues(now),
                events: Some(Topic::Desk.events(Some("m1"))),
            },
        ),
        (
            "queues-empty",
            Model {
                now,
                overview: Overview::default(),
                queues: QueuesView::default(),
                events: None,
            },
        ),
    ]
}
