//! Rules beyond the types and beyond the bounds of numbers, which the schema has beside each setting.

mod debate;
mod discuss;
mod mcp;
mod sinks;

use std::collections::BTreeSet;

use super::agents::{AgentConfig, BUILT_IN};
use super::error::{hint, nearest};
use super::key::KeyPath;
use super::schema::Config;
use crate::kernel::HUMAN;

/// A refused value: its key, and the rest of a sentence that begins with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The key of the refused value.
    pub path: KeyPath,
    /// The fault.
    pub message: String,
}

type CheckResult = Result<(), Fault>;

fn fault(path: KeyPath, message: impl Into<String>) -> Fault {
    Fault { path, message: message.into() }
}

/// Judges the values of one layer by themselves.
pub fn values(config: &Config) -> CheckResult {
    for (name, agent) in &config.agents {
        agent_ranges(&KeyPath::of(["agents", name]), name, agent)?;
    }
    for (name, role) in &config.roles {
        let at = KeyPath::of(["roles", name]);
        named(&at, name)?;
        argument(&at, "model", role.model.as_deref())?;
        argument(&at, "effort", role.effort.as_deref())?;
        if role.skill.as_deref() == Some("") {
            return Err(fault(at.key("skill"), "must be a role's name or a path, but is empty"));
        }
    }
    test_command(config)?;
    debate::values(config)?;
    discuss::values(config)?;
    mcp::values(config)?;
    sinks::values(config)?;
    let paths = &config.paths;
    for (key, path) in
        [("debate", &paths.debate), ("backlog", &paths.backlog), ("skills", &paths.skills)]
    {
        if path.is_empty() || path.contains('\0') {
            return Err(fault(
                KeyPath::of(["paths", key]),
                "must be a path, but is empty or contains a NUL byte",
            ));
        }
    }
    Ok(())
}

fn agent_ranges(at: &KeyPath, name: &str, agent: &AgentConfig) -> CheckResult {
    named(at, name)?;
    if name == HUMAN {
        return Err(fault(
            at.clone(),
            "is reserved for the person who takes a seat: give the agent another name",
        ));
    }
    if agent.vendor.as_deref() == Some(HUMAN) {
        return Err(fault(
            at.key("vendor"),
            "is reserved for the person who takes a seat, not for a program",
        ));
    }
    if let Some(own) = agent.name.as_deref().filter(|own| *own != name) {
        return Err(fault(
            at.key("name"),
            format!("must equal its key `{name}`, `{}` found", own.escape_debug()),
        ));
    }
    argument(at, "model", agent.model.as_deref())?;
    for model in &agent.models {
        argument(at, "models", Some(model))?;
    }
    argument(at, "effort", agent.effort.as_deref())?;
    for (index, value) in agent.args.iter().enumerate() {
        if value.contains('\0') {
            return Err(fault(
                at.key("args").index(index),
                "contains a NUL byte, which no argument can",
            ));
        }
    }
    for (variable, value) in &agent.env {
        if !is_variable(variable) || value.contains('\0') {
            return Err(fault(at.key("env").key(variable), "is not a variable that can be set"));
        }
    }
    for (index, variable) in agent.pass_env.iter().enumerate() {
        if !is_variable(variable) {
            return Err(fault(at.key("pass_env").index(index), "is not the name of a variable"));
        }
    }
    let Some(output) = &agent.output else {
        return Ok(());
    };
    let at = at.key("output");
    let pointers = [
        ("text", &output.text),
        ("error", &output.error),
        ("cost_usd", &output.cost_usd),
        ("input_tokens", &output.input_tokens),
        ("output_tokens", &output.output_tokens),
        ("model", &output.model),
    ];
    for (key, pointer) in pointers {
        if pointer.as_deref().is_some_and(|text| !is_pointer(text)) {
            return Err(fault(at.key(key), POINTER));
        }
    }
    for (key, select) in [("select", &output.select), ("error_select", &output.error_select)] {
        if let Some(wrong) = select.keys().find(|pointer| !is_pointer(pointer)) {
            return Err(fault(at.key(key).key(wrong), POINTER));
        }
    }
    Ok(())
}

const POINTER: &str = "must be a JSON pointer such as `/result/text`";

fn is_pointer(text: &str) -> bool {
    text.is_empty() || text.starts_with('/')
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn test_command(config: &Config) -> CheckResult {
    let command = config.discovery.test_command.as_deref();
    if command.is_some_and(|command| command.first().is_none_or(String::is_empty)) {
        return Err(fault(
            KeyPath::of(["discovery", "test_command"]),
            "must name a program and then its arguments: [\"cargo\", \"test\"]",
        ));
    }
    Ok(())
}

/// Judges a model's or effort's name. It becomes part of an argument list, so it must not pose as a flag or break a
/// quoted value.
fn argument(at: &KeyPath, key: &str, value: Option<&str>) -> CheckResult {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._:/@+-[]".contains(c);
    match value {
        Some(text)
            if text.is_empty()
                || text.len() > 200
                || text.starts_with('-')
                || !text.chars().all(plain) =>
        {
            Err(fault(
                at.key(key),
                "must be 1 to 200 letters, digits or `._:/@+-[]`, and not begin with `-`",
            ))
        }
        Some(_) | None => Ok(()),
    }
}

/// Judges the names of agents and roles, which appear in messages, turn ids and file names.
fn named(at: &KeyPath, name: &str) -> CheckResult {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty()
        || name.len() > 64
        || name.starts_with(['.', '-'])
        || !name.chars().all(plain)
    {
        return Err(fault(
            at.clone(),
            "must have a name of 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter, digit or `_`",
        ));
    }
    Ok(())
}

/// Judges rules about the whole configuration: every name exists, every agent has a program, fallbacks are free of
/// cycles.
pub fn references(config: &Config) -> CheckResult {
    debate::thresholds(config)?;
    discuss::whole(config)?;
    sinks::references(config)?;
    let exists = |path: KeyPath, agent: &str| -> CheckResult {
        let is_built_in = BUILT_IN.iter().any(|(name, _)| *name == agent);
        if is_built_in || config.agents.contains_key(agent) {
            return Ok(());
        }
        let hint = hint(nearest(agent, config.agents.keys().map(String::as_str)).as_deref());
        Err(fault(
            path,
            format!("names the agent `{}`, which does not exist{hint}", agent.escape_debug()),
        ))
    };
    for (name, agent) in &config.agents {
        let at = KeyPath::of(["agents", name]);
        if agent.path.is_empty() {
            return Err(fault(at, "has no `path`: the program's name or path"));
        }
        for (index, other) in agent.fallback.iter().flatten().enumerate() {
            exists(at.key("fallback").index(index), other)?;
        }
        if circles(config, name) {
            return Err(fault(at.key("fallback"), "leads back to the agent itself"));
        }
    }
    for (name, role) in &config.roles {
        let at = KeyPath::of(["roles", name]);
        if let Some(agent) = &role.agent {
            exists(at.key("agent"), agent)?;
        }
        for (index, other) in role.fallback.iter().flatten().enumerate() {
            exists(at.key("fallback").index(index), other)?;
        }
    }
    for (index, agent) in config.debate.default_agents.iter().enumerate() {
        exists(KeyPath::of(["debate", "default_agents"]).index(index), agent)?;
    }
    let named = debate::names(config).into_iter();
    for (at, agent) in named.chain(discuss::names(config)) {
        exists(at, agent)?;
    }
    Ok(())
}

/// Returns whether following fallbacks from `start` leads back to it.
fn circles(config: &Config, start: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut ahead: Vec<&str> = vec![start];
    while let Some(here) = ahead.pop() {
        let agent = config.agents.get(here);
        for next in agent.and_then(|agent| agent.fallback.as_ref()).into_iter().flatten() {
            if next == start {
                return true;
            }
            if seen.insert(next.as_str()) {
                ahead.push(next);
            }
        }
    }
    false
}
