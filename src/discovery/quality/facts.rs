//! The facts about one file's text.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FunctionFacts {
    pub(super) name: String,
    /// Its first line, from 1.
    pub(super) line: u32,
    pub(super) lines: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) generated: bool,
    pub(super) lines: u32,
    /// Number of lines that are neither empty nor comments.
    pub(super) code_lines: u32,
    pub(super) tests_inside: bool,
    pub(super) functions: Vec<FunctionFacts>,
}
