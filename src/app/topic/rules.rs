//! Sets the rules of a topic debate by the keys of the configuration.

use crate::app::run::assign::{share, unknown_rule};
use crate::config::schema::Config;
use crate::error::Error;
use crate::protocol::style::Settings;

/// Sets one rule to the value that the configuration has for its key, for `sessions decide`.
pub(super) fn set(settings: &mut Settings, key: &str, config: &Config) -> Result<(), Error> {
    let (topic, argument) = (&config.topic, &config.argument);
    match (settings, key) {
        (Settings::Dialogue(of), "topic.consensus_threshold") => {
            of.consensus_threshold = share(key, topic.consensus_threshold)?;
            // Lowering this threshold below the other one means that nothing is left between them.
            of.expert_threshold = of.expert_threshold.min(of.consensus_threshold);
        }
        (Settings::Dialogue(of), "topic.expert_threshold") => {
            of.expert_threshold = share(key, topic.expert_threshold)?;
        }
        (Settings::Dialogue(of), "topic.deadlock_rise") => {
            of.deadlock_rise = share(key, topic.deadlock_rise)?;
        }
        (Settings::Dialogue(of), "topic.consensus") => of.consensus = topic.consensus,
        (Settings::Dialogue(of), "topic.max_rounds") => of.max_rounds = topic.max_rounds,
        (Settings::Argument(of), "argument.consensus_threshold") => {
            of.consensus_threshold = share(key, argument.consensus_threshold)?;
        }
        (Settings::Argument(of), "argument.max_rounds") => of.max_rounds = argument.max_rounds,
        (Settings::Panel { panel, .. }, "panel.max_rounds") => {
            panel.max_rounds = config.panel.max_rounds;
        }
        (Settings::Dialogue(_), _) => {
            return Err(unknown_rule(
                key,
                &[
                    "topic.consensus_threshold",
                    "topic.expert_threshold",
                    "topic.deadlock_rise",
                    "topic.consensus",
                    "topic.max_rounds",
                ],
            ));
        }
        (Settings::Argument(_), _) => {
            let known = ["argument.consensus_threshold", "argument.max_rounds"];
            return Err(unknown_rule(key, &known));
        }
        (Settings::Panel { .. }, _) => return Err(unknown_rule(key, &["panel.max_rounds"])),
    }
    Ok(())
}
