//! Checks whether the sinks' programs are installed and logged in. The checks cost nothing, and the programs' output
//! is not shown.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;

use super::with_shell;
use crate::app::run::workspace::Workspace;
use crate::engine::switch::Switch;
use crate::sink::{Call, Target};

/// Maximum time of a login check.
const AT_MOST: Duration = Duration::from_secs(20);

/// What was found of one sink.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SinkReport {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Nothing that was looked at keeps it from being served.
    pub usable: bool,
    /// What is wrong, and how to fix it.
    pub problems: Vec<String>,
}

/// Checks the configured sinks. No debate needs one, so a problem is not a failure.
pub async fn examine(workspace: &Workspace, switch: &Switch) -> Vec<SinkReport> {
    let mut reports = Vec::new();
    for (name, config) in &workspace.effective.config.sinks {
        let Some(target) = Target::of(config) else {
            continue;
        };
        let problems = problems(workspace, &target, switch).await;
        reports.push(SinkReport {
            name: name.clone(),
            kind: target.kind.name().to_owned(),
            usable: problems.is_empty(),
            problems,
        });
    }
    reports
}

async fn problems(workspace: &Workspace, target: &Target<'_>, switch: &Switch) -> Vec<String> {
    let redactor = workspace.redactor();
    let looked = with_shell(workspace, target, &redactor, switch, async |shell| {
        let mut problems = Vec::new();
        for (program, login) in target.programs() {
            let shell = shell.until(Instant::now() + AT_MOST);
            if let Err(why) = shell.find(program) {
                problems.push(why);
                continue;
            }
            let Some(login) = login else { continue };
            let call = Call {
                program,
                args: login.iter().map(|arg| (*arg).to_owned()).collect(),
                stdin: Vec::new(),
            };
            let said = shell.run(call).await;
            let is_in = said.is_ok_and(|said| program != "gcloud" || !said.trim_ascii().is_empty());
            if !is_in {
                problems.push(format!("{program} is not logged in: `{program} auth login`"));
            }
        }
        problems
    });
    looked.await.unwrap_or_else(|why| vec![why])
}
