//! Reads what planners are shown of the repository: its files, and the beginning of its README.
//!
//! The files are those in the working tree that git does not ignore, new ones included; nothing is run, and no link is
//! followed. Outside of a repository nothing is read: a home folder is nobody's task. The README passes the gate that
//! files given with `--file` pass; one that may not be shown is left out, with a note.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::app::context;
use crate::app::run::workspace::Workspace;
use crate::app::show::Gate;
use crate::error::Error;
use crate::files::{ParentRules, walk};
use crate::protocol::context::ContextFile;
use crate::protocol::plan::Repository;
use crate::protocol::plan::repository::MAX_FILES;
use crate::text::{Note, name};

const README_BYTES: usize = 3_000;

/// Reads the repository of a workspace; `None` outside of one. Also returns notes on what is not shown.
///
/// # Errors
/// `review.secrets` contains an invalid pattern.
pub(super) fn read(workspace: &Workspace) -> Result<(Option<Repository>, Vec<Note>), Error> {
    let root = workspace.root();
    if root.join(".git").symlink_metadata().is_err() {
        return Ok((None, Vec::new()));
    }
    let paths = &workspace.effective.config.paths;
    let own = [root.join(&paths.debate), root.join(&paths.backlog)];
    let (files, complete) = files(root, own.into());
    let mut notes = Vec::new();
    if !complete {
        let message = format!(
            "not all files of the repository are listed (at most {MAX_FILES}): no path in a step is marked as missing"
        );
        notes.push(Note::new("files_incomplete", message));
    }
    let top = files.iter().filter(|file| !file.contains('/'));
    let mut readmes = top.filter(|file| file.to_lowercase().starts_with("readme"));
    let mut readme = None;
    if let Some(file) = readmes.next() {
        let (read, note) = self::readme(&Gate::new(workspace)?, root, file);
        readme = read;
        notes.extend(note);
    }
    Ok((Some(Repository { files, complete, readme }), notes))
}

/// Returns the files below a root, and whether they are all. `own`: folders of this program's records.
fn files(root: &Path, own: Vec<std::path::PathBuf>) -> (BTreeSet<String>, bool) {
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
            files.insert(name::spell(below.as_os_str().as_bytes()));
        }
    }
    (files, complete)
}

fn readme(gate: &Gate, root: &Path, file: &str) -> (Option<ContextFile>, Option<Note>) {
    let left_out = |why: String| {
        let message = format!("{file} is not shown to the planners: {why}");
        (None, Some(Note::new("readme_not_shown", message)))
    };
    let mut opened = match gate.open(&root.join(file), Some(root)) {
        Ok(opened) => opened,
        Err(refused) => return left_out(refused.to_string()),
    };
    match context::one(file, &mut opened.file, gate, README_BYTES) {
        Ok((read, note)) => (Some(read).filter(|read| !read.text.trim().is_empty()), note),
        Err(error) => left_out(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    //! A scratch repository.

    use std::os::unix::fs::symlink;

    use super::*;
    use crate::app::run::workspace::StartContext;
    use crate::config::tests::World;

    fn read_all(world: &World) -> (Option<Repository>, Vec<Note>) {
        let vars = world.vars.clone();
        let around = StartContext::of(world.path("repo"), vars, crate::env::Env::system());
        read(&Workspace::open(around, Vec::new()).unwrap()).unwrap()
    }

    fn listed(repository: &Repository) -> Vec<&str> {
        repository.files.iter().map(String::as_str).collect()
    }

    #[test]
    fn what_git_does_not_ignore_is_listed_and_the_readme_is_shown() {
        let world = World::new();
        for (file, text) in [
            (".git/HEAD", "ref: refs/heads/main\n"),
            (".gitignore", "out/\n"),
            (".github/ci.yml", "on: push\n"),
            (".debate/plan-1.md", "old\n"),
            ("README.md", "# The store\n"),
            ("out/a.o", "x"),
            ("src/store.rs", "x"),
        ] {
            world.write(&format!("repo/{file}"), text);
        }
        symlink("/etc", world.path("repo/etc")).unwrap();
        let (repository, notes) = read_all(&world);
        let repository = repository.unwrap();
        assert_eq!(
            listed(&repository),
            [".github/ci.yml", ".gitignore", "README.md", "etc", "src/store.rs"]
        );
        assert!(repository.complete && notes.is_empty(), "{notes:?}");
        assert_eq!(repository.readme.unwrap().text, "# The store\n");
    }

    #[test]
    fn outside_of_a_repository_nothing_is_read() {
        let world = World::new();
        std::fs::remove_dir_all(world.path("repo/.git")).unwrap();
        world.write("repo/README.md", "# Mine\n");
        assert_eq!(read_all(&world), (None, Vec::new()));
    }

    #[test]
    fn a_readme_that_may_not_be_shown_is_left_out_and_a_long_one_is_cut() {
        let world = World::new();
        world.write("repo/.git/HEAD", "ref: refs/heads/main\n");
        world.write("secret.md", "# Not of this project\n");
        world.write("repo/docs/a.md", "# Of this project\n");
        // Nobody typed its name: it may be no link, wherever that leads.
        for to in ["../secret.md", ".git/HEAD", ".debate/a.md", "docs/a.md"] {
            symlink(to, world.path("repo/README.md")).unwrap();
            let (repository, notes) = read_all(&world);
            assert_eq!(repository.unwrap().readme, None, "{to}");
            assert_eq!(notes[0].code, "readme_not_shown");
            assert!(notes[0].message.contains("it is a link"), "{notes:?}");
            std::fs::remove_file(world.path("repo/README.md")).unwrap();
        }
        world.write("repo/README.md", &"é".repeat(README_BYTES));
        let readme = read_all(&world).0.unwrap().readme.unwrap();
        assert!(readme.cut && readme.text.len() <= README_BYTES);
    }
}
