//! The pieces that pages are made of: plain functions from values to views, without context and without a clock.

pub mod badge;
pub mod changes;
pub mod chart;
pub mod circuit;
pub mod crumbs;
pub mod empty;
pub mod filter;
pub mod form;
pub mod frame;
pub mod guards;
pub mod icon;
pub mod keys;
pub mod lanes;
pub mod lanes_view;
pub mod ledger;
pub mod live;
pub mod meta;
pub mod notice;
pub mod pager;
pub mod piece;
pub mod plan;
pub mod state;
pub mod text;
pub mod time;
pub mod warnings;
pub mod words;
