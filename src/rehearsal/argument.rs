//! The stand-ins of typed arguments: a primary that concedes step by step, an adversary that accepts in round 3.
//!
//! Both reuse the topic's words, and keep the points of the first proposal. The adversary raises three concerns in round 1 and one more in round 2; each round
//! addresses some of them, the oldest first, so that agreement rises from 50% over 66% to 91%, and in round 3 the
//! adversary accepts the defense and writes the resolution itself. None of it is advice.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::BANNER;
use crate::kernel::share::Share;
use crate::protocol::argument::reply::Content;
use crate::protocol::debate::brief::Brief;
use crate::protocol::debate::typed::{
    ArgumentBlock, ArgumentType, Concern, ConcernResponse, Evidence, Risk,
};
use crate::protocol::debate::{Stance, StanceEntry, Stances};
use crate::text::sanitize;

/// Maximum characters of the topic, of an option and of a quoted line that an argument repeats.
const SHORT_CHARS: usize = 80;

/// The round in which the adversary accepts.
const ACCEPTS: u64 = 3;

/// The data of a turn.
#[derive(Deserialize)]
struct TurnData {
    ask: String,
    brief: Brief,
    /// The prompt's view of the debate so far.
    shown: Value,
}

/// Answers a turn; `None` if it does not belong to a debate of typed arguments, or is a person's.
pub(super) fn answer(data: &Value) -> Option<Content> {
    let TurnData { ask, brief, shown } = TurnData::deserialize(data).ok()?;
    let scene = RuleContext {
        topic: short(brief.topic.lines().find(|line| !line.trim().is_empty())?),
        option: brief.options.first().map(|option| short(option)),
        quote: quotable(&brief),
        round: shown["round"].as_u64()?,
        data: shown,
    };
    match &*ask {
        "proposal" => Some(scene.said(ArgumentType::Proposal)),
        "challenge" => Some(scene.said(ArgumentType::Challenge)),
        "defense" => Some(scene.said(ArgumentType::Defense)),
        "reply" if scene.round >= ACCEPTS => Some(scene.said(ArgumentType::Resolution)),
        "reply" => Some(scene.said(ArgumentType::Counter)),
        "resolution" => Some(scene.said(ArgumentType::Resolution)),
        "stances" => Some(Content::Stances(scene.stances())),
        _ => None,
    }
}

/// Returns the first line of the context that is worth quoting.
fn quotable(brief: &Brief) -> Option<String> {
    let worth = |line: &&str| line.chars().filter(|c| c.is_alphabetic()).count() >= 20;
    let line = brief.context.iter().flat_map(|file| file.text.lines()).find(worth)?.trim();
    (line.chars().count() <= SHORT_CHARS).then(|| line.to_owned())
}

fn short(text: &str) -> String {
    let line = sanitize::line(text, SHORT_CHARS);
    line.trim_end_matches(['?', '.', '!']).to_owned()
}

/// The input of the rules.
struct RuleContext {
    topic: String,
    option: Option<String>,
    quote: Option<String>,
    round: u64,
    data: Value,
}

impl RuleContext {
    fn list(&self, name: &str) -> &[Value] {
        self.data[name].as_array().map_or(&[], Vec::as_slice)
    }

    /// Returns the ids of the concerns that count, oldest first.
    fn concerns(&self) -> Vec<&str> {
        let ids = self.list("concerns").iter();
        ids.filter_map(|concern| concern["id"].as_str()).collect()
    }

    fn said(&self, kind: ArgumentType) -> Content {
        Content::Argument(Box::new(ArgumentBlock {
            kind,
            content: self.content(kind),
            references: (self.list("arguments").last())
                .and_then(|argument| argument["id"].as_str())
                .map(str::to_owned)
                .into_iter()
                .collect(),
            evidence: vec![self.evidence()],
            confidence_score: Some(Share::thousandths(600)),
            impact_areas: vec!["operations".to_owned(), "reliability".to_owned()],
            concerns: self.raised(kind),
            addresses: self.met(kind),
            feasibility: Some(match kind {
                ArgumentType::Proposal | ArgumentType::Defense => 4,
                ArgumentType::Challenge | ArgumentType::Counter => 3,
                ArgumentType::Resolution => 5,
            }),
            risks: vec![Risk {
                name: "Somebody relies on it already".to_owned(),
                likelihood: Share::thousandths(400),
                impact: Share::thousandths(600),
            }],
        }))
    }

    fn evidence(&self) -> Evidence {
        let (kind, data) = match &self.quote {
            Some(quote) => ("quote", quote.clone()),
            None => ("source", "the question as it was put (rehearsal)".to_owned()),
        };
        Evidence { kind: kind.to_owned(), data: data.into(), checked: None }
    }

    fn content(&self, kind: ArgumentType) -> Map<String, Value> {
        let topic = &self.topic;
        let way = match &self.option {
            Some(option) => format!("take \"{option}\""),
            None => "take the smallest step that shows whether it works".to_owned(),
        };
        let text = match kind {
            ArgumentType::Proposal if self.round == 1 => {
                format!("{BANNER} On \"{topic}\": {way}, and look at what happens.")
            }
            ArgumentType::Proposal => {
                format!(
                    "{BANNER} On \"{topic}\", once more: {way}, with what the last round left open put first."
                )
            }
            ArgumentType::Challenge => {
                format!("{BANNER} \"{topic}\" is answered before anybody has measured anything.")
            }
            ArgumentType::Defense => {
                format!(
                    "{BANNER} A first step on \"{topic}\" is what measures it; what can be met is met below."
                )
            }
            ArgumentType::Counter => {
                format!("{BANNER} Part of it is met. What is left about \"{topic}\" is not.")
            }
            ArgumentType::Resolution => {
                format!(
                    "{BANNER} On \"{topic}\": {way}, measured before and after, with a way back."
                )
            }
        };
        let mut content = Map::new();
        content.insert("text".to_owned(), json!(text));
        if matches!(kind, ArgumentType::Proposal | ArgumentType::Resolution) {
            let point =
                |claim: String, importance: u8| json!({"claim": claim, "importance": importance});
            let new = vec![
                point(format!("On \"{topic}\": {way} (rehearsal)."), 3),
                point(
                    "Measure the same figure before and after, three times (rehearsal).".to_owned(),
                    2,
                ),
                point("Whoever takes the step also owns the way back (rehearsal).".to_owned(), 1),
            ];
            let kept = self.kept();
            let points = if kept.is_empty() { new } else { kept };
            content.insert("points".to_owned(), Value::Array(points));
        }
        if kind == ArgumentType::Resolution {
            content.insert("code_change_required".to_owned(), json!(false));
        }
        content
    }

    /// Keeps the points of the last resolution, and of this round's proposal.
    fn kept(&self) -> Vec<Value> {
        let last = std::iter::once(&self.data["last_resolution"]);
        let mut shown = last.chain(self.list("arguments"));
        let points = shown.find_map(|argument| argument["content"]["points"].as_array());
        let ids = points.into_iter().flatten().filter_map(|point| point["id"].as_str());
        ids.map(|id| json!({ "keep": id })).collect()
    }

    /// Raises three concerns at first, and one more in round 2.
    fn raised(&self, kind: ArgumentType) -> Vec<Concern> {
        let texts: &[&str] = match (kind, self.round) {
            (ArgumentType::Challenge, 1) => &[
                "Nobody has measured how it is today (rehearsal).",
                "It is not said how it is taken back (rehearsal).",
                "It is not said who owns it afterwards (rehearsal).",
            ],
            (ArgumentType::Challenge, 2) => {
                &["It is not said by when it will have been worth it (rehearsal)."]
            }
            _ => &[],
        };
        let concern = |text: &&str| Concern { id: String::new(), text: (*text).to_owned() };
        texts.iter().map(concern).collect()
    }

    /// Responds to concerns: a defense to all but the last, a resolution to all of them.
    fn met(&self, kind: ArgumentType) -> Vec<ConcernResponse> {
        let mut ids = self.concerns();
        match kind {
            ArgumentType::Defense => drop(ids.pop()),
            ArgumentType::Resolution => {}
            ArgumentType::Proposal | ArgumentType::Challenge | ArgumentType::Counter => ids.clear(),
        }
        let met = |id: &str| ConcernResponse {
            id: id.to_owned(),
            how: "The first step shows it, and can be taken back (rehearsal).".to_owned(),
        };
        ids.into_iter().map(met).collect()
    }

    /// All points but the last are good; the oldest concern is met, the next in part, and in round 1 no other.
    fn stances(&self) -> Stances {
        let ids: Vec<&str> =
            (self.list("judge").iter()).filter_map(|item| item["id"].as_str()).collect();
        let points = ids.iter().filter(|id| id.starts_with('P')).count();
        let stance = |(at, id): (usize, &&str)| {
            let stance = match at.checked_sub(points) {
                None if at + 1 < points => Stance::Agree,
                Some(0) => Stance::Agree,
                Some(2..) if self.round == 1 => Stance::Disagree,
                Some(_) | None => Stance::Partly,
            };
            let (reason, amendment) = match stance {
                Stance::Agree => ("It says what has to be said (rehearsal).", None),
                Stance::Partly => (
                    "It goes half of the way (rehearsal).",
                    Some("Name a date and a person (rehearsal).".to_owned()),
                ),
                Stance::Disagree => ("Nothing of it is answered (rehearsal).", None),
            };
            let reason = reason.to_owned();
            StanceEntry { point: (*id).to_owned(), reason, stance, support: None, amendment }
        };
        Stances { stances: ids.iter().enumerate().map(stance).collect(), missing: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    //! The stand-ins run whole debates of typed arguments.

    use serde_json::json;

    use crate::kernel::{Driver, Turn};
    use crate::protocol::argument::testing::{done, input, judged, only};
    use crate::protocol::argument::{Input, Machine};
    use crate::protocol::context::ContextFile;
    use crate::protocol::debate::{DebateOutcome, Outcome};
    use crate::rehearsal::{BANNER, answer, given};

    fn play(input: Input) -> (Outcome, Vec<String>) {
        let mut machine = Machine::open(input).unwrap();
        let mut turns = Vec::new();
        while let Some(turn) = only(&machine) {
            let reply = reply(&machine, &turn);
            turns.push(turn.id.to_string());
            let answer = judged(&machine, &turn, &reply);
            machine.apply(vec![answer]);
        }
        (done(&machine), turns)
    }

    fn reply(machine: &Driver<Machine>, turn: &Turn) -> String {
        let given = given(machine, turn);
        let reply = answer(&given);
        assert_eq!(reply, answer(&given), "the same turn has the same answer");
        assert!(reply.starts_with(BANNER));
        reply
    }

    #[test]
    fn a_default_rehearsal_moves_from_round_to_round_and_ends_in_consensus() {
        let (end, turns) = play(input());
        assert_eq!(
            turns,
            [
                "r1/proposal",
                "r1/challenge",
                "r1/defense",
                "r1/reply",
                "r1/resolution",
                "r1/stances",
                "r2/proposal",
                "r2/challenge",
                "r2/defense",
                "r2/reply",
                "r2/resolution",
                "r2/stances",
                "r3/proposal",
                "r3/challenge",
                "r3/defense",
                "r3/reply",
                "r3/stances",
            ]
        );
        assert_eq!(end.outcome, DebateOutcome::ConsensusReached);
        assert!(end.warnings.is_empty(), "{:?}", end.warnings);
        let agreement: Vec<u16> = (end.rounds.iter())
            .map(|round| round.metrics.as_ref().unwrap().agreement_score.get())
            .collect();
        // Of three concerns one is met and one in part; then of three one is met and two in part; then points alone:
        // 5.5 of 6.
        assert_eq!(agreement, [500, 666, 916]);
        let decision = end.decision.unwrap();
        assert!(decision.text.contains("Should the cache move to Redis"), "{}", decision.text);
    }

    #[test]
    fn fewer_rounds_end_without_consensus() {
        for rounds in [1, 2] {
            let mut input = input();
            input.settings.max_rounds = rounds;
            assert_eq!(play(input).0.outcome, DebateOutcome::Deadlocked);
        }
    }

    #[test]
    fn options_and_context_are_spoken_of() {
        let mut input = input();
        input.brief.options = vec!["Move it".to_owned(), "Leave it".to_owned()];
        input.brief.context = vec![ContextFile {
            name: "load.md".to_owned(),
            text: "# Load\nThe cache answers within three milliseconds.\n".to_owned(),
            cut: false,
        }];
        let (end, _) = play(input);
        assert!(end.decision.unwrap().text.contains("take \"Move it\""));
        let first = &end.rounds[0].arguments[0];
        assert_eq!(first.said.evidence[0].checked, Some(true));
        assert_eq!(end.rounds[0].metrics.as_ref().unwrap().evidence_strength.get(), 454);
    }

    #[test]
    fn what_is_no_turn_has_no_answer() {
        let brief = json!(input().brief);
        let turn = json!({"ask": "proposal", "brief": brief, "shown": {"round": 1}});
        assert!(super::answer(&turn).is_some());
        for (key, value) in [
            ("ask", json!("propose")),
            ("ask", json!("remark")),
            ("brief", json!(null)),
            ("shown", json!(null)),
        ] {
            let mut other = turn.clone();
            other[key] = value;
            assert!(super::answer(&other).is_none(), "{other}");
        }
        assert!(super::answer(&json!(null)).is_none());
    }
}
