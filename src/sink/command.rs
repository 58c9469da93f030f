//! `command`: any program, with the result on its standard input.

use super::shell::{Call, Failure, Shell};
use super::{Export, Step, StepAction};
use crate::config::sinks::SinkConfig;

pub(super) fn steps(config: &SinkConfig, export: &Export) -> Vec<Step> {
    let command = config.command.join("\0");
    let parts = [&command, &export.session, &export.document];
    vec![Step::new(StepAction::Hand, "result", &parts.map(String::as_str))]
}

/// Passes on the result. After an interruption this is repeated: the program recognises that by the
/// key.
pub(super) async fn hand(
    config: &SinkConfig,
    shell: &Shell<'_>,
    export: &Export,
    key: &str,
) -> Result<(), Failure> {
    let mut words = config.command.iter();
    let program = words.next().map_or("", String::as_str);
    let call = Call {
        program,
        args: words.cloned().collect(),
        stdin: export.document.clone().into_bytes(),
    };
    let own = [("DEBATE_AGENT_SESSION", export.session.as_str()), ("DEBATE_AGENT_KEY", key)];
    shell.run_with(call, &own).await.map(drop)
}
