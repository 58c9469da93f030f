//! The text shown to a person in a seat before a question: the other sides' contributions, open concerns, faults of
//! the last reply.
//!
//! A turn's prompt contains this as data, in one JSON object, for agents and people alike; a person gets it as text,
//! without the rules that agents need. All of it is untrusted and sanitized. A field that is missing or of another
//! type is left out: no prompt can make this fail.

use serde_json::Value;

use crate::kernel::round_of;
use crate::protocol::argument::content;
use crate::protocol::debate::typed::{ArgumentType, words};
use crate::text::sanitize;
use crate::text::word::Word as _;

/// Maximum characters shown of one text.
const TEXT_CHARS: usize = 4_000;

/// Maximum entries shown of one list.
const MOST: usize = 100;

/// The content of a turn's question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PersonQuestion {
    /// The turn's id.
    pub turn: String,
    /// The side that the person argues for; empty if only a remark is requested.
    pub side: String,
    /// The round and the maximum number of rounds, if the prompt contains both.
    pub rounds: Option<(u64, u64)>,
    /// The contributions so far, in order.
    pub said: Vec<Words>,
    /// Concerns that count, with their ids.
    pub concerns: Vec<Item>,
    /// The ids of the concerns that the person raised.
    pub own: Vec<String>,
    /// The entries that need a stance, with their ids.
    pub judge: Vec<Item>,
    /// Questions about facts.
    pub questions: Vec<FactQuestion>,
    /// The faults of the last reply; empty on the first attempt.
    pub problems: Vec<String>,
}

/// A question about a fact.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct FactQuestion {
    /// Its id: `Q1`.
    pub id: String,
    /// What is asked.
    pub question: String,
    /// What depends on the answer; may be empty.
    pub why: String,
    /// What is assumed without an answer; may be empty.
    pub assume: String,
}

/// One contribution to the debate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Words {
    /// The author and kind: `The other side's challenge (A2)`.
    pub title: String,
    /// The text; may be empty.
    pub text: String,
    /// The listed parts of the contribution.
    pub items: Vec<Item>,
}

/// An entry with an id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Item {
    /// The id: `P1`, `C2`.
    pub id: String,
    /// The text of the entry.
    pub text: String,
}

impl PersonQuestion {
    /// Reads the data of a turn from its prompt.
    pub(crate) fn read(turn: &str, prompt: &str) -> Self {
        let lines: Vec<&str> = prompt.lines().collect();
        // No line of the data can look like ours; the last match is this turn's.
        let head = format!("turn: {turn}");
        let at = lines.iter().rposition(|line| *line == head);
        let lines = &lines[at.unwrap_or(lines.len())..];
        let data = data(lines).unwrap_or_default();
        let concerns = items(&data["concerns"], "text");
        let argument = |value: &Value| argument(value, &concerns);
        let mut said = Vec::new();
        if let Some(mut last) = argument(&data["last_resolution"]) {
            last.title.push_str(", with which the last round ended");
            said.push(last);
            said.extend(stances(&data["stances_on_it"], &data["agreed"]));
        }
        said.extend(list(&data["arguments"]).filter_map(argument));
        let judge = list(&data["judge"]).map(|entry| {
            let how = entry["how"].as_str().map(|how| format!(" [resolved: {how}]"));
            item_of(&text(&entry["id"]), &(text(&entry["text"]) + &how.unwrap_or_default()))
        });
        Self {
            turn: turn.to_owned(),
            side: text(&data["you_are"]),
            rounds: data["round"].as_u64().zip(data["of"].as_u64()),
            said,
            own: list(&data["concerns"])
                .filter(|concern| concern["raised_by"] == "you")
                .map(|concern| text(&concern["id"]))
                .collect(),
            judge: judge.collect(),
            concerns,
            questions: list(&data["questions"])
                .map(|asked| FactQuestion {
                    id: text(&asked["id"]),
                    question: text(&asked["question"]),
                    why: text(&asked["why"]),
                    assume: text(&asked["assume"]),
                })
                .collect(),
            problems: problems(lines),
        }
    }
}

/// Returns the JSON object of a turn, between a line `{` and a line `}`.
fn data(lines: &[&str]) -> Option<Value> {
    let start = lines.iter().position(|line| *line == "{")?;
    let end = start + lines[start..].iter().position(|line| *line == "}")?;
    serde_json::from_str(&lines[start..=end].join("\n")).ok()
}

/// Returns the faults of the last reply: the list in the section that a repair puts before the contract.
fn problems(lines: &[&str]) -> Vec<String> {
    let section = (lines.iter()).skip_while(|line| **line != "# Your last reply could not be used");
    let list = section.skip_while(|line| !line.starts_with("- "));
    list.map_while(|line| line.strip_prefix("- "))
        .map(|line| sanitize::line(line, TEXT_CHARS))
        .collect()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn items(value: &Value, field: &str) -> Vec<Item> {
    let item = |entry: &Value| Item { id: text(&entry["id"]), text: text(&entry[field]) };
    list(value).map(item).collect()
}

fn item_of(id: &str, text: &str) -> Item {
    Item { id: id.to_owned(), text: text.to_owned() }
}

/// Reads an argument: its text, points, objections, its replies to concerns, its evidence. An objection may be the id of
/// one of the `concerns`.
fn argument(value: &Value, concerns: &[Item]) -> Option<Words> {
    let content = value["content"].as_object()?;
    let kind = ArgumentType::of(value["type"].as_str()?)?;
    let mut items = items(&content.get("points").cloned().unwrap_or_default(), "claim");
    items.retain(|item| !item.text.is_empty());
    items.extend(list(&value["concerns"]).filter_map(|entry| match entry.as_str() {
        Some(id) => concerns.iter().find(|concern| concern.id == id).cloned(),
        None => Some(item_of(&text(&entry["id"]), &text(&entry["text"]))),
    }));
    items.extend(list(&value["addresses"]).map(|entry| {
        let id = format!("on {}", text(&entry["id"]));
        item_of(&id, &text(&entry["how"]))
    }));
    items.extend(list(&value["evidence"]).map(|entry| {
        let found = match entry["checked"].as_bool() {
            Some(true) => " (found)",
            Some(false) => " (not found)",
            None => "",
        };
        item_of("evidence", &format!("{}{found}", words(&entry["data"])))
    }));
    items.extend(list(&value["risks"]).map(|entry| item_of("risk", &text(&entry["name"]))));
    Some(Words {
        title: format!(
            "{} {} ({})",
            match value["by"].as_str() {
                Some("you") => "Your",
                Some("primary") => "The primary's",
                Some("adversary") => "The adversary's",
                Some(_) | None => "The other side's",
            },
            kind.name(),
            text(&value["id"])
        ),
        text: content::text(content),
        items,
    })
}

/// Reads stances on the resolution at the end of the last round, and the ids that were agreed to.
fn stances(value: &Value, agreed: &Value) -> Option<Words> {
    let mut items: Vec<Item> = list(&value["stances"])
        .map(|entry| {
            let (stance, reason) = (text(&entry["stance"]), text(&entry["reason"]));
            let amendment = entry["amendment"].as_str().map(|text| format!(" [{text}]"));
            let said = format!("{stance}: {reason}{}", amendment.unwrap_or_default());
            item_of(&text(&entry["point"]), &said)
        })
        .collect();
    items.extend(list(&value["missing"]).map(|entry| item_of("missing", &text(entry))));
    let agreed: Vec<&str> = list(agreed).filter_map(Value::as_str).collect();
    if !agreed.is_empty() {
        items.push(item_of("agreed", &agreed.join(", ")));
    }
    (!items.is_empty()).then(|| Words {
        title: "What was said about it".to_owned(),
        text: String::new(),
        items,
    })
}

/// Returns a question about a fact, with what depends on it and what is assumed otherwise.
pub(crate) fn question(asked: &FactQuestion) -> String {
    let FactQuestion { id, question, why, assume } = asked;
    let mut lines =
        vec![format!("{}: {}", sanitize::line(id, 20), sanitize::line(question, TEXT_CHARS))];
    for (what, said) in [("Why", why), ("Assumed otherwise", assume)] {
        if !said.is_empty() {
            lines.push(format!("  {what}: {}", sanitize::line(said, TEXT_CHARS)));
        }
    }
    lines.join("\n")
}

/// Returns the text shown before the first question of a turn, with a newline at the end.
///
/// If the last reply was not usable, only its faults are shown: the rest is still on the screen above.
pub(crate) fn opening(asked: &PersonQuestion) -> String {
    let mut lines = vec![String::new()];
    if !asked.problems.is_empty() {
        lines.push("That answer could not be used:".to_owned());
        lines.extend(first(&asked.problems, |problem| {
            format!("! {}", sanitize::line(problem, TEXT_CHARS))
        }));
        return page(&lines);
    }
    lines.push(heading(asked));
    for words in &asked.said {
        lines.push(String::new());
        lines.push(format!("{}:", sanitize::line(&words.title, 200)));
        let text = sanitize::terminal(&words.text);
        let shown: String = text.chars().take(TEXT_CHARS).collect();
        lines.extend(shown.lines().map(|line| format!("  {}", line.trim_end())));
        if shown.len() < text.len() {
            lines.push("  [cut here]".to_owned());
        }
        lines.extend(first(&words.items, item));
    }
    // If a remark is requested, the open concerns are the result of the round.
    if asked.side.is_empty() && !asked.concerns.is_empty() {
        lines.push(String::new());
        lines.push("Still open:".to_owned());
        lines.extend(first(&asked.concerns, item));
    }
    lines.push(String::new());
    page(&lines)
}

/// Returns a line for each of the first entries, and a line with the number of the others.
fn first<T>(entries: &[T], line: fn(&T) -> String) -> Vec<String> {
    let mut lines: Vec<String> = entries.iter().take(MOST).map(line).collect();
    match entries.len().saturating_sub(MOST) {
        0 => {}
        more => lines.push(format!(
            "  and {more} more; `debate-agent sessions export --format transcript` shows all"
        )),
    }
    lines
}

fn page(lines: &[String]) -> String {
    format!("{}\n", lines.join("\n"))
}

fn heading(asked: &PersonQuestion) -> String {
    if !asked.questions.is_empty() {
        return "Before it begins: what is not known, and would change the answer.".to_owned();
    }
    let round = match asked.rounds {
        Some((round, of)) => format!("Round {round} of at most {of}"),
        None => round_of(&asked.turn)
            .map_or_else(|| "Your turn".to_owned(), |round| format!("Round {round}")),
    };
    match &*asked.side {
        "" => format!("{round} is about to begin."),
        side => format!("{round}: you are the {}.", sanitize::line(side, 40)),
    }
}

/// Returns an entry as a line: its id, then its text.
pub(crate) fn item(item: &Item) -> String {
    format!("  {}: {}", sanitize::line(&item.id, 60), sanitize::line(&item.text, TEXT_CHARS))
}

#[cfg(test)]
mod tests {
    //! Tests of the shown text, with prompts that the argument machine really makes.

    use serde_json::json;

    use super::*;
    use crate::agent::repair;
    use crate::kernel::{Defect, Prompt, RawReply, Turn};
    use crate::text::Problem;

    fn prompt(turn: &str, data: &Value) -> String {
        format!(
            "# The debate\n\nturn: r9/forged\n\n{{\n}}\n\nturn: {turn}\n\n# This turn\n\nYou are the primary.\n\n--- begin b0 ---\n{}\n--- end b0 ---\n\n# Your answer",
            serde_json::to_string_pretty(data).unwrap()
        )
    }

    fn challenge() -> Value {
        json!({
            "you_are": "primary", "round": 2, "of": 3, "now": ["defense"],
            "last_resolution": {
                "id": "A5", "type": "resolution", "by": "you",
                "content": {"text": "Try it.", "points": [{"id": "P1", "claim": "Try it for a month.", "importance": 2}]},
            },
            "stances_on_it": {
                "stances": [{"point": "P1", "stance": "partly", "reason": "Too long.", "amendment": "For a week."}],
                "missing": ["A budget."],
            },
            "agreed": ["P2", "C1"],
            "arguments": [{
                "id": "A7", "type": "challenge", "by": "the other side",
                "content": {"text": "It is dear.\u{1b}]0;owned\u{7}\nVery."},
                "evidence": [{"type": "file", "data": "src/a.rs:7", "checked": true}, {"type": "source", "data": "a talk"}],
                "concerns": ["C2"], "risks": [{"name": "lock-in"}],
            }],
            "concerns": [
                {"id": "C1", "text": "Who runs it?", "raised_by": "you", "since_round": 1},
                {"id": "C2", "text": "The price.", "raised_by": "the other side", "since_round": 2},
            ],
        })
    }

    #[test]
    fn the_other_side_s_words_are_shown_as_text() {
        let asked = PersonQuestion::read("r2/defense", &prompt("r2/defense", &challenge()));
        assert_eq!((&*asked.side, asked.rounds), ("primary", Some((2, 3))));
        assert_eq!(asked.own, ["C1"]);
        insta::assert_snapshot!(opening(&asked), @r"

    Round 2 of at most 3: you are the primary.

    Your resolution (A5), with which the last round ended:
      Try it.
      P1: Try it for a month.

    What was said about it:
      P1: partly: Too long. [For a week.]
      missing: A budget.
      agreed: P2, C1

    The other side's challenge (A7):
      It is dear.
      Very.
      C2: The price.
      evidence: src/a.rs:7 (found)
      evidence: a talk
      risk: lock-in
    ");
    }

    #[test]
    fn what_is_to_be_judged_stands_by_its_id() {
        let data = json!({
            "you_are": "adversary", "judge": [
                {"id": "P1", "text": "Use Redis."}, {"id": "C1", "text": "The price.", "how": "It is free."},
            ],
        });
        let asked = PersonQuestion::read("r1/stances", &prompt("r1/stances", &data));
        let judge: Vec<String> = asked.judge.iter().map(item).collect();
        assert_eq!(judge, ["  P1: Use Redis.", "  C1: The price. [resolved: It is free.]"]);
        assert!(opening(&asked).contains("Round 1: you are the adversary."));
    }

    #[test]
    fn before_a_remark_stands_what_is_open() {
        let mut data = challenge();
        data["arguments"] = json!([]);
        data.as_object_mut().unwrap().remove("you_are");
        let shown = opening(&PersonQuestion::read("r2/remark", &prompt("r2/remark", &data)));
        assert!(shown.contains("Round 2 of at most 3 is about to begin."), "{shown}");
        assert!(shown.contains("Still open:\n  C1: Who runs it?\n  C2: The price.\n"), "{shown}");
    }

    #[test]
    fn a_refused_answer_is_shown_with_its_defects_alone() {
        let whole = prompt("r2/defense", &challenge());
        let (stable, varying) = whole.split_at(whole.find("turn: r2/").unwrap());
        let turn = Turn {
            id: crate::kernel::TurnId::read("r2/defense"),
            role: "primary".to_owned(),
            plays: "person".into(),
            prompt: Prompt {
                stable: stable.to_owned(),
                varying: varying.to_owned(),
                contract: "# Your answer".to_owned(),
            },
            blocks: vec![crate::text::block::ExpectedBlock::new(
                "ARGUMENT",
                crate::text::block::Shape::Object,
                true,
            )],
            not_vendor_of: Vec::new(),
            not_vendors: Vec::new(),
        };
        let defect = Defect {
            problems: vec![Problem::new("too_long", Some("ARGUMENT"), "`content` is too long")],
            expected_ids: Vec::new(),
        };
        let reply =
            RawReply { bytes: b"- forged: x\n".to_vec(), cut: false, ..RawReply::default() };
        let text = repair::prompt(&turn, &reply, &defect, "b0");
        let asked = PersonQuestion::read("r2/defense", &text);
        assert_eq!(asked.problems, ["too_long in ARGUMENT: `content` is too long"]);
        let shown = opening(&asked);
        assert_eq!(
            shown,
            "\nThat answer could not be used:\n! too_long in ARGUMENT: `content` is too long\n"
        );
        assert_eq!(asked.concerns.len(), 2, "the form still knows them");
    }

    #[test]
    fn a_prompt_without_data_is_shown_as_what_it_is() {
        for prompt in ["", "turn: r2/remark", "turn: r2/remark\n{\n}\n", "turn: r2/remark\n{\n[1]"]
        {
            let asked = PersonQuestion::read("r2/remark", prompt);
            assert!(asked.said.is_empty() && asked.concerns.is_empty());
            assert_eq!(opening(&asked), "\nRound 2 is about to begin.\n\n");
        }
    }

    mod properties {
        use proptest::prelude::*;

        use super::*;

        proptest! {
            #[test]
            fn no_data_breaks_it_and_nothing_of_it_reaches_the_terminal_raw(
                key in "(arguments|concerns|judge|last_resolution|stances_on_it|round|you_are)",
                field in "(id|type|by|content|text|concerns|points|evidence|stances)",
                words in "(?s).{0,30}",
                nested in any::<bool>(),
            ) {
                let mut data = challenge();
                let value = json!({ field: words });
                data[&key] = if nested { json!([value]) } else { value };
                let shown = opening(&PersonQuestion::read("r2/defense", &prompt("r2/defense", &data)));
                let raw = shown.contains(['\u{1b}', '\u{7}', '\u{202e}', '\r']);
                prop_assert!(!raw);
            }
        }
    }

    #[test]
    fn what_is_left_out_of_a_long_list_is_counted() {
        let mut data = challenge();
        let concern = |number: usize| json!({"id": format!("C{number}"), "text": "Why?", "raised_by": "primary"});
        data["you_are"] = json!("");
        data["concerns"] = (1..=123).map(concern).collect();
        let asked = PersonQuestion::read("r3/remark", &prompt("r3/remark", &data));
        assert_eq!(asked.concerns.len(), 123, "each of them can be answered");
        let shown = opening(&asked);
        assert!(shown.contains("\n  C100: Why?\n  and 23 more; "), "{shown}");
        assert!(!shown.contains("C101"), "{shown}");
        data["concerns"] = (1..=100).map(concern).collect();
        let whole = opening(&PersonQuestion::read("r3/remark", &prompt("r3/remark", &data)));
        assert!(whole.contains("C100") && !whole.contains(" more; "), "{whole}");
    }
}
