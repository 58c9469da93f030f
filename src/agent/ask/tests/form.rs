//! An answer whose form alone is at fault is corrected without the question, and may not change its meaning.

use super::*;
use crate::text::block::same::{Decisive, Values};
use crate::text::block::{BlockBody, BlockLimits, Form, extract};

fn vote() -> ExpectedBlock {
    let form = Form::Fields { list: Some("votes"), key: Some("votes"), also: &[] };
    let decides = vec![
        Decisive { keys: vec!["id"], values: Values::Ids },
        Decisive {
            keys: vec!["vote"],
            values: Values::Words(vec![("approve", "approve"), ("reject", "reject")]),
        },
    ];
    ExpectedBlock { form, decides, ..ExpectedBlock::new("X", Shape::Object, true) }
}

fn read(reply: &RawReply, _: Chance) -> Result<String, Defect> {
    let limits = BlockLimits::default();
    match extract(&reply.bytes, reply.cut, &[vote()], &[], limits, true) {
        Ok(found) => match found.contents.as_slice() {
            [Some(BlockBody::Json(value))] => Ok(value.to_string()),
            other => panic!("{other:?}"),
        },
        Err(problems) => {
            Err(Defect { problems, expected_ids: vec!["F1".to_owned(), "F2".to_owned()] })
        }
    }
}

async fn asked(
    calls: &[&'static str],
    rules: RuleVersion,
    data: &str,
) -> (Answer<String>, Vec<String>) {
    let attempts = Scripted::new(calls.iter().map(|text| (*text, OK)).collect());
    let dir = tempfile::tempdir().unwrap();
    let mut settings =
        AskSettings::new("/bin/true".into(), dir.path().to_owned(), "b0undary".to_owned());
    settings.rules = rules;
    let mut turn = Turn { blocks: vec![vote()], ..turn() };
    turn.prompt.varying += "\n\n";
    turn.prompt.varying += &crate::text::fence::fence("the data", data, "b0undary").0;
    let roster = roster(vec![]);
    let answer = ask(&roster, &turn, "SYSTEM", &read, &|| Value::Null, &attempts, &settings);
    let answer = answer.await.unwrap();
    (answer, attempts.prompts.take())
}

/// A bracket is missing.
const FAULTY: &str = "<<<X_START>>>\n{\"votes\": [{\"id\": \"F1\", \"vote\": \"reject\", \"reason\": \"No test.\"},\n {\"id\": \"F2\", \"vote\": \"approve\"}]\n<<<X_END>>>";
const MENDED: &str = "<<<X_START>>>\n{\"votes\": [{\"id\": \"F1\", \"vote\": \"reject\", \"reason\": \"No test.\"}, {\"id\": \"F2\", \"vote\": \"approve\"}]}\n<<<X_END>>>";
const SWAPPED: &str = "<<<X_START>>>\n{\"votes\": [{\"id\": \"F1\", \"vote\": \"approve\"}, {\"id\": \"F2\", \"vote\": \"reject\"}]}\n<<<X_END>>>";
const TURNED: &str = "<<<X_START>>>\n{\"votes\": [{\"id\": \"F1\", \"vote\": \"approve\"}, {\"id\": \"F2\", \"vote\": \"approve\"}]}\n<<<X_END>>>";

#[tokio::test]
async fn the_form_is_asked_for_with_the_answer_and_the_contract_alone() {
    let (answer, prompts) = asked(&[FAULTY, MENDED], RuleVersion::GENEROUS, "").await;
    assert!(answer.result.unwrap().contains("reject"));
    assert_eq!(prompts.len(), 2);
    let repair = &prompts[1];
    for part in ["turn: r1/critic\n", "bad_json in X", "No test.", "[\"F1\",\"F2\"]", "CONTRACT"] {
        assert!(repair.contains(part), "{part} in {repair}");
    }
    for part in ["STABLE", "SYSTEM", "<<<X_START"] {
        assert!(!repair.contains(part), "{part} in {repair}");
    }
}

#[tokio::test]
async fn sessions_of_before_are_asked_the_whole_question() {
    let (_, prompts) = asked(&[FAULTY, MENDED], RuleVersion::FIRST, "").await;
    assert!(prompts[1].contains("STABLE") && prompts[1].contains("SYSTEM"), "{}", prompts[1]);
}

#[tokio::test]
async fn what_came_back_otherwise_is_no_answer_and_the_question_is_asked_again() {
    let (answer, prompts) = asked(&[FAULTY, TURNED, MENDED], RuleVersion::GENEROUS, "").await;
    assert!(answer.result.unwrap().contains("reject"));
    assert_eq!((answer.attempts, prompts.len()), (3, 3));
    assert!(prompts[2].contains("STABLE") && prompts[2].contains("SYSTEM"), "{}", prompts[2]);
    let differs = answer.notes.iter().find(|note| note.code == "repair_differs").unwrap();
    assert!(differs.message.contains("`vote` in X"), "{}", differs.message);
    // Nor does one in which two votes were swapped.
    let (answer, prompts) = asked(&[FAULTY, SWAPPED, MENDED], RuleVersion::GENEROUS, "").await;
    assert!(answer.result.unwrap().contains("No test."));
    assert_eq!(prompts.len(), 3);
    // There is no fourth call, and an answer that changed its meaning never counts.
    let (answer, prompts) = asked(&[FAULTY, TURNED, "prose"], RuleVersion::GENEROUS, "").await;
    assert_eq!((failed(&answer), prompts.len()), ("unreadable", 3));
}

#[tokio::test]
async fn what_is_missing_or_may_be_quoted_is_asked_whole() {
    let whole = |prompts: &[String]| prompts[1].contains("STABLE");
    for faulty in [
        "I cannot vote on this.",
        "<<<X_START>>>\n{\"votes\": [{\"id\": \"<id>\", \"vote\": \"<approve|reject>\"}\n<<<X_END>>>",
        "<<<X_START>>>\n{\"votes\": [{\"id\": \"F1\", \"vote\": \"approve\"}, ...]\n<<<X_END>>>",
        "<<<X_START>>>\n{\"votes\": [{\"id\": \"F1\"",
    ] {
        let (_, prompts) = asked(&[faulty, MENDED], RuleVersion::GENEROUS, "").await;
        assert!(whole(&prompts), "{faulty}");
    }
    let (_, prompts) =
        asked(&[FAULTY, MENDED], RuleVersion::GENEROUS, "Count the votes: none.").await;
    assert!(whole(&prompts), "what the data speaks of may be quoted");
}
