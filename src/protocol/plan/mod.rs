//! Planning: independent plans, blind cross-examination, a merge by rule, validation.
//!
//! # Theory of operation
//!
//! Every seat plans alone. Steps of several plans that say the same become one [`Group`] ([`group`]); each seat then
//! judges the groups it did not write, with authors hidden, neutral ids and an order of its own. Further rounds cover
//! the unsettled groups while the confidence is low and something moves; steps that a critic reports as missing are
//! added with the critic as their author, and groups that a critic calls the same are joined ([`group`]). [`score`]
//! ranks the plans in integers; [`merge`] takes the winner's plan as the base, adds the confirmed steps of the others
//! and puts in the changes that nobody opposes, by rule: no agent writes the final plan. Where that leaves anything in
//! question, the seats then vote on each step that is not in their own words ([`validate`]). [`order`] handles
//! dependencies and cycles, [`repository`] the files that exist.
//!
//! A lack of judgements is never agreement: no votes give confidence 0 and consensus 0, a failed seat has no score,
//! and with fewer than two seats that answered every time the plan is `undecided`.
//!
//! # States
//!
//! | state | input | next state |
//! |---|---|---|
//! | plans | fewer than two plans | closed: `undecided` |
//! | plans | two or more plans, a step that another seat can judge | cross-examination 1 |
//! | plans | two or more plans, nothing for any seat to judge | validation, or closed if no vote can change anything |
//! | cross-examination n | fewer than two seats left that answered every time | closed: `undecided` |
//! | cross-examination n | low confidence and something moved, or new steps; rounds left | cross-examination n + 1 |
//! | cross-examination n | otherwise | validation, or closed if no vote can change anything |
//! | validation | fewer than two seats left that answered every time | closed: `undecided` |
//! | validation | most of the steps rejected | closed: `rejected` |
//! | validation | otherwise | closed: `accepted` |
//!
//! A vote can change something if a step of the draft was added, changed, joined or rewired, or is not confirmed, and a
//! seat may vote on it. After it, a change is in the plan only if it was approved: silence takes none.
//!
//! A stop from outside is not a transition: [`crate::kernel::Protocol::stop`] reads the state and reports `budget` or
//! `interrupted` with the plan so far, merged by the same rule.

pub(crate) mod contract;
pub(crate) mod group;
pub(crate) mod input;
pub(crate) mod machine;
pub(crate) mod merge;
pub(crate) mod model;
pub(crate) mod order;
mod outcome;
pub(crate) mod prompt;
pub(crate) mod reply;
pub(crate) mod repository;
pub(crate) mod score;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod validate;

pub(crate) use input::{Input, Settings};
pub(crate) use machine::Machine;
pub(crate) use model::*;
pub(crate) use repository::Repository;
