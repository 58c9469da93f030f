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
    assert_eq!(markdown_code("x"), "```\nx\n```\n");
    assert_eq!(markdown_code("a\n````\nb\n"), "`````\na\n````\nb\n`````\n");
    assert_eq!(markdown_code(""), "```\n```\n");
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
        let code = markdown_code(&text);
        let fence = code.lines().next().unwrap().to_owned();
        prop_assert_eq!(code.lines().filter(|line| line.contains(&fence)).count(), 2);
    }
}
