//! Where programs keep a person's logins and histories: AI CLIs, forges, clouds, browsers, shells.

/// Folders that hold only these.
const FOLDERS: [&str; 11] = [
    "/.ssh/",
    "/.gnupg/",
    "/.aws/",
    "/.azure/",
    "/.config/gcloud/",
    "/.config/gh/",
    "/.config/glab-cli/",
    "/.config/op/",
    "/.local/share/keyrings/",
    "/.mozilla/",
    "/.password-store/",
];

/// Path suffixes.
const FILES: [&str; 19] = [
    "/.docker/config.json",
    "/.kube/config",
    "/.config/hub",
    "/.m2/settings.xml",
    "/.m2/settings-security.xml",
    "/.codex/auth.json",
    "/.claude/.credentials.json",
    "/.claude.json",
    "/.gemini/oauth_creds.json",
    "/.gemini/google_accounts.json",
    "/.qwen/oauth_creds.json",
    "/.local/share/opencode/auth.json",
    "/application_default_credentials.json",
    "/logins.json",
    "/key4.db",
    "/cookies.sqlite",
    "/.bash_history",
    "/.zsh_history",
    "/.python_history",
];

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
