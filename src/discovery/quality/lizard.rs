//! Cyclomatic complexity, as the tool `lizard` counts it where it is installed.

use super::{cut, paths, score};
use crate::discovery::finding::{AgentRun, Finding, Rule};
use crate::protocol::backlog::model::{Effort, Evidence};

/// The source named in complexity findings.
const COMPLEXITY: &str = "complexity";
/// Complexity above which a function is reported, and above which it is called very complex: the thresholds of the
/// source system.
const COMPLEX: (u32, u32) = (10, 15);

#[derive(Debug, Clone, Default)]
pub enum Complexity {
    #[default]
    Unknown,
    /// Why lizard printed nothing usable.
    Failed(String),
    /// What `lizard --csv` printed.
    Printed(String),
}

/// Adds a finding for each complex function.
pub(super) fn apply(complexity: &Complexity, run: &mut AgentRun) {
    let printed = match complexity {
        Complexity::Unknown => {
            run.leave_out(
                COMPLEXITY,
                "lizard is not on PATH: `pip install lizard` has functions measured",
            );
            return;
        }
        Complexity::Failed(why) => {
            run.leave_out(COMPLEXITY, why);
            return;
        }
        Complexity::Printed(printed) => printed,
    };
    match functions(printed) {
        Ok(functions) => {
            run.read.push(format!("lizard ({} functions)", functions.len()));
            run.findings
                .extend(functions.iter().filter(|each| each.complexity > COMPLEX.0).map(finding));
            run.looked.sources.insert(COMPLEXITY.to_owned());
        }
        Err(error) => {
            run.leave_out(COMPLEXITY, format!("what lizard printed cannot be read: {error}"));
        }
    }
}

struct Function {
    file: String,
    name: String,
    line: u32,
    complexity: u32,
}

/// Reads `lizard --csv`: lines, complexity, tokens, parameters, length, place, file, name, long name, first line, last
/// line.
fn functions(printed: &str) -> Result<Vec<Function>, csv::Error> {
    let mut functions = Vec::new();
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(printed.as_bytes());
    for row in reader.records() {
        let row = row?;
        let number = |at: usize| row.get(at).and_then(|text| text.parse::<u32>().ok());
        let (Some(complexity), Some(file), Some(name), Some(line)) =
            (number(1), row.get(6), row.get(7), number(9))
        else {
            continue;
        };
        let file = file.trim_start_matches("./").to_owned();
        if !paths::is_test(&file) {
            functions.push(Function {
                file,
                name: name.chars().take(200).collect(),
                line,
                complexity,
            });
        }
    }
    Ok(functions)
}

fn finding(function: &Function) -> Finding {
    let Function { file, name, line, complexity } = function;
    let very = *complexity > COMPLEX.1;
    let (clarity, evidence, effort) =
        if very { (0.9, 0.9, Effort::Large) } else { (0.7, 0.8, Effort::Medium) };
    let how = if very { "very complex" } else { "complex" };
    Finding {
        rule: Rule::Complexity,
        measure: u64::from(*complexity),
        file: Some(file.clone()),
        symbol: Some(name.clone()),
        title: cut(&format!("{name} is {how} (cyclomatic complexity {complexity}): {file}"), 200),
        description: format!(
            "Its cyclomatic complexity is {complexity}, above {}. Extract parts that deserve a name of their own, or \
             reduce the number of decisions.",
            COMPLEX.0
        ),
        evidence: vec![Evidence {
            source: COMPLEXITY.to_owned(),
            content: format!("cyclomatic complexity {complexity} of `{name}`, by lizard"),
            file_path: Some(file.clone()),
            line_number: Some((*line).into()),
            timestamp: None,
        }],
        actionability: score(clarity, evidence, effort),
        affected_files: vec![file.clone()],
    }
}
