//! The `similis` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    similis_cli::run()
}
