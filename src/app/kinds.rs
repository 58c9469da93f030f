//! All kinds of session, one row each.
//!
//! The first record of a stored session names its kind; so in this module, and nowhere else, a kind is a value.

use std::time::Duration;

use futures_util::FutureExt as _;

use crate::app::discover::inquiry::Inquiry;
use crate::app::discuss::Discuss;
use crate::app::planning::PlanKind;
use crate::app::prioritize::Prioritize;
use crate::app::review::Review;
use crate::app::run::decide::decide;
use crate::app::run::ending::RunReport;
use crate::app::run::fork::first_turns;
use crate::app::run::kind::SessionKind;
use crate::app::run::resume::{ResumeRequest, resume};
use crate::app::run::session_state::spent;
use crate::app::run::stored::{Deferred, completed, opened, read, replayed, shown};
use crate::app::run::workspace::Workspace;
use crate::app::topic::{Arguments, Dialogue, Panel};
use crate::config::Config;
use crate::config::key::KeyPath;
use crate::engine::events::{Course, Reporter};
use crate::error::{Error, Kind};
use crate::report::session_result::SessionResult;
use crate::session::StoredSession;

static KINDS: &[&dyn StoredKind] =
    &[&Prioritize, &Inquiry, &Review, &PlanKind, &Dialogue, &Arguments, &Panel, &Discuss];

/// A kind of session as a value: the operations on a stored session of that kind.
pub(crate) trait StoredKind: Sync {
    /// Returns the name in journals and documents.
    fn name(&self) -> &'static str;

    /// Returns a session as its result.
    fn shown<'a>(
        &self,
        workspace: &'a Workspace,
        stored: &'a StoredSession,
    ) -> Deferred<'a, SessionResult>;

    /// Returns its stages, its most turns, and its most rounds.
    ///
    /// # Errors
    /// Its first record is damaged.
    fn course(&self, stored: &StoredSession) -> Result<(Course, u32), Error>;

    /// Returns the result of a session as it stands, and how a program ends with it.
    fn ended<'a>(
        &self,
        workspace: &'a Workspace,
        stored: &'a StoredSession,
    ) -> Deferred<'a, RunReport<SessionResult>>;

    /// Returns the turns that a resume would ask now.
    fn open_turns<'a>(&self, stored: &'a StoredSession) -> Deferred<'a, Vec<String>>;

    /// Resumes a session, or asks it again from a round on; returns the result of a closed one again.
    fn resume<'a>(
        &self,
        workspace: &'a Workspace,
        request: &'a ResumeRequest,
        stored: StoredSession,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Deferred<'a, RunReport<SessionResult>>;

    fn first_turns<'a>(&self, stored: &'a StoredSession, round: u32) -> Deferred<'a, Vec<String>>;

    /// Applies other rules to a session, without a call: the values that the configuration has for these keys.
    fn decide<'a>(
        &self,
        stored: &'a StoredSession,
        config: &'a Config,
        keys: &'a [KeyPath],
    ) -> Deferred<'a, RunReport<SessionResult>>;
}

impl<K: SessionKind> StoredKind for K {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn shown<'a>(
        &self,
        workspace: &'a Workspace,
        stored: &'a StoredSession,
    ) -> Deferred<'a, SessionResult> {
        shown::<K>(workspace, stored)
    }

    fn course(&self, stored: &StoredSession) -> Result<(Course, u32), Error> {
        let (rules, task) = read::<K>(opened(stored)?)?;
        let turns = rules.most_turns::<K>(&task);
        let stages = K::stages(&rules.protocol);
        let course = Course { stages, turns, since: Duration::ZERO };
        Ok((course, K::bounds(&task, &rules.protocol).0))
    }

    fn ended<'a>(
        &self,
        workspace: &'a Workspace,
        stored: &'a StoredSession,
    ) -> Deferred<'a, RunReport<SessionResult>> {
        async {
            let replay = replayed::<K>(stored).await?;
            let status = K::status(&replay.outcome, None, spent(&stored.ledger));
            let document = completed::<K>(workspace, stored, replay.document).into();
            Ok(RunReport { document, status })
        }
        .boxed_local()
    }

    fn open_turns<'a>(&self, stored: &'a StoredSession) -> Deferred<'a, Vec<String>> {
        async { Ok(replayed::<K>(stored).await?.open) }.boxed_local()
    }

    fn resume<'a>(
        &self,
        workspace: &'a Workspace,
        request: &'a ResumeRequest,
        stored: StoredSession,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Deferred<'a, RunReport<SessionResult>> {
        resume::<K>(workspace, request, stored, reporters).boxed_local()
    }

    fn first_turns<'a>(&self, stored: &'a StoredSession, round: u32) -> Deferred<'a, Vec<String>> {
        first_turns::<K>(stored, round).boxed_local()
    }

    fn decide<'a>(
        &self,
        stored: &'a StoredSession,
        config: &'a Config,
        keys: &'a [KeyPath],
    ) -> Deferred<'a, RunReport<SessionResult>> {
        decide::<K>(stored, config, keys).boxed_local()
    }
}

/// Returns the kind of a stored session.
///
/// # Errors
/// A crash left no first record, or this version does not know the kind.
pub(crate) fn kind_of(stored: &StoredSession) -> Result<&'static dyn StoredKind, Error> {
    among(KINDS, stored)
}

#[cfg(test)]
pub(crate) static TEST_KINDS: [&dyn StoredKind; 1] =
    [&crate::protocol::conformance::toy::kind_tests::ToyKind];

/// Returns the kind of a stored session, if it is one of `kinds`.
///
/// # Errors
/// As [`kind_of`].
pub(crate) fn among(
    kinds: &[&'static dyn StoredKind],
    stored: &StoredSession,
) -> Result<&'static dyn StoredKind, Error> {
    let name = opened(stored)?.protocol.as_str();
    kinds.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| {
        Error::new(
            Kind::State,
            format!("the session's protocol is `{name}`, which this version does not know"),
        )
        .named("unknown_protocol")
        .hint("use the version that made it")
    })
}

#[cfg(test)]
mod hostile_tests;
