//! The lanes as a table: one row an event, one shared column of times, a cell a lane.

use super::badge::{Face, Tone, tag};
use super::icon::glyph;
use super::lanes::{Cell, Dot, Lanes, Mark, Moment, Row};
use super::said::said;
use super::time::{day_zoned, moment};
use chrono::{DateTime, Utc};
use leptos::prelude::*;

const WE_ARE_HERE: Face = Face {
    words: "we are here",
    icon: "next",
    tone: Tone::Act,
    place: None,
};

const fn drawing(dot: Dot) -> &'static str {
    match dot {
        Dot::Done => "dot-done",
        Dot::Now => "dot-now",
        Dot::End => "dot-end",
        Dot::Small => "dot-small",
        Dot::Fail => "dot-fail",
        Dot::Todo | Dot::None => "dot-todo",
    }
}

fn event(mark: Mark, side: &'static str, ids: &[&str]) -> AnyView {
    view! {
        <div class="ev" data-dot=mark.dot.as_str()>
            {glyph("", drawing(mark.dot))}
            <div data-l=side>
                <strong>{said(&mark.title, ids)}</strong>
                {mark.here.then(|| view! { " " {tag(WE_ARE_HERE)} })}
                <small>{said(&mark.detail, ids)}</small>
            </div>
        </div>
    }
    .into_any()
}

fn behind(distance: &str) -> AnyView {
    view! {
        <div class="ev" data-dot="none">
            {glyph("", drawing(Dot::None))}
            <div data-l="Our side"><span class="behind">{format!("behind the remote by {distance}")}</span></div>
        </div>
    }
    .into_any()
}

fn cell(cell: Cell, side: &'static str, extra: Option<AnyView>, ids: &[&str]) -> AnyView {
    let content = cell.mark.map(|mark| event(mark, side, ids)).or(extra);
    let empty = content.is_none().then_some("");
    view! { <td role="cell" class="lane" data-rail=cell.rail.as_str() data-empty=empty>{content}</td> }
        .into_any()
}

fn row(row: Row, now: DateTime<Utc>, ids: &[&str]) -> AnyView {
    let mut extra = None;
    let head = match &row.moment {
        Moment::At { at, after } => view! {
            {moment(now, *at)}
            {after.clone().map(|after| view! { <small>{after}</small> })}
        }
        .into_any(),
        Moment::Behind(distance) => {
            extra = Some(behind(distance));
            view! { <span class="n">{format!("+{distance}")}</span> }.into_any()
        }
        Moment::Now(at) => view! { <strong>"now"</strong> <small>{moment(now, *at)}</small> }.into_any(),
    };
    view! {
        <tr role="row">
            <th role="rowheader" scope="row">{head}</th>
            {cell(row.ours, "Our side", extra, ids)}
            {cell(row.remote, "Remote", None, ids)}
        </tr>
    }
    .into_any()
}

pub fn lanes_table(model: Lanes, now: DateTime<Utc>, ids: &[&str]) -> AnyView {
    let left_out = (model.left_out > 0).then(|| {
        let words = super::words::count(
            i64::try_from(model.left_out).unwrap_or(i64::MAX),
            "earlier row is on the timeline below",
            "earlier rows are on the timeline below",
        );
        view! { <p class="dim">{words}</p> }
    });
    let rows = model
        .rows
        .into_iter()
        .map(|one| row(one, now, ids))
        .collect::<Vec<_>>();
    view! {
        {left_out}
        <div class="lanes-box">
            <table class="lanes" role="table" aria-label="Our side and the remote render on one time axis">
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader" scope="col">{day_zoned(now)}</th>
                        <th role="columnheader" scope="col" data-lane="our_side"><b>"Our side"</b> " " <span>{model.ours}</span></th>
                        <th role="columnheader" scope="col" data-lane="remote"><b>"Remote render"</b> " " <span>{model.remote}</span></th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
