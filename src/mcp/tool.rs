//! What a tool is: words and fields, all of them constants.

/// A tool as clients see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tool {
    /// `debate_review`.
    pub(crate) name: &'static str,
    /// For people.
    pub(crate) title: &'static str,
    /// For the model that decides whether to call it.
    pub(crate) description: &'static str,
    /// What may be given.
    pub(crate) fields: &'static [Field],
    /// What it answers.
    pub(crate) output: Output,
    /// What it may do.
    pub(crate) effect: Effect,
}

/// One argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// `max_rounds`.
    pub(crate) name: &'static str,
    /// Another spelling that is taken: `maxRounds`.
    pub(crate) alias: Option<&'static str>,
    /// What it means.
    pub(crate) description: &'static str,
    /// Whether it must be given.
    pub(crate) required: bool,
    /// What it may hold.
    pub(crate) kind: Kind,
}

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text of 1 to `most` bytes that is not blank.
    Text {
        /// Most bytes of UTF-8.
        most: usize,
    },
    /// `true` or `false`.
    Flag {
        /// Where it is not given.
        default: bool,
    },
    /// A whole number.
    Whole {
        /// The least.
        least: u32,
        /// The most.
        most: u32,
        /// Where it is not given; `None`: the configuration's.
        default: Option<u32>,
    },
    /// One of these words.
    Choice {
        /// The words.
        of: &'static [&'static str],
        /// Where it is not given; `None`: the configuration's.
        default: Option<&'static str>,
    },
    /// Names of agents or perspectives, or other short texts, each once.
    Names {
        /// The fewest.
        least: usize,
        /// The most.
        most: usize,
        /// Most characters of one.
        longest: usize,
    },
    /// A file or folder, from the start directory, inside the repository or a root.
    Path,
    /// A session's id, or the start of it.
    Session,
    /// Opportunities as JSON objects, at least one.
    Objects {
        /// The most.
        most: usize,
        /// Most bytes of them all, as compact JSON.
        bytes: usize,
    },
}

impl Field {
    /// A field that need not be given.
    pub(super) const fn new(name: &'static str, kind: Kind, description: &'static str) -> Self {
        Self { name, alias: None, description, required: false, kind }
    }

    /// The same, to be given always.
    pub(super) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    /// The same, with another spelling.
    pub(super) const fn or(mut self, alias: &'static str) -> Self {
        self.alias = Some(alias);
        self
    }
}

/// What a tool answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// The shared result of everything that is a session.
    Session,
    /// The agents.
    Agents,
    /// A change.
    Diff,
    /// An outline.
    Outline,
    /// One agent's answer.
    Call,
}

/// What a tool may do, as hints to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Reads only.
    Reads,
    /// Asks agents, which costs money, and keeps a session.
    Asks,
    /// Ends something that runs.
    Stops,
}
