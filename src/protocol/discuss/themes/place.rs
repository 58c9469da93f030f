//! Finds the places of a text that an entry names.
//!
//! | an entry has | it names |
//! |---|---|
//! | words of the text in quotation marks, or code in backticks | where they stand: in the sections that it names, otherwise the only place of the text that has them |
//! | a figure with its unit, or an id (`72 GB`, `R-12`) | the same, but nothing outside the sections that it names |
//! | a heading, or its number or id | a section: where to look for the others, and no place by itself |
//!
//! Case, punctuation, emphasis and plurals make no difference.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::protocol::discuss::basics::basics;
use crate::protocol::discuss::input::Artifact;
use crate::protocol::discuss::requirement::{bare, places, quotations};
use crate::text::similarity::{is_stop_word, words};

/// Minimum bytes of quoted words: two short ones, or three characters of a script without spaces.
const QUOTE_BYTES: usize = 8;
/// The same of code, which is a name.
const CODE_BYTES: usize = 2;
/// Maximum quotations and figures of an entry, and maximum places of each, that are looked at.
const MOST: usize = 8;

/// Where an entry points to, in the bytes of all texts, one after the other.
pub(super) type Place = Range<usize>;

/// A text in which places are looked up.
pub(super) struct Text {
    /// Where it begins among all texts.
    begins: usize,
    words: String,
    sections: Vec<Section>,
}

struct Section {
    /// Its number or id: `4.2`, `r-12`.
    label: Option<String>,
    title: String,
    heading: Range<usize>,
    whole: Range<usize>,
}

/// What an entry says about places.
struct Named<'a> {
    quotes: Vec<String>,
    figures: Vec<String>,
    labels: BTreeSet<&'a str>,
    words: String,
}

/// Prepares texts for looking up places.
pub(super) fn texts(artifacts: &[&Artifact]) -> Vec<Text> {
    let mut begins = 0;
    let text = |artifact: &&Artifact| {
        let text = Text::of(artifact, begins);
        begins += text.words.len() + 1;
        text
    };
    artifacts.iter().map(text).collect()
}

/// Returns the places that an entry names.
pub(super) fn named_by(texts: &[Text], entry: &str) -> Vec<Place> {
    let entry = entry.to_lowercase();
    let named = Named::of(&entry);
    texts.iter().flat_map(|text| text.places(&named)).collect()
}

/// Returns the length of the longest place that one has within one of the other's.
pub(super) fn shared(one: &[Place], other: &[Place]) -> Option<usize> {
    let holds = |a: &Place, b: &Place| a.start <= b.start && b.end <= a.end;
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    pairs.filter(|(a, b)| holds(a, b) || holds(b, a)).map(|(a, b)| a.len().min(b.len())).max()
}

impl Text {
    fn of(artifact: &Artifact, begins: usize) -> Self {
        let mut text = String::new();
        let mut lines = Vec::new();
        for line in artifact.text.lines() {
            lines.push(text.len());
            for word in plain(line).split_whitespace() {
                text.push_str(word);
                text.push(' ');
            }
        }
        let outline = basics(artifact).outline;
        let start = |line: u32| {
            let line = usize::try_from(line).ok().and_then(|line| line.checked_sub(1));
            line.and_then(|line| lines.get(line)).copied().unwrap_or(text.len())
        };
        let level = |heading: &str| heading.chars().take_while(|c| *c == '#').count();
        let sections = (1..).zip(&outline).map(|(next, heading)| {
            let mut rest = outline.iter().skip(next);
            let ends = rest.find(|other| level(&other.text) <= level(&heading.text));
            let written = heading.text.trim_start_matches('#').trim().to_lowercase();
            let first = written.split_whitespace().next().unwrap_or_default();
            let label = Some(bare(first)).filter(|label| label.contains(char::is_numeric));
            let title = if label.is_some() { &written[first.len()..] } else { &*written };
            let begins = start(heading.line);
            let ends = ends.map_or(text.len(), |next| start(next.line));
            // The title of the whole text is no place in it.
            let heads = begins..begins + plain(&written).len();
            let all = next == 1 && ends == text.len();
            Section {
                label: label.map(str::to_owned),
                title: plain(title),
                whole: if all { heads.clone() } else { begins..ends },
                heading: heads,
            }
        });
        let sections = sections.collect();
        Self { begins, words: text, sections }
    }

    fn places(&self, named: &Named<'_>) -> Vec<Place> {
        let sections: Vec<&Section> =
            self.sections.iter().filter(|section| section.is_named(named)).collect();
        let quotes = named.quotes.iter().map(|words| (words, true));
        let figures = named.figures.iter().map(|words| (words, false));
        let mut found = Vec::new();
        for (words, quoted) in quotes.take(MOST).chain(figures.take(MOST)) {
            let inside =
                |place: &Place| sections.iter().any(|section| section.whole.contains(&place.start));
            let before = found.len();
            found.extend(self.find(words).filter(inside).take(MOST));
            let mut all = self.find(words);
            if let (true, Some(only), None) =
                (found.len() == before && (quoted || sections.is_empty()), all.next(), all.next())
            {
                found.push(only);
            }
        }
        let begins = self.begins;
        found.into_iter().map(|place| place.start + begins..place.end + begins).collect()
    }

    /// Returns where words stand, other than in or as a heading.
    fn find<'a>(&'a self, words: &'a str) -> impl Iterator<Item = Place> + 'a {
        let heads = |at: usize| self.sections.iter().any(|one| one.heading.contains(&at));
        let is_title = self.sections.iter().any(|one| one.title == words);
        let found = places(&self.words, words).filter(move |at| !is_title && !heads(*at));
        found.map(|at| at..at + words.len())
    }
}

impl Section {
    fn is_named(&self, named: &Named<'_>) -> bool {
        self.label.as_ref().is_some_and(|label| named.labels.contains(&**label))
            || !self.title.is_empty() && places(&named.words, &self.title).next().is_some()
    }
}

impl<'a> Named<'a> {
    fn of(entry: &'a str) -> Self {
        let mut quotes = Vec::new();
        for (at, quoted) in quotations(entry) {
            let least = if entry[at..].starts_with('`') { CODE_BYTES } else { QUOTE_BYTES };
            let parts = quoted.split('\u{2026}').flat_map(|part| part.split("...")).map(plain);
            quotes.extend(parts.filter(|words| words.len() >= least));
        }
        let tokens: Vec<&str> = entry.split_whitespace().collect();
        let follows = tokens.iter().skip(1).map(|next| Some(*next)).chain([None]);
        let figures = tokens.iter().zip(follows).filter_map(|(token, next)| figure(token, next));
        Self {
            quotes,
            figures: figures.collect(),
            labels: tokens.iter().map(|token| bare(token)).collect(),
            words: plain(entry),
        }
    }
}

/// Returns the id, or the number with its unit, that begins with a token: `r-12`, `90-day`, `10%`, `72 gb`.
fn figure(token: &str, next: Option<&str>) -> Option<String> {
    let has = |of: fn(char) -> bool| token.contains(of);
    if !has(char::is_numeric) {
        return None;
    }
    if has(char::is_alphabetic) || has(|c| c == '%') {
        return Some(plain(token));
    }
    let unit = next.filter(|_| token.ends_with(char::is_numeric))?;
    let word = unit.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_unit = word.starts_with(char::is_alphabetic) && !is_stop_word(word);
    (is_unit || unit.starts_with('%'))
        .then(|| plain(&format!("{token} {}", if is_unit { word } else { "%" })))
}

/// Returns a text's words in the form in which they are compared.
fn plain(text: &str) -> String {
    let words = words(&text.to_lowercase().replace('%', " percent "));
    let singular = |word: &String| {
        let one = word.strip_suffix('s').filter(|one| one.len() > 2);
        one.unwrap_or(word).to_owned()
    };
    words.iter().map(singular).collect::<Vec<_>>().join(" ")
}
