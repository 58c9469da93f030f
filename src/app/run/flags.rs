//! The configuration settings made by a request, under the names used by its caller.

use serde::Serialize;
use serde_json::json;

use super::options::{RoleAgent, RunOptions};
use crate::config::key::KeyPath;
use crate::config::load::Flag;

/// The caller of a use case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A person, with options: `--max-rounds`.
    CommandLine,
    /// A program, with fields: `max_rounds`. Every client of the MCP server is one.
    Client,
}

impl Caller {
    pub(crate) fn field(self, field: &str) -> String {
        match (self, field) {
            (Self::CommandLine, _) => format!("--{}", field.replace('_', "-")),
            (Self::Client, "confidence") => "confidence_threshold".to_owned(),
            (Self::Client, _) => field.to_owned(),
        }
    }

    fn setting(self, field: &str) -> String {
        let field = self.field(field);
        match self {
            Self::CommandLine => field,
            Self::Client => format!("`{field}`"),
        }
    }
}

/// The settings made by one request; they override the configuration's files.
#[derive(Debug)]
pub struct Flags {
    caller: Caller,
    pub(crate) all: Vec<Flag>,
}

impl Flags {
    /// Returns the settings made by the options common to all requests.
    pub(crate) fn of(caller: Caller, options: &RunOptions) -> Self {
        let mut flags = Self { caller, all: Vec::new() };
        flags.set("budget", ["limits", "budget_usd"], options.budget);
        flags.set("timeout", ["limits", "timeout_seconds"], options.timeout);
        flags.set("wait", ["limits", "wait"], options.wait.then_some(true));
        for RoleAgent { role, agent, option } in &options.roles {
            flags.set(option, ["roles", role, "agent"], Some(agent));
        }
        flags
    }

    /// Sets a key to the value of its field, if given.
    pub(crate) fn set<const N: usize>(
        &mut self,
        field: &str,
        path: [&str; N],
        value: Option<impl Serialize>,
    ) {
        if let Some(value) = value {
            let (name, path) = (self.caller.setting(field), KeyPath::of(path));
            self.all.push(Flag { name, path, value: json!(value) });
        }
    }
}
