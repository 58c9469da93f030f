//! Which files are worth opening, and which are never opened.

use std::cmp::Reverse;

use super::lexical::Language;
use super::{MAX_OPENED, manifest};
use crate::discovery::tree::TreeFile;

/// Maximum number of manifests opened: a monorepo has hundreds.
const MANIFESTS: usize = 12;

/// Words in a path that suggest routes or types.
const PROMISING: [&str; 16] = [
    "route",
    "router",
    "urls",
    "api",
    "view",
    "controller",
    "handler",
    "endpoint",
    "server",
    "model",
    "schema",
    "entit",
    "types",
    "app",
    "main",
    "lib",
];

/// Returns the last part of a name.
fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether a file's name suggests secrets. Errs on the side of caution: only a detail is lost.
pub(super) fn is_secret(name: &str) -> bool {
    const FOLDERS: [&str; 5] = [".ssh", ".aws", ".gnupg", ".gcloud", ".kube"];
    const ENDINGS: [&str; 12] = [
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".jks",
        ".keystore",
        ".kdbx",
        ".tfvars",
        ".tfstate",
        ".ppk",
        ".asc",
        ".gpg",
    ];
    const STARTS: [&str; 12] = [
        ".env",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "credential",
        "secret",
        ".npmrc",
        ".pypirc",
        ".netrc",
        ".htpasswd",
        ".git-credentials",
    ];
    let name = name.to_lowercase();
    let last = base(&name);
    name.split('/').any(|part| FOLDERS.contains(&part))
        || STARTS.iter().any(|start| last.starts_with(start))
        || ENDINGS.iter().any(|ending| last.ends_with(ending))
        || last.rsplit('.').next() == Some("env")
}

/// Whether a file is the README of the root.
pub(super) fn is_readme(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower == "readme" || lower.starts_with("readme.") && !name.contains('/')
}

/// Whether a file's path suggests a test, an example or a fixture.
pub(super) fn is_test(name: &str) -> bool {
    const FOLDERS: [&str; 12] = [
        "test",
        "tests",
        "testing",
        "spec",
        "specs",
        "__tests__",
        "e2e",
        "fixtures",
        "testdata",
        "examples",
        "benches",
        "benchmarks",
    ];
    let name = name.to_lowercase();
    let (folders, last) = name.rsplit_once('/').unwrap_or(("", &name));
    let stem = last.split('.').next().unwrap_or(last);
    folders.split('/').any(|part| FOLDERS.contains(&part))
        || stem == "tests"
        || stem.starts_with("test_")
        || stem.ends_with("_test")
        || stem.ends_with("_tests")
        || [".test.", ".spec."].iter().any(|part| last.contains(part))
}

/// Returns the files to open, most informative first: README, manifests from the root down, then sources.
pub(super) fn to_open<'a>(files: &[&'a TreeFile]) -> Vec<&'a TreeFile> {
    let depth = |file: &TreeFile| file.name.matches('/').count();
    let sorted = |mut some: Vec<&'a TreeFile>, most: usize| {
        some.sort_by_key(|file| (depth(file), file.name.clone()));
        some.truncate(most);
        some
    };
    let some = |wanted: &dyn Fn(&str) -> bool| -> Vec<&'a TreeFile> {
        let wanted = files.iter().filter(|file| wanted(&file.name));
        wanted.copied().collect()
    };
    let mut picked = sorted(some(&is_readme), 1);
    picked.extend(sorted(some(&manifest::is_manifest), MANIFESTS));
    let mut sources = some(&|name| Language::of(name).is_some() && !is_test(name));
    sources.sort_by_cached_key(|file| {
        let lower = file.name.to_lowercase();
        let promises = PROMISING.iter().any(|word| lower.contains(word));
        (!promises, Reverse(file.bytes), file.name.clone())
    });
    sources.truncate(MAX_OPENED - picked.len());
    picked.extend(sources);
    picked
}
