//! Where there is no Landlock.

use std::convert::Infallible;
use std::ffi::OsString;

use super::Failure;

pub(super) fn start(_: impl Iterator<Item = OsString>) -> Result<Infallible, Failure> {
    Err("Landlock is part of Linux alone".into())
}
