//! `skills list`, `skills show`, `skills export`.

use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::error::nearest;
use crate::config::file::{IfExists, write_atomic};
use crate::config::load::Effective;
use crate::protocol::prompt::TEMPLATES;
pub(crate) use crate::skill::SkillError;
use crate::skill::{self, BUILTIN, FILE_NAME, Origin, Skill, SkillSet};

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
    let mut all = SkillSet::new();
    for role in skill::roles(effective) {
        match skill::load(effective, [role.as_str()]) {
            Ok(set) => all.extend(set),
            // The role belongs to a protocol that this version lacks.
            Err(SkillError::Unknown { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let row = |skill: Skill| Row {
        needs_trust: skill.needs_trust().is_some(),
        role: skill.role,
        name: skill.name,
        description: skill.description,
        origin: skill.origin,
        path: skill.path,
        sha256: skill.sha256,
        note: skill.note,
    };
    Ok(all.into_values().map(row).collect())
}

/// Returns the text of a role's skill, or of a template by its name: `planner`, `planner/turn`.
pub(crate) fn show(effective: &Effective, name: &str) -> Result<String, SkillError> {
    let known = skill::roles(effective);
    // The shared skill of perspectives would be found for any name, even a mistyped one.
    if name.starts_with(skill::PERSPECTIVES)
        && !name.contains('/')
        && !known.iter().any(|role| role == name)
    {
        return Err(SkillError::Unknown {
            role: name.to_owned(),
            nearest: nearest(name, known.iter().map(String::as_str)),
        });
    }
    let template = TEMPLATES.iter().find(|(template, _)| *template == name);
    let role = template.map_or(Some(name), |_| {
        let (role, _) = name.split_once('/')?;
        known.iter().map(String::as_str).find(|known| *known == role)
    });
    if name.contains('/') && template.is_none() {
        let nearest = nearest(name, TEMPLATES.iter().map(|(template, _)| *template));
        return Err(SkillError::Unknown { role: name.to_owned(), nearest });
    }
    let mut set = skill::load(effective, role)?;
    let own = set.remove(name).map(|skill| skill.text);
    Ok(own.or(template.map(|(_, text)| (*text).to_owned())).unwrap_or_default())
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

/// Writes the built-in skills as `DIR/<role>/SKILL.md` and the templates beside them, and returns the paths. Nothing is
/// written if one of them exists and may not be replaced.
pub(crate) fn export(dir: &Path, existing: IfExists) -> Result<Vec<PathBuf>, ExportError> {
    let skills = BUILTIN.iter().map(|(role, text)| (dir.join(role).join(FILE_NAME), *text));
    let templates = TEMPLATES.iter().map(|(name, text)| (dir.join(format!("{name}.md")), *text));
    let files: Vec<(PathBuf, &str)> = skills.chain(templates).collect();
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
