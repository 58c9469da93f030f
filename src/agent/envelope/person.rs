//! A person's reply, from the terminal or a file.

use crate::agent::output::EnvelopeContent;
use crate::agent::person::PersonReply;
use crate::kernel::FailureClass;

pub(super) fn read(stdout: &[u8]) -> EnvelopeContent {
    match PersonReply::read(stdout) {
        Some(PersonReply::Reply(text)) => EnvelopeContent {
            answer: Some(text.into_bytes()),
            finished: true,
            ended: true,
            ..EnvelopeContent::default()
        },
        Some(PersonReply::Nothing(why)) => failed(FailureClass::EmptyReply, why),
        Some(PersonReply::Refused(why)) => failed(FailureClass::Unreadable, why),
        None => EnvelopeContent::default(),
    }
}

fn failed(class: FailureClass, why: String) -> EnvelopeContent {
    EnvelopeContent { error: Some((class, why)), finished: true, ..EnvelopeContent::default() }
}
