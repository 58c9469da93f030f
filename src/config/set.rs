//! `--set KEY=VALUE`: a key of the configuration, set for one run.

use super::error::{ConfigError, FaultLocation, nearest};
use super::key::KeyPath;
use super::load::Flag;
use super::setting::{declared_keys, is_declared, value_of};

/// The option's spelling, for messages and as the source of its values.
const OPTION: &str = "--set";

/// Reads the settings of a command line. Types and bounds are judged with everything else.
///
/// # Errors
/// One is not KEY=VALUE, or there is no such key.
pub fn read(given: &[String]) -> Result<Vec<Flag>, ConfigError> {
    given.iter().map(|text| one(text)).collect()
}

fn one(text: &str) -> Result<Flag, ConfigError> {
    let place = FaultLocation::Flag(OPTION.to_owned());
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let path = KeyPath::of(key.trim().split('.'));
    if !is_declared(&path) {
        let keys = declared_keys();
        let nearest = nearest(key.trim(), keys.iter().map(String::as_str));
        return Err(ConfigError::UnknownKey { place, path, nearest });
    }
    if !text.contains('=') {
        let message = "has no value: `--set KEY=VALUE`".to_owned();
        return Err(ConfigError::Invalid { place, path, message });
    }
    let value = value_of(&path, value.trim());
    Ok(Flag { name: OPTION.to_owned(), path, value })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::layers::Layer;
    use crate::config::load::load;
    use crate::config::tests::World;

    fn refusal(text: &str) -> String {
        let world = World::new();
        let mut request = world.request();
        let read = read(&[text.to_owned()]).and_then(|flags| {
            request.flags = flags;
            load(&request)
        });
        read.unwrap_err().to_string()
    }

    #[test]
    fn a_value_is_json_a_word_or_a_list_as_its_key_says() {
        for (text, value) in [
            ("review.max_rounds=2", json!(2)),
            ("limits.repair=false", json!(false)),
            ("limits.budget_usd= 0.5 ", json!(0.5)),
            ("topic.opening=blind", json!("blind")),
            ("topic.expert=\"none\"", json!("none")),
            ("agents.claude.model=5", json!("5")),
            ("debate.default_agents=claude, codex", json!(["claude", "codex"])),
            ("debate.default_agents=[\"claude\"]", json!(["claude"])),
            ("review.exclude=", json!([])),
        ] {
            let flags = read(&[text.to_owned()]).unwrap();
            assert_eq!(flags[0].value, value, "{text}");
        }
    }

    #[test]
    fn a_set_value_is_over_every_file_and_names_its_source() {
        let world = World::new();
        world.project(r#"{"review": {"max_rounds": 1}, "limits": {"budget_usd": 100}}"#);
        let mut request = world.request();
        let given = ["review.max_rounds=2", "limits.budget_usd=1"].map(str::to_owned);
        request.flags = read(&given).unwrap();
        let effective = load(&request).unwrap();
        assert_eq!(effective.config.review.max_rounds, 2);
        let source = &effective.provenance[&KeyPath::of(["review", "max_rounds"])];
        assert_eq!((source.layer, source.to_string()), (Layer::Flag, "--set".to_owned()));
        let used = crate::config::trust::AgentUse::Agents;
        assert_eq!(world.check_as(&request, used), Ok(()), "the user's word needs no trust");
    }

    #[test]
    fn a_wrong_key_or_value_is_refused_with_the_nearest_key_or_the_bounds() {
        for (text, said) in [
            (
                "review.max_round=2",
                "--set: unknown key `review.max_round`; did you mean `review.max_rounds`?",
            ),
            ("colour=red", "--set: unknown key `colour`"),
            ("limits.repair", "--set: `limits.repair` has no value: `--set KEY=VALUE`"),
            ("review.max_rounds=9", "--set: `review.max_rounds` must be between 0 and 5, 9 found"),
            (
                "review.max_rounds=two",
                "--set: `review.max_rounds` is wrong: expected a whole number, found \"two\"",
            ),
            (
                "review.max_rounds=null",
                "--set: `review.max_rounds` is null; leave the key out instead",
            ),
            (
                "topic.expert=nobody",
                "--set: `topic.expert` names the agent `nobody`, which does not exist",
            ),
            (
                "limits.allow_dangerous=true",
                "--set: `limits.allow_dangerous` counts only in the user's own file, not in the command line",
            ),
        ] {
            assert_eq!(refusal(text), said, "{text}");
        }
    }
}
