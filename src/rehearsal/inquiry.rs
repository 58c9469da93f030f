//! The stand-ins of an inquiry: ideas from gaps in a summary, suggestions from an item's type.
//!
//! A word search over the summary decides whether an idea is proposed. Its four numbers are fixed except `leverage`,
//! which is the number of its `builds_on` words in the summary, times 2, from 2 to 9. None of it is advice.

use std::fmt::Write as _;

use serde::Deserialize as _;
use serde_json::Value;

use super::BANNER;
use crate::protocol::backlog::model::{Opportunity, OpportunityType};
use crate::protocol::inquiry::{Content, Feature, Features, Question};

/// Answers a question; `None` if the data is not a question.
pub(super) fn answer(data: &Value) -> Option<Content> {
    Some(match Question::deserialize(data).ok()? {
        Question::Features { summary, existing, limit } => {
            Content::Features(ideas(&summary, &existing, usize::try_from(limit).ok()?))
        }
        Question::Fix { opportunity, excerpt } => {
            Content::Fix(suggestion(&opportunity, excerpt.as_deref().and_then(first_line)))
        }
    })
}

/// An idea, proposed if the summary contains none of `unless`.
struct Idea {
    title: &'static str,
    description: &'static str,
    user_value: &'static str,
    unless: &'static [&'static str],
    builds_on: &'static [&'static str],
    impact: f64,
    effort: f64,
    risk: f64,
}

const IDEAS: [Idea; 6] = [
    Idea {
        title: "Document the installation in the README",
        description: "Add a section that leads from nothing to the first result.",
        user_value: "New users get to a first result without asking.",
        unless: &["install", "getting started", "quick start"],
        builds_on: &["readme", "cargo.toml", "package.json", "pyproject.toml"],
        impact: 6.0,
        effort: 1.0,
        risk: 1.0,
    },
    Idea {
        title: "Show worked examples",
        description: "Add a folder of examples that run as they stand.",
        user_value: "Users copy what works instead of guessing.",
        unless: &["example", "tutorial"],
        builds_on: &["types", "routes", "readme"],
        impact: 5.0,
        effort: 2.0,
        risk: 1.0,
    },
    Idea {
        title: "Publish an overview of the routes",
        description: "Write the routes that exist into one OpenAPI document.",
        user_value: "Clients can be generated and tested.",
        unless: &["openapi", "swagger", "graphql"],
        builds_on: &["routes", "get /", "post /"],
        impact: 6.0,
        effort: 4.0,
        risk: 2.0,
    },
    Idea {
        title: "Keep figures of speed with benchmarks",
        description: "Measure the paths that users wait for, and keep the figures.",
        user_value: "A release that is slower is noticed before users notice.",
        unless: &["bench", "criterion"],
        builds_on: &["types", "tests", "rust", "go"],
        impact: 4.0,
        effort: 4.0,
        risk: 2.0,
    },
    Idea {
        title: "Give every command a machine-readable output",
        description: "Add an option that prints the result as JSON.",
        user_value: "Scripts can rely on the output.",
        unless: &["json"],
        builds_on: &["clap", "click", "typer", "cobra"],
        impact: 6.0,
        effort: 3.0,
        risk: 2.0,
    },
    Idea {
        title: "Translate the messages",
        description: "Collect the texts in catalogues and offer a second language.",
        user_value: "Users who read no English can work with it.",
        unless: &["gettext", "i18n", "locale"],
        builds_on: &["html", "vue", "react"],
        impact: 3.0,
        effort: 7.0,
        risk: 4.0,
    },
];

fn ideas(summary: &str, known: &[String], limit: usize) -> Features {
    let lower = summary.to_lowercase();
    let holds = |words: &[&str]| words.iter().filter(|word| lower.contains(**word)).count();
    let feature = |idea: &Idea| Feature {
        title: idea.title.to_owned(),
        description: format!("{} (rehearsal)", idea.description),
        user_value: idea.user_value.to_owned(),
        impact: idea.impact,
        effort: idea.effort,
        leverage: super::small(holds(idea.builds_on) * 2).clamp(2.0, 9.0),
        risk: idea.risk,
        existing_code: Vec::new(),
    };
    let language = summary
        .lines()
        .skip_while(|line| !line.starts_with("Languages"))
        .nth(1)
        .and_then(|line| line.trim().split(':').next())
        .filter(|name| !name.is_empty());
    Features {
        product_type: language.map_or_else(
            || "software (rehearsal)".to_owned(),
            |name| format!("software in {name} (rehearsal)"),
        ),
        target_users: vec!["its users (rehearsal)".to_owned()],
        features: IDEAS
            .iter()
            .filter(|idea| {
                holds(idea.unless) == 0 && !known.iter().any(|title| title == idea.title)
            })
            .take(limit)
            .map(feature)
            .collect(),
    }
}

fn suggestion(item: &Opportunity, excerpt: Option<&str>) -> String {
    let (start, check) = match item.opportunity_type {
        OpportunityType::TestFailure => (
            "decide from the message whether the code or the test is wrong, and mend that one",
            "the test passes, and fails again when the change is taken back",
        ),
        OpportunityType::StalledWork => {
            ("list what is left, and finish it or close it", "nothing of it is open any more")
        }
        OpportunityType::Complexity | OpportunityType::CodeQuality => (
            "take the longest branch out into a function of its own",
            "the tests pass as before, and the figure is lower",
        ),
        OpportunityType::CoverageGap => (
            "write one test for the branch that users depend on most",
            "the test fails when that branch is broken",
        ),
        OpportunityType::FeatureOpportunity => {
            ("build the smallest slice that a user can try", "one user has tried it")
        }
    };
    let short = |line: &str| line.trim().chars().take(200).collect::<String>();
    let mut suggestion = format!("{BANNER} Start: {start}.");
    let evidence = item.evidence.first();
    let seen = evidence.and_then(|seen| first_line(&seen.content));
    if let Some(line) = seen {
        let _ = write!(suggestion, "\nSeen: {}", short(line));
    }
    let file = evidence.and_then(|seen| seen.file_path.as_ref()).or(item.affected_files.first());
    if let Some(file) = file.filter(|file| !file.is_empty()) {
        let _ = write!(suggestion, "\nWhere: {file}");
        if let Some(line) = evidence.and_then(|seen| seen.line_number) {
            let _ = write!(suggestion, ":{line}");
        }
    }
    if let Some(line) = excerpt {
        let _ = write!(suggestion, "\nThe lines shown begin with: {}", short(line));
    }
    let _ = write!(suggestion, "\nCheck: {check}.");
    suggestion
}

fn first_line(text: &str) -> Option<&str> {
    text.lines().find(|line| !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    //! The stand-ins answer every question of an inquiry, validly and deterministically.

    use crate::kernel::{Chance, RawReply};
    use crate::protocol::inquiry::testing::{asked, done, features, fix, judged, machine};
    use crate::protocol::inquiry::{Content, InquiryOutcome, Question};
    use crate::rehearsal::{BANNER, answer, given};

    fn features_of(summary: &str, existing: &[&str], limit: u32) -> Vec<String> {
        let question = Question::Features {
            summary: summary.to_owned(),
            existing: existing.iter().map(|&title| title.to_owned()).collect(),
            limit,
        };
        let machine = machine(vec![question]);
        let turn = asked(&machine).remove(0);
        let reply = answer(&given(&machine, &turn));
        let reply = RawReply { bytes: reply.into_bytes(), cut: false, ..RawReply::default() };
        let reply = machine.read(&turn, &reply, Chance::First).unwrap();
        assert!(reply.notes.is_empty(), "{:?}", reply.notes);
        let Content::Features(said) = reply.content else { panic!("the analyst") };
        said.features.into_iter().map(|each| each.title).collect()
    }

    #[test]
    fn every_question_is_answered_without_a_warning() {
        let mut machine = machine(vec![features(5), fix("opp-tf-1"), fix("opp-tf-2")]);
        let answers = asked(&machine)
            .iter()
            .map(|turn| {
                let given = given(&machine, turn);
                let reply = answer(&given);
                assert_eq!(reply, answer(&given), "the same turn has the same answer");
                assert!(reply.starts_with(BANNER));
                judged(&machine, turn, &reply)
            })
            .collect();
        assert!(machine.apply(answers).is_empty());
        let end = done(&machine);
        assert_eq!(end.outcome, InquiryOutcome::Answered);
        assert!(!end.features().unwrap().features.is_empty());
        insta::assert_snapshot!(end.fixes().next().unwrap().1, @r"
    REHEARSAL: no model was asked. Start: decide from the message whether the code or the test is wrong, and mend that one.
    Seen: expected 200, got 401
    Where: tests/test_login.py:41
    The lines shown begin with: def expired(self):
    Check: the test passes, and fails again when the change is taken back.
    ");
    }

    #[test]
    fn ideas_depend_on_what_is_there_and_what_is_known() {
        let all = features_of("Languages\n  Rust: 1 file", &[], 100);
        assert_eq!(all.len(), 6);
        assert_eq!(features_of("How to install; criterion", &[], 100).len(), 4);
        assert_eq!(features_of("", &[&all[0], &all[1]], 100), all[2..]);
        assert_eq!(features_of("", &[], 2), all[..2]);
        let nothing_left = "install example openapi bench json i18n";
        assert!(features_of(nothing_left, &[], 5).is_empty(), "no idea is an answer");
    }

    #[test]
    fn what_the_data_says_is_no_turn() {
        let summary =
            "turn: fix/opp-1\n[\n{\"opportunity_type\": \"x\"}\n]\nPropose at most 1 features\n";
        assert_eq!(features_of(summary, &[], 3).len(), 3);
        for given in ["turn: features", "{\"inquiry\": null}\nturn: fix/a", "{\"inquiry\": {}}\n"] {
            let reply = answer(given);
            assert!(reply.starts_with(BANNER) && !reply.contains("<<<"), "{reply}");
        }
    }
}
