//! A person's reply, from the terminal or a file.

use crate::agent::output::Reading;
use crate::agent::person::Said;
use crate::kernel::FailureClass;

pub(super) fn read(stdout: &[u8]) -> Reading {
    match Said::read(stdout) {
        Some(Said::Reply(text)) => {
            Reading { answer: Some(text.into_bytes()), finished: true, ..Reading::default() }
        }
        Some(Said::Nothing(why)) => failed(FailureClass::EmptyReply, why),
        Some(Said::Refused(why)) => failed(FailureClass::Unreadable, why),
        None => Reading::default(),
    }
}

fn failed(class: FailureClass, why: String) -> Reading {
    Reading { error: Some((class, why)), finished: true, ..Reading::default() }
}
