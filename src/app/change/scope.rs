//! Resolves what is compared with what: a scope as typed to commits, and paths as typed to paths in the repository.

use std::path::{Component, Path, PathBuf};

use clap::builder::{StringValueParser, TypedValueParser};

use crate::app::input::Input;
use crate::app::run::workspace::Workspace;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, git_error};
use crate::git::{CommitId, Git, Parent, Side};
use crate::text::sanitize;

/// The change to review.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Scope {
    /// Everything in the working tree that differs from HEAD: staged, unstaged, and untracked files that git does not
    /// ignore. If none of it can be reviewed, the branch since it left the default branch.
    #[default]
    WorkingTree,
    /// What is staged: in the index that git names to a hook, else in that of the repository.
    Staged,
    /// Everything in the working tree that is not in the commit where it left a branch: what people mean by "my
    /// branch", including what is not committed yet.
    Base(String),
    /// One commit, against its first parent.
    Commit(String),
    /// `A..B`, the difference of the two commits, or `A...B`, the changes in B since it left A.
    Range(String),
    /// A patch supplied by the user, which needs no repository.
    Patch(Input),
    /// Two commits by their ids, under a name of their own.
    Commits {
        /// The older one.
        old: String,
        /// The newer one.
        new: String,
        /// What the result calls the change.
        label: String,
    },
}

/// The change to review, and which part of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// The sides to compare.
    pub scope: Scope,
    /// The files and folders to look at, relative to the directory where the command was typed; empty for all.
    pub paths: Vec<PathBuf>,
}

/// Maximum bytes read of a patch: the same limit as for git's own diff.
const MOST_PATCH: u64 = 128 << 20;

impl Request {
    /// Parses the branch with whose last common commit the working tree is compared.
    pub(crate) fn since() -> impl TypedValueParser<Value = Self> {
        StringValueParser::new().map(|base| Self { scope: Scope::Base(base), paths: Vec::new() })
    }

    /// Reads the patch if the scope is one.
    ///
    /// # Errors
    /// It cannot be read, or is larger than the limit.
    pub fn read(&mut self, workspace: &Workspace) -> Result<(), Error> {
        let Scope::Patch(patch) = &mut self.scope else {
            return Ok(());
        };
        let typed = patch.typed_name();
        patch.read(workspace, MOST_PATCH + 1, "a patch")?;
        if let (Input::Given { name, .. }, Some(typed)) = (&mut *patch, typed) {
            *name = typed;
        }
        let (name, bytes) = patch.named();
        if u64::try_from(bytes.len()).is_ok_and(|size| size > MOST_PATCH) {
            let what = format!("{name} has more than {MOST_PATCH} bytes");
            return Err(Error::new(Kind::Input, what)
                .named("too_large")
                .hint("split it, and review the parts"));
        }
        Ok(())
    }
}

#[derive(Debug)]
pub(super) struct Sides {
    pub(super) label: String,
    /// The older commit; `None` before the first commit.
    pub(super) old: Option<CommitId>,
    pub(super) new: Side,
}

pub(super) async fn resolve(git: &Git, scope: &Scope, switch: &Switch) -> Result<Sides, Error> {
    let failed = |error| git_error(error, switch);
    let head = || async { git.head().await.map_err(failed) };
    match scope {
        Scope::WorkingTree | Scope::Staged | Scope::Patch(_) => {
            let old = head().await?;
            let against = old.as_ref().map_or("no commit yet", |_| "HEAD");
            let staged = *scope == Scope::Staged;
            let what = if staged { "the index" } else { "working tree" };
            Ok(Sides {
                label: format!("{what} against {against}"),
                old,
                new: if staged { Side::Index } else { Side::WorkTree },
            })
        }
        Scope::Base(name) => {
            let Some(head) = head().await? else {
                return Err(Error::new(
                    Kind::Usage,
                    "a base is a commit to compare with, and none exists yet",
                )
                .named("unknown_ref")
                .hint("leave the base out: everything is new"));
            };
            let remote = format!("origin/{name}");
            let here = git.resolve(name).await.map_err(failed)?;
            let (base, named) = match here {
                Some(base) => (base, quote_name(name)),
                None => match git.resolve(&remote).await.map_err(failed)? {
                    Some(base) => {
                        let absent = format!(" (there is no local {})", quote_name(name));
                        (base, quote_name(&remote) + &absent)
                    }
                    None => return Err(no_commit(name)),
                },
            };
            let old = parted(git, &base, &head, (name, "HEAD"), switch).await?;
            Ok(Sides {
                label: format!("working tree against {}, where it left {named}", short(&old)),
                old: Some(old),
                new: Side::WorkTree,
            })
        }
        Scope::Commit(name) => {
            let new = commit(git, name, switch).await?;
            let (old, against) = match git.first_parent(&new).await.map_err(failed)? {
                Parent::Root => (None, "which has no parent".to_owned()),
                Parent::Known(parent) => {
                    let against = format!("against {}", short(&parent));
                    (Some(parent), against)
                }
                Parent::Missing(parent) => {
                    let what = format!(
                        "the parent of {}, {}, is not in this repository, whose history was cut off",
                        quote_name(name),
                        short(&parent)
                    );
                    return Err(Error::new(Kind::Usage, what)
                        .named("shallow")
                        .hint("fetch it: `git fetch --deepen=1`"));
                }
            };
            Ok(Sides {
                label: format!("commit {}, {against}", short(&new)),
                old,
                new: Side::Commit(new),
            })
        }
        Scope::Commits { old, new, label } => Ok(Sides {
            label: label.clone(),
            old: Some(commit(git, old, switch).await?),
            new: Side::Commit(commit(git, new, switch).await?),
        }),
        Scope::Range(range) => {
            let Some((from, to, parts)) = split(range) else {
                return Err(Error::new(
                    Kind::Usage,
                    format!("{} is not a range of commits", quote_name(range)),
                )
                .hint(
                    "write `--range A..B`, or `--range A...B` for what B has added since it left A",
                ));
            };
            let (a, b) = (commit(git, from, switch).await?, commit(git, to, switch).await?);
            let old = if parts { parted(git, &a, &b, (from, to), switch).await? } else { a };
            // Full ids are for programs.
            let names = range.split('.').map(|name| {
                if CommitId::read(name.as_bytes()).is_some() { &name[..10] } else { name }
            });
            let label = sanitize::line(&names.collect::<Vec<_>>().join("."), 200);
            Ok(Sides { label, old: Some(old), new: Side::Commit(b) })
        }
    }
}

/// Returns the sides of the current branch, from where it left the default branch; `None` if it has nothing of its own.
pub(super) async fn branch(git: &Git, switch: &Switch) -> Result<Option<Sides>, Error> {
    let failed = |error| git_error(error, switch);
    let Some(head) = git.head().await.map_err(failed)? else {
        return Ok(None);
    };
    let branches = git.branches().await.map_err(failed)?;
    let mut left: Option<CommitId> = None;
    // Of the local branch and that of `origin`, the one that it left later.
    for base in &branches.base {
        let Some(at) = git.merge_base(base, &head).await.map_err(failed)? else {
            continue;
        };
        let later = match &left {
            Some(other) => {
                git.merge_base(other, &at).await.map_err(failed)?.as_ref() == Some(other)
            }
            None => true,
        };
        if at != head && later {
            left = Some(at);
        }
    }
    let current = branches.others.iter().find(|branch| branch.current);
    let name = current.map_or_else(|| "HEAD".to_owned(), |branch| quote_name(&branch.name));
    Ok(left.map(|old| Sides {
        label: format!("{name} since it left {} at {}", quote_name(&branches.default), short(&old)),
        old: Some(old),
        new: Side::WorkTree,
    }))
}

/// Splits a range; the third value is whether it starts at the merge base. A missing side is HEAD.
fn split(range: &str) -> Option<(&str, &str, bool)> {
    let (from, to, parted) = if let Some((from, to)) = range.split_once("...") {
        (from, to, true)
    } else {
        let (from, to) = range.split_once("..")?;
        (from, to, false)
    };
    if to.contains("..") || (from.is_empty() && to.is_empty()) {
        return None;
    }
    let or_head = |name: &'_ str| {
        if name.is_empty() { None } else { Some(name.len()) }
    };
    let from = or_head(from).map_or("HEAD", |_| from);
    let to = or_head(to).map_or("HEAD", |_| to);
    Some((from, to, parted))
}

async fn commit(git: &Git, name: &str, switch: &Switch) -> Result<CommitId, Error> {
    let found = git.resolve(name).await.map_err(|error| git_error(error, switch))?;
    found.ok_or_else(|| no_commit(name))
}

fn no_commit(name: &str) -> Error {
    Error::new(Kind::Usage, format!("{} names no commit in this repository", quote_name(name)))
        .named("unknown_ref")
        .hint(
            "`git log --oneline` lists commits, `git branch --all` branches; fetch what is missing \
             (with actions/checkout: `fetch-depth: 0`)",
        )
}

async fn parted(
    git: &Git,
    a: &CommitId,
    b: &CommitId,
    (a_name, b_name): (&str, &str),
    switch: &Switch,
) -> Result<CommitId, Error> {
    let base = git.merge_base(a, b).await.map_err(|error| git_error(error, switch))?;
    base.ok_or_else(|| {
        let what =
            format!("{} and {} have no commit in common", quote_name(a_name), quote_name(b_name));
        Error::new(Kind::Usage, what).named("no_merge_base").hint(
            "compare the two as they are with `--range A..B`, or fetch the history that is missing",
        )
    })
}

fn short(id: &CommitId) -> &str {
    id.as_str().get(..10).unwrap_or(id.as_str())
}

fn quote_name(name: &str) -> String {
    format!("`{}`", sanitize::line(name, 100))
}

/// Turns paths typed in `here` into paths relative to the repository at `root`; an empty result means all of it.
///
/// # Errors
/// A path looks like an option, is not UTF-8, or leads out of the repository.
pub(super) fn paths(root: &Path, here: &Path, typed: &[PathBuf]) -> Result<Vec<String>, Error> {
    let here = here.canonicalize().map_err(|error| {
        Error::new(Kind::Environment, format!("failed to find {}", here.display())).because(error)
    })?;
    let mut found = Vec::new();
    for path in typed {
        let shown = quote_name(&path.to_string_lossy());
        let refuse = |why: &str| Error::new(Kind::Usage, format!("{shown} {why}"));
        let Some(text) = path.to_str().filter(|text| !text.is_empty()) else {
            return Err(refuse("is not a path that can be named").hint("name the folder it is in"));
        };
        if text.starts_with('-') {
            return Err(refuse("looks like an option").hint("write ./ before it if it is a file"));
        }
        let outside = || {
            refuse("leads out of the repository")
                .named("outside")
                .hint(format!("name paths below {}", root.display()))
        };
        let full = plain(&here.join(path)).ok_or_else(outside)?;
        // An absolute path may have been typed through a link.
        let relative = (full.strip_prefix(root).map(Path::to_path_buf))
            .or_else(|_| {
                let real = full.canonicalize().unwrap_or_default();
                real.strip_prefix(root).map(Path::to_path_buf)
            })
            .map_err(|_| outside())?;
        let Some(relative) = relative.to_str() else {
            return Err(refuse("is not a path that can be named"));
        };
        if relative.is_empty() {
            // The repository's root selects everything.
            return Ok(Vec::new());
        }
        found.push(relative.to_owned());
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Removes `.` and `..` from an absolute path lexically: links belong to git and are not followed.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !plain.pop() {
                    return None;
                }
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_two_names_with_dots_between() {
        for (range, expected) in [
            ("a..b", Some(("a", "b", false))),
            ("a...b", Some(("a", "b", true))),
            ("a..", Some(("a", "HEAD", false))),
            ("..b", Some(("HEAD", "b", false))),
            ("...b", Some(("HEAD", "b", true))),
            ("v1.0..v1.1", Some(("v1.0", "v1.1", false))),
            ("..", None),
            ("...", None),
            ("a", None),
            ("a..b..c", None),
            ("", None),
        ] {
            assert_eq!(split(range), expected, "{range}");
        }
    }

    #[test]
    fn paths_start_where_they_were_typed_and_stay_in_the_repository() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("src/deep")).unwrap();
        let here = root.join("src");
        let find = |typed: &[&str]| {
            let typed: Vec<PathBuf> = typed.iter().map(PathBuf::from).collect();
            paths(&root, &here, &typed).map_err(|error| error.what)
        };
        assert_eq!(find(&[]), Ok(vec![]));
        assert_eq!(
            find(&["a.rs", "./deep", "a.rs"]),
            Ok(vec!["src/a.rs".into(), "src/deep".into()])
        );
        assert_eq!(find(&["../README.md"]), Ok(vec!["README.md".into()]));
        assert_eq!(find(&["deep/../../x"]), Ok(vec!["x".into()]));
        assert_eq!(find(&["..", "a.rs"]), Ok(vec![]));
        assert_eq!(find(&["./-x"]), Ok(vec!["src/-x".into()]));
        let absolute = root.join("src/b.rs").display().to_string();
        assert_eq!(find(&[&absolute]), Ok(vec!["src/b.rs".into()]));
        for (typed, why) in [
            ("../..", "leads out of the repository"),
            ("../../etc/passwd", "leads out of the repository"),
            ("/etc/passwd", "leads out of the repository"),
            ("../../../../../../../../../../../x", "leads out of the repository"),
            ("-x", "looks like an option"),
            ("--output=x", "looks like an option"),
            ("-", "looks like an option"),
            ("", "is not a path that can be named"),
        ] {
            let said = find(&[typed]).unwrap_err();
            assert_eq!(said, format!("`{typed}` {why}"));
        }
    }
}
