//! Conventions that neither rustc nor clippy can check: arrows between layers and between protocols, openings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(dir: &str) -> Vec<PathBuf> {
    let mut stack = vec![root().join(dir)];
    let mut files = Vec::new();
    while let Some(dir) = stack.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            // The cases of an evaluation are files of others.
            if path.is_dir() && !path.ends_with("tests/eval/cases") {
                stack.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The folders of code that ships: the program, and the core crate.
const SOURCES: [&str; 2] = ["src", "crates/core/src"];

fn sources() -> impl Iterator<Item = PathBuf> {
    SOURCES.into_iter().flat_map(rust_files)
}

/// The top-level module of a file.
fn layer(path: &Path) -> String {
    let relative = SOURCES.iter().find_map(|dir| path.strip_prefix(root().join(dir)).ok()).unwrap();
    let first = relative.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// Returns the code of a file: without comment lines, and without its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let unit_tests = Regex::new(r"#\[cfg\(test\)\]\n(pub\([a-z]+\) )?mod tests \{").unwrap();
    let production = unit_tests.splitn(&text, 2).next().unwrap_or_default();
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

/// The arrows of `docs/how-it-works.md`. A layer may use itself and the modules listed after it, nothing else. Cargo
/// ensures that the core (`text`, `change`, `kernel`, `contract`, `journal`) uses nothing of the program; its own
/// arrows are listed here.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("files", &[]),
    ("process", &[]),
    ("schemas", &[]),
    ("change", &["text"]),
    ("kernel", &["text"]),
    ("contract", &["kernel", "text"]),
    ("journal", &["kernel", "text"]),
    ("protocol", &["change", "contract", "kernel", "text"]),
    ("eval", &["kernel", "protocol", "text"]),
    ("rehearsal", &["contract", "kernel", "text"]),
    ("config", &["files", "kernel", "protocol", "schemas", "text"]),
    ("skill", &["config", "files", "protocol", "text"]),
    ("agent", &["config", "env", "journal", "kernel", "process", "protocol", "text"]),
    ("session", &["agent", "env", "files", "journal", "kernel", "text"]),
    ("sink", &["agent", "config", "env", "kernel", "process", "text"]),
    ("engine", &["agent", "env", "kernel", "process", "text"]),
    ("git", &["files", "process", "text"]),
    ("sandbox", &["env", "git", "process", "protocol", "text"]),
    ("discovery", &["config", "env", "files", "kernel", "protocol", "session", "text"]),
    ("exit", &["protocol"]),
    ("error", &["agent", "discovery", "engine", "exit", "git", "kernel", "session", "text"]),
    (
        "report",
        &[
            "change",
            "discovery",
            "engine",
            "error",
            "eval",
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
            "eval",
            "exit",
            "files",
            "git",
            "kernel",
            "process",
            "protocol",
            "report",
            "sandbox",
            "session",
            "sink",
            "skill",
            "text",
        ],
    ),
    (
        "mcp",
        &[
            "app", "config", "contract", "env", "error", "exit", "files", "kernel", "protocol",
            "report", "text",
        ],
    ),
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
            "schemas",
            "text",
        ],
    ),
];

#[test]
fn layers_use_only_what_lies_below_them() {
    let arrows: BTreeMap<_, _> = ARROWS.iter().copied().collect();
    let all: Vec<&str> = arrows.keys().copied().chain(["env"]).collect();
    let mut wrong = Vec::new();
    for file in sources().filter(|file| !is_test(file)) {
        let from = layer(&file);
        let Some(allowed) = arrows.get(from.as_str()) else {
            continue;
        };
        let code = code(&file);
        for to in &all {
            if *to != from && !allowed.contains(to) && code.contains(&format!("crate::{to}::")) {
                wrong.push(format!("{} uses {to}", file.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The other protocols that a protocol may use, and why. All others are siblings, which share nothing but `kernel`
/// and `contract`.
const FLOORS: &[(&str, &str)] = &[
    // `council` is the common part of reviews and plans; `debate` that of the styles of a topic debate.
    ("review", "council"),
    ("plan", "council"),
    ("topic", "debate"),
    ("argument", "debate"),
    ("panel", "debate"),
    // An outline lays out such a debate, without asking any agent.
    ("outline", "debate"),
    // Questions to the person come before a debate or a plan, which are wrapped in them.
    ("clarify", "debate"),
    ("clarify", "plan"),
    ("plan", "clarify"),
    ("topic", "clarify"),
    ("argument", "clarify"),
    ("panel", "clarify"),
    // A fix is requested for one opportunity of the backlog, which is shown as in the backlog.
    ("inquiry", "backlog"),
];

/// Returns the names that follow `start`, also those of `start{a, b::c}`.
fn named_after<'a>(code: &'a str, start: &str) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices(start) {
        let rest = &code[at + start.len()..];
        // Only the first name of each path counts, so names inside a nested brace are skipped.
        let (mut depth, mut path) = (0, false);
        let (mut begin, mut word) = (0, false);
        for (index, one) in rest.char_indices() {
            if one.is_alphanumeric() || one == '_' {
                if !word {
                    (begin, word) = (index, true);
                }
                continue;
            }
            if word && depth <= 1 && !path {
                names.insert(&rest[begin..index]);
            }
            word = false;
            match one {
                '{' => depth += 1,
                '}' => depth -= 1,
                ':' => path = true,
                ',' if depth == 1 => path = false,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    names
}

#[test]
fn protocols_use_nothing_of_their_siblings() {
    let folder = root().join("src/protocol");
    let protocol = |path: &Path| {
        let first = path.strip_prefix(&folder).unwrap().components().next().unwrap();
        first.as_os_str().to_string_lossy().trim_end_matches(".rs").to_owned()
    };
    let files: Vec<PathBuf> = rust_files("src/protocol");
    // Modules of no protocol: the list of them, what all prompts and inputs share, and the common part of their tests.
    let own = ["mod", "context", "facts", "opening", "prompt", "seats", "testing", "conformance"];
    let all: BTreeSet<String> =
        files.iter().map(|file| protocol(file)).filter(|name| !own.contains(&&**name)).collect();
    let mut used = BTreeSet::new();
    let mut wrong = Vec::new();
    // Properties of every protocol are tested in `tests` and `conformance`.
    let of_all = ["mod", "tests", "conformance"];
    for file in files.iter().filter(|file| !of_all.contains(&&*protocol(file))) {
        let from = protocol(file);
        // Unit tests too: the common part of their helpers is in `protocol::testing`.
        let text = fs::read_to_string(file).unwrap();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        let code = lines.collect::<Vec<_>>().join("\n");
        // The number of modules from the file up to `protocol`: `mod.rs` is its folder, a file is below it.
        let below = file.strip_prefix(&folder).unwrap().components().count();
        let is_mod = file.file_name().is_some_and(|name| name == "mod.rs");
        let up = "super::".repeat(below - usize::from(is_mod));
        let mut names = named_after(&code, "crate::protocol::");
        // A test module inside a file is one deeper; no module deeper than `protocol` has a sibling's name.
        for start in [up.clone(), format!("{up}super::")] {
            let start = format!(" {start}");
            names.extend(named_after(&code, &start));
        }
        for to in names.into_iter().filter(|to| *to != from && all.contains(*to)) {
            let pair = FLOORS.iter().find(|(one, other)| (*one, *other) == (&*from, to));
            match pair {
                Some(pair) => {
                    used.insert(pair);
                }
                None => wrong.push(format!("{} uses {to}", file.display())),
            }
        }
    }
    let idle: Vec<_> = FLOORS.iter().filter(|pair| !used.contains(pair)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(idle.is_empty(), "no longer used: {idle:?}");
}

/// Adding a CLI takes a word in the configuration, a file and a row; `generic` is not a CLI.
#[test]
fn each_cli_is_known_to_its_own_file_alone() {
    let config = root().join("src/config/agents.rs");
    let text = fs::read_to_string(&config).unwrap();
    let (_, body) = text.split_once("pub enum ProfileName {").unwrap();
    let (body, _) = body.split_once('}').unwrap();
    let variants = body.lines().filter_map(|line| line.trim().strip_suffix(','));
    let clis: Vec<&str> = variants.filter(|name| *name != "Generic").collect();
    assert!(clis.len() >= 6, "{clis:?}");
    let files: Vec<(PathBuf, String)> = rust_files("src")
        .into_iter()
        .filter(|file| !is_test(file))
        .map(|file| (file.clone(), code(&file)))
        .collect();
    for name in clis {
        let word = name.to_lowercase();
        let own = root().join("src/agent/profile").join(&word);
        // Its name in the configuration, by itself or imported with others.
        let pattern = Regex::new(&format!(r"\bProfileName::({name}\b|\{{|\*)")).unwrap();
        let literal = format!("\"{word}\"");
        let holds = |file: &Path, text: &str| {
            pattern.is_match(text)
                || file.starts_with(root().join("src/agent")) && text.contains(&literal)
        };
        let known = files.iter().filter(|(file, text)| *file != config && holds(file, text));
        let known: Vec<&Path> = known.map(|(file, _)| file.as_path()).collect();
        assert_eq!(known, [own.with_extension("rs")]);
    }
}

/// Another form of output is another file next to these: no other module knows the kinds of blocks. Templates make them.
#[test]
fn each_form_of_a_page_is_one_file() {
    let mut of_blocks: Vec<PathBuf> = sources()
        .filter(|path| !is_test(path))
        .filter(|path| code(path).contains("Block::Section"))
        .map(|path| path.strip_prefix(root()).unwrap().to_owned())
        .collect();
    of_blocks.sort();
    let page = ["html.rs", "markdown.rs", "mod.rs", "template.rs", "terminal.rs"];
    let page = page.map(|file| Path::new("src/report/page").join(file));
    assert_eq!(of_blocks, page);
}

#[test]
fn every_layer_is_in_the_table() {
    for file in sources() {
        let layer = layer(&file);
        assert!(
            ["lib", "main", "env", "ordered"].contains(&layer.as_str())
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
    for file in sources() {
        if !["text", "change", "contract", "journal", "kernel", "protocol", "eval", "rehearsal"]
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
    for file in sources() {
        if ["report", "cli", "mcp", "main", "process", "sandbox"].contains(&layer(&file).as_str())
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
fn files_open_with_their_purpose() {
    for file in sources().chain(rust_files("tests")).chain(rust_files("benches")) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} does not open with `//!`", file.display());
    }
}

#[test]
fn nothing_is_left_over() {
    // Written in parts, so that this file does not find itself.
    let words =
        [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X:"), concat!("#[igno", "re")];
    for file in sources().chain(rust_files("tests")) {
        let text = fs::read_to_string(&file).unwrap();
        for word in words {
            assert!(!text.contains(word), "{} holds {word}", file.display());
        }
    }
}

/// `cargo test`, as written in the README and run by the gate, tests the default members.
#[test]
fn cargo_test_alone_tests_every_package() {
    let read = |path: PathBuf| -> toml::Table {
        fs::read_to_string(path.join("Cargo.toml")).unwrap().parse().unwrap()
    };
    let workspace = &read(root().to_owned())["workspace"];
    assert_eq!(workspace["members"], workspace["default-members"]);
    for member in workspace["members"].as_array().unwrap() {
        let package = read(root().join(member.as_str().unwrap()));
        assert_eq!(package["lints"]["workspace"].as_bool(), Some(true), "{member:?}");
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
