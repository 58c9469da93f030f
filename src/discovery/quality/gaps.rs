//! Coverage gaps in the project's files, from the reports.

use std::io;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::coverage::{self, MAX_REPORT_BYTES, Paths, ReportFile};
use super::{Request, cut, paths, score};
use crate::discovery::finding::{AgentRun, Finding, Rule};
use crate::files::Folder;
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::backlog::model::{Effort, Evidence};
use crate::text::Note;

/// Percentage below which coverage is called low: the threshold of the source system.
const LOW: f64 = 30.0;

/// A report's data on one file.
struct FileCoverage<'a> {
    report: &'a ReportFile,
    lines: u64,
    hit: u64,
}

impl FileCoverage<'_> {
    #[expect(clippy::cast_precision_loss, reason = "a file has fewer than 2^52 lines")]
    fn percent(&self) -> f64 {
        100.0 * self.hit as f64 / self.lines as f64
    }
}

/// Reads the reports and adds their gaps; returns whether any of them was usable.
pub(super) fn look(request: &Request, reports: &[ReportFile], run: &mut AgentRun) -> bool {
    let known = Paths::new(&request.tree);
    let modified: BTreeMap<&str, DateTime<Utc>> =
        (request.tree.files.iter()).map(|file| (file.name.as_str(), file.modified)).gather();
    // If two reports name one file, the newer one counts.
    let mut files: BTreeMap<&str, FileCoverage<'_>> = BTreeMap::new();
    let mut usable = false;
    for report in reports {
        let read = match load(request, report) {
            Ok(read) => read,
            Err(why) => {
                run.leave_out(&report.name, why);
                continue;
            }
        };
        usable = true;
        let folder = report.name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut elsewhere = 0_usize;
        let mut newer: Option<&str> = None;
        for (path, lines) in &read.files {
            let Some(file) = known.find(path, &read.sources, folder) else {
                elsewhere += 1;
                continue;
            };
            if modified.get(file).is_some_and(|when| *when > report.modified) {
                newer.get_or_insert(file);
            }
            let (lines, hit) = lines.counts();
            let replaced =
                files.get(file).is_some_and(|other| other.report.modified >= report.modified);
            if lines > 0 && !replaced {
                files.insert(file, FileCoverage { report, lines, hit });
            }
        }
        run.read.push(format!("{} ({} files)", report.name, read.files.len()));
        if elsewhere > 0 {
            run.leave_out(
                format!("{}: {elsewhere} of {} files", report.name, read.files.len()),
                "not among the project's own files: deleted, generated, vendored, or named from another folder",
            );
        }
        // A report that names no file of this project says nothing about it: its silence resolves
        // nothing.
        if elsewhere < read.files.len() || read.files.is_empty() {
            run.looked.sources.insert(report.name.clone());
        }
        if let Some(why) = stale(request, report, newer) {
            run.warnings.push(Note::new("stale_report", why));
        }
    }
    for (file, covered) in files {
        if covered.percent() < request.settings.coverage_percent && !paths::is_test(file) {
            run.findings.push(finding(request, file, &covered));
        }
    }
    usable
}

/// Returns why a report may be outdated.
fn stale(request: &Request, report: &ReportFile, newer: Option<&str>) -> Option<String> {
    if request.head.is_some_and(|head| report.modified < head) {
        Some(format!(
            "{} is older than the last commit: run the tests with coverage again",
            report.name
        ))
    } else {
        newer.map(|file| {
            format!(
                "{} is older than {file}, which it covers: run the tests with coverage again",
                report.name
            )
        })
    }
}

fn load(request: &Request, report: &ReportFile) -> Result<coverage::Report, String> {
    let too_large = || format!("larger than {} MiB", MAX_REPORT_BYTES >> 20);
    if report.bytes > MAX_REPORT_BYTES {
        return Err(too_large());
    }
    let bytes = Folder::open(&request.tree.root)
        .and_then(|root| root.read(Path::new(&report.name), MAX_REPORT_BYTES))
        .map_err(|error| {
            if error.kind() == io::ErrorKind::FileTooLarge {
                too_large()
            } else {
                format!("not readable: {error}")
            }
        })?;
    coverage::parse(&bytes).map_err(|error| error.to_string())
}

fn finding(request: &Request, file: &str, covered: &FileCoverage<'_>) -> Finding {
    let percent = covered.percent();
    let low = percent < LOW;
    // Truncated, not rounded: 49.96 is not shown as 50.0.
    let shown = (percent * 10.0).floor() / 10.0;
    Finding {
        rule: Rule::LineCoverage,
        measure: covered.lines - covered.hit,
        file: Some(file.to_owned()),
        symbol: None,
        title: cut(&format!("Tests reach {shown:.1}% of {file}"), 200),
        description: format!(
            "{} of {} lines that can be run are run by the tests; {}% is the least that is not reported. Test what \
             matters of the {} others.",
            covered.hit,
            covered.lines,
            request.settings.coverage_percent,
            covered.lines - covered.hit,
        ),
        evidence: vec![Evidence {
            source: covered.report.name.clone(),
            content: format!("{} of {} lines covered ({shown:.1}%)", covered.hit, covered.lines),
            file_path: Some(file.to_owned()),
            line_number: None,
            timestamp: Some(covered.report.modified),
        }],
        actionability: score(if low { 0.8 } else { 0.7 }, 0.9, Effort::Medium),
        affected_files: vec![file.to_owned()],
    }
}
