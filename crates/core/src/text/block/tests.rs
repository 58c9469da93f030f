//! The decision table, row by row.

use serde_json::json;

use super::*;

pub(super) const RANKINGS: ExpectedBlock = ExpectedBlock::new("RANKINGS", Shape::Array, true);
const STATUS: ExpectedBlock = ExpectedBlock::new("STATUS", Shape::Object, true);
pub(super) const ARGUMENT: ExpectedBlock = ExpectedBlock::new("ARGUMENT", Shape::Text, true);
pub(super) const OPTIONAL: ExpectedBlock = ExpectedBlock::new("STATUS", Shape::Object, false);

fn ab() -> Value {
    json!(["a", "b"])
}

/// The expectation of a table row.
enum Then {
    /// Exactly these notes, and the value.
    Value(&'static [&'static str], Value),
    /// Exactly these problems.
    Problems(&'static [&'static str]),
}
use Then::{Problems, Value as Gives};

pub(super) fn judge(
    reply: &[u8],
    cut: bool,
    wants: &[ExpectedBlock],
) -> Result<Extraction, Vec<Problem>> {
    extract(reply, cut, wants, &["[\"first-id\", \"second-id\"]"])
}

fn codes(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| note.code.as_str()).collect()
}

fn problem_codes(problems: &[Problem]) -> Vec<&str> {
    problems.iter().map(|problem| problem.code.as_str()).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, one row a line or so")]
fn decision_table_for_one_array() {
    let block = |body: &str| format!("<<<RANKINGS_START>>>\n{body}\n<<<RANKINGS_END>>>\n");
    let good = block("[\"a\", \"b\"]");
    let rows: Vec<(&str, String, Then)> = vec![
        ("1", format!("Here it is.\n{good}Done."), Gives(&[], ab())),
        ("1 crlf", good.replace('\n', "\r\n"), Gives(&[], ab())),
        (
            "1 END in a string",
            block("[\"a <<<RANKINGS_END>>> x\"]"),
            Gives(&[], json!(["a <<<RANKINGS_END>>> x"])),
        ),
        ("43 think", format!("<think>\n{}</think>\n\n{good}", block("[\"b\"]")), Gives(&[], ab())),
        (
            "43 prefix",
            format!(" <seed:think>{}</seed:think>{good}", block("[\"b\"]")),
            Gives(&[], ab()),
        ),
        (
            "43 twice",
            format!("<reasoning>x</reasoning>\n<analysis>{}</analysis>\n{good}", block("[]")),
            Gives(&[], ab()),
        ),
        (
            "43 words",
            format!("Thinking...\n{}...done thinking.\n{good}", block("[\"b\"]")),
            Gives(&[], ab()),
        ),
        ("43 brackets", format!("[THINK]{}[/THINK]\n{good}", block("[\"b\"]")), Gives(&[], ab())),
        ("43 end alone", format!("Hm.\n{}No.</think>\n{good}", block("[\"b\"]")), Gives(&[], ab())),
        ("43 bare", "Hm: [\"b\"]\n</think>\n[\"a\", \"b\"]".into(), Gives(&["no_markers"], ab())),
        ("43 no end", format!("<think>\n{good}"), Problems(&["missing_block"])),
        ("43 after the answer", format!("{good}It closes </think>\nDone.\n"), Gives(&[], ab())),
        (
            "43 later",
            format!("{good}<think>\n{}</think>\n", block("[\"b\"]")),
            Problems(&["conflicting_blocks"]),
        ),
        ("2 bare", " [\"a\", \"b\"]\n".into(), Gives(&["no_markers"], ab())),
        (
            "2 fence",
            "Sure:\n```json\n[\"a\", \"b\"]\n```\nBye.".into(),
            Gives(&["no_markers"], ab()),
        ),
        (
            "2 wrapped",
            "{\"rankings\": [\"a\", \"b\"]}".into(),
            Gives(&["no_markers", "unwrapped"], ab()),
        ),
        ("3 prose around", "My ranking: [\"a\", \"b\"]".into(), Problems(&["missing_block"])),
        (
            "3 two fences",
            "```\n[\"a\"]\n```\n```\n[\"b\"]\n```".into(),
            Problems(&["missing_block"]),
        ),
        ("3 other type", "{\"a\": 1}".into(), Problems(&["missing_block"])),
        ("3 nothing", String::new(), Problems(&["missing_block"])),
        ("3 apology", "I cannot do that.".into(), Problems(&["missing_block"])),
        (
            "3 another marker",
            "<<<OTHER_START>>>\n[\"a\"]\n<<<OTHER_END>>>".into(),
            Problems(&["missing_block"]),
        ),
        ("4", "x\n<<<RANKINGS_START>>>\n[\"a\", \"b\"]\n".into(), Gives(&["unclosed"], ab())),
        (
            "4 fence",
            "```json\n<<<RANKINGS_START>>>\n[\"a\", \"b\"]\n```\n".into(),
            Gives(&["unclosed", "code_fence"], ab()),
        ),
        ("5", "<<<RANKINGS_START>>>\n[\"a\", \"b".into(), Problems(&["unclosed"])),
        (
            "5 prose after",
            "<<<RANKINGS_START>>>\n[\"a\"]\nThat is all.".into(),
            Gives(&["unclosed", "words_left_out"], json!(["a"])),
        ),
        ("6 end alone", "[\"a\"]\n<<<RANKINGS_END>>>".into(), Problems(&["end_without_start"])),
        ("6 start twice", format!("<<<RANKINGS_START>>>\n{good}"), Problems(&["crossed_markers"])),
        ("7", format!("{good}{}", block("[ \"a\",\"b\" ]")), Gives(&["duplicate_equal"], ab())),
        ("8", format!("{good}{}", block("[\"b\", \"a\"]")), Problems(&["conflicting_blocks"])),
        ("8 one faulty", format!("{good}{}", block("[\"b\", ")), Problems(&["conflicting_blocks"])),
        (
            "9 template",
            format!("{}{good}", block("[\"first-id\",  \"second-id\"]")),
            Gives(&["echo"], ab()),
        ),
        (
            "9 placeholder",
            format!("{}{good}", block("[\"<id>\", \"<id>\"]")),
            Gives(&["echo"], ab()),
        ),
        (
            "9 alone",
            block("[\"first-id\", \"second-id\"]"),
            Gives(&[], json!(["first-id", "second-id"])),
        ),
        (
            "9 code is no placeholder",
            format!("{}{good}", block("[\"Vec<id>\"]")),
            Problems(&["conflicting_blocks"]),
        ),
        ("11 case", good.to_lowercase(), Gives(&["marker_variant"], ab())),
        (
            "11 emphasis",
            "**<<<RANKINGS_START>>>**\n[\"a\", \"b\"]\n> `<<< RANKINGS_END >>>`".into(),
            Gives(&["marker_variant"], ab()),
        ),
        (
            "11 not unique",
            format!("{good}{}", block("[\"b\"]").to_lowercase()),
            Problems(&["conflicting_blocks"]),
        ),
        (
            "11 lookalike",
            good.replace('<', "«").replace('>', "»"),
            Problems(&["lookalike_marker", "lookalike_marker"]),
        ),
        (
            "11 lookalike beside",
            format!("{good}«««RANKINGS_START»»»\n"),
            Problems(&["lookalike_marker"]),
        ),
        ("12 inside", block("```json\n[\"a\", \"b\"]\n```"), Gives(&["code_fence"], ab())),
        ("12 outside", format!("```\n{good}```"), Gives(&[], ab())),
        (
            "12 across",
            format!("```json\n{}", block("[\"a\", \"b\"]\n```")),
            Gives(&["code_fence"], ab()),
        ),
        ("13", block("[\"a\", // best\n\"b\",]"), Gives(&["comment", "trailing_comma"], ab())),
        ("14 single quotes", block("['a', 'b']"), Problems(&["bad_json"])),
        ("14 smart quotes", block("[“a”, “b”]"), Problems(&["bad_json"])),
        ("14 python", block("[\"a\", None]"), Problems(&["bad_json"])),
        ("14 inner quotes", block("[\"a \"quoted\" b\"]"), Problems(&["bad_json"])),
        ("14 lone surrogate", block("[\"\\ud800\"]"), Problems(&["bad_json"])),
        ("14 two values", block("[\"a\"]\n[\"b\"]"), Problems(&["bad_json"])),
        (
            "15",
            block("{\"rankings\": [\"a\"], \"rankings\": [\"b\"]}"),
            Problems(&["conflicting_entries"]),
        ),
        ("16", block("{\"rankings\": [\"a\", \"b\"]}"), Gives(&["unwrapped"], ab())),
        ("16 twice", block("{\"x\": {\"rankings\": [\"a\"]}}"), Problems(&["wrong_shape"])),
        (
            "16 more keys",
            block("{\"rankings\": [\"a\"], \"why\": \"x\"}"),
            Problems(&["wrong_shape"]),
        ),
        ("17 object", block("{\"a\": 1}"), Problems(&["wrong_shape"])),
        ("17 string", block("\"a, b\""), Problems(&["wrong_shape"])),
        ("17 bare list", block("a, b"), Problems(&["bad_json"])),
        ("23 array", block("[ ]"), Problems(&["empty_block"])),
        ("23 object", block("{}"), Problems(&["empty_block"])),
        ("23 null", block("null"), Problems(&["empty_block"])),
        ("23 blank", block("  "), Problems(&["empty_block"])),
        ("23 wrapped", block("{\"rankings\": []}"), Problems(&["empty_block"])),
        (
            "36",
            format!("Voilà, 以下は順位です。\n{}", block("[\"α\", \"日本\"]")),
            Gives(&[], json!(["α", "日本"])),
        ),
        (
            "39",
            format!(
                "\u{1b}[32m{}",
                block("\u{1b}[1m[\"a\", \u{1b}]8;;http://x\u{7}\"b\"]\u{1b}[0m")
            ),
            Gives(&["escapes_stripped"], ab()),
        ),
        ("40", block(&format!("[\"{}\"]", "x".repeat(2 << 20))), Problems(&["output_limit"])),
    ];
    for (row, reply, then) in rows {
        match (judge(reply.as_bytes(), false, &[RANKINGS]), then) {
            (Ok(found), Gives(notes, value)) => {
                assert_eq!(codes(&found.notes), notes, "row {row}");
                assert_eq!(found.contents, [Some(BlockBody::Json(value))], "row {row}");
            }
            (Err(problems), Problems(expected)) => {
                assert_eq!(problem_codes(&problems), expected, "row {row}");
                assert!(problems.iter().all(|p| p.block.as_deref() == Some("RANKINGS")));
            }
            (got, _) => panic!("row {row}: {got:?}"),
        }
    }
}

#[test]
fn row_4_a_cut_reply_is_never_complete() {
    let reply = b"<<<RANKINGS_START>>>\n[\"a\"]\n";
    assert!(judge(reply, false, &[RANKINGS]).is_ok());
    let problems = judge(reply, true, &[RANKINGS]).unwrap_err();
    assert_eq!(problem_codes(&problems), ["unclosed"]);
    assert_eq!(
        problem_codes(&judge(b"[\"a\"]", true, &[RANKINGS]).unwrap_err()),
        ["missing_block"]
    );
}

#[test]
fn row_4_a_text_without_end_is_a_problem() {
    let problems = judge(b"<<<ARGUMENT_START>>>\nBecause.", false, &[ARGUMENT]).unwrap_err();
    assert_eq!(problem_codes(&problems), ["unclosed"]);
}

#[test]
fn row_6_crossed_and_nested_blocks() {
    let crossed = "<<<RANKINGS_START>>>\n[\"a\"]\n<<<STATUS_START>>>\n<<<RANKINGS_END>>>\n{\"x\": 1}\n<<<STATUS_END>>>";
    let nested = "<<<RANKINGS_START>>>\n[\"a\"]\n<<<STATUS_START>>>\n{\"x\": 1}\n<<<STATUS_END>>>\n<<<RANKINGS_END>>>";
    for reply in [crossed, nested] {
        let problems = judge(reply.as_bytes(), false, &[RANKINGS, STATUS]).unwrap_err();
        assert!(problem_codes(&problems).contains(&"crossed_markers"), "{problems:?}");
    }
}

#[test]
fn row_38_bytes_that_are_not_utf8() {
    let outside = b"\xff\n<<<RANKINGS_START>>>\n[\"a\"]\n<<<RANKINGS_END>>>";
    let found = judge(outside, false, &[RANKINGS]).unwrap();
    assert_eq!(codes(&found.notes), ["invalid_utf8"]);
    let inside = b"\x1b[1m<<<RANKINGS_START>>>\n[\"a\xff\"]\n<<<RANKINGS_END>>>";
    let problems = judge(inside, false, &[RANKINGS]).unwrap_err();
    assert_eq!(problem_codes(&problems), ["invalid_utf8"]);
    // A replacement character written by the agent is an ordinary character.
    let written = "<<<RANKINGS_START>>>\n[\"\u{fffd}\"]\n<<<RANKINGS_END>>>";
    assert!(judge(written.as_bytes(), false, &[RANKINGS]).is_ok());
}

#[test]
fn blocks_come_in_the_order_of_the_wants_and_all_problems_at_once() {
    let reply = "<<<STATUS_START>>>\n{\"x\": 1}\n<<<STATUS_END>>>\n<<<ARGUMENT_START>>>\n\n  Because.\nTwo.\n\n<<<ARGUMENT_END>>>";
    let found = judge(reply.as_bytes(), false, &[ARGUMENT, STATUS]).unwrap();
    let text = BlockBody::Text("Because.\nTwo.".into());
    assert_eq!(found.contents, [Some(text), Some(BlockBody::Json(json!({"x": 1})))]);
    let problems = judge(b"nothing", false, &[ARGUMENT, RANKINGS, STATUS]).unwrap_err();
    assert_eq!(problem_codes(&problems), ["missing_block"; 3]);
    let problems = judge(reply.as_bytes(), false, &[RANKINGS]).unwrap_err();
    assert!(problems[0].message.contains("ARGUMENT, STATUS"), "{}", problems[0]);
}

#[test]
fn a_missing_optional_block_is_none() {
    let reply = "<<<RANKINGS_START>>>\n[\"a\"]\n<<<RANKINGS_END>>>";
    let found = judge(reply.as_bytes(), false, &[RANKINGS, OPTIONAL]).unwrap();
    assert_eq!(found.contents[1], None);
    let faulty = format!("{reply}\n<<<STATUS_START>>>\n{{\n<<<STATUS_END>>>");
    assert_eq!(
        problem_codes(&judge(faulty.as_bytes(), false, &[RANKINGS, OPTIONAL]).unwrap_err()),
        ["bad_json"]
    );
}

#[test]
fn excerpts_are_bounded() {
    let body = "é".repeat(100_000);
    let reply = format!("<<<RANKINGS_START>>>\n{body}\n<<<RANKINGS_END>>>");
    let problems = judge(reply.as_bytes(), false, &[RANKINGS]).unwrap_err();
    let excerpt = problems[0].excerpt.as_ref().unwrap();
    assert!(excerpt.len() <= EXCERPT && excerpt.starts_with('é'));
}

/// P11: total and linear. A scan taking quadratic time would need hours for 2 MiB.
#[test]
fn time_grows_with_the_text_alone() {
    let hostile: [&str; 8] = [
        "<<<RANKINGS_START>>>\n",
        "<",
        "\u{1b}]",
        "\u{1b}[",
        "<<<RANKINGS_START>>>\n<<<RANKINGS_END>>>\n",
        "```\n",
        "[",
        "\"<a>",
    ];
    for unit in hostile {
        let reply = unit.repeat((1 << 20) / unit.len());
        let begun = std::time::Instant::now();
        // It only matters that it ends, and soon.
        let _outcome = extract(reply.as_bytes(), false, &[RANKINGS], &["[\"<id>\"]"]);
        assert!(begun.elapsed().as_secs() < 20, "{unit:?} took {:?}", begun.elapsed());
    }
}

/// Without markers only an object identifies itself, and amid prose only a non-empty one.
#[test]
fn what_is_read_without_markers_is_an_object_that_says_something() {
    let form = Form::Fields { list: Some("all"), key: Some("all"), also: &[] };
    let wants = [ExpectedBlock { form, ..ExpectedBlock::new("X", Shape::Object, true) }];
    let fenced = |value: &str| format!("```json\n{value}\n```\n");
    let (one, none) = (r#"{"all": [{"id": "a"}], "more": []}"#, r#"{"all": [], "more": []}"#);
    for (reply, is_read) in [
        (one.to_owned(), true),
        (fenced(one), true),
        (format!("Here it is:\n{}", fenced(one)), true),
        (format!("{}So much.", fenced(one)), true),
        (none.to_owned(), true),
        (fenced(none), true),
        // A refusal may show the form that it declines to fill in.
        (format!("I can't do that. The form would be\n{}", fenced(none)), false),
        (r#"[{"id": "a"}]"#.to_owned(), false),
        (fenced(r#"[{"id": "a"}]"#), false),
        (format!("{}{}", fenced(one), fenced(one)), false),
    ] {
        let read = extract(reply.as_bytes(), false, &wants, &[]);
        assert_eq!(read.is_ok(), is_read, "{reply}");
    }
}
