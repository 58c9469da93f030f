//! The rules of a debate that `sessions decide` can set afterwards, by style.

use crate::app::sessions::{number, share, unknown_rule};
use crate::error::{Error, Kind};
use crate::protocol::debate::consensus::Basis;
use crate::protocol::style::Settings;

/// Rounds of a dialogue and of typed arguments, the configuration's bounds.
const ROUNDS: std::ops::RangeInclusive<u32> = 1..=10;
/// Cross rounds of a panel.
const CROSS_ROUNDS: std::ops::RangeInclusive<u32> = 0..=5;

/// Sets one rule by name. Whether the rules fit together is asked when all are set.
///
/// # Errors
/// The style has no such rule, or the value is none.
pub(super) fn set(settings: &mut Settings, name: &str, value: &str) -> Result<(), Error> {
    match settings {
        Settings::Dialogue(settings) => match name {
            "consensus_threshold" => settings.consensus_threshold = share(name, value)?,
            "expert_threshold" => settings.expert_threshold = share(name, value)?,
            "deadlock_rise" => settings.deadlock_rise = share(name, value)?,
            "consensus" => settings.consensus = basis(value)?,
            "max_rounds" => settings.max_rounds = number(name, value, &ROUNDS)?,
            _ => {
                return Err(unknown_rule(
                    name,
                    &[
                        "consensus_threshold",
                        "expert_threshold",
                        "deadlock_rise",
                        "consensus",
                        "max_rounds",
                    ],
                ));
            }
        },
        Settings::Argument(settings) => match name {
            "consensus_threshold" => settings.consensus_threshold = share(name, value)?,
            "max_rounds" => settings.max_rounds = number(name, value, &ROUNDS)?,
            _ => return Err(unknown_rule(name, &["consensus_threshold", "max_rounds"])),
        },
        Settings::Panel { panel, .. } => match name {
            "max_rounds" => panel.max_rounds = number(name, value, &CROSS_ROUNDS)?,
            _ => return Err(unknown_rule(name, &["max_rounds"])),
        },
    }
    Ok(())
}

fn basis(value: &str) -> Result<Basis, Error> {
    match value {
        "stance" => Ok(Basis::Stance),
        "text" => Ok(Basis::Text),
        _ => Err(Error::new(
            Kind::Usage,
            format!("`consensus` must be stance or text, not `{value}`"),
        )
        .named("rule")),
    }
}
