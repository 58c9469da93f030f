//! Finds arguments and variables that switch off a CLI's permissions or sandbox, or give it MCP servers.
//!
//! Vendors spell such flags in many ways: `--flag=value` and `--flag value`, short forms, clusters of
//! short forms, camelCase, configuration overrides and variables. Names are therefore compared without
//! case, dashes and underscores, and a value that cannot be inspected (a settings file) counts as
//! dangerous. Each CLI's profile lists its dangerous flags. Long names and variables of all profiles are
//! checked for every profile, so that calling a CLI `generic` does not get around them.

pub(super) mod values;

use std::collections::BTreeMap;

use super::profile::PROFILES;
use crate::config::agents::ProfileName;
use values::{approval, is_off, sandbox, squash};

/// Returns the dangerous ones, as written; empty if there are none.
pub fn find(profile: ProfileName, args: &[String], env: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    let mut index = 0;
    while index < args.len() {
        let arg = args[index].as_str();
        let next = args.get(index + 1).map(String::as_str);
        if arg.starts_with("--") {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (arg, None),
            };
            let rest: Vec<&str> = match value {
                Some(value) => vec![value],
                // Some flags take several values, so all that follow count.
                None => args[index + 1..]
                    .iter()
                    .map(String::as_str)
                    .take_while(|word| !word.starts_with('-'))
                    .collect(),
            };
            if long_flag(&squash(name), &rest) {
                found.push(written(arg, value.is_none(), next));
            }
        } else if arg.len() > 1 && arg.starts_with('-') && short_flag(profile, arg, next) {
            found.push(written(arg, arg.len() == 2, next));
        }
        index += 1;
    }
    for (name, value) in env {
        if variable(&squash(name), value) {
            found.push(format!("{name}={value}"));
        }
    }
    found
}

/// Formats a flag with a value given separately, for the error message.
fn written(arg: &str, apart: bool, next: Option<&str>) -> String {
    match next {
        Some(value) if apart && !value.starts_with('-') => format!("{arg} {value}"),
        Some(_) | None => arg.to_owned(),
    }
}

fn long_flag(name: &str, values: &[&str]) -> bool {
    let mut flags = PROFILES.iter().flat_map(|profile| profile.dangerous.flags);
    name.contains("dangerously")
        || name.contains("yolo")
        || flags.any(|(flag, judge)| *flag == name && judge(values))
}

/// Judges a short flag; the meaning of `-y`, `-s`, `-a` and `-c` depends on the CLI.
fn short_flag(profile: ProfileName, arg: &str, next: Option<&str>) -> bool {
    let letters = arg[1..].split('=').next().unwrap_or_default();
    let attached = arg.char_indices().nth(2).map(|(at, _)| arg[at..].trim_start_matches('='));
    let value = attached.filter(|text| !text.is_empty()).or(next);
    (profile.profile().dangerous.short)(letters, value)
}

fn variable(name: &str, value: &str) -> bool {
    let mut known = PROFILES.iter().flat_map(|profile| profile.dangerous.variables);
    if let Some((_, judge)) = known.find(|(variable, _)| *variable == name) {
        return judge(value);
    }
    let switch = ["yolo", "dangerously", "skippermissions", "bypass", "allowall"]
        .iter()
        .any(|word| name.contains(word));
    (switch && !is_off(value))
        || (name.ends_with("sandbox") && sandbox(value))
        || (name.ends_with("approvalmode") && approval(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProfileName::{Claude, Codex, Copilot, Gemini, Generic, Opencode, Qwen};

    fn words(line: &str) -> Vec<String> {
        line.split('|').map(str::to_owned).collect()
    }

    #[test]
    fn every_spelling_of_a_bypass_is_found() {
        let rows = [
            (Claude, "--dangerously-skip-permissions"),
            (Claude, "--dangerously-skip-permissions=true"),
            (Claude, "--allow-dangerously-skip-permissions"),
            (Claude, "--dangerouslySkipPermissions"),
            (Claude, "--permission-mode|bypassPermissions"),
            (Claude, "--permission-mode=bypassPermissions"),
            (Claude, "--permission-mode|acceptEdits"),
            (Claude, "--allowedTools|*"),
            (Claude, "--allowedTools=*"),
            (Claude, "--allowed-tools|Read|Bash"),
            (Claude, "--allowedTools|Read,Bash(*)"),
            (Claude, "--allowedTools|Edit"),
            (Claude, "--settings|{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}"),
            (Claude, "--settings={\"permissions\":{\"allow\":[\"Bash\"]}}"),
            (Claude, "--settings|{\"sandbox\":{\"enabled\":false}}"),
            (Claude, "--settings|{\"skipDangerousModePermissionPrompt\":true}"),
            (Claude, "--settings|./settings.json"),
            (Codex, "--dangerously-bypass-approvals-and-sandbox"),
            (Codex, "--yolo"),
            (Codex, "--full-auto"),
            (Codex, "-c|mcp_servers.x.command=\"sh\""),
            (Codex, "-cmcp_servers.x.enabled=true"),
            (Codex, "--config=mcp_servers={x={command=\"sh\"}}"),
            (Codex, "-c|profiles.p.mcp_servers.x.url=\"u\""),
            (Claude, "--mcp-config|mine.json"),
            (Claude, "--mcp-config=mine.json"),
            (Gemini, "--allowed-mcp-server-names|mine"),
            (Gemini, "--policy|mine.toml"),
            (Gemini, "--admin-policy=mine.toml"),
            (Copilot, "--additional-mcp-config|@mine.json"),
            (Codex, "--fullAuto"),
            (Codex, "-s|danger-full-access"),
            (Codex, "-sdanger-full-access"),
            (Codex, "-s=danger-full-access"),
            (Codex, "-s|workspace-write"),
            (Codex, "--sandbox|danger-full-access"),
            (Codex, "--sandbox=danger-full-access"),
            (Codex, "-c|sandbox_mode=\"danger-full-access\""),
            (Codex, "-c|sandbox_mode=danger-full-access"),
            (Codex, "-csandbox_mode=danger-full-access"),
            (Codex, "-c|profiles.x.sandbox_mode='danger-full-access'"),
            (Codex, "--config|sandbox_mode=workspace-write"),
            (Codex, "--config=approval_policy=\"never\""),
            (Codex, "-a|never"),
            (Codex, "-anever"),
            (Codex, "--ask-for-approval|never"),
            (Codex, "--ask-for-approval=on-failure"),
            (Codex, "--dangerously-bypass-hook-trust"),
            (Gemini, "--yolo"),
            (Gemini, "--yolo=true"),
            (Gemini, "-y"),
            (Gemini, "-y=true"),
            (Gemini, "-dy"),
            (Gemini, "--approval-mode|yolo"),
            (Gemini, "--approval-mode=yolo"),
            (Gemini, "--approvalMode=yolo"),
            (Gemini, "--approval-mode=auto_edit"),
            (Gemini, "--sandbox=false"),
            (Gemini, "--sandbox|false"),
            (Gemini, "--no-sandbox"),
            (Gemini, "--allowed-tools=run_shell_command"),
            (Qwen, "-y"),
            (Qwen, "--approval-mode|yolo"),
            (Copilot, "--allow-all-tools"),
            (Copilot, "--allow-all-paths"),
            (Copilot, "--allow-all"),
            (Copilot, "--allow-tool|shell(git)"),
            (Opencode, "--dangerously-skip-permissions"),
            (Generic, "--dangerously-skip-permissions"),
            (Generic, "-s|danger-full-access"),
            (Generic, "--auto-approve"),
        ];
        for (profile, line) in rows {
            assert!(
                !find(profile, &words(line), &BTreeMap::new()).is_empty(),
                "{profile:?} {line}"
            );
        }
    }

    #[test]
    fn dangerous_variables_are_found() {
        for (name, value) in [
            ("COPILOT_ALLOW_ALL", "true"),
            ("OPENCODE_PERMISSION", "{\"*\":\"allow\"}"),
            ("GEMINI_SANDBOX", "false"),
            ("CLAUDE_CODE_DISABLE_ATTACHMENTS", "0"),
            ("IS_SANDBOX", "1"),
            ("GEMINI_YOLO_MODE", "1"),
            ("CODEX_SANDBOX", "danger-full-access"),
        ] {
            let env = BTreeMap::from([(name.to_owned(), value.to_owned())]);
            assert_eq!(find(Claude, &[], &env), [format!("{name}={value}")]);
        }
    }

    #[test]
    fn harmless_arguments_pass() {
        let rows = [
            (Claude, "--max-turns|4"),
            (Claude, "--permission-mode|plan"),
            (Claude, "--permission-mode=default"),
            (Claude, "--allowedTools|Read,Grep,Glob"),
            (Claude, "--settings|{\"permissions\":{\"deny\":[\"Read\"]}}"),
            (Claude, "-c"),
            (Claude, "-y"),
            (Claude, "--append-system-prompt|never use --yolo"),
            (Codex, "-c|mcp_servers.x.enabled=false"),
            (Codex, "-s|read-only"),
            (Codex, "--sandbox=read-only"),
            (Codex, "-c|model_reasoning_effort=\"high\""),
            (Codex, "-c|web_search=\"disabled\""),
            (Codex, "-a|untrusted"),
            (Codex, "--profile|debate"),
            (Gemini, "--approval-mode|plan"),
            (Gemini, "--approval-mode=default"),
            (Gemini, "-s"),
            (Gemini, "--sandbox"),
            (Gemini, "-d"),
            (Gemini, "--include-directories|/srv/docs"),
            (Copilot, "--deny-tool|shell"),
            (Generic, "-y"),
            (Generic, "--quiet"),
            (Generic, "--config|my.toml"),
            (Generic, "-s|silent"),
        ];
        for (profile, line) in rows {
            assert_eq!(
                find(profile, &words(line), &BTreeMap::new()),
                Vec::<String>::new(),
                "{profile:?} {line}"
            );
        }
        let env = BTreeMap::from([
            ("COPILOT_ALLOW_ALL".to_owned(), "false".to_owned()),
            ("GEMINI_SANDBOX".to_owned(), "docker".to_owned()),
            ("MY_KEY".to_owned(), "x".to_owned()),
        ]);
        assert_eq!(find(Generic, &[], &env), Vec::<String>::new());
    }

    #[test]
    fn what_is_found_is_shown_as_it_was_written() {
        assert_eq!(
            find(Codex, &words("-s|danger-full-access|--yolo"), &BTreeMap::new()),
            ["-s danger-full-access", "--yolo"]
        );
    }
}
