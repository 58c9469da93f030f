//! Each profile's calls, word for word.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::kernel::FailureClass;

fn agent(profile: ProfileName) -> Agent {
    Agent {
        name: "a".to_owned(),
        profile,
        model: Some("m-1".to_owned()),
        args: vec!["--extra".to_owned()],
        ..Agent::rehearsal("critic", Path::new("/bin/true"))
    }
}

fn ambient() -> BTreeMap<String, String> {
    [
        "HOME",
        "PATH",
        "LC_ALL",
        "XDG_DATA_HOME",
        "https_proxy",
        "ANTHROPIC_API_KEY",
        "CLAUDE_CONFIG_DIR",
        "CLAUDECODE",
        "CLAUDE_CODE_SESSION_ID",
        "AI_AGENT",
        "CODEX_HOME",
        "CODEX_API_KEY",
        "OPENAI_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_CLOUD_PROJECT",
        "GH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "DATABASE_URL",
        "MINE",
    ]
    .iter()
    .map(|name| ((*name).to_owned(), format!("value of {name}")))
    .collect()
}

fn prepared(profile: ProfileName) -> PreparedCall {
    prepare(&agent(profile), "SYSTEM", "PROMPT", Path::new("/p"), &ambient())
}

fn names(prepared: &PreparedCall) -> Vec<&str> {
    prepared.env.keys().map(String::as_str).collect()
}

#[test]
fn every_word_of_the_configuration_has_its_row_and_every_program_its_profile() {
    let schema = serde_json::to_value(schemars::schema_for!(ProfileName)).unwrap();
    let words = schema["oneOf"].as_array().unwrap();
    assert_eq!(words.len(), PROFILES.len());
    for word in words {
        let name: ProfileName = serde_json::from_value(word["const"].clone()).unwrap();
        assert_eq!(name.profile().name, name);
    }
    for profile in PROFILES {
        assert_eq!(crate::agent::roster::guess(profile.probes.program), profile.name);
    }
}

#[test]
fn claude_gets_no_tools_no_settings_and_its_own_variables() {
    let call = prepared(ProfileName::Claude);
    assert_eq!(
        call.args.join(" "),
        "-p --output-format stream-json --verbose --include-partial-messages --tools  --strict-mcp-config --setting-sources  \
         --disable-slash-commands --no-session-persistence --system-prompt-file /p/system.md --model m-1 --extra"
    );
    assert_eq!(
        names(&call),
        [
            "ANTHROPIC_API_KEY",
            "API_TIMEOUT_MS",
            "CLAUDE_CODE_DISABLE_ATTACHMENTS",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
            "CLAUDE_CODE_MAX_RETRIES",
            "CLAUDE_CONFIG_DIR",
            "DEBATE_AGENT_DEPTH",
            "DISABLE_AUTOUPDATER",
            "DISABLE_PROMPT_CACHING",
            "HOME",
            "LC_ALL",
            "NO_COLOR",
            "PATH",
            "XDG_DATA_HOME",
            "https_proxy",
        ]
    );
    assert_eq!(call.stdin, b"PROMPT");
    assert_eq!(call.files, [("/p/system.md".into(), "SYSTEM".to_owned())]);
    assert_eq!(call.cwd, Path::new("/p/work"));
}

#[test]
fn codex_is_read_only_and_without_a_tool() {
    let call = prepared(ProfileName::Codex);
    assert_eq!(
        call.args.join(" "),
        "exec --json --ephemeral --skip-git-repo-check -s read-only --disable shell_tool \
         -c features.code_mode={excluded_tool_namespaces=[\"functions\",\"clock\"]} \
         -c include_environment_context=false -c include_permissions_instructions=false \
         -c web_search=\"disabled\" -c project_doc_max_bytes=0 -c features.plugins=false -c features.apps=false -c analytics.enabled=false \
         -c agents.enabled=false -c skills.include_instructions=false -c include_collaboration_mode_instructions=false \
         -c tools.experimental_request_user_input.enabled=false -c features.goals=false -c features.sleep_tool=false \
         -c features.view_image=false -c features.image_generation=false \
         -c model_instructions_file=\"/p/system.md\" -m m-1 --extra -"
    );
    assert_eq!(
        names(&call),
        [
            "CODEX_API_KEY",
            "CODEX_HOME",
            "DEBATE_AGENT_DEPTH",
            "HOME",
            "LC_ALL",
            "NO_COLOR",
            "OPENAI_API_KEY",
            "PATH",
            "XDG_DATA_HOME",
            "https_proxy",
        ]
    );
}

#[test]
fn codex_starts_none_of_the_users_mcp_servers_whatever_their_names_and_its_digest_stays() {
    let dir = tempfile::tempdir().unwrap();
    let ambient = BTreeMap::from([("CODEX_HOME".to_owned(), dir.path().display().to_string())]);
    let of = || prepare(&agent(ProfileName::Codex), "S", "P", Path::new("/p"), &ambient);
    let servers = |call: &PreparedCall| {
        let found = call.args.iter().find(|arg| arg.starts_with("mcp_servers"));
        found.cloned()
    };
    assert_eq!(servers(&of()), None);
    let before = agent(ProfileName::Codex).digested();
    std::fs::write(
        dir.path().join("config.toml"),
        "[mcp_servers.plain]\n[mcp_servers.\"na.me\"]\n[mcp_servers.\"a={}\\n\\\"\"]\n",
    )
    .unwrap();
    let call = of();
    let table = servers(&call).unwrap();
    assert_eq!(
        table,
        r#"mcp_servers={"a={}\n\""={enabled=false},"na.me"={enabled=false},"plain"={enabled=false}}"#
    );
    // As TOML it is the three servers, each off, and nothing else.
    let read: toml::Table = toml::from_str(&table).unwrap();
    let servers = read["mcp_servers"].as_table().unwrap();
    assert_eq!(servers.len(), 3);
    assert!(servers.values().all(|server| server["enabled"].as_bool() == Some(false)));
    assert!(servers.contains_key("a={}\n\"") && call.notes.is_empty());
    assert_eq!(agent(ProfileName::Codex).digested(), before);
}

#[test]
fn gemini_runs_as_one_process_in_plan_mode_with_a_policy_that_denies_every_tool() {
    let call = prepared(ProfileName::Gemini);
    assert_eq!(
        call.args.join(" "),
        "--skip-trust --approval-mode plan --allowed-mcp-server-names none-in-a-debate -o stream-json \
         --policy /p/policy.toml -m m-1 --extra"
    );
    assert_eq!(call.env["GEMINI_CLI_NO_RELAUNCH"], "true");
    assert_eq!(call.env["GEMINI_SYSTEM_MD"], "/p/system.md");
    assert_eq!(call.env["TMPDIR"], "/p/tmp");
    let [(system, _), (policy, rules)] = &call.files[..] else { panic!("{:?}", call.files) };
    assert_eq!(
        (system.as_path(), policy.as_path()),
        (Path::new("/p/system.md"), Path::new("/p/policy.toml"))
    );
    let rules: toml::Table = toml::from_str(rules).unwrap();
    let [rule] = &rules["rule"].as_array().unwrap()[..] else { panic!("{rules:?}") };
    assert_eq!(rule["toolName"].as_str(), Some("*"));
    assert_eq!(rule["decision"].as_str(), Some("deny"));
    assert_eq!(rule["priority"].as_integer(), Some(999));
    assert_eq!(rule.as_table().unwrap().len(), 3);
    assert!(!names(&call).contains(&"ANTHROPIC_API_KEY"));
}

#[test]
fn the_others_get_the_skill_at_the_head_of_the_prompt() {
    for profile in [ProfileName::Opencode, ProfileName::Qwen, ProfileName::Copilot] {
        let call = prepared(profile);
        assert_eq!(call.stdin, b"SYSTEM\n\nPROMPT");
        assert!(call.files.is_empty());
    }
    let call = prepared(ProfileName::Opencode);
    assert_eq!(call.env["OPENCODE_PERMISSION"], "{\"*\":\"deny\"}");
    assert!(call.args.join(" ").contains("--dir /p/work"));
}

#[test]
fn what_protects_cannot_be_set_otherwise_and_nesting_marks_never_pass() {
    let mut agent = agent(ProfileName::Claude);
    agent.env = BTreeMap::from([
        ("CLAUDE_CODE_DISABLE_ATTACHMENTS".to_owned(), "0".to_owned()),
        ("CLAUDE_CODE_MAX_RETRIES".to_owned(), "0".to_owned()),
    ]);
    agent.pass_env = vec!["MINE".to_owned(), "CLAUDECODE".to_owned(), "AI_AGENT".to_owned()];
    let call = prepare(&agent, "", "P", Path::new("/p"), &ambient());
    assert_eq!(call.env["CLAUDE_CODE_DISABLE_ATTACHMENTS"], "1");
    assert_eq!(call.env["CLAUDE_CODE_MAX_RETRIES"], "0");
    assert_eq!(call.env["MINE"], "value of MINE");
    assert!(!call.env.contains_key("CLAUDECODE") && !call.env.contains_key("AI_AGENT"));
}

/// What `pass_env` names arrives, also in place of a default of ours, or is refused by name.
#[test]
fn what_the_user_passes_on_arrives_or_is_refused_by_name() {
    let ambient = ["CLAUDE_CODE_MAX_OUTPUT_TOKENS", "API_TIMEOUT_MS", "NO_COLOR"];
    let ambient: BTreeMap<String, String> =
        ambient.iter().map(|name| ((*name).to_owned(), "7".to_owned())).collect();
    let with = |names: &[&str]| Agent {
        pass_env: names.iter().map(|name| (*name).to_owned()).collect(),
        ..agent(ProfileName::Claude)
    };
    let named: Vec<&str> = ambient.keys().map(String::as_str).collect();
    let call = prepare(&with(&named), "", "P", Path::new("/p"), &ambient);
    assert!(named.iter().all(|name| call.env[*name] == "7"), "{:?}", call.env);
    assert_eq!(never_passed(&with(&named)), None);
    for name in ["CLAUDECODE", "AI_AGENT", "DEBATE_AGENT_DEPTH", "CLAUDE_CODE_DISABLE_ATTACHMENTS"]
    {
        assert_eq!(never_passed(&with(&["MINE", name])).unwrap().0, name);
    }
}

/// The switch of a provider and the variables of its login are part of claude's login; without the switch they stay out.
#[test]
fn a_provider_s_login_comes_with_its_switch() {
    for (switch, theirs) in [
        ("CLAUDE_CODE_USE_BEDROCK", "AWS_SECRET_ACCESS_KEY"),
        ("CLAUDE_CODE_USE_VERTEX", "GOOGLE_CLOUD_PROJECT"),
        ("CLAUDE_CODE_USE_FOUNDRY", "AZURE_CLIENT_ID"),
    ] {
        for (value, passes) in [("1", true), ("true", true), ("0", false), ("", false)] {
            let mut ambient = ambient();
            ambient.insert(switch.to_owned(), value.to_owned());
            ambient.insert("CLAUDE_CODE_SKIP_BEDROCK_AUTH".to_owned(), "1".to_owned());
            ambient.insert("AZURE_CLIENT_ID".to_owned(), "x".to_owned());
            let call = prepare(&agent(ProfileName::Claude), "", "P", Path::new("/p"), &ambient);
            assert_eq!(call.env.contains_key(theirs), passes, "{switch}={value}");
            assert!(call.env.contains_key(switch) && !call.env.contains_key("DATABASE_URL"));
            assert!(call.env.contains_key("CLAUDE_CODE_SKIP_BEDROCK_AUTH"));
        }
    }
}

#[test]
fn no_prompt_begins_with_a_slash() {
    for prompt in ["/compact now", "  /clear", "\n/x"] {
        let call = prepare(&agent(ProfileName::Claude), "S", prompt, Path::new("/p"), &ambient());
        let text = String::from_utf8(call.stdin).unwrap();
        assert!(!text.trim_start().starts_with('/') && text.ends_with(prompt));
    }
}

#[test]
fn a_million_characters_pass_and_more_than_a_cli_takes_is_refused_with_the_numbers() {
    let million = "ä".repeat(1_000_000);
    for profile in [ProfileName::Claude, ProfileName::Codex, ProfileName::Gemini] {
        assert!(check(&agent(profile), "S", &million, u64::MAX).is_ok(), "{profile:?}");
    }
    for (profile, size, most) in [
        (ProfileName::Claude, 10_000_001, "10000000;"),
        (ProfileName::Codex, 1_048_577, "1048576;"),
        (ProfileName::Gemini, (3 << 20) + 1, "3145728;"),
    ] {
        let failure = check(&agent(profile), "S", &"x".repeat(size), u64::MAX).unwrap_err();
        assert_eq!(failure.class, FailureClass::ContextTooLong);
        assert!(failure.message.contains(&size.to_string()), "{}", failure.message);
        assert!(failure.message.contains(most), "{}", failure.message);
        assert!(check(&agent(profile), "S", &"x".repeat(size - 1), u64::MAX).is_ok());
    }
}

#[test]
fn arguments_that_a_profile_implies_are_dropped() {
    let words = |line: &str| -> Vec<String> { line.split(' ').map(str::to_owned).collect() };
    for (profile, given, kept) in [
        (ProfileName::Claude, "--print --max-turns 4", "--max-turns 4"),
        (ProfileName::Codex, "exec --skip-git-repo-check -c a=b", "-c a=b"),
        (ProfileName::Gemini, "--prompt", ""),
        (ProfileName::Generic, "exec --print", "exec --print"),
    ] {
        assert_eq!(profile.profile().without_implied(&words(given)).join(" "), kept);
    }
}
