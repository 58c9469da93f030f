//! The data that protocols, engine and agents exchange: turns, replies, defects, failures, facts.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Cost, Query, TurnId};
use crate::text::block::ExpectedBlock;
use crate::text::{Note, Problem};

/// A prompt in three parts, in the order in which they are sent.
///
/// Providers cache prompts by prefix, so the part that never changes within a session comes first:
/// two prompts of one role share `stable` byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// Rules and input; the same bytes in every round of one role.
    pub stable: String,
    /// The part new in this round: `turn: r2/critic`, the others' answers.
    pub varying: String,
    /// The output contract, last.
    pub contract: String,
}

impl Prompt {
    /// Returns the text to send: the non-empty parts, separated by blank lines.
    pub fn text(&self) -> String {
        let parts = [&self.stable, &self.varying, &self.contract];
        let kept: Vec<&str> =
            parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect();
        kept.join("\n\n")
    }
}

/// A newly built prompt, with what it asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    pub id: TurnId,
    /// The role's name in the configuration.
    pub plays: String,
    pub prompt: Prompt,
    /// The marker blocks that a reply must contain.
    pub blocks: Vec<ExpectedBlock>,
    /// Notes on text cut or defused in it.
    pub notes: Vec<Note>,
    /// The others' answers that it shows, as JSON; `null` if none.
    pub shown: Value,
}

impl Draft {
    /// Asks a seat, from which nobody is kept apart.
    pub fn to<A>(self, seat: &str, ask: A) -> Query<A> {
        let Self { id, plays, prompt, blocks, notes, .. } = self;
        let turn = Turn {
            id,
            role: seat.to_owned(),
            plays: plays.into(),
            prompt,
            blocks,
            not_vendor_of: Vec::new(),
            not_vendors: Vec::new(),
            spare: false,
        };
        Query { turn, ask, notes }
    }
}

/// One prompt to one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Stable and readable: `r2/critic`; in blind steps it includes a seat, `r1/review/s1`.
    pub id: TurnId,
    /// The seat that answers: `champion`, `critic`, `moderator`.
    pub role: String,
    /// The role's name in the configuration, which selects the skill to send: `backlog-critic`. A seat that
    /// does several things (a reviewer that judges, then composes) has a different one from turn to turn.
    pub plays: Cow<'static, str>,
    pub prompt: Prompt,
    /// The marker blocks that a reply must contain.
    pub blocks: Vec<ExpectedBlock>,
    /// Roles whose agents' vendors are excluded for a fallback of this turn.
    pub not_vendor_of: Vec<String>,
    /// Further vendors excluded for a fallback: those whose agents stepped in elsewhere.
    pub not_vendors: Vec<String>,
    /// Whether the run goes on without it where the budget does not cover it.
    pub spare: bool,
}

impl Turn {
    /// Returns the names of the blocks that a reply must contain.
    pub fn block_names(&self) -> Vec<&'static str> {
        self.blocks.iter().map(|block| block.name).collect()
    }
}

/// A CLI's final message, as bytes: invalid UTF-8 must be noticed, not repaired.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawReply {
    /// The message, redacted, before any interpretation.
    pub bytes: Vec<u8>,
    /// The model stopped at its output limit.
    pub cut: bool,
}

/// A parsed answer with its notes.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply<S> {
    pub content: S,
    /// Notes on normalisations and omissions, in the order in which they were found.
    pub notes: Vec<Note>,
}

impl<S> Reply<S> {
    /// Converts the answer.
    pub fn map<T>(self, said: impl FnOnce(S) -> T) -> Reply<T> {
        Reply { content: said(self.content), notes: self.notes }
    }
}

/// Whether a reply can still be repaired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chance {
    /// A repair re-ask can still follow.
    First,
    /// No more re-asks: complete by rule, or fail.
    Last,
}

/// Why a text is not a valid reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// The faults, each with the block it concerns; never empty.
    pub problems: Vec<Problem>,
    /// The ids that an answer must use, if the protocol has ids.
    pub expected_ids: Vec<String>,
}

impl Defect {
    /// Creates a defect with one problem.
    pub fn of(code: &str, message: String) -> Self {
        Self { problems: vec![Problem::new(code, None, message)], expected_ids: Vec::new() }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

/// The only vocabulary of failures, in code, JSON and messages (`docs/clis.md`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "class", rename_all = "snake_case")]
pub enum FailureClass {
    /// The program is not on this machine.
    NotFound,
    /// The program is there but cannot be run.
    NotExecutable,
    /// The CLI says that nobody is logged in, or the key is wrong.
    NotLoggedIn,
    /// The model's name is not known to the vendor.
    UnknownModel,
    /// Too many requests for now.
    RateLimited {
        /// Seconds the vendor asked us to wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<u64>,
    },
    /// The account's quota, credit or budget is used up.
    QuotaExhausted {
        /// When it comes back: a time, else the vendor's own words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resets_at: Option<String>,
        /// Seconds until then, where the vendor named the end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<u64>,
    },
    /// The vendor's service is overloaded or had an internal error.
    Overloaded,
    /// The prompt is larger than the model's or the CLI's limit.
    ContextTooLong,
    /// The vendor's policy, or ours, refused the call.
    RefusedByPolicy,
    /// The call took longer than its time limit.
    TimedOut,
    /// The call printed nothing for longer than its idle limit.
    Idle,
    /// The CLI ended with a code or a signal, or its guard was lost.
    Crashed {
        /// Its exit code.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<i32>,
        /// The signal that ended it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
    },
    /// The CLI ended well and said nothing.
    EmptyReply,
    /// It printed more than the cap.
    OutputLimit,
    /// The reply does not hold what was asked for, also after the repair.
    Unreadable,
    /// The run was stopped.
    Cancelled,
}

impl FailureClass {
    /// Returns the class's name in JSON and messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NotFound => "not_found",
            Self::NotExecutable => "not_executable",
            Self::NotLoggedIn => "not_logged_in",
            Self::UnknownModel => "unknown_model",
            Self::RateLimited { .. } => "rate_limited",
            Self::QuotaExhausted { .. } => "quota_exhausted",
            Self::Overloaded => "overloaded",
            Self::ContextTooLong => "context_too_long",
            Self::RefusedByPolicy => "refused_by_policy",
            Self::TimedOut => "timed_out",
            Self::Idle => "idle",
            Self::Crashed { .. } => "crashed",
            Self::EmptyReply => "empty_reply",
            Self::OutputLimit => "output_limit",
            Self::Unreadable => "unreadable",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Why a turn, or one attempt of it, has no reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// What kind of failure it is.
    #[serde(flatten)]
    pub class: FailureClass,
    /// One sentence for people: which agent, what it said, sanitized.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.class.name(), self.message)
    }
}

/// Who answered a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Respondent {
    /// The agent's name in the configuration.
    pub agent: String,
    /// Its vendor.
    pub vendor: String,
    /// The agent that should have answered, if this one stepped in for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fell_back_from: Option<String>,
}

impl Respondent {
    /// Creates one that did not step in for another.
    pub fn new(agent: &str, vendor: &str) -> Self {
        Self { agent: agent.to_owned(), vendor: vendor.to_owned(), fell_back_from: None }
    }
}

/// One turn's answer, or why there is none.
#[derive(Debug, Clone)]
pub struct Answer<R> {
    pub turn: TurnId,
    pub role: String,
    /// Who answered, or who was asked last.
    pub respondent: Respondent,
    /// The parsed reply, or the failure after all attempts.
    pub result: Result<R, Failure>,
    /// The total cost of this turn's attempts; `None` if nothing was called.
    pub cost: Option<Cost>,
    /// Number of attempts run or replayed.
    pub attempts: u32,
    /// Time from the first attempt to the end of the last, excluding replays.
    pub took: Duration,
    /// Observations (`adopted_after_crash`, `cost_estimated`, ...).
    pub notes: Vec<Note>,
}

impl<R> Answer<R> {
    /// Converts the result of the answer.
    pub fn map<S>(
        self,
        result: impl FnOnce(Result<R, Failure>) -> Result<S, Failure>,
    ) -> Answer<S> {
        Answer {
            turn: self.turn,
            role: self.role,
            respondent: self.respondent,
            result: result(self.result),
            cost: self.cost,
            attempts: self.attempts,
            took: self.took,
            notes: self.notes,
        }
    }
}

/// Something a protocol states: a warning, a measured consensus, the end of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// `round_closed`, `consensus_overridden`, `unknown_id`, ...
    pub code: String,
    /// The turn it concerns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// One sentence for people.
    pub message: String,
    /// The measured values behind it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// Whether it belongs into the result's `warnings`.
    pub warning: bool,
}

impl Fact {
    /// States something that is not a warning.
    pub fn new(code: &str, turn: Option<&str>, message: impl Into<String>, data: Value) -> Self {
        let (code, turn) = (code.to_owned(), turn.map(str::to_owned));
        Self { code, turn, message: message.into(), data, warning: false }
    }

    /// Converts a note into a warning.
    pub fn warning(note: &Note, turn: Option<&str>) -> Self {
        Self { warning: true, ..Self::new(&note.code, turn, note.message.clone(), Value::Null) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_its_parts_in_their_order_without_those_that_are_empty() {
        for (stable, varying, contract, text) in [
            ("rules", "turn", "answer so", "rules\n\nturn\n\nanswer so"),
            ("rules", "", "answer so", "rules\n\nanswer so"),
            ("", "turn", "", "turn"),
            ("", "", "", ""),
        ] {
            let [stable, varying, contract] = [stable, varying, contract].map(str::to_owned);
            assert_eq!(Prompt { stable, varying, contract }.text(), text);
        }
    }

    #[test]
    fn a_defect_names_all_its_problems() {
        let mut defect = Defect::of("bad_json", "a comma is missing".to_owned());
        assert_eq!(defect.expected_ids, Vec::<String>::new());
        assert_eq!(defect.to_string(), "a comma is missing");
        defect.problems.push(Problem::new("unclosed", Some("VOTE"), "it has no end"));
        defect.problems.push(Problem::new("late", None, "it is over"));
        assert_eq!(defect.to_string(), "a comma is missing; VOTE: it has no end; it is over");
    }

    #[test]
    fn a_failure_says_its_class_as_it_stands_in_json() {
        use FailureClass as Class;
        for class in [
            Class::NotFound,
            Class::NotExecutable,
            Class::NotLoggedIn,
            Class::UnknownModel,
            Class::RateLimited { retry_after: Some(3) },
            Class::QuotaExhausted { resets_at: None, retry_after: None },
            Class::Overloaded,
            Class::ContextTooLong,
            Class::RefusedByPolicy,
            Class::TimedOut,
            Class::Idle,
            Class::Crashed { code: Some(1), signal: None },
            Class::EmptyReply,
            Class::OutputLimit,
            Class::Unreadable,
            Class::Cancelled,
        ] {
            let failure = Failure { class, message: "no answer".to_owned() };
            let json = serde_json::to_value(&failure).unwrap();
            assert_eq!(json["class"], failure.class.name());
            assert_eq!(failure.to_string(), format!("{}: no answer", failure.class.name()));
            assert_eq!(serde_json::from_value::<Failure>(json).unwrap(), failure);
        }
    }
}
