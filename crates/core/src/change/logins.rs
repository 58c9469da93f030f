//! Where programs keep a person's logins and histories: AI CLIs, forges, clouds, browsers, shells.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::text::word;

/// Folders that hold only these.
static FOLDERS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("logins/folders.txt")));

/// Path suffixes.
static FILES: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("logins/files.txt")));

/// Returns why a path is taken for a login file, if it is.
pub(super) fn by_path(path: &str) -> Option<&'static str> {
    let path = format!("/{}", path.trim_start_matches('/').to_lowercase());
    if FOLDERS.iter().any(|folder| path.contains(folder)) {
        return Some("folders like this hold keys and credentials");
    }
    if FILES.iter().any(|end| path.ends_with(end)) {
        return Some("files like this hold credentials");
    }
    // `.psql_history`, `.node_repl_history`, `.irb-history`
    let name = path.rsplit('/').next().unwrap_or_default();
    (name.starts_with('.') && name.ends_with("history"))
        .then_some("files like this record what was typed")
}

#[cfg(test)]
mod tests {
    use super::by_path;

    #[test]
    fn places_of_logins_are_known_wherever_the_home_is() {
        for login in [
            "/home/me/.codex/auth.json",
            "/home/me/.claude/.credentials.json",
            "/root/.gemini/oauth_creds.json",
            "/home/me/.config/gh/hosts.yml",
            "/home/me/.kube/config",
            "/home/me/.config/gcloud/application_default_credentials.json",
            "/home/me/.azure/msal_token_cache.json",
            "/home/me/.bash_history",
            "/home/me/.psql_history",
            "/home/me/.m2/settings.xml",
            "/home/me/.mozilla/firefox/x.default/logins.json",
            "/home/me/.config/hub",
            ".SSH/id",
            "/home/me/.local/share/keyrings/login.keyring",
        ] {
            assert!(by_path(login).is_some(), "{login}");
        }
        for open in [
            "src/auth.json",
            "docs/history",
            "settings.xml",
            "kube/config",
            ".config/hub/readme.md",
            "src/keyrings/login.keyring",
            "/home/me/.codex/config.toml",
        ] {
            assert_eq!(by_path(open), None, "{open}");
        }
    }
}
