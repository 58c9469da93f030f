//! Long functions, long files, files that change often, and missing tests, from the sources themselves.

use super::facts::{Facts, FunctionFacts};
use super::scan::Scan;
use super::{Request, cut, paths, score};
use crate::discovery::finding::{AgentRun, Finding, Rule};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::backlog::model::{Effort, Evidence};

/// The source named in long-file findings.
const FILE_STATS: &str = "file_stats";
const MISSING_TESTS: &str = "missing_tests";

/// Number of lines above which a function is reported: two screens.
const LONG_FUNCTION: u32 = 80;
/// Number of recent commits, and of lines of code from which a file that changes often is reported.
const HOT: (u32, u32) = (20, 300);
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
        let long_functions = facts.functions.iter().filter(|each| each.lines > LONG_FUNCTION);
        run.findings.extend(long_functions.map(|function| long_function(file, function)));
        let commits = request.changed.get(*file).copied().unwrap_or(0);
        if commits >= HOT.0 && facts.code_lines >= HOT.1 {
            run.findings.push(hot(request, file, facts, commits));
        }
        if facts.lines > request.settings.long_file_lines {
            run.findings.push(long(request, file, facts));
        }
    }
    run.looked.sources.insert(FILE_STATS.to_owned());
    missing_tests(&own, scan, run);
}

/// A finding about the size of a file or of a part of it.
struct Size<'a> {
    rule: Rule,
    file: &'a str,
    function: Option<&'a FunctionFacts>,
    measure: u32,
    title: String,
    description: String,
    evidence: String,
}

impl Size<'_> {
    fn finding(self) -> Finding {
        let file = self.file.to_owned();
        Finding {
            rule: self.rule,
            measure: u64::from(self.measure),
            file: Some(file.clone()),
            symbol: self.function.map(|function| function.name.clone()),
            title: cut(&self.title, 200),
            description: self.description,
            evidence: vec![Evidence {
                source: FILE_STATS.to_owned(),
                content: self.evidence,
                file_path: Some(file.clone()),
                line_number: self.function.map(|function| function.line.into()),
                timestamp: None,
            }],
            actionability: score(0.6, 0.9, Effort::Large),
            affected_files: vec![file],
        }
    }
}

fn long_function(file: &str, function: &FunctionFacts) -> Finding {
    let FunctionFacts { name, lines, .. } = function;
    Size {
        rule: Rule::LongFunction,
        file,
        function: Some(function),
        measure: *lines,
        title: format!("{name} is long ({lines} lines): {file}"),
        description: format!(
            "It has {lines} lines, above {LONG_FUNCTION}. Extract parts that deserve a name of their own; a table or a \
             list of cases may stay as it is."
        ),
        evidence: format!("{lines} lines of `{name}`, by indentation"),
    }
    .finding()
}

fn hot(request: &Request, file: &str, facts: &Facts, commits: u32) -> Finding {
    let (all, lines) = (request.commits, facts.code_lines);
    Size {
        rule: Rule::HotFile,
        file,
        function: None,
        measure: commits.saturating_mul(lines),
        title: format!("{file} changes often and is large ({commits} commits, {lines} lines of code)"),
        description: format!(
            "{commits} of the last {all} commits changed it. What changes often and is large is where faults are \
             made: give what changes for different reasons a file of its own."
        ),
        evidence: format!("{commits} of the last {all} commits, {lines} lines of code"),
    }
    .finding()
}

fn long(request: &Request, file: &str, facts: &Facts) -> Finding {
    let most = request.settings.long_file_lines;
    let Facts { lines, code_lines, .. } = facts;
    let advice = if *code_lines > most {
        "A file that long usually does two things: give each its own file."
    } else {
        "Most of what is beyond that is comments and empty lines: check whether they belong here."
    };
    Size {
        rule: Rule::LongFile,
        file,
        function: None,
        measure: *code_lines,
        title: format!("{file} is long ({lines} lines)"),
        description: format!(
            "It has {lines} lines, {code_lines} of them code, above {most}. {advice}"
        ),
        evidence: format!("{lines} lines, {code_lines} of them code"),
    }
    .finding()
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
        Some(match name.rsplit_once('.')?.1 {
            "rs" => Self::Rust,
            "py" => Self::Python,
            "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Self::Script,
            "go" => Self::Go,
            "java" => Self::Java,
            _ => return None,
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
        .gather();
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
        || facts
            .functions
            .iter()
            .any(|function| function.name.len() >= MIN_NAME && has(&function.name))
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
