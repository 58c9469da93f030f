//! Typed arguments: their content, the values computed from them, and the metrics of a round (`docs/debate.md`, style
//! `argument`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::model::{ID_CHARS, LINE_CHARS, MAX_LINES, REASON_CHARS};
use crate::contract::Entry;
use crate::contract::field::{
    Kind, Spec, entries, id, json, line, map, ours, share, text, texts, word,
};
use crate::contract::read::{FieldType, Rejection};
use crate::kernel::share::Share;
use crate::{declare, words};

/// Maximum number of concerns, of pieces of evidence and of risks in one argument, each.
pub const MAX_LIST: usize = 20;
/// Maximum nesting depth of an argument's content, and of a piece of evidence.
pub const MAX_DEPTH: usize = 8;
/// Maximum size of a piece of evidence that is not a text, in bytes of JSON without spaces.
pub const EVIDENCE_BYTES: usize = 4 << 10;
/// Maximum length of a type of evidence, an area or a risk's name, in characters.
pub const NAME_CHARS: usize = 120;

words! {
    /// What an argument is.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum ArgumentType {
        /// What should be done.
        Proposal = "proposal",
        /// What speaks against it: raises concerns.
        Challenge = "challenge",
        /// What answers the challenge.
        Defense = "defense",
        /// What the defense leaves open.
        Counter = "counter",
        /// What both could accept, and what becomes of each concern.
        Resolution = "resolution",
    }
}

words! {
    /// Who argues.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Side {
        /// Who proposes.
        Primary = "primary",
        /// Who challenges.
        Adversary = "adversary",
    }
}

impl Side {
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Primary => Self::Adversary,
            Self::Adversary => Self::Primary,
        }
    }
}

declare! {
    /// An argument as a side states it: the block `ARGUMENT`.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    pub struct ArgumentBlock {
        /// What it is.
        #[serde(rename = "type")]
        pub kind: ArgumentType = word().key("type").shown("<type>"),
        /// What it says: any JSON object. `points`: `[{id, claim, reasoning, importance}]`; one that an agent keeps by its id
        /// (`{keep, add}`) stands there in full.
        pub content: Map<String, Value> = map(
            r#"{"text": "<what you say>", "points": [{"claim": "<one claim>", "importance": <1 to 3>}, ...]}"#,
        )
        .below(),
        /// Ids of earlier arguments of this debate.
        #[serde(default)]
        pub references: Vec<String> =
            texts(MAX_LINES, LINE_CHARS).shown("<id of an earlier argument>").below(),
        /// What supports it.
        #[serde(default)]
        pub evidence: Vec<Evidence> = entries(MAX_LIST).may_miss().below(),
        /// How sure its author claims to be; `null`: not stated.
        #[serde(default)]
        pub confidence_score: Option<Share> =
            share().optional().below().extra().also(&["confidence"]),
        /// What it touches.
        #[serde(default)]
        pub impact_areas: Vec<String> = texts(MAX_LINES, NAME_CHARS).shown("<area>"),
        /// What it objects to.
        #[serde(default)]
        pub concerns: Vec<Concern> = entries(MAX_LIST).may_miss().below(),
        /// How it addresses concerns that were raised.
        #[serde(default)]
        pub addresses: Vec<ConcernResponse> = entries(MAX_LIST).may_miss().below(),
        /// How feasible its author considers the proposal; `None`: not said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub feasibility: Option<Share> = share().optional().below().counts(),
        /// What can go wrong.
        #[serde(default)]
        pub risks: Vec<Risk> = entries(MAX_LIST).may_miss().below(),
    }
}

declare! {
    /// What supports an argument.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct Evidence as "evidence" {
        /// What it is: `file`, `quote`, `source`, or anything else.
        #[serde(rename = "type")]
        pub kind: String = line(NAME_CHARS).key("type").shown("<file|quote|source|assertion>"),
        /// `path:line`, the quoted words, the source's name, the assertion; or any other JSON, of which an object's `file`,
        /// `line`, `quote` and `source` are looked at.
        pub data: Value = json("\"<what it is>\"").read_by(data),
        /// What the program found, put there before the answer is taken; an agent cannot set it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub checked: Option<bool> = ours(),
    }
}

/// Reads the data of a piece of evidence: a text, or any other JSON of bounded size, which cannot be shortened.
fn data(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Value>, Rejection> {
    if value.is_string() {
        let text = Spec { kind: Kind::Text(REASON_CHARS), ..*spec };
        return Ok(<String as FieldType>::read(value, &text, entry)?.map(Value::from));
    }
    let bytes = value.to_string().len();
    if bytes > EVIDENCE_BYTES {
        let message =
            format!("`data` has {bytes} bytes as JSON, over the limit of {EVIDENCE_BYTES}");
        entry.fault("too_long", &message);
    }
    if depth(&value) > MAX_DEPTH {
        let message = format!("`data` may be nested at most {MAX_DEPTH} deep");
        entry.fault("too_deep", &message);
    }
    Ok(Some(value))
}

/// Returns the nesting depth of a value; 0 if it is neither an array nor an object.
pub fn depth(value: &Value) -> usize {
    let below = match value {
        Value::Array(entries) => entries.iter().map(depth).max(),
        Value::Object(map) => map.values().map(depth).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    1 + below.unwrap_or(0)
}

impl Evidence {
    /// Returns the passages to look up, as text: a place (`path:line`) or a quotation.
    pub fn passages(&self) -> Vec<Cow<'_, str>> {
        if let Value::String(text) = &self.data {
            return vec![text.into()];
        }
        let field = |name: &str| self.data.get(name);
        let text = |name: &str| field(name).and_then(Value::as_str);
        let line = match field("line") {
            Some(Value::String(line)) => format!(":{}", line.trim()),
            Some(Value::Number(line)) => format!(":{line}"),
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => {
                String::new()
            }
        };
        let place = text("file").map(|file| Cow::Owned(format!("{file}{line}")));
        place.into_iter().chain(text("quote").map(Cow::Borrowed)).collect()
    }

    /// Returns the source that an object names: its `source`, or else its `file`; `None` for data that is a text.
    pub fn source(&self) -> Option<&str> {
        let field = |name: &str| self.data.get(name).and_then(Value::as_str);
        field("source").or_else(|| field("file"))
    }

    /// Returns the data for people: a text unchanged, anything else as JSON.
    pub fn words(&self) -> Cow<'_, str> {
        words(&self.data)
    }
}

/// Returns a JSON value for people: a text unchanged, anything else as JSON.
pub fn words(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => text.into(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            value.to_string().into()
        }
    }
}

declare! {
    /// An objection.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct Concern as "concern" {
        /// `C1`, `C2`, ...: given by the program over the whole debate.
        pub id: String = ours().may_miss(),
        /// What it is.
        pub text: String = text(REASON_CHARS).shown("<one concern>").alone(),
    }
}

declare! {
    /// How a concern is met.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct ConcernResponse as "address" {
        /// The concern's id.
        pub id: String = id(ID_CHARS).shown("<id of a concern>").also(&["concern", "concern_id"]),
        /// How.
        pub how: String = text(REASON_CHARS).shown("<how it is met>").alone(),
    }
}

declare! {
    /// A named risk.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    pub struct Risk as "risk" {
        /// Its name.
        pub name: String = line(NAME_CHARS).shown("<name>"),
        /// How likely it is.
        pub likelihood: Share = share(),
        /// How much it would hurt.
        pub impact: Share = share(),
    }
}

/// An argument in its debate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Argument {
    /// `A1`, `A2`, ... over the whole debate.
    pub argument_id: String,
    /// The round, from 1.
    pub round: u32,
    /// Whose it is.
    pub side: Side,
    /// The agent's name; `human` for a person.
    pub agent_id: String,
    /// What was said; its confidence as stated.
    #[serde(flatten)]
    pub said: ArgumentBlock,
    /// The stated confidence, capped by the strength of the argument's own evidence; `null`: none was stated.
    #[serde(default)]
    pub confidence: Option<Share>,
    /// Impact areas that are not in the configured list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_areas: Vec<String>,
    /// The id of its debate; missing while only the rules hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debate_id: Option<String>,
    /// When it was made; missing while only the rules hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime<Utc>>,
}

/// The status of a round of arguments.
///
/// The source document has one word for it, `active`, and never changes it: a round that is over would still be called active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundStatus {
    /// Under way.
    Open,
    /// Complete, and measured.
    Evaluated,
    /// Cut short by the end of the debate; nothing was measured in it.
    Abandoned,
}

/// What a round of arguments measures, all of it computed (`docs/debate.md`, the table of metrics).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Metrics {
    /// The lower of the stances on the resolution and the concerns that are met.
    pub agreement_score: Share,
    /// The share of the round's concerns that the resolution names and addresses, with a reason.
    pub resolution_quality: Share,
    /// The mean weight of the evidence per claim.
    pub evidence_strength: Share,
    /// The mean of both sides' ratings, scaled to 0 to 1; `None` if nobody gave one.
    pub implementation_feasibility: Option<Share>,
    /// By risk, the mean of the sides' likelihood times impact.
    pub risk_assessment: BTreeMap<String, Share>,
    /// Whether both sides gave what a metric needs.
    pub complete: bool,
}

words! {
    /// How a debate of typed arguments was resolved.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum ResolutionKind {
        /// Every point was agreed to.
        FullAgreement = "full_agreement",
        /// Agreed, with conditions.
        ConditionalApproval = "conditional_approval",
        /// A joint position that neither side began with.
        Hybrid = "hybrid",
        /// A person has to decide.
        HumanEscalation = "human_escalation",
    }
}

/// A resolution, with what a person needs in order to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resolution {
    /// What kind it is.
    pub kind: ResolutionKind,
    /// Conditions that were stated.
    #[serde(default)]
    pub conditions: Vec<String>,
    /// For a person: what is decided so far.
    #[serde(default)]
    pub key_decisions: Vec<String>,
    /// What is not.
    #[serde(default)]
    pub unresolved_points: Vec<String>,
    /// What the sides recommend.
    #[serde(default)]
    pub recommendations: Vec<String>,
    /// What happened, one line per argument.
    #[serde(default)]
    pub history: Vec<String>,
    /// What is asked of the person.
    #[serde(default)]
    pub asked: Vec<String>,
}
