//! Profiles: how each CLI is started, as it was measured.
//!
//! A profile builds argv, environment and standard input for one call. The
//! working directory is empty, but for an agent that may read the repository
//! and works in it ([`super::reading`]); the system prompt stands in a file beside it
//! where the CLI can read one, else at the head of the prompt. Four rules hold
//! for every CLI: no tools or read-only ones, nothing of the project's own
//! settings, no prompt that begins with `/` (some CLIs take it for a command of
//! theirs and call no model), no prompt over the CLI's own limit.

mod claude;
mod codex;
mod gemini;
mod generic;
mod others;
mod probes;
mod servers;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use probes::{Probes, probes};

use super::roster::agent::Agent;
use crate::config::agents::{OutputConfig, ProfileName, PromptBy};
use crate::kernel::{Failure, FailureClass};
use crate::text::Note;
use crate::text::redact::variables;

/// Counts how deep calls are nested; a run that finds it above 0 refuses (promise of no recursion).
pub const DEPTH_VAR: &str = "DEBATE_AGENT_DEPTH";

/// One call, ready for a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// Arguments.
    pub args: Vec<String>,
    /// The whole environment.
    pub env: BTreeMap<String, String>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// The working directory: an empty one below the private one, or the repository.
    pub cwd: PathBuf,
    /// Files to write first, readable by the user alone.
    pub files: Vec<(PathBuf, String)>,
    /// What could not be made sure of.
    pub notes: Vec<Note>,
}

/// What a profile gets for one call.
#[derive(Debug, Clone, Copy)]
struct Call<'a> {
    agent: &'a Agent,
    /// The system prompt's file, if this CLI reads one.
    system_file: &'a Path,
    cwd: &'a Path,
    /// A private folder for temporary files.
    tmp: &'a Path,
    /// The user's MCP servers that are switched off by name.
    servers: &'a [String],
}

/// How one CLI is started; each profile returns one.
#[derive(Debug, Default)]
struct Plan {
    args: Vec<String>,
    /// Variables that the configuration may override.
    defaults: Vec<(&'static str, String)>,
    /// Variables that keep files out of prompts and tools off: nothing overrides them.
    fixed: Vec<(&'static str, String)>,
    /// Stands behind the configured arguments.
    last: Option<String>,
    /// Where it works, if not in the empty folder.
    cwd: Option<PathBuf>,
    /// Files that it reads, besides the system prompt.
    files: Vec<(PathBuf, String)>,
}

/// What this CLI needs of the environment to be itself, besides [`COMMON`]. A
/// trailing `*` stands for any rest.
fn own_variables(profile: ProfileName) -> &'static [&'static str] {
    match profile {
        ProfileName::Claude => claude::VARIABLES,
        ProfileName::Codex => codex::VARIABLES,
        ProfileName::Gemini => gemini::VARIABLES,
        ProfileName::Opencode => others::OPENCODE_VARIABLES,
        ProfileName::Qwen => others::QWEN_VARIABLES,
        ProfileName::Copilot => others::COPILOT_VARIABLES,
        ProfileName::Generic => &[],
    }
}

/// What every program needs: home, search path, locale, folders, proxies, certificates.
/// `USER` and `LOGNAME` are how macOS programs find their key in the keychain.
const COMMON: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "XDG_*",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
];

/// Marks of a CLI that runs inside another agent; they never pass, not even by `pass_env`.
fn is_nesting(name: &str) -> bool {
    const KEPT: [&str; 2] = ["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN"];
    name == "AI_AGENT"
        || (name.starts_with("CLAUDE") && !KEPT.contains(&name))
        || matches!(name, "CODEX_SESSION_ID" | "CODEX_VERSION" | "CODEX_THREAD_ID")
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => pattern == name,
    }
}

/// Returns the variables of `ambient` that an agent's CLI gets.
fn passed_on(agent: &Agent, ambient: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    passed(own_variables(agent.profile), &agent.pass_env, ambient)
}

/// Returns the variables of `ambient` that a program gets: what every program needs, what it needs itself (a trailing `*`
/// stands for any rest), and what the user names.
pub fn passed(
    own: &[&str],
    named: &[String],
    ambient: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let allowed = |name: &str| {
        let listed = COMMON.iter().chain(own).any(|pattern| fits(pattern, name));
        (listed || named.iter().any(|own| own == name)) && !is_nesting(name)
    };
    ambient
        .iter()
        .filter(|(name, _)| allowed(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Returns the values of an agent's environment that look like secrets by their
/// variables' names, for the redactor.
pub fn secrets(agent: &Agent, ambient: &BTreeMap<String, String>) -> Vec<String> {
    passed_on(agent, ambient)
        .iter()
        .chain(&agent.env)
        .flat_map(|(name, value)| variables::secrets_of(name, value))
        .map(str::to_owned)
        .collect()
}

/// Returns whether a variable is a credential of a CLI that a profile knows: programs that are no
/// agents never get it.
pub fn is_credential(name: &str) -> bool {
    const PROFILES: [ProfileName; 7] = [
        ProfileName::Claude,
        ProfileName::Codex,
        ProfileName::Gemini,
        ProfileName::Opencode,
        ProfileName::Qwen,
        ProfileName::Copilot,
        ProfileName::Generic,
    ];
    variables::names_secret(name)
        && PROFILES
            .iter()
            .flat_map(|profile| own_variables(*profile))
            .any(|pattern| fits(pattern, name))
}

/// Says whether the CLI would take a prompt of this size, and `most`, the configured limit, allows it.
pub fn check(agent: &Agent, system: &str, prompt: &str, most: u64) -> Result<(), Failure> {
    let head = if system_in_file(agent.profile) { "" } else { system };
    let text = headed(head, prompt);
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > most {
        return Err(Failure {
            class: FailureClass::ContextTooLong,
            message: format!(
                "{}: the prompt has {} bytes, `limits.prompt_bytes` allows {most}; nothing was called",
                agent.name,
                text.len()
            ),
        });
    }
    check_size(agent, &text)
}

/// Whether the CLI reads its system prompt from a file.
fn system_in_file(profile: ProfileName) -> bool {
    match profile {
        ProfileName::Claude | ProfileName::Codex | ProfileName::Gemini => true,
        ProfileName::Opencode | ProfileName::Qwen | ProfileName::Copilot | ProfileName::Generic => {
            false
        }
    }
}

/// Prepares one call below the private directory `dir`. Whether the CLI would take
/// the prompt is [`check`]'s to say, before.
///
/// Reads the configuration files of a CLI whose MCP servers can only be switched off one by one: they are the user's,
/// and no part of what makes an agent what it is (its digest).
pub fn prepare(
    agent: &Agent,
    system: &str,
    prompt: &str,
    dir: &Path,
    ambient: &BTreeMap<String, String>,
) -> Prepared {
    let (cwd, tmp, system_file) = (dir.join("work"), dir.join("tmp"), dir.join("system.md"));
    let mut env = passed_on(agent, ambient);
    let mut seen = env.clone();
    seen.extend(agent.env.clone());
    let servers = servers::find(agent.profile, &seen, &agent.args);
    let call =
        Call { agent, system_file: &system_file, cwd: &cwd, tmp: &tmp, servers: &servers.names };
    let plan = plan(call);
    let told = agent.told();
    let system = &format!("{system}{told}");
    let in_file = system_in_file(agent.profile);
    let text = headed(if in_file { "" } else { system }, prompt);

    for (name, value) in [("NO_COLOR", "1"), (DEPTH_VAR, "1")] {
        env.insert(name.to_owned(), value.to_owned());
    }
    env.extend(plan.defaults.into_iter().map(|(k, v)| (k.to_owned(), v)));
    env.extend(agent.env.clone());
    env.extend(plan.fixed.into_iter().map(|(k, v)| (k.to_owned(), v)));

    let mut args = plan.args;
    args.extend(agent.args.iter().cloned());
    args.extend(plan.last);
    let stdin = match agent.prompt {
        PromptBy::Stdin => text.into_bytes(),
        PromptBy::Argument => {
            args.push(text);
            Vec::new()
        }
    };
    let mut files = plan.files;
    if in_file {
        files.insert(0, (system_file, system.clone()));
    }
    Prepared {
        args,
        env,
        stdin,
        cwd: plan.cwd.unwrap_or(cwd),
        files,
        notes: servers.left.map(|why| left_on(agent, &why)).into_iter().collect(),
    }
}

/// Says that an agent may have had tools that it should not have.
fn left_on(agent: &Agent, why: &str) -> Note {
    Note::new(
        "mcp_servers_left_on",
        format!("{}: not all MCP servers of its CLI could be switched off: {why}", agent.name),
    )
}

fn plan(call: Call<'_>) -> Plan {
    match call.agent.profile {
        ProfileName::Claude => claude::plan(call),
        ProfileName::Codex => codex::plan(call),
        ProfileName::Gemini => gemini::plan(call),
        ProfileName::Opencode => others::opencode(call),
        ProfileName::Qwen => others::qwen(call),
        ProfileName::Copilot => others::copilot(call),
        ProfileName::Generic => generic::plan(call),
    }
}

/// Puts the system prompt before the prompt, and words before a slash.
fn headed(system: &str, prompt: &str) -> String {
    let text = if system.is_empty() { prompt.to_owned() } else { format!("{system}\n\n{prompt}") };
    if text.trim_start().starts_with('/') { format!("Prompt:\n\n{text}") } else { text }
}

/// A CLI's own limit for a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Bytes(usize),
    Characters(usize),
}

/// The limits are those of `clis.md`, measured. Gemini's is the largest size seen to
/// work: at 5 MiB it answers nothing and calls that a success.
fn limit(agent: &Agent) -> Option<Limit> {
    if agent.prompt == PromptBy::Argument {
        // The kernel takes 128 KiB in one argument, its final NUL included.
        return Some(Limit::Bytes((128 << 10) - 1));
    }
    match agent.profile {
        ProfileName::Claude => Some(Limit::Bytes(10_000_000)),
        ProfileName::Codex => Some(Limit::Characters(1_048_576)),
        ProfileName::Gemini => Some(Limit::Bytes(3 << 20)),
        ProfileName::Opencode | ProfileName::Qwen | ProfileName::Copilot | ProfileName::Generic => {
            None
        }
    }
}

fn check_size(agent: &Agent, text: &str) -> Result<(), Failure> {
    let (size, most, unit) = match limit(agent) {
        None => return Ok(()),
        Some(Limit::Bytes(most)) => (text.len(), most, "bytes"),
        Some(Limit::Characters(most)) => (text.chars().count(), most, "characters"),
    };
    if size <= most {
        return Ok(());
    }
    let how = match agent.prompt {
        PromptBy::Stdin => "takes",
        PromptBy::Argument => "takes as an argument",
    };
    Err(Failure {
        class: FailureClass::ContextTooLong,
        message: format!(
            "{}: the prompt has {size} {unit}, this CLI {how} at most {most}; nothing was called",
            agent.name
        ),
    })
}

/// Returns whether a CLI has a setting for reasoning effort.
pub fn has_effort(profile: ProfileName) -> bool {
    match profile {
        ProfileName::Claude | ProfileName::Codex => true,
        ProfileName::Gemini
        | ProfileName::Opencode
        | ProfileName::Qwen
        | ProfileName::Copilot
        | ProfileName::Generic => false,
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

/// Returns who makes the model that a profile asks, where the configuration does not say.
pub fn vendor(profile: ProfileName, agent: &str, model: Option<&str>) -> String {
    let known = match profile {
        ProfileName::Claude => "anthropic",
        ProfileName::Codex => "openai",
        ProfileName::Gemini => "google",
        ProfileName::Qwen => "alibaba",
        ProfileName::Copilot => "github",
        // Its models are named `provider/model`.
        ProfileName::Opencode => model
            .and_then(|model| model.split_once('/'))
            .map_or("opencode", |(provider, _)| provider),
        ProfileName::Generic => agent,
    };
    known.to_owned()
}

/// Returns how a profile's output is read by pointers; empty for those with a reader of their own.
pub fn output(profile: ProfileName) -> OutputConfig {
    match profile {
        ProfileName::Opencode => others::opencode_output(),
        ProfileName::Copilot => others::copilot_output(),
        ProfileName::Claude
        | ProfileName::Codex
        | ProfileName::Gemini
        | ProfileName::Qwen
        | ProfileName::Generic => OutputConfig::default(),
    }
}

/// Drops arguments that a profile sets anyway, as configurations of other tools have them.
pub fn without_implied(profile: ProfileName, args: &[String]) -> Vec<String> {
    let implied: &[&str] = match profile {
        ProfileName::Claude => &["-p", "--print"],
        ProfileName::Codex => &["exec", "--skip-git-repo-check", "--json", "-"],
        // Their prompt flag takes a value: alone, it only says "not interactive".
        ProfileName::Gemini | ProfileName::Qwen => &["-p", "--prompt"],
        ProfileName::Opencode => &["run"],
        ProfileName::Copilot => &["-p", "--prompt", "-s"],
        ProfileName::Generic => &[],
    };
    let takes_value =
        |arg: &str| matches!(arg, "-p" | "--prompt") && profile != ProfileName::Claude;
    let mut kept = Vec::new();
    let mut rest = args.iter().peekable();
    while let Some(arg) = rest.next() {
        if !implied.contains(&arg.as_str()) {
            kept.push(arg.clone());
        } else if takes_value(arg) && rest.peek().is_some_and(|next| next.is_empty()) {
            rest.next();
        }
    }
    kept
}

/// Says what the CLI is doing, from one line of its event stream.
pub fn phase(profile: ProfileName, line: &[u8]) -> Option<String> {
    match profile {
        ProfileName::Claude => claude::phase(line),
        ProfileName::Codex => codex::phase(line),
        ProfileName::Gemini => gemini::phase(line),
        ProfileName::Opencode | ProfileName::Qwen | ProfileName::Copilot | ProfileName::Generic => {
            None
        }
    }
}

/// Writes a time limit as the milliseconds that CLIs take.
fn millis(limit: Duration) -> String {
    limit.as_millis().to_string()
}
