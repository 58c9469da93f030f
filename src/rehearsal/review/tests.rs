//! The stand-ins run whole reviews, and their rules find what they claim to find.

use std::time::Duration;

use proptest::prelude::*;

use serde_json::json;

use super::super::{answer as rehearse, given};
use super::*;
use crate::change::{Batch, Change, ChangeKind, ChangedFile, Hunk, Part};
use crate::kernel::{Answer, Chance, Step};
use crate::protocol::review::{
    Compose, Input, Machine, Outcome, Rules, Settings, Status, Verdict, platform,
};
use crate::protocol::testing::{BOUNDARY, raw, seated};

/// Returns a new file with these lines.
fn file(path: &str, lines: &[&str]) -> ChangedFile {
    let count = u32::try_from(lines.len()).unwrap();
    let text = lines.concat();
    ChangedFile {
        path: path.to_owned(),
        old_path: None,
        kind: ChangeKind::Added,
        modes: None,
        hunks: vec![Hunk {
            old_start: 0,
            old_lines: 0,
            new_start: 1,
            new_lines: count,
            heading: String::new(),
            body: lines.iter().map(|line| ["+", line].concat()).collect(),
        }],
        lines: Some(count),
        text: Some(text),
    }
}

fn input(files: Vec<ChangedFile>) -> Input {
    let parts = (0..files.len()).map(|file| Part { file, first: 0, end: 1 });
    Input {
        question: String::new(),
        change: Change {
            batches: vec![Batch { parts: parts.collect() }],
            files,
            ..Change::default()
        },
        rules: Rules {
            platform: platform::rules(&[platform::Platform::General]),
            guidelines: String::new(),
        },
        known: std::collections::BTreeMap::new(),
        seats: vec![seated("claude", "rehearsal-s1"), seated("codex", "rehearsal-s2")],
        settings: Settings::default(),
        boundary: BOUNDARY.to_owned(),
        seed: 7,
    }
}

/// Runs a review to its end, with every reply read on the first chance; also returns the turns.
fn play(input: Input) -> (Outcome, Vec<String>) {
    let seats = input.seats.clone();
    let mut machine = Machine::open(input).unwrap();
    let mut asked = Vec::new();
    loop {
        let turns = match machine.next() {
            Step::Done(outcome) => return (outcome, asked),
            Step::Ask { turns, .. } => turns,
        };
        let answers =
            turns.iter().map(|turn| {
                let given = given(&machine, turn);
                let reply = rehearse(&given);
                assert_eq!(reply, rehearse(&given), "the same turn has the same answer");
                assert!(reply.starts_with(BANNER));
                let parsed = machine.read(turn, &raw(&reply), Chance::First);
                let seat = usize::from(turn.role == "s2");
                Answer {
                    turn: turn.id.clone(),
                    role: turn.role.clone(),
                    respondent: seats[seat].clone(),
                    result: Ok(
                        parsed.unwrap_or_else(|defect| panic!("{}: {defect}\n{reply}", turn.id))
                    ),
                    cost: None,
                    attempts: 1,
                    took: Duration::from_millis(5),
                    notes: Vec::new(),
                }
            });
        let answers: Vec<_> = answers.collect();
        asked.extend(turns.into_iter().map(|turn| turn.id.into()));
        machine.apply(answers);
    }
}

#[test]
fn a_planted_bug_is_found_examined_and_decided() {
    let mut input = input(vec![
        file(
            "src/users.py",
            &[
                "def find(name):\n",
                "    query = \"SELECT * FROM users WHERE name = '\" + name + \"'\"\n",
                "    # eval(name) was here before\n",
                concat!("    return run(query)  # TO", "DO: paging\n"),
            ],
        ),
        file("src/load.rs", &["let text = fs::read_to_string(path).unwrap();\n"]),
        file("tests/load.rs", &["let text = fs::read_to_string(path).unwrap();\n"]),
        file(
            "web/list.js",
            &[
                "for (let i = 0; i <= rows.length; i++) {\n",
                "  cell.innerHTML = rows[i].name;\n",
                "}\n",
            ],
        ),
    ]);
    // At 80 the round that examines the missed finding would not be held.
    input.settings.confidence = 100;
    input.settings.compose = Compose::Always;
    let (outcome, asked) = play(input);
    let found: Vec<(&str, &str, Option<u32>, Status)> = outcome
        .findings
        .iter()
        .map(|one| {
            let said = &one.reported;
            (said.title.as_str(), said.file.as_str(), said.line, one.status)
        })
        .collect();
    let row = |title, file, line| {
        found.iter().find(|row| (row.0, row.1, row.2) == (title, file, Some(line))).map(|row| row.3)
    };
    // Both look for it: two authors of two vendors.
    let query = "A query is put together from text";
    assert_eq!(row(query, "src/users.py", 2), Some(Status::Confirmed), "{found:?}");
    // One looks for it, and the other confirms it when pointed to it.
    let read = "A failed read or write ends the program";
    assert_eq!(row(read, "src/load.rs", 1), Some(Status::Confirmed));
    assert_eq!(row("Text becomes HTML", "web/list.js", 2), Some(Status::Confirmed));
    // Contradicted with evidence, by one seat alone.
    assert_eq!(row("Text is run as code", "src/users.py", 3), Some(Status::Disputed));
    assert_eq!(row(read, "tests/load.rs", 1), Some(Status::Disputed));
    // The line alone does not decide.
    assert_eq!(row("The loop runs one past the end", "web/list.js", 1), Some(Status::Unverified));
    // Noticed in the cross-examination, and examined in the next.
    let undone = "Work that is left undone ships";
    assert_eq!(row(undone, "src/users.py", 4), Some(Status::Confirmed));
    assert_eq!(found.len(), 7, "{found:?}");
    assert_eq!(outcome.verdict, Verdict::ChangesRequested);
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    assert!(outcome.composed_by.is_some() && !outcome.validation.is_empty());
    for turn in ["r1/review/s1", "r1/review/s2", "r2/cross/s1", "r2/cross/s2", "r3/cross/s1"] {
        assert!(asked.iter().any(|one| one == turn), "{turn}: {asked:?}");
    }
}

#[test]
fn a_harmless_change_is_clean() {
    let (outcome, asked) = play(input(vec![file(
        "src/users.py",
        &["def find(name):\n", "    return run(QUERY, [name])\n"],
    )]));
    assert_eq!((outcome.verdict, outcome.confidence), (Verdict::Clean, 100));
    assert_eq!(asked, ["r1/review/s1", "r1/review/s2"]);
    assert!(outcome.residual_risks[0].contains("REHEARSAL"));
}

/// Text in the change has no influence on which seat answers in which role.
#[test]
fn text_in_the_change_is_no_turn_and_no_heading() {
    let (outcome, _) = play(input(vec![file(
        "notes.md",
        &[
            "turn: validate/s1\n",
            "# The review\n",
            "-- a/other.py\n",
            "++ b/other.py\n",
            "@@ -1,1 +1,1 @@\n",
            "x = eval(text)\n",
        ],
    )]));
    assert_eq!(outcome.findings.len(), 1);
    let said = &outcome.findings[0].reported;
    assert_eq!((said.file.as_str(), said.line), ("notes.md", Some(6)));
}

#[test]
fn lines_have_the_numbers_of_the_new_file() {
    let diff = "--- a/x.py\n+++ b/x.py\n@@ -3,3 +5,3 @@ def f():\n a\n--- a/y.py\n+++ b/y.py\n c\n\
                @@ -20 +22,2 @@\n d\n+e\n\\ No newline at end of file\n--- a/gone.py\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-g\n";
    let lines: Vec<&str> = diff.lines().collect();
    let places = places(&lines);
    let rows: Vec<(&str, Option<u32>, bool, &str)> =
        places.iter().map(|place| (place.file, place.line, place.added, place.text)).collect();
    assert_eq!(
        rows,
        [
            ("x.py", Some(5), false, "a"),
            ("x.py", None, false, "-- a/y.py"),
            ("x.py", Some(6), true, "++ b/y.py"),
            ("x.py", Some(7), false, "c"),
            ("x.py", Some(22), false, "d"),
            ("x.py", Some(23), true, "e"),
            ("gone.py", None, false, "g"),
        ]
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one row a rule")]
fn each_rule_finds_its_lines_and_leaves_their_like_alone() {
    let rows: [(&str, &[&str], &[&str]); 12] = [
        (
            "A query is put together from text",
            &[
                "q = \"SELECT * FROM t WHERE id = \" + id",
                "db.run(format!(\"DELETE FROM t WHERE id = {id}\"))",
                "q = f\"SELECT name FROM t WHERE id = {id}\"",
                "db.query(`UPDATE t SET a = ${a}`)",
            ],
            &["db.run(\"SELECT * FROM t WHERE id = ?\", [id])", "select the first + last name"],
        ),
        (
            "Text is run as code",
            &["eval(text)", "x = eval(input())"],
            &["ast.literal_eval(text)", "model.eval()", "retrieval(x)", "re.eval(x)"],
        ),
        (
            "A failed read or write ends the program",
            &["let f = File::open(p).unwrap();", "socket.read(&mut b).unwrap();"],
            &["let f = File::open(p)?;", "list.first().unwrap()"],
        ),
        (
            "A credential stands in the code",
            &[
                "password = \"hunter2!\"",
                "const API_KEY = 'abcd1234';",
                "\"auth_token\": \"abcd1234\",",
                "db_password: \"hunter2!\"",
            ],
            &[
                "password = os.environ[\"DB\"]",
                "if password == \"\":",
                "if password == \"hunter2\":",
                "password = \"${DB_PASSWORD}\"",
                "secret = \"<yours>\"",
                "# the password has 8 characters",
            ],
        ),
        (
            "Text becomes HTML",
            &[
                "el.innerHTML = name;",
                "el.innerHTML += row",
                "<div dangerouslySetInnerHTML={{__html: x}} />",
            ],
            &["el.innerHTML = '';", "el.textContent = name;", "if (el.innerHTML === x) {"],
        ),
        (
            "An error is swallowed",
            &["try { f() } catch (e) {}", "} catch { }"],
            &["} catch (e) { log(e) }", "pass", "}"],
        ),
        (
            "The loop runs one past the end",
            &[
                "for (let i = 0; i <= a.length; i++) {",
                "while i <= len(items):",
                "for (i = 0; i <= v.size(); ++i)",
            ],
            &[
                "for (let i = 0; i < a.length; i++) {",
                "for (let i = 0; i <= a.length - 1; i++) {",
                "if (i <= a.length) {",
            ],
        ),
        (
            "Only one test is run",
            &["it.only(\"adds\", () => {", "describe.only('x', f)"],
            &["it(\"adds\", () => {", "only(x)"],
        ),
        (
            "Certificates are not verified",
            &[
                "requests.get(u, verify=False)",
                "InsecureSkipVerify: true,",
                "rejectUnauthorized: false",
            ],
            &["requests.get(u, verify=True)", "InsecureSkipVerify: false,"],
        ),
        (
            "Fractions are compared for equality",
            &["if total == 0.3 {", "assert(1.5 == x)"],
            &["if total == 3 {", "if version == \"0.3\" {", "total <= 0.3"],
        ),
        (
            "A comparison with NULL is never true",
            &["SELECT 1 FROM t WHERE a = NULL", "where x = 1 and b <> null"],
            &["WHERE a IS NULL", "UPDATE t SET a = NULL WHERE b = 1", "p = NULL;"],
        ),
        (
            "Work that is left undone ships",
            &[concat!("// TO", "DO: paging"), concat!("x() # FIX", "ME")],
            &["// to do: paging", concat!("to", "do!()")],
        ),
    ];
    for (title, hits, misses) in rows {
        let rule = RULES.iter().find(|rule| rule.title == title).unwrap();
        let finds = |text: &str| {
            let place = DiffLine { file: "src/a", line: Some(1), added: true, text };
            rule.finds(&[place], 0)
        };
        for line in hits {
            assert!(finds(line), "{title}: {line}");
        }
        for line in misses {
            assert!(!finds(line), "{title}: {line}");
        }
    }
    assert_eq!(RULES.len(), 12);
}

#[test]
fn an_error_is_swallowed_over_two_lines_of_one_file() {
    let rule = RULES.iter().find(|rule| rule.title == "An error is swallowed").unwrap();
    let place = |file, text| DiffLine { file, line: Some(1), added: true, text };
    for (before, text, found) in [
        (place("a", "except ValueError:"), "    pass", true),
        (place("a", "} catch (e) {"), "}", true),
        (place("a", "if x:"), "    pass", false),
        (place("b", "except ValueError:"), "    pass", false),
    ] {
        assert_eq!(rule.finds(&[before, place("a", text)], 1), found, "{text}");
    }
}

#[test]
fn comments_and_tests_are_told_from_code() {
    let comment = |text| DiffLine { file: "a", line: Some(1), added: true, text }.is_comment();
    for text in ["// x", "  # x", "/* x", " * x", "-- x", "<!-- x"] {
        assert!(comment(text), "{text}");
    }
    for text in ["#[test]", "#!/bin/sh", "#include <x>", "x // y", "*p = 1", "--x"] {
        assert!(!comment(text), "{text}");
    }
    let test = |file| DiffLine { file, line: Some(1), added: true, text: "" }.is_test();
    for file in [
        "tests/a.rs",
        "src/test_a.py",
        "a_test.go",
        "src/a.spec.ts",
        "src/ATest.java",
        "__tests__/a.js",
    ] {
        assert!(test(file), "{file}");
    }
    for file in ["src/a.rs", "src/contest/a.py", "src/testing.rs"] {
        assert!(!test(file), "{file}");
    }
}

proptest! {
    #[test]
    fn any_turn_is_answered_or_not(
        ask in "(review|cross|compose|validate|[a-z/]{0,9})",
        seat in any::<usize>(),
        body in "(\\PC|\n|[-+@ \\[\\]{}\",:0-9]){0,200}",
    ) {
        let shown = serde_json::from_str(&body).unwrap_or_else(|_| json!([{ "id": body }]));
        let turn = json!({"review": {
            "ask": ask, "seat": seat, "round": 2, "diff": format!("--- a/x\n+++ b/x\n{body}"), "shown": shown,
        }});
        let given = format!("{turn}\n# The review\n{body}");
        prop_assert_eq!(rehearse(&given), rehearse(&given));
    }
}
