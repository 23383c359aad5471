mod fuzz;
mod json;
mod text;
