//! Which items may be duplicates: only those of one type with one subject.
//!
//! Similar words alone never make two items one. Two failing tests have much in common, as do two
//! stalled features; each pair is still two items. Type and symbol decide first which items are
//! compared, and only then do words.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use super::{Found, keywords};
use crate::protocol::backlog::model::{Opportunity, OpportunityStatus, OpportunityType};
use crate::text::similarity::{self, Keywords};

/// The common ground that two items need before their words count: type, and symbol, or rule if
/// there is no symbol (a file that is too long and has no test has two problems).
type Anchor = (OpportunityType, Option<String>, Option<String>);

fn anchor(item: &Opportunity) -> Anchor {
    let symbol = item.symbol().map(str::to_owned);
    let rule = match symbol {
        Some(_) => None,
        None => item.rule().map(str::to_owned),
    };
    (item.opportunity_type, symbol, rule)
}

/// Whether two texts say the same. A single shared word never suffices.
pub(super) fn are_the_same(one: &Keywords, other: &Keywords, threshold: f64) -> bool {
    let (fewer, more) = (one.len().min(other.len()), one.len().max(other.len()));
    #[expect(clippy::cast_precision_loss, reason = "nobody counts 2^52 words")]
    // A cheap upper bound first: the overlap is at most the shorter text.
    let possible = fewer as f64 / more.max(1) as f64 >= threshold;
    possible
        && one.intersection(other).take(2).count() == 2
        && similarity::jaccard(one, other) >= threshold
}

/// The keywords that decide whether two items are the same. A feature's evidence does not count: its
/// wording differs every time, so the item would change from run to run.
pub(super) fn identifying(item: &Opportunity) -> Keywords {
    match item.opportunity_type {
        OpportunityType::FeatureOpportunity => {
            similarity::keywords([item.title.as_str(), item.description.as_str()])
        }
        _ => keywords(item),
    }
}

/// Returns the id of the stored feature most similar to these keywords, if one is practically the same.
pub(super) fn same_feature(
    keywords: &Keywords,
    features: &[(&Opportunity, Keywords)],
    threshold: f64,
) -> Option<String> {
    (features.iter())
        .filter(|(_, other)| are_the_same(keywords, other, threshold))
        .max_by(|(a, of_a), (b, of_b)| {
            (similarity::jaccard(keywords, of_a))
                .total_cmp(&similarity::jaccard(keywords, of_b))
                .then_with(|| b.opportunity_id.cmp(&a.opportunity_id))
        })
        .map(|(item, _)| item.opportunity_id.clone())
}

/// Items of this run that others may duplicate: their indexes by anchor and file.
#[derive(Default)]
pub(super) struct DuplicateIndex(HashMap<Anchor, BTreeMap<Option<String>, Vec<usize>>>);

impl DuplicateIndex {
    pub(super) fn add(&mut self, place: usize, each: &Found) {
        let files = self.0.entry(anchor(&each.item)).or_default();
        files.entry(each.file.clone()).or_default().push(place);
    }

    /// Returns the best near duplicate of an item: from the same file, or if one of them names none.
    pub(super) fn near(&self, found: &[Found], each: &Found, threshold: f64) -> Option<usize> {
        let files = self.0.get(&anchor(&each.item))?;
        let near = |places: &Vec<usize>| {
            (places.iter().copied())
                .filter(|&place| are_the_same(&found[place].keywords, &each.keywords, threshold))
                .min()
        };
        match &each.file {
            // An unknown file matches any.
            None => files.values().filter_map(near).min(),
            Some(_) => ([&each.file, &None].into_iter())
                .filter_map(|file| files.get(file).and_then(near))
                .min(),
        }
    }
}

/// An item's subject: type, whether it is a symbol, and the symbol or file.
type ItemSubject = (OpportunityType, bool, String);

fn about(item: &Opportunity, file: Option<&str>) -> Option<ItemSubject> {
    let kind = item.opportunity_type;
    match (item.symbol(), file) {
        (Some(symbol), _) => Some((kind, true, symbol.to_owned())),
        (None, Some(file)) => Some((kind, false, file.to_owned())),
        // No particular subject, so words alone never make it a duplicate.
        (None, None) => None,
    }
}

pub(super) struct Rejections<'a>(HashMap<ItemSubject, Vec<(&'a Opportunity, OnceCell<Keywords>)>>);

impl<'a> Rejections<'a> {
    pub(super) fn new(stored: impl Iterator<Item = &'a Opportunity>) -> Self {
        let mut items: HashMap<ItemSubject, Vec<_>> = HashMap::new();
        for item in stored {
            if let Some(about) = about(item, item.affected_files.first().map(String::as_str)) {
                items.entry(about).or_default().push((item, OnceCell::new()));
            }
        }
        Self(items)
    }

    /// Returns the rejected item that a new one repeats: the most similar stored item, if it is
    /// rejected.
    pub(super) fn rejected_before(&self, each: &Found, threshold: f64) -> Option<String> {
        let same_rule = |other: &Opportunity| match (each.item.rule(), other.rule()) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => true,
        };
        let about = about(&each.item, each.file.as_deref())?;
        let alike = (self.0.get(&about)?.iter())
            // Another rule for the same file means another problem.
            .filter(|(other, _)| about.1 || same_rule(other))
            .map(|(other, words)| (*other, words.get_or_init(|| identifying(other))))
            .filter(|(_, words)| are_the_same(&each.keywords, words, threshold))
            .map(|(other, words)| (similarity::jaccard(&each.keywords, words), other));
        let is_rejected = |item: &Opportunity| item.status == OpportunityStatus::Rejected;
        let (_, best) = alike.max_by(|(a, of_a), (b, of_b)| {
            // Of two that are equally similar, the one that hides nothing counts.
            (a.total_cmp(b))
                .then_with(|| is_rejected(of_b).cmp(&is_rejected(of_a)))
                .then_with(|| of_b.opportunity_id.cmp(&of_a.opportunity_id))
        })?;
        is_rejected(best).then(|| best.opportunity_id.clone())
    }
}
