//! Result documents, as printed by `--json` and returned by MCP (`docs/json-and-events.md`).
//!
//! Each document is one struct with a derived JSON Schema, which is recorded by name in [`crate::schemas`]. The
//! fields common to all protocols are in [`Header`].

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sinks::SinkEntry;
use crate::kernel::{
    Basis, Cost, EndWord, Ended, HUMAN, Halt, Limit, Outcome, Quorum, Quota, Seat, SeatStatus,
    Shortfall, Stamp, Usd, Warning,
};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::backlog::NAME;
use crate::protocol::backlog::model::{BacklogOutcome, BacklogVerdict, DebateSession, Opportunity};
use crate::protocol::inquiry;
use crate::session::Parent;
pub use crate::session::SkillUsed;

/// Version of all documents; it increases when a field changes its meaning or is removed.
pub const SCHEMA_VERSION: u32 = 1;

/// What every result document begins with. `O` and `V` are the protocol's outcomes and verdicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Header<O, V> {
    /// The session's id.
    pub session_id: String,
    /// `backlog`.
    pub protocol: String,
    /// How the debate ended.
    pub outcome: O,
    /// What that means.
    pub verdict: V,
    /// Whether that is a decision, and enough seats answered for one. What one vendor alone agreed on is none.
    #[serde(default)]
    pub decided: bool,
    /// Who sat in the panel and whether they answered.
    pub seats: Vec<Seat>,
    /// Whether enough of them did.
    pub quorum: Quorum,
    /// The vendors that answered; with 1, agreement confirms nothing.
    pub vendors: u32,
    /// Built-in stand-ins played every role: no model was asked.
    pub rehearsal: bool,
    /// What it cost.
    pub cost: CostSummary,
    /// Complete rounds.
    pub rounds_used: u32,
    /// What was normalised, completed by rule or otherwise worth knowing.
    pub warnings: Vec<Warning>,
    /// The prompts that were used.
    pub skills: Vec<SkillUsed>,
    /// When the session began.
    pub started_at: DateTime<Utc>,
    /// When it ended; `null` while it is suspended.
    pub completed_at: Option<DateTime<Utc>>,
    /// Where the report was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_path: Option<String>,
    /// The session whose answers of earlier rounds were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<ParentSession>,
    /// The hash of the journal's last record when this was made: `sessions verify --head` compares it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal_head: Option<String>,
    /// The limit that stopped it, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<Limit>,
    /// What became of the configured sinks, where the session that ended was sent to some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<SinkEntry>,
    /// The version of this document.
    pub schema_version: u32,
}

/// Code of the warning that the working tree changed while agents could read it.
pub(crate) const TREE_CHANGED: &str = "tree_changed";

impl<O, V> Header<O, V> {
    /// Whether the working tree was found changed while agents could read it.
    pub fn tree_changed(&self) -> bool {
        self.warnings.iter().any(|warning| warning.code == TREE_CHANGED)
    }

    /// Creates the header of a stored result, of which this program knows only the words.
    pub fn of(
        protocol: &str,
        outcome: O,
        verdict: V,
        rounds_used: u32,
        stamp: &Stamp,
        about: SessionFacts,
    ) -> Self {
        Self {
            session_id: stamp.session_id.clone(),
            protocol: protocol.to_owned(),
            outcome,
            verdict,
            decided: false,
            seats: Vec::new(),
            quorum: Quorum { needed: 0, answered: 0, vendors: 0 },
            vendors: 0,
            rehearsal: about.rehearsal,
            cost: CostSummary {
                total_usd: stamp.cost.map_or(Usd::ZERO, |cost| cost.usd),
                budget_usd: Some(stamp.budget),
                basis: stamp.cost.map(|cost| cost.basis),
                short: about.short,
                quotas: about.quotas,
            },
            rounds_used,
            warnings: about.warnings,
            skills: about.skills,
            started_at: stamp.started_at,
            completed_at: stamp.completed_at,
            report_path: about.report_path,
            parent: about.parent,
            journal_head: None,
            stopped_by: about.stopped_by,
            sinks: Vec::new(),
            schema_version: SCHEMA_VERSION,
        }
    }
}

impl<O: EndWord, V> Header<Ended<O>, V> {
    /// Creates the header of a session's result, and returns what its kind has besides. A warning of the circumstances
    /// that the protocol has too appears once.
    pub fn new<R>(
        protocol: &str,
        ended: Outcome<Ended<O>, V, R>,
        stamp: &Stamp,
        mut about: SessionFacts,
    ) -> (Self, R) {
        let Outcome { outcome, verdict, seats, quorum, rounds_used, mut warnings, result, .. } =
            ended;
        for warning in about.warnings {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        about.warnings = warnings;
        // Where one quota is known, so is whose is not.
        let asked = seats.iter().filter(|seat| seat.status == SeatStatus::Answered);
        let is_known = !about.quotas.is_empty();
        for seat in asked.filter(|_| is_known) {
            let agent = seat.agent.split([':', '#']).next().unwrap_or_default().to_owned();
            if !about.quotas.iter().any(|quota| quota.agent == agent) {
                about.quotas.push(Quota { agent, windows: Vec::new() });
            }
        }
        let header = Self {
            decided: outcome.decides() && quorum.answered >= quorum.needed,
            seats,
            vendors: quorum.vendors,
            quorum,
            ..Self::of(protocol, outcome, verdict, rounds_used, stamp, about)
        };
        (header, result)
    }

    /// Whether the session can be resumed with `sessions resume`.
    pub fn suspended(&self) -> bool {
        self.outcome.suspended()
    }
}

/// Fields of a result that a run completes after the result was made.
#[derive(Debug)]
pub struct Notes<'a> {
    /// The warnings, to which the run adds its own.
    pub warnings: &'a mut Vec<Warning>,
    pub sinks: &'a mut Vec<SinkEntry>,
    pub report_path: &'a mut Option<String>,
    pub journal_head: &'a mut Option<String>,
}

/// A header without its protocol's types.
#[derive(Debug)]
pub struct HeaderView<'a> {
    pub session_id: &'a str,
    pub protocol: &'a str,
    /// The outcome's name in JSON.
    pub outcome: Option<String>,
    /// The verdict's name in JSON.
    pub verdict: Option<String>,
    pub decided: bool,
    pub seats: &'a [Seat],
    pub quorum: Quorum,
    pub rehearsal: bool,
    pub cost: CostSummary,
    pub warnings: &'a [Warning],
    pub report_path: Option<&'a str>,
    pub stopped_by: Option<Limit>,
}

impl<O, V> Header<O, V> {
    /// Whether only one vendor speaks in the result, where two could have agreed: neither a person nor the roles of an
    /// inquiry, who work apart, can.
    pub(crate) fn is_of_one_vendor(&self) -> bool {
        let seats = || self.seats.iter().filter(|seat| seat.status != SeatStatus::Skipped);
        let vendors: BTreeSet<&str> = seats().map(|seat| &*seat.vendor).gather();
        let several = self.quorum.answered > 1 || (vendors.len() == 1 && seats().count() > 1);
        self.vendors == 1 && several && !vendors.contains(HUMAN) && self.protocol != inquiry::NAME
    }

    /// Returns the fields that a run completes.
    pub fn notes(&mut self) -> Notes<'_> {
        Notes {
            warnings: &mut self.warnings,
            sinks: &mut self.sinks,
            report_path: &mut self.report_path,
            journal_head: &mut self.journal_head,
        }
    }
}

impl<O: Serialize, V: Serialize> Header<O, V> {
    /// Returns the part that is the same for all protocols.
    pub fn view(&self) -> HeaderView<'_> {
        HeaderView {
            session_id: &self.session_id,
            protocol: &self.protocol,
            outcome: name(&self.outcome),
            verdict: name(&self.verdict),
            decided: self.decided,
            seats: &self.seats,
            quorum: self.quorum,
            rehearsal: self.rehearsal,
            cost: self.cost.clone(),
            warnings: &self.warnings,
            report_path: self.report_path.as_deref(),
            stopped_by: self.stopped_by,
        }
    }
}

/// Returns the JSON name of one of our enum values.
fn name(of: &impl Serialize) -> Option<String> {
    match serde_json::to_value(of) {
        Ok(Value::String(name)) => Some(name),
        Ok(_) | Err(_) => None,
    }
}

/// The session that another one was begun from: `sessions resume ID --from-round N`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ParentSession {
    /// Its id.
    pub session_id: String,
    /// The first round that was asked again; answers of the rounds before are the parent's.
    #[schemars(range(min = 1))]
    pub from_round: u32,
}

impl From<&Parent> for ParentSession {
    fn from(parent: &Parent) -> Self {
        Self { session_id: parent.session.clone(), from_round: parent.from_round }
    }
}

/// What a session cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CostSummary {
    /// All attempts of all runs, failed ones included, and the paid calls of a round that was not finished: so it can be
    /// more than the rounds in the document add up to.
    pub total_usd: Usd,
    /// The budget, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<Usd>,
    /// Where the figure comes from; missing only where nothing was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// What the budget lacks for the calls that come next, where that ended the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<Shortfall>,
    /// What the agents' CLIs last reported of their vendors' quotas; missing where none did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotas: Vec<Quota>,
}

/// The result of `prioritize`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PrioritizeDocument {
    /// What all results have.
    #[serde(flatten)]
    pub header: Header<Ended<BacklogOutcome>, BacklogVerdict>,
    /// The whole debate; its `session_id` is the document's.
    pub session: DebateSession,
    /// The opportunities in their new order, or the input's where nothing was decided.
    pub ranked_opportunities: Vec<Opportunity>,
    /// The same as `cost.total_usd`.
    pub cost_usd: Usd,
}

/// Facts about a session other than its protocol's outcome.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFacts {
    /// Whether built-in stand-ins played every role.
    pub rehearsal: bool,
    /// Warnings that belong to no round (`same_vendor`, `cost_estimated`, ...).
    pub warnings: Vec<Warning>,
    pub skills: Vec<SkillUsed>,
    pub report_path: Option<String>,
    /// The session from which answers of earlier rounds were kept.
    pub parent: Option<ParentSession>,
    /// The limit that stopped the session, if one did.
    pub stopped_by: Option<Limit>,
    /// The amount by which the budget is too small for the next calls.
    pub short: Option<Shortfall>,
    /// What the agents' CLIs last reported of their vendors' quotas.
    pub quotas: Vec<Quota>,
}

/// Code of the warning that a partner debate has a record but no journal.
pub const RECORD_ALONE: &str = "record_alone";

/// The partner debate needs its three roles in every round.
const BACKLOG_QUORUM: u32 = 3;

impl PrioritizeDocument {
    /// Creates the document. `ranked` is in the order to be shown.
    ///
    /// A session without an outcome was cut short, so it counts as interrupted.
    pub fn new(session: DebateSession, ranked: Vec<Opportunity>, about: SessionFacts) -> Self {
        let outcome = session.outcome.unwrap_or(Ended::Stopped(Halt::Interrupted));
        let ranked_by = !session.final_rankings.is_empty() && !session.rounds.is_empty();
        let rounds = session.rounds.iter();
        let ended = Outcome {
            outcome,
            verdict: BacklogVerdict::of(outcome, ranked_by),
            seats: session.seats.clone(),
            quorum: Quorum::of(&session.seats, BACKLOG_QUORUM),
            rounds_used: u32::try_from(session.rounds.len()).unwrap_or(u32::MAX),
            failure: None,
            warnings: rounds.flat_map(|round| round.warnings.clone()).collect(),
            result: (),
        };
        let usd = session.total_cost_usd;
        let stamp = Stamp {
            session_id: session.session_id.clone(),
            started_at: session.started_at,
            completed_at: session.completed_at,
            budget: session.budget_usd,
            cost: session.cost_basis.map(|basis| Cost { usd, basis }),
        };
        let (mut header, ()) = Header::new(NAME, ended, &stamp, about);
        // A record of another program has a sum without its basis.
        header.cost.total_usd = usd;
        let mut document = Self { header, cost_usd: usd, session, ranked_opportunities: ranked };
        document.settle(document.header.vendors);
        document
    }

    /// Decides: what a complete round ranked stands, whatever kept the debate from its end, if two vendors or more
    /// answered.
    pub(crate) fn settle(&mut self, vendors: u32) {
        let header = &mut self.header;
        (header.vendors, header.quorum.vendors) = (vendors, vendors);
        header.decided = header.verdict == BacklogVerdict::Decided
            && header.quorum.answered >= header.quorum.needed
            && vendors > 1;
    }

    /// Whether ranks were applied, which needs a complete round.
    pub fn decided(&self) -> bool {
        self.header.verdict != BacklogVerdict::Undecided
    }

    /// Whether the document was made from a record alone, without a journal.
    pub fn is_record_alone(&self) -> bool {
        let mut warnings = self.header.warnings.iter();
        warnings.any(|warning| warning.code == RECORD_ALONE)
    }

    /// Whether the debate can be resumed with `sessions resume`; a record alone cannot.
    pub fn suspended(&self) -> bool {
        self.header.suspended() && !self.is_record_alone()
    }
}

/// Serializes a document as printed by `--json`: indented, with a newline at the end.
///
/// People read JSON on terminals too, so characters that a terminal would obey are escaped, without loss.
pub fn to_json(document: &(impl Serialize + ?Sized)) -> Result<String, serde_json::Error> {
    let mut text = super::words::json_escaped(&serde_json::to_string_pretty(document)?);
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::example;
    use crate::report::sessions::{SessionStatusDocument, SessionsDocument};
    use crate::schemas::schema;

    fn assert_valid(name: &str, document: &Value) {
        let schema = schema(name).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }

    #[test]
    fn examples_hold_against_their_schema() {
        for document in example::all() {
            assert_valid("prioritize", &serde_json::to_value(&document).unwrap());
        }
        let sessions = SessionsDocument::new(&example::listed());
        assert_valid("sessions", &serde_json::to_value(&sessions).unwrap());
        let status = SessionStatusDocument {
            session: sessions.sessions[0].clone(),
            round: Some(2),
            next_turns: vec!["r2/critic".into()],
            budget_usd: Some(Usd::from_micros(2_500_000)),
            short: Some(Shortfall {
                reserve_usd: Usd::from_micros(150_000),
                budget_usd: Usd::from_micros(2_650_000),
            }),
            sinks: Vec::new(),
            schema_version: SCHEMA_VERSION,
        };
        assert_valid("session-status", &serde_json::to_value(status).unwrap());
    }

    #[test]
    fn a_schema_refuses_what_is_no_such_document() {
        let schema = schema("prioritize").unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut document = serde_json::to_value(example::consensus()).unwrap();
        document["verdict"] = json!("certainly");
        assert!(!validator.is_valid(&document));
        document["verdict"] = json!("decided");
        assert!(validator.is_valid(&document));
        document.as_object_mut().unwrap().remove("seats");
        assert!(!validator.is_valid(&document));
    }

    #[test]
    fn what_one_vendor_ranked_is_no_decision_however_it_ended() {
        for ended in [BacklogOutcome::ModeratorStop, BacklogOutcome::MaxRounds] {
            let mut session = example::consensus().session;
            session.outcome = Some(ended.into());
            let document = |session: DebateSession| {
                PrioritizeDocument::new(session, Vec::new(), SessionFacts::default())
            };
            assert!(document(session.clone()).header.decided, "{ended:?}");
            for seat in &mut session.seats {
                seat.vendor = "anthropic".into();
            }
            let document = document(session);
            assert_eq!(document.header.verdict, BacklogVerdict::Decided, "its ranks were applied");
            assert!(!document.header.decided, "{ended:?}");
        }
    }

    #[test]
    fn without_a_complete_round_it_is_undecided_and_a_failed_seat_never_counts() {
        let document = example::agent_failure();
        assert_eq!(document.header.verdict, BacklogVerdict::Undecided);
        assert_eq!(document.header.quorum, Quorum { needed: 3, answered: 1, vendors: 1 });
        assert!(document.suspended() && !document.decided());
    }

    #[test]
    fn printed_json_holds_no_control_that_a_terminal_obeys() {
        let mut document = example::consensus();
        document.ranked_opportunities[0].title = "a\u{9b}31m\u{202e}b\u{1b}[2J".into();
        let text = to_json(&document).unwrap();
        assert!(!text.contains(['\u{9b}', '\u{202e}', '\u{1b}']), "{text}");
        assert_eq!(serde_json::from_str::<PrioritizeDocument>(&text).unwrap(), document);
    }
}
