//! Processes one path of a patch supplied by the user; nothing but the patch is known of the file.

use std::collections::BTreeMap;

use super::gather::TEXT;
use super::gather::unreadable;
use super::item::judged;
use crate::change::assemble::Assembler;
use crate::change::compare::lines;
use crate::change::parse::{Section, path_text};
use crate::change::policy::{self, Policy};
use crate::change::{ChangeKind, ChangedFile, Omission, Reason};
use crate::text::redact::Redactor;

pub(super) fn by_path(sections: Vec<Section>) -> BTreeMap<Vec<u8>, Vec<Section>> {
    let mut sorted: BTreeMap<Vec<u8>, Vec<Section>> = BTreeMap::new();
    for section in sections {
        sorted.entry(section.path.clone()).or_default().push(section);
    }
    sorted
}

/// Adds one path of a patch to the change or to what is not reviewed.
pub(super) fn take_patched(
    into: &mut Assembler,
    policy: &Policy,
    redactor: &Redactor,
    path: &[u8],
    sections: Vec<Section>,
) {
    let name = path_text(path);
    let old = sections.iter().find(|section| section.old_path != section.path);
    let old_name = old.map(|section| path_text(&section.old_path));
    let bodies = || sections.iter().flat_map(|section| &section.hunks).map(|hunk| &hunk.body);
    let marked = |mark: char| {
        let lines = bodies().flat_map(|body| body.lines());
        u64::try_from(lines.filter(|line| line.starts_with(mark)).count()).unwrap_or(u64::MAX)
    };
    into.count(marked('+'), marked('-'), bodies().map(String::len).sum());
    let gone = sections.iter().all(|section| section.kind == ChangeKind::Deleted);
    let binary = sections.iter().any(|section| section.binary);
    // A patch gives the mode of a new file and of one whose mode changes.
    let mut modes = sections.iter().filter_map(|section| section.mode.as_deref());
    let named = policy.by_name(&name, modes.next_back().unwrap_or(policy::PLAIN));
    // A new file with the name of a lock file is shown: nothing says that it is one.
    let new = sections.iter().all(|section| section.kind == ChangeKind::Added) || old.is_some();
    let named = named.filter(|reason| !(new && reason.why == Omission::Lock));
    let hide = gone && (binary || named.is_some());
    let reason = (named.filter(|reason| !reason.missed || !gone))
        .or_else(|| {
            let commits: Vec<_> =
                sections.iter().filter_map(|each| each.submodule.as_ref()).collect();
            let old = commits.iter().map(|(old, _)| old).find(|old| !old.is_empty());
            let new = commits.iter().rev().map(|(_, new)| new).find(|new| !new.is_empty());
            let (old, new) = (old.map_or("", String::as_str), new.map_or("", String::as_str));
            (!gone && !commits.is_empty()).then(|| Reason::submodule(old, new))
        })
        .or_else(|| policy.by_old_name(&name, old_name.as_deref()?))
        .or_else(|| {
            let unseen = binary && !gone;
            unseen.then(|| policy::binary(&name, None))
        })
        .or_else(|| {
            // It was kept out of prompts under its old name, and the patch does not contain it.
            let old = policy.by_name(old_name.as_deref()?, policy::PLAIN)?;
            let bare = bodies().next().is_none();
            bare.then(|| {
                unreadable(format!("the patch does not show it, and it was {}", old.detail))
            })
        });
    let file = match reason {
        Some(reason) => Err(reason),
        // The base revision's content is unknown.
        None => judged(patched(name.clone(), old_name, sections), false, redactor),
    };
    match file {
        Ok(mut file) => {
            if hide {
                file.hunks.clear();
            }
            into.show(file);
        }
        Err(reason) => into.leave(name, reason),
    }
}

/// Combines a patch's sections for one file: a single one, or one for each commit.
fn patched(path: String, old_path: Option<String>, sections: Vec<Section>) -> ChangedFile {
    let (mut kind, mut modes, mut hunks) = (ChangeKind::Modified, None, Vec::new());
    let single = sections.len() == 1;
    for section in sections {
        if single {
            kind = section.kind;
        }
        modes = modes.or(section.modes);
        hunks.extend(section.hunks);
    }
    // For a new file the patch contains the whole text.
    let text = (kind == ChangeKind::Added).then(|| {
        let lines = hunks.iter().flat_map(|hunk| hunk.body.split_inclusive('\n'));
        let mut text: String = lines.clone().filter_map(|line| line.strip_prefix('+')).collect();
        if lines.last().is_some_and(|line| line.starts_with('\\')) {
            text.truncate(text.len().saturating_sub(1));
        }
        text
    });
    let known = match kind {
        ChangeKind::Deleted => Some(0),
        ChangeKind::Added => text.as_ref().map(|text| lines(text.as_bytes())),
        _ => None,
    };
    let small = |text: &String| u64::try_from(text.len()).is_ok_and(|size| size <= TEXT);
    ChangedFile { path, old_path, kind, modes, hunks, lines: known, text: text.filter(small) }
}
