//! `review`: several agents review a change, blind to each other; and `review dismiss`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::change::ScopeArgs;
use super::dismiss::DismissArgs;
use super::number::setting;
use super::options::{Global, PanelArgs};
use super::output::Output;
use super::result;
use super::session::Session;
use super::word::{some, word};
use super::{dismiss, surroundings};
use crate::app::Input;
use crate::app::review::{Request, ReviewResult};
use crate::config::review::PlatformChoice;
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::protocol::review::{Compose, Severity};
use crate::report::page::ToPage as _;
use crate::report::review::{NothingToReview, ReviewDocument, github, sarif};

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
What is reviewed, unless a scope is given: everything that differs from HEAD, staged,
unstaged and untracked. The first argument is the QUESTION, unless it names a file or
is one word that looks like a path.

Each agent reviews alone, then judges the others' findings without knowing whose they
are; rules decide what is confirmed. A seat that did not answer never counts as \"clean\".

Examples:
  debate-agent review --rehearse                    the whole run for free
  debate-agent review 'Is the locking right?' src/  what differs from HEAD in src/
  debate-agent review --base main --fail-on P0      a branch, in CI
  debate-agent review --staged --format sarif --out reports > review.sarif
  git diff v1..v2 | debate-agent review --patch -
  debate-agent review dismiss F3 --why 'the caller holds the lock'"
)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct ReviewArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ReviewCommand>,
    /// What to look at in particular.
    pub(crate) question: Option<String>,
    /// Files and folders to look at, relative to the current directory (default: all).
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Which platform's rules reviewers get (default: detected from the files).
    #[arg(long, value_name = "NAME", value_parser = word::<PlatformChoice>())]
    pub(crate) platform: Option<PlatformChoice>,
    /// One critique, no further rounds, no composition, no validation.
    #[arg(long)]
    pub(crate) single_round: bool,
    /// No cross-examination: nothing is confirmed or refuted.
    #[arg(long)]
    pub(crate) no_critique: bool,
    /// Maximum number of cross-examinations (default 3).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("review.max_rounds"))]
    pub(crate) max_rounds: Option<u32>,
    /// Confidence in percent at which no further round is held (default 80).
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, value_parser = setting::<u32>("review.confidence"))]
    pub(crate) confidence: Option<u32>,
    /// When one agent composes the result and the others vote on that (default auto: where it can change something).
    #[arg(long, value_name = "WHEN", value_parser = word::<Compose>())]
    pub(crate) compose: Option<Compose>,
    /// Exit 1 when a finding of this severity or worse remains.
    #[arg(long, value_name = "SEVERITY", default_value = "P1", ignore_case = true, value_parser = some(&FAIL_ON))]
    pub(crate) fail_on: Severity,
    /// How the result is printed.
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,
    /// Write the reports into this directory instead of .debate/.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// An earlier result (JSON or SARIF): only what is new is reported.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Let reviewers read the repository, with read-only tools. It must be trusted.
    #[arg(long)]
    pub(crate) read_repo: bool,
    /// Exit 0 if there is nothing to review, as --format github and sarif do.
    #[arg(long)]
    pub(crate) allow_empty: bool,
    // Last: their headings would otherwise cover the options after them.
    #[command(flatten)]
    pub(crate) scope: ScopeArgs,
    #[command(flatten)]
    pub(crate) panel: PanelArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ReviewCommand {
    /// Record that a finding is not one, with the reason: it is not raised again while its code is unchanged.
    Dismiss(DismissArgs),
}

/// The severities from which the exit code is 1.
const FAIL_ON: [(Severity, &str); 3] = [
    (Severity::P0, "Breaking defects only"),
    (Severity::P1, "Likely bugs too"),
    (Severity::P2, "Anything that remains"),
];

/// The format of a printed review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// One JSON document, as with --json.
    Json,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// A Markdown report.
    Markdown,
    /// Annotations of GitHub Actions.
    Github,
}

impl ReviewArgs {
    fn request(&self, dir: &Path, format: Format) -> Request {
        let (question, paths) = question_and_paths(dir, self);
        Request {
            question,
            scope: self.scope.request(&paths),
            agents: self.panel.agents.clone(),
            single_round: self.single_round,
            no_critique: self.no_critique,
            max_rounds: self.max_rounds,
            confidence: self.confidence,
            compose: self.compose,
            platform: self.platform,
            read_repo: self.read_repo,
            baseline: self.baseline.clone().map(Input::File),
            // Uploads need one result per change, an empty one if there is nothing to look at.
            allow_empty: self.allow_empty || matches!(format, Format::Sarif | Format::Github),
            out: self.out.clone(),
            fail_on: Some(self.fail_on),
            options: self.panel.run_args.options(),
        }
    }
}

pub(super) fn review(
    global: &Global,
    args: &ReviewArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    if let Some(ReviewCommand::Dismiss(args)) = &args.command {
        return dismiss::dismiss(global, args, output);
    }
    let call = &args.panel.run_args.call;
    result::one_stdout(call, output)?;
    let format = format(args, output)?;
    let around = surroundings(global)?;
    let request = args.request(&around.dir, format);
    let session = Session::open(around, request, call, output)?;
    session.warn();
    let Some(reviewed) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    match reviewed {
        ReviewResult::Nothing(nothing) => print_nothing(&nothing, format, output),
        ReviewResult::Held(finished) => {
            let status = finished.status.with_exit_zero(args.panel.run_args.exit_zero);
            print(&finished.document, format, status, args, output)
        }
    }
}

/// Prints that there was nothing to review, in a form that parsers of the format can read.
fn print_nothing(
    nothing: &NothingToReview,
    format: Format,
    output: &Output,
) -> Result<ExitStatus, Error> {
    match format {
        Format::Text => output.result(&nothing.render(output.look())),
        Format::Json => output.document(nothing, ExitStatus::Success),
        Format::Sarif => output.document(&sarif::nothing(nothing), ExitStatus::Success),
        Format::Markdown => output.result(&nothing.markdown()),
        Format::Github => output.result(&github::nothing(nothing)),
    }
}

/// Prints the result in the requested format.
fn print(
    document: &ReviewDocument,
    format: Format,
    status: ExitStatus,
    args: &ReviewArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    if args.panel.run_args.call.events.as_deref() == Some(Path::new("-")) {
        // The last of the events is the result.
        return Ok(status);
    }
    match format {
        Format::Text => output.result_as(&document.render(output.look()), status),
        Format::Json => output.document(document, status),
        Format::Sarif => output.document(&sarif::log(document), status),
        Format::Markdown => output.result_as(&document.markdown(), status),
        Format::Github => output.result_as(&github::annotations(document), status),
    }
}

fn format(args: &ReviewArgs, output: &Output) -> Result<Format, Error> {
    match (args.format, output.json) {
        (None, false) => Ok(Format::Text),
        (None | Some(Format::Json), _) => Ok(Format::Json),
        (Some(_), true) => Err(result::two_formats()),
        (Some(format), false) => {
            if args.panel.run_args.call.events.as_deref() == Some(Path::new("-")) {
                return Err(result::two_outputs("--format"));
            }
            Ok(format)
        }
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
