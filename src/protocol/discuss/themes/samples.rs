//! Sample replies of perspectives for tests.

use proptest::prelude::*;

use crate::protocol::discuss::model::{Critique, PerspectiveReply, Point, PointKind, RiskLevel};

pub(in crate::protocol::discuss) fn voice(perspective: &str, rating: u8) -> PerspectiveReply {
    PerspectiveReply {
        perspective: perspective.to_owned(),
        title: format!("{perspective} reader"),
        agent: "claude".to_owned(),
        vendor: "anthropic".to_owned(),
        instead_of: None,
        critique: Critique { rating, ..Critique::default() },
    }
}

impl PerspectiveReply {
    pub(in crate::protocol::discuss) fn says(mut self, kind: PointKind, texts: &[&str]) -> Self {
        let critique = &mut self.critique;
        let list = match kind {
            PointKind::Strength => &mut critique.strengths,
            PointKind::Weakness => &mut critique.weaknesses,
            PointKind::Suggestion => &mut critique.suggestions,
            PointKind::Risk => &mut critique.risks,
            PointKind::MissingRequirement => &mut critique.missing_requirements,
        };
        list.extend(texts.iter().map(|&text| text.to_owned()));
        self
    }

    pub(in crate::protocol::discuss) fn risk(mut self, level: RiskLevel) -> Self {
        self.critique.risk_level = Some(level);
        self
    }
}

pub(in crate::protocol::discuss) fn point(perspective: &str, kind: PointKind, text: &str) -> Point {
    Point { perspective: perspective.to_owned(), kind, text: text.to_owned() }
}

/// Returns lists of texts made of few words, so that many are alike; blank ones and numbers among them.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let words = prop::sample::select(vec![
        "the", "import", "export", "is", "not", "tested", "slow", "FR-1", "FR-2", "users", "",
    ]);
    let text = prop::collection::vec(words, 0..6).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 0..4)
}

fn critique() -> impl Strategy<Value = Critique> {
    let level = prop::option::of(prop::sample::select(RiskLevel::ALL.to_vec()));
    let lists = [(); 5].map(|()| texts());
    (lists, 1..=5_u8, level).prop_map(|(lists, rating, risk_level)| {
        let [strengths, weaknesses, suggestions, risks, missing_requirements] = lists;
        Critique {
            strengths,
            weaknesses,
            suggestions,
            rating,
            risk_level,
            risks,
            covered: vec!["the import is covered".to_owned()],
            missing_requirements,
        }
    })
}

/// Returns the replies of one to five perspectives.
pub(in crate::protocol::discuss) fn voices() -> impl Strategy<Value = Vec<PerspectiveReply>> {
    prop::collection::vec(critique(), 1..=5).prop_map(|critiques| {
        let named = critiques.into_iter().zip(["a", "b", "c", "d", "e"]);
        named.map(|(critique, name)| PerspectiveReply { critique, ..voice(name, 3) }).collect()
    })
}
