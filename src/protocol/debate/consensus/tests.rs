//! Every rule of a check, worked out by hand.

use proptest::prelude::*;

use super::*;
use crate::protocol::debate::model::Stance::{self, Agree, Disagree, Partly};
use crate::protocol::debate::model::StanceEntry;

/// Returns a position of points `P1`, `P2`, ... with these claims and importances.
pub(super) fn position(summary: &str, points: &[(&str, u8)]) -> Position {
    let point = |(at, (claim, importance)): (usize, &(&str, u8))| Point {
        id: format!("P{}", at + 1),
        claim: (*claim).to_owned(),
        reasoning: String::new(),
        evidence: Vec::new(),
        importance: *importance,
        keep: None,
        kept_from: None,
    };
    Position {
        summary: summary.to_owned(),
        points: points.iter().enumerate().map(point).collect(),
        concedes: Vec::new(),
        changes: Vec::new(),
        risks: Vec::new(),
        confidence: Some(Share::thousandths(700)),
        code_change_required: None,
    }
}

pub(super) fn stances(said: &[(&str, Stance)]) -> Stances {
    let said = said.iter().map(|(point, stance)| StanceEntry {
        point: (*point).to_owned(),
        stance: *stance,
        reason: "because".to_owned(),
        support: None,
        amendment: None,
    });
    Stances { stances: said.collect(), missing: Vec::new() }
}

const CACHE: &str = "We should cache the search results in Redis.";
const CACHED: &str = "Search results belong in a Redis cache.";
const NURSES: &str = "Every ward should have two nurses at night.";

/// Compares two summaries, each with one point that repeats it, under a stance on the first.
fn of(first: &str, second: &str, stance: Stance, basis: Basis, threshold: u16) -> Check {
    check(Comparison {
        position: &position(first, &[(first, 2)]),
        stances: &stances(&[("P1", stance)]),
        other: &position(second, &[(second, 2)]),
        basis,
        threshold: Share::thousandths(threshold),
    })
}

#[test]
fn stances_are_weighed_by_importance_and_silence_is_no_consent() {
    /// Stances, score, coverage.
    type Row = (&'static [(&'static str, Stance)], u16, u16);

    let points = position("", &[("a", 3), ("b", 2), ("c", 1)]).points;
    #[rustfmt::skip]
    let rows: &[Row] = &[
        // (3*2 + 2*1 + 1*0) / 12 = 8/12
        (&[("P1", Agree), ("P2", Partly), ("P3", Disagree)], 666, 1000),
        (&[("P1", Agree), ("P2", Agree), ("P3", Agree)], 1000, 1000),
        (&[("P1", Partly), ("P2", Partly), ("P3", Partly)], 500, 1000),
        (&[("P1", Disagree), ("P2", Disagree), ("P3", Disagree)], 0, 1000),
        // A missing stance counts as disagree: (3*2 + 2*2) / 12 = 10/12, covered 5/6.
        (&[("P1", Agree), ("P2", Agree)], 833, 833),
        (&[("P1", Agree)], 500, 500),
        (&[("P3", Agree)], 166, 166),
        (&[], 0, 0),
        // A stance on an unknown id is ignored; the first of two stances on a point counts.
        (&[("P9", Agree), ("p1", Agree)], 0, 0),
        (&[("P1", Disagree), ("P1", Agree)], 0, 500),
    ];
    for (said, score, covered) in rows {
        let found = tally(&points, &stances(said)).unwrap();
        assert_eq!((found.score.get(), found.covered.get()), (*score, *covered), "{said:?}");
    }
    assert_eq!(tally(&[], &stances(&[("P1", Agree)])), None);
    // An importance out of range weighs no more than 3 and no less than 1.
    let wrong = position("", &[("a", 0), ("b", 255)]).points;
    let found = tally(&wrong, &stances(&[("P1", Agree)])).unwrap();
    assert_eq!((found.score.get(), found.covered.get()), (250, 250));
}

#[test]
fn a_threshold_is_reached_and_never_rounded_to() {
    let points = [(CACHE, 3), ("a", 3), ("b", 3), ("c", 3), ("d", 3)];
    let first = position(CACHE, &points);
    let ids = ["P1", "P2", "P3", "P4", "P5"];
    let reached = |said: &[(&str, Stance)], threshold| {
        let check = check(Comparison {
            position: &first,
            stances: &stances(said),
            other: &position(CACHED, &[(CACHED, 2)]),
            basis: Basis::Stance,
            threshold: Share::thousandths(threshold),
        });
        assert_eq!(check.decisive, check.stance_score);
        check.reached
    };
    let four: Vec<_> = ids[..4].iter().map(|id| (*id, Agree)).collect();
    let mut five = four.clone();
    five.push(("P5", Disagree));
    // 4 of 5 agree: 0.8. With the fifth missing 80% are covered, which is just enough.
    for said in [&four, &five] {
        assert!(reached(said, 800));
        assert!(!reached(said, 801));
    }
    // 3 of 5: 60% are covered, which is too little for any threshold.
    assert!(!reached(&four[..3], 0));
    assert!(!reached(&[], 0));
    five[3].1 = Disagree;
    five[2].1 = Disagree;
    assert!(reached(&five, 400));
}

#[test]
fn without_points_or_readable_text_there_is_no_score_and_nothing_is_reached() {
    let nothing = check(Comparison {
        position: &position(CACHE, &[]),
        stances: &stances(&[("P1", Agree)]),
        other: &position(CACHED, &[]),
        basis: Basis::Stance,
        threshold: Share::ZERO,
    });
    assert_eq!((nothing.decisive, nothing.stance_score), (None, None));
    assert!(!nothing.reached);
}

#[test]
fn what_cannot_be_read_has_no_text_score_and_is_no_consensus_by_text() {
    let german = "Wir sollten die Suchergebnisse in Redis zwischenspeichern, weil sie teuer sind.";
    for (one, other) in [(german, german), (german, CACHE), (CACHE, german), ("", "")] {
        let by_text = of(one, other, Agree, Basis::Text, 0);
        assert_eq!((by_text.decisive, by_text.text_score), (None, None));
        assert_eq!(by_text.text, None);
        assert!(!by_text.reached);
        assert!(of(one, other, Agree, Basis::Stance, 850).reached);
    }
}

#[test]
fn a_text_score_is_what_its_parts_come_to() {
    let check = of(CACHE, CACHED, Agree, Basis::Stance, 850);
    let parts = check.text.clone().unwrap();
    // Shared: cach, redi, result, search; only in the other text: belong.
    assert_eq!(parts.keywords, Share::thousandths(800));
    assert_eq!(parts.keyword_weight, Share::thousandths(400));
    assert_eq!(parts.semantic_weight, Share::thousandths(600));
    let sum = (400 * 800 + 600 * u32::from(parts.semantic.get())) / 1000;
    assert_eq!(check.text_score.map(|score| u32::from(score.get())), Some(sum));
    assert_eq!(parts.embedding, crate::text::embedding::NAME);
    let same = of(CACHE, CACHE, Agree, Basis::Text, 1000);
    assert_eq!(same.text_score, Some(Share::ONE));
    assert!(same.reached);
}

#[test]
fn each_conflict_stops_what_the_table_says() {
    use Conflict::{AgreedButUnlike, AlikeButOpposed};

    type Text = &'static str;
    type Row = (Text, Text, Stance, Basis, u16, Option<Conflict>, bool);
    #[rustfmt::skip]
    let rows: &[Row] = &[
        (CACHE, CACHE, Agree, Basis::Stance, 850, None, true),
        (CACHE, CACHE, Agree, Basis::Text, 850, None, true),
        (CACHE, CACHED, Partly, Basis::Stance, 500, None, true),
        (CACHE, CACHE, Disagree, Basis::Stance, 850, Some(AlikeButOpposed), false),
        // The stances decide, and they reach 0: a threshold of 0 is the user's choice.
        (CACHE, CACHE, Disagree, Basis::Stance, 0, Some(AlikeButOpposed), true),
        (CACHE, CACHE, Disagree, Basis::Text, 850, Some(AlikeButOpposed), false),
        (CACHE, CACHE, Partly, Basis::Text, 850, None, true),
        (CACHE, NURSES, Agree, Basis::Stance, 850, Some(AgreedButUnlike), true),
        (CACHE, NURSES, Agree, Basis::Text, 0, Some(AgreedButUnlike), false),
        (CACHE, NURSES, Disagree, Basis::Stance, 850, None, false),
        // By text, a score that is enough for adoption is enough for `alike_but_opposed`.
        (CACHE, NURSES, Disagree, Basis::Text, 0, Some(AlikeButOpposed), false),
    ];
    for (one, other, stance, basis, threshold, conflict, reached) in rows {
        let check = of(one, other, *stance, *basis, *threshold);
        let row = (one, other, stance, basis, threshold);
        assert_eq!((check.conflict, check.reached), (*conflict, *reached), "{row:?}");
    }
}

fn any_stances() -> impl Strategy<Value = Stances> {
    let said = ("P[0-9]", prop::sample::select(Stance::ALL.as_slice()));
    prop::collection::vec(said, 0..8).prop_map(|said| {
        let said: Vec<(&str, Stance)> = said.iter().map(|(id, stance)| (&**id, *stance)).collect();
        stances(&said)
    })
}

proptest! {
    #[test]
    fn no_reply_is_a_consensus_that_its_numbers_do_not_carry(
        summaries in ("\\PC{0,60}", "\\PC{0,60}"),
        weights in prop::collection::vec(any::<u8>(), 0..6),
        said in any_stances(),
        by_text in any::<bool>(),
        threshold in 0_u16..=1000,
    ) {
        let points: Vec<(&str, u8)> = weights.iter().map(|weight| (&*summaries.0, *weight)).collect();
        let compared = Comparison {
            position: &position(&summaries.0, &points),
            stances: &said,
            other: &position(&summaries.1, &[(&summaries.1, 1)]),
            basis: if by_text { Basis::Text } else { Basis::Stance },
            threshold: Share::thousandths(threshold),
        };
        let found = check(compared);
        prop_assert_eq!(&found, &check(compared));
        if found.reached {
            prop_assert!(found.decisive.is_some_and(|decisive| decisive >= found.threshold));
            prop_assert!(by_text || found.covered >= COVERED);
            prop_assert!(!by_text || found.conflict.is_none());
        }
        // One more disagreement never raises the score.
        let mut worse = said.clone();
        for said in &mut worse.stances {
            said.stance = Disagree;
        }
        let worse = check(Comparison { stances: &worse, ..compared });
        prop_assert!(worse.stance_score <= found.stance_score);
    }
}
