//! What a project may not do before its user said so (DESIGN.md, decision 7).
//!
//! A repository's configuration is read and judged like any other, but nothing
//! in it that can *act* counts before the user trusts the very bytes: programs,
//! arguments, environments, skills, sinks, limits above the user's own. The
//! check looks only at values that would be used: one that a higher layer
//! overrides is no danger. What equals the embedded default (or, where the rule
//! is about more than the user allows, does not exceed it) is free, so a fresh
//! clone of an honest repository just works.
//!
//! Trust is pinned to the file's canonical path and the SHA-256 of the bytes
//! that were parsed. Nothing about git takes part in it, so a `.git` file or a
//! `commondir` that points at a trusted repository lends nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::key::KeyPath;
use super::layers::{Layer, at, leaves};
use super::load::Effective;
use super::store::TrustStore;

/// Who would be asked: decides which keys would be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// The configured agents.
    Agents,
    /// The configured agents, for a review: what reviewers are told, shown and allowed counts too.
    Review,
    /// The configured agents, for a critique: what its perspectives are told counts too.
    Discuss,
    /// The built-in rehearsal agents: no key of an agent is used, and nothing is sent.
    Rehearsal,
    /// The command that runs the tests, which `discover` alone starts.
    TestCommand,
    /// Nobody, but the project's folders are written.
    Folders,
    /// Nobody, but results are sent.
    Sinks,
    /// All of them: what `trust` shows.
    Everything,
}

impl Use {
    /// Returns whether a key counts in this use.
    fn takes(self, keys: &[&str]) -> bool {
        let of_tests = matches!(keys, ["discovery", "test_command" | "test_timeout_seconds", ..]);
        let of_review = keys.first() == Some(&"review");
        let of_discuss = keys.first() == Some(&"discuss");
        match self {
            Self::Agents => !of_tests && !of_review && !of_discuss,
            Self::Review => !of_tests && !of_discuss,
            Self::Discuss => !of_tests && !of_review,
            Self::Rehearsal => {
                !of_tests
                    && !of_review
                    && !of_discuss
                    && !matches!(keys.first(), Some(&("agents" | "sinks")))
            }
            Self::TestCommand => of_tests,
            Self::Folders => keys.first() == Some(&"paths"),
            Self::Sinks => matches!(keys.first(), Some(&("sinks" | "paths"))),
            Self::Everything => true,
        }
    }
}

/// When a project's value needs trust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Unless it equals the embedded or the user's own value.
    Differs,
    /// If it is more than the user's own.
    Above,
    /// If it is less than the user's own.
    Below,
    /// If it is `true`.
    True,
    /// If it is `false` and the user's own is `true`.
    Lifts,
    /// If it is a path that leaves the project.
    Leaves,
}

/// Whether a key can hide a part of a change from those who review it: what it names is left out on purpose, and a
/// review may be clean beside that.
fn hides(keys: &[&str]) -> bool {
    matches!(keys, ["review", "exclude" | "secrets", ..] | ["paths", "debate" | "backlog"])
}

/// Says which rule a key is under in a use; `None`: the project may set it freely. This is the one list of who may set
/// what: whatever else a project's file says, it says to itself.
fn rule(keys: &[&str]) -> Option<Rule> {
    match keys {
        // Whose a folder is that we would write into, nothing in it says: a clone can bring all that we write.
        ["paths", "debate" | "backlog"] | ["review", "exclude" | "secrets", ..] => {
            Some(Rule::Differs)
        }
        [
            "agents",
            _,
            "path" | "profile" | "args" | "env" | "pass_env" | "output" | "declared_cost_usd",
            ..,
        ]
        | ["roles", _, "skill"]
        | ["sinks", ..]
        | ["discovery", "test_command", ..]
        | ["review", "guidelines", ..]
        // A perspective is told its title and what to look at: words of the project that steer an agent.
        | ["discuss", "perspectives", _, "title" | "looks_at" | "rates_risk" | "needs_context", ..]
        | ["limits", "model_aliases", ..] => Some(Rule::Differs),
        [_, "read_repo"] => Some(Rule::True),
        // Who lifts a gate at which a person signs off must be the person.
        ["discuss", "presets", _, "sign_off"] => Some(Rule::Lifts),
        [
            "agents",
            _,
            "timeout_seconds" | "idle_timeout_seconds" | "max_parallel",
        ]
        | ["roles", _, "timeout_seconds"]
        | ["limits", ..]
        | ["backlog" | "review" | "plan" | "topic" | "argument" | "panel", "max_rounds"]
        | ["topic", "round_timeout_seconds"]
        | ["review", "max_batches" | "max_diff_bytes"]
        | [
            "discovery",
            "max" | "test_timeout_seconds" | "feature_budget_usd",
        ] => Some(Rule::Above),
        ["backlog" | "discovery", "first_reserve_usd", _]
        | ["review" | "plan" | "topic" | "discuss", "first_reserve_usd"] => Some(Rule::Below),
        ["paths", ..] => Some(Rule::Leaves),
        _ => None,
    }
}

/// A key of the project's file that needs trust.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UntrustedKey {
    /// The key.
    pub path: KeyPath,
    /// Its value as JSON, for a question in a terminal.
    pub value: Value,
}

/// Why a run is refused before anything is spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
pub struct Untrusted {
    /// The project's file, if keys of it need trust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Those keys.
    pub keys: Vec<UntrustedKey>,
    /// Skills of the project that need trust.
    pub skills: Vec<PathBuf>,
    /// Some of it was trusted before and has changed since.
    pub changed: bool,
}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(file) = &self.file {
            let keys: Vec<String> = self.keys.iter().map(|key| format!("`{}`", key.path)).collect();
            parts.push(format!("{} sets {}", file.display(), keys.join(", ")));
        }
        for skill in &self.skills {
            parts.push(format!("{} is a prompt of the project's own", skill.display()));
        }
        let since = if self.changed { ", and changed since you trusted it" } else { "" };
        write!(f, "this project is not trusted{since}: {}", parts.join("; "))
    }
}

impl Untrusted {
    /// How to mend it.
    pub const HINT: &'static str =
        "look at it, then run `debate-agent trust` (or name the file with --config)";
}

/// A file that came with the project, or may have.
pub trait Pinned {
    /// Returns its canonical path and the SHA-256 of its bytes if it may be used only when trusted.
    fn pin(&self) -> Option<(&Path, &str)>;
}

/// Refuses a run that would use something of the project that the user has not trusted.
pub fn check<S: Pinned>(
    effective: &Effective,
    skills: &BTreeMap<String, S>,
    store: &TrustStore,
    used: Use,
) -> Result<(), Untrusted> {
    let mut refused =
        Untrusted { file: None, keys: Vec::new(), skills: Vec::new(), changed: false };
    if let Some(project) = &effective.project
        && !store.is_trusted(&project.path, &project.sha256)
    {
        refused.keys = needed(effective, used);
        if !refused.keys.is_empty() {
            refused.changed |= store.knows(&project.path);
            refused.file = Some(project.path.clone());
        }
    }
    for skill in skills.values() {
        if let Some((path, sha256)) = skill.pin()
            && !store.is_trusted(path, sha256)
        {
            refused.changed |= store.knows(path);
            refused.skills.push(path.to_owned());
        }
    }
    if refused.keys.is_empty() && refused.skills.is_empty() { Ok(()) } else { Err(refused) }
}

/// Whether the project's file hides something from a review that the user has not agreed to.
pub fn hides_untrusted(effective: &Effective, store: &TrustStore) -> bool {
    let trusted =
        |project: &super::load::ProjectFile| store.is_trusted(&project.path, &project.sha256);
    !effective.project.as_ref().is_none_or(trusted)
        && needed(effective, Use::Review).iter().any(|key| hides(&key.path.keys()))
}

/// Lists the keys of the project's file that would be used and need trust, trusted or not.
pub fn needed(effective: &Effective, used: Use) -> Vec<UntrustedKey> {
    let Some(project) = &effective.project else {
        return Vec::new();
    };
    let embedded: Value = serde_json::from_str(super::EMBEDDED).unwrap_or_default();
    leaves(&project.value)
        .into_iter()
        .filter(|path| {
            let source = effective.provenance.get(path);
            source.is_some_and(|source| source.layer == Layer::Project)
        })
        .filter_map(|path| {
            let value = at(&project.value, &path)?;
            let keys = path.keys();
            if !used.takes(&keys) {
                return None;
            }
            let gated = match rule(&keys)? {
                Rule::Differs => {
                    Some(value) != at(&embedded, &path) && Some(value) != at(&effective.own, &path)
                }
                Rule::Above => exceeds(Some(value), own(effective, &path)),
                Rule::Below => exceeds(own(effective, &path), Some(value)),
                Rule::True => value == &Value::Bool(true),
                Rule::Lifts => {
                    value == &Value::Bool(false)
                        && own(effective, &path) == Some(&Value::Bool(true))
                }
                Rule::Leaves => value.as_str().is_none_or(leaves_project),
            };
            gated.then(|| UntrustedKey { value: value.clone(), path })
        })
        .collect()
}

/// The user's own value for a limit. An agent or role without one is under the general limit.
fn own<'a>(effective: &'a Effective, path: &KeyPath) -> Option<&'a Value> {
    let general = |key: &str| at(&effective.own, &KeyPath::of(["limits", key]));
    at(&effective.own, path).or_else(|| match path.keys()[..] {
        ["agents" | "roles", _, "timeout_seconds"] => general("timeout_seconds"),
        ["agents", _, "max_parallel"] => general("max_parallel"),
        _ => None,
    })
}

/// Tells whether `value` is a larger number than `bound`. Without a bound nothing is larger; what is no number is.
fn exceeds(value: Option<&Value>, bound: Option<&Value>) -> bool {
    match (value, bound) {
        (Some(Value::Number(value)), Some(Value::Number(bound))) => value.as_f64() > bound.as_f64(),
        _ => false,
    }
}

fn leaves_project(path: &str) -> bool {
    Path::new(path).components().any(|part| match part {
        Component::Prefix(_) | Component::RootDir | Component::ParentDir => true,
        Component::CurDir | Component::Normal(_) => false,
    })
}

#[cfg(test)]
mod tests;
