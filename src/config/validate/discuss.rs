//! Judges the `discuss` section.

use std::path::{Component, Path};

use super::{Checked, fault, named};
use crate::config::error::nearest;
use crate::config::key::KeyPath;
use crate::config::schema::Config;
use crate::kernel::Usd;
use crate::protocol::discuss::input::{MAX_PERSPECTIVES, is_round_id};

/// Most perspectives and presets that a configuration may have.
const MOST: usize = 50;
/// Characters of a title, and of one thing that is looked at.
const LINE_CHARS: usize = 200;

/// Judges the values of one layer.
pub(super) fn ranges(config: &Config) -> Checked {
    let discuss = &config.discuss;
    let at = KeyPath::of(["discuss"]);
    if discuss.first_reserve_usd == Usd::ZERO {
        return Err(fault(at.key("first_reserve_usd"), "must be above 0"));
    }
    for (key, count) in
        [("perspectives", discuss.perspectives.len()), ("presets", discuss.presets.len())]
    {
        if count > MOST {
            return Err(fault(at.key(key), format!("may have {MOST} entries, {count} found")));
        }
    }
    for (name, perspective) in &discuss.perspectives {
        let at = at.key("perspectives").key(name);
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !(1..=32).contains(&name.len())
            || !name.chars().all(plain)
            || !name.starts_with(|c: char| c.is_ascii_lowercase())
        {
            return Err(fault(
                at,
                "must have a name of 1 to 32 lower-case letters, digits or `-`, a letter first",
            ));
        }
        if perspective.looks_at.len() > MOST {
            let found = perspective.looks_at.len();
            return Err(fault(
                at.key("looks_at"),
                format!("may have {MOST} entries, {found} found"),
            ));
        }
        line(&at.key("title"), &perspective.title)?;
        for (index, item) in perspective.looks_at.iter().enumerate() {
            line(&at.key("looks_at").index(index), item)?;
        }
    }
    for (name, preset) in &discuss.presets {
        let at = at.key("presets").key(name);
        if !is_round_id(name) {
            return Err(fault(
                at,
                "must have a name of 1 to 64 letters, digits, `-`, `_` or `.`, a letter or digit first: it names records",
            ));
        }
        for (key, path) in [("artifact", &preset.artifact), ("context", &preset.context)] {
            if !within_project(path) {
                return Err(fault(
                    at.key(key),
                    format!("must be a path within the project, `{}` found", path.escape_debug()),
                ));
            }
        }
        if !preset.role.is_empty() {
            named(&at.key("role"), &preset.role)?;
        }
    }
    Ok(())
}

/// A line that agents and people read.
fn line(at: &KeyPath, text: &str) -> Checked {
    if text.chars().count() > LINE_CHARS || text.chars().any(char::is_control) {
        return Err(fault(
            at.clone(),
            format!("must be one line of at most {LINE_CHARS} characters"),
        ));
    }
    Ok(())
}

fn within_project(path: &str) -> bool {
    !path.contains('\0')
        && Path::new(path)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Judges what only the whole configuration shows.
pub(super) fn whole(config: &Config) -> Checked {
    let discuss = &config.discuss;
    let at = KeyPath::of(["discuss"]);
    for (name, perspective) in &discuss.perspectives {
        let at = at.key("perspectives").key(name);
        for (key, missing) in [
            ("agent", perspective.agent.is_empty()),
            ("title", perspective.title.trim().is_empty()),
            ("looks_at", perspective.looks_at.is_empty()),
        ] {
            if missing {
                return Err(fault(
                    at,
                    format!(
                        "has no `{key}`: a perspective has an agent, a title and what it looks at"
                    ),
                ));
            }
        }
    }
    known(config, &at.key("default_perspectives"), &discuss.default_perspectives)?;
    for (name, preset) in &discuss.presets {
        let at = at.key("presets").key(name);
        if preset.artifact.is_empty() {
            return Err(fault(at, "has no `artifact`: the file that is read"));
        }
        known(config, &at.key("perspectives"), &preset.perspectives)?;
    }
    Ok(())
}

/// Judges a list of perspectives.
fn known(config: &Config, at: &KeyPath, names: &[String]) -> Checked {
    if !(1..=MAX_PERSPECTIVES).contains(&names.len()) {
        return Err(fault(
            at.clone(),
            format!("must name 1 to {MAX_PERSPECTIVES} perspectives, {} found", names.len()),
        ));
    }
    let all = &config.discuss.perspectives;
    for (index, name) in names.iter().enumerate() {
        let at = at.index(index);
        if names[..index].contains(name) {
            return Err(fault(at, "is named twice"));
        }
        if !all.contains_key(name) {
            let hint = nearest(name, all.keys().map(String::as_str))
                .map(|name| format!("; did you mean `{name}`?"))
                .unwrap_or_default();
            return Err(fault(
                at,
                format!(
                    "names the perspective `{}`, which does not exist{hint}",
                    name.escape_debug()
                ),
            ));
        }
    }
    Ok(())
}

/// Every agent that the section names, and where.
pub(super) fn names(config: &Config) -> Vec<(KeyPath, &str)> {
    let at = KeyPath::of(["discuss", "perspectives"]);
    (config.discuss.perspectives.iter())
        .map(|(name, perspective)| (at.key(name).key("agent"), perspective.agent.as_str()))
        .collect()
}

#[cfg(test)]
mod tests;
