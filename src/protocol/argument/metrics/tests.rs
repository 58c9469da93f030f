//! Each figure against values worked out by hand.

use serde_json::{Value, json};

use super::super::testing::{said, stances};
use super::*;
use ArgumentType::{Challenge, Defense, Proposal, Resolution};

fn argument(kind: ArgumentType, side: Side, more: Value) -> Argument {
    let said = said(kind, more);
    Argument {
        argument_id: "A1".to_owned(),
        round: 1,
        side,
        agent_id: "x".to_owned(),
        confidence: confidence(&said),
        unknown_areas: Vec::new(),
        debate_id: None,
        timestamp: None,
        said,
    }
}

fn raised(id: &str, side: Side) -> Raised {
    Raised { concern: Concern { id: id.to_owned(), text: id.to_owned() }, side, round: 1 }
}

/// Points by importance, concerns by side, what the resolution addresses, the stances.
struct Row {
    points: &'static [u8],
    concerns: &'static [(&'static str, Side)],
    addressed: &'static [&'static str],
    stances: &'static [(&'static str, &'static str)],
    /// Stance score, covered, concerns met, agreement, resolution quality: in thousandths.
    expected: [u16; 5],
}

/// The primary writes the resolution here.
#[test]
fn agreement_is_the_lower_of_stances_and_concerns_met() {
    use Side::{Adversary, Primary};
    let rows = [
        // All agree, nothing was raised.
        Row {
            points: &[3, 1],
            concerns: &[],
            addressed: &[],
            stances: &[("P1", "agree"), ("P2", "agree")],
            expected: [1000, 1000, 1000, 1000, 1000],
        },
        // (3 x 1 + 1 x 0) of 4.
        Row {
            points: &[3, 1],
            concerns: &[],
            addressed: &[],
            stances: &[("P1", "agree"), ("P2", "disagree")],
            expected: [750, 1000, 1000, 750, 1000],
        },
        // (3 x 0.5 + 2 x 1) of 6, one of weight 1 not judged: 5 of 6 covered.
        Row {
            points: &[3, 2, 1],
            concerns: &[],
            addressed: &[],
            stances: &[("P1", "partly"), ("P2", "agree")],
            expected: [583, 833, 1000, 583, 1000],
        },
        // Points agreed; concerns 1, 0.5 and 0 of 3; the resolution disposes of two.
        Row {
            points: &[2],
            concerns: &[("C1", Adversary), ("C2", Adversary), ("C3", Adversary)],
            addressed: &["C1", "C3"],
            stances: &[("P1", "agree"), ("C1", "agree"), ("C2", "partly"), ("C3", "disagree")],
            expected: [1000, 1000, 500, 500, 666],
        },
        // A concern that its raiser does not judge is not met.
        Row {
            points: &[2],
            concerns: &[("C1", Adversary), ("C2", Adversary)],
            addressed: &["C1", "C2"],
            stances: &[("P1", "agree"), ("C1", "agree")],
            expected: [1000, 1000, 500, 500, 1000],
        },
        // The writer's own concerns count as met where the resolution disposes of them, whatever stances say.
        Row {
            points: &[2],
            concerns: &[("C1", Primary), ("C2", Primary)],
            addressed: &["C2"],
            stances: &[("P1", "partly"), ("C1", "agree")],
            expected: [500, 1000, 500, 500, 500],
        },
        // The other way round: concerns met, the points not agreed.
        Row {
            points: &[1, 1],
            concerns: &[("C1", Adversary)],
            addressed: &[],
            stances: &[("P1", "disagree"), ("P2", "partly"), ("C1", "agree")],
            expected: [250, 1000, 1000, 250, 0],
        },
        // No stance on any point.
        Row {
            points: &[2, 2],
            concerns: &[("C1", Adversary)],
            addressed: &["C1"],
            stances: &[("C1", "agree")],
            expected: [0, 0, 1000, 0, 1000],
        },
    ];
    for (number, row) in rows.into_iter().enumerate() {
        let points: Vec<Value> = (row.points.iter())
            .map(|importance| json!({"claim": "x", "importance": importance}))
            .collect();
        let addresses: Vec<Value> =
            (row.addressed.iter()).map(|id| json!({"id": id, "how": "So."})).collect();
        let resolution = argument(
            Resolution,
            Primary,
            json!({"content": {"points": points}, "addresses": addresses}),
        );
        let concerns: Vec<Raised> =
            (row.concerns.iter()).map(|(id, side)| raised(id, *side)).collect();
        let stances = stances(row.stances);
        let figures = measure(Measured {
            arguments: std::slice::from_ref(&resolution),
            resolution: &resolution,
            concerns: &concerns,
            stances: &stances,
        });
        let got = [
            figures.stance_score,
            figures.covered,
            figures.concerns_met,
            figures.metrics.agreement_score,
            figures.metrics.resolution_quality,
        ];
        assert_eq!(got.map(Share::get), row.expected, "row {}", number + 1);
    }
}

#[test]
fn an_address_without_a_reason_disposes_of_nothing() {
    let resolution =
        argument(Resolution, Side::Adversary, json!({"addresses": [{"id": "C1", "how": "  "}]}));
    let measured = Measured {
        arguments: std::slice::from_ref(&resolution),
        resolution: &resolution,
        concerns: &[raised("C1", Side::Adversary)],
        stances: &stances(&[("P1", "agree"), ("P2", "agree")]),
    };
    let figures = measure(measured);
    assert_eq!(figures.metrics.resolution_quality, Share::ZERO);
    assert_eq!(figures.metrics.agreement_score, Share::ZERO);
}

#[test]
fn evidence_weighs_by_what_was_found() {
    for (kind, data, checked, halves) in [
        ("file", "src/store.rs:12", Some(true), 2),
        ("anything", "src/store.rs:12", Some(true), 2),
        ("file", "src/store.rs:900", Some(false), 0),
        ("source", "src/store.rs:900", Some(false), 0),
        ("source", "the load test of May", None, 1),
        (" Source ", "RFC 9110, section 9", None, 1),
        ("source", "??", None, 0),
        ("file", "src/store.rs", None, 1),
        ("quote", "it is fast", None, 0),
        ("assertion", "everybody knows it", None, 0),
        ("benchmark", "the load test of May", None, 0),
    ] {
        let evidence = Evidence { kind: kind.to_owned(), data: data.into(), checked };
        assert_eq!(weight(&evidence), halves, "{kind} {data}");
    }
    for (data, halves) in [
        (json!({"source": "industry_report_2023"}), 1),
        (json!({"source": "??"}), 0),
        (json!({"file": "src/store.rs"}), 1),
        (json!({"market_share": 0.45}), 0),
        (json!(["industry_report_2023"]), 0),
        (Value::Null, 0),
    ] {
        let kind = "market_research".to_owned();
        let evidence = Evidence { kind, data: data.clone(), checked: None };
        assert_eq!(weight(&evidence), halves, "{data}");
    }
}

/// `c` checked, `s` a source, `a` an assertion.
fn pieces(letters: &str) -> Value {
    let piece = |letter| match letter {
        'c' => json!({"type": "file", "data": "src/store.rs:1", "checked": true}),
        's' => json!({"type": "source", "data": "the load test"}),
        _ => json!({"type": "assertion", "data": "surely"}),
    };
    letters.chars().map(piece).collect()
}

#[test]
fn strength_is_one_full_weight_a_claim() {
    // Claims, evidence, thousandths, what confidence of 0.9 is worth: 0.5 + 0.5 x strength at most.
    for (claims, letters, strong, confident) in [
        (1, "", 0, 500),
        (1, "a", 0, 500),
        (1, "s", 500, 750),
        (1, "c", 1000, 900),
        (1, "ca", 1000, 900),
        (1, "aac", 1000, 900),
        (1, "ccc", 1000, 900),
        (2, "c", 500, 750),
        (2, "cs", 750, 875),
        (3, "ccs", 833, 900),
        (3, "s", 166, 583),
        (4, "sssss", 500, 750),
    ] {
        let points: Vec<String> = (0..claims).map(|number| format!("claim {number}")).collect();
        let more = json!({"content": {"points": points}, "evidence": pieces(letters)});
        let said = said(Proposal, more);
        let got = strength(std::iter::once(&said));
        assert_eq!(got.get(), strong, "{claims} {letters}");
        assert_eq!(confidence(&said).unwrap().get(), confident, "{claims} {letters}");
    }
    // Two arguments together: 2 and 0.5 of 2 + 3 claims; one alone is never richer than its claims.
    let both = [
        said(Proposal, json!({"content": {"points": ["a", "b"]}, "evidence": pieces("ccc")})),
        said(
            Challenge,
            json!({"concerns": super::super::testing::concerns(&["x", "y", "z"]), "evidence": pieces("s")}),
        ),
    ];
    assert_eq!(strength(both.iter()).get(), 500);
    assert_eq!(strength(std::iter::empty()), Share::ZERO);
}

#[test]
fn stated_confidence_is_never_raised() {
    let said = said(Proposal, json!({"confidence_score": 0.2, "evidence": pieces("c")}));
    assert_eq!(confidence(&said).unwrap().get(), 200);
}

#[test]
fn what_was_not_stated_is_worth_nothing_that_could_be_shown() {
    let mut said = said(Proposal, json!({"evidence": pieces("c")}));
    said.confidence_score = None;
    assert_eq!(confidence(&said), None);
}

#[test]
fn feasibility_is_of_each_sides_last_argument_and_never_invented() {
    use Side::{Adversary, Primary};
    let none = Value::Null;
    // Of proposal, challenge, defense, resolution (adversary): thousandths, complete.
    for (ratings, expected, complete) in [
        ([json!(1), json!(1), json!(5), json!(5)], Some(1000), true),
        ([json!(5), json!(5), json!(1), json!(1)], Some(0), true),
        ([none.clone(), none.clone(), json!(4), json!(3)], Some(625), true),
        ([json!(5), json!(5), none.clone(), json!(3)], Some(500), false),
        ([json!(5), json!(5), json!(2), none.clone()], Some(250), false),
        ([json!(5), json!(5), none.clone(), none.clone()], None, false),
    ] {
        let kinds = [
            (Proposal, Primary),
            (Challenge, Adversary),
            (Defense, Primary),
            (Resolution, Adversary),
        ];
        let arguments: Vec<Argument> = (kinds.into_iter().zip(&ratings))
            .map(|((kind, side), rating)| argument(kind, side, json!({"feasibility": rating})))
            .collect();
        let (mean, whole) = feasibility(&arguments);
        assert_eq!((mean.map(Share::get), whole), (expected, complete), "{ratings:?}");
    }
}

#[test]
fn risks_are_the_mean_of_the_sides_that_name_them() {
    use Side::{Adversary, Primary};
    let risk = |name: &str, likelihood: f64, impact: f64| json!({"name": name, "likelihood": likelihood, "impact": impact});
    let arguments = [
        argument(
            Proposal,
            Primary,
            json!({"risks": [risk("Data loss", 0.9, 0.9), risk("Cost", 0.5, 0.5)]}),
        ),
        argument(
            Challenge,
            Adversary,
            json!({"risks": [risk(" data  LOSS. ", 0.8, 1.0), risk("Delay", 1.0, 0.25)]}),
        ),
        // Said again, it counts as said last: 0.2 x 0.5.
        argument(Defense, Primary, json!({"risks": [risk("DATA LOSS", 0.2, 0.5)]})),
    ];
    let risks = risks(&arguments);
    let got: Vec<(&str, u16)> = risks.iter().map(|(name, share)| (&**name, share.get())).collect();
    // (0.1 + 0.8) / 2; one side alone; one side alone.
    assert_eq!(got, [("cost", 250), ("data loss", 450), ("delay", 250)]);
}

#[test]
fn areas_that_are_not_configured_are_marked_as_written() {
    let known = ["Performance".to_owned(), "cost".to_owned()];
    let said = said(Proposal, json!({"impact_areas": ["performance", " Cost ", "Vibes", "legal"]}));
    assert_eq!(unknown_areas(&said, &known), ["Vibes", "legal"]);
    assert_eq!(said.impact_areas.len(), 4, "they are kept");
}
