//! The page of a debate, and thereby the record that a team would commit (`.debate/debate-TIMESTAMP.md`).
//!
//! It follows the questions of a reader: the decision and its reasons, what is asked of a person, dissent and open points;
//! then seats, cost and warnings; the alternatives and the evidence (every measurement, vote and ruling); then each side's
//! arguments, round by round, and the prompts. Every record has a section for dissent, even if there was none.

use serde_json::{Value, json};

use super::DebateDocument;
use crate::kernel::Ended;
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::debate::DebateOutcome;
use crate::protocol::debate::ballot::{Choice, VoteRecord};
use crate::protocol::debate::consensus::COVERED;
use crate::protocol::debate::outcome::RoundRecord;
use crate::protocol::debate::typed::Argument;
use crate::report::decisions;
use crate::report::page::session::{self, SessionPhase};
use crate::report::page::template::Data;
use crate::report::page::{Page, Text, ToPage, shortened};

/// Maximum characters of a record's title; the whole question is below it.
const TITLE_CHARS: usize = 120;
/// The name under which a round stores a draft for both sides.
const JOINT: &str = "joint";

impl ToPage for DebateDocument {
    fn page(&self) -> Page {
        let (header, data) = (&self.header, self.data());
        let title = shortened(&self.topic, TITLE_CHARS);
        let mut next = data.lines("debate/next");
        if next.is_empty() {
            next = session::next(header, self.standing());
        }
        session::page(title, header, ("debate", &data), next)
    }
}

impl DebateDocument {
    /// Returns in one line how the debate ended, which depends on the outcome alone.
    pub(crate) fn headline_text(&self) -> Text {
        self.data().sentence("debate/headline")
    }

    /// Returns what the templates are filled with.
    pub(super) fn data(&self) -> Data {
        let result = &self.result;
        let most = result.choices.iter().map(|choice| choice.votes).max();
        let leads = |choice: &&Choice| choice.votes > 0 && Some(choice.votes) == most;
        let leaders = result.choices.iter().filter(leads).map(|choice| &choice.id);
        let settled = [DebateOutcome::Settled, DebateOutcome::OneVendor].map(Ended::Closed);
        let shown = result.choices.iter().map(|choice| (&choice.id, choice.short()));
        let arguments = result.rounds.iter().flat_map(|round| &round.arguments);
        let contents = arguments.map(|argument| (&argument.argument_id, content(argument)));
        let failed = self.header.seats.iter().filter(|seat| seat.failure.is_some());
        session::data(self, &self.header)
            .with("again_from", self.again_from())
            .with("alternatives", self.alternatives())
            .with("at_the_table", self.table().count())
            .with("ballots", self.ballots())
            .with("contents", contents.gather::<BTreeMap<_, _>>())
            .with("covered_needed", COVERED)
            .with("judged", result.rounds.iter().map(judged).collect::<Vec<_>>())
            .with("leaders", leaders.collect::<Vec<_>>())
            .with("short", shown.gather::<BTreeMap<_, _>>())
            .with("sources", decisions::sources())
            .with("unvoted", settled.contains(&self.header.outcome) && result.last_votes.is_empty())
            .text("causes", session::causes(failed, &[], "failed"))
    }

    /// Returns every seat that voted, in the order of the ballots, with its first vote, its last, and the one that counts.
    fn ballots(&self) -> Vec<Value> {
        let (first, last) = (&self.result.first_votes, &self.result.last_votes);
        let of =
            |votes: &[VoteRecord], seat: &str| votes.iter().find(|vote| vote.seat == seat).cloned();
        let mut seen = BTreeSet::new();
        let seats = first.iter().chain(last).map(|vote| &*vote.seat);
        let ballot = |seat: &str| {
            let (before, after) = (of(first, seat), of(last, seat));
            let counts = after.as_ref().or(before.as_ref());
            // A seat without an answer of its own cannot leave it.
            let answered = self.result.final_positions.values().any(|last| last.seat == seat);
            let left =
                |vote: &Option<VoteRecord>| answered && vote.as_ref().is_some_and(|vote| !vote.own);
            json!({
                "seat": seat, "left_first": left(&before), "left_last": left(&after),
                "first": before, "last": after, "counts": counts,
            })
        };
        seats.filter(|seat| seen.insert(*seat)).map(ballot).collect()
    }

    fn standing(&self) -> SessionPhase {
        SessionPhase::of_ended(self.header.outcome, DebateOutcome::Failed, self.again_from())
    }
}

/// Returns, by the seat whose position it is, the seat that took stances on it in a round.
fn judged(round: &RoundRecord) -> BTreeMap<&str, &str> {
    // Points of every position are called P1, P2, ...: if a joint draft was put, the stances are on it alone.
    let joint = round.positions.contains_key(JOINT);
    let of = |seat: &str| {
        let points = &round.positions[seat].points;
        let mut others = round.stances.iter().filter(|(other, stances)| {
            *other != seat && points.iter().any(|point| stances.on(&point.id).is_some())
        });
        (!joint || seat == JOINT).then(|| others.next())?.map(|(other, _)| &**other)
    };
    round.positions.keys().filter_map(|seat| Some((&**seat, of(seat)?))).gather()
}

/// Returns the text of an argument and its points, and the rest of its content as JSON.
fn content(argument: &Argument) -> Value {
    let mut rest = argument.said.content.clone();
    let mut take = |name: &str, is: fn(&Value) -> bool| {
        if rest.get(name).is_some_and(is) { rest.remove(name) } else { None }
    };
    let text = take("text", Value::is_string);
    let points =
        take("points", |points| points.as_array().is_some_and(|all| all.iter().all(is_point)));
    let rest = if rest.is_empty() { None } else { serde_json::to_string_pretty(&rest).ok() };
    json!({ "text": text, "points": points, "rest": rest })
}

fn is_point(point: &Value) -> bool {
    let importance = point.get("importance");
    point["id"].is_string() && point["claim"].is_string() && importance.is_none_or(Value::is_u64)
}
