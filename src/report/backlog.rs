//! The page of a partner debate: the resulting order, then the seats, then every round.
//!
//! The first line says in plain words whether anything was decided. If nothing was, no ranking is shown: a table
//! would look like a success.

use std::collections::BTreeMap;

use super::document::PrioritizeDocument;
use super::page::session::{self, SessionPhase};
use super::page::{
    Blocks, Emphasis, Item, Page, Table, Text, agent_text, code, count, decimal, name, text,
};
use super::words;
use crate::kernel::{Ended, Halt, SeatStatus, Usd};
use crate::protocol::backlog::model::{BacklogOutcome, DebateRound, ModeratorReason, Opportunity};
use crate::report::page::ToPage;

mod result;

type Titles<'a> = BTreeMap<&'a str, &'a str>;

impl ToPage for PrioritizeDocument {
    fn page(&self) -> Page {
        let header = &self.header;
        let mut page = session::begin("Partner debate", header, self.headline_text());
        let blocks = page.blocks();
        let first = [
            ("Verdict", header.verdict.name().into()),
            ("Outcome", words::outcome(header.outcome).into()),
        ];
        session::about(blocks, header, self.standing(), first);
        if self.decided() {
            blocks.section("Ranking", |below| {
                below.table(self.ranking());
                below.list(self.links());
            });
            if let Some(round) = self.reasoned() {
                blocks.section("Reasons", |below| {
                    below.list(self.reasons(round));
                });
            }
        }
        session::attendance(blocks, header, self.attendance());
        let items = self.ranked_opportunities.iter();
        let titles = items.map(|item| (&*item.opportunity_id, &*item.title)).collect();
        for round in &self.session.rounds {
            let heading = text!["Round ", round.round_number, " of ", self.session.max_rounds];
            blocks.section(heading, |below| self::round(below, round, &titles)).record_only();
        }
        session::record(blocks, header);
        let mut first = Vec::new();
        if header.outcome != BacklogOutcome::NothingToRank {
            let seats = header.seats.iter().map(session::seat).chain([self.attendance()]);
            first.push(("Seats", seats.collect()));
        }
        first.push(("Consensus", self.session.rounds.last().map(measured).into_iter().collect()));
        session::foot(blocks, header, first, session::next(header, self.standing()));
        page
    }
}

impl PrioritizeDocument {
    /// Returns in plain words how the debate ended, and what the order below is worth.
    pub(crate) fn headline_text(&self) -> Text {
        let rounds =
            || text![self.header.rounds_used, " of ", count(self.session.max_rounds, "round")];
        let (text, tone) = match self.header.outcome {
            Ended::Closed(BacklogOutcome::Consensus) => (
                text!["CONSENSUS after ", rounds(), ": the partners agree on this order."],
                Emphasis::Good,
            ),
            Ended::Closed(BacklogOutcome::OneVendor) => (
                text!["AGREED after ", rounds(), ": no second vendor checked this order."],
                Emphasis::Doubt,
            ),
            Ended::Closed(BacklogOutcome::NothingToRank) => (
                text!["NOTHING TO RANK: fewer than two opportunities. Nobody was asked."],
                Emphasis::Doubt,
            ),
            Ended::Closed(BacklogOutcome::ModeratorStop) => (
                text![
                    "NO CONSENSUS: the moderator stopped after ",
                    rounds(),
                    ". The order is the last round's.",
                ],
                Emphasis::Doubt,
            ),
            Ended::Closed(BacklogOutcome::MaxRounds) => (
                text!["NO CONSENSUS after ", rounds(), ". The order is the last round's."],
                Emphasis::Doubt,
            ),
            Ended::Stopped(Halt::Running) => {
                (text![session::RUNNING, " (", rounds(), " complete)."], Emphasis::Doubt)
            }
            Ended::Stopped(Halt::Terminated) => (
                text![
                    session::TERMINATED,
                    "; ",
                    rounds(),
                    " were complete, and nothing was ranked.",
                ],
                Emphasis::Bad,
            ),
            _ if self.decided() => (
                text![
                    "NOT FINISHED after ",
                    rounds(),
                    ": ",
                    self.why(),
                    ". No consensus; the order is the last complete round's.",
                ],
                Emphasis::Bad,
            ),
            _ => (
                text![
                    "UNDECIDED: ",
                    self.why(),
                    ". No round was completed and nothing was ranked: the ",
                    self.ranked_opportunities.len(),
                    " opportunities keep their old order.",
                ],
                Emphasis::Bad,
            ),
        };
        text.tone(tone)
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

    fn ranking(&self) -> Table {
        let last = self.session.rounds.last();
        let row = |(place, item): (u32, &Opportunity)| {
            let disposition = item.disposition.map_or("-", words::disposition);
            // The tracker's name for it is what people know it by.
            let id = item.issue().unwrap_or_else(|| item.opportunity_id.clone());
            vec![
                item.priority_rank.unwrap_or(place).into(),
                name(&id),
                agent_text(&item.title),
                disposition.into(),
                concern(last, item).map(agent_text).into(),
            ]
        };
        let rows = (1..).zip(&self.ranked_opportunities).map(row);
        let headers = ["#", "Id", "Opportunity", "Do", "Main concern"];
        Table::new(headers, rows).unbroken(&[0, 1, 3]).spare(&[1])
    }

    /// The addresses of the issues, in the order of the ranking.
    fn links(&self) -> impl Iterator<Item = Text> {
        self.ranked_opportunities.iter().filter_map(|item| {
            let called = item.issue().unwrap_or_else(|| item.opportunity_id.clone());
            Some(text![name(&called), ": ", code(item.issue_url()?)])
        })
    }

    fn reasoned(&self) -> Option<&DebateRound> {
        self.session.rounds.last().filter(|round| !round.moderator_reasons.is_empty())
    }

    /// The moderator's reasons, in the order of the ranking.
    fn reasons<'a>(&'a self, round: &'a DebateRound) -> impl Iterator<Item = Item> + use<'a> {
        (1..).zip(&self.ranked_opportunities).filter_map(|(place, item)| {
            let reason = round.moderator_reasons.get(&item.opportunity_id)?;
            let rank = item.priority_rank.unwrap_or(place);
            let heading = text![rank, ". ", agent_text(&item.title)];
            Some(reason_item(heading, reason))
        })
    }

    /// `3 of 3 seats answered, from 2 vendors`.
    fn attendance(&self) -> Text {
        if self.is_record_alone() && self.header.seats.is_empty() {
            return text!["not recorded"];
        }
        let quorum = &self.header.quorum;
        let (answered, needed) = (quorum.answered, quorum.needed);
        text![answered, " of ", needed, " seats answered, ", session::vendors(quorum.vendors)]
    }

    /// Returns why the debate was not finished: for a failed role, the cause as its seat reported it.
    fn why(&self) -> Text {
        let outcome = self.header.outcome;
        let mut seats = self.header.seats.iter();
        let cause = (outcome == BacklogOutcome::AgentFailure)
            .then(|| seats.find(|seat| seat.status == SeatStatus::Failed))
            .flatten()
            .and_then(|seat| Some((seat, words::cause(seat, &[])?)));
        match cause {
            Some((seat, cause)) => {
                text!["the ", name(&seat.role), " gave no answer, because ", agent_text(&cause)]
            }
            None => words::outcome(outcome).into(),
        }
    }
}

fn reason_item(heading: Text, reason: &ModeratorReason) -> Item {
    Item::new(heading).with(|body| {
        body.list(reason.parts().map(|(label, words)| text![label, ": ", agent_text(words)]));
    })
}

/// The critic's first concern in the last round.
fn concern<'a>(round: Option<&'a DebateRound>, item: &Opportunity) -> Option<&'a str> {
    let concerns = round?.critic_concerns.get(&item.opportunity_id)?;
    concerns.first().map(String::as_str)
}

fn measured(round: &DebateRound) -> Text {
    let claim = match (round.consensus_claimed, round.consensus_reached) {
        (true, true) => "claimed by the moderator and confirmed by rule",
        (true, false) => "claimed by the moderator, refused by rule",
        (false, _) => "not claimed",
    };
    let against = if round.round_number == 1 {
        "champion vs critic"
    } else {
        "the moderator's order against its own from the round before"
    };
    let stability = round.rank_stability.map(|tau| text!["; tau-b ", decimal(tau), ", ", against]);
    text![claim, stability]
}

fn round(blocks: &mut Blocks, round: &DebateRound, titles: &Titles<'_>) {
    // An opportunity's title, or its id if no title is known.
    let title = |id: &str| {
        let title = titles.get(id).copied().filter(|title| !title.trim().is_empty());
        agent_text(title.unwrap_or(id))
    };
    blocks.section("The champion's argument", |below| {
        below.quote(&round.champion_argument);
    });
    blocks.section("Orders and dispositions", |below| {
        below.table(orders(round, title));
    });
    // In the round's order; opportunities that are not part of it come last.
    let place = |id: &String| {
        let ranking = &round.moderator_final_rankings;
        ranking.iter().position(|other| other == id).unwrap_or(usize::MAX)
    };
    let mut reasons: Vec<_> = round.moderator_reasons.iter().collect();
    reasons.sort_by_key(|(id, _)| place(id));
    if !reasons.is_empty() {
        blocks.section("The moderator's reasons", |below| {
            below.list(reasons.into_iter().map(|(id, reason)| reason_item(title(id), reason)));
        });
    }
    let mut concerns: Vec<_> = round.critic_concerns.iter().collect();
    concerns.sort_by_key(|(id, _)| place(id));
    blocks.section("The critic's concerns", |below| {
        let of = |(id, concerns): (&String, &Vec<String>)| {
            Item::new(title(id)).with(|body| {
                if round.critic_met.contains(id) {
                    body.para("The concerns of the round before are met.");
                }
                body.list(concerns.iter().map(|concern| agent_text(concern)));
            })
        };
        below.list_or(concerns.into_iter().map(of), "None.");
    });
    let warnings = round.warnings.iter().map(|warning| agent_text(&warning.message)).collect();
    blocks.section("Outcome of the round", |below| {
        below.facts([
            ("Consensus", vec![measured(round)]),
            ("Cost", vec![cost(round)]),
            ("Warnings", warnings),
        ]);
    });
}

/// The rank that each role gave each opportunity.
fn orders(round: &DebateRound, title: impl Fn(&str) -> Text) -> Table {
    let place = |ranking: &[String], id: &String| {
        let place = ranking.iter().position(|other| other == id);
        place.map_or_else(|| "-".into(), |index| text![index + 1])
    };
    let rows = round.moderator_final_rankings.iter().map(|id| {
        let disposition = round.moderator_dispositions.get(id).copied();
        vec![
            place(&round.moderator_final_rankings, id),
            title(id),
            place(&round.champion_rankings, id),
            place(&round.critic_counter_rankings, id),
            disposition.map_or("-", words::disposition).into(),
        ]
    });
    Table::new(["Moderator", "Opportunity", "Champion", "Critic", "Disposition"], rows)
}

fn cost(round: &DebateRound) -> Text {
    let part = |role: &'static str, usd: Usd| text![role, " ", usd];
    let parts = [
        part("champion", round.champion_cost_usd),
        part("critic", round.critic_cost_usd),
        part("moderator", round.moderator_cost_usd),
    ];
    text![round.round_cost_usd(), " (", Text::join(parts, ", "), ")"]
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
