//! The command line as clap reads it, and nothing more.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::backlog::args::BacklogArgs;
use super::change::DiffArgs;
use super::debate::DebateArgs;
use super::decisions::DecisionsCommand;
use super::discuss::DiscussArgs;
use super::mcp::McpArgs;
use super::number::setting;
use super::options::{Global, RoleArgs};
use super::outline::OutlineArgs;
use super::plan::PlanArgs;
use super::result;
use super::review::{self, ReviewArgs};
use super::run::{PrioritizeArgs, RunAgentArgs};
use super::word::word;
use crate::protocol::opening::Opening;

/// Makes your logged-in AI CLIs debate, and decides by rules, in code.
#[derive(Debug, Parser)]
#[command(
    name = "debate-agent",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = AFTER_HELP,
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  debate-agent prioritize backlog.json --rehearse   a whole debate for free:
                                                    no login, no network
  debate-agent doctor                               which AI CLIs can be used
  debate-agent prioritize backlog.json              claude and codex rank it
  debate-agent review --base main                   codex and claude review a branch
  debate-agent discuss docs/design.md               five perspectives, one verdict
  debate-agent mcp install claude                   have Claude Code call all of this
  debate-agent sessions resume 0198                 continue where a run stopped;
                                                    finished answers are not paid for again

Exit codes (as with grep, 1 means \"ran well, the answer is no\"):
  0    done, or there was nothing to decide
  1    the answer is no: no agreement, findings, a rejected plan
       (--exit-zero turns it into 0)
  2    wrong usage, configuration or input; nothing was run
  3    an agent, a login or trust is missing; nothing was spent
  4    undecided: agents failed or the budget ran out; saved, can be resumed,
       unless nothing was started
  5    state or I/O: locked, corrupt, of a newer version, disk full
  70   a bug
  129, 130, 143   stopped by HUP, Ctrl-C, TERM; saved, can be resumed";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a configuration for the AI CLIs found here, and trust it.
    Init(InitArgs),
    /// Check each agent: program, version, login, flags, and how to fix what is missing.
    Doctor(DoctorArgs),
    /// List the configured agents and roles, and who is available.
    Agents,
    /// Make one call to one agent, with all the runner's guarantees.
    Run(RunAgentArgs),
    /// Find work worth doing here: failing tests, stalled work, weak code, ideas. Ranks what it finds.
    Discover(DiscoverArgs),
    /// Rank the opportunities in a file by a debate between champion, critic and moderator.
    Prioritize(PrioritizeArgs),
    /// List the work found here, and decide what to do with it.
    Backlog(BacklogArgs),
    /// Review a change: several agents, blind to each other, cross-examined, decided by rules.
    Review(Box<ReviewArgs>),
    /// Show which parts of a change reviewers would see, and what is left out and why.
    Diff(DiffArgs),
    /// Plan a task: several agents, blind to each other; their steps are judged and merged by rules.
    Plan(Box<PlanArgs>),
    /// Debate a question: agents argue, agreement is measured, dissent kept, an expert rules if need be.
    Debate(Box<DebateArgs>),
    /// Read a document from several perspectives at once; one severity ladder decides whether it may proceed.
    Discuss(Box<DiscussArgs>),
    /// Lay out a debate, phase by phase, without asking anybody.
    Outline(OutlineArgs),
    /// The decision log: what agents agreed on, and what a person confirmed or decided alone.
    #[command(subcommand)]
    Decisions(DecisionsCommand),
    /// List, read, resume and clean up stored sessions.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Serve all of this to an AI assistant as tools, over MCP.
    Mcp(McpArgs),
    /// Show or export the built-in prompts of the roles.
    #[command(subcommand)]
    Skills(SkillsCommand),
    /// Show the effective configuration or its schema, or check a file.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Allow what this project's configuration and skills would run, pinned by content.
    Trust(TrustArgs),
    /// Print the JSON Schema of a result document, the configuration or the journal.
    Schema(SchemaArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual pages into a directory.
    Man {
        /// The directory; created if missing.
        // An id of its own: `dir` is the global option, and clap would confuse the two.
        #[arg(id = "man_dir", value_name = "DIR")]
        dir: PathBuf,
    },
}

impl Command {
    /// Whether the command's own `--format` asks for JSON, as `--json` does for every command: the result is JSON,
    /// and so are errors.
    pub(crate) fn prints_json(&self) -> bool {
        match self {
            Self::Review(args) => args.format == Some(review::Format::Json),
            Self::Plan(args) => args.format == Some(result::Format::Json),
            Self::Debate(args) => args.format == Some(result::Format::Json),
            Self::Discuss(args) => args.format == Some(result::Format::Json),
            Self::Sessions(SessionsCommand::Export(args)) => {
                args.format == Some(ExportFormat::Json)
            }
            Self::Init(_)
            | Self::Doctor(_)
            | Self::Agents
            | Self::Run(_)
            | Self::Discover(_)
            | Self::Diff(_)
            | Self::Prioritize(_)
            | Self::Backlog(_)
            | Self::Outline(_)
            | Self::Decisions(_)
            | Self::Sessions(_)
            | Self::Mcp(_)
            | Self::Skills(_)
            | Self::Config(_)
            | Self::Trust(_)
            | Self::Schema(_)
            | Self::Completions { .. }
            | Self::Man { .. } => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Replace an existing configuration.
    #[arg(long)]
    pub(crate) force: bool,
    /// Show what would be written, and write nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Make one tiny real call to each agent. This costs a little money.
    #[arg(long)]
    pub(crate) live: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
What is found is kept in .swarm/backlog (see `debate-agent backlog`). Found again,
an item keeps its id and what you decided about it. More than five open items are
ranked by the partner debate, unless --no-debate.

Examples:
  debate-agent discover                             failing tests, from reports
  debate-agent discover --type all --no-debate      everything; only the feature
                                                    analyst is asked
  debate-agent discover --type quality --rehearse   the whole run for free
  debate-agent discover --type test --deep --budget 1.00")]
pub(crate) struct DiscoverArgs {
    /// What to look for; can be repeated [default: test].
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    pub(crate) types: Vec<DiscoverType>,
    /// Ask an agent for a suggested fix of each item that is found.
    #[arg(long)]
    pub(crate) deep: bool,
    /// Maximum number of items to keep (default 10).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("discovery.max"))]
    pub(crate) max: Option<u32>,
    /// Hold no debate, however much is found. The feature analyst is still asked.
    #[arg(long)]
    pub(crate) no_debate: bool,
    /// Maximum number of debate rounds (default 3).
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("backlog.max_rounds"))]
    pub(crate) max_rounds: Option<u32>,
    /// How round 1 of the debate begins (default: `backlog.opening`, sequential).
    #[arg(long, value_name = "HOW", ignore_case = true, value_parser = word::<Opening>())]
    pub(crate) opening: Option<Opening>,
    #[command(flatten)]
    pub(crate) run: RoleArgs,
}

/// The kind of work to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiscoverType {
    /// Failing tests, from reports or `discovery.test_command`.
    Test,
    /// Branches, pull requests and features that nobody has continued.
    Stalled,
    /// Complex functions, uncovered and long files, modules without tests.
    Quality,
    /// Ideas from an AI CLI.
    Feature,
    /// All of them.
    All,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List the sessions of this project, newest first.
    List,
    /// Show a session: what was asked, who answered, how it ended, what it cost.
    Show(SessionArgs),
    /// Show a session's state and what would be asked next.
    Status(SessionArgs),
    /// Continue a session. Finished calls are taken from its journal, not paid for again.
    #[command(after_help = "\
Examples:
  debate-agent sessions resume 0198                  continues where it stopped
  debate-agent sessions resume 0198 --from-round 2   keeps round 1 as it was, and asks
                                                     again from round 2 on, in a new
                                                     session that names this one")]
    Resume(ResumeArgs),
    /// Close a session that nobody wants to continue. Its contents are kept.
    Terminate(SessionArgs),
    /// Apply other rules to a stored session, without a single call.
    #[command(after_help = "\
Examples:
  debate-agent sessions decide 0198 --set rank_stability=0.6 --set partner_agreement=0.5
  debate-agent sessions decide 0199 --set consensus_threshold=0.7")]
    Decide(DecideArgs),
    /// Write a session as JSON or Markdown to standard output.
    Export(ExportArgs),
    /// Send the configured sinks what they have not received yet.
    #[command(after_help = "\
Exit code 5: something is still pending; the table says what, and why.

Examples:
  debate-agent sessions sync                  whatever is pending
  debate-agent sessions sync 0198             for one session
  debate-agent sessions sync --all            also for sessions that ran before a sink
                                              was configured")]
    Sync(SyncArgs),
    /// Remove what no session needs: temporary files, spools, and old sessions if asked.
    Gc(GcArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// The session's id, or the beginning of it.
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    /// The session's id, or the beginning of it.
    pub(crate) id: String,
    /// Keep the recorded answers of the rounds before this one, and ask again from it on, in a new
    /// session that names this one; 1 keeps nothing. For reviews, plans and debates; this session is not changed.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) from_round: Option<u32>,
    /// Continue although configuration, skills or agents have changed. The session records it.
    #[arg(long)]
    pub(crate) accept_drift: bool,
    /// For a debate with a person: the same file as before, or a longer one.
    #[arg(long, value_name = "FILE.jsonl")]
    pub(crate) arguments: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RoleArgs,
}

#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The session's id, or the beginning of it.
    pub(crate) id: String,
    /// A rule and its value. Partner debates: `rank_stability`, `partner_agreement`, `max_missing_share`,
    /// `max_rounds`, `strict`; dialogues: `consensus_threshold`, `expert_threshold`, `deadlock_rise`, `consensus`,
    /// `max_rounds`; arguments: `consensus_threshold`, `max_rounds`; panels: `max_rounds`.
    #[arg(long = "set", value_name = "RULE=VALUE", required = true)]
    pub(crate) set: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The session's id, or the beginning of it.
    pub(crate) id: String,
    /// The format (default `md`, or `json` with --json).
    #[arg(long)]
    pub(crate) format: Option<ExportFormat>,
}

#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    /// The session's id, or the beginning of it; without it, all sessions.
    pub(crate) id: Option<String>,
    /// Also send to sinks that were configured after a session ran; never for sessions that ran with --no-sinks.
    #[arg(long)]
    pub(crate) all: bool,
}

/// The part of a session to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The result document.
    Json,
    /// The report, Markdown for people.
    Md,
    /// Who was asked and what they answered, word for word, as Markdown.
    Transcript,
}

#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Also remove closed sessions older than this many days.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(0..=36_500))]
    pub(crate) older_than: Option<u32>,
    /// Show what would be removed, and remove nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// List the roles' skills with their origin and hash.
    List,
    /// Print a role's prompt.
    Show {
        /// The role, as `skills list` names it: `backlog-critic`, `reviewer`, `planner`.
        role: String,
    },
    /// Write the built-in skills into a directory, to be changed or installed in a CLI.
    Export {
        /// The directory; created if missing.
        #[arg(id = "export_dir", value_name = "DIR")]
        dir: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every setting and where its value comes from.
    Show,
    /// Print the JSON Schema of the configuration file.
    Schema,
    /// Check a configuration file, by default the project's.
    Validate {
        /// The file.
        file: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct TrustArgs {
    /// List what is trusted on this machine.
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Also let the AI CLIs of `review --read-repo` read this whole repository.
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    pub(crate) read_repo: bool,
    /// Revoke this project's trust.
    #[arg(long)]
    pub(crate) revoke: bool,
    /// Ask nothing. It never does; accepted for scripts.
    #[arg(id = "yes", long, conflicts_with_all = ["list", "revoke"])]
    _yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The document's name; without one the names are listed.
    pub(crate) name: Option<String>,
}

/// Returns the parsed command line's definition, for completions and manual pages.
pub(super) fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
