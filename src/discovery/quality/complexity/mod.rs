//! Cyclomatic complexity per function, by the token method of the tool `lizard`.
//!
//! A function starts at 1; each token that decides adds one ([`Language`] says which). Named inner functions,
//! methods of inner classes and, in Go and scripts, function literals are functions of their own; the closures of
//! Rust, the lambdas of Java and Python belong to the function around them. No syntax tree is built: brackets are
//! paired once, functions are ranges of tokens, and every decision is counted for the innermost range around it.
//! Everything is linear in the text, without recursion.
//!
//! Where the tool misreads valid code, this does not follow it; `fixtures/complexity/README.md` lists the differences.

mod go;
mod java;
mod lex;
mod python;
mod rust;
mod script;

use lex::Token;

/// A language whose functions are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Decides: `if for while where && || ?`, an arm of a match but the first, `let ... else`.
    Rust,
    /// Decides: `if elif for while except finally and or`, `case` of a match.
    Python,
    /// Decides: `if for while catch case && || ?? ?`, a default value of a parameter or of a pattern.
    JavaScript,
    /// As JavaScript.
    TypeScript,
    /// TypeScript with elements.
    Tsx,
    /// Decides: `if for case && ||`.
    Go,
    /// Decides: `if for while catch case && || ?`.
    Java,
}

impl Language {
    /// Tells the language of a file by its name.
    pub fn of(name: &str) -> Option<Self> {
        if name.ends_with(".d.ts") || name.ends_with(".d.mts") || name.ends_with(".d.cts") {
            return None;
        }
        let (_, extension) = name.rsplit_once('.')?;
        match extension {
            "rs" => Some(Self::Rust),
            "py" => Some(Self::Python),
            "js" | "mjs" | "cjs" | "jsx" => Some(Self::JavaScript),
            "ts" | "mts" | "cts" => Some(Self::TypeScript),
            "tsx" => Some(Self::Tsx),
            "go" => Some(Self::Go),
            "java" => Some(Self::Java),
            _ => None,
        }
    }
}

/// A function with its complexity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Qualified by what it is in; `(anonymous)` where it has no name. Of two with one name, the second is `name#2`.
    pub name: String,
    /// Where it begins, from 1.
    pub line: u32,
    /// At least 1.
    pub complexity: u32,
    /// How many of its decisions are cases of a `match` or `switch`.
    pub cases: u32,
    /// Whether the text itself says that it is a test.
    pub is_test: bool,
}

/// Returns the functions of a text in the order of their beginnings.
pub fn functions(text: &str, language: Language) -> Vec<Function> {
    let mut found = match language {
        Language::Rust => rust::functions(&lex::lex(text, language)),
        Language::Go => go::functions(&lex::lex(text, language)),
        Language::Java => java::functions(&lex::lex(text, language)),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            script::functions(&lex::lex(text, language), language != Language::JavaScript)
        }
        Language::Python => python::functions(text),
    };
    number(&mut found);
    found
}

/// Tells functions of one name apart by their order, which changes only when one is added before.
fn number(functions: &mut [Function]) {
    let mut seen = std::collections::HashMap::<String, u32>::new();
    for function in functions {
        let count = seen.entry(function.name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            function.name = format!("{}#{count}", function.name);
        }
    }
}

/// Tokens that a look ahead or behind passes over at most, brackets being one: what is longer is no header, and
/// hostile text cannot make the whole quadratic.
const LOOK: usize = 1_000;

/// The name of a function that has none.
const ANONYMOUS: &str = "(anonymous)";

/// A function as a range of tokens.
#[derive(Debug)]
struct Range {
    name: String,
    line: u32,
    /// The first token that counts for it.
    start: usize,
    /// The last one.
    end: usize,
    is_test: bool,
}

/// Counts decisions: each for the innermost range around it.
///
/// `text` gives a token as text: `case`, or the `=>` of an arm, tells cases from other decisions.
fn tally<'a>(
    len: usize,
    mut ranges: Vec<Range>,
    text: impl Fn(usize) -> &'a str,
    decides: impl Fn(usize) -> u32,
) -> Vec<Function> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut counts = vec![(1_u32, 0_u32); ranges.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for at in 0..len {
        while open.last().is_some_and(|&range| ranges[range].end < at) {
            open.pop();
        }
        while next < ranges.len() && ranges[next].start <= at {
            open.push(next);
            next += 1;
        }
        if let Some(&range) = open.last() {
            let decisions = decides(at);
            let (all, cases) = &mut counts[range];
            *all = all.saturating_add(decisions);
            if decisions > 0 && matches!(text(at), "case" | "=>") {
                *cases = cases.saturating_add(1);
            }
        }
    }
    ranges
        .into_iter()
        .zip(counts)
        .map(|(range, (complexity, cases))| Function {
            name: range.name,
            line: range.line,
            complexity,
            cases,
            is_test: range.is_test,
        })
        .collect()
}

/// Pairs brackets: for each opening one the index of its closing one; the last token where that is missing.
fn pair(tokens: &[Token<'_>]) -> Vec<usize> {
    /// How far back a closing bracket looks for its own: beyond, the text is broken anyway.
    const SEARCH: usize = 64;
    let last = tokens.len().saturating_sub(1);
    let mut close = vec![last; tokens.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        if token.kind != lex::Kind::Punct {
            continue;
        }
        let opening = match token.text {
            "(" | "[" | "{" => {
                open.push(at);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        let near = open.len().saturating_sub(SEARCH);
        let found = open[near..].iter().rposition(|&at| tokens[at].text == opening);
        if let Some(found) = found {
            for &unclosed in &open[near + found + 1..] {
                close[unclosed] = at;
            }
            close[open[near + found]] = at;
            open.truncate(near + found);
        }
    }
    close
}

/// Joins the names of what is around a function.
fn qualified(around: &[(String, usize)], name: &str, separator: &str) -> String {
    /// Names around one that are kept: code that nests deeper is generated or hostile.
    const MOST: usize = 6;
    let mut parts: Vec<&str> = (around.iter().rev())
        .map(|(name, _)| name.as_str())
        .filter(|name| !name.is_empty())
        .take(MOST)
        .collect();
    parts.reverse();
    parts.push(name);
    parts.join(separator)
}

#[cfg(test)]
mod tests;
