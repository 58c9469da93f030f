//! Failed test runs recorded by a swarm: `.swarm/chief-of-staff/episodes/episodes.jsonl`.
//!
//! Of the last 100 episodes, those count that did not succeed and whose goal has `test` in its
//! name, unless a later one of the same goal succeeded.

use std::collections::{BTreeMap, VecDeque};

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::case::MalformedReport;
use super::cut;

/// Its path below the swarm's state folder.
pub const FILE: &str = "chief-of-staff/episodes/episodes.jsonl";

/// Number of episodes read, from the end.
const LAST: usize = 100;

/// Maximum length of a line, in bytes.
const MAX_LINE: usize = 1 << 20;

/// The fields of an episode that are used.
#[derive(Debug, Deserialize)]
struct Episode {
    goal_id: String,
    success: bool,
    #[serde(default, rename = "episode_id")]
    id: Option<String>,
    #[serde(default)]
    timestamp: Option<String>,
    #[serde(default)]
    error: Option<String>,
}

/// A goal whose last episode failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedGoal {
    /// Its id.
    pub goal: String,
    /// Error of the last failure.
    pub error: String,
    /// Number of its episodes that failed since it last succeeded.
    pub failures: usize,
    /// Id of the last episode.
    pub episode: Option<String>,
    /// Time of the last episode.
    pub at: Option<DateTime<Utc>>,
}

/// Reads the failed goals; also returns the unreadable lines.
pub fn read(bytes: &[u8]) -> (Vec<FailedGoal>, Vec<MalformedReport>) {
    let mut last: VecDeque<(u64, &[u8])> = VecDeque::with_capacity(LAST + 1);
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        last.push_back((number, line));
        if last.len() > LAST {
            last.pop_front();
        }
    }
    let mut goals: BTreeMap<String, FailedGoal> = BTreeMap::new();
    let mut malformed = Vec::new();
    for (line, bytes) in last {
        match episode(bytes) {
            Ok(episode) => count(&mut goals, episode),
            Err(why) => malformed.push(MalformedReport { line, why }),
        }
    }
    (goals.into_values().collect(), malformed)
}

fn episode(line: &[u8]) -> Result<Episode, String> {
    if line.len() > MAX_LINE {
        return Err(format!("it has more than {MAX_LINE} bytes"));
    }
    serde_json::from_slice(line).map_err(|error| format!("it is not an episode: {error}"))
}

fn count(goals: &mut BTreeMap<String, FailedGoal>, episode: Episode) {
    if !episode.goal_id.to_lowercase().contains("test") {
        return;
    }
    if episode.success {
        goals.remove(&episode.goal_id);
        return;
    }
    let at = episode
        .timestamp
        .and_then(|text| DateTime::parse_from_rfc3339(&text).ok())
        .map(|at| at.with_timezone(&Utc));
    let error = episode.error.unwrap_or_default();
    let goal = goals.entry(episode.goal_id.clone()).or_insert_with(|| FailedGoal {
        goal: episode.goal_id,
        error: String::new(),
        failures: 0,
        episode: None,
        at: None,
    });
    goal.failures += 1;
    goal.error = cut::owned(&error);
    goal.episode = episode.id;
    goal.at = at;
}

impl FailedGoal {
    /// Whether the goal names a test: its id contains `file::test`.
    pub fn names(&self, file: Option<&str>, symbol: &str) -> bool {
        let goal = self.goal.to_lowercase();
        let Some(file) = file else {
            return symbol.contains("::") && contains_whole(&goal, &symbol.to_lowercase());
        };
        contains_whole(&goal, &format!("{file}::{symbol}").to_lowercase())
    }
}

/// Whether a text contains a name as a whole: `a::test_xy` does not contain `a::test_x`.
fn contains_whole(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '[' | ':');
    text.match_indices(name).any(|(at, found)| {
        let after = text.get(at + found.len()..).unwrap_or_default();
        let before = text.get(..at).unwrap_or_default();
        !after.chars().next().is_some_and(is_part)
            && !before
                .chars()
                .next_back()
                .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '/'))
    })
}

#[cfg(test)]
mod tests {
    //! Episodes that count, episodes that do not, and invalid ones.

    use proptest::prelude::*;

    use super::*;

    fn line(goal: &str, success: bool, error: &str) -> String {
        format!(
            "{{\"episode_id\":\"e\",\"timestamp\":\"2026-01-02T03:04:05Z\",\"goal_id\":\"{goal}\",\"success\":{success},\"error\":\"{error}\",\"cost_usd\":1}}\n"
        )
    }

    #[test]
    fn goals_of_tests_that_failed_last() {
        let text = [
            line("fix-Test-a", false, "one"),
            line("fix-Test-a", false, "two"),
            line("test-b", false, "x"),
            line("test-b", true, ""),
            line("ship", false, "x"),
        ]
        .concat();
        let (goals, malformed) = read(text.as_bytes());
        assert_eq!(malformed, []);
        assert_eq!(goals.len(), 1);
        assert_eq!((goals[0].goal.as_str(), goals[0].failures), ("fix-Test-a", 2));
        assert_eq!(goals[0].error, "two");
        assert!(goals[0].at.is_some());
    }

    #[test]
    fn only_the_last_hundred_count_and_broken_lines_are_named() {
        let mut text = line("test-old", false, "x");
        text.push('\n');
        for _ in 0..99 {
            text.push_str(&line("ship", true, ""));
        }
        text.push_str("{broken\n");
        let (goals, malformed) = read(text.as_bytes());
        assert_eq!(goals, []);
        assert_eq!(malformed.len(), 1);
        assert_eq!(malformed[0].line, 102);
    }

    #[test]
    fn a_goal_names_a_test_only_as_a_whole() {
        let goal = |goal: &str| FailedGoal {
            goal: goal.to_owned(),
            error: String::new(),
            failures: 1,
            episode: None,
            at: None,
        };
        let fix = goal("fix tests/test_a.py::test_x now");
        assert!(fix.names(Some("tests/test_a.py"), "test_x"));
        assert!(!fix.names(Some("tests/test_a.py"), "test"));
        assert!(!fix.names(Some("test_a.py"), "test_x"));
        assert!(!goal("tests").names(None, "tests"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            drop(read(&bytes));
        }
    }
}
