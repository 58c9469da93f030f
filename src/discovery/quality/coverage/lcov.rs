//! LCOV: a record of lines per file, from `SF:` to `end_of_record`.

use super::{Lines, Report, ReportError};

pub(super) fn parse(text: &str) -> Result<Report, ReportError> {
    let mut report = Report::default();
    let mut open: Option<Record> = None;
    let mut records = 0_usize;
    let mut last = 0;
    for (index, line) in text.lines().enumerate() {
        last = index + 1;
        let wrong = |message: String| ReportError { line: index + 1, message };
        let line = line.trim();
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        match (key, &mut open) {
            ("SF", None) => open = Some(Record::new(value)),
            ("SF", Some(_)) => {
                return Err(wrong("a record begins before the last one ended".to_owned()));
            }
            ("DA", Some(record)) => {
                let (line, hits) = line_data(value)
                    .ok_or_else(|| wrong(format!("`{}` is not a line and count", cut(value))))?;
                record.lines.add(line, hits);
            }
            ("LF", Some(record)) => record.found = value.parse().ok(),
            ("LH", Some(record)) => record.hit = value.parse().ok(),
            ("end_of_record", Some(_)) => {
                if let Some(record) = open.take() {
                    record.finish(&mut report);
                    records += 1;
                }
            }
            ("DA" | "end_of_record", None) => {
                return Err(wrong(format!("`{key}` is outside a record")));
            }
            // Functions, branches, test names, versions, comments.
            _ if line.is_empty() || line.starts_with('#') || is_other(key) => {}
            _ => {
                return Err(wrong(format!("`{}` is not a line of an LCOV report", cut(line))));
            }
        }
    }
    if open.is_some() {
        return Err(ReportError {
            line: last,
            message: "the report ends inside a record".to_owned(),
        });
    }
    if records == 0 {
        return Err(ReportError {
            line: last.max(1),
            message: "the report has no record".to_owned(),
        });
    }
    Ok(report)
}

/// Whether a record has no line data: `FN`, `BRDA`, `TN`, and future ones.
fn is_other(key: &str) -> bool {
    (2..=16).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

struct Record {
    file: String,
    lines: Lines,
    found: Option<u64>,
    hit: Option<u64>,
}

impl Record {
    fn new(file: &str) -> Self {
        Self { file: file.to_owned(), lines: Lines::default(), found: None, hit: None }
    }

    /// Adds to the data of other records for the same file.
    fn finish(self, report: &mut Report) {
        let whole = report.files.entry(self.file).or_default();
        if self.lines.by_line.is_empty() {
            if let (Some(found), Some(hit)) = (self.found, self.hit) {
                whole.counted.get_or_insert((found, hit.min(found)));
            }
            return;
        }
        whole.counted = None;
        for (line, hit) in self.lines.by_line {
            whole.add(line, hit);
        }
    }
}

/// Parses `line,count[,checksum]`; a negative count (gcov's overflow) counts as not run.
fn line_data(value: &str) -> Option<(u32, bool)> {
    let mut parts = value.split(',');
    let line = parts.next()?.trim().parse().ok()?;
    let hits = parts.next()?.trim();
    let negative = hits.starts_with('-');
    let digits = hits.trim_start_matches('-');
    let valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    valid.then(|| (line, !negative && digits.bytes().any(|byte| byte != b'0')))
}

fn cut(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}
