//! Arguments that several tools share, and the limits on texts.

use crate::contract::exact::{names, path, start, whole};
use crate::contract::field::Field;

/// Bytes of a question, a topic or a description, as in the protocols (`TASK_BYTES`, `DESCRIPTION_BYTES`).
pub(super) const TEXT: usize = 64 << 10;

/// Bytes of a prompt for one agent.
pub(super) const PROMPT: usize = 512 << 10;

/// Bytes of a debate's topic (`TOPIC_BYTES`); a longer one belongs in its description.
pub(super) const TOPIC: usize = 4_000;

/// Bytes of a commit's or branch's name: as long as a path.
pub(super) const REF: usize = 1_024;

/// Bytes of an agent's, perspective's or preset's name, as in the configuration.
pub(super) const NAME: usize = 64;

/// The agents of one debate, in their order: a single agent is not a debate, and a panel has at most nine seats.
pub(super) const AGENTS: Field<Vec<String>> =
    names(2, 9, NAME).about("Default: the configured ones.");

pub(super) const PATH: Field<Option<String>> =
    path().optional().about("File or folder, from the start directory; default: the whole change.");

/// Maximum wait of a call, in seconds. 45: common clients give up after 60.
pub(super) const WAIT: Field<u32> =
    whole(0, 3_600).usually(45).about("Wait this many seconds, then poll.");

/// The session: an id by the store's rule.
pub(super) const SESSION: Field<String> = start(4, 64).about("Its id, or the start of it.");
