//! Functions of JavaScript and TypeScript.

mod bindings;
mod types;

use std::collections::HashSet;

use super::lex::{Kind, Token};
use super::{ANONYMOUS, Function, LOOK, Range, pair, qualified, tally};

/// Words before a parenthesis that are not method names.
const STATEMENTS: [&str; 19] = [
    "if", "for", "while", "switch", "catch", "with", "function", "return", "await", "typeof",
    "void", "delete", "new", "case", "throw", "yield", "do", "else", "super",
];

pub(super) fn functions(tokens: &[Token<'_>], typed: bool) -> Vec<Function> {
    let close = pair(tokens);
    let mut finder = Finder {
        tokens,
        close: &close,
        typed,
        ranges: Vec::new(),
        around: Vec::new(),
        classes: Vec::new(),
        defaults: HashSet::new(),
        skipped: HashSet::new(),
    };
    finder.find();
    let Finder { ranges, defaults, skipped, .. } = finder;
    tally(
        tokens.len(),
        ranges,
        |at| tokens[at].text,
        |at| {
            let token = &tokens[at];
            if token.kind == Kind::Literal || skipped.contains(&at) {
                return 0;
            }
            // A key or member with that name is not a keyword.
            let is_name = token.is_word()
                && (at > 0 && matches!(tokens[at - 1].text, "." | "?.")
                    || tokens.get(at + 1).is_some_and(|next| next.is(":")));
            let decides = match token.text {
                "?" => !is_optional(tokens, at),
                "if" | "for" | "while" | "catch" | "case" => !is_name,
                "&&" | "||" | "??" => true,
                _ => false,
            };
            u32::from(decides) + u32::from(defaults.contains(&at))
        },
    )
}

/// Whether a `?` marks an optional member or parameter.
fn is_optional(tokens: &[Token<'_>], at: usize) -> bool {
    tokens.get(at + 1).is_none_or(|next| {
        matches!(next.text, ":" | ")" | "," | ";" | "=") && next.kind == Kind::Punct
    })
}

struct Finder<'a> {
    tokens: &'a [Token<'a>],
    close: &'a [usize],
    typed: bool,
    ranges: Vec<Range>,
    around: Vec<(String, usize)>,
    /// Open braces of classes: their first and last tokens.
    classes: Vec<(usize, usize)>,
    /// The `=` tokens of default values.
    defaults: HashSet<usize>,
    /// Tokens of types.
    skipped: HashSet<usize>,
}

impl Finder<'_> {
    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn text(&self, at: usize) -> &str {
        (self.tokens.get(at))
            .filter(|token| token.kind != Kind::Literal)
            .map_or("", |token| token.text)
    }

    fn is_name(&self, at: usize) -> bool {
        (self.tokens.get(at)).is_some_and(|token| {
            token.is_word() && !token.text.starts_with(|c: char| c.is_ascii_digit())
        })
    }

    fn find(&mut self) {
        let mut at = 0;
        while at < self.tokens.len() {
            while self.around.last().is_some_and(|(_, end)| *end < at) {
                self.around.pop();
            }
            while self.classes.last().is_some_and(|(_, end)| *end < at) {
                self.classes.pop();
            }
            at = self.step(at);
        }
    }

    /// Handles one token; returns the next position.
    fn step(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        if token.kind == Kind::Literal {
            return at + 1;
        }
        let after_dot = at > 0 && matches!(self.text(at - 1), "." | "?.");
        match token.text {
            "class" if !after_dot && !self.is(at + 1, ":") => self.class(at),
            "interface" | "enum" | "namespace" if self.typed && self.is_name(at + 1) => {
                if token.text == "interface"
                    && let Some(brace) = self.brace_after(at + 1)
                {
                    return self.close[brace] + 1;
                }
            }
            "type" if self.typed && self.is_name(at + 1) && !after_dot => {
                let equals = (at + 2..self.tokens.len().min(at + 200))
                    .find(|&next| matches!(self.text(next), "=" | ";" | "{" | ")"));
                if let Some(equals) = equals.filter(|&next| self.is(next, "=")) {
                    return self.skip_type(equals + 1);
                }
            }
            "const" | "let" | "var" => return self.declaration(at),
            "function" if !after_dot && !self.is(at + 1, ":") => self.function(at),
            "=>" if !self.skipped.contains(&at) => self.arrow(at),
            "{" | "[" if self.is(self.close[at] + 1, "=") && self.expects_operand(at) => {
                self.binding(at);
            }
            "catch" if self.is(at + 1, "(") => self.binding(at + 1),
            "(" => return self.parenthesis(at),
            ":" if self.typed && self.in_class_directly(at) => {
                let end = self.skip_type(at + 1);
                self.skip(at + 1, end);
                return end;
            }
            _ => {}
        }
        at + 1
    }

    /// Whether an operand is expected here, and not an index or a block.
    fn expects_operand(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return true;
        };
        let token = &self.tokens[before];
        match token.kind {
            Kind::Word => matches!(token.text, "const" | "let" | "var" | "of" | "return"),
            Kind::Literal => false,
            Kind::Punct => !matches!(token.text, ")" | "]"),
        }
    }

    fn class(&mut self, at: usize) {
        let name = if self.is_name(at + 1) && !self.is(at + 1, "extends") {
            self.text(at + 1).to_owned()
        } else {
            self.variable(at).unwrap_or_default()
        };
        if let Some(brace) = self.brace_after(at + 1) {
            let end = self.close[brace];
            self.classes.push((brace, end));
            self.around.push((name, end));
        }
    }

    /// Finds the brace that opens a class.
    fn brace_after(&self, from: usize) -> Option<usize> {
        let mut at = from;
        for _ in 0..LOOK {
            match self.text(at) {
                "{" => return Some(at),
                ";" | "}" => return None,
                "(" | "[" => at = self.close[at],
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Whether a token is directly among the members of a class.
    fn in_class_directly(&self, at: usize) -> bool {
        let Some(&(start, end)) = self.classes.last() else {
            return false;
        };
        start < at
            && at < end
            && self.ranges.last().is_none_or(|range| range.end < at || range.start < start)
            && self.member_start(at).is_some()
    }

    /// Whether only a member's name and its modifiers precede a colon.
    fn member_start(&self, at: usize) -> Option<usize> {
        let mut before = at.checked_sub(1)?;
        if matches!(self.text(before), "?" | "!") {
            before = before.checked_sub(1)?;
        }
        if !self.is_name(before) {
            return None;
        }
        let start = before.checked_sub(1)?;
        let modifier = matches!(
            self.text(start),
            "{" | "}"
                | ";"
                | "public"
                | "private"
                | "protected"
                | "readonly"
                | "static"
                | "declare"
                | "override"
                | "abstract"
                | "accessor"
        );
        let other_line = self.tokens[start].line < self.tokens[before].line;
        (modifier || other_line).then_some(before)
    }

    fn function(&mut self, at: usize) {
        let mut next = at + 1;
        if self.is(next, "*") {
            next += 1;
        }
        let named = self.is_name(next);
        let name = if named {
            self.text(next).to_owned()
        } else {
            let from = if at > 0 && self.is(at - 1, "async") { at - 1 } else { at };
            self.variable(from).unwrap_or_else(|| ANONYMOUS.to_owned())
        };
        let Some(open) = self.parameters(if named { next + 1 } else { next }) else {
            return;
        };
        if let Some(body) = self.body(self.close[open] + 1) {
            self.binding(open);
            self.push(name, self.tokens[open].line, open, self.close[body]);
        }
    }

    /// Skips type parameters, to the parenthesis of the parameters.
    fn parameters(&self, from: usize) -> Option<usize> {
        let at = if self.typed && self.is(from, "<") { self.after_angles(from) } else { from };
        self.is(at, "(").then_some(at)
    }

    /// Finds the brace of a body after the parameters and a result type.
    fn body(&self, after: usize) -> Option<usize> {
        let at = if self.typed && self.is(after, ":") { self.skip_type(after + 1) } else { after };
        self.is(at, "{").then_some(at)
    }

    fn push(&mut self, name: String, line: u32, start: usize, end: usize) {
        self.ranges.push(Range {
            name: qualified(&self.around, &name, "."),
            line,
            start,
            end,
            is_test: false,
        });
        self.around.push((name, end));
    }

    /// Names a function after its target: `name = `, `name: `.
    fn variable(&self, at: usize) -> Option<String> {
        let sign = at.checked_sub(1)?;
        if !matches!(self.text(sign), "=" | ":") {
            return None;
        }
        let mut name = sign.checked_sub(1)?;
        if self.typed && self.is(sign, "=") && !self.is_assigned(name) {
            // `const name: Type = `: back over the type to the name.
            let first = name.saturating_sub(60);
            let colon = (first..name).rev().find(|&at| self.is(at, ":"))?;
            name = colon.checked_sub(1)?;
        }
        self.is_name(name).then(|| self.text(name).to_owned())
    }

    fn is_assigned(&self, name: usize) -> bool {
        self.is_name(name) && !(name > 0 && matches!(self.text(name - 1), ":" | "|" | "&" | "=>"))
    }

    /// A parenthesis: possibly a method's parameters.
    fn parenthesis(&mut self, at: usize) -> usize {
        let after = self.close[at] + 1;
        if self.is(after, "=>")
            || (self.typed && self.is(after, ":") && self.is(self.skip_type(after + 1), "=>"))
        {
            // Before its content is examined: the types there are not code.
            self.binding(at);
        }
        let name = at.checked_sub(1);
        let Some(name) = name.filter(|&name| {
            let token = &self.tokens[name];
            (self.is_name(name) && !STATEMENTS.contains(&token.text))
                || token.kind == Kind::Literal
                || token.is("]")
                || token.is(">")
        }) else {
            return at + 1;
        };
        // `name<T>(...)`: back over the type parameters.
        let name = if self.is(name, ">") {
            if !self.typed {
                return at + 1;
            }
            let Some(open) = (name.saturating_sub(40)..name).rev().find(|&at| self.is(at, "<"))
            else {
                return at + 1;
            };
            open.saturating_sub(1)
        } else {
            name
        };
        let before = name.checked_sub(1);
        let before_text = before.map_or("", |before| self.text(before));
        if matches!(before_text, "function" | "new" | "." | "?.")
            || (before_text == "*" && name >= 2 && self.is(name - 2, "function"))
        {
            return at + 1;
        }
        let after = self.close[at] + 1;
        let begins_member = matches!(
            before_text,
            "{" | ","
                | ";"
                | "}"
                | "public"
                | "private"
                | "protected"
                | "static"
                | "async"
                | "get"
                | "set"
                | "override"
                | "readonly"
                | "abstract"
                | "*"
        ) || before
            .is_none_or(|before| self.tokens[before].line < self.tokens[name].line);
        let body =
            if begins_member { self.body(after) } else { self.is(after, "{").then_some(after) };
        let Some(body) = body else {
            return at + 1;
        };
        let mut text = match self.tokens[name].kind {
            Kind::Literal => "(literal)".to_owned(),
            Kind::Word => self.text(name).to_owned(),
            Kind::Punct => (name.checked_sub(1))
                .filter(|&inner| self.is_name(inner))
                .map_or_else(|| "(computed)".to_owned(), |inner| self.text(inner).to_owned()),
        };
        if matches!(before_text, "get" | "set") {
            text = format!("{before_text} {text}");
        }
        self.binding(at);
        self.push(text, self.tokens[at].line, at, self.close[body]);
        at + 1
    }

    /// An arrow function: its parameters precede it, its body ends with its expression.
    fn arrow(&mut self, at: usize) {
        let Some(last) = at.checked_sub(1) else {
            return;
        };
        let open = self.arrow_parameters(last);
        let from = open.unwrap_or(last);
        let from = if from > 0 && self.is(from - 1, "async") { from - 1 } else { from };
        let named = self.variable(from);
        let line = match (&named, open) {
            (Some(_), Some(open)) => self.tokens[open].line,
            _ => self.tokens[at].line,
        };
        let end = if self.is(at + 1, "{") { self.close[at + 1] } else { self.arrow_end(at + 1) };
        let start = open.unwrap_or(at);
        if let Some(open) = open {
            self.binding(open);
        }
        self.push(named.unwrap_or_else(|| ANONYMOUS.to_owned()), line, start, end);
    }

    /// Finds the parenthesis of an arrow's parameters; a single name has none.
    fn arrow_parameters(&self, last: usize) -> Option<usize> {
        let first = last.saturating_sub(400);
        (first..=last).rev().find(|&open| {
            self.is(open, "(")
                && (self.close[open] == last
                    || (self.typed
                        && self.is(self.close[open] + 1, ":")
                        && self.skip_type(self.close[open] + 2) == last + 1))
        })
    }

    /// Finds the last token of an arrow's expression.
    fn arrow_end(&self, from: usize) -> usize {
        let mut at = from;
        for _ in 0..LOOK {
            if at >= self.tokens.len() {
                break;
            }
            match self.text(at) {
                "," | ";" | ")" | "]" | "}" => return at.saturating_sub(1),
                "(" | "[" | "{" => at = self.close[at],
                _ if at > from && self.begins_statement(at) => return at - 1,
                _ => {}
            }
            at += 1;
        }
        at.saturating_sub(1)
    }

    /// Whether a new line begins a new statement, without a semicolon.
    fn begins_statement(&self, at: usize) -> bool {
        let (before, token) = (&self.tokens[at - 1], &self.tokens[at]);
        let operand = |token: &Token<'_>| token.kind != Kind::Punct;
        before.line < token.line
            && (operand(before) || matches!(before.text, ")" | "]" | "}"))
            && token.is_word()
            && !matches!(token.text, "instanceof" | "in" | "as" | "of")
    }
}
