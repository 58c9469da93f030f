//! A person's unfinished answer: the lines that were accepted.
//!
//! A form is a pure function of its lines, so nothing else has to be kept. They are written after each line, not at
//! the end: they survive a signal, the loss of the terminal and `kill -9`.

use std::path::PathBuf;

use crate::session::DraftStore;
use crate::text::redact::Redactor;

/// The draft of one turn.
#[derive(Debug)]
pub(super) struct Draft {
    turn: String,
    /// `None` if there is no place to keep it.
    drafts: Option<DraftStore>,
    redactor: Redactor,
    lines: Vec<String>,
}

impl Draft {
    pub(super) fn of(turn: &str, drafts: Option<DraftStore>, redactor: Redactor) -> Self {
        Self { turn: turn.to_owned(), drafts, redactor, lines: Vec::new() }
    }

    /// Returns the lines left from an earlier question about this turn.
    pub(super) fn earlier(&self) -> Vec<String> {
        let kept = self.drafts.as_ref().and_then(|drafts| drafts.read(&self.turn));
        kept.map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Adds one line and saves the draft.
    pub(super) fn push(&mut self, line: &str) {
        self.lines.push(line.to_owned());
        if let Some(drafts) = &self.drafts {
            let text = self.lines.join("\n") + "\n";
            // A disk that accepts no more is noticed and reported where the reply is recorded.
            drafts.keep(&self.turn, &self.redactor.bytes(text.as_bytes())).ok();
        }
    }

    /// Returns the path of the saved lines, if there are any.
    pub(super) fn kept(&self) -> Option<PathBuf> {
        let drafts = self.drafts.as_ref().filter(|_| !self.lines.is_empty())?;
        drafts.read(&self.turn).map(|_| drafts.path(&self.turn))
    }
}
