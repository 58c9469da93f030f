//! Arguments that several tools have, and how long texts may be.

use crate::contract::exact::{names, path, start, whole};
use crate::contract::field::Field;

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

/// The agents of one debate, in their order: fewer is none, more do not sit in one panel.
pub(super) const AGENTS: Field<Vec<String>> = names(2, 9, NAME).about("Else the configured ones.");

/// Where to look.
pub(super) const PATH: Field<Option<String>> =
    path().optional().about("File or folder, from the start directory; else the whole change.");

/// How long a call waits, in seconds. 45: common clients give up after 60.
pub(super) const WAIT: Field<u32> = whole(0, 3_600).usually(45).about("Wait this long, then poll.");

/// Which session: an id by the store's rule.
pub(super) const SESSION: Field<String> = start(4, 64).about("Its id, or the start of it.");
