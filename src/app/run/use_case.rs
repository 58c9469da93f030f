//! What all requests have in common for which agents are asked: how both callers, command line and server, run them.

use super::flags::{Caller, Flags};
use super::options::RunOptions;
use super::workspace::Workspace;
use crate::config::load::Flag;
use crate::config::trust::AgentUse;
use crate::engine::events::Reporter;
use crate::error::Error;
use crate::report::plan::Plan;

/// Who is told what happens.
pub type Reporters = Vec<Box<dyn Reporter>>;

/// A request for which agents are asked, as data: what is asked, how, and what of the configuration it sets.
pub trait UseCase {
    /// Whom it asks, for the check of trust.
    const USE: AgentUse = AgentUse::Agents;
    /// What comes of it.
    type Output;

    /// Returns the options that all requests have.
    fn options(&mut self) -> &mut RunOptions;

    /// Adds what it sets in the configuration besides.
    fn settings(&self, _: &mut Flags) {}

    /// Reads what its caller named and did not give, once, before it is run or planned.
    ///
    /// # Errors
    /// It cannot be read, or is none.
    fn read(&mut self, _: &Workspace) -> Result<(), Error> {
        Ok(())
    }

    /// Runs it.
    ///
    /// # Errors
    /// Input, configuration, trust, agents, state. What ends without a decision is no error but a result.
    fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> impl Future<Output = Result<Self::Output, Error>>;

    /// Returns what it sets in the configuration.
    fn flags(&mut self, caller: Caller) -> Vec<Flag> {
        let mut flags = Flags::of(caller, self.options());
        self.settings(&mut flags);
        flags.all
    }
}

/// A request that can be planned: which calls it would make, how large they are, what could be spent.
pub trait DryRun: UseCase {
    /// Plans it. Nobody is asked, nothing is written.
    ///
    /// # Errors
    /// As [`UseCase::run`], before anything is asked.
    fn dry_run(&self, workspace: &Workspace) -> impl Future<Output = Result<Plan, Error>>;
}
