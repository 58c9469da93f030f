//! Qwen Code, measured as 0.24.4. Its output is like Claude Code's; its system prompt goes at the head of the prompt.

use super::{Call, Dangerous, Invocation, Probes, Profile, Reader, Vendor, claude};
use crate::agent::dangerous::values::{approval, yolo};
use crate::agent::output::Envelope;
use crate::config::agents::ProfileName;

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Qwen,
    vendor: Vendor::Known("alibaba"),
    // Its own variables, and those of the protocol that it uses.
    variables: &["QWEN_*", "DASHSCOPE_*", "OPENAI_*"],
    prompt_flags: &["-p", "--prompt"],
    dangerous: Dangerous {
        flags: &[("approvalmode", |modes| modes.first().is_some_and(|mode| approval(mode)))],
        short: yolo,
        ..Dangerous::UNKNOWN
    },
    invocation,
    // It prints all at its end: before that, an empty output proves nothing.
    reader: Reader::Own(|stdout, stderr, code| {
        let reading = claude::read(stdout, stderr, code);
        Envelope { idle: reading.idle && reading.error.is_some(), ..reading }
    }),
    probes: Probes {
        program: "qwen",
        measured: "0.24.4",
        key_variables: &["OPENAI_API_KEY"],
        flags: &["--bare", "--auth-type", "--approval-mode", "--output-format", "--model"],
        install: "npm install -g @qwen-code/qwen-code",
        log_in: "set OPENAI_API_KEY and OPENAI_BASE_URL",
        traps: &["For a model it does not know, it refuses prompts over 177,000 tokens."],
        ..Probes::UNKNOWN
    },
    ..Profile::UNKNOWN
};

fn invocation(call: Call<'_>) -> Invocation {
    Invocation::of(&["--bare", "--auth-type", "openai", "-o", "json", "--approval-mode", "plan"])
        .with("-m", call.agent.model.as_deref())
}
