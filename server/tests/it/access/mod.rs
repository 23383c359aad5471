//! Nobody gets in, nothing leaks: the table of rules against the running program, people and tokens, what the audit
//! keeps of them, limits, a hostile provider, and a crawl for planted secrets.

mod audited;
pub mod crawl;
mod hostile;
mod issuer;
mod limits;
mod people;
mod permissions;
mod proxy;
mod reveals;
mod single_sign_on;
mod tokens;
mod views;
