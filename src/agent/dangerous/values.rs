//! Judges values that switch off permissions or a sandbox, in any vendor's spelling.
//!
//! The flags and variables that take them are listed in each CLI's profile.

/// Lower case, without dashes and underscores: `--approvalMode` and `--approval-mode` are the same.
pub(in crate::agent) fn squash(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect()
}

/// Squashes a value, without its quotes.
pub(in crate::agent) fn unquoted(value: &str) -> String {
    squash(value.trim().trim_matches(['"', '\'']))
}

pub(in crate::agent) fn is_off(value: &str) -> bool {
    matches!(unquoted(value).as_str(), "" | "false" | "0" | "off" | "no" | "none" | "disabled")
}

/// Whether an approval mode lets tools run without asking.
pub(in crate::agent) fn approval(value: &str) -> bool {
    matches!(
        unquoted(value).as_str(),
        "yolo" | "autoedit" | "fullauto" | "never" | "onfailure" | "auto"
    )
}

/// Whether a sandbox value means none, or one that allows writes.
pub(in crate::agent) fn sandbox(value: &str) -> bool {
    is_off(value)
        || matches!(
            unquoted(value).as_str(),
            "dangerfullaccess" | "workspacewrite" | "fullaccess" | "externalsandbox"
        )
}

/// Whether a list of tools allowed without asking contains one that writes or runs things.
pub(in crate::agent) fn tools(list: &str) -> bool {
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
pub(in crate::agent) fn setting(text: &str) -> bool {
    let Some((key, value)) = text.split_once('=') else {
        return false;
    };
    let key = squash(key.trim());
    // The whole path is searched: `profiles.x.sandbox_mode` sets the sandbox too.
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

/// Judges the short flags of a program that gives these letters another or an unknown meaning: only by unmistakable
/// values.
pub(in crate::agent) fn unmistakable(letters: &str, value: Option<&str>) -> bool {
    match letters.chars().next() {
        Some('s') => value.is_some_and(|value| unquoted(value) == "dangerfullaccess"),
        Some('c') => value.is_some_and(|value| value.contains('=') && setting(value)),
        _ => false,
    }
}

/// Judges a cluster of valueless switches in the Gemini family: `-dy` is `-d -y`, and `y` approves everything.
pub(in crate::agent) fn yolo(letters: &str, _: Option<&str>) -> bool {
    letters.contains('y') && letters.chars().all(|c| "dyshvla".contains(c))
}
