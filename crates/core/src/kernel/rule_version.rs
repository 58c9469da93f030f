//! Which of this program's rules a session goes by, where they changed.

use serde::{Deserialize, Serialize};

/// The version of the rules that a session was opened under. It stands in the session's first record, so that what was
/// decided then stays decided, whatever later rules make of the same answers.
///
/// | version | what is new |
/// |---|---|
/// | 1 | before versions were counted: no number stands in the record |
/// | 2 | answers are read [generously](Self::reads_generously), and [put into their form](Self::repairs_by_form) without the question |
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RuleVersion(u32);

impl RuleVersion {
    /// That of sessions whose first record has none.
    pub const FIRST: Self = Self(1);

    /// The first that reads generously.
    pub const GENEROUS: Self = Self(2);

    /// That of sessions that are opened now.
    pub const NOW: Self = Self::GENEROUS;

    /// Whether an answer is read in the sensible forms in which models write it, and a field that decides nothing can be missing.
    pub const fn reads_generously(self) -> bool {
        self.0 >= Self::GENEROUS.0
    }

    /// Whether an agent whose answer has a fault of form alone gets it back without the question.
    pub const fn repairs_by_form(self) -> bool {
        self.0 >= Self::GENEROUS.0
    }

    /// Whether it is that of sessions whose first record has none.
    pub fn is_first(&self) -> bool {
        *self == Self::FIRST
    }
}

impl Default for RuleVersion {
    fn default() -> Self {
        Self::NOW
    }
}
