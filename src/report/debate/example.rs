//! Example debates of every ending, played by their machines.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{About, DebateDocument, Thresholds};
use crate::kernel::share::Share;
use crate::kernel::{Basis as Money, Cost, Driver, Ended, Halt, Limit, Protocol, Stamp, Stop};
use crate::protocol::context::ContextFile;
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::typed::ArgumentType;
use crate::protocol::debate::{Brief, DebateOutcome, Outcome, Style, outcome};
use crate::protocol::testing::{done, seated};
use crate::protocol::{argument, panel, topic};
use crate::report::document::{ParentSession, SessionFacts, SkillUsed};
use crate::report::example::{SESSION, at, usd};
use crate::text::word::Word as _;

fn brief() -> Brief {
    Brief {
        topic: "REST or gRPC between our services?".into(),
        description: "Twelve services, two teams.\nBrowsers call three of them.".into(),
        options: vec!["REST".into(), "gRPC".into()],
        language: Some("English".into()),
        context: vec![ContextFile {
            name: "docs/services.md".into(),
            text: "# Services\n".into(),
            cut: true,
        }],
        metadata: BTreeMap::from([("ticket".into(), "ARC-17".into())]),
        ..Brief::default()
    }
}

/// A dialogue of at most four rounds, as its script says.
fn dialogue(script: &str) -> Driver<impl Protocol<Outcome = Outcome>> {
    let mut machine = topic::testing::machine(4);
    topic::testing::play(&mut machine, script);
    machine
}

/// A dialogue that is adopted in its second round, in which one vendor has both sides.
fn one_vendor() -> Outcome {
    let mut input = topic::testing::input(4);
    for seat in input.seats.values_mut() {
        seat.vendor = "anthropic".into();
    }
    let mut machine = topic::machine::Machine::open(input).unwrap();
    topic::testing::play(&mut machine, "2 pd4 aaap");
    done(&machine)
}

/// A round of typed arguments in which an agent accepts, and a person has these stances on its resolution.
fn arguments(stances: [(&str, &str); 2]) -> Outcome {
    use argument::testing::{addresses, argument, concerns, give, stances_block};
    let mut input = argument::testing::input();
    input.settings.max_rounds = 1;
    input.seats.insert("primary".to_owned(), seated("human", "human"));
    let mut machine = argument::machine::Machine::open(input).unwrap();
    let challenge = json!({
        "references": ["A1"], "impact_areas": ["performance", "folklore"],
        "evidence": [{"type": "file", "data": "src/store.rs:3"}, {"type": "source", "data": "the gRPC book"}],
        "concerns": concerns(&["Browsers cannot call it."]),
        "risks": [{"name": "two stacks", "likelihood": 0.5, "impact": 0.4}],
    });
    let mut say = |kind, more: Value| give(&mut machine, Some(&argument(kind, more)));
    say(ArgumentType::Proposal, json!({}));
    say(ArgumentType::Challenge, challenge);
    say(ArgumentType::Defense, json!({}));
    say(ArgumentType::Resolution, json!({"addresses": addresses(&["C1"])}));
    give(&mut machine, Some(&stances_block(&stances)));
    done(&machine)
}

/// A panel of four that votes twice; `rulings` are the judge's, if there is one.
fn panel(ballots: [&str; 2], rulings: Option<&str>) -> Outcome {
    use panel::testing::{answers, judge, judged_by_mistral, machine, votes};
    let mut machine = rulings.map_or_else(|| machine(4), |_| judged_by_mistral(4, 1));
    answers(&mut machine, &[]);
    for ballot in ballots {
        votes(&mut machine, ballot);
    }
    if let Some(rulings) = rulings {
        judge(&mut machine, rulings);
    }
    done(&machine)
}

pub(crate) fn outcomes() -> Vec<(&'static str, Outcome)> {
    let tied = ["1 2 1 2", "1 2 1 2"];
    vec![
        ("dialogue", done(&dialogue("2 pd4 aaap"))),
        ("dialogue", done(&dialogue("2 ad2 ad r"))),
        ("dialogue", done(&dialogue("2 pd2 ad 2 ap"))),
        ("dialogue", one_vendor()),
        ("dialogue", done(&dialogue("2 ad2 ad ."))),
        ("argument", arguments([("P1", "agree"), ("P2", "partly")])),
        ("argument", arguments([("P1", "disagree"), ("P2", "agree")])),
        ("panel", panel(["1=14 2 1=14 4=14", "- 1 - -"], None)),
        ("panel", panel(tied, Some("11"))),
        ("panel", panel(tied, Some("12"))),
        ("panel", panel(["1 2 3 4", "1 2 1! 2!"], None)),
        ("dialogue", done(&dialogue("2 . ."))),
        ("dialogue", dialogue("2 ad2").stop(Stop::Budget)),
        ("dialogue", dialogue("2 ad2").stop(Stop::Terminated)),
        ("dialogue", dialogue("").stop(Stop::Cancelled(2))),
        ("dialogue", dialogue("").stop(Stop::Running)),
    ]
}

pub(crate) fn document(style: &str, outcome: &Outcome) -> DebateDocument {
    let stamp = Stamp {
        session_id: SESSION.to_owned(),
        started_at: at(0),
        completed_at: outcome.outcome.closes().then(|| at(200)),
        budget: usd(2_500_000),
        cost: Some(Cost { usd: usd(310_000), basis: Money::Reported }),
    };
    let circumstances = SessionFacts {
        skills: vec![SkillUsed {
            name: "proposer".to_owned(),
            origin: "built-in".to_owned(),
            sha256: "ab".repeat(32),
            note: None,
        }],
        report_path: Some(".debate/debate-20261120T000000Z-abc123.md".to_owned()),
        parent: (outcome.outcome == DebateOutcome::Partial)
            .then(|| ParentSession { session_id: SESSION.replace("0199", "0198"), from_round: 2 }),
        stopped_by: (outcome.outcome == Ended::Stopped(Halt::Budget)).then_some(Limit::Budget),
        ..SessionFacts::default()
    };
    let brief = brief();
    let about = About {
        opening: None,
        brief: &brief,
        facts: crate::protocol::facts::Facts::default(),
        style: Style::of(style).unwrap(),
        thresholds: Thresholds {
            consensus: (style != "panel")
                .then(|| Share::thousandths(if style == "argument" { 800 } else { 850 })),
            expert: (style == "dialogue").then(|| Share::thousandths(700)),
            basis: Basis::Stance,
        },
    };
    let quorum = (outcome.quorum.needed, outcome.quorum.vendors);
    let (seats, result) = (outcome.seats.clone(), outcome.result.clone());
    let outcome = outcome::outcome(outcome.outcome, quorum, seats, None, &outcome.warnings, result);
    DebateDocument::new(outcome, &about, &stamp, circumstances)
}

pub(crate) fn documents() -> Vec<(String, DebateDocument)> {
    let named = outcomes().into_iter().map(|(style, outcome)| {
        let name = format!("{style}_{}", outcome.outcome.name());
        (name, document(style, &outcome))
    });
    named.collect()
}

/// The document with this outcome; the first if there are several.
pub(crate) fn ended(outcome: impl Into<Ended<DebateOutcome>>) -> DebateDocument {
    let outcome = outcome.into();
    let mut all = documents().into_iter().map(|(_, document)| document);
    all.find(|document| document.header.outcome == outcome).unwrap()
}
