//! Protocols: each a pure state machine that implements [`crate::kernel::Protocol`].
//!
//! Protocols are siblings: none imports another. Their shared parts are in [`crate::kernel`].

pub mod argument;
pub mod backlog;
pub mod council;
pub mod debate;
pub mod discuss;
pub mod inquiry;
pub mod outline;
pub mod panel;
pub mod plan;
pub mod review;
pub mod style;
pub mod topic;

#[cfg(test)]
pub(crate) mod conformance;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
pub(crate) mod tests;
