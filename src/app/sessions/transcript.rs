//! A session's transcript: its journal read in order, with the prompts and answers it refers to.

use std::time::Duration;

use clap::Args;

use crate::agent::attempts::Kind as Again;
use crate::app::backlog::record::no_session;
use crate::app::run::workspace::Workspace;
use crate::error::{Error, Kind, store_error};
use crate::ordered::{BTreeMap, BTreeSet};
use crate::report::document::SCHEMA_VERSION;
use crate::report::sessions::SessionEntry;
use crate::report::transcript::{
    AskedEntry, AttemptEntry, CallEntry, Capacity, MOST_BYTES, Prompt, Transcript,
    TranscriptDocument, TurnEntry,
};
use crate::session::StoredSession;
use crate::session::record::{Body, CallIntent, CallResult, ParseResult};

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
    fn has(&self, intent: &CallIntent) -> bool {
        let turn = intent.intent.turn.as_str();
        self.turn.as_ref().is_none_or(|wanted| {
            turn.strip_prefix(wanted.trim_end_matches('/'))
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        }) && self.seat.as_ref().is_none_or(|wanted| *wanted == intent.intent.role)
    }

    fn is_all(&self) -> bool {
        self.turn.is_none() && self.seat.is_none()
    }
}

/// A session with the turns that are asked for.
struct Selection {
    session: SessionEntry,
    stored: StoredSession,
    /// None: all of them, and what happened between them.
    turns: Option<BTreeSet<String>>,
}

impl Selection {
    fn read(workspace: &Workspace, id: &str, part: &Part) -> Result<Self, Error> {
        let store = crate::app::run::foreign::store(workspace)?;
        let read = store.read(id);
        let stored = read.map_err(|error| no_session(workspace, id, error))?;
        let session = SessionEntry::from(&store.listed(stored.id.clone()));
        if part.is_all() && !part.raw {
            return Ok(Self { session, stored, turns: None });
        }
        let (mut turns, mut all) = (BTreeSet::new(), BTreeSet::new());
        for call in calls(&stored) {
            all.insert(call.intent.turn.clone());
            if part.has(call) {
                turns.insert(call.intent.turn.clone());
            }
        }
        let what = match turns.len() {
            0 => "no turn of the session is the one asked for",
            2.. if part.raw => "`--raw` is the answer of one turn, and these are several",
            _ => return Ok(Self { session, stored, turns: Some(turns) }),
        };
        let known: Vec<&str> =
            if turns.is_empty() { &all } else { &turns }.iter().map(String::as_str).collect();
        let hint = format!("`--turn` takes one of {}", known.join(", "));
        Err(Error::new(Kind::Usage, what).hint(hint))
    }

    fn has(&self, turn: &str) -> bool {
        self.turns.as_ref().is_none_or(|turns| turns.contains(turn))
    }

    fn answer(&self, sha: &str) -> Result<Vec<u8>, Error> {
        self.stored.answer(sha).map_err(store_error)
    }

    /// Returns the prompts by their digests.
    fn prompts(&self) -> BTreeMap<&str, Prompt> {
        let mut prompts = BTreeMap::new();
        for call in calls(&self.stored).filter(|call| self.has(&call.intent.turn)) {
            if let (Some(sha), Some([system, prompt])) = (&call.prompt, self.stored.prompt(call)) {
                prompts.insert(sha.as_str(), Prompt { system, prompt });
            }
        }
        prompts
    }
}

fn calls(stored: &StoredSession) -> impl Iterator<Item = &CallIntent> {
    stored.records.iter().filter_map(|record| match &record.body {
        Body::Intent(call) => Some(&**call),
        _ => None,
    })
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
    let all = Part::default();
    let selection = Selection::read(workspace, id, part.unwrap_or(&all))?;
    let bare = markdown(&selection, None)?;
    if part.is_none() {
        return Ok(bare);
    }
    let prompts = selection.prompts();
    let said = 100 * calls(&selection.stored).count();
    let room = (MOST_BYTES - (32 << 10)).saturating_sub(bare.len() + said);
    let share = share(room, prompts.values().map(Prompt::size).collect());
    markdown(&selection, Some((&prompts, share)))
}

/// Returns how many bytes each prompt gets: short ones all they need, the others the same.
fn share(mut room: usize, mut sizes: Vec<usize>) -> usize {
    sizes.sort_unstable();
    for (at, size) in sizes.iter().enumerate() {
        let each = room / (sizes.len() - at);
        if *size > each {
            return each;
        }
        room -= size;
    }
    usize::MAX
}

fn markdown(
    selection: &Selection,
    prompts: Option<(&BTreeMap<&str, Prompt>, usize)>,
) -> Result<String, Error> {
    let stored = &selection.stored;
    let mut transcript = Transcript::new(&selection.session);
    let mut judged: BTreeMap<&str, &ParseResult> = BTreeMap::new();
    for record in &stored.records {
        if let Body::Parsed(parsed) = &record.body {
            judged.insert(&parsed.key, parsed);
        }
    }
    let mut open: BTreeMap<(&str, u32), &CallIntent> = BTreeMap::new();
    let (mut shown, mut gone) = (BTreeSet::new(), false);
    let mut room = Capacity::Left;
    for record in &stored.records {
        let happened = match &record.body {
            Body::Opened(_) | Body::Parsed(_) => continue,
            Body::Intent(intent) => {
                if selection.has(&intent.intent.turn) {
                    open.insert((&intent.key, intent.run), intent);
                }
                continue;
            }
            Body::Result(result) => {
                let Some(intent) = open.remove(&(result.key.as_str(), result.run)) else {
                    continue;
                };
                let sha = intent.prompt.as_deref().unwrap_or_default();
                let asked = prompts.map(|(prompts, most)| (prompts.get(sha), most));
                let asked = match asked {
                    None => AskedEntry::Unsaid,
                    Some((None, _)) if std::mem::replace(&mut gone, true) => AskedEntry::Unsaid,
                    Some((None, _)) => AskedEntry::Gone,
                    Some((Some(_), _)) if !shown.insert(sha) => AskedEntry::Before,
                    Some((Some(prompt), most)) => AskedEntry::Prompt(prompt, most),
                };
                let parsed = judged.get(result.key.as_str()).copied();
                room = say(&mut transcript, selection, (intent, asked), result, parsed, room)?;
                continue;
            }
            Body::Ambiguous(lost) => match open.remove(&(lost.key.as_str(), lost.run)) {
                Some(intent) => format!(
                    "{}: its process died before it ended; what it would have cost counts as spent",
                    intent.intent.turn
                ),
                None => continue,
            },
            Body::TurnClosed(closed) if !selection.has(&closed.turn) => continue,
            Body::TurnClosed(closed) => match &closed.failure {
                // A failed call has an entry of its own; without this line a call that was never made would not
                // appear.
                Some(failure) => format!("{}: no answer ({})", closed.turn, failure.class.name()),
                None if closed.gist.is_empty() => continue,
                None => {
                    transcript.read_as(&closed.turn, &closed.gist);
                    continue;
                }
            },
            _ if selection.turns.is_some() => continue,
            Body::RoundClosed(closed) => format!("Round {} is over.", closed.round),
            Body::Resumed(_) => "A later run continued it.".to_owned(),
            Body::Suspended(suspended) => format!("The run ended: {}.", suspended.outcome),
            Body::Closed(closed) => {
                format!("The session is over: {} ({}).", closed.outcome, closed.verdict)
            }
        };
        transcript.happened(&happened);
    }
    let unanswered: Vec<String> =
        (open.into_values()).map(|intent| intent.intent.turn.clone()).collect();
    Ok(transcript.finish(&unanswered, stored.dir()))
}

/// Adds a call with its answer, which is read only if there is room for it.
fn say(
    transcript: &mut Transcript,
    selection: &Selection,
    (intent, prompt): (&CallIntent, AskedEntry<'_>),
    result: &CallResult,
    parsed: Option<&ParseResult>,
    room: Capacity,
) -> Result<Capacity, Error> {
    let answer = match (&result.answer, room) {
        (Some(sha), Capacity::Left) => Some(selection.answer(sha)?),
        (Some(_), Capacity::Gone) | (None, _) => None,
    };
    Ok(transcript.said(CallEntry {
        turn: &intent.intent.turn,
        role: &intent.intent.role,
        agent: &intent.intent.agent,
        again: match intent.intent.kind {
            Again::First => None,
            Again::Retry => Some("a retry"),
            Again::Repair => Some("asked to repair"),
            Again::Fallback => Some("stepped in"),
        },
        attempt: intent.intent.attempt,
        answer: answer.as_deref(),
        cut: result.cut,
        failure: result.failure.as_ref(),
        parsed,
        prompt,
        notes: &result.notes,
        cost: result.kept.unwrap_or(result.cost),
        model: result.model.as_deref(),
        took: Duration::from_millis(result.took_ms),
        kept: result.kept.is_some(),
    }))
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
    let selection = Selection::read(workspace, id, part)?;
    let prompts = selection.prompts();
    let mut turns: Vec<TurnEntry> = Vec::new();
    // Where the attempts of each call's key are.
    let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for record in &selection.stored.records {
        match &record.body {
            Body::Intent(call) if selection.has(&call.intent.turn) => {
                let prompt = call.prompt.as_deref().and_then(|sha| prompts.get(sha)).cloned();
                let intent = &call.intent;
                let at = turns.iter().position(|turn| turn.turn == intent.turn);
                let at = at.unwrap_or_else(|| {
                    turns.push(TurnEntry {
                        turn: intent.turn.clone(),
                        seat: intent.role.clone(),
                        prompt: prompt.clone(),
                        ..TurnEntry::default()
                    });
                    turns.len() - 1
                });
                let turn = &mut turns[at];
                turn.agent.clone_from(&intent.agent);
                places.insert(&call.key, (at, turn.attempts.len()));
                turn.attempts.push(AttemptEntry {
                    attempt: intent.attempt,
                    agent: intent.agent.clone(),
                    prompt: prompt.filter(|prompt| turn.prompt.as_ref() != Some(prompt)),
                    ..AttemptEntry::default()
                });
            }
            Body::Result(result) => {
                if let Some((turn, attempt)) = places.get(result.key.as_str()) {
                    let entry = &mut turns[*turn].attempts[*attempt];
                    let answer = result.answer.as_ref().map(|sha| selection.answer(sha));
                    let answer = answer.transpose()?;
                    entry.answer = answer.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                    entry.failure = result.failure.as_ref().map(ToString::to_string);
                    entry.notes = messages(&result.notes);
                }
            }
            Body::Parsed(parsed) => {
                if let Some((turn, attempt)) = places.get(parsed.key.as_str()) {
                    let entry = &mut turns[*turn].attempts[*attempt];
                    entry.valid = Some(parsed.ok);
                    let problems = parsed.problems.iter();
                    entry.problems = problems.map(|problem| problem.message.clone()).collect();
                    entry.notes.extend(messages(&parsed.notes));
                }
            }
            Body::TurnClosed(closed) => {
                if let Some(turn) = turns.iter_mut().find(|turn| turn.turn == closed.turn) {
                    turn.gist.clone_from(&closed.gist);
                    turn.failure = closed.failure.as_ref().map(ToString::to_string);
                }
            }
            _ => {}
        }
    }
    let session_id = selection.stored.id.clone();
    Ok(TranscriptDocument { session_id, turns, schema_version: SCHEMA_VERSION })
}

fn messages(notes: &[crate::text::Note]) -> Vec<String> {
    notes.iter().map(|note| note.message.clone()).collect()
}

/// Returns the last answer to the one turn that is asked for, as it was kept.
///
/// # Errors
/// As [`transcript`]; several turns are asked for, or the last attempt has no answer.
pub fn raw_answer(workspace: &Workspace, id: &str, part: &Part) -> Result<Vec<u8>, Error> {
    let selection = Selection::read(workspace, id, part)?;
    let last = calls(&selection.stored).filter(|call| selection.has(&call.intent.turn)).last();
    let results = selection.stored.records.iter().filter_map(|record| match &record.body {
        Body::Result(result) => Some(result),
        _ => None,
    });
    let last = last.and_then(|call| {
        results.filter(|result| (&result.key, result.run) == (&call.key, call.run)).last()
    });
    match last.and_then(|result| result.answer.as_ref()) {
        Some(sha) => selection.answer(sha),
        None => Err(Error::new(Kind::State, "the last attempt of this turn has no answer")),
    }
}
