//! The measures over the pairs of sentences: prints the tables of `crates/core/src/text/embedding/README.md` and
//! tests them and the promises made there.
//!
//! Each pair becomes two positions, a summary and one point that repeats it, with the stances an honest agent would
//! take (agree with a paraphrase, disagree with a contradiction and with another subject), and with those of a
//! sycophant, who agrees with everything.

use std::fmt::Write as _;

use super::pairs::{Class, Pair, pairs, summaries};
use super::tests::{position, stances};
use super::*;
use crate::protocol::debate::model::Stance;
use crate::text::embedding;
use crate::text::similarity::score::text_score;

fn checked(pair: &Pair, stance: Stance, basis: Basis, threshold: u16) -> Check {
    check(Comparison {
        position: &position(pair.first, &[(pair.first, 2)]),
        stances: &stances(&[("P1", stance)]),
        other: &position(pair.second, &[(pair.second, 2)]),
        basis,
        threshold: Share::thousandths(threshold),
    })
}

fn honest(pair: &Pair) -> Stance {
    match pair.class {
        Class::Paraphrase => Stance::Agree,
        Class::Negated | Class::Antonym | Class::Swapped | Class::Unrelated => Stance::Disagree,
    }
}

#[test]
fn no_contradiction_is_adopted_where_the_stances_say_so() {
    let sentences = pairs().into_iter().filter(|pair| pair.class.contradicts());
    let summaries = (summaries().into_iter())
        .filter(|(contrary, ..)| *contrary)
        .map(|(_, first, second)| Pair { class: Class::Negated, first, second, held_out: true });
    for pair in sentences.chain(summaries) {
        for basis in [Basis::Stance, Basis::Text] {
            for threshold in [500, 850] {
                let check = checked(&pair, Stance::Disagree, basis, threshold);
                assert!(!check.reached, "{pair:?} {check:?}");
            }
        }
    }
}

#[test]
fn no_unrelated_pair_is_adopted_by_text_and_no_paraphrase_is_unlike() {
    for pair in pairs() {
        let agreed = checked(&pair, Stance::Agree, Basis::Text, 500);
        match pair.class {
            Class::Unrelated => assert!(!agreed.reached, "{pair:?}"),
            Class::Paraphrase if !pair.held_out => {
                let unlike = Some(Conflict::AgreedButUnlike);
                assert_ne!(agreed.conflict, unlike, "{pair:?} {agreed:?}");
            }
            Class::Paraphrase | Class::Negated | Class::Antonym | Class::Swapped => {}
        }
    }
}

/// Formats the mean, minimum and maximum.
fn spread(numbers: &[f64]) -> String {
    #[expect(clippy::cast_precision_loss, reason = "some dozens")]
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{mean:.2} [{least:.2}, {most:.2}]")
}

/// Returns, in percent, how often a number of `first` is above one of `second`; a tie counts half.
fn above(first: &[f64], second: &[f64]) -> f64 {
    let mut halves = 0_u32;
    for one in first {
        for two in second {
            halves += u32::from(one > two) * 2 + u32::from((one - two).abs() < f64::EPSILON);
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "some hundreds")]
    let all = (2 * first.len() * second.len()) as f64;
    f64::from(halves) * 100.0 / all
}

fn out_of(pairs: &[Pair], fits: impl Fn(&Pair) -> bool) -> String {
    format!("{}/{}", pairs.iter().filter(|pair| fits(pair)).count(), pairs.len())
}

type Measure = fn(&str, &str) -> Option<f64>;

const MEASURES: [(&str, Measure); 3] = [
    ("meaning (`minilm-128`)", |one, two| {
        Some(embedding::embed(one)?.cosine(&embedding::embed(two)?))
    }),
    ("keywords", |one, two| Some(f64::from(text_score(one, two)?.keywords) / 1000.0)),
    ("the formula", |one, two| Some(f64::from(text_score(one, two)?.score) / 1000.0)),
];

/// Tabulates the likeness of the pairs of each kind, by each measure.
fn likeness_table(half: &[Pair]) -> String {
    let of = |fits: fn(Class) -> bool| -> Vec<Pair> {
        half.iter().copied().filter(|pair| fits(pair.class)).collect()
    };
    let paraphrases = of(|class| class == Class::Paraphrase);
    let contradictions = of(Class::contradicts);
    let unrelated = of(|class| class == Class::Unrelated);
    let mut text = String::from(
        "| measure | paraphrase | contradiction | unrelated | paraphrase above unrelated | contradiction above paraphrase |\n|---|---|---|---|---|---|\n",
    );
    for (name, measure) in MEASURES {
        let numbers = |pairs: &[Pair]| -> Vec<f64> {
            pairs.iter().filter_map(|pair| measure(pair.first, pair.second)).collect()
        };
        let [same, contrary, other] =
            [&paraphrases, &contradictions, &unrelated].map(|pairs| numbers(pairs));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {:.1}% | {:.1}% |",
            spread(&same),
            spread(&contrary),
            spread(&other),
            above(&same, &other),
            above(&contrary, &same),
        );
    }
    text
}

/// Tabulates, for each kind, the conflicts that are seen and the positions that are adopted.
fn decision_table(half: &[Pair]) -> String {
    let mut text = String::from(
        "| pairs | `conflict`, honest stances | adopted, honest stances | adopted, sycophant | by text at 0.85, honest | by text at 0.50, honest | by text at 0.50, sycophant |\n|---|---|---|---|---|---|---|\n",
    );
    for class in Class::ALL {
        let pairs: Vec<Pair> = half.iter().copied().filter(|pair| pair.class == class).collect();
        let adopted = |stance: Option<Stance>, basis, threshold| {
            out_of(&pairs, |pair| {
                checked(pair, stance.unwrap_or(honest(pair)), basis, threshold).reached
            })
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            class.name(),
            out_of(&pairs, |pair| {
                checked(pair, honest(pair), Basis::Stance, 850).conflict.is_some()
            }),
            adopted(None, Basis::Stance, 850),
            adopted(Some(Stance::Agree), Basis::Stance, 850),
            adopted(None, Basis::Text, 850),
            adopted(None, Basis::Text, 500),
            adopted(Some(Stance::Agree), Basis::Text, 500),
        );
    }
    text
}

/// Tabulates the part of the held-out half that `docs/debate.md` shows: the formula, and adoptions by honest stances.
fn short_table(half: &[Pair]) -> String {
    type Kind = (&'static str, fn(Class) -> bool);
    let kinds: [Kind; 3] = [
        ("paraphrase", |class| class == Class::Paraphrase),
        ("contradiction", Class::contradicts),
        ("unrelated", |class| class == Class::Unrelated),
    ];
    let mut text = String::new();
    for (name, fits) in kinds {
        let pairs: Vec<&Pair> = half.iter().filter(|pair| fits(pair.class)).collect();
        let scores = pairs.iter().filter_map(|pair| text_score(pair.first, pair.second));
        let scores: Vec<f64> = scores.map(|score| f64::from(score.score) / 1000.0).collect();
        let count = |holds: fn(&Pair) -> bool| pairs.iter().filter(|pair| holds(pair)).count();
        let _ = writeln!(
            text,
            "| {name} | {} | {} of {all} |",
            spread(&scores),
            count(|pair| checked(pair, honest(pair), Basis::Stance, 850).reached),
            all = pairs.len(),
        );
    }
    text
}

/// Tabulates the likeness of whole summaries.
fn summaries_table() -> String {
    let mut text = String::from("| pairs of summaries | meaning | the formula |\n|---|---|---|\n");
    for (name, contrary) in [("the same in other words", false), ("contrary", true)] {
        let pairs: Vec<_> = (summaries().into_iter()).filter(|pair| pair.0 == contrary).collect();
        let scores = |part: fn(TextScore) -> u16| -> Vec<f64> {
            let scores = pairs.iter().filter_map(|(_, one, two)| text_score(one, two));
            scores.map(|score| f64::from(part(score)) / 1000.0).collect()
        };
        let _ = writeln!(
            text,
            "| {name} | {} | {} |",
            spread(&scores(|score| score.semantic)),
            spread(&scores(|score| score.score)),
        );
    }
    text
}

/// The tables in the documents match the measurements.
#[test]
fn the_tables_in_the_documents_are_what_is_measured() {
    let (held_out, fitting): (Vec<Pair>, Vec<Pair>) =
        pairs().into_iter().partition(|pair| pair.held_out);
    let readme = include_str!("../../../../crates/core/src/text/embedding/README.md");
    let measured = [
        ("held out: likeness", likeness_table(&held_out)),
        ("fitting: likeness", likeness_table(&fitting)),
        ("held out: decisions", decision_table(&held_out)),
        ("fitting: decisions", decision_table(&fitting)),
        ("summaries", summaries_table()),
    ];
    for (name, table) in &measured {
        println!("@{name}\n{table}");
    }
    let shown = include_str!("../../../../docs/debate.md");
    assert!(shown.contains(&short_table(&held_out)), "docs/debate.md: {}", short_table(&held_out));
    for (name, table) in &measured {
        assert!(readme.contains(table), "the table has changed: {name}");
    }
}
