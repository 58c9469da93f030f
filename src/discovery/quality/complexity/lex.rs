//! Tokens of source text: only as much as counting decisions needs.
//!
//! Comments and white space are dropped; strings, characters, templates and regular expressions become one
//! [`Kind::Literal`] each, so that no word in them counts. A truncated or invalid text still gives tokens
//! to its end: there are no errors here.

use super::super::newlines;
use super::Language;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, a keyword, a number.
    Word,
    /// An operator or a bracket.
    Punct,
    /// A string, a character, a template, a regular expression, or a JSX element.
    Literal,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    /// Its text; for a literal, only the first byte.
    pub(super) text: &'a str,
    /// From 1.
    pub(super) line: u32,
    pub(super) kind: Kind,
}

impl Token<'_> {
    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }

    /// Whether it is this operator or keyword, and not a string with that text.
    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Literal && self.text == text
    }
}

/// Operators that are one token, longest first.
const OPERATORS: [&str; 21] = [
    "===", "!==", "...", "&&", "||", "??", "?.", "=>", "->", "::", "==", "!=", "<=", ">=", "+=",
    "-=", "*=", "/=", "%=", "++", "--",
];

/// The reader's mode in a text with JSX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// In code, with its number of open braces.
    Code(u32),
    /// In an opening tag.
    Tag,
    /// Between an opening tag and its closing one.
    Children,
}

/// Splits a text in a language with braces into tokens.
pub(super) fn lex(text: &str, language: Language) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line: 1,
        language,
        tokens: Vec::with_capacity(text.len() / 5),
        modes: vec![Mode::Code(0)],
    };
    while lexer.at < lexer.bytes.len() {
        match lexer.modes.last() {
            Some(Mode::Tag) => lexer.tag(),
            Some(Mode::Children) => lexer.children(),
            Some(Mode::Code(_)) | None => lexer.code(),
        }
    }
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    language: Language,
    tokens: Vec<Token<'a>>,
    modes: Vec<Mode>,
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn starts(&self, prefix: &str) -> bool {
        self.bytes[self.at..].starts_with(prefix.as_bytes())
    }

    fn push(&mut self, from: usize, to: usize, kind: Kind) {
        let end = if kind == Kind::Literal { from } else { to };
        self.tokens.push(Token {
            text: self.text.get(from..end).unwrap_or_default(),
            line: self.line,
            kind,
        });
    }

    /// Advances, counting lines.
    fn advance(&mut self, to: usize) {
        let to = to.min(self.bytes.len());
        let passed = self.bytes.get(self.at..to).unwrap_or_default();
        let lines = newlines(passed);
        self.line += u32::try_from(lines).unwrap_or(u32::MAX);
        self.at = to;
    }

    /// Ends a literal that began here.
    fn literal(&mut self, to: usize) {
        self.push(self.at, self.at, Kind::Literal);
        self.advance(to);
    }

    fn is_script(&self) -> bool {
        matches!(self.language, Language::JavaScript | Language::TypeScript | Language::Tsx)
    }

    fn code(&mut self) {
        let byte = self.bytes[self.at];
        if byte.is_ascii_whitespace() {
            self.advance(self.at + 1);
        } else if self.starts("//") {
            let end = self.find_from(self.at, b"\n");
            self.advance(end);
        } else if self.starts("/*") {
            self.block_comment();
        } else if self.starts("#!") && self.at == 0 && self.is_script() {
            let end = self.find_from(self.at, b"\n");
            self.advance(end);
        } else if self.string(byte) {
        } else if is_word_byte(byte) || (byte == b'#' && self.is_script()) {
            let mut end = self.at + 1;
            while self.bytes.get(end).copied().is_some_and(is_word_byte) {
                end += 1;
            }
            self.push(self.at, end, Kind::Word);
            self.at = end;
        } else if byte == b'<' && self.language != Language::TypeScript && self.opens_element() {
            self.push(self.at, self.at, Kind::Literal);
            self.at += 1;
            self.modes.push(Mode::Tag);
        } else {
            self.punct(byte);
        }
    }

    fn punct(&mut self, byte: u8) {
        if byte == b'<' && self.language == Language::Java && self.wildcard() {
            return;
        }
        let long = OPERATORS.iter().find(|operator| self.starts(operator));
        let len = match long {
            // `a?.5:b` is not optional access; outside scripts both are a plain `?`.
            Some(&("?." | "??")) if !self.is_script() => 1,
            Some(&"?.") if self.peek(2).is_ascii_digit() => 1,
            Some(operator) => operator.len(),
            None => 1,
        };
        let nested = self.modes.len() > 1;
        match (byte, self.modes.last_mut()) {
            (b'{', Some(Mode::Code(depth))) => *depth += 1,
            (b'}', Some(Mode::Code(0))) if nested => {
                self.modes.pop();
            }
            (b'}', Some(Mode::Code(depth))) => *depth = depth.saturating_sub(1),
            _ => {}
        }
        self.push(self.at, self.at + len, Kind::Punct);
        self.at += len;
    }

    /// Skips Java's `<? extends T>`, whose `?` is not a decision.
    fn wildcard(&mut self) -> bool {
        let rest = &self.bytes[self.at + 1..];
        let inner = |byte: &u8| {
            is_word_byte(*byte) || byte.is_ascii_whitespace() || matches!(byte, b',' | b'.' | b'?')
        };
        let len = rest.iter().take_while(|byte| inner(byte)).count();
        if rest.get(len) != Some(&b'>') || !rest[..len].contains(&b'?') {
            return false;
        }
        self.push(self.at, self.at + 1, Kind::Punct);
        self.advance(self.at + 1 + len);
        true
    }

    fn block_comment(&mut self) {
        let mut depth = 0_u32;
        let mut at = self.at;
        while at < self.bytes.len() {
            if self.bytes[at..].starts_with(b"*/") {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    break;
                }
            } else if self.bytes[at..].starts_with(b"/*")
                && (depth == 0 || self.language == Language::Rust)
            {
                depth += 1;
                at += 2;
            } else {
                at += 1;
            }
        }
        self.advance(at);
    }

    /// Finds bytes at or after a position; the end of the text if they do not occur.
    fn find_from(&self, from: usize, what: &[u8]) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        (rest.windows(what.len()).position(|window| window == what))
            .map_or(self.bytes.len(), |at| from + at)
    }

    /// Finds the end of a quoted text: after the quote, or at the end of the line if it must end
    /// there.
    fn quoted(&self, from: usize, quote: u8, multiline: bool) -> Option<usize> {
        let mut at = from;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\\' => at += 2,
                b'\n' if !multiline => return None,
                _ if byte == quote => return Some(at + 1),
                _ => at += 1,
            }
        }
        multiline.then_some(self.bytes.len())
    }

    /// Reads a string or similar, if one begins here.
    fn string(&mut self, byte: u8) -> bool {
        let multiline = self.language == Language::Rust;
        let end = match (self.language, byte) {
            (Language::Rust, b'r' | b'b' | b'c') => match self.rust_prefixed() {
                Some(end) => Some(end),
                None => return false,
            },
            (Language::Rust, b'\'') => return self.rust_quote(),
            (Language::Java, b'"') if self.starts("\"\"\"") => {
                Some(self.find_from(self.at + 3, b"\"\"\"") + 3)
            }
            (Language::Go, b'`') => Some(self.find_from(self.at + 1, b"`") + 1),
            (_, b'`') if self.is_script() => Some(self.template()),
            (_, b'/') if self.is_script() && self.expects_operand() => match self.regex() {
                Some(end) => Some(end),
                None => return false,
            },
            (_, b'"' | b'\'') => self.quoted(self.at + 1, byte, multiline),
            _ => return false,
        };
        // A quote not closed on its line is not a string.
        self.literal(end.unwrap_or(self.at + 1));
        true
    }

    /// Reads `r"..."`, `r#"..."#`, `b"..."`, `br"..."`, `c"..."`, `b'x'`.
    fn rust_prefixed(&self) -> Option<usize> {
        if self.at > 0 && is_word_byte(self.bytes[self.at - 1]) {
            return None;
        }
        let mut at = self.at;
        if matches!(self.bytes[at], b'b' | b'c') {
            at += 1;
        }
        if self.bytes.get(at) == Some(&b'r') {
            let hashes = self.bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
            let quote = at + 1 + hashes;
            if self.bytes.get(quote) != Some(&b'"') {
                return None;
            }
            let mut closing = vec![b'"'];
            closing.resize(1 + hashes, b'#');
            return Some(self.find_from(quote + 1, &closing) + closing.len());
        }
        match self.bytes.get(at) {
            Some(b'"') if at > self.at => self.quoted(at + 1, b'"', true),
            Some(b'\'') if at > self.at => self.quoted(at + 1, b'\'', false),
            _ => None,
        }
    }

    /// Distinguishes a character from a lifetime.
    fn rust_quote(&mut self) -> bool {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let mut chars = rest.char_indices();
        let first = chars.next().map(|(_, c)| c);
        let second = chars.next();
        if first == Some('\\') {
            let end = self.quoted(self.at + 1, b'\'', false);
            self.literal(end.unwrap_or(self.at + 1));
        } else if let Some((offset, '\'')) = second {
            self.literal(self.at + 1 + offset + 1);
        } else {
            let len = rest.bytes().take_while(|byte| is_word_byte(*byte)).count();
            self.literal(self.at + 1 + len);
        }
        true
    }

    /// Finds the end of a template; its expressions are skipped, as the tool does.
    fn template(&self) -> usize {
        // Each entry is a template (`None`) or an expression in one, with its number of open
        // braces.
        let mut open: Vec<Option<u32>> = vec![None];
        let mut at = self.at + 1;
        while let Some(&byte) = self.bytes.get(at) {
            at += 1;
            match (open.last_mut(), byte) {
                (_, b'\\') => at += 1,
                (Some(None), b'`') => {
                    open.pop();
                    if open.is_empty() {
                        return at;
                    }
                }
                (Some(None), b'$') if self.bytes.get(at) == Some(&b'{') => {
                    at += 1;
                    open.push(Some(0));
                }
                (Some(Some(_)), b'`') => open.push(None),
                (Some(Some(_)), b'"' | b'\'') => {
                    at = self.quoted(at, byte, false).unwrap_or(at);
                }
                (Some(Some(depth)), b'{') => *depth += 1,
                (Some(Some(0)), b'}') => {
                    open.pop();
                }
                (Some(Some(depth)), b'}') => *depth -= 1,
                _ => {}
            }
        }
        self.bytes.len()
    }

    fn regex(&self) -> Option<usize> {
        let mut in_class = false;
        let mut at = self.at + 1;
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\n' => return None,
                b'\\' => at += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    let rest = &self.bytes[at + 1..];
                    let flags = rest.iter().take_while(|b| b.is_ascii_lowercase()).count();
                    return Some(at + 1 + flags);
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Whether an operand begins here, so that a `/` begins a regular expression.
    fn expects_operand(&self) -> bool {
        const BEFORE: [&str; 14] = [
            "return",
            "case",
            "default",
            "typeof",
            "instanceof",
            "in",
            "of",
            "new",
            "delete",
            "void",
            "throw",
            "yield",
            "await",
            "else",
        ];
        self.tokens.last().is_none_or(|last| match last.kind {
            Kind::Word => BEFORE.contains(&last.text),
            Kind::Literal => false,
            Kind::Punct => !matches!(last.text, ")" | "]" | "}" | "++" | "--"),
        })
    }

    fn opens_element(&self) -> bool {
        if !self.is_script() || !self.expects_operand() {
            return false;
        }
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        if rest.starts_with('>') {
            return true;
        }
        let name = rest
            .bytes()
            .take_while(|byte| is_word_byte(*byte) || matches!(byte, b'.' | b'-' | b':'))
            .count();
        let after = rest.get(name..).unwrap_or_default().trim_start();
        // `<T,>(x) => ...` and `<T extends U>` are type parameters.
        rest.starts_with(|c: char| c.is_ascii_alphabetic())
            && !after.starts_with(',')
            && !after.starts_with("extends ")
    }

    fn tag(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b'{' => self.enter_code(),
            b'"' | b'\'' => {
                let end = self.quoted(self.at + 1, byte, true);
                self.advance(end.unwrap_or(self.at + 1));
            }
            b'/' if self.peek(1) == b'>' => {
                self.modes.pop();
                self.at += 2;
            }
            b'>' => {
                self.modes.pop();
                self.modes.push(Mode::Children);
                self.at += 1;
            }
            _ => self.advance(self.at + 1),
        }
    }

    fn children(&mut self) {
        match self.bytes[self.at] {
            b'{' => self.enter_code(),
            b'<' if self.peek(1) == b'/' => {
                self.modes.pop();
                let end = self.find_from(self.at, b">") + 1;
                self.advance(end);
            }
            b'<' => {
                self.modes.push(Mode::Tag);
                self.at += 1;
            }
            _ => self.advance(self.at + 1),
        }
    }

    fn enter_code(&mut self) {
        self.push(self.at, self.at + 1, Kind::Punct);
        self.at += 1;
        self.modes.push(Mode::Code(0));
    }
}
