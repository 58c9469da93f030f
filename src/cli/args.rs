//! The command line as clap reads it, and nothing more.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::app::word::one_of;
use crate::discovery::finding::AgentName;
use AgentName::{CodeQuality, FeatureOpportunities, StalledWork, TestFailures};

use super::backlog::args::BacklogArgs;
use super::change::DiffArgs;
use super::decisions::DecisionsCommand;
use super::eval::EvalArgs;
use super::hook::HookCommand;
use super::mcp::McpArgs;
use super::options::{Asked, Global, RoleArgs};
use super::outline::OutlineArgs;
use super::review::ReviewArgs;
use super::run::PrioritizeArgs;
use crate::app::number::setting;
use crate::app::sessions::{Part, SESSION, SyncRequest, VerifyRequest};
use crate::app::{discuss, planning, run_agent, topic};

/// Makes your logged-in AI CLIs debate, and decides by rules, in code.
#[derive(Debug, Parser)]
#[command(
    name = "debate-agent",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}",
    after_long_help = AFTER_HELP,
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
    /// Check each agent: program, version, login, and how to fix it.
    Doctor(DoctorArgs),
    /// List the configured agents and roles, and who is available.
    Agents,
    /// Make one call to one agent, with all the runner's guarantees.
    Run(Asked<run_agent::Request>),
    /// Find work: failing tests, stalled work, weak code, ideas.
    Discover(DiscoverArgs),
    /// Rank issues or ideas: champion, critic and moderator debate.
    Prioritize(PrioritizeArgs),
    /// List the work found here, and decide what to do with it.
    Backlog(BacklogArgs),
    /// Review a change: agents cross-examine each other, rules decide.
    Review(Box<ReviewArgs>),
    /// Show what of a change reviewers would see, and what not and why.
    Diff(DiffArgs),
    /// Plan a task: agents plan alone, rules merge what they agree on.
    Plan(Box<Asked<planning::Request>>),
    /// Settle a question: agents argue, agreement is measured.
    Debate(Box<Asked<topic::Request>>),
    /// Read a document from several perspectives: may it proceed?
    Discuss(Box<Asked<discuss::Request>>),
    /// Lay out a debate, phase by phase, without asking anybody.
    Outline(OutlineArgs),
    /// Measure debates on cases with known answers: do they help?
    Eval(Box<EvalArgs>),
    /// The decision log: what agents agreed on, what people decided.
    #[command(subcommand)]
    Decisions(DecisionsCommand),
    /// List, read, resume and clean up stored sessions.
    #[command(subcommand)]
    Sessions(SessionsCommand),
    /// Count what the stored sessions say of each agent and model.
    ///
    /// Calls, failures, cost, findings and what became of them, changes of mind, and how far agents agree
    /// beyond chance. It weighs nothing: no rule reads it. docs/standing.md says what each column counts.
    #[command(after_long_help = "Example:\n  debate-agent standing --json")]
    Standing,
    /// Serve all of this to an AI assistant as tools, over MCP.
    Mcp(McpArgs),
    /// Have git review what you push or commit, before it does.
    #[command(subcommand)]
    Hook(HookCommand),
    /// Show or export the built-in prompts of the roles.
    #[command(subcommand)]
    Skills(SkillsCommand),
    /// Show the effective configuration, or check a file.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Allow what this project's configuration and skills would run.
    Trust(TrustArgs),
    /// Print a JSON Schema: of a result, the configuration, events.
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

/// The commands by what they are for. `-h` says of those of the first two groups what they do, `--help` of all.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Jobs", &["review", "plan", "debate", "discuss", "prioritize", "discover"]),
    ("Afterwards", &["sessions", "backlog", "decisions"]),
    (
        "Setup",
        &["init", "doctor", "agents", "standing", "mcp", "hook", "config", "trust", "skills"],
    ),
    ("For scripts", &["run", "diff", "outline", "eval", "schema", "completions", "man"]),
];

/// Returns the command line's definition: to parse by, for completions, manual pages and tests.
pub fn command() -> clap::Command {
    let command = Cli::command();
    let (short, long) = (groups(&command, 2), groups(&command, GROUPS.len()));
    command.before_help(short).before_long_help(long)
}

/// Lists the commands in their groups, those of the first `told` groups with what each does.
fn groups(command: &clap::Command, told: usize) -> StyledStr {
    let style = command.get_styles().get_header();
    let mut text = String::new();
    for (at, (group, names)) in GROUPS.iter().enumerate() {
        // Writing to a String cannot fail.
        if at >= told {
            // Unstyled: clap wraps what follows a style as if it were one line.
            writeln!(text, "{group}: {}", names.join(", ")).ok();
            continue;
        }
        writeln!(text, "{style}{group}:{style:#}").ok();
        let known = names.iter().filter_map(|name| command.find_subcommand(name));
        for each in known {
            let about = each.get_about().map(ToString::to_string).unwrap_or_default();
            writeln!(text, "  {:<12}{about}", each.get_name()).ok();
        }
        text.push('\n');
    }
    text.trim_end().to_owned().into()
}

/// Reads the arguments of this process.
pub(super) fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    let matches = command.try_get_matches_from_mut(args)?;
    Cli::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
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
#[command(after_long_help = "\
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
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',', default_value = "test", hide_default_value = true, value_parser = one_of(TYPES.into_iter()))]
    pub(crate) types: Vec<&'static [AgentName]>,
    /// Ask an agent for a fix of each item.
    #[arg(long)]
    pub(crate) deep: bool,
    /// Maximum number of items to keep.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("discovery.max"))]
    pub(crate) max: Option<u32>,
    /// Hold no debate, however much is found.
    #[arg(long)]
    pub(crate) no_debate: bool,
    /// Maximum number of debate rounds.
    #[arg(long, hide_short_help = true, value_name = "N", allow_negative_numbers = true, value_parser = setting::<u32>("backlog.max_rounds"))]
    pub(crate) max_rounds: Option<u32>,
    #[command(flatten)]
    pub(crate) run: RoleArgs,
}

/// The kinds of work to look for, with the agents that find each.
const TYPES: [(&str, Option<&str>, &[AgentName]); 5] = [
    ("test", Some("Failing tests, from reports or `discovery.test_command`"), &[TestFailures]),
    (
        "stalled",
        Some("Branches, pull requests and features that nobody has continued"),
        &[StalledWork],
    ),
    (
        "quality",
        Some("Complex functions, uncovered and long files, modules without tests"),
        &[CodeQuality],
    ),
    ("feature", Some("Ideas from an AI CLI"), &[FeatureOpportunities]),
    ("all", Some("All of them"), &AgentName::ALL),
];

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// List the sessions of this project, newest first.
    List,
    /// Show a session: what was asked, who answered, how it ended, what it cost.
    #[command(after_long_help = "\
Examples:
  debate-agent sessions show @last                   the newest session
  debate-agent sessions show @last:review --format markdown --output review.md
  debate-agent sessions show 0198 --format transcript   every prompt and every answer
  debate-agent sessions show 0198 --format transcript --turn r1/critic --raw   one answer")]
    Show(ShowArgs),
    /// Compare two sessions of one kind: what differs, and why.
    ///
    /// Exits 0 either way.
    #[command(after_long_help = "Example:\n  debate-agent sessions diff 0198 @last:review")]
    Diff {
        #[command(flatten)]
        session: SessionArgs,
        /// The session to compare it with.
        #[arg(value_name = SESSION)]
        other: String,
    },
    /// Open a session's page in the browser.
    ///
    /// It is written into the session's folder, and its path is printed. The browser is started from a terminal only; $BROWSER
    /// names another than the system's.
    #[command(after_long_help = "Example:\n  debate-agent sessions open @last:review")]
    Open(SessionArgs),
    /// Watch a session that another terminal, an assistant or a script runs; ends with its result.
    Watch(SessionArgs),
    /// Show a session's state and what would be asked next.
    Status(SessionArgs),
    /// Continue a session. Finished calls are not paid for again.
    #[command(after_long_help = "\
Examples:
  debate-agent sessions resume 0198                  continues where it stopped
  debate-agent sessions resume 0198 --from-round 2   keeps round 1 as it was, and asks
                                                     again from round 2 on, in a new
                                                     session that names this one")]
    Resume(ResumeArgs),
    /// Close a session that nobody wants to continue. Its contents are kept.
    Terminate(SessionArgs),
    /// Apply other rules to a stored session, without a single call.
    #[command(after_long_help = "\
Examples:
  debate-agent sessions decide 0198 --set backlog.rank_stability=0.6
  debate-agent sessions decide 0199 --set topic.consensus_threshold=0.7")]
    Decide(SessionArgs),
    /// Send the configured sinks what they have not received yet.
    #[command(after_long_help = "\
Exit code 5: something is still pending; the table says what, and why.

Examples:
  debate-agent sessions sync                  whatever is pending
  debate-agent sessions sync 0198             for one session
  debate-agent sessions sync --all            also for sessions that ran before a sink
                                              was configured")]
    Sync(SyncRequest),
    /// Check that nothing of a session has changed since it was written.
    ///
    /// Prints the head: the hash of the last record, which depends on every byte before it. Only a head
    /// that was kept elsewhere shows that records were cut off at the end, or all written anew: results,
    /// decisions and sinks have it, as `journal_head`.
    #[command(after_long_help = "\
Exit code 5: something is wrong, at the record that is named. 1: an older version wrote it,
without hashes, so nothing can be said.

Examples:
  debate-agent sessions verify @last
  debate-agent sessions verify 0198 --head 4f1d...   the head that a decision or a sink has
  debate-agent sessions verify --all")]
    Verify(VerifyRequest),
    // For the shells' completions.
    #[command(hide = true)]
    Ids,
    /// Remove what no session needs, and old sessions if asked.
    Gc(GcArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SessionArgs {
    /// Its id, the beginning of it, `@last` or `@last:review`.
    #[arg(id = "session", value_name = SESSION)]
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    /// Print the whole result, not only what fits into 40 rows.
    #[arg(long)]
    pub(crate) full: bool,
    /// Write it into this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) part: Part,
}

#[derive(Debug, Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    pub(crate) session: SessionArgs,
    /// Keep the rounds before this one, and ask again from it on, in a new session.
    ///
    /// 1 keeps nothing. For reviews, plans and debates; this session is not changed, and the new one names it.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) from_round: Option<u32>,
    /// Continue although configuration, skills or agents have changed. The session records it.
    #[arg(long, hide_short_help = true)]
    pub(crate) accept_drift: bool,
    /// For a debate with a person: the same file as before, or a longer one.
    #[arg(long, hide_short_help = true, value_name = "FILE.jsonl")]
    pub(crate) arguments: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RoleArgs,
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
pub(crate) struct TrustArgs {
    /// List what is trusted on this machine.
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Also let AI CLIs read this whole repository (`review.read_repo`).
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    pub(crate) read_repo: bool,
    /// Revoke this project's trust.
    #[arg(long)]
    pub(crate) revoke: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The document's name; without one the names are listed.
    pub(crate) name: Option<String>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        command().debug_assert();
        let command = command();
        let shown = command.get_subcommands().filter(|each| !each.is_hide_set());
        let shown: BTreeSet<&str> = shown.map(clap::Command::get_name).collect();
        let listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        assert_eq!(listed.len(), shown.len());
        assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), shown);
    }

    #[test]
    fn short_help_fits_a_screen() {
        fn walk(command: &mut clap::Command, path: &str, long: &mut Vec<String>) {
            let lines = command.render_help().to_string().trim_end().lines().count();
            if lines > 24 {
                long.push(format!("{path}: {lines} lines"));
            }
            for each in command.get_subcommands_mut() {
                let path = format!("{path} {}", each.get_name());
                walk(each, &path, long);
            }
        }
        let mut command = command().term_width(80);
        command.build();
        let mut long = Vec::new();
        walk(&mut command, "debate-agent", &mut long);
        assert!(long.is_empty(), "{long:#?}");
    }
}
