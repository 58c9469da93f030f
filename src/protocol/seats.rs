//! The respondents of a session, by the names of their seats.

use std::collections::BTreeMap;

use crate::kernel::Respondent;

/// The respondent of each seat.
pub type Seats = BTreeMap<String, Respondent>;

/// A seat that a protocol needs is empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nobody has the seat `{0}`")]
pub struct EmptySeat(&'static str);

pub(crate) fn respondent(seats: &Seats, name: &'static str) -> Result<Respondent, EmptySeat> {
    seats.get(name).cloned().ok_or(EmptySeat(name))
}
