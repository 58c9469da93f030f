//! `debate-agent` makes the AI CLIs that a user already has debate under a protocol, and decides by rules, in code.
//!
//! # Output contract
//!
//! Standard output carries the result and nothing else: text for people, one JSON document with `--json`, or JSON
//! Lines with `--events -`; for `mcp serve`, it is the MCP stream. Everything else goes to standard error. Exit codes
//! are defined once, in [`exit`].
//!
//! # Map
//!
//! ```text
//!   main -> cli -> mcp -> app -> engine -> kernel -> text
//!              +---------> |       +--> agent -----> process
//!                          +-> protocol -> contract -> kernel
//!                          +-> session -> journal -> kernel
//!                          +-> eval -> protocol
//!                          +-> discovery, git, config, skill, schemas, report, error, exit, env
//! ```
//!
//! The first five rows are a package of their own, [`debate_core`] in `crates/core`: it cannot use the modules below
//! them.
//!
//! | module | purpose |
//! |---|---|
//! | [`text`] | pure: markers, strict JSON, ids, fences, redaction, sanitizing, the likeness of texts |
//! | [`ordered`] | pure: maps and sets in order, for every module |
//! | [`change`] | pure: a diff as files, hunks and batches |
//! | [`kernel`] | pure: the contract between a protocol and the engine, and the words that all protocols share |
//! | [`contract`] | pure: requests for blocks, the reading of replies, and the input that a program may give |
//! | [`journal`] | pure: the journal of a session as data: records, their lines, their fold |
//! | [`protocol`] | pure: the next questions, and the meaning of answers; [`protocol::backlog`] is the partner debate, [`protocol::topic`], [`protocol::argument`] and [`protocol::panel`] are the topic debates, [`protocol::review`] and [`protocol::plan`] are the councils, [`protocol::discuss`] is the critique of an artifact |
//! | [`rehearsal`] | pure: the stand-ins of `--rehearse` |
//! | [`engine`] | the only loop, the events, the budget, the clock of a round, the deadline, the switch |
//! | [`agent`] | policy for one CLI: calls, reading, retries, repairs, payment |
//! | [`files`] | files below a folder: opened part by part, no link followed; the walk by git's ignore rules |
//! | [`process`] | mechanism: one program under a guard; the only place that spawns |
//! | [`session`] | the state that survives a crash: the journal's file, answers, lock, store |
//! | [`config`] | schema, layers with provenance, trust |
//! | [`sandbox`] | runs a test that an agent wrote, where it can do nothing else |
//! | [`sink`] | destinations of results when a session has ended: comments, tables, buckets, programs |
//! | [`skill`] | the roles' prompts, built in or the project's own |
//! | [`eval`] | pure: cases with known answers, what is right in a result, and the statistics of it |
//! | [`discovery`] | the work that a repository contains: the agents that find it, and the store of the backlog |
//! | [`mod@git`] | git as data: hardened, nothing from a repository is run |
//! | [`schemas`] | the JSON Schemas of documents, the configuration and the journal, as recorded |
//! | [`report`] | progress, results, Markdown, JSON Lines |
//! | [`app`] | use cases; wires all of the above |
//! | [`cli`] | commands to requests, results to text |
//! | [`mcp`] | the same use cases as tools of an MCP server |
//! | [`mod@env`] | the only clock, randomness and variables |
//! | [`error`], [`exit`] | the one error type at the edge, the exit codes |
//!
//! `docs/README.md` lists the pages with the rules of each job, their numbers and their reasons.
//!
//! A newcomer reads [`kernel`] (its driver first), [`protocol::inquiry`], [`protocol::backlog`], [`engine`],
//! [`agent::ask`], [`process`], [`journal`], [`session`], then `app/run/kind.rs`, `app/run/session_run.rs` and
//! `app/run/attempts.rs`; for results `report/page/mod.rs`; for reviews and plans [`mod@change`] and
//! [`protocol::review`]; for topic debates [`protocol::debate`], [`protocol::topic`] and `app/topic/kinds.rs`; for
//! critiques [`protocol::discuss`] and `app/discuss.rs`; for the server [`mcp`] (its source describes how it works),
//! `mcp/table.rs`, `mcp/calls/session.rs` and `mcp/runs.rs`.
//!
//! # As a library
//!
//! A program uses one of four doors, each with an example that runs. `docs/library.md` says what of it is promised;
//! what these pages do not show may change with any version.
//!
//! | what for | module | entry point |
//! |---|---|---|
//! | asking any model for blocks, and reading its reply | [`contract`] | [`declare!`](declare), [`Block`](contract::Block), [`ReplyReader`](contract::ReplyReader) |
//! | debating in typed arguments, without any CLI | [`protocol::argument`] | [`DebateState`](protocol::argument::DebateState) |
//! | running a session | [`app`] | [`Workspace`](app::workspace::Workspace), [`UseCase`](app::UseCase), [`run_helper`] |
//! | reading stored sessions | [`session`] | [`Store`](session::Store), [`StoredSession`](session::StoredSession) |
//!
//! # Invariants
//!
//! * `text`, `change`, `kernel`, `contract`, `journal`, `protocol`, `eval` and `rehearsal` use no clock, file, process,
//!   variable or network.
//! * Only `process` starts programs; only `env` reads clock, variables and randomness; only `report`, `cli`,
//!   the guard and the helpers of the sandbox write to the standard streams.
//! * Every attempt to ask an agent passes [`agent::attempts::Attempts`]: reserved, journaled, run, settled. No
//!   process is started for an agent in any other way.
//! * A failed turn is data that the protocol judges, never a default answer.
//! * An unknown cost is the reservation, never 0.
//! * Nothing read from a repository, an answer or a session names a program, an argument, a variable or a path.
//!
//! Cargo enforces that the core uses nothing of the rest; `tests/it/tidy.rs` and `.clippy.toml` enforce as much of
//! the others as can be checked automatically.
//!
//! # Words
//!
//! Agent, role, turn (one prompt to one agent with its reply), step (turns at the same time), round, attempt (one
//! process run for a turn), reply, defect (why a text is not a valid reply), failure (why a turn has no reply after
//! all attempts), fact, outcome, verdict, seat (a place in the panel, of a role or of an agent, and whether it
//! replied), perspective (a way of looking at an artifact, and its seat), critique (the result of one perspective,
//! and of all together), point (one statement of a critique), theme, view, gap, severity, council (a protocol whose
//! agents sit in seats, by rank or by task), style (how a topic is debated), position (a side's proposal, in points),
//! stance (a side's judgement on a point of the other), check (one measurement of consensus), choice (answers
//! considered equal), ballot, remark (a person's comment between rounds), dissent, scope (the two sides of a
//! comparison), batch (the part of a change that one prompt shows), finding, group (findings that are the same),
//! session, transcript.

#[cfg(windows)]
compile_error!(
    "debate-agent runs on Linux and macOS for now: its process guard needs POSIX sessions"
);

pub mod app;
pub mod env;
pub mod error;
pub mod exit;
pub mod protocol;
pub mod report;
pub mod session;

// Public for the tests, benchmarks and examples of this repository alone.
#[doc(hidden)]
pub mod agent;
#[doc(hidden)]
pub mod config;
#[doc(hidden)]
pub mod discovery;
#[doc(hidden)]
pub mod engine;
#[doc(hidden)]
pub mod eval;
#[doc(hidden)]
pub mod git;
#[doc(hidden)]
pub mod process;
#[doc(hidden)]
pub mod schemas;

mod cli;
mod files;
mod mcp;
mod rehearsal;
mod sandbox;
mod sink;
mod skill;

// The program, for its own `main` and that of the golden runs.
#[doc(hidden)]
pub use cli::command;
#[doc(hidden)]
pub use cli::main;
pub use debate_core::{contract, declare, journal, kernel, words};
// As the modules above.
#[doc(hidden)]
pub use debate_core::{change, ordered, text};

// As the tests' file system in memory names it.
#[cfg(test)]
extern crate self as debate_agent;

use std::process::ExitCode;

/// Runs the helper as which a session has started this program again: the guard of a CLI, or the stand-in of a rehearsal.
/// Returns how it ended; `None` if this process is no helper, and may go on to run sessions of its own.
///
/// It comes first in `main`, before there are other threads: it unblocks the signals that guards and CLIs inherit.
pub fn run_helper() -> Option<ExitCode> {
    process::reset_signals();
    let first = std::env::args_os().nth(1)?;
    if process::guard::is_wanted(&first) {
        return Some(process::guard::main());
    }
    sandbox::helper(&first).or_else(|| cli::stand_in(&first))
}
