//! What a test sees of the machine, whichever sandbox it runs in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Place;
use crate::process::program;

/// The folder with the copy of the repository, in a sandbox that has folders of its own.
pub(super) const WORK: &str = "/work";

/// What every program of the system needs, read-only.
pub(super) const SYSTEM: &str = include_str!("data/system.txt");

/// Names of files with credentials in the folders of toolchains: they are masked.
const CREDENTIALS: &str = include_str!("data/credentials.txt");
/// Levels of such a folder in which they are looked for.
pub(super) const DEPTH: u32 = 3;

/// Variables that name the folder of a toolchain, with their usual values below home.
const TOOLCHAINS: &str = include_str!("data/toolchains.txt");

/// Variables with fixed values: nobody answers a question, nothing is fetched, and output is plain.
const FIXED: &str = include_str!("data/fixed.txt");

/// Devices and files of the kernel that a sandbox without folders of its own lets a test read; it may write to `/dev/null`.
const DEVICES: &str = include_str!("data/devices.txt");

/// What a test sees.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// Folders and files of `review.prove.read`: where each is, and where it appears.
    pub(super) read: Vec<(PathBuf, PathBuf)>,
    /// Its variables.
    pub(super) vars: BTreeMap<String, String>,
}

/// What a test may reach in a sandbox without folders of its own.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Bounds {
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
}

impl View {
    /// `vars`: the user's variables, of which PATH and the folders of toolchains are used. `tmp`: the folder for files that
    /// do not last.
    pub(super) fn new(place: &Place, vars: &BTreeMap<String, String>, tmp: &Path) -> Self {
        let read = place.permitted.read.iter();
        let read: Vec<_> = read.map(|entry| readable(entry, &place.project, &place.home)).collect();
        let seen = |path: &Path| {
            SYSTEM.lines().any(|system| path.starts_with(system))
                || read.iter().any(|(_, to)| path.starts_with(to))
        };
        let fixed = FIXED.lines().filter_map(|line| line.split_once('='));
        let mut own: BTreeMap<String, String> = fixed
            .map(|(name, value)| (name.to_owned(), value.replace("/tmp", &text(tmp))))
            .collect();
        for (name, usual) in TOOLCHAINS.lines().filter_map(|line| line.split_once('=')) {
            let folder = vars.get(name).map_or_else(|| place.home.join(usual), PathBuf::from);
            if seen(&folder) && folder.exists() {
                own.insert(name.to_owned(), text(&folder));
            }
        }
        let path = vars.get("PATH").map_or("", String::as_str);
        let path = std::env::join_paths(program::folders(path).filter(|folder| seen(folder)));
        own.insert("PATH".to_owned(), path.unwrap_or_default().to_string_lossy().into_owned());
        Self { read, vars: own }
    }

    /// Returns the bounds of a test that may write to these folders.
    pub(super) fn bounds(&self, folders: &[&Path]) -> Bounds {
        let system = SYSTEM.lines().chain(DEVICES.lines()).map(PathBuf::from);
        let own = self.read.iter().flat_map(|(from, _)| without_credentials(from, DEPTH));
        let write = folders.iter().copied().chain([Path::new("/dev/null")]);
        Bounds { read: system.chain(own).collect(), write: write.map(Path::to_owned).collect() }
    }
}

pub(super) fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Checks an entry of `review.prove.read`, so that it shows neither home nor the project with its sessions.
///
/// # Errors
/// Why it is refused.
pub(crate) fn check_read(entry: &str, root: &Path, home: &Path) -> Result<(), String> {
    let is_plain = Path::new(entry.strip_prefix("~/").unwrap_or(entry))
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::RootDir));
    let (real, _) = readable(entry, root, home);
    let holds = |path: &Path| path.canonicalize().unwrap_or(path.to_owned()).starts_with(&real);
    if !is_plain || entry.trim().is_empty() {
        return Err(format!("`{entry}` is not a plain path"));
    }
    if holds(root) || holds(home) {
        return Err(format!("`{entry}` holds your home or the whole project"));
    }
    // A link of the project may lead anywhere; one that the user named leads where the user wants.
    let is_own = !entry.starts_with('/') && !entry.starts_with("~/");
    if is_own && !real.starts_with(root.canonicalize().unwrap_or(root.to_owned())) {
        return Err(format!("`{entry}` leads out of the project"));
    }
    if real.starts_with(root.join(".git")) || real.starts_with(root.join(".debate")) {
        return Err(format!("`{entry}` belongs to git or to debate-agent"));
    }
    Ok(())
}

/// Resolves an entry of `review.prove.read`, below home, absolute, or relative to the repository: where it is, through links,
/// and where it appears in the sandbox.
fn readable(entry: &str, root: &Path, home: &Path) -> (PathBuf, PathBuf) {
    let (from, to) = match entry.strip_prefix("~/") {
        Some(below) => (home.join(below), home.join(below)),
        // Joining an absolute path gives that path.
        None => (root.join(entry), Path::new(WORK).join(entry)),
    };
    (from.canonicalize().unwrap_or(from), to)
}

/// Returns the files with credentials in a folder, or the path itself if it is one.
pub(super) fn credentials(path: &Path, depth: u32) -> Vec<PathBuf> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
    let name = path.file_name().and_then(|name| name.to_str());
    if !is_folder {
        let is_one = CREDENTIALS.lines().any(|known| Some(known) == name);
        return if is_one { vec![path.to_owned()] } else { Vec::new() };
    }
    let Some(depth) = depth.checked_sub(1) else { return Vec::new() };
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.flat_map(|entry| credentials(&entry.path(), depth)).collect()
}

/// Returns what of a folder may be read so that no file with credentials is.
fn without_credentials(path: &Path, depth: u32) -> Vec<PathBuf> {
    let hidden = credentials(path, depth);
    if hidden.is_empty() {
        return vec![path.to_owned()];
    }
    // A link is left out: a rule for it would hold for what it leads to.
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    entries.flat_map(|entry| without_credentials(&entry.path(), depth.saturating_sub(1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_home_sessions_or_the_project_is_no_folder_to_read() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let root = home.join("code/project");
        fs::create_dir_all(root.join(".debate/sessions")).unwrap();
        fs::create_dir_all(root.join("node_modules")).unwrap();
        fs::create_dir_all(home.join(".cargo")).unwrap();
        fs::create_dir_all(home.join(".ssh")).unwrap();
        std::os::unix::fs::symlink(&home, root.join("link")).unwrap();
        std::os::unix::fs::symlink(home.join(".ssh"), root.join("keys")).unwrap();
        let check = |entry: &str| check_read(entry, &root, &home);
        for entry in ["~/.cargo", "node_modules", "/opt/tools", "/usr/share"] {
            assert_eq!(check(entry), Ok(()), "{entry}");
        }
        let above = home.parent().unwrap().display().to_string();
        for entry in [
            "/",
            "~/",
            "~/code",
            "~/code/project",
            ".",
            "..",
            "",
            "~/../x",
            ".debate",
            ".git/config",
            "link",
            "keys",
            &above,
            "../project",
        ] {
            assert!(check(entry).is_err(), "{entry}");
        }
    }

    #[test]
    fn credentials_of_a_toolchain_are_masked() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join(".cargo");
        fs::create_dir_all(home.join("registry")).unwrap();
        for file in ["credentials.toml", "registry/.netrc", "config.toml"] {
            fs::write(home.join(file), "x").unwrap();
        }
        let mut found = credentials(&home, DEPTH);
        found.sort();
        assert_eq!(found, [home.join("credentials.toml"), home.join("registry/.netrc")]);
        assert_eq!(credentials(&home.join("registry/.netrc"), DEPTH).len(), 1);
        std::os::unix::fs::symlink("/", home.join("registry/link")).unwrap();
        assert_eq!(without_credentials(&home, DEPTH), [home.join("config.toml")]);
        std::os::unix::fs::symlink(&home, dir.path().join("linked")).unwrap();
        let (from, _) = readable("~/linked", dir.path(), dir.path());
        assert_eq!(credentials(&from, DEPTH).len(), 2, "a link to it is masked as well");
    }
}
