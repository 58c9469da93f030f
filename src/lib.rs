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
//!                          +-> discovery, git, config, skill, schemas, report, error, exit, env
//! ```
//!
//! The first five rows are a package of their own, [`debate_core`] in `crates/core`: it cannot use the modules below
//! them.
//!
//! | module | purpose |
//! |---|---|
//! | [`text`] | pure: markers, strict JSON, ids, fences, redaction, sanitizing, the likeness of texts |
//! | [`change`] | pure: a diff as files, hunks and batches |
//! | [`kernel`] | pure: the contract between a protocol and the engine, and the words that all protocols share |
//! | [`contract`] | pure: requests for blocks, the reading of replies, and the input that a program may give |
//! | [`journal`] | pure: the journal of a session as data: records, their lines, their fold |
//! | [`protocol`] | pure: the next questions, and the meaning of answers; [`protocol::backlog`] is the partner debate, [`protocol::style`] the topic debate in its three styles, [`protocol::review`] and [`protocol::plan`] are the councils, [`protocol::discuss`] is the critique of an artifact |
//! | [`rehearsal`] | pure: the stand-ins of `--rehearse` |
//! | [`engine`] | the only loop, the events, the budget, the clock of a round, the deadline, the switch |
//! | [`agent`] | policy for one CLI: calls, reading, retries, repairs, payment |
//! | [`files`] | files below a folder: opened part by part, no link followed; the walk by git's ignore rules |
//! | [`process`] | mechanism: one program under a guard; the only place that spawns |
//! | [`session`] | the state that survives a crash: the journal's file, answers, lock, store |
//! | [`config`] | schema, layers with provenance, trust |
//! | [`sink`] | destinations of results when a session has ended: comments, tables, buckets, programs |
//! | [`skill`] | the roles' prompts, built in or the project's own |
//! | [`discovery`] | the work that a repository contains: the agents that find it, and the store of the backlog |
//! | [`mod@git`] | git as data: hardened, nothing from a repository is run |
//! | [`schemas`] | the JSON Schemas of documents, the configuration and the journal, as recorded |
//! | [`report`] | progress, results, Markdown, JSON Lines |
//! | [`app`] | use cases; wires all of the above |
//! | [`cli`] | arguments to requests, results to text |
//! | [`mcp`] | the same use cases as tools of an MCP server |
//! | [`mod@env`] | the only clock, randomness and variables |
//! | [`error`], [`exit`] | the one error type at the edge, the exit codes |
//!
//! `docs/README.md` lists the pages with the rules of each job, their numbers and their reasons.
//!
//! A newcomer reads [`kernel`] (its driver first), [`protocol::inquiry`], [`protocol::backlog`], [`engine`],
//! [`agent::ask`], [`process`], [`journal`], [`session`], then `app/run/kind.rs`, `app/run/session_run.rs` and
//! `app/run/attempts.rs`; for results `report/page/mod.rs`; for reviews and plans [`mod@change`] and
//! [`protocol::review`]; for topic debates [`protocol::debate`], [`protocol::topic`] and `app/topic.rs`; for
//! critiques [`protocol::discuss`] and `app/discuss.rs`; for the server [`mcp`] (its source describes how it works),
//! `mcp/table.rs`, `mcp/calls/session.rs` and `mcp/runs.rs`.
//!
//! # Invariants
//!
//! * `text`, `change`, `kernel`, `contract`, `journal`, `protocol` and `rehearsal` use no clock, file, process,
//!   variable or network.
//! * Only `process` starts programs; only `env` reads clock, variables and randomness; only `report`, `cli` and the
//!   guard write to the standard streams.
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

pub mod agent;
pub mod app;
pub mod cli;
pub mod config;
pub mod discovery;
pub mod engine;
pub mod env;
pub mod error;
pub mod exit;
pub mod files;
pub mod git;
pub mod mcp;
pub mod process;
pub mod protocol;
pub mod rehearsal;
pub mod report;
pub mod schemas;
pub mod session;
pub mod sink;
pub mod skill;

pub use debate_core::{change, contract, declare, journal, kernel, text, words};
