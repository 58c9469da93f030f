//! The one way to walk a tree by git's ignore rules.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::{DirEntry, WalkBuilder};

use super::ignored::IgnoreRules;

/// Which rules of parent folders above the root apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParentRules {
    Nothing,
    /// Those of the repository that contains the root, if any.
    Repository,
}

/// A walk: each folder before its content, in the order of the file system. Links are not followed.
pub(crate) struct Walk {
    inner: ignore::Walk,
    ignored: Arc<Mutex<Option<IgnoreRules>>>,
}

impl Iterator for Walk {
    type Item = Result<DirEntry, ignore::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.inner.next()
    }
}

impl Walk {
    /// Takes the ignore files not read so far, each with the reason.
    pub(crate) fn unread(&self) -> Vec<(PathBuf, String)> {
        let mut ignored = self.ignored.lock().unwrap_or_else(PoisonError::into_inner);
        (ignored.as_mut()).map_or_else(Vec::new, |ignored| std::mem::take(&mut ignored.unread))
    }
}

/// Returns the repository's root: the nearest folder, from `dir` upwards, that contains `.git`.
pub(crate) fn repository_of(dir: &Path) -> Option<&Path> {
    dir.ancestors().find(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// Whether git ignores a file below a root, by the same rules as a walk of the repository.
pub(super) fn is_ignored(root: &Path, file: &Path) -> bool {
    let Some(top) = repository_of(root) else {
        return false;
    };
    let Ok(mut rules) = IgnoreRules::new(top, top) else {
        return true;
    };
    let mut above: Vec<&Path> = file.ancestors().take_while(|part| *part != top).collect();
    above.reverse();
    above.into_iter().any(|part| rules.is_ignored(part, part != file))
}

/// Walks a tree, skipping entries that git ignores: by the `.gitignore` of its folders, the repository's `info/exclude`
/// and the user's global excludes. `hidden`: entries whose names begin with a dot are skipped too. `keep` judges the
/// remaining ones before they are entered.
pub(crate) fn walk(
    root: &Path,
    hidden: bool,
    above: ParentRules,
    keep: impl Fn(&DirEntry) -> bool + Send + Sync + 'static,
) -> Walk {
    let top = match above {
        ParentRules::Nothing => root,
        ParentRules::Repository => repository_of(root).unwrap_or(root),
    };
    // A root that cannot be opened is the walk's own error.
    let ignored = Arc::new(Mutex::new(IgnoreRules::new(top, root).ok()));
    let rules = Arc::clone(&ignored);
    let inner = WalkBuilder::new(root)
        // The crate would read ignore files itself, of any kind and size.
        .standard_filters(false)
        .hidden(hidden)
        .follow_links(false)
        .filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
            let mut rules = rules.lock().unwrap_or_else(PoisonError::into_inner);
            let is_ignored =
                (rules.as_mut()).is_some_and(|rules| rules.is_ignored(entry.path(), is_dir));
            !is_ignored && keep(entry)
        })
        .build();
    Walk { inner, ignored }
}
