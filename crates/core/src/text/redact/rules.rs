//! The rules that recognise secrets: those of gitleaks (`gitleaks.toml`) and a few of our own (`own.toml`), both as
//! data.
//!
//! A rule is tried only where one of its keywords occurs, so a text costs one search for all keywords. Its pattern is
//! compiled when it is first tried.
//!
//! Gitleaks reads files; this reads a stream in which most text is inside JSON. So its patterns are adapted as they are
//! loaded, in five ways: a quote may have a backslash before it, a name and its value are on one line, the part of a
//! name before the keyword is dropped (the search starts at the keyword), a token may end with any byte that cannot be
//! in one, and it begins a word, not counting the letter of an escaped line break.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use serde::Deserialize;

use super::allowed::{Allowlist, Allowlists, entropy};
use super::search::{Search, SearchResult, portable};
use super::words::Words;

/// Maximum number of bytes from the start of a keyword that a rule looks at.
pub(super) const LOOK: usize = 1100;

/// Maximum number of bytes before a keyword that a rule looks at.
pub(super) const BEHIND: usize = 64;

/// The part of a name before a keyword in gitleaks' patterns.
const NAME: &str = r"[\w.-]{0,50}?";

/// Maximum number of bytes that `NAME` matches.
const NAME_LENGTH: usize = 50;

/// Length of an escape like `\u0000` in bytes.
const UNICODE_ESCAPE: usize = 6;

/// A rule's verdict on a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The available bytes are not enough to decide.
    More,
    Harmless,
    /// A secret; `open` if it may continue beyond the examined range.
    Secret {
        span: Range<usize>,
        open: bool,
    },
}

/// A gitleaks configuration, as far as it is used here.
#[derive(Deserialize)]
struct File {
    #[serde(default)]
    extend: Extend,
    allowlist: Option<Allowlist>,
    #[serde(default)]
    allowlists: Vec<Allowlist>,
    #[serde(default)]
    rules: Vec<Entry>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extend {
    #[serde(default)]
    disabled_rules: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    id: String,
    #[serde(default)]
    regex: String,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    secret_group: usize,
    #[serde(default)]
    keywords: Vec<String>,
    #[serde(default)]
    before: usize,
    #[serde(default)]
    allowlists: Vec<Allowlist>,
}

pub(super) struct Rules {
    pub(super) keywords: Words,
    /// Of each keyword: whether it is found only at the start of a word, and its rules.
    of_keyword: Vec<(bool, Vec<usize>)>,
    all: Vec<Rule>,
    /// Text that no rule treats as a secret.
    allowed: Allowlists,
}

struct Rule {
    /// For the message of a test about a rule that cannot be compiled.
    #[cfg(test)]
    id: String,
    pattern: String,
    entropy: f64,
    group: usize,
    before: usize,
    /// Whether a keyword may be inside a name.
    in_name: bool,
    allowed: Allowlists,
    /// Boxed: few of the 200 are ever compiled, and a search is 2 KB.
    search: OnceLock<Option<Box<Search>>>,
}

static RULES: LazyLock<Rules> =
    LazyLock::new(|| Rules::read(&[include_str!("gitleaks.toml"), include_str!("own.toml")]));

impl Rules {
    /// The rules, loaded on first use.
    pub(super) fn get() -> &'static Self {
        &RULES
    }

    #[expect(
        clippy::expect_used,
        reason = "the files are part of the program, and tests read them"
    )]
    fn read(files: &[&str]) -> Self {
        let mut entries: BTreeMap<String, Entry> = BTreeMap::new();
        let (mut lists, mut targeted) = (Vec::new(), Vec::new());
        for part in files.iter().flat_map(|file| parts(file)) {
            let file: File = toml::from_str(part).expect("a configuration of gitleaks");
            entries.extend(file.rules.into_iter().map(|rule| (rule.id.clone(), rule)));
            entries.retain(|id, _| !file.extend.disabled_rules.contains(id));
            lists.extend(file.allowlist);
            for list in file.allowlists {
                if list.target_rules.is_empty() {
                    lists.push(list);
                } else {
                    targeted.push(list);
                }
            }
        }
        let (mut of_keyword, mut rules) = (BTreeMap::<_, Vec<usize>>::new(), Vec::new());
        let keys = super::pem::BEGIN.to_ascii_lowercase();
        of_keyword.insert((keys, false), vec![entries.len()]);
        for mut entry in entries.into_values() {
            let keywords = std::mem::take(&mut entry.keywords);
            let rule = Rule::new(entry, &targeted);
            for keyword in keywords {
                let keyword = keyword.to_ascii_lowercase().into_bytes();
                let of_keyword = of_keyword.entry((keyword, rule.begins_word()));
                of_keyword.or_default().push(rules.len());
            }
            rules.push(rule);
        }
        let keyword = |((text, begins_word), rules)| (text, (begins_word, rules));
        let (keywords, of_keyword) = of_keyword.into_iter().map(keyword).unzip();
        Self {
            keywords: Words::new(keywords, true),
            of_keyword,
            all: rules,
            allowed: Allowlists::new(lists),
        }
    }

    /// Finds the positions at which rules are to be tried: every keyword that ends after `from`, as
    /// `(start, rule)`.
    pub(super) fn places(&self, buffer: &[u8], from: usize, into: &mut Vec<(usize, usize)>) {
        for (keyword, span) in self.keywords.find(buffer, from) {
            let (only_first, rules) = &self.of_keyword[keyword];
            if !only_first || begins_word(buffer, span.start) {
                into.extend(rules.iter().map(|rule| (span.start, *rule)));
            }
        }
    }

    /// The earliest start of a secret whose keyword is at a position: letters, digits, `_`, `~` and `.` may precede
    /// the keyword.
    pub(super) fn begins_before(buffer: &[u8], at: usize) -> usize {
        let before = |byte: &u8| is_word(*byte) || matches!(byte, b'~' | b'.');
        let from = at.saturating_sub(BEHIND);
        let other = buffer[from..at].iter().rposition(|byte| !before(byte));
        other.map_or(from, |other| from + other + 1)
    }

    /// Number of bytes before its keyword at which a secret of the rule may begin.
    pub(super) fn before(&self, rule: usize) -> usize {
        self.all.get(rule).map_or(0, |rule| rule.before)
    }

    /// Whether the position is the start of a private key instead of a rule's keyword.
    pub(super) fn is_key(&self, rule: usize) -> bool {
        rule == self.all.len()
    }

    /// Judges the position of a rule's keyword. `last`: nothing follows the buffer.
    pub(super) fn judge(&self, rule: usize, buffer: &[u8], at: usize, last: bool) -> Verdict {
        let rule = &self.all[rule];
        let Some(search) = rule.search() else {
            return Verdict::Harmless;
        };
        let end = buffer.len().min(at + LOOK);
        let whole = last || end == at + LOOK;
        for from in at.saturating_sub(rule.before)..=at {
            // The bytes of an escaped line break are not part of the word after it.
            let cut = if is_escaped(buffer, from) { from } else { 0 };
            let text = &buffer[cut..end];
            match search.end_of(text, from - cut, whole) {
                SearchResult::Open => return Verdict::More,
                SearchResult::None => {}
                SearchResult::Ends(stop, open) => {
                    let Some(span) = search.group(text, from - cut..stop, rule.group) else {
                        continue;
                    };
                    let span = within_string(buffer, span.start + cut..span.end + cut);
                    let matched = name_start(buffer, from, rule.in_name)..stop + cut;
                    if !self.is_allowed(rule, buffer, &span, matched) {
                        let open = open && span.end == end;
                        return Verdict::Secret { span, open };
                    }
                }
            }
        }
        Verdict::Harmless
    }

    fn is_allowed(
        &self,
        rule: &Rule,
        buffer: &[u8],
        span: &Range<usize>,
        matched: Range<usize>,
    ) -> bool {
        let secret = &buffer[span.clone()];
        let matched = &buffer[matched];
        secret.is_empty()
            || (rule.entropy > 0.0 && entropy(secret) <= rule.entropy)
            || self.allowed.holds(secret, matched)
            || rule.allowed.holds(secret, matched)
    }

    #[cfg(test)]
    pub(super) fn patterns(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.all.iter().map(|rule| {
            (
                rule.id.as_str(),
                rule.pattern.as_str(),
                rule.search().is_some() && rule.allowed.all_compile(),
            )
        })
    }
}

impl Rule {
    fn new(entry: Entry, targeted: &[Allowlist]) -> Self {
        let in_name = entry.regex.contains(NAME);
        let mut lists = entry.allowlists;
        let own = |list: &&Allowlist| list.target_rules.contains(&entry.id);
        lists.extend(targeted.iter().filter(own).cloned());
        Self {
            #[cfg(test)]
            id: entry.id.clone(),
            pattern: adapted(&entry.regex, in_name),
            entropy: entry.entropy,
            group: entry.secret_group,
            before: entry.before.min(BEHIND),
            in_name,
            allowed: Allowlists::new(lists),
            search: OnceLock::new(),
        }
    }

    fn begins_word(&self) -> bool {
        !self.in_name && self.before == 0
    }

    fn search(&self) -> Option<&Search> {
        self.search.get_or_init(|| Search::new(&self.pattern).map(Box::new)).as_deref()
    }
}

/// Whether no letter, digit or `_` immediately precedes a position.
fn begins_word(buffer: &[u8], at: usize) -> bool {
    at == 0 || !is_word(buffer[at - 1]) || !is_word(buffer[at]) || is_escaped(buffer, at)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether an escape like `\n` immediately precedes a position.
fn is_escaped(buffer: &[u8], at: usize) -> bool {
    matches!(buffer.get(at.saturating_sub(2)..at), Some([b'\\', b'n' | b'r' | b't']))
}

/// The part before a file's rules, and each rule: parsed as a whole, the file takes ten times its size in memory.
fn parts(file: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(file);
    std::iter::from_fn(move || {
        let text = rest?;
        let next = text.get(1..)?.find("[[rules]]\n");
        let (part, after) = text.split_at(next.map_or(text.len(), |at| at + 1));
        rest = next.map(|_| after);
        Some(part)
    })
}

/// A pattern adapted for use here: see the module's documentation.
fn adapted(pattern: &str, in_name: bool) -> String {
    const END: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;
    let pattern = portable(pattern)
        .replace(NAME, "")
        .replace(r#"[\s'"]{0,3}"#, r#"[ \t'"\\]{0,5}"#)
        .replace(r#"[\x60'"\s=]{0,5}"#, r#"[\x60'" \t=\\]{0,7}"#);
    if in_name {
        pattern.replace(END, r#"(?:[\x60'"\s;\\]|$)"#)
    } else {
        pattern.replace(END, r"(?:[^\w+/=~-]|$)")
    }
}

fn name_start(buffer: &[u8], at: usize, in_name: bool) -> usize {
    if !in_name {
        return at;
    }
    let name = |byte: &u8| is_word(*byte) || matches!(byte, b'.' | b'-');
    let from = at.saturating_sub(NAME_LENGTH);
    from + buffer[from..at].iter().rposition(|byte| !name(byte)).map_or(0, |other| other + 1)
}

/// The part of a secret that can be removed without breaking the string around it: no part of an escape, a line
/// break or a quote, and only whole characters.
fn within_string(buffer: &[u8], span: Range<usize>) -> Range<usize> {
    let Range { mut start, mut end } = span;
    // However deeply the JSON is nested, the last backslash of its escapes precedes the letter.
    let near = start.saturating_sub(UNICODE_ESCAPE - 1);
    if let Some(backslash) = buffer[near..start].iter().rposition(|byte| *byte == b'\\') {
        let length = match buffer.get(near + backslash + 1) {
            Some(b'u') => UNICODE_ESCAPE,
            _ => 2,
        };
        start = start.max(near + backslash + length);
    }
    start = start.min(end);
    let stops = |byte: &u8| matches!(byte, 0..b' ' | b'"' | b'\\');
    if let Some(stop) = buffer[start..end].iter().position(stops) {
        end = start + stop;
    }
    while buffer.get(end).is_some_and(|byte| (0x80..0xc0).contains(byte)) {
        end += 1;
    }
    start..end
}
