//! Derives the outcome from the state: with agent names restored, and the fate of every finding.

use super::agreement;
use super::locate;
use super::model::{
    DecisionKind, EliminatedFinding, EliminatedStatus, FinalFinding, Finding, Group,
    JudgementRecord, Location, Outcome, RepeatRecord, ReportedFinding, ReviewFindings,
    SeatJudgement, Severity, Stance, Status, SuppressedFinding, Verdict,
};
use super::state::{Composition, State};
use super::validate::{self, KeptFinding};
use super::verdict::{self, Standing};
use crate::change::{NotReviewed, Omission, Reason};
use crate::kernel::{Ended, Quorum, Run, Stop, count};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::council::{QUORUM, RejectedKeepVotes, once, unsaid};
use crate::text::similarity::keywords;

/// Returns the outcome of a review; of one that was stopped, the findings so far, and no verdict.
pub(super) fn outcome(state: &State, stopped: Option<Stop>, run: &Run) -> Outcome {
    Reader::new(state).outcome(stopped, run)
}

/// The data from which the outcome is derived.
struct Reader<'a> {
    state: &'a State,
    /// The seats' names in the result.
    names: Vec<String>,
    groups: BTreeMap<&'a str, &'a Group>,
    composition: Composition,
}

impl<'a> Reader<'a> {
    fn new(state: &'a State) -> Self {
        let groups = state.visible().map(|group| (group.id.as_str(), group));
        Self {
            names: state.names(),
            groups: groups.gather(),
            composition: state.composition.clone().unwrap_or_else(|| state.by_rule()),
            state,
        }
    }

    fn name(&self, seat: usize) -> String {
        self.names.get(seat).cloned().unwrap_or_default()
    }

    fn outcome(&self, stopped: Option<Stop>, run: &Run) -> Outcome {
        let state = self.state;
        let counted = state.counted();
        let settled =
            validate::settle(&self.composition.decisions, &self.composition.tallies, &counted);
        let findings = sorted(settled.kept.iter().filter_map(|kept| self.kept(kept)));
        let eliminated = self.eliminated(&settled.eliminated);
        let not_reviewed = self.not_reviewed();
        let remaining: Vec<(Severity, Status)> =
            findings.iter().map(|each| (each.reported.finding.severity, each.status)).collect();
        let flawless = (run.seats().iter().enumerate())
            .filter(|(at, seat)| !state.lossy.contains(at) && seat.is_intact());
        let standing = Standing {
            asked: count(state.input.seats.len()),
            // A seat whose review could not be read completely does not count as having answered everything.
            answered: count(flawless.count()),
            present: count(state.met()),
            findings: &remaining,
            not_reviewed: &not_reviewed,
        };
        let vendors = count(run.seats().vendors());
        let suppressed = self.suppressed();
        let verdict = match stopped {
            Some(_) => Verdict::Undecided,
            None => verdict::verdict(&standing),
        };
        let present: Vec<(usize, &str)> = state
            .reviewers
            .present()
            .into_iter()
            .filter_map(|seat| Some((seat, self.names.get(seat)?.as_str())))
            .collect();
        let scores = state.scores.iter();
        let seats = run.seats().iter().enumerate();
        // What a confirmed finding tells is no open question, and what is asked is no risk besides.
        let confirmed = findings.iter().filter(|each| each.status == Status::Confirmed);
        let told = confirmed.map(|each| {
            let Finding { title, detail, trigger, .. } = &each.reported.finding;
            keywords([title.as_str(), detail, trigger.as_deref().unwrap_or_default()])
        });
        let asked = self.lines(&self.composition.open_questions, |said| &said.open_questions);
        let open_questions = unsaid(asked, &mut told.collect());
        let mut asked = open_questions.iter().map(|text| keywords([text.as_str()])).collect();
        let risks = self.lines(&self.composition.residual_risks, |said| &said.residual_risks);
        let residual_risks = unsaid(risks, &mut asked);
        let result = ReviewFindings {
            composed_by: self.composition.seat.map(|seat| self.name(seat)),
            winner: state.ranking.first().map(|seat| self.name(*seat)),
            confidence: state.confidence,
            rounds: state.rounds.clone(),
            agreement: agreement::matrix(&counted, &present),
            scores: scores.map(|(seat, score)| (self.name(*seat), *score)).gather(),
            validation: self.composition.tallies.clone(),
            findings,
            eliminated,
            suppressed,
            not_reviewed,
            residual_risks,
            open_questions,
            degraded: state.degraded(),
        };
        Outcome {
            outcome: stopped.map_or(Ended::Closed(verdict), Ended::from),
            verdict,
            seats: seats.map(|(at, seat)| state.reviewers.seat(at, seat)).collect(),
            quorum: Quorum { needed: count(QUORUM), answered: count(state.met()), vendors },
            // Only cross-examinations count as rounds.
            rounds_used: state.rounds.iter().map(|round| round.round).max().unwrap_or(0),
            failure: run.seats().failure().cloned(),
            warnings: run.warnings().to_vec(),
            result,
        }
    }

    fn kept(&self, kept: &KeptFinding) -> Option<FinalFinding> {
        let group = self.groups.get(kept.id.as_str())?;
        let mut reported = self.reported(group, &kept.merged)?;
        reported.finding.severity = kept.severity;
        reported.severity_unconfirmed = kept.severity_unconfirmed;
        reported.repeats = self.repeats(kept);
        let place = |field: &mut String, text: &Option<String>| {
            if let Some(text) = text {
                field.clone_from(text);
            }
        };
        place(&mut reported.finding.title, &kept.title);
        place(&mut reported.finding.detail, &kept.detail);
        place(&mut reported.finding.fix, &kept.fix);
        Some(FinalFinding {
            status: kept.status,
            disputed: kept.disputed.clone(),
            keep_rejected: self.keep_rejected(&kept.id),
            reported,
        })
    }

    /// Returns the findings that judges said are the same as one, with their texts: they are shown with it on one seat's
    /// word, so nothing of them is hidden.
    fn repeats(&self, kept: &KeptFinding) -> Vec<RepeatRecord> {
        let decisions = self.composition.decisions.iter();
        let repeats = decisions
            .filter(|decision| decision.is_by_rule() && kept.merged.contains(&decision.id));
        repeats
            .filter_map(|decision| {
                let group = self.groups.get(decision.id.as_str())?;
                let shown = &group.members.first()?.placed.finding;
                Some(RepeatRecord {
                    id: group.id.clone(),
                    title: shown.title.clone(),
                    line: shown.line,
                    detail: shown.detail.clone(),
                    said_by: decision.repeated_by.iter().map(|seat| self.name(*seat)).collect(),
                })
            })
            .collect()
    }

    fn keep_rejected(&self, id: &str) -> Option<RejectedKeepVotes> {
        let mut votes = self.composition.tallies.iter();
        let vote = votes.find(|vote| vote.id == id && vote.decision == DecisionKind::Keep);
        vote.and_then(|vote| vote.tally.rejected())
    }

    /// Returns a group as the result shows it; a group is never empty.
    fn reported(&self, group: &Group, merged: &[String]) -> Option<ReportedFinding> {
        let all: Vec<&Group> = std::iter::once(group)
            .chain(merged.iter().filter_map(|id| self.groups.get(id.as_str()).copied()))
            .collect();
        let authors: BTreeSet<usize> = all.iter().flat_map(|group| group.authors()).gather();
        let stood = |stance: Stance| -> Vec<String> {
            let judges = all.iter().flat_map(|group| &group.judged);
            let seats: BTreeSet<usize> = judges
                .filter(|(seat, judged)| judged.stance == stance && !authors.contains(seat))
                .map(|(seat, _)| *seat)
                .gather();
            seats.into_iter().map(|seat| self.name(seat)).collect()
        };
        let mut severities: BTreeMap<String, Severity> = BTreeMap::new();
        let wrote = all.iter().flat_map(|group| &group.members);
        let wrote = wrote.map(|raised| (raised.seat, raised.placed.finding.severity));
        let agreed = all.iter().flat_map(|group| &group.judged);
        let agreed = agreed
            .filter(|(seat, judged)| judged.stance == Stance::Agree && !authors.contains(seat))
            .filter_map(|(seat, judged)| Some((*seat, judged.severity?)));
        for (seat, severity) in wrote.chain(agreed) {
            severities
                .entry(self.name(seat))
                .and_modify(|worst| *worst = severity.min(*worst))
                .or_insert(severity);
        }
        let first = &group.members.first()?.placed;
        let mut finding = group.shown()?;
        finding.trigger = all.iter().find_map(|group| group.trigger()).map(str::to_owned);
        Some(ReportedFinding {
            id: group.id.clone(),
            finding,
            location: group.location(),
            nearness: first.nearness,
            hunk: locate::excerpt(&self.state.input.change, first),
            severity_unconfirmed: group.severity_unconfirmed(),
            repeats: Vec::new(),
            found_by: authors.iter().map(|seat| self.name(*seat)).collect(),
            confirmed_by: stood(Stance::Agree),
            disputed_by: stood(Stance::Disagree),
            judgements: all.iter().flat_map(|group| self.said(group, &group.judged)).collect(),
            rebuttals: all.iter().flat_map(|group| self.said(group, &group.rebuttals)).collect(),
            severities,
            merged: merged.to_vec(),
            fingerprint: group.fingerprint.clone(),
            proof: (all.iter().filter_map(|group| group.proof.clone()))
                .min_by_key(|proof| proof.status),
        })
    }

    fn said(&self, of: &Group, said: &BTreeMap<usize, SeatJudgement>) -> Vec<JudgementRecord> {
        said.iter()
            .map(|(seat, judged)| JudgementRecord {
                finding: of.id.clone(),
                agent: self.name(*seat),
                stance: judged.stance,
                reason: judged.reason.clone(),
                evidence: judged.evidence.clone(),
                without_evidence: judged.said != judged.stance,
                said: (judged.said != judged.stance).then_some(judged.said),
                only: judged.only.clone(),
                severity: judged.severity,
                same_as: judged.same_as.clone(),
                lines: judged.lines.clone(),
            })
            .collect()
    }

    /// Returns the findings that do not remain: outside the change, refuted, or eliminated by the composer.
    fn eliminated(&self, thrown_out: &[(String, String)]) -> Vec<EliminatedFinding> {
        let by_rule = self.groups.values().filter_map(|group| {
            let reported = self.reported(group, &[])?;
            let (status, reason) = if group.location() == Location::Outside {
                let file = &reported.finding.file;
                let reason = format!("`{file}` is not a file that reviewers were shown");
                (EliminatedStatus::Outside, reason)
            } else if super::status::is_out(group) {
                (EliminatedStatus::Refuted, refuted(&reported))
            } else {
                return None;
            };
            Some(EliminatedFinding { status, reason, reported })
        });
        let thrown_out = thrown_out.iter().filter_map(|(id, reason)| {
            let group = self.groups.get(id.as_str())?;
            Some(EliminatedFinding {
                status: EliminatedStatus::Eliminated,
                reason: reason.clone(),
                reported: self.reported(group, &[])?,
            })
        });
        let mut eliminated: Vec<EliminatedFinding> = by_rule.chain(thrown_out).collect();
        eliminated.sort_by_cached_key(|each| order(&each.reported));
        eliminated
    }

    fn suppressed(&self) -> Vec<SuppressedFinding> {
        let aside = self.state.groups.iter();
        aside
            .filter(|group| self.state.aside.contains(&group.id))
            .filter_map(|group| {
                let reported = self.reported(group, &[])?;
                Some(SuppressedFinding {
                    severity: reported.finding.severity,
                    title: reported.finding.title,
                    file: reported.finding.file,
                    line: reported.finding.line,
                    found_by: reported.found_by,
                    known: self.state.input.known.get(&group.fingerprint)?.clone(),
                    fingerprint: reported.fingerprint,
                })
            })
            .collect()
    }

    /// Returns the parts of the change that no seat was shown, and those that too few seats reviewed.
    fn not_reviewed(&self) -> Vec<NotReviewed> {
        let change = &self.state.input.change;
        let mut all = change.not_reviewed.clone();
        for (at, batch) in change.batches.iter().enumerate() {
            if self.state.quorum(at) {
                continue;
            }
            let detail = format!(
                "{} of {} agents answered for it, but {QUORUM} are needed",
                self.state.reviewers.of(at),
                self.state.input.seats.len()
            );
            for part in &batch.parts {
                let Some(file) = change.files.get(part.file) else {
                    continue;
                };
                let hunks = file.hunks.get(part.first..part.end).unwrap_or_default();
                let whole = hunks.len() == file.hunks.len();
                let path = match (whole, hunks.first(), hunks.last()) {
                    (false, Some(first), Some(last)) => format!(
                        "{} (lines {}-{})",
                        file.path,
                        first.new_start,
                        last.new_start
                            .saturating_add(last.new_lines)
                            .saturating_sub(1)
                            .max(first.new_start)
                    ),
                    _ => file.path.clone(),
                };
                let reason = Reason::missed(Omission::NoQuorum, detail.clone());
                all.push(NotReviewed::new(path, reason));
            }
        }
        all
    }

    /// Returns risks or questions, each once: the composer's first, then the reviewers' by seat.
    fn lines(
        &self,
        composed: &[String],
        of: impl Fn(&super::ReviewBlock) -> &Vec<String>,
    ) -> Vec<String> {
        let reviews = self.state.reviews.values().flat_map(of);
        once(composed.iter().chain(reviews))
    }
}

/// Returns why a finding is refuted, in the words of those who did, then of its author, if it gave it up.
fn refuted(reported: &ReportedFinding) -> String {
    let against = reported.judgements.iter().filter(|said| said.stance == Stance::Disagree);
    let reasons: Vec<String> = (against.chain(&reported.rebuttals))
        .map(|said| format!("{}: {}", said.agent, said.reason))
        .collect();
    reasons.join("; ")
}

type Order = (Severity, String, Option<u32>, usize, String);

/// Returns the sort key: the worst first, then by place; ids by length first, so that F10 comes after F9.
fn order(reported: &ReportedFinding) -> Order {
    (
        reported.finding.severity,
        reported.finding.file.clone(),
        reported.finding.line,
        reported.id.len(),
        reported.id.clone(),
    )
}

fn sorted(findings: impl Iterator<Item = FinalFinding>) -> Vec<FinalFinding> {
    let mut findings: Vec<FinalFinding> = findings.collect();
    // What others confirmed stands first among equals.
    let is_open = |each: &FinalFinding| each.status != Status::Confirmed;
    findings.sort_by_cached_key(|each| {
        let (severity, ..) = order(&each.reported);
        (severity, is_open(each), order(&each.reported))
    });
    findings
}

#[cfg(test)]
mod tests {
    //! Tests of the names and places in the result.

    use super::super::model::{CompositionBlock, Content, KeptGroup, ReviewBlock};
    use super::super::testing::{
        agreeable, change, code, file, finding, input, nothing, role, run, seat, two_findings,
        votes,
    };
    use super::super::{Machine, Role};
    use super::*;
    use crate::change::{Batch, Hunk, Part};
    use crate::kernel::{Stop, Turn};

    fn risky(turn: &Turn) -> Option<Content> {
        let lines = |all: &[&str]| all.iter().map(|line| (*line).to_owned()).collect();
        Some(match role(turn) {
            Role::Reviewer => Content::Review(ReviewBlock {
                findings: match two_findings(turn) {
                    Content::Review(said) => said.findings,
                    _ => Vec::new(),
                },
                residual_risks: lines(&["No load test.", "The clock may jump"]),
                open_questions: lines(
                    [
                        &["Who calls it?", "Can the counter overflow, or break?"][..],
                        &["who calls it", "Is the supported Python version at least 3.9?"],
                        &["Which Python versions are supported, 3.9?"],
                    ][seat(turn)],
                ),
            }),
            Role::Composer => Content::Composition(CompositionBlock {
                keep: vec![KeptGroup {
                    id: "F1".into(),
                    title: Some("The counter overflows".into()),
                    detail: Some("After 2^32 calls.".into()),
                    fix: None,
                }],
                residual_risks: lines(&["no load test", "Composed risk"]),
                ..CompositionBlock::default()
            }),
            Role::CrossReviewer | Role::Validator | Role::Prover | Role::Sandbox => {
                return agreeable(turn);
            }
        })
    }

    #[test]
    fn risks_and_questions_stand_once_the_composer_s_first() {
        let (_, outcome) = run(&mut Machine::open(input(2)).unwrap(), risky);
        assert_eq!(
            outcome.result.residual_risks,
            ["no load test", "Composed risk", "The clock may jump"]
        );
        // A confirmed finding tells of the counter.
        let asked = ["Who calls it?", "Is the supported Python version at least 3.9?"];
        assert_eq!(outcome.result.open_questions, asked);
    }

    #[test]
    fn the_composer_s_words_count_where_its_decision_stands() {
        let (_, outcome) = run(&mut Machine::open(input(2)).unwrap(), risky);
        let reported = &outcome.result.findings[0].reported;
        assert_eq!(
            (reported.finding.title.as_str(), reported.finding.detail.as_str()),
            ("The counter overflows", "After 2^32 calls.")
        );
        assert!(reported.finding.fix.starts_with("Use `compute_a"));
        let (_, outcome) = run(&mut Machine::open(input(2)).unwrap(), |turn| match role(turn) {
            Role::Validator | Role::Prover | Role::Sandbox => Some(votes(turn, false)),
            Role::Reviewer | Role::CrossReviewer | Role::Composer => risky(turn),
        });
        assert_eq!(
            outcome.result.findings[0].reported.finding.title,
            "Overflow of the counter breaks"
        );
        assert_eq!(
            outcome.result.validation[0].reasons,
            [("codex".to_owned(), "So I see it.".to_owned())]
        );
    }

    #[test]
    fn each_author_s_severity_is_kept_and_the_highest_of_two_vendors_shown() {
        let say = |turn: &Turn| match (role(turn), seat(turn)) {
            (Role::Reviewer, 0) => Some(super::super::testing::review(vec![finding(
                Severity::P2,
                "a",
                7,
                "Overflow of the counter",
            )])),
            (Role::Reviewer, _) => Some(super::super::testing::review(vec![finding(
                Severity::P1,
                "a",
                7,
                "Overflow of the counter",
            )])),
            _ => agreeable(turn),
        };
        let (steps, outcome) = run(&mut Machine::open(input(2)).unwrap(), say);
        // Both wrote it, so there is nothing to cross-examine, and no seat may vote.
        assert_eq!(steps[1..], ["compose/s2"]);
        let [finding] = &outcome.result.findings[..] else { panic!("one finding") };
        assert_eq!(
            (finding.status, finding.reported.finding.severity),
            (Status::Confirmed, Severity::P2)
        );
        assert_eq!(finding.reported.found_by, ["claude", "codex"]);
        let severities: Vec<_> = finding.reported.severities.iter().collect();
        assert_eq!(
            severities,
            [(&"claude".to_owned(), &Severity::P2), (&"codex".to_owned(), &Severity::P1)]
        );
        assert_eq!(outcome.result.agreement[0].shared, 1);
    }

    #[test]
    fn findings_are_sorted_by_severity_and_place_under_the_ids_that_reviewers_saw() {
        let lines: Vec<String> = (1..=99).map(|line| code("c", line)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let say = |turn: &Turn| match (role(turn), seat(turn)) {
            (Role::Reviewer, 0) => {
                // Far enough apart to be eleven findings.
                let minor = (1..12).map(|at| finding(Severity::P2, "c", at * 8, "Overflow"));
                let grave = finding(Severity::P0, "c", 99, "Corruption");
                Some(super::super::testing::review(minor.chain([grave]).collect()))
            }
            _ => (role(turn) == Role::Reviewer).then(nothing),
        };
        let mut input = input(2);
        input.settings.max_rounds = 0;
        input.change = change(vec![file("src/c.rs", &lines)], false);
        let (_, outcome) = run(&mut Machine::open(input).unwrap(), say);
        let lines: Vec<_> = outcome
            .result
            .findings
            .iter()
            .map(|each| each.reported.finding.line.unwrap())
            .collect();
        assert_eq!(lines, [99, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88]);
        let ids = outcome.result.findings.iter().map(|each| each.reported.id.clone());
        let seen = [12].into_iter().chain(1..12).map(|at| format!("F{at}"));
        assert_eq!(ids.collect::<Vec<_>>(), seen.collect::<Vec<_>>());
    }

    #[test]
    fn a_file_of_which_one_part_found_no_quorum_is_named_with_its_lines() {
        let mut split = file("src/a.rs", &["one", "two"]);
        split.hunks.push(Hunk { new_start: 100, new_lines: 5, ..split.hunks[0].clone() });
        let mut input = input(2);
        input.change = change(vec![split], false);
        input.change.batches = (0..2)
            .map(|at| Batch { parts: vec![Part { file: 0, first: at, end: at + 1 }] })
            .collect();
        let (_, outcome) = run(&mut Machine::open(input).unwrap(), |turn| {
            (turn.id != "r1/review/s1/b2").then(nothing)
        });
        assert_eq!(outcome.result.not_reviewed.len(), 1);
        assert_eq!(outcome.result.not_reviewed[0].path, "src/a.rs (lines 100-104)");
        assert_eq!(outcome.verdict, Verdict::Undecided);
        assert!(!outcome.result.degraded, "the first part was reviewed by both");
    }

    #[test]
    fn a_seat_that_left_no_trace_is_skipped_and_a_stopped_review_says_so() {
        let machine = Machine::open(input(2)).unwrap();
        let outcome = machine.stop(Stop::Cancelled(15));
        assert!(outcome.seats.iter().all(|seat| seat.failure.is_none()));
        assert_eq!(outcome.quorum.vendors, 0);
    }

    #[test]
    fn agents_of_one_vendor_confirm_nothing_and_are_told_so() {
        let mut alike = input(2);
        alike.seats[1].vendor = "anthropic".to_owned();
        let machine = Machine::open(alike).unwrap();
        assert_eq!(machine.stop(Stop::Budget).warnings[0].code, "same_vendor");
    }
}
