//! Merges the agents' findings into opportunities: new, known, decided, gone, or duplicates.
//!
//! # Theory of operation
//!
//! Pure: the same stored items, runs, settings and time give the same result,
//! whatever the order of the runs. In this order:
//!
//! 1. Every finding gets its [`id`](super::id::of). A feature that is practically the same as a stored
//!    one takes its id, preferably the id of one that no finding has yet, so that a new item never
//!    displaces an existing one. Findings with one id are one item: the best scored, with the evidence
//!    of all.
//! 2. A new item that is a near duplicate of another (`DuplicateIndex`) is merged into it.
//! 3. A stored item that was found again is refreshed, except its status, its rank and a person's edits.
//!    Decided ones are listed separately in the result.
//! 4. A new item that a person has practically rejected before is held back: the item most similar to it
//!    is a rejected one that was not found this time.
//! 5. The [fair cap](super::cap) selects among the open items. New items beyond it are not stored: the
//!    next run finds them again, and nobody has decided on them.
//! 6. A stored item is resolved if its agent completed and read all its sources again without finding
//!    it. A failed agent resolves nothing.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::finding::{AgentName, AgentRun, AgentStatus, Finding};
use super::{cap, id};
use crate::config::discovery::DiscoveryConfig;
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::backlog::model::{
    ActionabilityScore, Evidence, Opportunity, OpportunityStatus, OpportunityType,
};
use crate::text::sanitize;
use crate::text::similarity::{self, Keywords};

mod duplicates;

use duplicates::{DuplicateIndex, Rejections, identifying, same_feature};

/// Similarity from which two items count as the same, as in the source system.
const SAME_ITEM: f64 = 0.6;

/// Maximum length of a title, of a description and of one piece of evidence, in characters.
const MOST: (usize, usize, usize) = (200, 4_000, 2_000);
/// Maximum number of pieces of evidence per item.
const MOST_EVIDENCE: usize = 100;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct MergeResult {
    /// Items to store, by id: refreshed, new, and resolved ones.
    pub upserts: Vec<Opportunity>,
    /// Ids in this run's result, best first: open, and within the cap.
    pub kept: Vec<String>,
    /// Ids of items that are gone.
    pub resolved: Vec<String>,
    /// Findings that were rejected before.
    pub suppressed: Vec<SuppressedFinding>,
    /// Ids of items found again that are accepted or deferred.
    pub decided: Vec<String>,
    /// Number of items found: kept, suppressed, decided, and beyond the cap.
    pub total_candidates: usize,
    /// Number of near duplicates merged into another item.
    pub near_duplicates: usize,
}

/// Something that was found and held back, because a person rejected it before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuppressedFinding {
    /// Its title, as it was found.
    pub title: String,
    /// Its id.
    pub id: String,
    /// The rejected item; its own id if it is that very item.
    pub of: String,
}

impl MergeResult {
    /// Writes the items into the store's list: in the place of their previous versions, new ones at
    /// the end.
    pub fn apply(&self, items: &mut Vec<Opportunity>) {
        let places: HashMap<String, usize> = (items.iter().enumerate())
            .map(|(place, item)| (item.opportunity_id.clone(), place))
            .collect();
        for item in &self.upserts {
            match places.get(&item.opportunity_id) {
                Some(&place) => items[place] = item.clone(),
                None => items.push(item.clone()),
            }
        }
    }
}

struct Found {
    item: Opportunity,
    /// The file that the finding named; `affected_files` may contain others.
    file: Option<String>,
    /// Keywords of the item's text before anything was merged into it.
    keywords: Keywords,
}

/// Merges the agents' findings with the stored items.
///
/// `stored` has no duplicate ids (the store ensures that); `now` is used as the time of the whole
/// run.
pub fn merge(
    stored: &[Opportunity],
    runs: &[AgentRun],
    settings: &DiscoveryConfig,
    now: DateTime<Utc>,
) -> MergeResult {
    let known: HashMap<&str, &Opportunity> =
        (stored.iter()).map(|item| (item.opportunity_id.as_str(), item)).collect();
    let mut merged = MergeResult::default();
    let found = identified(runs, stored, &known, now);
    let found = without_near_duplicates(found, &known, &mut merged.near_duplicates);
    merged.total_candidates = found.len();

    let seen: HashSet<String> =
        (found.iter()).map(|each| each.item.opportunity_id.clone()).collect();
    // A stored item that is found along with a new one is not that item under another name.
    let absent = (stored.iter()).filter(|item| !seen.contains(&item.opportunity_id));
    let rejected = Rejections::new(absent);
    // Open items of this run, and whether they are new.
    let mut open: Vec<(Opportunity, bool)> = Vec::new();
    for each in found {
        let id = each.item.opportunity_id.clone();
        let Some(before) = known.get(id.as_str()) else {
            match rejected.rejected_before(&each, SAME_ITEM) {
                Some(of) => {
                    merged.suppressed.push(SuppressedFinding { title: each.item.title, id, of });
                }
                None => open.push((with_status(each.item, settings), true)),
            }
            continue;
        };
        let title = each.item.title.clone();
        let item = with_status(refreshed(before, each.item, now), settings);
        match item.status {
            OpportunityStatus::Rejected => {
                let of = id.clone();
                merged.suppressed.push(SuppressedFinding { title, id, of });
                merged.upserts.push(item);
            }
            OpportunityStatus::Accepted | OpportunityStatus::Deferred => {
                merged.decided.push(id);
                merged.upserts.push(item);
            }
            _ => open.push((item, false)),
        }
    }

    let candidates: Vec<&Opportunity> = open.iter().map(|(item, _)| item).collect();
    let max = usize::try_from(settings.max).unwrap_or(usize::MAX);
    merged.kept = (cap::fair(&candidates, max).into_iter()).map(str::to_owned).collect();
    let within: HashSet<&str> = merged.kept.iter().map(String::as_str).collect();
    let stays =
        |(item, new): &(Opportunity, bool)| !new || within.contains(item.opportunity_id.as_str());
    let kept: Vec<_> = open.into_iter().filter(stays).collect();
    merged.upserts.extend(kept.into_iter().map(|(item, _)| item));

    for item in stored {
        if item.resolved_at.is_none() && !seen.contains(&item.opportunity_id) && gone(item, runs) {
            merged.resolved.push(item.opportunity_id.clone());
            merged.upserts.push(Opportunity {
                resolved_at: Some(now),
                updated_at: now,
                ..item.clone()
            });
        }
    }
    sort(&mut merged);
    merged
}

fn sort(merged: &mut MergeResult) {
    (merged.upserts).sort_by(|a, b| a.opportunity_id.cmp(&b.opportunity_id));
    merged.suppressed.sort_by(|a, b| a.id.cmp(&b.id));
    merged.decided.sort();
    merged.resolved.sort();
}

/// Returns this run's items, one per id, best first.
fn identified(
    runs: &[AgentRun],
    stored: &[Opportunity],
    known: &HashMap<&str, &Opportunity>,
    now: DateTime<Utc>,
) -> Vec<Found> {
    let mut all: Vec<Found> = (runs.iter())
        .flat_map(|run| (run.findings.iter()).map(|finding| fresh(run.agent, finding, now)))
        .collect();
    all.sort_by(|a, b| {
        cap::order(&a.item, &b.item)
            // Two findings with one id and score: any order will do that does not depend on theirs.
            .then_with(|| format!("{:?}", a.item).cmp(&format!("{:?}", b.item)))
    });
    let is_feature =
        |item: &Opportunity| matches!(item.opportunity_type, OpportunityType::FeatureOpportunity);
    // Items with their own id come first: features in other words are merged into them.
    let (own, reworded): (Vec<Found>, Vec<Found>) = all.into_iter().partition(|each| {
        !is_feature(&each.item) || known.contains_key(each.item.opportunity_id.as_str())
    });
    let named: HashSet<&str> = (own.iter()).map(|each| each.item.opportunity_id.as_str()).collect();
    let (named, unnamed): (Vec<_>, Vec<_>) = (stored.iter())
        .filter(|item| is_feature(item))
        .map(|item| (item, identifying(item)))
        .partition(|(item, _)| named.contains(item.opportunity_id.as_str()));
    let threshold = SAME_ITEM;
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut found: Vec<Found> = Vec::new();
    let reworded = reworded.into_iter().map(|mut each| {
        // Named ones are present anyway; the others only if a finding matches them.
        let same = same_feature(&each.keywords, &unnamed, threshold)
            .or_else(|| same_feature(&each.keywords, &named, threshold));
        if let Some(same) = same {
            each.item.opportunity_id = same;
        }
        each
    });
    for each in own.into_iter().chain(reworded) {
        if let Some(&place) = places.get(&each.item.opportunity_id) {
            join(&mut found[place].item, each.item);
        } else {
            places.insert(each.item.opportunity_id.clone(), found.len());
            found.push(each);
        }
    }
    found.sort_by(|a, b| cap::order(&a.item, &b.item));
    found
}

/// Merges new near duplicates into the items they resemble. Stored items stay separate.
fn without_near_duplicates(
    found: Vec<Found>,
    known: &HashMap<&str, &Opportunity>,
    count: &mut usize,
) -> Vec<Found> {
    let threshold = SAME_ITEM;
    let stored = |each: &Found| known.contains_key(each.item.opportunity_id.as_str());
    let mut twins = DuplicateIndex::default();
    for (place, each) in found.iter().enumerate().filter(|(_, each)| stored(each)) {
        twins.add(place, each);
    }
    let mut doubles = Vec::new();
    for (place, each) in found.iter().enumerate().filter(|(_, each)| !stored(each)) {
        if twins.near(&found, each, threshold).is_some() {
            doubles.push(place);
        } else {
            twins.add(place, each);
        }
    }
    *count = doubles.len();
    // Only now is it known which items remain, and so which is the best match for a duplicate.
    let targets: Vec<(usize, usize)> = (doubles.iter())
        .filter_map(|&double| Some((double, twins.near(&found, &found[double], threshold)?)))
        .collect();
    let mut all: Vec<Option<Found>> = found.into_iter().map(Some).collect();
    for (double, target) in targets {
        if let Some(double) = all[double].take()
            && let Some(target) = &mut all[target]
        {
            join(&mut target.item, double.item);
        }
    }
    all.into_iter().flatten().collect()
}

/// Creates an item from a finding, within bounds, so that it can be read back whatever an agent
/// wrote.
fn fresh(agent: AgentName, finding: &Finding, now: DateTime<Utc>) -> Found {
    let title = sanitize::line(&finding.title, MOST.0);
    let share = |share: f64| {
        // Four digits, so that the same number is read back.
        let share = if share.is_nan() { 0.0 } else { share };
        (share.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0
    };
    let mut item = Opportunity {
        opportunity_id: id::of(finding),
        opportunity_type: finding.rule.kind(),
        status: OpportunityStatus::Discovered,
        title: if title.trim().is_empty() {
            finding.rule.name().to_owned()
        } else {
            title.trim().to_owned()
        },
        description: cut(&finding.description, MOST.1),
        actionability: Some(ActionabilityScore {
            clarity: share(finding.actionability.clarity),
            evidence: share(finding.actionability.evidence),
            ..finding.actionability
        }),
        created_at: now,
        updated_at: now,
        last_seen_at: Some(now),
        discovered_by: agent.name().to_owned(),
        ..Opportunity::default()
    };
    mark(&mut item, Opportunity::RULE, Some(finding.rule.name()));
    mark(&mut item, Opportunity::SYMBOL, finding.symbol.as_deref());
    if finding.measure > 0 {
        let measure = Value::from(finding.measure);
        item.extra.insert(Opportunity::MEASURE.to_owned(), measure);
    }
    let evidence = (finding.evidence.iter()).map(|evidence| Evidence {
        content: cut(&evidence.content, MOST.2),
        line_number: evidence.line_number.filter(|line| *line > 0),
        ..evidence.clone()
    });
    add_evidence(&mut item, evidence);
    add_files(&mut item, finding.file.iter().chain(&finding.affected_files));
    Found { keywords: identifying(&item), file: finding.file.clone(), item }
}

fn mark(item: &mut Opportunity, field: &str, value: Option<&str>) {
    match value {
        Some(value) => {
            item.extra.insert(field.to_owned(), Value::from(value));
        }
        None => {
            item.extra.shift_remove(field);
        }
    }
}

fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => text.to_owned(),
        // One less, to make room for the ellipsis.
        Some(_) => text.chars().take(chars - 1).chain(['…']).collect(),
    }
}

/// The keywords that identify an item: those of its title, description and evidence.
pub fn keywords(item: &Opportunity) -> Keywords {
    let evidence = item.evidence.iter().map(|each| each.content.as_str());
    let texts = [item.title.as_str(), item.description.as_str()];
    similarity::keywords(texts.into_iter().chain(evidence))
}

/// Merges another finding of the same item.
fn join(item: &mut Opportunity, other: Opportunity) {
    add_evidence(item, other.evidence);
    add_files(item, &other.affected_files);
}

fn add_evidence(item: &mut Opportunity, more: impl IntoIterator<Item = Evidence>) {
    for evidence in more {
        let known = (item.evidence.iter()).any(|known| same_sight(known, &evidence));
        if !known && item.evidence.len() < MOST_EVIDENCE {
            item.evidence.push(evidence);
        }
    }
}

fn add_files<'a>(item: &mut Opportunity, more: impl IntoIterator<Item = &'a String>) {
    let mut known: BTreeSet<String> = item.affected_files.iter().cloned().gather();
    for file in more {
        if known.insert(file.clone()) {
            item.affected_files.push(file.clone());
        }
    }
}

/// Whether two pieces of evidence differ only in time.
fn same_sight(one: &Evidence, other: &Evidence) -> bool {
    (&one.source, &one.content, &one.file_path, one.line_number)
        == (&other.source, &other.content, &other.file_path, other.line_number)
}

/// Returns the refreshed version of a stored item that was found again.
fn refreshed(before: &Opportunity, fresh: Opportunity, now: DateTime<Utc>) -> Opportunity {
    let mut item = before.clone();
    // A feature keeps its original wording, by which people and later runs recognise it.
    let keeps_words = before.opportunity_type == OpportunityType::FeatureOpportunity;
    if !keeps_words && !before.is_edited("title") {
        item.title = fresh.title;
    }
    if !keeps_words && !before.is_edited("description") {
        item.description = fresh.description;
    }
    item.evidence = fresh.evidence;
    item.actionability = fresh.actionability;
    item.affected_files = fresh.affected_files;
    item.resolved_at = None;
    for (field, value) in fresh.extra {
        item.extra.insert(field, value);
    }
    // A person's own item remains theirs.
    if item.discovered_by.is_empty() {
        item.discovered_by = fresh.discovered_by;
    }
    let same_evidence = before.evidence.len() == item.evidence.len()
        && (before.evidence.iter().zip(&item.evidence)).all(|(a, b)| same_sight(a, b));
    let same = same_evidence
        && *before == Opportunity { evidence: before.evidence.clone(), ..item.clone() };
    if !same {
        item.updated_at = now;
    }
    item.last_seen_at = Some(now);
    item
}

/// Marks an item that is ready to be worked on as actionable. It never goes back.
fn with_status(mut item: Opportunity, settings: &DiscoveryConfig) -> Opportunity {
    // Sums of decimal fractions: 0.4999999 counts as 0.5.
    let ready = item.overall() + 1e-9 >= settings.actionability_threshold;
    match item.status {
        OpportunityStatus::Discovered | OpportunityStatus::Debating if ready => {
            item.status = OpportunityStatus::Actionable;
            item.updated_at = item.last_seen_at.unwrap_or(item.updated_at);
        }
        _ => {}
    }
    item
}

fn gone(item: &Opportunity, runs: &[AgentRun]) -> bool {
    let own = || (runs.iter()).filter(|run| run.agent.name() == item.discovered_by);
    own().all(|run| run.status == AgentStatus::Completed)
        && own().any(|run| run.looked.settles(item))
}

#[cfg(test)]
mod feature_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
