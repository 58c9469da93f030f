//! The form in which texts are compared: their letters and digits, however they are written.
//!
//! White space, punctuation, emphasis, tags, the targets of links, escape sequences and the case of letters are left
//! out; escapes and entities are decoded; compatible forms, accents and letters that look alike are one letter.

use unicode_normalization::UnicodeNormalization;

/// Follows the name of a marker (`plan start<` of `PLAN_START`) and nothing else.
const EDGE: char = '<';

/// Maximum length of a tag or a link's target, in bytes.
const SPAN: usize = 300;

/// Letters of other scripts, each with the Latin one that it looks like.
const ALIKE: [(&str, char); 20] = [
    ("аαɑ", 'a'),
    ("вβ", 'b'),
    ("сϲ", 'c'),
    ("ԁ", 'd'),
    ("еεє", 'e'),
    ("ɡ", 'g'),
    ("һнη", 'h'),
    ("іιı", 'i'),
    ("ј", 'j'),
    ("кκ", 'k'),
    ("ӏ1", 'l'),
    ("мμ", 'm'),
    ("оοօσ0", 'o'),
    ("рρ", 'p'),
    ("ѕ", 's'),
    ("тτ", 't'),
    ("υս", 'u'),
    ("ν", 'v'),
    ("хχ", 'x'),
    ("уγ", 'y'),
];

pub(super) fn letters(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    write(text, &mut all);
    all
}

/// Appends the letters of a text.
pub(super) fn write(text: &str, into: &mut String) {
    let mut rest = text;
    // Where the last word began, if that was at an underscore.
    let mut under = None;
    while let Some(first) = rest.chars().next() {
        let after = &rest[first.len_utf8()..];
        let (c, after) = match first {
            '\\' => escaped(after),
            '&' => entity(after),
            '<' => (' ', after_tag(after)),
            ']' => (' ', after_target(after)),
            '[' if after.starts_with('^') => (' ', until(after, ']')),
            // A defused `@`.
            '(' if after.starts_with("at)") => (' ', &after[3..]),
            c => (c, after),
        };
        rest = after;
        if c.is_alphanumeric() {
            fold(c, into);
            continue;
        }
        match c {
            '\u{1b}' => rest = after_sequence(rest),
            // Hidden or combining: in the midst of a word.
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{300}'..='\u{36f}' => {}
            _ => {
                end_of_name(under, into);
                under = (c == '_').then_some(into.len());
            }
        }
    }
    end_of_name(under, into);
}

fn end_of_name(under: Option<usize>, into: &mut String) {
    if under.is_some_and(|at| matches!(&into[at..], "start" | "end")) {
        into.push(EDGE);
    }
}

fn fold(c: char, into: &mut String) {
    let alike =
        |c: char| ALIKE.iter().find(|(all, _)| all.contains(c)).map_or(c, |(_, as_c)| *as_c);
    if c.is_ascii() && !matches!(c, '0' | '1') {
        into.push(c.to_ascii_lowercase());
        return;
    }
    let plain = std::iter::once(c).nfkd().filter(|c| c.is_alphanumeric());
    into.extend(plain.flat_map(char::to_lowercase).map(alike));
}

/// Returns the character that an escape stands for, however often it was escaped again, and the rest.
fn escaped(after: &str) -> (char, &str) {
    let after = after.trim_start_matches('\\');
    if let Some(rest) = after.strip_prefix(['n', 'r', 't', 'b', 'f']) {
        return (' ', rest);
    }
    let escape = ["x1b", "x1B", "033"].iter().find_map(|code| after.strip_prefix(code));
    if let Some(rest) = escape.or_else(|| after.strip_prefix('e').filter(|r| r.starts_with('['))) {
        return ('\u{1b}', rest);
    }
    let code = after.strip_prefix('u').and_then(|rest| rest.get(..4));
    match code.and_then(|code| u32::from_str_radix(code, 16).ok()) {
        Some(code) => (char::from_u32(code).unwrap_or(' '), &after[5..]),
        None => (' ', after),
    }
}

/// Returns the character that an entity of HTML stands for, if it is one, and the rest.
fn entity(after: &str) -> (char, &str) {
    let mut named = after;
    while let Some(rest) = named.strip_prefix("amp;") {
        named = rest;
    }
    let near = &named[..named.floor_char_boundary(10)];
    let Some(end) = near.find(';') else { return (' ', named) };
    let (name, rest) = (&named[..end], &named[end + 1..]);
    let code = name.strip_prefix('#').map(|code| match code.strip_prefix(['x', 'X']) {
        Some(code) => u32::from_str_radix(code, 16),
        None => code.parse(),
    });
    match code {
        Some(code) => (code.ok().and_then(char::from_u32).unwrap_or(' '), rest),
        None if name.bytes().all(|byte| byte.is_ascii_alphabetic()) => (' ', rest),
        None => (' ', named),
    }
}

/// Returns what follows a tag; a marker's name is none.
fn after_tag(after: &str) -> &str {
    let name = after.strip_prefix('/').unwrap_or(after);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name[end..].starts_with(['>', '/', ' ']);
    if is_tag { until(after, '>') } else { after }
}

/// Returns what follows a link's target, if there is one.
fn after_target(after: &str) -> &str {
    if after.starts_with('(') { until(after, ')') } else { after }
}

/// Returns what follows a near character on the same line; everything without it.
fn until(text: &str, end: char) -> &str {
    let near = &text[..text.floor_char_boundary(SPAN)];
    let found = near.find([end, '\n']).filter(|at| near[*at..].starts_with(end));
    found.map_or(text, |at| &text[at + end.len_utf8()..])
}

/// Returns what follows an escape sequence of a terminal, whose first character was read.
fn after_sequence(rest: &str) -> &str {
    let Some(inner) = rest.strip_prefix('[') else { return rest };
    let inner = inner.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | '?'));
    inner.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(inner)
}
