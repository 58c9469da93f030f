//! Which of our variables a program gets.

use super::PROFILES;
use crate::agent::dangerous::values::is_off;
use crate::agent::roster::agent::Agent;
use crate::ordered::{BTreeMap, Gather};
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

/// Whether a variable marks a CLI as running inside another agent; none is ever passed on.
pub(super) fn is_nesting(name: &str) -> bool {
    PROFILES.iter().flat_map(|profile| profile.nesting).any(|pattern| fits(pattern, name))
}

/// Whether the variables of an agent's CLI select another provider of its models than the CLI's own login.
pub fn chooses_provider(agent: &Agent, env: &BTreeMap<String, String>) -> bool {
    providers(agent, env).next().is_some()
}

/// Returns the variables of the logins of the selected providers.
fn providers<'a>(
    agent: &Agent,
    env: &'a BTreeMap<String, String>,
) -> impl Iterator<Item = &'static str> + use<'a> {
    let all = agent.cli().providers.iter();
    let chosen = all.filter(|(switch, _)| env.get(*switch).is_some_and(|value| !is_off(value)));
    chosen.flat_map(|(_, variables)| *variables).copied()
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
    let mut env = ambient.clone();
    env.extend(agent.env.clone());
    let own: Vec<&str> =
        agent.cli().variables.iter().copied().chain(providers(agent, &env)).collect();
    passed(&own, &agent.pass_env, ambient)
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
        .gather()
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
