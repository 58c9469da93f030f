//! Maps what an agent wrote onto the ids that exist.

/// Ids that exist, in input order, ready for look-up.
#[derive(Debug, Clone)]
pub struct IdIndex {}

/// What a written id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolved {
    /// It is the id with this index, letter by letter.
    Exact(usize),
    /// It differs by case, spaces, quotes or dashes alone, and fits exactly one id.
    Normalised(usize),
    /// It fits no id, or more than one.
    Unknown,
}

impl IdIndex {
    /// Indexes the ids.
    pub fn new(_ids: &[String]) -> Self {
        todo!("helper text")
    }
    /// Looks a written id up.
    pub fn resolve(&self, _written: &str) -> Resolved {
        todo!("helper text")
    }
}
