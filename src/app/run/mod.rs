//! The code that runs sessions of any kind, and the basis of every use case.
//!
//! | task | modules |
//! |---|---|
//! | requests and their callers | `use_case`, `flags`, `options` |
//! | the surroundings of a run | `workspace`, `signals`, `launch`, `guard`, `git`, `foreign` |
//! | kinds, and opening, running, reading and resuming their sessions | `kind`, `session_run`, `stored`, `resume`, `fork`, `decide` |
//! | participants | `roles`, `panel`, `available`, `probe`, `logins`, `calls` |
//! | one run: turns, attempts, budget | `drive`, `setup`, `asker`, `attempts`, `afford`, `tree_check`, `relay` |
//! | reading a journal | `replay`, `session_state`, `circumstances` |
//! | results | `ending`, `reports`, `sinks`, `assign` |

pub(crate) mod afford;
pub(crate) mod asker;
pub(crate) mod assign;
pub(crate) mod attempts;
pub(crate) mod available;
pub(crate) mod calls;
pub(crate) mod circumstances;
pub(crate) mod decide;
pub(crate) mod drive;
pub(crate) mod ending;
pub(crate) mod flags;
pub(crate) mod foreign;
pub(crate) mod fork;
pub(crate) mod git;
pub(crate) mod guard;
pub(crate) mod keys;
pub(crate) mod kind;
pub mod launch;
pub(crate) mod logins;
pub(crate) mod options;
pub(crate) mod panel;
pub(crate) mod probe;
pub(crate) mod quota;
pub(crate) mod relay;
pub(crate) mod replay;
pub(crate) mod reports;
pub(crate) mod resume;
pub(crate) mod roles;
pub(crate) mod session_run;
pub(crate) mod session_state;
pub(crate) mod setup;
pub(crate) mod signals;
pub mod sinks;
pub(crate) mod stored;
pub(crate) mod tool;
pub(crate) mod tree_check;
pub(crate) mod use_case;
pub mod workspace;
