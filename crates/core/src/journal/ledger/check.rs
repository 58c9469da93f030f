//! The order of records in a journal: checked before one is written, and again when it is read.

use super::{Ledger, Run, State, key};
use crate::journal::record::{Body, CallIntent};
use crate::kernel::count;

impl Ledger {
    /// Returns an error if a record may not come next.
    pub fn check(&self, body: &Body) -> Result<(), String> {
        match (&self.opened, body) {
            (None, Body::Opened(opened)) if opened.session == self.session => return Ok(()),
            (None, Body::Opened(opened)) => {
                return Err(format!(
                    "it opens session `{}` in the directory of `{}`",
                    opened.session, self.session
                ));
            }
            (None, _) => return Err(format!("{} before session.opened", body.kind())),
            (Some(_), Body::Opened(_)) => return Err("a second session.opened".to_owned()),
            (Some(_), _) => {}
        }
        match (&self.state, body) {
            (State::Closed { .. }, _) => {
                return Err(format!("{} after session.closed", body.kind()));
            }
            (State::Suspended { .. }, Body::Resumed(_)) => return Ok(()),
            (State::Suspended { .. }, _) => {
                return Err(format!(
                    "{} after session.suspended, without session.resumed",
                    body.kind()
                ));
            }
            (State::Running, _) => {}
        }
        match body {
            Body::Intent(intent) => self.check_intent(intent),
            Body::Result(result) => {
                let fits = self.run(&result.key, result.run).is_some_and(|run| {
                    if result.adopted {
                        matches!(run, Run::Left(_))
                    } else {
                        matches!(run, Run::Open(_))
                    }
                });
                if !fits {
                    return Err(format!("{} run {} is not in flight", result.key, result.run));
                }
                let parent = self.opened.as_ref().is_some_and(|it| it.parent.is_some());
                if result.kept.is_some() && !parent {
                    return Err("it was kept from a parent, but there is no parent".to_owned());
                }
                if result.answer.as_deref().is_some_and(|sha| !key::is_sha(sha)) {
                    return Err("its answer is not a SHA-256".to_owned());
                }
                Ok(())
            }
            Body::Ambiguous(call)
                if !matches!(self.run(&call.key, call.run), Some(Run::Left(_))) =>
            {
                Err(format!("{} run {} was not interrupted", call.key, call.run))
            }
            _ => Ok(()),
        }
    }

    /// Checks that no key is asked twice, unless its last run was charged as ambiguous.
    fn check_intent(&self, call: &CallIntent) -> Result<(), String> {
        if call.key != self.key(&call.intent) {
            return Err(format!("{} is not the key of its call", call.key));
        }
        let runs = self.calls.get(&call.key).map_or(&[][..], |known| &known.all);
        if runs.iter().any(|run| *run != Run::Ambiguous) {
            return Err(format!("{} was asked before", call.key));
        }
        if count(runs.len() + 1) != call.run {
            return Err(format!("run {} of {} is out of order", call.run, call.key));
        }
        Ok(())
    }
}
