//! The facts about an artifact.

use super::*;

fn artifact(name: &str, text: &str) -> Artifact {
    Artifact { name: name.to_owned(), text: text.to_owned(), sha256: String::new(), bytes: 7 }
}

fn of(name: &str, text: &str) -> Basics {
    basics(&artifact(name, text))
}

fn shown(places: &[LineReference]) -> Vec<(u32, &str)> {
    (places.iter()).map(|place| (place.line, &*place.text)).collect()
}

#[test]
fn a_document_is_described_by_sizes_outline_and_marks() {
    let text = format!(
        "# Brief\n\nA [goal](#goals) and [none](#nowhere).\n\nGoals\n-----\n\n- {}: measure it\n\n```\n# no heading\n{} in code\n```\n",
        MARKERS[2], MARKERS[0]
    );
    let basics = basics(&artifact("brief.md", &text));
    assert_eq!((basics.bytes, basics.lines, basics.words), (7, 13, 20));
    assert_eq!(shown(&basics.outline), [(1, "# Brief"), (5, "## Goals")]);
    assert_eq!(
        shown(&basics.markers),
        [(8, &*format!("- {}: measure it", MARKERS[2])), (12, &*format!("{} in code", MARKERS[0])),]
    );
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
}

#[test]
fn of_code_only_sizes_and_marks_are_told() {
    let text = format!("# comment\n// {}(me): [a](#b)\nlet x;\n", MARKERS[1]);
    for name in ["main.rs", "x.py", "a.b/c.YAML"] {
        let basics = of(name, &text);
        assert_eq!((basics.lines, basics.outline.len()), (3, 0));
        assert_eq!(basics.markers[0].line, 2);
    }
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
fn lists_are_cut_and_that_is_said() {
    let many = |line: &str, count: usize| format!("{line}\n").repeat(count);
    for line in ["# a", MARKERS[0]] {
        let basics = of("x.md", &many(line, 200));
        let longest = basics.outline.len().max(basics.markers.len());
        assert_eq!((longest, basics.cut), (200, false), "{line}");
        let basics = of("x.md", &many(line, 201));
        assert!(basics.cut, "{line}");
        assert!(basics.outline.len() <= 200 && basics.markers.len() <= 200);
    }
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
        let basics = basics(&artifact);
        assert!(basics.outline.len() <= MOST);
    }
}
