//! Judges each answer of a CLI, as pure functions.

use super::check::{Check, CheckSubject, Status};
use crate::agent::profile::Probes;
use crate::agent::roster::{Agent, RosterError};
use crate::app::init::Found;
use crate::app::run::probe::says_logged_out;
use crate::kernel::Quota;
use crate::process::{Ending, OutputBuffer};
use crate::text::sanitize;

pub(super) fn ok(what: CheckSubject, message: impl Into<String>) -> Check {
    Check { what, status: Status::Ok, message: message.into(), mend: None }
}

pub(super) fn warning(what: CheckSubject, message: impl Into<String>, mend: Option<&str>) -> Check {
    Check {
        what,
        status: Status::Warning,
        message: message.into(),
        mend: mend.filter(|mend| !mend.is_empty()).map(str::to_owned),
    }
}

pub(super) fn failed(
    what: CheckSubject,
    message: impl Into<String>,
    mend: impl Into<String>,
) -> Check {
    Check { what, status: Status::Failed, message: message.into(), mend: Some(mend.into()) }
}

/// Returns the passed check of a program that exists and may be run.
pub(super) fn quota(quota: &Quota) -> Check {
    ok(CheckSubject::Quota, format!("last known of {quota}"))
}

pub(super) fn program(agent: &Agent) -> Check {
    let path = agent.program.display();
    if agent.dangerous.is_empty() {
        return ok(CheckSubject::Program, path.to_string());
    }
    let flags = agent.dangerous.join(", ");
    warning(
        CheckSubject::Program,
        format!("{path}; `limits.allow_dangerous` permits {flags}"),
        Some("remove them unless you mean it: every result will say so"),
    )
}

/// Returns the failed check of an agent whose program is missing or may not be run, with a remedy.
pub(super) fn no_program(
    name: &str,
    error: &RosterError,
    elsewhere: Option<Found>,
    known: Probes,
) -> Check {
    let mend = match (error, elsewhere) {
        (RosterError::NotFound { .. } | RosterError::NotExecutable { .. }, Some(found)) => {
            format!("it is in {}: set `agents.{name}.path` to that", found.program.display())
        }
        (RosterError::NotFound { .. }, None) if !known.install.is_empty() => {
            format!("install it: {}", known.install)
        }
        (
            RosterError::NotFound { .. }
            | RosterError::NotExecutable { .. }
            | RosterError::UnknownAgent { .. }
            | RosterError::NoAgent { .. }
            | RosterError::NameDiffers { .. }
            | RosterError::Relative { .. }
            | RosterError::InWorkspace { .. }
            | RosterError::Replaceable { .. }
            | RosterError::Dangerous { .. }
            | RosterError::NoEffort { .. }
            | RosterError::NotPassed { .. }
            | RosterError::CannotRead { .. },
            _,
        ) => format!("change `agents.{name}` as it says"),
    };
    failed(CheckSubject::Program, error.to_string(), mend)
}

/// Returns the failed check of a call that could not be prepared.
pub(super) fn not_prepared(message: String) -> Check {
    failed(
        CheckSubject::Program,
        message,
        "see `debate-agent config show` for this agent's settings",
    )
}

/// Reads the version and compares it with the one that the profile was measured with.
pub(super) fn version(ending: &Ending, stdout: &[u8], known: Probes) -> (Option<String>, Check) {
    let text = sanitize::line(&String::from_utf8_lossy(stdout), 200);
    let found = find_version(&text).map(str::to_owned);
    let check = match (&found, ending) {
        (Some(version), Ending::Exited { code: 0 }) if version == known.measured => {
            ok(CheckSubject::Version, version.clone())
        }
        (Some(version), Ending::Exited { code: 0 }) => warning(
            CheckSubject::Version,
            format!("{version}; the profile was measured with {}", known.measured),
            None,
        ),
        (None, Ending::Exited { code: 0 }) => warning(
            CheckSubject::Version,
            format!("it prints no version: `{text}`"),
            Some("check that `path` is the program you mean"),
        ),
        (_, ending) => failed(
            CheckSubject::Version,
            format!("`{} {}` {ending}", known.program, known.version_args.join(" ")),
            format!("it does not start; install it again: {}", known.install),
        ),
    };
    (found, check)
}

fn find_version(text: &str) -> Option<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'))
        .map(|word| word.trim_start_matches('v').trim_end_matches(['.', '-']))
        .find(|word| word.split('.').count() >= 3 && word.starts_with(|c: char| c.is_ascii_digit()))
}

pub(super) fn flags(ending: &Ending, help: &str, known: Probes) -> Check {
    let args = known.help_args.join(" ");
    if *ending != (Ending::Exited { code: 0 }) {
        return warning(
            CheckSubject::Flags,
            format!("unknown: `{} {args}` {ending}", known.program),
            Some("run it by hand"),
        );
    }
    let named: Vec<&str> = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).collect();
    let missing: Vec<&str> =
        known.flags.iter().copied().filter(|flag| !named.contains(flag)).collect();
    if missing.is_empty() {
        return ok(
            CheckSubject::Flags,
            format!("all {} flags that are used exist", known.flags.len()),
        );
    }
    failed(
        CheckSubject::Flags,
        format!("its help does not name {}", missing.join(", ")),
        format!("update or go back to version {}: {}", known.measured, known.install),
    )
}

/// Judges the CLI's own login check. It ignores keys in the environment, so with a key it decides nothing.
pub(super) fn login(
    check: Option<&(Ending, OutputBuffer)>,
    key: Option<&str>,
    known: Probes,
) -> Check {
    match (check, key) {
        (Some((Ending::Exited { code: 0 }, _)), _) => {
            ok(CheckSubject::Login, "logged in (its own check; --live tries it)")
        }
        (_, Some(key)) => {
            ok(CheckSubject::Login, format!("{key} is set (not tried; --live tries it)"))
        }
        (None, None) => {
            warning(CheckSubject::Login, "unknown: this CLI has no login check", Some(known.log_in))
        }
        (Some((ending, printed)), None) if says_logged_out(ending, printed, known) => {
            failed(CheckSubject::Login, "not logged in, and no key is set", known.log_in)
        }
        (Some((ending, _)), None) => warning(
            CheckSubject::Login,
            format!("unknown: its login check {ending}"),
            Some(known.log_in),
        ),
    }
}

pub(super) fn live(failure: Option<String>, came_back: bool, answer: &str, known: Probes) -> Check {
    match failure {
        Some(failure) => {
            let log_in =
                if known.log_in.is_empty() { "see its documentation" } else { known.log_in };
            failed(
                CheckSubject::Live,
                failure,
                format!("run it by hand once; for a login: {log_in}"),
            )
        }
        None if came_back => ok(CheckSubject::Live, "the nonce came back"),
        None => failed(
            CheckSubject::Live,
            format!("it answered without the nonce: `{answer}`"),
            "check `model`, `args` and `output` of this agent: the answer may be read from the wrong place",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::agents::ProfileName;

    const DONE: Ending = Ending::Exited { code: 0 };

    fn status(check: &Check) -> Status {
        assert!(
            check.status != Status::Failed
                || check.mend.as_ref().is_some_and(|mend| !mend.is_empty()),
            "a failing line says how to mend it: {check:?}"
        );
        check.status
    }

    #[test]
    fn versions_are_found_in_what_the_vendors_print() {
        for (profile, text, found) in [
            (ProfileName::Claude, "2.1.330 (Claude Code)\n", Some("2.1.330")),
            (ProfileName::Codex, "codex-cli 0.169.0\n", Some("0.169.0")),
            (ProfileName::Gemini, "0.61.0\n", Some("0.61.0")),
            (ProfileName::Claude, "v3.0.0-beta.1", Some("3.0.0-beta.1")),
            // The version ends a sentence.
            (ProfileName::Copilot, "1.0.102.\nRun update.\n", Some("1.0.102")),
            (ProfileName::Claude, "hello", None),
        ] {
            let (version, check) = version(&DONE, text.as_bytes(), profile.profile().probes);
            assert_eq!(version.as_deref(), found, "{text}");
            let measured = found == Some(profile.profile().probes.measured);
            let expected = if measured { Status::Ok } else { Status::Warning };
            assert_eq!(status(&check), expected, "{text}");
        }
        let (_, check) = version(&Ending::TimedOut, b"", ProfileName::Claude.profile().probes);
        assert_eq!(status(&check), Status::Failed);
    }

    #[test]
    fn a_missing_flag_is_named_and_a_longer_one_is_not_mistaken_for_it() {
        let known = ProfileName::Gemini.profile().probes;
        let help = known.flags.join("  ...\n ");
        assert_eq!(status(&flags(&DONE, &help, known)), Status::Ok);
        let check = flags(&DONE, &help.replace("--model", "--model-router"), known);
        assert_eq!(status(&check), Status::Failed);
        assert!(check.message.ends_with("does not name --model"), "{check:?}");
        assert_eq!(status(&flags(&Ending::Exited { code: 1 }, "", known)), Status::Warning);
    }

    #[test]
    fn the_login_check_decides_only_where_no_key_is_set() {
        let known = ProfileName::Codex.profile().probes;
        let said = |ending: Ending, words: &str| {
            let printed =
                OutputBuffer { stderr: words.as_bytes().to_vec(), ..OutputBuffer::default() };
            Some((ending, printed))
        };
        let exit = |code| Ending::Exited { code };
        for (check, key, expected) in [
            (said(DONE, "Logged in"), None, Status::Ok),
            (said(exit(1), "Not logged in"), Some("CODEX_API_KEY"), Status::Ok),
            (said(exit(1), "Not logged in\n"), None, Status::Failed),
            // Any other output says nothing about the login.
            (said(exit(1), "error: no such command"), None, Status::Warning),
            (said(Ending::TimedOut, "Not logged in"), None, Status::Warning),
            (None, None, Status::Warning),
            (None, Some("GEMINI_API_KEY"), Status::Ok),
        ] {
            assert_eq!(status(&login(check.as_ref(), key, known)), expected, "{check:?} {key:?}");
        }
    }

    #[test]
    fn a_live_call_counts_only_if_the_nonce_came_back() {
        let known = ProfileName::Claude.profile().probes;
        assert_eq!(status(&live(None, true, "", known)), Status::Ok);
        assert_eq!(status(&live(None, false, "hello", known)), Status::Failed);
        assert_eq!(status(&live(Some("no login".to_owned()), true, "", known)), Status::Failed);
    }
}
