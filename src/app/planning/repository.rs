//! Reads what planners are shown of the repository: its files, and the text of those that matter.
//!
//! The files are those in the working tree that git does not ignore, new ones included; nothing is run, and no link is
//! followed. Outside of a repository nothing is read: a home folder is nobody's task. Text passes the gate that
//! files given with `--file` pass, and what a review leaves out is left out: secrets, lock files, long data, what
//! programs write or nobody can read.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::app::run::workspace::Workspace;
use crate::app::show::{Gate, ShowError};
use crate::app::{change, context};
use crate::change::policy::PLAIN;
use crate::change::{Omission, data};
use crate::config::FILE_NAME;
use crate::error::Error;
use crate::files::{ParentRules, walk};
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::context::ContextFile;
use crate::protocol::plan::Repository;
use crate::protocol::plan::repository::MAX_FILES;
use crate::text::generated::is_generated_text;
use crate::text::similarity::{Keywords, keywords};
use crate::text::{Note, name};

/// Maximum bytes of the text that planners are shown of a repository, about 15,000 tokens: every prompt repeats it. All
/// of some 1,500 lines fits.
const TEXT_BYTES: usize = 60 << 10;
/// Bytes of the lines that a prompt puts around a file.
const FRAME_BYTES: usize = 200;
/// Words of the lines by which a file names others.
const IMPORTS: [&str; 7] = ["import", "from", "use", "mod", "require", "include", "source"];

type Shown = (ContextFile, Option<Note>);

/// Reads the repository of a workspace; `None` outside of one. `given`: the files that planners are shown besides.
/// Also returns notes on what is not shown.
///
/// # Errors
/// `review.exclude` or `review.secrets` contains an invalid pattern.
pub(super) fn read(
    workspace: &Workspace,
    task: &str,
    given: &[ContextFile],
) -> Result<(Option<Repository>, Vec<Note>), Error> {
    let root = workspace.root();
    if root.join(".git").symlink_metadata().is_err() {
        return Ok((None, Vec::new()));
    }
    let paths = &workspace.effective.config.paths;
    let own = [root.join(&paths.debate), root.join(&paths.backlog)];
    let (mut found, complete) = files(root, own.into());
    let files = found.iter().map(|(_, path)| path.clone()).gather();
    let mut repository = Repository { files, complete, ..Repository::default() };
    let mut notes = Vec::new();
    if !complete {
        let message = format!(
            "not all files of the repository are listed (at most {MAX_FILES}): no path in a step is marked as missing"
        );
        notes.push(Note::new("files_incomplete", message));
    }
    let is_asked = |path: &str| path == FILE_NAME || given.iter().any(|file| file.name == path);
    found.retain(|(size, path)| *size > 0 && !is_asked(path));
    let (policy, gate) = (change::policy(workspace, &[])?, Gate::new(workspace)?);
    let (mut left, mut words) = (TEXT_BYTES, keywords([task]));
    // First what the task names, then what that imports, then the rest; of each, the smallest first.
    for nearness in 0..3 {
        let is_next = |(_, path): &(usize, String)| nearness == 2 || is_named(path, &words);
        let next: Vec<_> = found.extract_if(.., is_next).collect();
        for (size, path) in next {
            let most = left.saturating_sub(FRAME_BYTES);
            let fits = most > 0 && (nearness == 0 || size <= most);
            let read = match policy.by_name(&path, PLAIN) {
                Some(reason) => Err(reason.why),
                None if !fits => Err(Omission::TooLarge),
                None => text(&gate, root, &path, most),
            };
            match read {
                Ok((file, note)) => {
                    left -= file.text.len() + FRAME_BYTES;
                    repository.shown.push(file);
                    notes.extend(note);
                }
                Err(why) => *repository.left_out.entry(why).or_default() += 1,
            }
        }
        let lines = repository.shown.iter().flat_map(|file| file.text.lines());
        words = keywords(lines.filter(|line| {
            line.split(|c: char| !c.is_alphanumeric()).any(|word| IMPORTS.contains(&word))
        }));
    }
    Ok((Some(repository), notes))
}

/// Returns the files below a root with their sizes, and whether they are all. `own`: folders of this program's records.
fn files(root: &Path, own: Vec<PathBuf>) -> (BTreeSet<(usize, String)>, bool) {
    let mut files = BTreeSet::new();
    let mut complete = true;
    let entries = walk(root, false, ParentRules::Nothing, move |entry| {
        entry.file_name() != ".git" && !own.iter().any(|own| own == entry.path())
    });
    for entry in entries {
        let Ok(entry) = entry else {
            complete = false;
            continue;
        };
        if entry.file_type().is_none_or(|kind| kind.is_dir()) {
            continue;
        }
        if files.len() >= MAX_FILES {
            return (files, false);
        }
        if let Ok(below) = entry.path().strip_prefix(root) {
            let size = entry.metadata().map_or(0, |found| found.len());
            let path = name::spell(below.as_os_str().as_bytes());
            files.insert((usize::try_from(size).unwrap_or(usize::MAX), path));
        }
    }
    (files, complete)
}

/// Whether all words of a file's name are among these, or it is the README.
fn is_named(path: &str, words: &Keywords) -> bool {
    let base = path.rsplit('/').next().unwrap_or(path);
    let stem = keywords([base.rsplit_once('.').map_or(base, |(stem, _)| stem)]);
    (!stem.is_empty() && stem.is_subset(words)) || path.to_lowercase().starts_with("readme")
}

/// Returns at most `most` bytes of a file, or the reason why it is not shown.
fn text(gate: &Gate, root: &Path, path: &str, most: usize) -> Result<Shown, Omission> {
    let opened = gate.open(&root.join(path), Some(root));
    match opened.and_then(|mut opened| context::one(path, &mut opened.file, gate, most)) {
        Ok((file, _)) if is_generated_text(file.text.as_bytes()) => Err(Omission::Generated),
        Ok((file, _)) if data::is_long(path, [&*file.text].into_iter()) => Err(Omission::TooLarge),
        Ok(shown) => Ok(shown),
        Err(ShowError::Secret(_)) => Err(Omission::Secret),
        Err(_) => Err(Omission::Unreadable),
    }
}

#[cfg(test)]
mod tests {
    //! A scratch repository.

    use std::os::unix::fs::symlink;

    use super::*;
    use crate::app::run::workspace::StartContext;
    use crate::config::tests::World;

    const TASK: &str = "Move the sessions' store to SQLite.";

    fn read_all(world: &World) -> (Option<Repository>, Vec<Note>) {
        let mut vars = world.vars.clone();
        vars.insert("DEPLOY_TOKEN".to_owned(), "hunter2-hunter2".to_owned());
        let around = StartContext::of(world.path("repo"), vars, crate::env::Env::system());
        read(&Workspace::open(around, Vec::new()).unwrap(), TASK, &[]).unwrap()
    }

    fn shown(repository: &Repository) -> Vec<&str> {
        repository.shown.iter().map(|file| &*file.name).collect()
    }

    #[test]
    fn of_a_small_repository_all_is_shown_that_a_review_would_show() {
        let world = World::new();
        let key = format!(
            "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----\n",
            "MIIEpAIBAAKCAQEA".repeat(4)
        );
        for (file, text) in [
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".gitignore", "out/\n"),
            (".debate/plan-1.md", "old\n"),
            ("Cargo.lock", "x"),
            ("README.md", "# The store\n"),
            ("config/.env", "TOKEN=x\n"),
            ("debate-agent.config.json", "{}"),
            ("logo.png", "\0"),
            ("notes.md", &key),
            ("out/a.o", "x"),
            ("people.csv", &"1,Ann\n".repeat(5_000)),
            ("src/empty.rs", ""),
            ("src/made.rs", "// @generated by x\n"),
            ("src/store.rs", "let token = \"hunter2-hunter2\";\n"),
        ] {
            world.write(&format!("repo/{file}"), text);
        }
        // Nobody typed its name: it may be no link, wherever that leads.
        symlink("src/store.rs", world.path("repo/link.rs")).unwrap();
        let (repository, notes) = read_all(&world);
        let repository = repository.unwrap();
        assert!(repository.complete && repository.files.len() == 12, "{:?}", repository.files);
        assert_eq!(shown(&repository), ["README.md", "src/store.rs", ".gitignore"]);
        assert!(!repository.shown[1].text.contains("hunter2"));
        assert_eq!(notes[0].code, "context_redacted");
        let left_out = [
            (Omission::Secret, 2),
            (Omission::Generated, 1),
            (Omission::Lock, 1),
            (Omission::TooLarge, 1),
            (Omission::Unreadable, 2),
        ];
        assert_eq!(repository.left_out, left_out.into());
    }

    #[test]
    fn of_a_large_repository_what_the_task_names_comes_first_then_its_imports() {
        let world = World::new();
        world.write("repo/.git/HEAD", "ref: refs/heads/main\n");
        let with = |first: &str, bytes: usize| format!("{first}\n{}", "é".repeat(bytes / 2));
        for (file, text) in [
            ("README.md", with("# Shop", 1_000)),
            ("src/session_store.py", with("from codec import pack", 20_000)),
            ("src/codec.py", with("import zlib", 30_000)),
            ("src/large.py", with("", 20_000)),
            ("src/small.py", with("", 1_000)),
        ] {
            world.write(&format!("repo/{file}"), &text);
        }
        let repository = read_all(&world).0.unwrap();
        assert_eq!(
            shown(&repository),
            ["README.md", "src/session_store.py", "src/codec.py", "src/small.py"]
        );
        assert_eq!(repository.left_out, [(Omission::TooLarge, 1)].into());
        // What is named is cut rather than left out.
        world.write("repo/src/session_store.py", &with("", 2 * TEXT_BYTES));
        let repository = read_all(&world).0.unwrap();
        assert_eq!(shown(&repository), ["README.md", "src/session_store.py"]);
        assert!(repository.shown[1].cut);
        let bytes: usize = repository.shown.iter().map(|file| file.text.len()).sum();
        assert!(bytes <= TEXT_BYTES && bytes > TEXT_BYTES - 1_000, "{bytes}");
    }

    #[test]
    fn outside_of_a_repository_nothing_is_read() {
        let world = World::new();
        std::fs::remove_dir_all(world.path("repo/.git")).unwrap();
        world.write("repo/README.md", "# Mine\n");
        assert_eq!(read_all(&world), (None, Vec::new()));
    }
}
