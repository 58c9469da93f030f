//! One test as a report names it, and as the project knows it.

/// Most cases that are kept of one report; more are a gap.
pub const MAX_CASES: usize = 200_000;

/// Bytes of a failure's words that are kept.
pub const MAX_TEXT: usize = 8 << 10;

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It passed, if only in the end: a test that failed and was run again with success has passed.
    Passed,
    /// An assertion of it did not hold.
    Failed,
    /// It could not be run to its end: its set-up, its import, its build.
    Errored,
    /// It was not run.
    Skipped,
}

impl Outcome {
    /// Returns whether it is a reason to do something.
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
        /// Its `classname`; empty where there is none.
        class: String,
        /// Its `name`.
        name: String,
        /// Its `file`, or its suite's.
        file: Option<String>,
        /// The names of its suites, the outermost first.
        suites: Vec<String>,
    },
    /// A test of libtest.
    Rust {
        /// Which binary it is in.
        target: Target,
        /// Its path in there.
        test: String,
    },
    /// A test of a Go package, or the package itself.
    Go {
        /// Its import path.
        package: String,
        /// `TestAdds/small`; `None` is the package: it was not built, or ended by itself.
        test: Option<String>,
    },
}

/// The binary of a Rust test, as far as a tool says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `Running unittests src/lib.rs (target/debug/deps/calc-1cd44e4e967ddba4)` of cargo.
    Source {
        /// Relative to the package.
        path: String,
        /// The name of the crate.
        krate: String,
    },
    /// `calc::it$works` of nextest.
    Crate {
        /// The package.
        package: String,
        /// The name of the crate.
        krate: String,
    },
    /// Nobody says it.
    Unknown,
}

/// One test of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw {
    /// As its tool spells it.
    pub name: Name,
    /// How it ended.
    pub outcome: Outcome,
    /// Of a failure: what its tool puts first. At most [`MAX_TEXT`] bytes.
    pub message: String,
    /// Of a failure: the rest of what it said, at most [`MAX_TEXT`] bytes.
    pub text: String,
    /// Which suite of the report it stood in, from 0: two failures of one name in two suites are two.
    pub suite: usize,
    /// The line that its tool gives for it, from 1.
    pub line: Option<u64>,
}

/// What a report holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Its tests.
    pub cases: Vec<Raw>,
    /// Why it does not hold all tests of its run, if it is known not to.
    pub gap: Option<String>,
}

impl Parsed {
    /// Adds a case, or notes that there are too many.
    pub(super) fn push(&mut self, case: Raw) {
        if self.cases.len() < MAX_CASES {
            self.cases.push(case);
        } else {
            self.note_gap(format!("it holds more than {MAX_CASES} tests"));
        }
    }

    /// Notes why it does not hold everything; the first reason stays.
    pub(super) fn note_gap(&mut self, why: impl Into<String>) {
        self.gap.get_or_insert_with(|| why.into());
    }

    /// Takes in what was found elsewhere in the same output; suites stay apart.
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

    /// Returns how many tests failed.
    pub fn failures(&self) -> usize {
        let failed = |case: &&Raw| case.outcome.is_failure();
        self.cases.iter().filter(failed).count()
    }
}

/// Why a report can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Malformed {
    /// Where, from 1.
    pub line: u64,
    /// Why.
    pub why: String,
}

impl Malformed {
    /// Finds the line of a place in a text.
    pub(super) fn at(bytes: &[u8], offset: usize, why: impl Into<String>) -> Self {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let breaks = before.split(|byte| *byte == b'\n').count() - 1;
        Self { line: u64::try_from(breaks).unwrap_or(u64::MAX).saturating_add(1), why: why.into() }
    }
}

/// One test as the project knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestCase {
    /// The file it stands in, relative to the root; only if it is there.
    pub file: Option<String>,
    /// Its stable name in that file, or at all.
    pub symbol: String,
    /// How it ended.
    pub outcome: Outcome,
    /// What it said.
    pub message: String,
    /// The file and line where it failed, or else where it stands.
    pub place: Option<(String, u64)>,
}
