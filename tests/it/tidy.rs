//! Rules of the house that neither rustc nor clippy can hold: arrows between layers, file sizes, openings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(dir: &str) -> Vec<PathBuf> {
    let mut stack = vec![root().join(dir)];
    let mut files = Vec::new();
    while let Some(dir) = stack.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                stack.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Which top-level module a file belongs to.
fn layer(path: &Path) -> String {
    let relative = path.strip_prefix(root().join("src")).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// Returns the code of a file: without comment lines, and without its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let production = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    production
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_test(path: &Path) -> bool {
    let name = path.file_stem().unwrap().to_string_lossy();
    name == "tests"
        || name.ends_with("_tests")
        || path.components().any(|part| part.as_os_str() == "tests")
}

/// The arrows of DESIGN.md. A layer may use itself and what stands behind it, nothing else.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("files", &[]),
    ("process", &[]),
    ("change", &["text"]),
    ("kernel", &["text"]),
    ("contract", &["kernel", "text"]),
    ("protocol", &["change", "contract", "kernel", "text"]),
    ("rehearsal", &["change", "kernel", "protocol", "text"]),
    ("config", &["files", "kernel", "protocol", "text"]),
    ("skill", &["config", "files", "text"]),
    ("agent", &["config", "kernel", "process", "protocol", "text"]),
    ("session", &["agent", "env", "files", "kernel", "text"]),
    ("sink", &["agent", "config", "env", "kernel", "process", "text"]),
    ("engine", &["agent", "env", "kernel", "process", "text"]),
    ("git", &["files", "process", "text"]),
    ("discovery", &["config", "env", "files", "kernel", "protocol", "session", "text"]),
    ("exit", &["protocol"]),
    ("error", &["exit", "text"]),
    (
        "report",
        &[
            "change",
            "discovery",
            "engine",
            "error",
            "exit",
            "kernel",
            "protocol",
            "session",
            "text",
        ],
    ),
    (
        "app",
        &[
            "agent",
            "change",
            "config",
            "contract",
            "discovery",
            "engine",
            "env",
            "error",
            "exit",
            "files",
            "git",
            "kernel",
            "process",
            "protocol",
            "report",
            "session",
            "sink",
            "skill",
            "text",
        ],
    ),
    ("mcp", &["app", "config", "env", "error", "exit", "kernel", "protocol", "report", "text"]),
    (
        "cli",
        &[
            "app",
            "config",
            "discovery",
            "env",
            "error",
            "exit",
            "files",
            "kernel",
            "mcp",
            "protocol",
            "rehearsal",
            "report",
            "text",
        ],
    ),
];

#[test]
fn layers_use_only_what_lies_below_them() {
    let arrows: BTreeMap<_, _> = ARROWS.iter().copied().collect();
    let all: Vec<&str> = arrows.keys().copied().chain(["env"]).collect();
    let mut wrong = Vec::new();
    for file in rust_files("src").iter().filter(|file| !is_test(file)) {
        let from = layer(file);
        let Some(allowed) = arrows.get(from.as_str()) else {
            continue;
        };
        let code = code(file);
        for to in &all {
            if *to != from && !allowed.contains(to) && code.contains(&format!("crate::{to}::")) {
                wrong.push(format!("{} uses {to}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_layer_is_in_the_table() {
    for file in rust_files("src") {
        let layer = layer(&file);
        assert!(
            ["lib", "main", "env"].contains(&layer.as_str())
                || ARROWS.iter().any(|(name, _)| *name == layer),
            "{} is of no layer: add it to ARROWS and to lib.rs",
            file.display()
        );
    }
}

#[test]
fn the_core_is_pure() {
    let banned = [
        "tokio::",
        "std::fs",
        "std::env",
        "std::process",
        "std::net",
        "std::time::Instant",
        "SystemTime",
    ];
    for file in rust_files("src") {
        if !["text", "change", "contract", "kernel", "protocol", "rehearsal"]
            .contains(&layer(&file).as_str())
            || is_test(&file)
        {
            continue;
        }
        let code = code(&file);
        for word in banned {
            assert!(!code.contains(word), "{} uses {word}", file.display());
        }
    }
}

#[test]
fn only_output_layers_write_to_the_standard_streams() {
    for file in rust_files("src") {
        if ["report", "cli", "mcp", "main", "process"].contains(&layer(&file).as_str())
            || is_test(&file)
        {
            continue;
        }
        let code = code(&file);
        for word in ["io::stdout", "io::stderr", "anstream::"] {
            assert!(!code.contains(word), "{} uses {word}", file.display());
        }
    }
}

#[test]
fn files_stay_below_five_hundred_lines_and_open_with_their_purpose() {
    for file in
        rust_files("src").into_iter().chain(rust_files("tests")).chain(rust_files("benches"))
    {
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().count();
        assert!(lines <= 500, "{} has {lines} lines: it is two things", file.display());
        assert!(text.starts_with("//!"), "{} does not open with `//!`", file.display());
    }
}

#[test]
fn nothing_is_left_over() {
    // Spelled apart, so that this file does not find itself.
    let words =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:"), concat!("#[igno", "re")];
    for file in rust_files("src").into_iter().chain(rust_files("tests")) {
        let text = fs::read_to_string(&file).unwrap();
        for word in words {
            assert!(!text.contains(word), "{} holds {word}", file.display());
        }
    }
}

#[test]
fn every_test_file_is_part_of_the_binary() {
    let main = fs::read_to_string(root().join("tests/it/main.rs")).unwrap();
    for file in rust_files("tests/it") {
        let relative = file.strip_prefix(root().join("tests/it")).unwrap();
        if relative.components().count() == 1 {
            let name = relative.file_stem().unwrap().to_string_lossy();
            assert!(
                name == "main" || main.contains(&format!("mod {name};")),
                "tests/it/{name}.rs is never compiled"
            );
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the check is a program of the repository")]
fn every_mutant_still_applies_and_names_a_test_that_is_there() {
    let check = std::process::Command::new(root().join("tests/mutants/run"))
        .arg("--check")
        .output()
        .unwrap();
    assert!(
        check.status.success(),
        "{}{}",
        String::from_utf8_lossy(&check.stdout),
        String::from_utf8_lossy(&check.stderr)
    );
}

#[test]
fn the_licences_that_are_shipped_are_those_of_the_lock_file() {
    let lock: toml::Table = fs::read_to_string(root().join("Cargo.lock")).unwrap().parse().unwrap();
    let locked: BTreeSet<String> = lock["package"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|package| package.get("source").is_some())
        .map(|package| {
            let word = |key: &str| package[key].as_str().unwrap();
            format!("{} {}", word("name"), word("version"))
        })
        .collect();
    let shipped = fs::read_to_string(root().join("THIRD-PARTY-LICENSES.txt")).unwrap();
    let names = shipped.split("\n\n").nth(1).unwrap().lines();
    let shipped: BTreeSet<String> =
        names.map(|line| line.split_once(": ").unwrap().0.to_owned()).collect();
    assert_eq!(shipped, locked, "run .ci/licenses");
}
