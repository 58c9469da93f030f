//! The page of a critique: how it ended and what is to be done, then each perspective's answers.
//!
//! # Theory of operation
//!
//! Its order is that of the record in `docs/discuss.md`: the artifact and the ending; themes, divergences, gaps,
//! action items; the ratings with their agents; then all answers, the seats, warnings, prompts. Parts of the source
//! document's record keep its form (the lines at the top, the headings, divergences, the ratings), so that a reader
//! made for that record finds them. In the record every group has all its members, so that a reader can check the
//! grouping. If no perspective answered, the basic record replaces the perspectives' answers, and states that it is not
//! a verdict.

use super::DiscussDocument;
use crate::kernel::SeatStatus;
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::discuss::{Divergence, Severity, Verdict};
use crate::report::Look;
use crate::report::page::session::{self, SessionPhase};
use crate::report::page::template::Data;
use crate::report::page::{Blocks, Page, Part, Text, ToPage, name, terminal, text};

/// Maximum number of required changes on a screen.
const REQUIRED_ON_SCREEN: usize = 10;
/// Maximum number of action items on a screen if none is required.
const ITEMS_ON_SCREEN: usize = 3;

impl ToPage for DiscussDocument {
    fn page(&self) -> Page {
        let title = text!["Discussion Record: ", name(&self.round_id)];
        let next = session::next(&self.header, self.standing());
        let mut page = session::page(title, &self.header, ("discuss", &self.data()), next);
        if self.is_for_coordinator() {
            self.message(page.blocks()).screen_only();
        }
        page
    }

    /// A coordinator reads its lines as they are, below what people read.
    fn brief(&self, look: Look, rows: usize) -> String {
        let message = self.message.as_deref().filter(|_| self.is_for_coordinator());
        let lines = message.map(|text| format!("\n{}", terminal::code(text)));
        terminal::brief(&self.page(), look, rows) + &lines.unwrap_or_default()
    }
}

impl DiscussDocument {
    const fn is_for_coordinator(&self) -> bool {
        self.role.is_some() || self.task_id.is_some()
    }

    /// The page with the lines for a coordinator at its end, if there are any. The record itself has none: it is
    /// written before its path is known.
    pub(super) fn page_with_message(&self) -> Page {
        let mut page = self.page();
        self.message(page.blocks()).record_only();
        page
    }

    /// The recommendation and its meaning; `None` if nothing was decided.
    pub(super) fn advice(&self) -> Option<Text> {
        self.result.recommendation.map(|_| self.data().sentence("discuss/advice"))
    }

    /// Returns what the templates are filled with.
    pub(super) fn data(&self) -> Data {
        // Green only if nothing speaks against going on.
        let tone = match (self.header.verdict, self.result.severity) {
            (Verdict::ConsensusReached, _) => "good",
            (Verdict::ConsensusBlocked, Some(Severity::High) | None) | (Verdict::Undecided, _) => {
                "bad"
            }
            (Verdict::ConsensusBlocked | Verdict::OneVendor, _) => "doubt",
        };
        let failed = self.header.seats.iter().filter(|seat| seat.status == SeatStatus::Failed);
        let items = self.result.action_items.iter();
        let required = items.filter(|item| item.urgency >= Severity::Medium).count();
        // An undecided critique requires nothing; and if no item is required, the list must not be empty because of
        // that.
        let blocked = self.header.verdict == Verdict::ConsensusBlocked && required > 0;
        let roles = self.header.seats.iter().map(|seat| &seat.role);
        let voices = self.result.perspectives.iter();
        let voices: BTreeMap<_, _> = voices.map(|voice| (&voice.perspective, voice)).gather();
        session::data(self, &self.header)
            .with("tone", tone)
            .with("blocked", blocked)
            .with("required", required)
            .with(
                "items_on_screen",
                if blocked { required.min(REQUIRED_ON_SCREEN) } else { ITEMS_ON_SCREEN },
            )
            .with("skipped", roles.filter(|role| !self.asked.contains(role)).collect::<Vec<_>>())
            .with("voices", voices)
            .text("causes", session::causes(failed, &[], "did not answer"))
    }

    fn standing(&self) -> SessionPhase {
        SessionPhase::of_ended(self.header.outcome, Verdict::Undecided, 1)
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

/// The perspectives of a divergence, unless its sentence names all of them.
pub(super) fn speakers(divergence: &Divergence) -> Option<&[String]> {
    let (who, text) = (&divergence.perspectives, &divergence.text);
    (!who.iter().all(|name| text.contains(name.as_str()))).then_some(who)
}
