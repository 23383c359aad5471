//! The decision table, the labels, the money flag and the guards, from outside.

mod book;
mod competition;
mod decisions;
mod guards;
mod incidents;
mod labels;
mod matrix;
mod money;
mod outputs;
mod sample;
mod words;
mod world;
