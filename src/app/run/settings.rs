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
    /// A client of the MCP server, by fields: `max_rounds`.
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

/// Settings of one request, above the configuration's files.
#[derive(Debug)]
pub struct Settings {
    caller: Caller,
    flags: Vec<Flag>,
}

impl Settings {
    /// Returns those of the options that all requests have.
    pub(crate) fn of(caller: Caller, options: &RunOptions) -> Self {
        let mut settings = Self { caller, flags: Vec::new() };
        let limits = &options.limits;
        settings.set("budget", ["limits", "budget_usd"], limits.budget);
        settings.set("timeout", ["limits", "timeout_seconds"], limits.timeout);
        settings.set("no_check", ["limits", "check_logins"], limits.no_check.then_some(false));
        settings.set("max_parallel", ["limits", "max_parallel"], limits.max_parallel);
        for (role, agent) in &options.roles {
            settings.set("agents", ["roles", role, "agent"], Some(agent));
        }
        settings
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
            self.flags.push(Flag { name, path, value: json!(value) });
        }
    }

    /// Returns them as the configuration takes them.
    pub(crate) fn into_flags(self) -> Vec<Flag> {
        self.flags
    }
}
