//! A fair cap: the best of each rule in turn, so that no single rule uses it up.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::protocol::backlog::model::Opportunity;

/// Returns the ids of at most `max` items, best first.
///
/// Rules take turns, starting with the one that has the best item (ties by name); in each turn a
/// rule gives its best remaining item. Items without a rule share one turn. The selection is then
/// sorted by [`order`].
pub fn fair<'a>(items: &[&'a Opportunity], max: usize) -> Vec<&'a str> {
    let mut sorted = items.to_vec();
    sorted.sort_by(|a, b| order(a, b));
    // Each rule's items, best first; rules in the order of their best item, ties by name.
    let mut rules: Vec<(&str, Vec<&Opportunity>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for item in sorted {
        let rule = item.rule().unwrap_or_default();
        match places.entry(rule) {
            Entry::Occupied(place) => rules[*place.get()].1.push(item),
            Entry::Vacant(place) => {
                place.insert(rules.len());
                rules.push((rule, vec![item]));
            }
        }
    }
    rules.sort_by(|(a, of_a), (b, of_b)| {
        let best = |of: &[&Opportunity]| of.first().map_or(0.0, |item| item.overall());
        best(of_b).total_cmp(&best(of_a)).then(a.cmp(b))
    });
    let mut chosen: Vec<&Opportunity> = Vec::new();
    let longest = rules.iter().map(|(_, of)| of.len()).max().unwrap_or(0);
    for turn in 0..longest {
        let next = rules.iter().filter_map(|(_, of)| of.get(turn));
        chosen.extend(next.take(max - chosen.len()));
    }
    chosen.sort_by(|a, b| order(a, b));
    (chosen.into_iter()).map(|item| item.opportunity_id.as_str()).collect()
}

/// The order of results: overall score descending, then type name, larger problem first, then id.
pub fn order(a: &Opportunity, b: &Opportunity) -> std::cmp::Ordering {
    let kind = |item: &Opportunity| item.opportunity_type.name();
    (b.overall().total_cmp(&a.overall()))
        .then_with(|| kind(a).cmp(kind(b)))
        .then_with(|| b.measure().cmp(&a.measure()))
        .then_with(|| a.opportunity_id.cmp(&b.opportunity_id))
}
