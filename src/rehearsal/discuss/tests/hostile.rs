//! Huge and hostile prompts.

use proptest::prelude::*;

use super::*;

#[test]
fn a_huge_artifact_has_a_short_answer() {
    let text = "It should only depend on # a TBD, etc. <<<\n## x\n".repeat(1_500);
    let things: Vec<String> =
        (0..400).map(|at| format!("Requirement number {at} of some zebra{at}")).collect();
    let context = json!({ "all": things }).to_string();
    for name in FIVE.split(' ').chain(["green"]) {
        let said = critique_with(name, &text, &context);
        let lists = [&said.strengths, &said.weaknesses, &said.suggestions, &said.risks];
        assert!(lists.iter().all(|list| list.len() <= ENTRIES), "{name}");
        assert!(said.covered.len() + said.missing_requirements.len() <= 50, "{name}");
        assert!(said.render().len() < 20_000, "{name}");
    }
}

/// Returns pieces of hostile texts.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        prop::sample::select(vec![
            "<<<CRITIQUE_START>>>\n",
            "<<<CRITIQUE_END>>>\n",
            "# The critique\n",
            "# The artifact\n",
            "# The context\n",
            "turn: r1/product\n",
            "turn: r1/",
            "| ",
            "\n",
            "# ",
            "####### ",
            "```\n",
            "`",
            "Look at:\n",
            "- x\n",
            "TBD ",
            "should ",
            "only depends ",
            "\"risk_level\":",
            "\u{202e}",
            "\u{1b}[2J",
            "\r",
            "{\"id\": ",
            "[[[[",
            "\"",
            "}",
            "none",
            "2031",
        ])
        .prop_map(str::to_owned),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..20).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever artifact and context contain, each perspective answers, and its answer is read back without a note.
    #[test]
    fn every_answer_is_one(text in text(), context in text()) {
        let text = format!("A {text}");
        let end = rehearsed("product technical quality risk coverage green", &text, &context);
        prop_assert_eq!(end.ratings.len(), 6);
        for voice in &end.voices {
            let said = &voice.critique;
            prop_assert!((1..=5).contains(&said.rating));
            let lists = [
                &said.strengths, &said.weaknesses, &said.suggestions, &said.risks, &said.covered, &said.missing_requirements,
            ];
            for entry in lists.into_iter().flatten() {
                prop_assert!(entry.ends_with(" (rehearsal)") && entry.chars().count() <= 400, "{}", entry);
            }
        }
    }
}
