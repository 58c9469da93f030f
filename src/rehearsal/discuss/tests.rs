//! Whole critiques with stand-ins only, through the machine and its parser; and the rules one by one.

use serde_json::json;

use super::*;
use crate::kernel::Driver;
use crate::protocol::discuss::testing::{artifact, asked, done, input, said};
use crate::protocol::discuss::{DiscussOutcome, Machine, Outcome, RiskLevel, Severity};
use crate::rehearsal::{BANNER, given};

mod hostile;

const FIVE: &str = "product technical quality risk coverage";

/// An artifact with every element that the rules look for, and nothing that counts against it.
const GOOD: &str = "# Returns by link\n\n\
    Customers complain: a return takes three messages today.\n\
    The goal is one click by June, counted in messages.\n\
    We chose a link instead of a form.\n\n\
    ## How\n\n\
    Latency stays below 20 ms. Permissions are checked by the shop.\n\
    Its API has version 2.\n\
    If the message fails, the order stays as it is.\n\
    Acceptance: one order was returned.\n";

const CONTEXT: &str = "{\"requirements\": [\"Orders can be returned\"]}\n";

/// Returns a critique, and the inputs of its stand-ins.
fn turns(names: &str, text: &str, context: &str) -> (Driver<Machine>, Vec<String>) {
    let mut input = input(names);
    input.task.artifact = artifact("brief.md", text);
    input.task.context = Some(artifact("context.json", context));
    let machine = Machine::open(input).unwrap();
    let all = asked(&machine).iter().map(|turn| given(&machine, turn)).collect();
    (machine, all)
}

/// Answers a stand-in's input.
fn told(given: &str) -> Option<Critique> {
    let data: Value = serde_json::from_str(given.lines().next()?).ok()?;
    answer(&data["discuss"])
}

fn critique_with(name: &str, text: &str, context: &str) -> Critique {
    told(&turns(name, text, context).1[0]).unwrap()
}

fn critique(name: &str, text: &str) -> Critique {
    critique_with(name, text, CONTEXT)
}

fn rehearsed(names: &str, text: &str, context: &str) -> Outcome {
    let (mut machine, all) = turns(names, text, context);
    let asked = asked(&machine);
    let answers = asked.iter().zip(all).map(|(turn, given)| {
        let text = crate::rehearsal::answer(&given);
        assert!(text.starts_with(BANNER), "{text}");
        let answer = said(&machine, turn, Some(&text));
        let reply = answer.result.as_ref().unwrap();
        assert_eq!((&reply.notes[..], Some(&reply.content)), (&[][..], told(&given).as_ref()));
        answer
    });
    let answers = answers.collect();
    machine.apply(answers);
    done(&machine)
}

fn ratings(end: &Outcome) -> Vec<u8> {
    (FIVE.split(' ')).filter_map(|name| end.ratings.get(name).copied()).collect()
}

#[test]
fn what_has_everything_is_reached_with_notes() {
    let end = rehearsed(FIVE, GOOD, CONTEXT);
    assert_eq!(
        (end.outcome, end.severity, ratings(&end)),
        (DiscussOutcome::ConsensusReached, Some(Severity::Low), vec![5, 5, 4, 5, 5])
    );
    assert_eq!(rehearsed(FIVE, GOOD, CONTEXT), end, "the same artifact has the same verdict");
}

#[test]
fn what_is_full_of_placeholders_is_blocked() {
    let line = format!("{}: somebody writes this.\n", concat!("TO", "DO"));
    // Risk, for example: twelve places weigh three, which is high and costs two; no way out and no date cost one
    // each.
    let end = rehearsed(
        "product technical quality risk",
        &format!("# Plan\n\n{}", line.repeat(12)),
        CONTEXT,
    );
    assert_eq!(
        (end.outcome, end.severity, ratings(&end)),
        (DiscussOutcome::ConsensusBlocked, Some(Severity::High), vec![1, 1, 1, 1])
    );
}

/// The text that the documentation uses for a rehearsal.
#[test]
fn the_readme_is_not_sent_back() {
    let end =
        rehearsed("product technical quality risk", include_str!("../../../README.md"), CONTEXT);
    assert!(end.severity <= Some(Severity::Medium), "{:?}", end.ratings);
    let said: Vec<usize> = (end.voices.iter())
        .map(|voice| voice.critique.strengths.len() + voice.critique.weaknesses.len())
        .collect();
    assert!(said.iter().all(|points| *points > 0), "{said:?}");
    assert!(!end.action_items.is_empty());
}

/// So that a rehearsal shows the parts of a critique: shared points, and one that is praised and faulted.
#[test]
fn perspectives_share_points_and_differ_in_one() {
    let place = format!("{}: the price.\n", concat!("TB", "D"));
    let end = rehearsed(FIVE, &format!("{}{place}", GOOD.replace("by June, ", "")), CONTEXT);
    for (begins, raised_by) in [
        ("1 place unfinished, the first is line 13:", "product quality risk"),
        ("No date is named:", "product risk"),
        ("Finish line 13,", "product quality"),
        ("Line 11 says what happens when something fails:", "technical risk"),
    ] {
        let mut themes = end.convergent_themes.iter();
        let theme = themes.find(|theme| theme.text.starts_with(begins)).unwrap();
        assert_eq!(theme.perspectives.join(" "), raised_by);
    }
    let views: Vec<(&[String], &[String])> = (end.divergent_views.iter())
        .map(|view| (&view.praised_by[..], &view.faulted_by[..]))
        .collect();
    assert_eq!(views, [(&["product".to_owned()][..], &["quality".to_owned()][..])]);
    let long = rehearsed(FIVE, &format!("{GOOD}{}", "One more word.\n".repeat(600)), CONTEXT);
    let view = &long.divergent_views[0];
    assert_eq!((&*view.praised_by[0], &*view.faulted_by[0]), ("quality", "product"));
}

/// One row for each rule: the text added to the good artifact, the perspective, its rating.
#[test]
fn each_rule_costs_what_it_says() {
    let todo = |count: usize| format!("{}\n", concat!("TB", "D: who?\n")).repeat(count);
    let exposed = "It depends on one supplier.\nA single server.\nOnly Ann knows.\nWe assume that it holds.\n";
    let without = |word: &str| {
        let lines = GOOD.lines().filter(|line| !line.contains(word));
        lines.collect::<Vec<&str>>().join("\n")
    };
    let with = |more: &str| format!("{GOOD}{more}");
    let rows: Vec<(&str, String, u8)> = vec![
        ("product", without("Customers"), 3),
        ("product", without("goal"), 3),
        ("product", without("instead"), 4),
        ("product", with(&todo(2)), 4),
        ("product", without("instead") + &todo(3), 3),
        ("technical", without("Latency"), 3),
        ("technical", without("API"), 3),
        ("technical", without("fails"), 4),
        ("technical", with(&todo(20)), 5),
        ("quality", with(""), 4),
        ("quality", with(&todo(2)), 4),
        ("quality", with(&todo(3)), 3),
        ("quality", with(&todo(6)), 2),
        ("quality", with(&todo(10)), 1),
        ("quality", without("Acceptance") + "\n# Later\n", 3),
        ("quality", with("## Empty\n\n# Later\n"), 4),
        ("quality", with("It should be fast.\n".repeat(3).as_str()) + &todo(3), 3),
        ("quality", with("It should be fast.\n".repeat(4).as_str()) + &todo(3), 2),
        ("risk", without("June"), 4),
        ("risk", without("fails"), 4),
        ("risk", with(exposed), 3),
        ("risk", with(exposed) + &todo(1), 1),
        ("coverage", with("## Gift vouchers\n\nThey exist.\n"), 4),
    ];
    for (name, text, rating) in rows {
        let said = critique(name, &text);
        assert_eq!(said.rating, rating, "{name}: {text}\n{said:#?}");
    }
}

/// The level by hand: kinds of exposure (4 at most), unfinished places (3 at most), minus the ways out mentioned (2
/// at most).
#[test]
fn the_risk_level_is_counted() {
    let todo = |count: usize| concat!("TO", "DO\n").repeat(count);
    for (text, level) in [
        ("Nothing.".to_owned(), RiskLevel::Low),
        ("It depends.".to_owned(), RiskLevel::Low),
        ("It depends.\nA single one.".to_owned(), RiskLevel::Medium),
        ("It depends on a single one.\nOnly one.".to_owned(), RiskLevel::High),
        ("Only a single assumption: it depends.".to_owned(), RiskLevel::Critical),
        ("Only a single assumption: it depends.\nIt fails.".to_owned(), RiskLevel::High),
        ("Only a single assumption: it depends.\nIt fails.\nRetry.".to_owned(), RiskLevel::High),
        (
            "Only a single assumption: it depends.\nIt fails.\nRetry.\nBackup.".to_owned(),
            RiskLevel::Medium,
        ),
        (todo(1), RiskLevel::Low),
        (todo(4), RiskLevel::Low),
        (todo(5), RiskLevel::Medium),
        (todo(10), RiskLevel::High),
        (todo(100), RiskLevel::High),
        (todo(10) + "It depends.", RiskLevel::Critical),
    ] {
        let said = critique("risk", &text);
        assert_eq!(said.risk_level, Some(level), "{text}");
        assert_eq!(said.risks.is_empty(), text == "Nothing.", "{text}");
    }
}

#[test]
fn points_name_the_line() {
    let said = critique(
        "quality",
        &format!("# A\n\nIt should be fast.\n\n{}: `why`?\n## B\n", concat!("FIX", "ME")),
    );
    assert_eq!(
        said.weaknesses,
        [
            concat!("1 place unfinished, the first is line 5: `FIX", "ME: 'why'?` (rehearsal)"),
            "Vague words leave 1 line open to several readings: `should` in line 3 (rehearsal)",
            "1 heading with nothing below, the first is line 6: `## B` (rehearsal)",
            "Acceptance criteria are missing: no tester could say that it is finished. (rehearsal)",
            "The artifact is short: 8 words. (rehearsal)",
        ]
    );
    assert_eq!(
        said.suggestions[1],
        "Put a figure or a case in the place of `should` in line 3. (rehearsal)"
    );
    let said = critique("risk", "Now.\nWe depend on it.\nIt depends.");
    assert_eq!(
        said.risks,
        ["What it depends on may be late or gone: 2 lines, the first is line 2. (rehearsal)"]
    );
}

/// An example is shown only if no sentence mentions the word.
#[test]
fn prose_comes_before_examples() {
    let text = "    GET /api\n\n```\nlogin\n```\n\nThe API.\n";
    let said = critique("technical", text);
    assert_eq!(
        said.strengths,
        [
            "Line 4 speaks of who may do what: `login` (rehearsal)",
            "Line 7 describes an interface: `The API.` (rehearsal)",
        ]
    );
}

#[test]
fn a_fence_is_no_prose_and_a_lower_heading_is_content() {
    let said = critique(
        "quality",
        "# A\n\n## B\n\nText.\n\n```\n# c\n\n# should be fast\n```\n\nA test.\n",
    );
    assert_eq!(said.weaknesses.len(), 1, "it is short, nothing else: {:?}", said.weaknesses);
}

#[test]
fn requirements_are_found_by_their_words_and_named_by_their_ids() {
    let context = json!({
        "session_id": "abc-def", "phase": "one",
        "requirements": [
            { "id": "R1", "text": "Orders can be returned" },
            { "id": "R2", "text": "Refunds within fourteen days" },
        ],
        "constraints": ["The API of the warehouse"],
        "count": 7, "done": false, "none": null,
    });
    let said = critique_with("coverage", GOOD, &context.to_string());
    // One of two words of the constraint is enough.
    assert_eq!(
        said.covered,
        ["R1: Orders can be returned (rehearsal)", "The API of the warehouse (rehearsal)"]
    );
    assert_eq!(
        said.missing_requirements,
        [
            "R2: Refunds within fourteen days; nowhere in the artifact: day, fourteen, refund, within (rehearsal)"
        ]
    );
    // A third of them is missing: two points of five.
    assert_eq!((said.rating, said.risk_level), (3, None));
    let end = rehearsed(FIVE, GOOD, &context.to_string());
    assert_eq!((end.severity, end.coverage_gaps.len()), (Some(Severity::High), 1));
}

#[test]
fn a_context_that_asks_for_nothing_is_a_weakness() {
    for (context, rating) in [("{}", 4), ("[1, true, \"the\", {\"id\": \"x\"}]", 4), ("{", 2)] {
        let said = critique_with("coverage", "No heading.", context);
        assert_eq!(said.rating, rating, "{context}");
        assert!(said.covered.is_empty() && said.missing_requirements.is_empty());
    }
}

#[test]
fn an_own_perspective_looks_for_the_words_of_its_things() {
    let scene = |things: &[&str], risk: bool, context: bool| {
        let mut input = input("green");
        let perspective = &mut input.task.perspectives[0];
        perspective.looks_at = things.iter().map(|&thing| thing.to_owned()).collect();
        (perspective.rates_risk, perspective.needs_context) = (risk, context);
        input.task.artifact = artifact("brief.md", &format!("{GOOD}We assume that it holds.\n"));
        let machine = Machine::open(input).unwrap();
        told(&given(&machine, &asked(&machine)[0])).unwrap()
    };
    let said = scene(&["messages and returns", "dark mode"], false, false);
    assert_eq!(
        said.strengths,
        ["Line 1 speaks of messages and returns: `# Returns by link` (rehearsal)"]
    );
    assert_eq!(said.weaknesses, ["No line has a word of dark mode. (rehearsal)"]);
    assert_eq!(
        said.suggestions,
        ["Say what holds for dark mode, or that it does not matter here. (rehearsal)"]
    );
    assert_eq!((said.rating, said.risk_level, said.covered.len()), (3, None, 0));
    assert_eq!(scene(&["orders"], false, false).rating, 5);
    assert_eq!(scene(&["dark mode"], false, false).rating, 1);
    // A perspective without aspects finds nothing, and that does not earn a five.
    assert_eq!(scene(&[], false, false).rating, 3);
    // Owed fields are answered by any perspective.
    let said = scene(&["orders"], true, true);
    assert_eq!((said.risk_level, said.risks.len()), (Some(RiskLevel::Low), 1));
    assert_eq!(said.covered, ["Orders can be returned (rehearsal)"]);
}

/// A user's own perspective may have the name of a seat elsewhere, and an artifact may contain any prompt.
#[test]
fn no_name_and_no_artifact_makes_it_another_protocols_turn() {
    let others = "# The debate\n\n# The review\nturn: r1/review/s1\n[\n]\n{\n}\n# The artifact\nturn: r1/product\n";
    for name in ["champion", "critic", "answer", "features", "propose"] {
        let (_, all) = turns(name, others, "[\n]\n");
        let reply = crate::rehearsal::answer(&all[0]);
        assert_eq!(reply.matches("<<<").count(), 2, "{reply}");
        assert!(reply.contains("<<<CRITIQUE_START>>>"), "{reply}");
    }
}

#[test]
fn what_is_no_perspective_has_no_answer() {
    for data in [json!(null), json!({}), json!([]), json!({"artifact": "x"})] {
        assert_eq!(answer(&data), None, "{data}");
    }
}
