//! Completion scripts.

use std::fmt::Write as _;

use clap_complete::Shell;

use super::args::command;
use crate::app::sessions::SESSION;

const NAME: &str = "debate-agent";

const IDS: &str = "debate-agent sessions ids 2>/dev/null";

pub(super) fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut command(), NAME, &mut bytes);
    let script = String::from_utf8_lossy(&bytes);
    match shell {
        // clap_complete (4.6.11, `bash.rs`) replaces the hyphen of the program's own name by the separator of
        // subcommands where it writes the cases, but not where it sets the value that they compare: no case ever
        // matched.
        Shell::Bash => bash_sessions(script.replace("debate__subcmd__agent", "debate__agent")),
        Shell::Zsh => zsh_sessions(&script),
        Shell::Fish => script.into_owned() + &fish_values(),
        Shell::Elvish | Shell::PowerShell | _ => script.into_owned(),
    }
}

/// Offers ids where a session is wanted, beside the command's options.
fn bash_sessions(mut script: String) -> String {
    for outer in command().get_subcommands() {
        for inner in outer.get_subcommands().filter(|inner| inner.get_positionals().any(is_session))
        {
            let (outer, inner) = (outer.get_name(), inner.get_name());
            let case = format!("__{outer}__subcmd__{inner})\n            opts=\"");
            script = script.replace(&case, &format!("{case}$({IDS}) "));
        }
    }
    script
}

fn is_session(argument: &clap::Arg) -> bool {
    argument.get_value_names().is_some_and(|names| names == [SESSION])
}

/// Offers ids in place of files, where a session is wanted.
fn zsh_sessions(script: &str) -> String {
    let ids = format!(":{{compadd -- $({IDS})}}'");
    let of_session = |line: &str| line.trim_start_matches(['\'', ':']).starts_with("session -- ");
    let lines = script.lines().map(|line| {
        let line =
            if of_session(line) { line.replace(":_default'", &ids) } else { line.to_owned() };
        line + "\n"
    });
    lines.collect()
}

/// The values of arguments without a flag, which `clap_complete` (4.6.11, `fish.rs`) does not offer.
fn fish_values() -> String {
    let mut root = command();
    root.build();
    let mut lines = String::new();
    for outer in root.get_subcommands() {
        let used = format!("__fish_debate_agent_using_subcommand {}", outer.get_name());
        offer(&mut lines, &used, outer);
        for inner in outer.get_subcommands() {
            let seen = format!("__fish_seen_subcommand_from {}", inner.get_name());
            offer(&mut lines, &format!("{used}; and {seen}"), inner);
        }
    }
    lines
}

fn offer(lines: &mut String, condition: &str, command: &clap::Command) {
    for argument in command.get_positionals() {
        let values = argument.get_possible_values();
        let names: Vec<&str> = values.iter().map(clap::builder::PossibleValue::get_name).collect();
        let is_session = is_session(argument);
        if is_session || !names.is_empty() {
            let names = if is_session { format!("({IDS})") } else { names.join(" ") };
            writeln!(lines, "complete -c {NAME} -n \"{condition}\" -f -a \"{names}\"").ok();
        }
    }
}
