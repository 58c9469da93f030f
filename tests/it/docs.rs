//! The documents: every link leads somewhere, every command is valid, and everything they name exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use serde_json::Value;

use crate::support::Sandbox;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the files below some folders whose names have this ending.
fn files(folders: &[&str], ending: &str) -> Vec<PathBuf> {
    let mut stack: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut files = Vec::new();
    while let Some(folder) = stack.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                stack.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The documents that people read first, and the pages of `docs/`.
fn documents() -> Vec<PathBuf> {
    let first = ["README.md", "SECURITY.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    first.into_iter().chain(files(&["docs"], ".md")).collect()
}

/// The examined parts of a document.
#[derive(Default)]
struct Page {
    links: Vec<String>,
    /// The anchors of its headings, as GitHub makes them.
    anchors: BTreeSet<String>,
    /// Lines of shell: fenced as `sh`, or indented.
    shell: Vec<String>,
    /// Code within a line of text.
    inline: Vec<String>,
    /// Code in tables.
    cells: Vec<String>,
}

impl Page {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut page = Self::default();
        let (mut heading, mut in_shell, mut in_table) = (None, false, false);
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    page.add_anchor(&heading.take().unwrap_or_default());
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    in_shell = match kind {
                        CodeBlockKind::Indented => true,
                        CodeBlockKind::Fenced(language) => &*language == "sh",
                    }
                }
                Event::End(TagEnd::CodeBlock) => in_shell = false,
                Event::Start(Tag::Table(_)) => in_table = true,
                Event::End(TagEnd::Table) => in_table = false,
                Event::Text(text) if in_shell => {
                    page.shell.extend(text.lines().map(str::to_owned));
                }
                Event::Code(code) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&code);
                    }
                    let codes = if in_table { &mut page.cells } else { &mut page.inline };
                    codes.push(code.into_string());
                }
                Event::Text(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                Event::Start(_)
                | Event::End(_)
                | Event::InlineMath(_)
                | Event::DisplayMath(_)
                | Event::Html(_)
                | Event::InlineHtml(_)
                | Event::FootnoteReference(_)
                | Event::SoftBreak
                | Event::HardBreak
                | Event::Rule
                | Event::TaskListMarker(_) => {}
            }
        }
        page
    }

    fn add_anchor(&mut self, heading: &str) {
        let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
        let anchor: String = heading.to_lowercase().chars().filter(kept).collect();
        let anchor = anchor.replace(' ', "-");
        let again = (1..).map(|number| format!("{anchor}-{number}"));
        let free = std::iter::once(anchor.clone()).chain(again);
        let free = free.into_iter().find(|name| !self.anchors.contains(name));
        self.anchors.extend(free);
    }
}

/// Splits a line of shell into its commands, each in words. Comments and redirections are dropped.
fn commands(line: &str) -> Vec<Vec<String>> {
    let mut all = vec![Vec::new()];
    let mut chars = line.trim().trim_start_matches("$ ").chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' ' => {}
            '#' => break,
            '|' | ';' | '&' => all.push(Vec::new()),
            _ => {
                let mut word = String::new();
                let (mut quote, mut next) = (None, Some(c));
                while let Some(c) = next {
                    match quote {
                        Some(open) if c == open => quote = None,
                        None if "'\"".contains(c) => quote = Some(c),
                        _ => word.push(c),
                    }
                    let ends = |c: &char| quote.is_none() && " |;".contains(*c);
                    next = chars.next_if(|c| !ends(c));
                }
                all.last_mut().unwrap().push(word);
            }
        }
    }
    for command in &mut all {
        let redirected = command.iter().position(|word| [">", "<"].contains(&word.as_str()));
        command.truncate(redirected.unwrap_or(command.len()));
    }
    all.retain(|command| !command.is_empty());
    all
}

/// Returns the arguments of a command of this program; `None` for another program's, or a form with a placeholder.
fn ours(command: &[String]) -> Option<&[String]> {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let arguments = match &words[..] {
        ["debate-agent", ..] => &command[1..],
        ["cargo", "run", "--", ..] => &command[3..],
        _ => return None,
    };
    let placeholder = |word: &String| word.len() > 1 && word.chars().all(char::is_uppercase);
    (!arguments.iter().any(placeholder)).then_some(arguments)
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    for document in documents() {
        for link in Page::read(&document).links {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => document.clone(),
                file => document.parent().unwrap().join(file),
            };
            let found = target.exists()
                && (anchor.is_empty() || Page::read(&target).anchors.contains(anchor));
            if !found {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links that lead nowhere:\n{}", broken.join("\n"));
}

#[test]
fn the_index_of_the_docs_has_every_page() {
    let index = Page::read(&root().join("docs/README.md")).links;
    for page in files(&["docs"], ".md") {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name == "README.md" || index.contains(&name), "docs/README.md lacks {name}");
    }
}

#[test]
fn every_command_of_the_documents_is_one() {
    let sandbox = Sandbox::new();
    let mut tried = 0;
    for document in documents() {
        let page = Page::read(&document);
        for line in page.shell.iter().chain(&page.inline).chain(&page.cells) {
            for command in commands(line) {
                let Some(arguments) = ours(&command) else { continue };
                // clap checks all given arguments before it prints help.
                let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                arguments.push("--help");
                let run = sandbox.run(&arguments);
                assert_eq!(run.code, 0, "{}: {line}\n{}", document.display(), run.stderr);
                tried += 1;
            }
        }
    }
    assert!(tried > 60, "only {tried} commands were found");
}

/// The commands of the README are run unchanged, with fakes for the CLIs; only `mcp install` stays dry.
#[test]
fn the_commands_of_the_readme_run() {
    let sandbox = Sandbox::new().planted();
    let backlog = fs::read(sandbox.six()).unwrap();
    sandbox.write("fixtures/opportunities/six.json", &backlog);
    sandbox.write("docs/load.md", "# Load\n\nForty requests a second.\n");
    sandbox.write("docs/design.md", "# Design\n\nOne cache for all.\n");
    let page = Page::read(&root().join("README.md"));
    let mut ran = 0;
    for line in page.shell.iter().chain(&page.cells) {
        for command in commands(line) {
            let Some(arguments) = ours(&command) else { continue };
            let session = sandbox.sessions().first().cloned().unwrap_or_default();
            let id = session.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let mut arguments: Vec<&str> = (arguments.iter())
                .map(|word| if word == "01a2004e" { &*id } else { word.as_str() })
                .collect();
            if arguments.starts_with(&["mcp", "install"]) {
                arguments.push("--dry-run");
            }
            let run = sandbox.piped(&arguments, std::str::from_utf8(&backlog).unwrap());
            assert!([0, 1].contains(&run.code), "{line}: {}\n{}", run.code, run.stderr);
            ran += 1;
        }
    }
    assert!(ran > 14, "only {ran} commands were found");
}

#[test]
fn every_test_that_the_promises_name_is_there() {
    let page = Page::read(&root().join("docs/promises.md"));
    let unit = Regex::new(r"^((?:src|crates)/[\w/]+\.rs)(?:::(\w+))?$").unwrap();
    let integration = Regex::new(r"^(\w+)::(\w+)$").unwrap();
    let mut named = 0;
    for code in page.cells {
        let (file, test) = if let Some(found) = unit.captures(&code) {
            (found[1].to_owned(), found.get(2).map(|test| test.as_str().to_owned()))
        } else if let Some(found) = integration.captures(&code) {
            (format!("tests/it/{}.rs", &found[1]), Some(found[2].to_owned()))
        } else {
            continue;
        };
        let source = fs::read_to_string(root().join(&file));
        let source = source.unwrap_or_else(|why| panic!("docs/promises.md names {file}: {why}"));
        let attribute = r"#\[(?:tokio::)?test[^\]]*\]\s+(?:#\[[^\]]*\]\s+)*(?:async )?";
        let pattern = format!(r"{attribute}fn {}\(", test.clone().unwrap_or(r"\w+".to_owned()));
        let is_there = Regex::new(&pattern).unwrap().is_match(&source);
        assert!(is_there, "docs/promises.md names {code}, and {file} has no such test");
        named += 1;
    }
    assert!(named > 120, "only {named} tests were found");
}

/// Documents that comments mention but that are not in this repository: files that this program reads or writes in a
/// project, and samples.
const OF_PROJECTS: [&str; 9] = [
    "session.md",
    "SKILL.md",
    "wisdom/issues.md",
    ".debate/decisions.md",
    ".debate/debate-TIMESTAMP.md",
    "docs/a.md",
    "docs/setup.md",
    "notes.md",
    "a.md",
];

#[test]
fn every_document_that_a_comment_refers_to_is_there() {
    let document = Regex::new(r"[\w<>./-]+\.md\b").unwrap();
    let mut missing = Vec::new();
    for file in files(&["src", "crates/core/src", "tests/it", "benches", "examples"], ".rs") {
        let text = fs::read_to_string(&file).unwrap();
        let comments = text.lines().filter(|line| line.trim_start().starts_with("//"));
        for name in comments.flat_map(|line| document.find_iter(line)) {
            let name = name.as_str().trim_start_matches("./");
            let is_there = root().join(name).exists()
                || file.parent().unwrap().join(name).exists()
                || OF_PROJECTS.iter().any(|own| name == *own || name.ends_with("/SKILL.md"));
            if !is_there {
                missing.push(format!("{}: {name}", file.display()));
            }
        }
    }
    assert!(missing.is_empty(), "documents that are not there:\n{}", missing.join("\n"));
}

/// Returns the blocks of a page that are fenced as `json`.
fn samples(page: &str) -> Vec<Value> {
    let text = fs::read_to_string(root().join("docs").join(page)).unwrap();
    let block = Regex::new(r"(?s)```json\n(.*?)```").unwrap();
    block.captures_iter(&text).map(|found| serde_json::from_str(&found[1]).unwrap()).collect()
}

/// Asserts that a value has every member of its sample: the same keys, and values of the same type.
fn assert_like(sample: &Value, value: &Value, place: &str) {
    match (sample, value) {
        (Value::Object(sample), Value::Object(fields)) => {
            for (key, sample) in sample {
                let place = format!("{place}/{key}");
                assert_like(sample, fields.get(key).unwrap_or(&Value::Null), &place);
            }
        }
        (Value::Array(samples), Value::Array(values)) => {
            for (sample, value) in samples.iter().zip(values) {
                assert_like(sample, value, place);
            }
        }
        (sample, value) => {
            let same = std::mem::discriminant(sample) == std::mem::discriminant(value);
            assert!(
                same,
                "docs/json-and-events.md: {place} is {sample}, and the program says {value}"
            );
        }
    }
}

#[test]
fn samples_of_json_are_what_a_rehearsal_prints() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let rehearse = ["prioritize", "backlog.json", "--rehearse"];
    let document = sandbox.run(&[&rehearse[..], &["--json"]].concat()).exits(0).json();
    let events = sandbox.run(&[&rehearse[..], &["--events", "-"]].concat()).exits(0).stdout.clone();
    let samples = samples("json-and-events.md");
    let [header, event] = &samples[..] else { panic!("{} samples", samples.len()) };
    assert_like(header, &document, "");
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let started = events.into_iter().find(|line| line["type"] == event["type"]).unwrap();
    assert_like(event, &started, "event");
}

#[test]
fn the_table_of_events_has_every_type() {
    let source = fs::read_to_string(root().join("src/report/jsonl.rs")).unwrap();
    let rename = Regex::new(r#"rename = "([a-z_.]+)""#).unwrap();
    let cells = Page::read(&root().join("docs/json-and-events.md")).cells;
    for found in rename.captures_iter(&source) {
        assert!(
            cells.contains(&found[1].to_owned()),
            "docs/json-and-events.md lacks {}",
            &found[1]
        );
    }
}

/// A default that a page gives after its key, as in "`topic.max_rounds` (4; 1 to 10)", is the configuration's.
#[test]
fn defaults_that_pages_give_are_those_of_the_configuration() {
    let config = fs::read_to_string(root().join("debate-agent.config.json")).unwrap();
    let config: Value = serde_json::from_str(&config).unwrap();
    let given = Regex::new(r"`([a-z_]+)\.([a-z_]+)`,?\s+\(?(\d[\d.,]*\d|\d)").unwrap();
    let mut compared = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for found in given.captures_iter(&text) {
            let Some(default) = config[&found[1]][&found[2]].as_f64() else { continue };
            let said: f64 = found[3].replace(',', "").parse().unwrap();
            let is_it = (said - default).abs() < 1e-9;
            assert!(is_it, "{}: {} is {default}", document.display(), &found[0]);
            compared += 1;
        }
    }
    assert!(compared > 14, "only {compared} defaults were found");
}
