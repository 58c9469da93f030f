//! Finds a session by its id, wherever this server may know one.
//!
//! A session is in the store of its project. The known stores are those of the places that need no path (`places`),
//! and of every place in which this server ran a debate: that is how those of other repositories below a root are
//! found again.

use crate::app::sessions;
use crate::app::workspace::{StartContext, Workspace};
use crate::error::{Error, Kind};

#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// The context in which its project is opened.
    pub(crate) around: StartContext,
    pub(crate) id: String,
}

/// Finds the session that an id or its prefix names. Reads files.
///
/// # Errors
/// No session, or several, begin like this; the text is not an id; a store cannot be read.
pub(crate) fn session(places: Vec<StartContext>, id: &str) -> Result<Found, Error> {
    let mut found: Vec<Found> = Vec::new();
    let mut unread = None;
    for around in places {
        let here = Workspace::open(around.clone(), Vec::new())
            .and_then(|workspace| sessions::find(&workspace, id));
        match here {
            // Two places can share a store.
            Ok(Some(id)) if found.iter().any(|other| other.id == id) => {}
            Ok(Some(id)) => found.push(Found { around, id }),
            Ok(None) => {}
            // A malformed id is unknown everywhere, and an ambiguous prefix is reported as such.
            Err(error) if error.code == "unknown_id" => return Err(error),
            Err(error) => unread = unread.or(Some(error)),
        }
    }
    if let Some(exact) = found.iter().position(|found| found.id == id) {
        return Ok(found.swap_remove(exact));
    }
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        0 => Err(unread.unwrap_or_else(|| {
            Error::new(Kind::Input, format!("there is no session `{id}`"))
                .named("unknown_id")
                .hint("the result of the call that opened it has its `session_id`; sessions elsewhere are out of this server's reach")
        })),
        several => {
            let ids: Vec<&str> = found.iter().map(|found| found.id.as_str()).collect();
            let what = format!(
                "`{id}` is the start of {several} sessions ({})",
                ids.join(", ")
            );
            Err(Error::new(Kind::Input, what)
                .named("unknown_id")
                .hint("give more of the id"))
        }
    }
}
