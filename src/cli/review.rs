//! `review`: several agents review a change, blind to each other; and `review dismiss`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use super::change::ScopeArgs;
use super::dismiss::DismissArgs;
use super::format::Format;
use super::options::{CallArgs, Global};
use super::output::Output;
use super::proof::{self, ProofArgs};
use super::result;
use super::session::Session;
use super::{block_on, dismiss, surroundings};
use crate::app::number::setting;
use crate::app::review::{Request, ReviewResult};
use crate::app::word::some;
use crate::app::workspace::Workspace;
use crate::app::{RunOptions, pull_request};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::protocol::review::{Compose, Severity};
use crate::report::page::ToPage as _;
use crate::report::review::{NothingToReview, github, sarif};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_long_help = "\
What is reviewed, unless a scope is given: everything that differs from HEAD, staged,
unstaged and untracked; if that is nothing, the branch since it left the default branch.
Binary, generated and excluded files are named, and do not count. The first argument is
the QUESTION, unless it names a file or is one word that looks like a path.

Each agent reviews alone, then judges the others' findings without knowing whose they
are; rules decide what is confirmed. A seat that did not answer never counts as \"clean\".

Examples:
  debate-agent review --rehearse                    the whole run for free
  debate-agent review 'Is the locking right?' src/  what differs from HEAD in src/
  debate-agent review --base main --fail-on P0      a branch, in CI
  debate-agent review --staged --format sarif --out reports > review.sarif
  git diff v1..v2 | debate-agent review --patch -
  debate-agent review --pr 12 --comment             a pull request, through gh; the
                                                    result is posted there
  debate-agent review --base main --prove           run a test of each grave finding
  debate-agent review dismiss F3 --why 'the caller holds the lock'"
)]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
    /// What to look at in particular.
    pub(crate) question: Option<String>,
    /// Files and folders to look at (default: all).
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Maximum number of cross-examinations; 0: nothing is confirmed or refuted.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("review.max_rounds"))]
    pub(crate) max_rounds: Option<u32>,
    /// Review once: no cross-examination, composition or vote.
    #[arg(long, hide_short_help = true, conflicts_with = "max_rounds")]
    pub(crate) single_round: bool,
    /// No cross-examination: nothing is confirmed or refuted.
    #[arg(long, hide_short_help = true, conflicts_with = "max_rounds")]
    pub(crate) no_critique: bool,
    /// Exit 1 from this on: P0, P1, P2.
    #[arg(long, value_name = "SEVERITY", default_value = "P1", ignore_case = true, hide_possible_values = true, value_parser = some(&FAIL_ON))]
    pub(crate) fail_on: Severity,
    /// Undecided when anything is not reviewed, binary and excluded files included.
    #[arg(long, hide_short_help = true)]
    pub(crate) strict: bool,
    /// Write the reports into this directory instead of .debate/.
    #[arg(long, hide_short_help = true, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    // Last: their headings would otherwise cover the options after them.
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pull: PullArgs,
    #[command(flatten)]
    proof: ProveArgs,
    /// The agents, two or more, in the order of their seats.
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    pub(crate) agents: Vec<String>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

#[derive(Debug, Args)]
struct PullArgs {
    /// A pull request, through gh.
    ///
    /// By its number or address; without, that of the current branch.
    #[arg(long, group = "scope", value_name = "N|URL", num_args = 0..=1)]
    pr: Option<Vec<String>>,
    /// Post the result on the pull request: findings at their lines, and what sums up.
    #[arg(long, hide_short_help = true, requires = "pr")]
    comment: bool,
}

#[derive(Debug, Args)]
struct ProveArgs {
    /// Have the authors of P0 and P1 write a test of each, and run it in a sandbox.
    ///
    /// `review.prove.command` is the command that runs one test. A test that fails on the change and passes
    /// without it, three times each, stands above all votes.
    #[arg(long, hide_short_help = true, conflicts_with = "patch")]
    prove: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Record findings as known, with the reason.
    Dismiss(DismissArgs),
    /// Show a finding with the test that was run for it.
    Show(ProofArgs),
}

/// The severities from which the exit code is 1.
const FAIL_ON: [(Severity, &str); 3] = [
    (Severity::P0, "Breaking defects only"),
    (Severity::P1, "Likely bugs too"),
    (Severity::P2, "Anything that remains"),
];

impl ReviewArgs {
    fn request(&self, dir: &Path) -> Request {
        let (question, paths) = question_and_paths(dir, self);
        Request {
            question,
            scope: self.scope.request(&paths),
            agents: self.agents.clone(),
            max_rounds: if self.single_round || self.no_critique {
                Some(0)
            } else {
                self.max_rounds
            },
            compose: self.single_round.then_some(Compose::Never),
            strict: self.strict,
            prove: self.proof.prove,
            out: self.out.clone(),
            fail_on: Some(self.fail_on),
            options: self.options.clone(),
            ..Request::default()
        }
    }
}

pub(super) fn review(
    global: &Global,
    args: &ReviewArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    match &args.command {
        Some(ReviewCommand::Dismiss(args)) => return dismiss::dismiss(global, args, output),
        Some(ReviewCommand::Show(args)) => return proof::show(global, args, output),
        None => {}
    }
    let call = &args.call;
    let mut around = surroundings(global)?;
    let mut request = args.request(&around.dir);
    // Its folder is needed until the review has ended.
    let fetched = (args.pull.pr.as_ref())
        .map(|named| {
            let workspace = Workspace::open(around.clone(), Vec::new())?;
            output.configure(&workspace);
            block_on(pull_request::prepare(
                &workspace,
                named.first().map(String::as_str),
                args.pull.comment,
            ))?
        })
        .transpose()?;
    if let Some(fetched) = &fetched {
        fetched.fill(&mut request, &around.dir);
        around.checkout = Some(fetched.checkout.clone());
    }
    let session = Session::open(around, request, call, output)?;
    session.warn();
    let Some(reviewed) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    match reviewed {
        ReviewResult::Nothing(nothing) => print_nothing(&nothing, output),
        ReviewResult::Held(finished) => {
            result::print(&finished.document, finished.status, &session.workspace, call, output)
        }
    }
}

/// Prints that there was nothing to review, in a form that parsers of the format can read.
fn print_nothing(nothing: &NothingToReview, output: &Output) -> Result<ExitStatus, Error> {
    match output.format() {
        Format::Text => {
            output.notice(&nothing.sentence());
            Ok(ExitStatus::Success)
        }
        Format::Sarif => output.document(&sarif::nothing(nothing), ExitStatus::Success),
        Format::Markdown | Format::Transcript => output.result(&nothing.markdown()),
        Format::Html => output.result(&nothing.html()),
        Format::Github => output.result(&github::nothing(nothing)),
        _ => output.either(nothing, ExitStatus::Success, |look| nothing.render(look)),
    }
}

/// Treats the first argument as a path if it is one: `review src/` means the folder. So does a word that merely looks
/// like one: it may be a deleted file, and a mistyped path must not become a question about everything.
fn question_and_paths(dir: &Path, args: &ReviewArgs) -> (String, Vec<PathBuf>) {
    let mut paths = args.paths.clone();
    match &args.question {
        Some(word)
            if like_path(word)
                || (!word.is_empty() && dir.join(word).symlink_metadata().is_ok()) =>
        {
            paths.insert(0, PathBuf::from(word));
            (String::new(), paths)
        }
        Some(question) => (question.clone(), paths),
        None => (String::new(), paths),
    }
}

/// Whether a word is written like a path: `src/a`, `a.rs`; not `What?`, `Why.`, `security`.
fn like_path(word: &str) -> bool {
    let dot = |at: usize| word[at + 1..].starts_with(|next: char| next.is_ascii_alphanumeric());
    !word.contains(char::is_whitespace)
        && !word.ends_with('?')
        && (word.contains('/') || word.rfind('.').is_some_and(dot))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_a_path_if_it_is_written_as_one() {
        for word in ["src/", "src/a", "./x", "a.rs", "gone.py", "a.tar.gz", ".env"] {
            assert!(like_path(word), "{word}");
        }
        for word in ["", "security", "Why?", "async/await?", "Is a.rs right", "Done.", "..."] {
            assert!(!like_path(word), "{word}");
        }
    }
}
