//! Reads a CLI's output: the final message, or why there is none.
//!
//! Each vendor's reader finds the answer, the cost and any error in the envelope; [`read`] combines
//! that with how the process ended. A call succeeded only if both say so: an exit code of 0 with an
//! error inside is an error, and an exit code of 1 with a complete answer inside is a failure whose
//! answer is kept. Standard error never yields an answer; it is only searched for the vendors'
//! documented error reports.

mod person;
#[cfg(test)]
mod tests;

use super::attempts::Usage;
use super::output::{EnvelopeContent, classify, last_line, pointers};
use super::profile::{PROFILES, Reader};
use super::roster::Agent;
use crate::config::agents::OutputFormat;
use crate::kernel::{Failure, FailureClass, Usd};
use crate::process::Ending;
use crate::text::{Note, sanitize};

/// A call's output, judged together with how its process ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Envelope {
    /// The final message, kept even if the call failed.
    pub answer: Option<Vec<u8>>,
    /// Why the call failed.
    pub failure: Option<Failure>,
    /// The cost reported by the CLI.
    pub cost: Option<Usd>,
    /// The tokens counted by the CLI.
    pub usage: Option<Usage>,
    pub model: Option<String>,
    /// Whether the call was certainly refused before any work, and so cost nothing.
    pub refused: bool,
    /// The model stopped at its output limit.
    pub cut: bool,
    /// The CLI's own session id.
    pub session: Option<String>,
    /// Notes on anything unusual.
    pub notes: Vec<Note>,
}

/// Reads one call's output. `blocks` are the marker blocks that the turn asks for.
pub fn read(
    agent: &Agent,
    stdout: &[u8],
    stderr: &[u8],
    ending: &Ending,
    blocks: &[&str],
) -> Envelope {
    let code = match ending {
        Ending::Exited { code } => Some(*code),
        _ => None,
    };
    let mut reading = vendor_reading(agent, stdout, stderr, code);
    if reading.answer.as_deref().is_some_and(is_blank) {
        reading.answer = None;
    }
    let failure = judge(agent, &reading, stderr, ending).or_else(|| {
        let answer = reading.answer.as_deref().filter(|_| !agent.is_person());
        classify::limit_text(answer.unwrap_or_default(), blocks)
    });
    // A crash, a time limit or our own stop may have interrupted work that is paid for.
    let refused = reading.idle
        && matches!(ending, Ending::Exited { .. })
        && reading.answer.is_none()
        && !reading.has_usage()
        && (failure.as_ref()).is_some_and(|(class, _)| classify::is_refusal(class));
    Envelope {
        refused,
        failure: failure.map(|(class, said)| Failure {
            class,
            message: sanitize::line(&format!("{}: {said}", agent.name), 500),
        }),
        answer: reading.answer,
        cost: reading.cost,
        usage: reading.usage,
        model: reading.model,
        cut: reading.cut,
        session: reading.session,
        notes: reading.notes,
    }
}

/// Whether an output contains a complete and successful envelope by itself. Only then is the spool
/// of an interrupted run adopted. Plain text has no such mark, so it never is.
pub fn complete(agent: &Agent, stdout: &[u8]) -> bool {
    let marked = agent.is_person()
        || match agent.cli().reader {
            Reader::Own(_) => true,
            // A stream of events without a known last event may still be incomplete.
            Reader::Events(_) => false,
            Reader::Configured => agent.output.format == OutputFormat::Json,
        };
    if !marked {
        return false;
    }
    let reading = vendor_reading(agent, stdout, &[], Some(0));
    reading.finished
        && reading.error.is_none()
        && reading.answer.as_deref().is_some_and(|text| !is_blank(text))
}

fn vendor_reading(
    agent: &Agent,
    stdout: &[u8],
    stderr: &[u8],
    code: Option<i32>,
) -> EnvelopeContent {
    if agent.is_person() {
        return person::read(stdout);
    }
    match agent.cli().reader {
        Reader::Own(read) => read(stdout, stderr, code),
        Reader::Events(_) => by_pointers(agent, stdout, stderr, code),
        // For an unmeasured program, nothing proves that it did not ask a model.
        Reader::Configured => {
            EnvelopeContent { idle: false, ..by_pointers(agent, stdout, stderr, code) }
        }
    }
}

/// Reads by pointers, and recognises failures by what is known of all CLIs' event streams.
fn by_pointers(agent: &Agent, stdout: &[u8], stderr: &[u8], code: Option<i32>) -> EnvelopeContent {
    let known = || PROFILES.iter().filter_map(|profile| profile.events());
    let statuses: Vec<&str> = known().filter_map(|events| events.status).collect();
    let mut reading = pointers::read(&agent.output, &statuses, stdout, code);
    if reading.error.is_none() && code.is_some_and(|code| code != 0) {
        let mut words = known().filter_map(|events| events.no_login);
        reading.error = last_line(stderr)
            .filter(|said| words.any(|words| said.contains(words)))
            .map(|said| (FailureClass::NotLoggedIn, said));
        reading.idle |= reading.error.is_some();
    }
    reading
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty()
}

/// Combines the process's ending with the envelope's content.
fn judge(
    agent: &Agent,
    reading: &EnvelopeContent,
    stderr: &[u8],
    ending: &Ending,
) -> Option<(FailureClass, String)> {
    let crashed = |code, signal| FailureClass::Crashed { code, signal };
    let last_words = || last_line(stderr).unwrap_or_else(|| "it said nothing".to_owned());
    match ending {
        Ending::Exited { code } => {
            if let Some((class, said)) = &reading.error {
                return Some((class.clone(), mended(agent, class, said)));
            }
            if *code != 0 {
                return Some((
                    crashed(Some(*code), None),
                    format!("ended with exit code {code}: {}", last_words()),
                ));
            }
            if reading.answer.is_none() {
                return Some((
                    FailureClass::EmptyReply,
                    "ended normally but answered nothing".to_owned(),
                ));
            }
            (!reading.finished).then(|| {
                (
                    crashed(Some(0), None),
                    "ended with exit code 0, but its output stops before the marker of a finished call"
                        .to_owned(),
                )
            })
        }
        Ending::Signaled { signal } => Some((
            crashed(None, Some(*signal)),
            format!("was ended by signal {signal}: {}", last_words()),
        )),
        Ending::TimedOut => Some((
            FailureClass::TimedOut,
            format!(
                "did not end within its time limit of {} s (`agents.{}.timeout_seconds` raises it)",
                agent.timeout.as_secs(),
                agent.name
            ),
        )),
        Ending::Idle => Some((
            FailureClass::Idle,
            format!(
                "printed nothing for longer than its idle limit of {} s (`agents.{}.idle_timeout_seconds` raises it)",
                agent.idle.unwrap_or_default().as_secs(),
                agent.name
            ),
        )),
        Ending::OutputLimit => {
            Some((FailureClass::OutputLimit, "printed more than its output limit".to_owned()))
        }
        Ending::Cancelled => Some((FailureClass::Cancelled, "was stopped by us".to_owned())),
        Ending::SpawnFailed { not_found, message } => Some(spawn_failure(*not_found, message)),
        Ending::GuardLost => Some((
            crashed(None, None),
            "lost its guard process; what was left of the call was ended".to_owned(),
        )),
    }
}

/// Explains how to fix a failed login, before the CLI's own words, which refer to its own prompt.
fn mended(agent: &Agent, class: &FailureClass, said: &str) -> String {
    let how = agent.cli().probes.log_in;
    if *class != FailureClass::NotLoggedIn || how.is_empty() {
        return said.to_owned();
    }
    format!("not logged in, or its key is not valid: {how} (it said: {said})")
}

/// A shortage of processes or files is transient; a missing program is not.
fn spawn_failure(not_found: bool, message: &str) -> (FailureClass, String) {
    let passing = ["temporarily unavailable", "Too many open files", "Cannot allocate memory"]
        .iter()
        .any(|words| message.contains(words));
    let class = if not_found {
        FailureClass::NotFound
    } else if passing {
        FailureClass::Crashed { code: None, signal: None }
    } else {
        FailureClass::NotExecutable
    };
    (class, format!("could not be started: {message}"))
}

/// Returns the last `most` lines, sanitized, for the journal.
pub fn tail(stderr: &[u8], most: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(stderr);
    let mut lines: Vec<String> =
        text.lines().rev().take(most).map(|line| sanitize::line(line, 500)).collect();
    lines.reverse();
    lines
}
