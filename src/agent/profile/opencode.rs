//! OpenCode, measured as 1.18.33. Its system prompt goes at the head of the prompt.

use std::collections::BTreeMap;

use super::{Call, Dangerous, Events, Invocation, Probes, Profile, Reader, Vendor};
use crate::config::agents::{OutputConfig, OutputFormat, ProfileName};

pub(super) static PROFILE: Profile = Profile {
    name: ProfileName::Opencode,
    vendor: Vendor::InModel("opencode"),
    // Its login is in its own folder below `XDG_DATA_HOME`.
    variables: &["OPENCODE_*"],
    implied: &["run"],
    dangerous: Dangerous {
        variables: &[
            ("opencodepermission", |value| value.contains("allow")),
            ("opencodeconfigcontent", |value| value.contains("allow")),
        ],
        ..Dangerous::UNKNOWN
    },
    invocation,
    reader: Reader::Events(Events { output, status: Some("/error/data/statusCode") }),
    last_word: |event| event["type"] == "step_finish" && event["part"]["reason"] == "stop",
    probes: Probes {
        program: "opencode",
        measured: "1.18.33",
        login_args: &["auth", "list"],
        help_args: &["run", "--help"],
        flags: &["--pure", "--format", "--title", "--dir", "--model"],
        home_folders: &[".opencode/bin", ".local/bin", ".npm-global/bin", ".bun/bin"],
        install: "npm install -g opencode-ai",
        log_in: "run `opencode auth login`",
        traps: &["It needs about 600 MB of memory and ten seconds to start."],
        ..Probes::UNKNOWN
    },
    ..Profile::UNKNOWN
};

fn invocation(call: Call<'_>) -> Invocation {
    // Without a title it asks the model for one; without a folder it uses `$PWD`.
    let dir = call.cwd.display().to_string();
    let args = ["run", "--pure", "--format", "json", "--title", "debate", "--dir", &dir];
    Invocation {
        defaults: vec![("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned())],
        // Its default agents run commands without asking.
        fixed: vec![("OPENCODE_PERMISSION", "{\"*\":\"deny\"}".to_owned())],
        ..Invocation::of(&args).with("-m", call.agent.model.as_deref())
    }
}

fn output() -> OutputConfig {
    OutputConfig {
        format: OutputFormat::Jsonl,
        text: Some("/part/text".to_owned()),
        select: BTreeMap::from([("/type".to_owned(), "text".into())]),
        error: Some("/error/data/message".to_owned()),
        error_select: BTreeMap::from([("/type".to_owned(), "error".into())]),
        cost_usd: Some("/part/cost".to_owned()),
        input_tokens: Some("/part/tokens/input".to_owned()),
        output_tokens: Some("/part/tokens/output".to_owned()),
        model: None,
    }
}
