//! The blocks that all styles of a debate share.
//!
//! The content of a block and its limits are declared beside its type, in [`super::model`].

use super::model::{Judgement, Position, Stances};
use crate::contract::Block;
use crate::contract::block::object;

/// The block of a side's position.
pub const POSITION: Block<Position> = object("POSITION");
/// The block of stances on the other side's points.
pub const STANCES: Block<Stances> = object("STANCES");
/// The block of an expert's or a judge's ruling.
pub const JUDGEMENT: Block<Judgement> = object("JUDGEMENT");
