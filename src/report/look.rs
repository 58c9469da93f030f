//! The look of output for people: width, colour, live or plain lines.
//!
//! [`Look::decide`] is pure, over [`StreamFacts`] that [`StreamFacts::of`] reads once per stream.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use rustix::process::getpgrp;
use rustix::termios::{tcgetpgrp, tcgetwinsize};

use crate::env;

const DEFAULT_WIDTH: usize = 80;
/// Wider lines are hard to read, narrower ones have no room for a rank and a title.
const WIDTHS: std::ops::RangeInclusive<usize> = 20..=200;

/// The facts about a stream that decide its look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is one fact about the surroundings")]
pub struct StreamFacts {
    pub terminal: bool,
    /// The terminal's own width in columns, if it is known.
    pub columns: Option<usize>,
    /// The value of `COLUMNS`.
    pub columns_var: Option<String>,
    /// Whether `NO_COLOR` is set and not empty.
    pub no_color: bool,
    /// Whether `CLICOLOR_FORCE` is set, not empty and not `0`.
    pub force_color: bool,
    /// Whether `TERM` is `dumb`.
    pub dumb: bool,
}

/// The look of output for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub width: usize,
    /// Whether colours may be used.
    pub colour: bool,
    /// Whether lines may be redrawn (progress only).
    pub live: bool,
}

impl StreamFacts {
    pub fn of(stream: &(impl AsFd + IsTerminal)) -> Self {
        Self {
            terminal: stream.is_terminal(),
            columns: columns_of(stream),
            columns_var: env::var("COLUMNS"),
            no_color: env::var("NO_COLOR").is_some(),
            force_color: env::var("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            dumb: env::var("TERM").is_some_and(|term| term == "dumb"),
        }
    }
}

fn columns_of(stream: &impl AsFd) -> Option<usize> {
    let size = tcgetwinsize(stream.as_fd()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Whether this process is of the job that a terminal serves; `None` if it serves none of ours.
pub(crate) fn is_in_front(terminal: &impl AsFd) -> Option<bool> {
    tcgetpgrp(terminal.as_fd()).ok().map(|group| group == getpgrp())
}

impl Look {
    /// Returns the look of one of our own streams.
    pub fn of(stream: &(impl AsFd + IsTerminal)) -> Self {
        Self::decide(&StreamFacts::of(stream), true)
    }

    /// Decides the look. `progress`: live lines are requested (`--progress auto`).
    ///
    /// `NO_COLOR` wins over `CLICOLOR_FORCE`, and removes colours and nothing else (no-color.org). A terminal that is
    /// dumb, or does not report its width, gets plain lines: redrawing needs both.
    pub fn decide(around: &StreamFacts, progress: bool) -> Self {
        let width = around
            .columns_var
            .as_ref()
            .and_then(|columns| columns.parse().ok())
            .filter(|columns: &usize| *columns > 0)
            .or(around.columns)
            .unwrap_or(DEFAULT_WIDTH)
            .clamp(*WIDTHS.start(), *WIDTHS.end());
        let capable = around.terminal && !around.dumb;
        Self {
            width,
            colour: !around.no_color && (around.force_color || capable),
            live: progress && capable && around.columns.is_some(),
        }
    }

    pub const fn plain(width: usize) -> Self {
        Self { width, colour: false, live: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terminal() -> StreamFacts {
        StreamFacts { terminal: true, columns: Some(132), ..StreamFacts::default() }
    }

    #[test]
    fn a_terminal_is_live_and_coloured_and_a_pipe_is_plain() {
        assert_eq!(Look::decide(&terminal(), true), Look { width: 132, colour: true, live: true });
        assert_eq!(Look::decide(&StreamFacts::default(), true), Look::plain(80));
    }

    #[test]
    fn no_color_takes_colours_away_and_nothing_else() {
        let around = StreamFacts { no_color: true, ..terminal() };
        let coloured = Look::decide(&terminal(), true);
        let plain = Look::decide(&around, true);
        assert_eq!(plain, Look { colour: false, ..coloured });
    }

    #[test]
    fn each_wish_for_plain_lines_is_heard() {
        for (around, progress) in [
            (terminal(), false),
            (StreamFacts { dumb: true, ..terminal() }, true),
            (StreamFacts { columns: None, ..terminal() }, true),
            (StreamFacts { terminal: false, force_color: true, ..terminal() }, true),
        ] {
            assert!(!Look::decide(&around, progress).live, "{around:?}");
        }
    }

    #[test]
    fn no_color_wins_over_clicolor_force_which_wins_over_a_pipe() {
        let pipe = StreamFacts { force_color: true, ..StreamFacts::default() };
        assert!(Look::decide(&pipe, true).colour);
        assert!(!Look::decide(&StreamFacts { no_color: true, ..pipe }, true).colour);
    }

    #[test]
    fn columns_decides_the_width_if_it_is_a_number() {
        for (columns, width) in [("100", 100), ("0", 132), ("1", 20), ("99999", 200), ("wide", 132)]
        {
            let around = StreamFacts { columns_var: Some(columns.into()), ..terminal() };
            assert_eq!(Look::decide(&around, true).width, width, "{columns}");
        }
    }
}
