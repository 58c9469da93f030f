//! Protocols: each a pure state machine that implements [`crate::kernel::Protocol`].
//!
//! Protocols are siblings: none imports another. Their shared parts are in [`crate::kernel`].

pub mod argument;
#[doc(hidden)]
pub mod backlog;
#[doc(hidden)]
pub mod council;
#[doc(hidden)]
pub mod debate;
#[doc(hidden)]
pub mod discuss;
#[doc(hidden)]
pub mod inquiry;
#[doc(hidden)]
pub mod outline;
#[doc(hidden)]
pub mod panel;
#[doc(hidden)]
pub mod plan;
#[doc(hidden)]
pub mod review;
#[doc(hidden)]
pub mod style;
#[doc(hidden)]
pub mod topic;

#[cfg(test)]
pub(crate) mod conformance;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
pub(crate) mod tests;
