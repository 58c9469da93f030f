//! The page of a debate, and thereby the record that a team would commit (`.debate/debate-TIMESTAMP.md`).
//!
//! It follows the questions of a reader: the decision and its reasons, the alternatives, open points and dissent;
//! then the evidence (`measured`: every measurement, vote and ruling); then each side's arguments, round by round
//! (`rounds`); then seats, warnings, cost and prompts. Every record has a section for dissent, even if there was
//! none.

use super::{DebateDocument, Logged};
use crate::kernel::{Ended, HUMAN, Halt, SeatStatus};
use crate::protocol::debate::model::{Point, from_memory};
use crate::protocol::debate::outcome::{Decision, Dissent, OpenPoint};
use crate::protocol::debate::typed::{ResolutionKind, words};
use crate::protocol::debate::{DebateOutcome, Verdict};
use crate::report::page::ToPage;
use crate::report::page::session::{self, SessionPhase};
use crate::report::page::{
    Blocks, Item, Page, Text, agent_text, count, date, name, path, shortened, text,
};
use crate::report::short_id;

mod measured;
mod rounds;

/// Maximum characters of a record's title; the whole question is below it.
const TITLE_CHARS: usize = 120;
/// Maximum lines of a decision's text on a screen.
const DECISION_LINES: usize = 40;
/// Maximum entries of a list on a screen.
const LISTED: usize = 20;

impl ToPage for DebateDocument {
    fn page(&self) -> Page {
        let title = shortened(&self.topic, TITLE_CHARS);
        let mut page = session::begin(title, &self.header, self.headline_text());
        let blocks = page.blocks();
        session::invented(blocks, &self.header);
        blocks.para(text!["Question: ", agent_text(&self.topic)]).screen_only();
        // The text consists of a bounded number of short parts.
        let first = self.facts().map(|(label, fact)| (label, vec![fact]));
        session::about(blocks, &self.header, self.standing(), first);
        blocks.section("Question", |below| self.question(below)).record_only();
        session::known(blocks, &self.facts, &self.assumptions);
        self.decided(blocks);
        blocks.section("Alternatives", |below| self.others(below)).record_only();
        blocks.section("Open points", |below| self.open(below));
        blocks.section("Dissent", |below| self.disagreement(below));
        blocks.section("Positions at the end", |below| self.positions(below)).record_only();
        measured::add(blocks, self);
        blocks.section("Transcript", |below| rounds::add(below, self)).record_only();
        session::attendance(blocks, &self.header, self.attendance());
        session::record(blocks, &self.header);
        let seats = self.header.seats.iter().map(session::seat).chain([self.attendance()]);
        let logged = self.logged.iter().map(Logged::words);
        let parent = session::parent(&self.header);
        let first = [("Seats", seats.collect()), ("Parent", parent), ("Logged", logged.collect())];
        session::foot(blocks, &self.header, first, self.next());
        page
    }
}

impl DebateDocument {
    /// The facts at the head of a record, in addition to session, times and cost.
    fn facts(&self) -> impl Iterator<Item = (&'static str, Text)> {
        let header = &self.header;
        let code = if self.result.code_change_required { "yes" } else { "not said" };
        let first = [("Status", self.status().into()), ("Outcome", header.outcome.name().into())];
        let logged = self.logged.as_ref().map(|logged| ("Logged", logged.words()));
        let opening = self.opening.map(|opening| text![", ", opening.name(), " opening"]);
        let style = text![name(&header.protocol), ", ", self.mode.name(), opening];
        let last = [("Style", style), ("Code has to change", code.into())];
        first.into_iter().chain(logged).chain(last)
    }

    /// Whether the agreement depends on conditions that nobody has written into what was agreed.
    fn is_conditional(&self) -> bool {
        let kind = self.result.resolution.as_ref().map(|resolution| resolution.kind);
        kind == Some(ResolutionKind::ConditionalApproval)
    }

    fn status(&self) -> &'static str {
        match self.header.verdict {
            Verdict::Consensus
            | Verdict::Ruled
            | Verdict::Partial
            | Verdict::OneVendor
            | Verdict::NoConsensus
            | Verdict::Undecided
                if self.header.rehearsal =>
            {
                "rehearsed: nothing is decided"
            }
            Verdict::Consensus if self.is_conditional() => {
                "decided with conditions: the agents agree in part, and a person sees to the conditions"
            }
            Verdict::Consensus => "decided: the agents agree",
            Verdict::Ruled => "ruled by an expert or a judge: the participants did not agree",
            Verdict::Partial if self.logged.is_some() => {
                "decided: agreed in part, and a person accepted it"
            }
            Verdict::Partial => "proposed: agreed in part, a person decides",
            Verdict::OneVendor if self.logged.is_some() => {
                "decided: agreed by one vendor, and a person accepted it"
            }
            Verdict::OneVendor => "proposed: agreed by one vendor, a person decides",
            Verdict::NoConsensus => "not decided: the agents do not agree",
            Verdict::Undecided => "undecided: nothing can be concluded",
        }
    }

    /// The whole question, and the material given with it.
    fn question(&self, blocks: &mut Blocks) {
        blocks.quote(&self.topic);
        if !self.description.trim().is_empty() {
            blocks.para("In detail:");
            blocks.quote(&self.description);
        }
        let shown = self.context.iter().map(|file| {
            let cut = file.cut.then_some(", its end left out");
            text![path(&file.name), " (", count(file.bytes, "byte"), cut, ")"]
        });
        let metadata = self.metadata.iter();
        let metadata =
            metadata.map(|(key, value)| text![name(key), " = ", agent_text(&words(value))]);
        blocks.facts([
            ("Language", self.language.iter().map(|language| name(language)).collect()),
            ("Options", lines(&self.options)),
            ("Shown to all", shown.collect()),
            ("Metadata", metadata.collect()),
        ]);
    }

    /// The decision, or the last proposal, under a heading that tells them apart.
    fn decided(&self, blocks: &mut Blocks) {
        let nothing = "Nothing was decided.";
        let Some(decision) = &self.result.decision else {
            blocks.section("No decision", |below| _ = below.para(nothing)).record_only();
            return;
        };
        let (heading, warning) = match self.header.verdict {
            Verdict::Consensus | Verdict::Ruled => ("Decision", None),
            Verdict::Partial | Verdict::OneVendor if self.logged.is_some() => ("Decision", None),
            // A result that still awaits a person's confirmation must not be under a heading that calls it decided.
            Verdict::Partial | Verdict::OneVendor => ("Proposed, not decided", None),
            Verdict::NoConsensus | Verdict::Undecided => (
                "Last on the table, not decided",
                Some(text![nothing, " What was last on the table:"]),
            ),
        };
        blocks.section(text![heading, " (by ", by(&decision.by), ")"], |below| {
            below.para(warning).record_only();
            self::decision(below, decision);
        });
    }

    fn others(&self, blocks: &mut Blocks) {
        let others = self.alternatives();
        if others.is_empty() {
            blocks.para("None was put forward.");
        }
        blocks.list(lines(&others));
    }

    fn open(&self, blocks: &mut Blocks) {
        if self.result.open_points.is_empty() {
            blocks.para("None was recorded.").record_only();
        }
        blocks.list(self.result.open_points.iter().map(open_point)).most_on_screen(LISTED);
    }

    fn disagreement(&self, blocks: &mut Blocks) {
        if self.result.dissent.is_empty() {
            // The silence of a seat that did not answer is not consent.
            let none = if self.header.outcome == Ended::Stopped(Halt::Running) {
                "None was recorded so far, which is not agreement."
            } else if self.header.verdict == Verdict::Undecided {
                "None was recorded before it ended, which is not agreement."
            } else {
                "None was recorded."
            };
            blocks.para(none).record_only();
        }
        blocks.list(self.result.dissent.iter().map(dissent)).most_on_screen(LISTED);
    }

    /// Each participant's last position, in its own words.
    fn positions(&self, blocks: &mut Blocks) {
        if self.result.final_positions.is_empty() {
            blocks.para("Nobody gave one.");
        }
        for (agent, last) in &self.result.final_positions {
            let sure = last.position.as_ref().and_then(|whole| whole.confidence);
            let sure = sure.map(|sure| text![", stated confidence ", sure]);
            let vendor = name(&last.vendor);
            let whose = text![
                "Seat ",
                name(&last.seat),
                ", vendor ",
                vendor,
                ", of round ",
                last.round,
                sure,
                "."
            ];
            blocks.section(name(agent), |below| {
                below.para(whose);
                below.quote(&last.text);
            });
        }
    }

    fn standing(&self) -> SessionPhase {
        match self.header.outcome {
            Ended::Closed(DebateOutcome::Failed) => SessionPhase::Failed,
            Ended::Closed(_) => SessionPhase::Decided,
            Ended::Stopped(halt) => SessionPhase::of(halt, self.again_from()),
        }
    }

    /// Returns what the user can do now.
    fn next(&self) -> Vec<Text> {
        let id = short_id(&self.header.session_id);
        let confirm = |why| session::step(format!("debate-agent decisions add {id}"), why);
        let resume = format!("debate-agent sessions resume {id}");
        let again = || {
            let round = self.again_from();
            session::step(format!("{resume} --from-round {round}"), "debates it again")
        };
        let Ended::Closed(outcome) = self.header.outcome else {
            return session::next(&self.header, self.standing());
        };
        match outcome {
            // The result of a rehearsal cannot be logged, and nothing is logged twice.
            DebateOutcome::Expert | DebateOutcome::Judged | DebateOutcome::Partial
                if self.header.rehearsal || self.logged.is_some() =>
            {
                Vec::new()
            }
            DebateOutcome::Expert | DebateOutcome::Judged => vec![confirm("logs it as a decision")],
            DebateOutcome::Partial => {
                vec![confirm("accepts it as it stands, open points and all"), again()]
            }
            DebateOutcome::Deadlocked | DebateOutcome::Unstable | DebateOutcome::Split => {
                let own = "debate-agent decisions add --manual --title TITLE --decision TEXT";
                vec![again(), session::step(own.to_owned(), "decide it yourself")]
            }
            DebateOutcome::Failed if self.person_failed() => vec![session::step(
                resume,
                "asks you again, and offers what you have typed; answers already given are not paid for again",
            )],
            _ => session::next(&self.header, self.standing()),
        }
    }

    /// Returns whether only the person failed: then no login or program needs fixing.
    fn person_failed(&self) -> bool {
        let failed = (self.header.seats.iter()).filter(|seat| seat.status == SeatStatus::Failed);
        let mut agents = failed.map(|seat| &*seat.agent).peekable();
        agents.peek().is_some() && agents.all(|agent| agent == HUMAN)
    }
}

impl Logged {
    /// `decision D1 (confirmed by a person, 2026-03-01)`.
    fn words(&self) -> Text {
        text!["decision ", name(&self.id), " (", self.source.words(), ", ", date(self.date), ")"]
    }
}

fn decision(blocks: &mut Blocks, decision: &Decision) {
    blocks.quote(&decision.text).most_on_screen(DECISION_LINES);
    let position = decision.position.as_ref();
    blocks.list(position.iter().flat_map(|position| &position.points).map(point));
    listed(blocks, "Amendments it rests on", &decision.amendments);
    if let Some(position) = position {
        listed(blocks, "Risks", &position.risks);
        listed(blocks, "Changed", &position.changes);
        blocks
            .section("Conceded to the other side", |below| {
                _ = below.list(lines(&position.concedes));
            })
            .record_only();
    }
}

/// Adds untrusted texts as a list under a heading; a screen shows the first entries.
fn listed(blocks: &mut Blocks, heading: &'static str, texts: &[String]) {
    blocks.section(heading, |below| _ = below.list(lines(texts)).most_on_screen(LISTED));
}

/// `A1 (importance 3, kept from the proposer): gRPC halves the latency.`
fn point(point: &Point) -> Item {
    let about = text![" (importance ", point.importance, kept(point), "): "];
    Item::new(text![name(&point.id), about, agent_text(&point.claim)]).with(|below| {
        let evidence = match &point.evidence[..] {
            [] => vec!["none".into()],
            evidence => evidence.iter().map(|evidence| self::evidence(evidence)).collect(),
        };
        below.facts([("Because", given(&point.reasoning)), ("Evidence", evidence)]).record_only();
    })
}

/// `, kept from the reviewer`, for a point that a position keeps as it stood.
fn kept(point: &Point) -> Option<Text> {
    let from = point.kept_from.as_deref()?;
    Some(match from {
        "joint" => ", kept from the last draft".into(),
        side => text![", kept from the ", name(side)],
    })
}

/// A piece of evidence; what somebody knows from memory is no source, and is told apart.
fn evidence(evidence: &str) -> Text {
    match from_memory(evidence) {
        Some(rest) => text![agent_text(rest), " (from memory, not looked up)"],
        None => agent_text(evidence),
    }
}

/// `A2 (importance 2, partly, support: weak): REST stays for browsers.`
fn open_point(point: &OpenPoint) -> Item {
    let stance = point.stance.map_or("no stance", |stance| stance.name());
    let support = point.support.map(|support| text![", support: ", support.name()]);
    let about = text![" (importance ", point.importance, ", ", stance, support, "): "];
    Item::new(text![name(&point.id), about, agent_text(&point.text)]).with(|below| {
        let ruling = point.ruling.as_deref().unwrap_or_default();
        below.facts([("Why", given(&point.reason)), ("Ruled", given(ruling))]);
    })
}

fn dissent(dissent: &Dissent) -> Item {
    Item::new(text![name(&dissent.agent), " (", name(&dissent.seat), ")"]).with(|below| {
        below.facts([("About", given(&dissent.about)), ("Why", given(&dissent.reason))]);
    })
}

fn by(by: &str) -> Text {
    match by {
        "joint" => "both sides, jointly".into(),
        "expert" | "judge" | "panel" | "proposer" | "reviewer" | "primary" | "adversary" => {
            text!["the ", name(by)]
        }
        _ => name(by),
    }
}

/// Returns untrusted texts, a line each.
fn lines(texts: &[String]) -> Vec<Text> {
    texts.iter().map(|text| agent_text(text)).collect()
}

/// Returns untrusted text as the lines of a fact; empty if it is blank.
fn given(text: &str) -> Vec<Text> {
    let text = agent_text(text);
    if text.is_blank() { Vec::new() } else { vec![text] }
}

fn or_dash(text: Option<impl Into<Text>>) -> Text {
    text.map_or_else(|| "-".into(), Into::into)
}
