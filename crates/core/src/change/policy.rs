//! Which files reviewers are not shown, and by which rule.
//!
//! # Theory of operation
//!
//! A review may be clean despite files that are left out, so nothing the change itself claims may leave out code: neither
//! a name it chooses nor a marker it writes. Files that nobody can read are left out by their nature (binary files,
//! submodules, secrets that are not tracked). Only these may leave out others:
//!
//! * the user: the patterns of `review.exclude` and `review.secrets`, which a project sets only with trust, and the
//!   user's own attributes of git;
//! * the base revision: its attributes, and a generator's marker among a file's first lines there;
//! * built-in lists: the lock files of the embedded `review.exclude` that the base has too, and files that this program
//!   writes, unless they are executable.
//!
//! A tracked file whose name says that it holds secrets, or that contains only private keys, goes into no prompt either,
//! but then the review reports that nobody looked at it. Code is shown whatever its name, with the keys in it removed.

use std::collections::HashSet;
use std::sync::LazyLock;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{ChangeKind, Hunk, Omission, Reason, logins};
use crate::text::{generated, sanitize, word};

mod key;

pub use key::{holds_private_key, is_private_key, without_keys_of};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: `{pattern}` is not a valid .gitignore pattern: {why}")]
pub struct PatternError {
    pub key: &'static str,
    pub pattern: String,
    pub why: String,
}

/// The rules of one review.
#[derive(Debug)]
pub struct Policy {
    exclude: Gitignore,
    secrets: Gitignore,
    own: Vec<String>,
    /// Patterns of `exclude` that the built-in list has too.
    locks: Vec<String>,
    /// Whether the patterns come from somebody entitled to decide what is left out.
    trusted: bool,
}

/// The mode of a regular file that is not executable.
pub const PLAIN: &str = "100644";

/// Files at the top of a project that steer a review: no pattern hides them.
const STEERING: [&str; 2] = ["debate-agent.config.json", "debate-agent.known-findings.json"];

impl Policy {
    /// Creates the rules.
    ///
    /// `exclude` and `secrets` are patterns as in a `.gitignore` at the top of the repository; `own` are
    /// this program's folders; those containing a path in `named` are still reviewed.
    ///
    /// # Errors
    /// A pattern is invalid.
    pub fn new(
        exclude: &[String],
        secrets: &[String],
        own: &[String],
        named: &[String],
    ) -> Result<Self, PatternError> {
        let is_named = |dir: &str| named.iter().any(|path| is_in(path, dir));
        let own = own.iter().map(|dir| dir.trim_matches('/'));
        Ok(Self {
            exclude: matcher("review.exclude", exclude)?,
            secrets: matcher("review.secrets", secrets)?,
            own: own.filter(|dir| !dir.is_empty() && !is_named(dir)).map(str::to_owned).collect(),
            locks: Vec::new(),
            trusted: true,
        })
    }

    /// Names the patterns that are those of the built-in list of lock files.
    #[must_use]
    pub fn with_locks(mut self, locks: Vec<String>) -> Self {
        self.locks = locks;
        self
    }

    /// Marks the patterns as those of an untrusted project: files they leave out count as not looked at.
    #[must_use]
    pub const fn untrusted(mut self) -> Self {
        self.trusted = false;
        self
    }

    /// Returns why a file is left out by its name and mode, if it is. Its previous name does not count.
    pub fn by_name(&self, path: &str, mode: &str) -> Option<Reason> {
        let base = path.rsplit('/').next().unwrap_or(path);
        if STEERING.contains(&base) {
            return None;
        }
        if let Some(dir) = self.own.iter().find(|dir| is_in(path, dir))
            && mode == PLAIN
            && is_written_by_us(path[dir.len()..].trim_start_matches('/'))
        {
            let detail = format!("`{dir}` holds debate-agent's own files");
            return Some(Reason::left_out(Omission::Own, detail));
        }
        let pattern = |key: &str, pattern: &str| {
            let pattern = sanitize::line(pattern, 200);
            let whose = if self.trusted { "" } else { " of an untrusted project" };
            format!("{key}{whose} contains `{pattern}`")
        };
        let name = sanitize::line(path, 200);
        if let Some(found) = matched(&self.secrets, path) {
            let detail = format!("`{name}`: {}", pattern("review.secrets", &found));
            return Some(self.by_pattern(Omission::Secret, detail));
        }
        if let Some(found) = matched(&self.exclude, path) {
            if self.locks.contains(&found) {
                return Some(Reason::left_out(Omission::Lock, "review.exclude's built-in list"));
            }
            let detail = pattern("review.exclude", &found);
            return Some(self.by_pattern(Omission::Excluded, detail));
        }
        let rule = secret_name(path)?;
        Some(Reason::missed(Omission::Secret, format!("`{name}`: {rule}")))
    }

    /// Returns the reason for an untracked file in place of `reason`: a secret that nobody has committed is no part of the
    /// change, unless it is code or an untrusted project calls it a secret.
    pub fn untracked(&self, path: &str, reason: Reason) -> Reason {
        let by_stranger = !self.trusted && matched(&self.secrets, path).is_some();
        if reason.why != Omission::Secret || is_code(path) || by_stranger {
            return reason;
        }
        let bare = "no ignore rule covers it, and `git add .` would commit it";
        Reason::left_out(Omission::UntrackedSecret, format!("{}; {bare}", reason.detail))
    }

    fn by_pattern(&self, why: Omission, detail: String) -> Reason {
        Reason { why, detail, missed: !self.trusted }
    }

    /// Returns the rule by which a file's previous name keeps it out of a prompt, if one does.
    ///
    /// Code is judged by its new name alone.
    pub fn by_old_name(&self, path: &str, old_path: &str) -> Option<Reason> {
        let old = self.by_name(old_path, PLAIN)?;
        (old.why == Omission::Secret && !is_code(path)).then(|| {
            let detail = format!("it was {}", old.detail);
            Reason::missed(Omission::Secret, detail)
        })
    }
}

/// Whether a path is a folder or is inside it.
fn is_in(path: &str, dir: &str) -> bool {
    path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a file in one of this program's folders is of a kind that it writes: records and prose, never code.
fn is_written_by_us(within: &str) -> bool {
    const ENDS: [&str; 5] = ["md", "json", "jsonl", "lock", "log"];
    let base = within.rsplit('/').next().unwrap_or(within);
    // An agent's answer, named by its SHA-256.
    let is_digest = base.len() == 64 && base.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = within.split('/').collect();
    let answer = is_digest && matches!(parts[..], ["sessions", _, "answers", _]);
    let end = base.rsplit_once('.').map(|(_, end)| end);
    answer || base == ".gitignore" || end.is_some_and(|end| ENDS.contains(&end))
}

fn matcher(key: &'static str, patterns: &[String]) -> Result<Gitignore, PatternError> {
    let failed = |pattern: &str, error: &ignore::Error| PatternError {
        key,
        pattern: sanitize::line(pattern, 200),
        why: error.to_string(),
    };
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        (builder.add_line(None, pattern)).map_err(|error| failed(pattern, &error))?;
    }
    builder.build().map_err(|error| failed(&patterns.join(", "), &error))
}

fn matched(patterns: &Gitignore, path: &str) -> Option<String> {
    // A leading `/` (a hostile patch) would lie outside the patterns' root.
    let path = path.trim_matches('/');
    if patterns.is_empty() || path.is_empty() {
        return None;
    }
    match patterns.matched_path_or_any_parents(path, false) {
        ignore::Match::Ignore(glob) => Some(glob.original().to_owned()),
        ignore::Match::None | ignore::Match::Whitelist(_) => None,
    }
}

/// Suffixes of `.env` files meant to be shared.
const EXAMPLES: [&str; 5] = [".example", ".sample", ".template", ".dist", ".tpl"];

/// Complete names of files that hold logins.
static LOGINS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("policy/logins.txt")));

const KEYS: [&str; 9] =
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".p8"];

/// Extensions of code and prose, in whose names `secrets` and `credentials` are ordinary words.
static CODE: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("policy/code.txt")));

/// Extensions of binary files.
static BINARY: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("policy/binary.txt")));

/// Extensions of other formats of text.
static TEXT: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("policy/text.txt")));

/// Names of scripts without an extension.
static SCRIPTS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("policy/scripts.txt")));

/// Extensions of shell code: environment files are often written in it.
const SHELL: [&str; 4] = ["bash", "fish", "sh", "zsh"];

/// The extension of a name in lower case; empty if it has none.
fn end(path: &str) -> String {
    let base = path.rsplit('/').next().unwrap_or(path);
    match base.rsplit_once('.') {
        Some((stem, end)) if !stem.is_empty() => end.to_lowercase(),
        Some(_) | None => String::new(),
    }
}

/// Returns the reason for leaving out a file that is not text; `first`: its first bytes, `None` where only git or a patch
/// says that it is binary. Nothing hides code: what is named as code or text, what begins as a script, and what has no
/// name of a binary file where nobody has seen its bytes, should have been read.
pub fn binary(path: &str, first: Option<&[u8]>) -> Reason {
    let path = path.to_lowercase();
    let base = path.rsplit('/').next().unwrap_or(&path);
    let script = SCRIPTS.contains(base.split('.').next().unwrap_or(base));
    let end = end(&path);
    let seen = match first {
        Some(bytes) => !bytes.starts_with(b"#!"),
        None => BINARY.contains(end.as_str()),
    };
    if script || !seen || is_code(&path) || TEXT.contains(end.as_str()) {
        let detail =
            "it cannot be read as text, and its name does not say that it is a binary file";
        return Reason::missed(Omission::Binary, detail);
    }
    Reason::left_out(Omission::Binary, "its content is not text")
}

pub(super) fn is_code(path: &str) -> bool {
    CODE.contains(&end(path).as_str())
}

/// Returns the built-in rule by which a name denotes secrets, if one does.
#[expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "the name is in lower case by then"
)]
fn secret_name(path: &str) -> Option<&'static str> {
    let path = path.to_lowercase();
    let base = path.rsplit('/').next().unwrap_or(&path);
    let example = || EXAMPLES.iter().any(|end| base.ends_with(end));
    let code = is_code(&path);
    let shell = SHELL.contains(&end(&path).as_str());
    if (base.starts_with(".env") || base.ends_with(".env")) && !example() && (!code || shell) {
        return Some("environment files hold secrets");
    }
    if code {
        return None;
    }
    if KEYS.iter().any(|end| base.ends_with(end)) {
        return Some("files like this hold private keys");
    }
    let ssh = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
    if ssh.iter().any(|name| base.starts_with(name)) && !base.ends_with(".pub") {
        return Some("files like this hold private keys");
    }
    if let Some(why) = logins::by_path(&path) {
        return Some(why);
    }
    if LOGINS.contains(base) {
        return Some("files like this hold credentials");
    }
    let secrets = base == "secrets" || base.starts_with("secrets.") || base.starts_with("secret.");
    if (base.starts_with("credentials") || secrets) && !example() {
        return Some("its name suggests that it holds secrets");
    }
    None
}

/// Returns why a file is left out by its content, if it is. `text` is its new content, as far as it is known; `marked`
/// means that the base revision has a generator's marker among its first lines.
pub fn by_content(
    kind: ChangeKind,
    marked: bool,
    hunks: &[Hunk],
    text: Option<&str>,
) -> Option<Reason> {
    if is_private_key(hunks, text) {
        let detail = "it is a private key";
        return Some(Reason::missed(Omission::Secret, detail));
    }
    // A generator's marker counts if the base revision has it and the file keeps it: under the same name, on a line
    // that the change did not add.
    let kept = matches!(kind, ChangeKind::Modified | ChangeKind::ModeChanged);
    let still = || text.is_some_and(|text| generated::is_generated_text(text.as_bytes()));
    let brought_in = || {
        hunks.iter().any(|hunk| {
            let added = hunk.body.lines().filter_map(|line| line.strip_prefix('+'));
            added.take(100).any(|line| generated::is_generated_text(line.as_bytes()))
        })
    };
    (kept && marked && still() && !brought_in()).then(|| {
        let detail = "its first lines already said that a program writes it";
        Reason::left_out(Omission::Generated, detail)
    })
}

#[cfg(test)]
mod tests;
