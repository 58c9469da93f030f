//! Judges the `discuss` section.

use std::path::{Component, Path};

use super::{CheckResult, fault, named};
use crate::config::error::{hint, nearest};
use crate::config::key::KeyPath;
use crate::config::schema::Config;
use crate::protocol::discuss::input::{MAX_PERSPECTIVES, is_round_id};

/// Maximum number of perspectives and of presets of a configuration.
const MOST: usize = 50;
/// Maximum characters of a title, and of one entry of what a perspective looks at.
const LINE_CHARS: usize = 200;

pub(super) fn values(config: &Config) -> CheckResult {
    let discuss = &config.discuss;
    let at = KeyPath::of(["discuss"]);
    for (key, count) in
        [("perspectives", discuss.perspectives.len()), ("presets", discuss.presets.len())]
    {
        if count > MOST {
            return Err(fault(
                at.key(key),
                format!("may have at most {MOST} entries, {count} found"),
            ));
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
                format!("may have at most {MOST} entries, {found} found"),
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

/// Judges a line read by agents and people.
fn line(at: &KeyPath, text: &str) -> CheckResult {
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

pub(super) fn whole(config: &Config) -> CheckResult {
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

fn known(config: &Config, at: &KeyPath, names: &[String]) -> CheckResult {
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
            let hint = hint(nearest(name, all.keys().map(String::as_str)).as_deref());
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

pub(super) fn names(config: &Config) -> Vec<(KeyPath, &str)> {
    let at = KeyPath::of(["discuss", "perspectives"]);
    (config.discuss.perspectives.iter())
        .map(|(name, perspective)| (at.key(name).key("agent"), perspective.agent.as_str()))
        .collect()
}

#[cfg(test)]
mod tests {
    //! Tests of refused values: the location, the fault, and the name that was probably meant.

    use crate::config::tests::World;

    /// Each fault is in the second line, from its first column.
    #[test]
    fn faults_name_their_place_and_the_nearest_name() {
        let long = "x".repeat(201);
        let own = r#""agent": "claude", "title": "t", "looks_at": ["l"]"#;
        for (text, refusal) in [
            (
                "{\"discuss\": {\"perspectives\": {\n\"Legal\": {OWN}}}}",
                "`discuss.perspectives.Legal` must have a name of 1 to 32 lower-case letters, digits or `-`, a letter first",
            ),
            (
                "{\"discuss\": {\"perspectives\": {\n\"../x\": {OWN}}}}",
                "`discuss.perspectives.\"../x\"` must have a name of 1 to 32 lower-case letters, digits or `-`, a letter first",
            ),
            (
                "{\"discuss\": {\"perspectives\": {\n\"legal\": {\"agent\": \"claude\", \"looks_at\": [\"l\"]}}}}",
                "`discuss.perspectives.legal` has no `title`: a perspective has an agent, a title and what it looks at",
            ),
            (
                "{\"discuss\": {\"perspectives\": {\n\"legal\": {\"agent\": \"claude\", \"title\": \"t\"}}}}",
                "`discuss.perspectives.legal` has no `looks_at`: a perspective has an agent, a title and what it looks at",
            ),
            (
                "{\"discuss\": {\"perspectives\": {\n\"legal\": {\"title\": \"t\", \"looks_at\": [\"l\"]}}}}",
                "`discuss.perspectives.legal` has no `agent`: a perspective has an agent, a title and what it looks at",
            ),
            (
                "{\"discuss\": {\"perspectives\": {\"product\": {\n\"agent\": \"gemni\"}}}}",
                "`discuss.perspectives.product.agent` names the agent `gemni`, which does not exist; did you mean `gemini`?",
            ),
            (
                "{\"discuss\": {\"perspectives\": {\"product\": {\n\"titel\": \"x\"}}}}",
                "unknown key `discuss.perspectives.product.titel`; did you mean `title`?",
            ),
            (
                "{\"discuss\": {\"perspectives\": {\"product\": {\n\"title\": \"a\\nb\"}}}}",
                "`discuss.perspectives.product.title` must be one line of at most 200 characters",
            ),
            (
                "{\"discuss\": {\"perspectives\": {\"product\": {\"looks_at\": [\"a\",\n\"LONG\"]}}}}",
                "`discuss.perspectives.product.looks_at[1]` must be one line of at most 200 characters",
            ),
            (
                "{\"discuss\": {\"default_perspectives\": [\n\"produkt\"]}}",
                "`discuss.default_perspectives[0]` names the perspective `produkt`, which does not exist; did you mean `product`?",
            ),
            (
                "{\"discuss\": {\"default_perspectives\": [\"risk\",\n\"risk\"]}}",
                "`discuss.default_perspectives[1]` is named twice",
            ),
            (
                "{\"discuss\": {\n\"default_perspectives\": []}}",
                "`discuss.default_perspectives` must name 1 to 9 perspectives, 0 found",
            ),
            (
                "{\"discuss\": {\"presets\": {\"MINE\": {\"artifact\": \"a.md\", \"perspectives\": [\n\"riks\"]}}}}",
                "`discuss.presets.MINE.perspectives[0]` names the perspective `riks`, which does not exist; did you mean `risk`?",
            ),
            (
                "{\"discuss\": {\"presets\": {\n\"MINE\": {\"perspectives\": [\"risk\"]}}}}",
                "`discuss.presets.MINE` has no `artifact`: the file that is read",
            ),
            (
                "{\"discuss\": {\"presets\": {\"MINE\": {\n\"artifact\": \"../a.md\", \"perspectives\": [\"risk\"]}}}}",
                "`discuss.presets.MINE.artifact` must be a path within the project, `../a.md` found",
            ),
            (
                "{\"discuss\": {\"presets\": {\"DISCUSS-001\": {\n\"context\": \"/etc/passwd\"}}}}",
                "`discuss.presets.DISCUSS-001.context` must be a path within the project, `/etc/passwd` found",
            ),
            (
                "{\"discuss\": {\"presets\": {\n\"../M\": {\"artifact\": \"a.md\", \"perspectives\": [\"risk\"]}}}}",
                "`discuss.presets.\"../M\"` must have a name of 1 to 64 letters, digits, `-`, `_` or `.`, a letter or digit first: it names records",
            ),
            (
                "{\"discuss\": {\"presets\": {\"DISCUSS-001\": {\n\"role\": \"-x\"}}}}",
                "`discuss.presets.DISCUSS-001.role` must have a name of 1 to 64 letters, digits, `.`, `_` or `-`, beginning with a letter, digit or `_`",
            ),
        ] {
            let text = text.replace("OWN", own).replace("LONG", &long);
            let world = World::new();
            world.project(&text);
            assert_eq!(world.refusal(), format!("repo/debate-agent.config.json:2:1: {refusal}"));
        }
    }
}
