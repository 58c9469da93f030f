//! Results of registrations as text for people.

use std::path::Path;

use super::{
    Answer, ClientChange, ClientStatus, ClientsStatus, Registration, RegistrationResult, Server,
};
use crate::text::sanitize;

/// Returns a word in shell syntax, quoted if necessary.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns a command line ready to be typed.
pub fn line<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| quoted(word)).collect();
    words.join(" ")
}

fn server(server: &Server) -> String {
    line(std::iter::once(&server.command).chain(&server.args))
}

/// Returns the result of a registration, for a terminal.
pub fn change(done: &ClientChange) -> String {
    let title = done.client.title();
    let (name, scope) = (&done.name, done.scope.name());
    let file = done.file.display();
    let head = match (done.done, done.dry_run) {
        (RegistrationResult::Registered, false) => {
            format!("registered {name} with {title} ({scope})")
        }
        (RegistrationResult::Registered, true) => {
            format!("would register {name} with {title} ({scope})")
        }
        (RegistrationResult::Replaced, false) => format!("replaced {name} with {title} ({scope})"),
        (RegistrationResult::Replaced, true) => {
            format!("would replace {name} with {title} ({scope})")
        }
        (RegistrationResult::Removed, false) => format!("removed {name} from {title} ({scope})"),
        (RegistrationResult::Removed, true) => {
            format!("would remove {name} from {title} ({scope})")
        }
        (RegistrationResult::AlreadyRegistered, _) => {
            format!("{name} is already registered with {title} ({scope}); nothing was changed")
        }
        (RegistrationResult::NotRegistered, _) => {
            format!("{name} is not registered with {title} ({scope}); nothing was changed")
        }
    };
    let mut lines = vec![head, format!("  file    {file}")];
    if let Some(real) = &done.real_file {
        lines.push(format!("          a link to {}", real.display()));
    }
    match done.done {
        RegistrationResult::Registered
        | RegistrationResult::AlreadyRegistered
        | RegistrationResult::Replaced => {
            lines.push(format!("  server  {}", server(&done.server)));
            lines.push(format!("          {}", done.found));
        }
        RegistrationResult::Removed | RegistrationResult::NotRegistered => {}
    }
    let verb = if done.dry_run { "would run" } else { "ran" };
    lines.extend((done.commands.iter()).map(|words| format!("  {verb:<7} {}", line(words))));
    if let Some(backup) = &done.backup {
        lines.push(format!("  backup  {}", backup.display()));
    }
    lines.extend(done.notes.iter().map(|note| format!("  note    {note}")));
    if let Some(diff) = done.diff.as_deref().filter(|_| done.dry_run) {
        lines.push(String::new());
        lines.push(diff.trim_end().to_owned());
        lines.push(String::new());
    }
    if done.dry_run {
        lines.push("nothing was run, nothing was written".to_owned());
    }
    sanitize::terminal(&(lines.join("\n") + "\n"))
}

/// Returns the clients with which this program is registered, for a terminal.
pub fn status(status: &ClientsStatus) -> String {
    let mut lines = vec![
        format!("debate-agent {}: {}", status.version, server(&status.server)),
        format!("  {}", status.found),
    ];
    for client in &status.clients {
        lines.extend(one(client));
    }
    sanitize::terminal(&(lines.join("\n") + "\n"))
}

fn one(client: &ClientStatus) -> Vec<String> {
    let word = client.client.name();
    let mut lines = Vec::new();
    if client.registrations.is_empty() && client.unreadable.is_empty() {
        lines.push(if client.present {
            format!("{word:<15} not registered: `debate-agent mcp install {word}`")
        } else {
            format!("{word:<15} not found on this machine")
        });
    }
    for registration in &client.registrations {
        lines.extend(registered(word, registration));
    }
    lines.extend(
        client.unreadable.iter().map(|it| {
            format!("{word:<15} UNKNOWN: {} cannot be read: {}", it.file.display(), it.why)
        }),
    );
    lines
}

fn registered(word: &str, it: &Registration) -> Vec<String> {
    let state = match &it.answer {
        Answer::Yes { name, version, tools, milliseconds } => {
            format!("answers: {name} {version}, {tools} tools, {milliseconds} ms")
        }
        Answer::No { why } => format!("DOES NOT ANSWER: {why}"),
        Answer::NotTried { why } => format!("not tried: {why}"),
    };
    let whose = match (&it.server, it.ours) {
        (None, _) => "",
        (Some(_), true) => " (this binary)",
        (Some(_), false) => " (a different binary)",
    };
    let command = it.server.as_ref().map_or_else(|| "no program".to_owned(), server);
    let indent = " ".repeat(15);
    vec![
        format!("{word:<15} {state}"),
        format!("{indent} {}: {command}{whose}", it.name),
        format!("{indent} {}: {}", it.scope.name(), shown(&it.file)),
    ]
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}
