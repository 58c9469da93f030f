//! An example panel of four seats.

use super::{nothing, seat};
use crate::kernel::share::Share;
use crate::protocol::debate::ballot::{AnswerBlock, Choice, VoteRecord};
use crate::protocol::debate::outcome::{Decision, FinalPosition, RoundRecord};
use crate::protocol::debate::{DebateOutcome, Outcome};

fn vote(seat: u32, choice: &str, own: bool) -> VoteRecord {
    let (agent, vendor) = [
        ("claude", "anthropic"),
        ("codex", "openai"),
        ("gemini", "google"),
        ("claude", "anthropic"),
    ][seat as usize - 1];
    VoteRecord {
        seat: format!("s{seat}"),
        agent: agent.into(),
        vendor: vendor.into(),
        choice: choice.into(),
        own,
        reason: "It is measured.".into(),
        moved_by: None,
        not_counted: None,
        stands: false,
    }
}

/// Four seats of three vendors; `first` and `last` are their ballots.
pub(super) fn panel(outcome: DebateOutcome, first: &str, last: &str) -> Outcome {
    let seats = vec![
        seat("s1", "claude", "anthropic"),
        seat("s2", "codex", "openai"),
        seat("s3", "gemini", "google"),
        seat("s4", "claude", "anthropic"),
    ];
    let mut all = nothing(outcome, seats);
    (all.quorum.needed, all.quorum.vendors) = (3, 3);
    let ballot = |letters: &str| -> Vec<VoteRecord> {
        let votes = (1..).zip(letters.chars());
        votes
            .map(|(seat, letter)| vote(seat, &letter.to_string(), (letter, seat) == ('A', 1)))
            .collect()
    };
    all.result.first_votes = ballot(first);
    all.result.last_votes = ballot(last);
    for (before, after) in all.result.first_votes.iter().zip(&mut all.result.last_votes) {
        if before.choice != after.choice {
            after.moved_by = Some("docs/services.md:3".into());
        }
    }
    all.result.last_votes[3].not_counted = Some("B".into());
    all.result.choices = ["A", "B"]
        .map(|letter| Choice {
            id: letter.into(),
            answers: if letter == "A" { vec!["A".into(), "D".into()] } else { vec!["B".into()] },
            seats: if letter == "A" { vec!["s1".into(), "s4".into()] } else { vec!["s2".into()] },
            said: (if letter == "A" { &["A", "D"][..] } else { &["B"] })
                .iter()
                .map(|id| AnswerBlock {
                    answer: format!("Answer {id}: gRPC."),
                    reasons: vec!["It is faster.".into()],
                    evidence: vec!["docs/services.md:3".into()],
                    option: None,
                    with: None,
                    confidence: Some(Share::thousandths(700)),
                })
                .collect(),
            text: format!("Answer {letter}: gRPC."),
            option: None,
            votes: u32::try_from(last.matches(letter).count()).unwrap(),
            vendors: u32::from(last.contains(letter)) * 2,
        })
        .to_vec();
    all.result.rounds = vec![RoundRecord {
        round: 2,
        votes: all.result.first_votes.clone(),
        ..RoundRecord::default()
    }];
    let answer = |seat: u32| {
        let of = vote(seat, "A", false);
        let text = format!("The answer of s{seat}.");
        let position = FinalPosition::new(&of.seat, (&of.agent, &of.vendor), &text, 1);
        (of.seat, position)
    };
    all.result.final_positions = (1..=4).map(answer).collect();
    if matches!(outcome, DebateOutcome::Settled | DebateOutcome::Judged) {
        all.result.decision = Some(Decision {
            text: "Answer A: gRPC.".into(),
            by: "panel".into(),
            ..Decision::default()
        });
    }
    all
}
