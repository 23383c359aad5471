//! A model of the replay protocol (DESIGN 4), made of the product's own rules: two people, two workers with leases, one
//! provider whose answers are seen at most once, crashes and lost answers anywhere, clock steps.
//!
//! `DLO_TEST_LONG=1` searches further.

mod action;
mod check;
mod exhaustive;
mod facts;
mod mutation;
mod mutations;
mod office;
mod people;
mod random;
mod sequences;
mod state;
mod story;
mod wire;
mod worker;
mod world;
mod writes;
