//! Methods of Java.

use std::collections::HashMap;

use super::lex::{Kind, Token};
use super::{ANONYMOUS, Function, LOOK, Range, pair, qualified, tally};

/// Words before a parenthesis that are not method names.
const STATEMENTS: [&str; 16] = [
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "try",
    "synchronized",
    "return",
    "throw",
    "new",
    "assert",
    "else",
    "do",
    "super",
    "this",
    "instanceof",
];

pub(super) fn functions(tokens: &[Token<'_>]) -> Vec<Function> {
    let close = pair(tokens);
    tally(
        tokens.len(),
        ranges(tokens, &close),
        |at| tokens[at].text,
        |at| {
            u32::from(
                tokens[at].kind != Kind::Literal
                    && matches!(
                        tokens[at].text,
                        "if" | "for" | "while" | "catch" | "case" | "&&" | "||" | "?"
                    ),
            )
        },
    )
}

/// The content of a brace.
enum Block {
    /// Members of a type.
    Type {
        name: String,
        end: usize,
        /// Whether a field's value is being read: calls in it are not methods.
        value: bool,
    },
    /// Statements.
    Code { end: usize },
}

fn ranges(tokens: &[Token<'_>], close: &[usize]) -> Vec<Range> {
    let mut ranges = Vec::new();
    let mut around: Vec<(String, usize)> = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    // Braces whose meaning is known in advance.
    let mut types: HashMap<usize, String> = HashMap::new();
    let mut at = 0;
    while at < tokens.len() {
        while around.last().is_some_and(|(_, end)| *end < at) {
            around.pop();
        }
        let token = &tokens[at];
        if token.kind == Kind::Literal {
            at += 1;
            continue;
        }
        if token.is("@") && !tokens.get(at + 1).is_some_and(|next| next.is("interface")) {
            at = after_annotation(tokens, close, at);
            continue;
        }
        if let Some((name, brace)) = declared_type(tokens, close, at) {
            types.insert(brace, name);
            // The parameters of a record do not belong to a method.
            at = brace;
            continue;
        } else if token.is("new")
            && let Some(brace) = anonymous_type(tokens, close, at)
        {
            types.insert(brace, ANONYMOUS.to_owned());
        }
        let in_type = match blocks.last_mut() {
            Some(Block::Type { name, value, .. }) => {
                match token.text {
                    "=" => *value = true,
                    ";" => *value = false,
                    _ => {}
                }
                (!*value).then(|| name.clone())
            }
            Some(Block::Code { .. }) | None => None,
        };
        match token.text {
            "{" => {
                let end = close[at];
                blocks.push(if let Some(name) = types.remove(&at) {
                    around.push((name.clone(), end));
                    Block::Type { name, end, value: false }
                } else {
                    Block::Code { end }
                });
            }
            "}" => {
                while let Some(Block::Type { end, .. } | Block::Code { end }) = blocks.last() {
                    if *end > at {
                        break;
                    }
                    blocks.pop();
                }
            }
            _ => {
                let method = in_type.and_then(|owner| method(tokens, close, at, &owner));
                match method {
                    Some(Member::Method { body }) => {
                        ranges.push(Range {
                            name: qualified(&around, token.text, "."),
                            line: token.line,
                            start: at,
                            end: close[body],
                            is_test: false,
                        });
                        around.push((token.text.to_owned(), close[body]));
                        at = body;
                        continue;
                    }
                    Some(Member::Constant { brace }) => {
                        types.insert(brace, token.text.to_owned());
                    }
                    None => {}
                }
            }
        }
        at += 1;
    }
    ranges
}

/// Skips `@a.b.Name(...)`.
fn after_annotation(tokens: &[Token<'_>], close: &[usize], at: usize) -> usize {
    let mut next = at + 2;
    while tokens.get(next).is_some_and(|token| token.is(".")) {
        next += 2;
    }
    if tokens.get(next).is_some_and(|token| token.is("(")) {
        next = close[next] + 1;
    }
    next.max(at + 1)
}

/// Parses `class Name ... {` and similar.
fn declared_type(tokens: &[Token<'_>], close: &[usize], at: usize) -> Option<(String, usize)> {
    let token = &tokens[at];
    if !token.is_word() || !matches!(token.text, "class" | "interface" | "enum" | "record") {
        return None;
    }
    // `Foo.class` and a variable with that name are not declarations.
    if at > 0 && matches!(tokens[at - 1].text, "." | "::") {
        return None;
    }
    let name = tokens.get(at + 1).filter(|next| next.is_word())?;
    let after = tokens.get(at + 2)?;
    if token.text == "record" && !(after.is("(") || after.is("<")) {
        return None;
    }
    let mut next = at + 2;
    for _ in 0..LOOK {
        let token = tokens.get(next)?;
        match token.text {
            "{" => return Some((name.text.to_owned(), next)),
            ";" | "}" | "=" | ")" => return None,
            "(" | "[" => next = close[next],
            _ => {}
        }
        next += 1;
    }
    None
}

/// Finds the body of `new T<...>(...) {`.
fn anonymous_type(tokens: &[Token<'_>], close: &[usize], at: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (next, token) in tokens.iter().enumerate().skip(at + 1).take(LOOK) {
        match token.text {
            "<" => depth += 1,
            ">" => depth -= 1,
            "(" if depth <= 0 => {
                let brace = close[next] + 1;
                return tokens.get(brace)?.is("{").then_some(brace);
            }
            "," | "?" | "&" | "[" | "]" if depth > 0 => {}
            _ if token.is_word() || token.is(".") => {}
            _ => return None,
        }
    }
    None
}

enum Member {
    Method { body: usize },
    Constant { brace: usize },
}

/// Parses a type member that begins with this name: a method with a body, or a constant with one.
fn method(tokens: &[Token<'_>], close: &[usize], at: usize, owner: &str) -> Option<Member> {
    let name = &tokens[at];
    if !name.is_word() || STATEMENTS.contains(&name.text) {
        return None;
    }
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    let next = tokens.get(at + 1)?;
    // The compact constructor of a record.
    if name.text == owner && next.is("{") {
        return Some(Member::Method { body: at + 1 });
    }
    let starts_constant = before.is_none_or(|before| matches!(before.text, "{" | ","));
    if next.is("{") && starts_constant {
        return Some(Member::Constant { brace: at + 1 });
    }
    if !next.is("(") {
        return None;
    }
    let after = close[at + 1] + 1;
    if starts_constant && name.text != owner {
        let brace = tokens.get(after).filter(|token| token.is("{"))?;
        return brace.is("{").then_some(Member::Constant { brace: after });
    }
    let mut body = after;
    for _ in 0..LOOK {
        let token = tokens.get(body)?;
        match token.text {
            "{" => return Some(Member::Method { body }),
            "throws" | "." | "," | "[" | "]" => {}
            "@" => {
                body = after_annotation(tokens, close, body);
                continue;
            }
            _ if token.is_word() && token.text != "default" => {}
            _ => return None,
        }
        body += 1;
    }
    None
}
