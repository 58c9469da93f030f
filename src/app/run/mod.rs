//! The code that runs sessions of any kind, and the basis of every use case.
//!
//! | what | modules |
//! |---|---|
//! | what is asked of it, by whom | `use_case`, `flags`, `options` |
//! | where it runs | `workspace`, `signals`, `launch`, `guard`, `git`, `foreign` |
//! | a kind, and a session of it: opened, run, read again, gone on with | `kind`, `session_run`, `stored`, `resume`, `fork`, `decide` |
//! | who takes part | `roles`, `panel`, `probe`, `logins`, `calls` |
//! | one run: its turns, their attempts, its money | `drive`, `setup`, `asker`, `attempts`, `afford`, `tree_check`, `relay` |
//! | what a journal says | `replay`, `standing`, `circumstances` |
//! | what comes of it | `ending`, `reports`, `sinks`, `assign` |

pub(crate) mod afford;
pub(crate) mod asker;
pub(crate) mod assign;
pub(crate) mod attempts;
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
pub(crate) mod kind;
pub mod launch;
pub(crate) mod logins;
pub(crate) mod options;
pub(crate) mod panel;
pub(crate) mod probe;
pub(crate) mod relay;
pub(crate) mod replay;
pub(crate) mod reports;
pub(crate) mod resume;
pub(crate) mod roles;
pub(crate) mod session_run;
pub(crate) mod setup;
pub(crate) mod signals;
pub mod sinks;
pub(crate) mod standing;
pub(crate) mod stored;
pub(crate) mod tree_check;
pub(crate) mod use_case;
pub mod workspace;
