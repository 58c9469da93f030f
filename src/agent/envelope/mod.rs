//! Reads a CLI's output: the final message, or why there is none.
//!
//! Each vendor's reader finds the answer, the cost and any error in the envelope; [`read`] combines
//! that with how the process ended. An exit code of 0 with an error inside is an error. An answer
//! after which the CLI said its last word is whole and paid for, however the process then ended;
//! one without is kept, and the call has failed. Standard error never yields an answer; it is only
//! searched for the reason of a failure.

mod person;
#[cfg(test)]
mod tests;
mod words;

use chrono::{DateTime, FixedOffset};

pub use super::output::Envelope;
use super::output::{classify, json, limits, pointers};
use super::profile::{PROFILES, Reader};
use super::roster::Agent;
use crate::config::agents::OutputFormat;
use crate::kernel::{Failure, FailureClass};
use crate::process::Ending;
use crate::text::{Note, sanitize};
use words::{Cause, sentence};

/// Reads one call's output. `blocks` are the marker blocks that the turn asks for; `now` is the user's time.
pub fn read(
    agent: &Agent,
    stdout: &[u8],
    stderr: &[u8],
    ending: &Ending,
    blocks: &[&str],
    now: DateTime<FixedOffset>,
) -> Envelope {
    let code = match ending {
        Ending::Exited { code } => Some(*code),
        _ => None,
    };
    let mut reading = vendor_reading(agent, stdout, stderr, code);
    if reading.answer.as_deref().is_some_and(is_blank) {
        reading.answer = None;
    }
    let whole = is_whole(&reading);
    if whole && let Some(ended) = ended_badly(ending) {
        let message = format!("{} {ended} after its whole answer, which counts", agent.name);
        reading.notes.push(Note::new("bad_ending", message));
    }
    let failure = judge(agent, &reading, stdout, stderr, ending).or_else(|| {
        let answer = reading.answer.as_deref().filter(|_| !agent.is_person());
        let (class, said) = classify::limit_text(answer.unwrap_or_default(), blocks)?;
        Some((class, Cause::Said(said)))
    });
    let failure = failure.map(|(class, cause)| match &cause {
        Cause::Said(said) => (limits::timed(class, said, now), cause),
        Cause::Seen(_) => (class, cause),
    });
    let is_refusal = |class: &FailureClass| match reading.error {
        Some(_) => classify::is_refusal(class),
        // On standard error a service out of reach may be a connection that broke in the midst of work, and a shell
        // that misses a program may have run others.
        None => classify::is_refusal_by_words(class) && !matches!(code, Some(126 | 127)),
    };
    // A crash, a time limit or our own stop may have interrupted work that is paid for.
    let refused = reading.idle
        && matches!(ending, Ending::Exited { .. } | Ending::Lingering)
        && reading.answer.is_none()
        && !reading.has_usage()
        && failure.as_ref().is_some_and(|(class, _)| is_refusal(class));
    reading.refused = refused;
    reading.failure = failure.map(|(class, cause)| Failure {
        message: sanitize::line(&sentence(agent, &class, &cause), 500),
        class,
    });
    reading
}

/// Whether an output contains a complete and successful envelope by itself. Only then is the spool
/// of an interrupted run adopted. Plain text has no such mark, so it never is.
pub fn complete(agent: &Agent, stdout: &[u8]) -> bool {
    let mut reading = vendor_reading(agent, stdout, &[], Some(0));
    reading.answer = reading.answer.filter(|text| !is_blank(text));
    is_whole(&reading)
}

/// Whether there is an answer after which the CLI said its last word.
fn is_whole(reading: &Envelope) -> bool {
    reading.ended && reading.finished && reading.error.is_none() && reading.answer.is_some()
}

/// How a process ended that did not end by itself and well, to follow its name. Output over its limit is cut, and a
/// run that was stopped asks nobody any more.
fn ended_badly(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Exited { code: 0 }
        | Ending::OutputLimit
        | Ending::Cancelled
        | Ending::SpawnFailed { .. } => None,
        ending => Some(ending.to_string()),
    }
}

fn vendor_reading(agent: &Agent, stdout: &[u8], stderr: &[u8], code: Option<i32>) -> Envelope {
    if agent.is_person() {
        return person::read(stdout);
    }
    match agent.cli().reader {
        Reader::Own(read) => {
            let reading = read(stdout, stderr, code);
            Envelope { ended: reading.finished, ..reading }
        }
        Reader::Events(_) => by_pointers(agent, stdout, code),
        Reader::Configured => {
            let reading = by_pointers(agent, stdout, code);
            // Plain text has no mark of its end. For an unmeasured program, nothing proves that it did not ask a model.
            let ended = reading.finished && agent.output.format == OutputFormat::Json;
            Envelope { ended, idle: false, ..reading }
        }
    }
}

/// Reads by pointers, and recognises failures by what is known of all CLIs' event streams.
fn by_pointers(agent: &Agent, stdout: &[u8], code: Option<i32>) -> Envelope {
    let known = PROFILES.iter().filter_map(|profile| profile.events());
    let statuses: Vec<&str> = known.filter_map(|events| events.status).collect();
    pointers::read(&agent.output, &statuses, agent.cli().last_word, stdout, code)
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.trim_ascii().is_empty()
}

/// Combines the process's ending with the envelope's content.
fn judge(
    agent: &Agent,
    reading: &Envelope,
    stdout: &[u8],
    stderr: &[u8],
    ending: &Ending,
) -> Option<(FailureClass, Cause)> {
    let crashed = |code, signal| FailureClass::Crashed { code, signal };
    let seen = |class, predicate: &str| Some((class, Cause::Seen(predicate.to_owned())));
    if is_whole(reading)
        && (ending == &(Ending::Exited { code: 0 }) || ended_badly(ending).is_some())
    {
        return None;
    }
    match ending {
        Ending::Exited { .. } | Ending::Lingering if reading.error.is_some() => {
            reading.error.clone().map(|(class, said)| (class, Cause::Said(said)))
        }
        Ending::Exited { code: 0 } | Ending::Lingering if reading.answer.is_none() => {
            seen(FailureClass::EmptyReply, "ended normally but answered nothing")
        }
        Ending::Exited { code: 0 } | Ending::Lingering => (!reading.finished).then(|| {
            let predicate =
                "ended with exit code 0, but its output stops before the mark of a finished call";
            (crashed(Some(0), None), Cause::Seen(predicate.to_owned()))
        }),
        Ending::Exited { code } => Some(gave_up(reading, stdout, stderr, *code)),
        Ending::Signaled { signal } => {
            let class = crashed(None, Some(*signal));
            match classify::reason(stderr, None) {
                Some((_, said)) => Some((class, Cause::Said(said))),
                None => seen(class, &format!("was ended by signal {signal}")),
            }
        }
        Ending::TimedOut => seen(
            FailureClass::TimedOut,
            &format!(
                "did not end within its time limit of {} s (`agents.{}.timeout_seconds` raises it)",
                agent.timeout.as_secs(),
                agent.name
            ),
        ),
        Ending::Idle => seen(
            FailureClass::Idle,
            &format!(
                "printed nothing for longer than its idle limit of {} s (`agents.{}.idle_timeout_seconds` raises it)",
                agent.idle.unwrap_or_default().as_secs(),
                agent.name
            ),
        ),
        Ending::OutputLimit => {
            seen(FailureClass::OutputLimit, "printed more than its output limit")
        }
        Ending::Cancelled => seen(FailureClass::Cancelled, "was stopped by us"),
        Ending::SpawnFailed { not_found, message } => Some(spawn_failure(*not_found, message)),
        Ending::GuardLost => {
            seen(crashed(None, None), "lost its guard process; what was left of the call was ended")
        }
    }
}

/// A bad exit without a report of the failure: its reason is what the program printed for people.
fn gave_up(reading: &Envelope, stdout: &[u8], stderr: &[u8], code: i32) -> (FailureClass, Cause) {
    let crashed = classify::crashed(Some(code));
    let printed = reading.answer.as_deref().filter(|_| json::values(stdout).is_empty());
    let reason = classify::reason(stderr, Some(code))
        .or_else(|| classify::reason(reading.warning.as_deref()?.as_bytes(), Some(code)))
        .or_else(|| classify::reason(printed?, Some(code)));
    match reason {
        // What began to work knows its arguments.
        Some((FailureClass::NotExecutable, said)) if !json::values(stdout).is_empty() => {
            (crashed, Cause::Said(said))
        }
        // A shell's codes for a program that is not there or may not be run.
        Some((_, said)) if matches!(code, 126 | 127) && stdout.is_empty() => {
            (FailureClass::NotExecutable, Cause::Said(said))
        }
        Some((class, said)) => (class, Cause::Said(said)),
        None => {
            let predicate = match reading.answer {
                Some(_) => format!("ended with exit code {code} in the middle of its answer"),
                None => format!("ended with exit code {code} and gave no reason"),
            };
            (crashed, Cause::Seen(predicate))
        }
    }
}

/// A shortage of processes or files is transient; a missing program is not.
fn spawn_failure(not_found: bool, message: &str) -> (FailureClass, Cause) {
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
    (class, Cause::Seen(format!("could not be started: {message}")))
}

/// Returns the last `most` lines, sanitized, for the journal.
pub fn tail(stderr: &[u8], most: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(stderr);
    let mut lines: Vec<String> =
        text.lines().rev().take(most).map(|line| sanitize::line(line, 500)).collect();
    lines.reverse();
    lines
}
