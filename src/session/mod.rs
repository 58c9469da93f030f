//! Sessions on disk: what was asked, what was answered, what it cost, and how to go on after a crash.
//!
//! # Theory of operation
//!
//! A session is a directory below `.debate/sessions/`:
//!
//! | entry | what it is |
//! |---|---|
//! | `journal.jsonl` | the only truth: append-only, one checksummed [`Record`] per line, fsynced before anybody acts on it (what nobody acts on waits for the next) |
//! | `answers/<sha256>` | replies, each on the disk (file and name) before the record that points at it |
//! | `spool/<key>.<run>.out` | what a running CLI has printed so far; not fsynced, read only after a crash |
//! | `session.json` | a snapshot for people and other tools; deleting it loses nothing |
//! | `sinks.json` | where the result is to be sent, and what of that is done; only where sinks are configured |
//! | `lock` | an advisory lock with its holder's pid inside; never deleted |
//!
//! The life of a call: `call.intent` (with the reserved money) is on the disk
//! before the process starts; then the answer, then `call.result`. What a
//! journal shows therefore decides what a resume does ([`Ledger::look`]):
//!
//! | journal shows | a resume |
//! |---|---|
//! | `call.result` | never calls again; the answer is read from `answers/` |
//! | an intent alone, and a complete reply in the spool | adopts it |
//! | an intent alone | charges the reservation (`call.ambiguous`) and runs it again |
//! | nothing | runs it |
//!
//! A session may be begun from another one, its *parent* ([`Store::fork`]): the answers of the rounds before
//! some round are copied, and the rest is asked again. The parent is only read. A kept answer was paid for
//! there, so it counts nowhere here; it is found by its turn and attempt, whatever prompt or agent would ask
//! today, since "as it was recorded" is what keeping means.
//!
//! So a crash costs at most the calls in flight at that moment, and the record
//! says which. Nothing is mended by guessing: a torn last record is dropped
//! (it was never acted on), any other damage refuses the session by record
//! number and leaves its bytes alone. After a failed append or fsync the
//! journal is poisoned: the kernel may have thrown the pages away, so there is
//! no second try and no further call.
//!
//! Everything read back is input, not program: sizes are bounded, shapes are
//! checked, and nothing in a session names a program, an argument or a path.

pub mod answers;
mod draft;
pub mod error;
mod fork;
pub mod fs;
pub mod gc;
pub mod journal;
pub mod lock;
pub mod memfs;
mod open;
mod private;
pub mod sinks;
pub mod snapshot;
pub mod store;

pub use crate::journal::ledger::{Call, Found, Ledger, State};
pub use crate::journal::record::{
    self, Body, CallAmbiguous, CallIntent, CallResult, Digests, Drift, Opened, Parent, ParseResult,
    Record, Resumed, RoundClosed, SessionClosed, SkillUsed, Suspended, TurnClosed, TurnStatus,
};
pub use draft::Drafts;
pub use error::StoreError;
pub use fs::{Fs, Held, RealFs};
pub use gc::{GcPolicy, GcReport, Removal};
pub use lock::Holder;
pub use memfs::MemFs;
pub use sinks::{Deliveries, Delivery};
pub use store::{Listed, Locking, Session, SpoolWriter, Status, Store, Stored, Summary};

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod ledger_tests;
#[cfg(test)]
pub(crate) mod testing;
