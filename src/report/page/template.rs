//! Blocks and sentences of pages from the templates of `skills/pages`, filled with a document's own JSON.
//!
//! | line of a template | what becomes of it |
//! |---|---|
//! | `## Heading` | a section, up to the next heading of its level |
//! | `* x`, `1. x` | an entry of a list; what is indented by two spaces below belongs to it |
//! | `Label:: x` | a fact, of several lines where the label comes again; nothing if `x` is blank |
//! | `\| x \| y \|` | a row of a table, the headers first; a cell that is blank is a dash |
//! | `> {{ x }}`, `~ {{ x }}` | text with its own lines; code |
//! | anything else | a paragraph |
//! | `@record`, `@screen`, `@detail`, `@headed`, `@most(8)`, `@unbroken(1)`, `@spare(1)` before one | its setting |
//! | `@hunk(4,5)`, `@hunk(old,4,5)`, `@hunk` before code | a diff, with these new or old lines marked |
//! | `@line(1)`, `@bars(1)`, `@ranks(2,4)` before a table | what HTML draws of these columns; `@lead`: beside the decision |
//! | `<bad>x</bad>` in one | its tone: good, bad, doubt, strong |
//!
//! A text that a template prints does not enter its lines: a mark stands for it until they are blocks. So the words of
//! others are neither lines nor marks, and renderers make them safe as they do everywhere. A project cannot replace
//! these templates, since they say how a session ended.

use std::iter::Peekable;
use std::str::Lines;
use std::sync::LazyLock;
use std::time::Duration;

use minijinja::value::{Serde, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Output, State, Value};
use serde::Serialize;

use super::hunk::Hunk;
use super::{Block, Blocks, Emphasis, Item, Marks, Part, Picture, Property, Table, Text, text};
use crate::change;
use crate::kernel::Usd;
use crate::kernel::share::Share;
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::debate::model::from_memory;
use crate::protocol::debate::typed;
use crate::report::words;

const TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Enclose the number of a text that was printed.
const MARKS: [char; 2] = ['\u{e000}', '\u{e001}'];
/// Before the number of a text that was given.
const GIVEN: char = 'g';

/// The texts that a template printed, by number.
#[derive(Default)]
struct Printed(Vec<Text>);

/// What templates are filled with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Data {
    values: BTreeMap<String, Value>,
    given: Vec<Text>,
}

impl Data {
    /// The fields of a document, as in its JSON.
    pub(crate) fn of(document: &impl Serialize) -> Self {
        let mut data = Self::default();
        if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(document) {
            data.values =
                fields.into_iter().map(|(name, value)| (name, Value::from(Serde(value)))).gather();
        }
        data
    }

    /// Adds what follows from them.
    #[must_use]
    pub(crate) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        self.values.insert(name.to_owned(), Value::from(Serde(value)));
        self
    }

    /// Adds a text that is made elsewhere; one that is blank counts as false.
    #[must_use]
    pub(crate) fn text(mut self, name: &str, text: impl Into<Text>) -> Self {
        let (text, [open, close]) = (text.into(), MARKS);
        let number = self.given.len();
        let shown =
            if text.is_blank() { String::new() } else { format!("{open}{GIVEN}{number}{close}") };
        self.values.insert(name.to_owned(), Value::from_safe_string(shown));
        self.given.push(text);
        self
    }

    pub(crate) fn fill(&self, name: &str) -> Blocks {
        match self.render(name) {
            Ok((text, Printed(printed))) => {
                Reader { lines: text.lines().peekable(), printed, given: &self.given }.blocks(0, 0)
            }
            // No document is known that does this; if one does, the rest of its page is shown.
            Err(error) => {
                let mut blocks = Blocks::default();
                let error = super::agent_text_up_to(&format!("{error:#}"), usize::MAX);
                blocks.para(text!["This part cannot be shown, which is a bug: ", error]);
                blocks
            }
        }
    }

    /// Fills the template of a sentence.
    pub(crate) fn sentence(&self, name: &str) -> Text {
        Text::join(self.lines(name), "")
    }

    /// Fills the template of lines, each a text of its own.
    pub(crate) fn lines(&self, name: &str) -> Vec<Text> {
        let line = |part: Part| match part.block {
            Block::Para(text) => Some(text),
            _ => None,
        };
        self.fill(name).0.into_iter().filter_map(line).collect()
    }

    /// Fills the template of facts.
    pub(crate) fn facts(&self, name: &str) -> Vec<Property> {
        let mut all = Vec::new();
        for part in self.fill(name).0 {
            if let Block::Facts(facts) = part.block {
                all.extend(facts);
            }
        }
        all
    }

    fn render(&self, name: &str) -> Result<(String, Printed), Error> {
        static ALL: LazyLock<Result<Environment<'static>, Error>> = LazyLock::new(environment);
        let all = ALL.as_ref().map_err(|error| Error::new(error.kind(), error.to_string()))?;
        #[cfg(test)]
        names_tests::note(name, self);
        let values = Value::from_pairs(self.values.clone());
        let mut filled = all.get_template(name)?.render_captured(values)?;
        let printed = filled.with_state_mut(|state| {
            std::mem::take(state.get_or_insert_extension(Printed::default()))
        });
        Ok((filled.into_output(), printed))
    }
}

fn environment() -> Result<Environment<'static>, Error> {
    type S<'a, 'b> = State<'a, 'b>;
    let mut all = Environment::empty();
    all.set_formatter(print);
    all.add_filter("bytes", |bytes: u64| Value::from_safe_string(words::bytes(bytes)));
    all.add_filter("code", |state: &mut S<'_, '_>, text: &str| mark(state, super::code(text)));
    all.add_filter("count", count);
    all.add_filter("decimal", |number: f64| Value::from_safe_string(format!("{number:.2}")));
    all.add_filter("diff", |state: &mut S<'_, '_>, hunk: &Value| {
        let hunk = serde_json::to_value(hunk).and_then(serde_json::from_value::<change::Hunk>);
        let hunk =
            hunk.map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))?;
        Ok::<_, Error>(mark(state, super::code(hunk.to_string())))
    });
    all.add_filter("evidence", |state: &mut S<'_, '_>, text: &str| {
        mark(
            state,
            match from_memory(text) {
                Some(rest) => text![super::agent_text(rest), " (from memory, not looked up)"],
                None => super::agent_text(text),
            },
        )
    });
    all.add_filter("json", |state: &mut S<'_, '_>, value: &Value| {
        let value = serde_json::to_value(value).unwrap_or_default();
        mark(state, super::agent_text(&typed::words(&value)))
    });
    all.add_filter("length", |value: &Value| value.len());
    all.add_filter("lower", |text: &str| text.trim().to_lowercase());
    all.add_filter("most", |state: &mut S<'_, '_>, text: &str, most: usize| {
        mark(state, super::agent_text_up_to(text, most))
    });
    all.add_filter("name", |state: &mut S<'_, '_>, text: &str| mark(state, super::name(text)));
    all.add_filter("names", |state: &mut S<'_, '_>, texts: Vec<String>| {
        mark(state, super::names(&texts))
    });
    all.add_filter("path", |state: &mut S<'_, '_>, text: &str| mark(state, super::path(text)));
    all.add_filter("place", |text: &str, of: Vec<String>| {
        let place = of.iter().position(|other| other == text);
        place.map_or_else(|| "-".to_owned(), |place| (place + 1).to_string())
    });
    all.add_filter("share", |number: Option<f64>| {
        let share = number.and_then(Share::nearest);
        share.map(|share| Value::from_safe_string(share.to_string()))
    });
    all.add_filter("short", words::short_id);
    all.add_filter("took", |milliseconds: u64| {
        Value::from_safe_string(words::time(Duration::from_millis(milliseconds)))
    });
    all.add_filter("usd", |dollars: Option<f64>| {
        let usd = dollars.map(Usd::from_dollars).transpose();
        let usd =
            usd.map_err(|error| Error::new(ErrorKind::InvalidOperation, error.to_string()))?;
        Ok::<_, Error>(usd.map(|usd| Value::from_safe_string(usd.to_string())))
    });
    all.add_filter("trim", |text: &str| text.trim().to_owned());
    all.add_filter("why", words::why);
    all.add_filter("words", words_of_ours);
    for (name, template) in TEMPLATES {
        all.add_template(name, template)?;
    }
    #[cfg(test)]
    for (name, template) in
        [("tests", include_str!("tests.md")), ("pictures", include_str!("html/pictures.md"))]
    {
        all.add_template(name, template)?;
    }
    Ok(all)
}

/// Prints a value: a number as it is, a text by its mark.
fn print(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let printed = match value.as_str() {
        Some(text) if !value.is_safe() => mark(state, super::agent_text(text)).to_string(),
        None if value.is_none() || value.is_undefined() => return Ok(()),
        None if value.kind() != ValueKind::Number => {
            return Err(Error::new(
                ErrorKind::BadSerialization,
                format!("{} is printed", value.kind()),
            ));
        }
        // 7, not 7.0.
        None => f64::try_from(value.clone())?.to_string(),
        Some(text) => text.to_owned(),
    };
    out.write_str(&printed).map_err(Error::from)
}

fn mark(state: &mut State<'_, '_>, text: Text) -> Value {
    let Printed(all) = state.get_or_insert_extension(Printed::default());
    let ([open, close], number) = (MARKS, all.len());
    all.push(text);
    Value::from_safe_string(format!("{open}{number}{close}"))
}

/// `1 step`, `2 steps`: of a number, or of the entries of a list.
fn count(value: &Value, noun: &str) -> Result<Value, Error> {
    let count = value.as_usize().or_else(|| value.len());
    let count = count.ok_or_else(|| Error::from(ErrorKind::InvalidOperation))?;
    Ok(Value::from_safe_string(format!("{count} {noun}{}", if count == 1 { "" } else { "s" })))
}

/// A word of ours, as people write it: `not_needed` is `not needed`.
fn words_of_ours(state: &mut State<'_, '_>, word: &str) -> Value {
    if word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_ ():,.-".contains(&byte)) {
        Value::from_safe_string(word.replace('_', " "))
    } else {
        mark(state, super::agent_text(word))
    }
}

/// Makes blocks of the lines of a filled template.
struct Reader<'a> {
    lines: Peekable<Lines<'a>>,
    printed: Vec<Text>,
    given: &'a [Text],
}

/// What a line is the start of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Heading(usize, &'a str),
    Entry(Option<usize>, &'a str),
    Fact(&'a str, &'a str),
    Row(&'a str),
    Quote(&'a str),
    Code(&'a str),
    Para(&'a str),
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Self {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let (label, fact) = line.split_once("::").unwrap_or((line, ""));
        let number =
            line.split_once(". ").and_then(|(number, text)| Some((number.parse().ok()?, text)));
        if level > 0 {
            Self::Heading(level, &line[level..])
        } else if let Some(text) = line.strip_prefix("* ") {
            Self::Entry(None, text)
        } else if let Some((number, text)) = number {
            Self::Entry(Some(number), text)
        } else if let Some(cells) = line.strip_prefix('|') {
            Self::Row(cells.strip_suffix('|').unwrap_or(cells))
        } else if let Some(text) = line.strip_prefix("> ") {
            Self::Quote(text)
        } else if let Some(text) = line.strip_prefix("~ ") {
            Self::Code(text)
        } else if label.len() < line.len()
            && label.bytes().all(|byte| byte.is_ascii_alphabetic() || b" -".contains(&byte))
        {
            Self::Fact(label, fact)
        } else {
            Self::Para(line)
        }
    }
}

impl Reader<'_> {
    /// Returns the blocks of the lines from here on that are indented so far, up to a heading of this level.
    fn blocks(&mut self, indent: usize, level: usize) -> Blocks {
        let mut blocks = Blocks::default();
        loop {
            while self.lines.next_if(|line| line.trim().is_empty()).is_some() {}
            let (settings, line) =
                match self.lines.peek().and_then(|line| line.split_at_checked(indent)) {
                    Some((before, line)) if before.trim().is_empty() => settings(line.trim()),
                    Some(_) | None => break,
                };
            let line = Line::of(line);
            if matches!(line, Line::Heading(own, _) if own <= level) {
                break;
            }
            self.lines.next();
            let block = match line {
                Line::Heading(own, text) => {
                    Block::Section { heading: self.text(text), blocks: self.blocks(indent, own) }
                }
                Line::Entry(number, text) => {
                    let item = Item { head: self.text(text), body: self.blocks(indent + 2, level) };
                    let marks = number.map_or(Marks::Points, Marks::Numbers);
                    Block::List { items: vec![item], marks, most: usize::MAX }
                }
                Line::Fact(label, text) => Block::Facts(vec![Property {
                    label: label.to_owned().into(),
                    lines: vec![self.text(text)],
                    detail: false,
                }]),
                Line::Row(cells) => {
                    let cells = cells.split('|').map(|cell| self.text(cell));
                    let or_dash = |cell: Text| if cell.is_blank() { "-".into() } else { cell };
                    Block::Table(Table::new(cells.map(or_dash), []))
                }
                Line::Quote(text) => Block::Quote { text: self.text(text).raw(), most: usize::MAX },
                Line::Code(text) => Block::Code(self.text(text).raw()),
                Line::Para(text) => Block::Para(self.text(text)),
            };
            let mut part = Part { block, only: None, detail: false };
            for setting in settings {
                set(&mut part, setting);
            }
            blocks.join(part);
        }
        blocks
    }

    /// Returns a line with what was printed in it.
    fn text(&self, line: &str) -> Text {
        let (mut text, mut tone, mut rest) = (Text::default(), None, line.trim());
        while !rest.is_empty() {
            let at = rest.find([MARKS[0], '<', '`']).unwrap_or(rest.len());
            let mut piece = Text::ours(rest[..at].to_owned());
            rest = &rest[at..];
            if at == 0 {
                let end = match rest.chars().next() {
                    Some('<') => '>',
                    Some('`') => '`',
                    Some(_) | None => MARKS[1],
                };
                let start = rest.chars().next().map_or(0, char::len_utf8);
                let (inside, after) = rest[start..].split_once(end).unwrap_or((&rest[start..], ""));
                rest = after;
                piece = match end {
                    '`' => super::code(self.text(inside).raw()),
                    '>' => {
                        tone = tone_of(inside);
                        continue;
                    }
                    _ => self.printed(inside),
                };
            }
            text.push(match tone {
                Some(tone) => piece.tone(tone),
                None => piece,
            });
        }
        text
    }

    fn printed(&self, mark: &str) -> Text {
        let (texts, number) = match mark.strip_prefix(GIVEN) {
            Some(number) => (self.given, number),
            None => (&*self.printed, mark),
        };
        number.parse().ok().and_then(|number: usize| texts.get(number)).cloned().unwrap_or_default()
    }
}

impl Blocks {
    /// Adds a block, to the one before if both are lines of one list, table or column of facts.
    fn join(&mut self, part: Part) {
        let alike =
            self.0.last().is_some_and(|last| (last.only, last.detail) == (part.only, part.detail));
        match (self.0.last_mut().map(|last| &mut last.block), part.block) {
            (_, Block::Facts(facts))
                if facts.iter().all(|fact| fact.lines.iter().all(Text::is_blank)) => {}
            (Some(Block::Facts(all)), Block::Facts(facts)) if alike => {
                for fact in facts {
                    match all.last_mut() {
                        Some(last) if last.label == fact.label => last.lines.extend(fact.lines),
                        _ => all.push(fact),
                    }
                }
            }
            (Some(Block::Table(all)), Block::Table(row)) => all.rows.push(row.headers),
            (
                Some(Block::List { items, marks, .. }),
                Block::List { items: more, marks: own, .. },
            ) if alike && std::mem::discriminant(marks) == std::mem::discriminant(&own) => {
                items.extend(more);
            }
            (_, block) => self.0.push(Part { block, ..part }),
        }
    }
}

/// Splits a line after its settings.
fn settings(mut line: &str) -> (Vec<&str>, &str) {
    let mut settings = Vec::new();
    while let Some((setting, rest)) = line.strip_prefix('@').and_then(|line| line.split_once(' ')) {
        settings.push(setting);
        line = rest.trim_start();
    }
    (settings, line)
}

fn tone_of(tag: &str) -> Option<Emphasis> {
    match tag {
        "good" => Some(Emphasis::Good),
        "bad" => Some(Emphasis::Bad),
        "doubt" => Some(Emphasis::Doubt),
        "strong" => Some(Emphasis::Strong),
        _ => None,
    }
}

fn set(part: &mut Part, setting: &str) {
    let (name, number) = setting.trim_end_matches(')').split_once('(').unwrap_or((setting, ""));
    let mut numbers = number.split(',').filter_map(|number| number.trim().parse().ok());
    match (name, &mut part.block) {
        ("record", _) => _ = part.record_only(),
        ("screen", _) => _ = part.screen_only(),
        ("detail", Block::Facts(facts)) => facts.iter_mut().for_each(|fact| fact.detail = true),
        ("detail", _) => part.detail = true,
        ("hunk", Block::Code(text)) => {
            part.block = Block::Hunk(Hunk::new(std::mem::take(text), number));
        }
        ("headed", Block::List { marks, .. }) => *marks = Marks::Heads,
        ("most", Block::List { most, .. } | Block::Quote { most, .. }) => {
            *most = number.parse().unwrap_or(*most);
        }
        ("unbroken", Block::Table(table)) => table.unbroken = numbers.collect(),
        ("spare", Block::Table(table)) => table.spare = numbers.collect(),
        ("lead", Block::Table(table)) => table.leads = true,
        ("line", Block::Table(table)) => table.pictures.extend(numbers.map(Picture::Line)),
        ("bars", Block::Table(table)) => table.pictures.extend(numbers.map(Picture::Bars)),
        ("ranks", Block::Table(table)) => {
            let ranks = numbers.next().zip(numbers.next());
            table.pictures.extend(ranks.map(|(first, last)| Picture::Ranks(first, last)));
        }
        _ => {}
    }
}

#[cfg(test)]
mod names_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::page::tests::assert_inert;
    use crate::report::page::{Page, agent_text};

    #[test]
    fn every_template_is_read_and_its_settings_are_known() {
        environment().unwrap();
        let known = [
            "bars(",
            "detail",
            "headed",
            "hunk",
            "lead",
            "line(",
            "most(",
            "ranks(",
            "record",
            "screen",
            "spare(",
            "unbroken(",
        ];
        for (name, template) in TEMPLATES {
            for line in template.lines() {
                let (settings, _) = settings(line.trim());
                let is_known = |own: &&str| known.iter().any(|known| own.starts_with(known));
                assert!(settings.iter().all(is_known), "{name}: {line}");
            }
        }
    }

    #[test]
    fn words_of_others_are_neither_lines_nor_marks() {
        for evil in [
            "\u{e000}g0\u{e001}",
            "\u{e000}0\u{e001}",
            "## x",
            "@record ## x",
            "x\n\n* y\n1. z",
            "| x | y |",
            "Label:: x",
            "<bad>x</bad> `code`",
            "{{ summary }}{% include \"plan/page\" %}",
        ] {
            let page = |evil: &str| {
                let data = Data::default()
                    .with("summary", evil)
                    .with("risks", [evil, evil])
                    .with(
                        "not_shown",
                        [serde_json::json!({"path": evil, "why": evil, "detail": evil})],
                    )
                    .text("secret", agent_text("a text that is given and not printed"));
                let mut page = Page::new("Plan", text!["DONE."]);
                page.blocks().append(data.fill("plan/page"));
                page
            };
            assert!(!crate::report::page::markdown::render(&page(evil)).contains("not printed"));
            assert_inert(page, evil).unwrap();
        }
    }
}
