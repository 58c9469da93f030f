//! One server: where it was started, the user's settings for it, and its runs.

use std::sync::OnceLock;

use super::places::Places;
use super::runs::Runs;
use crate::app::workspace::{Surroundings, Workspace};
use crate::config::mcp::McpConfig;
use crate::error::Error;
use crate::kernel::Usd;

/// One server process.
#[derive(Debug)]
pub(crate) struct Server {
    /// Where it was started.
    around: Surroundings,
    runs: Runs,
    /// Built-in stand-ins answer, nobody is asked (`mcp serve --rehearse`).
    rehearse: bool,
    /// The user's own settings for servers, from the first time on that they could be read.
    settings: OnceLock<McpConfig>,
}

impl Server {
    /// Reads the user's settings. Where that fails the server is there all the same, and each call tries again: a client
    /// shows what a tool answers, and nothing of a server that does not start.
    pub(crate) fn new(around: Surroundings, rehearse: bool) -> Self {
        let server =
            Self { around, runs: Runs::new(Usd::ZERO), rehearse, settings: OnceLock::new() };
        server.settings().ok();
        server
    }

    /// Returns the user's settings for servers. Once they were read they stand: no client can wait for others.
    ///
    /// # Errors
    /// The configuration cannot be read or is wrong; the error says where.
    pub(crate) fn settings(&self) -> Result<&McpConfig, Error> {
        if let Some(settings) = self.settings.get() {
            return Ok(settings);
        }
        let workspace = Workspace::open(self.around.clone(), Vec::new())?;
        let settings = (self.settings).get_or_init(|| workspace.effective.config.mcp.clone());
        self.runs.may_spend(settings.budget_usd);
        Ok(settings)
    }

    /// Whether built-in stand-ins answer.
    pub(crate) fn rehearse(&self) -> bool {
        self.rehearse
    }

    /// Where it was started.
    pub(crate) fn around(&self) -> &Surroundings {
        &self.around
    }

    /// Returns what finds where sessions are that this server knows: the places that need no path, and those where it held
    /// runs. It looks at folders, so it is not for the thread that answers.
    pub(crate) fn places(&self) -> impl FnOnce() -> Vec<Surroundings> + Send + use<> {
        let around = self.around.clone();
        let settings = self.settings();
        let roots = settings.map_or_else(|_| Vec::new(), |settings| settings.roots.clone());
        let held = self.runs.places();
        move || {
            let mut places = Places::new(&around, &roots).known();
            for place in held {
                if places.iter().all(|known| known.dir != place.dir) {
                    places.push(place);
                }
            }
            places
        }
    }

    /// The runs, for whoever ends the server.
    pub(crate) fn runs(&self) -> &Runs {
        &self.runs
    }
}

#[cfg(test)]
mod tests;
