//! The means of a review to test its findings: the command, and the sandbox that runs it.

use std::path::{Path, PathBuf};

use super::Request;
use crate::agent::roster::{Agent, find_tool};
use crate::app::change;
use crate::app::run::workspace::Workspace;
use crate::config::trust::AgentUse;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind};
use crate::files::Folder;
use crate::git::Side;
use crate::process;
use crate::protocol::review::{Prove, Reviewed, SANDBOX, TestSettings};
use crate::sandbox::{self, Place};

/// The program that makes the sandbox.
const BUBBLEWRAP: &str = "bwrap";

/// What a project's files say of its tests: a file, a text in it, and the settings.
const KNOWN: &str = include_str!("commands.txt");

fn known() -> impl Iterator<Item = [&'static str; 3]> {
    let lines = KNOWN.lines().map(|line| line.splitn(3, '|').map(str::trim).collect::<Vec<_>>());
    lines.filter_map(|parts| parts.try_into().ok())
}

/// Maximum bytes of such a file.
const MOST: u64 = 1 << 20;

/// Returns the settings of `review.prove` that a project's files suggest, as JSON.
pub(crate) fn suggested(root: &Path) -> Option<&'static str> {
    let folder = Folder::open(root).ok()?;
    let says = |file: &str, text: &str| {
        let content = folder.head(Path::new(file), MOST).ok();
        content.is_some_and(|content| String::from_utf8_lossy(&content).contains(text))
    };
    known().find(|[file, text, _]| says(file, text)).map(|[_, _, settings]| settings)
}

/// Whether the command can run one test: its program is fixed, and something of it is the test.
pub(crate) fn is_usable(settings: &TestSettings) -> bool {
    let has_test = |part: &String| part.contains("{test}") || part.contains("{file}");
    settings.command.first().is_some_and(|program| !has_test(program))
        && settings.command.iter().any(has_test)
}

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
    if !is_usable(config) && !rehearses {
        let what = "no command that runs one test is configured in `review.prove.command`";
        let hint = match suggested(workspace.root()) {
            Some(settings) => {
                format!("for this project maybe `\"review\": {{\"prove\": {settings}}}`")
            }
            None => "set it as a list, with `{file}` and `{test}` for the test".to_owned(),
        };
        let hint = format!("{hint} (docs/review.md, \"Proof\")");
        return Err(Error::new(Kind::Config, what).named("no_test_command").hint(hint));
    }
    let (project, home) = (workspace.place(), workspace.machine().home);
    for entry in &config.read {
        sandbox::check_read(entry, project, &home).map_err(|why| {
            Error::new(Kind::Config, format!("`review.prove.read`: {why}, so no test may read it"))
                .named("read_refused")
                .hint("name the folders of toolchains and packages alone")
        })?;
    }
    if !rehearses {
        sandbox::choose(&place(workspace), &switch.listen()).await.map_err(|why| {
            Error::new(Kind::Environment, format!("there is no sandbox for tests: {why}"))
                .named("no_sandbox")
                .hint("install bubblewrap (`apt install bubblewrap`), which keeps a test from everything else")
        })?;
    }
    let change = match change::newer(workspace, &request.scope.scope, switch).await? {
        Side::WorkTree => Reviewed::WorkTree,
        Side::Index => Reviewed::Index,
        Side::Commit(commit) => Reviewed::Commit(commit.as_str().to_owned()),
    };
    Ok(Prove { test: config.clone(), base, change })
}

/// Returns what a sandbox for this project's tests needs.
pub(crate) fn place(workspace: &Workspace) -> Place {
    let machine = workspace.machine();
    let tool = |name: &str| find_tool(name, &machine).unwrap_or_else(|_| PathBuf::from(name));
    Place {
        root: workspace.root().to_owned(),
        project: workspace.place().to_owned(),
        home: machine.home.clone(),
        git: tool("git"),
        bubblewrap: tool(BUBBLEWRAP),
        permitted: workspace.effective.config.review.prove.clone(),
    }
}

/// Returns the sandbox as an agent. One that cannot be set up says so in its reply.
pub(super) fn sandbox(workspace: &Workspace, settings: &Prove) -> Agent {
    let guard = process::guard_program().unwrap_or_default();
    let timeout = sandbox::side_time(&settings.test).saturating_mul(2);
    let mut agent = Agent::tool(SANDBOX, &guard, sandbox::ARGUMENT, timeout);
    let place = serde_json::to_string(&place(workspace)).unwrap_or_default();
    agent.env.insert(sandbox::PLACE.to_owned(), place);
    agent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_project_is_told_to_set_is_a_configuration() {
        for [file, text, settings] in known() {
            let value = serde_json::json!({ "review": { "prove": serde_json::from_str::<serde_json::Value>(settings).unwrap() } });
            crate::config::tests::World::new().user(&value.to_string()).load().unwrap();
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(dir.path().join(file), text).unwrap();
            assert_eq!(suggested(dir.path()), Some(settings), "{file} {text}");
        }
        assert_eq!(suggested(tempfile::tempdir().unwrap().path()), None);
    }
}
