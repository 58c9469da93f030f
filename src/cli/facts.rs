//! The options for facts that only the person knows, shared by `debate` and `plan`.

use std::path::PathBuf;

use clap::Args;

use super::word::some;
use crate::app::Input;
use crate::protocol::clarify::Mode;

/// What becomes of the questions.
const MODES: [(Mode, &str); 2] =
    [(Mode::Ask, "You are asked at the terminal"), (Mode::List, "They are kept as assumptions")];

#[derive(Debug, Clone, Args)]
pub(crate) struct FactsArgs {
    /// Facts that you state beforehand, one a line; `-` reads them from standard input.
    #[arg(long, hide_short_help = true, value_name = "FACTS")]
    facts: Option<PathBuf>,
    /// Have at most five questions asked first, about facts that would change the answer: `ask` you at the terminal
    /// (the default), or `list` them as assumptions.
    #[arg(long, hide_short_help = true, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "ask", value_parser = some(&MODES))]
    pub(crate) clarify: Option<Mode>,
}

impl FactsArgs {
    /// Returns the facts that are stated beforehand; empty if there are none.
    pub(crate) fn input(&self) -> Input {
        self.facts.clone().map_or_else(Input::default, Input::File)
    }
}
