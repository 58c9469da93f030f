//! The means of a review to test its findings: the command, and the sandbox that runs it.

use std::path::PathBuf;

use super::Request;
use crate::agent::roster::{Agent, find_tool};
use crate::app::change;
use crate::app::run::workspace::Workspace;
use crate::config::trust::AgentUse;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::git::Side;
use crate::process;
use crate::protocol::review::{Prove, Reviewed, SANDBOX};
use crate::sandbox::{self, Permitted, Place};

/// The program that makes the sandbox.
const BUBBLEWRAP: &str = "bwrap";

/// Returns how findings are tested, after the check that it may be and can be done. `base`: the commit that the change is
/// compared with.
///
/// # Errors
/// There is no command or no sandbox, the project may not bring them, or the scope is a patch.
pub(super) async fn settings(
    workspace: &Workspace,
    request: &Request,
    base: Option<String>,
    switch: &Switch,
) -> Result<Prove, Error> {
    if let change::Scope::Patch(_) = request.scope.scope {
        let what = "a patch has no files to run a test in";
        return Err(Error::new(Kind::Usage, what).hint("leave --prove out, or apply the patch"));
    }
    let rehearses = request.options.rehearse;
    if !rehearses {
        workspace.require_trusted_keys(AgentUse::Prove)?;
    }
    let config = &workspace.effective.config.review.prove;
    let has_test = |part: &String| part.contains("{test}") || part.contains("{file}");
    let is_usable = config.command.first().is_some_and(|program| !has_test(program))
        && config.command.iter().any(has_test);
    if !is_usable && !rehearses {
        let what = "no command that runs one test is configured in `review.prove.command`";
        return Err(Error::new(Kind::Config, what).named("no_test_command").hint(
            r#"set it, with `{file}` and `{test}` for the test: ["cargo", "test", "--test", ...], ["python3", "-m", "pytest", "{file}", "-k", "{test}"] (docs/review.md, "Proof")"#,
        ));
    }
    let (root, home) = (workspace.root(), workspace.machine().home);
    for entry in &config.read {
        sandbox::check_read(entry, root, &home).map_err(|why| {
            Error::new(Kind::Config, format!("`review.prove.read`: {why}, so no test may read it"))
                .named("read_refused")
                .hint("name the folders of toolchains and packages alone")
        })?;
    }
    if !rehearses {
        find_tool(BUBBLEWRAP, &workspace.machine()).map_err(|error| {
            Error::new(Kind::Environment, format!("there is no sandbox for tests: {error}"))
                .named("no_sandbox")
                .hint("install bubblewrap (`apt install bubblewrap`), which keeps a test from everything else")
        })?;
    }
    let change = match change::newer(workspace, &request.scope.scope, switch).await? {
        Side::WorkTree => Reviewed::WorkTree,
        Side::Index => Reviewed::Index,
        Side::Commit(commit) => Reviewed::Commit(commit.as_str().to_owned()),
    };
    Ok(Prove {
        command: config.command.clone(),
        read: config.read.clone(),
        timeout_seconds: config.timeout_seconds,
        memory_mb: config.memory_mb,
        base,
        change,
    })
}

/// Returns the sandbox as an agent. One that cannot be set up says so in its reply.
pub(super) fn sandbox(workspace: &Workspace, settings: &Prove) -> Agent {
    let (machine, config) = (workspace.machine(), &workspace.effective.config.review.prove);
    let tool = |name: &str| find_tool(name, &machine).unwrap_or_else(|_| PathBuf::from(name));
    let place = Place {
        root: workspace.root().to_owned(),
        home: machine.home.clone(),
        git: tool("git"),
        bubblewrap: tool(BUBBLEWRAP),
        permitted: Permitted {
            command: config.command.clone(),
            read: config.read.clone(),
            timeout_seconds: config.timeout_seconds,
            memory_mb: config.memory_mb,
        },
    };
    let guard = process::guard_program().unwrap_or_default();
    let timeout = sandbox::most_time(settings);
    let mut agent = Agent::tool(SANDBOX, &guard, sandbox::ARGUMENT, timeout);
    let place = serde_json::to_string(&place).unwrap_or_default();
    agent.env.insert(sandbox::PLACE.to_owned(), place);
    agent
}
