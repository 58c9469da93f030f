//! Typed arguments: proposal, challenge, defense, counter, resolution, under a table of what may follow what.
//!
//! # Theory of operation
//!
//! Two sides argue in rounds. The *rules* depend on no clock, agent CLI or prompt: [`legality`] defines which
//! argument may come from which side, [`state`] runs a debate by it, and [`metrics`] measures a round. [`debate`]
//! adds ids and times, for programs and people who argue without this program. The *machine* asks agents, or a
//! person, under the same rules: [`prompt`] shows what was argued, [`reply`] reads the answers, and [`evidence`]
//! looks up what they cite.
//!
//! Agreement is measured, never taken on trust: it is the lower of the other side's stances on the resolution's
//! points and each side's stances on its own concerns. A concern that is not met carries over into the next round and
//! counts there.
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | remark due (from round 2 on, with pauses) | a remark, an empty one or a failure | proposal due |
//! | proposal due | proposal of the primary | challenge due |
//! | challenge due | challenge of the adversary | defense due |
//! | defense due | defense of the primary | reply due |
//! | reply due | counter of the adversary | resolution due |
//! | reply due | resolution of the adversary | stances of the primary due |
//! | resolution due | resolution of the primary | stances of the adversary due |
//! | stances due | stances; agreement at or above the threshold, four fifths of the points judged | closed: `consensus_reached` |
//! | stances due | stances; otherwise, in the last round | closed: `deadlocked` |
//! | stances due | stances; otherwise | next round: remark due with pauses, else proposal due |
//! | any but remark due | the turn failed, or an agent would speak for both sides | closed: `failed` |
//!
//! A stop from outside is not a transition: [`crate::kernel::Protocol::stop`] reads the state and reports
//! `terminated` (budget, deadline) or `interrupted`, with everything that was argued.

pub mod content;
pub mod contract;
pub mod debate;
pub mod evidence;
pub mod input;
pub mod legality;
pub mod machine;
pub mod metrics;
mod outcome;
pub mod prompt;
pub mod reply;
mod resolve;
pub mod state;
#[cfg(test)]
pub(crate) mod testing;

pub use input::{Input, InputError, Settings, Sources};
pub use machine::{Machine, Purpose};
pub use reply::Content;

/// Returns a number with its noun, in the plural unless it is 1.
fn count(noun: &str, count: usize) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
