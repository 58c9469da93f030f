//! Findings and judgements: `REVIEW` and `CROSS_REVIEW`.

use serde_json::{Map, Value};

use crate::contract::{Fields, Judge};
use crate::protocol::review::contract::{
    DETAIL_CHARS, MAX_FINDINGS, PATH_CHARS, QUOTE_CHARS, REASON_CHARS, TITLE_CHARS,
};
use crate::protocol::review::{CrossSaid, Finding, Judgement, ReviewSaid, Severity, Stance};

pub(super) fn review(judge: &mut Judge, mut map: Map<String, Value>) -> ReviewSaid {
    let findings = match judge.list(&mut map, "findings") {
        Some(entries) => findings(judge, "finding", entries),
        None => Vec::new(),
    };
    ReviewSaid {
        findings,
        residual_risks: judge.lines(&mut map, "residual_risks"),
        open_questions: judge.lines(&mut map, "open_questions"),
    }
}

pub(super) fn cross(judge: &mut Judge, mut map: Map<String, Value>) -> CrossSaid {
    let judgements = match judge.list(&mut map, "judgements") {
        Some(entries) => judgements(judge, entries),
        None => Vec::new(),
    };
    let missed_issues = match judge.optional_list(&mut map, "missed_issues") {
        Some(entries) => findings(judge, "missed issue", entries),
        None => Vec::new(),
    };
    CrossSaid { judgements, missed_issues }
}

fn findings(judge: &mut Judge, noun: &str, mut entries: Vec<Value>) -> Vec<Finding> {
    let given = entries.len();
    if given > MAX_FINDINGS {
        let message =
            format!("{given} findings are given, and at most {MAX_FINDINGS} count: the first");
        judge.lenient("too_many", message);
        entries.truncate(MAX_FINDINGS);
    }
    let beyond = given - entries.len();
    let (findings, faulty) = judge.entries(noun, entries, finding);
    judge.left_out.insert("finding", faulty + beyond);
    findings
}

fn judgements(judge: &mut Judge, entries: Vec<Value>) -> Vec<Judgement> {
    let (given, _) = judge.entries("judgement", entries, |fields| Judgement {
        id: fields.line("id", 60),
        stance: fields
            .word("stance", &Stance::ALL.map(|stance| (stance.name(), stance)))
            .unwrap_or(Stance::Unsure),
        reason: fields.required("reason", REASON_CHARS),
        evidence: fields.code("evidence", QUOTE_CHARS),
    });
    judge.by_id("judgement", given, |judgement| &mut judgement.id)
}

fn finding(fields: &mut Fields<'_>) -> Finding {
    // A fault leaves the entry out, so that what stands for a missing severity never counts.
    let severity = fields
        .word("severity", &Severity::ALL.map(|severity| (severity.name(), severity)))
        .unwrap_or(Severity::P0);
    let (line, end_line) = lines(fields);
    let detail = fields.text("detail", DETAIL_CHARS).unwrap_or_default();
    if detail.is_empty() {
        fields.lenient("missing_field", "`detail` says what is wrong, and is missing");
    }
    Finding {
        severity,
        title: fields.line("title", TITLE_CHARS),
        file: fields.line("file", PATH_CHARS),
        line,
        end_line,
        quote: fields.code("quote", QUOTE_CHARS),
        detail,
        fix: fields.text("fix", DETAIL_CHARS).unwrap_or_default(),
    }
}

/// Takes `line` and `end_line`. A line that cannot be read is no reason to lose the finding: it is then without one.
fn lines(fields: &mut Fields<'_>) -> (Option<u32>, Option<u32>) {
    let (line, until) = number(fields, "line");
    let (end, _) = number(fields, "end_line");
    let end = end.or(until);
    match (line, end) {
        (Some(first), Some(last)) if last < first => {
            fields.note("line_ignored", "`end_line` is before `line`; it is left out");
            (line, None)
        }
        (None, Some(_)) => {
            fields.note("line_ignored", "`end_line` stands without `line`, and is taken for it");
            (end, None)
        }
        (line, end) => (line, end),
    }
}

/// Reads a line: a number; or one as text, `42`, `L42`, `42-48`, which names the last line besides.
fn number(fields: &mut Fields<'_>, key: &str) -> (Option<u32>, Option<u32>) {
    let Some(value) = fields.take(key) else {
        return (None, None);
    };
    let (found, exact) = match &value {
        Value::Number(number) => {
            let whole = number.as_u64().and_then(|line| u32::try_from(line).ok());
            (whole.map(|line| (line, None)), true)
        }
        Value::String(text) => (range(text), false),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => (None, false),
    };
    let Some((line, end)) = found.filter(|(line, _)| *line > 0) else {
        let message = format!("`{key}` must be a line number from 1; it is left out otherwise");
        fields.lenient("wrong_line", &message);
        return (None, None);
    };
    if !exact {
        fields.note("number_as_text", &format!("`{key}` was given as text"));
    }
    (Some(line), end)
}

fn range(text: &str) -> Option<(u32, Option<u32>)> {
    let line = |text: &str| {
        let text = text.trim();
        let digits = text.strip_prefix(['L', 'l']).unwrap_or(text);
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse::<u32>().ok())?
    };
    match text.split_once(['-', '–']) {
        Some((first, last)) => Some((line(first)?, Some(line(last)?))),
        None => Some((line(text)?, None)),
    }
}
