//! Makes any text safe for a terminal or a Markdown report.
//!
//! One rule for every byte that a person sees: no escape sequence, no control character except
//! newline and tab, nothing that reorders or hides text. In Markdown, also nothing that becomes
//! markup.
//!
//! An escape sequence ends at the end of its line at the latest. So a sequence that has lost its
//! end cannot swallow what follows, and the rest of it is plain text.

use std::borrow::Cow;

/// Returns text without control characters (except newline and tab), escapes, bidi controls and tag
/// characters.
///
/// Other line breaks (CR, CR LF, VT, FF, NEL, U+2028, U+2029) become newlines.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let clean = clean_prefix(rest);
        out.push_str(&rest[..clean]);
        rest = &rest[clean..];
        let Some(c) = rest.chars().next() else {
            return out;
        };
        let (taken, line_break) = match c {
            '\r' if rest.starts_with("\r\n") => (2, true),
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => (c.len_utf8(), true),
            _ => (sequence_len(rest), false),
        };
        if line_break {
            out.push('\n');
        }
        rest = &rest[taken..];
    }
}

/// Returns the number of clean bytes at the start.
fn clean_prefix(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if byte < 0x80 {
            if (byte < 0x20 && byte != b'\n' && byte != b'\t') || byte == 0x7f {
                return at;
            }
            at += 1;
            continue;
        }
        let Some(c) = text[at..].chars().next() else {
            return at;
        };
        if is_hidden(c) || matches!(c, '\u{2028}' | '\u{2029}') {
            return at;
        }
        at += c.len_utf8();
    }
    at
}

/// Whether a character is invisible: a control (except newline and tab), a direction mark, or a
/// zero-width or tag character.
pub fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{0}'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' // C0, DEL, C1
        | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // direction
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}' // zero width
        | '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{3164}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' // fillers
        | '\u{fe00}'..='\u{fe0d}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' // tags and variation selectors, able to carry hidden text
    )
}

/// Returns the length in bytes of the escape sequence, or of the single character, that `text`
/// starts with.
fn sequence_len(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    let start = first.len_utf8();
    match first {
        '\u{1b}' => escape_len(text),
        '\u{9b}' => start + csi_len(&text.as_bytes()[start..]),
        '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => start + string_len(&text[start..]),
        _ => start,
    }
}

/// The length of the sequence that starts with ESC.
fn escape_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'[') => 2 + csi_len(&bytes[2..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => 2 + string_len(&text[2..]),
        Some(0x20..=0x2f) => {
            let end = run(&bytes[1..], 0x20..=0x2f) + 1;
            end + usize::from(matches!(bytes.get(end), Some(0x30..=0x7e)))
        }
        Some(0x30..=0x7e) => 2,
        Some(_) | None => 1,
    }
}

/// The length of a control sequence's parameters, intermediates and final byte.
fn csi_len(bytes: &[u8]) -> usize {
    let mut end = run(bytes, 0x30..=0x3f);
    end += run(&bytes[end..], 0x20..=0x2f);
    end + usize::from(matches!(bytes.get(end), Some(0x40..=0x7e)))
}

fn run(bytes: &[u8], range: std::ops::RangeInclusive<u8>) -> usize {
    bytes.iter().position(|byte| !range.contains(byte)).unwrap_or(bytes.len())
}

/// The length of a control string with its terminator; 0 if it has none on this line.
///
/// Any other introducer also ends the search, so many of them cost no more than one.
fn string_len(text: &str) -> usize {
    for (at, c) in text.char_indices() {
        match c {
            '\u{7}' | '\u{9c}' => return at + c.len_utf8(),
            '\u{1b}' if text[at..].starts_with("\u{1b}\\") => return at + 2,
            '\n' | '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => {
                return 0;
            }
            _ => {}
        }
    }
    0
}

/// Strips the sequences that start with ESC, and returns where in the result each one was.
///
/// For replies, which are data: nothing else there is hidden from the parser. (The single-character
/// forms of the C1 controls stay: in broken text they are the halves of quotes.)
pub(super) fn strip_escapes(text: Cow<'_, str>) -> (Cow<'_, str>, Vec<EscapeSequence>) {
    let mut places = Vec::new();
    let Some(first) = text.find('\u{1b}') else {
        return (text, places);
    };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while !rest.is_empty() {
        let len = escape_len(rest);
        places.push(EscapeSequence { at: out.len(), from: text.len() - rest.len(), len });
        rest = &rest[len..];
        let next = rest.find('\u{1b}').unwrap_or(rest.len());
        out.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    (Cow::Owned(out), places)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EscapeSequence {
    pub(super) at: usize,
    /// Its position in the original text.
    pub(super) from: usize,
    /// Its length in bytes.
    pub(super) len: usize,
}

/// Returns one line of at most `max` characters, sanitized, with an ellipsis if it was cut.
///
/// White space of any kind and length becomes one space.
pub fn line(text: &str, max: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    // With a margin, so that a long text is not sanitized in full for a short line.
    let head: String = text.chars().take(max.saturating_mul(8).max(4096)).collect();
    let cut_before = head.len() < text.len();
    for word in terminal(&head).split_whitespace() {
        let space = usize::from(count > 0);
        for c in " ".chars().take(space).chain(word.chars()) {
            if count == max {
                out.pop();
                if max > 0 {
                    out.push('…');
                }
                return out;
            }
            out.push(c);
            count += 1;
        }
    }
    if cut_before && max > 0 {
        if count == max {
            out.pop();
        }
        out.push('…');
    }
    out
}

/// Returns text to embed in Markdown: it cannot become HTML, an image, a link, a table cell or a
/// heading.
///
/// The result is one line (line breaks become spaces), fit for a paragraph, a heading, a list item or a
/// table cell. The only markup in it is code spans around `@` and around `#` before a digit, which keep
/// GitHub from notifying people and from linking or closing issues.
pub fn markdown(text: &str) -> String {
    let clean = terminal(text);
    let words: Vec<&str> = clean.split_whitespace().collect();
    let flat = words.join(" ");
    let mut out = String::with_capacity(flat.len() + flat.len() / 8);
    let mut rest = flat.as_str();
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        let before = &flat[..flat.len() - rest.len()];
        if !before.ends_with(char::is_alphanumeric)
            && let Some((acts, shown)) = reference(before, rest)
        {
            out.push_str(&shown);
            rest = &rest[acts..];
            continue;
        }
        match c {
            '@' | '#' => {
                let end = rest.find(|c| !matches!(c, '@' | '#')).unwrap_or(rest.len());
                let (signs, others) = rest.split_at(end);
                if signs.contains('@') || others.starts_with(|c: char| c.is_ascii_digit()) {
                    out.push('`');
                    out.push_str(signs);
                    out.push('`');
                } else {
                    for sign in signs.chars() {
                        out.push('\\');
                        out.push(sign);
                    }
                }
                rest = others;
                continue;
            }
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '!' | '{' | '}' | '^' => {
                out.push('\\');
                out.push(c);
            }
            // `https://` and `www.` would become links.
            ':' if after.starts_with('/') => out.push_str("\\:"),
            '.' if ends_with_www(before) => out.push_str("\\."),
            // A list item, a rule, or the underline of a heading.
            '-' | '+' | '=' | ':' if before.is_empty() => {
                out.push('\\');
                out.push(c);
            }
            // A numbered list.
            '.' | ')' if !before.is_empty() && before.bytes().all(|byte| byte.is_ascii_digit()) => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        rest = after;
    }
    out
}

/// Returns how many bytes at the beginning of a text would link to an issue (`GH-12`) or a commit (`deadbee`), and
/// what shows the same without a link. A session's id begins like a commit's; behind a hyphen none begins.
fn reference(before: &str, text: &str) -> Option<(usize, String)> {
    let end = |is: fn(char) -> bool| text.find(|c| !is(c)).unwrap_or(text.len());
    let (gh, other) = text.split_at_checked(2)?;
    let number =
        other.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if gh.eq_ignore_ascii_case("gh") && number.is_some() {
        return Some((3, format!("{gh}`-`")));
    }
    let (first, whole) =
        (end(|c| c.is_ascii_hexdigit()), end(|c| c.is_ascii_hexdigit() || c == '-'));
    let ends = |at: usize| !text[at..].starts_with(char::is_alphanumeric);
    let at = if ends(whole) { text[..whole].trim_end_matches('-').len() } else { first };
    let is_commit = (7..=40).contains(&first) && ends(first) && !before.ends_with('-');
    is_commit.then(|| (at, format!("`{}`", &text[..at])))
}

fn ends_with_www(before: &str) -> bool {
    let tail = before.len().saturating_sub(3);
    before.as_bytes().get(tail..).is_some_and(|tail| tail.eq_ignore_ascii_case(b"www"))
}

/// Returns text as a Markdown code block of a language, which may be empty, whose fence is longer than any run of
/// backticks inside.
///
/// The block ends with a line break; it must start on a line of its own.
pub fn markdown_code(text: &str, language: &'static str) -> String {
    let clean = terminal(text);
    let mut longest = 0;
    let mut run = 0;
    for c in clean.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if clean.is_empty() || clean.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{clean}{end}{fence}\n")
}

/// Returns the beginning of Markdown in at most so many characters, cut at an empty line outside code, so that the text
/// after it is not code.
pub fn beginning(record: &str, most: usize) -> &str {
    if record.chars().count() <= most {
        return record;
    }
    let (mut chars, mut bytes, mut safe) = (0, 0, 0);
    let mut fence: Option<usize> = None;
    for line in record.split_inclusive('\n') {
        let ticks = line.chars().take_while(|c| *c == '`').count();
        chars += line.chars().count();
        if chars > most {
            break;
        }
        bytes += line.len();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(opened) if ticks >= opened => fence = None,
            None if line.trim().is_empty() => safe = bytes,
            None | Some(_) => {}
        }
    }
    &record[..safe]
}

#[cfg(test)]
mod tests {
    //! P14: idempotent, and no forbidden character is left; nothing becomes markup.

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn escape_sequences_go_whole() {
        for (written, expected) in [
            ("a\u{1b}[1;31mred\u{1b}[0m", "ared"),
            ("\u{1b}]0;title\u{7}x", "x"),
            ("\u{1b}]8;;http://evil\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}]52;c;ZXZpbA==\u{7}", ""),
            ("\u{1b}P1;2qpayload\u{1b}\\x", "x"),
            ("\u{1b}_apc\u{1b}\\\u{1b}^pm\u{1b}\\\u{1b}Xsos\u{1b}\\x", "x"),
            ("\u{9b}31mx\u{9d}0;t\u{9c}y", "xy"),
            ("\u{1b}(Bx\u{1b}cy\u{1b}", "xy"),
            ("\u{1b}]never closed\nnext", "never closed\nnext"),
            ("\u{1b}[31\nx", "\nx"),
            ("a\u{7}\u{8}b\u{7f}", "ab"),
            ("a\tb\n", "a\tb\n"),
            ("a\r\nb\rc\u{2028}d\u{85}e", "a\nb\nc\nd\ne"),
            ("\u{202e}evil\u{2066}\u{200b}\u{feff}\u{e0041}", "evil"),
            ("naïve “日本” 🎉", "naïve “日本” 🎉"),
        ] {
            assert_eq!(terminal(written), expected, "{written:?}");
        }
    }

    #[test]
    fn a_line_is_short_and_one() {
        assert_eq!(line("a\n  b\tc\u{1b}[0m", 10), "a b c");
        assert_eq!(line("abcdef", 6), "abcdef");
        assert_eq!(line("abcdefg", 6), "abcde…");
        assert_eq!(line("abcdefg", 0), "");
        assert_eq!(line("éééé", 3), "éé…");
        assert_eq!(line(&"x".repeat(1 << 20), 5), "xxxx…");
        assert_eq!(line(&" ".repeat(1 << 20), 5), "…");
    }

    #[test]
    fn markdown_is_inert() {
        for (written, expected) in [
            ("<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;"),
            (
                "see GH-12, gh-7, o/r#3, o/r@deadbee",
                "see GH`-`12, gh`-`7, o/r`#`3, o/r`@``deadbee`",
            ),
            ("opp-tf-185408b7b068", "opp-tf-185408b7b068"),
            ("0a1b2c3 and (deadbeef1)", "`0a1b2c3` and (`deadbeef1`)"),
            ("019bc186-de00-76c3-9333-5fc249aefd74", "`019bc186-de00-76c3-9333-5fc249aefd74`"),
            ("deadbee-line, xdeadbee, facade, GHz", "`deadbee`-line, xdeadbee, facade, GHz"),
            ("![a](http://x)", "\\!\\[a\\](http\\://x)"),
            ("[a][b] | c", "\\[a\\]\\[b\\] \\| c"),
            ("# head\n## two", "\\# head \\#\\# two"),
            ("- item", "\\- item"),
            ("12. item", "12\\. item"),
            ("a. b", "a. b"),
            ("`code` *b* _i_ ~s~", "\\`code\\` \\*b\\* \\_i\\_ \\~s\\~"),
            ("www.evil.com", "www\\.evil.com"),
            ("thanks @user, fixes #12 a@b.c", "thanks `@`user, fixes `#`12 a`@`b.c"),
            ("&lt; &#64;", "&amp;lt; &amp;`#`64;"),
            ("    code", "code"),
            ("```\nx", "\\`\\`\\` x"),
            ("a\\", "a\\\\"),
            ("===", "\\==="),
        ] {
            assert_eq!(markdown(written), expected, "{written:?}");
        }
    }

    #[test]
    fn a_code_block_can_not_be_left() {
        assert_eq!(markdown_code("x", "diff"), "```diff\nx\n```\n");
        assert_eq!(markdown_code("a\n````\nb\n", ""), "`````\na\n````\nb\n`````\n");
        assert_eq!(markdown_code("", ""), "```\n```\n");
    }

    #[test]
    fn stripped_escapes_are_remembered_by_place() {
        let (text, places) = strip_escapes(Cow::Borrowed("a\u{1b}[1mb\u{1b}]0;x\u{7}c"));
        assert_eq!(text, "abc");
        let places: Vec<_> = places.iter().map(|place| (place.at, place.from, place.len)).collect();
        assert_eq!(places, [(1, 1, 4), (2, 6, 6)]);
    }

    fn hostile() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "\u{1b}",
                "\u{1b}[",
                "\u{1b}]",
                "\u{1b}P",
                "\u{1b}\\",
                "\u{9b}",
                "\u{9d}",
                "\u{9c}",
                "\u{7}",
                "\r",
                "\n",
                "0;",
                "31",
                "m",
                "\u{202e}",
                "\u{e0041}",
                "\u{200d}",
                "\u{2028}",
                "`",
                "```",
                "@",
                "#1",
                "<b>",
                "![",
                "](x)",
                "|",
                "http://x",
                "www.x.y",
                "- ",
                "1. ",
            ])
            .prop_map(str::to_owned),
            any::<char>().prop_map(String::from),
            ".{0,8}",
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    fn is_forbidden(c: char) -> bool {
        let code = u32::from(c);
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(code, 0x61c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xe0000..=0xe0fff)
    }

    proptest! {
        /// P14.
        #[test]
        fn terminal_is_idempotent_and_clean(text in hostile()) {
            let clean = terminal(&text);
            prop_assert!(!clean.contains(is_forbidden), "{:?}", clean);
            prop_assert_eq!(terminal(&clean), clean);
        }

        #[test]
        fn lines_and_markdown_are_single_and_clean(text in hostile(), max in 0..40_usize) {
            let line = line(&text, max);
            prop_assert!(line.chars().count() <= max && !line.contains(['\n', '\t']) && !line.contains(is_forbidden));
            let inline = markdown(&text);
            prop_assert!(!inline.contains(['\n', '<', '>']) && !inline.replace("\\://", "").contains("://") && !inline.contains(is_forbidden));
            let code = markdown_code(&text, "");
            let fence = code.lines().next().unwrap().to_owned();
            prop_assert_eq!(code.lines().filter(|line| line.contains(&fence)).count(), 2);
        }
    }
}
