//! Judges the sections of topic debates.

use super::{CheckResult, fault};
use crate::config::debate::{AUTO, NONE};
use crate::config::key::KeyPath;
use crate::config::schema::Config;

/// Maximum number of participants of a panel, and of entries in a list of names.
const MOST_NAMES: usize = 50;

/// Judges `topic`, `argument` and `panel`.
pub(super) fn values(config: &Config) -> CheckResult {
    let (topic, panel) = (&config.topic, &config.panel);
    let at = KeyPath::of(["topic"]);
    if topic.participants.len() != 2 {
        return Err(fault(
            at.key("participants"),
            format!("must name two agents, {} found", topic.participants.len()),
        ));
    }
    if let [first, second] = &topic.participants[..]
        && first == second
    {
        let at = at.key("participants").index(1);
        return Err(fault(at, "is named twice: an agent cannot debate with itself"));
    }
    if topic.expert.is_empty() {
        return Err(fault(
            at.key("expert"),
            "must be an agent's name, `auto` or `none`, but is empty",
        ));
    }
    let (at, list) = (KeyPath::of(["panel", "participants"]), &panel.participants);
    if list.len() > MOST_NAMES {
        let message = format!("may have at most {MOST_NAMES} entries, {} found", list.len());
        return Err(fault(at, message));
    }
    if let Some(index) = list.iter().position(|name| name.trim().is_empty()) {
        return Err(fault(at.index(index), "must be a name, but is empty"));
    }
    Ok(())
}

/// Judges the thresholds against each other, which needs all layers: a layer may set one of them alone.
pub(super) fn thresholds(config: &Config) -> CheckResult {
    let topic = &config.topic;
    let at = KeyPath::of(["topic"]);
    if topic.expert_threshold > topic.consensus_threshold {
        return Err(fault(
            at.key("expert_threshold"),
            format!(
                "must not be above `consensus_threshold` ({}), {} found",
                topic.consensus_threshold, topic.expert_threshold
            ),
        ));
    }
    Ok(())
}

pub(super) fn names(config: &Config) -> Vec<(KeyPath, &str)> {
    let participants =
        [("topic", &config.topic.participants), ("panel", &config.panel.participants)];
    let listed = participants.into_iter().flat_map(|(section, names)| {
        let at = KeyPath::of([section, "participants"]);
        (names.iter().enumerate()).map(move |(index, name)| (at.index(index), name.as_str()))
    });
    let expert = config.topic.expert.as_str();
    let expert =
        (![AUTO, NONE].contains(&expert)).then(|| (KeyPath::of(["topic", "expert"]), expert));
    listed.chain(expert).collect()
}
