//! The interface of all requests that ask agents, by which both callers, command line and server, run them.

use super::flags::{Caller, Flags};
use super::options::RunOptions;
use super::workspace::Workspace;
use crate::app::human::{OpenTerminal, Person};
use crate::config::load::Flag;
use crate::config::trust::AgentUse;
use crate::engine::events::Reporter;
use crate::error::Error;
use crate::report::plan::Plan;

/// The receivers of a run's events.
pub type Reporters = Vec<Box<dyn Reporter>>;

/// A request that asks agents, as data: the question, the options, and its settings in the configuration.
pub trait UseCase {
    /// The use of agents for which trust is checked.
    const USE: AgentUse = AgentUse::Agents;
    /// The result.
    type Output;

    /// Returns the options common to all requests.
    fn options(&mut self) -> &mut RunOptions;

    /// Adds the request's own settings in the configuration.
    fn settings(&self, _: &mut Flags) {}

    /// Refuses what is wrong in itself, before anything is read.
    ///
    /// # Errors
    /// The first such value, by the caller's own name for it.
    fn check(&self, _: Caller) -> Result<(), Error> {
        Ok(())
    }

    /// Reads inputs that the caller only named, once, before the request is run or planned.
    ///
    /// # Errors
    /// An input cannot be read, or is invalid.
    fn read(&mut self, _: &Workspace) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the person who takes a side or states facts; `None` if nobody does.
    ///
    /// # Errors
    /// There is no terminal to ask at, or what the person has said already is not what was recorded.
    fn person(&self, _: &Workspace, _: OpenTerminal) -> Result<Option<Person>, Error> {
        Ok(None)
    }

    /// Runs the request.
    ///
    /// # Errors
    /// Input, configuration, trust, agents, state. An end without a decision is not an error but a result.
    fn run(
        &self,
        workspace: &Workspace,
        reporters: Reporters,
    ) -> impl Future<Output = Result<Self::Output, Error>>;

    /// Returns all its settings in the configuration.
    fn flags(&mut self, caller: Caller) -> Vec<Flag> {
        let mut flags = Flags::of(caller, self.options());
        self.settings(&mut flags);
        flags.all
    }
}

/// A request that can be planned: its calls, their sizes and the possible cost.
pub trait DryRun: UseCase {
    /// Plans the request. No agent is asked, nothing is written.
    ///
    /// # Errors
    /// As [`UseCase::run`], before anything is asked.
    fn dry_run(&self, workspace: &Workspace) -> impl Future<Output = Result<Plan, Error>>;
}
