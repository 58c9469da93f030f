//! A test that shows a finding: what its author writes, what running it shows, and what follows (`docs/review.md`,
//! "Proof").
//!
//! # Theory of operation
//!
//! With `--prove` the author of each grave finding is asked once for a reproduction: new files that hold a test, its
//! name, and the text that its failure prints. The program runs that test [`RUNS`] times on the reviewed state and, if
//! it fails there, on the base ([`TestReport`]); [`judge`] draws the conclusion. Only a test that fails every time as a
//! failed test, with the text that was announced, and passes every time on the base is a reproduction: it stands above
//! all votes. Nothing else changes a finding, since a bad test acquits nobody.
//!
//! Nothing that an agent writes chooses what is run: the command is the user's, `{file}` and `{test}` are filled in
//! only with names that [`check`] has found in the files themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::{DETAIL_CHARS, LINE_CHARS, PATH_CHARS, REASON_CHARS, TITLE_CHARS};
use crate::contract::Diagnostics;
use crate::contract::field::{code, entries, line, text};
use crate::text::sanitize;
use crate::{declare, words};

mod summary;

use summary::Summary;

/// How often a test is run on each side.
pub const RUNS: u32 = 3;
/// Maximum number of findings of one review that are tested, the worst first.
pub const MAX_PROOFS: u32 = 10;
/// How often an author may write a test of one finding: a second time if the first one could not be used.
pub const TRIES: u32 = 2;
/// Maximum number of files of a reproduction.
const MAX_FILES: usize = 4;
/// Maximum number of characters of a file of a reproduction.
const FILE_CHARS: usize = 40_000;
/// Minimum number of characters of the text that a failure prints: less is in any output.
const MIN_TEXT: usize = 4;

words! {
    /// What came of testing a finding.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum ProofStatus {
        /// The test fails every time on the change, as it was announced, and passes every time on the base.
        Reproduced = "reproduced",
        /// It fails so on the change; on the base it cannot be run, or there is no base.
        FailsHere = "fails_here",
        /// It fails on the base too.
        PreExisting = "pre_existing",
        /// It does not fail on the change, or not with the text that was announced.
        NotReproduced = "not_reproduced",
        /// It fails on some runs and passes on others.
        Flaky = "flaky",
        /// There is no result: no test, or one that does not build, runs nothing, or exceeds a limit.
        Unusable = "unusable",
    }
}

declare! {
    /// A file that a reproduction adds.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
    pub struct TestFile as "file" {
        /// Path from the top of the repository; no file is there yet.
        pub path: String = line(PATH_CHARS).shown("<path of a new test file>"),
        /// The whole text of it.
        pub content: String = code(FILE_CHARS).shown("<the whole file>"),
    }
}

declare! {
    /// A `REPRODUCTION` block: a test that fails because of a finding.
    #[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
    pub struct Reproduction {
        /// The files that it adds; empty if no test can show it.
        pub files: Vec<TestFile> = entries(MAX_FILES).apart(),
        /// The file with the test.
        pub file: String = line(PATH_CHARS).may_miss().shown("<path of the file with the test>"),
        /// Name of the test, as the test command takes it.
        pub test: String = line(TITLE_CHARS).may_miss().shown("<name of the test>"),
        /// Text that its failure prints.
        pub fails_with: String =
            line(LINE_CHARS).may_miss().shown("<text that its failure prints>").below(),
        /// Why no test can show it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        pub cannot: String =
            text(REASON_CHARS).may_miss().shown("<only if no test can show it: why>").below(),
    }
}

/// The side of a change on which a test was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TestedSide {
    /// The reviewed state.
    Change,
    /// What it is compared with.
    Base,
}

/// One run of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestRun {
    /// Where.
    pub side: TestedSide,
    /// The exit code, if it ended by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// Why it was ended: a limit or a signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// Whether its output has the text that was announced.
    pub has_text: bool,
    /// The end of its output.
    pub output: String,
}

/// What running a reproduction showed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TestReport {
    /// The runs on the change, then those on the base.
    pub runs: Vec<TestRun>,
    /// Why there are no runs, or no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

/// What came of testing a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The conclusion.
    pub status: ProofStatus,
    /// Why, in a sentence.
    pub reason: String,
    /// The agent that wrote the test.
    pub by: String,
    /// The test; none if its author wrote none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reproduction: Option<Reproduction>,
    /// Its runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<TestRun>,
}

impl Reproduction {
    /// Returns why no test can show the finding, if its author says so.
    pub fn declined(&self) -> Option<&str> {
        self.files.is_empty().then(|| self.cannot.trim()).filter(|why| !why.is_empty())
    }
}

/// Checks a reproduction as it was read. On the first chance each fault is a problem; on the last one it is not an
/// answer.
pub(super) fn checked(judge: &mut Diagnostics, mut said: Reproduction) -> Option<Reproduction> {
    for file in &mut said.files {
        // Reading took the end of its last line.
        file.content = format!("{}\n", file.content.trim_end());
    }
    if said.declined().is_some() {
        return Some(said);
    }
    let Err(why) = check(&said) else {
        return Some(said);
    };
    judge.problem("reproduction", why);
    None
}

/// Checks that a reproduction only adds test files and names a test of theirs.
///
/// # Errors
/// What is wrong with it, for its author.
pub(crate) fn check(said: &Reproduction) -> Result<(), String> {
    if said.files.is_empty() {
        return Err("there is neither a file nor a reason in `cannot`".to_owned());
    }
    for (at, file) in said.files.iter().enumerate() {
        path(&file.path)?;
        if said.files[..at].iter().any(|other| other.path == file.path) {
            return Err(format!("`{}` is given twice", file.path));
        }
    }
    if said.files.iter().all(|file| file.path != said.file) {
        return Err(format!("`file` is `{}`, which is not one of `files`", said.file));
    }
    let test = said.test.trim();
    let last = test.rsplit([':', '.', '#', '/']).next().unwrap_or_default();
    let is_known = !last.is_empty() && said.files.iter().any(|file| file.content.contains(last));
    if !is_known || test.starts_with('-') || test != said.test {
        return Err(format!("`test` is `{}`, which no file of `files` names", said.test));
    }
    if said.fails_with.trim().chars().count() < MIN_TEXT {
        let why = "`fails_with` must be a text that the failure alone prints";
        return Err(format!("{why}, of at least {MIN_TEXT} characters"));
    }
    Ok(())
}

/// Files that steer a build, a test runner or a tool: a test needs none of them, and could pass or fail by them.
const STEERS: &str = include_str!("proof/steers.txt");

/// Checks the path of a new file: relative and plain, in no hidden folder, and not one that steers the build.
fn path(path: &str) -> Result<(), String> {
    let plain = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':', '\0'])
    };
    let name = path.rsplit('/').next().unwrap_or_default().to_lowercase();
    if path.starts_with('-') || !path.split('/').all(plain) {
        return Err(format!("`{path}` is not a plain path from the top of the repository"));
    }
    if STEERS.lines().any(|steers| steers == name) || name.contains(".config.") {
        return Err(format!("`{path}` steers the build or the tests; add test files only"));
    }
    Ok(())
}

/// What one run shows, or all runs on one side.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    Passed,
    /// A test failed, with the text that was announced or without.
    Failed(bool),
    /// The runs differ.
    Mixed,
    /// No test was run to its end, for this reason.
    Nothing(String),
}

impl TestRun {
    fn shown(&self) -> Shown {
        let (Some(code), None) = (self.code, &self.ended) else {
            return Shown::Nothing(
                self.ended.clone().unwrap_or_else(|| "it did not end".to_owned()),
            );
        };
        let Some(Summary { passed, failed }) = summary::read(&self.output) else {
            let why = format!("exit {code}, and its output does not say that a test was run");
            return Shown::Nothing(why);
        };
        match (code, failed > 0, passed > 0) {
            (0, false, true) => Shown::Passed,
            (0, ..) => Shown::Nothing("no test was run, or it was skipped".to_owned()),
            (_, true, _) => Shown::Failed(self.has_text),
            (_, false, _) => Shown::Nothing(format!("exit {code}, but no test failed")),
        }
    }
}

impl TestReport {
    /// Returns what all runs on a side show. Too few of them show nothing.
    fn shown(&self, side: TestedSide) -> Shown {
        let runs = self.runs.iter().filter(|run| run.side == side);
        let shown: Vec<Shown> = runs.map(TestRun::shown).collect();
        if let Some(nothing) = shown.iter().find(|shown| matches!(shown, Shown::Nothing(_))) {
            return nothing.clone();
        }
        match &shown[..] {
            few if few.len() < RUNS as usize => {
                let why = "it was not run".to_owned();
                Shown::Nothing(self.failure.clone().unwrap_or(why))
            }
            [first, others @ ..] if others.iter().all(|other| other == first) => first.clone(),
            all if all.iter().all(|shown| matches!(shown, Shown::Failed(_))) => {
                Shown::Failed(false)
            }
            _ => Shown::Mixed,
        }
    }
}

/// Draws the conclusion from the runs of a reproduction.
pub(super) fn judge(report: &TestReport) -> (ProofStatus, String) {
    use ProofStatus::{FailsHere, Flaky, NotReproduced, PreExisting, Reproduced, Unusable};
    use Shown::{Failed, Mixed, Nothing, Passed};
    let (status, why) = match (report.shown(TestedSide::Change), report.shown(TestedSide::Base)) {
        (Nothing(why), _) => return (Unusable, why),
        (Passed, _) => (NotReproduced, "the test passes"),
        (Mixed, _) => (Flaky, "the test fails on some runs alone"),
        (Failed(false), _) => {
            (NotReproduced, "the test fails, but not with the text that was announced")
        }
        (Failed(true), Passed) => {
            (Reproduced, "the test fails on the change and passes without it, each time")
        }
        (Failed(true), Failed(_)) => (PreExisting, "the test fails without the change too"),
        (Failed(true), Mixed) => (Flaky, "without the change the test fails on some runs"),
        (Failed(true), Nothing(why)) => {
            let why = format!("the test fails on the change; without it there is no result: {why}");
            return (FailsHere, why);
        }
    };
    (status, why.to_owned())
}

/// Returns the end of a run's output that its author and the result are shown.
pub(super) fn tail(output: &str) -> String {
    let text = sanitize::terminal(output);
    let from = text.char_indices().rev().nth(DETAIL_CHARS).map_or(0, |(at, _)| at);
    text[from..].trim().to_owned()
}

#[cfg(test)]
pub(super) mod tests;
