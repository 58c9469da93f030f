//! The command: one line here, everything else in the library.

use std::process::ExitCode;

use debate_agent::process::{guard, reset_signals};

fn main() -> ExitCode {
    reset_signals();
    // First of all: a guard starts for every call, and needs nothing else.
    if std::env::args_os().nth(1).is_some_and(|first| guard::is_wanted(&first)) {
        return guard::main();
    }
    debate_agent::cli::main(debate_agent::env::Env::system())
}
