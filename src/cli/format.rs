//! The forms of results: which the command line asks for, and which a command has.

use super::args::{Command, SessionsCommand};
use super::backlog::args::BacklogCommand;
use super::decisions::DecisionsCommand;
use super::hook::HookCommand;
use super::options::Global;
pub(super) use crate::config::schema::Format;
use crate::error::{Error, Kind};

use Format::{Csv, Github, Html, Json, Markdown, Pr, Sarif, Text, Transcript};

/// Returns the format that the command line asks for, if it asks for one.
///
/// # Errors
/// It asks for two, or for one that the command does not have.
pub(super) fn asked(global: &Global, command: &Command) -> Result<Option<Format>, Error> {
    let offered = offered(command);
    let format = match global.format {
        // A stored transcript is a document as well.
        Some(Transcript)
            if global.json && matches!(command, Command::Sessions(SessionsCommand::Show(_))) =>
        {
            Some(Json)
        }
        Some(format) if global.json && format != Json => {
            let error = Error::new(Kind::Usage, "`--json` and `--format` ask for two formats");
            return Err(error.hint("leave one of them out"));
        }
        format => format.or(global.json.then_some(Json)),
    };
    match format {
        Some(format) if !offered.contains(&format) => {
            let names: Vec<&str> = offered.iter().map(|each| each.name()).collect();
            let what = format!("this command has no `--format {}`", format.name());
            Err(Error::new(Kind::Usage, what).hint(format!("it has {}", names.join(", "))))
        }
        format => Ok(format),
    }
}

/// Returns the formats that a command's result has, the usual one first.
pub(super) fn offered(command: &Command) -> &'static [Format] {
    match command {
        // A stored session may be a review.
        Command::Review(_)
        | Command::Sessions(
            SessionsCommand::Show(_)
            | SessionsCommand::Watch(_)
            | SessionsCommand::Resume(_)
            | SessionsCommand::Decide(_),
        ) => &[Text, Json, Markdown, Html, Transcript, Sarif, Github, Pr],
        Command::Outline(args) if !args.run => &[Text, Json],
        Command::Plan(_)
        | Command::Debate(_)
        | Command::Discuss(_)
        | Command::Prioritize(_)
        | Command::Discover(_)
        | Command::Outline(_) => &[Text, Json, Markdown, Html, Transcript],
        Command::Eval(_) => &[Text, Json, Markdown, Html],
        Command::Hook(HookCommand::Run(_)) => &[Text],
        Command::Backlog(args) => match args.command {
            Some(BacklogCommand::Export) => &[Markdown, Json, Csv],
            _ => &[Text, Json],
        },
        Command::Run(_) | Command::Decisions(DecisionsCommand::List(_)) => &[Text, Json, Markdown],
        _ => &[Text, Json],
    }
}
