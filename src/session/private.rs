//! The folder of a project's sessions: accessible only to the user, and invisible to git.

use std::io;

use ignore::gitignore::GitignoreBuilder;

use super::error::StoreError;
use super::fs::EntryKind;
use super::snapshot;
use super::store::{Store, ensure_dir};
use crate::text::Note;

/// The content of `.debate/.gitignore`: prompts and replies are private by default.
const GITIGNORE: &[u8] = b"# Sessions hold prompts and replies: private by default.\n*\n";
/// Maximum number of its bytes that are read.
const GITIGNORE_BYTES: u64 = 1 << 20;

impl Store {
    /// Makes sure that the private directory for sessions and their results exists. Returns a note if something of
    /// somebody else's was changed.
    pub fn folder(&self) -> Result<Option<Note>, StoreError> {
        ensure_dir(self.fs.as_ref(), &self.root)?;
        self.narrow()?;
        self.write_gitignore()
    }

    /// Restores the permissions that a checkout or a wide umask opened: on the folder, if it is ours, and on the
    /// sessions' folder.
    fn narrow(&self) -> Result<(), StoreError> {
        let (fs, sessions) = (self.fs.as_ref(), self.sessions_dir());
        let held = fs.kind(&sessions).map_err(StoreError::io("look at", &sessions))?;
        if held != Some(EntryKind::Dir) {
            return Ok(());
        }
        for path in [&self.root, &sessions] {
            let owned = fs.owned(path).map_err(StoreError::io("look at", path))?;
            if owned.by_us && owned.is_wide {
                fs.set_private(path).map_err(StoreError::io("make private", path))?;
            }
        }
        Ok(())
    }

    fn write_gitignore(&self) -> Result<Option<Note>, StoreError> {
        let path = self.root.join(".gitignore");
        match self.fs.write_new(&path, GITIGNORE) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => {
                return (result.map(|()| None)).map_err(StoreError::io("create", &path));
            }
        }
        // The user's own may let git see other files; neither it nor one from a clone may let git see the sessions.
        let kind = self.fs.kind(&path).map_err(StoreError::io("look at", &path))?;
        let read = match kind {
            Some(EntryKind::File) => self.fs.read(&path, GITIGNORE_BYTES).ok(),
            // git does not follow a link here.
            Some(EntryKind::Link) => None,
            Some(EntryKind::Dir | EntryKind::Other) | None => return Ok(None),
        };
        if read.as_deref().is_some_and(hides_sessions) {
            return Ok(None);
        }
        // A run beside this one is writing it, or died over it.
        let is_begun = read.as_deref().is_some_and(|read| GITIGNORE.starts_with(read));
        let done = if read.is_some() { "a line `*` was added to it" } else { "it was replaced" };
        // Existing lines stay: the last one that matches the sessions counts.
        let mut text = read.filter(|_| !is_begun).unwrap_or_default();
        if !text.is_empty() && !text.ends_with(b"\n") {
            text.push(b'\n');
        }
        text.extend_from_slice(GITIGNORE);
        snapshot::replace_by(self.fs.as_ref(), &path, &crate::env::unique(), &text)?;
        let note = format!(
            "{} let git see the sessions, which hold prompts and replies: {done}",
            path.display()
        );
        Ok((!is_begun).then(|| Note::new("gitignore_changed", note)))
    }
}

/// Whether git, by this `.gitignore` of our folder, sees none of the sessions.
fn hides_sessions(text: &[u8]) -> bool {
    let mut builder = GitignoreBuilder::new("");
    for line in String::from_utf8_lossy(text).lines() {
        // An invalid pattern ignores nothing.
        drop(builder.add_line(None, line));
    }
    let rules = builder.build();
    rules.is_ok_and(|rules| rules.matched("sessions", true).is_ignore())
}
