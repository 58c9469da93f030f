//! How a debate between two sides begins.

use crate::words;

words! {
    /// Whether the first answers of a debate are independent of each other.
    #[derive(Hash)]
    pub enum Opening {
        /// One side opens, and the other reads it before it answers.
        Sequential = "sequential",
        /// Both sides answer at the same time, and neither sees the other's first answer.
        Blind = "blind",
    }
}

#[expect(clippy::derivable_impls, reason = "`words!` takes no attributes of variants")]
impl Default for Opening {
    fn default() -> Self {
        Self::Sequential
    }
}
