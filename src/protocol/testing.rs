//! A boundary, a seat, a reply and a failure for the tests of every protocol.

use crate::kernel::{Failure, FailureClass, RawReply, Seated};

pub(crate) const BOUNDARY: &str = "b0unda7y00b0unda7y00b0unda7y00aa";

pub(crate) fn seated(agent: &str, vendor: &str) -> Seated {
    Seated { agent: agent.to_owned(), vendor: vendor.to_owned(), fell_back_from: None }
}

pub(crate) fn raw(text: &str) -> RawReply {
    RawReply { bytes: text.as_bytes().to_vec(), cut: false }
}

pub(crate) fn failure() -> Failure {
    Failure { class: FailureClass::TimedOut, message: "no answer".to_owned() }
}
