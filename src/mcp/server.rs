//! A server: its start directory, the user's settings for it, and its runs.

use std::sync::OnceLock;

use super::places::AllowedPlaces;
use super::runs::Runs;
use crate::app::workspace::{StartContext, Workspace};
use crate::config::mcp::McpConfig;
use crate::error::Error;
use crate::kernel::Usd;

#[derive(Debug)]
pub(crate) struct Server {
    around: StartContext,
    runs: Runs,
    /// Built-in stand-ins answer instead of agents (`mcp serve --rehearse`).
    rehearse: bool,
    /// The user's own settings for servers, from the first successful read on.
    settings: OnceLock<McpConfig>,
}

impl Server {
    /// Reads the user's settings. A failure does not prevent the start, and each call tries again: a client shows the
    /// answer of a tool, but nothing of a server that does not start.
    pub(crate) fn new(around: StartContext, rehearse: bool) -> Self {
        let server =
            Self { around, runs: Runs::new(Usd::ZERO), rehearse, settings: OnceLock::new() };
        server.settings().ok();
        server
    }

    /// Returns the user's settings for servers. Once read they do not change: no client can wait for others.
    ///
    /// # Errors
    /// The configuration cannot be read or is wrong; the error names the place.
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

    pub(crate) fn around(&self) -> &StartContext {
        &self.around
    }

    /// Returns a function that lists the places of all sessions that this server knows: those that need no path, and
    /// those of its runs. It looks at folders, so it must not run on the thread that answers.
    pub(crate) fn places(&self) -> impl FnOnce() -> Vec<StartContext> + Send + use<> {
        let around = self.around.clone();
        let settings = self.settings();
        let roots = settings.map_or_else(|_| Vec::new(), |settings| settings.roots.clone());
        let held = self.runs.places();
        move || {
            let mut places = AllowedPlaces::new(&around, &roots).known();
            for place in held {
                if places.iter().all(|known| known.dir != place.dir) {
                    places.push(place);
                }
            }
            places
        }
    }

    /// The runs, for the code that ends the server.
    pub(crate) fn runs(&self) -> &Runs {
        &self.runs
    }
}

#[cfg(test)]
mod tests {
    //! Tests of a server and the configuration it is started with.

    use serde_json::Map;
    use tokio::sync::watch;

    use super::*;
    use crate::config::tests::World;
    use crate::mcp::answer::{Answer, Progress};
    use crate::mcp::calls;

    fn around(world: &World) -> StartContext {
        StartContext::of(world.path("repo"), world.vars.clone(), crate::env::Env::system())
    }

    fn call(server: &Server, tool: &str) -> Option<Answer> {
        let (progress, _) = watch::channel(Progress::default());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(calls::call(server, tool, Map::new(), &progress))
    }

    #[test]
    fn a_broken_configuration_refuses_every_call_until_it_is_mended() {
        let world = World::new();
        world.user(r#"{"mcp": {"budget": 1}}"#);
        let server = Server::new(around(&world), true);
        let Some(Answer::Refused(said)) = call(&server, "list_agents") else {
            panic!("it was not refused")
        };
        assert!(said.contains("unknown key `mcp.budget`"), "{said}");
        assert!(call(&server, "no_such_tool").is_none());

        world.user(r#"{"mcp": {"budget_usd": 0.5, "roots": ["/srv"]}}"#);
        assert!(matches!(call(&server, "list_agents"), Some(Answer::Result(_))));
        let account = server.runs().account();
        assert_eq!(account.most, Usd::from_micros(500_000));
    }

    #[test]
    fn what_was_read_once_stands_until_the_server_is_started_again() {
        let world = World::new();
        world.user(r#"{"mcp": {"budget_usd": 0.5}}"#);
        let server = Server::new(around(&world), true);
        world.user(r#"{"mcp": {"budget_usd": 500, "allow_run_agent": true}}"#);
        assert!(call(&server, "list_agents").is_some());
        assert!(!server.settings().unwrap().allow_run_agent);
        assert_eq!(server.runs().account().most, Usd::from_micros(500_000));
    }

    #[test]
    fn a_hostile_project_gives_itself_nothing() {
        let world = World::new();
        world.project(
            r#"{"mcp": {"roots": ["/"], "budget_usd": 1000000, "allow_run_agent": true}}"#,
        );
        let server = Server::new(around(&world), true);
        assert_eq!(*server.settings().unwrap(), McpConfig::default());
        assert_eq!(server.runs().account().most, Usd::from_micros(10_000_000));
    }
}
