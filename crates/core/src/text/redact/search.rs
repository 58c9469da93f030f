//! A rule's pattern at one position: the extent of the match, and which part of it is the secret.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, pikevm::PikeVM};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

/// A rule's compiled pattern.
pub(super) struct Search {
    /// Finds where a match at a position ends; stops when no match is possible any more.
    ends: DFA,
    cache: Mutex<Cache>,
    parts: PikeVM,
}

/// The result of running a pattern over the available bytes.
pub(super) enum SearchResult {
    /// They are not enough to decide.
    Open,
    None,
    /// The end of the match, and whether more bytes could have changed it.
    Ends(usize, bool),
}

impl Search {
    pub(super) fn new(pattern: &str) -> Option<Self> {
        // Both searches share it: it takes most of a pattern's memory.
        let nfa = NFA::compiler()
            .configure(thompson::Config::new().utf8(false))
            .syntax(bytes())
            .build(pattern)
            .ok()?;
        let ends = DFA::builder().build_from_nfa(nfa.clone()).ok()?;
        Some(Self {
            cache: Mutex::new(ends.create_cache()),
            ends,
            parts: PikeVM::new_from_nfa(nfa).ok()?,
        })
    }

    /// Runs the pattern from a position as far as possible.
    pub(super) fn end_of(&self, text: &[u8], from: usize, whole: bool) -> SearchResult {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let cache = &mut *cache;
        let input = Input::new(text).range(from..).anchored(Anchored::Yes);
        // A missing state would mean that the cache gave up, which it is not configured to do.
        let Ok(mut state) = self.ends.start_state_forward(cache, &input) else {
            return SearchResult::None;
        };
        let mut found = None;
        for (at, byte) in text.iter().enumerate().skip(from) {
            let Ok(next) = self.ends.next_state(cache, state, *byte) else {
                return SearchResult::None;
            };
            state = next;
            if state.is_tagged() {
                if state.is_match() {
                    // A match is reported one byte late.
                    found = Some(at);
                } else if state.is_dead() || state.is_quit() {
                    return found
                        .map_or(SearchResult::None, |stop| SearchResult::Ends(stop, false));
                }
            }
        }
        if !whole {
            return SearchResult::Open;
        }
        if let Ok(state) = self.ends.next_eoi_state(cache, state)
            && state.is_match()
        {
            found = Some(text.len());
        }
        found.map_or(SearchResult::None, |stop| SearchResult::Ends(stop, true))
    }

    /// The part of a match that is the secret: the named group, or the first non-empty one, or the whole match.
    pub(super) fn group(
        &self,
        text: &[u8],
        found: Range<usize>,
        group: usize,
    ) -> Option<Range<usize>> {
        if self.parts.get_nfa().group_info().all_group_len() == 1 {
            return Some(found);
        }
        let mut groups = self.parts.create_captures();
        let input = Input::new(text).range(found.start..).anchored(Anchored::Yes);
        let mut cache = self.parts.create_cache();
        self.parts.search(&mut cache, &input, &mut groups);
        let group = match group {
            0 => (1..groups.group_len())
                .filter_map(|group| groups.get_group(group))
                .find(|group| !group.is_empty()),
            group => groups.get_group(group),
        };
        group.map(|group| group.range())
    }
}

/// Patterns match bytes, as Go's do without Unicode classes.
fn bytes() -> syntax::Config {
    syntax::Config::new().unicode(false).utf8(false)
}

/// Go treats a brace that begins no repetition as a literal; here it has to be escaped.
pub(super) fn portable(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut escaped = false;
    for (at, c) in pattern.char_indices() {
        if c == '{' && !escaped {
            let inside = pattern[at + 1..].split('}').next().unwrap_or_default();
            let counts = inside.starts_with(|c: char| c.is_ascii_digit())
                && inside.chars().all(|c| c.is_ascii_digit() || c == ',');
            // A repetition follows something, which excludes the start, `(?:` and `|`.
            let follows = !(out.is_empty() || out.ends_with(['(', '|', '^', ':']));
            if !(counts && follows) {
                out.push('\\');
            }
        }
        escaped = c == '\\' && !escaped;
        out.push(c);
    }
    out
}
