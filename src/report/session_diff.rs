//! `sessions diff`: in what two sessions of a kind differ, and why; as a document and for people.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::compact::{Item, line};
use super::document::SCHEMA_VERSION;
use super::table::{Table, push_wrapped};
use super::{Look, short_id, words};
use crate::text::similarity;

/// What a row is called that says how a session ended.
pub(crate) const RESULT: &str = "result";
/// What a row is called that says what a turn was answered.
pub(crate) const ANSWER: &str = "answer";
/// What a row is called that says how an agent is set up in a seat.
pub(crate) const AGENT: &str = "agent";
/// What a row is called that says which model answered, which is unknown until one has.
pub(crate) const MODEL: &str = "model";

/// A part of a result, or a circumstance of a session, that can be compared with that of another.
#[derive(Debug)]
pub struct Row {
    pub(crate) what: &'static str,
    /// What it is in any session.
    pub(crate) key: String,
    pub(crate) title: String,
    /// A file, and the first and the last line.
    pub(crate) place: Option<(String, u32, u32)>,
    pub(crate) value: String,
}

impl Row {
    pub(crate) fn new(what: &'static str, title: &str, value: impl Into<String>) -> Self {
        let (key, title) = (title.to_owned(), title.to_owned());
        Self { what, key, title, place: None, value: value.into() }
    }

    /// Returns a point of a compact result.
    pub(crate) fn of(item: Item) -> Self {
        let said = [item.status, item.severity].into_iter().flatten().collect::<Vec<_>>();
        let value = if said.is_empty() { "yes".to_owned() } else { said.join(", ") };
        Self::new(item.kind, &item.title, value)
    }

    fn is(&self, other: &Self) -> bool {
        self.what == other.what && self.key == other.key
    }

    /// Whether it has the same title, in other writing, at the same place.
    fn is_like(&self, other: &Self) -> bool {
        let overlap = match (&self.place, &other.place) {
            (Some((file, first, last)), Some((other, start, end))) => {
                file == other && first <= end && start <= last
            }
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        self.what == other.what
            && overlap
            && similarity::words(&self.title) == similarity::words(&other.title)
    }
}

/// Something that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Difference {
    /// What it is: `result`, `finding`, `step`, `rank`, `rating`, `stance`, ...; of the reasons `rule`, `seat`, `model`,
    /// `agent`, `skill`, `input`, `answer`.
    pub what: String,
    /// Which one.
    pub title: String,
    /// In the first session; missing where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<String>,
    /// In the second session; missing where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<String>,
}

/// The result of `sessions diff`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SessionDiff {
    /// The kind of both sessions: `review`.
    pub protocol: String,
    /// The id of the first session.
    pub a: String,
    /// The id of the second session.
    pub b: String,
    /// What differs and why, in one sentence.
    pub summary: String,
    /// Whether anything of their results differs.
    pub differs: bool,
    /// What of their results does.
    pub differences: Vec<Difference>,
    /// How many parts of their results are the same, without how they ended.
    pub same: u32,
    /// What of their circumstances differs; of an answer and a skill the values are the first digits of SHA-256.
    pub reasons: Vec<Difference>,
    /// What was not compared, and why.
    pub notes: Vec<String>,
    /// The version of this document.
    pub schema_version: u32,
}

impl SessionDiff {
    /// Compares two sessions: the rows of their results, then those of their circumstances.
    pub(crate) fn new(
        protocol: &str,
        ids: [&str; 2],
        [result_a, result_b]: [Vec<Row>; 2],
        [facts_a, facts_b]: [Vec<Row>; 2],
        notes: Vec<String>,
    ) -> Self {
        let (differences, same) = compare(result_a, result_b);
        let (mut reasons, alike) = compare(facts_a, facts_b);
        // What only one of them has is unknown of the other, or its seat is another's.
        let both = |reason: &Difference| reason.a.is_some() && reason.b.is_some();
        reasons.retain(|reason| ![MODEL, AGENT].contains(&&*reason.what) || both(reason));
        let mut document = Self {
            protocol: protocol.to_owned(),
            a: ids[0].to_owned(),
            b: ids[1].to_owned(),
            summary: String::new(),
            differs: !differences.is_empty(),
            differences,
            same: same.iter().filter(|(what, _)| **what != RESULT).map(|(_, count)| count).sum(),
            reasons,
            notes,
            schema_version: SCHEMA_VERSION,
        };
        document.summary = document.sentence(alike.get(ANSWER).copied().unwrap_or_default());
        document
    }

    /// `verdict differs; 2 findings differ, 3 are the same; other answers of 2 of 5 turns`.
    fn sentence(&self, same_answers: u32) -> String {
        let (mut ends, mut parts) = (Vec::new(), BTreeMap::new());
        for differs in &self.differences {
            match &*differs.what {
                RESULT => ends.push(differs.title.as_str()),
                what => *parts.entry(what).or_insert(0) += 1,
            }
        }
        let verb = |one: bool| if one { "differs" } else { "differ" };
        let mut said = Vec::new();
        if !self.differs {
            said.push("nothing differs".to_owned());
        }
        if !ends.is_empty() {
            said.push(format!("{} {}", ends.join(", "), verb(ends.len() == 1)));
        }
        if !parts.is_empty() {
            let one = parts.values().sum::<u32>() == 1;
            let counts = parts.into_iter().map(|(what, count)| words::count(count, what));
            let same = match self.same {
                0 => "none is the same".to_owned(),
                1 => "1 is the same".to_owned(),
                same => format!("{same} are the same"),
            };
            said.push(format!("{} {}, {same}", counts.collect::<Vec<_>>().join(", "), verb(one)));
        }
        let why = |of: &str| self.reasons.iter().filter(|reason| reason.what == of).count();
        let whys = [
            ("input", "another input"),
            ("rule", "other rules"),
            ("seat", "other seats"),
            (MODEL, "other models"),
            (AGENT, "agents set up otherwise"),
            ("skill", "other skills"),
        ];
        let mut because: Vec<String> = (whys.iter().filter(|(of, _)| why(of) > 0))
            .map(|(_, sentence)| (*sentence).to_owned())
            .collect();
        let answers = u32::try_from(why(ANSWER)).unwrap_or(u32::MAX);
        if answers > 0 {
            let turns = words::count(answers.saturating_add(same_answers), "turn");
            because.push(format!("other answers of {answers} of {turns}"));
        }
        if !because.is_empty() {
            said.push(because.join(", "));
        }
        said.join("; ")
    }

    /// Returns the comparison for people.
    pub fn render(&self, look: Look) -> String {
        let mut text = String::new();
        for said in [&self.summary].into_iter().chain(&self.notes) {
            push_wrapped(&mut text, said, "", "", look.width);
        }
        let mut table = |title: &str, rows: &mut dyn Iterator<Item = &Difference>| {
            let rows: Vec<Vec<String>> = rows
                .map(|row| {
                    let value = |of: &Option<String>| of.clone().unwrap_or_else(|| "-".to_owned());
                    vec![row.what.clone(), row.title.clone(), value(&row.a), value(&row.b)]
                })
                .collect();
            if !rows.is_empty() {
                let headers = [title, "", &short_id(&self.a), &short_id(&self.b)];
                let table = Table::new(&headers, rows).unbroken(&[0]).render(look.width);
                text.push('\n');
                text.push_str(&table);
            }
        };
        table("What", &mut self.differences.iter());
        table("Why", &mut self.reasons.iter());
        text
    }
}

/// Returns what differs, and of each thing how many are the same.
fn compare(a: Vec<Row>, mut b: Vec<Row>) -> (Vec<Difference>, BTreeMap<&'static str, u32>) {
    let mut found: Vec<Option<Row>> = a.iter().map(|_| None).collect();
    for same in [Row::is, Row::is_like] {
        for (row, found) in a.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            *found = b.iter().position(|other| same(row, other)).map(|at| b.remove(at));
        }
    }
    let (mut differences, mut alike) = (Vec::new(), BTreeMap::new());
    let pairs =
        a.into_iter().map(Some).zip(found).chain(b.into_iter().map(|row| (None, Some(row))));
    for (a, b) in pairs {
        let Some(row) = a.as_ref().or(b.as_ref()) else { continue };
        let value = |of: &Option<Row>| of.as_ref().map(|row| row.value.clone());
        let (first, second) = (value(&a), value(&b));
        if first == second {
            *alike.entry(row.what).or_insert(0) += 1;
            continue;
        }
        let title = match &row.place {
            Some((file, 0, _)) => format!("{file}: {}", row.title),
            Some((file, first, _)) => format!("{file}:{first}: {}", row.title),
            None => row.title.clone(),
        };
        differences.push(Difference {
            what: row.what.replace('_', " "),
            title: line(&title),
            a: first.map(|value| line(&value)),
            b: second.map(|value| line(&value)),
        });
    }
    (differences, alike)
}
