//! The project's files, as far as they are needed to resolve test names.

use std::fs;
use std::path::{Path, PathBuf};

use super::read;
use crate::files::Folder;
use crate::ordered::{BTreeMap, BTreeSet, Gather};

/// Maximum number of manifests (`Cargo.toml`, `go.mod`) read.
const MAX_MANIFESTS: usize = 2_000;

const MANIFEST_BYTES: u64 = 256 << 10;

/// Maximum length of a path that is looked up.
const MAX_PATH: usize = 1_024;

/// A folder with a name of its own: a Cargo package, or a Go module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFolder {
    /// The package's name, or the module's path.
    pub name: String,
    /// Relative to the root; empty for the root.
    pub dir: String,
}

/// The location of a project's files.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    root: PathBuf,
    /// The root with its links resolved, for absolute paths in reports.
    real_root: PathBuf,
    names: BTreeSet<String>,
    by_file_name: BTreeMap<String, Vec<String>>,
    packages: Vec<NamedFolder>,
    modules: Vec<NamedFolder>,
}

impl Layout {
    /// Takes the names of the project's own files, relative to `root`, and reads its manifests.
    pub fn new(root: &Path, names: impl IntoIterator<Item = String>) -> Self {
        let names: BTreeSet<String> = names.into_iter().gather();
        let mut by_file_name: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in &names {
            let file = name.rsplit('/').next().unwrap_or(name);
            by_file_name.entry(file.to_owned()).or_default().push(name.clone());
        }
        let mut layout = Self {
            root: root.to_owned(),
            real_root: root.canonicalize().unwrap_or_else(|_| root.to_owned()),
            names,
            by_file_name,
            packages: Vec::new(),
            modules: Vec::new(),
        };
        layout.packages = layout.manifests("Cargo.toml", cargo_package);
        layout.modules = layout.manifests("go.mod", go_module);
        layout
    }

    fn manifests(&self, file: &str, name: fn(&str) -> Option<String>) -> Vec<NamedFolder> {
        let listed = self.by_file_name.get(file).cloned().unwrap_or_default();
        // A project that is not in git has a manifest too.
        let own = (!listed.iter().any(|path| path == file)).then(|| file.to_owned());
        listed
            .into_iter()
            .chain(own)
            .take(MAX_MANIFESTS)
            .filter_map(|path| {
                let bytes = read::file(&self.root, &path, MANIFEST_BYTES).ok()?;
                Some(NamedFolder {
                    name: name(&String::from_utf8_lossy(&bytes))?,
                    dir: parent(&path).to_owned(),
                })
            })
            .collect()
    }

    /// Returns the Cargo packages.
    pub fn packages(&self) -> &[NamedFolder] {
        &self.packages
    }

    /// Returns the folder of a Go package, relative to the root.
    pub fn go_folder(&self, package: &str) -> Option<String> {
        self.modules
            .iter()
            .filter_map(|module| {
                let rest = package.strip_prefix(module.name.as_str())?;
                let below = match rest.strip_prefix('/') {
                    Some(below) => below,
                    None if rest.is_empty() => "",
                    None => return None,
                };
                Some((module.name.len(), join(&module.dir, below)?))
            })
            .max()
            .map(|(_, dir)| dir)
    }

    /// Returns the files of a folder whose names end with `suffix`, at most `most` of them.
    pub fn listing(&self, dir: &str, suffix: &str, most: usize) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(dir)) else {
            return Vec::new();
        };
        let mut found: Vec<String> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.ends_with(suffix))
            .take(most)
            .filter_map(|name| join(dir, &name))
            .filter(|path| self.has(path))
            .collect();
        found.sort();
        found
    }

    /// Reads a file of the project if it has at most `most` bytes.
    pub fn read(&self, name: &str, most: u64) -> Option<String> {
        let bytes = read::file(&self.root, name, most).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path on disk of a file that [`Layout::has`].
    pub fn on_disk(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Whether a file exists below the root, without a link on the way.
    pub fn has(&self, name: &str) -> bool {
        if self.names.contains(name) {
            return true;
        }
        if name.is_empty() || name.len() > MAX_PATH || name.contains('\0') {
            return false;
        }
        let found = Folder::open(&self.root).and_then(|root| root.look(Path::new(name)));
        found.is_ok_and(|found| found.is_some_and(|found| found.kind.is_file()))
    }

    /// Finds the file that a tool means by `path`: below one of the folders `bases`, or the only
    /// one of the project whose path ends with it.
    pub fn find(&self, path: &str, bases: &[String]) -> Option<String> {
        let path = path.trim().replace('\\', "/");
        if path.is_empty() || path.len() > MAX_PATH {
            return None;
        }
        if path.starts_with('/') {
            let below = [&self.root, &self.real_root]
                .into_iter()
                .find_map(|root| Path::new(&path).strip_prefix(root).ok())?;
            let below = join("", below.to_str()?)?;
            return self.has(&below).then_some(below);
        }
        bases
            .iter()
            .filter_map(|base| join(base, &path))
            .find(|name| self.has(name))
            .or_else(|| self.only(&path))
    }

    /// Returns the only file whose path ends with `path`.
    fn only(&self, path: &str) -> Option<String> {
        let path = join("", path)?;
        let ending = format!("/{path}");
        let file = path.rsplit('/').next()?;
        let mut fitting = self
            .by_file_name
            .get(file)?
            .iter()
            .filter(|name| **name == path || name.ends_with(&ending));
        let first = fitting.next()?;
        fitting.next().is_none().then(|| first.clone())
    }
}

/// Joins a folder and a path below it, resolving `.` and `..`; `None` if that leaves the root.
pub fn join(base: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns the folder of a path, empty for the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// Returns the folder of a file and all its parents up to the root, nearest first.
pub fn folders(path: &str) -> Vec<String> {
    let mut folders = vec![parent(path).to_owned()];
    while let Some(last) = folders.last().filter(|last| !last.is_empty()) {
        let above = parent(last).to_owned();
        folders.push(above);
    }
    folders
}

/// Returns the package name in a `Cargo.toml`.
fn cargo_package(text: &str) -> Option<String> {
    let mut section = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
        } else if section == "[package]"
            && let Some((key, value)) = line.split_once('=')
            && key.trim() == "name"
        {
            let value = value.trim().strip_prefix(['"', '\''])?;
            return Some(value.split(['"', '\'']).next()?.to_owned());
        }
    }
    None
}

/// Returns the module path in a `go.mod`.
fn go_module(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let name = line.trim().strip_prefix("module ")?.trim();
        let name = name.split_whitespace().next()?.trim_matches('"');
        (!name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    //! Files, and paths that must not lead out of the root.

    use std::os::unix::fs::symlink;

    use super::*;
    use crate::discovery::failures::testing::project;

    #[test]
    fn manifests_say_where_packages_and_modules_are() {
        let cargo = project("cargo");
        let packages: Vec<_> = cargo
            .packages()
            .iter()
            .map(|package| (package.name.as_str(), package.dir.as_str()))
            .collect();
        assert_eq!(packages, [("calc", "calc"), ("other-kit", "other-kit")]);
        let go = project("go");
        assert_eq!(go.go_folder("example.com/shop/calc").as_deref(), Some("calc"));
        assert_eq!(go.go_folder("example.com/shop").as_deref(), Some(""));
        assert_eq!(go.go_folder("example.com/shopping"), None);
        assert_eq!(go.listing("calc", "_test.go", 9), ["calc/calc_test.go"]);
    }

    #[test]
    fn no_path_leads_out_of_the_root_or_over_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::write(dir.path().join("outside.py"), "").unwrap();
        fs::write(root.join("sub/in.py"), "").unwrap();
        symlink(dir.path(), root.join("up")).unwrap();
        symlink(dir.path().join("outside.py"), root.join("link.py")).unwrap();
        let layout = Layout::new(&root, []);
        let bases = [String::new()];
        for path in [
            "../outside.py",
            "up/outside.py",
            "link.py",
            "/etc/passwd",
            "sub",
            "",
            "a\0b",
            "sub/../../outside.py",
        ] {
            assert_eq!(layout.find(path, &bases), None, "{path:?}");
        }
        let own = root.join("sub/in.py");
        for path in ["sub/in.py", "./sub/in.py", "sub\\in.py", own.to_str().unwrap()] {
            assert_eq!(layout.find(path, &bases).as_deref(), Some("sub/in.py"), "{path}");
        }
    }

    #[test]
    fn an_ending_leads_to_a_file_only_if_it_is_the_only_one() {
        let names = ["a/tests/x.py", "b/tests/x.py", "b/tests/y.py"].map(str::to_owned);
        let layout = Layout::new(Path::new("/nowhere"), names);
        assert_eq!(layout.find("tests/x.py", &[]), None);
        assert_eq!(layout.find("tests/y.py", &[]).as_deref(), Some("b/tests/y.py"));
        assert_eq!(folders("a/b/c.xml"), ["a/b", "a", ""]);
        assert_eq!(folders("c.xml"), [""]);
    }
}
