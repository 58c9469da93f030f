//! The page of a critique: how it ended and what is to be done, then each perspective's answers.
//!
//! # Theory of operation
//!
//! Its order is that of the record in `docs/discuss.md`: the artifact and the ending; themes, divergences, gaps,
//! action items; the ratings with their agents; then all answers, the seats, warnings, prompts. Parts of the source
//! document's record keep its form ([`named`], the headings, [`divergence`], the ratings), so that a reader made for
//! that record finds them. In the record every group has all its members, so that a reader can check the grouping. If
//! no perspective answered, the basic record replaces the perspectives' answers, and states that it is not a verdict.

use super::DiscussDocument;
use crate::kernel::{Ended, Halt, Seat, SeatStatus};
use crate::protocol::discuss::input::LineReference;
use crate::protocol::discuss::{
    ActionItem, Basics, Divergence, FollowUpAction, PerspectiveReply, Point, PointKind,
    Recommendation, Severity, Verdict, View,
};
use crate::report::page::ToPage;
use crate::report::page::session::{self, SessionPhase};
use crate::report::page::{
    Blocks, Emphasis, Item, Page, Part, Table, Text, agent_text, agent_text_up_to, bytes, count,
    decimal, name, names, path, text,
};
use crate::report::words;

/// Maximum characters of a round's id in a line; ids made or accepted by the program are shorter.
const ID_CHARS: usize = 64;
/// Maximum number of divergences on a screen, and of action items if none is required.
const TOP: usize = 3;
/// Maximum number of required changes, themes and lines of a basic record on a screen.
const LISTED: usize = 10;
/// Warnings that a screen shows elsewhere: at the top, and among the seats.
const TOLD_ELSEWHERE: [&str; 2] = [super::ONE_VENDOR, super::SKIPPED];

impl ToPage for DiscussDocument {
    fn page(&self) -> Page {
        let title = text!["Discussion Record: ", name(&self.round_id)];
        let mut page = session::begin(title, &self.header, self.headline_text());
        let blocks = page.blocks();
        self.reservations(blocks);
        self.facts(blocks);
        match &self.result.basics {
            Some(basics) => self::basics(blocks, basics),
            None if self.result.perspectives.is_empty() => {}
            None => self.groups(blocks),
        }
        blocks.section("Ratings", |below| {
            below.table(self.ratings());
        });
        blocks.section("What each perspective said", |below| self.voices(below)).record_only();
        session::attendance(blocks, &self.header, text![self.attendance(), self.not_in_mean()]);
        session::record(blocks, &self.header);
        let seats = self.notable().map(session::seat).chain([self.attendance()]);
        let followed = self.followed().into_iter();
        let first = [("Seats", seats.collect()), ("Follow-up", followed.collect())];
        session::foot_with_warnings(blocks, &self.header, first, self.warnings(), self.next());
        if self.role.is_some() || self.task_id.is_some() {
            self.message(blocks).screen_only();
        }
        page
    }
}

impl DiscussDocument {
    /// The page with the lines for a coordinator at its end, if there are any. The record itself has none: it is
    /// written before its path is known.
    pub(super) fn page_with_message(&self) -> Page {
        let mut page = self.page();
        self.message(page.blocks()).record_only();
        page
    }

    /// Returns in one line how the critique ended, in capitals first: by outcome, severity and counts alone.
    pub(crate) fn headline_text(&self) -> Text {
        let (id, present) = (agent_text_up_to(&self.round_id, ID_CHARS), self.present());
        let read = || text![self.mean(), "; ", self.present(), self.vendors()];
        let text = match self.header.outcome {
            Ended::Closed(verdict @ (Verdict::ConsensusReached | Verdict::OneVendor)) => {
                let agreed = match verdict {
                    Verdict::OneVendor => "AGREED (",
                    _ => "CONSENSUS REACHED (",
                };
                let severity = match self.result.severity {
                    Some(Severity::None) => "nothing was raised",
                    severity => weight(severity),
                };
                text![agreed, severity, "): ", id, ", ", read()]
            }
            Ended::Closed(Verdict::ConsensusBlocked) => {
                let severity = weight(self.result.severity);
                text!["BLOCKED (", severity, "): ", id, ", ", read()]
            }
            Ended::Closed(Verdict::Undecided) => {
                let needed = self.header.quorum.needed;
                let are = if needed == 1 { " is" } else { " are" };
                text!["UNDECIDED: ", present, ", ", needed, are, " needed (", id, ")"]
            }
            Ended::Stopped(halt) => {
                return session::halted(halt, text!["; ", present, " (", id, ")"]);
            }
        };
        text![text, ".", self.causes()].tone(self.tone())
    }

    /// Green only if nothing speaks against going on.
    const fn tone(&self) -> Emphasis {
        match (self.header.verdict, self.result.severity) {
            (Verdict::ConsensusReached, _) => Emphasis::Good,
            (Verdict::ConsensusBlocked, Some(Severity::High) | None) | (Verdict::Undecided, _) => {
                Emphasis::Bad
            }
            (Verdict::ConsensusBlocked | Verdict::OneVendor, _) => Emphasis::Doubt,
        }
    }

    const fn standing(&self) -> SessionPhase {
        match self.header.outcome {
            Ended::Closed(Verdict::Undecided) => SessionPhase::Failed,
            Ended::Closed(_) => SessionPhase::Decided,
            Ended::Stopped(halt) => SessionPhase::of(halt, 1),
        }
    }

    /// Why too few perspectives answered.
    fn causes(&self) -> Option<Text> {
        let failed = self.header.seats.iter().filter(|seat| seat.status == SeatStatus::Failed);
        (self.header.outcome == Verdict::Undecided)
            .then(|| session::causes(failed, &[], "did not answer"))
    }

    /// `mean rating 3.67 of 5`.
    fn mean(&self) -> Text {
        self.result.average_rating.map_or_else(
            || "no mean rating".into(),
            |mean| text!["mean rating ", decimal(mean), " of 5"],
        )
    }

    /// `3 of 5 perspectives answered`.
    fn present(&self) -> Text {
        match self.header.quorum.answered {
            0 => "no perspective answered".into(),
            answered => {
                text![answered, " of ", count(self.asked.len(), "perspective"), " answered"]
            }
        }
    }

    /// `3 of 5 perspectives answered (3 needed), from 2 vendors`.
    fn attendance(&self) -> Text {
        let quorum = self.header.quorum;
        text![self.present(), " (", quorum.needed, " needed)", self.vendors()]
    }

    /// `, from 2 vendors`: three perspectives of one vendor are one opinion.
    fn vendors(&self) -> Option<Text> {
        let quorum = self.header.quorum;
        (quorum.answered > 0).then(|| text![", ", session::vendors(quorum.vendors)])
    }

    fn not_in_mean(&self) -> Option<&'static str> {
        let failed = self.header.seats.iter().any(|seat| seat.status == SeatStatus::Failed);
        (failed && self.result.average_rating.is_some())
            .then_some(". One that failed is left out of the mean; nothing was put in its place")
    }

    fn voice(&self, perspective: &str) -> Option<&PerspectiveReply> {
        let mut voices = self.result.perspectives.iter();
        voices.find(|voice| voice.perspective == perspective)
    }

    /// The seats with more to report than an answer.
    pub(super) fn notable(&self) -> impl Iterator<Item = &Seat> {
        self.header.seats.iter().filter(|seat| match seat.status {
            SeatStatus::Answered => seat.failure.is_some(),
            SeatStatus::Failed | SeatStatus::FellBack | SeatStatus::Asked | SeatStatus::Skipped => {
                true
            }
        })
    }

    /// Facts that the reader must know before anything else.
    fn reservations(&self, blocks: &mut Blocks) {
        session::invented(blocks, &self.header);
        if self.header.verdict == Verdict::Undecided {
            let note = if self.result.perspectives.is_empty() {
                "No perspective answered: what follows says nothing about the artifact's quality and is not a verdict."
            } else {
                "Nothing was decided: the answers that were given are not a verdict."
            };
            blocks.para(Text::from(note).tone(Emphasis::Strong));
        }
        if let Some(warning) = self.one_voice() {
            warn(blocks, agent_text(&warning.message));
        }
    }

    fn facts(&self, blocks: &mut Blocks) {
        let artifact = text![path(&self.artifact), " (", bytes(self.artifact_bytes), ")"];
        let context: Vec<Text> = self.context.iter().map(|context| path(context)).collect();
        blocks.para(self.advice().map(|advice| text!["Recommendation: ", advice]));
        blocks.facts([("Artifact", vec![artifact]), ("Context", context)]).screen_only();
        named(blocks, "Artifact", path(&self.artifact));
        named(blocks, "Perspectives", text![names(&self.asked), self.left_out()]);
        named(blocks, "Consensus", self.consensus().into());
        let mean = self.result.average_rating.map(|mean| text![decimal(mean), "/5"]);
        named(blocks, "Average Rating", mean.unwrap_or_else(|| "none".into()));
        let severity = self.result.severity.filter(|_| !self.header.rehearsal);
        let sha256 = agent_text(&self.artifact_sha256);
        let size = text![self.artifact_bytes, " bytes, SHA-256 ", sha256];
        let first = [
            severity.map(|severity| ("Severity", severity.name().into())),
            Some(("Size of the artifact", size)),
            self.context.as_deref().map(|context| ("Checked against", path(context))),
            self.preset.as_deref().map(|preset| ("Preset", name(preset))),
            self.sign_off.then(|| ("Sign-off gate", "a person decides what blocks it".into())),
            self.followed().map(|followed| ("Follow-up", followed)),
        ];
        session::about(blocks, &self.header, self.standing(), first.into_iter().flatten());
    }

    /// Whether consensus was reached, in the words of the source document's record.
    const fn consensus(&self) -> &'static str {
        match self.header.outcome {
            _ if self.header.rehearsal => "rehearsed: nothing is decided",
            Ended::Closed(verdict) => match verdict {
                Verdict::ConsensusReached => "reached",
                Verdict::OneVendor => "reached within one vendor: unverified",
                Verdict::ConsensusBlocked => "blocked",
                Verdict::Undecided => "undecided: too few perspectives answered",
            },
            Ended::Stopped(Halt::Budget) => "undecided: the budget does not cover the next call",
            Ended::Stopped(Halt::Interrupted) => "undecided: it was interrupted",
            Ended::Stopped(Halt::Running) => "undecided so far: still running",
            Ended::Stopped(Halt::Terminated) => "undecided: a person ended it",
        }
    }

    /// Perspectives that were requested but not asked: ` (not asked: coverage)`.
    fn left_out(&self) -> Option<Text> {
        let roles = self.header.seats.iter().map(|seat| seat.role.as_str());
        let roles: Vec<&str> =
            roles.filter(|role| !self.asked.iter().any(|asked| asked == role)).collect();
        (!roles.is_empty()).then(|| text![" (not asked: ", names(&roles), ")"])
    }

    /// The follow-up, and where it is recorded: `The artifact goes back once, ... [policy.jsonl]`.
    pub(super) fn followed(&self) -> Option<Text> {
        let follow_up = self.follow_up.as_ref()?;
        let stops = follow_up.stops.then_some("STOP: ");
        let file = follow_up.file.as_deref().map(|file| text![" [", path(file), "]"]);
        let owed = match follow_up.action {
            FollowUpAction::RevisionTask
            | FollowUpAction::Escalate
            | FollowUpAction::SignOff
            | FollowUpAction::Warning => !follow_up.recorded,
            // These actions are never recorded.
            FollowUpAction::GoOn | FollowUpAction::Nothing => false,
        };
        // A rehearsal reports this itself.
        let kept = (owed && !self.header.rehearsal).then_some(" (not recorded)");
        Some(text![stops, agent_text(&follow_up.message), file, kept])
    }

    /// The recommendation and its meaning; `None` if nothing was decided.
    pub(crate) fn advice(&self) -> Option<Text> {
        let advice = self.result.recommendation?;
        let means = match (advice, self.result.severity) {
            (Recommendation::Proceed, Some(Severity::None)) => "nothing was raised",
            (Recommendation::Proceed, _) => "what was raised is advice",
            (Recommendation::ProceedWithCaution, _) => {
                "what was raised is passed on to whoever works on it next"
            }
            (Recommendation::Revise, _) => "the required changes come first",
            (Recommendation::Escalate, _) if self.sign_off => {
                "a person signs this artifact off, so a person decides"
            }
            (Recommendation::Escalate, _) => {
                "it was revised before and is blocked again, so a person decides"
            }
        };
        Some(text![advice.name(), ": ", means])
    }

    /// Adds the groups made of all answers.
    fn groups(&self, blocks: &mut Blocks) {
        blocks.section("Convergent Themes", |below| {
            below
                .para("Points are grouped by their words; the members of each group are listed below it.")
                .record_only();
            let none = self.result.convergent_themes.is_empty();
            below
                .para(none.then_some("None: no two perspectives raise the same point."))
                .record_only();
            let themes = self.result.convergent_themes.iter();
            below
                .list(themes.map(|theme| group(&theme.text, &theme.perspectives, &theme.members)))
                .most_on_screen(LISTED);
        });
        blocks.section("Divergent Views", |below| {
            let none = self.result.divergences.is_empty() && self.result.divergent_views.is_empty();
            below.para(none.then_some("None.")).record_only();
            below.list(self.result.divergences.iter().map(divergence)).most_on_screen(TOP);
            below
                .section("Praised by one, faulted by another", |inner| {
                    inner.list(self.result.divergent_views.iter().map(view));
                })
                .record_only();
        });
        blocks
            .section("Coverage Gaps", |below| {
                let none = match self.context {
                    Some(_) => "None was named.",
                    None => "None was named; there was no context to check against.",
                };
                below.para(self.result.coverage_gaps.is_empty().then_some(none));
                let gaps = self.result.coverage_gaps.iter();
                below.list(gaps.map(|gap| group(&gap.text, &gap.perspectives, &gap.members)));
            })
            .record_only();
        blocks.section("Action Items", |below| self.actions(below));
    }

    /// Adds the action items, the most urgent and so the required ones first.
    fn actions(&self, blocks: &mut Blocks) {
        let items = &self.result.action_items;
        let required = items.iter().filter(|item| item.urgency >= Severity::Medium).count();
        // An undecided critique requires nothing; and if no item is required, the list must not be empty because of
        // that.
        let blocked = self.header.verdict == Verdict::ConsensusBlocked && required > 0;
        let most = if blocked { required.min(LISTED) } else { TOP };
        if blocked {
            let advice = items.len() - required;
            let advice =
                (advice > 0).then(|| text![", then ", count(advice, "item"), " of advice"]);
            blocks.para(text![count(required, "required change"), advice, "."]);
        }
        blocks.para(items.is_empty().then_some("None.")).record_only();
        blocks.list(items.iter().map(action)).numbered_from(1).most_on_screen(most);
    }

    /// A row per perspective: its ratings, and the agent that answered.
    fn ratings(&self) -> Table {
        let rows = self.header.seats.iter().map(|seat| {
            let voice = self.voice(&seat.role);
            let said = voice.map(|voice| &voice.critique);
            vec![
                name(&seat.role),
                said.map_or_else(|| "-".into(), |said| text![said.rating, "/5"]),
                // Blank for a perspective that answered without naming a risk.
                said.map_or("-", |said| said.risk_level.map_or("", |risk| risk.name())).into(),
                voice.map_or_else(|| silent(seat), answered_by),
            ]
        });
        Table::new(["Perspective", "Rating", "Risk", "Answered by"], rows).unbroken(&[1, 2])
    }

    fn voices(&self, blocks: &mut Blocks) {
        for voice in &self.result.perspectives {
            blocks.section(name(&voice.perspective), |below| self::voice(below, voice));
        }
    }

    /// Returns each warning once, after the perspectives that it came with: `product, risk: ...`.
    fn warnings(&self) -> Vec<Text> {
        let told = session::count_warnings(&self.header.warnings).into_iter();
        let told = told.filter(|told| !TOLD_ELSEWHERE.contains(&told.code)).map(|told| {
            let mut from: Vec<&str> = Vec::new();
            // A turn's id is `r1/product`.
            for (_, perspective) in told.turns.iter().filter_map(|turn| turn.split_once('/')) {
                if !from.contains(&perspective) {
                    from.push(perspective);
                }
            }
            let from = (!from.is_empty()).then(|| text![names(&from), ": "]);
            text![from, agent_text(told.message)]
        });
        told.collect()
    }

    /// Returns how to go on; nothing if the critique was decided.
    pub(super) fn next(&self) -> Vec<Text> {
        session::next(&self.header, self.standing())
    }

    /// Adds the lines for a coordinator. A program reads them, so they are not wrapped, however narrow a screen is.
    fn message<'a>(&self, blocks: &'a mut Blocks) -> &'a mut Part {
        blocks.section("Message to the coordinator", |below| {
            if let Some(message) = &self.message {
                below.code(message);
            }
        })
    }
}

pub(super) fn warn(blocks: &mut Blocks, message: Text) -> &mut Part {
    let label = Text::from("WARNING:").tone(Emphasis::Strong);
    blocks.para(text![label, " ", message.tone(Emphasis::Doubt)])
}

/// Adds a line of the source document's record, in its form.
fn named(blocks: &mut Blocks, label: &'static str, value: Text) {
    blocks.para(text![Text::from(label).tone(Emphasis::Strong), ": ", value]).record_only();
}

/// Returns the state of a perspective without an answer.
fn silent(seat: &Seat) -> Text {
    match seat.status {
        SeatStatus::Asked | SeatStatus::Skipped => words::seat_status(seat.status).into(),
        // A seat that is marked as answered but has no answer gave none that counts.
        SeatStatus::Failed | SeatStatus::Answered | SeatStatus::FellBack => {
            text!["FAILED: ", session::agent(&seat.agent, &seat.vendor)]
        }
    }
}

/// `high`, or a phrase if the severity is unknown.
fn weight(severity: Option<Severity>) -> &'static str {
    severity.map_or("severity unknown", |severity| severity.name())
}

/// The agent that gave a perspective's answer: `codex (openai)`, `claude (anthropic) for gemini`.
fn answered_by(voice: &PerspectiveReply) -> Text {
    let other = voice.instead_of.as_deref().map(|other| text![" for ", name(other)]);
    text![session::agent(&voice.agent, &voice.vendor), other]
}

/// `coverage gap (high): 2 requirements are missing: ... (product, coverage)`.
fn divergence(divergence: &Divergence) -> Text {
    let kind = spoken(divergence.kind.name()).tone(Emphasis::Strong);
    let by = speakers(divergence).map(|who| text![" (", names(who), ")"]);
    text![kind, " (", divergence.severity.name(), "): ", agent_text(&divergence.text), by]
}

/// The perspectives of a divergence, unless its sentence names all of them.
pub(super) fn speakers(divergence: &Divergence) -> Option<&[String]> {
    let (who, text) = (&divergence.perspectives, &divergence.text);
    (!who.iter().all(|name| text.contains(name.as_str()))).then_some(who)
}

fn view(view: &View) -> Item {
    let (praised, faulted) = (names(&view.praised_by), names(&view.faulted_by));
    let text = agent_text(&view.text).tone(Emphasis::Strong);
    let severity = view.severity.name();
    let head = text![text, " (", severity, "): praised by ", praised, ", faulted by ", faulted];
    with_members(head, &view.members)
}

fn action(item: &ActionItem) -> Item {
    let by = names(&item.perspectives);
    let head = text![agent_text(&item.text), " (", item.urgency.name(), "; ", by, ")"];
    // An item that is a single suggestion in its own words is already covered by the suggestion.
    match &item.members[..] {
        [one] if one.text == item.text && one.kind == PointKind::Suggestion => head.into(),
        members => with_members(head, members),
    }
}

/// A text raised by several perspectives, their names, and in a record each one's wording.
fn group(text: &str, who: &[String], members: &[Point]) -> Item {
    with_members(text![agent_text(text), " (", names(who), ")"], members)
}

fn with_members(head: Text, members: &[Point]) -> Item {
    let member = |point: &Point| {
        let (who, kind) = (name(&point.perspective), spoken(point.kind.name()));
        text![who, ", ", kind, ": ", agent_text(&point.text)]
    };
    Item::new(head).with(|below| {
        below.list(members.iter().map(member)).record_only();
    })
}

/// A name of our enums as words: `missing requirement`.
fn spoken(name: &'static str) -> Text {
    Text::join(name.split('_'), " ")
}

/// Adds the basic record, made from the artifact alone.
fn basics(blocks: &mut Blocks, basics: &Basics) {
    blocks.section("Basic record: only the artifact", |below| {
        below.para("Made by the program from the artifact, without any perspective. It is not a verdict: nobody has judged the artifact.");
        let cut = basics.cut.then_some("; what follows is incomplete");
        let (lines, words) = (count(basics.lines, "line"), count(basics.words, "word"));
        below.para(text!["Size: ", bytes(basics.bytes), ", ", lines, ", ", words, cut, "."]);
        for (heading, places) in [
            ("Outline", &basics.outline),
            ("Not done, in its own words", &basics.markers),
        ] {
            below.section(heading, |inner| {
                inner.para(places.is_empty().then_some("None was found.")).record_only();
                let place = |place: &LineReference| text!["line ", place.line, ": ", agent_text(&place.text)];
                inner.list(places.iter().map(place)).most_on_screen(LISTED);
            });
        }
    });
}

fn voice(blocks: &mut Blocks, voice: &PerspectiveReply) {
    let critique = &voice.critique;
    let risk = critique.risk_level.map(|risk| text![", risk ", risk.name()]);
    let (title, by) = (agent_text(&voice.title), answered_by(voice));
    blocks.para(text!["As ", title, ", answered by ", by, ": ", critique.rating, "/5", risk, "."]);
    // Every perspective is asked for the first three.
    let facts = [
        ("Strengths", &critique.strengths, Some("none")),
        ("Weaknesses", &critique.weaknesses, Some("none")),
        ("Suggestions", &critique.suggestions, Some("none")),
        ("Risks", &critique.risks, None),
        ("Requirements that are met", &critique.covered, None),
        ("Requirements that are missing", &critique.missing_requirements, None),
    ];
    blocks.facts(facts.into_iter().map(|(label, texts, none)| {
        let none = none.filter(|_| texts.is_empty()).map(Text::from);
        (label, texts.iter().map(|text| agent_text(text)).chain(none).collect())
    }));
}
