//! The program that guards each process of ours: this one.

use std::path::PathBuf;

use crate::error::{Error, Kind};
use crate::process;

/// Returns this binary, which guards each call.
pub(crate) fn guard() -> Result<PathBuf, Error> {
    process::guard_program().map_err(|error| {
        Error::new(Kind::Environment, "failed to find this program's own file").because(error)
    })
}
