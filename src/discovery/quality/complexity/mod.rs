//! Cyclomatic complexity per function, by the token method of the tool `lizard`.
//!
//! A function starts at 1, and each decision token adds one ([`Language`] lists them). Named inner functions, methods
//! of inner classes and, in Go and scripts, function literals are functions of their own; Rust's closures and the
//! lambdas of Java and Python belong to the enclosing function. No syntax tree is built: brackets are paired once,
//! functions are ranges of tokens, and every decision counts for the innermost enclosing range. Everything is linear
//! in the text, without recursion.
//!
//! If the tool misreads valid code, its result is not reproduced; `fixtures/complexity/README.md` lists the
//! differences.

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
    /// Decisions: `if for while where && || ?`, an arm of a match except the first, `let ... else`.
    Rust,
    /// Decisions: `if elif for while except finally and or`, `case` of a match.
    Python,
    /// Decisions: `if for while catch case && || ?? ?`, a default value of a parameter or of a
    /// pattern.
    JavaScript,
    /// As JavaScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Decisions: `if for case && ||`.
    Go,
    /// Decisions: `if for while catch case && || ?`.
    Java,
}

impl Language {
    /// Returns the language of a file by its name.
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
    /// Qualified by its enclosing items; `(anonymous)` if it has no name. The second of two with one name is
    /// `name#2`.
    pub name: String,
    /// Its first line, from 1.
    pub line: u32,
    /// At least 1.
    pub complexity: u32,
    /// Number of its decisions that are cases of a `match` or `switch`.
    pub cases: u32,
    /// Whether the text marks it as a test.
    pub is_test: bool,
}

/// Returns the functions of a text in order of their starts.
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

/// Distinguishes functions with one name by their order, which changes only if one is inserted
/// before.
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

/// Maximum number of tokens skipped when looking ahead or behind, brackets counting as one: anything longer is
/// not a header, and hostile text cannot make the total quadratic.
const LOOK: usize = 1_000;

const ANONYMOUS: &str = "(anonymous)";

/// A function as a range of tokens.
#[derive(Debug)]
struct Range {
    name: String,
    line: u32,
    /// The first token that counts for it.
    start: usize,
    /// The last such token.
    end: usize,
    is_test: bool,
}

/// Counts decisions, each for the innermost enclosing range.
///
/// `text` gives a token as text: `case`, or the `=>` of an arm, marks a decision as a case.
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

/// Pairs brackets: for each opening one the index of its closing one, or the last token if that is missing.
fn pair(tokens: &[Token<'_>]) -> Vec<usize> {
    /// How far back a closing bracket searches for its opening one: beyond, the text is broken
    /// anyway.
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

/// Joins the names of the enclosing items.
fn qualified(around: &[(String, usize)], name: &str, separator: &str) -> String {
    /// Maximum number of enclosing names kept: code that nests deeper is generated or hostile.
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
