//! Text that looks like a secret but is not one.

use std::sync::OnceLock;

use aho_corasick::AhoCorasick;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

use super::search::portable;

/// Patterns and words of harmless text, in gitleaks' format; its file rules are ignored.
#[derive(Default, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Allowlist {
    #[serde(default)]
    pub(super) target_rules: Vec<String>,
    #[serde(default)]
    regex_target: Target,
    #[serde(default)]
    regexes: Vec<String>,
    #[serde(default)]
    stopwords: Vec<String>,
}

/// The text that an allowlist's patterns are matched against.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Target {
    #[default]
    Secret,
    /// The whole match, with the name before the keyword.
    Match,
    Line,
}

/// Allowlists, compiled on first use.
pub(super) struct Allowlists {
    lists: Vec<Allowlist>,
    compiled: OnceLock<Vec<(Target, Regex)>>,
    stopwords: OnceLock<Option<AhoCorasick>>,
}

impl Allowlists {
    pub(super) fn new(lists: Vec<Allowlist>) -> Self {
        Self { lists, compiled: OnceLock::new(), stopwords: OnceLock::new() }
    }

    fn regexes(&self) -> impl Iterator<Item = (Target, &String)> {
        let each = |list: &Allowlist| list.regex_target;
        self.lists
            .iter()
            .flat_map(move |list| list.regexes.iter().map(move |regex| (each(list), regex)))
    }

    /// Whether one of the lists allows a secret, or the match that contains it.
    pub(super) fn holds(&self, secret: &[u8], matched: &[u8]) -> bool {
        let compiled = self.compiled.get_or_init(|| {
            self.regexes().filter_map(|(target, pattern)| Some((target, regex(pattern)?))).collect()
        });
        let stopwords = self.stopwords.get_or_init(|| {
            let words: Vec<&String> = self.lists.iter().flat_map(|list| &list.stopwords).collect();
            if words.is_empty() {
                return None;
            }
            let mut search = AhoCorasick::builder();
            search.ascii_case_insensitive(true).build(words).ok()
        });
        compiled.iter().any(|(target, regex)| match target {
            Target::Secret => regex.is_match(secret),
            Target::Match | Target::Line => regex.is_match(matched),
        }) || stopwords.as_ref().is_some_and(|words| words.is_match(secret))
    }

    #[cfg(test)]
    pub(super) fn all_compile(&self) -> bool {
        self.regexes().all(|(_, pattern)| regex(pattern).is_some())
    }
}

fn regex(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(&portable(pattern)).unicode(false).build().ok()
}

/// Bytes of a secret whose entropy is measured: later ones may be of another kind.
const MEASURED: usize = 64;

/// Shannon entropy of the first bytes, in bits per byte.
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    let bytes = &bytes[..bytes.len().min(MEASURED)];
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum()
}
