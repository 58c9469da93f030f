//! Differences between two states of a repository, and git's knowledge of the files.
//!
//! This uses `diff-index` and `diff-tree`, never `diff`, which refreshes the index and writes it back.

use std::collections::BTreeMap;

use super::call::Subcommand;
use super::scratch::ScratchRepository;
use super::{CommitId, Git, GitError, parse};

/// The newer side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Side {
    WorkTree,
    /// The staged files.
    Index,
    Commit(CommitId),
}

/// Flags of every comparison: the output has one form, whatever the configuration.
///
/// Ten lines of context: a reviewer who sees nothing else needs more than the usual three.
const FORM: [&str; 15] = [
    "--raw",
    "-z",
    "--patch",
    "--no-abbrev",
    "--full-index",
    "--no-color",
    "--no-relative",
    "-M50%",
    "-l1000",
    "-O/dev/null",
    "--unified=10",
    "--inter-hunk-context=0",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// The ids of the empty tree, which every git knows.
const EMPTY_TREES: [(&str, &str); 2] = [
    ("sha1", "4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
    ("sha256", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"),
];

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attributes {
    /// `diff` is unset: binary.
    pub binary: bool,
    /// The filter that its content passes through; empty for none.
    pub filter: String,
    /// `linguist-generated` or `linguist-vendored` is set.
    pub generated: bool,
}

/// The first parent of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parent {
    Root,
    Known(CommitId),
    /// This one, which is missing from the repository: its history was cut off.
    Missing(CommitId),
}

impl Git {
    /// Returns the output of `--raw -z --patch` for the files that differ, see [`crate::git`].
    ///
    /// `old` is `None` if there is nothing to compare with. `paths` start at [`root`](Self::root); an
    /// empty list means all.
    ///
    /// # Errors
    /// git failed, or the output is too large.
    pub async fn compare(
        &self,
        old: Option<&CommitId>,
        new: &Side,
        paths: &[&str],
    ) -> Result<Vec<u8>, GitError> {
        let empty;
        let old = if let Some(old) = old {
            old
        } else {
            empty = self.empty_tree().await?;
            &empty
        };
        let mut flags = FORM.to_vec();
        match new {
            Side::WorkTree => self.read(Subcommand::DiffIndex, &flags, &[old], paths).await,
            Side::Index => {
                // Files that `git add -N` only announced are not staged.
                flags.extend(["--cached", "--ita-invisible-in-index"]);
                self.read(Subcommand::DiffIndex, &flags, &[old], paths).await
            }
            Side::Commit(new) => {
                flags.push("-r");
                self.read(Subcommand::DiffTree, &flags, &[old, new], paths).await
            }
        }
    }

    async fn empty_tree(&self) -> Result<CommitId, GitError> {
        let args = ["--show-object-format"];
        let format = self.caller.call(Subcommand::RevParse, &args).await?.whole()?;
        (EMPTY_TREES.iter())
            .find(|(name, _)| name.as_bytes() == format.trim_ascii_end())
            .and_then(|(_, id)| CommitId::read(id.as_bytes()))
            .ok_or_else(|| parse::unreadable(Subcommand::RevParse, &format))
    }

    /// Returns the files that git neither tracks nor ignores, as bytes; a name that ends with `/` is
    /// another repository.
    ///
    /// # Errors
    /// git failed, or there are too many.
    pub async fn untracked(&self, paths: &[&str]) -> Result<Vec<Vec<u8>>, GitError> {
        let flags = ["-z", "--others", "--exclude-standard", "--full-name"];
        let printed = self.read(Subcommand::LsFiles, &flags, &[], paths).await?;
        let names = printed.split(|byte| *byte == 0);
        Ok((names.filter(|name| !name.is_empty())).map(<[u8]>::to_vec).collect())
    }

    /// Returns the merge base of two histories; `None` if they have nothing in common.
    ///
    /// # Errors
    /// git failed.
    pub async fn merge_base(
        &self,
        one: &CommitId,
        other: &CommitId,
    ) -> Result<Option<CommitId>, GitError> {
        let args = [one.as_str(), other.as_str()];
        let printed = self.caller.call(Subcommand::MergeBase, &args).await?.if_any()?;
        printed
            .map(|printed| {
                let id = printed.split(|byte| *byte == b'\n').next();
                CommitId::read(id.unwrap_or_default())
                    .ok_or_else(|| parse::unreadable(Subcommand::MergeBase, &printed))
            })
            .transpose()
    }

    /// Returns a commit's first parent, as the commit itself names it: in a shallow clone, git would
    /// report a commit with a missing parent as a root.
    ///
    /// # Errors
    /// git failed.
    pub async fn first_parent(&self, commit: &CommitId) -> Result<Parent, GitError> {
        let args = ["commit", commit.as_str()];
        let text = self.caller.call(Subcommand::CatFile, &args).await?.whole()?;
        let header = text.split(|byte| *byte == b'\n');
        let named = (header.take_while(|line| !line.is_empty()))
            .find_map(|line| line.strip_prefix(b"parent "));
        let Some(named) = named else {
            return Ok(Parent::Root);
        };
        let parent =
            CommitId::read(named).ok_or_else(|| parse::unreadable(Subcommand::CatFile, named))?;
        Ok(match self.resolve(parent.as_str()).await? {
            Some(_) => Parent::Known(parent),
            None => Parent::Missing(parent),
        })
    }

    /// Returns the contents of objects by id: those of at most `each` bytes, in order, until `all`
    /// bytes are reached. No filter is run, nothing is fetched; missing objects are skipped.
    ///
    /// # Errors
    /// git failed.
    pub async fn contents(
        &self,
        ids: &[CommitId],
        each: u64,
        all: u64,
    ) -> Result<BTreeMap<String, Vec<u8>>, GitError> {
        let mut wanted = Vec::new();
        let mut left = all;
        let args = ["--batch-check=%(objecttype) %(objectsize)"];
        let sizes = self.ask(Subcommand::CatFile, &args, lines(ids.iter())).await?;
        for (id, line) in ids.iter().zip(sizes.split(|byte| *byte == b'\n')) {
            let size = line
                .strip_prefix(b"blob ")
                .and_then(|size| std::str::from_utf8(size).ok()?.parse::<u64>().ok());
            if let Some(size) = size.filter(|size| *size <= each && *size <= left) {
                left -= size;
                wanted.push((id, size));
            }
        }
        let mut found = BTreeMap::new();
        if wanted.is_empty() {
            return Ok(found);
        }
        let asked = lines(wanted.iter().map(|(id, _)| *id));
        let printed = self.ask(Subcommand::CatFile, &["--batch"], asked).await?;
        let mut rest = printed.as_slice();
        for (id, size) in wanted {
            let head = format!("{} blob {size}\n", id.as_str());
            let size = usize::try_from(size).unwrap_or(usize::MAX);
            let content = (rest.strip_prefix(head.as_bytes()))
                .and_then(|behind| Some((behind.get(..size)?, behind.get(size + 1..)?)));
            let Some((content, behind)) = content else {
                return Err(parse::unreadable(Subcommand::CatFile, rest));
            };
            found.insert(id.as_str().to_owned(), content.to_vec());
            rest = behind;
        }
        Ok(found)
    }

    /// Returns the attributes of files in the working tree, including those set in this clone, in the order of the
    /// files.
    ///
    /// # Errors
    /// git failed.
    pub async fn attributes(&self, paths: &[&[u8]]) -> Result<Vec<Attributes>, GitError> {
        self.attributes_by(paths, None, None).await
    }

    /// Returns the attributes of files by a commit and by the user's own settings, without those set in this clone;
    /// without a commit, by the working tree.
    ///
    /// # Errors
    /// git failed; before version 2.40 it does not know attributes of a commit.
    pub async fn attributes_of(
        &self,
        paths: &[&[u8]],
        of: Option<&CommitId>,
    ) -> Result<Vec<Attributes>, GitError> {
        let apart = self.apart().await?;
        self.attributes_by(paths, of, Some(&apart)).await
    }

    async fn attributes_by(
        &self,
        paths: &[&[u8]],
        of: Option<&CommitId>,
        apart: Option<&ScratchRepository>,
    ) -> Result<Vec<Attributes>, GitError> {
        const NAMES: [&str; 4] = ["diff", "filter", "linguist-generated", "linguist-vendored"];
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut asked = Vec::new();
        for path in paths {
            asked.extend_from_slice(path);
            asked.push(0);
        }
        let source = of.map(|commit| format!("--source={}", commit.as_str()));
        let mut args = vec!["-z", "--stdin"];
        args.extend(source.as_deref());
        args.extend(NAMES);
        let printed = match apart {
            None => self.ask(Subcommand::CheckAttr, &args, asked).await?,
            Some(apart) => (self.ask_apart(apart, Subcommand::CheckAttr, &args, asked)).await?,
        };
        let mut fields = printed.split(|byte| *byte == 0);
        let mut next = |path: &[u8], name: &str| {
            let named = fields.next() == Some(path) && fields.next() == Some(name.as_bytes());
            let value = fields.next().filter(|_| named);
            value.ok_or_else(|| parse::unreadable(Subcommand::CheckAttr, path))
        };
        let mut all = Vec::with_capacity(paths.len());
        for path in paths {
            let [diff, filter, generated, vendored] = NAMES.map(|name| next(path, name));
            let set = |value: &[u8]| matches!(value, b"set" | b"true");
            let filter = filter?;
            let no_filter = matches!(filter, b"unspecified" | b"unset" | b"set");
            all.push(Attributes {
                binary: diff? == b"unset",
                filter: if no_filter { String::new() } else { crate::text::name::spell(filter) },
                generated: set(generated?) || set(vendored?),
            });
        }
        Ok(all)
    }

    /// Whether the configuration has commands for a filter. For other filters git passes files through
    /// unchanged.
    pub fn knows_filter(&self, name: &str) -> bool {
        let start = format!("filter.{name}.clean=");
        self.caller.shields.contains(&start)
    }

    pub(super) async fn ask(
        &self,
        read: Subcommand,
        args: &[&str],
        stdin: Vec<u8>,
    ) -> Result<Vec<u8>, GitError> {
        self.caller.call_with(read, args, stdin).await?.whole()
    }
}

fn lines<'a>(ids: impl Iterator<Item = &'a CommitId>) -> Vec<u8> {
    ids.flat_map(|id| [id.as_str().as_bytes(), b"\n"].concat()).collect()
}
