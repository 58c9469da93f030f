//! Functions of Go.

use super::lex::{Kind, Token};
use super::{ANONYMOUS, Function, Range, pair, qualified, tally};

pub(super) fn functions(tokens: &[Token<'_>]) -> Vec<Function> {
    let close = pair(tokens);
    tally(
        tokens.len(),
        ranges(tokens, &close),
        |at| tokens[at].text,
        |at| {
            u32::from(
                tokens[at].kind != Kind::Literal
                    && matches!(tokens[at].text, "if" | "for" | "case" | "&&" | "||"),
            )
        },
    )
}

fn ranges(tokens: &[Token<'_>], close: &[usize]) -> Vec<Range> {
    let mut ranges = Vec::new();
    let mut around: Vec<(String, usize)> = Vec::new();
    // A function type in a signature is not a literal, although a body follows it.
    let mut signature_end = 0;
    for (at, token) in tokens.iter().enumerate() {
        while around.last().is_some_and(|(_, end)| *end < at) {
            around.pop();
        }
        if at < signature_end || !(token.is_word() && token.text == "func") {
            continue;
        }
        let Some((name, body)) = declaration(tokens, close, at).or_else(|| {
            literal(tokens, close, at).map(|body| (variable(tokens, at).to_owned(), body))
        }) else {
            continue;
        };
        ranges.push(Range {
            name: qualified(&around, &name, "."),
            line: token.line,
            start: at,
            end: close[body],
            is_test: false,
        });
        around.push((name, close[body]));
        signature_end = body;
    }
    ranges
}

/// Parses `func Name(...)` and `func (r *T) Name(...)`, with a body.
fn declaration(tokens: &[Token<'_>], close: &[usize], at: usize) -> Option<(String, usize)> {
    let first = tokens.get(at + 1)?;
    let (receiver, name) = if first.is("(") {
        let name = close[at + 1] + 1;
        // A receiver is short; anything longer is not one, and is not scanned over and over.
        let words = || tokens[at + 2..close[at + 1].max(at + 2)].iter().take(40);
        // `(s *S[T])`: the type is the last word before its parameters.
        let receiver = words()
            .take_while(|token| !token.is("["))
            .filter(|token| token.is_word())
            .last()
            .map_or("", |token| token.text);
        (receiver, name)
    } else {
        ("", at + 1)
    };
    let word = (tokens.get(name)).filter(|token| token.is_word() && token.text != "func")?;
    let mut next = name + 1;
    if tokens.get(next)?.is("[") {
        next = close[next] + 1;
    }
    if !tokens.get(next)?.is("(") || tokens[close[next]].line < word.line {
        return None;
    }
    let body = after_type(tokens, close, close[next] + 1);
    let full = if receiver.is_empty() {
        word.text.to_owned()
    } else {
        format!("{receiver}.{}", word.text)
    };
    (tokens.get(body)?.is("{")).then_some((full, body))
}

/// Finds the body of a function literal; a function type has none.
fn literal(tokens: &[Token<'_>], close: &[usize], at: usize) -> Option<usize> {
    if !tokens.get(at + 1)?.is("(") {
        return None;
    }
    // `[]func() {` and `chan func() {` begin composite literals and other bodies.
    if at > 0 && matches!(tokens[at - 1].text, "]" | "chan" | "*") {
        return None;
    }
    let body = after_type(tokens, close, close[at + 1] + 1);
    tokens.get(body)?.is("{").then_some(body)
}

/// Names a literal after the variable in `var h = func`, the only case that the tool names.
fn variable<'a>(tokens: &[Token<'a>], at: usize) -> &'a str {
    if at >= 3 && tokens[at - 1].is("=") && tokens[at - 2].is_word() && tokens[at - 3].is("var") {
        return tokens[at - 2].text;
    }
    ANONYMOUS
}

/// Skips a result type, if there is one on the same line.
fn after_type(tokens: &[Token<'_>], close: &[usize], from: usize) -> usize {
    let mut at = from;
    loop {
        let (Some(token), Some(before)) = (tokens.get(at), tokens.get(at.wrapping_sub(1))) else {
            return at;
        };
        if token.line != before.line || token.kind == Kind::Literal {
            return at;
        }
        match token.text {
            "*" | "<" | "-" | "chan" | "map" => at += 1,
            "(" => return close[at] + 1,
            "[" => at = close[at] + 1,
            "func" => {
                if !tokens.get(at + 1).is_some_and(|next| next.is("(")) {
                    return at;
                }
                at = close[at + 1] + 1;
            }
            "struct" | "interface" => {
                return if tokens.get(at + 1).is_some_and(|next| next.is("{")) {
                    close[at + 1] + 1
                } else {
                    at + 1
                };
            }
            _ if token.is_word() => {
                at += 1;
                while tokens.get(at).is_some_and(|next| next.is(".")) {
                    at += 2;
                }
                if tokens.get(at).is_some_and(|next| next.is("[")) {
                    at = close[at] + 1;
                }
                return at;
            }
            _ => return at,
        }
    }
}
