//! The plan as text for a terminal.

use super::{PlanDocument, votes};
use crate::protocol::plan::{FinalStep, PlanOutcome};
use crate::report::backlog::{self, push_labelled};
use crate::report::progress::REHEARSAL;
use crate::report::standing;
use crate::report::table::{Table, push_wrapped};
use crate::report::words::{self, BAD, DOUBT, GOOD, HEAD, paint};
use crate::report::{Look, short_id};

impl PlanDocument {
    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let mut text = String::new();
        if self.header.rehearsal {
            text.push_str(&paint(REHEARSAL, DOUBT, look.colour));
            text.push('\n');
        }
        let style = match self.header.outcome {
            PlanOutcome::Accepted => GOOD,
            PlanOutcome::Rejected
            | PlanOutcome::Undecided
            | PlanOutcome::Budget
            | PlanOutcome::Interrupted
            | PlanOutcome::Terminated => BAD,
            PlanOutcome::Running => DOUBT,
        };
        let mut headline = String::new();
        push_wrapped(&mut headline, &self.headline(), "", "", look.width);
        text.push_str(&paint(headline.trim_end(), style, look.colour));
        text.push('\n');
        push_wrapped(&mut text, &words::sentence(&self.recommendation), "", "", look.width);
        self.plan(&mut text, look);
        self.lists(&mut text, look);
        self.foot(&mut text, look);
        text
    }

    fn plan(&self, text: &mut String, look: Look) {
        let mut phase: Option<String> = None;
        for (number, step) in (1..).zip(&self.steps) {
            let own = step.phase.trim().to_lowercase();
            if phase.as_ref() != Some(&own) {
                text.push('\n');
                text.push_str(&paint(&words::name(&step.phase), HEAD, look.colour));
                text.push('\n');
                phase = Some(own);
            }
            self::step(number, step, text, look);
        }
    }

    fn lists(&self, text: &mut String, look: Look) {
        let mut list = |heading: &str, lines: &mut dyn Iterator<Item = String>| {
            let mut lines = lines.peekable();
            if lines.peek().is_some() {
                text.push('\n');
                text.push_str(&paint(heading, HEAD, look.colour));
                text.push('\n');
            }
            for line in lines {
                push_wrapped(text, &line, "* ", "  ", look.width);
            }
        };
        let sentences = |texts: &[String]| {
            let texts: Vec<String> = texts.iter().map(|text| words::sentence(text)).collect();
            texts.into_iter()
        };
        list("Risks", &mut sentences(&self.risks));
        list("Open questions", &mut sentences(&self.open_questions));
        let left_out = self.left_out.iter().map(|step| {
            let by = words::sentence(&step.proposed_by.join(", "));
            let (title, reason) = (words::sentence(&step.title), words::sentence(&step.reason));
            format!("{title} ({by}): {reason}")
        });
        list("Not in the plan", &mut left_out.into_iter());
        let not_shown = self.not_shown.iter().map(|part| {
            let (path, why) = (words::sentence(&part.path), part.why.name());
            format!("{path}: {why}")
        });
        list("Not shown to the planners", &mut not_shown.into_iter());
    }

    fn foot(&self, text: &mut String, look: Look) {
        if !self.scores.is_empty() {
            text.push('\n');
            let rows = self.scores.iter().map(|(agent, score)| {
                let mut row = vec![words::name(agent)];
                let points = [
                    score.total,
                    score.clarity,
                    score.completeness,
                    score.feasibility,
                    score.consensus,
                ];
                row.extend(points.map(|points| points.to_string()));
                row
            });
            let headers =
                ["Plan of", "Total", "Clarity", "Completeness", "Feasibility", "Consensus"];
            let table = Table::new(&headers, rows).unbroken(&[1, 2, 3, 4, 5]);
            text.push_str(&table.render(look.width));
        }
        text.push('\n');
        let mut under = |label: &str, lines: Vec<String>| {
            for (at, line) in lines.iter().enumerate() {
                push_labelled(text, if at == 0 { label } else { "" }, line, look);
            }
        };
        under("Seats", self.seats());
        under("Confidence", vec![self.confidence()]);
        under("Cost", vec![super::cost(&self.header.cost)]);
        under("Warnings", self.warnings());
        let report = self.header.report_path.iter();
        under("Report", report.map(|path| words::sentence(path)).collect());
        under("Next", self.next().into_iter().collect());
    }

    /// How to go on; `None` where it was decided.
    fn next(&self) -> Option<String> {
        let session = &self.header.session_id;
        match self.header.outcome {
            PlanOutcome::Accepted | PlanOutcome::Rejected => None,
            PlanOutcome::Undecided | PlanOutcome::Budget | PlanOutcome::Interrupted => {
                Some(format!(
                    "debate-agent sessions resume {}{}",
                    short_id(session),
                    words::raised(self.header.cost.short)
                ))
            }
            PlanOutcome::Running => Some(standing::look_again(session)),
            PlanOutcome::Terminated => Some(standing::anew(session, 1)),
        }
    }

    /// One line a seat, then how many answered.
    fn seats(&self) -> Vec<String> {
        let header = &self.header;
        let mut lines: Vec<String> = header.seats.iter().map(backlog::seat).collect();
        lines.push(format!(
            "{} of {} planners answered every time ({} needed), from {}",
            header.quorum.answered,
            header.seats.len(),
            header.quorum.needed,
            words::count(header.quorum.vendors, "vendor")
        ));
        lines
    }

    /// `66% after 3 cross-examinations; codex planned best`.
    fn confidence(&self) -> String {
        let rounds = words::count(self.header.rounds_used, "cross-examination");
        let best = self.winner.as_deref().map_or_else(String::new, |winner| {
            format!("; the plan of {} scored best and is the base", words::name(winner))
        });
        format!("{}% after {rounds}{best}", self.confidence)
    }

    /// Each warning once: one of a CLI comes with every turn.
    fn warnings(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for warning in &self.header.warnings {
            let line = words::sentence(&warning.message);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        lines
    }
}

fn step(number: usize, step: &FinalStep, text: &mut String, look: Look) {
    let head = format!("{} [{}]", words::sentence(&step.title), words::name(&step.id));
    push_wrapped(text, &head, &format!("{number:>3}. "), "     ", look.width);
    let mut body = Vec::new();
    body.push(words::sentence(&step.description));
    let names = |names: &[String]| words::sentence(&names.join(", "));
    if !step.files.is_empty() {
        body.push(format!("files: {}", names(&step.files)));
    }
    if !step.depends_on.is_empty() {
        body.push(format!("after: {}", names(&step.depends_on)));
    }
    if !step.acceptance.is_empty() {
        body.push(format!("done when: {}", words::sentence(&step.acceptance)));
    }
    let added = if step.added { "added, " } else { "" };
    let by = names(&step.proposed_by);
    let status = step.status.name();
    let votes = words::sentence(&votes(step));
    body.push(format!("by {by}; {added}{status}; {votes}"));
    for objection in &step.objections {
        let (agent, kind) = (words::name(&objection.agent), objection.kind.name());
        let instead = match &objection.suggestion {
            Some(suggestion) => format!(" Instead: {}", words::sentence(suggestion)),
            None => String::new(),
        };
        let reason = words::sentence(&objection.reason);
        body.push(format!("! {agent} ({kind}): {reason}{instead}"));
    }
    for part in body {
        push_wrapped(text, &part, "     ", "     ", look.width);
    }
}
