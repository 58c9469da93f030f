//! `sessions decide`: other rules applied to a stored session of any kind, without a call.

use super::ending::RunReport;
use super::kind::SessionKind;
use super::replay;
use super::session_state::spent;
use super::stored::{self, opened};
use crate::config::key::KeyPath;
use crate::config::schema::Config;
use crate::error::{Error, Kind};
use crate::kernel::{Step, Turn};
use crate::report::session_result::SessionResult;
use crate::session::StoredSession;

/// Applies other rules to a stored session, without a call and without changing it: the values that the configuration has for
/// these keys.
pub(crate) async fn decide<K: SessionKind>(
    stored: &StoredSession,
    config: &Config,
    keys: &[KeyPath],
) -> Result<RunReport<SessionResult>, Error> {
    let opened = opened(stored)?;
    let (mut rules, task) = stored::read::<K>(opened)?;
    for key in keys {
        K::set(&mut rules, &key.to_string(), config)?;
    }
    let mut machine = stored::machine::<K>(&rules, &task, opened)?;
    replay::replay(stored, &rules.calls, &mut machine).await?;
    match machine.next() {
        Step::Done(mut outcome) => {
            let document = stored::document::<K>(&stored.ledger, &rules, &task, &mut outcome);
            let status = K::status(&outcome, None, spent(&stored.ledger));
            Ok(RunReport { document: document.into(), status })
        }
        Step::Ask { turns, .. } => Err(needs_more_turns(&turns)),
    }
}

fn needs_more_turns(turns: &[Turn]) -> Error {
    let turn = turns.first().map_or("a turn", |turn| turn.id.as_str());
    Error::new(
        Kind::Undecided,
        format!("with these rules the debate continues to {turn}, which was never asked"),
    )
    .named("needs_more_turns")
    .hint("choose rules that the stored rounds can satisfy, or run a new debate with them")
}
