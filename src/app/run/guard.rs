//! The program that guards every process started by this one: itself.

use std::path::PathBuf;

use crate::error::{Error, Kind};
use crate::process;

/// Returns the path of this binary, which guards each call.
pub(crate) fn guard() -> Result<PathBuf, Error> {
    process::guard_program().map_err(|error| {
        Error::new(Kind::Environment, "failed to find this program's own file").because(error)
    })
}
