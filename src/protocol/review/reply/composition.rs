//! The rules of a composition: decisions are about ids that were shown, and each id has one fate.

use serde_json::{Value, json};

use crate::contract::field::Spec;
use crate::contract::read::{FieldType, Rejection};
use crate::contract::{Diagnostics, Entry, some_of};
use crate::ordered::{BTreeSet, Gather};
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

/// Leaves out decisions about ids that were not shown, and those on an id that is decided on twice: it stays as it is.
pub(super) fn known(judge: &mut Diagnostics, mut said: CompositionBlock) -> CompositionBlock {
    said.keep.retain_mut(|keep| resolved(judge, &mut keep.id));
    said.eliminate.retain_mut(|out| resolved(judge, &mut out.id));
    said.merge.retain_mut(|merge| resolved(judge, &mut merge.into));
    for Merge { into, ids, .. } in &mut said.merge {
        ids.retain_mut(|id| resolved(judge, id) && id != into);
        ids.sort_unstable();
        ids.dedup();
    }
    let kept = said.keep.iter().map(|keep| &keep.id);
    let merged = said.merge.iter().flat_map(|merge| &merge.ids);
    let out = said.eliminate.iter().map(|out| &out.id);
    let mut seen = BTreeSet::new();
    let all = kept.chain(merged).chain(out);
    let twice: BTreeSet<String> = all.filter(|id| !seen.insert(*id)).cloned().gather();
    if !twice.is_empty() {
        let ids: Vec<&str> = twice.iter().map(String::as_str).collect();
        let message = format!("decide once on each id; decided more than once: {}", some_of(&ids));
        judge.lenient("conflicting_entries", message);
        said.keep.retain(|keep| !twice.contains(&keep.id));
        said.eliminate.retain(|out| !twice.contains(&out.id));
        for merge in &mut said.merge {
            merge.ids.retain(|id| !twice.contains(id));
        }
    }
    said
}

fn resolved(judge: &mut Diagnostics, id: &mut String) -> bool {
    let known = judge.resolve(id);
    known.map(|known| *id = known).is_some()
}
