//! The options that commands share, as clap reads them.

use std::path::PathBuf;

use clap::Args;

use super::format::Format;
use crate::app::run::roles::{DEBATE, INQUIRY};
use crate::app::word::word;
use crate::app::{RoleAgent, RunOptions};
use crate::env::Env;
use crate::error::{Error, Kind};

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The clock and the randomness of this run.
    #[arg(skip = Env::system())]
    pub(crate) env: Env,
    /// text, json, markdown, html, transcript, sarif.
    ///
    /// A command has some of them: sarif, github and pr are for reviews, csv is for `backlog export`.
    #[arg(long, global = true, value_name = "FORMAT", help_heading = None, value_parser = word::<Format>(), hide_possible_values = true)]
    pub(crate) format: Option<Format>,
    /// Print one JSON document on standard output: `--format json`.
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) json: bool,
    /// Also read this configuration file, over the project's; naming it means trusting it.
    #[arg(long, global = true, value_name = "FILE", hide_short_help = true)]
    pub(crate) config: Option<PathBuf>,
    /// Set a key of the configuration for this run: `review.compose=never`. Can be repeated.
    #[arg(long, global = true, value_name = "KEY=VALUE", hide_short_help = true)]
    pub(crate) set: Vec<String>,
    /// How a run is followed on standard error.
    #[arg(long, global = true, value_name = "HOW", hide_short_help = true, value_parser = word::<Progress>(), default_value = "auto", hide_default_value = true)]
    pub(crate) progress: Progress,
}

crate::words! {
    /// How a run is followed on standard error.
    pub(crate) enum Progress {
        /// Live at a terminal, otherwise in plain lines.
        Auto = "auto",
        /// In plain lines, as for a screen reader.
        Plain = "plain",
        /// Not at all: only results, errors and warnings.
        Off = "off",
    }
}

/// How a command that may call an agent runs it.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run options")]
pub(crate) struct CallArgs {
    /// Show the calls and their cost, and ask nobody.
    #[arg(long, help_heading = None)]
    pub(crate) dry_run: bool,
    /// Print the whole result at the end, as `sessions show --full` does.
    #[arg(long, help_heading = None, hide_short_help = true)]
    pub(crate) full: bool,
    /// Write all that happens as JSON Lines to a file, or to standard output.
    #[arg(long, value_name = "FILE|-", hide_short_help = true)]
    pub(crate) events: Option<PathBuf>,
}

/// A request, and how it is run.
#[derive(Debug, Args)]
pub(crate) struct Asked<R: Args> {
    #[command(flatten)]
    pub(crate) request: R,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// Options of every command whose agents have roles of their own.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run options")]
pub(crate) struct RoleArgs {
    /// The agents, as champion, critic, moderator, ...
    ///
    /// Then analyst and advisor; a shorter list repeats.
    #[arg(long, value_name = "AGENT,...", help_heading = None, value_delimiter = ',')]
    pub(crate) agents: Vec<String>,
    /// Give a seat to an agent, as in `critic=gemini,champion=claude`.
    #[arg(long, value_name = "ROLE=AGENT,...", hide_short_help = true, value_delimiter = ',')]
    pub(crate) seat: Vec<String>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
    #[command(flatten)]
    pub(crate) call: CallArgs,
}

/// Returns the seats that a command line may fill, in the order of `--agents`: each by its short name, and as a role of
/// the configuration.
fn roles() -> impl Iterator<Item = &'static (&'static str, &'static str)> + Clone {
    DEBATE.iter().chain(INQUIRY)
}

impl RoleArgs {
    /// Returns the run options of a session whose agents have roles.
    pub(super) fn options(&self) -> Result<RunOptions, Error> {
        Ok(RunOptions { roles: self.roles()?, ..self.options.clone() })
    }

    /// Returns the agents of the list by role, then those of single seats, which count above the list.
    fn roles(&self) -> Result<Vec<RoleAgent>, Error> {
        let listed = roles().zip(self.agents.iter().cycle());
        let listed = listed.map(|((_, role), agent)| {
            Ok(RoleAgent { role, agent: agent.clone(), option: "agents" })
        });
        listed.chain(self.seat.iter().map(|pair| seat(pair))).collect()
    }
}

/// Reads `ROLE=AGENT`.
fn seat(pair: &str) -> Result<RoleAgent, Error> {
    let (role, agent) = pair.split_once('=').ok_or_else(|| {
        Error::new(Kind::Usage, format!("`--seat {pair}` is not ROLE=AGENT"))
            .hint("for example `--seat critic=gemini`")
    })?;
    let known = roles().find(|(short, name)| [*short, *name].contains(&role));
    let Some((_, role)) = known else {
        let roles: Vec<&str> = roles().map(|(short, _)| *short).collect();
        let what = format!("`--seat {pair}`: there is no role `{role}`");
        return Err(Error::new(Kind::Usage, what).hint(format!("roles are {}", roles.join(", "))));
    };
    Ok(RoleAgent { role, agent: agent.to_owned(), option: "seat" })
}
