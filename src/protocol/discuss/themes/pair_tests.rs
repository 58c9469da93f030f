//! How well points are told apart, on pairs that were written for it.
//!
//! Each line of `pairs.tsv` and `longer.tsv`: class, the kinds of the two points, their texts. The pairs of `pairs.tsv` were
//! written and halved before anything was measured: of each class the first, third, fifth, ... were looked at to
//! choose the rule and its bounds, the second, fourth, ... only to report. Those of `longer.tsv`, all about one artifact,
//! were written when the rule stood, and nothing was changed after they were measured.

use super::cluster::Clusters;
use super::likeness::{LEAST_MEANING_NGRAM, MEASURE, Measure};
use crate::protocol::discuss::model::Point;
use crate::text::embedding;

const PAIRS: &str = include_str!("pairs.tsv");
const LONGER: &str = include_str!("longer.tsv");

/// How many pairs of a class are put together, of how many.
fn together(measure: Measure, pairs: &str, class: &str, of: fn(usize) -> bool) -> (usize, usize) {
    let of_class = pairs.lines().filter_map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [of, one, other, first, second] = *fields else {
            panic!("{line:?} has not five fields");
        };
        (of == class).then(|| [point("a", one, first), point("b", other, second)])
    });
    let chosen: Vec<[Point; 2]> = (of_class.enumerate())
        .filter(|(at, _)| of(*at))
        .map(|(_, pair)| pair)
        .collect();
    let joined = |pair: &&[Point; 2]| {
        let one = Clusters::by(measure, *pair).groups().len() == 1;
        if one == ["unrelated", "lookalike", "different"].contains(&class) {
            eprintln!("{class} {one}: {} | {}", pair[0].text, pair[1].text);
        }
        one
    };
    (chosen.iter().filter(joined).count(), chosen.len())
}

fn point(perspective: &str, kind: &str, text: &str) -> Point {
    Point {
        perspective: perspective.to_owned(),
        kind: serde_json::from_value(kind.into()).unwrap(),
        text: text.to_owned(),
    }
}

const CLASSES: [&str; 4] = ["paraphrase", "praise", "unrelated", "lookalike"];

#[test]
fn on_the_half_that_the_bounds_were_chosen_on() {
    let by = |measure| CLASSES.map(|class| together(measure, PAIRS, class, |at| at % 2 == 0));
    assert_eq!(by(MEASURE), [(5, 8), (7, 8), (0, 8), (1, 8)]);
    assert_eq!(by(letters()), [(2, 8), (2, 8), (0, 8), (0, 8)]);
}

#[test]
fn on_the_half_held_out() {
    let by = |measure| CLASSES.map(|class| together(measure, PAIRS, class, |at| at % 2 == 1));
    assert_eq!(by(MEASURE), [(5, 8), (7, 8), (0, 8), (1, 8)]);
    assert_eq!(by(letters()), [(2, 8), (2, 8), (0, 8), (0, 8)]);
}

#[test]
fn on_longer_points_about_one_artifact() {
    let by =
        |measure| ["same", "different"].map(|class| together(measure, LONGER, class, |_| true));
    assert_eq!(by(MEASURE), [(0, 12), (0, 12)]);
    assert_eq!(by(letters()), [(0, 12), (0, 12)]);
}

/// The measure of a build without the table.
fn letters() -> Measure {
    Measure {
        embed: embedding::ngram,
        least: LEAST_MEANING_NGRAM,
    }
}
