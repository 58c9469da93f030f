//! The version of the rules that a session uses.

use serde::{Deserialize, Serialize};

/// The version of the rules that a session was opened under. It is stored in the session's first record, so that a
/// decision stands, however later rules would read the same answers.
///
/// | version | what is new |
/// |---|---|
/// | 1 | before versions were counted: the record has no number |
/// | 2 | answers are read [generously](Self::reads_generously), and [corrected in form](Self::repairs_by_form) without repeating the question |
/// | 3 | the same, with other words in a repair |
/// | 4 | each turn is given what it needs: other prompts, and new fields in answers |
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleVersion(u32);

impl RuleVersion {
    /// The version of sessions whose first record has none.
    pub const FIRST: Self = Self(1);

    /// The first version that reads generously.
    pub const GENEROUS: Self = Self(2);

    /// The version of new sessions.
    pub const NOW: Self = Self(4);

    /// Whether an answer is read in the sensible forms that models write, and a field that decides nothing can be
    /// missing.
    pub const fn reads_generously(self) -> bool {
        self.0 >= Self::GENEROUS.0
    }

    /// Whether an agent whose answer has only faults of form is sent that answer without the
    /// question.
    pub const fn repairs_by_form(self) -> bool {
        self.0 >= Self::GENEROUS.0
    }

    /// Whether it is the version of sessions whose first record has none.
    pub fn is_first(&self) -> bool {
        *self == Self::FIRST
    }
}

impl Default for RuleVersion {
    fn default() -> Self {
        Self::NOW
    }
}
