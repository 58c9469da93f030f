//! Typed arguments: proposal, challenge, defense, counter, resolution, under a table of what may follow what.
//!
//! # Theory of operation
//!
//! Two sides argue in rounds. The *rules* know no clock, no agents' CLIs and no prompts: [`legality`] says who may
//! say what now, [`state`] runs a debate by it, [`metrics`] measures a round. [`debate`] puts ids and times to a
//! course, for programs and people who argue without this one. The *machine* asks agents, or a person, over the
//! same rules: [`prompt`] shows what was argued, [`reply`] reads what is said, [`evidence`] looks up what it cites.
//!
//! Agreement is measured, never believed: the lower of what the other side says of the resolution's points and of
//! what each side says of its own concerns. A concern that nobody met goes on into the next round and counts there.
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
//! A stop from outside is no arrow: [`crate::kernel::Protocol::stop`] reads the state and reports `terminated`
//! (budget, deadline) or `interrupted`, with everything that was argued.

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

/// Returns a number with its noun.
fn count(noun: &str, count: usize) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}
