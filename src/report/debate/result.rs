//! Converts a topic debate to the common result of sessions.

use std::collections::BTreeMap;

use super::DebateDocument;
use crate::protocol::debate::Verdict;
use crate::protocol::debate::ballot::Choice;
use crate::report::compact::{Compact, Item, assumed, labelled, line};
use crate::report::document::{HeaderView, Notes};
use crate::report::session_diff::{RESULT, Row};
use crate::report::session_result::SessionDocument;
use crate::report::words::count;

impl SessionDocument for DebateDocument {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn compact(&self) -> Compact {
        let (essentials, items) = points(self);
        Compact { suspended: self.header.suspended(), essentials, items, ..Compact::default() }
    }

    fn rows(&self) -> Vec<Row> {
        let result = &self.result;
        let consensus =
            result.consensus.map(|share| Row::new(RESULT, "consensus", share.to_string()));
        let mut rows: Vec<Row> = consensus.into_iter().collect();
        rows.extend(points(self).1.into_iter().filter_map(|item| match item.kind {
            "decision" | "proposal" => Some(Row::new("decision", "", item.title)),
            "point" => None,
            // It begins with the point's id.
            "dissent" => {
                let claim = item.title.rsplit(": ").next().unwrap_or_default();
                let key = format!("{} {claim}", item.id);
                Some(Row { key, ..Row::new("dissent", &item.title, item.id) })
            }
            _ => Some(Row::of(item)),
        }));
        for last in result.final_positions.values() {
            let points = last.position.iter().flat_map(|position| &position.points);
            let title = |claim: &str| format!("{}: {claim}", last.seat);
            rows.extend(points.map(|point| Row::new("point", &title(&point.claim), "yes")));
        }
        // Ids of points are those of a session; what they claim is the same in another.
        let positions = result.rounds.iter().flat_map(|round| round.positions.values());
        let claims: BTreeMap<&str, &str> = (positions.flat_map(|position| &position.points))
            .map(|point| (point.id.as_str(), point.claim.as_str()))
            .collect();
        for round in &result.rounds {
            for (seat, stances) in &round.stances {
                rows.extend(stances.stances.iter().map(|said| {
                    let claim = claims.get(said.point.as_str()).copied().unwrap_or(&said.point);
                    let title = format!("{seat} in round {}: {claim}", round.round);
                    Row::new("stance", &title, said.stance.name())
                }));
            }
        }
        for argument in result.rounds.iter().flat_map(|round| &round.arguments) {
            rows.push(Row::new("argument", &argument.argument_id, argument.said.kind.name()));
        }
        rows.extend(result.choices.iter().map(|choice| {
            let votes = count(choice.votes, "vote");
            let value = format!("{votes}, {}", count(choice.vendors, "vendor"));
            Row::new("choice", &choice.short(), value)
        }));
        rows.extend(result.last_votes.iter().map(|vote| {
            let choice = result.choices.iter().find(|choice| choice.id == vote.choice);
            let text = choice.map_or_else(|| vote.choice.clone(), Choice::short);
            Row::new("vote", &vote.seat, text)
        }));
        rows
    }
}

/// Returns the decision, then open points, then dissent. A result that was not adopted is not called a decision.
fn points(document: &DebateDocument) -> (Vec<String>, Vec<Item>) {
    let mut items = Vec::new();
    let mut essentials = Vec::new();
    essentials.extend(assumed(&document.assumptions));
    if let Some(decision) = &document.result.decision {
        let (kind, label) = match document.header.verdict {
            Verdict::Consensus | Verdict::Ruled => ("decision", "Decided"),
            Verdict::Partial | Verdict::OneVendor | Verdict::NoConsensus | Verdict::Undecided => {
                ("proposal", "Proposed, not decided")
            }
        };
        essentials.push(labelled(label, &decision.text));
        items.push(Item::new("decision", kind, &decision.text).detailed(&[
            &labelled("By", &decision.by),
            &labelled("Amended", &decision.amendments.join("; ")),
        ]));
        let points = decision.position.iter().flat_map(|position| &position.points);
        items.extend(points.map(|point| Item::new(&point.id, "point", &point.claim)));
    }
    items.extend(document.result.open_points.iter().map(|point| {
        Item {
            severity: Some(format!("importance {} of 3", point.importance)),
            status: point.stance.map(|stance| stance.name().to_owned()),
            ..Item::new(&point.id, "open_point", &point.text)
        }
        .detailed(&[
            &point.reason,
            &labelled("Ruling", point.ruling.as_deref().unwrap_or_default()),
        ])
    }));
    items.extend(document.result.dissent.iter().map(|dissent| {
        Item::new(&dissent.seat, "dissent", &dissent.about)
            .detailed(&[&labelled(&line(&dissent.agent), &dissent.reason)])
    }));
    (essentials, items)
}
