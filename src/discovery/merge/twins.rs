//! Who may be the same as whom: only items of one type that are about one thing.
//!
//! Similar words alone never make two items one. Two failing tests have much in
//! common, and so have two stalled features; both pairs are two items. What may
//! be compared is decided by type and symbol first, and only then by words.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use super::{Found, keywords};
use crate::protocol::backlog::model::{Opportunity, OpportunityStatus, OpportunityType};
use crate::text::similarity::{self, Keywords};

/// What two items must have in common before their words count: type, and symbol, or rule where
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

/// Whether two texts say the same. One shared word never does.
pub(super) fn are_the_same(one: &Keywords, other: &Keywords, threshold: f64) -> bool {
    let (fewer, more) = (one.len().min(other.len()), one.len().max(other.len()));
    #[expect(clippy::cast_precision_loss, reason = "nobody counts 2^52 words")]
    // The cheap question first: they can have no more in common than the shorter one has.
    let possible = fewer as f64 / more.max(1) as f64 >= threshold;
    possible
        && one.intersection(other).take(2).count() == 2
        && similarity::jaccard(one, other) >= threshold
}

/// The keywords that tell whether two items are the same. Of a feature its evidence is none of them:
/// it is new words every time, and with it an item would be another one from run to run.
pub(super) fn identifying(item: &Opportunity) -> Keywords {
    match item.opportunity_type {
        OpportunityType::FeatureOpportunity => {
            similarity::keywords([item.title.as_str(), item.description.as_str()])
        }
        OpportunityType::TestFailure
        | OpportunityType::StalledWork
        | OpportunityType::CodeQuality
        | OpportunityType::CoverageGap
        | OpportunityType::Complexity => keywords(item),
    }
}

/// Returns the id of the stored feature that is most like these keywords, if one is as good as the same.
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

/// Items of this run that others may be nearly the same as: by anchor and file, their places.
#[derive(Default)]
pub(super) struct Twins(HashMap<Anchor, BTreeMap<Option<String>, Vec<usize>>>);

impl Twins {
    pub(super) fn add(&mut self, place: usize, each: &Found) {
        let files = self.0.entry(anchor(&each.item)).or_default();
        files.entry(each.file.clone()).or_default().push(place);
    }

    /// Returns the best of those that an item is nearly the same as: of the same file, or one of both names none.
    pub(super) fn near(&self, found: &[Found], each: &Found, threshold: f64) -> Option<usize> {
        let files = self.0.get(&anchor(&each.item))?;
        let near = |places: &Vec<usize>| {
            (places.iter().copied())
                .filter(|&place| are_the_same(&found[place].keywords, &each.keywords, threshold))
                .min()
        };
        match &each.file {
            // An unknown file fits any.
            None => files.values().filter_map(near).min(),
            Some(_) => ([&each.file, &None].into_iter())
                .filter_map(|file| files.get(file).and_then(near))
                .min(),
        }
    }
}

/// What an item is about: type, whether a symbol is meant, and the symbol or file.
type About = (OpportunityType, bool, String);

fn about(item: &Opportunity, file: Option<&str>) -> Option<About> {
    let kind = item.opportunity_type;
    match (item.symbol(), file) {
        (Some(symbol), _) => Some((kind, true, symbol.to_owned())),
        (None, Some(file)) => Some((kind, false, file.to_owned())),
        // About nothing in particular, so never the same as anything by words alone.
        (None, None) => None,
    }
}

/// Stored items by what they are about, with their keywords once somebody asked for them.
pub(super) struct Rejections<'a>(HashMap<About, Vec<(&'a Opportunity, OnceCell<Keywords>)>>);

impl<'a> Rejections<'a> {
    pub(super) fn new(stored: impl Iterator<Item = &'a Opportunity>) -> Self {
        let mut items: HashMap<About, Vec<_>> = HashMap::new();
        for item in stored {
            if let Some(about) = about(item, item.affected_files.first().map(String::as_str)) {
                items.entry(about).or_default().push((item, OnceCell::new()));
            }
        }
        Self(items)
    }

    /// Returns the rejected item that a new one repeats: the one most like it, if that is rejected.
    pub(super) fn rejected_before(&self, each: &Found, threshold: f64) -> Option<String> {
        let same_rule = |other: &Opportunity| match (each.item.rule(), other.rule()) {
            (Some(one), Some(other)) => one == other,
            (None, _) | (_, None) => true,
        };
        let about = about(&each.item, each.file.as_deref())?;
        let alike = (self.0.get(&about)?.iter())
            // Another rule about the same file is another problem.
            .filter(|(other, _)| about.1 || same_rule(other))
            .map(|(other, words)| (*other, words.get_or_init(|| identifying(other))))
            .filter(|(_, words)| are_the_same(&each.keywords, words, threshold))
            .map(|(other, words)| (similarity::jaccard(&each.keywords, words), other));
        let is_rejected = |item: &Opportunity| item.status == OpportunityStatus::Rejected;
        let (_, best) = alike.max_by(|(a, of_a), (b, of_b)| {
            // Of two that are alike in the same degree, the one that hides nothing counts.
            (a.total_cmp(b))
                .then_with(|| is_rejected(of_b).cmp(&is_rejected(of_a)))
                .then_with(|| of_b.opportunity_id.cmp(&of_a.opportunity_id))
        })?;
        is_rejected(best).then(|| best.opportunity_id.clone())
    }
}
