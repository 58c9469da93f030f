//! The share of a subscription that is used, as a CLI reports it of its vendor.

use std::fmt;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A span of time for which a vendor sets an allowance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuotaWindow {
    /// Its length: `5 h`, `week`.
    pub window: String,
    /// How much of the allowance is used, in percent; above 100 where the vendor lets a user go on.
    pub used_percent: u32,
    /// When the allowance is full again.
    pub resets_at: DateTime<Utc>,
    /// How much was used before this session's first call, in percent; missing where that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_percent: Option<u32>,
}

/// What an agent's CLI reported last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quota {
    /// The agent's key in the configuration.
    pub agent: String,
    /// Its vendor's windows; empty where the CLI does not report them.
    pub windows: Vec<QuotaWindow>,
}

impl Quota {
    /// Puts it in the place of the agent's last report, from which follows what was used before, as far as both are
    /// about the same windows.
    pub fn put(mut self, all: &mut Vec<Self>) {
        let Some(last) = all.iter_mut().find(|last| last.agent == self.agent) else {
            return all.push(self);
        };
        for window in &mut self.windows {
            let same = |old: &&QuotaWindow| {
                (&old.window, old.resets_at) == (&window.window, window.resets_at)
            };
            let old = last.windows.iter().find(same);
            window.before_percent = old.map(|old| old.before_percent.unwrap_or(old.used_percent));
        }
        *last = self;
    }

    /// Whether an agent's next report says the same.
    pub fn repeats(&self, last: &Self) -> bool {
        let said = |window: &QuotaWindow| (window.used_percent, window.resets_at);
        self.agent == last.agent && self.windows.iter().map(said).eq(last.windows.iter().map(said))
    }

    /// Returns the first window of which less than `keep` percent is left.
    pub fn low(&self, keep: u32, now: DateTime<Utc>) -> Option<&QuotaWindow> {
        let low = |window: &&QuotaWindow| {
            now < window.resets_at && window.used_percent.saturating_add(keep) > 100
        };
        self.windows.iter().find(low)
    }
}

/// `claude: 5 h 41% used (2% by this session), week 12% used`.
impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.agent)?;
        if self.windows.is_empty() {
            f.write_str("its CLI does not report it")?;
        }
        for (at, window) in self.windows.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{} {}% used", window.window, window.used_percent)?;
            let own = window.before_percent.map(|old| window.used_percent.saturating_sub(old));
            if let Some(own) = own.filter(|own| *own > 0) {
                write!(f, " ({own}% by this session)")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota(used_percent: u32, resets_at: i64, before_percent: Option<u32>) -> Quota {
        let resets_at = DateTime::from_timestamp(resets_at, 0).unwrap();
        let window = "5 h".to_owned();
        let windows = vec![QuotaWindow { window, used_percent, resets_at, before_percent }];
        Quota { agent: "claude".to_owned(), windows }
    }

    #[test]
    fn what_this_session_used_is_counted_within_one_window() {
        for (earlier, now, words) in [
            (
                quota(39, 100, None),
                quota(41, 100, None),
                "claude: 5 h 41% used (2% by this session)",
            ),
            (
                quota(40, 100, Some(30)),
                quota(41, 100, None),
                "claude: 5 h 41% used (11% by this session)",
            ),
            (quota(90, 100, None), quota(1, 200, None), "claude: 5 h 1% used"),
        ] {
            let mut all = vec![earlier.clone()];
            assert!(!now.repeats(&earlier) && now.repeats(&now));
            now.put(&mut all);
            assert_eq!(all[0].to_string(), words);
        }
    }

    #[test]
    fn a_window_is_low_until_it_resets() {
        let at = |seconds| DateTime::from_timestamp(seconds, 0).unwrap();
        assert_eq!(quota(90, 100, None).low(10, at(0)), None);
        assert!(quota(91, 100, None).low(10, at(0)).is_some());
        assert_eq!(quota(91, 100, None).low(10, at(100)), None);
    }
}
