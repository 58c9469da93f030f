//! Complexity, long files and missing tests, from the sources themselves.

use std::collections::{BTreeMap, BTreeSet};

use super::complexity::Language;
use super::facts::{Facts, FunctionFacts};
use super::scan::Scan;
use super::{Request, cut, paths, score};
use crate::discovery::finding::{AgentRun, Finding, Rule};
use crate::protocol::backlog::model::{Effort, Evidence};

/// The source named in complexity findings.
const COMPLEXITY: &str = "complexity";
/// The source named in long-file findings.
const FILE_STATS: &str = "file_stats";
/// The source named in missing-test findings.
const MISSING_TESTS: &str = "missing_tests";

/// Minimum number of code lines for a file to need a test of its own.
const MIN_CODE_LINES: u32 = 20;
/// Minimum length of a function name for its mention in a test to count.
const MIN_NAME: usize = 5;

/// Adds the findings from the sources.
pub(super) fn apply(request: &Request, scan: &Scan, run: &mut AgentRun) {
    let generated = scan.files.values().filter(|facts| facts.generated).count();
    let own: Vec<(&String, &Facts)> =
        scan.files.iter().filter(|(_, facts)| !facts.generated).collect();
    run.read.push(format!("{} source files", own.len()));
    if generated > 0 {
        run.leave_out(
            format!("{generated} source files"),
            "generated, by their first lines or by a line of more than 10,000 bytes",
        );
    }
    for (file, why) in &scan.left_out {
        run.leave_out(file, why);
        run.looked.left_out.insert(file.clone());
    }
    if !scan.beyond.is_empty() {
        run.leave_out(
            format!("{} source files", scan.beyond.len()),
            format!(
                "beyond the first {} MiB: changed files and the largest were read; `discovery.exclude` excludes others",
                request.budget >> 20
            ),
        );
        run.looked.left_out.extend(scan.beyond.iter().cloned());
    }
    if own.is_empty() && generated == 0 {
        return;
    }
    for (file, facts) in own.iter().filter(|(file, _)| !paths::is_test(file)) {
        let all: Vec<&FunctionFacts> = (facts.functions.iter())
            .filter(|function| {
                !function.is_test && function.complexity > request.settings.complexity
            })
            .collect();
        run.findings.extend((all.iter()).map(|function| {
            let plain = plain(&function.name);
            let alone = all.iter().filter(|other| self::plain(&other.name) == plain).count() == 1;
            complex(request, file, function, if alone { plain } else { &function.name })
        }));
        if facts.lines > request.settings.long_file_lines {
            run.findings.push(long(request, file, facts));
        }
    }
    run.looked.sources.extend([COMPLEXITY, FILE_STATS].map(str::to_owned));
    missing_tests(&own, scan, run);
}

/// Strips the number that distinguishes functions with one name: it means nothing to a reader who sees only one of
/// them (the others may be declarations of an overloaded function).
fn plain(name: &str) -> &str {
    match name.rsplit_once('#') {
        // `Counter.#add` is a name.
        Some((plain, number)) if number.parse::<u32>().is_ok() => plain,
        Some(_) | None => name,
    }
}

/// Returns advice by the kind of decisions.
fn advice(request: &Request, function: &FunctionFacts) -> String {
    let rest = function.complexity.saturating_sub(function.cases);
    if rest > request.settings.complexity {
        "Extract parts that deserve a name of their own, or reduce the number of decisions."
            .to_owned()
    } else {
        format!(
            "{} of its decisions are cases of a match or switch, and without them it is at {rest}: if they only map \
             one thing to another, a table reads better, or nothing needs to be done.",
            function.cases
        )
    }
}

fn complex(request: &Request, file: &str, function: &FunctionFacts, shown: &str) -> Finding {
    let high = function.complexity > request.settings.high_complexity;
    let (clarity, evidence, effort) =
        if high { (0.9, 0.9, Effort::Large) } else { (0.7, 0.8, Effort::Medium) };
    Finding {
        rule: Rule::Complexity,
        measure: u64::from(function.complexity),
        file: Some(file.to_owned()),
        symbol: Some(function.name.clone()),
        title: cut(
            &format!(
                "{} is {}complex (cyclomatic complexity {}): {file}",
                shown,
                if high { "very " } else { "" },
                function.complexity
            ),
            200,
        ),
        description: format!(
            "Its cyclomatic complexity is {}, above {}. {}",
            function.complexity,
            request.settings.complexity,
            advice(request, function)
        ),
        evidence: vec![Evidence {
            source: COMPLEXITY.to_owned(),
            content: format!(
                "cyclomatic complexity {} of `{}` (by tokens, as lizard counts)",
                function.complexity, function.name
            ),
            file_path: Some(file.to_owned()),
            line_number: Some(function.line.into()),
            timestamp: None,
        }],
        actionability: score(clarity, evidence, effort),
        affected_files: vec![file.to_owned()],
    }
}

fn long(request: &Request, file: &str, facts: &Facts) -> Finding {
    Finding {
        rule: Rule::LongFile,
        measure: u64::from(facts.code_lines),
        file: Some(file.to_owned()),
        symbol: None,
        title: cut(&format!("{file} is long ({} lines)", facts.lines), 200),
        description: format!(
            "It has {} lines, {} of them code, above {}. {}",
            facts.lines,
            facts.code_lines,
            request.settings.long_file_lines,
            if facts.code_lines > request.settings.long_file_lines {
                "A file that long usually does two things: give each its own file."
            } else {
                "Most of what is beyond that is comments and empty lines: check whether they belong here."
            }
        ),
        evidence: vec![Evidence {
            source: FILE_STATS.to_owned(),
            content: format!("{} lines, {} of them code", facts.lines, facts.code_lines),
            file_path: Some(file.to_owned()),
            line_number: None,
            timestamp: None,
        }],
        actionability: score(0.6, 0.9, Effort::Large),
        affected_files: vec![file.to_owned()],
    }
}

/// Languages whose tests cover one another's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    Rust,
    Python,
    Script,
    Go,
    Java,
}

impl Family {
    fn of(name: &str) -> Option<Self> {
        Some(match Language::of(name)? {
            Language::Rust => Self::Rust,
            Language::Python => Self::Python,
            Language::JavaScript | Language::TypeScript | Language::Tsx => Self::Script,
            Language::Go => Self::Go,
            Language::Java => Self::Java,
        })
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Python => "Python",
            Self::Script => "JavaScript and TypeScript",
            Self::Go => "Go",
            Self::Java => "Java",
        }
    }
}

/// Finds modules that no test mentions: neither by a file's name, nor by the module's or a function's name in its
/// text.
fn missing_tests(own: &[(&String, &Facts)], scan: &Scan, run: &mut AgentRun) {
    if !scan.all_tests_read {
        run.leave_out(
            "modules without a test",
            "not every test file could be read, so no module is known to lack one",
        );
        return;
    }
    // A generated test counts as well.
    let tested: BTreeSet<Family> = (scan.files.iter())
        .filter(|(file, facts)| paths::is_test(file) || facts.tests_inside)
        .filter_map(|(file, _)| Family::of(file))
        .collect();
    let mut without_any: BTreeMap<Family, usize> = BTreeMap::new();
    for (file, facts) in own {
        let Some(family) = Family::of(file) else {
            continue;
        };
        if !expects_test(file, facts) {
            continue;
        }
        if !tested.contains(&family) {
            *without_any.entry(family).or_default() += 1;
        } else if !is_named(file, facts, scan) {
            run.findings.push(missing(file, facts));
        }
    }
    for (family, files) in without_any {
        run.leave_out(
            format!("modules without a test: {files} of {}", family.name()),
            "the project has no test in this language, so modules are not reported one by one",
        );
    }
    run.looked.sources.insert(MISSING_TESTS.to_owned());
}

fn expects_test(file: &str, facts: &Facts) -> bool {
    !paths::is_test(file)
        && !paths::needs_no_test(file)
        && !facts.tests_inside
        && facts.code_lines >= MIN_CODE_LINES
        && !facts.functions.is_empty()
}

/// Whether a test mentions the module or one of its functions.
fn is_named(file: &str, facts: &Facts, scan: &Scan) -> bool {
    let mut stem = paths::stem(file);
    if stem == "mod" {
        // The module is the folder.
        stem = file.rsplit('/').nth(1).unwrap_or(stem);
    }
    let has = |word: &str| scan.words.contains(word);
    let beside = |suffix: &str| {
        let folder = file.strip_suffix(".rs").unwrap_or(file);
        scan.files.contains_key(&format!("{folder}{suffix}"))
    };
    has(stem)
        || [format!("test_{stem}"), format!("{stem}_test"), format!("{stem}_tests")]
            .iter()
            .any(|name| has(name))
        || beside("/tests.rs")
        || beside("_tests.rs")
        || facts.functions.iter().any(|function| {
            function
                .name
                .rsplit(['.', ':'])
                .map(|part| part.split('#').next().unwrap_or(part))
                .filter(|part| part.len() >= MIN_NAME)
                .any(has)
        })
}

fn missing(file: &str, facts: &Facts) -> Finding {
    let functions = facts.functions.len();
    Finding {
        rule: Rule::MissingTest,
        measure: u64::from(facts.code_lines),
        file: Some(file.to_owned()),
        symbol: None,
        title: cut(&format!("No test names {file}"), 200),
        description: format!(
            "It has {functions} functions in {} lines of code, and neither its name nor that of one of its functions \
             stands in a test. A test of what others rely on would show when it breaks.",
            facts.code_lines
        ),
        evidence: vec![Evidence {
            source: MISSING_TESTS.to_owned(),
            content: format!("no test names this file or one of its {functions} functions"),
            file_path: Some(file.to_owned()),
            line_number: None,
            timestamp: None,
        }],
        actionability: score(0.8, 0.7, Effort::Medium),
        affected_files: vec![file.to_owned()],
    }
}
