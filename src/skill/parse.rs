//! Parses the text of a skill: front matter, if any, then the prompt.

use std::collections::BTreeMap;
use std::path::Path;

use super::{FILE_NAME, Origin, Skill, SkillError};
use crate::config::file::sha256;

/// Maximum length of a name and of a description in characters, as in the Agent Skills format.
const MOST: (usize, usize) = (64, 1_024);

/// Parses a skill's text: flat front matter between two `---` lines, then the prompt.
///
/// A file that does not begin with `---` has no front matter: all of it is the prompt, and a note says so.
pub(crate) fn parse(
    role: &str,
    text: &str,
    file: &Path,
    origin: Origin,
) -> Result<Skill, SkillError> {
    let malformed = |line: usize, message: String| SkillError::Malformed {
        file: file.to_owned(),
        line,
        message,
    };
    // Some editors put it at the start of a file.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !body.trim_start().starts_with("---") {
        return bare(role, text, body, file, origin)
            .ok_or_else(|| malformed(1, "there is no prompt".to_owned()));
    }
    let mut lines = body.split_inclusive('\n').enumerate();
    let mut read = match lines.next() {
        Some((_, line)) if line.trim_end() == "---" => line.len(),
        Some(_) | None => {
            let message = "front matter begins with a line of only `---`, then `name: ...` and `description: ...`";
            return Err(malformed(1, message.to_owned()));
        }
    };
    let mut keys = BTreeMap::new();
    let mut closed = None;
    for (index, line) in lines {
        read += line.len();
        if line.trim_end() == "---" {
            closed = Some(index + 1);
            break;
        }
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = entry(line).map_err(|message| malformed(index + 1, message))?;
        if keys.insert(key.clone(), value).is_some() {
            return Err(malformed(index + 1, format!("`{key}` is given twice")));
        }
    }
    let Some(end) = closed else {
        let message = "the front matter has no end: the closing `---` line is missing";
        return Err(malformed(text.lines().count(), message.to_owned()));
    };
    let mut required = |key: &str, most: usize| match keys.remove(key) {
        Some(value) if value.is_empty() || value.chars().count() > most => {
            Err(malformed(end, format!("`{key}` must have 1 to {most} characters")))
        }
        Some(value) => Ok(value),
        None => Err(malformed(end, format!("the front matter has no `{key}`"))),
    };
    let (name, description) = (required("name", MOST.0)?, required("description", MOST.1)?);
    let prompt = body[read..].trim_start_matches(['\r', '\n']);
    if prompt.trim().is_empty() {
        return Err(malformed(end, "there is no prompt after the front matter".to_owned()));
    }
    Ok(Skill {
        role: role.to_owned(),
        name,
        description,
        extra: keys,
        prompt: prompt.to_owned(),
        text: text.to_owned(),
        origin,
        path: None,
        sha256: sha256(text.as_bytes()),
        note: None,
        foreign: false,
    })
}

/// Creates a skill from a file that is only a prompt. Returns `None` if it is empty.
fn bare(role: &str, text: &str, body: &str, file: &Path, origin: Origin) -> Option<Skill> {
    let first = body.lines().find(|line| !line.trim().is_empty())?;
    let title = first.trim_start_matches(['#', ' ']).trim();
    let own = file.file_name().is_some_and(|name| name == FILE_NAME);
    let (named_by, name) = if own {
        ("folder", file.parent().and_then(Path::file_name))
    } else {
        ("file", file.file_stem())
    };
    let name = name.map_or_else(|| role.into(), |name| name.to_string_lossy());
    let short = |text: &str, most: usize| text.chars().take(most).collect();
    Some(Skill {
        role: role.to_owned(),
        name: short(&name, MOST.0),
        description: short(if title.is_empty() { &name } else { title }, MOST.1),
        extra: BTreeMap::new(),
        prompt: body.trim_start_matches(['\r', '\n']).to_owned(),
        text: text.to_owned(),
        origin,
        path: None,
        sha256: sha256(text.as_bytes()),
        note: Some(format!(
            "{} has no front matter: its {named_by}'s name is used as its name, and the whole file as the prompt",
            file.display()
        )),
        foreign: false,
    })
}

/// Parses one `key: value` line. Nesting, lists and blocks are refused rather than partially read.
fn entry(line: &str) -> Result<(String, String), String> {
    const FLAT: &str = "only flat `key: value` lines are read here; put the value on one line";
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let (key, value) = line.trim_end().split_once(':').ok_or(FLAT)?;
    if key.is_empty() || !key.chars().all(plain) || key.starts_with('-') {
        return Err(FLAT.to_owned());
    }
    let value = value.trim();
    if value.starts_with(['|', '>', '[', '{', '&', '*', '!']) {
        return Err(FLAT.to_owned());
    }
    let unquoted = if value.starts_with('"') {
        serde_json::from_str(value).map_err(|_| format!("the quotes of `{key}` don't match"))?
    } else if let Some(rest) = value.strip_prefix('\'') {
        let inner = rest.strip_suffix('\'');
        inner.ok_or(format!("the quotes of `{key}` don't match"))?.replace("''", "'")
    } else {
        value.to_owned()
    };
    Ok((key.to_owned(), unquoted))
}
