//! Profiles: all that is one CLI's own, as it was measured.
//!
//! Each CLI is a row of [`PROFILES`], and stands in a file of its own: how it is
//! started, which variables it sees, how its output is read, which of its flags
//! are dangerous, whether it may read a repository, what `doctor` asks it.
//! Everybody else asks [`ProfileName::profile`] or [`Agent::cli`], and knows no CLI by name.
//!
//! For one call a profile gives an `Invocation`, of which [`prepare`] makes argv,
//! environment and standard input. The working directory is empty, but for an
//! agent that may read the repository and works in it ([`super::reading`]); the
//! system prompt stands in a file beside it where the CLI can read one, else at
//! the head of the prompt. Four rules hold for every CLI: no tools or read-only
//! ones, nothing of the project's own settings, no prompt that begins with `/`
//! (some CLIs take it for a command of theirs and call no model), no prompt over
//! the CLI's own limit.

mod call;
mod claude;
mod codex;
mod copilot;
mod environment;
mod gemini;
mod generic;
mod opencode;
mod probes;
mod qwen;
#[cfg(test)]
mod tests;

pub use call::{DEPTH_VAR, Prepared, check, prepare};
pub use environment::{is_credential, passed, secrets};
pub use probes::Probes;

use call::{Call, Invocation};

use super::dangerous::values::unmistakable;
use super::output::ReadEnvelope;
use super::roster::agent::Agent;
use crate::config::agents::{OutputConfig, ProfileName};

/// Every CLI, in the order in which `init` prefers them as champion.
pub static PROFILES: [&Profile; 7] = [
    &claude::PROFILE,
    &codex::PROFILE,
    &gemini::PROFILE,
    &opencode::PROFILE,
    &qwen::PROFILE,
    &copilot::PROFILE,
    &generic::PROFILE,
];

/// One CLI. Names of variables may end in `*`, which stands for any rest.
#[derive(Debug)]
pub struct Profile {
    /// Its word in the configuration.
    pub name: ProfileName,
    /// Who makes its model, where the configuration does not say.
    pub(super) vendor: Vendor,
    /// Variables that it needs to be itself, besides those that every program needs.
    pub(super) variables: &'static [&'static str],
    /// Variables by which it tells the programs that it starts that they run inside it, unless they are among the above.
    pub(super) nesting: &'static [&'static str],
    /// Whether it reads its system prompt from a file.
    pub(super) system_in_file: bool,
    /// The largest prompt that it takes on standard input, where that is known.
    pub(super) limit: Option<Limit>,
    /// Whether it has a setting for reasoning effort.
    pub(super) has_effort: bool,
    /// Whether the price table will most likely say what a call cost.
    pub(super) price_table: PriceTable,
    /// Arguments that are set anyway, and dropped from a configuration, where those of other tools have them.
    pub(super) implied: &'static [&'static str],
    /// The same for its prompt flags, which take a value: alone, they only say "not interactive".
    pub(super) prompt_flags: &'static [&'static str],
    /// Whatever switches its permissions off.
    pub(super) dangerous: Dangerous,
    /// Whether it may read a repository.
    pub(super) read_repo: ReadRepo,
    /// Says how one call is started.
    pub(super) invocation: fn(Call<'_>) -> Invocation,
    /// How its output is read.
    pub(super) reader: Reader,
    /// Says what it is doing, from one line of its output, where that tells.
    pub(super) phase: fn(&[u8]) -> Option<String>,
    /// How `doctor` looks at it.
    pub probes: Probes,
}

/// Who makes a CLI's model.
#[derive(Debug, Clone, Copy)]
pub(super) enum Vendor {
    /// Always this one.
    Known(&'static str),
    /// The first half of a model's name, `provider/model`; this one, where none is named.
    InModel(&'static str),
    /// Nobody knows: each agent counts as a vendor of its own.
    Unknown,
}

/// A CLI's own limit for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Bytes(usize),
    Characters(usize),
}

/// Whether a CLI leaves its price to the table: it tells tokens but no price, and the model will be known.
#[derive(Debug, Clone, Copy)]
pub(super) enum PriceTable {
    /// It does not.
    Unused,
    /// Where a model is configured: the CLI does not name it.
    ForModel,
    /// It does, and names its model itself.
    Used,
}

/// A long flag by its squashed name ([`squash`](super::dangerous::values::squash)), and the judge of its values.
pub(super) type LongFlag = (&'static str, fn(&[&str]) -> bool);

/// A variable by its squashed name, and the judge of its value.
pub(super) type Variable = (&'static str, fn(&str) -> bool);

/// Flags and variables that switch off permissions or a sandbox, or start MCP servers. Long flags and variables
/// of all profiles count for every program.
#[derive(Debug)]
pub(super) struct Dangerous {
    /// Long flags.
    pub(super) flags: &'static [LongFlag],
    /// Judges a short flag by its letters and its value.
    pub(super) short: fn(&str, Option<&str>) -> bool,
    /// Variables.
    pub(super) variables: &'static [Variable],
}

impl Dangerous {
    /// Nothing but what no program can mean otherwise.
    const UNKNOWN: Self = Self { flags: &[], short: unmistakable, variables: &[] };
}

/// Whether it is known how to let a CLI read a repository and do nothing else.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadRepo {
    /// It is; the function says of a flag with its value whether it leaves tools, folders and settings alone.
    Safe(fn(&str, Option<&str>) -> bool),
    /// It cannot be done, and why.
    Refused(&'static str),
    /// Nobody measured it.
    Unmeasured,
}

/// How a CLI's output is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reader {
    /// By a function of its own; its envelope shows its end.
    Own(ReadEnvelope),
    /// A stream of events without a known last one, by pointers.
    Events(Events),
    /// By the pointers of the configuration.
    Configured,
}

/// A stream of events. What is known of its failures counts for every program that is read by pointers, so that the
/// same CLI called `generic` fails alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Events {
    /// The pointers; the configuration may set others.
    pub(super) output: fn() -> OutputConfig,
    /// Where the HTTP status of a failed request stands.
    pub(super) status: Option<&'static str>,
    /// Its words, last on standard error, for a call without a login.
    pub(super) no_login: Option<&'static str>,
}

impl ProfileName {
    /// Returns what is known of the CLI.
    pub fn profile(self) -> &'static Profile {
        let row = PROFILES.iter().find(|profile| profile.name == self);
        // A test holds that every word has its row.
        row.map_or(&generic::PROFILE, |row| *row)
    }
}

impl Agent {
    /// Returns what is known of the agent's CLI.
    pub fn cli(&self) -> &'static Profile {
        self.profile.profile()
    }
}

impl Profile {
    /// A program of which nothing is known.
    const UNKNOWN: Self = Self {
        name: ProfileName::Generic,
        vendor: Vendor::Unknown,
        variables: &[],
        nesting: &[],
        system_in_file: false,
        limit: None,
        has_effort: false,
        price_table: PriceTable::Unused,
        implied: &[],
        prompt_flags: &[],
        dangerous: Dangerous::UNKNOWN,
        read_repo: ReadRepo::Unmeasured,
        invocation: |_| Invocation::default(),
        reader: Reader::Configured,
        phase: |_| None,
        probes: Probes::UNKNOWN,
    };

    /// Returns who makes the model that it asks, where the configuration does not say; `agent`: the agent's name.
    pub(super) fn vendor(&self, agent: &str, model: Option<&str>) -> String {
        let known = match self.vendor {
            Vendor::Known(vendor) => vendor,
            Vendor::InModel(default) => model
                .and_then(|model| model.split_once('/'))
                .map_or(default, |(provider, _)| provider),
            Vendor::Unknown => agent,
        };
        known.to_owned()
    }

    /// Returns what is known of its stream of events, if it prints one.
    pub(super) fn events(&self) -> Option<&Events> {
        match &self.reader {
            Reader::Events(events) => Some(events),
            Reader::Own(_) | Reader::Configured => None,
        }
    }

    /// Returns how its output is read by pointers; empty for one with a reader of its own.
    pub(super) fn output(&self) -> OutputConfig {
        self.events().map_or_else(OutputConfig::default, |events| (events.output)())
    }

    /// Drops arguments that it sets anyway.
    pub(super) fn without_implied(&self, args: &[String]) -> Vec<String> {
        let mut kept = Vec::new();
        let mut rest = args.iter().peekable();
        while let Some(arg) = rest.next() {
            if self.prompt_flags.contains(&arg.as_str()) {
                rest.next_if(|value| value.is_empty());
            } else if !self.implied.contains(&arg.as_str()) {
                kept.push(arg.clone());
            }
        }
        kept
    }
}

/// Whether an agent's own arguments set its reasoning effort.
pub fn sets_effort(agent: &Agent) -> bool {
    agent.args.iter().any(|arg| is_of_effort(arg))
}

/// Returns the effort that an agent's own arguments set: the last counts.
pub fn effort_in_args(agent: &Agent) -> Option<&str> {
    let at = agent.args.iter().rposition(|arg| is_of_effort(arg))?;
    let value = agent.args[at].split_once('=').map(|(_, value)| value);
    let value = value.or_else(|| agent.args.get(at + 1).map(String::as_str));
    Some(value.unwrap_or_default().trim_matches(['"', '\'']))
}

fn is_of_effort(arg: &str) -> bool {
    arg.contains("effort")
}
