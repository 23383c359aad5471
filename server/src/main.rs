//! The binary only wires: everything is in the library.

fn main() -> std::process::ExitCode {
    // Tests name fail points in the environment; without the feature there are none.
    #[cfg(feature = "failpoints")]
    let _scenario = fail::FailScenario::setup();
    server::cli::main()
}
