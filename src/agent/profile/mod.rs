//! Profiles: everything specific to one CLI, as measured.
//!
//! Each CLI is a row of [`PROFILES`], with a file of its own: how it is started, which variables it
//! sees, how its output is read, which of its flags are dangerous, whether it may read a
//! repository, how `doctor` probes it. All other code uses [`ProfileName::profile`] or
//! [`Agent::cli`], and knows no CLI by name.
//!
//! For one call a profile returns an `Invocation`, from which [`prepare`] builds argv, environment
//! and standard input. The working directory is empty, except for an agent that may read the
//! repository and works in it ([`super::reading`]); the system prompt is in a file next to it if
//! the CLI can read one, else at the head of the prompt. Four rules apply to every CLI: no tools or
//! read-only ones, none of the project's own settings, no prompt that begins with `/` (some CLIs
//! take it for a command and call no model), no prompt over the CLI's own limit.

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

pub use call::{DEPTH_VAR, PreparedCall, check, never_passed, prepare};
pub use environment::{chooses_provider, is_credential, passed, secrets};
pub use probes::Probes;

use call::{Call, Invocation};
use serde_json::Value;

use super::dangerous::values::unmistakable;
use super::output::ReadEnvelope;
use super::roster::agent::Agent;
use crate::config::agents::{OutputConfig, ProfileName};

/// Every CLI, in the order of `init`'s preference for the champion.
pub static PROFILES: [&Profile; 7] = [
    &claude::PROFILE,
    &codex::PROFILE,
    &gemini::PROFILE,
    &opencode::PROFILE,
    &qwen::PROFILE,
    &copilot::PROFILE,
    &generic::PROFILE,
];

/// One CLI. Names of variables may end in `*`, which matches any suffix.
#[derive(Debug)]
pub struct Profile {
    /// Its word in the configuration.
    pub name: ProfileName,
    /// The vendor of its model, unless configured.
    pub(super) vendor: Vendor,
    /// Names of two of its models, which it takes in any version; empty if none are known.
    pub(super) models: &'static [&'static str],
    /// Variables that it needs, in addition to those for every program.
    pub(super) variables: &'static [&'static str],
    /// Variables that select another provider of its models, each with those of that provider's login.
    pub(super) providers: &'static [(&'static str, &'static [&'static str])],
    /// Variables that mark programs it starts as running inside it.
    pub(super) nesting: &'static [&'static str],
    pub(super) system_in_file: bool,
    /// The largest prompt that it accepts on standard input, if known.
    pub(super) limit: Option<Limit>,
    /// Whether it has a setting for reasoning effort.
    pub(super) has_effort: bool,
    /// Whether the price table can probably tell a call's cost.
    pub(super) price_table: PriceTable,
    /// Arguments that are always set, and dropped from a configuration, which may come from other tools.
    pub(super) implied: &'static [&'static str],
    /// Its prompt flags, which take a value and are treated alike: alone, they only mean "not
    /// interactive".
    pub(super) prompt_flags: &'static [&'static str],
    /// Anything that switches its permissions off.
    pub(super) dangerous: Dangerous,
    pub(super) read_repo: ReadRepo,
    pub(super) invocation: fn(Call<'_>) -> Invocation,
    pub(super) reader: Reader,
    /// Returns its current activity from an event of its output, if that shows it.
    pub(super) phase: fn(&Value) -> Option<String>,
    /// Returns the next words of its answer, or of its reasoning, from an event of its output.
    pub(super) words: for<'a> fn(&'a Value) -> Option<&'a str>,
    /// The beginning of a line that is only such an event, and repeated whole later; empty if it prints none.
    pub(super) partial: &'static [u8],
    /// Whether an event is its last word, after which nothing follows but its end.
    pub(super) last_word: fn(&Value) -> bool,
    /// How `doctor` probes it.
    pub probes: Probes,
}

/// The vendor of a CLI's model.
#[derive(Debug, Clone, Copy)]
pub(super) enum Vendor {
    Known(&'static str),
    /// The first half of a model's name, `provider/model`; this one if none is named.
    InModel(&'static str),
    /// Unknown: each agent counts as a vendor of its own.
    Unknown,
}

/// A CLI's own limit for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Bytes(usize),
    Characters(usize),
}

/// Whether a CLI's price comes from the table: it reports tokens but no price, and the model will be
/// known.
#[derive(Debug, Clone, Copy)]
pub(super) enum PriceTable {
    Unused,
    /// If a model is configured, as the CLI does not name it.
    ForModel,
    /// Yes, and it names its model itself.
    Used,
}

/// A long flag by its squashed name ([`squash`](super::dangerous::values::squash)), and the judge of its values.
pub(super) type LongFlag = (&'static str, fn(&[&str]) -> bool);

/// A variable by its squashed name, and the judge of its value.
pub(super) type Variable = (&'static str, fn(&str) -> bool);

/// Flags and variables that switch off permissions or a sandbox, or start MCP servers. Long flags and variables
/// of all profiles apply to every program.
#[derive(Debug)]
pub(super) struct Dangerous {
    pub(super) flags: &'static [LongFlag],
    /// Judges a short flag by its letters and its value.
    pub(super) short: fn(&str, Option<&str>) -> bool,
    pub(super) variables: &'static [Variable],
}

impl Dangerous {
    /// Only what no program can mean differently.
    const UNKNOWN: Self = Self { flags: &[], short: unmistakable, variables: &[] };
}

/// Whether there is a known way to let a CLI read a repository and do nothing else.
#[derive(Debug, Clone, Copy)]
pub(super) enum ReadRepo {
    /// Yes; the function returns whether a flag with its value leaves tools, folders and settings alone.
    Safe(fn(&str, Option<&str>) -> bool),
    Refused(&'static str),
    Unmeasured,
}

/// How a CLI's output is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reader {
    /// By a function of its own; the envelope marks its end.
    Own(ReadEnvelope),
    /// A stream of events, by pointers.
    Events(Events),
    Configured,
}

/// A stream of events. Known statuses apply to every program read by pointers, so that the same CLI called
/// `generic` fails alike.
#[derive(Debug, Clone, Copy)]
pub(super) struct Events {
    /// The pointers; the configuration may override them.
    pub(super) output: fn() -> OutputConfig,
    /// Pointer to the HTTP status of a failed request.
    pub(super) status: Option<&'static str>,
}

impl ProfileName {
    /// Returns the CLI's profile.
    pub fn profile(self) -> &'static Profile {
        let row = PROFILES.iter().find(|profile| profile.name == self);
        // A test ensures that every name has its row.
        row.map_or(&generic::PROFILE, |row| *row)
    }
}

impl Agent {
    /// Returns the profile of the agent's CLI.
    pub fn cli(&self) -> &'static Profile {
        self.profile.profile()
    }
}

impl Profile {
    const UNKNOWN: Self = Self {
        name: ProfileName::Generic,
        vendor: Vendor::Unknown,
        models: &[],
        variables: &[],
        providers: &[],
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
        words: |_| None,
        partial: b"",
        last_word: |_| false,
        probes: Probes::UNKNOWN,
    };

    /// Returns the vendor of the model that it asks, unless configured; `agent`: the agent's name.
    pub fn vendor(&self, agent: &str, model: Option<&str>) -> String {
        let known = match self.vendor {
            Vendor::Known(vendor) => vendor,
            Vendor::InModel(default) => model
                .and_then(|model| model.split_once('/'))
                .map_or(default, |(provider, _)| provider),
            Vendor::Unknown => agent,
        };
        known.to_owned()
    }

    /// Returns its stream of events, if it prints one.
    pub(super) fn events(&self) -> Option<&Events> {
        match &self.reader {
            Reader::Events(events) => Some(events),
            Reader::Own(_) | Reader::Configured => None,
        }
    }

    /// Returns its pointers; empty for a CLI with its own reader.
    pub(super) fn output(&self) -> OutputConfig {
        self.events().map_or_else(OutputConfig::default, |events| (events.output)())
    }

    /// Drops arguments that are always set.
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

/// Returns the effort set by an agent's own arguments; the last one counts.
pub fn effort_in_args(agent: &Agent) -> Option<&str> {
    let at = agent.args.iter().rposition(|arg| is_of_effort(arg))?;
    let value = agent.args[at].split_once('=').map(|(_, value)| value);
    let value = value.or_else(|| agent.args.get(at + 1).map(String::as_str));
    Some(value.unwrap_or_default().trim_matches(['"', '\'']))
}

fn is_of_effort(arg: &str) -> bool {
    arg.contains("effort")
}
