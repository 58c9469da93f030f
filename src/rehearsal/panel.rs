//! The stand-ins of a panel: answers from the topic's words or its options, votes by the number of evidence entries.
//!
//! There are three answers: a small reversible step now, a measurement first, no change. If there are options, there
//! is one answer per option, which it takes by name. Seat 1 gives the first, seat 2 the second, and so on in a circle, so that in a panel of
//! four two answers are the same, which every seat notices. All vote for their own. In a cross round the second seat
//! is moved by evidence for the first answer, and all others stay. A judge takes the answer with the most evidence,
//! so that it rules the same in both orders. None of it is advice.

use serde::Deserialize;
use serde_json::Value;

use super::BANNER;
use crate::kernel::share::Share;
use crate::protocol::debate::ballot::{AnswerBlock, OPTION_CHARS, VoteBlock};
use crate::protocol::debate::{Judgement, Ruling};
use crate::protocol::panel::Content;
use crate::text::sanitize;

/// Maximum characters of the topic or an option that an answer repeats.
const SHORT: usize = 160;

/// The answers if there are no options: beginning, reasoning, support.
const ANSWERS: [(&str, &str, &[&str]); 3] = [
    (
        "Do it now, in one small step that can be taken back:",
        "What was tried for a week is known; what was talked about is not.",
        &[
            "A trial of one week costs a week (rehearsal).",
            "It can be taken back with one command (rehearsal).",
        ],
    ),
    (
        "Measure for two weeks, and decide by the figures:",
        "Nobody here has said what it is worth today.",
        &["There is no figure in the question (rehearsal)."],
    ),
    (
        "Leave it as it is until somebody is hurt by it:",
        "It works, and every change is paid for twice.",
        &[],
    ),
];

/// The beginning of an answer that chooses an option.
const OPTION: &str = "Take this one:";

/// The data of a turn.
#[derive(Deserialize)]
struct TurnData {
    ask: String,
    /// The seat's index, from 0.
    seat: usize,
    topic: String,
    options: Vec<String>,
    /// The prompt's view of the others.
    #[serde(rename = "shown")]
    data: Value,
}

/// Answers a turn; `None` if it does not belong to a panel, or is a person's.
pub(super) fn answer(data: &Value) -> Option<Content> {
    let mut scene = TurnData::deserialize(data).ok()?;
    scene.topic = sanitize::line(&scene.topic, SHORT);
    match &*scene.ask {
        "answer" => Some(Content::Answer(scene.answer(scene.seat))),
        "vote" => scene.vote(scene.seat, false).map(Content::Vote),
        "cross" => scene.vote(scene.seat, true).map(Content::Vote),
        "own" => Some(Content::Answer(scene.answer(0))),
        "ruling" => scene.ruling().map(Content::Ruling),
        _ => None,
    }
}

/// An answer as displayed in a prompt.
struct ShownAnswer<'a> {
    letter: &'a str,
    text: &'a str,
    evidence: Vec<&'a str>,
}

impl TurnData {
    fn answer(&self, place: usize) -> AnswerBlock {
        let (option, text, reason, evidence) = match self.options.len() {
            0 => {
                let (text, reason, evidence) = ANSWERS[place % ANSWERS.len()];
                let evidence = evidence.iter().map(|text| (*text).to_owned()).collect();
                (None, format!("{text} {}", self.topic), reason.to_owned(), evidence)
            }
            count => {
                let taken = sanitize::line(&self.options[place % count], OPTION_CHARS);
                let option = sanitize::line(&taken, SHORT);
                let mut evidence =
                    vec![format!("It stands among the options: {option} (rehearsal).")];
                if place.is_multiple_of(count) {
                    evidence.push("It was named first (rehearsal).".to_owned());
                }
                let reason = format!("Of {count} it is the one that this seat was given.");
                (Some(taken), format!("{OPTION} {option}"), reason, evidence)
            }
        };
        // Whoever takes an option after all are taken adds something to it.
        let adds = option.is_some() && place >= self.options.len();
        AnswerBlock {
            reasons: vec![format!("{reason} (rehearsal)"), BANNER.to_owned()],
            evidence,
            option,
            with: adds.then(|| "A date on which it is looked at again (rehearsal).".to_owned()),
            answer: text,
            confidence: Some(Share::thousandths(600)),
        }
    }

    /// Returns the answers that a voter is shown, by their letters.
    fn shown(&self) -> Vec<ShownAnswer<'_>> {
        let answers = self.data["answers"].as_array().into_iter().flatten();
        let mut shown: Vec<ShownAnswer<'_>> = answers.filter_map(shown).collect();
        shown.sort_by_key(|shown| shown.letter);
        shown
    }

    /// Returns a seat's vote: for its own answer; in a cross round the second seat's is for the first answer.
    fn vote(&self, place: usize, cross: bool) -> Option<VoteBlock> {
        let shown = self.shown();
        let find = |place: usize| {
            let wanted = self.answer(place).answer;
            shown.iter().find(|shown| shown.text == wanted)
        };
        let own = find(place).or(shown.first())?;
        // A seat's prompt contains its last vote: a seat that was moved once is not moved again.
        let before = self.data["your_vote"]["choice"].as_str();
        let target = find(0).filter(|target| cross && place == 1 && target.text != own.text);
        let choice = target.unwrap_or(own);
        let changed = before.is_some_and(|before| {
            let voted = shown.iter().find(|shown| shown.letter == before);
            voted.is_some_and(|voted| voted.text != choice.text)
        });
        let evidence = choice.evidence.first().copied().unwrap_or("what it says");
        Some(VoteBlock {
            choice: choice.letter.to_owned(),
            same_as: same(&shown),
            changed: Some(changed),
            moved_by: changed.then(|| {
                format!("Mine has nothing to set against [{}]: {evidence}", choice.letter)
            }),
            reason: if changed {
                "Its evidence holds, and mine does not answer it (rehearsal).".to_owned()
            } else {
                "Nothing that stands against it was shown to be right (rehearsal).".to_owned()
            },
        })
    }

    /// Rules for the choice with most evidence; of equal ones for the first in the alphabet, in whichever order they
    /// are shown.
    fn ruling(&self) -> Option<Judgement> {
        let choices = self.data["choices"].as_array()?;
        let mut weighed: Vec<(usize, &str, &str)> = Vec::new();
        for choice in choices {
            let answers: Vec<ShownAnswer<'_>> =
                (choice["answers"].as_array().into_iter().flatten()).filter_map(shown).collect();
            let evidence = answers.iter().map(|answer| answer.evidence.len()).max();
            let text = answers.first().map_or("", |answer| answer.text);
            weighed.push((evidence.unwrap_or_default(), text, choice["id"].as_str()?));
        }
        weighed.sort_by_key(|(evidence, text, _)| (std::cmp::Reverse(*evidence), *text));
        let (_, _, position) = weighed.first()?;
        let ruling = |(evidence, _, id): &(usize, &str, &str)| Ruling {
            id: (*id).to_owned(),
            ruling: match evidence {
                0 => "Nothing that supports it was named (rehearsal).".to_owned(),
                _ => format!("It names {evidence} things that support it (rehearsal)."),
            },
            reason: "Evidence was counted, and nothing else (rehearsal).".to_owned(),
        };
        Some(Judgement {
            points: weighed.iter().map(ruling).collect(),
            position: (*position).to_owned(),
            confidence: Some(Share::thousandths(600)),
            code_change_required: None,
        })
    }
}

fn shown(answer: &Value) -> Option<ShownAnswer<'_>> {
    let evidence = answer["evidence"].as_array().into_iter().flatten();
    Some(ShownAnswer {
        letter: answer["id"].as_str().unwrap_or_default(),
        text: answer["answer"].as_str()?,
        evidence: evidence.filter_map(Value::as_str).collect(),
    })
}

/// Returns the letters of answers with the same words.
fn same(shown: &[ShownAnswer<'_>]) -> Vec<Vec<String>> {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for each in shown {
        let letter = each.letter.to_owned();
        match groups.iter_mut().find(|(text, _)| *text == each.text) {
            Some((_, group)) => group.push(letter),
            None => groups.push((each.text, vec![letter])),
        }
    }
    let groups = groups.into_iter().map(|(_, group)| group);
    groups.filter(|group| group.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    //! Whole panels with stand-ins only, through the machine and its parser.

    use serde_json::json;

    use crate::protocol::debate::{DebateOutcome, Outcome};
    use crate::protocol::panel::testing::{asked, done, input, said, seated};
    use crate::protocol::panel::{Input, Judge, Machine};
    use crate::rehearsal::{answer, given};

    fn rehearsed(input: Input) -> (Outcome, Vec<String>) {
        let mut machine = Machine::open(input).unwrap();
        let mut turns = Vec::new();
        loop {
            let open = asked(&machine);
            if open.is_empty() {
                return (done(&machine), turns);
            }
            let answers = open.iter().map(|turn| {
                let text = answer(&given(&machine, turn));
                said(&machine, turn, Some(&text))
            });
            let answers = answers.collect();
            machine.apply(answers);
            turns.extend(open.into_iter().map(|turn| turn.id.into()));
        }
    }

    #[test]
    fn three_disagree_one_is_moved_by_evidence_and_it_is_settled() {
        let (end, turns) = rehearsed(input(3));
        assert_eq!((end.outcome, turns.len()), (DebateOutcome::Settled, 9));
        let noticed: Vec<&str> = end.warnings.iter().map(|each| &*each.code).collect();
        assert_eq!(noticed, Vec::<&str>::new());
        assert_eq!(end.choices.len(), 3);
        let moved: Vec<&str> = (end.last_votes.iter())
            .filter(|vote| vote.moved_by.is_some())
            .map(|vote| &*vote.seat)
            .collect();
        assert_eq!(moved, ["s2"]);
        assert!(end.first_votes.iter().all(|vote| vote.own));
        let decision = end.decision.unwrap();
        assert_eq!(
            decision.text,
            "Do it now, in one small step that can be taken back: Should the cache move to Redis?"
        );
        assert_eq!(end.dissent[0].seat, "s3");
        assert!(end.recommendation.contains("The cross round changed 1 vote of 3 (s2 from"));
    }

    #[test]
    fn in_a_larger_panel_some_answers_are_the_same() {
        for (seats, choices, votes) in [(4, 3, 3), (5, 3, 3)] {
            let (end, _) = rehearsed(input(seats));
            assert_eq!((end.outcome, end.choices.len()), (DebateOutcome::Settled, choices));
            assert_eq!(end.choices.iter().map(|choice| choice.votes).max(), Some(votes));
            assert!(end.choices.iter().any(|choice| choice.answers.len() == 2));
        }
    }

    #[test]
    fn a_judge_rules_the_same_in_both_orders() {
        for judge in [Judge::Named(seated("vibe", "mistral")), Judge::Seat] {
            let mut input = input(3);
            input.settings.max_rounds = 0;
            input.judge = judge;
            let (end, turns) = rehearsed(input);
            assert_eq!(end.outcome, DebateOutcome::Judged);
            assert_eq!(turns.len(), 3 + 3 + 1 + 2);
            assert!(end.decision.unwrap().text.starts_with("Do it now"));
        }
    }

    #[test]
    fn options_are_what_is_answered() {
        let mut input = input(3);
        input.brief.options =
            ["Redis", "the process's memory", "@/etc/<<<X>>>"].map(str::to_owned).to_vec();
        let (end, _) = rehearsed(input.clone());
        assert_eq!(end.outcome, DebateOutcome::Settled);
        assert_eq!(end.decision.unwrap().text, "Take this one: Redis");
        let texts: Vec<&str> =
            end.final_positions.values().map(|position| &*position.text).collect();
        assert_eq!(texts[..2], ["Take this one: Redis", "Take this one: the process's memory"]);
        // With a single option no seat can disagree, and no vote is held.
        input.brief.options.truncate(1);
        let (end, turns) = rehearsed(input);
        assert_eq!((end.outcome, turns.len()), (DebateOutcome::Settled, 3));
        assert_eq!(end.decision.unwrap().amendments.len(), 2);
    }

    /// The same panel ends the same, whatever order the seed gives.
    #[test]
    fn it_is_deterministic_and_no_order_decides() {
        let (first, _) = rehearsed(input(4));
        assert_eq!(rehearsed(input(4)).0, first);
        for seed in 0..6 {
            let mut other = input(4);
            other.seed = seed;
            let (end, _) = rehearsed(other);
            assert_eq!(
                (end.outcome, end.decision),
                (first.outcome, first.decision.clone()),
                "{seed}"
            );
        }
    }

    #[test]
    fn what_is_no_turn_has_no_answer() {
        let turn = json!({"ask": "answer", "seat": 0, "topic": "x", "options": [], "shown": null});
        assert!(super::answer(&turn).is_some());
        for (key, value) in [
            ("ask", json!("remark")),
            ("ask", json!("vote")),
            ("ask", json!("ruling")),
            ("seat", json!("s1")),
            ("topic", json!(null)),
        ] {
            let mut other = turn.clone();
            other[key] = value;
            assert_eq!(super::answer(&other), None, "{other}");
        }
        assert_eq!(super::answer(&json!(null)), None);
    }
}
