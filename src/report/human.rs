//! What a person in a seat is shown before a question: what the others said, what is open, what was wrong.
//!
//! A turn's prompt holds that as data, in one JSON object, for agents and people alike; a person is shown it as
//! text, without the rules that agents need. Every word of it was written by others and is sanitized. A field
//! that is missing or of another type is left out: no prompt can make this fail.

use serde_json::Value;

use crate::protocol::argument::content;
use crate::protocol::debate::typed::{ArgumentType, words};
use crate::text::sanitize;

/// Characters of one text that are shown.
const TEXT_CHARS: usize = 4_000;

/// Entries of one list that are shown.
const MOST: usize = 100;

/// What a turn asks a person about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Asked {
    /// The turn's id.
    pub turn: String,
    /// The side that the person argues for; empty where only a remark is asked for.
    pub side: String,
    /// The round, and the rounds at most, where the prompt says so.
    pub rounds: Option<(u64, u64)>,
    /// What was said, in order.
    pub said: Vec<Words>,
    /// Concerns that count, by their ids.
    pub concerns: Vec<Item>,
    /// The ids of those that the person raised.
    pub own: Vec<String>,
    /// What a stance is due on, by its id.
    pub judge: Vec<Item>,
    /// Why the last reply was not usable.
    pub problems: Vec<String>,
}

/// Something that somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Words {
    /// Whose it is, and what: `The other side's challenge (A2)`.
    pub title: String,
    /// The text; may be empty.
    pub text: String,
    /// What it lists.
    pub items: Vec<Item>,
}

/// Something with an id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Item {
    /// `P1`, `C2`.
    pub id: String,
    /// What it is.
    pub text: String,
}

impl Asked {
    /// Reads what a prompt holds for a turn.
    pub fn read(turn: &str, prompt: &str) -> Self {
        let lines: Vec<&str> = prompt.lines().collect();
        // Data has no line of its own that could look like ours; the last one is this turn's.
        let head = format!("turn: {turn}");
        let at = lines.iter().rposition(|line| *line == head);
        let lines = &lines[at.unwrap_or(lines.len())..];
        let data = data(lines).unwrap_or_default();
        let mut said = Vec::new();
        if let Some(mut last) = argument(&data["last_resolution"]) {
            last.title.push_str(", with which the last round ended");
            said.push(last);
            said.extend(stances(&data["stances_on_it"]));
        }
        said.extend(list(&data["arguments"]).filter_map(argument));
        Self {
            turn: turn.to_owned(),
            side: text(&data["you_are"]),
            rounds: data["round"].as_u64().zip(data["of"].as_u64()),
            said,
            concerns: items(&data["concerns"], "text"),
            own: list(&data["concerns"])
                .filter(|concern| concern["raised_by"] == "you")
                .map(|concern| text(&concern["id"]))
                .collect(),
            judge: items(&data["judge"], "text"),
            problems: problems(lines),
        }
    }
}

/// The JSON object of a turn, between a line `{` and a line `}`.
fn data(lines: &[&str]) -> Option<Value> {
    let start = lines.iter().position(|line| *line == "{")?;
    let end = start + lines[start..].iter().position(|line| *line == "}")?;
    serde_json::from_str(&lines[start..=end].join("\n")).ok()
}

/// What was wrong with the last reply: the list in the section that a repair puts before the contract.
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

/// An argument: its text, its points, what it objects to, how it meets concerns, what supports it.
fn argument(value: &Value) -> Option<Words> {
    let content = value["content"].as_object()?;
    let kind = ArgumentType::from_name(value["type"].as_str()?)?;
    let mut items = items(&content.get("points").cloned().unwrap_or_default(), "claim");
    items.retain(|item| !item.text.is_empty());
    items.extend(self::items(&value["concerns"], "text"));
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

/// Stances on the resolution that the last round ended with.
fn stances(value: &Value) -> Option<Words> {
    let mut items: Vec<Item> = list(&value["stances"])
        .map(|entry| {
            let (stance, reason) = (text(&entry["stance"]), text(&entry["reason"]));
            let amendment = entry["amendment"].as_str().map(|text| format!(" [{text}]"));
            let said = format!("{stance}: {reason}{}", amendment.unwrap_or_default());
            item_of(&text(&entry["point"]), &said)
        })
        .collect();
    items.extend(list(&value["missing"]).map(|entry| item_of("missing", &text(entry))));
    (!items.is_empty()).then(|| Words {
        title: "What was said of it".to_owned(),
        text: String::new(),
        items,
    })
}

/// Returns what is shown before the first question of a turn, with a newline at the end.
///
/// Where a reply was not usable, that alone is shown: the rest stands above it already.
pub fn opening(asked: &Asked) -> String {
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
    // While a remark is asked for, what is still open is what the round came to.
    if asked.side.is_empty() && !asked.concerns.is_empty() {
        lines.push(String::new());
        lines.push("Still open:".to_owned());
        lines.extend(first(&asked.concerns, item));
    }
    lines.push(String::new());
    page(&lines)
}

/// A line for each of the first entries, and one that says how many there are besides.
fn first<T>(entries: &[T], line: fn(&T) -> String) -> Vec<String> {
    let mut lines: Vec<String> = entries.iter().take(MOST).map(line).collect();
    match entries.len().saturating_sub(MOST) {
        0 => {}
        more => lines.push(format!(
            "  and {more} more; `debate-agent sessions export --format transcript` has all"
        )),
    }
    lines
}

fn page(lines: &[String]) -> String {
    format!("{}\n", lines.join("\n"))
}

fn heading(asked: &Asked) -> String {
    let round = match asked.rounds {
        Some((round, of)) => format!("Round {round} of at most {of}"),
        None => (asked.turn.split_once('/'))
            .and_then(|(round, _)| round.strip_prefix('r'))
            .map_or_else(|| "Your turn".to_owned(), |round| format!("Round {round}")),
    };
    match &*asked.side {
        "" => format!("{round} is about to begin."),
        side => format!("{round}: you are the {}.", sanitize::line(side, 40)),
    }
}

/// Returns an item as a line: its id, then its text.
pub fn item(item: &Item) -> String {
    format!("  {}: {}", sanitize::line(&item.id, 60), sanitize::line(&item.text, TEXT_CHARS))
}

#[cfg(test)]
mod tests;
