//! The debate as text for a terminal.

use super::{DebateDocument, share};
use crate::kernel::{HUMAN, Limit, SeatStatus};
use crate::protocol::debate::DebateOutcome;
use crate::protocol::debate::ballot::VoteRecord;
use crate::protocol::debate::consensus::{Check, Conflict};
use crate::protocol::debate::outcome::{Decision, OpenPoint, RoundRecord};
use crate::report::backlog::{push_labelled, seat};
use crate::report::progress::REHEARSAL;
use crate::report::table::{Table, push_wrapped};
use crate::report::words::{self, DOUBT, HEAD, paint};
use crate::report::{Look, short_id, standing};
use crate::text::sanitize;

/// Lines of a decision's text on a screen; the record holds all.
const DECISION_LINES: usize = 40;
/// Open points, and disagreements, that a screen lists.
const LISTED: usize = 20;

impl DebateDocument {
    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let mut text = String::new();
        if self.header.rehearsal {
            text.push_str(&paint(REHEARSAL, DOUBT, look.colour));
            text.push('\n');
        }
        let mut headline = String::new();
        push_wrapped(&mut headline, &self.headline(), "", "", look.width);
        text.push_str(&paint(headline.trim_end(), self.style(), look.colour));
        text.push('\n');
        push_wrapped(&mut text, &words::sentence(&self.topic), "Question: ", "  ", look.width);
        let mut screen = Screen { text: &mut text, look };
        screen.paragraphs("", &self.recommendation);
        self.decided(&mut screen);
        self.moves(&mut screen);
        self.ballots(&mut screen);
        self.rulings(&mut screen);
        self.open(&mut screen);
        self.foot(&mut text, look);
        text
    }

    fn decided(&self, screen: &mut Screen<'_>) {
        let Some(decision) = &self.decision else {
            return;
        };
        // What a person has yet to confirm must not stand under a heading that says it is decided.
        let heading = match self.header.outcome {
            DebateOutcome::Adopted
            | DebateOutcome::ConsensusReached
            | DebateOutcome::Settled
            | DebateOutcome::Expert
            | DebateOutcome::Judged => "Decision",
            DebateOutcome::Partial if self.logged.is_some() => "Decision",
            DebateOutcome::Partial => "Proposed, not decided",
            DebateOutcome::Deadlocked
            | DebateOutcome::Unstable
            | DebateOutcome::Split
            | DebateOutcome::Failed
            | DebateOutcome::Terminated
            | DebateOutcome::Interrupted
            | DebateOutcome::Running => "Last on the table, not decided",
        };
        let heading = format!("{heading} (by {})", super::by(&decision.by));
        screen.paragraphs(&heading, &decision.text);
        screen.items(points(decision));
        screen.list("Amended so", &decision.amendments);
        if let Some(position) = &decision.position {
            screen.list("Risks", &position.risks);
        }
    }

    /// How consensus moved, round by round, both signals beside each other.
    fn moves(&self, screen: &mut Screen<'_>) {
        let told = |round: &&RoundRecord| round.consensus.is_some() || !round.forced.is_empty();
        let rows: Vec<Vec<String>> = self.rounds.iter().filter(told).map(moved).collect();
        if rows.is_empty() {
            return;
        }
        screen.heading("Consensus");
        let headers = ["Round", "Decides", "Stances", "Texts", "Judged", "Note"];
        let table = Table::new(&headers, rows).unbroken(&[0, 1, 2, 3, 4]);
        screen.text.push_str(&table.render(screen.look.width));
    }

    /// A panel's first vote beside its last.
    fn ballots(&self, screen: &mut Screen<'_>) {
        if !self.choices.is_empty() {
            screen.heading("Answers");
            for choice in &self.choices {
                let votes = words::count(choice.votes, "vote");
                let vendors = words::count(choice.vendors, "vendor");
                let same = match choice.answers.len() {
                    0 | 1 => String::new(),
                    _ => format!(", held to be one: {}", choice.answers.join(", ")),
                };
                let (id, seats) = (words::name(&choice.id), choice.seats.join(", "));
                let line = format!("{id} by {seats} ({votes}, {vendors}{same}): {}", choice.text);
                screen.item(&words::sentence(&line));
            }
        }
        if self.last_votes.is_empty() && self.first_votes.is_empty() {
            return;
        }
        screen.heading("Votes");
        let rows = votes(&self.first_votes, &self.last_votes);
        let headers = ["Seat", "Agent", "First", "Last", "Moved by"];
        let table = Table::new(&headers, rows).unbroken(&[0, 2, 3]);
        screen.text.push_str(&table.render(screen.look.width));
        let legend: Vec<String> = (self.choices.iter())
            .map(|choice| format!("{}: {}", words::name(&choice.id), choice.short()))
            .collect();
        screen.line(&legend.join("; "));
        if let Some(moved) = self.moved() {
            screen.line(&moved);
        }
    }

    fn rulings(&self, screen: &mut Screen<'_>) {
        let Some(expert) = &self.expert else {
            return;
        };
        let who = format!("{} ({})", words::name(&expert.agent), words::name(&expert.vendor));
        screen.heading(&format!("Asked to rule: {who}"));
        if expert.of_a_participant {
            screen.line("Its vendor has a participant as well: no third opinion.");
        }
        if let Some(failure) = &expert.failure {
            screen.line(&format!("No ruling: {}", words::sentence(failure)));
        }
        if let [first, second] = expert.choices.as_slice() {
            let (first, second) = (words::name(first), words::name(second));
            screen.line(&format!("In the first order it chose {first}, in the other {second}."));
        }
        for ruling in expert.judgement.iter().flat_map(|said| &said.points) {
            let (id, text) = (words::name(&ruling.id), words::sentence(&ruling.ruling));
            let reason = words::sentence(&ruling.reason);
            screen.item(&format!("{id}: {text} Because: {reason}"));
        }
    }

    fn open(&self, screen: &mut Screen<'_>) {
        let open: Vec<String> = self.open_points.iter().map(open_point).collect();
        screen.sentences("Open points", &open);
        let dissent: Vec<String> = (self.dissent.iter())
            .map(|dissent| {
                format!(
                    "{} ({}) on: {} Why: {}",
                    words::name(&dissent.agent),
                    words::name(&dissent.seat),
                    words::sentence(&dissent.about),
                    words::sentence(&dissent.reason)
                )
            })
            .collect();
        screen.sentences("Dissent", &dissent);
        if let Some(resolution) = &self.resolution {
            screen.list("Conditions", &resolution.conditions);
            screen.list("Asked of a person", &resolution.asked);
        }
    }

    /// Returns whether nobody but the person failed: no login and no program is to be mended.
    fn person_failed(&self) -> bool {
        let failed = (self.header.seats.iter()).filter(|seat| seat.status == SeatStatus::Failed);
        let mut agents = failed.map(|seat| &*seat.agent).peekable();
        agents.peek().is_some() && agents.all(|agent| agent == HUMAN)
    }

    fn foot(&self, text: &mut String, look: Look) {
        text.push('\n');
        let mut under = |label: &str, lines: Vec<String>| {
            for (at, line) in lines.iter().enumerate() {
                push_labelled(text, if at == 0 { label } else { "" }, line, look);
            }
        };
        let seats = self.header.seats.iter();
        let mut seats: Vec<String> = seats.map(seat).collect();
        seats.push(self.attendance());
        under("Seats", seats);
        if let Some(parent) = &self.header.parent {
            let id = short_id(&parent.session_id);
            under(
                "Parent",
                vec![format!("session {id}, asked again from round {} on", parent.from_round)],
            );
        }
        under("Cost", vec![super::cost(&self.header.cost, self.header.rehearsal)]);
        let logged = self.logged.iter();
        under("Logged", logged.map(super::Logged::words).collect());
        under("Warnings", self.warnings());
        let report = self.header.report_path.iter();
        under("Record", report.map(|path| words::sentence(path)).collect());
        under("Next", self.next());
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

    /// What a person can do now.
    fn next(&self) -> Vec<String> {
        let id = short_id(&self.header.session_id);
        let confirm = format!("debate-agent decisions add {id}");
        let round = self.again_from();
        let again = format!("debate-agent sessions resume {id} --from-round {round}");
        match self.header.outcome {
            DebateOutcome::Adopted | DebateOutcome::ConsensusReached | DebateOutcome::Settled => {
                Vec::new()
            }
            // Nothing of a rehearsal can be logged, and nothing is logged twice.
            DebateOutcome::Expert | DebateOutcome::Judged | DebateOutcome::Partial
                if self.header.rehearsal || self.logged.is_some() =>
            {
                Vec::new()
            }
            DebateOutcome::Expert | DebateOutcome::Judged => {
                vec![format!("{confirm}   (logs it as a decision)")]
            }
            DebateOutcome::Partial => vec![
                format!("{confirm}   (takes it as it stands, open points and all)"),
                format!("{again}   (debates it again)"),
            ],
            DebateOutcome::Deadlocked | DebateOutcome::Unstable | DebateOutcome::Split => vec![
                format!("{again}   (debates it again)"),
                "debate-agent decisions add --manual --title TITLE --decision TEXT   (decide it yourself)".to_owned(),
            ],
            DebateOutcome::Failed if self.person_failed() => vec![format!(
                "debate-agent sessions resume {id}   (asks you again, and offers what you have typed; answers that are there are not paid again)"
            )],
            DebateOutcome::Failed => vec![format!(
                "debate-agent sessions resume {id}   (asks again what failed, once the cause is mended: `debate-agent doctor`)"
            )],
            DebateOutcome::Running => vec![standing::look_again(&self.header.session_id)],
            DebateOutcome::Terminated => match self.header.stopped_by {
                None => vec![format!("{again}   (debates it again)")],
                Some(Limit::Budget) => vec![format!(
                    "debate-agent sessions resume {id} {}   (goes on with a higher budget; finished answers are not paid again)",
                    words::raise(self.header.cost.short)
                )],
                Some(Limit::Deadline) => vec![format!(
                    "debate-agent sessions resume {id}   (goes on where it stopped; finished answers are not paid again)"
                )],
            },
            DebateOutcome::Interrupted => vec![format!(
                "debate-agent sessions resume {id}   (finished answers are not paid again)"
            )],
        }
    }
}

/// Text under headings, wrapped.
struct Screen<'a> {
    text: &'a mut String,
    look: Look,
}

impl Screen<'_> {
    fn heading(&mut self, heading: &str) {
        self.text.push('\n');
        self.text.push_str(&paint(heading, HEAD, self.look.colour));
        self.text.push('\n');
    }

    fn line(&mut self, line: &str) {
        push_wrapped(self.text, line, "", "", self.look.width);
    }

    fn item(&mut self, line: &str) {
        push_wrapped(self.text, line, "* ", "  ", self.look.width);
    }

    fn items(&mut self, lines: Vec<String>) {
        for line in lines {
            self.item(&line);
        }
    }

    /// A heading over any text of several lines, each wrapped.
    fn paragraphs(&mut self, heading: &str, text: &str) {
        let text = sanitize::terminal(text);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.is_empty() {
            return;
        }
        if heading.is_empty() {
            self.text.push('\n');
        } else {
            self.heading(heading);
        }
        for line in lines.iter().take(DECISION_LINES) {
            self.line(&sanitize::line(line, usize::MAX));
        }
        if lines.len() > DECISION_LINES {
            let more = lines.len() - DECISION_LINES;
            self.line(&format!("... and {more} more lines, which the record holds"));
        }
    }

    /// A heading over any texts; nothing where there are none.
    fn list(&mut self, heading: &str, texts: &[String]) {
        let lines: Vec<String> = texts.iter().map(|text| words::sentence(text)).collect();
        self.sentences(heading, &lines);
    }

    /// A heading over lines that are sanitized; nothing where there are none.
    fn sentences(&mut self, heading: &str, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        self.heading(heading);
        for line in lines.iter().take(LISTED) {
            self.item(line);
        }
        if lines.len() > LISTED {
            self.line(&format!("... and {} more", lines.len() - LISTED));
        }
    }
}

/// What a decision rests on.
fn points(decision: &Decision) -> Vec<String> {
    let points = decision.position.iter().flat_map(|by| &by.points);
    points
        .map(|point| format!("{} {}", words::name(&point.id), words::sentence(&point.claim)))
        .collect()
}

/// `P2 (importance 3, disagree): text. Why: reason. Ruled: ruling`.
fn open_point(point: &OpenPoint) -> String {
    let stance = point.stance.map_or("no stance", |stance| stance.name());
    let mut parts = vec![format!(
        "{} (importance {}, {stance}): {}",
        words::name(&point.id),
        point.importance,
        words::sentence(&point.text)
    )];
    for (label, text) in [("Why", Some(&point.reason)), ("Ruled", point.ruling.as_ref())] {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            parts.push(format!("{label}: {}", words::sentence(text)));
        }
    }
    parts.join(" ")
}

/// A row of the consensus table.
fn moved(round: &RoundRecord) -> Vec<String> {
    let number = round.round.to_string();
    let dash = || "-".to_owned();
    let forced = (!round.forced.is_empty())
        .then(|| format!("no answer of {}", words::name(&round.forced.join(", "))));
    match &round.consensus {
        None => vec![number, dash(), dash(), dash(), dash(), forced.unwrap_or_default()],
        Some(check) => vec![
            number,
            share(check.decisive),
            share(check.stance_score),
            share(check.text_score),
            check.covered.to_string(),
            [forced, note(check)].into_iter().flatten().collect::<Vec<_>>().join("; "),
        ],
    }
}

/// What is to be known of a check.
fn note(check: &Check) -> Option<String> {
    check.polarity_conflict.map(|conflict| {
        match conflict {
            Conflict::AlikeButOpposed => "texts alike, stances opposed",
            Conflict::AgreedButUnlike => "stances agree, texts differ",
            Conflict::Negation => "one text negates the other",
        }
        .to_owned()
    })
}

/// The first vote beside the last, a row a seat.
fn votes(first: &[VoteRecord], last: &[VoteRecord]) -> Vec<Vec<String>> {
    let row = |(seat, before, after): Ballots<'_>| {
        let agent = (after.or(before)).map(|vote| vote.agent.clone());
        let choice = |vote: Option<&VoteRecord>| vote.map_or_else(|| "-".to_owned(), own);
        vec![
            seat.to_owned(),
            agent.unwrap_or_default(),
            choice(before),
            choice(after),
            after.map(moved_by).unwrap_or_default(),
        ]
    };
    ballots(first, last).into_iter().map(row).collect()
}

/// A seat with its first and its last vote.
pub(super) type Ballots<'a> = (&'a str, Option<&'a VoteRecord>, Option<&'a VoteRecord>);

/// Every seat that voted, in the order of the ballots.
pub(super) fn ballots<'a>(first: &'a [VoteRecord], last: &'a [VoteRecord]) -> Vec<Ballots<'a>> {
    let of = |votes: &'a [VoteRecord], seat: &str| votes.iter().find(|vote| vote.seat == seat);
    let mut rows: Vec<Ballots<'a>> = Vec::new();
    for vote in first.iter().chain(last) {
        if rows.iter().all(|(seat, ..)| *seat != vote.seat) {
            rows.push((&vote.seat, of(first, &vote.seat), of(last, &vote.seat)));
        }
    }
    rows
}

/// `A`, `A (own)`.
pub(super) fn own(vote: &VoteRecord) -> String {
    let own = if vote.own { " (own)" } else { "" };
    format!("{}{own}", vote.choice)
}

/// What moved a seat, or the change that was not counted.
pub(super) fn moved_by(vote: &VoteRecord) -> String {
    match (&vote.not_counted, &vote.moved_by) {
        (Some(choice), _) => format!("{choice} was not counted: no evidence named"),
        (None, Some(evidence)) => evidence.clone(),
        (None, None) => String::new(),
    }
}
