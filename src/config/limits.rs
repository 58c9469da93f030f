//! The `limits` section: money, time and sizes (`docs/how-it-works.md`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;
use crate::words;

/// The `limits` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct LimitsConfig {
    /// What one command may spend in all, in US dollars.
    pub budget_usd: Usd,
    /// Asks no agent of whose quota less than this is left, where its CLI reports it; in percent, 0 for no limit.
    #[schemars(range(min = 0, max = 99))]
    #[schemars(extend("x-project" = "differs"))]
    pub keep_quota_percent: u32,
    /// Maximum number of agents running at once.
    #[schemars(range(min = 1, max = 1_000))]
    pub max_parallel: u32,
    /// Time limit of one attempt where neither agent nor role has its own, in seconds; the default is 600 in roles that
    /// usually think hard.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_seconds: u64,
    /// Time limit of the whole command, in seconds; no limit when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400))]
    pub deadline_seconds: Option<u64>,
    /// Seconds from TERM to KILL.
    #[schemars(range(min = 0, max = 600))]
    pub grace_seconds: u64,
    /// Maximum bytes of standard output.
    #[schemars(range(min = 1_024, max = 1_073_741_824))]
    pub stdout_bytes: u64,
    /// Maximum bytes of one prompt.
    #[schemars(range(min = 1_024, max = 67_108_864))]
    pub prompt_bytes: u64,
    /// Maximum number of items in one debate.
    #[schemars(range(min = 2, max = 100_000))]
    pub max_ids: u32,
    /// How often a call is repeated after a crash, an overload or a rate limit; after an empty answer, once at most.
    #[schemars(range(min = 0, max = 10))]
    pub retries: u32,
    /// Whether an unreadable answer is asked for once more.
    pub repair: bool,
    /// Whether complete answers of calls that timed out or failed are accepted, with a warning.
    #[schemars(extend("x-project" = "true"))]
    pub salvage: bool,
    /// What to do with a call that was cut off by a crash and may have been charged.
    #[schemars(extend("x-project" = "differs"))]
    pub on_ambiguous: OnAmbiguous,
    /// Whether CLIs are asked if anybody is logged in, before anything is paid for.
    pub check_logins: bool,
    /// Whether another installed agent without a seat steps in for one that fails, where no `fallback` is configured.
    pub fallback: bool,
    /// Whether limits that name their end are waited for, however long, as `--wait` does.
    pub wait: bool,
    /// Permits flags that switch off a CLI's permissions or sandbox. Counts only in the user's own file.
    #[schemars(extend("x-project" = "refused"))]
    pub allow_dangerous: bool,
    /// Model names as the price table knows them, by the name an agent's configuration or CLI uses.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-project" = "differs"))]
    pub model_aliases: BTreeMap<String, String>,
}

impl LimitsConfig {
    /// Returns the time limit of one attempt; `None` if it is the default.
    pub fn own_timeout(&self) -> Option<u64> {
        Some(self.timeout_seconds).filter(|own| *own != Self::default().timeout_seconds)
    }
}

section!(LimitsConfig, "/limits");

words! {
    /// What to do with a call that was cut off by a crash and may have been charged.
    pub enum OnAmbiguous {
        /// Charge its reservation and make it again, with a warning.
        Rerun = "rerun",
        /// Stop with exit code 4 and let the user decide.
        Fail = "fail",
    }
}
