//! The action items, most urgent first.
//!
//! | source | urgency |
//! |---|---|
//! | a missing requirement | high |
//! | a risk, from a perspective that rates the risk critical | high |
//! | a risk, from one that rates it high | medium |
//! | a weakness that two perspectives name, or that one calls a contradiction, a gap or an error | medium |
//! | a suggestion, from one that rates the artifact 2 or less | high if the ratings alone stop the artifact (two are low, or the only one is), else medium |
//! | any other suggestion | low |
//!
//! A perspective that asks for nothing by these rules is represented by its weaknesses, else by its risks, as urgent
//! as its suggestions would have been. A perspective that rates low, or rates the risk high, and gives nothing to go
//! by yields an item that asks it why: whatever blocks an artifact has a required item. Items of one urgency are
//! sorted by the rows of the table, then by how many perspectives ask, then by the lowest rating among those, then in
//! the order asked. Like requests of several perspectives are one item (`super::themes`), as urgent as its most
//! urgent member.

use std::cmp::Reverse;

use super::ladder::{LOW_RATING, LadderInput};
use super::model::{ActionItem, Gap, PerspectiveReply, Point, PointKind, RiskLevel, Severity};
use super::themes::{Clusters, perspectives, points};

/// Returns the missing requirements, in the order asked; like requirements of several perspectives are one gap.
pub fn gaps(voices: &[PerspectiveReply]) -> Vec<Gap> {
    let missing: Vec<Point> =
        voices.iter().flat_map(|voice| points(voice, PointKind::MissingRequirement)).collect();
    let clusters = Clusters::of(&missing);
    let groups = clusters.groups().iter();
    groups
        .filter_map(|places| {
            let members: Vec<Point> = places.iter().map(|at| missing[*at].clone()).collect();
            Some(Gap {
                text: members.first()?.text.clone(),
                perspectives: perspectives(&members, |_| true),
                members,
            })
        })
        .collect()
}

/// The rows of the table, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Requirement,
    Risk,
    Fault,
    OfLowRating,
    Other,
}

/// What a weakness begins with, before a colon, if it is more than a weak point.
const FAULTS: [&str; 3] = ["contradiction", "gap", "error"];

/// A perspective's request about one point.
struct ActionRequest {
    point: Point,
    /// None for a weakness that is an item only if another perspective names it too.
    urgency: Severity,
    row: Row,
}

/// An item with its sort keys other than the urgency.
struct RankedAction {
    item: ActionItem,
    row: Row,
    rating: u8,
    place: usize,
}

/// Returns the action items, most urgent first; `gaps` are those of the same voices.
pub fn items(voices: &[PerspectiveReply], gaps: &[Gap]) -> Vec<ActionItem> {
    let ratings: Vec<u8> = voices.iter().map(|voice| voice.critique.rating).collect();
    let rejected =
        LadderInput { ratings: &ratings, risk: None, gap: false, raised: false }.rejected();
    let place = |names: &[String]| -> (usize, u8) {
        let named = |(_, voice): &(usize, &PerspectiveReply)| names.contains(&voice.perspective);
        let mut who = voices.iter().enumerate().filter(named).peekable();
        let first = who.peek().map_or(usize::MAX, |(at, _)| *at);
        let lowest = who.map(|(_, voice)| voice.critique.rating).min();
        (first, lowest.unwrap_or(u8::MAX))
    };
    let ranked = |item: ActionItem, row: Row| {
        let (place, rating) = place(&item.perspectives);
        RankedAction { item, row, rating, place }
    };
    let mut all: Vec<RankedAction> = Vec::new();
    for gap in gaps {
        let item = ActionItem {
            text: format!("Meet the requirement: {}", gap.text),
            urgency: Severity::High,
            perspectives: gap.perspectives.clone(),
            members: gap.members.clone(),
        };
        all.push(ranked(item, Row::Requirement));
    }
    let mut wishes = Vec::new();
    for voice in voices {
        let (own, asks) = wishes_of(voice, rejected);
        wishes.extend(own);
        all.extend(asks.into_iter().map(|(item, row)| ranked(item, row)));
    }
    for kind in [PointKind::Risk, PointKind::Suggestion, PointKind::Weakness] {
        let of_kind: Vec<&ActionRequest> =
            (wishes.iter()).filter(|wish| wish.point.kind == kind).collect();
        let points: Vec<Point> = of_kind.iter().map(|wish| wish.point.clone()).collect();
        for places in Clusters::of(&points).groups() {
            let together = places.iter().map(|at| of_kind[*at]);
            let strongest = together.max_by_key(|wish| (wish.urgency, Reverse(wish.row)));
            let members: Vec<Point> = places.iter().map(|at| points[*at].clone()).collect();
            let (Some(strongest), Some(first)) = (strongest, members.first()) else {
                continue;
            };
            let perspectives = perspectives(&members, |_| true);
            let shared = kind == PointKind::Weakness && perspectives.len() > 1;
            let (least, row) =
                if shared { (Severity::Medium, Row::Fault) } else { (Severity::None, Row::Other) };
            let urgency = strongest.urgency.max(least);
            if urgency == Severity::None {
                continue;
            }
            let item = ActionItem { text: worded(first), urgency, perspectives, members };
            all.push(ranked(item, strongest.row.min(row)));
        }
    }
    // The sort is stable: the requests of one perspective keep their order.
    all.sort_by_key(|one| {
        (
            Reverse(one.item.urgency),
            one.row,
            Reverse(one.item.perspectives.len()),
            one.rating,
            one.place,
        )
    });
    all.into_iter().map(|one| one.item).collect()
}

fn worded(point: &Point) -> String {
    let text = &point.text;
    match point.kind {
        PointKind::MissingRequirement => format!("Meet the requirement: {text}"),
        PointKind::Risk => format!("Deal with the risk: {text}"),
        PointKind::Weakness => format!("Resolve: {text}"),
        PointKind::Suggestion | PointKind::Strength => text.clone(),
    }
}

/// Returns a perspective's requests, and the questions to put to it.
fn wishes_of(
    voice: &PerspectiveReply,
    rejected: bool,
) -> (Vec<ActionRequest>, Vec<(ActionItem, Row)>) {
    let critique = &voice.critique;
    let low = critique.rating <= LOW_RATING;
    let (urgency, row) = match (low, rejected) {
        (true, true) => (Severity::High, Row::OfLowRating),
        (true, false) => (Severity::Medium, Row::OfLowRating),
        (false, _) => (Severity::Low, Row::Other),
    };
    let wishes = |kind: PointKind, urgency: Severity, row: Row| -> Vec<ActionRequest> {
        let wish = |point| ActionRequest { point, urgency, row };
        points(voice, kind).into_iter().map(wish).collect()
    };
    let danger = match critique.risk_level {
        Some(level @ RiskLevel::Critical) => Some((level, Severity::High)),
        Some(level @ RiskLevel::High) => Some((level, Severity::Medium)),
        Some(RiskLevel::Low | RiskLevel::Medium) | None => None,
    };
    let ask = |text: String, urgency: Severity| ActionItem {
        text,
        urgency,
        perspectives: vec![voice.perspective.clone()],
        members: Vec::new(),
    };
    let name = &voice.perspective;
    let mut asks = Vec::new();
    let mut own = Vec::new();
    if let Some((level, urgency)) = danger {
        own.extend(wishes(PointKind::Risk, urgency, Row::Risk));
        if own.is_empty() {
            let text = format!("Ask {name} why it rates the risk {level}");
            asks.push((ask(text, urgency), Row::Risk));
        }
    }
    own.extend(wishes(PointKind::Suggestion, urgency, row));
    let asks_nothing = own.is_empty() && points(voice, PointKind::MissingRequirement).is_empty();
    let weak =
        wishes(PointKind::Weakness, if asks_nothing { urgency } else { Severity::None }, row);
    own.extend(weak.into_iter().map(|wish| match wish.point.text.split_once(':') {
        Some((word, _)) if FAULTS.contains(&&*word.trim().to_lowercase()) => ActionRequest {
            urgency: wish.urgency.max(Severity::Medium),
            row: wish.row.min(Row::Fault),
            ..wish
        },
        Some(_) | None => wish,
    }));
    if asks_nothing && own.is_empty() {
        own.extend(wishes(PointKind::Risk, urgency, row));
        if own.is_empty() && low {
            let rating = critique.rating;
            let text = format!("Ask {name} why it rates the artifact {rating} of 5");
            asks.push((ask(text, urgency), row));
        }
    }
    (own, asks)
}

#[cfg(test)]
mod tests {
    //! One test per row of the table, and the properties of every list.

    use proptest::prelude::*;

    use super::super::ladder::{self, LadderInput};
    use super::super::themes::samples::{point, voice, voices};
    use super::*;
    use crate::protocol::discuss::model::PointKind::{
        MissingRequirement, Risk, Strength, Suggestion, Weakness,
    };
    use crate::protocol::discuss::model::Verdict;

    fn told(voices: &[PerspectiveReply]) -> Vec<(Severity, String, String)> {
        let items = items(voices, &gaps(voices)).into_iter();
        items.map(|item| (item.urgency, item.text, item.perspectives.join(" "))).collect()
    }

    fn row(urgency: Severity, text: &str, who: &str) -> (Severity, String, String) {
        (urgency, text.to_owned(), who.to_owned())
    }

    #[test]
    fn gaps_are_requirements_in_the_order_asked_and_told_once() {
        let voices = [
            voice("quality", 3)
                .says(MissingRequirement, &["Offline mode", "FR-12: filter reports"]),
            voice("product", 5).says(Weakness, &["There is no offline mode"]),
            voice("coverage", 3).says(
                MissingRequirement,
                &[
                    "FR-17: filter reports",
                    "FR-12: filter the reports",
                    "FR-12: filter the reports",
                ],
            ),
        ];
        let gaps = gaps(&voices);
        let texts: Vec<(&str, usize)> =
            (gaps.iter()).map(|gap| (gap.text.as_str(), gap.perspectives.len())).collect();
        assert_eq!(
            texts,
            [("Offline mode", 1), ("FR-12: filter reports", 2), ("FR-17: filter reports", 1)]
        );
        assert_eq!(
            gaps[1].members,
            [
                point("quality", MissingRequirement, "FR-12: filter reports"),
                point("coverage", MissingRequirement, "FR-12: filter the reports")
            ]
        );
        assert_eq!(gaps[1].perspectives, ["quality", "coverage"]);
        assert_eq!(super::gaps(&[voice("a", 1)]), []);
    }

    #[test]
    fn all_rows_stand_in_the_order_of_the_table() {
        use Severity::{High, Low, Medium};
        let voices = [
            voice("product", 5).says(Suggestion, &["Name the owner of each epic."]),
            voice("technical", 2).says(Suggestion, &["Measure the latency under load."]),
            voice("security", 4)
                .says(Risk, &["The vendor may raise prices."])
                .says(Suggestion, &["Encrypt the backups."])
                .risk(RiskLevel::High),
            voice("risk", 3)
                .says(Risk, &["The gateway is a single point of failure."])
                .risk(RiskLevel::Critical),
            voice("coverage", 4).says(MissingRequirement, &["Offline mode for field workers"]),
        ];
        let expected = [
            row(High, "Meet the requirement: Offline mode for field workers", "coverage"),
            row(High, "Deal with the risk: The gateway is a single point of failure.", "risk"),
            row(Medium, "Deal with the risk: The vendor may raise prices.", "security"),
            // The only low rating of five.
            row(Medium, "Measure the latency under load.", "technical"),
            // The lower rating comes first.
            row(Low, "Encrypt the backups.", "security"),
            row(Low, "Name the owner of each epic.", "product"),
        ];
        assert_eq!(told(&voices), expected);
    }

    /// In a trial, a contradiction that two vendors named was no item, since neither had suggested anything for it.
    #[test]
    fn a_weakness_of_two_or_a_fault_is_an_item_beside_any_suggestion() {
        use Severity::{Low, Medium};
        let of = |name: &str, weakness: &str| {
            voice(name, 4).says(Suggestion, &["Encrypt the backups."]).says(Weakness, &[weakness])
        };
        let told = |first: &str, second: &str| {
            let items = told(&[of("a", first), of("b", second)]);
            assert_eq!(items.last(), Some(&row(Low, "Encrypt the backups.", "a b")));
            items[..items.len() - 1].to_vec()
        };
        let unclear = "The scope is unclear.";
        assert_eq!(told(unclear, "It is long."), []);
        assert_eq!(told(unclear, unclear), [row(Medium, "Resolve: The scope is unclear.", "a b")]);
        for fault in
            ["Contradiction: 90 days here, 30 there.", "gap: no owner.", "error: 72 GB is 720 GB."]
        {
            assert_eq!(
                told(fault, "It is long."),
                [row(Medium, &format!("Resolve: {fault}"), "a")]
            );
        }
        assert_eq!(told("Note: a gap: no owner.", "It is long."), []);
    }

    #[test]
    fn suggestions_of_a_low_rating_are_as_urgent_as_the_ratings_alone() {
        let rows: [(u8, &[u8], Severity); 7] = [
            (2, &[], Severity::High),
            (3, &[], Severity::Low),
            (2, &[3], Severity::Medium),
            (2, &[2], Severity::High),
            (1, &[1, 5, 5], Severity::High),
            (1, &[3, 5, 5], Severity::Medium),
            (3, &[1, 2, 5], Severity::Low),
        ];
        for (rating, others, expected) in rows {
            let mut voices = vec![voice("a", rating).says(Suggestion, &["Encrypt the backups."])];
            voices.extend(others.iter().zip(["b", "c", "d"]).map(|(rating, name)| {
                voice(name, *rating).says(MissingRequirement, &["Offline mode"])
            }));
            let items = told(&voices);
            let own = items.iter().find(|(_, text, _)| text == "Encrypt the backups.");
            assert_eq!(own.map(|item| item.0), Some(expected), "{rating} {others:?}");
        }
    }

    #[test]
    fn who_asks_for_nothing_is_taken_by_its_weaknesses_then_by_its_risks() {
        use Severity::{High, Low, Medium};
        let weak = || voice("a", 2).says(Weakness, &["The scope is unclear."]);
        let other = voice("b", 4);
        let told = |first: PerspectiveReply| told(&[first, other.clone()]);
        let resolve = [row(Medium, "Resolve: The scope is unclear.", "a")];
        assert_eq!(told(weak()), resolve);
        // Not if it asks for something else.
        assert_eq!(
            told(weak().says(Suggestion, &["Cut the scope."])),
            [row(Medium, "Cut the scope.", "a")]
        );
        assert_eq!(
            told(weak().says(MissingRequirement, &["Offline mode"])),
            [row(High, "Meet the requirement: Offline mode", "a")]
        );
        let risks = ["The vendor may raise prices."];
        assert_eq!(
            told(weak().says(Risk, &risks).risk(RiskLevel::High)),
            [row(Medium, "Deal with the risk: The vendor may raise prices.", "a")]
        );
        // Risks that do not count leave the weaknesses as the source.
        assert_eq!(told(weak().says(Risk, &risks).risk(RiskLevel::Medium)), resolve);
        assert_eq!(
            told(voice("a", 2).says(Risk, &risks)),
            [row(Medium, "Deal with the risk: The vendor may raise prices.", "a")]
        );
        assert_eq!(
            told(voice("a", 4).says(Weakness, &["The scope is unclear."])),
            [row(Low, "Resolve: The scope is unclear.", "a")]
        );
        assert_eq!(told(voice("a", 5).says(Strength, &["All is well."])), []);
    }

    #[test]
    fn who_blocks_without_a_reason_is_to_be_asked() {
        use Severity::{High, Medium};
        let good = voice("b", 5);
        assert_eq!(
            told(&[voice("a", 2), good.clone()]),
            [row(Medium, "Ask a why it rates the artifact 2 of 5", "a")]
        );
        assert_eq!(
            told(&[voice("a", 1)]),
            [row(High, "Ask a why it rates the artifact 1 of 5", "a")]
        );
        let level = |level| told(&[voice("a", 4).risk(level), good.clone()]);
        assert_eq!(
            level(RiskLevel::Critical),
            [row(High, "Ask a why it rates the risk critical", "a")]
        );
        assert_eq!(level(RiskLevel::High), [row(Medium, "Ask a why it rates the risk high", "a")]);
        assert_eq!(level(RiskLevel::Medium), []);
        assert_eq!(items(&[voice("a", 2)], &[])[0].members, []);
    }

    #[test]
    fn what_several_ask_for_is_one_item_with_all_members() {
        let voices = [
            voice("product", 4)
                .says(Suggestion, &["Cut the scope.", "Add a plan for the rollback."]),
            voice("quality", 2).says(Suggestion, &["Write a plan for the rollback."]),
            voice("risk", 4).says(Suggestion, &["Name the owner of each epic."]),
        ];
        let items = items(&voices, &[]);
        assert_eq!(items.len(), 3);
        // In the words of the first, as urgent as the most urgent.
        assert_eq!(items[0].text, "Add a plan for the rollback.");
        assert_eq!(items[0].urgency, Severity::Medium);
        assert_eq!(items[0].perspectives, ["product", "quality"]);
        assert_eq!(
            items[0].members,
            [
                point("product", Suggestion, "Add a plan for the rollback."),
                point("quality", Suggestion, "Write a plan for the rollback.")
            ]
        );
        // Whichever of them is asked first.
        let turned = [voices[1].clone(), voices[0].clone(), voices[2].clone()];
        let first = &super::items(&turned, &[])[0];
        assert_eq!(first.text, "Write a plan for the rollback.");
        assert_eq!(first.urgency, Severity::Medium);
        // Contrary advice yields two items.
        let voices = [
            voice("product", 4).says(Suggestion, &["Cache the sessions in Redis."]),
            voice("quality", 4).says(Suggestion, &["Do not cache the sessions in Redis."]),
        ];
        assert_eq!(super::items(&voices, &[]).len(), 2);
    }

    #[test]
    fn within_a_row_more_voices_go_first_then_the_lower_rating_then_the_order_asked() {
        let voices = [
            voice("a", 5).says(Suggestion, &["Name the owner of each epic."]),
            voice("b", 4).says(Suggestion, &["Encrypt the backups.", "Draw the data flow."]),
            voice("c", 4).says(Suggestion, &["Shorten the introduction."]),
            voice("d", 5).says(Suggestion, &["Measure the latency under load."]),
            voice("e", 5).says(Suggestion, &["Measure the latency under load."]),
        ];
        let order: Vec<String> = told(&voices).into_iter().map(|item| item.1).collect();
        let expected = [
            "Measure the latency under load.",
            "Encrypt the backups.",
            "Draw the data flow.",
            "Shorten the introduction.",
            "Name the owner of each epic.",
        ];
        assert_eq!(order, expected);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn whatever_blocks_has_an_item_that_is_required(voices in voices()) {
            let gaps = gaps(&voices);
            let items = items(&voices, &gaps);
            let ratings: Vec<u8> = voices.iter().map(|voice| voice.critique.rating).collect();
            let severity = ladder::severity(LadderInput {
                ratings: &ratings,
                risk: voices.iter().filter_map(|voice| voice.critique.risk_level).max(),
                gap: !gaps.is_empty(),
                raised: true,
            });
            if ladder::verdict(severity) == Verdict::ConsensusBlocked {
                prop_assert!(items.first().is_some_and(|item| item.urgency >= Severity::Medium));
            }
            prop_assert!(items.is_sorted_by_key(|item| Reverse(item.urgency)));
            let required = |gap: &Gap| items.iter().any(|item| item.members == gap.members && item.urgency == Severity::High);
            prop_assert!(gaps.iter().all(required));
            // No request is lost or duplicated, and none is made up.
            let mut told = Vec::new();
            for item in &items {
                prop_assert!(!item.text.trim().is_empty() && item.urgency > Severity::None);
                prop_assert_eq!(item.members.is_empty(), item.text.starts_with("Ask "));
                for member in &item.members {
                    prop_assert!(item.perspectives.contains(&member.perspective));
                    prop_assert!(member.kind != Strength && !told.contains(member));
                    told.push(member.clone());
                }
            }
            for voice in &voices {
                for kind in [Suggestion, MissingRequirement] {
                    for wish in points(voice, kind) {
                        prop_assert!(told.contains(&wish), "{:?} is lost", wish);
                    }
                }
            }
        }
    }
}
