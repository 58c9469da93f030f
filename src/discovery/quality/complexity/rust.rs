//! Functions of Rust.

use super::lex::Token;
use super::{Function, LOOK, Range, pair, qualified, tally};

pub(super) fn functions(tokens: &[Token<'_>]) -> Vec<Function> {
    let close = pair(tokens);
    let extra = extra_decisions(tokens, &close);
    tally(
        tokens.len(),
        ranges(tokens, &close),
        |at| tokens[at].text,
        |at| {
            let keyword = tokens[at].kind != super::lex::Kind::Literal
                && matches!(
                    tokens[at].text,
                    "if" | "for" | "while" | "where" | "catch" | "&&" | "||" | "?"
                );
            u32::from(keyword) + u32::from(extra[at])
        },
    )
}

fn ranges(tokens: &[Token<'_>], close: &[usize]) -> Vec<Range> {
    let mut ranges = Vec::new();
    // Enclosing items, each with the token that ends it; and where test code ends.
    let mut around: Vec<(String, usize)> = Vec::new();
    let mut test_until: Option<usize> = None;
    let mut test_attribute = false;
    let mut at = 0;
    while at < tokens.len() {
        while around.last().is_some_and(|(_, end)| *end < at) {
            around.pop();
        }
        if test_until.is_some_and(|end| end < at) {
            test_until = None;
        }
        let token = &tokens[at];
        if token.is("#") && tokens.get(at + 1).is_some_and(|next| next.is("[")) {
            test_attribute |= is_test_attribute(&tokens[at + 2..close[at + 1].max(at + 2)]);
            at = close[at + 1] + 1;
            continue;
        }
        let name = tokens.get(at + 1).filter(|next| next.is_word());
        match (token.text, name) {
            ("fn", Some(name)) if token.is_word() => {
                if let Some(body) = body_of(tokens, close, at + 2) {
                    let end = close[body];
                    let is_test = test_attribute || test_until.is_some();
                    ranges.push(Range {
                        name: qualified(&around, name.text, "::"),
                        line: token.line,
                        start: at,
                        end,
                        is_test,
                    });
                    if is_test {
                        test_until = test_until.max(Some(end));
                    }
                    around.push((name.text.to_owned(), end));
                }
                test_attribute = false;
            }
            ("mod" | "trait", Some(name)) if token.is_word() => {
                if let Some(body) = body_of(tokens, close, at + 2) {
                    around.push((name.text.to_owned(), close[body]));
                    if test_attribute {
                        test_until = test_until.max(Some(close[body]));
                    }
                }
                test_attribute = false;
            }
            ("impl", _) if token.is_word() && begins_item(tokens, at) => {
                if let Some(body) = body_of(tokens, close, at + 1) {
                    around.push((self_type(&tokens[at + 1..body]), close[body]));
                    if test_attribute {
                        test_until = test_until.max(Some(close[body]));
                    }
                }
                test_attribute = false;
            }
            (";" | "{" | "}", _) if !token.is_word() => test_attribute = false,
            _ => {}
        }
        at += 1;
    }
    ranges
}

/// Whether an `impl` begins an item, and is not the type of an argument.
fn begins_item(tokens: &[Token<'_>], at: usize) -> bool {
    at == 0 || matches!(tokens[at - 1].text, "{" | "}" | ";" | "]" | "unsafe" | "default")
}

/// Whether an attribute marks the next item as a test.
fn is_test_attribute(inner: &[Token<'_>]) -> bool {
    let says = |text: &str| inner.iter().any(|token| token.is(text));
    match inner.first() {
        Some(first) if first.is("cfg") => says("test") && !says("not"),
        Some(_) => {
            // `#[test]`, `#[tokio::test]`, `#[rstest]`, `#[bench]`.
            let path: Vec<&str> =
                inner.iter().take_while(|token| !token.is("(")).map(|token| token.text).collect();
            matches!(path.last(), Some(&("test" | "rstest" | "bench" | "test_case" | "proptest")))
        }
        None => false,
    }
}

/// Finds the brace that opens a body; `None` if the item ends without one.
fn body_of(tokens: &[Token<'_>], close: &[usize], from: usize) -> Option<usize> {
    let mut at = from;
    for _ in 0..LOOK {
        match tokens.get(at)?.text {
            "{" => return Some(at),
            ";" | "}" => return None,
            "(" | "[" => at = close[at],
            _ => {}
        }
        at += 1;
    }
    None
}

/// Names the type of an `impl`: the last part of its path, without parameters.
fn self_type(header: &[Token<'_>]) -> String {
    let end = header.iter().position(|token| token.is("where")).unwrap_or(header.len());
    let mut depth = 0_i32;
    let mut name = "";
    for token in &header[..end] {
        match token.text {
            "<" => depth += 1,
            ">" => depth -= 1,
            "for" if depth == 0 => name = "",
            "dyn" | "mut" | "const" | "unsafe" => {}
            text if depth == 0 && token.is_word() => name = text,
            _ => {}
        }
    }
    name.to_owned()
}

/// Marks decisions without a keyword: arms of a match except the first, and the `else` of a `let`.
fn extra_decisions(tokens: &[Token<'_>], close: &[usize]) -> Vec<bool> {
    /// A brace and the decisions seen in it.
    #[derive(Default)]
    struct Block {
        end: usize,
        is_match: bool,
        is_if: bool,
        arm_seen: bool,
        /// Bracket depths at which an `if` waits for its body.
        waiting: Vec<u32>,
        depth: u32,
    }
    let mut extra = vec![false; tokens.len()];
    let mut arms = std::collections::HashSet::new();
    let mut blocks = vec![Block { end: usize::MAX, ..Block::default() }];
    let mut closed_if = false;
    for (at, token) in tokens.iter().enumerate() {
        let was_closed_if = std::mem::take(&mut closed_if);
        let Some(block) = blocks.last_mut() else {
            break;
        };
        if token.kind == super::lex::Kind::Literal {
            continue;
        }
        match token.text {
            "match" => {
                if let Some(body) = body_of(tokens, close, at + 1) {
                    arms.insert(body);
                }
            }
            "if" => block.waiting.push(block.depth),
            "else" if !was_closed_if => extra[at] = true,
            "=>" if block.is_match => {
                extra[at] = block.arm_seen;
                block.arm_seen = true;
                block.waiting.clear();
            }
            "(" | "[" => block.depth += 1,
            ")" | "]" => block.depth = block.depth.saturating_sub(1),
            "{" => {
                let is_match = arms.remove(&at);
                let is_if = !is_match && block.waiting.last() == Some(&block.depth);
                if is_if {
                    block.waiting.pop();
                }
                blocks.push(Block { end: close[at], is_match, is_if, ..Block::default() });
            }
            "}" if block.end == at => {
                // The body of an `else` needs no mark: only `else if` may follow it.
                closed_if = block.is_if;
                blocks.pop();
            }
            _ => {}
        }
    }
    extra
}
