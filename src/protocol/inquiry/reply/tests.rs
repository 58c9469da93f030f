//! The decision table of `docs/answers.md`, as far as it concerns this protocol.

use super::super::Question;
use serde_json::{Value, json};

use super::super::testing::*;
use super::*;
use crate::contract::template::block;
use crate::protocol::testing::by_the_first_rules;

pub(super) const LIMIT: u32 = 3;

pub(super) fn terms() -> ReplyContext {
    ReplyContext { strict: false, limits: BlockLimits::default() }
}

pub(super) fn ask(
    question: &Question,
    text: &str,
    chance: Chance,
) -> Result<Reply<Content>, Defect> {
    parse(question.ask(), &raw(text), chance, terms())
}

pub(super) fn analyst(text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
    ask(&features(LIMIT), text, chance)
}

fn advisor(text: &str, chance: Chance) -> Result<Reply<Content>, Defect> {
    ask(&fix("opp-tf-1"), text, chance)
}

fn named(reply: &Reply<Content>) -> String {
    let Content::Features(said) = &reply.content else { panic!("the analyst") };
    let titles: Vec<&str> = said.features.iter().map(|each| &*each.title).collect();
    titles.join(",")
}

fn codes(reply: &Reply<Content>) -> Vec<&str> {
    reply.notes.iter().map(|note| note.code.as_str()).collect()
}

fn problems(defect: &Defect) -> Vec<&str> {
    let codes = defect.problems.iter().map(|each| each.code.as_str());
    codes.collect()
}

/// Returns a list of three features with one field of the second replaced (`null` removes it).
fn with(field: &str, value: Value) -> String {
    let mut second = feature("Two", [5, 5, 5, 5]);
    let fields = second.as_object_mut().unwrap();
    if value.is_null() {
        fields.remove(field);
    } else {
        fields.insert(field.to_owned(), value);
    }
    proposal(&json!([feature("One", [7, 3, 8, 2]), second, feature("Three", [1, 10, 1, 10])]))
}

/// Rows 1 to 13: how a block is found, the same for both blocks. (reply, accepted, note or problem)
#[test]
fn blocks_are_found_by_the_table() {
    by_the_first_rules();
    let body = proposal(&json!([feature("One", [7, 3, 8, 2])]));
    let bare = body
        .replace("<<<FEATURE_OPPORTUNITIES_START>>>\n", "")
        .replace("<<<FEATURE_OPPORTUNITIES_END>>>\n", "");
    let other = proposal(&json!([feature("Two", [7, 3, 8, 2])]));
    let open = body.replace("<<<FEATURE_OPPORTUNITIES_END>>>\n", "");
    for (row, text, accepted, code) in [
        ("1", format!("Well.\n{body}\nThat is all."), true, ""),
        ("2", bare.clone(), true, "no_markers"),
        ("2, fenced", format!("```json\n{bare}```"), true, "no_markers"),
        ("3", format!("Here: {bare}"), false, "missing_block"),
        ("4", open.clone(), true, "unclosed"),
        ("5", open[..open.len() - 9].to_owned(), false, "unclosed"),
        ("6", body.replace("_START", "_END"), false, "end_without_start"),
        ("7", format!("{body}\n{body}"), true, "duplicate_equal"),
        ("8", format!("{body}\n{other}"), false, "conflicting_blocks"),
        ("9", format!("{}\n{body}", contract::text(&features(1))), true, "echo"),
        (
            "11",
            body.replace(
                "<<<FEATURE_OPPORTUNITIES_START>>>",
                "**<<<FEATURE_OPPORTUNITIES_START>>>**",
            ),
            true,
            "marker_variant",
        ),
        ("11, lookalike", body.replace("<<<", "«««"), false, "lookalike_marker"),
        ("12", format!("```\n{body}```"), true, ""),
        ("13", body.replace("]}]", "]},]"), true, "trailing_comma"),
        ("14", body.replace('"', "'"), false, "bad_json"),
        ("15", body.replace("\"impact\"", "\"effort\""), false, "bad_json"),
        (
            "17",
            body.replace("_START>>>\n", "_START>>>\n[")
                .replace("\n<<<FEATURE_OPPORTUNITIES_END", "]\n<<<FEATURE_OPPORTUNITIES_END"),
            false,
            "wrong_shape",
        ),
        ("23", block(FEATURE_OPPORTUNITIES.name(), "{}"), false, "empty_block"),
        ("33", "I am sorry, I cannot help with that.".to_owned(), false, "missing_block"),
        ("36", format!("以下です。\n{body}\nMerci."), true, ""),
    ] {
        for chance in [Chance::First, Chance::Last] {
            match analyst(&text, chance) {
                Ok(reply) => {
                    assert!(accepted, "row {row}: {reply:?}");
                    assert_eq!(named(&reply), "One", "row {row}");
                    assert!(
                        codes(&reply).contains(&code) || code.is_empty() && reply.notes.is_empty(),
                        "row {row}: {:?}",
                        reply.notes
                    );
                }
                Err(defect) => {
                    assert!(!accepted, "row {row}: {defect}");
                    assert!(problems(&defect).contains(&code), "row {row}: {defect}");
                }
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_and_replies_that_were_cut() {
    let mut bytes = proposal(&json!([feature("One", [7, 3, 8, 2])])).into_bytes();
    let inside = bytes.len() - 60;
    bytes[inside] = 0xff;
    let reply = RawReply { bytes, cut: false, ..RawReply::default() };
    let defect = parse(features(1).ask(), &reply, Chance::Last, terms()).unwrap_err();
    assert_eq!(problems(&defect), ["invalid_utf8"]);
    let open = suggestion("Do it.").replace("<<<FIX_SUGGESTION_END>>>\n", "");
    for cut in [true, false] {
        let bytes = open.clone().into_bytes();
        let reply = RawReply { bytes, cut, ..RawReply::default() };
        let defect = parse(fix("a").ask(), &reply, Chance::Last, terms()).unwrap_err();
        assert_eq!(problems(&defect), ["unclosed"], "text that has no end may lack its end");
    }
    let large = ReplyContext { limits: BlockLimits { block_bytes: 10 }, ..terms() };
    let text = suggestion("More than ten bytes.");
    assert_eq!(
        problems(&parse(fix("a").ask(), &raw(&text), Chance::Last, large).unwrap_err()),
        ["output_limit"]
    );
}

/// Row 30 and its like. (field, value, problem at first); on the last chance the second feature is left out.
#[test]
fn faulty_fields_are_problems_and_then_left_out() {
    by_the_first_rules();
    for (field, value, code) in [
        ("impact", json!(0), "out_of_range"),
        ("impact", json!(0.99), "out_of_range"),
        ("effort", json!(10.01), "out_of_range"),
        ("leverage", json!(-3), "out_of_range"),
        ("risk", json!(-0.1), "out_of_range"),
        ("risk", json!(11), "out_of_range"),
        ("impact", json!("11"), "out_of_range"),
        ("impact", json!("4/5"), "wrong_type"),
        ("impact", json!("high"), "wrong_type"),
        ("impact", json!("NaN"), "wrong_type"),
        ("impact", json!("inf"), "wrong_type"),
        ("impact", json!(true), "wrong_type"),
        ("impact", json!([7]), "wrong_type"),
        ("effort", Value::Null, "missing_field"),
        ("title", Value::Null, "missing_field"),
        ("title", json!(" \n "), "missing_field"),
        ("title", json!("\u{200b}"), "missing_field"),
        ("title", json!(7), "wrong_type"),
        ("title", json!("ONE!"), "duplicate_title"),
        ("description", Value::Null, "missing_field"),
        ("user_value", json!(""), "missing_field"),
        ("existing_code", json!([1]), "wrong_type"),
    ] {
        let text = with(field, value.clone());
        let defect = analyst(&text, Chance::First).expect_err(field);
        assert_eq!(problems(&defect), [code], "{field}: {value}: {defect}");
        let one = if code == "duplicate_title" { "opportunity `ONE!`" } else { "opportunity 2" };
        assert!(defect.problems[0].message.starts_with(one), "{defect}");
        let reply = analyst(&text, Chance::Last).expect(field);
        assert_eq!(named(&reply), "One,Three", "{field}: {value}");
        let note = if code == "duplicate_title" { code } else { "entry_left_out" };
        assert_eq!(codes(&reply), [note]);
    }
    let text = proposal(&json!([feature("One", [1, 1, 1, 1]), "Two"]));
    assert_eq!(problems(&analyst(&text, Chance::First).unwrap_err()), ["wrong_type"]);
    assert_eq!(named(&analyst(&text, Chance::Last).unwrap()), "One");
}

/// (field, value, number read, note)
#[test]
fn what_is_normalised() {
    for (field, value, number, note) in [
        ("impact", json!("7"), 7.0, "number_as_text"),
        ("impact", json!(" 7.5 / 10 "), 7.5, "number_as_text"),
        ("effort", json!("1"), 1.0, "number_as_text"),
        ("risk", json!(0), 1.0, "number_raised"),
        ("risk", json!(0.25), 1.0, "number_raised"),
    ] {
        for chance in [Chance::First, Chance::Last] {
            let reply = analyst(&with(field, value.clone()), chance).unwrap();
            let Content::Features(said) = &reply.content else { panic!("the analyst") };
            let two = &said.features[1];
            let read = match field {
                "impact" => two.impact,
                "effort" => two.effort,
                _ => two.risk,
            };
            assert!((read - number).abs() < 1e-9, "{field}: {value}: {read}");
            assert_eq!(codes(&reply), [note]);
        }
    }
    assert!(analyst(&with("impact", json!(7.25)), Chance::First).unwrap().notes.is_empty());
    let missing = with("existing_code", Value::Null);
    assert!(
        analyst(&missing, Chance::First).unwrap().notes.is_empty(),
        "no code to build on is no fault"
    );
}

#[test]
fn a_figure_for_the_whole_is_ignored() {
    let plain = analyst(&with("impact", json!(5)), Chance::First).unwrap();
    for field in ["roi", "roi_score", "priority_rank", "category"] {
        let reply = analyst(&with(field, json!(1_000_000)), Chance::First).unwrap();
        assert_eq!(reply, plain);
    }
}

/// An empty list is an answer; a missing list is not.
#[test]
fn an_empty_list_is_legal_and_a_missing_one_is_not() {
    for chance in [Chance::First, Chance::Last] {
        assert_eq!(named(&analyst(&proposal(&json!([])), chance).unwrap()), "");
        for none in [json!(null), json!({}), json!("none"), json!(0)] {
            assert!(analyst(&proposal(&none), chance).is_err(), "{none}");
        }
        let error = block(FEATURE_OPPORTUNITIES.name(), r#"{"error": "no access"}"#);
        let defect = analyst(&error, chance).unwrap_err();
        assert_eq!(problems(&defect), ["wrong_type"]);
    }
}

#[test]
fn a_list_of_nothing_but_faults_is_no_answer() {
    let text = proposal(&json!([{ "title": "One" }, 7]));
    for chance in [Chance::First, Chance::Last] {
        let defect = analyst(&text, chance).unwrap_err();
        assert!(problems(&defect).contains(&"missing_field"), "{defect}");
    }
    let many: Vec<Value> = (0..5_000).map(Value::from).collect();
    let defect = analyst(&proposal(&Value::from(many)), Chance::First).unwrap_err();
    assert_eq!(defect.problems.len(), 21, "named up to twenty, then counted");
    assert!(defect.problems[20].message.starts_with("4980 more"));
}

#[test]
fn more_than_was_asked_for() {
    let all: Vec<Value> = (1..=5).map(|n| feature(&format!("F{n}"), [5, 5, 5, 5])).collect();
    let text = proposal(&Value::from(all));
    assert_eq!(problems(&analyst(&text, Chance::First).unwrap_err()), ["too_many"]);
    let reply = analyst(&text, Chance::Last).unwrap();
    assert_eq!((named(&reply).as_str(), codes(&reply)), ("F1,F2,F3", vec!["too_many"]));
}

#[test]
fn what_is_said_of_the_product() {
    by_the_first_rules();
    let product = |body: &str| {
        let body = body.replace('$', r#""opportunities": []"#);
        block(FEATURE_OPPORTUNITIES.name(), &body)
    };
    for (body, at_first) in [
        (r#"{"product_type": "a tool", "target_users": ["me", ""], $}"#, true),
        ("{$}", true),
        (r#"{"product_type": 7, $}"#, false),
        (r#"{"target_users": "me", $}"#, true),
        (r#"{"target_users": [7], $}"#, false),
    ] {
        assert_eq!(analyst(&product(body), Chance::First).is_ok(), at_first, "{body}");
        let reply = analyst(&product(body), Chance::Last).expect(body);
        assert_eq!(reply.notes.is_empty(), body.contains("a tool"), "{body}");
    }
}

#[test]
fn titles_are_one_line_of_bounded_length() {
    let text = with("title", json!(format!("Two\n\u{1b}[31mlines {}", "x".repeat(500))));
    let reply = analyst(&text, Chance::First).unwrap();
    let Content::Features(said) = reply.content else { panic!("the analyst") };
    let title = &said.features[1].title;
    assert!(title.starts_with("Two lines xxx") && title.chars().count() == 200, "{title}");
}

#[test]
fn fixes() {
    let long = "x".repeat(contract::FIX_CHARS + 1);
    let fix = |text: &str, chance| advisor(&suggestion(text), chance);
    assert_eq!(
        fix(" Do\n\nit. ", Chance::First).unwrap().content,
        Content::Fix("Do\n\nit.".to_owned())
    );
    for chance in [Chance::First, Chance::Last] {
        for none in
            ["", "  ", "<your suggestion, in plain text>", "<your  suggestion,\nin plain text>"]
        {
            assert_eq!(problems(&fix(none, chance).unwrap_err()), ["empty_block"], "{none}");
        }
        assert_eq!(problems(&advisor("Do it.", chance).unwrap_err()), ["missing_block"]);
    }
    assert_eq!(problems(&fix(&long, Chance::First).unwrap_err()), ["too_long"]);
    let reply = fix(&long, Chance::Last).unwrap();
    let Content::Fix(text) = &reply.content else { panic!("the advisor") };
    assert_eq!((text.chars().count(), codes(&reply)), (contract::FIX_CHARS, vec!["shortened"]));
}

#[test]
fn strict_turns_notes_into_defects() {
    let strict = ReplyContext { strict: true, ..terms() };
    let text = with("risk", json!(0));
    let defect = parse(features(3).ask(), &raw(&text), Chance::Last, strict).unwrap_err();
    assert_eq!(problems(&defect), ["number_raised"]);
    let text = with("risk", json!(1));
    assert!(parse(features(3).ask(), &raw(&text), Chance::Last, strict).is_ok());
}

/// A model that only repeats its instructions has not answered, on either chance.
#[test]
fn contracts_and_skills_never_parse_as_answers() {
    for (question, skill) in [
        (features(3), include_str!("../../../../skills/feature-analyst/SKILL.md")),
        (fix("a"), include_str!("../../../../skills/fix-advisor/SKILL.md")),
    ] {
        let role = question.role();
        let contract = contract::text(&question);
        for text in [skill, &contract, &format!("{skill}\n{contract}")] {
            for chance in [Chance::First, Chance::Last] {
                let parsed = ask(&question, text, chance);
                assert!(parsed.is_err(), "{role}: {parsed:?}");
            }
        }
        let front =
            skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap().0;
        assert!(
            front.starts_with(&format!("name: {}\n", role.config_name()))
                && front.contains("\ndescription: "),
            "{front}"
        );
    }
}
