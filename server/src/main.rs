//! The binary only wires: everything is in the library.

/// A page is many small strings: the system's allocator was a sixth of its time (BENCHMARKS.md).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    // Tests name fail points in the environment; without the feature there are none.
    #[cfg(feature = "failpoints")]
    let _scenario = fail::FailScenario::setup();
    server::cli::main()
}
