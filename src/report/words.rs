//! Wording shared by every form for people: times, sizes, money, failures, names.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use chrono::TimeDelta;

use crate::kernel::{Basis, Cost, Ended, Failure, FailureClass, Halt, Seat, Shortfall, Usd};
use crate::protocol::backlog::model::BacklogOutcome;
use crate::text::sanitize;

/// Maximum characters of a name (agent, role, vendor, id) in a line for people.
const NAME_CHARS: usize = 60;
/// Maximum characters of a sentence in a line for people.
const SENTENCE_CHARS: usize = 400;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const DOUBT: Style = AnsiColor::Yellow.on_default();
pub(crate) const HEAD: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

pub(crate) fn paint(text: &str, style: Style, colour: bool) -> String {
    if colour { format!("{style}{text}{style:#}") } else { text.to_owned() }
}

/// Breaks up sequences that a workflow's runner would read as a command, wherever a line was broken.
pub(crate) fn commandless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.lines() {
        let words = line.trim_start();
        match words.strip_prefix("::") {
            Some(command) => {
                safe.push_str(&line[..line.len() - words.len()]);
                safe.push_str(": :");
                safe.push_str(&command.replace("##[", "## ["));
            }
            None => safe.push_str(&line.replace("##[", "## [")),
        }
        safe.push('\n');
    }
    safe
}

/// An untrusted name on one line.
pub(crate) fn name(text: &str) -> String {
    sanitize::line(text, NAME_CHARS)
}

/// An untrusted sentence on one line.
pub(crate) fn sentence(text: &str) -> String {
    sanitize::line(text, SENTENCE_CHARS)
}

/// Returns the part of a session id that people type: its whole time stamp.
///
/// The first eight digits of a `UUIDv7` are the same for a minute; with four more, two sessions differ unless they
/// began in the same millisecond.
pub fn short_id(session: &str) -> String {
    sanitize::line(session, usize::MAX).chars().take(13).collect()
}

/// Escapes characters that a terminal would obey, in serialized JSON.
///
/// JSON itself escapes only C0. This function turns DEL, C1, bidi controls, tags and everything else that the
/// sanitizer removes into `\u` and four hexadecimal digits, so that nothing is lost for a program and nothing reaches
/// a screen.
pub(crate) fn json_escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    let mut units = [0; 2];
    for character in json.chars() {
        let plain =
            !sanitize::is_hidden(character) && !matches!(character, '\u{2028}' | '\u{2029}');
        if plain {
            safe.push(character);
        } else {
            for unit in character.encode_utf16(&mut units) {
                safe.push_str("\\u");
                for shift in [12, 8, 4, 0] {
                    safe.extend(char::from_digit(u32::from(*unit) >> shift & 0xf, 16));
                }
            }
        }
    }
    safe
}

/// `0.8s`, `12.4s`, `3m 05s`, `1h 02m`.
pub(crate) fn time(took: Duration) -> String {
    let tenths = took.as_millis() / 100;
    let seconds = took.as_secs();
    match seconds {
        0..60 => format!("{}.{}s", tenths / 10, tenths % 10),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// The elapsed time of a running operation: whole seconds, so that it does not flicker.
pub(crate) fn clock(took: Duration) -> String {
    if took.as_secs() < 60 { format!("{}s", took.as_secs()) } else { time(took) }
}

/// `90s`, `10m`: a time limit.
pub(crate) fn limit(limit: Duration) -> String {
    let seconds = limit.as_secs();
    if seconds.is_multiple_of(60) { format!("{}m", seconds / 60) } else { format!("{seconds}s") }
}

/// `40s`, `5m`, `3h`, `12d`: how long ago it was.
pub(crate) fn age(past: TimeDelta) -> String {
    let seconds = past.num_seconds().max(0);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// `812 B`, `2.1 KiB`, `3.0 MiB`.
pub(crate) fn bytes(count: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    match count {
        0..KIB => format!("{count} B"),
        KIB..MIB => format!("{}.{} KiB", count / KIB, count % KIB * 10 / KIB),
        _ => format!("{}.{} MiB", count / MIB, count % MIB * 10 / MIB),
    }
}

/// The basis of an amount; empty if the CLI itself reported it.
fn basis_mark(basis: Basis) -> &'static str {
    match basis {
        Basis::Reported => "",
        Basis::Estimated => " (estimated)",
        Basis::Declared => " (declared)",
        Basis::Refused => " (refused before any work)",
        Basis::Mixed => " (partly estimated)",
    }
}

/// `$0.11`, `$0.11 (estimated)`.
pub(crate) fn cost(cost: Cost) -> String {
    format!("{}{}", cost.usd, basis_mark(cost.basis))
}

/// `--budget 0.31`, which covers the next calls; `--budget USD` if the session does not know what they need.
pub(crate) fn raise(short: Option<Shortfall>) -> String {
    short.map_or_else(|| "--budget USD".to_owned(), Shortfall::option)
}

/// ` --budget 0.31` after a command, if the budget ended the run; otherwise empty.
pub(crate) fn raised(short: Option<Shortfall>) -> String {
    short.map_or_else(String::new, |short| format!(" {}", short.option()))
}

/// `$0.31 of $2.50`, or `$0.31` without a budget.
pub(crate) fn spent(spent: Usd, budget: Option<Usd>) -> String {
    budget.map_or_else(|| spent.to_string(), |budget| format!("{spent} of {budget}"))
}

/// `claude did not end within its time limit of 180 s`: a failure's class is for scripts.
pub(crate) fn failure(failure: &Failure) -> String {
    sentence(&failure.message)
}

/// Why a seat has no answer, from its failure, without the class: `2 of 3 turns failed; codex is rate limited`.
pub(crate) fn why(failure: &str) -> String {
    let (turns, _, why) = parts(failure);
    turns.map_or_else(|| why.to_owned(), |turns| format!("{turns} turns failed; {why}"))
}

/// The same for a headline: the cause and what to do, without the CLI's own words. `others`: agents that answered, and
/// could be asked alone.
pub(crate) fn cause(seat: &Seat, others: &[&str]) -> Option<String> {
    let (_, class, why) = parts(seat.failure.as_deref()?);
    let why = why.split_once(" (it said: ").map_or(why, |(why, _)| why);
    let mut ways = Vec::new();
    let is_limit = matches!(class, "rate_limited" | "quota_exhausted");
    if is_limit && [" until ", " for "].iter().any(|end| why.contains(end)) {
        ways.push("`--wait` waits for it".to_owned());
    }
    if is_limit && !others.is_empty() {
        ways.push(format!("`--agents {}` goes on without it", others.join(",")));
    }
    let ways = if ways.is_empty() { String::new() } else { format!("; {}", ways.join(", ")) };
    Some(format!("{}{ways}", sentence(why).trim_end_matches('.')))
}

/// How many of a seat's turns failed, the class of the last failure, and its sentence.
fn parts(failure: &str) -> (Option<&str>, &str, &str) {
    let (turns, last) = match failure.split_once(" turns failed; ") {
        Some((turns, last)) => (Some(turns), last),
        None => (None, failure),
    };
    let (class, why) = last.split_once(": ").unwrap_or(("", last));
    (turns, class, why)
}

/// Returns why a turn has no answer; a turn that we stopped ourselves has not failed.
pub(crate) fn failed(why: &Failure) -> String {
    if why.class == FailureClass::Cancelled {
        return "stopped without an answer".to_owned();
    }
    format!("FAILED, {}", failure(why))
}

/// Returns an outcome as a phrase that follows "the debate ended: ".
pub(crate) const fn outcome(outcome: Ended<BacklogOutcome>) -> &'static str {
    match outcome {
        Ended::Closed(outcome) => match outcome {
            BacklogOutcome::Consensus => "consensus, checked by rule",
            BacklogOutcome::OneVendor => "agreed, by one vendor alone",
            BacklogOutcome::ModeratorStop => "the moderator stopped it without consensus",
            BacklogOutcome::MaxRounds => "no consensus within the rounds",
            BacklogOutcome::AgentFailure => "a role gave no valid answer",
            BacklogOutcome::NothingToRank => "fewer than two opportunities, nothing to rank",
        },
        Ended::Stopped(Halt::Budget) => "the budget does not cover the next call",
        Ended::Stopped(Halt::Interrupted) => "interrupted",
        Ended::Stopped(Halt::Running) => "none yet, still running",
        Ended::Stopped(Halt::Terminated) => "ended by a person before it was decided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_sizes_read_well() {
        for (millis, text) in [
            (0, "0.0s"),
            (59_960, "59.9s"),
            (60_000, "1m 00s"),
            (185_000, "3m 05s"),
            (3_720_000, "1h 02m"),
        ] {
            assert_eq!(time(Duration::from_millis(millis)), text);
        }
        for (count, text) in
            [(0, "0 B"), (1_023, "1023 B"), (2_150, "2.0 KiB"), (3 << 20, "3.0 MiB")]
        {
            assert_eq!(bytes(count), text);
        }
    }

    #[test]
    fn the_short_id_holds_the_whole_time_stamp() {
        assert_eq!(short_id("0199a3c2-7f11-7abc-8def-0123456789ab"), "0199a3c2-7f11");
        assert_eq!(short_id("x"), "x");
    }
}
