//! What a request sets in the configuration, under the names by which its caller gave it.

use serde::Serialize;
use serde_json::json;

use super::options::RunOptions;
use crate::config::key::KeyPath;
use crate::config::load::Flag;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A person, by options: `--max-rounds`.
    CommandLine,
    /// A program, by fields: `max_rounds`. Every client of the MCP server is one.
    Client,
}

impl Caller {
    /// Returns how it spells a field.
    pub(crate) fn field(self, field: &str) -> String {
        match (self, field) {
            (Self::CommandLine, _) => format!("--{}", field.replace('_', "-")),
            (Self::Client, "confidence") => "confidence_threshold".to_owned(),
            (Self::Client, _) => field.to_owned(),
        }
    }

    /// Returns what a setting of the field is called.
    fn setting(self, field: &str) -> String {
        let field = self.field(field);
        match self {
            Self::CommandLine => field,
            Self::Client => format!("`{field}`"),
        }
    }
}

/// The settings of one request, above the configuration's files.
#[derive(Debug)]
pub struct Flags {
    caller: Caller,
    pub(crate) all: Vec<Flag>,
}

impl Flags {
    /// Returns those of the options that all requests have.
    pub(crate) fn of(caller: Caller, options: &RunOptions) -> Self {
        let mut flags = Self { caller, all: Vec::new() };
        flags.set("budget", ["limits", "budget_usd"], options.budget);
        flags.set("timeout", ["limits", "timeout_seconds"], options.timeout);
        flags.set("no_check", ["limits", "check_logins"], options.no_check.then_some(false));
        flags.set("max_parallel", ["limits", "max_parallel"], options.max_parallel);
        for (role, agent) in &options.roles {
            flags.set("agents", ["roles", role, "agent"], Some(agent));
        }
        flags
    }

    /// Sets a key to what its field holds, if it was given.
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
