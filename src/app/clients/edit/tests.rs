//! Users' files in which one entry changes and every other byte stays.

use serde_json::json;

use super::*;

const NAME: &str = "debate-agent";

fn entry() -> Value {
    json!({"command": "/bin/d", "args": ["mcp", "serve"]})
}

#[track_caller]
fn puts(before: &str, after: &str) {
    let new = edit(before, "mcpServers", NAME, &Change::Put(entry())).unwrap();
    assert_eq!(new, after, "\n--- got\n{new}\n--- wanted\n{after}");
}

#[track_caller]
fn removes(before: &str, after: &str) {
    let new = edit(before, "mcpServers", NAME, &Change::Remove).unwrap();
    assert_eq!(new, after, "\n--- got\n{new}\n--- wanted\n{after}");
}

#[test]
fn an_empty_file_gets_a_document_that_ends_with_a_newline() {
    let whole = "{\n  \"mcpServers\": {\n    \"debate-agent\": {\n      \"command\": \"/bin/d\",\n      \"args\": [\"mcp\", \"serve\"]\n    }\n  }\n}\n";
    puts("", whole);
    puts(" \n", whole);
    puts("\u{feff}", &format!("\u{feff}{whole}"));
    puts("{}\n", whole);
    puts("{\n}\n", whole);
    puts(
        "{\"mcpServers\": {}}",
        "{\"mcpServers\": {\n  \"debate-agent\": {\n    \"command\": \"/bin/d\",\n    \"args\": [\"mcp\", \"serve\"]\n  }\n}}",
    );
}

#[test]
fn comments_commas_order_and_indentation_stay() {
    puts(
        "// mine\n{\n\t\"z\": 1, // why\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"} /* last */ // end\n\t\t// \"old\": {}\n\t},\n\t\"b\": [1,2 ,3],\n}",
        "// mine\n{\n\t\"z\": 1, // why\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\"}, /* last */ // end\n\t\t// \"old\": {}\n\t\t\"debate-agent\": {\n\t\t\t\"command\": \"/bin/d\",\n\t\t\t\"args\": [\"mcp\", \"serve\"]\n\t\t}\n\t},\n\t\"b\": [1,2 ,3],\n}",
    );
    puts(
        "{\r\n    \"mcpServers\": {\r\n        \"a\": {},\r\n\r\n    }\r\n}\r\n",
        "{\r\n    \"mcpServers\": {\r\n        \"a\": {},\r\n        \"debate-agent\": {\r\n            \"command\": \"/bin/d\",\r\n            \"args\": [\"mcp\", \"serve\"]\r\n        },\r\n\r\n    }\r\n}\r\n",
    );
    puts(
        "{\"mcpServers\": {\"a\": {}}, \"b\": 1}",
        "{\"mcpServers\": {\"a\": {}, \"debate-agent\": {\"command\": \"/bin/d\", \"args\": [\"mcp\", \"serve\"]}}, \"b\": 1}",
    );
    puts(
        "{\n  \"mcpServers\": {\n    // none yet\n  }\n}",
        "{\n  \"mcpServers\": {\n    // none yet\n    \"debate-agent\": {\n      \"command\": \"/bin/d\",\n      \"args\": [\"mcp\", \"serve\"]\n    }\n  }\n}",
    );
    puts(
        "{\n  \"theme\": \"dark\"\n}\n",
        "{\n  \"theme\": \"dark\",\n  \"mcpServers\": {\n    \"debate-agent\": {\n      \"command\": \"/bin/d\",\n      \"args\": [\"mcp\", \"serve\"]\n    }\n  }\n}\n",
    );
}

#[test]
fn only_the_value_of_an_entry_is_replaced() {
    puts(
        "{\n  \"mcpServers\": {\n    \"debate-agent\" : /* ours */ {\"command\": \"old\"} , // keep\n    \"b\": {}\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    \"debate-agent\" : /* ours */ {\n      \"command\": \"/bin/d\",\n      \"args\": [\"mcp\", \"serve\"]\n    } , // keep\n    \"b\": {}\n  }\n}\n",
    );
}

#[test]
fn an_entry_goes_with_its_lines_and_no_comma_is_left_over() {
    removes(
        "{\n  \"mcpServers\": {\n    \"a\": 1, // a\n    \"debate-agent\": {\n      \"command\": \"x\"\n    }\n  }\n}\n",
        "{\n  \"mcpServers\": {\n    \"a\": 1 // a\n  }\n}\n",
    );
    removes(
        "{\r\n  \"mcpServers\": {\r\n    \"debate-agent\": {},\r\n    \"a\": 1\r\n  }\r\n}\r\n",
        "{\r\n  \"mcpServers\": {\r\n    \"a\": 1\r\n  }\r\n}\r\n",
    );
    removes("{\"mcpServers\": {\"a\": 1, \"debate-agent\": {}}}", "{\"mcpServers\": {\"a\": 1}}");
    removes("{\"mcpServers\": {\"debate-agent\": {}, \"a\": 1}}", "{\"mcpServers\": {\"a\": 1}}");
    removes(
        "{\"mcpServers\": {\"a\": 1, \"debate-agent\": {},}}",
        "{\"mcpServers\": {\"a\": 1, }}",
    );
    removes("{\"mcpServers\": {\"debate-agent\": {}}}", "{\"mcpServers\": {}}");
    for nothing in ["", "{}", "{\"mcpServers\": {}}", "{ \"mcpServers\":{\"a\":1 , } }"] {
        removes(nothing, nothing);
    }
}

#[test]
fn what_cannot_be_edited_is_named_with_its_place() {
    let refused =
        |text: &str| edit(text, "mcpServers", NAME, &Change::Put(entry())).unwrap_err().to_string();
    assert_eq!(refused("[]"), "line 1, column 1: the file is not a JSON object");
    assert_eq!(
        refused("{\n  \"mcpServers\": []\n}"),
        "line 2, column 17: `mcpServers` is not a JSON object"
    );
    assert!(
        refused("{\"a\": 1,\n  é}").starts_with("line 2, column 3: "),
        "{}",
        refused("{\"a\": 1,\n  é}")
    );
    assert!(refused("{\"a\": 1").starts_with("line 1, column "));
    assert!(refused("{'a': 1}").contains("single-quoted"));
    assert!(
        refused("{\"mcpServers\": {}, \"mcpServers\": {}}")
            .starts_with("line 1, column 20: `mcpServers` appears here a second time")
    );
    assert!(
        refused("{\"mcpServers\": {\"debate-agent\": {}, \"debate-agent\": {}}}")
            .contains("second time")
    );
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(refused(&deep).contains("nesting depth"));
    assert!(refused("// only words").contains("no JSON value"));
}

mod any_file {
    use proptest::prelude::*;

    use super::*;

    /// Blanks and comments between tokens.
    fn trivia() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "",
            " ",
            "\n",
            "\n  ",
            "\r\n\t",
            " // c\n",
            "/* c */",
            "\n// {\"\n// ,\n",
            "\n\n",
        ])
    }

    fn member() -> impl Strategy<Value = String> {
        let value = prop::sample::select(vec![
            "1",
            "\"x,}//\"",
            "[1, 2,]",
            "{\"debate-agent\": {}}",
            "{ }",
            "null",
            "-1e999",
        ]);
        (trivia(), "[a-c]{1,3}", trivia(), trivia(), value, trivia())
            .prop_map(|(a, name, b, c, value, d)| format!("{a}\"{name}\"{b}:{c}{value}{d}"))
    }

    fn object(label: &'static str) -> impl Strategy<Value = String> {
        (
            prop::collection::vec(member(), 0..4),
            any::<bool>(),
            trivia(),
            prop::option::of((trivia(), trivia(), Just(label))),
        )
            .prop_map(|(mut members, comma, end, extra)| {
                if let Some((a, b, label)) = extra {
                    members.insert(members.len() / 2, format!("{a}\"{label}\":{b}INNER{a}"));
                }
                let tail = if comma && !members.is_empty() { "," } else { "" };
                format!("{{{}{tail}{end}}}", members.join(","))
            })
    }

    fn is_old_with_insertions(old: &str, new: &str) -> bool {
        let mut rest = old.chars().peekable();
        for c in new.chars() {
            if rest.peek() == Some(&c) {
                rest.next();
            }
        }
        rest.next().is_none()
    }

    proptest! {
        #[test]
        fn nothing_but_the_entry_changes(
            outer in object("mcpServers"), inner in object(NAME), around in (trivia(), trivia()), mark in any::<bool>(),
        ) {
            let inner = inner.replace("INNER", "{\"command\": \"old\"}");
            let text = format!("{}{}{}{}", if mark { "\u{feff}" } else { "" }, around.0, outer.replace("INNER", &inner), around.1);
            let body = text.trim_start_matches('\u{feff}');
            let old = Document::parse(body).unwrap().value().unwrap();
            let had = old["mcpServers"].get(NAME).is_some();
            let put = edit(&text, "mcpServers", NAME, &Change::Put(entry())).unwrap();
            let read = |text: &str| Document::parse(text.trim_start_matches('\u{feff}')).unwrap().value().unwrap();
            prop_assert_eq!(&read(&put)["mcpServers"][NAME], &entry());
            prop_assert_eq!(put.matches("c */").count(), text.matches("c */").count());
            if !had {
                prop_assert!(is_old_with_insertions(&text, &put), "{text}\n{put}");
            }
            // Putting it again changes nothing, and removing it restores the original.
            prop_assert_eq!(&edit(&put, "mcpServers", NAME, &Change::Put(entry())).unwrap().replace(char::is_whitespace, ""), &put.replace(char::is_whitespace, ""));
            let gone = read(&edit(&put, "mcpServers", NAME, &Change::Remove).unwrap());
            prop_assert!(gone["mcpServers"].get(NAME).is_none());
            let comments = |text: &str| text.matches("// ").count();
            prop_assert_eq!(comments(&put), comments(&text));
        }
    }
}
