//! Finds arguments and variables that switch off a CLI's permissions or sandbox, or give it MCP servers.
//!
//! Vendors spell such flags in many ways: `--flag=value` and `--flag value`,
//! short forms, clusters of short forms, camelCase, configuration overrides and
//! variables. Names are therefore compared without case, dashes and
//! underscores, and a value that cannot be looked into (a settings file) counts
//! as dangerous. Long names are judged for every profile, so that naming a CLI
//! `generic` is no way around.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::config::agents::ProfileName;

/// Returns what is dangerous, as it was written; empty if nothing is.
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
                // Some flags take several values, so all that follow belong to it.
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

/// Shows a flag with the value that was given apart from it, for the error message.
fn written(arg: &str, apart: bool, next: Option<&str>) -> String {
    match next {
        Some(value) if apart && !value.starts_with('-') => format!("{arg} {value}"),
        Some(_) | None => arg.to_owned(),
    }
}

/// Lower case, without dashes and underscores: `--approvalMode` and `--approval-mode` are one.
fn squash(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

fn unquoted(value: &str) -> String {
    squash(value.trim().trim_matches(['"', '\'']))
}

fn is_off(value: &str) -> bool {
    matches!(unquoted(value).as_str(), "" | "false" | "0" | "off" | "no" | "none" | "disabled")
}

/// Judges a long flag by its squashed name and its values.
fn long_flag(name: &str, values: &[&str]) -> bool {
    let first = values.first().copied().unwrap_or_default();
    if name.contains("dangerously") || name.contains("yolo") {
        return true;
    }
    match name {
        "fullauto"
        | "allowall"
        | "allowalltools"
        | "allowallpaths"
        | "allowallurls"
        | "bypassapprovalsandsandbox"
        | "bypasspermissions"
        | "skippermissions"
        | "nosandbox"
        | "disablesandbox"
        | "trustalltools"
        | "autoapprove"
        | "alwaysapprove"
        | "autoapprovetools"
        // Programs of the user's choice with tools that nobody bounds; the profiles switch them off.
        | "mcpconfig"
        | "additionalmcpconfig"
        | "allowedmcpservernames"
        // A file that may allow every tool again.
        | "policy"
        | "adminpolicy" => true,
        "approvalmode" | "askforapproval" => approval(first),
        "sandbox" | "sandboxmode" => !values.is_empty() && sandbox(first),
        "permissionmode" => matches!(
            unquoted(first).as_str(),
            "bypasspermissions" | "acceptedits"
        ),
        "allowedtools" | "allowtool" | "allowtools" | "coretools" => {
            values.iter().any(|value| tools(value))
        }
        "config" | "configoverride" => values.iter().any(|value| setting(value)),
        "settings" => settings(first),
        _ => false,
    }
}

/// Judges a short flag; what `-y`, `-s`, `-a` and `-c` mean depends on the CLI.
fn short_flag(profile: ProfileName, arg: &str, next: Option<&str>) -> bool {
    let letters = arg[1..].split('=').next().unwrap_or_default();
    let attached = arg.char_indices().nth(2).map(|(at, _)| arg[at..].trim_start_matches('='));
    let value = attached.filter(|text| !text.is_empty()).or(next);
    let first = letters.chars().next().unwrap_or_default();
    match profile {
        ProfileName::Gemini | ProfileName::Qwen => {
            // `-dy` is `-d -y`: a cluster of the switches that take no value.
            letters.contains('y') && letters.chars().all(|c| "dyshvla".contains(c))
        }
        ProfileName::Codex => match first {
            's' => value.is_some_and(sandbox),
            'a' => value.is_some_and(approval),
            'c' => value.is_some_and(setting),
            _ => false,
        },
        ProfileName::Claude
        | ProfileName::Opencode
        | ProfileName::Copilot
        | ProfileName::Generic => match first {
            // Unmistakable by their values, whatever the letter means to this program.
            's' => value.is_some_and(|value| unquoted(value) == "dangerfullaccess"),
            'c' => value.is_some_and(|value| value.contains('=') && setting(value)),
            _ => false,
        },
    }
}

fn approval(value: &str) -> bool {
    matches!(
        unquoted(value).as_str(),
        "yolo" | "autoedit" | "fullauto" | "never" | "onfailure" | "auto"
    )
}

fn sandbox(value: &str) -> bool {
    is_off(value)
        || matches!(
            unquoted(value).as_str(),
            "dangerfullaccess" | "workspacewrite" | "fullaccess" | "externalsandbox"
        )
}

/// Whether a list of tools to use without asking holds one that writes or runs things.
fn tools(list: &str) -> bool {
    list.split([',', ' ']).any(|tool| {
        let tool = unquoted(tool);
        tool.contains('*')
            || matches!(
                tool.split('(').next().unwrap_or_default(),
                "bash"
                    | "shell"
                    | "write"
                    | "edit"
                    | "multiedit"
                    | "notebookedit"
                    | "runshellcommand"
                    | "shelltool"
                    | "writefile"
                    | "replace"
                    | "all"
            )
    })
}

/// Judges a `key=value` override of a CLI's configuration.
fn setting(text: &str) -> bool {
    let Some((key, value)) = text.split_once('=') else {
        return false;
    };
    let key = squash(key.trim());
    // The whole path counts: `profiles.x.sandbox_mode` sets the sandbox too.
    let last = key.rsplit('.').next().unwrap_or_default();
    if key.split('.').any(|part| part == "mcpservers") {
        return last != "enabled" || !is_off(value);
    }
    match last {
        "sandboxmode" | "sandbox" => sandbox(value),
        "approvalpolicy" | "approvalmode" => approval(value) || value.contains("never"),
        "defaultpermissions" | "permissionprofile" => unquoted(value).contains("danger"),
        _ => key.contains("dangerously") || key.starts_with("sandboxworkspacewrite"),
    }
}

/// Judges inline settings; a file cannot be looked into here and so counts as dangerous.
fn settings(text: &str) -> bool {
    match serde_json::from_str::<Value>(text) {
        Ok(value) => settings_value(&value),
        Err(_) => true,
    }
}

fn settings_value(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.iter().any(|(key, value)| {
            let key = squash(key);
            match (key.as_str(), value) {
                ("defaultmode" | "permissionmode", Value::String(mode)) => {
                    matches!(unquoted(mode).as_str(), "bypasspermissions" | "acceptedits")
                }
                ("allow", Value::Array(list)) => list.iter().filter_map(Value::as_str).any(tools),
                ("sandbox", Value::Bool(false)) => true,
                ("sandbox", Value::Object(map)) => map.get("enabled") == Some(&Value::Bool(false)),
                _ => {
                    ((key.contains("dangerous") || key.contains("yolo"))
                        && value != &Value::Bool(false))
                        || settings_value(value)
                }
            }
        }),
        Value::Array(list) => list.iter().any(settings_value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Judges a variable by its squashed name and its value.
fn variable(name: &str, value: &str) -> bool {
    match name {
        // What the profile sets to keep files out of prompts and tools off.
        "claudecodedisableattachments" => is_off(value),
        "opencodepermission" | "opencodeconfigcontent" => value.contains("allow"),
        "issandbox" => !is_off(value),
        _ => {
            let switch = ["yolo", "dangerously", "skippermissions", "bypass", "allowall"]
                .iter()
                .any(|word| name.contains(word));
            (switch && !is_off(value))
                || (name.ends_with("sandbox") && sandbox(value))
                || (name.ends_with("approvalmode") && approval(value))
        }
    }
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
