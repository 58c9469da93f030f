//! The decision log: what was decided in the project, by agents that agreed or by a person.
//!
//! # Theory of operation
//!
//! | logged by | decision | call |
//! |---|---|---|
//! | the program | a debate whose agents agree (verdict `consensus`) | [`log`], [`LogMode::Automatic`] |
//! | a person | a debate agreed in part, ruled by an expert or a judge, or whose texts deny each other | [`log`], [`LogMode::Confirmed`], by `decisions add` or the question after the debate |
//! | a person | anything, without a debate | [`manual`] |
//!
//! Nothing else is logged: a rehearsal decides nothing, and neither does a debate without agreement, or one that is
//! still open. A debate is logged once, whoever asks and however often.
//!
//! `.debate/decisions.json` is the source of truth, `.debate/decisions.md` is generated from it. To change them, a
//! process takes the lock `.debate/decisions.lock`, reads, changes, writes a temporary file beside each, syncs and
//! renames it: a crash leaves the old log or the new one. The Markdown comes second; if it was lost, the next change,
//! or logging the same debate again, regenerates it.

pub(super) mod entry;

pub(crate) use entry::{Manual, Marks};

use crate::kernel::{Ended, Halt};
use chrono::SubsecRound as _;

pub(crate) use crate::app::decision_log::list;
use crate::app::decision_log::{self, of_session};
use crate::app::run::kind::redact;
use crate::app::run::workspace::Workspace;
use crate::app::{sessions, topic};
use crate::config::trust::AgentUse;
use crate::error::{Error, Kind};
use crate::protocol::debate::Verdict;
use crate::protocol::debate::outcome::Decision;
use crate::report::debate::{DebateDocument, Logged};
use crate::report::decisions::{DecisionDocument, DecisionLog, Entry, Source};
use crate::report::document::SCHEMA_VERSION;
use crate::text::sanitize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogMode {
    /// The program, because the agents agree.
    Automatic,
    /// A person who confirmed it.
    Confirmed,
}

/// The handling of a debate that has ended, with regard to the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogAction {
    Log,
    /// Ask a person whether to log it.
    Ask,
    /// Log it only on `decisions add`.
    Offer,
    /// Never log it: it decides nothing.
    Nothing,
}

/// Returns how to handle a debate, by its verdict.
pub(crate) fn due(document: &DebateDocument) -> LogAction {
    let says = |decision: &Decision| !sanitize::terminal(&decision.text).trim().is_empty();
    let decided = document.result.decision.as_ref().is_some_and(says);
    if document.header.rehearsal || document.header.suspended() || !decided {
        return LogAction::Nothing;
    }
    match document.header.verdict {
        Verdict::Consensus => LogAction::Log,
        Verdict::Partial if denied(document) => LogAction::Offer,
        Verdict::Partial | Verdict::OneVendor => LogAction::Ask,
        Verdict::Ruled => LogAction::Offer,
        Verdict::NoConsensus | Verdict::Undecided => LogAction::Nothing,
    }
}

/// Whether one text denies the other, so that a rule held back what the last check's number would have adopted. A
/// `--yes` given before that was known does not apply to it.
fn denied(document: &DebateDocument) -> bool {
    let mut rounds = document.result.rounds.iter().rev();
    let last = rounds.find_map(|round| round.consensus.as_ref());
    last.is_some_and(|check| {
        !check.reached && check.decisive.is_some_and(|decisive| decisive >= check.threshold)
    })
}

/// Logs the decision of a debate, once, however often it is called.
///
/// # Errors
/// The debate decides nothing, is a rehearsal, or needs a person's yes; the log is locked by another process, is
/// invalid or cannot be written. The log is then unchanged.
pub(crate) fn log(
    workspace: &Workspace,
    document: &DebateDocument,
    how: LogMode,
    marks: &Marks,
) -> Result<DecisionDocument, Error> {
    let source = may_be_logged(document, how)?;
    let marks = entry::marks(marks)?;
    let session = document.header.session_id.as_str();
    let now = workspace.env().now().trunc_subsecs(0);
    let mut logged = add(workspace, |log| match of_session(log, session) {
        Some(entry) => Ok((entry.clone(), true)),
        None => Ok((entry::of_debate(document, source, &marks, now), false)),
    })?;
    let mut marked = document.clone();
    marked.logged = Some(Logged::from(&logged.decision));
    logged.report_not_written = topic::report_again(workspace, &marked)
        .err()
        .map(|error| {
            format!(
                "the report of the debate could not be rewritten: {error}; `debate-agent sessions show ID --format markdown` prints it"
            )
        });
    Ok(logged)
}

/// Logs the decision of a stored session's debate at a person's request.
///
/// # Errors
/// As [`log`]; the session is unknown or is not a debate.
pub(crate) async fn add_session(
    workspace: &Workspace,
    id: &str,
    marks: &Marks,
) -> Result<DecisionDocument, Error> {
    let shown = sessions::show(workspace, id).await?;
    let document = shown.document::<DebateDocument>().ok_or_else(|| {
        let id = sanitize::line(id, 60);
        Error::new(Kind::Input, format!("session `{id}` is not a topic debate, so it decides nothing"))
            .named("no_debate")
            .hint("`debate-agent sessions list` shows which are; without a debate: `debate-agent decisions add --manual --title TITLE --decision TEXT`")
    })?;
    log(workspace, document, LogMode::Confirmed, marks)
}

/// Logs a decision made without a debate. Its consensus is `null`: nothing was measured.
///
/// # Errors
/// The title or decision is empty or too long; the log as in [`log`].
pub(crate) fn manual(workspace: &Workspace, decision: &Manual) -> Result<DecisionDocument, Error> {
    let new = entry::of_person(decision, workspace.env().now().trunc_subsecs(0))?;
    add(workspace, |_| Ok((new, false)))
}

/// Whether a debate's decision is in the log.
///
/// # Errors
/// As [`list`].
pub(crate) fn has(workspace: &Workspace, document: &DebateDocument) -> Result<bool, Error> {
    Ok(of_session(&list(workspace)?, &document.header.session_id).is_some())
}

/// Adds an entry under the lock, with the next id. `make` returns the entry and whether it is in the log already.
fn add(
    workspace: &Workspace,
    make: impl FnOnce(&DecisionLog) -> Result<(Entry, bool), Error>,
) -> Result<DecisionDocument, Error> {
    workspace.require_trusted_keys(AgentUse::Folders)?;
    let file = decision_log::File::of(workspace);
    let (decision, already) = file.change(|log| {
        let (mut entry, already) = make(log)?;
        if !already {
            entry = redact(workspace, entry)?.into_inner();
            entry.id = decision_log::next_id(log);
            log.decisions.push(entry.clone());
        }
        Ok((entry, already))
    })?;
    Ok(DecisionDocument {
        decision,
        already,
        path: file.path().display().to_string(),
        report_not_written: None,
        schema_version: SCHEMA_VERSION,
    })
}

/// Returns the entry's source for this way of logging; refuses a debate that decides nothing or that only a person
/// can log.
fn may_be_logged(document: &DebateDocument, how: LogMode) -> Result<Source, Error> {
    let id = crate::report::short_id(&document.header.session_id);
    if document.header.rehearsal {
        return Err(Error::new(
            Kind::Input,
            format!(
                "session {id} is a rehearsal: what it decides is invented, so it is not logged"
            ),
        )
        .named("rehearsal"));
    }
    match (due(document), how) {
        (LogAction::Log, LogMode::Automatic) => Ok(Source::Automatic),
        (LogAction::Log | LogAction::Ask | LogAction::Offer, LogMode::Confirmed) => {
            Ok(Source::Confirmed)
        }
        (LogAction::Ask | LogAction::Offer, LogMode::Automatic) => Err(Error::new(
            Kind::Input,
            format!(
                "session {id} ended as {}: only a person can log it",
                document.header.outcome.name()
            ),
        )
        .named("needs_confirmation")
        .hint(format!("`debate-agent decisions add {id}`"))),
        (LogAction::Nothing, _) => {
            let outcome = document.header.outcome;
            let running = outcome == Ended::Stopped(Halt::Running);
            let again = if running {
                format!("`debate-agent sessions status {id}` shows its progress")
            } else if document.header.suspended() {
                format!("`debate-agent sessions resume {id}` continues it")
            } else {
                let round = document.again_from();
                format!("`debate-agent sessions resume {id} --from-round {round}` debates it again")
            };
            let stands = if running {
                "is running: nothing is decided yet".to_owned()
            } else {
                format!("ended as {}: nothing was decided", outcome.name())
            };
            Err(Error::new(
                Kind::Input,
                format!("session {id} {stands}, so nothing can be logged"),
            )
            .named("nothing_decided")
            .hint(again)
            .hint("decided it yourself? `debate-agent decisions add --manual --title TITLE --decision TEXT`"))
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
