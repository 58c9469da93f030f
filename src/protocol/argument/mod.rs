//! Typed arguments: proposal, challenge, defense, counter, resolution, under a table of what may follow what.
//!
//! # Theory of operation
//!
//! Two sides argue in rounds. The *rules* depend on no clock, agent CLI or prompt: [`legality`] defines which
//! argument may come from which side, [`state`] runs a debate by it, and [`metrics`] measures a round:
//! [`DebateState`] is for programs and people who argue without this program, too. The *machine* asks agents, or a
//! person, under the same rules: [`prompt`] shows what was argued, [`reply`] reads the answers, and [`evidence`]
//! looks up what they cite.
//!
//! Points, concerns and arguments have ids that hold for the whole debate; the program gives them. A point that a later
//! argument keeps (`{"keep": "P3"}`), perhaps with an amendment (`"add"`), keeps its id.
//!
//! Agreement is measured, never taken on trust: it is the lower of the other side's stances on the resolution's
//! points and each side's stances on its own concerns. A concern that is not met carries over into the next round and
//! counts there.
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | proposal due | proposal of the primary | challenge due |
//! | challenge due | challenge of the adversary | defense due |
//! | defense due | defense of the primary | reply due |
//! | reply due | counter of the adversary | resolution due |
//! | reply due | resolution of the adversary | stances of the primary due |
//! | resolution due | resolution of the primary | stances of the adversary due |
//! | stances due | stances; agreement at or above the threshold, four fifths of the points judged | closed: `consensus_reached` |
//! | stances due | stances; otherwise, in the last round | closed: `deadlocked` |
//! | stances due | stances; otherwise | next round: proposal due |
//! | any | the turn failed, or an agent would speak for both sides | closed: `failed` |
//!
//! A stop from outside is not a transition: [`crate::kernel::Protocol::stop`] reads the state and reports
//! `budget` or `interrupted`, with everything that was argued.
//!
//! # Example
//!
//! A debate under these rules, without agents: one round, in which the sides agree on all but a part of one point.
//!
//! ```
//! use debate_agent::protocol::argument::{DebateRules, DebateState, Expected, Refusal, Share, Side, Status};
//! use serde_json::json;
//!
//! let mut debate = DebateState::new("ada", "grace", DebateRules {
//!     max_rounds: 3,
//!     consensus_threshold: Share::thousandths(700),
//!     impact_areas: Vec::new(),
//! })?;
//! debate.start()?;
//! let arguments = [
//!     ("ada", json!({"type": "proposal", "content": {"text": "Move it."}})),
//!     ("grace", json!({"type": "challenge", "content": {}, "concerns": [{"id": "", "text": "Who is on call?"}]})),
//!     ("ada", json!({"type": "defense", "content": {"text": "Operations run one already."}})),
//!     ("grace", json!({
//!         "type": "resolution", "content": {"points": ["Move it in March.", "Keep the old one for a week."]},
//!         "addresses": [{"id": "C1", "how": "Operations are."}],
//!     })),
//! ];
//! for (agent, argument) in arguments {
//!     debate.submit(agent, serde_json::from_value(argument).unwrap())?;
//! }
//! assert_eq!(debate.due(), Expected::Stances(Side::Primary));
//! let stances = json!({"stances": [
//!     {"point": "P1", "stance": "agree", "reason": "We can."},
//!     {"point": "P2", "stance": "partly", "reason": "Two days are enough."},
//! ]});
//! debate.submit_stances("ada", serde_json::from_value(stances).unwrap())?;
//! assert_eq!(debate.evaluate()?.figures.metrics.agreement_score, Share::thousandths(750));
//! assert_eq!(debate.status(), Status::ConsensusReached);
//! # Ok::<(), Refusal>(())
//! ```
//!
//! A caller adds evaluators of its own, which can withhold consensus: here, one that wants every point agreed to.
//! In place of `evaluate` above:
//!
//! ```
//! # use debate_agent::protocol::argument::{DebateRules, DebateState, Figures, Refusal, Round, Share, Stance, Status};
//! # use serde_json::json;
//! # let terms = DebateRules { max_rounds: 3, consensus_threshold: Share::thousandths(700), impact_areas: Vec::new() };
//! # let mut debate = DebateState::new("ada", "grace", terms)?;
//! # debate.start()?;
//! # for (agent, argument) in [
//! #     ("ada", json!({"type": "proposal", "content": {"text": "Move it."}})),
//! #     ("grace", json!({"type": "challenge", "content": {}, "concerns": [{"id": "", "text": "Who is on call?"}]})),
//! #     ("ada", json!({"type": "defense", "content": {"text": "Operations run one already."}})),
//! #     ("grace", json!({"type": "resolution", "content": {"points": ["Move it in March.", "Keep it for a week."]},
//! #         "addresses": [{"id": "C1", "how": "Operations are."}]})),
//! # ] {
//! #     debate.submit(agent, serde_json::from_value(argument).unwrap())?;
//! # }
//! # let stances = json!({"stances": [{"point": "P1", "stance": "agree", "reason": "We can."},
//! #     {"point": "P2", "stance": "partly", "reason": "Two days are enough."}]});
//! # debate.submit_stances("ada", serde_json::from_value(stances).unwrap())?;
//! let unanimous = |round: &Round, _: &Figures| {
//!     let (_, said) = round.stances.as_ref()?;
//!     let doubt = said.stances.iter().find(|said| said.stance != Stance::Agree)?;
//!     Some(format!("{} is not agreed to", doubt.point))
//! };
//! assert_eq!(debate.evaluate_with(&[&unanimous])?.objections, ["P2 is not agreed to"]);
//! assert_eq!(debate.status(), Status::InProgress);
//! # Ok::<(), Refusal>(())
//! ```

// A door of the library: see docs/library.md.
#![warn(missing_docs)]

pub mod content;
pub(crate) mod contract;
pub(crate) mod evidence;
pub(crate) mod input;
pub mod legality;
pub(crate) mod machine;
pub mod metrics;
mod outcome;
pub(crate) mod prompt;
pub(crate) mod reply;
mod resolve;
pub mod state;
#[cfg(test)]
pub(crate) mod testing;

pub use state::{DebateRules, DebateState, Evaluation, Evaluator, Expected, Refusal, Round};

pub(crate) use input::{IMPACT_AREAS, Input, Settings};
pub(crate) use machine::Machine;

// What a debate is written in, which the other styles use too.
pub use super::debate::typed::{
    Argument, ArgumentBlock, ArgumentType, Concern, ConcernResponse, Evidence, Metrics, Risk, Side,
};
pub use super::debate::{Stance, StanceEntry, Stances, Status};
pub use crate::kernel::share::Share;
pub use metrics::Figures;
