//! Which of our variables a program gets.

use std::collections::BTreeMap;

use super::PROFILES;
use crate::agent::roster::agent::Agent;
use crate::text::redact::variables;

/// Needed by every program: home, search path, locale, folders, proxies, certificates. macOS
/// programs find their key in the keychain by `USER` and `LOGNAME`.
const COMMON: &[&str] = &[
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "XDG_*",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
];

/// Variables of a CLI that runs inside another agent; they are never passed on, not even by
/// `pass_env`.
fn is_nesting(name: &str) -> bool {
    let listed = |patterns: &[&str]| patterns.iter().any(|pattern| fits(pattern, name));
    PROFILES.iter().any(|profile| listed(profile.nesting) && !listed(profile.variables))
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => pattern == name,
    }
}

/// Returns the variables of `ambient` that an agent's CLI gets.
pub(super) fn passed_on(
    agent: &Agent,
    ambient: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    passed(agent.cli().variables, &agent.pass_env, ambient)
}

/// Returns the variables of `ambient` that a program gets: those every program needs, its own (a trailing `*` matches
/// any suffix), and those named by the user.
pub fn passed(
    own: &[&str],
    named: &[String],
    ambient: &BTreeMap<String, String>,
) -> BTreeMap<String, String> {
    let allowed = |name: &str| {
        let listed = COMMON.iter().chain(own).any(|pattern| fits(pattern, name));
        (listed || named.iter().any(|own| own == name)) && !is_nesting(name)
    };
    ambient
        .iter()
        .filter(|(name, _)| allowed(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Returns the values of an agent's environment whose variable names suggest secrets, for the
/// redactor.
pub fn secrets(agent: &Agent, ambient: &BTreeMap<String, String>) -> Vec<String> {
    passed_on(agent, ambient)
        .iter()
        .chain(&agent.env)
        .flat_map(|(name, value)| variables::secrets_of(name, value))
        .map(str::to_owned)
        .collect()
}

/// Whether a variable is a credential of a CLI with a profile: programs other than agents never get
/// it.
pub fn is_credential(name: &str) -> bool {
    let mut own = PROFILES.iter().flat_map(|profile| profile.variables);
    variables::names_secret(name) && own.any(|pattern| fits(pattern, name))
}
