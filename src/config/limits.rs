//! The `limits` section: money, time and sizes (`docs/how-it-works.md`).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::Usd;

/// The `limits` section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct LimitsConfig {
    /// What one command may spend in all, in US dollars (2.50).
    pub budget_usd: Usd,
    /// Agents that run at the same time, 1 to 1,000 (6).
    #[schemars(range(min = 1, max = 1_000))]
    pub max_parallel: u32,
    /// Time limit of one attempt where neither agent nor role has its own, 1 to 86,400 seconds (180, which is 600 in roles that
    /// usually think hard).
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_seconds: u64,
    /// Time limit of the whole command, 1 to 86,400 seconds; no limit when missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 86_400))]
    pub deadline_seconds: Option<u64>,
    /// From TERM to KILL, 0 to 600 seconds (5).
    #[schemars(range(min = 0, max = 600))]
    pub grace_seconds: u64,
    /// How long outputs may stay open after the program's own end, 0 to 60,000 ms (500).
    #[schemars(range(min = 0, max = 60_000))]
    pub drain_ms: u64,
    /// Bytes of standard output, 1,024 to 1 GiB (8 MiB).
    #[schemars(range(min = 1_024, max = 1_073_741_824))]
    pub stdout_bytes: u64,
    /// Bytes of standard error that are kept, 1,024 to 1 GiB (1 MiB).
    #[schemars(range(min = 1_024, max = 1_073_741_824))]
    pub stderr_bytes: u64,
    /// Bytes of one prompt, 1,024 to 64 MiB (2 MiB).
    #[schemars(range(min = 1_024, max = 67_108_864))]
    pub prompt_bytes: u64,
    /// Bytes of one block of an answer, 1,024 to 64 MiB (1 MiB).
    #[schemars(range(min = 1_024, max = 67_108_864))]
    pub block_bytes: u64,
    /// Items in one debate, 2 to 100,000 (1,000).
    #[schemars(range(min = 2, max = 100_000))]
    pub max_ids: u32,
    /// How often a call is made again after a passing failure, by its class.
    pub retries: Retries,
    /// Whether an answer that can't be read earns one re-ask (true).
    pub repair: bool,
    /// Whether CLIs are asked, before anything is paid, if anybody is logged in (true).
    pub check_logins: bool,
    /// Permits flags that switch off a CLI's permissions or sandbox. Counts in the user's own file alone.
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

/// Retries per class of failure, 0 to 10. No other class is ever retried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(default)]
pub struct Retries {
    /// The program died (3).
    #[schemars(range(min = 0, max = 10))]
    pub crashed: u32,
    /// The provider is overloaded (3).
    #[schemars(range(min = 0, max = 10))]
    pub overloaded: u32,
    /// The provider asks to slow down (3).
    #[schemars(range(min = 0, max = 10))]
    pub rate_limited: u32,
    /// The answer was empty (1).
    #[schemars(range(min = 0, max = 10))]
    pub empty_reply: u32,
}

impl Retries {
    /// Returns these counts, each limited to that of `most`.
    #[must_use]
    pub fn at_most(self, most: Self) -> Self {
        Self {
            crashed: self.crashed.min(most.crashed),
            overloaded: self.overloaded.min(most.overloaded),
            rate_limited: self.rate_limited.min(most.rate_limited),
            empty_reply: self.empty_reply.min(most.empty_reply),
        }
    }

    /// No retries; also the initial count of retries made so far.
    pub const fn none() -> Self {
        Self { crashed: 0, overloaded: 0, rate_limited: 0, empty_reply: 0 }
    }
}

section!(Retries, "/limits/retries");
