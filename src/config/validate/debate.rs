//! Judges the sections of topic debates.

use super::{Checked, fault, within};
use crate::config::debate::{AUTO, NONE};
use crate::config::key::KeyPath;
use crate::config::schema::Config;
use crate::kernel::Usd;

/// Seconds of a day.
const DAY: u64 = 86_400;

/// Most participants of a panel, and entries of a list of names.
const MOST_NAMES: usize = 50;

/// Judges `topic`, `argument` and `panel`.
pub(super) fn ranges(config: &Config) -> Checked {
    let (topic, argument, panel) = (&config.topic, &config.argument, &config.panel);
    let at = KeyPath::of(["topic"]);
    within(&at, "max_rounds", topic.max_rounds.into(), &(1..=10))?;
    within(&at, "round_timeout_seconds", topic.round_timeout_seconds, &(1..=DAY))?;
    let of_argument = KeyPath::of(["argument"]);
    for (at, key, share) in [
        (&at, "consensus_threshold", topic.consensus_threshold),
        (&at, "expert_threshold", topic.expert_threshold),
        (&at, "deadlock_rise", topic.deadlock_rise),
        (&of_argument, "consensus_threshold", argument.consensus_threshold),
    ] {
        if !(0.0..=1.0).contains(&share) {
            return Err(fault(at.key(key), format!("must be between 0 and 1, {share} found")));
        }
    }
    if topic.first_reserve_usd == Usd::ZERO {
        return Err(fault(at.key("first_reserve_usd"), "must be above 0"));
    }
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
            "must be an agent's name, `auto` or `none`, it is empty",
        ));
    }
    within(&of_argument, "max_rounds", argument.max_rounds.into(), &(1..=10))?;
    let of_panel = KeyPath::of(["panel"]);
    within(&of_panel, "max_rounds", panel.max_rounds.into(), &(0..=5))?;
    for (at, list) in [
        (of_argument.key("impact_areas"), &argument.impact_areas),
        (of_panel.key("participants"), &panel.participants),
    ] {
        if list.len() > MOST_NAMES {
            return Err(fault(at, format!("may have {MOST_NAMES} entries, {} found", list.len())));
        }
        if let Some(index) = list.iter().position(|name| name.trim().is_empty()) {
            return Err(fault(at.index(index), "must be a name, it is empty"));
        }
    }
    Ok(())
}

/// Judges the thresholds against each other: a layer may set one of them alone.
pub(super) fn thresholds(config: &Config) -> Checked {
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

/// Every agent that the sections name, and where.
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
