//! The rooms: a folder of `src` or of the core, a folder of tests, a kind of recorded data.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::lines;

/// What is counted apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Code,
    Tests,
    /// What is built for us alone and is no test.
    Beside,
    Data,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Code, Self::Tests, Self::Beside, Self::Data];

    /// Its table in `ceilings.toml`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Tests => "tests",
            Self::Beside => "beside",
            Self::Data => "data",
        }
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Code => "Code without tests",
            Self::Tests => "Tests",
            Self::Beside => "Benchmarks, examples, fuzzing",
            Self::Data => "Golden data and snapshots",
        }
    }
}

type Rooms = BTreeMap<Kind, BTreeMap<String, usize>>;
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Counts the whole repository.
pub(crate) fn count(root: &Path) -> Result<Rooms> {
    let mut rooms = Rooms::new();
    let mut modules = Modules::default();
    for of in ["build.rs", "src/lib.rs", "src/main.rs", "crates/core/src/lib.rs"] {
        modules.file(&root.join(of), false)?;
    }
    for (file, tests) in &modules.files {
        let place = relative(root, file);
        if place.starts_with("tests/") {
            continue;
        }
        add(&mut rooms, Kind::Tests, &format!("unit tests of {}", room(&place)), tests.tests);
        add(&mut rooms, Kind::Code, &room(&place), tests.all - tests.tests);
    }
    let seen: BTreeSet<&PathBuf> = modules.files.keys().collect();
    for file in files(root)? {
        let place = relative(root, &file);
        let folder = match place.split_once('/') {
            Some(("tests", rest)) => format!("tests/{}", rest.split('/').next().unwrap_or(rest)),
            Some((first, _)) => first.to_owned(),
            None => continue,
        };
        let ends = |with: &str| file.extension().is_some_and(|extension| extension == with);
        let rust = ends("rs");
        let code = place.starts_with("src/") || place.starts_with("crates/");
        if code && rust && !place.contains("/fuzz/") && !seen.contains(&file) {
            return Err(format!("{place} belongs to no module").into());
        }
        if ends("snap") {
            add(&mut rooms, Kind::Data, "snapshots", line_count(&file)?);
        } else if place.starts_with("tests/golden/") && !rust {
            add(&mut rooms, Kind::Data, &folder, line_count(&file)?);
        } else if rust
            && ["benches/", "examples/", "crates/core/fuzz/"].iter().any(|of| place.starts_with(of))
        {
            add(&mut rooms, Kind::Beside, &folder, line_count(&file)?);
        } else if place.starts_with("tests/") && !place.starts_with("tests/eval/cases/") && rust {
            let of = if place.matches('/').count() == 1 { "tests" } else { &folder };
            add(&mut rooms, Kind::Tests, of, line_count(&file)?);
        }
    }
    for of in rooms.values_mut() {
        of.retain(|_, lines| *lines > 0);
    }
    Ok(rooms)
}

fn add(rooms: &mut Rooms, kind: Kind, room: &str, lines: usize) {
    *rooms.entry(kind).or_default().entry(room.to_owned()).or_default() += lines;
}

/// `src/report/page/mod.rs` is in `report`, `crates/core/src/text/fence.rs` in `core/text`.
fn room(place: &str) -> String {
    let (prefix, within) = match place.strip_prefix("crates/core/src/") {
        Some(within) => ("core/", within),
        None => ("", place.strip_prefix("src/").unwrap_or(place)),
    };
    let name = within.split('/').next().unwrap_or(within).trim_end_matches(".rs");
    let name = if ["lib", "main", "env", "exit"].contains(&name) { "rest" } else { name };
    format!("{prefix}{name}")
}

fn relative(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned()
}

fn line_count(file: &Path) -> io::Result<usize> {
    Ok(String::from_utf8_lossy(&fs::read(file)?).lines().count())
}

/// Every file that git would track.
fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in ignore::Walk::new(root) {
        let entry = entry?;
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// How many lines a file has, and how many of them are a test's.
struct Lines {
    all: usize,
    tests: usize,
}

/// The files of all modules.
#[derive(Default)]
struct Modules {
    files: BTreeMap<PathBuf, Lines>,
}

impl Modules {
    /// Counts a file and the modules that it declares.
    fn file(&mut self, file: &Path, test: bool) -> Result<()> {
        let named = |error: io::Error| format!("{}: {error}", file.display());
        // A module that is told its path may be outside of the folder.
        let real = file.canonicalize().map_err(named)?;
        let source = fs::read_to_string(&real).map_err(named)?;
        let declared =
            lines::read(&source).map_err(|error| format!("{}: {error}", file.display()))?;
        let all = source.lines().count();
        let tests = if test { all } else { declared.tests.len() };
        self.files.insert(real, Lines { all, tests });
        let stem = file.file_stem().unwrap_or_default();
        let parent = file.parent().unwrap_or(Path::new(""));
        let own = match stem.to_str() {
            Some("mod" | "lib" | "main") => parent.to_owned(),
            _ => parent.join(stem),
        };
        for module in declared.modules {
            let path = own.join(module.path.iter().collect::<PathBuf>());
            let mut found: Vec<PathBuf> =
                module.files.iter().map(|file| parent.join(file)).collect();
            if found.is_empty() {
                let flat = path.with_extension("rs");
                found.push(if flat.is_file() { flat } else { path.join("mod.rs") });
            }
            for file in found {
                self.file(&file, test || module.test)?;
            }
        }
        Ok(())
    }
}
