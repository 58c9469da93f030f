//! Sessions on disk: questions, answers, costs, and how to continue after a crash.
//!
//! # Theory of operation
//!
//! A session is a directory below `.debate/sessions/`:
//!
//! | entry | content |
//! |---|---|
//! | `journal.jsonl` | the single source of truth: append-only, one checksummed [`Record`] per line with the hash of the line before ([`Store::verify`]), fsynced before anybody acts on it (a record that nobody acts on waits for the next) |
//! | `answers/<sha256>` | replies, each on disk (file and name) before the record that refers to it |
//! | `spool/<key>.<run>.out` | the output of a running CLI so far; not fsynced, read only after a crash |
//! | `session.json`, `session.md` | the result when a run last ended, for people, other tools and other versions of this program; deleting it loses nothing that this version cannot make again |
//! | `sinks.json` | the sinks for the result, and the steps done; only if sinks are configured |
//! | `lock` | an advisory lock containing its holder's pid; never deleted |
//!
//! The life of a call: `call.intent` (with its reservation) is on disk before the process starts; then the answer,
//! then `call.result`. So the journal determines what a resume does ([`Ledger::look`]):
//!
//! | journal shows | a resume |
//! |---|---|
//! | `call.result` | never calls again; the answer is read from `answers/` |
//! | only an intent, and a complete reply in the spool | adopts it |
//! | only an intent | charges the reservation (`call.ambiguous`) and runs it again |
//! | nothing | runs it |
//!
//! A session may be started from another one, its *parent* ([`Store::fork`]): the answers of the rounds before some
//! round are copied, and the rest is asked again. The parent is only read. A kept answer was paid for there, so it is
//! not counted here; it is found by its turn and attempt, whichever prompt or agent would be used today, since
//! keeping means "as recorded".
//!
//! So a crash costs at most the calls in flight at that moment, and the record says which. Nothing is repaired by
//! guessing: a torn last record is dropped (it was never acted on); for any other damage the session is refused,
//! naming the record number, and its bytes are left alone. After a failed append or fsync the journal is poisoned:
//! the kernel may have dropped the pages, so there is no second attempt and no further call.
//!
//! Everything read back is input, not program: sizes are bounded, shapes are
//! checked, and nothing in a session names a program, an argument or a path.
//!
//! # Example
//!
//! Reads a stored session, as any program may: nothing is written, and a run that has it open is not disturbed. The
//! sums are the [ledger's](Ledger); a result as a document, as `sessions show` prints it, is
//! [`app::sessions::show`](crate::app::sessions::show)'s.
//!
//! ```no_run
//! use std::collections::BTreeMap;
//! use std::path::Path;
//! use std::sync::Arc;
//!
//! use debate_agent::session::{Body, Env, RealFs, Store, StoreError};
//!
//! // The project, in which the program made `.debate`.
//! let project = Path::new("/home/me/project");
//! let store = Store::new(Arc::new(RealFs::below(project)), project.join(".debate"), Env::system());
//!
//! let listed = store.list()?;
//! let stored = store.read(&listed[0].id)?;
//!
//! let mut asked = BTreeMap::new();
//! for record in &stored.records {
//!     match &record.body {
//!         Body::Intent(call) => drop(asked.insert(&call.key, &call.intent)),
//!         Body::Result(result) => {
//!             let (call, Some(answer)) = (asked[&result.key], &result.answer) else { continue };
//!             let answer = String::from_utf8_lossy(&stored.answer(answer)?).into_owned();
//!             println!("{}, {} by {}, {}:\n{answer}\n", call.turn, call.role, call.agent, result.cost.usd);
//!         }
//!         _ => {}
//!     }
//! }
//! println!("{} rounds, {} calls", stored.ledger.rounds(), stored.ledger.calls_made());
//! # Ok::<(), StoreError>(())
//! ```

// A door of the library: see docs/library.md.
#![warn(missing_docs)]

pub(crate) mod answers;
pub(crate) mod error;
mod fork;
pub mod fs;
pub(crate) mod gc;
pub(crate) mod journal;
pub(crate) mod lock;
mod open;
mod private;
pub(crate) mod shared;
pub(crate) mod sinks;
pub(crate) mod snapshot;
pub mod store;
mod verify;

pub use crate::env::Env;
pub(crate) use crate::journal::key::is_sha;
pub use crate::journal::ledger::{Call, Found, Ledger, State};
pub use crate::journal::record::{
    self, Body, CallAmbiguous, CallIntent, CallResult, Digests, Drift, Parent, ParseResult, Record,
    RoundClosed, SessionClosed, SessionOpened, SessionResumed, SessionSuspended, SkillUsed,
    TurnClosed, TurnStatus,
};
#[doc(hidden)]
pub use error::StoreError;
pub use fs::{FileLock, Fs, RealFs};
pub use gc::{GcPolicy, GcReport, Removal};
pub use lock::Holder;
#[doc(hidden)]
pub use sinks::{Deliveries, Delivery};
pub use store::{Session, SessionListing, SpoolWriter, Status, Store, StoredSession, Summary};
pub use verify::{ChainState, VerifiedSession};

/// A file system in memory whose operations fail as wanted; the tests of the whole program use it, too.
#[cfg(test)]
#[path = "../../tests/memfs/mod.rs"]
pub(crate) mod memfs;
#[cfg(test)]
pub(crate) use memfs::MemFs;

#[cfg(test)]
mod crash_tests;
#[cfg(test)]
mod ledger_tests;
#[cfg(test)]
pub(crate) mod testing;
