//! Several artifacts in one run (`discuss docs/*.md`): one document, one summary for people, one in Markdown.
//!
//! An artifact that was not discussed, or about which nothing was decided, is counted and named as such. The run as a
//! whole reads as reached only where all of them are.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DiscussDocument;
use super::headline::names;
use super::people::{Mark, Screen};
use crate::kernel::Warning;
use crate::protocol::discuss::{Severity, Verdict};
use crate::report::document::{CostSummary, SCHEMA_VERSION};
use crate::report::pieces::{Page, inert};
use crate::report::progress::REHEARSAL;
use crate::report::table::Table;
use crate::report::words::{self, BAD, DOUBT, GOOD};
use crate::report::{Look, backlog};

/// Action items of all artifacts together at most.
const ITEMS: usize = 10;
/// Artifacts that one line of a screen names; the record names all.
const NAMED: usize = 3;
/// Lines of one kind under a summary on a screen.
const LISTED: usize = 10;

/// The result of `discuss` for several artifacts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DiscussionsDocument {
    /// One entry an artifact that was discussed, in the order given.
    pub discussions: Vec<DiscussDocument>,
    /// Artifacts that were not, with the reason.
    pub not_discussed: Vec<NotDiscussed>,
    /// All of them together.
    pub summary: Summary,
    /// Built-in stand-ins gave every answer: no model was asked.
    pub rehearsal: bool,
    /// What all of them cost, out of one budget.
    pub cost: CostSummary,
    /// What concerns the whole run.
    pub warnings: Vec<Warning>,
    /// Where the summary is; `null` where none was written.
    #[serde(default)]
    pub record_path: Option<String>,
    /// The version of this document.
    pub schema_version: u32,
}

/// An artifact that was not discussed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotDiscussed {
    /// Its name.
    pub artifact: String,
    /// A stable name of the reason: `artifact_binary`, `budget`, ...
    pub code: String,
    /// The reason, in a sentence.
    pub why: String,
}

/// Several artifacts together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// All artifacts of the run.
    pub artifacts: u32,
    /// Those that nothing stands against.
    pub reached: u32,
    /// Those that something does.
    pub blocked: u32,
    /// Those about which nothing was decided.
    pub undecided: u32,
    /// Those that were not discussed at all.
    pub not_discussed: u32,
    /// The worst severity of those that were decided; `null` where none was.
    pub severity: Option<Severity>,
    /// What is most urgent in those that were decided: at most ten, the first of each artifact first.
    pub action_items: Vec<UrgentItem>,
}

/// Something to be done, and to which artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UrgentItem {
    /// The artifact.
    pub artifact: String,
    /// The round in whose record it stands.
    pub round_id: String,
    /// What is to be done.
    pub text: String,
    /// `high` and `medium` are changes that are required, `low` is advice.
    pub urgency: Severity,
    /// Who asks for it.
    pub perspectives: Vec<String>,
}

impl Summary {
    fn new(discussions: &[DiscussDocument], not_discussed: &[NotDiscussed]) -> Self {
        let count = |verdict: Verdict| {
            let all = discussions.iter();
            number(all.filter(|each| each.header.verdict == verdict).count())
        };
        let decided = || {
            discussions.iter().filter(|each| match each.header.verdict {
                Verdict::ConsensusReached | Verdict::ConsensusBlocked => true,
                Verdict::Undecided => false,
            })
        };
        let mut items: Vec<(usize, UrgentItem)> = decided()
            .flat_map(|each| {
                let items = each.action_items.iter().map(|item| UrgentItem {
                    artifact: each.artifact.clone(),
                    round_id: each.round_id.clone(),
                    text: item.text.clone(),
                    urgency: item.urgency,
                    perspectives: item.perspectives.clone(),
                });
                items.enumerate()
            })
            .collect();
        // Stable, so what is equal stays in the order given.
        items.sort_by_key(|(place, item)| (Reverse(item.urgency), *place));
        let items = items.into_iter().map(|(_, item)| item);
        Self {
            artifacts: number(discussions.len() + not_discussed.len()),
            reached: count(Verdict::ConsensusReached),
            blocked: count(Verdict::ConsensusBlocked),
            undecided: count(Verdict::Undecided),
            not_discussed: number(not_discussed.len()),
            severity: decided().filter_map(|each| each.severity).max(),
            action_items: items.collect(),
        }
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

impl DiscussionsDocument {
    /// Makes the document and its summary. `cost` is that of all of them, `warnings` concern the whole run.
    pub fn new(
        discussions: Vec<DiscussDocument>,
        not_discussed: Vec<NotDiscussed>,
        rehearsal: bool,
        cost: CostSummary,
        warnings: Vec<Warning>,
    ) -> Self {
        Self {
            summary: Summary::new(&discussions, &not_discussed),
            discussions,
            not_discussed,
            rehearsal,
            cost,
            warnings,
            record_path: None,
            schema_version: SCHEMA_VERSION,
        }
    }

    /// Says where the summary is.
    pub fn place(&mut self, report: String) {
        self.record_path = Some(report);
    }

    /// Says in one line how all of them ended: by the worst that was decided, then by what was not decided.
    pub fn headline(&self) -> String {
        let summary = &self.summary;
        let of = words::count(summary.artifacts, "artifact");
        let severity = summary.severity.map_or("none", |severity| severity.name());
        let (verdict, count) = match self.verdict() {
            Verdict::ConsensusBlocked => (format!("BLOCKED ({severity})"), summary.blocked),
            Verdict::Undecided if summary.artifacts == 0 => {
                return "UNDECIDED: there was no artifact to discuss.".to_owned();
            }
            Verdict::Undecided if summary.undecided == 0 => {
                ("NOT DISCUSSED".to_owned(), summary.not_discussed)
            }
            Verdict::Undecided => ("UNDECIDED".to_owned(), summary.undecided),
            Verdict::ConsensusReached => {
                return format!("CONSENSUS REACHED on {of}, worst severity {severity}.");
            }
        };
        let rest = [
            (summary.undecided, "undecided", "UNDECIDED"),
            (summary.not_discussed, "not discussed", "NOT DISCUSSED"),
            (summary.reached, "in consensus", ""),
        ];
        let rest = rest.into_iter().filter(|(count, _, name)| *count > 0 && *name != verdict);
        let mut parts = vec![format!("{verdict}: {count} of {of}")];
        parts.extend(rest.map(|(count, name, _)| format!("{count} {name}")));
        format!("{}.", parts.join("; "))
    }

    /// The verdict of the run as a whole: reached only where all are.
    fn verdict(&self) -> Verdict {
        let summary = &self.summary;
        if summary.blocked > 0 {
            Verdict::ConsensusBlocked
        } else if summary.artifacts > 0 && summary.reached == summary.artifacts {
            Verdict::ConsensusReached
        } else {
            Verdict::Undecided
        }
    }

    /// Returns the summary for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let mut screen = Screen::new(look);
        if self.rehearsal {
            screen.painted(REHEARSAL, DOUBT);
        }
        let style = match (self.verdict(), self.summary.severity) {
            (Verdict::ConsensusReached, _) => GOOD,
            (Verdict::ConsensusBlocked, Some(Severity::Medium)) => DOUBT,
            (Verdict::ConsensusBlocked | Verdict::Undecided, _) => BAD,
        };
        screen.painted(&self.headline(), style);
        for line in self.one_voices(NAMED) {
            screen.painted(&format!("WARNING: {line}"), DOUBT);
        }
        screen.text.push('\n');
        let headers = ["Artifact", "Verdict", "Severity", "Mean", "Answered"];
        let table = Table::new(&headers, self.rows(str::to_owned)).unbroken(&[1, 2, 3, 4]);
        screen.text.push_str(&table.render(look.width));
        let items = self.summary.action_items.iter().map(|item| {
            let (artifact, text) = (words::sentence(&item.artifact), words::sentence(&item.text));
            format!("{}, {artifact}: {text} ({})", item.urgency, names(&item.perspectives))
        });
        screen.list("Action items", items.collect(), ITEMS, Mark::Number);
        let left = self.not_discussed.iter().map(|left| {
            let (artifact, why) = (words::sentence(&left.artifact), words::sentence(&left.why));
            format!("{artifact}: {why}")
        });
        screen.list("Not discussed", left.collect(), LISTED, Mark::Star);
        let seats = self.seats(NAMED);
        screen.list("Who failed, was stood in for, or was not asked", seats, LISTED, Mark::Star);
        self.foot(&mut screen);
        words::commandless(&screen.text)
    }

    /// A row an artifact, in the order given; those that were not discussed come last. `safe` makes text of others
    /// fit for the page.
    fn rows(&self, safe: fn(&str) -> String) -> impl Iterator<Item = Vec<String>> {
        let dash = || "-".to_owned();
        let discussed = self.discussions.iter().map(move |each| {
            let verdict = match each.header.verdict {
                Verdict::ConsensusReached => "reached",
                Verdict::ConsensusBlocked => "BLOCKED",
                Verdict::Undecided => "UNDECIDED",
            };
            // The mean of a part beside other means would read as one of them.
            let mean = each.average_rating.filter(|_| !each.suspended());
            vec![
                safe(&each.artifact),
                verdict.to_owned(),
                (each.severity).map_or_else(dash, |severity| severity.to_string()),
                mean.map_or_else(dash, |mean| format!("{mean:.2}")),
                format!("{} of {}", each.header.quorum.answered, each.asked.len()),
            ]
        });
        let left = self.not_discussed.iter().map(move |left| {
            let verdict = "NOT DISCUSSED".to_owned();
            vec![safe(&left.artifact), verdict, dash(), dash(), dash()]
        });
        discussed.chain(left)
    }

    /// Who did not answer or had another one answer, on which artifacts (`most` by name), each in a sanitized line.
    fn seats(&self, most: usize) -> Vec<String> {
        let told = self.discussions.iter().flat_map(|each| {
            let lines = each.notable().map(backlog::seat);
            lines.map(move |line| (&*each.artifact, line))
        });
        self.gathered(told, most)
    }

    /// Puts lines that are the same for several artifacts together, in the order in which each first comes. A line that
    /// holds for all of several says so; else `most` artifacts are named, and the rest counted.
    fn gathered<'a>(
        &self,
        told: impl Iterator<Item = (&'a str, String)>,
        most: usize,
    ) -> Vec<String> {
        let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
        let mut places = BTreeMap::new();
        for (artifact, line) in told {
            let next = lines.len();
            let place = *places.entry(line.clone()).or_insert(next);
            if place == next {
                lines.push((line, Vec::new()));
            }
            if let Some((_, artifacts)) = lines.get_mut(place) {
                artifacts.push(artifact);
            }
        }
        let all = self.discussions.len();
        let line = |(line, artifacts): (String, Vec<&str>)| {
            if all > 1 && artifacts.len() == all && self.not_discussed.is_empty() {
                return format!("all {all} artifacts: {line}");
            }
            let named = artifacts.iter().take(most);
            let named: Vec<String> = named.map(|artifact| words::sentence(artifact)).collect();
            let rest = match artifacts.len().saturating_sub(most) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("{}{rest}: {line}", named.join(", "))
        };
        lines.into_iter().map(line).collect()
    }

    /// What followed, on which artifact, each in a sanitized line.
    fn followed(&self) -> Vec<String> {
        let told = self.discussions.iter().filter_map(|each| {
            let follow_up = each.followed()?;
            Some(format!("{}: {follow_up}", words::sentence(&each.artifact)))
        });
        told.collect()
    }

    /// Which artifacts one vendor gave every answer on (`most` by name), each in a sanitized line.
    fn one_voices(&self, most: usize) -> Vec<String> {
        let told = self.discussions.iter().filter_map(|each| {
            let warning = words::sentence(&each.one_voice()?.message);
            Some((&*each.artifact, warning))
        });
        self.gathered(told, most)
    }

    fn foot(&self, screen: &mut Screen) {
        screen.text.push('\n');
        let cost = crate::report::debate::cost(&self.cost, self.rehearsal);
        screen.under("Cost", &[cost]);
        screen.under("Follow-up", &self.followed());
        let warnings = self.warnings.iter();
        let warnings: Vec<String> = warnings.map(|each| words::sentence(&each.message)).collect();
        screen.under("Warnings", &warnings);
        let mut records: Vec<String> =
            self.record_path.iter().map(|path| words::sentence(path)).collect();
        if records.is_empty() {
            // Without a summary that names them.
            let paths = self.discussions.iter().filter_map(|each| each.record_path.as_ref());
            records = paths.map(|path| words::sentence(path)).collect();
        }
        screen.under("Record", &records);
        let mut open: Vec<String> = self.open().collect();
        let more = open.len().saturating_sub(LISTED);
        if more > 0 {
            open.truncate(LISTED);
            open.push(format!("... and {more} more: debate-agent sessions list"));
        }
        screen.under("Next", &open);
    }

    /// How to go on with each that is undecided.
    fn open(&self) -> impl Iterator<Item = String> {
        self.discussions.iter().filter_map(DiscussDocument::next)
    }

    /// Returns the summary in Markdown: text of others is text, never markup.
    pub fn markdown(&self) -> String {
        let mut page = Page::default();
        page.heading(1, "Discussions");
        if self.rehearsal {
            page.line(&format!(
                "**{REHEARSAL}. Everything below is invented; nothing is decided by it.**"
            ));
            page.gap();
        }
        page.line(&format!("**{}**", inert(&self.headline())));
        for line in self.one_voices(usize::MAX) {
            page.gap();
            page.line(&format!("**WARNING:** {}", inert(&line)));
        }
        page.gap();
        let cost = crate::report::debate::cost(&self.cost, self.rehearsal);
        page.line(&format!("- Cost: {cost}"));
        page.heading(2, "Artifacts");
        let named = self.discussions.iter().map(|each| {
            // The summary stands beside the records: their names are enough, wherever the folder is moved to.
            let record = each.record_path.as_deref().map(Path::new);
            let record = record.and_then(Path::file_name).and_then(OsStr::to_str);
            let record = record.map_or_else(|| "-".to_owned(), inert);
            [inert(&each.round_id), record]
        });
        let named = named.chain(std::iter::repeat_with(|| ["-".to_owned(), "-".to_owned()]));
        let rows = self.rows(inert).zip(named).map(|(mut row, named)| {
            row.extend(named);
            row
        });
        page.table(
            &["Artifact", "Verdict", "Severity", "Mean", "Answered", "Round", "Record"],
            rows,
        );
        if !self.not_discussed.is_empty() {
            page.heading(2, "Not discussed");
        }
        for left in &self.not_discussed {
            let (artifact, code, why) =
                (inert(&left.artifact), inert(&left.code), inert(&left.why));
            page.line(&format!("- {artifact} ({code}): {why}"));
        }
        page.heading(2, "Action items, most urgent first");
        if self.summary.action_items.is_empty() {
            page.line("None of an artifact that was decided.");
        }
        for (number, item) in (1..).zip(&self.summary.action_items) {
            let (artifact, text) = (inert(&item.artifact), inert(&item.text));
            let by = inert(&names(&item.perspectives));
            page.line(&format!("{number}. {text} ({}; {by}) in {artifact}", item.urgency));
        }
        for (heading, lines) in [
            ("Follow-up", self.followed()),
            ("Who failed, was stood in for, or was not asked", self.seats(usize::MAX)),
        ] {
            if !lines.is_empty() {
                page.heading(2, heading);
            }
            page.list(lines.iter().map(|line| inert(line)), "");
        }
        if self.discussions.iter().any(DiscussDocument::suspended) {
            page.heading(2, "Undecided, and how to go on");
            page.list(self.open().map(|line| inert(&line)), "");
        }
        if !self.warnings.is_empty() {
            page.heading(2, "Warnings");
            for warning in &self.warnings {
                page.line(&format!(
                    "- {}",
                    inert(&format!("{}: {}", warning.code, warning.message))
                ));
            }
        }
        page.text
    }
}

#[cfg(test)]
mod tests;
