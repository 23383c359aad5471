//! A changed migration must rebuild the program that embeds it.

fn main() {
    println!("cargo::rerun-if-changed=../migrations");
    println!("cargo::rerun-if-changed=../style");
}
