//! The page of a plan: the steps in order with their objections, then how the plan came about.

use super::PlanDocument;
use crate::kernel::Ended;
use crate::protocol::council::RoundRecord;
use crate::protocol::plan::{
    FinalStep, FinalVote, Objection, ObjectionKind, OmittedStep, SaidSame, ScoreBreakdown,
    ValidationResult, Verdict,
};
use crate::report::page::ToPage;
use crate::report::page::session::{self, SessionPhase};
use crate::report::page::{
    Blocks, Emphasis, Item, Page, Table, Text, agent_text, count, name, names, path, percent, text,
};

impl ToPage for PlanDocument {
    fn page(&self) -> Page {
        let mut page = session::begin("Plan", &self.header, self.headline_text());
        let blocks = page.blocks();
        let base = self
            .result
            .winner
            .as_deref()
            .map(|winner| ("Base", text!["the plan of ", name(winner)]));
        let first =
            [("Task", agent_text(&self.task)), ("Verdict", self.header.verdict.name().into())];
        session::about(blocks, &self.header, self.standing(), first.into_iter().chain(base));
        session::known(blocks, &self.facts, &self.assumptions);
        blocks.section("Steps", |below| self.steps(below));
        blocks.section("Risks", |below| {
            below.list(self.result.risks.iter().map(|risk| agent_text(risk)));
        });
        blocks.section("Open questions", |below| {
            below.list(self.result.open_questions.iter().map(|question| agent_text(question)));
        });
        blocks.section("Not in the plan", |below| {
            below.list(self.result.left_out.iter().map(left_out));
        });
        let hidden = self.result.not_shown.iter().map(|part| {
            text![path(&part.path), " (", part.why.name(), "): ", agent_text(&part.detail)]
        });
        blocks.section("Not shown to the planners", |below| {
            below.list(hidden);
        });
        blocks.section("Scores", |below| {
            below.table(scores(self.result.scores.iter()));
        });
        blocks
            .section("Rounds", |below| {
                below.table(rounds(&self.result.rounds));
            })
            .record_only();
        session::attendance(blocks, &self.header, self.attendance());
        session::record(blocks, &self.header);
        let seats = self.header.seats.iter().map(session::seat).chain([self.attendance()]);
        let vote = match self.result.final_vote {
            FinalVote::NotNeeded => vec![text!["not needed: every step was confirmed as it is"]],
            FinalVote::Held | FinalVote::NotHeld => Vec::new(),
        };
        let first = [
            ("Seats", seats.collect()),
            ("Confidence", vec![self.certainty()]),
            ("Final vote", vote),
        ];
        session::foot(blocks, &self.header, first, session::next(&self.header, self.standing()));
        page
    }
}

impl PlanDocument {
    /// Returns in one sentence how the planning ended.
    pub(crate) fn headline_text(&self) -> Text {
        let steps = || count(self.result.steps.len(), "step");
        let sure = percent(self.result.confidence);
        match self.header.outcome {
            Ended::Closed(verdict @ (Verdict::Accepted | Verdict::OneVendor)) => {
                let one = verdict == Verdict::OneVendor;
                let contested = (!self.contested.is_empty())
                    .then(|| text![" with ", count(self.contested.len(), "contested step")]);
                let doubt = one || contested.is_some();
                let tone = if doubt { Emphasis::Doubt } else { Emphasis::Good };
                text![
                    if one { "AGREED" } else { "ACCEPTED" },
                    contested,
                    ": a plan of ",
                    steps(),
                    ", confidence ",
                    sure,
                    self.unsupported(),
                    "."
                ]
                .tone(tone)
            }
            Ended::Closed(Verdict::Rejected) => {
                text!["REJECTED: most of the ", steps(), " were voted down, confidence ", sure, "."]
                    .tone(Emphasis::Bad)
            }
            Ended::Closed(Verdict::Undecided) if self.header.tree_changed() => {
                text!["UNDECIDED: the working tree changed while the planners could read it."]
                    .tone(Emphasis::Bad)
            }
            Ended::Closed(Verdict::Undecided) => {
                let failed = self.header.seats.iter().filter(|seat| seat.failure.is_some());
                let quorum = self.header.quorum;
                text![
                    "UNDECIDED: ",
                    quorum.answered,
                    " of ",
                    self.header.seats.len(),
                    " planners answered every time, ",
                    quorum.needed,
                    " are needed.",
                    session::causes(failed, &self.header.seats, "failed"),
                ]
                .tone(Emphasis::Bad)
            }
            Ended::Stopped(halt) => session::halted(halt, Text::default()),
        }
    }

    const fn standing(&self) -> SessionPhase {
        match self.header.outcome {
            Ended::Closed(Verdict::Undecided) => SessionPhase::Failed,
            Ended::Closed(_) => SessionPhase::Decided,
            Ended::Stopped(halt) => SessionPhase::of(halt, 1),
        }
    }

    /// Returns the parts of the plan that the final vote does not support; nothing if it supports all.
    fn unsupported(&self) -> Text {
        let steps = |is: &dyn Fn(&&FinalStep) -> bool| {
            let found = self.result.steps.iter().filter(is).count();
            let all = (found == self.result.steps.len()).then_some("all ");
            (found > 0).then(|| text![all, count(found, "step")])
        };
        let rejected = steps(&|step| {
            let vote = step.validation.as_ref();
            vote.is_some_and(|vote| vote.result == ValidationResult::Rejected)
        });
        let rejected = rejected.map(|steps| text!["; ", steps, " rejected in the final vote"]);
        let silent = steps(&|step| match self.result.final_vote {
            FinalVote::NotNeeded => false,
            FinalVote::Held => step.is_unvoted(self.result.final_vote),
            // Without any vote, the steps are unvalidated.
            FinalVote::NotHeld => (step.validation.as_ref())
                .is_none_or(|vote| vote.result == ValidationResult::Unvalidated),
        });
        let silent = silent.map(|steps| text!["; nobody could vote on ", steps]);
        text![rejected, silent]
    }

    /// Adds the steps under their phases.
    fn steps(&self, blocks: &mut Blocks) {
        blocks.para(agent_text(&self.result.summary)).record_only();
        let phase = |step: &FinalStep| step.words.phase.trim().to_lowercase();
        let mut number = 1;
        for steps in self.result.steps.chunk_by(|one, other| phase(one) == phase(other)) {
            blocks.section(text!["Phase: ", name(&steps[0].words.phase)], |below| {
                below.list(steps.iter().map(step)).numbered_from(number);
            });
            number += steps.len();
        }
    }

    /// `2 of 2 planners answered every time, from 2 vendors; 2 are needed`.
    fn attendance(&self) -> Text {
        let quorum = self.header.quorum;
        text![
            quorum.answered,
            " of ",
            self.header.seats.len(),
            " planners answered every time, ",
            session::vendors(quorum.vendors),
            "; ",
            quorum.needed,
            " are needed",
        ]
    }

    /// `66% after 3 cross-examinations; the plan of codex scored best and is the base`.
    fn certainty(&self) -> Text {
        let base =
            self.result.winner.as_deref().map(|winner| {
                text!["; the plan of ", name(winner), " scored best and is the base"]
            });
        let rounds = count(self.header.rounds_used, "cross-examination");
        text![percent(self.result.confidence), " after ", rounds, base]
    }
}

fn step(step: &FinalStep) -> Item {
    let label = (!step.label.is_empty()).then(|| text![", ", name(&step.label)]);
    Item::new(text![agent_text(&step.words.title), " (", name(&step.words.id), label, ")"]).with(
        |below| {
            below.para(agent_text(&step.words.description));
            let given = |texts: &[String], text: Text| (!texts.is_empty()).then_some(text);
            let files = Text::join(
                step.words.files.iter().map(|file| {
                    let mark = step.new_files.contains(file).then_some(" (new)");
                    text![path(file), mark]
                }),
                ", ",
            );
            let done =
                (!step.words.acceptance.is_empty()).then(|| agent_text(&step.words.acceptance));
            let added = step.added.then_some(", added to the base");
            let facts = [
                ("Files", given(&step.words.files, files)),
                ("Missing files", given(&step.missing_files, paths(&step.missing_files))),
                ("After", given(&step.words.depends_on, names(&step.words.depends_on))),
                ("Done when", done),
                ("Written by", Some(text![names(&step.proposed_by), added])),
                ("Votes", Some(text![step.status.name(), "; ", votes(step)])),
            ];
            below.facts(
                facts.into_iter().map(|(label, value)| (label, value.into_iter().collect())),
            );
            let amended = step.amendment.iter().map(|amended| {
                text![
                    "Amended as ",
                    name(&amended.agent),
                    " suggested: ",
                    agent_text(&amended.reason)
                ]
            });
            let same = step.said_same.iter().map(same);
            let other = step.other_wordings.iter().map(|other| {
                let (title, description) =
                    (agent_text(&other.title), agent_text(&other.description));
                text!["As ", name(&other.agent), " wrote it: ", title, ". ", description]
            });
            let objections = step.objections.iter().map(objection);
            below.list(amended.chain(same).chain(other).chain(objections));
        },
    )
}

fn paths(files: &[String]) -> Text {
    Text::join(files.iter().map(|file| path(file)), ", ")
}

/// `S5 and S2 are the same, says codex: Both fill the column.`
fn same(said: &SaidSame) -> Text {
    let [one, other] = &said.steps;
    let change = said.suggestion.as_deref().map(|change| text![" It would: ", agent_text(change)]);
    let agent = name(&said.agent);
    text![
        name(one),
        " and ",
        name(other),
        " are the same, says ",
        agent,
        ": ",
        agent_text(&said.reason),
        change
    ]
}

/// `Objection of codex (modify): Too large. Instead: Half of it.`
fn objection(objection: &Objection) -> Text {
    let instead =
        objection.suggestion.as_deref().map(|instead| text![" Instead: ", agent_text(instead)]);
    let kind = match objection.kind {
        ObjectionKind::RefusedChange => "against the change",
        ObjectionKind::Disagree | ObjectionKind::Modify | ObjectionKind::Reject => {
            objection.kind.name()
        }
    };
    let agent = name(&objection.agent);
    text!["Objection of ", agent, " (", kind, "): ", agent_text(&objection.reason), instead]
}

fn votes(step: &FinalStep) -> Text {
    let stances = [
        ("agree: ", &step.votes.agree),
        ("modify: ", &step.votes.modify),
        ("disagree: ", &step.votes.disagree),
    ];
    let stances = stances.into_iter().filter(|(_, agents)| !agents.is_empty());
    let mut parts: Vec<Text> = stances.map(|(word, agents)| text![word, names(agents)]).collect();
    parts.extend(step.validation.as_ref().map(|vote| match vote.result {
        ValidationResult::Unvalidated => text!["not voted on"],
        ValidationResult::TieBroken => {
            text!["approved ", vote.approves, " to ", vote.rejects, ", by the winner"]
        }
        ValidationResult::TieKept => text!["tied ", vote.approves, " to ", vote.rejects],
        ValidationResult::Approved | ValidationResult::Rejected => {
            text![vote.result.name(), " ", vote.approves, " to ", vote.rejects]
        }
    }));
    if parts.is_empty() {
        return text!["nobody else commented on it"];
    }
    Text::join(parts, "; ")
}

fn left_out(step: &OmittedStep) -> Item {
    let (by, status) = (names(&step.proposed_by), step.status.name());
    let label = (!step.label.is_empty()).then(|| text![name(&step.label), ", "]);
    let reason = agent_text(&step.reason);
    let head =
        text![agent_text(&step.words.title), " (", label, "by ", by, "; ", status, "): ", reason];
    Item::new(head).with(|below| {
        below.list(step.objections.iter().map(objection)).record_only();
    })
}

fn scores<'a>(scores: impl Iterator<Item = (&'a String, &'a ScoreBreakdown)>) -> Table {
    let rows = scores.map(|(agent, score)| {
        vec![
            name(agent),
            score.total.into(),
            score.clarity.into(),
            score.completeness.into(),
            score.feasibility.into(),
            score.consensus.into(),
        ]
    });
    let headers =
        ["Plan of", "Total", "Clarity (30)", "Complete (30)", "Feasible (20)", "Consensus (20)"];
    Table::new(headers, rows).unbroken(&[1])
}

fn rounds(rounds: &[RoundRecord]) -> Table {
    let rows = rounds.iter().map(|round| {
        let name = match round.round {
            0 => text!["plans"],
            number => text!["cross-examination ", number],
        };
        vec![
            name,
            text![round.answered, " of ", round.asked],
            text![round.settled, " of ", round.groups],
            percent(round.confidence),
        ]
    });
    Table::new(["Round", "Answered", "Steps settled", "Confidence"], rows)
}
