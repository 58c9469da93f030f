//! The page of several critiques: how each ended, the most urgent items of all, and who must act.

use std::ffi::OsStr;
use std::path::Path;

use super::super::page::{INVENTED, warn};
use super::{DiscussionsDocument, UrgentItem};
use crate::protocol::discuss::{Severity, Verdict};
use crate::report::discuss::DiscussDocument;
use crate::report::page::ToPage;
use crate::report::page::{
    Emphasis, Page, Table, Text, agent_text, code, count, decimal, name, names, path, session, text,
};
use crate::report::progress::REHEARSAL;

/// Maximum number of action items and of lines of one kind on a screen.
const LISTED: usize = 10;
/// Maximum number of artifacts named in one line of a screen; the record names all.
const NAMED: usize = 3;

impl ToPage for DiscussionsDocument {
    fn page(&self) -> Page {
        let mut page = Page::new("Discussions", self.headline_text());
        if self.rehearsal {
            page.banner(REHEARSAL);
            page.blocks().para(INVENTED).record_only();
        }
        let blocks = page.blocks();
        for warning in self.one_voices(NAMED) {
            warn(blocks, warning).screen_only();
        }
        for warning in self.one_voices(usize::MAX) {
            warn(blocks, warning).record_only();
        }
        let cost = session::cost(&self.cost, self.rehearsal);
        blocks.facts([("Cost", vec![cost.clone()])]).record_only();
        blocks.section("Artifacts", |below| {
            below.table(self.table()).screen_only();
            below.table(self.table_with_records()).record_only();
        });
        blocks.section("Not discussed", |below| {
            let left = self.not_discussed.iter().map(|left| {
                text![path(&left.artifact), " (", name(&left.code), "): ", agent_text(&left.why)]
            });
            below.list(left).most_on_screen(LISTED);
        });
        blocks.section("Action items, most urgent first", |below| {
            let items = &self.summary.action_items;
            let none = items.is_empty().then_some("None for an artifact that was decided.");
            below.para(none).record_only();
            below.list(items.iter().map(urgent)).numbered_from(1).most_on_screen(LISTED);
        });
        blocks.section("Follow-up", |below| {
            below.list(self.followed());
        });
        blocks.section("Who failed, was replaced, or was not asked", |below| {
            below.list(self.seats(NAMED)).most_on_screen(LISTED).screen_only();
            below.list(self.seats(usize::MAX)).record_only();
        });
        blocks
            .section("Undecided, and how to continue", |below| {
                below.list(self.open());
            })
            .record_only();
        blocks
            .section("Warnings", |below| {
                let warnings = self.warnings.iter();
                below.list(
                    warnings.map(|each| text![name(&each.code), ": ", agent_text(&each.message)]),
                );
            })
            .record_only();
        let warnings = self.warnings.iter().map(|each| agent_text(&each.message));
        let foot = [
            ("Cost", vec![cost]),
            ("Warnings", warnings.collect()),
            ("Report", self.records()),
            ("Next", self.first_open()),
        ];
        blocks.facts(foot).screen_only();
        page
    }
}

impl DiscussionsDocument {
    /// Returns in one line how all critiques ended: by the worst decided one, then by the undecided ones.
    pub(crate) fn headline_text(&self) -> Text {
        let summary = &self.summary;
        let of = count(summary.artifacts, "artifact");
        let severity = summary.severity.map_or("none", |severity| severity.name());
        let (verdict, number, told) = match self.verdict() {
            Verdict::ConsensusReached => {
                return text!["CONSENSUS REACHED on ", of, ", worst severity ", severity, "."]
                    .tone(Emphasis::Good);
            }
            Verdict::ConsensusBlocked => (text!["BLOCKED (", severity, ")"], summary.blocked, ""),
            Verdict::Undecided if summary.artifacts == 0 => {
                return text!["UNDECIDED: there was no artifact to discuss."].tone(Emphasis::Bad);
            }
            Verdict::Undecided if summary.undecided == 0 => {
                ("NOT DISCUSSED".into(), summary.not_discussed, "not discussed")
            }
            Verdict::Undecided => ("UNDECIDED".into(), summary.undecided, "undecided"),
        };
        let rest = [
            (summary.undecided, "undecided"),
            (summary.not_discussed, "not discussed"),
            (summary.reached, "in consensus"),
        ];
        let rest = rest.into_iter().filter(|(count, what)| *count > 0 && *what != told);
        let rest = rest.map(|(count, what)| text!["; ", count, " ", what]);
        let rest = rest.fold(Text::default(), |all, each| text![all, each]);
        text![verdict, ": ", number, " of ", of, rest, "."].tone(self.tone())
    }

    fn tone(&self) -> Emphasis {
        match (self.verdict(), self.summary.severity) {
            (Verdict::ConsensusReached, _) => Emphasis::Good,
            (Verdict::ConsensusBlocked, Some(Severity::Medium)) => Emphasis::Doubt,
            (Verdict::ConsensusBlocked | Verdict::Undecided, _) => Emphasis::Bad,
        }
    }

    /// A row per artifact, in the given order; those that were not discussed come last.
    fn rows(&self) -> impl Iterator<Item = Vec<Text>> {
        let discussed = self.discussions.iter().map(|each| {
            let verdict = match each.header.verdict {
                Verdict::ConsensusReached => "reached",
                Verdict::ConsensusBlocked => "BLOCKED",
                Verdict::Undecided => "UNDECIDED",
            };
            // A mean over part of the perspectives would read like the other means.
            let mean = each.average_rating.filter(|_| !each.suspended());
            vec![
                path(&each.artifact),
                verdict.into(),
                each.severity.map_or("-", |severity| severity.name()).into(),
                mean.map_or_else(|| "-".into(), decimal),
                text![each.header.quorum.answered, " of ", each.asked.len()],
            ]
        });
        let left = self.not_discussed.iter().map(|left| {
            vec![path(&left.artifact), "NOT DISCUSSED".into(), "-".into(), "-".into(), "-".into()]
        });
        discussed.chain(left)
    }

    fn table(&self) -> Table {
        let headers = ["Artifact", "Verdict", "Severity", "Mean", "Answered"];
        Table::new(headers, self.rows()).unbroken(&[1, 2, 3, 4])
    }

    fn table_with_records(&self) -> Table {
        let named = self.discussions.iter().map(|each| {
            // The summary is in the folder of the records, so their file names are enough, even if the folder moves.
            let record = each.record_path.as_deref().map(Path::new);
            let record = record.and_then(Path::file_name).and_then(OsStr::to_str);
            [name(&each.round_id), record.map_or_else(|| "-".into(), path)]
        });
        let named = named.chain(std::iter::repeat_with(|| ["-".into(), "-".into()]));
        let rows =
            self.rows().zip(named).map(|(row, named)| row.into_iter().chain(named).collect());
        let headers = ["Artifact", "Verdict", "Severity", "Mean", "Answered", "Round", "Record"];
        Table::new(headers, rows)
    }

    /// Returns the seats that did not answer or had a stand-in, with their artifacts (`most` by name).
    pub(super) fn seats(&self, most: usize) -> Vec<Text> {
        let told = self.discussions.iter().flat_map(|each| {
            let lines = each.notable().map(session::seat);
            lines.map(move |line| (&*each.artifact, line))
        });
        self.gathered(told, most)
    }

    /// Returns the artifacts on which one vendor gave every answer (`most` by name).
    fn one_voices(&self, most: usize) -> Vec<Text> {
        let told = self
            .discussions
            .iter()
            .filter_map(|each| Some((&*each.artifact, agent_text(&each.one_voice()?.message))));
        self.gathered(told, most)
    }

    /// Merges lines that are the same for several artifacts, in the order of their first occurrence. A line common to
    /// all of several artifacts says so; otherwise `most` artifacts are named and the rest counted.
    fn gathered<'a>(&self, told: impl Iterator<Item = (&'a str, Text)>, most: usize) -> Vec<Text> {
        let mut lines: Vec<(Text, Vec<&str>)> = Vec::new();
        for (artifact, line) in told {
            match lines.iter_mut().find(|(known, _)| *known == line) {
                Some((_, artifacts)) => artifacts.push(artifact),
                None => lines.push((line, vec![artifact])),
            }
        }
        let all = self.discussions.len();
        let line = |(line, artifacts): (Text, Vec<&str>)| {
            if all > 1 && artifacts.len() == all && self.not_discussed.is_empty() {
                return text!["all ", all, " artifacts: ", line];
            }
            let more = artifacts.len().saturating_sub(most);
            let more = (more > 0).then(|| text![" and ", more, " more"]);
            let named = artifacts.into_iter().take(most).map(path);
            text![Text::join(named, ", "), more, ": ", line]
        };
        lines.into_iter().map(line).collect()
    }

    /// The follow-ups, with their artifacts.
    fn followed(&self) -> Vec<Text> {
        let told = self
            .discussions
            .iter()
            .filter_map(|each| Some(text![path(&each.artifact), ": ", each.followed()?]));
        told.collect()
    }

    /// The path of the summary, or without one the path of each record.
    fn records(&self) -> Vec<Text> {
        if let Some(summary) = &self.record_path {
            return vec![path(summary)];
        }
        let records = self.discussions.iter().filter_map(|each| each.record_path.as_deref());
        records.map(path).collect()
    }

    /// Returns how to resume each undecided critique.
    fn open(&self) -> impl Iterator<Item = Text> {
        self.discussions.iter().flat_map(DiscussDocument::next)
    }

    /// Like `open`, but limited to what a screen shows.
    fn first_open(&self) -> Vec<Text> {
        let mut open: Vec<Text> = self.open().collect();
        let more = open.len().saturating_sub(LISTED);
        if more > 0 {
            open.truncate(LISTED);
            open.push(text!["... and ", more, " more: ", code("debate-agent sessions list")]);
        }
        open
    }
}

/// `Give it an owner. (high; technical) in docs/a.md`.
fn urgent(item: &UrgentItem) -> Text {
    let (urgency, by) = (item.urgency.name(), names(&item.perspectives));
    text![agent_text(&item.text), " (", urgency, "; ", by, ") in ", path(&item.artifact)]
}
