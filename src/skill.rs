//! Skills: the prompt of each role, as a `SKILL.md` in the layout of Agent Skills.
//!
//! Every role of this program has a built-in skill. A project's own (`skills/<role>/SKILL.md`) replaces
//! it, and a role's `skill` setting replaces both; bytes that come with the project need trust unless
//! they equal the built-in ones. A result records name, origin and hash of each skill used. The templates of a role's
//! prompts (`planner/turn`) stand beside it and are treated alike, each under its own name.
//!
//! Critiques can have custom perspectives. The role of one with neither setting nor file
//! (`discuss-security`) uses the skill of [`PERSPECTIVE`], wherever that comes from: it says how to
//! look, and the turn says at what.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::error::{ReadError, nearest};
use crate::config::file::{read_text_below, sha256};
use crate::config::key::KeyPath;
use crate::config::load::Effective;
use crate::config::trust::PinnedFile;
use crate::ordered::{BTreeMap, Gather};
use crate::protocol::prompt::{self, TEMPLATES};

mod parse;

pub(crate) use parse::parse;

/// The built-in skills, by role.
pub(crate) const BUILTIN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/skills.rs"));

/// The name of the project's rules for reviewers (`review.guidelines`) among the skills: they are
/// pinned, recorded and compared like a skill, one without front matter.
pub(crate) const GUIDELINES: &str = "review-guidelines";

/// The folder of the templates that all prompts of a session share.
const SESSION: &str = "session";

/// The role whose skill serves every perspective of a critique without one of its own.
pub(crate) const PERSPECTIVE: &str = "discuss-perspective";

/// The prefix of the perspectives' roles: `product` has the role `discuss-product`.
pub(crate) const PERSPECTIVES: &str = "discuss-";

pub(crate) const FILE_NAME: &str = "SKILL.md";

/// Where a skill comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Inside the program.
    Builtin,
    /// The project's `skills/` folder.
    Project,
    /// A path that a configuration names.
    Path,
}

/// One skill, ready for use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    pub role: String,
    /// The name in its front matter; without one, its folder's.
    pub name: String,
    pub description: String,
    /// Further keys of the front matter.
    pub extra: BTreeMap<String, String>,
    /// The prompt: everything after the front matter.
    pub prompt: String,
    /// The whole file.
    pub text: String,
    pub origin: Origin,
    /// Its file; `None` for a built-in one.
    pub path: Option<PathBuf>,
    /// SHA-256 of the whole file.
    pub sha256: String,
    /// A note on it, in one line.
    pub note: Option<String>,
    /// Whether it is inside the project and not a copy of a built-in one.
    foreign: bool,
}

/// The skills of a command, by role.
pub(crate) type SkillSet = BTreeMap<String, Skill>;

impl Skill {
    /// Returns its canonical path if it may only be used when trusted.
    pub fn needs_trust(&self) -> Option<&Path> {
        self.path.as_deref().filter(|_| self.foreign)
    }
}

impl PinnedFile for Skill {
    fn pin(&self) -> Option<(&Path, &str)> {
        Some((self.needs_trust()?, &self.sha256))
    }
}

/// Why a skill cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SkillError {
    /// No skill of that name is known.
    #[error("no skill for the role `{role}`{}", nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default())]
    Unknown {
        role: String,
        /// The closest known name.
        nearest: Option<String>,
    },
    /// Its file could not be read.
    #[error("failed to read the skill {}: {source}", file.display())]
    Read { file: PathBuf, source: ReadError },
    /// Its front matter is malformed.
    #[error("{}:{line}: {message}", file.display())]
    Malformed {
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The fault and how to fix it.
        message: String,
    },
}

/// Loads the skill of every named role, and the templates that the project has in place of those of its prompts.
pub(crate) fn load<'a>(
    effective: &Effective,
    roles: impl IntoIterator<Item = &'a str>,
) -> Result<SkillSet, SkillError> {
    let mut skills = SkillSet::new();
    for role in roles {
        skills.insert(role.to_owned(), load_one(effective, role)?);
    }
    for (name, builtin) in TEMPLATES {
        if let Some(file) = template_file(effective, &skills, name) {
            let template = read(effective, name, &file, Origin::Project)?;
            if template.text != *builtin {
                skills.insert((*name).to_owned(), template);
            }
        }
    }
    Ok(skills)
}

/// Returns the project's templates among some skills, by name.
pub(crate) fn templates(skills: &SkillSet) -> BTreeMap<String, String> {
    let all = skills.iter().filter(|(name, _)| name.contains('/'));
    all.map(|(name, template)| (name.clone(), template.prompt.clone())).gather()
}

/// Returns the project's file for a template that prompts of these roles are made from: beside the role's skill, or
/// where that would be.
fn template_file(effective: &Effective, skills: &SkillSet, name: &str) -> Option<PathBuf> {
    let (role, part) = name.split_once('/')?;
    let is_used = match role {
        SESSION => true,
        PERSPECTIVE => skills.keys().any(|role| role.starts_with(PERSPECTIVES)),
        _ => skills.contains_key(role),
    };
    let own = skills.get(role).and_then(|skill| skill.path.as_deref()?.parent());
    let folder = effective.root.join(&effective.config.paths.skills).join(role);
    let file = own.unwrap_or(&folder).join(format!("{part}.md"));
    (is_used && file.symlink_metadata().is_ok()).then_some(file)
}

/// Returns [`GUIDELINES`] if the configuration names a file of rules for reviewers.
pub(crate) fn guidelines_of(effective: &Effective) -> Option<&'static str> {
    effective.config.review.guidelines.as_ref().map(|_| GUIDELINES)
}

/// Lists the roles that have a skill or a setting: the built-in ones, the configured ones, those of the configured
/// perspectives, the project's folders.
pub(crate) fn roles(effective: &Effective) -> Vec<String> {
    let mut roles: Vec<String> = BUILTIN.iter().map(|(role, _)| (*role).to_owned()).collect();
    roles.extend(effective.config.roles.keys().cloned());
    let perspectives = effective.config.discuss.perspectives.keys();
    roles.extend(perspectives.map(|name| format!("{PERSPECTIVES}{name}")));
    let folders = fs::read_dir(effective.root.join(&effective.config.paths.skills));
    for folder in folders.into_iter().flatten().flatten() {
        if folder.path().join(FILE_NAME).is_file()
            && let Ok(name) = folder.file_name().into_string()
        {
            roles.push(name);
        }
    }
    roles.sort();
    roles.dedup();
    roles
}

fn load_one(effective: &Effective, role: &str) -> Result<Skill, SkillError> {
    if let (GUIDELINES, Some(path)) = (role, &effective.config.review.guidelines) {
        let file = base_of_setting(effective, &["review", "guidelines"]).join(path);
        return read(effective, role, &file, Origin::Path);
    }
    let configured = effective.config.roles.get(role).and_then(|role| role.skill.as_deref());
    let name = match configured {
        Some(path) if path.contains('/') || Path::new(path).extension().is_some() => {
            let file = base_of_setting(effective, &["roles", role, "skill"]).join(path);
            return read(effective, role, &file, Origin::Path);
        }
        Some(name) => name,
        None => role,
    };
    let folder = effective.root.join(&effective.config.paths.skills);
    let file = folder.join(name).join(FILE_NAME);
    if is_plain_name(name) && file.symlink_metadata().is_ok() {
        return read(effective, role, &file, Origin::Project);
    }
    if configured.is_none() && is_perspective(role) && !is_builtin(role) {
        let shared = load_one(effective, PERSPECTIVE)?;
        return Ok(Skill {
            role: role.to_owned(),
            note: passed_over(effective, role).or(shared.note),
            ..shared
        });
    }
    let mut skill = builtin(role, name)?;
    if configured.is_none() {
        skill.note = passed_over(effective, role);
    }
    Ok(skill)
}

/// Where Claude Code keeps a project's skills: a folder of its own, read only if configured.
const CLAUDE_SKILLS: &str = ".claude/skills";

/// Returns a note if a skill for this role is in a folder that is not read.
fn passed_over(effective: &Effective, role: &str) -> Option<String> {
    let file = Path::new(CLAUDE_SKILLS).join(role).join(FILE_NAME);
    let there = is_plain_name(role) && effective.root.join(&file).is_file();
    there.then(|| {
        format!(
            "{} is not read, and the built-in skill is used: to use that file, set `paths.skills` to \"{CLAUDE_SKILLS}\" and run `debate-agent trust`",
            file.display()
        )
    })
}

fn is_builtin(name: &str) -> bool {
    BUILTIN.iter().any(|(known, _)| *known == name)
}

/// Whether a perspective could play this role: names of perspectives have lower-case letters, digits and `-`.
fn is_perspective(role: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    role.strip_prefix(PERSPECTIVES).is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(plain)
    })
}

/// A name becomes a folder's name, so it must not be a path.
fn is_plain_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
}

/// Returns the built-in skill `name` for a role.
pub(crate) fn builtin(role: &str, name: &str) -> Result<Skill, SkillError> {
    let Some((_, text)) = BUILTIN.iter().find(|(known, _)| *known == name) else {
        return Err(SkillError::Unknown {
            role: name.to_owned(),
            nearest: nearest(name, BUILTIN.iter().map(|(known, _)| *known)),
        });
    };
    let file = PathBuf::from(format!("built-in skills/{name}/{FILE_NAME}"));
    parse(role, text, &file, Origin::Builtin)
}

fn base_of_setting(effective: &Effective, key: &[&str]) -> PathBuf {
    let source = effective.provenance.get(&KeyPath::of(key));
    let file = source.and_then(|source| source.file.as_deref());
    file.and_then(Path::parent).unwrap_or(&effective.root).to_owned()
}

/// Creates a skill from a file without front matter: the project's rules for reviewers, or a template.
fn plain(name: &str, text: String, origin: Origin) -> Skill {
    let what = match name.split_once('/') {
        None => "the project's rules for reviewers",
        Some((SESSION, _)) => "A part of what all prompts of a session share.",
        Some((_, "answer")) => "The rules for the role's answers.",
        Some(_) => "What the role's turns ask.",
    };
    Skill {
        role: name.to_owned(),
        name: name.to_owned(),
        description: what.to_owned(),
        extra: BTreeMap::new(),
        prompt: text.clone(),
        sha256: sha256(text.as_bytes()),
        text,
        origin,
        path: None,
        note: None,
        foreign: false,
    }
}

fn read(
    effective: &Effective,
    role: &str,
    file: &Path,
    origin: Origin,
) -> Result<Skill, SkillError> {
    let failed = |source| SkillError::Read { file: file.to_owned(), source };
    let written = normal(file);
    let canonical = file.canonicalize().map_err(|error| failed(io_error(error)))?;
    // Within the project no link is followed, not even one to a folder.
    let within = written.starts_with(&effective.root) || canonical.starts_with(&effective.root);
    if within && canonical != written {
        return Err(failed(ReadError::Symlink));
    }
    let text = read_text_below(&effective.root, &canonical).map_err(failed)?;
    let embedded = BUILTIN.iter().chain(TEMPLATES).any(|(_, known)| *known == text);
    let is_plain = role == GUIDELINES || role.contains('/');
    prompt::check(role, &text).map_err(|(line, message)| SkillError::Malformed {
        file: file.to_owned(),
        line,
        message,
    })?;
    let mut skill =
        if is_plain { plain(role, text, origin) } else { parse(role, &text, file, origin)? };
    skill.foreign = within && !embedded;
    skill.path = Some(canonical);
    Ok(skill)
}

fn io_error(error: io::Error) -> ReadError {
    ReadError::Io(error)
}

/// Resolves `.` and `..` in an absolute path without accessing the disk.
fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests;
