//! The critique as text for a terminal.

use super::DiscussDocument;
use super::headline::{answered_by, divergence, names, silent};
use crate::protocol::discuss::input::Place;
use crate::protocol::discuss::{ActionItem, Basics, DiscussOutcome, Severity, Verdict};
use crate::report::backlog::{push_labelled, seat};
use crate::report::progress::REHEARSAL;
use crate::report::standing;
use crate::report::table::{Table, push_wrapped};
use crate::report::words::{self, DOUBT, HEAD, paint};
use crate::report::{Look, short_id};

/// Divergences and, where nothing is required, action items that a screen lists; the record holds all.
const TOP: usize = 3;
/// Warnings that a screen shows in another place.
const TOLD_ELSEWHERE: [&str; 2] = [super::ONE_VENDOR, super::SKIPPED];
/// Required changes, themes and lines of a basic record that a screen lists.
const LISTED: usize = 10;

impl DiscussDocument {
    /// Returns the result for people, with a newline at the end.
    pub fn render(&self, look: Look) -> String {
        let mut screen = Screen::new(look);
        if self.header.rehearsal {
            screen.painted(REHEARSAL, DOUBT);
        }
        screen.painted(&self.headline(), self.style());
        if let Some(warning) = self.one_voice() {
            let message = words::sentence(&warning.message);
            screen.painted(&format!("WARNING: {message}"), DOUBT);
        }
        let size = words::bytes(self.artifact_bytes);
        screen.hanging(&format!("Artifact: {} ({size})", words::sentence(&self.artifact)));
        if let Some(context) = &self.context {
            screen.hanging(&format!("Context: {}", words::sentence(context)));
        }
        if let Some(advice) = self.advice() {
            screen.hanging(&format!("Recommendation: {advice}"));
        }
        self.table(&mut screen);
        if self.header.verdict == Verdict::Undecided {
            self.undecided(&mut screen);
        }
        if let Some(basics) = &self.basics {
            self::basics(basics, &mut screen);
        }
        self.said(&mut screen);
        self.foot(&mut screen);
        self.message_of(&mut screen);
        words::commandless(&screen.text)
    }

    /// The lines for a coordinator, where the round has one: a role or a task that asked.
    fn message_of(&self, screen: &mut Screen) {
        let Some(message) =
            (self.message.as_ref()).filter(|_| self.role.is_some() || self.task_id.is_some())
        else {
            return;
        };
        screen.heading("Message to the coordinator");
        // Six lines for a program to read: each stays one line, however narrow the screen is.
        screen.text.push_str(message);
        screen.text.push('\n');
    }

    /// A row a perspective: what it rates, who answered.
    fn table(&self, screen: &mut Screen) {
        let rows = self.header.seats.iter().map(|seat| {
            let dash = || "-".to_owned();
            let voice = self.voice(&seat.role);
            let said = voice.map(|voice| &voice.critique);
            vec![
                seat.role.clone(),
                said.map_or_else(dash, |said| format!("{} of 5", said.rating)),
                (said.and_then(|said| said.risk_level))
                    .map_or_else(String::new, |risk| risk.to_string()),
                voice.map_or_else(|| silent(seat), answered_by),
            ]
        });
        let headers = ["Perspective", "Rating", "Risk", "Answered by"];
        let table = Table::new(&headers, rows).unbroken(&[1, 2]);
        screen.text.push('\n');
        screen.text.push_str(&table.render(screen.look.width));
    }

    fn undecided(&self, screen: &mut Screen) {
        screen.text.push('\n');
        screen.line(if self.perspectives.is_empty() {
            "No perspective answered: nothing can be said of the artifact's quality."
        } else {
            "Nothing was decided: what those say that answered is no verdict."
        });
    }

    fn said(&self, screen: &mut Screen) {
        let divergences = self.divergences.iter().map(divergence);
        screen.list("Divergences", divergences.collect(), TOP, Mark::Star);
        let items = |items: Vec<&ActionItem>| items.into_iter().map(item).collect();
        let required = (self.action_items.iter())
            .filter(|item| item.urgency >= Severity::Medium)
            .collect::<Vec<_>>();
        match self.header.verdict {
            // Without any that is required, the list below must not be empty for that.
            Verdict::ConsensusBlocked if !required.is_empty() => {
                let advice = self.action_items.len() - required.len();
                screen.list("Required changes", items(required), LISTED, Mark::Number);
                if advice > 0 {
                    let items = words::count(u32::try_from(advice).unwrap_or(u32::MAX), "item");
                    screen.line(&format!("Besides: {items} of advice, in the record"));
                }
            }
            Verdict::ConsensusBlocked | Verdict::ConsensusReached | Verdict::Undecided => {
                let all = items(self.action_items.iter().collect());
                screen.list("Action items", all, TOP, Mark::Number);
            }
        }
        let themes = self.convergent_themes.iter().map(|theme| {
            let (text, by) = (words::sentence(&theme.text), names(&theme.perspectives));
            format!("{text} ({by})")
        });
        screen.list("Convergent themes", themes.collect(), LISTED, Mark::Star);
    }

    fn foot(&self, screen: &mut Screen) {
        screen.text.push('\n');
        screen.under("Seats", &self.seats());
        screen.under("Follow-up", self.followed().as_slice());
        let header = &self.header;
        let cost = crate::report::debate::cost(&header.cost, header.rehearsal);
        screen.under("Cost", &[cost]);
        screen.under("Warnings", &self.warnings());
        let record = self.record_path.iter();
        let record: Vec<String> = record.map(|path| words::sentence(path)).collect();
        screen.under("Record", &record);
        screen.under("Next", self.next().as_slice());
    }

    /// How to go on, and what for; `None` where it was decided.
    pub(super) fn next(&self) -> Option<String> {
        let id = short_id(&self.header.session_id);
        let raise = words::raise(self.header.cost.short);
        match self.header.outcome {
            DiscussOutcome::ConsensusReached | DiscussOutcome::ConsensusBlocked => None,
            DiscussOutcome::Running => Some(standing::look_again(&self.header.session_id)),
            DiscussOutcome::Terminated => Some(standing::anew(&self.header.session_id, 1)),
            DiscussOutcome::Undecided => Some(format!(
                "debate-agent sessions resume {id}   (asks again what failed, once the cause is mended: `debate-agent doctor`; answers that are there are not paid again)"
            )),
            DiscussOutcome::Budget => Some(format!(
                "debate-agent sessions resume {id} {raise}   (goes on with a higher budget; answers that are there are not paid again)"
            )),
            DiscussOutcome::Interrupted => Some(format!(
                "debate-agent sessions resume {id}   (goes on where it stopped; answers that are there are not paid again)"
            )),
        }
    }

    /// The seats of which there is more to say than the table does, then how many answered.
    fn seats(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.notable().map(seat).collect();
        lines.push(self.attendance());
        lines
    }

    /// Each warning once, behind the perspectives that it came with: `product, risk: ...`. The one about vendors stands
    /// at the top, the one about a perspective that is not asked among the seats.
    fn warnings(&self) -> Vec<String> {
        let mut told: Vec<(String, Vec<String>)> = Vec::new();
        let warnings = self.header.warnings.iter();
        for warning in warnings.filter(|warning| !TOLD_ELSEWHERE.contains(&&*warning.code)) {
            let message = words::sentence(&warning.message);
            // A turn is `r1/product`.
            let from = warning.turn.as_deref().and_then(|turn| turn.split_once('/'));
            let from = from.map(|(_, perspective)| words::name(perspective));
            match told.iter_mut().find(|(text, _)| *text == message) {
                Some((_, all)) => all.extend(from.filter(|name| !all.contains(name))),
                None => told.push((message, from.into_iter().collect())),
            }
        }
        let line = |(message, from): (String, Vec<String>)| match &from[..] {
            [] => message,
            from => format!("{}: {message}", from.join(", ")),
        };
        told.into_iter().map(line).collect()
    }
}

/// `high: text (product, coverage)`.
fn item(item: &ActionItem) -> String {
    let by = names(&item.perspectives);
    format!("{}: {} ({by})", item.urgency, words::sentence(&item.text))
}

/// What the artifact alone says.
fn basics(basics: &Basics, screen: &mut Screen) {
    screen.heading("The artifact alone, read by the program (no verdict)");
    screen.line(&super::record::size(basics));
    let place = |place: &Place| format!("line {}: {}", place.line, words::sentence(&place.text));
    for (heading, places) in [
        ("Outline", &basics.outline),
        ("Not done, by its own words", &basics.markers),
        ("Links that lead nowhere", &basics.broken_links),
    ] {
        screen.list(heading, places.iter().map(place).collect(), LISTED, Mark::Star);
    }
}

/// How the lines of a list begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// `* `.
    Star,
    /// `1. `.
    Number,
}

/// Text under headings, wrapped to the look's width. Every line that is given is sanitized already.
pub(super) struct Screen {
    pub(super) text: String,
    pub(super) look: Look,
}

impl Screen {
    pub(super) const fn new(look: Look) -> Self {
        Self { text: String::new(), look }
    }

    pub(super) fn line(&mut self, line: &str) {
        push_wrapped(&mut self.text, line, "", "", self.look.width);
    }

    /// A line whose further lines are indented.
    pub(super) fn hanging(&mut self, line: &str) {
        push_wrapped(&mut self.text, line, "", "  ", self.look.width);
    }

    pub(super) fn painted(&mut self, line: &str, style: anstyle::Style) {
        let mut wrapped = String::new();
        push_wrapped(&mut wrapped, line, "", "", self.look.width);
        self.text.push_str(&paint(wrapped.trim_end(), style, self.look.colour));
        self.text.push('\n');
    }

    pub(super) fn heading(&mut self, heading: &str) {
        self.text.push('\n');
        self.painted(heading, HEAD);
    }

    /// A heading over the first lines; nothing where there are none.
    pub(super) fn list(&mut self, heading: &str, lines: Vec<String>, most: usize, mark: Mark) {
        if lines.is_empty() {
            return;
        }
        let left_out = lines.len().saturating_sub(most);
        self.heading(heading);
        for (number, line) in (1..).zip(lines.into_iter().take(most)) {
            let (first, rest) = match mark {
                Mark::Star => ("* ".to_owned(), "  "),
                Mark::Number => (format!("{number:>2}. "), "    "),
            };
            push_wrapped(&mut self.text, &line, &first, rest, self.look.width);
        }
        if left_out > 0 {
            self.line(&format!("... and {left_out} more, in the record"));
        }
    }

    /// Lines beside a label; nothing where there are none.
    pub(super) fn under(&mut self, label: &str, lines: &[String]) {
        for (at, line) in lines.iter().enumerate() {
            let label = if at == 0 { label } else { "" };
            push_labelled(&mut self.text, label, line, self.look);
        }
    }
}
