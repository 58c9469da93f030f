//! The words that deny, the pairs of opposites, and how a text is split into clauses. English only.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::text::similarity;

/// Maximum number of words in a clause; a longer one is cut.
const WORDS: usize = 64;

/// The effect of a word on the words around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Denies its whole clause.
    Whole,
    /// Denies what follows, up to the next preposition.
    Rest,
    /// Like [`Role::Rest`], and cancels a denial of the whole: never without is only with.
    Without,
    /// "In favour of": cancels a denial of what follows.
    Favour,
    /// The text after it is given up, if [`Role::To`] comes.
    From,
    /// The text before [`Role::To`] is given up.
    Replaced,
    /// The text after it is new.
    To,
    /// Ends the effect of [`Role::Rest`].
    Preposition,
    /// Has no effect and no content.
    Nothing,
    /// A content word.
    Content,
}

/// Words after which "not" denies the clause.
const AUXILIARIES: &[&str] = &[
    "are", "be", "been", "can", "could", "did", "do", "does", "had", "has", "have", "is", "let",
    "may", "might", "must", "need", "needs", "ought", "shall", "should", "us", "was", "were",
    "will", "would",
];

/// Stems of verbs that deny their clause, in all their forms.
const DENYING: &[&str] = &[
    "abandon", "abolish", "avoid", "ceas", "declin", "delet", "deprecat", "disabl", "disallow",
    "discard", "drop", "eliminat", "eras", "exclud", "forbid", "omit", "oppos", "prevent",
    "prohibit", "refrain", "refus", "reject", "remov", "retir", "scrap", "skip", "stop",
];

/// Endings of such verbs; "dropbox" and "retirement plan" are something else.
const FORMS: &[&str] =
    &["", "e", "s", "es", "ed", "d", "en", "den", "ing", "ting", "ping", "ped", "ted", "ion", "al"];

/// Phrases of two or three words that deny their clause.
const DENYING_PHRASES: &[&[&str]] = &[
    &["do", "away", "with"],
    &["get", "rid", "of"],
    &["give", "up"],
    &["no", "longer"],
    &["phase", "out"],
    &["switch", "off"],
    &["switched", "off"],
    &["throw", "away"],
    &["thrown", "away"],
    &["turn", "off"],
    &["turned", "off"],
];

/// Phrases of two or three words that deny what follows them.
const AGAINST_PHRASES: &[&[&str]] = &[
    &["as", "opposed", "to"],
    &["away", "from"],
    &["in", "place", "of"],
    &["instead", "of"],
    &["rather", "than"],
];

/// Stems of verbs after which "over" and "to" rank one thing before another.
const PREFERRING: &[&str] =
    &["choos", "favor", "favour", "pick", "prefer", "prioriti", "select", "value"];

const PREPOSITIONS: &[&str] = &[
    "at", "between", "by", "during", "for", "in", "into", "on", "through", "to", "under", "via",
    "with", "within",
];

/// Words without content, in addition to the stop words.
const EMPTY: &[&str] = &[
    "again",
    "between",
    "did",
    "during",
    "either",
    "even",
    "ever",
    "had",
    "however",
    "just",
    "let",
    "might",
    "must",
    "need",
    "needs",
    "never",
    "nor",
    "nothing",
    "ought",
    "please",
    "rather",
    "really",
    "shall",
    "still",
    "than",
    "therefore",
    "through",
    "under",
    "us",
    "very",
    "via",
    "whether",
    "within",
    "yet",
];

/// Words that begin a new clause.
const CONJUNCTIONS: &[&str] =
    &["although", "because", "but", "since", "though", "whereas", "while"];

/// Pairs of opposites, neither of which is a denial.
const OPPOSITES: &[(&[&str], &[&str])] = &[
    (&["open"], &["close", "shut"]),
    (&["show", "display", "reveal"], &["hide", "conceal"]),
    (
        &["increase", "raise", "grow", "expand", "lengthen", "extend", "more"],
        &["decrease", "reduce", "lower", "cut", "shrink", "shorten", "less", "fewer"],
    ),
    (&["up"], &["down"]),
    (&["sync", "synchronous"], &["async", "asynchronous"]),
    (&["public", "publicly"], &["private", "privately"]),
    (&["before"], &["after"]),
    (&["internal"], &["external"]),
    (&["manual", "manually"], &["automatic", "automatically"]),
    (&["optional"], &["mandatory", "required", "compulsory"]),
    (&["strict"], &["lenient", "loose"]),
    (&["static"], &["dynamic"]),
    (&["online"], &["offline"]),
    (&["local", "locally"], &["remote", "remotely"]),
    (&["split", "separate"], &["merge", "join", "unify", "combine"]),
    (&["hire"], &["dismiss", "fire"]),
    (&["fast", "quick"], &["slow"]),
    (&["early", "earlier"], &["late", "later"]),
    (&["high", "higher"], &["low"]),
    (&["serial", "sequential"], &["parallel"]),
    (&["minimum", "minimise", "minimize"], &["maximum", "maximise", "maximize"]),
    (&["permanent"], &["temporary"]),
    (&["long", "longer"], &["short", "shorter"]),
    (&["large", "larger", "big", "bigger"], &["small", "smaller"]),
    (&["upgrade"], &["downgrade"]),
    (&["agree", "accept"], &["disagree"]),
    (&["strengthen", "tighten"], &["weaken", "loosen"]),
    (&["widen"], &["narrow"]),
    (&["accelerate"], &["delay", "postpone"]),
    (&["insource"], &["outsource"]),
    (&["allowlist", "whitelist"], &["denylist", "blocklist", "blacklist"]),
    (&["centralise", "centralize", "central"], &["distribute"]),
];

static STEMS: LazyLock<BTreeMap<String, (usize, bool)>> = LazyLock::new(|| {
    let stemmer = Stemmer::create(Algorithm::English);
    let mut stems = BTreeMap::new();
    for (pair, (left, right)) in OPPOSITES.iter().enumerate() {
        for (words, side) in [(left, false), (right, true)] {
            for word in *words {
                stems.insert(stemmer.stem(word).into_owned(), (pair, side));
            }
        }
    }
    stems
});

/// Returns a stem's pair of opposites, and its side.
pub(super) fn opposite(stem: &str) -> Option<(usize, bool)> {
    STEMS.get(stem).copied()
}

/// Splits a text into clauses of lower-case words; "shouldn't" is "do not".
pub(super) fn split(text: &str) -> Vec<Vec<String>> {
    let mut clauses = Vec::new();
    let mut clause: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut characters = text.chars().chain(['\n']).peekable();
    while let Some(character) = characters.next() {
        let apostrophe = matches!(character, '\'' | '\u{2019}');
        if character.is_alphanumeric() || (apostrophe && !word.is_empty()) {
            word.extend(if apostrophe { '\''.to_lowercase() } else { character.to_lowercase() });
            continue;
        }
        if CONJUNCTIONS.contains(&&*word) {
            clauses.push(std::mem::take(&mut clause));
            word.clear();
        } else if !word.is_empty() {
            push(&mut clause, &std::mem::take(&mut word));
        }
        // The dot in `config.toml` and in 0.5 is not an end.
        let ends = match character {
            '.' | ':' => characters.peek().is_none_or(|next| next.is_whitespace()),
            ',' | ';' | '!' | '?' | '\n' | '(' | ')' | '\u{2013}' | '\u{2014}' => true,
            _ => false,
        };
        if ends || clause.len() >= WORDS {
            clauses.push(std::mem::take(&mut clause));
        }
    }
    clauses.retain(|clause| !clause.is_empty());
    clauses
}

/// Adds a word, expanding contractions.
fn push(clause: &mut Vec<String>, word: &str) {
    let word = word.trim_matches('\'');
    let denies = word.ends_with("n't")
        || matches!(
            word,
            "cannot"
                | "cant"
                | "dont"
                | "doesnt"
                | "isnt"
                | "arent"
                | "shouldnt"
                | "mustnt"
                | "wont"
        );
    if denies {
        clause.extend(["do".to_owned(), "not".to_owned()]);
        return;
    }
    // `team's` counts as the team.
    let word = word.split('\'').next().unwrap_or(word);
    if !word.is_empty() {
        clause.push(word.to_owned());
    }
}

/// Whether a word has no content.
pub(super) fn is_nothing(word: &str) -> bool {
    similarity::is_stop_word(word) || EMPTY.contains(&word) || PREPOSITIONS.contains(&word)
}

/// Returns the role of the word at a position, and the number of words that share it.
pub(super) fn role(words: &[String], at: usize) -> (Role, usize) {
    let (before, rest) = words.split_at(at);
    let word = |ahead: usize| rest.get(ahead).map_or("", String::as_str);
    let phrase = |phrases: &[&[&str]]| {
        let fits = |phrase: &&&[&str]| {
            rest.len() >= phrase.len() && phrase.iter().zip(rest).all(|(one, two)| one == two)
        };
        phrases.iter().find(fits).map(|phrase| phrase.len())
    };
    if matches!(word(0), "no" | "not") {
        match (word(1), word(2)) {
            ("only" | "just" | "merely" | "simply" | "least" | "doubt", _) => {
                return (Role::Nothing, 2);
            }
            (
                "more" | "longer" | "later" | "less" | "fewer" | "earlier" | "larger" | "shorter",
                "than",
            ) => {
                return (Role::Nothing, 3);
            }
            _ => {}
        }
    }
    if let Some(length) = phrase(DENYING_PHRASES) {
        return (Role::Whole, length);
    }
    if let Some(length) = phrase(AGAINST_PHRASES) {
        return (Role::Rest, length);
    }
    if phrase(&[&["in", "favour", "of"], &["in", "favor", "of"]]).is_some() {
        return (Role::Favour, 3);
    }
    let any =
        |stems: &[&str]| before.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)));
    let replaced = || any(&["replac", "substitut"]);
    let role = match word(0) {
        "not" if before.last().is_none_or(|last| AUXILIARIES.contains(&&**last)) => Role::Whole,
        "never" | "against" | "nobody" | "none" => Role::Whole,
        "no" | "not" | "neither" | "nor" | "except" => Role::Rest,
        "without" | "unless" => Role::Without,
        "over" if any(PREFERRING) => Role::Rest,
        "to" if any(&["prefer"]) => Role::Rest,
        "from" => Role::From,
        "to" | "into" if before.iter().any(|word| word == "from") => Role::To,
        "with" | "by" if replaced() => Role::To,
        word if word.starts_with("replac") || word.starts_with("substitut") => Role::Replaced,
        word if denies(word, before.last().map(String::as_str)) => Role::Whole,
        word if PREPOSITIONS.contains(&word) => Role::Preposition,
        word if is_nothing(word) => Role::Nothing,
        _ => Role::Content,
    };
    (role, 1)
}

/// Whether a verb denies its clause. A participle before its noun ("deleted rows") does not: it only names the thing.
fn denies(word: &str, before: Option<&str>) -> bool {
    let denying =
        matches!(word, "deny" | "denies" | "denied" | "ban" | "bans" | "banned" | "banning")
            || DENYING
                .iter()
                .any(|stem| word.strip_prefix(stem).is_some_and(|form| FORMS.contains(&form)));
    let finite = !word.ends_with("ed")
        || before.is_some_and(|before| {
            AUXILIARIES.contains(&before) || before == "not" || before == "never"
        });
    denying && finite
}
