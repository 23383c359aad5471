//! The binary only wires: everything is in the library.

fn main() -> std::process::ExitCode {
    server::cli::main()
}
