//! A test as a report names it, and as the project knows it.

/// Maximum number of cases kept from one report; more are a gap.
pub const MAX_CASES: usize = 200_000;

/// Maximum length of a failure's output that is kept, in bytes.
pub const MAX_TEXT: usize = 8 << 10;

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It passed, if only in the end: a test that failed and succeeded when run again has passed.
    Passed,
    Failed,
    /// It could not complete: its set-up, import or build failed.
    Errored,
    Skipped,
}

impl Outcome {
    /// Whether it is a reason to act.
    pub const fn is_failure(self) -> bool {
        match self {
            Self::Failed | Self::Errored => true,
            Self::Passed | Self::Skipped => false,
        }
    }
}

/// A test's name as its tool spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// A node id of pytest: `tests/test_calc.py::TestParse::test_type[1]`, or a file alone.
    Node(String),
    /// A `testcase` of a JUnit report.
    JUnit {
        /// Its `classname`; empty if it has none.
        class: String,
        /// Its `name`.
        name: String,
        /// Its `file`, or its suite's.
        file: Option<String>,
    },
    /// A test of libtest.
    Rust {
        /// The binary that contains it.
        target: Target,
        /// Its path in the binary.
        test: String,
    },
    /// A test of a Go package, or the package itself.
    Go {
        /// Its import path.
        package: String,
        /// `TestAdds/small`; `None` means the package: it was not built, or ended on its own.
        test: Option<String>,
    },
}

/// The binary of a Rust test, as far as the tool names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// From cargo: `Running unittests src/lib.rs (target/debug/deps/calc-1cd44e4e967ddba4)`.
    Source {
        /// Relative to the package.
        path: String,
        /// The name of the crate.
        krate: String,
    },
    /// From nextest: `calc::it$works`.
    Crate {
        package: String,
        /// The name of the crate.
        krate: String,
    },
    Unknown,
}

/// One test in a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// Its name as its tool spells it.
    pub name: Name,
    pub outcome: Outcome,
    /// For a failure, the first part of its output, as its tool orders it. At most [`MAX_TEXT`]
    /// bytes.
    pub message: String,
    /// For a failure, the rest of its output, at most [`MAX_TEXT`] bytes.
    pub text: String,
    /// Index of its suite in the report, from 0: two failures with one name in two suites are two.
    pub suite: usize,
    /// Its line according to its tool, from 1.
    pub line: Option<u64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedReport {
    pub cases: Vec<Raw>,
    /// Why it lacks some tests of its run, if that is known.
    pub gap: Option<String>,
}

impl ParsedReport {
    /// Adds a case, or notes that there are too many.
    pub(super) fn push(&mut self, case: Raw) {
        if self.cases.len() < MAX_CASES {
            self.cases.push(case);
        } else {
            self.note_gap(format!("it has more than {MAX_CASES} tests"));
        }
    }

    /// Notes why it is incomplete; the first reason is kept.
    pub(super) fn note_gap(&mut self, why: impl Into<String>) {
        self.gap.get_or_insert_with(|| why.into());
    }

    /// Merges the content of another part of the same output; suites stay separate.
    pub(super) fn absorb(&mut self, other: Self) {
        let first = self.suites();
        for mut case in other.cases {
            case.suite += first;
            self.push(case);
        }
        if let Some(why) = other.gap {
            self.note_gap(why);
        }
    }

    fn suites(&self) -> usize {
        let last = self.cases.iter().map(|case| case.suite).max();
        last.map_or(0, |last| last + 1)
    }

    /// Returns the number of failed tests.
    pub fn failures(&self) -> usize {
        let failed = |case: &&Raw| case.outcome.is_failure();
        self.cases.iter().filter(failed).count()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct MalformedReport {
    /// Line number, from 1.
    pub line: u64,
    pub why: String,
}

impl MalformedReport {
    pub(super) fn at(bytes: &[u8], offset: usize, why: impl Into<String>) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let breaks = before.split(|byte| *byte == b'\n').count() - 1;
        Self { line: u64::try_from(breaks).unwrap_or(u64::MAX).saturating_add(1), why: why.into() }
    }
}

/// A test as the project knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCase {
    /// Its file, relative to the root; only if it exists.
    pub file: Option<String>,
    /// Its stable name in that file, or globally.
    pub symbol: String,
    pub outcome: Outcome,
    pub message: String,
    /// The file and line of the failure, or else of the test.
    pub place: Option<(String, u64)>,
}
