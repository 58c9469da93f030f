//! The code quality agent, off the async runtime, and `lizard` for it.

use std::sync::Arc;
use std::time::Duration;

use super::context::Context;
use crate::agent::roster::{ToolError, find_tool};
use crate::app::run::guard::guard;
use crate::app::run::tool;
use crate::discovery::finding::{AgentName, AgentRun};
use crate::discovery::quality::{self, Complexity, MAX_FILE_BYTES, MAX_TOTAL_BYTES, Request};
use crate::discovery::tree::TreeFile;
use crate::env;
use crate::git::COMMITS;
use crate::ordered::{BTreeMap, Gather};
use crate::process::{Depth, Limits, Spec};

const LIZARD_TIMEOUT: Duration = Duration::from_mins(1);
/// Maximum number of files that lizard is given, the recently changed and the largest: they are its arguments.
const LIZARD_FILES: usize = 1_000;

/// Examines the working tree's code, its coverage reports, and what lizard says of it.
pub(crate) async fn run(context: &Context<'_>) -> AgentRun {
    let config = &context.workspace.effective.config;
    let request = Request {
        tree: Arc::clone(&context.tree),
        settings: config.discovery.clone(),
        changed: context.changed.clone(),
        commits: COMMITS,
        complexity: complexity(context).await,
        head: context.head,
        budget: MAX_TOTAL_BYTES,
    };
    tokio::task::spawn_blocking(move || quality::look(&request)).await.unwrap_or_else(|error| {
        AgentRun::new(AgentName::CodeQuality)
            .failed(format!("the reading of the sources ended early: {error}"))
    })
}

/// Has lizard measure the project's own files. It reads them and runs nothing of theirs.
async fn complexity(context: &Context<'_>) -> Complexity {
    let program = match find_tool("lizard", &context.workspace.machine()) {
        Ok(program) => program,
        Err(ToolError::Missing(_)) => return Complexity::Unknown,
        Err(error @ ToolError::Unsafe(_)) => return Complexity::Failed(error.to_string()),
    };
    let guard = match guard() {
        Ok(guard) => guard,
        Err(error) => return Complexity::Failed(error.to_string()),
    };
    let mut files: Vec<&TreeFile> = (context.tree.files.iter())
        .filter(|file| quality::is_code(&file.name) && !quality::is_test(&file.name))
        .filter(|file| file.bytes <= MAX_FILE_BYTES && file.path.to_str().is_some())
        .collect();
    files.sort_by_key(|file| {
        (!context.changed.contains_key(&file.name), std::cmp::Reverse(file.bytes))
    });
    files.truncate(LIZARD_FILES);
    if files.is_empty() {
        return Complexity::Printed(String::new());
    }
    // A name that begins with a dash is no flag.
    let names = files.iter().map(|file| format!("./{}", file.path.display()));
    let vars = &context.workspace.around.vars;
    let kept = ["PATH", "LANG", "LC_ALL", "TMPDIR"];
    let env: BTreeMap<String, String> = (kept.into_iter())
        .filter_map(|name| Some((name.to_owned(), vars.get(name)?.clone())))
        .gather();
    let limits = &config_limits(context);
    let spec = Spec {
        guard,
        program,
        args: std::iter::once("--csv".to_owned()).chain(names).collect(),
        depth: Depth::Counts,
        env,
        cwd: context.root.clone(),
        scratch: None,
        stdin: Vec::new(),
        tag: format!("{}-lizard", env::unique()),
        limits: *limits,
    };
    let redactor = context.workspace.redactor();
    match tool::run("lizard", &spec, context.switch.listen(), &redactor).await {
        Ok(printed) => Complexity::Printed(String::from_utf8_lossy(&printed).into_owned()),
        Err(why) => Complexity::Failed(why),
    }
}

fn config_limits(context: &Context<'_>) -> Limits {
    let config = &context.workspace.effective.config.limits;
    Limits {
        timeout: LIZARD_TIMEOUT,
        grace: Duration::from_secs(config.grace_seconds),
        ..Limits::default()
    }
}
