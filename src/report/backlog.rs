//! The result of a partner debate for people.
//!
//! The first line says in plain words whether anything was decided. Where
//! nothing was, no ranking is shown: a table would look like a success.

use std::collections::BTreeMap;

use super::document::PrioritizeDocument;
use super::progress::REHEARSAL;
use super::table::{Table, push_wrapped};
use super::words::{self, BAD, DOUBT, FAINT, GOOD, count, paint};
use super::{Look, short_id, standing};
use crate::kernel::{Seat, SeatStatus};
use crate::protocol::backlog::model::{BacklogOutcome, DebateRound, Opportunity};

mod session;

/// From this width on, ids have a column of their own.
const IDS_FROM: usize = 110;
/// Columns of the labels in the list under the table.
const LABEL: usize = 11;

/// Returns the whole result, with a newline at the end.
pub fn render(document: &PrioritizeDocument, look: Look) -> String {
    let id = short_id(&document.header.session_id);
    let show = format!("debate-agent sessions show {id}");
    let show = (document.header.outcome != BacklogOutcome::NothingToRank).then_some(show);
    rendered(document, look, show)
}

/// Returns the result of a stored session as `sessions show` does, which need not name itself.
pub(super) fn shown(document: &PrioritizeDocument, look: Look) -> String {
    rendered(document, look, None)
}

fn rendered(document: &PrioritizeDocument, look: Look, show: Option<String>) -> String {
    let mut text = String::new();
    if document.header.rehearsal {
        text.push_str(&paint(REHEARSAL, DOUBT, look.colour));
        text.push('\n');
    }
    let (headline, style) = headline(document);
    let mut wrapped = String::new();
    push_wrapped(&mut wrapped, &headline, "", "", look.width);
    text.push_str(&paint(wrapped.trim_end(), style, look.colour));
    text.push_str("\n\n");
    if document.decided() {
        text.push_str(&ranking(document, look.width));
        text.push('\n');
    }
    for (label, line) in details(document, show) {
        push_labelled(&mut text, label, &line, look);
    }
    text
}

/// Adds a line under its label; an empty label goes on under the one before.
pub(super) fn push_labelled(text: &mut String, label: &str, line: &str, look: Look) {
    let indent = " ".repeat(LABEL);
    let mut wrapped = String::new();
    push_wrapped(&mut wrapped, line, &indent, &indent, look.width);
    let padding = " ".repeat(LABEL.saturating_sub(label.len()));
    text.push_str(&paint(label, FAINT, look.colour));
    text.push_str(&padding);
    text.push_str(wrapped.get(LABEL..).unwrap_or_default());
}

/// Says in plain words how it ended and what the order below is worth.
pub(super) fn verdict(document: &PrioritizeDocument) -> String {
    headline(document).0
}

fn headline(document: &PrioritizeDocument) -> (String, anstyle::Style) {
    let rounds = format!(
        "{} of {}",
        document.header.rounds_used,
        count(document.session.max_rounds, "round")
    );
    let outcome = document.header.outcome;
    match outcome {
        BacklogOutcome::Consensus => {
            (format!("CONSENSUS after {rounds}: the partners agree on this order."), GOOD)
        }
        BacklogOutcome::NothingToRank => {
            ("NOTHING TO RANK: fewer than two opportunities. Nobody was asked.".to_owned(), DOUBT)
        }
        BacklogOutcome::ModeratorStop => (
            format!(
                "NO CONSENSUS: the moderator stopped after {rounds}. The order is the last round's."
            ),
            DOUBT,
        ),
        BacklogOutcome::MaxRounds => {
            (format!("NO CONSENSUS after {rounds}. The order is the last round's."), DOUBT)
        }
        BacklogOutcome::Running => (format!("{} ({rounds} complete).", standing::RUNNING), DOUBT),
        BacklogOutcome::Terminated => (
            format!("{}; {rounds} were complete, and nothing was ranked.", standing::TERMINATED),
            BAD,
        ),
        BacklogOutcome::Budget | BacklogOutcome::AgentFailure | BacklogOutcome::Interrupted
            if document.decided() =>
        {
            (
                format!(
                    "NOT FINISHED after {rounds}: {}. No consensus; the order is the last complete round's.",
                    why(document)
                ),
                BAD,
            )
        }
        BacklogOutcome::Budget | BacklogOutcome::AgentFailure | BacklogOutcome::Interrupted => (
            format!(
                "UNDECIDED: {}. No round was completed, nothing was ranked: the {} opportunities keep their old order.",
                why(document),
                document.ranked_opportunities.len()
            ),
            BAD,
        ),
    }
}

fn ranking(document: &PrioritizeDocument, width: usize) -> String {
    let last = document.session.rounds.last();
    let ids = width >= IDS_FROM;
    let row = |(place, item): (u32, &Opportunity)| {
        let rank = item.priority_rank.unwrap_or(place).to_string();
        let disposition = item.disposition.map_or("-", words::disposition).to_owned();
        let mut row = vec![rank, item.title.clone(), disposition, concern(last, item)];
        if ids {
            row.insert(1, item.opportunity_id.clone());
        }
        row
    };
    let rows = (1..).zip(&document.ranked_opportunities).map(row);
    if ids {
        Table::new(&["#", "Id", "Opportunity", "Do", "Main concern"], rows).unbroken(&[0, 1, 3])
    } else {
        Table::new(&["#", "Opportunity", "Do", "Main concern"], rows).unbroken(&[0, 2])
    }
    .render(width)
}

/// The critic's first concern in the last round.
pub(super) fn concern(round: Option<&DebateRound>, item: &Opportunity) -> String {
    round
        .and_then(|round| round.critic_concerns.get(&item.opportunity_id))
        .and_then(|concerns| concerns.first())
        .cloned()
        .unwrap_or_default()
}

fn details(document: &PrioritizeDocument, show: Option<String>) -> Vec<(&'static str, String)> {
    let header = &document.header;
    let mut lines: Vec<(&str, String)> = Vec::new();
    let mut under = |label: &'static str, texts: Vec<String>| {
        for (index, text) in texts.into_iter().enumerate() {
            lines.push((if index == 0 { label } else { "" }, text));
        }
    };
    let mut seats: Vec<String> = header.seats.iter().map(seat).collect();
    let quorum = &header.quorum;
    seats.push(if document.is_record_alone() && header.seats.is_empty() {
        "not recorded".to_owned()
    } else {
        format!(
            "{} of {} seats answered, from {}",
            quorum.answered,
            quorum.needed,
            count(quorum.vendors, "vendor")
        )
    });
    if header.outcome != BacklogOutcome::NothingToRank {
        under("Seats", seats);
    }
    under("Consensus", document.session.rounds.last().map(measured).into_iter().collect());
    under("Cost", vec![cost(document)]);
    under("Warnings", warnings(document));
    if let Some(path) = &header.report_path {
        under("Report", vec![words::sentence(path)]);
    }
    under("Next", next(document).into_iter().chain(show).collect());
    lines
}

pub(super) fn seat(seat: &Seat) -> String {
    let other = seat.fell_back_to.as_deref().map(|other| format!(" to {}", words::name(other)));
    // Beside an answer, a failure is a further thing to know; else it is the reason.
    let sign = match seat.status {
        SeatStatus::Answered | SeatStatus::FellBack => "; ",
        SeatStatus::Failed | SeatStatus::Asked | SeatStatus::Skipped => ": ",
    };
    let why = seat.failure.as_deref().map(|failure| format!("{sign}{}", words::sentence(failure)));
    format!(
        "{}: {} ({}), {}{}{}",
        words::name(&seat.role),
        words::name(&seat.agent),
        words::name(&seat.vendor),
        words::seat_status(seat.status),
        other.unwrap_or_default(),
        why.unwrap_or_default()
    )
}

/// Says what was measured in a round, and against what.
pub(super) fn measured(round: &DebateRound) -> String {
    let claim = match (round.consensus_claimed, round.consensus_reached) {
        (true, true) => "claimed by the moderator and confirmed by rule",
        (true, false) => "claimed by the moderator, refused by rule",
        (false, _) => "not claimed",
    };
    let against = if round.round_number == 1 {
        "champion against critic"
    } else {
        "the moderator's order against its own of the round before"
    };
    match round.rank_stability {
        Some(tau) => format!("{claim}; tau-b {tau:.2}, {against}"),
        None => claim.to_owned(),
    }
}

pub(super) fn cost(document: &PrioritizeDocument) -> String {
    let cost = &document.header.cost;
    let amount = words::spent(cost.total_usd, cost.budget_usd);
    match cost.basis {
        Some(basis) => format!("{amount}, {}", words::basis(basis)),
        None => format!("{amount}: no paid call was made"),
    }
}

/// Says why it was not finished: of a failed role its cause, in the words of its seat.
fn why(document: &PrioritizeDocument) -> String {
    let outcome = document.header.outcome;
    let mut seats = document.header.seats.iter();
    let cause = (outcome == BacklogOutcome::AgentFailure)
        .then(|| seats.find(|seat| seat.status == SeatStatus::Failed))
        .flatten()
        .and_then(|seat| Some((seat, words::cause(seat)?)));
    match cause {
        Some((seat, cause)) => {
            let role = words::name(&seat.role);
            format!("the {role} gave no valid answer: {cause}")
        }
        None => words::outcome(outcome).to_owned(),
    }
}

/// Returns each kind of warning once: how often, and the first one's words.
fn warnings(document: &PrioritizeDocument) -> Vec<String> {
    let mut kinds: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for warning in &document.header.warnings {
        kinds.entry(&warning.code).or_insert((0, &warning.message)).0 += 1;
    }
    kinds
        .into_iter()
        .map(|(code, (times, message))| {
            let again = if times > 1 { format!(" ({times} times)") } else { String::new() };
            format!("{}{again}: {}", words::name(code), words::sentence(message))
        })
        .collect()
}

fn next(document: &PrioritizeDocument) -> Option<String> {
    let id = short_id(&document.header.session_id);
    let raise = words::raise(document.header.cost.short);
    match document.header.outcome {
        BacklogOutcome::Running => Some(standing::look_again(&document.header.session_id)),
        _ if !document.suspended() => None,
        BacklogOutcome::Budget => Some(format!(
            "debate-agent sessions resume {id} {raise}   (goes on with a higher budget; finished answers are not paid again)"
        )),
        BacklogOutcome::AgentFailure => Some(format!(
            "debate-agent sessions resume {id}   (asks the failed role again, once the cause is mended: `debate-agent doctor`)"
        )),
        BacklogOutcome::Interrupted => Some(format!(
            "debate-agent sessions resume {id}   (goes on where it stopped; finished answers are not paid again)"
        )),
        BacklogOutcome::Consensus
        | BacklogOutcome::ModeratorStop
        | BacklogOutcome::MaxRounds
        | BacklogOutcome::Terminated
        | BacklogOutcome::NothingToRank => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::example;

    fn at(document: &PrioritizeDocument, width: usize) -> String {
        render(document, Look::plain(width))
    }

    #[test]
    fn a_consensus_at_three_widths() {
        insta::assert_snapshot!("consensus_120", at(&example::consensus(), 120));
        insta::assert_snapshot!("consensus_80", at(&example::consensus(), 80));
        insta::assert_snapshot!("consensus_60", at(&example::consensus(), 60));
        insta::assert_snapshot!("consensus_40", at(&example::consensus(), 40));
    }

    #[test]
    fn every_other_ending() {
        insta::assert_snapshot!("agent_failure", at(&example::agent_failure(), 80));
        insta::assert_snapshot!("budget", at(&example::budget(), 80));
        insta::assert_snapshot!("rehearsal", at(&example::rehearsal(), 80));
        insta::assert_snapshot!("nothing", at(&example::nothing(), 80));
    }

    #[test]
    fn undecided_is_the_first_word_and_shows_no_ranking() {
        use BacklogOutcome as O;
        for outcome in [O::AgentFailure, O::Budget, O::Interrupted] {
            let mut document = example::agent_failure();
            document.header.outcome = outcome;
            let text = at(&document, 80);
            assert!(text.starts_with("UNDECIDED: "), "{text}");
            assert!(!text.contains("Main concern") && !text.contains("CONSENSUS"), "{text}");
            assert!(text.contains("sessions resume 0199a3c2-7f11"), "{text}");
        }
    }

    #[test]
    fn only_a_consensus_is_called_one() {
        use BacklogOutcome as O;
        for outcome in [O::AgentFailure, O::Budget, O::Interrupted, O::MaxRounds, O::ModeratorStop]
        {
            let mut document = example::consensus();
            document.header.outcome = outcome;
            assert!(at(&document, 80).starts_with("NO"), "{outcome:?}");
        }
    }

    proptest! {
        #[test]
        fn no_field_brings_a_control_to_the_screen(evil in example::evil_text(), width in 20_usize..140) {
            let text = at(&example::poisoned(&evil), width);
            prop_assert!(example::is_inert(&text), "{:?}", text);
        }
    }
}
