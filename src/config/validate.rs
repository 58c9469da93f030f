//! What types alone do not say: ranges, and names that must exist.

mod debate;
mod discuss;
mod mcp;
mod sinks;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::agents::{AgentConfig, BUILT_IN};
use super::error::nearest;
use super::key::KeyPath;
use super::limits::MAX_SECONDS;
use super::schema::Config;
use crate::kernel::{HUMAN, Usd};

/// A value that is refused: the key, and the rest of a sentence that begins with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The key.
    pub path: KeyPath,
    /// What is wrong.
    pub message: String,
}

type Checked = Result<(), Fault>;

fn fault(path: KeyPath, message: impl Into<String>) -> Fault {
    Fault { path, message: message.into() }
}

/// Judges the values of one layer by themselves.
pub fn ranges(config: &Config) -> Checked {
    for (name, agent) in &config.agents {
        agent_ranges(&KeyPath::of(["agents", name]), name, agent)?;
    }
    for (name, role) in &config.roles {
        let at = KeyPath::of(["roles", name]);
        named(&at, name)?;
        seconds(&at, "timeout_seconds", role.timeout_seconds)?;
        argument(&at, "model", role.model.as_deref())?;
        argument(&at, "effort", role.effort.as_deref())?;
        if role.skill.as_deref() == Some("") {
            return Err(fault(at.key("skill"), "must be a role's name or a path, it is empty"));
        }
    }
    backlog_ranges(config)?;
    discovery_ranges(config)?;
    review_ranges(config)?;
    debate::ranges(config)?;
    discuss::ranges(config)?;
    limit_ranges(config)?;
    mcp::ranges(config)?;
    sinks::ranges(config)?;
    let paths = &config.paths;
    for (key, path) in
        [("debate", &paths.debate), ("backlog", &paths.backlog), ("skills", &paths.skills)]
    {
        if path.is_empty() || path.contains('\0') {
            return Err(fault(
                KeyPath::of(["paths", key]),
                "must be a path, it is empty or holds a NUL",
            ));
        }
    }
    Ok(())
}

fn agent_ranges(at: &KeyPath, name: &str, agent: &AgentConfig) -> Checked {
    named(at, name)?;
    if name == HUMAN {
        return Err(fault(
            at.clone(),
            "is the name of the person who takes a seat: give the agent another one",
        ));
    }
    if agent.vendor.as_deref() == Some(HUMAN) {
        return Err(fault(
            at.key("vendor"),
            "is the vendor of the person who takes a seat, and no program's",
        ));
    }
    if let Some(own) = agent.name.as_deref().filter(|own| *own != name) {
        return Err(fault(
            at.key("name"),
            format!("must equal its key `{name}`, `{}` found", own.escape_debug()),
        ));
    }
    seconds(at, "timeout_seconds", agent.timeout_seconds)?;
    seconds(at, "idle_timeout_seconds", agent.idle_timeout_seconds)?;
    argument(at, "model", agent.model.as_deref())?;
    argument(at, "effort", agent.effort.as_deref())?;
    if let Some(count) = agent.max_parallel {
        within(at, "max_parallel", count.into(), &(1..=1_000))?;
    }
    for (index, value) in agent.args.iter().enumerate() {
        if value.contains('\0') {
            return Err(fault(at.key("args").index(index), "holds a NUL, which no argument can"));
        }
    }
    for (variable, value) in &agent.env {
        if !is_variable(variable) || value.contains('\0') {
            return Err(fault(at.key("env").key(variable), "is no variable that can be set"));
        }
    }
    for (index, variable) in agent.pass_env.iter().enumerate() {
        if !is_variable(variable) {
            return Err(fault(at.key("pass_env").index(index), "is no name of a variable"));
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

fn backlog_ranges(config: &Config) -> Checked {
    let at = KeyPath::of(["backlog"]);
    let backlog = &config.backlog;
    within(&at, "max_rounds", backlog.max_rounds.into(), &(1..=20))?;
    for (key, share) in [
        ("rank_stability", backlog.rank_stability),
        ("partner_agreement", backlog.partner_agreement),
        ("max_missing_share", backlog.max_missing_share),
    ] {
        if !(0.0..=1.0).contains(&share) {
            return Err(fault(at.key(key), format!("must be between 0 and 1, {share} found")));
        }
    }
    let reserves = &backlog.first_reserve_usd;
    for (role, reserve) in [
        ("champion", reserves.champion),
        ("critic", reserves.critic),
        ("moderator", reserves.moderator),
    ] {
        if reserve == Usd::ZERO {
            return Err(fault(
                at.key("first_reserve_usd").key(role),
                "must be above 0: it is what a call is charged with while its cost is not known",
            ));
        }
    }
    Ok(())
}

fn review_ranges(config: &Config) -> Checked {
    let (review, plan) = (&config.review, &config.plan);
    let at = KeyPath::of(["review"]);
    within(&at, "max_diff_bytes", review.max_diff_bytes, &(1_000..=1_000_000))?;
    within(&at, "max_batches", review.max_batches.into(), &(1..=64))?;
    for (section, rounds, confidence, reserve) in [
        ("review", review.max_rounds, review.confidence, review.first_reserve_usd),
        ("plan", plan.max_rounds, plan.confidence, plan.first_reserve_usd),
    ] {
        let at = KeyPath::of([section]);
        within(&at, "max_rounds", rounds.into(), &(1..=5))?;
        within(&at, "confidence", confidence.into(), &(0..=100))?;
        if reserve == Usd::ZERO {
            return Err(fault(at.key("first_reserve_usd"), "must be above 0"));
        }
    }
    Ok(())
}

fn discovery_ranges(config: &Config) -> Checked {
    let at = KeyPath::of(["discovery"]);
    let discovery = &config.discovery;
    for (key, value, range) in [
        ("max", discovery.max.into(), 1..=1_000),
        ("debate_threshold", discovery.debate_threshold.into(), 1..=1_000),
        ("test_timeout_seconds", discovery.test_timeout_seconds, 1..=MAX_SECONDS),
        ("complexity", discovery.complexity.into(), 1..=10_000),
        ("high_complexity", discovery.high_complexity.into(), 1..=10_000),
        ("long_file_lines", discovery.long_file_lines.into(), 1..=1_000_000),
        ("stalled_hours", discovery.stalled_hours.into(), 1..=87_600),
        ("stale_days", discovery.stale_days.into(), 1..=3_650),
        ("repeated_failures", discovery.repeated_failures.into(), 1..=1_000),
    ] {
        within(&at, key, value, &range)?;
    }
    for (key, value, most) in [
        ("actionability_threshold", discovery.actionability_threshold, 1.0),
        ("similarity_threshold", discovery.similarity_threshold, 1.0),
        ("same_item_similarity", discovery.same_item_similarity, 1.0),
        ("coverage_percent", discovery.coverage_percent, 100.0),
        ("low_coverage_percent", discovery.low_coverage_percent, 100.0),
    ] {
        if !(0.0..=most).contains(&value) {
            return Err(fault(at.key(key), format!("must be between 0 and {most}, {value} found")));
        }
    }
    if (discovery.test_command.as_deref())
        .is_some_and(|command| command.first().is_none_or(String::is_empty))
    {
        return Err(fault(
            at.key("test_command"),
            "must name a program and then its arguments: [\"cargo\", \"test\"]",
        ));
    }
    for (role, reserve) in [
        ("analyst", discovery.first_reserve_usd.analyst),
        ("advisor", discovery.first_reserve_usd.advisor),
    ] {
        if reserve == Usd::ZERO {
            return Err(fault(
                at.key("first_reserve_usd").key(role),
                "must be above 0: it is what a call is charged with while its cost is not known",
            ));
        }
    }
    Ok(())
}

fn limit_ranges(config: &Config) -> Checked {
    const SIZE: RangeInclusive<u64> = 1_024..=1 << 30;
    const TEXT: RangeInclusive<u64> = 1_024..=64 << 20;
    let at = KeyPath::of(["limits"]);
    let limits = &config.limits;
    for (key, value, range) in [
        ("max_parallel", limits.max_parallel.into(), 1..=1_000),
        ("timeout_seconds", limits.timeout_seconds, 1..=MAX_SECONDS),
        ("deadline_seconds", limits.deadline_seconds.unwrap_or(1), 1..=MAX_SECONDS),
        ("grace_seconds", limits.grace_seconds, 0..=600),
        ("drain_ms", limits.drain_ms, 0..=60_000),
        ("stdout_bytes", limits.stdout_bytes, SIZE),
        ("stderr_bytes", limits.stderr_bytes, SIZE),
        ("prompt_bytes", limits.prompt_bytes, TEXT),
        ("block_bytes", limits.block_bytes, TEXT),
        ("max_ids", limits.max_ids.into(), 2..=100_000),
    ] {
        within(&at, key, value, &range)?;
    }
    let retries = &limits.retries;
    for (key, value) in [
        ("crashed", retries.crashed),
        ("overloaded", retries.overloaded),
        ("rate_limited", retries.rate_limited),
        ("empty_reply", retries.empty_reply),
    ] {
        within(&at.key("retries"), key, value.into(), &(0..=10))?;
    }
    Ok(())
}

fn within(at: &KeyPath, key: &str, value: u64, range: &RangeInclusive<u64>) -> Checked {
    if range.contains(&value) {
        return Ok(());
    }
    let (low, high) = (range.start(), range.end());
    Err(fault(at.key(key), format!("must be between {low} and {high}, {value} found")))
}

fn seconds(at: &KeyPath, key: &str, value: Option<u64>) -> Checked {
    within(at, key, value.unwrap_or(1), &(1..=MAX_SECONDS))
}

/// A model's or effort's name stands in an argument list: it can't pose as a flag or break a quoted value.
fn argument(at: &KeyPath, key: &str, value: Option<&str>) -> Checked {
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

/// Names of agents and roles stand in messages, turn ids and file names.
fn named(at: &KeyPath, name: &str) -> Checked {
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

/// Judges what only the whole configuration shows: every name exists, every agent has a program, no fallback goes in circles.
pub fn references(config: &Config) -> Checked {
    debate::thresholds(config)?;
    discuss::whole(config)?;
    sinks::references(config)?;
    let exists = |path: KeyPath, agent: &str| -> Checked {
        let is_built_in = BUILT_IN.iter().any(|(name, _)| *name == agent);
        if is_built_in || config.agents.contains_key(agent) {
            return Ok(());
        }
        let hint = nearest(agent, config.agents.keys().map(String::as_str))
            .map(|name| format!("; did you mean `{name}`?"))
            .unwrap_or_default();
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
        for (index, other) in agent.fallback.iter().enumerate() {
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

/// Tells whether following fallbacks from `start` comes back to it.
fn circles(config: &Config, start: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut ahead: Vec<&str> = vec![start];
    while let Some(here) = ahead.pop() {
        for next in config.agents.get(here).into_iter().flat_map(|agent| &agent.fallback) {
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
