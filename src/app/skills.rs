//! `skills list`, `skills show`, `skills export`.

use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::error::nearest;
use crate::config::file::{IfExists, write_atomic};
use crate::config::load::Effective;
pub(crate) use crate::skill::SkillError;
use crate::skill::{self, BUILTIN, FILE_NAME, Origin};

/// One skill in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Row {
    /// The role it is for.
    pub role: String,
    /// The name in its front matter.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Its file, unless it is a built-in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// SHA-256 of the whole file.
    pub sha256: String,
    /// It counts only when trusted.
    pub needs_trust: bool,
    /// What is worth knowing about it: it has no front matter, or another file is not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

pub(crate) fn list(effective: &Effective) -> Result<Vec<Row>, SkillError> {
    let mut rows = Vec::new();
    for role in skill::roles(effective) {
        let mut set = match skill::load(effective, [role.as_str()]) {
            Ok(set) => set,
            // The role belongs to a protocol that this version lacks.
            Err(SkillError::Unknown { .. }) => continue,
            Err(error) => return Err(error),
        };
        if let Some(skill) = set.remove(&role) {
            rows.push(Row {
                needs_trust: skill.needs_trust().is_some(),
                role: skill.role,
                name: skill.name,
                description: skill.description,
                origin: skill.origin,
                path: skill.path,
                sha256: skill.sha256,
                note: skill.note,
            });
        }
    }
    Ok(rows)
}

pub(crate) fn show(effective: &Effective, role: &str) -> Result<String, SkillError> {
    let known = skill::roles(effective);
    // The shared skill of perspectives would be found for any name, even a mistyped one.
    if role.starts_with(skill::PERSPECTIVES) && !known.iter().any(|name| name == role) {
        return Err(SkillError::Unknown {
            role: role.to_owned(),
            nearest: nearest(role, known.iter().map(String::as_str)),
        });
    }
    let mut set = skill::load(effective, [role])?;
    Ok(set.remove(role).map(|skill| skill.text).unwrap_or_default())
}

/// Why skills could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{} exists; nothing was written", .0.display())]
    Exists(PathBuf),
    #[error("{} is a symbolic link; nothing is written through it", .0.display())]
    Symlink(PathBuf),
    #[error("failed to write {}: {source}", file.display())]
    Write { file: PathBuf, source: io::Error },
}

/// Writes the built-in skills as `DIR/<role>/SKILL.md` and returns the paths. Nothing is written if one of them
/// exists and may not be replaced.
pub(crate) fn export(dir: &Path, existing: IfExists) -> Result<Vec<PathBuf>, ExportError> {
    let files: Vec<(PathBuf, &str)> =
        BUILTIN.iter().map(|(role, text)| (dir.join(role).join(FILE_NAME), *text)).collect();
    for (file, _) in &files {
        for folder in [Some(dir), file.parent()].into_iter().flatten() {
            if folder.is_symlink() {
                return Err(ExportError::Symlink(folder.to_owned()));
            }
        }
        if existing == IfExists::Keep && file.symlink_metadata().is_ok() {
            return Err(ExportError::Exists(file.clone()));
        }
    }
    for (file, text) in &files {
        let written = std::fs::create_dir_all(file.parent().unwrap_or(dir))
            .and_then(|()| write_atomic(file, text.as_bytes(), 0o644, existing));
        written.map_err(|source| ExportError::Write { file: file.clone(), source })?;
    }
    Ok(files.into_iter().map(|(file, _)| file).collect())
}
