//! An agent's reasoning effort in a role, and its time limit.
//!
//! The user's setting for the role takes precedence, then the one for the agent, then the role's default effort:
//! roles that find, refute, plan or decide use high effort, because nobody notices what they miss, and get ten
//! minutes for it; one whose words decide nothing uses low effort (`docs/calls.md`). A CLI without such a setting uses its own.

use std::borrow::Cow;
use std::time::Duration;

use super::profile;
use super::roster::Agent;
use crate::config::agents::RoleConfig;

/// Roles whose default effort is high.
const HARD: [&str; 7] =
    ["reviewer", "cross-reviewer", "planner", "plan-reviewer", "backlog-critic", "judge", "expert"];

/// Roles whose default effort is low: what they say decides nothing.
const LIGHT: [&str; 1] = [crate::protocol::clarify::CLARIFIER];

/// Effort levels in the words of all CLIs with such a setting, lowest first.
const EFFORTS: [&str; 7] = ["none", "minimal", LOW, MEDIUM, HIGH, "xhigh", "max"];

/// The default effort of roles that decide nothing.
const LOW: &str = "low";

/// The default effort of the other roles, in the words of every CLI with such a setting.
const MEDIUM: &str = "medium";
/// The effort of roles whose default is high.
pub const HIGH: &str = "high";

/// The role of the default configuration that thinks hard within the limit that stands there.
const BRISK: &str = "backlog-critic";

/// Default time limit of one attempt at high effort.
const HIGH_TIMEOUT: Duration = Duration::from_mins(10);

/// Effort and time limit for calls in one role.
#[derive(Debug, Clone, Copy)]
pub struct Pace<'a> {
    role: Option<&'a RoleConfig>,
    usual: &'static str,
    /// Whether the role has ten minutes.
    patient: bool,
}

impl<'a> Pace<'a> {
    /// Returns the values for a role; `config`: the user's settings for it.
    pub fn of(plays: &str, config: Option<&'a RoleConfig>) -> Self {
        let usual = match plays {
            hard if HARD.contains(&hard) => HIGH,
            light if LIGHT.contains(&light) => LOW,
            _ => MEDIUM,
        };
        Self { role: config, usual, patient: usual == HIGH && plays != BRISK }
    }

    /// Returns by how many steps an agent's effort in this role exceeds the default. An unknown word counts as the
    /// maximum; a CLI without such a setting counts as the default.
    pub fn above(&self, agent: &Agent) -> u32 {
        let level = |effort: &str| {
            let known = EFFORTS.iter().position(|each| each.eq_ignore_ascii_case(effort));
            known.unwrap_or(EFFORTS.len() - 1)
        };
        let effort = agent.effort.as_deref().or_else(|| profile::effort_in_args(agent));
        let above = effort.map_or(0, |effort| level(effort).saturating_sub(level(self.usual)));
        u32::try_from(above).unwrap_or(u32::MAX)
    }

    /// Returns the agent as used in the role.
    pub fn applied<'b>(&self, agent: &'b Agent) -> Cow<'b, Agent> {
        if agent.is_person() || agent.rehearsal {
            return Cow::Borrowed(agent);
        }
        let mut agent = agent.clone();
        let of_role = self.role.and_then(|role| role.effort.clone());
        if agent.cli().has_effort && !profile::sets_effort(&agent) {
            agent.effort = of_role.or(agent.effort).or_else(|| Some(self.usual.to_owned()));
        }
        if let Some(seconds) = self.role.and_then(|role| role.timeout_seconds) {
            agent.timeout = Duration::from_secs(seconds);
        } else if self.patient && agent.timeout_is_usual {
            agent.timeout = HIGH_TIMEOUT;
        }
        Cow::Owned(agent)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::agents::ProfileName;

    fn agent() -> Agent {
        Agent {
            rehearsal: false,
            profile: ProfileName::Codex,
            args: Vec::new(),
            ..Agent::rehearsal("x", Path::new("/bin/true"))
        }
    }

    #[test]
    fn the_role_counts_before_the_agent_and_the_agent_before_what_is_usual() {
        let effort = |plays: &str, agent: &Agent, role: Option<&RoleConfig>| {
            Pace::of(plays, role).applied(agent).effort.clone().unwrap()
        };
        assert_eq!(effort("reviewer", &agent(), None), "high");
        assert_eq!(effort("composer", &agent(), None), "medium");
        assert_eq!(effort("clarifier", &agent(), None), "low");
        let own = Agent { effort: Some("low".to_owned()), ..agent() };
        assert_eq!(effort("reviewer", &own, None), "low");
        let role = RoleConfig { effort: Some("xhigh".to_owned()), ..RoleConfig::default() };
        assert_eq!(effort("reviewer", &own, Some(&role)), "xhigh");
    }

    #[test]
    fn who_thinks_hard_has_ten_minutes_unless_somebody_set_a_limit() {
        let seconds = |plays: &str, agent: &Agent, role: Option<&RoleConfig>| {
            Pace::of(plays, role).applied(agent).timeout.as_secs()
        };
        assert_eq!(seconds("reviewer", &agent(), None), 600);
        assert_eq!(seconds("composer", &agent(), None), 180);
        assert_eq!(seconds("backlog-critic", &agent(), None), 180);
        let own = Agent { timeout: Duration::from_mins(1), timeout_is_usual: false, ..agent() };
        assert_eq!(seconds("reviewer", &own, None), 60);
        let role = RoleConfig { timeout_seconds: Some(90), ..RoleConfig::default() };
        assert_eq!(seconds("reviewer", &own, Some(&role)), 90);
    }

    /// Reserves grow with the effort above the default.
    #[test]
    fn only_more_than_the_usual_effort_is_above_it() {
        let above = |plays: &str, effort: Option<&str>, args: &[&str]| {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            let agent = Agent { effort: effort.map(str::to_owned), args, ..agent() };
            let pace = Pace::of(plays, None);
            pace.above(&pace.applied(&agent))
        };
        for (plays, effort, args, steps) in [
            ("reviewer", None, &[][..], 0),
            ("reviewer", Some("low"), &[], 0),
            ("reviewer", Some("xhigh"), &[], 1),
            ("composer", None, &[], 0),
            ("composer", Some("high"), &[], 1),
            ("composer", Some("MAX"), &[], 3),
            ("composer", Some("utmost"), &[], 3),
            ("composer", None, &["-c", "model_reasoning_effort=\"xhigh\""], 2),
            ("composer", None, &["--effort", "high"], 1),
            ("composer", None, &["--effort"], 3),
        ] {
            assert_eq!(above(plays, effort, args), steps, "{plays} {effort:?} {args:?}");
        }
    }

    #[test]
    fn an_effort_among_the_arguments_stays_the_only_one() {
        for args in [&["-c", "model_reasoning_effort=\"low\""][..], &["--effort", "low"]] {
            let args = args.iter().map(|arg| (*arg).to_owned()).collect();
            let own = Agent { args, ..agent() };
            assert_eq!(Pace::of("reviewer", None).applied(&own).effort, None);
        }
        let gemini = Agent { profile: ProfileName::Gemini, ..agent() };
        assert_eq!(Pace::of("reviewer", None).applied(&gemini).effort, None);
    }
}
