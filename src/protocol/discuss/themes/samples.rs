//! Sample replies of perspectives for tests.

use proptest::prelude::*;

use crate::protocol::discuss::model::{Critique, PerspectiveReply, Point, PointKind, RiskLevel};
use crate::protocol::discuss::testing::artifact;
use crate::protocol::discuss::themes::{ThemeGroups, group};

/// What the perspectives have read: a text with planted gaps.
const DOCUMENT: &str = "# Offline sync

## 1 Goals

A change that a user makes offline is **never lost**. Success is complaints below 10 in a week.

## 2 Queue

The queue holds 500 changes; when it is full, the oldest
are removed. A device keeps 72 GB of pictures: 200 a day of 36 MB, for 100 days.

## 3 Retention

Deleted items are kept for 90 days, and shared ones for 30 days.

## 4 Privacy

Deleted items leave every system within 30 days. `blob_ref` is dropped in the first release.

## 5 Conflicts

The last write wins, by the time of the device. `complete` may be sent again after a timeout.

## 6 Rollout

10% of the users for 14 days, then all. Old apps read `blob_ref` for a year.
";

const CONTEXT: &str = r#"{"requirements": [
    {"id": "FR-12", "text": "Filter the reports"},
    {"id": "FR-17", "text": "Filter the reports by owner"},
    "注文は取り消せる"
]}"#;

/// Groups the points of perspectives that have read the sample text.
pub(in crate::protocol::discuss) fn grouped(voices: &[PerspectiveReply]) -> ThemeGroups {
    group(voices, &[&artifact("sync.md", DOCUMENT), &artifact("context.json", CONTEXT)])
}

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

/// Returns lists of texts made of few words, so that many name one place; blank ones and numbers among them.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let words = prop::sample::select(vec![
        "4",
        "6:",
        "is",
        "'never lost'",
        "'is never lost'",
        "30 days",
        "72 GB",
        "`blob_ref`",
        "FR-12",
        "\"are removed\"",
        "",
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
