//! `discuss`: reads artifacts, seats the perspectives, and says what came of it.

mod artifact;
mod folder;
