//! `discuss`: an artifact read from several perspectives.

pub(crate) mod policy;
