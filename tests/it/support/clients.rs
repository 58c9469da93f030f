//! Clients to register with: small scripts that record their calls and keep their servers where the real ones do.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::{BIN, Sandbox};

/// The common beginning of all of them: records a line for each word, then the working directory and the input. With
/// `~/.fails` it fails, with `~/.lies` it claims to have done something that it has not.
const NOTES: &str = r#"#!/bin/sh
{ printf '%s|' "${0##*/}" "$@"; printf 'cwd=%s depth=%s in=%s\n' "$PWD" "${DEBATE_AGENT_DEPTH-none}" "$(cat)"; } >>"$HOME/.ledger"
[ -e "$HOME/.fails" ] && { echo "out of luck" >&2; exit 7; }
[ -e "$HOME/.lies" ] && exit 0
"#;

const CLAUDE: &str = r#"
case $4 in user) file=$HOME/.claude.json ;; *) file=$PWD/.mcp.json ;; esac
case $2 in
add) printf '{"mcpServers": {"%s": {"type": "stdio", "command": "%s", "args": ["%s", "%s"], "env": {}}}}' "$5" "$7" "$8" "$9" >"$file" ;;
remove) echo '{"mcpServers": {}}' >"$file" ;;
esac
"#;

const CODEX: &str = r#"
mkdir -p "$HOME/.codex"
case $2 in
add) printf '[mcp_servers.%s]\ncommand = "%s"\nargs = ["%s", "%s"]\n' "$3" "$5" "$6" "$7" >"$HOME/.codex/config.toml" ;;
remove) : >"$HOME/.codex/config.toml" ;;
esac
"#;

const GEMINI: &str = r#"
case $4 in user) dir=$HOME/.gemini ;; *) dir=$PWD/.gemini ;; esac
mkdir -p "$dir"
case $2 in
add) printf '{"mcpServers": {"%s": {"command": "%s", "args": ["%s", "%s"]}}}' "$5" "$6" "$7" "$8" >"$dir/settings.json" ;;
remove) echo '{"mcpServers": {}}' >"$dir/settings.json" ;;
esac
"#;

const CODE: &str = r#"
dir=$HOME/.config/Code/User; mkdir -p "$dir"
printf '{"servers": {"debate-agent": %s}}' "$2" >"$dir/mcp.json"
"#;

pub(crate) fn program(path: &Path, script: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, script).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Sandbox {
    /// Makes a project, which is a repository, with these clients on PATH and no others.
    pub(crate) fn with_clients(names: &[&str]) -> Self {
        let sandbox = Self::new();
        fs::create_dir(sandbox.project().join(".git")).unwrap();
        let folder = sandbox.home().join("tools");
        fs::create_dir(&folder).unwrap();
        for name in names {
            let does = match *name {
                "claude" => CLAUDE,
                "codex" => CODEX,
                "gemini" => GEMINI,
                "code" => CODE,
                other => panic!("no client {other}"),
            };
            program(&folder.join(name), &format!("{NOTES}{does}"));
        }
        let path = format!("{}:/usr/bin:/bin", folder.display());
        sandbox.env("PATH", &path)
    }

    /// Returns the lines that the clients recorded.
    pub(crate) fn told(&self) -> Vec<String> {
        let text = fs::read_to_string(self.home().join(".ledger")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Writes a file of the user.
    pub(crate) fn at_home(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Every file in the home and the project: kind, permissions, bytes or target.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, (String, u32, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut stack = vec![self.home(), self.project()];
        while let Some(path) = stack.pop() {
            let meta = path.symlink_metadata().unwrap();
            let mode = meta.permissions().mode();
            let kind = meta.file_type();
            let (kind, bytes) = if kind.is_dir() {
                stack.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
                ("folder", Vec::new())
            } else if kind.is_symlink() {
                let target = fs::read_link(&path).unwrap();
                ("link", target.into_os_string().into_encoded_bytes())
            } else if kind.is_fifo() {
                ("pipe", Vec::new())
            } else {
                ("file", fs::read(&path).unwrap())
            };
            found.insert(path, (kind.to_owned(), mode, bytes));
        }
        found
    }
}

/// The entry as written on several lines; each after the first begins with `indent`.
pub(crate) fn entry(indent: &str) -> String {
    format!(
        "{{\n{indent}  \"command\": \"{BIN}\",\n{indent}  \"args\": [\"mcp\", \"serve\"]\n{indent}}}"
    )
}
