//! The action items, most urgent first.
//!
//! | source | urgency |
//! |---|---|
//! | a missing requirement | high |
//! | a risk, from a perspective that rates the risk critical | high |
//! | a risk, from one that rates it high | medium |
//! | a weakness in a place that another perspective faults too, or that one calls a contradiction, a gap or an error | medium |
//! | a suggestion, from one that rates the artifact 2 or less | high if the ratings alone stop the artifact (two are low, or the only one is), else medium |
//! | any other suggestion | low |
//!
//! A perspective that asks for nothing by these rules is represented by its weaknesses, else by its risks, as urgent
//! as its suggestions would have been. A perspective that rates low, or rates the risk high, and gives nothing to go
//! by yields an item that asks it why: whatever blocks an artifact has a required item. Items of one urgency are
//! sorted by the rows of the table, then by how many perspectives ask, then by the lowest rating among those, then in
//! the order asked. What several perspectives say of one place is one item (`super::themes`), in the words of its most
//! urgent member and as urgent as that.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::ladder::{LOW_RATING, LadderInput};
use super::model::{ActionItem, Gap, PerspectiveReply, Point, PointKind, RiskLevel, Severity};
use super::themes::{perspectives, points};

/// Returns the missing requirements of some groups of points, in their order.
pub fn gaps(groups: &[Vec<Point>]) -> Vec<Gap> {
    let gap = |group: &Vec<Point>| {
        let missing = group.iter().filter(|point| point.kind == PointKind::MissingRequirement);
        let members: Vec<Point> = missing.cloned().collect();
        let text = members.first()?.text.clone();
        Some(Gap { text, perspectives: perspectives(&members, |_| true), members })
    };
    groups.iter().filter_map(gap).collect()
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
    /// None for what is an item only if another perspective names a weakness in the same place.
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

/// Returns the action items, most urgent first; `groups`: all points of the same voices.
pub fn items(voices: &[PerspectiveReply], groups: &[Vec<Point>]) -> Vec<ActionItem> {
    let ratings: Vec<u8> = voices.iter().map(|voice| voice.critique.rating).collect();
    let rejected =
        LadderInput { ratings: &ratings, risk: None, gap: false, raised: false }.rejected();
    let ranked = |item: ActionItem, row: Row| {
        let named = |(_, voice): &(usize, &PerspectiveReply)| {
            item.perspectives.contains(&voice.perspective)
        };
        let mut who = voices.iter().enumerate().filter(named).peekable();
        let place = who.peek().map_or(usize::MAX, |(at, _)| *at);
        let rating = who.map(|(_, voice)| voice.critique.rating).min().unwrap_or(u8::MAX);
        RankedAction { item, row, rating, place }
    };
    let mut all: Vec<RankedAction> = Vec::new();
    let mut wishes = Vec::new();
    for voice in voices {
        let (own, asks) = wishes_of(voice, rejected);
        wishes.extend(own);
        all.extend(asks.into_iter().map(|(item, row)| ranked(item, row)));
    }
    let wishes: BTreeMap<&Point, &ActionRequest> =
        wishes.iter().map(|wish| (&wish.point, wish)).collect();
    for group in groups {
        let mut wishes: Vec<&ActionRequest> =
            group.iter().filter_map(|point| wishes.get(point).copied()).collect();
        wishes.sort_by_key(|wish| (Reverse(wish.urgency), wish.row));
        let Some(first) = wishes.first() else { continue };
        let is_shared =
            wishes.len() > 1 && wishes.iter().any(|wish| wish.point.kind == PointKind::Weakness);
        let (least, row) =
            if is_shared { (Severity::Medium, Row::Fault) } else { (Severity::None, Row::Other) };
        let (urgency, row) = (first.urgency.max(least), first.row.min(row));
        if urgency > Severity::None {
            let text = worded(&first.point);
            let members: Vec<Point> = wishes.iter().map(|wish| wish.point.clone()).collect();
            let perspectives = perspectives(&members, |_| true);
            all.push(ranked(ActionItem { text, urgency, perspectives, members }, row));
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
    // Adds the points of a kind, and returns whether they are requests.
    let mut wish = |kind: PointKind, urgency: Severity, row: Row| {
        let points = points(voice, kind).into_iter();
        let before = own.len();
        own.extend(points.map(|point| ActionRequest { point, urgency, row }));
        urgency > Severity::None && own.len() > before
    };
    let mut asked = wish(PointKind::MissingRequirement, Severity::High, Row::Requirement);
    asked |= wish(PointKind::Suggestion, urgency, row);
    if let Some((level, urgency)) = danger {
        if wish(PointKind::Risk, urgency, Row::Risk) {
            asked = true;
        } else {
            let text = format!("Ask {name} why it rates the risk {level}");
            asks.push((ask(text, urgency), Row::Risk));
        }
    }
    let left = |asked: bool| if asked { Severity::None } else { urgency };
    asked |= wish(PointKind::Weakness, left(asked), row);
    if danger.is_none() {
        asked |= wish(PointKind::Risk, left(asked), row);
    }
    if !asked && low {
        let rating = critique.rating;
        let text = format!("Ask {name} why it rates the artifact {rating} of 5");
        asks.push((ask(text, urgency), row));
    }
    for wish in own.iter_mut().filter(|wish| wish.point.kind == PointKind::Weakness) {
        let word = wish.point.text.split_once(':').map(|(word, _)| word.trim().to_lowercase());
        if word.is_some_and(|word| FAULTS.contains(&&*word)) {
            wish.urgency = wish.urgency.max(Severity::Medium);
            wish.row = wish.row.min(Row::Fault);
        }
    }
    (own, asks)
}

#[cfg(test)]
mod tests {
    //! One test per row of the table, and the properties of every list.

    use proptest::prelude::*;

    use super::super::ladder::{self, LadderInput};
    use super::super::themes::samples::{grouped, point, voice, voices};
    use super::*;
    use crate::protocol::discuss::model::PointKind::{
        MissingRequirement, Risk, Strength, Suggestion, Weakness,
    };
    use crate::protocol::discuss::model::Verdict;

    fn items(voices: &[PerspectiveReply]) -> Vec<ActionItem> {
        super::items(voices, &grouped(voices).groups)
    }

    fn told(voices: &[PerspectiveReply]) -> Vec<(Severity, String, String)> {
        let items = items(voices).into_iter();
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
        let gaps = gaps(&grouped(&voices).groups);
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
        assert_eq!(super::gaps(&grouped(&[voice("a", 1)]).groups), []);
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
        let unclear = "'Never lost' is unclear.";
        assert_eq!(told(unclear, "It is long."), []);
        assert_eq!(
            told(unclear, "1: 'is never lost' is no measure."),
            [row(Medium, "Resolve: 'Never lost' is unclear.", "a b")]
        );
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
        assert_eq!(items(&[voice("a", 2)])[0].members, []);
    }

    #[test]
    fn what_several_say_of_one_place_is_one_item_in_the_words_of_the_most_urgent() {
        let (loose, strict) = ("4: 30 days are short.", "Privacy (4) needs 30 days.");
        let asks = |rating: u8, other: u8| {
            [
                voice("product", rating).says(Suggestion, &["Cut the scope.", loose]),
                voice("quality", other).says(Suggestion, &[strict]),
                voice("risk", 4).says(Suggestion, &["Name the owner of each epic."]),
            ]
        };
        let all = items(&asks(4, 2));
        assert_eq!(all.len(), 3);
        assert_eq!((&*all[0].text, all[0].urgency), (strict, Severity::Medium));
        assert_eq!(all[0].perspectives, ["quality", "product"]);
        assert_eq!(
            all[0].members,
            [point("quality", Suggestion, strict), point("product", Suggestion, loose)]
        );
        // Among equals, of the first.
        assert!(items(&asks(4, 4)).iter().any(|item| item.text == loose));
        // A weakness of one is another's risk, or a requirement that is not met.
        for (kind, level, words) in [
            (Risk, RiskLevel::Low, "Resolve: 4: 30 days are short."),
            (Risk, RiskLevel::Critical, "Deal with the risk: Privacy (4) needs 30 days."),
            (
                MissingRequirement,
                RiskLevel::Low,
                "Meet the requirement: Privacy (4) needs 30 days.",
            ),
        ] {
            let voices = [
                voice("product", 4).says(Weakness, &[loose]).says(Suggestion, &["Cut it."]),
                voice("risk", 4).says(kind, &[strict]).says(Suggestion, &["Cut this."]).risk(level),
            ];
            let first = &items(&voices)[0];
            assert_eq!((&*first.text, first.members.len()), (words, 2));
            assert!(first.urgency >= Severity::Medium);
        }
    }

    #[test]
    fn within_a_row_more_voices_go_first_then_the_lower_rating_then_the_order_asked() {
        let voices = [
            voice("a", 5).says(Suggestion, &["Name the owner of each epic."]),
            voice("b", 4).says(Suggestion, &["Encrypt the backups.", "Draw the data flow."]),
            voice("c", 4).says(Suggestion, &["Shorten the introduction."]),
            voice("d", 5).says(Suggestion, &["Measure `complete` under load."]),
            voice("e", 5).says(Suggestion, &["Try `complete` twice."]),
        ];
        let order: Vec<String> = told(&voices).into_iter().map(|item| item.1).collect();
        let expected = [
            "Measure `complete` under load.",
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
            let gaps = gaps(&grouped(&voices).groups);
            let items = items(&voices);
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
            let required = |gap: &Gap| items.iter().any(|item| {
                item.urgency == Severity::High && gap.members.iter().all(|one| item.members.contains(one))
            });
            prop_assert!(gaps.iter().all(required));
            // No request is lost or duplicated, and none is made up.
            let mut told = Vec::new();
            for item in &items {
                prop_assert!(!item.text.trim().is_empty() && item.urgency > Severity::None);
                prop_assert_eq!(item.members.is_empty(), item.text.starts_with("Ask "));
                // Named first is whose words they are.
                let first = item.members.first();
                prop_assert!(first.is_none_or(|one| one.perspective == item.perspectives[0] && item.text.ends_with(&one.text)));
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
