//! The plan as a Markdown report (`.debate/plan-TIMESTAMP.md`).

use super::{PlanDocument, votes};
use crate::protocol::plan::{FinalStep, Objection, PlanOutcome};
use crate::report::backlog;
use crate::report::page::{Page, inert};
use crate::report::progress::REHEARSAL;
use crate::report::standing;
use crate::report::words;

impl PlanDocument {
    /// Returns the result as a Markdown report: text of agents is text, never markup.
    pub fn markdown(&self) -> String {
        let mut report = Report(Page::default());
        report.head(self);
        report.plan(self);
        report.list("Risks", &self.risks);
        report.list("Open questions", &self.open_questions);
        report.left_out(self);
        report.scores(self);
        report.rounds(self);
        report.attendance(self);
        report.0.text
    }
}

/// The pieces of a page, and those of a plan.
struct Report(Page);

impl Report {
    fn line(&mut self, line: &str) {
        self.0.line(line);
    }

    fn heading(&mut self, depth: usize, heading: &str) {
        self.0.heading(depth, heading);
    }

    fn table(&mut self, headers: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        self.0.table(headers, rows);
    }

    fn head(&mut self, document: &PlanDocument) {
        let header = &document.header;
        self.line("# Plan\n");
        if header.rehearsal {
            self.line(&format!("**{REHEARSAL}**\n"));
        }
        self.line(&format!("{}\n", inert(&document.headline())));
        self.line(&format!("{}\n", inert(&document.recommendation)));
        self.line(&format!("- Task: {}", inert(&document.task)));
        self.line(&format!("- Session: {}", inert(&header.session_id)));
        let time = "%Y-%m-%d %H:%M:%S UTC";
        self.line(&format!("- Started: {}", header.started_at.format(time)));
        let running = header.outcome == PlanOutcome::Running;
        let ended = standing::ended(header.completed_at, running);
        self.line(&format!("- Ended: {ended}"));
        self.line(&format!("- Verdict: {}", header.verdict.name()));
        if let Some(winner) = &document.winner {
            self.line(&format!("- Base: the plan of {}", inert(winner)));
        }
        self.line(&format!("- Cost: {}", super::cost(&header.cost)));
    }

    fn plan(&mut self, document: &PlanDocument) {
        if document.steps.is_empty() {
            return;
        }
        self.heading(2, "Steps");
        if !document.summary.is_empty() {
            self.line(&inert(&document.summary));
        }
        let mut phase: Option<String> = None;
        for (number, step) in (1..).zip(&document.steps) {
            let own = step.phase.trim().to_lowercase();
            if phase.as_ref() != Some(&own) {
                self.heading(3, &format!("Phase: {}", inert(&step.phase)));
                phase = Some(own);
            }
            self.step(number, step);
        }
    }

    fn step(&mut self, number: usize, step: &FinalStep) {
        let (title, id) = (inert(&step.title), inert(&step.id));
        self.line(&format!("{number}. {title} (id: {id})\n"));
        self.line(&format!("   {}\n", inert(&step.description)));
        let names = |names: &[String]| {
            let names: Vec<String> = names.iter().map(|name| inert(name)).collect();
            names.join(", ")
        };
        if !step.files.is_empty() {
            self.line(&format!("   - Files: {}", names(&step.files)));
        }
        if !step.depends_on.is_empty() {
            self.line(&format!("   - After: {}", names(&step.depends_on)));
        }
        if !step.acceptance.is_empty() {
            self.line(&format!("   - Done when: {}", inert(&step.acceptance)));
        }
        let added = if step.added { ", added to the base" } else { "" };
        self.line(&format!("   - Written by: {}{added}", names(&step.proposed_by)));
        let status = step.status.name();
        self.line(&format!("   - Votes: {status}; {}", inert(&votes(step))));
        for objection in &step.objections {
            self.objection("   ", objection);
        }
        self.0.text.push('\n');
    }

    fn objection(&mut self, indent: &str, objection: &Objection) {
        let (agent, kind) = (inert(&objection.agent), objection.kind.name());
        let reason = inert(&objection.reason);
        let instead = match &objection.suggestion {
            Some(suggestion) => format!(" Instead: {}", inert(suggestion)),
            None => String::new(),
        };
        self.line(&format!("{indent}- Objection of {agent} ({kind}): {reason}{instead}"));
    }

    fn list(&mut self, heading: &str, entries: &[String]) {
        if !entries.is_empty() {
            self.heading(2, heading);
            for entry in entries {
                self.line(&format!("- {}", inert(entry)));
            }
        }
    }

    fn left_out(&mut self, document: &PlanDocument) {
        if document.left_out.is_empty() {
            return;
        }
        self.heading(2, "Not in the plan");
        for step in &document.left_out {
            let by: Vec<String> = step.proposed_by.iter().map(|agent| inert(agent)).collect();
            self.line(&format!(
                "- {} (by {}; {}): {}",
                inert(&step.title),
                by.join(", "),
                step.status.name(),
                inert(&step.reason)
            ));
            for objection in &step.objections {
                self.objection("  ", objection);
            }
        }
    }

    fn scores(&mut self, document: &PlanDocument) {
        if document.scores.is_empty() {
            return;
        }
        self.heading(2, "Scores");
        let rows = document.scores.iter().map(|(agent, score)| {
            let mut row = vec![inert(agent)];
            let points = [
                score.clarity,
                score.completeness,
                score.feasibility,
                score.consensus,
                score.total,
            ];
            row.extend(points.map(|points| points.to_string()));
            row
        });
        let headers = [
            "Agent",
            "Clarity (30)",
            "Completeness (30)",
            "Feasibility (20)",
            "Consensus (20)",
            "Total",
        ];
        self.table(&headers, rows);
    }

    fn rounds(&mut self, document: &PlanDocument) {
        if document.rounds.is_empty() {
            return;
        }
        self.heading(2, "Rounds");
        let rows = document.rounds.iter().map(|round| {
            let name = match round.round {
                0 => "plans".to_owned(),
                number => format!("cross-examination {number}"),
            };
            vec![
                name,
                format!("{} of {}", round.answered, round.asked),
                format!("{} of {}", round.settled, round.groups),
                format!("{}%", round.confidence),
            ]
        });
        let headers = ["Round", "Answered", "Steps settled", "Confidence"];
        self.table(&headers, rows);
    }

    fn attendance(&mut self, document: &PlanDocument) {
        let header = &document.header;
        self.heading(2, "Who answered");
        for seat in &header.seats {
            self.line(&format!("- {}", inert(&backlog::seat(seat))));
        }
        self.line(&format!(
            "- {} of {} planners answered every time, from {}; {} are needed",
            header.quorum.answered,
            header.seats.len(),
            words::count(header.quorum.vendors, "vendor"),
            header.quorum.needed
        ));
        if !document.not_shown.is_empty() {
            self.heading(2, "Not shown to the planners");
            for part in &document.not_shown {
                let why = part.why.name();
                let (path, detail) = (inert(&part.path), inert(&part.detail));
                self.line(&format!("- {path} ({why}): {detail}"));
            }
        }
        self.0.warnings(&header.warnings);
        self.0.skills(&header.skills);
    }
}
