//! Completion scripts.

use clap_complete::Shell;

use super::output::command;

/// The program's name.
const NAME: &str = "debate-agent";

/// Returns the completion script of a shell.
pub(super) fn script(shell: Shell) -> String {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut command(), NAME, &mut bytes);
    let script = String::from_utf8_lossy(&bytes);
    if shell == Shell::Bash {
        // clap_complete (4.6.11, `bash.rs`) puts the separator of subcommands in place of the hyphen of the program's
        // own name where it writes the cases, and not where it sets what they compare: no case was ever met.
        script.replace("debate__subcmd__agent", "debate__agent")
    } else {
        script.into_owned()
    }
}
