//! The record in Markdown (`discussions/ROUND-discussion.md`).
//!
//! # Theory of operation
//!
//! It is ordered as `spec/discuss.md` has it: what it is about and how it ended; themes, divergences, gaps, action items;
//! the ratings with who answered; then everything that was said, who took part, warnings, prompts. Every group stands with
//! all its members, so that a reader can check what was put together. Where no perspective answered, the basic record
//! takes the place of what perspectives say, and says that it is no verdict. Text of others passes `inert`, so it can
//! add no heading, row or link.

use super::DiscussDocument;
use super::headline::{answered_by, attribution, member, names, silent, spoken};
use crate::kernel::{Limit, SeatStatus};
use crate::protocol::discuss::input::Place;
use crate::protocol::discuss::{ActionItem, Basics, DiscussOutcome, Point, PointKind, Voice};
use crate::report::pieces::{Page, inert};
use crate::report::progress::REHEARSAL;
use crate::report::{backlog, standing, words};

impl DiscussDocument {
    /// Returns the record: text of others is text, never markup.
    pub fn markdown(&self) -> String {
        let mut page = Page::default();
        head(&mut page, self);
        facts(&mut page, self);
        match &self.basics {
            Some(basics) => self::basics(&mut page, basics),
            None if self.perspectives.is_empty() => {}
            None => groups(&mut page, self),
        }
        ratings(&mut page, self);
        said(&mut page, self);
        attendance(&mut page, self);
        page.text
    }
}

impl DiscussDocument {
    /// Returns the record with the lines for a coordinator at its end, where there are any. The record itself has none: it
    /// is written before it is known where.
    pub fn markdown_with_message(&self) -> String {
        let mut page = Page { text: self.markdown() };
        if let Some(message) = &self.message {
            page.heading(2, "Message to the coordinator");
            page.code(message);
        }
        page.text
    }
}

/// Adds a line that the source document's record has too, in its form, so that a reader made for that finds it.
fn named(page: &mut Page, label: &str, value: &str) {
    page.line(&format!("**{label}**: {value}"));
    page.gap();
}

/// Adds a line of facts whose value may be any text.
fn fact(page: &mut Page, label: &str, value: &str) {
    page.line(&format!("- {label}: {}", inert(value)));
}

fn head(page: &mut Page, document: &DiscussDocument) {
    page.heading(1, &format!("Discussion Record: {}", inert(&document.round_id)));
    let mut strong = |line: &str| {
        page.line(&format!("**{line}**"));
        page.gap();
    };
    if document.header.rehearsal {
        strong(&format!("{REHEARSAL}. Everything below is invented; nothing is decided by it."));
    }
    strong(&inert(&document.headline()));
    if !document.header.outcome.closes() {
        strong(if document.perspectives.is_empty() {
            "No perspective answered. What follows says nothing of the artifact's quality and is no verdict."
        } else {
            "Nothing was decided: what those say that answered is no verdict."
        });
    }
    if let Some(warning) = document.one_voice() {
        // Vendors' names come from the configuration: no text of others stands between the stars.
        page.line(&format!("**WARNING:** {}", inert(&warning.message)));
        page.gap();
    }
}

fn facts(page: &mut Page, document: &DiscussDocument) {
    let header = &document.header;
    named(page, "Artifact", &inert(&document.artifact));
    let perspectives = format!("{}{}", names(&document.asked), document.left_out());
    named(page, "Perspectives", &inert(&perspectives));
    let budget = format!("undecided: {}", Limit::Budget.reason());
    let consensus = match header.outcome {
        _ if header.rehearsal => "rehearsed: nothing is decided",
        DiscussOutcome::ConsensusReached => "reached",
        DiscussOutcome::ConsensusBlocked => "blocked",
        DiscussOutcome::Undecided => "undecided: too few perspectives answered",
        DiscussOutcome::Budget => &budget,
        DiscussOutcome::Interrupted => "undecided: it was interrupted",
        DiscussOutcome::Running => "undecided so far: it is running",
        DiscussOutcome::Terminated => "undecided: a person ended it",
    };
    named(page, "Consensus", consensus);
    let mean = document.average_rating;
    let mean = mean.map_or_else(|| "none".to_owned(), |mean| format!("{mean:.2}/5"));
    named(page, "Average Rating", &mean);
    if let (Some(severity), false) = (document.severity, header.rehearsal) {
        page.line(&format!("- Severity: {severity}"));
    }
    page.line(&format!(
        "- Bytes of the artifact: {}, SHA-256 {}",
        document.artifact_bytes,
        inert(&document.artifact_sha256)
    ));
    if let Some(context) = &document.context {
        fact(page, "Checked against", context);
    }
    if let Some(preset) = &document.preset {
        fact(page, "Preset", preset);
    }
    if let Some(advice) = document.advice() {
        page.line(&format!("- Recommendation: {advice}"));
    }
    if document.sign_off {
        page.line("- Sign-off gate: a person decides what blocks it");
    }
    if let Some(followed) = document.followed() {
        fact(page, "Follow-up", &followed);
    }
    let time = "%Y-%m-%d %H:%M:%S UTC";
    page.line(&format!("- Started: {}", header.started_at.format(time)));
    let running = header.outcome == DiscussOutcome::Running;
    let ended = standing::ended(header.completed_at, running);
    page.line(&format!("- Ended: {ended}"));
    let cost = crate::report::debate::cost(&header.cost, header.rehearsal);
    page.line(&format!("- Cost: {cost}"));
    fact(page, "Session", &header.session_id);
    if let Some(parent) = &header.parent {
        let (id, round) = (inert(&parent.session_id), parent.from_round);
        page.line(&format!("- Goes on from: session {id}, whose rounds before {round} were kept"));
    }
}

fn groups(page: &mut Page, document: &DiscussDocument) {
    page.heading(2, "Convergent Themes");
    let by = inert(&document.grouped_by);
    page.line(&format!(
        "Points are grouped by the likeness of their texts ({by}); the members of each group stand below it."
    ));
    page.line("");
    if document.convergent_themes.is_empty() {
        page.line("None: no two perspectives raise the same.");
    }
    for theme in &document.convergent_themes {
        let by = inert(&names(&theme.perspectives));
        page.line(&format!("- {} ({by})", inert(&theme.text)));
        members(page, "  ", &theme.members);
    }
    page.heading(2, "Divergent Views");
    if document.divergences.is_empty() && document.divergent_views.is_empty() {
        page.line("None.");
    }
    for divergence in &document.divergences {
        let (kind, severity) = (spoken(divergence.kind.name()), divergence.severity);
        let by = attribution(divergence);
        let by = if by.is_empty() { by } else { inert(&by) };
        let text = inert(&divergence.text);
        page.line(&format!("- **{kind}** ({severity}): {text}{by}"));
    }
    if !document.divergent_views.is_empty() {
        page.heading(3, "Praised by one, faulted by another");
    }
    for view in &document.divergent_views {
        let (praised, faulted) = (names(&view.praised_by), names(&view.faulted_by));
        page.line(&format!(
            "- **{}** ({}): praised by {}, faulted by {}",
            inert(&view.text),
            view.severity,
            inert(&praised),
            inert(&faulted)
        ));
        members(page, "  ", &view.members);
    }
    page.heading(2, "Coverage Gaps");
    if document.coverage_gaps.is_empty() {
        page.line(if document.context.is_some() {
            "None was named."
        } else {
            "None was named; there was no context to check against."
        });
    }
    for gap in &document.coverage_gaps {
        let by = inert(&names(&gap.perspectives));
        page.line(&format!("- {} ({by})", inert(&gap.text)));
        members(page, "  ", &gap.members);
    }
    page.heading(2, "Action Items");
    if document.action_items.is_empty() {
        page.line("None.");
    }
    for (number, item) in (1..).zip(&document.action_items) {
        action(page, number, item);
    }
}

fn action(page: &mut Page, number: usize, item: &ActionItem) {
    let number = format!("{number}. ");
    let by = inert(&names(&item.perspectives));
    page.line(&format!("{number}{} ({}; {by})", inert(&item.text), item.urgency));
    // An item that is one suggestion, in its own words, has been said with that.
    let alone = match &item.members[..] {
        [one] => one.text == item.text && one.kind == PointKind::Suggestion,
        _ => false,
    };
    if !alone {
        members(page, &" ".repeat(number.len()), &item.members);
    }
}

/// All that was put together.
fn members(page: &mut Page, indent: &str, members: &[Point]) {
    for point in members {
        page.line(&format!("{indent}- {}", inert(&member(point))));
    }
}

/// How large an artifact is, in words.
pub(super) fn size(basics: &Basics) -> String {
    let cut = if basics.cut { "; what follows is not all of it" } else { "" };
    format!(
        "{}, {}, {}{cut}.",
        words::bytes(basics.bytes),
        words::count(basics.lines, "line"),
        words::count(basics.words, "word")
    )
}

fn basics(page: &mut Page, basics: &Basics) {
    page.heading(2, "Basic record: the artifact alone");
    page.line(
        "Made by the program from the artifact, without any perspective. It is no verdict: nobody has judged the artifact.",
    );
    page.gap();
    page.line(&format!("Size: {}", size(basics)));
    for (heading, places) in [
        ("Outline", &basics.outline),
        ("Not done, by its own words", &basics.markers),
        ("Links that lead nowhere", &basics.broken_links),
    ] {
        page.heading(3, heading);
        let place = |place: &Place| format!("line {}: {}", place.line, inert(&place.text));
        page.list(places.iter().map(place), "None was found.");
    }
}

fn ratings(page: &mut Page, document: &DiscussDocument) {
    page.heading(2, "Ratings");
    let rows = document.header.seats.iter().map(|seat| {
        let dash = || "-".to_owned();
        let voice = document.voice(&seat.role);
        let said = voice.map(|voice| &voice.critique);
        vec![
            inert(&seat.role),
            said.map_or_else(dash, |said| format!("{}/5", said.rating)),
            (said.and_then(|said| said.risk_level)).map_or_else(dash, |risk| risk.to_string()),
            inert(&voice.map_or_else(|| silent(seat), answered_by)),
        ]
    });
    page.table(&["Perspective", "Rating", "Risk", "Answered by"], rows);
}

fn said(page: &mut Page, document: &DiscussDocument) {
    if document.perspectives.is_empty() {
        return;
    }
    page.heading(2, "What each perspective said");
    for voice in &document.perspectives {
        page.heading(3, &inert(&voice.perspective));
        voice_said(page, voice);
    }
}

fn voice_said(page: &mut Page, voice: &Voice) {
    let (title, by) = (inert(&voice.title), inert(&answered_by(voice)));
    let said = &voice.critique;
    let risk = (said.risk_level).map_or_else(String::new, |risk| format!(", risk {risk}"));
    page.line(&format!("As {title}, answered by {by}: {}/5{risk}.", said.rating));
    for (label, texts, told) in [
        ("Strengths", &said.strengths, true),
        ("Weaknesses", &said.weaknesses, true),
        ("Suggestions", &said.suggestions, true),
        ("Risks", &said.risks, false),
        ("Requirements that are met", &said.covered, false),
        ("Requirements that are missing", &said.missing_requirements, false),
    ] {
        if texts.is_empty() && !told {
            continue;
        }
        page.gap();
        if texts.is_empty() {
            page.line(&format!("{label}: none"));
            continue;
        }
        page.line(&format!("{label}:"));
        page.gap();
        page.list(texts.iter().map(|text| inert(text)), "");
    }
}

fn attendance(page: &mut Page, document: &DiscussDocument) {
    let header = &document.header;
    page.heading(2, "Who answered");
    for seat in &header.seats {
        page.line(&format!("- {}", inert(&backlog::seat(seat))));
    }
    page.line(&format!("- {}", document.attendance()));
    let failed = header.seats.iter().any(|seat| seat.status == SeatStatus::Failed);
    if failed && document.average_rating.is_some() {
        page.line("- One that failed is left out of the mean; nothing was put in its place");
    }
    page.warnings(&header.warnings);
    page.skills(&header.skills);
}
