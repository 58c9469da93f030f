//! The rules for asking a session's turns, whatever its protocol: its panel and retries.
//!
//! They are in the session's first record, so that every replay asks and judges in the same way.

use serde::{Deserialize, Serialize};

use crate::agent::ask::AskSettings;
use crate::agent::roster::{Agent, Roster};
use crate::config::Config;
use crate::kernel::Respondent;
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::review::SANDBOX;
use crate::text::Note;

/// The rules for asking turns and accepting replies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallRules {
    pub(crate) salvage: bool,
    pub(crate) repair: bool,
    pub(crate) retries: u32,
    /// Whether another agent is asked if one gives no readable answer.
    pub(crate) unreadable_falls_back: bool,
    pub(crate) seats: BTreeMap<String, SeatAssignment>,
    /// Flags, permitted by the user, that switch off a CLI's permissions or sandbox: `claude --yolo`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) dangerous: Vec<String>,
    /// The project's templates of prompts, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) templates: BTreeMap<String, String>,
}

/// The agent in a seat, and its stand-ins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeatAssignment {
    pub(crate) agent: Respondent,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fallbacks: Vec<Respondent>,
}

impl CallRules {
    /// Builds the rules from the configuration, the command line and the panel.
    pub(crate) fn new(config: &Config, roster: &Roster) -> Self {
        let seated = |agent: &Agent| Respondent::new(&agent.name, &agent.vendor);
        Self {
            salvage: config.limits.salvage,
            unreadable_falls_back: true,
            templates: BTreeMap::new(),
            repair: config.limits.repair,
            retries: config.limits.retries,
            seats: roster
                .casts()
                .map(|(role, cast)| {
                    let cast = SeatAssignment {
                        agent: seated(&cast.agent),
                        fallbacks: cast.fallbacks.iter().map(seated).collect(),
                    };
                    (role.to_owned(), cast)
                })
                .gather(),
            dangerous: roster
                .casts()
                .flat_map(|(_, cast)| std::iter::once(&cast.agent).chain(&cast.fallbacks))
                .flat_map(permitted)
                .gather::<BTreeSet<String>>()
                .into_iter()
                .collect(),
        }
    }

    /// Builds the panel recorded by the session. Its programs are never started.
    pub(crate) fn recorded_roster(&self) -> Roster {
        let casts: BTreeMap<_, _> = (self.seats.iter())
            .map(|(role, cast)| {
                let agent = |seated: &Respondent| Agent::recorded(&seated.agent, &seated.vendor);
                let cast = crate::agent::roster::Assignment {
                    agent: agent(&cast.agent),
                    fallbacks: cast.fallbacks.iter().map(agent).collect(),
                };
                (role.clone(), cast)
            })
            .gather();
        Roster::of(casts).with_tool(Agent::recorded(SANDBOX, SANDBOX))
    }

    /// Returns the agent of each seat.
    pub(crate) fn respondents(&self) -> BTreeMap<String, Respondent> {
        self.seats.iter().map(|(seat, cast)| (seat.clone(), cast.agent.clone())).gather()
    }

    pub(crate) fn govern(&self, settings: &mut AskSettings) {
        settings.retries = self.retries;
        settings.repair = self.repair;
        settings.salvage = self.salvage;
        settings.unreadable_falls_back = self.unreadable_falls_back;
    }

    /// Returns the maximum number of processes for one turn of each seat: all retries for each agent, and a repair.
    pub(crate) fn most_calls(&self) -> u32 {
        let agents: usize = (self.seats.values()).map(|cast| 1 + cast.fallbacks.len()).sum();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        number(agents)
            .saturating_mul(self.retries.saturating_add(1))
            .saturating_add(number(self.seats.len()))
    }
}

/// Lists an agent's permitted dangerous flags: `claude --yolo`.
pub(crate) fn permitted(agent: &Agent) -> Vec<String> {
    agent.dangerous.iter().map(|flag| format!("{} {flag}", agent.name)).collect()
}

/// Returns the warning for every result of agents that ran with such flags.
pub(crate) fn dangerous_warning(flags: &[String]) -> Option<Note> {
    (!flags.is_empty()).then(|| {
        Note::new(
            "dangerous_flags",
            format!(
                "agents ran with permissions or sandbox switched off, as `limits.allow_dangerous` permits: {}",
                flags.join(", ")
            ),
        )
    })
}
