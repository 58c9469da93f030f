//! The facts about an artifact, checked by hand and against another Markdown parser.

mod oracle;

use super::*;

fn artifact(name: &str, text: &str) -> Artifact {
    Artifact { name: name.to_owned(), text: text.to_owned(), sha256: String::new(), bytes: 7 }
}

fn of(name: &str, text: &str) -> Basics {
    basics(&artifact(name, text), &[])
}

fn shown(places: &[LineReference]) -> Vec<(u32, &str)> {
    (places.iter()).map(|place| (place.line, &*place.text)).collect()
}

fn targets(text: &str) -> Vec<(u32, String)> {
    (links(text).into_iter()).map(|link| (link.line, link.target)).collect()
}

fn one(text: &str) -> Option<String> {
    let mut links = links(text);
    assert!(links.len() < 2, "{links:?}");
    links.pop().map(|link| link.target)
}

#[test]
fn a_document_is_described_by_sizes_outline_marks_and_links() {
    let text = format!(
        "# Brief\n\nA [goal](#goals) and [none](#nowhere).\n\nGoals\n-----\n\n- {}: measure it\n\n```\n# no heading\n{} in code\n```\n",
        MARKERS[2], MARKERS[0]
    );
    let given = [LineReference { line: 2, text: "[x](x.md)".to_owned() }];
    let basics = basics(&artifact("brief.md", &text), &given);
    assert_eq!((basics.bytes, basics.lines, basics.words), (7, 13, 20));
    assert_eq!(shown(&basics.outline), [(1, "# Brief"), (5, "## Goals")]);
    assert_eq!(
        shown(&basics.markers),
        [(8, &*format!("- {}: measure it", MARKERS[2])), (12, &*format!("{} in code", MARKERS[0])),]
    );
    assert_eq!(shown(&basics.broken_links), [(2, "[x](x.md)"), (3, "[none](#nowhere)")]);
    assert!(!basics.cut);
}

#[test]
fn headings_are_those_of_markdown_and_none_of_code() {
    for (text, outline) in [
        ("# a\n## b ##\n####### c\n#d\n", vec![(1, "# a"), (2, "## b")]),
        ("a\nb\n===\n", vec![(1, "# a b")]),
        ("a\n\n---\n", vec![]),
        ("***\n===\n", vec![]),
        ("- a\n---\n", vec![]),
        ("> a\n---\n", vec![]),
        ("> # q\n\n- # i\n  ## j\n", vec![(1, "# q"), (3, "# i"), (4, "## j")]),
        ("~~~\n# a\n```\n# b\n~~~~\n# c\n", vec![(6, "# c")]),
        ("    # code\n", vec![]),
        ("- a\n\n      # code\n\n  # b\n", vec![(5, "# b")]),
        ("> ```\n> # a\n\n# b\n", vec![(4, "# b")]),
        ("<!--\n# a\n\n-->\n# b\n", vec![(5, "# b")]),
        ("<pre>\n# a\n</PRE>\n# b\n", vec![(4, "# b")]),
        ("---\ntitle: x\n---\n# a\n", vec![(4, "# a")]),
        ("---\n# a\n", vec![(2, "# a")]),
        ("# a\r\n\r\nb\r\n===\r\n", vec![(1, "# a"), (3, "# b")]),
        ("[a]: b.md\nTitle\n===\n", vec![(2, "# Title")]),
        ("#\ta\n", vec![(1, "# a")]),
        ("# \u{1b}]0;evil\u{7}a\u{202e}\n", vec![(1, "# a")]),
    ] {
        assert_eq!(shown(&of("x.md", text).outline), outline, "{text:?}");
    }
}

#[test]
fn the_outline_of_json_is_its_keys_with_their_lines() {
    let text = "{\n  \"goals\": [{\"a, \\\"{\": 1}, \"x\"],\n  \"na\\u006de\": \"k: {\", \"z\":\n {\"inner\": [1, 2]}\n}\n";
    let keys = [(2, "goals"), (3, "name"), (3, "z")];
    for name in ["context.json", "standard input", "CONTEXT"] {
        assert_eq!(shown(&of(name, text).outline), keys, "{name}");
    }
    for other in ["[{\"a\": 1}]", "{\"a\": 1", "{\"a\": 1, \"a\": 2}", "7"] {
        assert_eq!(of("x.json", other).outline, [], "{other}");
    }
    assert_eq!(of("x.json", "{\"# a\": \"[b](#c)\"}").broken_links, []);
}

#[test]
fn of_code_only_sizes_and_marks_are_told() {
    let text = format!("# comment\n// {}(me): [a](#b)\nlet x;\n", MARKERS[1]);
    for name in ["main.rs", "x.py", "a.b/c.YAML"] {
        let basics = of(name, &text);
        assert_eq!((basics.lines, basics.outline.len(), basics.broken_links.len()), (3, 0, 0));
        assert_eq!(basics.markers[0].line, 2);
    }
    assert_eq!(links_of(&artifact("main.rs", "[a](b)")), []);
    assert_eq!(links_of(&artifact("main.MD", "[a](b)")).len(), 1);
}

#[test]
fn marks_are_whole_words_in_capitals() {
    let [todo, fixme, tbd, xxx] = MARKERS;
    for (line, found) in [
        (todo.to_owned(), true),
        (format!("({fixme}: a)"), true),
        (format!("is {tbd}."), true),
        (format!("{xxx}, and {todo}S, {todo}"), true),
        (format!("{todo}S"), false),
        (format!("MY_{tbd}"), false),
        (format!("{xxx}X"), false),
        (format!("é{todo}"), false),
        (todo.to_lowercase(), false),
    ] {
        assert_eq!(of("a.md", &line).markers.len(), usize::from(found), "{line}");
    }
    // In a long line the marker itself is shown.
    let long = format!("{} {todo} here", "x".repeat(500));
    assert_eq!(shown(&of("a.md", &long).markers), [(1, &*format!("… {todo} here"))]);
}

#[test]
fn links_are_inline_ones_images_and_definitions() {
    for (text, target) in [
        ("[a](b.md)", Some("b.md")),
        ("![a](b.png)", Some("b.png")),
        ("[a]( <b c.md> 'title' )", Some("b c.md")),
        ("[a](b\\(1\\).md)", Some("b(1).md")),
        ("[a](b(1).md \"t)\")", Some("b(1).md")),
        ("[a\nb](c%20d.md\n(t))", Some("c%20d.md")),
        ("[a](?x=1&amp;y)", Some("?x=1&y")),
        ("[a]: b.md", Some("b.md")),
        ("[a]:\n<b.md>\n'title\nof two lines'", Some("b.md")),
        ("> - [a](b.md)", Some("b.md")),
        ("| [a](b.md) | ` |\n| ` |", Some("b.md")),
        ("# [a](b.md)", Some("b.md")),
        ("[a](#b)", Some("#b")),
        ("[a](../b.md#c)", Some("../b.md#c")),
        ("[a](10:30.md)", Some("10:30.md")),
        // Not links at all.
        ("[a]()", None),
        ("[a] (b.md)", None),
        ("[a](b c.md)", None),
        ("[a](b.md", None),
        ("\\[a](b.md)", None),
        ("[a\\](b.md)", None),
        ("`[a](b.md)`", None),
        ("`` ` [a](b.md) ``", None),
        ("```\n[a](b.md)\n```", None),
        ("    [a](b.md)", None),
        ("<!-- [a](b.md) -->", None),
        ("x <!-- [a](b.md)\n--> y", None),
        ("x <a title=\"[a](b.md)\"> y", None),
        ("a\n[a]: b.md", None),
        ("[a]: b.md c", None),
        ("[^1]: b.md", None),
        ("[ ]: b.md", None),
        // Targets that are not beside the text.
        ("[a](http://b.md)", None),
        ("[a](mailto:b@c.d)", None),
        ("[a](//host/b.md)", None),
        ("[a](/b.md)", None),
        ("<https://b.md> <me@b.md>", None),
        ("[a]: https://b.md", None),
    ] {
        assert_eq!(one(text).as_deref(), target, "{text:?}");
    }
}

#[test]
fn links_know_their_lines_and_stand_in_order() {
    let text = "[a]: one.md\n[b]: two.md 'x\ny'\n\ntext\n[![i](three.png)\nmore](four.md) [x [y](five.md)](six.md)\r\n\r\n- [c](seven.md)\n";
    let lines = [
        (1, "one.md"),
        (2, "two.md"),
        (6, "four.md"),
        (6, "three.png"),
        (7, "five.md"),
        (9, "seven.md"),
    ];
    assert_eq!(targets(text), lines.map(|(line, target)| (line, target.to_owned())));
    let link = &links("a [b\n`](c)` d](e.md 'f') g")[0];
    assert_eq!(link.text, "[b\n`](c)` d](e.md 'f')");
    assert_eq!(link.place().text, "[b `](c)` d](e.md 'f')");
}

/// Anchors as GitHub builds them, each worked out by its rule: lower case, no punctuation, spaces to dashes.
#[test]
fn links_to_headings_follow_the_rules_of_github() {
    for (heading, anchor) in [
        ("# Getting Started", "getting-started"),
        ("# What's new?", "whats-new"),
        ("# A  B & C", "a--b--c"),
        ("# `cargo run` -- fast", "cargo-run----fast"),
        ("# snake_case and _em_ and __init__", "snake_case-and-em-and-init"),
        ("# `__init__`", "__init__"),
        ("# [Link](x.md) here", "link-here"),
        ("# ![badge](x.png) Name", "name"),
        ("# ![badge](x.png) Name", "-name"),
        ("# Größe 2.0", "größe-20"),
        ("# Größe", "gr%C3%B6%C3%9Fe"),
        ("# <b>Bold</b> *it*", "bold-it"),
        ("Two\nlines\n===", "two-lines"),
        ("# Same\n# Same\n# Same", "same-2"),
        ("# a", "A"),
        ("# a", "user-content-a"),
        ("# a {#own}", "own"),
        ("<a name=\"Mark\"></a>", "mark"),
        ("<h2 id='mark'>", "mark"),
        ("", ""),
        ("", "top"),
    ] {
        let text = format!("{heading}\n\n[x](#{anchor})\n");
        let broken = of("x.md", &text).broken_links;
        assert_eq!(shown(&broken), [], "{text}");
    }
    for (heading, anchor) in
        [("# Same\n# Same", "same-2"), ("# A B", "a_b"), ("```\n# code\n```", "code"), ("# a", "b")]
    {
        let text = format!("{heading}\n\n[x](#{anchor})\n");
        assert_eq!(of("x.md", &text).broken_links.len(), 1, "{text}");
    }
}

#[test]
fn lists_are_cut_and_that_is_said() {
    let many = |line: &str, count: usize| format!("{line}\n").repeat(count);
    for line in ["# a", MARKERS[0], "[a](#b)"] {
        let basics = of("x.md", &many(line, 200));
        let longest = [&basics.outline, &basics.markers, &basics.broken_links]
            .map(Vec::len)
            .into_iter()
            .max();
        assert_eq!((longest, basics.cut), (Some(200), false), "{line}");
        let basics = of("x.md", &many(line, 201));
        assert!(basics.cut, "{line}");
        assert!(basics.outline.len() <= 200 && basics.markers.len() <= 200);
        assert_eq!(basics.broken_links.len(), if line.starts_with('[') { 200 } else { 0 });
    }
    assert_eq!(links(&many("[a](b)", 10_001)).len(), 10_000);
    let broken = vec![place(1, "[a](b)"); 201];
    assert!(basics(&artifact("x.md", "x"), &broken).cut);
}

/// Each of these would take minutes if a part of it were read again from every offset.
#[test]
fn hostile_texts_take_no_longer_than_others() {
    const MANY: usize = 30_000;
    let runs: String = (1..400).flat_map(|n| ["`".repeat(n), " ".to_owned()]).collect();
    for text in [
        "[".repeat(MANY),
        "![".repeat(MANY),
        "[a](".repeat(MANY),
        "[](<".repeat(MANY),
        "[](a \"".repeat(MANY),
        "[](a (".repeat(MANY),
        format!("{}{}", "[".repeat(MANY), "[a](b)".repeat(MANY / 4)),
        format!("{}{}", "![".repeat(MANY / 4), "](a)".repeat(MANY / 4)),
        runs,
        "<!--".repeat(MANY),
        "<a b=\"".repeat(MANY / 4),
        "<a:".repeat(MANY / 4),
        ">".repeat(MANY),
        format!("{}\n", "- * ".repeat(MANY)) + &"\n".repeat(MANY),
        format!("# {}\n[x](#y)", "_".repeat(MANY)),
        "[a]: b\n".repeat(MANY),
        format!("[a]: b\n\"{}", "[a]: b\n".repeat(MANY)),
        "\t".repeat(MANY),
        format!("{{{}}}", "\"a\":[".repeat(MANY)),
        "a\n---\n".repeat(MANY / 4),
        "(".repeat(MANY),
    ] {
        let artifact = artifact("x.md", &text);
        let basics = basics(&artifact, &[]);
        assert!(basics.outline.len() <= MOST && basics.broken_links.len() <= MOST);
        for link in links(&text) {
            assert!(link.text.chars().count() <= 300 && link.target.len() <= 1_100);
        }
    }
}
