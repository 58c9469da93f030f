//! The figures of a round, each computed from the arguments alone, in whole numbers, rounded down.
//!
//! | figure | how |
//! |---|---|
//! | agreement score | the lower of the stances on the resolution's points, weighed by importance, and of the concerns met |
//! | resolution quality | concerns that the resolution names and disposes of with a reason, of all |
//! | evidence strength | the evidence's weight, of one full weight a claim |
//! | implementation feasibility | the mean of what both sides rate with their last argument |
//! | risk assessment | by name, the mean of the sides' likelihood x impact |
//! | confidence | as stated, at most 0.5 + 0.5 x the strength of the argument's own evidence |
//!
//! The *concerns* of a round are those raised in it and those still open when it began; if there are none, both
//! shares are 1. A concern is met to the degree that the side that raised it says so in its stance. If that side
//! writes the resolution itself, the concern is met if and only if the resolution disposes of it.
//!
//! A *claim* is a point or a concern of an argument; an argument without either is one claim. Each claim is backed by
//! one piece of evidence, the best that is left, so that further pieces neither inflate a figure nor dilute it.
//! Checked evidence weighs 1, a named source half, a bare assertion nothing; evidence that was looked for and not
//! found is no better than an assertion.

use super::content;
use crate::kernel::share::Share;
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::debate::typed::{
    Argument, ArgumentBlock, ArgumentType, Concern, Evidence, Metrics, Side,
};
use crate::protocol::debate::{Stance, Stances, consensus};

/// Number of characters of a risk's name that distinguish it from others.
const RISK_CHARS: usize = 120;

/// The type of evidence that names its source.
pub const SOURCE: &str = "source";

/// The type of evidence that names a file and, where possible, a line.
pub const FILE: &str = "file";

/// A concern, with the side and the round in which it was raised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConcernEntry {
    /// The concern itself: its id and text.
    pub concern: Concern,
    /// The side that raised it.
    pub side: Side,
    /// The round in which it was raised, from 1.
    pub round: u32,
}

/// A round that can be measured: it has a resolution and the other side's stances.
#[derive(Debug, Clone, Copy)]
pub struct MeasuredRound<'a> {
    /// The round's arguments in order, the resolution last.
    pub arguments: &'a [Argument],
    /// The argument that is judged.
    pub resolution: &'a Argument,
    /// The concerns that the round began with, and those raised in it.
    pub concerns: &'a [ConcernEntry],
    /// The stances of the side that did not write the resolution.
    pub stances: &'a Stances,
}

/// The figures of a round: those of the specification, and the shares behind the agreement score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figures {
    /// The figures of the specification.
    pub metrics: Metrics,
    /// The mean of the stances on the resolution's points, by importance.
    pub stance_score: Share,
    /// The share of the points, by weight, that have a stance.
    pub covered: Share,
    /// The share of the concerns that are met.
    pub concerns_met: Share,
}

/// Measures a round.
pub fn measure(round: MeasuredRound<'_>) -> Figures {
    let points = content::points(&round.resolution.said.content);
    let tally = consensus::tally(&points, round.stances);
    let stance_score = tally.map_or(Share::ZERO, |tally| tally.score);
    let concerns_met = concerns_met(round);
    let (feasibility, complete) = feasibility(round.arguments);
    Figures {
        metrics: Metrics {
            agreement_score: stance_score.min(concerns_met),
            resolution_quality: disposed_of(round),
            evidence_strength: strength(round.arguments.iter().map(|argument| &argument.said)),
            implementation_feasibility: feasibility,
            risk_assessment: risks(round.arguments),
            complete,
        },
        stance_score,
        covered: tally.map_or(Share::ZERO, |tally| tally.covered),
        concerns_met,
    }
}

/// Returns the degree to which a concern is met, in halves: 0 to 2.
pub fn met(raised: &ConcernEntry, round: MeasuredRound<'_>) -> u64 {
    if raised.side == round.resolution.side {
        let named = disposes(&round.resolution.said, &raised.concern.id);
        return if named { Stance::Agree.halves() } else { 0 };
    }
    let stance = round.stances.on(&raised.concern.id);
    stance.map_or(0, |said| said.stance.halves())
}

fn disposes(said: &ArgumentBlock, id: &str) -> bool {
    (said.addresses.iter()).any(|each| each.id == id && !each.how.trim().is_empty())
}

fn concerns_met(round: MeasuredRound<'_>) -> Share {
    let halves = round.concerns.iter().map(|raised| met(raised, round)).sum();
    // Without concerns, nothing is left to meet.
    Share::of(halves, 2 * count(round.concerns.len())).unwrap_or(Share::ONE)
}

fn disposed_of(round: MeasuredRound<'_>) -> Share {
    let disposed = (round.concerns.iter())
        .filter(|raised| disposes(&round.resolution.said, &raised.concern.id));
    Share::of(count(disposed.count()), count(round.concerns.len())).unwrap_or(Share::ONE)
}

/// Returns the weight of a piece of evidence, in halves: 0 to 2.
pub fn weight(evidence: &Evidence) -> u64 {
    match evidence.checked {
        Some(true) => 2,
        Some(false) => 0,
        None => u64::from(names_source(evidence)),
    }
}

/// Whether a source is named: at least three letters or digits, in evidence of a type that names one or in an
/// object's `source`. A file without a line is one: it exists, but is not a place.
fn names_source(evidence: &Evidence) -> bool {
    let kind = evidence.kind.trim();
    let by_kind = [SOURCE, FILE].iter().any(|name| kind.eq_ignore_ascii_case(name));
    let text = evidence.data.as_str().filter(|_| by_kind);
    let named = text.or_else(|| evidence.source());
    named.is_some_and(|name| name.chars().filter(|c| c.is_alphanumeric()).nth(2).is_some())
}

/// Returns the weight of the evidence relative to one full weight per claim.
pub fn strength<'a>(arguments: impl Iterator<Item = &'a ArgumentBlock>) -> Share {
    let (mut halves, mut claims) = (0, 0);
    for said in arguments {
        let of_it = content::claim_count(said);
        let mut weights: Vec<u64> = said.evidence.iter().map(weight).collect();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        halves += weights.iter().take(of_it).sum::<u64>();
        claims += count(of_it);
    }
    Share::of(halves, 2 * claims).unwrap_or(Share::ZERO)
}

/// Returns the worth of an argument's stated confidence; `None` if none was stated.
pub fn confidence(said: &ArgumentBlock) -> Option<Share> {
    let own = strength(std::iter::once(said)).get();
    let most = Share::thousandths(500 + own / 2);
    said.confidence_score.map(|stated| stated.min(most))
}

/// Returns the mean of the ratings in each side's last argument, and whether both sides gave one.
fn feasibility(arguments: &[Argument]) -> (Option<Share>, bool) {
    let rating = |side: Side| {
        let last = arguments.iter().rev().find(|argument| argument.side == side);
        last.and_then(|argument| argument.said.feasibility)
    };
    let given: Vec<u64> =
        (Side::ALL.into_iter().filter_map(rating)).map(|rating| u64::from(rating.get())).collect();
    let mean = Share::of(given.iter().sum(), 1000 * count(given.len()));
    (mean, given.len() == Side::ALL.len())
}

/// Returns, by name, the mean of the sides' likelihood times impact; a side's last statement on a risk counts.
fn risks(arguments: &[Argument]) -> BTreeMap<String, Share> {
    let mut named: BTreeMap<String, BTreeMap<Side, u64>> = BTreeMap::new();
    for argument in arguments {
        for risk in &argument.said.risks {
            let weighed = u64::from(risk.likelihood.get()) * u64::from(risk.impact.get());
            let of_sides = named.entry(risk_name(&risk.name)).or_default();
            of_sides.insert(argument.side, weighed);
        }
    }
    (named.into_iter())
        .filter_map(|(name, sides)| {
            let whole = 1_000_000 * count(sides.len());
            Some((name, Share::of(sides.values().sum(), whole)?))
        })
        .gather()
}

/// Returns the name under which a risk is known, without regard to case, spaces and final punctuation.
pub fn risk_name(name: &str) -> String {
    let line = crate::text::sanitize::line(name, RISK_CHARS).to_lowercase();
    line.trim_end_matches(['.', '!', ':', ';']).trim().to_owned()
}

/// Returns the areas of an argument that are not among the known ones, as written.
pub fn unknown_areas(said: &ArgumentBlock, known: &[String]) -> Vec<String> {
    let is_known = |area: &String| {
        let area = area.trim().to_lowercase();
        known.iter().any(|name| name.trim().to_lowercase() == area)
    };
    let unknown = said.impact_areas.iter().filter(|area| !is_known(area));
    unknown.cloned().collect()
}

/// Returns the resolution of a round: its last argument, if that is a resolution.
pub fn resolution(arguments: &[Argument]) -> Option<&Argument> {
    let last = arguments.last()?;
    (last.said.kind == ArgumentType::Resolution).then_some(last)
}

fn count(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
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

    fn raised(id: &str, side: Side) -> ConcernEntry {
        ConcernEntry { concern: Concern { id: id.to_owned(), text: id.to_owned() }, side, round: 1 }
    }

    /// Points by importance, concerns by side, the concerns that the resolution addresses, and the stances.
    struct Row {
        points: &'static [u8],
        concerns: &'static [(&'static str, Side)],
        addressed: &'static [&'static str],
        stances: &'static [(&'static str, &'static str)],
        /// Stance score, coverage, concerns met, agreement and resolution quality, in thousandths.
        expected: [u16; 5],
    }

    /// The primary writes the resolution in every row.
    #[test]
    fn agreement_is_the_lower_of_stances_and_concerns_met() {
        use Side::{Adversary, Primary};
        let rows = [
            // All points agreed, no concerns raised.
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
            // (3 x 0.5 + 2 x 1) of 6; one point of weight 1 is not judged: 5 of 6 covered.
            Row {
                points: &[3, 2, 1],
                concerns: &[],
                addressed: &[],
                stances: &[("P1", "partly"), ("P2", "agree")],
                expected: [583, 833, 1000, 583, 1000],
            },
            // All points agreed; concerns met 1, 0.5 and 0 of 3; the resolution disposes of two.
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
            // The writer's own concerns count as met if the resolution disposes of them, whatever the stances are.
            Row {
                points: &[2],
                concerns: &[("C1", Primary), ("C2", Primary)],
                addressed: &["C2"],
                stances: &[("P1", "partly"), ("C1", "agree")],
                expected: [500, 1000, 500, 500, 500],
            },
            // The reverse: concerns met, points not agreed.
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
            let concerns: Vec<ConcernEntry> =
                (row.concerns.iter()).map(|(id, side)| raised(id, *side)).collect();
            let stances = stances(row.stances);
            let figures = measure(MeasuredRound {
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
        let resolution = argument(
            Resolution,
            Side::Adversary,
            json!({"addresses": [{"id": "C1", "how": "  "}]}),
        );
        let measured = MeasuredRound {
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

    /// `c` is checked evidence, `s` a source, `a` an assertion.
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
        // Claims, evidence, strength in thousandths, worth of a confidence of 0.9: at most 0.5 + 0.5 x strength.
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
        // Two arguments together: 2 and 0.5 of 2 + 3 claims; surplus evidence of one does not back the other's
        // claims.
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
        // Ratings of proposal, challenge, defense and resolution (adversary); the mean in thousandths; whether
        // complete.
        for (ratings, expected, complete) in [
            ([json!(0), json!(0), json!(1), json!(1)], Some(1000), true),
            ([json!(1), json!(1), json!(0), json!(0)], Some(0), true),
            ([none.clone(), none.clone(), json!(0.75), json!(0.5)], Some(625), true),
            ([json!(1), json!(1), none.clone(), json!(0.5)], Some(500), false),
            ([json!(1), json!(1), json!(0.25), none.clone()], Some(250), false),
            ([json!(1), json!(1), none.clone(), none.clone()], None, false),
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
            // Stated again, the last statement counts: 0.2 x 0.5.
            argument(Defense, Primary, json!({"risks": [risk("DATA LOSS", 0.2, 0.5)]})),
        ];
        let risks = risks(&arguments);
        let got: Vec<(&str, u16)> =
            risks.iter().map(|(name, share)| (&**name, share.get())).collect();
        // (0.1 + 0.8) / 2; one side alone; one side alone.
        assert_eq!(got, [("cost", 250), ("data loss", 450), ("delay", 250)]);
    }

    #[test]
    fn areas_that_are_not_configured_are_marked_as_written() {
        let known = ["Performance".to_owned(), "cost".to_owned()];
        let said =
            said(Proposal, json!({"impact_areas": ["performance", " Cost ", "Vibes", "legal"]}));
        assert_eq!(unknown_areas(&said, &known), ["Vibes", "legal"]);
        assert_eq!(said.impact_areas.len(), 4, "they are kept");
    }
}
