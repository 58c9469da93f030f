//! Parses git's output. Pure.

use chrono::{DateTime, Utc};

use super::call::Subcommand;
use super::{Branch, Branches, CommitId, GitError};
use crate::text::name::spell;
use crate::text::sanitize;

/// Maximum number of filters in a configuration: each takes four settings on a command line.
const FILTERS: usize = 100;

/// Names of the branch that others are merged into, if `origin/HEAD` does not say.
const DEFAULTS: [&str; 3] = ["main", "master", "trunk"];

/// Creates the error for unexpected output.
pub(super) fn unreadable(read: Subcommand, printed: &[u8]) -> GitError {
    GitError::Unreadable {
        command: read.name(),
        what: sanitize::line(&String::from_utf8_lossy(printed), 200),
    }
}

/// Refuses names that git could take for something other than a commit's name.
pub(super) fn check_reference(reference: &str) -> Result<(), GitError> {
    let why = if reference.is_empty() {
        "it is empty"
    } else if reference.starts_with('-') {
        "it looks like an option"
    } else if reference.chars().any(char::is_control) {
        "it contains a control character"
    } else if reference.len() > 1000 {
        "it is longer than 1,000 bytes"
    } else {
        return Ok(());
    };
    Err(GitError::BadReference { reference: sanitize::line(reference, 100), why })
}

/// The result of reading a configuration's names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shields {
    /// Settings that switch every filter off.
    pub(super) settings: Vec<String>,
    pub(super) has_remote: bool,
    /// Whether a remote has promised objects that were left out of the clone.
    pub(super) is_partial: bool,
}

/// Parses the names of settings, each followed by a NUL: `filter.NAME.clean`, `remote.NAME.url`,
/// ...
pub(super) fn shields(names: &[u8]) -> Result<Shields, GitError> {
    let mut found = Shields::default();
    let mut filters: Vec<&[u8]> = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        if name.starts_with(b"remote.") {
            found.has_remote |= name.ends_with(b".url");
            found.is_partial |= name.ends_with(b".promisor");
            continue;
        }
        // The last dot ends the filter's name, which may contain others.
        let Some(end) = name.iter().rposition(|byte| *byte == b'.') else {
            continue;
        };
        if !filters.contains(&&name[..end]) {
            filters.push(&name[..end]);
        }
        if filters.len() > FILTERS {
            return Err(GitError::Hostile {
                what: format!("it names more than {FILTERS} filters"),
            });
        }
    }
    for filter in filters {
        let name = std::str::from_utf8(filter).ok().filter(|name| !name.contains('='));
        let Some(name) = name else {
            // `-c` ends a name at the first `=`: such a filter would stay on.
            return Err(GitError::Hostile {
                what: format!(
                    "`{}` cannot be switched off, because of a character in its name; rename it",
                    sanitize::line(&spell(filter), 100)
                ),
            });
        };
        let off = ["clean=", "smudge=", "process=", "required=false"];
        (found.settings).extend(off.map(|setting| format!("{name}.{setting}")));
    }
    Ok(found)
}

/// Parses seconds since 1970.
pub(super) fn time(seconds: &[u8]) -> Option<DateTime<Utc>> {
    let seconds = std::str::from_utf8(seconds).ok()?.trim().parse().ok()?;
    DateTime::from_timestamp(seconds, 0)
}

/// Parses names, each followed by a NUL; a truncated last one is dropped.
pub(super) fn names(printed: &[u8]) -> impl Iterator<Item = String> {
    whole(printed).filter(|name| !name.is_empty()).map(spell)
}

/// Parses `status --porcelain -z --no-renames`: two letters, a space, a name, NUL.
pub(super) fn status(printed: &[u8]) -> impl Iterator<Item = String> {
    whole(printed).filter_map(|entry| Some(spell(entry.get(3..)?)))
}

fn whole(printed: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = printed.iter().rposition(|byte| *byte == 0).unwrap_or(0);
    printed[..end].split(|byte| *byte == 0)
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    head: bool,
    refname: Vec<u8>,
    symref: Vec<u8>,
    tip: CommitId,
    committed: Option<DateTime<Utc>>,
    author: String,
}

/// Parses the lines of `for-each-ref`.
pub(super) fn lines(printed: &[u8]) -> Result<Vec<Line>, GitError> {
    (printed.split(|byte| *byte == b'\n'))
        .filter(|line| !line.is_empty())
        .map(|line| read_line(line).ok_or_else(|| unreadable(Subcommand::ForEachRef, line)))
        .collect()
}

fn read_line(line: &[u8]) -> Option<Line> {
    let mut fields = line.split(|byte| *byte == 0);
    let mut next = || fields.next();
    Some(Line {
        head: next()? == b"*",
        refname: next()?.to_vec(),
        symref: next()?.to_vec(),
        tip: CommitId::read(next()?)?,
        committed: time(next()?),
        author: sanitize::line(&spell(next()?), 100),
    })
}

/// Separates the default branch from the others.
pub(super) fn branches(lines: &[Line]) -> Branches {
    const LOCAL: &[u8] = b"refs/heads/";
    const ORIGIN: &[u8] = b"refs/remotes/origin/";
    let find = |prefix: &[u8], name: &[u8]| {
        (lines.iter()).find(|line| line.refname.strip_prefix(prefix) == Some(name))
    };
    let origin_head = find(ORIGIN, b"HEAD");
    let by_origin = origin_head.and_then(|line| line.symref.strip_prefix(ORIGIN));
    let usual = || {
        let known = |prefix: &'static [u8]| {
            (DEFAULTS.iter().map(|name| name.as_bytes())).find(|name| find(prefix, name).is_some())
        };
        known(LOCAL).or_else(|| known(ORIGIN))
    };
    let current = || {
        let line = lines.iter().find(|line| line.head)?;
        line.refname.strip_prefix(LOCAL)
    };
    let default = by_origin.or_else(usual).or_else(current).map(<[u8]>::to_vec);
    let mut base = Vec::new();
    if let Some(default) = &default {
        let here = find(LOCAL, default);
        let there = find(ORIGIN, default).or(origin_head.filter(|_| by_origin.is_some()));
        for line in [here, there].into_iter().flatten() {
            if !base.contains(&line.tip) {
                base.push(line.tip.clone());
            }
        }
    }
    let others = (lines.iter())
        // A symbolic ref is a second name of another one.
        .filter(|line| line.symref.is_empty())
        .filter_map(|line| {
            let name = line.refname.strip_prefix(LOCAL)?;
            (Some(name) != default.as_deref()).then(|| Branch {
                name: spell(name),
                tip: line.tip.clone(),
                committed: line.committed,
                author: line.author.clone(),
                current: line.head,
            })
        })
        .collect();
    Branches {
        default: default.map_or_else(|| "HEAD".to_owned(), |name| spell(&name)),
        base,
        others,
    }
}
