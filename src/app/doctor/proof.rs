//! What `review --prove` needs: a command that runs one test, and a sandbox.

use super::check::{Check, CheckSubject};
use super::judge::{failed, ok, warning};
use crate::app::review;
use crate::app::run::workspace::Workspace;
use crate::config::trust::AgentUse;
use crate::engine::switch::Switch;
use crate::sandbox;
use crate::text::sanitize;

/// Exit codes by which a shell or a loader says that a program does not start.
const NOT_STARTED: [i32; 2] = [126, 127];

/// Looks at what `review --prove` needs; nothing for a project without a test command that is configured or known.
/// `live`: also runs the command once, for a test that does not exist.
pub(super) async fn checks(workspace: &Workspace, live: bool, switch: &Switch) -> Vec<Check> {
    let (settings, place) = (&workspace.effective.config.review.prove, review::place(workspace));
    if !review::is_usable(settings) {
        let suggestion = review::suggested(workspace.root());
        let mend = suggestion.map(|it| format!("set `\"review\": {{\"prove\": {it}}}`"));
        let what = "no `review.prove.command`: `review --prove` runs no tests";
        return mend.iter().map(|mend| warning(CheckSubject::Tests, what, Some(mend))).collect();
    }
    let sandbox = match sandbox::choose(&place, &switch.listen()).await {
        Ok(sandbox) => ok(CheckSubject::Sandbox, sandbox.name()),
        Err(why) => {
            let why = failed(CheckSubject::Sandbox, why.to_string(), "install bubblewrap");
            return vec![why];
        }
    };
    let command = sanitize::line(&settings.command.join(" "), 200);
    if !live || workspace.require_trusted_keys(AgentUse::Prove).is_err() {
        return vec![sandbox, ok(CheckSubject::Tests, command)];
    }
    let tests = match sandbox::try_command(&place, &switch.listen()).await {
        Ok(run) if run.code.is_some_and(|code| !NOT_STARTED.contains(&code)) => {
            let said = run.output.trim().lines().next_back().unwrap_or_default();
            ok(
                CheckSubject::Tests,
                format!("{command}: starts, and says: {}", sanitize::line(said, 200)),
            )
        }
        run => {
            let why = match run {
                Ok(run) => run.ended.unwrap_or(run.output),
                Err(why) => why.to_string(),
            };
            let why = format!("{command}: {}", sanitize::line(&why, 300));
            let mend = "name the folders of its toolchain and packages in `review.prove.read`";
            failed(CheckSubject::Tests, why, mend)
        }
    };
    vec![sandbox, tests]
}
