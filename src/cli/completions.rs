//! Completion scripts.

use std::fmt::Write as _;

use clap_complete::Shell;

use super::args::command;

const NAME: &str = "debate-agent";

/// Returns the completion script of a shell.
pub(super) fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut command(), NAME, &mut bytes);
    let script = String::from_utf8_lossy(&bytes);
    match shell {
        // clap_complete (4.6.11, `bash.rs`) replaces the hyphen of the program's own name by the separator of
        // subcommands where it writes the cases, but not where it sets the value that they compare: no case ever
        // matched.
        Shell::Bash => script.replace("debate__subcmd__agent", "debate__agent"),
        Shell::Fish => script.into_owned() + &fish_values(),
        Shell::Elvish | Shell::PowerShell | Shell::Zsh | _ => script.into_owned(),
    }
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
        if !names.is_empty() {
            let names = names.join(" ");
            writeln!(lines, "complete -c {NAME} -n \"{condition}\" -f -a \"{names}\"").ok();
        }
    }
}
