mod fuzz;
mod json;
mod reveal;
mod text;
