//! Sets the rules of a topic debate by name.

use crate::app::run::assign::{number, share as share_of, unknown_rule};
use crate::error::{Error, Kind};
use crate::protocol::debate::consensus::Basis;
use crate::protocol::style::{Settings, Style};
use crate::text::word::Word as _;

/// Sets one rule by name, for `sessions decide`.
pub(super) fn set(settings: &mut Settings, name: &str, value: &str) -> Result<(), Error> {
    match (settings, name) {
        (Settings::Dialogue(of), "consensus_threshold") => {
            of.consensus_threshold = share_of(name, value)?;
            // Lowering this threshold below the other one means that nothing is left between them.
            of.expert_threshold = of.expert_threshold.min(of.consensus_threshold);
        }
        (Settings::Dialogue(of), "expert_threshold") => {
            of.expert_threshold = share_of(name, value)?;
        }
        (Settings::Dialogue(of), "deadlock_rise") => of.deadlock_rise = share_of(name, value)?,
        (Settings::Dialogue(of), "consensus") => {
            of.consensus = Basis::of(value).ok_or_else(|| {
                let what = format!("`consensus` must be `stance` or `text`, not `{value}`");
                Error::new(Kind::Usage, what)
            })?;
        }
        (Settings::Dialogue(of), "max_rounds") => {
            of.max_rounds = number(name, value, &Style::Dialogue.rounds())?;
        }
        (Settings::Argument(of), "consensus_threshold") => {
            of.consensus_threshold = share_of(name, value)?;
        }
        (Settings::Argument(of), "max_rounds") => {
            of.max_rounds = number(name, value, &Style::Argument.rounds())?;
        }
        (Settings::Panel { panel, .. }, "max_rounds") => {
            panel.max_rounds = number(name, value, &Style::Panel.rounds())?;
        }
        (Settings::Dialogue(_), _) => {
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
        (Settings::Argument(_), _) => {
            return Err(unknown_rule(name, &["consensus_threshold", "max_rounds"]));
        }
        (Settings::Panel { .. }, _) => return Err(unknown_rule(name, &["max_rounds"])),
    }
    Ok(())
}
