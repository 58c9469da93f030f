//! Folders that are not the project's own code: dependencies, build output, other repositories.
//!
//! Unambiguous names decide alone (`node_modules`). The others are ordinary words: `vendor`, `build`, `dist`
//! and `target` are left out only if something next to them or in them shows what they are.

use std::path::Path;

/// Names that only a package manager or a tool uses.
const BY_NAME: [(&str, &str); 14] = [
    ("node_modules", VENDORED),
    ("bower_components", VENDORED),
    ("jspm_packages", VENDORED),
    ("site-packages", VENDORED),
    ("dist-packages", VENDORED),
    ("_vendor", VENDORED),
    ("third_party", VENDORED),
    ("third-party", VENDORED),
    ("thirdparty", VENDORED),
    ("Godeps", VENDORED),
    ("elm-stuff", VENDORED),
    ("__pycache__", BUILT),
    ("htmlcov", BUILT),
    ("DerivedData", BUILT),
];

const VENDORED: &str = "vendored code";
const BUILT: &str = "build output";

/// Files that mark a folder as a package of the project's own code.
const OWN_CODE: [&str; 3] = ["__init__.py", "mod.rs", "apps.py"];

/// Returns why a folder is not the project's own, if it is not; `depth` is 1 for a folder in the
/// root.
pub(super) fn not_own(dir: &Path, depth: usize) -> Option<&'static str> {
    let name = dir.file_name()?.to_str().unwrap_or_default();
    if let Some((_, why)) = BY_NAME.iter().find(|(known, _)| *known == name) {
        return Some(why);
    }
    let holds = |file: &str| dir.join(file).exists();
    let beside = |file: &str| dir.with_file_name(file).exists();
    let any_beside = |files: &[&str]| files.iter().any(|file| beside(file));
    let own = || OWN_CODE.iter().any(|file| holds(file));
    if holds(".git") {
        return Some("another repository");
    }
    if holds("pyvenv.cfg") || holds("conda-meta") {
        return Some("a Python environment");
    }
    if has_suffix(name, ".egg-info") || has_suffix(name, ".dist-info") {
        return Some(VENDORED);
    }
    match name {
        "vendor" | "vendored" => {
            let marked = holds("modules.txt")
                || holds("autoload.php")
                || holds("bundle")
                || holds_packages(dir);
            (marked || (depth == 1 && !own())).then_some(VENDORED)
        }
        "Pods" => beside("Podfile").then_some(VENDORED),
        "Carthage" => beside("Cartfile").then_some(VENDORED),
        "deps" => beside("mix.exs").then_some(VENDORED),
        "target" => (holds("CACHEDIR.TAG")
            || any_beside(&["Cargo.toml", "pom.xml", "build.sbt", "project.clj"]))
        .then_some(BUILT),
        "dist" => (any_beside(&["package.json", "pyproject.toml", "setup.py", "setup.cfg"])
            && !own())
        .then_some(BUILT),
        // Build scripts are kept in `build/` as well, so the content decides.
        "build" | "out" | "cmake-build-debug" | "cmake-build-release" => {
            let gradle = any_beside(&["build.gradle", "build.gradle.kts", "pom.xml"])
                && ["classes", "libs", "reports", "tmp", "generated"].iter().any(|sub| holds(sub));
            let python = any_beside(&["pyproject.toml", "setup.py"])
                && (holds("lib") || holds_prefix(dir, &["bdist.", "lib.", "temp."]));
            let web = beside("package.json")
                && ["asset-manifest.json", "index.html", "_next"].iter().any(|file| holds(file));
            (gradle || python || web || holds("CMakeCache.txt") || holds("build.ninja"))
                .then_some(BUILT)
        }
        "coverage" => (holds("lcov-report") || holds("lcov.info") || holds("index.html"))
            .then_some("a coverage report"),
        _ => None,
    }
}

fn has_suffix(name: &str, suffix: &str) -> bool {
    name.len() > suffix.len() && name.ends_with(suffix)
}

/// Maximum number of entries of a folder searched for a marker.
const MAX_LOOKED_AT: usize = 1_000;

/// Whether a subfolder contains the manifest or licence of a package of its own.
fn holds_packages(dir: &Path) -> bool {
    const MARKS: [&str; 8] = [
        ".cargo-checksum.json",
        "package.json",
        "Cargo.toml",
        "pyproject.toml",
        "setup.py",
        "LICENSE",
        "LICENSE.txt",
        "COPYING",
    ];
    entries(dir).any(|entry| MARKS.iter().any(|mark| entry.join(mark).exists()))
}

fn holds_prefix(dir: &Path, prefixes: &[&str]) -> bool {
    entries(dir).any(|entry| {
        let name = entry.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
    })
}

fn entries(dir: &Path) -> impl Iterator<Item = std::path::PathBuf> {
    std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .take(MAX_LOOKED_AT)
        .flatten()
        .map(|entry| entry.path())
}
