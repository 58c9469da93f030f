//! Tests of the client's view of a use case's error.

use super::*;
use crate::error::Kind;

fn said(error: Error) -> String {
    match refusal(error) {
        Answer::Refused(why) => why,
        Answer::Result(value) => panic!("an error became a result: {value}"),
    }
}

#[test]
fn an_error_names_the_clients_field_and_no_option_of_the_command_line() {
    let panel = Error::new(Kind::Usage, "it takes 2 to 9 agents, 1 given")
        .named("panel")
        .hint("name them: `--agents claude,codex`, or in `debate.default_agents`");
    assert_eq!(said(panel), "`agents`: it takes 2 to 9 agents, 1 given");
    let known = Error::new(Kind::Usage, "there is no agent `x`")
        .named("participants")
        .hint("configured are claude, codex");
    assert_eq!(said(known), "`participants`: there is no agent `x` (configured are claude, codex)");
    for (code, field) in
        [("artifact_missing", "artifact"), ("context_not_json", "context"), ("unknown_ref", "base")]
    {
        let error = Error::new(Kind::Input, "no").named(code);
        assert_eq!(said(error), format!("`{field}`: no"), "{code}");
    }
    let hostile = Error::new(Kind::Usage, format!("no `\u{1b}[31m\n{}`", "x".repeat(9_000)));
    let hostile = said(hostile.named("panel"));
    assert!(hostile.starts_with("`agents`: no `"), "{hostile}");
    assert!(!hostile.contains(['\u{1b}', '\n']) && hostile.chars().count() < 4_100);
    // Codes that merely begin with a known one.
    let other = Error::new(Kind::State, "no").named("presets");
    assert_eq!(said(other), "no");
}

#[test]
fn what_is_not_trusted_is_for_the_user_to_look_at() {
    let error = Error::new(Kind::Trust, "the project brings `agents.claude.path`")
        .named("untrusted")
        .hint("review it, then run `debate-agent trust` (or name the file with --config)");
    assert_eq!(
        said(error),
        "the project brings `agents.claude.path` (the user has to review it and run `debate-agent trust` there in a terminal)"
    );
}

#[test]
fn what_only_the_user_can_do_is_said_to_be_the_users() {
    let drift = Error::new(Kind::Trust, "the session was made with different files")
        .named("drift")
        .hint("restore them (give `--agents` and `--seat` again), or `debate-agent sessions resume 0190 --accept-drift`: it is paid again");
    assert_eq!(
        said(drift),
        "the session was made with different files (only the user can, in a terminal: `debate-agent sessions resume 0190 --accept-drift`)"
    );
    let vendors = Error::new(Kind::Environment, "one vendor")
        .hint("seat another: `--agents a,b`; `debate-agent doctor` says who is installed");
    assert_eq!(
        said(vendors),
        "one vendor (only the user can, in a terminal: `debate-agent doctor`)"
    );
}
