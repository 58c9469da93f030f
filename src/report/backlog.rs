//! The page of a partner debate: the resulting order, then the seats, then every round.
//!
//! The first line says in plain words whether anything was decided. If nothing was, no ranking is shown: a table
//! would look like a success.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{Value, json};

use super::document::PrioritizeDocument;
use super::page::session::{self, SessionPhase};
use super::page::template::Data;
use super::page::{Page, Text, ToPage, agent_text, name, text};
use super::words;
use crate::kernel::{Ended, Halt, Limit, SeatStatus};
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::backlog::model::{BacklogOutcome, Opportunity};

mod result;

/// An id as the program gives it, with the quotation marks around it.
static IDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""?\b(opp-[a-z0-9]+(?:-[a-z0-9]+)*)\b"?"#).ok());

impl ToPage for PrioritizeDocument {
    fn page(&self) -> Page {
        let next = session::next(&self.header, self.standing());
        session::page("Partner debate", &self.header, ("backlog", &self.data()), next)
    }
}

impl PrioritizeDocument {
    /// Returns what the templates are filled with.
    fn data(&self) -> Data {
        let items = self.ranked_opportunities.iter();
        let titles: BTreeMap<_, _> = items
            .filter(|item| !item.title.trim().is_empty())
            .map(|item| (&item.opportunity_id, &item.title))
            .gather();
        let rounds: Vec<Value> =
            self.session.rounds.iter().map(|round| self.named(json!(round))).collect();
        let mut session = json!(self.session);
        session["rounds"] = json!(rounds);
        session::data(self, &self.header)
            .with("session", session)
            .with("ranked", self.decided())
            .with("record_alone", self.is_record_alone())
            .with("round", rounds.last())
            .with("ranking", self.ranking())
            .with("titles", titles)
            .text("outcome_words", words::outcome(self.header.outcome))
            .text("why", self.why())
    }

    /// Puts the names that people know items by where a text mentions the ids that the program gave them. Another id is
    /// what its author calls the item, and may be a word of any text.
    fn named(&self, mut value: Value) -> Value {
        let item =
            |id: &str| self.ranked_opportunities.iter().find(|item| item.opportunity_id == id);
        match &mut value {
            Value::String(text) if item(text).is_none() => {
                let name = |found: &Captures<'_>| {
                    let title = |item: &Opportunity| format!("\"{}\"", item.title);
                    let known =
                        item(&found[1]).map(|item| item.issue().unwrap_or_else(|| title(item)));
                    known.unwrap_or_else(|| found[0].to_owned())
                };
                if let Some(ids) = IDS.as_ref() {
                    *text = ids.replace_all(text, name).into_owned();
                }
            }
            Value::Array(values) => {
                for value in values {
                    *value = self.named(value.take());
                }
            }
            Value::Object(values) => {
                for value in values.values_mut() {
                    *value = self.named(value.take());
                }
            }
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        value
    }

    /// The items in their order, each with what the last round said of it.
    fn ranking(&self) -> Vec<Value> {
        let last = self.session.rounds.last();
        let row = |(place, item): (u32, &Opportunity)| {
            let id = &item.opportunity_id;
            let concerns = last.and_then(|round| round.critic_concerns.get(id));
            json!({
                "rank": item.priority_rank.unwrap_or(place),
                // The tracker's name for it is what people know it by.
                "id": item.issue().unwrap_or_else(|| id.clone()),
                "title": item.title,
                "disposition": item.disposition,
                // "Accepted: " is what partners tell each other.
                "concern": self.named(json!(concerns.and_then(|concerns| concerns.first()).map(
                    |concern| concern.strip_prefix("Accepted:").unwrap_or(concern).trim_start()
                ))),
                "url": item.issue_url(),
                "reason": self.named(json!(last.and_then(|round| round.moderator_reasons.get(id)))),
            })
        };
        (1..).zip(&self.ranked_opportunities).map(row).collect()
    }

    /// Returns the phase of the session. A record alone cannot be resumed, whatever its outcome.
    fn standing(&self) -> SessionPhase {
        match self.header.outcome {
            Ended::Stopped(Halt::Running) => SessionPhase::Running,
            _ if !self.suspended() => SessionPhase::Decided,
            Ended::Closed(_) => SessionPhase::Failed,
            Ended::Stopped(halt) => SessionPhase::of(halt, 1),
        }
    }

    /// Returns why the debate was not finished: for a failed role, the cause as its seat reported it.
    fn why(&self) -> Text {
        let outcome = self.header.outcome;
        let mut seats = self.header.seats.iter();
        let cause = (outcome == BacklogOutcome::AgentFailure)
            .then(|| seats.find(|seat| seat.status == SeatStatus::Failed))
            .flatten()
            .and_then(|seat| Some((seat, words::cause(seat, &[])?)));
        let limit = self.header.stopped_by.map(Limit::reason);
        match cause {
            Some((seat, cause)) => {
                text!["the ", name(&seat.role), " gave no answer, because ", agent_text(&cause)]
            }
            None => limit.unwrap_or_else(|| words::outcome(outcome)).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Look;
    use crate::report::example;

    fn at(document: &PrioritizeDocument, width: usize) -> String {
        document.render(Look::plain(width))
    }

    #[test]
    fn undecided_is_the_first_word_and_shows_no_ranking() {
        use BacklogOutcome as O;
        for outcome in [O::AgentFailure.into(), Halt::Budget.into(), Ended::from(Halt::Interrupted)]
        {
            let mut document = example::agent_failure();
            document.header.outcome = outcome;
            let text = at(&document, 80);
            assert!(text.starts_with("UNDECIDED: "), "{text}");
            assert!(!text.contains("Main concern") && !text.contains("CONSENSUS"), "{text}");
            assert!(text.contains("sessions resume 0199a3c2-7f11"), "{text}");
        }
    }

    #[test]
    fn issues_stand_in_the_ranking_with_their_links() {
        let mut document = example::consensus();
        let url = "https://github.com/example/shop/issues/41";
        for (field, value) in [(Opportunity::ISSUE, "#41"), (Opportunity::ISSUE_URL, url)] {
            let extra = &mut document.ranked_opportunities[0].extra;
            extra.insert(field.to_owned(), value.into());
        }
        for text in [at(&document, 100), document.markdown()] {
            let (_, ranking) = text.split_once("Ranking").unwrap();
            assert!(ranking.contains("41") && ranking.contains(url), "{text}");
        }
    }

    #[test]
    fn a_text_names_items_as_people_know_them() {
        let mut document = example::consensus();
        let item = document.ranked_opportunities[1].clone();
        let (id, first) =
            (&item.opportunity_id, document.ranked_opportunities[0].opportunity_id.clone());
        let round = document.session.rounds.last_mut().unwrap();
        let reason = round.moderator_reasons.entry(first.clone()).or_default();
        reason.condition = Some(format!("After {id}."));
        round.critic_concerns.insert(first, vec![format!("Accepted: {id} first.")]);
        let text = at(&document, 200);
        assert!(text.contains(&format!("Condition: After \"{}\".", item.title)), "{text}");
        assert!(text.contains(&format!("\"{}\" first.", item.title)), "{text}");
        assert!(!text.contains("Accepted"), "{text}");
        document.ranked_opportunities[1].extra.insert(Opportunity::ISSUE.to_owned(), "#41".into());
        assert!(at(&document, 200).contains("Condition: After #41."));
        // The id of another item begins with this one's, and a person's own id is a word of many texts.
        let last = document.session.rounds.last_mut().unwrap();
        let reasons = last.moderator_reasons.values_mut().next().unwrap();
        reasons.condition = Some(format!("After {}-b and A.", item.opportunity_id));
        document.ranked_opportunities[2].opportunity_id = "A".to_owned();
        let kept = format!("Condition: After {}-b and A.", item.opportunity_id);
        assert!(at(&document, 200).contains(&kept));
    }

    #[test]
    fn only_a_consensus_is_called_one() {
        use BacklogOutcome as O;
        let halts = [Halt::Budget, Halt::Interrupted].map(Ended::from);
        let words = [O::AgentFailure, O::MaxRounds, O::ModeratorStop].map(Ended::from);
        for outcome in halts.into_iter().chain(words) {
            let mut document = example::consensus();
            document.header.outcome = outcome;
            assert!(at(&document, 80).starts_with("NO"), "{outcome:?}");
        }
    }
}
