//! The first sentence of a review: the verdict in plain words, and facts that must not be overlooked.

use crate::change::{NotReviewed, Omission};
use crate::kernel::{Ended, Halt};
use crate::protocol::review::{Severity, Verdict};
use crate::report::page::{Emphasis, Text, agent_text_up_to, count, session, text};
use crate::report::review::ReviewDocument;

/// Maximum number of parts named.
const NAMED: usize = 3;
/// Maximum characters of a part's path.
const PATH_CHARS: usize = 120;

impl ReviewDocument {
    /// Returns the result in plain words; limits to its reliability come first.
    pub(crate) fn headline_text(&self) -> Text {
        match self.header.outcome {
            Ended::Stopped(halt @ (Halt::Running | Halt::Terminated)) => {
                session::halted(halt, text!["; ", findings(self.result.findings.len()), " by then"])
            }
            Ended::Stopped(halt) => {
                let so_far = match self.result.findings.len() {
                    0 => text![". Nothing found so far does not mean \"clean\""],
                    found => text!["; ", findings(found), " so far"],
                };
                session::halted(halt, so_far)
            }
            Ended::Closed(_) => match self.header.verdict {
                Verdict::Undecided => self.undecided(),
                Verdict::ChangesRequested => self.changes_requested(),
                Verdict::Comments => self.comments(),
                Verdict::Clean => self.clean(),
            },
        }
    }

    fn undecided(&self) -> Text {
        let mut reasons = self.gaps();
        let quorum = self.header.quorum;
        if reasons.is_empty() {
            // With a quorum and without a gap, only unreadable parts keep a review undecided.
            reasons.push(if quorum.answered < quorum.needed {
                "fewer than two agents answered".into()
            } else {
                "part of what an agent found could not be read".into()
            });
        }
        let silent = self.silent().next().is_some();
        let found = match (self.result.findings.len(), quorum.answered) {
            (0, 0) => "nobody reviewed anything".into(),
            (0, _) if silent => "the others found nothing, which is not \"clean\"".into(),
            (0, _) => "nothing remains, which is not \"clean\"".into(),
            (found, _) if self.result.degraded => {
                text![findings(found), " by only one agent, nothing is confirmed"]
            }
            (found, _) => findings(found),
        };
        text!["UNDECIDED: ", Text::join(reasons, "; "), "; ", found, self.also(), "."]
            .tone(Emphasis::Bad)
    }

    fn changes_requested(&self) -> Text {
        let grave = [Severity::P0, Severity::P1]
            .map(|severity| (severity.name(), self.remaining(severity)));
        let all = grave.iter().map(|(_, count)| count).sum();
        let each = grave.iter().filter(|(_, count)| *count > 0);
        let each = Text::join(each.map(|(name, count)| text![*count, " ", *name]), ", ");
        let mut parts = vec![text![findings(all), " at P1 or above (", each, ")"]];
        match self.disputed() {
            0 => {}
            disputed => parts.push(text![
                disputed,
                " more ",
                if disputed == 1 { "is" } else { "are" },
                " disputed, refuted by only one agent: check yourself"
            ]),
        }
        match self.remaining(Severity::P2) {
            0 => {}
            minor => parts.push(text![minor, " P2"]),
        }
        parts.extend(self.gaps());
        text!["CHANGES REQUESTED: ", Text::join(parts, "; "), self.also(), "."].tone(Emphasis::Bad)
    }

    fn comments(&self) -> Text {
        let disputed = self.disputed();
        let others = self.result.findings.len() - disputed;
        let mut parts = Vec::new();
        if others > 0 {
            parts.push(text![findings(others), ", none at P1 or above"]);
        }
        if disputed > 0 {
            parts.push(text![
                findings(disputed),
                " at P1 or above that only one agent refuted: look at ",
                if disputed == 1 { "it" } else { "them" }
            ]);
        }
        parts.extend(self.gaps());
        text!["COMMENTS: ", Text::join(parts, "; "), self.also(), "."].tone(Emphasis::Doubt)
    }

    fn clean(&self) -> Text {
        let quorum = self.header.quorum;
        text![
            "CLEAN in ",
            count(self.change.files_shown, "file"),
            self.unsettled(),
            self.also(),
            ". ",
            count(quorum.answered, "agent"),
            " ",
            session::vendors(quorum.vendors),
            " looked, and nothing remains."
        ]
        .tone(Emphasis::Good)
    }

    /// Gaps that must not be overlooked: missing answers, and parts that were not looked at.
    fn gaps(&self) -> Vec<Text> {
        let mut gaps = Vec::new();
        if self.header.tree_changed() {
            gaps.push("the working tree changed while it was reviewed".into());
        }
        gaps.extend(session::silence(self.silent(), &self.header.seats, "did not answer"));
        gaps.extend(session::silence(self.lapsed(), &[], "did not answer everything"));
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

    /// Further counts, so that the headline agrees with the lists below it: findings that the final vote was against,
    /// parts that nobody read, known findings.
    fn also(&self) -> Text {
        let rejected =
            self.result.findings.iter().filter(|finding| finding.keep_rejected.is_some());
        let left_out = self.result.not_reviewed.iter();
        let left_out = left_out.filter(|part| !part.missed && part.why != Omission::Own);
        let left_out: Vec<&NotReviewed> = left_out.collect();
        let not_read = (!left_out.is_empty()).then(|| text!["; not read: ", named(left_out)]);
        let counted = |count: usize, before: &'static str, after: &'static str| {
            (count > 0).then(|| text![before, count, after])
        };
        text![
            counted(rejected.count(), "; the final vote was against keeping ", " of them"),
            not_read,
            counted(self.result.suppressed.len(), "; ", " known and not raised again"),
        ]
    }

    /// States that a clean result rests on findings that were rejected without being settled; this explains a low
    /// confidence beside `clean`.
    fn unsettled(&self) -> Text {
        let last =
            self.result.rounds.last().filter(|_| self.result.confidence < self.confidence_wanted);
        let open = last.map_or(0, |round| round.groups.saturating_sub(round.settled));
        let were = if open == 1 { "was" } else { "were" };
        let unsettled =
            || text!["; ", count(open, "finding"), " ", were, " thrown out without being settled"];
        (open > 0).then(unsettled).into()
    }
}

/// `2 parts of the change were`.
fn parts(parts: usize) -> Text {
    text![count(parts, "part"), " of the change ", if parts == 1 { "was" } else { "were" }]
}

/// `a.bin (binary), b.key (secret) and 3 more`.
pub(in crate::report::review) fn named<'a>(
    parts: impl IntoIterator<Item = &'a NotReviewed>,
) -> Text {
    let mut parts = parts.into_iter();
    let first: Vec<Text> = (parts.by_ref().take(NAMED))
        .map(|part| {
            text![agent_text_up_to(&part.path, PATH_CHARS), " (", super::reason(part.why), ")"]
        })
        .collect();
    let more = parts.count();
    text![Text::join(first, ", "), (more > 0).then(|| text![" and ", more, " more"])]
}

fn findings(number: usize) -> Text {
    count(number, "finding")
}
