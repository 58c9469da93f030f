//! Protocols: each a pure state machine that implements [`crate::kernel::Protocol`].
//!
//! Protocols are siblings: none imports another. Their shared parts are in [`crate::kernel`].

pub mod argument;
pub(crate) mod backlog;
#[doc(hidden)]
pub mod clarify;
#[doc(hidden)]
pub mod context;
pub(crate) mod council;
#[doc(hidden)]
pub mod debate;
#[doc(hidden)]
pub mod discuss;
#[doc(hidden)]
pub mod facts;
pub(crate) mod inquiry;
#[doc(hidden)]
pub mod opening;
#[doc(hidden)]
pub mod outline;
pub(crate) mod panel;
pub(crate) mod plan;
#[doc(hidden)]
pub mod prompt;
#[doc(hidden)]
pub mod review;
#[doc(hidden)]
pub mod seats;
pub(crate) mod topic;

#[cfg(test)]
pub(crate) mod conformance;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
pub(crate) mod tests;
