//! The errors shown to users and scripts.
//!
//! Layers have their own small enums; each is converted into an [`Error`] once, at the edge, where it gets a [`Kind`]
//! (which decides the exit code), a sentence that says what failed, and hints on how to fix it. A failed turn is not
//! an error: it is data that the protocol judges.

mod below;

use std::fmt;

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use crate::exit::ExitStatus;
use crate::text::redact::Redactor;
use crate::text::sanitize;

pub(crate) use below::{backlog_error, git_error, roster_error, store_error};

/// The kind of an error, by who can fix it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A fault in the command line.
    Usage,
    /// A fault in the configuration.
    Config,
    /// A fault in an input file, or an unknown id.
    Input,
    /// A requirement missing on this machine: a program, a login, a repository.
    Environment,
    /// The project's configuration or skills are not trusted, or a policy refuses the run.
    Trust,
    /// The run could not decide.
    Undecided,
    /// The state on disk, or another I/O error.
    State,
    /// A broken invariant.
    Bug,
    /// Stopped by this signal.
    Interrupted(i32),
}

impl Kind {
    /// Returns the kind's stable name.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Config => "config",
            Self::Input => "input",
            Self::Environment => "environment",
            Self::Trust => "trust",
            Self::Undecided => "undecided",
            Self::State => "state",
            Self::Bug => "bug",
            Self::Interrupted(_) => "interrupted",
        }
    }

    /// Returns the exit status for such an error.
    pub const fn status(self) -> ExitStatus {
        match self {
            Self::Usage | Self::Config | Self::Input => ExitStatus::Usage,
            Self::Environment | Self::Trust => ExitStatus::Environment,
            Self::Undecided => ExitStatus::Undecided,
            Self::State => ExitStatus::State,
            Self::Bug => ExitStatus::Bug,
            Self::Interrupted(signal) => ExitStatus::from_signal(signal),
        }
    }
}

/// An error at the edge: everything that is shown of it.
#[derive(Debug)]
pub struct Error {
    /// The kind, which decides the exit code.
    pub kind: Kind,
    /// A stable `snake_case` name for scripts; that of the kind unless a more specific one is known.
    pub code: &'static str,
    /// One sentence: what failed, for which agent or file.
    pub what: String,
    /// The cause, if there is one.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
    /// Hints on how to fix it, one sentence each.
    pub hints: Vec<String>,
}

impl Error {
    /// Creates an error without cause or hints.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self { kind, code: kind.code(), what: what.into(), source: None, hints: Vec::new() }
    }

    /// Sets a more specific name: `locked`, `needs_more_turns`, `unknown_id`.
    #[must_use]
    pub fn named(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds a hint on how to fix it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Returns the exit status for this error.
    pub fn status(&self) -> ExitStatus {
        self.kind.status()
    }

    /// Returns the causes, outermost first, without those that only repeat the previous one.
    fn causes(&self) -> Vec<String> {
        let mut causes: Vec<String> = Vec::new();
        let mut next: Option<&(dyn std::error::Error + 'static)> =
            self.source.as_ref().map(|source| source.as_ref() as _);
        while let Some(cause) = next {
            let text = one_line(&cause.to_string());
            if causes.last().unwrap_or(&one_line(&self.what)) != &text {
                causes.push(text);
            }
            next = cause.source();
        }
        causes
    }

    /// Returns everything as one line, for a result that includes it: error, causes, hints.
    pub fn sentence(&self) -> String {
        let mut text = one_line(&self.what);
        for cause in self.causes() {
            text.push_str(": ");
            text.push_str(&cause);
        }
        for hint in &self.hints {
            text.push_str(" (");
            text.push_str(&one_line(hint));
            text.push(')');
        }
        text
    }

    /// Returns the error for people: `error:`, `caused by:` and `hint:` lines, sanitized, with a newline at the end.
    pub fn text(&self, colour: bool) -> String {
        let mut text = labelled("error", AnsiColor::Red, &self.what, colour);
        for cause in self.causes() {
            text.push_str(&labelled("caused by", AnsiColor::Yellow, &cause, colour));
        }
        for hint in &self.hints {
            text.push_str(&labelled("hint", AnsiColor::Cyan, hint, colour));
        }
        text
    }

    /// Returns the error for scripts: `{"error": {"code", "message", "hint"?, "causes"?, "exit_code"}}`.
    pub fn json(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": one_line(&self.what) });
        if !self.hints.is_empty() {
            error["hint"] = one_line(&self.hints.join(" ")).into();
        }
        let causes = self.causes();
        if !causes.is_empty() {
            error["causes"] = causes.into();
        }
        error["exit_code"] = self.status().code().into();
        json!({ "error": error })
    }
}

/// Maximum length of a line of an error, in characters; a cause can quote a whole file.
const LINE_CHARS: usize = 2_000;

/// Returns a text on one line, without secrets: an error repeats what was typed.
fn one_line(text: &str) -> String {
    sanitize::line(&Redactor::new(&[]).text(text), LINE_CHARS)
}

fn labelled(label: &str, colour: AnsiColor, text: &str, coloured: bool) -> String {
    let text = one_line(text);
    if coloured {
        let style = Style::new().bold().fg_color(Some(colour.into()));
        format!("{style}{label}:{style:#} {text}\n")
    } else {
        format!("{label}: {text}\n")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locked() -> Error {
        Error::new(Kind::State, "failed to open session 0199a3c2")
            .named("locked")
            .because(std::io::Error::other("held by process 4711"))
            .hint("wait for it, or stop it with `debate-agent sessions terminate 0199a3c2`")
    }

    #[test]
    fn people_get_what_why_and_how_to_mend_it() {
        insta::assert_snapshot!(locked().text(false), @r"
        error: failed to open session 0199a3c2
        caused by: held by process 4711
        hint: wait for it, or stop it with `debate-agent sessions terminate 0199a3c2`
        ");
    }

    #[test]
    fn scripts_get_the_same_with_a_stable_code() {
        insta::assert_snapshot!(locked().json(), @r#"{"error":{"code":"locked","message":"failed to open session 0199a3c2","hint":"wait for it, or stop it with `debate-agent sessions terminate 0199a3c2`","causes":["held by process 4711"],"exit_code":5}}"#);
    }

    #[test]
    fn every_kind_has_its_exit_code_and_name() {
        for (kind, exit, name) in [
            (Kind::Usage, 2, "usage"),
            (Kind::Config, 2, "config"),
            (Kind::Input, 2, "input"),
            (Kind::Environment, 3, "environment"),
            (Kind::Trust, 3, "trust"),
            (Kind::Undecided, 4, "undecided"),
            (Kind::State, 5, "state"),
            (Kind::Bug, 70, "bug"),
            (Kind::Interrupted(1), 129, "interrupted"),
            (Kind::Interrupted(2), 130, "interrupted"),
            (Kind::Interrupted(15), 143, "interrupted"),
        ] {
            let error = Error::new(kind, "x");
            assert_eq!((error.status().code(), error.code), (exit, name));
        }
    }

    #[test]
    fn a_cause_that_repeats_its_error_is_said_once() {
        let error = Error::new(Kind::State, "disk full").because("disk full");
        assert_eq!(error.text(false), "error: disk full\n");
    }

    #[test]
    fn escapes_and_newlines_of_others_reach_no_terminal() {
        let evil = "a\u{1b}]52;c;eA==\u{7}b\nhint: forged\u{202e}";
        let error = Error::new(Kind::Input, evil).because(evil).hint(evil);
        let text = error.text(false);
        assert_eq!(text.lines().count(), 2, "the equal cause is dropped: {text:?}");
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
        assert!(!error.json().to_string().contains('\u{202e}'));
    }

    #[test]
    fn colour_is_only_added_where_asked() {
        assert!(locked().text(true).contains("\u{1b}["));
        assert!(!locked().text(false).contains('\u{1b}'));
    }
}
