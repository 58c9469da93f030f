//! Arms on cases, and the tables made of them.

use schemars::JsonSchema;
use serde::Serialize;

use super::Part;
use super::matching::Place;
use super::statistics::{Counted, Difference, Figure, difference, figure, mcnemar, ratio};
use crate::kernel::Cost;
use crate::ordered::{BTreeSet, Gather as _};

/// The arm that the others are compared with: what a user gets.
pub const PIPELINE: &str = "pipeline";

crate::words! {
    /// What is asked in a case.
    pub enum Kind {
        /// What is wrong with a change: precision, recall and F1 of the findings.
        Review = "review",
        /// Which option is right: accuracy.
        Question = "question",
    }
}

/// What an arm made of a case. For a review, `right` of the `given` findings are about one of the `wanted` defects; for
/// a question, each is 1 at most.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmResult {
    /// `codex alone`, `union`, `majority`, `plurality`, `pipeline`, ...
    pub arm: String,
    pub right: u32,
    pub given: u32,
    pub wanted: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Place>,
    /// For each defect of the case, the place of its finding in `findings`, from 0.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub found: Vec<Option<usize>>,
    /// The option that it takes; `null` for none, and in a review.
    pub answer: Option<String>,
    /// How sure a seat said it was of that, 0 to 1.
    pub confidence: Option<f64>,
    /// What it would have cost alone.
    pub price: Price,
}

/// What calls cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Price {
    /// Money, and where its figure comes from; `null` where nothing was called.
    pub cost: Option<Cost>,
    /// Calls, failed ones and repairs included.
    pub calls: u32,
    /// Time of the agents, added up.
    pub milliseconds: u64,
}

impl Price {
    /// Returns what several have cost together.
    pub fn sum(all: impl IntoIterator<Item = Self>) -> Self {
        let none = Self { cost: None, calls: 0, milliseconds: 0 };
        all.into_iter().fold(none, |sum, one| Self {
            cost: Cost::sum(sum.cost.into_iter().chain(one.cost)),
            calls: sum.calls + one.calls,
            milliseconds: sum.milliseconds + one.milliseconds,
        })
    }
}

/// A case that counts: every seat gave its first answer, and the session was decided.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CaseResult {
    pub name: String,
    pub kind: Kind,
    pub part: Part,
    pub stratum: String,
    pub session_id: String,
    /// Who sits in its seats; the same for all cases of a kind.
    pub agents: Vec<String>,
    /// What each arm made of it.
    pub arms: Vec<ArmResult>,
    /// Of each vote and judgement, whether it was right at first, and whether at last.
    pub minds: Vec<(bool, bool)>,
}

/// Changes between each seat's first and last vote, or judgement of a finding; authors agree with their own at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Minds {
    /// From wrong to right.
    pub toward: usize,
    /// From right to wrong, or to unsure.
    pub away: usize,
    /// Votes and judgements that could have changed.
    pub all: usize,
}

/// The arms of one kind over the cases of one part.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Table {
    pub part: Part,
    pub kind: Kind,
    pub cases: usize,
    pub arms: Vec<ArmRow>,
    /// The pipeline against each other arm.
    pub pairs: Vec<PairRow>,
    /// F1 or accuracy by group.
    pub strata: Vec<StratumRow>,
    /// Changes of mind in all cases.
    pub minds: Minds,
}

/// An arm over all cases of a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ArmRow {
    pub arm: String,
    /// Of what it gives, the share that is right; of reviews.
    pub precision: Option<Figure>,
    /// Of what there is, the share that it gives; of questions, this is the accuracy: no answer is a wrong one.
    pub recall: Option<Figure>,
    /// Their harmonic mean; of reviews.
    pub f1: Option<Figure>,
    /// How sure a seat says it is, 0 to 1: the mean.
    pub confidence: Option<f64>,
    /// The mean square of the difference to what is right (Brier 1950): 0 is perfect, 0.25 is always saying 50%.
    pub brier: Option<f64>,
    /// What all cases would have cost.
    pub price: Price,
}

/// Two arms compared over the same cases.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PairRow {
    /// The arm that the pipeline is compared with.
    pub than: String,
    /// In F1 or accuracy, with the p-value of a permutation test.
    pub difference: Difference,
    /// The p-value of McNemar's exact test; of questions.
    pub mcnemar: Option<f64>,
}

/// One group of cases.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StratumRow {
    pub stratum: String,
    pub cases: usize,
    /// F1 or accuracy of each arm, in the order of the arms.
    pub values: Vec<Option<f64>>,
}

/// Returns the tables of these results, one for each part and kind that has any.
pub fn tables(results: &[CaseResult]) -> Vec<Table> {
    let both = |part| Kind::ALL.map(|kind| (part, kind));
    let all = Part::ALL.into_iter().flat_map(both);
    all.filter_map(|(part, kind)| {
        let of = |each: &&CaseResult| (each.part, each.kind) == (part, kind);
        let cases: Vec<&CaseResult> = results.iter().filter(of).collect();
        (!cases.is_empty()).then(|| table(part, kind, &cases))
    })
    .collect()
}

/// What a case adds to the figure that arms are compared by: F1 (2 right of given and wanted), or accuracy.
fn counted(kind: Kind, arm: &ArmResult) -> Counted {
    match kind {
        Kind::Review => (f64::from(2 * arm.right), f64::from(arm.given + arm.wanted)),
        Kind::Question => (f64::from(arm.right), f64::from(arm.wanted)),
    }
}

fn table(part: Part, kind: Kind, cases: &[&CaseResult]) -> Table {
    let arms: Vec<Vec<&ArmResult>> = (0..cases[0].arms.len())
        .map(|at| cases.iter().filter_map(|case| case.arms.get(at)).collect())
        .collect();
    let figures = |arm: &[&ArmResult]| -> Vec<Counted> {
        arm.iter().map(|each| counted(kind, each)).collect()
    };
    let pipeline = arms.iter().find(|arm| arm[0].arm == PIPELINE);
    let pair = |other: &Vec<&ArmResult>| {
        let pipeline = pipeline.filter(|_| other[0].arm != PIPELINE)?;
        let only = |one: &[&ArmResult], other: &[&ArmResult]| {
            one.iter().zip(other).filter(|(one, other)| one.right > other.right).count() as u64
        };
        let exact = || mcnemar(only(pipeline, other), only(other, pipeline));
        Some(PairRow {
            than: other[0].arm.clone(),
            difference: difference(&figures(pipeline), &figures(other))?,
            mcnemar: (kind == Kind::Question).then(exact),
        })
    };
    let stratum = |name: &str| {
        let at: Vec<usize> = (0..cases.len()).filter(|at| cases[*at].stratum == name).collect();
        let value = |arm: &Vec<&ArmResult>| {
            ratio(&at.iter().map(|at| counted(kind, arm[*at])).collect::<Vec<_>>())
        };
        let values = arms.iter().map(value).collect();
        StratumRow { stratum: name.to_owned(), cases: at.len(), values }
    };
    let strata: BTreeSet<&str> = cases.iter().map(|case| &*case.stratum).gather();
    let minds = || cases.iter().flat_map(|case| &case.minds);
    let changed = |change| minds().filter(|mind| **mind == change).count();
    Table {
        part,
        kind,
        cases: cases.len(),
        pairs: arms.iter().filter_map(pair).collect(),
        strata: strata.into_iter().map(stratum).collect(),
        minds: Minds {
            toward: changed((false, true)),
            away: changed((true, false)),
            all: minds().count(),
        },
        arms: arms.iter().map(|arm| row(kind, arm)).collect(),
    }
}

fn row(kind: Kind, arm: &[&ArmResult]) -> ArmRow {
    let over = |of: &dyn Fn(&ArmResult) -> Counted| {
        figure(&arm.iter().map(|each| of(each)).collect::<Vec<_>>())
    };
    let review = kind == Kind::Review;
    let said = arm.iter().filter_map(|each| Some((each.confidence?, f64::from(each.right))));
    let said: Vec<(f64, f64)> = said.collect();
    ArmRow {
        arm: arm[0].arm.clone(),
        precision: over(&|each| (each.right.into(), each.given.into())).filter(|_| review),
        recall: over(&|each| (each.right.into(), each.wanted.into())),
        f1: over(&|each| counted(kind, each)).filter(|_| review),
        confidence: ratio(&said.iter().map(|said| (said.0, 1.0)).collect::<Vec<_>>()),
        brier: ratio(&said.iter().map(|said| ((said.0 - said.1).powi(2), 1.0)).collect::<Vec<_>>()),
        price: Price::sum(arm.iter().map(|each| each.price)),
    }
}
