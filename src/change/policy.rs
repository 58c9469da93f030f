//! Which files nobody is shown, and by which rule.
//!
//! A rule looks at names, old and new ones, and at what a file says. Whatever it leaves out is named
//! with its reason: a review may be clean beside that list, so no rule may hide what a reviewer
//! should have seen. Hence words in a name that code has too (`secrets.rs`) count only in files that are
//! no code, and a mark of a generator counts only if the change does not bring it in itself.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{ChangeKind, Hunk, LeftOut};
use crate::text::{generated, sanitize};

/// A pattern that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: `{pattern}` is no pattern of a .gitignore: {why}")]
pub struct PatternError {
    /// The setting.
    pub key: &'static str,
    /// The pattern.
    pub pattern: String,
    /// What is wrong with it.
    pub why: String,
}

/// The rules of one review.
#[derive(Debug)]
pub struct Policy {
    exclude: Gitignore,
    secrets: Gitignore,
    own: Vec<String>,
}

/// Why a file is left out, and the sentence for people.
pub type Reason = (LeftOut, String);

impl Policy {
    /// Makes the rules.
    ///
    /// `exclude` and `secrets` are patterns as in a `.gitignore` at the top of the repository; `own` are
    /// this program's folders; those that `named` paths lead into are reviewed all the same.
    ///
    /// # Errors
    /// A pattern is none.
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
            own: own
                .filter(|dir| !dir.is_empty() && !is_named(dir))
                .map(str::to_owned)
                .collect(),
        })
    }

    /// Says why a file is left out by its names, if it is.
    pub fn by_name(&self, path: &str, old_path: Option<&str>) -> Option<Reason> {
        let names = || [Some(path), old_path].into_iter().flatten();
        if let Some(dir) = self.own.iter().find(|dir| is_in(path, dir)) {
            return Some((
                LeftOut::Own,
                format!("`{dir}` holds debate-agent's own files"),
            ));
        }
        if let Some((name, rule)) = names().find_map(|name| Some((name, self.secret_name(name)?))) {
            let whose = if name == path { "" } else { "it was " };
            let name = sanitize::line(name, 200);
            return Some((LeftOut::Secret, format!("{whose}`{name}`: {rule}")));
        }
        if let Some(pattern) = matched(&self.exclude, path) {
            return Some((
                LeftOut::Excluded,
                format!("review.exclude holds `{}`", sanitize::line(&pattern, 200)),
            ));
        }
        generated::by_name(path).map(|why| (LeftOut::Generated, why.to_owned()))
    }

    fn secret_name(&self, name: &str) -> Option<String> {
        if let Some(pattern) = matched(&self.secrets, name) {
            return Some(format!(
                "review.secrets holds `{}`",
                sanitize::line(&pattern, 200)
            ));
        }
        secret_name(name).map(str::to_owned)
    }
}

/// Whether a path is a folder or lies in it.
fn is_in(path: &str, dir: &str) -> bool {
    path.strip_prefix(dir)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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
    builder
        .build()
        .map_err(|error| failed(&patterns.join(", "), &error))
}

fn matched(patterns: &Gitignore, path: &str) -> Option<String> {
    // A leading `/` (a hostile patch) would be a path outside of where patterns are known.
    let path = path.trim_start_matches('/');
    if patterns.is_empty() || path.is_empty() {
        return None;
    }
    match patterns.matched_path_or_any_parents(path, false) {
        ignore::Match::Ignore(glob) => Some(glob.original().to_owned()),
        ignore::Match::None | ignore::Match::Whitelist(_) => None,
    }
}

/// Ends of `.env` files that are there to be read by others.
const EXAMPLES: [&str; 5] = [".example", ".sample", ".template", ".dist", ".tpl"];

/// Whole names of files that hold logins.
const LOGINS: [&str; 13] = [
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    ".my.cnf",
    ".dockercfg",
    ".boto",
    ".s3cfg",
    ".vault-token",
    "kubeconfig",
];

/// Ends of names of keys and of stores of keys.
const KEYS: [&str; 9] = [
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".ppk",
    ".kdbx",
    ".p8",
];

/// Ends of names of program code and prose, where `secrets` and `credentials` are words like others.
const CODE: [&str; 44] = [
    "adoc", "bash", "c", "cc", "clj", "cpp", "cs", "css", "cxx", "dart", "erl", "ex", "exs", "fs",
    "go", "groovy", "h", "hh", "hpp", "hs", "html", "java", "js", "jsx", "kt", "lua", "m", "md",
    "mjs", "ml", "mm", "php", "pl", "proto", "py", "rb", "rs", "rst", "scala", "sh", "swift", "ts",
    "tsx", "vue",
];

/// Says by which rule of our own a name is one of secrets, if it is.
#[expect(
    clippy::case_sensitive_file_extension_comparisons,
    reason = "the name is in lower case by then"
)]
fn secret_name(path: &str) -> Option<&'static str> {
    let path = path.to_lowercase();
    let base = path.rsplit('/').next().unwrap_or(&path);
    let example = || EXAMPLES.iter().any(|end| base.ends_with(end));
    if (base.starts_with(".env") || base.ends_with(".env")) && !example() {
        return Some("environment files hold secrets");
    }
    if KEYS.iter().any(|end| base.ends_with(end)) {
        return Some("such files hold private keys");
    }
    let ssh = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
    let code = || {
        (base.rsplit_once('.')).is_some_and(|(stem, end)| !stem.is_empty() && CODE.contains(&end))
    };
    if ssh.iter().any(|name| base.starts_with(name)) && !base.ends_with(".pub") && !code() {
        return Some("such files hold private keys");
    }
    if ["/.ssh/", "/.gnupg/", "/.aws/"]
        .iter()
        .any(|dir| format!("/{path}").contains(dir))
    {
        return Some("such folders hold keys and logins");
    }
    if LOGINS.contains(&base) || path.ends_with(".docker/config.json") {
        return Some("such files hold logins");
    }
    let secrets = base == "secrets" || base.starts_with("secrets.") || base.starts_with("secret.");
    if (base.starts_with("credentials") || secrets) && !code() && !example() {
        return Some("by its name it holds secrets");
    }
    None
}

/// Says why a file is left out by what it says, if it is. `text` is its new content, as far as known.
pub fn by_content(kind: ChangeKind, hunks: &[Hunk], text: Option<&str>) -> Option<Reason> {
    let mut texts = hunks.iter().map(|hunk| hunk.body.as_str()).chain(text);
    if texts.any(holds_private_key) {
        return Some((LeftOut::Secret, "it holds a private key".to_owned()));
    }
    let marked = match text {
        Some(text) => generated::is_generated_text(text.as_bytes()),
        None => false,
    };
    // Whoever writes the mark into a file that was there must not hide it by that.
    let brought_in = kind != ChangeKind::Added
        && hunks.iter().any(|hunk| {
            let added = hunk.body.lines().filter_map(|line| line.strip_prefix('+'));
            added
                .take(100)
                .any(|line| generated::is_generated_text(line.as_bytes()))
        });
    (marked && !brought_in).then(|| {
        (
            LeftOut::Generated,
            "its first lines say that a program wrote it".to_owned(),
        )
    })
}

/// Characters behind a key's opening line in which the key itself must begin.
const KEY_WITHIN: usize = 400;
/// Characters of a key without a break; a placeholder has no such run.
const KEY_RUN: usize = 32;

/// Whether a text holds a private key in its armour: the opening line, and what looks like a key behind it.
///
/// Code that only knows the opening line (a scanner, a test of one) holds none.
fn holds_private_key(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("-----BEGIN ") {
        rest = &rest[at + "-----BEGIN ".len()..];
        let Some(end) = rest.find("-----") else {
            return false;
        };
        let kind = &rest[..end];
        if kind.len() > 60 || !kind.contains("PRIVATE KEY") {
            continue;
        }
        let mut run = 0;
        for byte in rest[end..].bytes().take(KEY_WITHIN) {
            let of_key = byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
            run = if of_key { run + 1 } else { 0 };
            if run == KEY_RUN {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
