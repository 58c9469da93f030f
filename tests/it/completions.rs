//! Completion scripts, sourced by the real shells and queried as a Tab key would.

use std::path::PathBuf;
use std::process::Command;

use crate::support::Sandbox;

/// Starts a shell.
#[expect(clippy::disallowed_methods, reason = "the real shells read the scripts")]
fn start(program: &str) -> Command {
    Command::new(program)
}

/// Writes a shell's script; returns its sandbox and its path. `None`: the shell is not installed.
fn installed(shell: &str) -> Option<(Sandbox, PathBuf)> {
    if start(shell).arg("--version").output().is_err() {
        eprintln!("skipped: {shell} is not installed");
        return None;
    }
    let sandbox = Sandbox::new();
    let script = sandbox.run(&["completions", shell]).exits(0).stdout.clone();
    // zsh loads it by this name.
    sandbox.write("_debate-agent", script);
    let path = sandbox.project().join("_debate-agent");
    Some((sandbox, path))
}

/// Runs a shell over a text; returns what it prints.
fn shell(sandbox: &Sandbox, program: &str, args: &[&str]) -> String {
    let output = start(program)
        .args(args)
        .current_dir(sandbox.project())
        .env("HOME", sandbox.home())
        .env("TERM", "xterm")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The command line, with the word to be completed last, and the only candidate allowed.
const TYPED: [(&str, &str); 5] = [
    ("sessions sh", "show"),
    ("review --fail-on ", "P0 P1 P2"),
    ("mcp install cu", "cursor"),
    ("completions fi", "fish"),
    ("prior", "prioritize"),
];

#[test]
fn bash_completes_behind_the_first_word() {
    let Some((sandbox, script)) = installed("bash") else {
        return;
    };
    for (typed, offered) in TYPED {
        let line = format!("debate-agent {typed}");
        let ask = format!(
            r#"source '{}'
            line='{line}'; IFS=' ' read -ra COMP_WORDS <<< "$line"
            [[ $line == *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); COMP_LINE=$line; COMP_POINT=${{#line}}
            asked=$(complete -p debate-agent); asked=${{asked##*-F }}
            ${{asked%% *}} debate-agent "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
            echo "${{COMPREPLY[*]}}""#,
            script.display()
        );
        let said = shell(&sandbox, "bash", &["--norc", "-c", &ask]);
        let said: Vec<&str> = said.split_whitespace().collect();
        let wanted: Vec<&str> = offered.split(' ').collect();
        assert_eq!(said, wanted, "{typed}");
    }
}

#[test]
fn fish_completes_behind_the_first_word() {
    let Some((sandbox, script)) = installed("fish") else {
        return;
    };
    for (typed, offered) in TYPED {
        let ask = format!("source '{}'; complete -C 'debate-agent {typed}'", script.display());
        let said = shell(&sandbox, "fish", &["--no-config", "-c", &ask]);
        let mut said: Vec<&str> =
            (said.lines()).filter_map(|line| line.split('\t').next()).collect();
        said.sort_unstable();
        let wanted: Vec<&str> = offered.split(' ').collect();
        assert_eq!(said, wanted, "{typed}");
    }
}

#[test]
fn zsh_completes_behind_the_first_word() {
    let Some((sandbox, script)) = installed("zsh") else {
        return;
    };
    let folder = script.parent().unwrap().display();
    let out = sandbox.project().join("completed");
    // A shell at a pseudo-terminal, in which a key completes the line and prints it.
    let driver = format!(
        r#"zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z "PS1=; fpath=('{folder}' \$fpath); autoload -Uz compinit; compinit -u -D; setopt no_beep"
        zpty -w z "said() {{ zle complete-word; print -r -- \"\$BUFFER\" > '{out}.part'; mv '{out}.part' '{out}' }}; zle -N said; bindkey '^X' said; : > ready"
        for n in {{1..200}}; do [[ -e ready ]] && break; sleep 0.05; done
        zpty -w -n z "$1"$'\x18'
        for n in {{1..200}}; do [[ -e '{out}' ]] && break; sleep 0.05; done
        cat '{out}'; rm -f '{out}' ready
        zpty -d z"#,
        out = out.display()
    );
    for (typed, offered) in TYPED {
        // With several candidates the line contains their common prefix.
        let completed = match offered.split_once(' ') {
            None => offered,
            Some(_) => "P",
        };
        let (before, _) = typed.rsplit_once(' ').unwrap_or(("", typed));
        let line = format!("debate-agent {typed}");
        let said = shell(&sandbox, "zsh", &["-f", "-c", &driver, "zsh", &line]);
        let wanted = format!("debate-agent {before} {completed}").replace("  ", " ");
        assert_eq!(said.trim(), wanted, "{typed}");
    }
}
