//! Checks whether the files exist that an artifact links to.
//!
//! Only within the project: a target that leaves the root, even through a symbolic link, is not looked up, so an
//! artifact cannot be used to find out what else is on a machine.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};

use crate::protocol::discuss::basics;
use crate::protocol::discuss::input::{Artifact, LineReference};
use crate::text::Note;
use crate::text::redact::REDACTED;

/// Maximum links of one artifact that are looked up.
const MOST: usize = 500;

/// Returns the links to missing files, and a note if there are more links than are looked up.
///
/// `real` is the artifact's path, `root` the project's root; both absolute, without links.
pub(super) fn broken(
    artifact: &Artifact,
    real: &Path,
    root: &Path,
) -> (Vec<LineReference>, Option<Note>) {
    let folder = real.parent().unwrap_or(root);
    let mut broken = Vec::new();
    let mut looked_up = 0;
    for link in basics::links_of(artifact) {
        let Some(target) = path_of(&link.target).and_then(|path| within(folder, &path, root))
        else {
            continue;
        };
        if looked_up == MOST {
            let what = format!(
                "only the first {MOST} links from the artifact {} to files were looked up",
                artifact.name
            );
            return (broken, Some(Note::new("artifact_links_unchecked", what)));
        }
        looked_up += 1;
        if !is_there(&target, root) {
            broken.push(link.place());
        }
    }
    (broken, None)
}

/// Returns the path in a link's target, if it has one.
fn path_of(target: &str) -> Option<PathBuf> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let redacted = String::from_utf8_lossy(REDACTED);
    // The original of a redacted part is unknown.
    (!path.is_empty() && !path.contains(&*redacted))
        .then(|| OsString::from_vec(basics::decoded(path)).into())
}

/// Returns where a relative path leads from a folder, relative to the root; `None` if it leaves the root.
fn within(folder: &Path, path: &Path, root: &Path) -> Option<PathBuf> {
    let mut target = folder.strip_prefix(root).ok()?.to_owned();
    for part in path.components() {
        match part {
            Component::Normal(name) => target.push(name),
            Component::CurDir => {}
            Component::ParentDir => {
                if !target.pop() {
                    return None;
                }
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(target)
}

/// Whether a path below the root exists. Anything behind a symbolic link counts as existing, without a look.
fn is_there(target: &Path, root: &Path) -> bool {
    let mut here = root.to_owned();
    for part in target.components() {
        here.push(part);
        match here.symlink_metadata() {
            Ok(meta) if meta.file_type().is_symlink() => return true,
            Ok(_) => {}
            Err(error) => {
                return !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound
                        | io::ErrorKind::NotADirectory
                        | io::ErrorKind::InvalidInput
                        | io::ErrorKind::InvalidFilename
                );
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    //! Links to files, in a scratch project.

    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::config::tests::World;

    fn looked_up(world: &World, file: &str, text: &str) -> (Vec<String>, Option<Note>) {
        let artifact = Artifact {
            name: file.to_owned(),
            text: text.to_owned(),
            sha256: String::new(),
            bytes: 0,
        };
        let real = world.path("repo").join(file);
        let (places, note) = broken(&artifact, &real, &world.path("repo"));
        (places.into_iter().map(|place| place.text).collect(), note)
    }

    #[test]
    fn files_that_are_there_are_found_from_the_artifacts_folder() {
        let world = World::new();
        for file in [
            "repo/docs/a.md",
            "repo/docs/b c.md",
            "repo/README.md",
            "repo/docs/%zz.md",
            "repo/docs/x?y",
        ] {
            world.write(file, "x");
        }
        fs::create_dir(world.path("repo/docs/folder")).unwrap();
        for (target, there) in [
            ("a.md", true),
            ("./a.md", true),
            ("../docs/a.md", true),
            ("../README.md", true),
            ("folder", true),
            ("folder/", true),
            ("b%20c.md", true),
            ("<b c.md>", true),
            ("%zz.md", true),
            ("a.md#part", true),
            ("a.md?raw=1#part", true),
            ("x%3Fy", true),
            ("#only-a-heading", true),
            ("?query", true),
            ("..", true),
            ("A2.md", false),
            ("../a.md", false),
            ("a.md/below", false),
            ("none/../none.md", false),
            ("a%00.md", false),
            ("x?y#z", false),
        ] {
            let text = format!("[x]({target})");
            let (broken, note) = looked_up(&world, "docs/start.md", &text);
            let expected = if there { vec![] } else { vec![text] };
            assert_eq!((broken, note), (expected, None));
        }
    }

    #[test]
    fn nothing_outside_of_the_project_is_looked_at() {
        let world = World::new();
        world.write("outside/secret.md", "x");
        world.write("repo/in.md", "x");
        symlink(world.path("outside"), world.path("repo/way-out")).unwrap();
        // The result is the same whether they exist or not.
        for target in [
            "../outside/secret.md",
            "../outside/none.md",
            "../../../../../etc/passwd",
            "%2e%2e/outside/none.md",
            "/etc/none",
            "way-out/secret.md",
            "way-out/none.md",
            "way-out/../none.md/../in.md",
        ] {
            let (broken, _) = looked_up(&world, "a.md", &format!("[x]({target})"));
            assert_eq!(broken, Vec::<String>::new(), "{target}");
        }
        let artifact = Artifact {
            name: "b.md".to_owned(),
            text: "[x](none.md)".to_owned(),
            sha256: String::new(),
            bytes: 0,
        };
        let elsewhere = world.path("outside/b.md");
        assert_eq!(broken(&artifact, &elsewhere, &world.path("repo")), (vec![], None));
    }

    #[test]
    fn only_markdown_has_links_and_what_was_taken_out_is_no_fault() {
        let world = World::new();
        assert_eq!(looked_up(&world, "a.rs", "[x](none.md)").0.len(), 0);
        assert_eq!(looked_up(&world, "a.md", "[x](keys/[redacted].md)").0.len(), 0);
        assert_eq!(looked_up(&world, "a.md", "`[x](none.md)`").0.len(), 0);
    }

    #[test]
    fn so_many_links_are_looked_up_and_the_rest_is_said() {
        let world = World::new();
        let (broken, note) = looked_up(&world, "a.md", &"[x](none.md) ".repeat(500));
        assert_eq!((broken.len(), note), (500, None));
        let (broken, note) = looked_up(&world, "a.md", &"[x](none.md) ".repeat(501));
        assert_eq!(broken.len(), 500);
        assert_eq!(note.unwrap().code, "artifact_links_unchecked");
    }
}
