//! An agent that starts a debate of its own: refused, whatever it does to its environment and its parents (F90, S19).
#![cfg(target_os = "linux")]

use std::fs;

use crate::support::{BIN, Sandbox};

/// Commands that would ask an agent, a server that would let a client ask, and the registration of such a server.
const COMMANDS: [&str; 12] = [
    "run claude hi",
    "prioritize backlog.json",
    "prioritize backlog.json --rehearse",
    "debate tabs --rehearse",
    "discover --rehearse",
    "review --rehearse",
    "plan a-task --rehearse",
    "discuss backlog.json --rehearse",
    "doctor --live",
    "mcp serve",
    "mcp serve --rehearse",
    "mcp install claude --dry-run",
];

/// The agent's script: each command once, in the given way; exit codes and outputs are kept.
fn agent(way: &str) -> String {
    let commands = COMMANDS.map(|command| format!("'{command}'")).join(" ");
    format!(
        "mkdir \"$fake/nested.once\" && (cd \"$fake/../../project\" && git init -q && for line in {commands}; do\n\
         {way} {BIN} $line >>$fake/nested.out 2>&1 </dev/null; echo \"$? $line\" >>$fake/nested.codes\ndone)\n"
    )
}

/// Runs a debate of three calls whose champion is that agent. Returns the exit codes and the outputs.
#[track_caller]
fn nested(script: &str) -> (Vec<String>, String) {
    let sandbox = Sandbox::new().fake("r1_champion.sh", script);
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json"]).exits(0);
    let read = |name: &str| fs::read_to_string(sandbox.home().join(".fake").join(name)).unwrap();
    // One level: the three calls of the outer debate, and no others.
    assert_eq!(sandbox.calls().len(), 3, "{:?}", sandbox.ledger());
    assert_eq!(sandbox.sessions().len(), 1);
    let codes = read("nested.codes").lines().map(str::to_owned).collect();
    (codes, read("nested.out"))
}

#[track_caller]
fn all_refused(codes: &[String], said: &str, why: &str) {
    assert_eq!(codes.len(), COMMANDS.len(), "{codes:?}");
    for code in codes {
        assert!(code.starts_with("3 "), "{code}\n{said}");
    }
    assert_eq!(said.matches(why).count(), COMMANDS.len(), "{said}");
}

#[test]
fn the_process_tree_alone_refuses_every_command_and_the_server() {
    let way = "env -i HOME=\"$HOME\" PATH=\"$PATH\"";
    let (codes, said) = nested(&agent(way));
    all_refused(&codes, &said, "a running debate is above it in the process tree");
}

#[test]
fn the_variable_alone_refuses_as_well() {
    let (codes, said) = nested(&agent(""));
    all_refused(&codes, &said, "DEBATE_AGENT_DEPTH is set");
    let sandbox = Sandbox::new().env("DEBATE_AGENT_DEPTH", "0");
    sandbox.six();
    let run = sandbox.run(&["prioritize", "backlog.json", "--rehearse"]);
    run.exits(3).says("DEBATE_AGENT_DEPTH is set");
    assert!(sandbox.sessions().is_empty());
}

#[test]
#[cfg_attr(
    portable,
    ignore = "guards adopt nobody there: its parent is the first process of the machine"
)]
fn a_program_that_leaves_its_session_and_its_parent_is_still_below_its_guard() {
    // The shell between ends at once, so its child is an orphan in a session of its own; its guard adopts it.
    let orphan = "mkdir \"$fake/nested.once\" && cd \"$fake/../../project\" && cat >\"$fake/orphan\" <<'END'\n\
        while [ \"$(ps -o ppid= -p $$ | tr -d ' ')\" = \"$1\" ]; do sleep 0.01; done\n\
        \"$2\" debate tabs --rehearse >>\"$3/nested.out\" 2>&1 </dev/null; echo \"$? debate\" >\"$3/codes\"; mv \"$3/codes\" \"$3/nested.codes\"\n\
        END\n";
    let script = format!(
        "{orphan}sh -c 'env -i HOME=\"$HOME\" PATH=\"$PATH\" setsid sh \"$2/orphan\" $$ \"$1\" \"$2\" </dev/null >/dev/null 2>&1 & :' sh {BIN} \"$fake\"\n\
         for _ in $(seq 1 3000); do [ -f \"$fake/nested.codes\" ] && break; sleep 0.01; done\n"
    );
    let (codes, said) = nested(&script);
    assert_eq!(codes, ["3 debate"], "{said}");
    assert!(said.contains("above it in the process tree"), "{said}");
}

#[test]
fn what_only_looks_like_a_guard_refuses_nobody() {
    let sandbox = Sandbox::new();
    sandbox.six();
    let script = "exec -a debate-agent sh -c '\"$0\" \"$@\"; exit $?' __guard \"$@\"";
    // A shell that calls itself debate-agent, but whose first argument is `-c`.
    let run = crate::support::live::shell(
        &sandbox,
        script,
        &[BIN, "prioritize", "backlog.json", "--rehearse"],
        &sandbox.project(),
    );
    // `$0` of the inner shell is `__guard`, which is not a program: the rest of the line is run.
    assert_eq!(run.code, 127, "{}", run.stderr);
    let script = "exec -a __guard sh -c '\"$@\"; exit $?' __guard \"$0\" \"$@\"";
    let run = crate::support::live::shell(
        &sandbox,
        script,
        &["prioritize", "backlog.json", "--rehearse"],
        &sandbox.project(),
    );
    run.exits(0);
}
