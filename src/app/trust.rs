//! `trust`: allows what a project brings, lists what is allowed, and revokes it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::ConfigError;
use crate::config::file::sha256;
use crate::config::load::{Effective, Request, load};
use crate::config::store::{Pin, StoreError, TrustStore};
use crate::config::trust::{AgentUse, UntrustedKey, needed};
use crate::skill::{self, SkillError, SkillSet};

/// Why trust could not be granted or revoked.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Skill(#[from] SkillError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What of a project needs trust, with the values: what a person looks at before saying yes.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Candidates {
    /// Keys of the project's file.
    pub keys: Vec<UntrustedKey>,
    /// The files that would be pinned, as they were read.
    pub files: Vec<Pin>,
}

/// Lists everything in a project that needs trust. Nothing does if `files` is empty.
pub fn candidates(effective: &Effective, skills: &SkillSet, at: DateTime<Utc>) -> Candidates {
    let keys = needed(effective, AgentUse::Everything);
    let config = effective.project.iter().filter(|_| !keys.is_empty()).map(|project| Pin {
        path: project.path.clone(),
        sha256: project.sha256.clone(),
        at,
    });
    let skills = skills.values().filter_map(|skill| {
        Some(Pin { path: skill.needs_trust()?.to_owned(), sha256: skill.sha256.clone(), at })
    });
    let reading = effective.config.review.read_repo || effective.config.plan.read_repo;
    let repository = reading.then(|| reading_pin(&effective.root, at));
    let mut files: Vec<Pin> = config.chain(skills).chain(repository).collect();
    files.dedup_by(|a, b| a.path == b.path);
    Candidates { keys, files }
}

/// Hashed in place of a folder's bytes, for the pin that lets agents read all of it.
const READING: &[u8] = b"agents may read this repository";

/// Returns the pin that lets agents read a repository (`review.read_repo`).
fn reading_pin(root: &Path, at: DateTime<Utc>) -> Pin {
    Pin { path: canonical(root), sha256: sha256(READING), at }
}

fn canonical(root: &Path) -> PathBuf {
    root.canonicalize().unwrap_or_else(|_| root.to_owned())
}

pub(crate) fn may_be_read(store: &TrustStore, root: &Path) -> bool {
    store.is_trusted(&canonical(root), &sha256(READING))
}

/// Trusts the project of a request: its configuration and its skills, by their bytes as read now. `reading`: whether
/// agents may read the repository too.
pub fn grant(
    request: &Request,
    reading: bool,
    at: DateTime<Utc>,
) -> Result<Candidates, TrustError> {
    let effective = load(request)?;
    let mut found = all(&effective, at)?;
    let repository = reading_pin(&effective.root, at);
    if reading && found.files.iter().all(|pin| pin.path != repository.path) {
        found.files.push(repository);
    }
    grant_seen(&request.vars, &found)?;
    Ok(found)
}

/// The result of trusting a configuration alone.
#[derive(Debug)]
pub struct ConfigGrant {
    /// The pin of the configuration, if it needs trust; else empty.
    pub trusted: Vec<Pin>,
    /// Other files of the project that need trust and were not trusted.
    pub left: Vec<PathBuf>,
}

/// Trusts the project's configuration and nothing else: the file that `init` has just written.
pub fn grant_config(request: &Request, at: DateTime<Utc>) -> Result<ConfigGrant, TrustError> {
    let effective = load(request)?;
    let own = effective.project.as_ref().map(|project| &project.path);
    let (trusted, left): (Vec<Pin>, Vec<Pin>) =
        (all(&effective, at)?.files.into_iter()).partition(|pin| own == Some(&pin.path));
    let seen = Candidates { keys: Vec::new(), files: trusted };
    grant_seen(&request.vars, &seen)?;
    let store = TrustStore::open(&request.vars)?;
    let left = left
        .into_iter()
        .filter(|pin| pin.path != effective.root && !store.is_trusted(&pin.path, &pin.sha256));
    Ok(ConfigGrant { trusted: seen.files, left: left.map(|pin| pin.path).collect() })
}

/// Lists everything in a project that needs trust, whatever command uses it.
fn all(effective: &Effective, at: DateTime<Utc>) -> Result<Candidates, TrustError> {
    let roles = skill::roles(effective);
    let skills = skill::load(
        effective,
        roles
            .iter()
            .map(String::as_str)
            .filter(|role| has_skill(effective, role))
            .chain(skill::guidelines_of(effective)),
    )?;
    Ok(candidates(effective, &skills, at))
}

/// Trusts exactly what was shown to a person, who agreed in a terminal.
pub fn grant_seen(vars: &BTreeMap<String, String>, seen: &Candidates) -> Result<(), StoreError> {
    if seen.files.is_empty() {
        return Ok(());
    }
    TrustStore::open(vars)?.grant(&seen.files)
}

/// Whether a role has a skill. One configured for a protocol that this version lacks has none.
fn has_skill(effective: &Effective, role: &str) -> bool {
    let configured = effective.config.roles.get(role).is_some_and(|role| role.skill.is_some());
    configured
        || skill::BUILTIN.iter().any(|(known, _)| *known == role)
        || effective
            .root
            .join(&effective.config.paths.skills)
            .join(role)
            .join(skill::FILE_NAME)
            .is_file()
}

/// Returns the pins of all trusted files.
pub fn list(vars: &BTreeMap<String, String>) -> Result<Vec<Pin>, StoreError> {
    Ok(TrustStore::open(vars)?.pins().to_vec())
}

/// Revokes trust in everything at or below `below` (canonical if it exists), and returns the revoked pins.
pub fn revoke(vars: &BTreeMap<String, String>, below: &Path) -> Result<Vec<Pin>, StoreError> {
    let below = below.canonicalize().unwrap_or_else(|_| below.to_owned());
    TrustStore::open(vars)?.revoke(&below)
}
