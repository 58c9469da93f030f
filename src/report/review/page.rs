//! The page of a review: remaining findings, parts that were not looked at, rejected findings with the reasons, then
//! the seats and their confidence.

use serde::Serialize;
use serde_json::{Value, json};

use super::code::FindingCode;
use super::{ReviewDocument, ReviewedFile};
use crate::change::{NotReviewed, Omission};
use crate::kernel::{Ended, Halt};
use crate::ordered::{BTreeMap, BTreeSet, Gather as _};
use crate::protocol::review::{Severity, Status, Verdict};
use crate::report::page::session::{self, SessionPhase};
use crate::report::page::template::Data;
use crate::report::page::{Page, Text, ToPage, count, terminal, text};

/// Maximum number of paths on a line.
const PATHS_OF_A_LINE: usize = 20;

impl ToPage for ReviewDocument {
    fn page(&self) -> Page {
        let mut next = session::next(&self.header, self.standing());
        next.extend(self.dismissal());
        session::page("Code review", &self.header, ("review", &self.data()), next)
    }
}

impl ReviewDocument {
    /// Returns the result in plain words; limits to its reliability come first.
    pub(crate) fn headline_text(&self) -> Text {
        self.data().sentence("review/headline")
    }

    /// Returns what the templates are filled with.
    pub(super) fn data(&self) -> Data {
        let rounds_used = self.header.rounds_used;
        let early = self.decided()
            && (1..self.max_rounds).contains(&rounds_used)
            && self.result.confidence >= self.confidence_wanted;
        let left_out = self.result.not_reviewed.iter();
        let left_out = left_out.filter(|part| !part.missed && part.why != Omission::Own);
        let outvoted = self.result.findings.iter().filter(|found| found.keep_rejected.is_some());
        // A clean result may rest on findings that were thrown out without being settled; this explains a low
        // confidence beside it.
        let last =
            self.result.rounds.last().filter(|_| self.result.confidence < self.confidence_wanted);
        let pairs = self.result.agreement.iter();
        let agreeing: BTreeSet<&str> = pairs.flat_map(|pair| [&*pair.one, &*pair.other]).gather();
        let mut parts: Vec<&NotReviewed> = self.result.not_reviewed.iter().collect();
        parts.sort_by_key(|part| {
            (!part.missed, part.why != Omission::UntrackedSecret, part.why == Omission::Own)
        });
        let findings = self.result.findings.iter().map(|finding| &finding.reported);
        let code = findings.map(|reported| (reported.id.as_str(), FindingCode::of(reported)));
        let files = self.change.files.iter().map(|file| self.listed(file));
        session::data(self, &self.header)
            .with("code", code.gather::<BTreeMap<_, _>>())
            .with("files", files.collect::<Vec<_>>())
            .with("closed", self.decided())
            .with("decided_early", early)
            .with("p0", self.remaining(Severity::P0))
            .with("p1", self.remaining(Severity::P1))
            .with("p2", self.remaining(Severity::P2))
            .with("unverified", self.unverified())
            .with("disputed", self.disputed())
            .with("joint", self.result.findings.iter().map(|it| it.disputed.len()).sum::<usize>())
            .with("outvoted", outvoted.count())
            .with("unsettled", last.map_or(0, |round| round.groups.saturating_sub(round.settled)))
            .with("silent", self.silent().next().is_some())
            .with("parts", lines(parts))
            .with("agreeing", agreeing)
            .text("not_read", named(left_out))
            .text("gaps", Text::join(self.gaps(), "; "))
    }

    /// Returns a file with the number of its findings.
    fn listed(&self, file: &ReviewedFile) -> Value {
        let findings = self.result.findings.iter();
        let findings = findings.filter(|found| found.reported.finding.file == file.path);
        json!({ "file": file, "findings": findings.count() })
    }

    fn standing(&self) -> SessionPhase {
        match self.header.outcome {
            Ended::Closed(Verdict::Undecided)
                if self.silent().chain(self.lapsed()).next().is_some() =>
            {
                SessionPhase::Failed
            }
            // Undecided although all agents answered: asking again would change nothing.
            Ended::Closed(_) => SessionPhase::Decided,
            Ended::Stopped(halt) => SessionPhase::of(halt, 1),
        }
    }

    /// Gaps that must not be overlooked: missing answers, and parts that were not looked at.
    fn gaps(&self) -> Vec<Text> {
        let mut gaps = Vec::new();
        if self.header.tree_changed() {
            gaps.push("the working tree changed while it was reviewed".into());
        }
        gaps.extend(session::silence(self.silent(), &self.header.seats, "did not answer"));
        gaps.extend(session::silence(self.lapsed(), &[], "did not answer everything"));
        let parts = |parts: usize| {
            text![count(parts, "part"), " of the change ", if parts == 1 { "was" } else { "were" }]
        };
        let (few, none): (Vec<_>, Vec<_>) =
            self.missed().partition(|part| part.why == Omission::NoQuorum);
        if !none.is_empty() {
            gaps.push(text![parts(none.len()), " not reviewed, check yourself: ", named(none)]);
        }
        // If fewer than two agents answered at all, that is already stated.
        if !few.is_empty() && (!self.result.degraded || gaps.is_empty()) {
            gaps.push(text![parts(few.len()), " reviewed by fewer than two agents"]);
        }
        gaps
    }

    fn dismissal(&self) -> Option<Text> {
        let running = self.header.outcome == Ended::Stopped(Halt::Running);
        let mut open = self.result.findings.iter().filter(|one| one.status != Status::Confirmed);
        let first = open.next().filter(|_| !running && !self.header.rehearsal)?;
        let command = format!("debate-agent review dismiss {} --why TEXT", first.reported.id);
        Some(session::step(command, "not raised again while the code it quotes is unchanged"))
    }
}

/// Returns a sentence about a finding, as the page has it.
pub(super) fn about(finding: &impl Serialize, template: &str) -> String {
    terminal::line(&Data::default().with("finding", finding).sentence(template))
}

/// `a.bin (binary), b.key (secret) and 3 more`.
pub(super) fn named<'a>(parts: impl IntoIterator<Item = &'a NotReviewed>) -> Text {
    let parts: Vec<&NotReviewed> = parts.into_iter().collect();
    Data::default().with("parts", parts).sentence("review/named")
}

/// Returns the parts that were left out, those with one reason together: `how` they were, their `paths`, `why`.
pub(super) fn lines<'a>(parts: impl IntoIterator<Item = &'a NotReviewed>) -> Vec<Value> {
    let mut lines: Vec<(&NotReviewed, Vec<&str>)> = Vec::new();
    for part in parts {
        let same = |(first, paths): &&mut (&NotReviewed, Vec<&str>)| {
            (first.why, first.missed, &first.detail) == (part.why, part.missed, &part.detail)
                && paths.len() < PATHS_OF_A_LINE
        };
        match lines.iter_mut().find(same) {
            Some((_, paths)) => paths.push(&part.path),
            None => lines.push((part, vec![&part.path])),
        }
    }
    let line = |(part, paths): (&NotReviewed, Vec<&str>)| {
        let how = match part.why {
            Omission::NoQuorum => "REVIEWED BY TOO FEW",
            _ if part.missed => "NOT REVIEWED",
            Omission::UntrackedSecret => "NOT IGNORED",
            _ => "Not read",
        };
        json!({ "how": how, "paths": paths, "why": part.why, "detail": part.detail })
    };
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod record_tests;
#[cfg(test)]
mod screen_tests;
