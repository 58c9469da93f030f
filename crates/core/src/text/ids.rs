//! Maps ids written by an agent to the existing ids.
//!
//! Letters are never guessed: an id may differ in case, spaces, quotes and the kind of dash, but a
//! Cyrillic `о` is not a Latin `o`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::sanitize;

/// The existing ids, in input order, indexed for look-up.
#[derive(Debug, Clone)]
pub struct IdIndex {
    ids: Vec<String>,
    exact: HashMap<String, usize>,
    /// By folded form; `None` if several ids share it.
    folded: HashMap<String, Option<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdMatch {
    /// The id with this index, letter by letter.
    Exact(usize),
    /// The only id that matches apart from case, spaces, quotes or dashes.
    Normalised(usize),
    Unknown,
}

impl IdIndex {
    /// Indexes the ids; the first of equal ones counts.
    pub fn new(ids: &[String]) -> Self {
        let mut exact = HashMap::with_capacity(ids.len());
        let mut folded = HashMap::with_capacity(ids.len());
        for (index, id) in ids.iter().enumerate() {
            if exact.contains_key(id) {
                continue;
            }
            exact.insert(id.clone(), index);
            folded.entry(fold(id)).and_modify(|entry| *entry = None).or_insert(Some(index));
        }
        Self { ids: ids.to_vec(), exact, folded }
    }

    /// Looks up a written id, ignoring text around it: `<F2>`, `2. a-1`, `Finding F2`, `a-1: its title`.
    pub fn resolve(&self, written: &str) -> IdMatch {
        if let Some(index) = self.exact.get(written) {
            return IdMatch::Exact(*index);
        }
        match self.folded.get(&fold(written)) {
            Some(Some(index)) => IdMatch::Normalised(*index),
            None => self.within(written),
            Some(None) => IdMatch::Unknown,
        }
    }

    /// Looks for the one id in a text, by a closed list of surrounding forms.
    fn within(&self, written: &str) -> IdMatch {
        const NOUNS: [&str; 11] = [
            "answer",
            "choice",
            "concern",
            "finding",
            "id",
            "issue",
            "item",
            "opportunity",
            "option",
            "point",
            "step",
        ];
        let bare = |text: &str| -> String {
            let around = |c: char| c.is_whitespace() || "<>[](){}#:.,*_`\"'".contains(c);
            text.trim_matches(around).to_owned()
        };
        let whole = bare(written);
        let mut forms = vec![whole.clone()];
        if let Some((number, rest)) = whole.split_once(['.', ')'])
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            forms.push(bare(rest));
        }
        if let Some((noun, rest)) = whole.split_once(' ')
            && NOUNS.contains(&&*noun.to_ascii_lowercase())
        {
            forms.push(bare(rest));
        }
        // Text after an id explains it.
        for form in forms.clone() {
            let ends = [":", " (", " - ", " \u{2013} ", " \u{2014} "];
            if let Some(end) = ends.iter().filter_map(|end| form.find(end)).min() {
                forms.push(bare(&form[..end]));
            }
        }
        let mut found = forms.iter().filter_map(|form| *self.folded.get(&fold(form))?);
        let Some(index) = found.next() else {
            return IdMatch::Unknown;
        };
        if found.all(|other| other == index) {
            IdMatch::Normalised(index)
        } else {
            IdMatch::Unknown
        }
    }

    /// Returns the ids, in input order.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Returns the number of ids.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no ids.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

/// Returns the first two ids that are spellings of each other, by the position of the second.
pub fn alike(ids: &[String]) -> Option<(usize, usize)> {
    let mut first_of = HashMap::with_capacity(ids.len());
    (ids.iter().enumerate()).find_map(|(second, id)| match first_of.entry(fold(id)) {
        Entry::Occupied(first) => Some((*first.get(), second)),
        Entry::Vacant(free) => {
            free.insert(second);
            None
        }
    })
}

/// The form in which two spellings of one id are equal.
fn fold(id: &str) -> String {
    let mut folded = String::with_capacity(id.len());
    for c in id.chars() {
        match c {
            c if c.is_whitespace() || sanitize::is_hidden(c) => {}
            '"' | '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '‚' | '«' | '»' => {}
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => {
                folded.push('-');
            }
            c if c.is_ascii() => folded.push(c.to_ascii_lowercase()),
            c => {
                // The Kelvin sign lower-cases to a plain k: such letters are kept.
                let lower: String = c.to_lowercase().collect();
                if lower.is_ascii() {
                    folded.push(c);
                } else {
                    folded.push_str(&lower);
                }
            }
        }
    }
    folded
}

/// A ranking that contains every id once, with the corrections made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permutation {
    /// Indexes into the ids, best first: each exactly once.
    pub order: Vec<usize>,
    /// Entries that match no id, as written.
    pub unknown: Vec<String>,
    /// Repeated entries, as written; the first occurrence counted.
    pub duplicates: Vec<String>,
    /// The ids not written, in the order in which they were appended.
    pub missing: Vec<usize>,
    /// Entries spelled differently from their id, with the id's index.
    pub normalised: Vec<(String, usize)>,
}

/// Builds a permutation of the ids from an agent's list: unknown ids are dropped, duplicates keep
/// their first place, and missing ids follow in the prior order, then in input order.
pub fn permutation(written: &[String], index: &IdIndex, prior_order: &[usize]) -> Permutation {
    let mut result = Permutation::default();
    let mut placed = vec![false; index.len()];
    for text in written {
        let at = match index.resolve(text) {
            IdMatch::Exact(at) => at,
            IdMatch::Normalised(at) => {
                result.normalised.push((text.clone(), at));
                at
            }
            IdMatch::Unknown => {
                result.unknown.push(text.clone());
                continue;
            }
        };
        if place(&mut placed, at) {
            result.order.push(at);
        } else {
            result.duplicates.push(text.clone());
        }
    }
    let first_of_each = |at: &usize| index.exact.get(&index.ids[*at]) == Some(at);
    let rest = prior_order.iter().copied().chain(0..index.len());
    for at in rest {
        if at < placed.len() && place(&mut placed, at) {
            result.order.push(at);
            if first_of_each(&at) {
                result.missing.push(at);
            }
        }
    }
    result
}

/// Marks a position as taken; returns whether it was free.
fn place(placed: &mut [bool], at: usize) -> bool {
    !std::mem::replace(&mut placed[at], true)
}

#[cfg(test)]
mod tests {
    //! Rows 18 to 22: the accepted spellings of an id, and that a ranking is always a permutation.

    use proptest::prelude::*;

    use super::*;

    fn index(ids: &[&str]) -> IdIndex {
        IdIndex::new(&ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>())
    }

    fn strings(items: &[&str]) -> Vec<String> {
        items.iter().map(|item| (*item).to_owned()).collect()
    }

    #[test]
    fn read_generously_what_stands_around_an_id_is_no_part_of_it() {
        let ids = index(&["F1", "F2", "opp-1", "opp-12"]);
        for (written, id) in [
            ("<F2>", 1),
            ("[f2]", 1),
            ("#F2", 1),
            ("F2:", 1),
            ("Finding F2", 1),
            ("2. opp-1", 2),
            ("1) opp-12", 3),
            ("opp-1: Its title", 2),
            ("opp-12 (its title)", 3),
            ("`opp-1` - its title", 2),
        ] {
            assert_eq!(ids.resolve(written), IdMatch::Normalised(id), "{written}");
        }
        for written in ["2", "F3", "Result F2", "F1 F2", "opp-1-a", "F1, F2", "see F2", ""] {
            assert_eq!(ids.resolve(written), IdMatch::Unknown, "{written}");
        }
    }

    #[test]
    fn row_18_spelling_is_normalised_letters_are_not() {
        let index = index(&["opp-1", "opp-2", "Größe-x"]);
        assert_eq!(index.resolve("opp-1"), IdMatch::Exact(0));
        for written in [
            "OPP-1",
            " opp-1 ",
            "\"opp-1\"",
            "`opp-1`",
            "opp–1",
            "opp\u{2011}1",
            "opp - 1",
            "“Opp−1”",
        ] {
            assert_eq!(index.resolve(written), IdMatch::Normalised(0), "{written}");
        }
        assert_eq!(index.resolve("GRÖßE-X"), IdMatch::Normalised(2));
        for written in ["оpp-1", "opp-3", "opp1", "1", "", "opp-l", "#1"] {
            assert_eq!(index.resolve(written), IdMatch::Unknown, "{written}");
        }
    }

    #[test]
    fn row_18_only_if_it_fits_one_id() {
        let index = index(&["A-1", "a-1", "k"]);
        assert_eq!(index.resolve("A-1"), IdMatch::Exact(0));
        assert_eq!(index.resolve("a-1"), IdMatch::Exact(1));
        assert_eq!(index.resolve("A–1"), IdMatch::Unknown);
        assert_eq!(index.resolve("\u{212a}"), IdMatch::Unknown, "the Kelvin sign is no k");
    }

    #[test]
    fn rows_19_to_22_unknown_duplicate_and_missing() {
        let index = index(&["a", "b", "c", "d"]);
        let result = permutation(&strings(&["c", "x", "C", "a"]), &index, &[3, 2, 1, 0]);
        assert_eq!(
            result,
            Permutation {
                order: vec![2, 0, 3, 1],
                unknown: strings(&["x"]),
                duplicates: strings(&["C"]),
                missing: vec![3, 1],
                normalised: vec![("C".into(), 2)],
            }
        );
        // Without a prior order, input order.
        assert_eq!(permutation(&[], &index, &[]).order, [0, 1, 2, 3]);
    }

    proptest! {
        /// P1, its generic part: any input gives a permutation.
        #[test]
        fn always_a_permutation(
            ids in prop::collection::vec("[aAbB1 -]{0,3}", 0..8),
            written in prop::collection::vec("[aAbB1 –\"-]{0,3}", 0..12),
            prior in prop::collection::vec(0..12_usize, 0..12),
        ) {
            let index = IdIndex::new(&ids);
            let result = permutation(&written, &index, &prior);
            let mut sorted = result.order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..ids.len()).collect::<Vec<_>>());
            prop_assert_eq!(result, permutation(&written, &index, &prior));
        }

        #[test]
        fn what_exists_is_found(ids in prop::collection::vec(any::<String>(), 1..6)) {
            let index = IdIndex::new(&ids);
            for id in &ids {
                let IdMatch::Exact(at) = index.resolve(id) else { panic!("{id:?}") };
                prop_assert_eq!(&ids[at], id);
            }
        }
    }
}
