//! The options that commands share, as clap reads them.

use std::path::PathBuf;

use clap::Args;

use super::number::setting;
use super::word::word;
use crate::app::{OnAmbiguous, RoleAgent, RunOptions, SinkMode};
use crate::env::Env;
use crate::error::{Error, Kind};
use crate::kernel::Usd;

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct Global {
    /// The clock and the randomness of this run.
    #[arg(skip = Env::system())]
    pub(crate) env: Env,
    /// Run as if started in this directory; files named by other options are relative to it.
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Also read this configuration file, over the project's. Naming it means trusting it, so it is relative to where you are, whatever -C says.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print one JSON document on standard output instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress: only results, errors and warnings.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print more: sizes, replays, full warnings.
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Plain progress lines, even in a terminal.
    #[arg(long, global = true)]
    pub(crate) no_progress: bool,
}

/// Options of every command that may call an agent.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run options")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct CallArgs {
    /// Maximum to spend, in US dollars (default 2.50). Reserved before each call.
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub(crate) budget: Option<Usd>,
    /// Time limit of one attempt in seconds; overrides every configured one.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = setting::<u64>("limits.timeout_seconds"))]
    pub(crate) timeout: Option<u64>,
    /// Write everything that happens as JSON Lines to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE|-")]
    pub(crate) events: Option<PathBuf>,
    /// Let built-in stand-ins play every role. No model is asked, nothing is paid.
    #[arg(long)]
    pub(crate) rehearse: bool,
    /// Show the calls that would be made, their sizes and estimated cost, and ask nobody.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Do not ask the CLIs first whether they are logged in.
    #[arg(long)]
    pub(crate) no_check: bool,
    /// Accept complete answers from calls that timed out or failed, with a warning.
    #[arg(long)]
    pub(crate) salvage: bool,
}

/// Options of every command that holds a session.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run options")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) call: CallArgs,
    /// Maximum number of agents running at once.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("limits.max_parallel"))]
    pub(crate) max_parallel: Option<u32>,
    /// Exit 0 even if the answer is "no" (code 1).
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Refuse every reply that would need normalising.
    #[arg(long)]
    pub(crate) strict: bool,
    /// What to do with a call that was cut off by a crash and may have been charged.
    #[arg(long, value_name = "WHAT", default_value = "rerun", value_parser = word::<OnAmbiguous>())]
    pub(crate) on_ambiguous: OnAmbiguous,
    /// Work without a lock where the file system has no locks. Only if nothing else uses the session.
    #[arg(long)]
    pub(crate) no_lock: bool,
    /// The issue that the result belongs to, for `github` sinks.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) issue: Option<u64>,
    /// Send nothing from this session to the configured sinks.
    #[arg(long)]
    pub(crate) no_sinks: bool,
}

/// Options of every command whose agents have roles of their own.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run options")]
pub(crate) struct RoleArgs {
    /// The agents that take part, as champion, critic, moderator, analyst, advisor; a shorter list repeats
    /// (default: `roles`).
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    pub(crate) agents: Vec<String>,
    /// Give a seat to an agent, as in `critic=gemini,champion=claude`.
    #[arg(long, value_name = "ROLE=AGENT,...", value_delimiter = ',')]
    pub(crate) seat: Vec<String>,
    /// Let champion and critic come from one vendor. The result says so.
    #[arg(long)]
    pub(crate) allow_same_vendor: bool,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Options of every command whose agents sit in seats of equal rank.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Run options")]
pub(crate) struct PanelArgs {
    /// The agents, two or more, in the order of their seats (default: `debate.default_agents`).
    #[arg(long, value_name = "AGENT,...", value_delimiter = ',')]
    pub(crate) agents: Vec<String>,
    #[command(flatten)]
    pub(crate) run_args: RunArgs,
}

impl CallArgs {
    /// Returns the run options of a call.
    pub(super) fn options(&self) -> RunOptions {
        RunOptions {
            rehearse: self.rehearse,
            salvage: self.salvage,
            budget: self.budget,
            timeout: self.timeout,
            no_check: self.no_check,
            ..RunOptions::default()
        }
    }
}

impl RunArgs {
    /// Returns the run options of a session.
    pub(super) fn options(&self) -> RunOptions {
        RunOptions {
            strict: self.strict,
            on_ambiguous: self.on_ambiguous,
            no_lock: self.no_lock,
            max_parallel: self.max_parallel,
            sending: SinkMode { off: self.no_sinks, issue: self.issue },
            ..self.call.options()
        }
    }
}

/// The seats that a command line may fill, in the order of `--agents`: each by its short name, and as a role of the
/// configuration.
const ROLES: [(&str, &str); 5] = [
    ("champion", "backlog-champion"),
    ("critic", "backlog-critic"),
    ("moderator", "backlog-moderator"),
    ("analyst", "feature-analyst"),
    ("advisor", "fix-advisor"),
];

impl RoleArgs {
    /// Returns the run options of a session whose agents have roles.
    pub(super) fn options(&self) -> Result<RunOptions, Error> {
        Ok(RunOptions {
            allow_same_vendor: self.allow_same_vendor,
            roles: self.roles()?,
            ..self.run.options()
        })
    }

    /// Returns the agents of the list by role, then those of single seats, which count above the list. `--agents` took
    /// ROLE=AGENT before there was `--seat`, and still does.
    fn roles(&self) -> Result<Vec<RoleAgent>, Error> {
        let (pairs, list): (Vec<&String>, Vec<&String>) =
            self.agents.iter().partition(|word| word.contains('='));
        if let (Some(pair), Some(agent)) = (pairs.first(), list.first()) {
            let what = format!("`--agents` has both an agent, `{agent}`, and a seat, `{pair}`");
            return Err(
                Error::new(Kind::Usage, what).hint(format!("give the seat as `--seat {pair}`"))
            );
        }
        let listed = ROLES.iter().zip(list.into_iter().cycle());
        let listed = listed.map(|((_, role), agent)| {
            Ok(RoleAgent { role, agent: agent.clone(), option: "agents" })
        });
        let old = pairs.into_iter().map(|pair| seat(pair, "agents"));
        listed.chain(old).chain(self.seat.iter().map(|pair| seat(pair, "seat"))).collect()
    }
}

/// Reads `ROLE=AGENT`.
fn seat(pair: &str, option: &'static str) -> Result<RoleAgent, Error> {
    let (role, agent) = pair.split_once('=').ok_or_else(|| {
        Error::new(Kind::Usage, format!("`--{option} {pair}` is not ROLE=AGENT"))
            .hint("for example `--seat critic=gemini`")
    })?;
    let known = ROLES.iter().find(|(short, name)| [*short, *name].contains(&role));
    let Some((_, role)) = known else {
        let roles: Vec<&str> = ROLES.iter().map(|(short, _)| *short).collect();
        let what = format!("`--{option} {pair}`: there is no role `{role}`");
        return Err(Error::new(Kind::Usage, what).hint(format!("roles are {}", roles.join(", "))));
    };
    Ok(RoleAgent { role, agent: agent.to_owned(), option })
}
