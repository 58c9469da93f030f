//! Positions and values in a JSON file with comments. Reads; changes nothing.

use std::fmt;

use jsonc_parser::ast::{self, ObjectProp};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use serde_json::Value;

/// The JSON extensions that VS Code, Cursor and Gemini CLI accept, and no more.
const UNDERSTOOD: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: false,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Why a file is left unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) struct Flaw {
    message: String,
    /// Line and column, from 1; the column counts characters.
    at: Option<(usize, usize)>,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "line {line}, column {column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Flaw {
    pub(super) fn nowhere(message: &str) -> Self {
        Self { message: message.to_owned(), at: None }
    }
}

/// A parsed file.
pub(crate) struct Document<'a> {
    text: &'a str,
    value: ast::Value<'a>,
    tokens: Vec<TokenAndRange<'a>>,
}

/// An object of the file: byte positions of its braces, the closing one inside.
pub(super) struct Object {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) members: Vec<Member>,
}

/// A member of an object; all positions are in bytes.
pub(super) struct Member {
    name: String,
    pub(super) start: usize,
    pub(super) value_start: usize,
    pub(super) end: usize,
    /// The position of the comma after it.
    pub(super) comma: Option<usize>,
}

impl Object {
    /// Returns the member of this name; an error if there are two.
    pub(super) fn unique(
        &self,
        document: &Document<'_>,
        name: &str,
    ) -> Result<Option<&Member>, Flaw> {
        let mut found = self.members.iter().filter(|member| member.name == name);
        match (found.next(), found.next()) {
            (_, Some(second)) => Err(document.flaw(
                second.start,
                &format!(
                    "`{name}` appears here a second time, and clients differ in which one they use"
                ),
            )),
            (first, None) => Ok(first),
        }
    }
}

impl<'a> Document<'a> {
    /// Parses a text. The parser bounds nesting to 512 levels.
    pub(crate) fn parse(text: &'a str) -> Result<Self, Flaw> {
        let collect =
            CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
        let parsed = parse_to_ast(text, &collect, &UNDERSTOOD).map_err(|error| Flaw {
            message: error.kind().to_string().to_lowercase(),
            at: Some((error.line_display(), error.column_display())),
        })?;
        Ok(Self {
            text,
            value: parsed.value.ok_or_else(|| Flaw::nowhere("there is no JSON value in it"))?,
            tokens: parsed.tokens.unwrap_or_default(),
        })
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the file's value, which must be an object.
    pub(crate) fn value(&self) -> Result<Value, Flaw> {
        self.root()?;
        Ok(plain(&self.value))
    }

    pub(super) fn root(&self) -> Result<Object, Flaw> {
        self.as_object(&self.value)
            .ok_or_else(|| self.flaw(self.value.range().start, "the file is not a JSON object"))
    }

    /// Returns the top-level object of this name.
    pub(super) fn object_at(&self, root: &Object, key: &str) -> Result<Option<Object>, Flaw> {
        let Some(member) = root.unique(self, key)? else {
            return Ok(None);
        };
        let value = if let ast::Value::Object(object) = &self.value {
            object.properties.iter()
        } else {
            [].iter()
        };
        let value = value.filter(|property| property.range.start == member.start);
        let object = value.map(|property| &property.value).find_map(|value| self.as_object(value));
        object
            .map(Some)
            .ok_or_else(|| self.flaw(member.value_start, &format!("`{key}` is not a JSON object")))
    }

    fn as_object(&self, value: &ast::Value<'_>) -> Option<Object> {
        let ast::Value::Object(object) = value else {
            return None;
        };
        Some(Object {
            start: object.range.start,
            end: object.range.end,
            members: object.properties.iter().map(|it| self.member(it)).collect(),
        })
    }

    fn member(&self, property: &ObjectProp<'_>) -> Member {
        let end = property.range.end;
        let behind = self.tokens.partition_point(|token| token.range.start < end);
        let comma = self.tokens[behind..]
            .iter()
            .find(|token| !is_comment(&token.token))
            .filter(|token| token.token == Token::Comma)
            .map(|token| token.range.start);
        Member {
            name: name_of(property),
            start: property.range.start,
            value_start: property.value.range().start,
            end,
            comma,
        }
    }

    /// Returns where the last token or comment ends that ends before a position.
    pub(super) fn last_before(&self, position: usize) -> usize {
        let count = self.tokens.partition_point(|token| token.range.end <= position);
        count.checked_sub(1).map_or(0, |last| self.tokens[last].range.end)
    }

    /// Whether a comment running to the end of its line ends at a position.
    pub(super) fn ends_with_line_comment(&self, position: usize) -> bool {
        self.tokens.iter().any(|token| {
            token.range.end == position && matches!(token.token, Token::CommentLine(_))
        })
    }

    /// Whether there is a newline between two positions.
    pub(super) fn spans_lines(&self, start: usize, end: usize) -> bool {
        self.text.get(start..end).is_some_and(|text| text.contains('\n'))
    }

    /// Returns the indentation of the line at a position.
    pub(super) fn indent_at(&self, position: usize) -> &'a str {
        let line = &self.text[self.line_start(position)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    /// Returns one level of indentation: that of the first member on a line of its own.
    pub(super) fn unit(&self) -> &'a str {
        let ast::Value::Object(root) = &self.value else {
            return "  ";
        };
        let outer = self.indent_at(root.range.start).len();
        let first = root.properties.first().map(|member| member.range.start);
        first
            .filter(|first| self.spans_lines(root.range.start, *first))
            .and_then(|first| self.indent_at(first).get(outer..))
            .filter(|unit| !unit.is_empty())
            .unwrap_or("  ")
    }

    /// Returns the file's line ending, by its first line.
    pub(super) fn newline(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            Some(_) | None => "\n",
        }
    }

    /// Widens a span to whole lines if nothing else is on them, else over the blanks after it.
    pub(super) fn whole_lines(&self, start: usize, end: usize) -> (usize, usize) {
        let rest = &self.text[end..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        let line = self.line_start(start);
        let alone = self.text[line..start].trim().is_empty();
        if alone && rest[blank..].starts_with('\n') {
            return (line, end + blank + 1);
        }
        let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        (start, end + spaces)
    }

    fn line_start(&self, position: usize) -> usize {
        self.text[..position].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Returns the text with some spans replaced, which are given in order.
    pub(super) fn spliced(&self, spans: &[(usize, usize, &str)]) -> String {
        let mut text = String::with_capacity(self.text.len() + 256);
        let mut done = 0;
        for (start, end, new) in spans {
            text.push_str(&self.text[done..*start]);
            text.push_str(new);
            done = *end;
        }
        text.push_str(&self.text[done..]);
        text
    }

    fn flaw(&self, position: usize, message: &str) -> Flaw {
        let before = &self.text[..position];
        let line = before.matches('\n').count() + 1;
        let column = self.text[self.line_start(position)..position].chars().count() + 1;
        Flaw { message: message.to_owned(), at: Some((line, column)) }
    }
}

fn is_comment(token: &Token<'_>) -> bool {
    matches!(token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn name_of(property: &ObjectProp<'_>) -> String {
    match &property.name {
        ast::ObjectPropName::String(name) => name.value.to_string(),
        ast::ObjectPropName::Word(name) => name.value.to_owned(),
    }
}

/// Returns a value without its positions. Of two members of one name the last counts, as in most readers.
fn plain(value: &ast::Value<'_>) -> Value {
    match value {
        ast::Value::StringLit(text) => Value::from(text.value.to_string()),
        // A number that fits no Rust type is compared by its digits.
        ast::Value::NumberLit(number) => {
            serde_json::from_str(number.value).unwrap_or_else(|_| Value::from(number.value))
        }
        ast::Value::BooleanLit(it) => Value::from(it.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Array(array) => array.elements.iter().map(plain).collect(),
        ast::Value::Object(object) => {
            let members = object.properties.iter();
            Value::Object(members.map(|it| (name_of(it), plain(&it.value))).collect())
        }
    }
}
