//! Episodes: the last 100 lines of a possibly huge log, read from its end.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Rules, Source, Stall, files, named, when};
use crate::discovery::finding::{Finding, Rule};
use crate::protocol::backlog::model::Effort;
use crate::text::{json, sanitize};

/// The path of the log.
const FILE: &str = ".swarm/chief-of-staff/episodes/episodes.jsonl";

/// Number of episodes that count, from the end (`docs/discover.md`).
const LAST: usize = 100;

/// Maximum number of bytes read, from the end.
const TAIL: u64 = 4 << 20;

/// A goal's failures since it last succeeded.
#[derive(Default)]
struct Streak {
    failures: u32,
    error: Option<String>,
    at: Option<DateTime<Utc>>,
}

/// Reads the last episodes and finds goals that fail repeatedly.
pub fn episodes(root: &Path, rules: Rules<'_>) -> Source {
    let mut source = Source::new(FILE);
    let tail = files::open(root, FILE)
        .and_then(|file| file.map(|file| tail(file).map_err(|e| e.to_string())).transpose());
    let lines = match tail {
        Ok(Some(lines)) => lines,
        Ok(None) => return source,
        Err(why) => return Source::unusable(FILE, why),
    };
    if lines.cut {
        source.leave_out(
            FILE,
            format!(
                "its last {LAST} lines are larger than {TAIL} bytes: the older ones were not read"
            ),
        );
    }
    let mut streaks: BTreeMap<String, Streak> = BTreeMap::new();
    let mut used = 0;
    for (place, line) in &lines.lines {
        match read(line) {
            Ok(episode) => {
                used += 1;
                follow(&mut streaks, episode, rules);
            }
            Err(why) => source.leave_out(format!("{FILE}, {place}"), why),
        }
    }
    source.findings = streaks
        .into_iter()
        .filter(|(_, streak)| streak.failures >= rules.config.repeated_failures)
        .map(|(goal, streak)| finding(goal, streak))
        .collect();
    source.counted(used, "episode")
}

struct Episode {
    goal: String,
    success: bool,
    error: Option<String>,
    timestamp: Option<Value>,
}

fn read(line: &[u8]) -> Result<Episode, String> {
    let text = std::str::from_utf8(line).map_err(|_| "it is not UTF-8".to_owned())?;
    let value = json::parse(text)
        .map_err(|error| format!("it is not JSON: {} at column {}", error.message, error.column))?;
    let goal = files::text(&value, "goal_id").and_then(named);
    let success = value.get("success").and_then(Value::as_bool);
    Ok(Episode {
        goal: goal.ok_or("it has no `goal_id`")?,
        success: success.ok_or("it does not say whether it was a `success`")?,
        error: files::text(&value, "error").map(|error| sanitize::line(error, 500)),
        timestamp: value.get("timestamp").cloned(),
    })
}

fn follow(streaks: &mut BTreeMap<String, Streak>, episode: Episode, rules: Rules<'_>) {
    if episode.success {
        streaks.remove(&episode.goal);
        return;
    }
    let streak = streaks.entry(episode.goal).or_default();
    streak.failures += 1;
    streak.error = episode.error.or(streak.error.take());
    // Lines are ordered by position, not time: an unreadable time is only not shown.
    streak.at =
        (episode.timestamp.as_ref()).and_then(|at| when::past(at, rules.now).ok()).or(streak.at);
}

fn finding(goal: String, streak: Streak) -> Finding {
    let count = streak.failures;
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    let error = streak.error.map_or_else(String::new, |error| format!(": {error}"));
    let stall = Stall {
        rule: Rule::RepeatedFailure,
        title: format!("Goal {goal} failed {times} in a row"),
        description: "It has been retried without success ever since. Find out what is in its way."
            .to_owned(),
        source: FILE,
        content: format!("failed {times} within the last {LAST} episodes{error}"),
        file: Some(FILE.to_owned()),
        at: streak.at,
        clarity: (0.5 + 0.1 * (f64::from(count) - 3.0)).min(0.9),
        evidence: 0.8,
        effort: Effort::Medium,
        symbol: goal,
    };
    stall.finding()
}

/// The last lines of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileTail {
    /// The position of each (`line 7`, `line 2 from the end`) and its bytes, oldest first.
    pub(super) lines: Vec<(String, Vec<u8>)>,
    /// Whether some of the last [`LAST`] did not fit.
    pub(super) cut: bool,
}

/// Reads at most [`LAST`] lines within [`TAIL`] bytes from the end, not counting blank ones.
pub(super) fn tail(mut file: File) -> io::Result<FileTail> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub(TAIL);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if start > 0 {
        // It probably began before the part that was read.
        lines.remove(0);
    }
    let count = lines.len();
    let place = |index: usize| {
        if start == 0 {
            format!("line {}", index + 1)
        } else {
            format!("line {} from the end", count - index)
        }
    };
    let mut found: Vec<(String, Vec<u8>)> = (lines.iter().enumerate().rev())
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .take(LAST)
        .map(|(index, line)| (place(index), line.to_vec()))
        .collect();
    found.reverse();
    Ok(FileTail { cut: start > 0 && found.len() < LAST, lines: found })
}
