//! Fields that several tools have, and how long texts may be.

use crate::mcp::tool::{Field, Kind};

/// Bytes of a question, a topic or a description, as the protocols have them (`TASK_BYTES`, `DESCRIPTION_BYTES`).
pub(super) const TEXT: usize = 64 << 10;

/// Bytes of a prompt for one agent.
pub(super) const PROMPT: usize = 512 << 10;

/// Bytes of a debate's topic (`TOPIC_BYTES`); what is longer belongs into its description.
pub(super) const TOPIC: usize = 4_000;

/// Bytes of a commit's or branch's name: a path's worth.
pub(super) const REF: usize = 1_024;

/// Bytes of an agent's, perspective's or preset's name, as the configuration has them.
pub(super) const NAME: usize = 64;

/// Agents of one debate: fewer is none, more do not sit in one panel.
pub(super) const fn agents(name: &'static str, description: &'static str) -> Field {
    let kind = Kind::Names { least: 2, most: 9, longest: NAME };
    Field::new(name, kind, description)
}

/// The agents in their order.
pub(super) const AGENTS: Field = agents("agents", "Else the configured ones.");

/// Where to look.
pub(super) const PATH: Field = Field::new(
    "path",
    Kind::Path,
    "File or folder, from the start directory; else the whole change.",
);

/// How long a call waits. 45 s: common clients give up after 60.
pub(super) const WAIT: Field =
    whole("wait_seconds", 0, 3_600, Some(45), "Wait this long, then poll.");

/// Which session.
pub(super) const SESSION: Field =
    Field::new("session_id", Kind::Session, "Its id, or the start of it.").required();

pub(super) const fn text(name: &'static str, most: usize, description: &'static str) -> Field {
    Field::new(name, Kind::Text { most }, description)
}

pub(super) const fn flag(name: &'static str, default: bool, description: &'static str) -> Field {
    Field::new(name, Kind::Flag { default }, description)
}

pub(super) const fn whole(
    name: &'static str,
    least: u32,
    most: u32,
    default: Option<u32>,
    description: &'static str,
) -> Field {
    let kind = Kind::Whole { least, most, default };
    Field::new(name, kind, description)
}

pub(super) const fn choice(
    name: &'static str,
    of: &'static [&'static str],
    default: &'static str,
    description: &'static str,
) -> Field {
    let default = Some(default);
    Field::new(name, Kind::Choice { of, default }, description)
}
