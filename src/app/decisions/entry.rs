//! The content of log entries: of a debate, shortened to what a reader of the log needs; of a person, as given.

use std::collections::BTreeSet;

use chrono::{DateTime, SubsecRound as _, Utc};
use clap::Args;

use crate::app::word::word;
use crate::error::{Error, Kind};
use crate::kernel::share::Share;
use crate::protocol::debate::outcome::{Dissent, OpenPoint};
use crate::report::debate::DebateDocument;
use crate::report::decisions::{Entry, ParticipantPosition, Priority, Source};
use crate::text::sanitize;

/// The priority and tags given by a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub(crate) struct Marks {
    /// How much depends on it [default: high at a consensus of 85% or more, else medium].
    #[arg(long, value_parser = word::<Priority>())]
    pub priority: Option<Priority>,
    /// Tags, separated by commas; can be repeated.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub tags: Vec<String>,
}

/// A decision made without a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manual {
    pub title: String,
    pub decision: String,
    /// The reason; may be empty.
    pub reason: String,
    pub alternatives: Vec<String>,
    /// Priority and tags.
    pub marks: Marks,
}

/// Minimum consensus for a decision of high priority.
const HIGH: Share = Share::thousandths(850);
/// Maximum characters of a title.
const TITLE: usize = 200;
/// Maximum characters of a decision and of a reason; the record of the debate has the full text.
const TEXT: usize = 4_000;
/// Maximum characters of a participant's position.
const POSITION: usize = 200;
/// Maximum characters of one alternative, open point or disagreement.
const LINE: usize = 400;
/// Maximum entries of one list; the rest are counted, never silently left out.
const LINES: usize = 30;
/// Maximum characters of a tag.
const TAG: usize = 40;
/// Maximum tags of a decision.
const TAGS: usize = 20;

/// Builds a debate's entry. The id is assigned when it is added.
pub(super) fn of_debate(
    document: &DebateDocument,
    source: Source,
    marks: &Marks,
    now: DateTime<Utc>,
) -> Entry {
    let decision = document.result.decision.as_ref();
    // Agents decided when the debate ended; a person's confirmation decides now.
    let ended = document.header.completed_at.map(|at| at.trunc_subsecs(0));
    let date = match source {
        Source::Automatic => ended.unwrap_or(now),
        Source::Confirmed | Source::Manual => now,
    };
    let automatic = match document.result.consensus {
        Some(consensus) if consensus >= HIGH => Priority::High,
        Some(_) | None => Priority::Medium,
    };
    let own = ["debate".to_owned(), document.header.protocol.clone()];
    Entry {
        id: String::new(),
        title: sanitize::line(&document.topic, TITLE),
        date,
        consensus: document.result.consensus,
        priority: marks.priority.unwrap_or(automatic),
        tags: once(own.into_iter().chain(marks.tags.iter().cloned())),
        decision: text(&decision.map(decided).unwrap_or_default()),
        why: text(&document.recommendation),
        alternatives: lines(document.alternatives()),
        positions: (document.result.final_positions.iter())
            .map(|(agent, position)| ParticipantPosition {
                agent: sanitize::line(agent, TAG),
                position: sanitize::line(&position.text, POSITION),
            })
            .collect(),
        open_points: lines(document.result.open_points.iter().map(open_point)),
        dissent: lines(document.result.dissent.iter().map(disagreement)),
        verdict: Some(document.header.verdict),
        session_id: Some(document.header.session_id.clone()),
        journal_head: document.header.journal_head.clone(),
        source,
    }
}

/// Builds the entry of a decision without a debate.
///
/// # Errors
/// The title or decision is empty, or a text is too long: a person's text is not cut.
pub(in crate::app) fn of_person(manual: &Manual, now: DateTime<Utc>) -> Result<Entry, Error> {
    let given = |option: &str, text: &str, most: usize| {
        let text = sanitize::terminal(text).trim().to_owned();
        let count = text.chars().count();
        if count > most {
            return Err(refused(&format!(
                "`{option}` has {count} characters, over the limit of {most}"
            )));
        }
        Ok(text)
    };
    let owed = |option: &str, text: &str, most: usize| {
        let text = given(option, text, most)?;
        if text.is_empty() {
            return Err(refused(&format!("`{option}` is empty")));
        }
        Ok(text)
    };
    let mut alternatives = Vec::new();
    for alternative in &manual.alternatives {
        let alternative = given("--alternatives", alternative, LINE)?;
        if !alternative.is_empty() {
            alternatives.push(sanitize::line(&alternative, LINE));
        }
    }
    if alternatives.len() > LINES {
        let count = alternatives.len();
        return Err(refused(&format!(
            "{count} alternatives are given; at most {LINES} are allowed"
        )));
    }
    let marks = marks(&manual.marks)?;
    Ok(Entry {
        id: String::new(),
        title: sanitize::line(&owed("--title", &manual.title, TITLE)?, TITLE),
        date: now,
        consensus: None,
        priority: marks.priority.unwrap_or(Priority::Medium),
        tags: marks.tags,
        decision: owed("--decision", &manual.decision, TEXT)?,
        why: given("--reason", &manual.reason, TEXT)?,
        alternatives,
        positions: Vec::new(),
        open_points: Vec::new(),
        dissent: Vec::new(),
        verdict: None,
        session_id: None,
        journal_head: None,
        source: Source::Manual,
    })
}

/// Cleans and checks the marks given by a person: each tag is on one line and occurs once.
pub(super) fn marks(marks: &Marks) -> Result<Marks, Error> {
    let mut tags = Vec::new();
    for tag in &marks.tags {
        let tag = sanitize::line(tag, usize::MAX).trim().to_owned();
        let count = tag.chars().count();
        if count > TAG {
            return Err(refused(&format!("a tag has {count} characters, over the limit of {TAG}")));
        }
        if !tag.is_empty() {
            tags.push(tag);
        }
    }
    let tags = once(tags);
    if tags.len() > TAGS {
        let count = tags.len();
        return Err(refused(&format!("{count} tags are given; at most {TAGS} are allowed")));
    }
    Ok(Marks { priority: marks.priority, tags })
}

fn refused(what: &str) -> Error {
    Error::new(Kind::Usage, what).hint("see `debate-agent decisions add --help`")
}

/// Returns each text once, ignoring case, in order.
fn once(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut texts: Vec<String> = texts.into_iter().collect();
    texts.retain(|text| seen.insert(text.to_lowercase()));
    texts
}

/// Returns a text of several lines, cut to its maximum length.
fn text(text: &str) -> String {
    let safe = sanitize::terminal(text);
    let safe = safe.trim();
    if safe.chars().count() <= TEXT {
        return safe.to_owned();
    }
    let mut cut: String = safe.chars().take(TEXT).collect();
    cut.push_str("…\n(The rest is in the record of the debate.)");
    cut
}

/// Returns texts on one line each, cut to their limits; an extra line counts the omitted ones.
fn lines(texts: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut lines: Vec<String> =
        (texts.into_iter()).map(|text| sanitize::line(&text, LINE)).collect();
    let all = lines.len();
    if all > LINES {
        lines.truncate(LINES);
        lines.push(format!("and {} more, in the record of the debate", all - LINES));
    }
    lines
}

/// Returns the decision with the amendments that the agreement depends on.
fn decided(decision: &crate::protocol::debate::outcome::Decision) -> String {
    let mut parts = vec![decision.text.clone()];
    let spliced = |amendment: &&String| {
        amendment.split_once(": ").is_some_and(|(_, words)| decision.text.contains(words))
    };
    let amendments = decision.amendments.iter().filter(|amendment| !spliced(amendment));
    parts.extend(amendments.map(|amendment| format!("Amended: {amendment}")));
    parts.join("\n")
}

fn open_point(point: &OpenPoint) -> String {
    let stance = point.stance.map_or("no stance", |stance| stance.name());
    let ruling =
        (point.ruling.as_ref()).map_or_else(String::new, |ruling| format!(" Ruled: {ruling}"));
    format!("{} ({stance}): {}{ruling}", point.id, point.text)
}

fn disagreement(dissent: &Dissent) -> String {
    format!("{} ({}) on {}: {}", dissent.agent, dissent.seat, dissent.about, dissent.reason)
}
