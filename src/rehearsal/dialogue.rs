//! The stand-ins of a dialogue: two sides that argue for different answers, and move by the number of lines found for
//! each.
//!
//! The two answers are the first two options, or the words around "or" in the topic, or doing it and not doing it.
//! The lines found for an answer are those of description and context that contain one of its words. All agree at
//! once to begin small; the time of the next look is agreed to in part, then as amended; the answers themselves stay
//! contested. If more lines are found for one side, the other moves half way in round 2 and the joint draft is signed
//! in round 3; on a tie the topic's letters decide between a signature, one with an amendment, and none, which leaves
//! the ruling to the expert. None of it is advice.

use serde::Deserialize;
use serde_json::Value;

use super::BANNER;
use crate::kernel::share::Share;
use crate::protocol::debate::brief::Brief;
use crate::protocol::debate::model::Support;
use crate::protocol::debate::{Judgement, Point, Position, Ruling, Stance, StanceEntry, Stances};
use crate::protocol::topic::Content;
use crate::protocol::topic::contract::{Ask, Side};
use crate::text::{sanitize, similarity};

/// Maximum characters of the topic and of an answer that a text repeats.
const SHORT: usize = 80;
/// Maximum lines quoted as evidence.
const QUOTED: usize = 3;

/// The point that no side contests.
const SMALL: &str = "Begin with one small part, and keep a way back.";
/// The point that is agreed to in part.
const TWO_WEEKS: &str = "Look at the figures again after two weeks.";
/// The amended point that replaces it.
const FOUR_WEEKS: &str = "Look at the figures again after four weeks.";

/// The data of a turn.
#[derive(Deserialize)]
struct TurnData {
    ask: String,
    round: u32,
    brief: Brief,
    /// The prompt's view of the debate so far.
    shown: Value,
}

/// Answers a turn; `None` if it does not belong to a dialogue, or is a person's.
pub(super) fn answer(data: &Value) -> Option<Content> {
    let TurnData { ask, round, brief, shown } = TurnData::deserialize(data).ok()?;
    let scene = RuleContext::read(&brief, shown)?;
    match Ask::from_word(&ask)? {
        Ask::Remark => None,
        Ask::Propose | Ask::Position(Side::Proposer) => {
            Some(Content::Position(scene.position(0, TWO_WEEKS, false)))
        }
        Ask::Position(Side::Reviewer) => {
            Some(Content::Position(scene.position(1, FOUR_WEEKS, false)))
        }
        Ask::Stances(side) => {
            let own = usize::from(side == Side::Reviewer);
            Some(Content::Stances(scene.stances(scene.moved(own))))
        }
        Ask::Review => Some(Content::Both(
            scene.stances(Stance::Disagree),
            scene.position(1, FOUR_WEEKS, false),
        )),
        Ask::Alternative => Some(Content::Position(scene.position(1, FOUR_WEEKS, true))),
        Ask::Rebuttal => {
            Some(Content::Both(scene.stances(scene.moved(0)), scene.position(0, FOUR_WEEKS, true)))
        }
        Ask::Compromise => Some(Content::Position(scene.joint(round))),
        Ask::Answer => {
            let stance = if round > 3 { Stance::Agree } else { scene.mood() };
            Some(Content::Stances(scene.stances(stance)))
        }
        Ask::Expert => Some(Content::Judgement(scene.ruling())),
    }
}

/// The input of the rules.
struct RuleContext {
    topic: String,
    /// The answers that the two sides argue for.
    answers: [String; 2],
    /// For each answer, the lines that contain one of its words.
    lines: [Vec<String>; 2],
    data: Value,
}

impl RuleContext {
    fn read(brief: &Brief, data: Value) -> Option<Self> {
        let whole = brief.topic.lines().collect::<Vec<_>>().join(" ");
        let topic = sanitize::line(&whole, SHORT);
        if topic.is_empty() {
            return None;
        }
        let answers = match &brief.options[..] {
            [first, second, ..] => [first, second].map(|option| sanitize::line(option, SHORT)),
            [] | [_] => around_or(&whole)
                .unwrap_or_else(|| ["doing it now", "leaving it as it is"].map(str::to_owned)),
        };
        // Topic and options always name every answer, so they are not searched.
        let files = brief.context.iter().map(|file| &*file.text);
        let quoted: Vec<&str> =
            std::iter::once(&*brief.description).chain(files).flat_map(str::lines).collect();
        let words = answers.each_ref().map(|answer| similarity::keywords([&**answer]));
        let [first, second] = &words;
        let own = |mine: &similarity::Keywords, other: &similarity::Keywords| {
            let mine: similarity::Keywords = mine.difference(other).cloned().collect();
            let holds = |line: &&&str| !similarity::keywords([**line]).is_disjoint(&mine);
            (quoted.iter().filter(holds)).map(|line| sanitize::line(line, SHORT)).collect()
        };
        Some(Self { lines: [own(first, second), own(second, first)], topic, answers, data })
    }

    /// Returns the number of lines that mention an answer.
    fn found(&self, side: usize) -> usize {
        self.lines.get(side).map_or(0, Vec::len)
    }

    /// Returns that number in words: `nothing`, `1 line`, `3 lines`.
    fn count(&self, side: usize) -> String {
        match self.found(side) {
            0 => "nothing".to_owned(),
            1 => "1 line".to_owned(),
            lines => format!("{lines} lines"),
        }
    }

    /// Returns the stance of a side on the other's answer: it moves half way where more speaks for that.
    fn moved(&self, own: usize) -> Stance {
        if self.found(1 - own) > self.found(own) { Stance::Partly } else { Stance::Disagree }
    }

    fn answer(&self, side: usize) -> &str {
        self.answers.get(side).map_or("", String::as_str)
    }

    fn evidence(&self, side: usize) -> Vec<String> {
        let lines = self.lines.get(side).into_iter().flatten();
        lines.take(QUOTED).cloned().collect()
    }

    /// Returns the reviewer's stance on the joint draft's contested point.
    fn mood(&self) -> Stance {
        if self.found(0) != self.found(1) {
            return Stance::Agree;
        }
        let letters = self.topic.bytes().map(usize::from).sum::<usize>();
        Stance::ALL[letters % Stance::ALL.len()]
    }

    fn point(&self, at: usize, claim: &str, importance: u8, side: usize) -> Point {
        let lines = match self.found(side) {
            0 => "Nothing speaks".to_owned(),
            1 => "1 line speaks".to_owned(),
            lines => format!("{lines} lines speak"),
        };
        let (reasoning, evidence) = if importance == 3 {
            let reasoning =
                format!("{lines} of {} in what was given (rehearsal).", self.answer(side));
            (reasoning, self.evidence(side))
        } else {
            ("It costs little (rehearsal).".to_owned(), Vec::new())
        };
        Point {
            id: format!("P{at}"),
            keep: None,
            claim: claim.to_owned(),
            reasoning,
            evidence,
            importance,
            kept_from: None,
        }
    }

    /// Returns the point as one that is kept, if a position that is shown makes the same claim under an id that can be
    /// kept.
    fn kept(&self, point: Point) -> Point {
        let shown =
            ["position", "their_position", "your_position"].map(|key| &self.data[key]["points"]);
        let mut points = shown.into_iter().filter_map(Value::as_array).flatten();
        let same = points.find(|shown| shown["claim"] == *point.claim);
        let id = same.and_then(|same| same["id"].as_str()).filter(|id| !id.starts_with('P'));
        match id {
            Some(id) => Point { keep: Some(id.to_owned()), claim: String::new(), ..point },
            None => point,
        }
    }

    fn position(&self, side: usize, again: &str, revised: bool) -> Position {
        let (own, other) = (self.answer(side), self.answer(1 - side));
        let concedes = format!("{other}: {} for it (rehearsal).", self.count(1 - side));
        let changes = format!("The next look: {again} (rehearsal)");
        let points = [
            self.point(1, &format!("Choose {own}."), 3, side),
            self.point(2, SMALL, 2, side),
            self.point(3, again, 1, side),
        ];
        Position {
            summary: format!("{BANNER} On \"{}\": choose {own}.", self.topic),
            points: points.map(|point| if revised { self.kept(point) } else { point }).into(),
            concedes: revised.then_some(concedes).into_iter().collect(),
            changes: revised.then_some(changes).into_iter().collect(),
            risks: vec![format!(
                "It may turn out that the other answer is cheaper: {other} (rehearsal)."
            )],
            confidence: Some(Share::thousandths(if revised { 700 } else { 800 })),
            code_change_required: Some(false),
        }
    }

    /// Returns the joint draft: of the whole, from round 4 on only of the open points.
    fn joint(&self, round: u32) -> Position {
        let side = usize::from(self.found(1) > self.found(0));
        let claim = format!(
            "Choose {} for the small part, and compare it with {}.",
            self.answer(side),
            self.answer(1 - side)
        );
        let mut points = vec![self.point(1, &claim, 3, side)];
        if round <= 3 {
            points.push(self.kept(self.point(2, SMALL, 2, side)));
            points.push(self.kept(self.point(3, FOUR_WEEKS, 1, side)));
        }
        Position {
            summary: format!(
                "{BANNER} On \"{}\": begin with {}, compare it with {}.",
                self.topic,
                self.answer(side),
                self.answer(1 - side)
            ),
            points,
            ..self.position(side, FOUR_WEEKS, true)
        }
    }

    /// Returns stances on the points shown, with `contested` for the answers themselves.
    fn stances(&self, contested: Stance) -> Stances {
        let points = self.data["position"]["points"].as_array();
        let stance = |point: &Value| {
            let text = |key: &str| point[key].as_str().unwrap_or_default().to_owned();
            let claim = text("claim");
            let (stance, reason, amendment) = if claim == SMALL || claim == FOUR_WEEKS {
                (Stance::Agree, "It costs little and can be taken back.", None)
            } else if claim == TWO_WEEKS {
                let reason = "Two weeks are too short to see a month's end.";
                (Stance::Partly, reason, Some(FOUR_WEEKS.to_owned()))
            } else {
                let (reason, amendment) = match contested {
                    Stance::Agree => {
                        ("Begun small, it can be held against the other answer.", None)
                    }
                    Stance::Partly => {
                        let amendment = format!("{claim} The comparison is written down first.");
                        ("It needs a comparison that both sides trust.", Some(amendment))
                    }
                    Stance::Disagree => ("The other answer was not weighed against it.", None),
                };
                (contested, reason, amendment)
            };
            StanceEntry {
                point: text("id"),
                stance,
                reason: format!("{reason} (rehearsal)"),
                support: Some(match stance {
                    Stance::Agree | Stance::Partly => Support::Sound,
                    Stance::Disagree => Support::Weak,
                }),
                amendment,
            }
        };
        Stances { stances: points.into_iter().flatten().map(stance).collect(), missing: Vec::new() }
    }

    fn ruling(&self) -> Judgement {
        let side = usize::from(self.found(1) > self.found(0));
        let answer = self.answer(side);
        let open = self.data["open_points"].as_array().into_iter().flatten();
        Judgement {
            points: open
                .filter_map(|point| point["id"].as_str())
                .map(|id| Ruling {
                    id: id.to_owned(),
                    ruling: format!("Begin with {answer} in one place."),
                    reason: format!(
                        "There is {} for it, and {} for the other (rehearsal).",
                        self.count(side),
                        self.count(1 - side)
                    ),
                })
                .collect(),
            position: format!("{BANNER} On \"{}\": begin with {answer}.", self.topic),
            confidence: Some(Share::thousandths(500)),
            code_change_required: Some(false),
        }
    }
}

/// Returns the few words on both sides of "or".
fn around_or(topic: &str) -> Option<[String; 2]> {
    let (before, after) = topic.split_once(" or ")?;
    let clean = |words: Vec<&str>| {
        let text = words.join(" ");
        sanitize::line(text.trim_matches(|c: char| !c.is_alphanumeric()), SHORT)
    };
    let words: Vec<&str> = before.split_whitespace().collect();
    let first = clean(words[words.len().saturating_sub(3)..].to_vec());
    let second = clean(after.split_whitespace().take(3).collect());
    (!first.is_empty() && !second.is_empty()).then_some([first, second])
}

#[cfg(test)]
mod tests {
    //! Whole dialogues with stand-ins only, through the machine and its parser.

    use serde_json::json;

    use crate::protocol::debate::{DebateOutcome, Outcome};
    use crate::protocol::topic::Machine;
    use crate::protocol::topic::input::Input;
    use crate::protocol::topic::testing::{asked, blind, done, input, judged};
    use crate::rehearsal::{answer, given};

    fn rehearsed(input: Input) -> Outcome {
        let mut machine = Machine::open(input).unwrap();
        loop {
            let turns = asked(&machine);
            if turns.is_empty() {
                break;
            }
            let answers = turns.iter().map(|turn| {
                let text = answer(&given(&machine, turn));
                assert!(text.to_lowercase().contains("rehearsal"), "{text}");
                let answer = judged(&machine, turn, &text);
                let read = answer.result.as_ref().unwrap();
                assert!(read.notes.is_empty(), "{}: {:?}", turn.id, read.notes);
                answer
            });
            let answers = answers.collect();
            machine.apply(answers);
        }
        done(&machine)
    }

    fn about(topic: &str) -> Input {
        let mut input = input(4);
        input.brief.topic = topic.to_owned();
        input.brief.description = String::new();
        input.brief.options = Vec::new();
        input
    }

    fn measured(end: &Outcome) -> Vec<Option<u16>> {
        let checks = end.rounds.iter().map(|round| round.consensus.as_ref());
        checks.map(|check| Some(check?.decisive?.get())).collect()
    }

    #[test]
    fn without_evidence_the_topic_decides_how_it_ends() {
        // The sum of the topic's bytes, modulo 3, selects the row.
        let rows = [
            ("REST or gRPC", DebateOutcome::Adopted, vec![Some(416), Some(500), Some(1000)]),
            ("REST or gRPD", DebateOutcome::Partial, vec![Some(416), Some(500), Some(750)]),
            ("REST or gRPE", DebateOutcome::Expert, vec![Some(416), Some(500), Some(500)]),
        ];
        let letters = |topic: &str| topic.bytes().map(usize::from).sum::<usize>() % 3;
        for (topic, _, _) in &rows {
            let place = letters(topic);
            let (_, outcome, consensus) = &rows[place];
            let end = rehearsed(about(topic));
            assert_eq!((end.outcome, &measured(&end)), (*outcome, consensus), "{topic}");
            let noticed: Vec<&str> = end.warnings.iter().map(|each| &*each.code).collect();
            assert!(noticed.iter().all(|code| *code == "polarity_conflict"), "{noticed:?}");
            assert!(end.final_positions["proposer"].text.contains("choose REST"));
            assert_eq!(rehearsed(about(topic)), end);
        }
    }

    #[test]
    fn evidence_moves_the_sides() {
        // Two lines for the table, one for the queue: the proposer moves half way, and the joint draft is signed.
        let mut with = input(4);
        with.brief.description =
            "The queue loses orders.\nThe table is there.\nA table can be locked.".to_owned();
        let end = rehearsed(with);
        assert_eq!(measured(&end), [Some(416), Some(750), Some(1000)]);
        assert_eq!(end.outcome, DebateOutcome::Adopted);
        let decision = end.decision.unwrap();
        assert!(decision.text.contains("begin with the table"), "{}", decision.text);
        assert_eq!(
            decision.position.unwrap().points[0].evidence,
            ["The table is there.", "A table can be locked."]
        );
    }

    #[test]
    fn a_blind_opening_is_rehearsed_too_and_agreed_points_are_kept() {
        let mut with = blind(4);
        with.brief.description =
            "The queue loses orders.\nThe table is there.\nA table can be locked.".to_owned();
        let end = rehearsed(with);
        // The proposer moves half way to the table, so the reviewer drafts.
        assert_eq!(measured(&end), [None, Some(750), Some(1000)]);
        assert_eq!(end.outcome, DebateOutcome::Adopted);
        let position = end.decision.unwrap().position.unwrap();
        let kept: Vec<(&str, Option<&str>)> = (position.points.iter())
            .map(|point| (&*point.id, point.kept_from.as_deref()))
            .collect();
        assert_eq!(kept, [("J1", None), ("A2", Some("proposer")), ("B3", Some("reviewer"))]);
    }

    #[test]
    fn the_expert_rules_on_what_is_open_and_dissent_stays() {
        let mut two = input(2);
        two.brief.description = String::new();
        let end = rehearsed(two);
        assert_eq!(end.outcome, DebateOutcome::Expert);
        assert!(end.open_points.iter().all(|point| point.ruling.is_some()));
        assert_eq!((end.open_points.len(), end.dissent.len()), (2, 2));
    }

    #[test]
    fn a_topic_without_a_choice_is_debated_too_and_rounds_go_on_about_what_is_open() {
        let mut more = about("Move the import out of the web process");
        more.settings.max_rounds = 6;
        more.settings.deadlock_rise = crate::kernel::share::Share::ZERO;
        let end = rehearsed(more);
        assert!(end.final_positions["reviewer"].text.contains("leaving it as it is"));
        assert_eq!(end.outcome, DebateOutcome::Adopted);
    }

    #[test]
    fn what_is_no_turn_has_no_answer() {
        let brief = json!(input(4).brief);
        let turn = json!({"ask": "propose", "round": 1, "brief": brief, "shown": null});
        assert!(super::answer(&turn).is_some());
        for (key, value) in
            [("ask", json!("remark")), ("ask", json!("proposal")), ("brief", json!(null))]
        {
            let mut other = turn.clone();
            other[key] = value;
            assert!(super::answer(&other).is_none(), "{other}");
        }
        assert!(super::answer(&json!(null)).is_none());
    }
}
