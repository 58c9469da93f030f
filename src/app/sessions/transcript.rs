//! A session's transcript: its journal read in order, with the prompts and answers it refers to.

use std::path::PathBuf;

use clap::Args;

use super::{listed, read};
use crate::agent::attempts::Kind as Again;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, Kind, store_error};
use crate::files::{Folder, IfExists};
use crate::ordered::{BTreeMap, BTreeSet, Gather as _};
use crate::report::document::SCHEMA_VERSION;
use crate::report::page::{ToPage, html};
use crate::report::sessions::SessionEntry;
use crate::report::transcript::{
    Asked, AttemptEntry, MOST_BYTES, PAGE_BYTES, Prompt, Transcript, TranscriptDocument, TurnEntry,
    unreadable,
};
use crate::session::StoredSession;
use crate::session::record::{Body, CallIntent, CallResult, ParseResult, TurnClosed};

/// The name of a session's page, in its folder.
const PAGE: &str = "page.html";

/// The part of a transcript that is asked for; by default all of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub struct Part {
    /// Of a transcript: only this turn, or those below it: `r1/critic`, `r2`.
    #[arg(long, value_name = "TURN")]
    pub turn: Option<String>,
    /// Of a transcript: only the turns of this role.
    #[arg(long, value_name = "ROLE")]
    pub seat: Option<String>,
    /// Of a transcript with one turn: the last answer alone, byte for byte.
    #[arg(long)]
    pub raw: bool,
}

impl Part {
    /// Whether some turns are asked for, not all.
    pub fn is_some(&self) -> bool {
        self.turn.is_some() || self.seat.is_some() || self.raw
    }

    fn has(&self, turn: &str, role: &str) -> bool {
        let is_below = |wanted: &String| {
            let rest = turn.strip_prefix(wanted.trim_end_matches('/'));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.turn.as_ref().is_none_or(is_below)
            && self.seat.as_ref().is_none_or(|wanted| wanted == role)
    }
}

/// What a transcript tells, in the order of the journal.
enum Event<'a> {
    /// A call ended.
    Call(Box<AttemptEntry>, &'a CallIntent, Option<&'a str>),
    Closed(&'a TurnClosed),
    Other(String),
}

/// What is told of a session.
struct Story<'a> {
    stored: &'a StoredSession,
    events: Vec<Event<'a>>,
    /// The turns that were asked and have no result.
    unanswered: Vec<String>,
}

impl<'a> Story<'a> {
    fn new(stored: &'a StoredSession, part: &Part) -> Result<Self, Error> {
        let calls = stored.records.iter().filter_map(|record| match &record.body {
            Body::Intent(call) => Some(&call.intent),
            _ => None,
        });
        let all: BTreeSet<&str> = calls.clone().map(|call| call.turn.as_str()).gather();
        let wanted = calls.filter(|call| part.has(&call.turn, &call.role));
        let turns: BTreeSet<&str> = wanted.map(|call| call.turn.as_str()).gather();
        let refused = match turns.len() {
            0 if part.is_some() => Some(("no turn of the session is the one asked for", &all)),
            2.. if part.raw => Some(("`--raw` is the answer of one turn, not of several", &turns)),
            _ => None,
        };
        if let Some((what, known)) = refused {
            let known: Vec<&str> = known.iter().copied().collect();
            let hint = format!("`--turn` takes one of {}", known.join(", "));
            return Err(Error::new(Kind::Usage, what).hint(hint));
        }
        let has = |turn: &str| !part.is_some() || turns.contains(turn);
        let mut judged: BTreeMap<&str, &ParseResult> = BTreeMap::new();
        for record in &stored.records {
            if let Body::Parsed(parsed) = &record.body {
                judged.insert(&parsed.key, parsed);
            }
        }
        let mut open: BTreeMap<(&str, u32), &CallIntent> = BTreeMap::new();
        let mut events = Vec::new();
        for record in &stored.records {
            events.push(match &record.body {
                Body::Intent(call) if has(&call.intent.turn) => {
                    open.insert((&call.key, call.run), call);
                    continue;
                }
                Body::Result(result) => match open.remove(&(result.key.as_str(), result.run)) {
                    Some(call) => {
                        let parsed = judged.get(result.key.as_str()).copied();
                        let entry = Box::new(entry(call, result, parsed));
                        Event::Call(entry, call, result.answer.as_deref())
                    }
                    None => continue,
                },
                Body::Ambiguous(lost) => match open.remove(&(lost.key.as_str(), lost.run)) {
                    Some(call) => Event::Other(format!(
                        "{}: its process died before it ended; what it would have cost counts as spent",
                        call.intent.turn
                    )),
                    None => continue,
                },
                Body::TurnClosed(closed) if has(&closed.turn) => Event::Closed(closed),
                _ if part.is_some() => continue,
                Body::RoundClosed(closed) => Event::Other(format!("Round {} is over.", closed.round)),
                Body::Resumed(_) => Event::Other("A later run continued it.".to_owned()),
                Body::Suspended(end) => Event::Other(format!("The run ended: {}.", end.outcome)),
                Body::Closed(closed) => Event::Other(format!(
                    "The session is over: {} ({}).",
                    closed.outcome, closed.verdict
                )),
                _ => continue,
            });
        }
        let unanswered = open.into_values().map(|call| call.intent.turn.clone()).collect();
        Ok(Self { stored, events, unanswered })
    }

    /// Returns the prompts by their digests.
    fn prompts(&self) -> BTreeMap<&'a str, Prompt> {
        let mut prompts = BTreeMap::new();
        for event in &self.events {
            if let Event::Call(_, call, _) = event
                && let Some([system, prompt]) = self.stored.prompt(call)
            {
                prompts.insert(asked(call), Prompt { system, prompt });
            }
        }
        prompts
    }

    fn answer(&self, sha: Option<&str>) -> Result<Option<String>, Error> {
        let bytes = sha.map(|sha| self.stored.answer(sha).map_err(store_error)).transpose()?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Returns its transcript with as much of each prompt as leaves the answers their room.
    fn with_prompts(&self, session: &SessionEntry, most: usize) -> Result<Transcript, Error> {
        let bare = self.told(session, most, None)?;
        let prompts = self.prompts();
        // Beside the prompts, each call says a word of them.
        let room = (most - (32 << 10)).saturating_sub(bare.bytes() + 400 * self.events.len());
        self.told(session, most, Some((&prompts, room / prompts.len().max(1))))
    }

    /// Returns its transcript. `prompts`: which are shown, and how much of each.
    fn told(
        &self,
        session: &SessionEntry,
        most: usize,
        prompts: Option<(&BTreeMap<&str, Prompt>, usize)>,
    ) -> Result<Transcript, Error> {
        let mut transcript = Transcript::new(session, most);
        let mut shown = BTreeSet::new();
        for event in &self.events {
            match event {
                Event::Call(entry, call, sha) => {
                    let prompt = prompts.map(|(prompts, most)| {
                        let prompt = prompts.get(asked(call));
                        // All that are gone are named once.
                        match (prompt, shown.insert(prompt.map_or("", |_| asked(call)))) {
                            (Some(prompt), true) => Asked::Prompt(prompt, most),
                            (Some(_), false) => Asked::Before,
                            (None, true) => Asked::Gone,
                            (None, false) => Asked::Unsaid,
                        }
                    });
                    // Read only if there is room for it.
                    let answer = self.answer(sha.filter(|_| !transcript.is_full()))?;
                    let prompt = prompt.unwrap_or(Asked::Unsaid);
                    transcript.said(entry, prompt, answer.as_deref());
                }
                Event::Closed(closed) => match &closed.failure {
                    // A failed call has an entry of its own; without this line a call that was never made would not
                    // appear.
                    Some(failure) => {
                        let class = failure.class.name();
                        transcript.happened(&format!("{}: no answer ({class})", closed.turn));
                    }
                    None if closed.gist.is_empty() => {}
                    None => transcript.read_as(&closed.turn, &closed.gist),
                },
                Event::Other(text) => transcript.happened(text),
            }
        }
        transcript.finish(&self.unanswered, self.stored.dir());
        Ok(transcript)
    }
}

/// Returns the digest of a call's prompt.
fn asked(call: &CallIntent) -> &str {
    call.prompt.as_deref().unwrap_or_default()
}

fn entry(call: &CallIntent, result: &CallResult, parsed: Option<&ParseResult>) -> AttemptEntry {
    let intent = &call.intent;
    let problems = parsed.iter().flat_map(|parsed| &parsed.problems);
    let notes = parsed.iter().flat_map(|parsed| &parsed.notes).chain(&result.notes);
    AttemptEntry {
        turn: intent.turn.clone(),
        seat: intent.role.clone(),
        attempt: intent.attempt,
        agent: intent.agent.clone(),
        again: match intent.kind {
            Again::First => None,
            Again::Retry => Some("a retry"),
            Again::Repair => Some("asked to repair"),
            Again::Fallback => Some("stepped in"),
        },
        prompt: None,
        answer: None,
        cut: result.cut,
        failure: result.failure.as_ref().map(ToString::to_string),
        valid: parsed.map(|parsed| parsed.ok),
        problems: problems.map(|problem| problem.message.clone()).collect(),
        notes: notes.map(|note| note.message.clone()).collect(),
        cost: result.kept.unwrap_or(result.cost),
        model: result.model.clone(),
        took_ms: result.took_ms,
        kept: result.kept.is_some(),
    }
}

/// Returns the conversation of a session, as Markdown of at most
/// [`MOST_BYTES`](crate::report::transcript::MOST_BYTES), as far as it goes: that of a running session ends with the
/// last record. No agent is asked and nothing is written. With a part, each call also has its prompt, or as much of it
/// as leaves the answers their room.
///
/// Secrets were removed before a prompt or an answer was kept; the transcript also prevents any of it from acting as
/// markup.
///
/// # Errors
/// The id is unknown, the journal cannot be read, no turn is the one asked for, or an answer does not match its record.
pub fn transcript(workspace: &Workspace, id: &str, part: Option<&Part>) -> Result<String, Error> {
    let stored = read(workspace, id)?;
    let session = listed(workspace, &stored);
    let story = Story::new(&stored, part.unwrap_or(&Part::default()))?;
    let told = match part {
        None => story.told(&session, MOST_BYTES, None),
        Some(_) => story.with_prompts(&session, MOST_BYTES),
    };
    Ok(told?.markdown())
}

/// Returns the conversation of a session as a document: whole, however large it is.
///
/// # Errors
/// As [`transcript`].
pub fn transcript_document(
    workspace: &Workspace,
    id: &str,
    part: &Part,
) -> Result<TranscriptDocument, Error> {
    let stored = read(workspace, id)?;
    let story = Story::new(&stored, part)?;
    let prompts = story.prompts();
    let mut turns: Vec<TurnEntry> = Vec::new();
    for event in &story.events {
        match event {
            Event::Call(entry, call, sha) => {
                let prompt = prompts.get(asked(call)).cloned();
                let at = turns.iter().position(|turn| turn.turn == entry.turn);
                let at = at.unwrap_or_else(|| {
                    let (turn, seat) = (entry.turn.clone(), entry.seat.clone());
                    let prompt = prompt.clone();
                    turns.push(TurnEntry { turn, seat, prompt, ..TurnEntry::default() });
                    turns.len() - 1
                });
                let turn = &mut turns[at];
                turn.agent.clone_from(&entry.agent);
                turn.attempts.push(AttemptEntry {
                    prompt: prompt.filter(|prompt| turn.prompt.as_ref() != Some(prompt)),
                    answer: story.answer(*sha)?,
                    ..(**entry).clone()
                });
            }
            Event::Closed(closed) => {
                for turn in turns.iter_mut().filter(|turn| turn.turn == closed.turn) {
                    turn.gist.clone_from(&closed.gist);
                    turn.failure = closed.failure.as_ref().map(ToString::to_string);
                }
            }
            Event::Other(_) => {}
        }
    }
    Ok(TranscriptDocument { session_id: stored.id.clone(), turns, schema_version: SCHEMA_VERSION })
}

/// Returns a result as one HTML file, with the whole conversation of its session below it; where that cannot be read,
/// the page says why.
pub fn html_page(workspace: &Workspace, document: &dyn ToPage, id: &str) -> String {
    let said = || {
        let stored = read(workspace, id)?;
        let session = listed(workspace, &stored);
        let story = Story::new(&stored, &Part::default())?;
        story.with_prompts(&session, PAGE_BYTES).map(Transcript::section)
    };
    html::render(&document.page(), &said().unwrap_or_else(|error| unreadable(&error.to_string())))
}

/// Writes a session's page into its folder, for this user alone. Returns its path.
///
/// # Errors
/// The session cannot be shown, or the file cannot be written.
pub async fn write_page(workspace: &Workspace, id: &str) -> Result<PathBuf, Error> {
    let result = super::show(workspace, id).await?;
    let stored = read(workspace, result.header().session_id)?;
    let text = html_page(workspace, &*result, &stored.id);
    let path = stored.dir().join(PAGE);
    let written = Folder::towards(Some(workspace.root()), &path)
        .and_then(|(folder, below)| folder.write(below, text.as_bytes(), 0o600, IfExists::Replace));
    written.map_err(|error| {
        Error::new(Kind::State, format!("failed to write {}", path.display())).because(error)
    })?;
    Ok(path)
}

/// Returns the last answer to the one turn that is asked for, as it was kept.
///
/// # Errors
/// As [`transcript`]; several turns are asked for, or the last attempt has no answer.
pub fn raw_answer(workspace: &Workspace, id: &str, part: &Part) -> Result<Vec<u8>, Error> {
    let stored = read(workspace, id)?;
    let story = Story::new(&stored, part)?;
    let last = story.events.iter().rev().find_map(|event| match event {
        Event::Call(_, _, sha) => Some(*sha),
        _ => None,
    });
    let none = || Error::new(Kind::State, "the last attempt of this turn has no answer");
    stored.answer(last.flatten().ok_or_else(none)?).map_err(store_error)
}
