//! Classifies a file by its path: test, entry point, example.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::text::word;

static TEST_FOLDERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("paths/test-folders.txt")));

/// Folders whose code is not expected to have tests.
static SIDE_FOLDERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("paths/side-folders.txt")));

/// Stems of files that only start, configure or bundle something.
static ENTRY_STEMS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("paths/entry-stems.txt")));

/// Returns a path's last part without its extension: `a/b.test.ts` gives `b.test`.
pub(super) fn stem(name: &str) -> &str {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.rsplit_once('.').map_or(base, |(stem, _)| stem)
}

fn folders(name: &str) -> impl Iterator<Item = &str> {
    let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.split('/').filter(|part| !part.is_empty())
}

/// Whether a file contains tests or their support code.
pub fn is_test(name: &str) -> bool {
    if folders(name).any(|part| TEST_FOLDERS.contains(part)) {
        return true;
    }
    let stem = stem(name);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "py" => {
            stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem == "conftest"
                || stem == "tests"
        }
        "rs" => {
            matches!(stem, "test" | "tests") || stem.ends_with("_test") || stem.ends_with("_tests")
        }
        "go" => stem.ends_with("_test"),
        "java" | "kt" | "scala" | "cs" => ["Test", "Tests", "IT", "TestCase", "Spec"]
            .iter()
            .any(|end| stem.len() > end.len() && stem.ends_with(end)),
        "rb" => stem.ends_with("_spec") || stem.ends_with("_test"),
        _ => (stem.rsplit_once('.')).is_some_and(|(_, end)| matches!(end, "test" | "spec" | "cy")),
    }
}

/// Whether no test is expected for this file itself: examples, scripts, entry points, configuration.
pub(super) fn needs_no_test(name: &str) -> bool {
    let stem = stem(name);
    folders(name).any(|part| SIDE_FOLDERS.contains(part) || part == "bin")
        || ENTRY_STEMS.contains(stem)
        || stem.ends_with(".config")
        || stem.ends_with(".stories")
        || stem.starts_with("webpack")
        || stem.starts_with("rollup")
}

/// Whether a file is hand-written code, in any language.
pub fn is_code(name: &str) -> bool {
    const EXTENSIONS: [&str; 32] = [
        "rs", "py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "java", "c", "cc",
        "cpp", "cxx", "h", "hpp", "cs", "kt", "kts", "swift", "scala", "rb", "php", "dart", "lua",
        "ex", "exs", "m", "vue", "svelte",
    ];
    let base = name.rsplit('/').next().unwrap_or(name);
    (base.rsplit_once('.'))
        .is_some_and(|(stem, extension)| !stem.is_empty() && EXTENSIONS.contains(&extension))
        && ![".d.ts", ".d.mts", ".d.cts"].iter().any(|end| base.ends_with(end))
        && !base.contains(".min.")
}
