//! Which variables and options hold secrets, by the words of their names and by their values.
//!
//! A name counts by its words, so `AUTHOR` is not `AUTH`, `TOKENIZER` not `TOKEN` and `MONKEY_PATCH` not `KEY`. If a
//! name denotes something about a secret (`KEY_FILE`, `TOKEN_TYPE`), or a value is an ordinary word, it is not
//! treated as a secret: its value would be removed wherever it occurs in an honest text.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::Redactor;
use crate::text::word;

const ANYWHERE: [&str; 7] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "COOKIE"];

/// Beginnings of words that are unrelated to those.
const OTHERS: [&str; 4] = ["TOKENIZ", "TOKENIS", "SECRETAR", "COOKIECUTTER"];

static WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("variables/secret.txt")));

/// Last words of names whose values are about a secret but not secret themselves.
static ABOUT: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("variables/about.txt")));

/// Words that mark a key as public.
const PUBLIC: [&str; 3] = ["PUB", "PUBKEY", "PUBLIC"];

/// Words that mean the same right before `KEY`.
const IDENTIFIES: [&str; 6] = ["CACHE", "FOREIGN", "GPG", "PARTITION", "PGP", "SORT"];

/// Words that are the value of a secret only in documentation.
static ORDINARY: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("variables/ordinary.txt")));

/// A user's password in a URL.
static IN_URL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"://[^\s/?#@:]*:([^\s/?#@]+)@").ok());

/// Whether the name of a variable or option denotes a secret.
pub fn names_secret(name: &str) -> bool {
    let words = words(name);
    words.iter().enumerate().any(|(at, word)| {
        let inside = ANYWHERE.iter().any(|part| word.contains(part))
            && !OTHERS.iter().any(|other| word.contains(other));
        // The present and previous working directories of a shell.
        let whole = WORDS.contains(&word.as_str()) && !(at == 0 && word == "PWD");
        inside || whole
    })
}

/// The secret part of a variable's value: the value, the password of a URL in it, or nothing.
pub fn secrets_of<'a>(name: &str, value: &'a str) -> Vec<&'a str> {
    let mut found = Vec::new();
    if let Some(regex) = &*IN_URL {
        let groups = regex.captures_iter(value);
        found.extend(groups.filter_map(|groups| groups.get(1)).map(|group| group.as_str()));
    }
    if found.is_empty() && names_secret(name) && !is_about(name) {
        found.push(value);
    }
    found.retain(|secret| !is_ordinary(name, secret));
    found
}

/// The arguments of a program, for people: values after an option that names a secret are left out, as are
/// secrets that the rules recognise.
pub fn arguments<'a>(arguments: &'a [String], redactor: &Redactor) -> Vec<Cow<'a, str>> {
    const LABEL: &str = "[redacted]";
    let secret = |option: &str, value: &str| {
        names_secret(option)
            && !is_about(option)
            && !value.is_empty()
            && !is_ordinary(option, value)
    };
    let mut option = "";
    let mut shown = Vec::new();
    for argument in arguments {
        let line = match argument.split_once('=') {
            Some((name, value)) if secret(name, value) => Cow::from(format!("{name}={LABEL}")),
            _ if !argument.starts_with('-') && secret(option, argument) => LABEL.into(),
            _ => redactor.text(argument).into(),
        };
        shown.push(line);
        let is_option = argument.starts_with('-') && !argument.contains('=');
        option = if is_option { argument } else { "" };
    }
    shown
}

/// The words of a name, in capitals: `apiKey` has two, as does `API_KEY`.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        let begins = small && c.is_ascii_uppercase();
        if (!c.is_ascii_alphanumeric() || begins)
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            word.push(c.to_ascii_uppercase());
        }
        small = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_about(name: &str) -> bool {
    let words = words(name);
    let last = words.last().is_some_and(|word| ABOUT.contains(&word.as_str()));
    let is_key = |word: &String| word.starts_with("KEY");
    let public = words.iter().any(|word| PUBLIC.contains(&word.as_str()));
    let identifies =
        (words.windows(2)).any(|pair| IDENTIFIES.contains(&pair[0].as_str()) && is_key(&pair[1]));
    let private = (words.iter())
        .any(|word| is_password(word) || word.starts_with("PRIV") || word.contains("TOKEN"));
    last || (!private && (identifies || (public && words.iter().any(is_key))))
}

/// Whether a word of a name says that the value is something a person has to know.
fn is_password(word: &str) -> bool {
    ["PASS", "SECRET", "PWD"].iter().any(|part| word.contains(part))
}

/// Whether honest texts contain such a value: a number, or words without a digit or symbol. A password may be a number
/// or a word, except for the few used in documentation; a token may be a number.
fn is_ordinary(name: &str, value: &str) -> bool {
    let value = value.trim();
    let upper = value.to_ascii_uppercase();
    if upper.is_empty() || ORDINARY.contains(&upper.as_str()) {
        return true;
    }
    let of_name = words(name);
    let password = of_name.iter().any(|word| is_password(word));
    // `MAX_TOKENS` is a count.
    let token = of_name.iter().any(|word| word == "TOKEN");
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return !password && !token;
    }
    let wordy = |word: &str| {
        let mut chars = word.chars();
        let first = chars.next().is_none_or(char::is_alphabetic);
        first && chars.all(char::is_lowercase)
    };
    !password && value.chars().count() < 24 && value.split([' ', '-', '_']).all(wordy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(name: &str, value: &'a str) -> Vec<&'a str> {
        secrets_of(name, value)
    }

    #[test]
    fn a_name_counts_by_its_words() {
        for name in [
            "OPENAI_API_KEY",
            "GH_TOKEN",
            "DB_PASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "PASSPHRASE",
            "PGPASS",
            "MYSQL_PWD",
            "PGPASSWORD",
            "SENTRY_DSN",
            "SLACK_WEBHOOK",
            "SIGNING_CERT",
            "SESSION_COOKIE",
            "HTTP_CREDENTIAL",
            "apiKey",
            "client-secret",
            "ANTHROPIC_AUTH_TOKEN",
            "GITHUB_PAT",
            "SSHPASS",
            "NPM_CONFIG__AUTH",
            "MYTOKENVALUE",
            "ENCRYPTION_KEY",
            "REGISTRY_AUTH",
            "JWT",
            "ACCESSKEY",
            "AWS_SESSION_TOKEN",
            "--api-key",
            // Names used in workflows.
            "GPG_PASSPHRASE",
            "GPG_KEY_PASSPHRASE",
            "GPG_KEY_PASSWORD",
            "GPG_PRIVATE_KEY",
            "GPG_SIGNING_KEY",
            "PGP_SECRET_KEY",
            "CACHE_SIGNING_KEY",
            "CACHE_ACCESS_KEY",
            "COSMOS_PRIMARY_KEY",
            "PRIMARY_ACCOUNT_KEY",
            "PUBLIC_KEY_PASSWORD",
            "ORG_GRADLE_PROJECT_signingInMemoryKeyPassword",
        ] {
            assert!(names_secret(name), "{name}");
            assert_eq!(found(name, "q8Zr-41xWv"), ["q8Zr-41xWv"], "{name}");
        }
        for name in [
            "GIT_AUTHOR_NAME",
            "GIT_AUTHOR_EMAIL",
            "HF_TOKENIZER",
            "KEYBOARD_LAYOUT",
            "MONKEY_PATCH",
            "KEY_ENVIRONMENT",
            "GPG_KEY",
            "SSH_AUTH_SOCK",
            "PWD",
            "OLDPWD",
            "SECRETARY",
            "AUTHORITY",
            "TURKEY",
            "COMPASS",
            "PATH",
            "HOME",
            "PASSENGER_APP",
            "SSL_CERT_FILE",
            "TOKEN_TYPE",
            "PUBLIC_KEY",
            "NEXT_PUBLIC_API_KEY",
            "KEY_PUBLIC",
            "GPG_KEY_ID",
            "CACHE_KEY",
            "SORT_KEYS",
            "DESKTOP",
            "HISTFILE",
            "PINNED",
        ] {
            assert_eq!(found(name, "q8Zr-41xWv"), [""; 0], "{name}");
        }
    }

    #[test]
    fn ordinary_values_are_no_secrets() {
        for (name, value) in [
            ("KEY_STAGE", "production"),
            ("AUTH", "Jane Developer"),
            ("API_TOKEN", "disabled"),
            ("DB_PASSWORD", "changeme"),
            ("MAX_TOKENS", "1280000000"),
            ("KEY_BITS_PER_CERT", "481516234211"),
            ("COSMOS_PRIMARY_KEY", "id"),
            ("DB_PASSWORD", " "),
            ("AUTH", "us-east"),
        ] {
            assert_eq!(found(name, value), [""; 0], "{name}={value}");
        }
        assert_eq!(found("DB_PASSWORD", "correcthorse"), ["correcthorse"]);
        for name in ["DB_PASSWORD", "CLIENT_SECRET", "SIGNING_PASS", "API_TOKEN"] {
            assert_eq!(found(name, "481516234211"), ["481516234211"], "{name}");
        }
    }

    #[test]
    fn of_a_url_the_password_is_secret() {
        assert_eq!(found("DATABASE_URL", "postgres://app:q8Zr-41xWv@db:5432/x"), ["q8Zr-41xWv"]);
        assert_eq!(found("HTTPS_PROXY", "http://me:q8Zr-41xWv@proxy"), ["q8Zr-41xWv"]);
        assert_eq!(found("DATABASE_URL", "postgres://db:5432/x"), [""; 0]);
    }

    #[test]
    fn arguments_are_shown_without_their_secrets() {
        let given = [
            "--api-key",
            "q8Zr41",
            "--token=q8Zr41",
            "--max-tokens",
            "4000",
            "--token-file",
            "/a/b",
            "--model",
            "x1",
            "-p",
            "--password",
            "--verbose",
        ]
        .map(str::to_owned);
        assert_eq!(
            arguments(&given, &Redactor::new(&[])),
            [
                "--api-key",
                "[redacted]",
                "--token=[redacted]",
                "--max-tokens",
                "4000",
                "--token-file",
                "/a/b",
                "--model",
                "x1",
                "-p",
                "--password",
                "--verbose",
            ]
        );
    }
}
