//! The command: one line here, everything else in the library.

use std::process::ExitCode;

use debate_agent::env::Env;

fn main() -> ExitCode {
    // Before the rest: a guard starts for every call, and needs none of the rest.
    debate_agent::run_helper().unwrap_or_else(|| debate_agent::main(Env::system()))
}
