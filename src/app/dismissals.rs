//! Dismissals: findings that a person examined and rejected, each with a reason.
//!
//! # Theory of operation
//!
//! They are in [`FILE`] at the project's root and are committed. A review reads the file of the *base* revision, so a
//! change cannot dismiss its own bug; [`dismiss`] writes the file of the working tree, which counts once it is part
//! of what later changes are compared with. The key is a finding's fingerprint (file, symbol, quoted code): when that
//! code changes, the finding is raised again.
//!
//! Which finding `F3` is depends on the review, so the newest one is used: of the sessions and of the reports in
//! `.debate/`, whichever began last. Rehearsals are skipped: their findings are invented. The file is read strictly,
//! since a misread entry would either hide a finding or raise a dismissed one again.

mod find;
mod write;

pub use crate::app::review::dismissal_file::{Dismissal, Dismissals, DismissalsError, FILE, read};
pub use find::Source;
pub use write::{Dismiss, DismissDocument, dismiss};

#[cfg(test)]
mod tests;
