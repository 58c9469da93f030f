//! A person's reply, from the terminal or a file.

use crate::agent::output::Envelope;
use crate::agent::person::PersonReply;
use crate::kernel::FailureClass;

pub(super) fn read(stdout: &[u8]) -> Envelope {
    match PersonReply::read(stdout) {
        Some(PersonReply::Reply(text)) => Envelope {
            answer: Some(text.into_bytes()),
            finished: true,
            ended: true,
            ..Envelope::default()
        },
        Some(PersonReply::Nothing(why)) => failed(FailureClass::EmptyReply, why),
        Some(PersonReply::Refused(why)) => failed(FailureClass::Unreadable, why),
        None => Envelope::default(),
    }
}

fn failed(class: FailureClass, why: String) -> Envelope {
    Envelope { error: Some((class, why)), finished: true, ..Envelope::default() }
}
