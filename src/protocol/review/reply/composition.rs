//! The rules of a composition: decisions are about ids that were shown, and each id has one fate.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::contract::field::Spec;
use crate::contract::read::{FieldType, Rejection};
use crate::contract::{Diagnostics, Entry, some_of};
use crate::kernel::Chance;
use crate::protocol::review::{CompositionBlock, KeptGroup, Merge};

/// Reads the list of kept groups: an id alone is read as the object that would contain it (row 16, the other way
/// round).
pub(in crate::protocol::review) fn alone(
    value: Value,
    spec: &Spec,
    entry: &mut Entry<'_>,
) -> Result<Option<Vec<KeptGroup>>, Rejection> {
    let Value::Array(mut kept) = value else {
        return FieldType::read(value, spec, entry);
    };
    let mut bare = false;
    for each in &mut kept {
        if each.is_string() {
            *each = json!({ "id": each.take() });
            bare = true;
        }
    }
    if bare {
        entry.note("unwrapped", "bare ids were read as objects that contain them");
    }
    FieldType::read(Value::Array(kept), spec, entry)
}

/// Rejects an answer without any of the lists: it decides nothing.
pub(in crate::protocol::review) fn decided(_: &mut CompositionBlock, entry: &mut Entry<'_>) {
    if ["keep", "merge", "eliminate"].iter().all(|key| entry.take(key).is_none()) {
        entry.fault("wrong_type", "give `keep`, `merge` and `eliminate`, each a JSON array");
    }
}

/// Leaves out decisions about ids that were not shown, and repeated ones.
pub(super) fn known(judge: &mut Diagnostics, said: CompositionBlock) -> CompositionBlock {
    let keep = once(judge, said.keep, |keep| &mut keep.id);
    let eliminate = once(judge, said.eliminate, |out| &mut out.id);
    let merge = said.merge.into_iter().filter_map(|merge| merged(judge, &merge)).collect();
    let said = CompositionBlock { keep, merge, eliminate, ..said };
    contradictions(judge, &said);
    said
}

fn once<T: PartialEq>(
    judge: &mut Diagnostics,
    given: Vec<T>,
    id: impl Fn(&mut T) -> &mut String,
) -> Vec<T> {
    let mut kept = Vec::with_capacity(given.len());
    for mut each in given {
        let Some(known) = judge.resolve(id(&mut each)) else {
            continue;
        };
        *id(&mut each) = known;
        if !kept.contains(&each) {
            kept.push(each);
        }
    }
    kept
}

fn merged(judge: &mut Diagnostics, merge: &Merge) -> Option<Merge> {
    let into = judge.resolve(&merge.into)?;
    let mut ids: Vec<String> = Vec::with_capacity(merge.ids.len());
    for written in &merge.ids {
        if let Some(id) = judge.resolve(written)
            && id != into
            && !ids.contains(&id)
        {
            ids.push(id);
        }
    }
    (!ids.is_empty()).then_some(Merge { into, ids, reason: merge.reason.clone() })
}

/// Reports ids with more than one decision: they are worth a re-ask. On the last chance, the rules of composition
/// keep the finding.
fn contradictions(judge: &mut Diagnostics, said: &CompositionBlock) {
    if judge.chance == Chance::Last {
        return;
    }
    let mut fates: BTreeMap<&str, usize> = BTreeMap::new();
    let kept = said.keep.iter().map(|keep| keep.id.as_str());
    let merged = said.merge.iter().flat_map(|merge| merge.ids.iter());
    let out = said.eliminate.iter().map(|out| out.id.as_str());
    for id in kept.chain(merged.map(String::as_str)).chain(out) {
        *fates.entry(id).or_default() += 1;
    }
    let twice: Vec<&str> =
        fates.into_iter().filter(|(_, count)| *count > 1).map(|(id, _)| id).collect();
    if !twice.is_empty() {
        let twice = some_of(&twice);
        let message = format!("decide once on each id; decided more than once: {twice}");
        judge.problem("conflicting_entries", message);
    }
}
