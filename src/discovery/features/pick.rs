//! Which files are worth opening, and which are never opened.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::MAX_OPENED;
use crate::discovery::tree::{TreeFile, base};
use crate::text::word;

/// Manifests, which name what a project is made of and rests on.
static MANIFESTS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| word::table(include_str!("manifests.txt")));

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

/// Returns the files to open: the README, and manifests from the root down.
pub(super) fn to_open<'a>(files: &[&'a TreeFile]) -> Vec<&'a TreeFile> {
    let mut readme: Vec<_> =
        files.iter().copied().filter(|file| is_readme(&file.name)).take(1).collect();
    let mut manifests: Vec<_> =
        (files.iter().copied()).filter(|file| MANIFESTS.contains(base(&file.name))).collect();
    manifests.sort_by_key(|file| (file.name.matches('/').count(), file.name.clone()));
    manifests.truncate(MAX_OPENED - 1);
    readme.append(&mut manifests);
    readme
}
