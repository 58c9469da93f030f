//! The exit codes, as one exhaustive match (`docs/exit-codes.md`).
//!
//! The convention is that of grep, ruff and ripgrep: 1 means "ran well, the answer is no". [`TABLE`] is the only list
//! of codes and meanings; `--help` and `docs/exit-codes.md` are generated from it.

/// The final status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExitStatus {
    /// Done: the answer is positive, or there was nothing to decide.
    Success,
    /// Ran well, and the answer is "no".
    Negative,
    /// Wrong usage, configuration or input; nothing was run.
    Usage,
    /// Something required is missing, not logged in or not allowed; nothing was spent.
    Environment,
    /// Nothing could be decided; partial results were saved.
    Undecided,
    /// The state on disk, or I/O.
    State,
    /// A broken invariant.
    Bug,
    /// Stopped by SIGHUP.
    HungUp,
    /// Stopped by SIGINT.
    Interrupted,
    /// Stopped by SIGTERM.
    Terminated,
}

/// Every code with its meaning, in the order of the codes.
pub const TABLE: [(u8, &str); 10] = {
    let mut table = [(0, ""); 10];
    let mut index = 0;
    while index < table.len() {
        table[index] = (ExitStatus::ALL[index].code(), ExitStatus::ALL[index].meaning());
        index += 1;
    }
    table
};

impl ExitStatus {
    /// Every status, in the order of the codes.
    pub const ALL: [Self; 10] = [
        Self::Success,
        Self::Negative,
        Self::Usage,
        Self::Environment,
        Self::Undecided,
        Self::State,
        Self::Bug,
        Self::HungUp,
        Self::Interrupted,
        Self::Terminated,
    ];

    /// Returns the process's exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Negative => 1,
            Self::Usage => 2,
            Self::Environment => 3,
            Self::Undecided => 4,
            Self::State => 5,
            Self::Bug => 70,
            Self::HungUp => 129,
            Self::Interrupted => 130,
            Self::Terminated => 143,
        }
    }

    /// Returns the code's meaning, for `--help` and the docs.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Success => "done: the answer is positive, or there was nothing to decide",
            Self::Negative => {
                "ran well, the answer is \"no\": no consensus of two vendors, blocked, rejected, changes requested"
            }
            Self::Usage => "usage or configuration error, or unreadable input: nothing was run",
            Self::Environment => {
                "environment: an agent is missing or not logged in, or trust or policy refuses: nothing was spent"
            }
            Self::Undecided => {
                "undecided: quorum missing, agents failed, or the budget ran out first: saved, can be resumed, unless nothing was started"
            }
            Self::State => "state or I/O: locked, corrupt, of a newer version, disk full",
            Self::Bug => "a broken invariant: a bug, please report it",
            Self::HungUp => "stopped by SIGHUP: saved, can be resumed",
            Self::Interrupted => "stopped by SIGINT (Ctrl-C): saved, can be resumed",
            Self::Terminated => "stopped by SIGTERM: saved, can be resumed",
        }
    }

    /// Returns the status of a run stopped by this signal. An unhandled signal cannot end a run in an orderly way, so
    /// any other counts as SIGTERM.
    pub const fn from_signal(signal: i32) -> Self {
        match signal {
            1 => Self::HungUp,
            2 => Self::Interrupted,
            _ => Self::Terminated,
        }
    }

    /// Whether a signal ended the run.
    pub const fn is_stopped(self) -> bool {
        matches!(self, Self::HungUp | Self::Interrupted | Self::Terminated)
    }

    /// Returns the worse of two statuses, for a command that did several things.
    #[must_use]
    pub const fn worse(self, other: Self) -> Self {
        // The codes are in order of severity.
        if other.code() > self.code() { other } else { self }
    }
}

impl From<ExitStatus> for std::process::ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_specification() {
        let codes: Vec<u8> = TABLE.iter().map(|(code, _)| *code).collect();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5, 70, 129, 130, 143]);
    }
}
