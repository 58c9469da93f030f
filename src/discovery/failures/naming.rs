//! Maps each tool's spelling of a test to one file and one symbol.
//!
//! | tool | file | symbol |
//! |---|---|---|
//! | pytest | from the node id; in JUnit the longest part of `classname` that is a module, or `file` | `TestParse::test_type[1]` |
//! | cargo, nextest | the source of the test binary: `tests/it.rs`, `src/lib.rs` | the test's path in the binary |
//! | Go | the `_test.go` file that contains the function | `TestSums/small`; `package P` for a package |
//! | others | `file`, else the first file of the failure's text, if it exists | `classname::name` |
//!
//! A file counts only if it exists below the root; otherwise the symbol alone is the name, prefixed as its tool does.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;
use sha2::{Digest as _, Sha256};

use super::case::{Name, Raw, Target, TestCase};
use super::cut;
use super::layout::{Layout, NamedFolder, folders, join};
use super::libtest;
use crate::text::sanitize;

/// The symbol of a failure of a whole file: it could not be imported or collected.
pub const WHOLE_FILE: &str = "(whole file)";

/// Maximum number of locations read from a failure's output.
const MAX_PLACES: usize = 40;

/// Maximum length of a symbol.
const MAX_SYMBOL: usize = 500;

/// `tests/it.rs:4`, `CalcTest.java:23`, `File "x.py", line 4`.
static PLACES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"File "([^"\n]{1,500})", line (\d{1,7})|([^\s:()'"\[\]<>,;`]{1,500}\.[A-Za-z]{1,5}):(\d{1,7})"#,
    )
    .ok()
});

#[derive(Debug)]
pub struct TestNames<'a> {
    layout: &'a Layout,
    /// Folders that its paths may be relative to, nearest first.
    bases: Vec<String>,
    /// The result for a class: the file, and the rest of the name.
    classes: BTreeMap<String, Option<(String, Vec<String>)>>,
    go: BTreeMap<String, BTreeMap<String, String>>,
}

/// A file, and the symbol in it.
type Found = (Option<String>, String);

impl<'a> TestNames<'a> {
    /// Names the tests of a report at `report`, relative to the root; an empty path means the
    /// output of a command run at the root.
    pub fn new(layout: &'a Layout, report: &str) -> Self {
        Self { layout, bases: folders(report), classes: BTreeMap::new(), go: BTreeMap::new() }
    }

    pub fn name(&mut self, raw: &Raw) -> TestCase {
        let (file, symbol) = match &raw.name {
            Name::Node(node) => self.node(node),
            Name::JUnit { class, name, file } => {
                self.junit(class.trim(), name.trim(), file.as_deref(), raw)
            }
            Name::Rust { target, test } => self.rust(target, test, raw),
            Name::Go { package, test } => self.go(package, test.as_deref()),
        };
        let place = raw.outcome.is_failure().then(|| self.place(raw, file.as_deref())).flatten();
        let message = match (raw.message.is_empty(), raw.text.is_empty()) {
            (true, _) => raw.text.clone(),
            (false, true) => raw.message.clone(),
            (false, false) if raw.text.contains(&raw.message) => raw.text.clone(),
            (false, false) => format!("{}\n{}", raw.message, raw.text),
        };
        TestCase { file, symbol: bounded(&symbol), outcome: raw.outcome, message, place }
    }

    fn find(&self, path: &str) -> Option<String> {
        self.layout.find(path, &self.bases)
    }

    fn node(&self, node: &str) -> Found {
        let (path, test) = node.split_once("::").unwrap_or((node, WHOLE_FILE));
        match self.find(path) {
            Some(file) => (Some(file), test.to_owned()),
            None => (None, node.to_owned()),
        }
    }

    fn junit(&mut self, class: &str, name: &str, file: Option<&str>, raw: &Raw) -> Found {
        if let Some(package) = self.package_of(class) {
            return self.binary(&package, class, name, raw);
        }
        if class.is_empty()
            && let Some((file, rest)) = self.module(name)
            && rest.is_empty()
        {
            return (Some(file), WHOLE_FILE.to_owned());
        }
        if let Some((file, mut rest)) = self.module(class) {
            rest.push(name.to_owned());
            return (Some(file), rest.join("::"));
        }
        let both = if class.is_empty() || class == name {
            name.to_owned()
        } else {
            format!("{class}::{}", name.strip_suffix("()").unwrap_or(name))
        };
        let file = file
            .and_then(|file| self.find(file))
            .or_else(|| self.places_in(&raw.text).map(|(file, _)| file).next());
        (file, both)
    }

    /// Returns the Cargo package of a nextest binary id.
    fn package_of(&self, class: &str) -> Option<String> {
        let package = class.split("::").next()?;
        let known = self.layout.packages().iter().any(|own| own.name == package);
        known.then(|| package.to_owned())
    }

    /// Resolves a nextest binary id: `calc`, `calc::it`, `calc::bin/tool`.
    fn binary(&self, package: &str, id: &str, test: &str, raw: &Raw) -> Found {
        let krate = match id.split_once("::") {
            None => package.replace('-', "_"),
            Some((_, rest)) => rest.rsplit('/').next().unwrap_or(rest).to_owned(),
        };
        let kind =
            id.split_once("::").and_then(|(_, rest)| rest.split_once('/')).map(|(kind, _)| kind);
        let files = match (kind, id.contains("::")) {
            (None, false) => vec!["src/lib.rs".to_owned()],
            (None, true) => of_tests("tests", &krate),
            (Some("bin"), _) => of_bin(&krate),
            (Some("example"), _) => of_tests("examples", &krate),
            (Some("bench"), _) => of_tests("benches", &krate),
            (Some(_), _) => Vec::new(),
        };
        let target = Target::Crate { package: package.to_owned(), krate };
        match self.in_package(package, &files) {
            Some(file) => (Some(file), test.to_owned()),
            None => self.rust(&target, test, raw),
        }
    }

    fn in_package(&self, package: &str, files: &[String]) -> Option<String> {
        self.layout
            .packages()
            .iter()
            .filter(|own| own.name == package)
            .flat_map(|own| files.iter().filter_map(|file| join(&own.dir, file)))
            .find(|file| self.layout.has(file))
    }

    fn rust(&self, target: &Target, test: &str, raw: &Raw) -> Found {
        if let Some((path, item, _)) = libtest::doc_test(test)
            && let Some(file) = self.find(path)
        {
            return (Some(file), item.to_owned());
        }
        match target {
            Target::Unknown => (None, test.to_owned()),
            Target::Crate { package, krate } => {
                let mut files = Vec::new();
                if *krate == package.replace('-', "_") {
                    files.push("src/lib.rs".to_owned());
                }
                files.extend(of_tests("tests", krate));
                files.extend(of_bin(krate));
                files.extend(of_tests("examples", krate));
                files.extend(of_tests("benches", krate));
                match self.in_package(package, &files) {
                    Some(file) => (Some(file), test.to_owned()),
                    None => (None, format!("{package}::{krate}::{test}")),
                }
            }
            Target::Source { path, krate } => match self.source(path, krate, raw) {
                Some(file) => (Some(file), test.to_owned()),
                None => (None, format!("{krate}::{test}")),
            },
        }
    }

    /// Finds the source of a binary that cargo names relative to an unnamed package.
    fn source(&self, path: &str, krate: &str, raw: &Raw) -> Option<String> {
        let packages = self.layout.packages();
        let mut fitting: Vec<(&NamedFolder, String)> = packages
            .iter()
            .filter_map(|package| Some((package, join(&package.dir, path)?)))
            .filter(|(_, file)| self.layout.has(file))
            .collect();
        let is_root = matches!(path, "src/lib.rs" | "src/main.rs");
        let is_named = |(package, _): &(&NamedFolder, String)| {
            !is_root || package.name.replace('-', "_") == krate
        };
        if fitting.iter().any(is_named) {
            fitting.retain(is_named);
        }
        if fitting.len() > 1 {
            // Two packages have a file with that name; the location of the panic is relative to the
            // workspace.
            let place = self.places(raw).next().map(|(file, _)| file)?;
            fitting.retain(|(package, _)| {
                package.dir.is_empty() || place.starts_with(&format!("{}/", package.dir))
            });
            fitting.sort_by_key(|(package, _)| std::cmp::Reverse(package.dir.len()));
            return fitting.into_iter().next().map(|(_, file)| file);
        }
        match fitting.pop() {
            Some((_, file)) => Some(file),
            None => self.find(path),
        }
    }

    /// Finds the Python module at the start of a dotted name; the rest are classes.
    fn module(&mut self, dotted: &str) -> Option<(String, Vec<String>)> {
        if dotted.is_empty() || dotted.contains(['/', ' ', '\\']) {
            return None;
        }
        if let Some(known) = self.classes.get(dotted) {
            return known.clone();
        }
        let parts: Vec<&str> = dotted.split('.').take(32).collect();
        let found = (1..=parts.len()).rev().find_map(|count| {
            let (path, rest) = parts.split_at(count);
            let path = path.join("/");
            let file = self
                .bases
                .iter()
                .flat_map(|base| {
                    [format!("{path}.py"), format!("{path}/__init__.py")]
                        .into_iter()
                        .filter_map(|file| join(base, &file))
                })
                .find(|file| self.layout.has(file))?;
            Some((file, rest.iter().map(|part| (*part).to_owned()).collect()))
        });
        self.classes.insert(dotted.to_owned(), found.clone());
        found
    }

    fn go(&mut self, package: &str, test: Option<&str>) -> Found {
        let Some(test) = test else {
            return (None, format!("package {package}"));
        };
        let function = test.split('/').next().unwrap_or(test);
        if !self.go.contains_key(package) {
            let files = self.go_functions(package);
            self.go.insert(package.to_owned(), files);
        }
        match self.go.get(package).and_then(|files| files.get(function)) {
            Some(file) => (Some(file.clone()), test.to_owned()),
            None => (None, format!("{package}::{test}")),
        }
    }

    fn go_functions(&self, package: &str) -> BTreeMap<String, String> {
        let Some(dir) = self.layout.go_folder(package) else {
            return BTreeMap::new();
        };
        let mut functions = BTreeMap::new();
        for file in self.layout.listing(&dir, "_test.go", 500) {
            let text = self.layout.read(&file, 1 << 20).unwrap_or_default();
            for line in text.lines() {
                let name = line.strip_prefix("func ").and_then(|rest| rest.split('(').next());
                if let Some(name) = name.filter(|name| !name.is_empty()) {
                    functions.insert(name.trim().to_owned(), file.clone());
                }
            }
        }
        functions
    }

    /// Locates a failure: the first location in its own file, else the first in the project, else
    /// the test itself.
    fn place(&self, raw: &Raw, file: Option<&str>) -> Option<(String, u64)> {
        let found: Vec<(String, u64)> = self.places(raw).collect();
        let own = found.iter().find(|(place, _)| Some(place.as_str()) == file);
        let bare = || {
            let name = file?.rsplit('/').next()?;
            let line = bare_places(&raw.text).find(|(path, _)| *path == name)?.1;
            Some((file?.to_owned(), line))
        };
        own.cloned()
            .or_else(bare)
            .or_else(|| found.first().cloned())
            .or_else(|| Some((file?.to_owned(), raw.line?)))
    }

    /// The locations in a failure's output whose files exist.
    fn places<'s>(&'s self, raw: &'s Raw) -> impl Iterator<Item = (String, u64)> + 's {
        self.places_in(&raw.message).chain(self.places_in(&raw.text))
    }

    fn places_in<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (String, u64)> + 's {
        bare_places(text)
            .take(MAX_PLACES)
            .filter(|(path, _)| !path.contains("node_modules/"))
            .filter_map(|(path, line)| Some((self.find(path)?, line)))
    }
}

/// Returns a symbol without control characters and of bounded length. Two different long ones stay
/// different.
fn bounded(symbol: &str) -> String {
    let clean = sanitize::terminal(symbol);
    if clean.len() <= MAX_SYMBOL {
        return clean;
    }
    let hash = Sha256::digest(symbol.as_bytes());
    let number = hash.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    format!("{}…{number:016x}", cut::head(&clean, MAX_SYMBOL - 20))
}

/// The locations in a text, as written.
fn bare_places(text: &str) -> impl Iterator<Item = (&str, u64)> {
    PLACES.as_ref().map(|regex| regex.captures_iter(text)).into_iter().flatten().filter_map(
        |found| {
            let path = found.get(1).or_else(|| found.get(3))?.as_str();
            let line = found.get(2).or_else(|| found.get(4))?.as_str();
            let line = line.parse().ok().filter(|line| *line > 0)?;
            // A file URL has three slashes. A web URL has two, and is not a location.
            let path = match path.strip_prefix("//") {
                Some(rest) => rest.starts_with('/').then_some(rest)?,
                None => path,
            };
            Some((path.strip_prefix("./").unwrap_or(path), line))
        },
    )
}

/// Possible sources of a test binary, an example or a benchmark.
fn of_tests(folder: &str, krate: &str) -> Vec<String> {
    spellings(krate)
        .flat_map(|name| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")])
        .collect()
}

/// Possible sources of a program.
fn of_bin(krate: &str) -> Vec<String> {
    let mut files = of_tests("src/bin", krate);
    files.push("src/main.rs".to_owned());
    files
}

/// A crate's name has underscores where its file may have hyphens.
fn spellings(krate: &str) -> impl Iterator<Item = String> {
    [krate.to_owned(), krate.replace('_', "-")].into_iter()
}

#[cfg(test)]
mod tests {
    //! A failing test has the same name, whichever tool reports it.

    use std::collections::BTreeSet;

    use super::*;
    use crate::discovery::failures::case::ParsedReport;
    use crate::discovery::failures::testing::{path, project, report};
    use crate::discovery::failures::{pytest, stream};

    fn names(layout: &Layout, at: &str, parsed: &ParsedReport) -> BTreeSet<String> {
        let mut naming = TestNames::new(layout, at);
        parsed
            .cases
            .iter()
            .map(|raw| naming.name(raw))
            .filter(|case| case.outcome.is_failure())
            .map(|case| format!("{}::{}", case.file.as_deref().unwrap_or("-"), case.symbol))
            .collect()
    }

    #[test]
    fn go() {
        let layout = project("go");
        let found = names(&layout, "", &stream::parse(&report("go/test.jsonl")).unwrap());
        assert_eq!(
            found.iter().collect::<Vec<_>>(),
            [
                "-::package example.com/shop/bad",
                "calc/calc_test.go::TestPanics",
                "calc/calc_test.go::TestSums/negative_numbers"
            ]
        );
    }

    #[test]
    fn a_file_that_is_not_there_is_a_part_of_the_symbol() {
        let layout = Layout::new(&path("projects/pytest"), []);
        let parsed = pytest::last_failed(
            br#"{"../../../etc/passwd::test_x": true, "gone.py::test_y": true}"#,
        )
        .unwrap();
        let found = names(&layout, ".pytest_cache/v/cache/lastfailed", &parsed);
        assert_eq!(
            found.iter().collect::<Vec<_>>(),
            ["-::../../../etc/passwd::test_x", "-::gone.py::test_y"]
        );
    }

    #[test]
    fn long_symbols_stay_apart_and_hold_no_control_characters() {
        let long = "x".repeat(600);
        let (one, two) = (bounded(&format!("{long}1")), bounded(&format!("{long}2")));
        assert!(one.len() <= 500 && one != two, "{one}");
        assert_eq!(bounded("a\u{1b}[31mb"), "ab");
    }

    #[test]
    fn places_of_several_languages_are_found() {
        let found: Vec<_> = bare_places(
            "at src/lib.rs:10:9\nFile \"a b.py\", line 7\n(CalcTest.java:23)\n x:1 http://a.b:80",
        )
        .collect();
        assert_eq!(found, [("src/lib.rs", 10), ("a b.py", 7), ("CalcTest.java", 23)]);
    }
}
