//! `review dismiss`: finds the finding, and writes its dismissal into the file.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use chrono::SubsecRound as _;
use schemars::JsonSchema;
use serde::Serialize;

use super::find::{self, Review, Source};
use super::known::{Dismissal, Dismissals, DismissalsError, FILE, VERSION, parse};
use crate::app::workspace::Workspace;
use crate::config::file::{Existing, Links, MAX_BYTES, read_text, write_atomic};
use crate::error::{Error, Kind};
use crate::protocol::review::Reported;
use crate::report::baseline::is_fingerprint;
use crate::report::document::{SCHEMA_VERSION, to_json};
use crate::report::review::ReviewDocument;
use crate::text::sanitize;

/// Characters of a reason.
const MOST_WHY: usize = 2_000;
/// Fewest digits of a fingerprint that name a finding.
const FEWEST_DIGITS: usize = 4;
/// Ids that an error lists.
const MOST_LISTED: usize = 20;
/// How long another process's change is waited for: tries and the pause between them.
const PATIENCE: (u32, Duration) = (100, Duration::from_millis(20));

/// What is to be dismissed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dismiss {
    /// The finding's id (`F3`), or the first digits of its fingerprint.
    pub id: String,
    /// Why it is none.
    pub why: String,
    /// Who says so.
    pub by: Option<String>,
    /// Which review the id is of.
    pub source: Source,
}

/// The result of `review dismiss`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DismissDocument {
    /// The finding's id in its review.
    pub id: String,
    /// Further findings of that review with the same fingerprint: they are dismissed with it.
    pub also: Vec<String>,
    /// What stands in the file.
    pub dismissal: Dismissal,
    /// It stood there before, and was left as it is.
    pub already: bool,
    /// Which review was looked at.
    pub review: String,
    /// The file.
    pub path: String,
    /// The version of this document.
    pub schema_version: u32,
}

impl DismissDocument {
    /// Returns the result for people, with a newline at the end.
    pub fn render(&self) -> String {
        let line = |text: &str| sanitize::line(text, 400);
        let of = &self.dismissal;
        let what = format!(
            "{} ({} {}: {})",
            line(&self.id),
            of.severity.name(),
            line(&of.file),
            line(&of.title)
        );
        if self.already {
            return format!(
                "{what} was already dismissed on {}, because: {}\nNothing was changed.\n",
                of.at.format("%Y-%m-%d"),
                line(&of.why)
            );
        }
        let also = match self.also.as_slice() {
            [] => String::new(),
            ids => format!("The same code and so the same dismissal: {}.\n", line(&ids.join(", "))),
        };
        format!(
            "Dismissed {what}, as found in {}.\n{also}It is not raised again while the code it quotes is unchanged. Commit {FILE}: it counts from the revision on that a change is compared with.\n",
            line(&self.review)
        )
    }
}

/// Dismisses a finding of a review.
///
/// # Errors
/// No reason, no such finding, a review that cannot be read or is a rehearsal, or a file that cannot be
/// understood or written. The file is then as it was.
pub async fn dismiss(workspace: &Workspace, request: &Dismiss) -> Result<DismissDocument, Error> {
    let why = reason(&request.why)?;
    let Review { document, name } = find::review(workspace, &request.source).await?;
    if document.header.rehearsal {
        return Err(Error::new(
            Kind::Input,
            format!(
                "{name} is of a rehearsal: its findings are invented, so none can be dismissed"
            ),
        )
        .named("rehearsal"));
    }
    let found = find_in(&document, &name, &request.id)?;
    let same =
        |other: &&Reported| other.fingerprint == found.fingerprint && !std::ptr::eq(*other, found);
    let findings = document.findings.iter().map(|finding| &finding.reported);
    let also = findings.filter(same).map(|other| other.id.clone()).collect();
    let dismissal = Dismissal {
        fingerprint: found.fingerprint.clone(),
        file: found.file.clone(),
        title: sanitize::line(&found.title, 300),
        severity: found.severity,
        why,
        at: workspace.env().now().trunc_subsecs(0),
        by: (request.by.as_deref()).map(|by| sanitize::line(by, 100)).filter(|by| !by.is_empty()),
    };
    let path = workspace.root().join(FILE);
    let (dismissal, already) = add(workspace.root(), &path, dismissal)?;
    Ok(DismissDocument {
        id: found.id.clone(),
        also,
        dismissal,
        already,
        review: name,
        path: path.display().to_string(),
        schema_version: SCHEMA_VERSION,
    })
}

fn reason(why: &str) -> Result<String, Error> {
    let refused = |what: &str| {
        Err(Error::new(Kind::Usage, what).named("no_reason").hint(
            "say in a sentence why the finding is none: whoever reads the file later wants to know",
        ))
    };
    let why = sanitize::terminal(why).trim().to_owned();
    if why.is_empty() {
        return refused("a dismissal needs a reason, and `--why` is empty");
    }
    if why.chars().count() > MOST_WHY {
        return refused("the reason has more than 2,000 characters");
    }
    Ok(why)
}

/// Finds the finding with this id, or with a fingerprint that begins like this.
fn find_in<'a>(document: &'a ReviewDocument, name: &str, id: &str) -> Result<&'a Reported, Error> {
    let wanted = id.trim();
    let all = || document.findings.iter().map(|finding| &finding.reported);
    let digits = wanted.to_ascii_lowercase();
    let is_prefix =
        digits.len() >= FEWEST_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let named = |reported: &&Reported| reported.id.eq_ignore_ascii_case(wanted);
    let begins = |reported: &&Reported| is_prefix && reported.fingerprint.starts_with(&digits);
    let mut found: Vec<&Reported> = all().filter(named).collect();
    if found.is_empty() {
        found = all().filter(begins).collect();
        found.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    }
    match found.as_slice() {
        [one] if is_fingerprint(&one.fingerprint) => Ok(one),
        [one] => Err(Error::new(
            Kind::Input,
            format!("{name}: the fingerprint of {} is none", sanitize::line(&one.id, 60)),
        )
        .named("unreadable_report")),
        [] => Err(unknown(document, name, wanted)),
        several => Err(Error::new(
            Kind::Input,
            format!(
                "`{}` begins the fingerprints of {} findings of {name}",
                sanitize::line(wanted, 60),
                several.len()
            ),
        )
        .named("ambiguous_id")
        .hint("give more of its digits, or the finding's id")),
    }
}

fn unknown(document: &ReviewDocument, name: &str, wanted: &str) -> Error {
    let shown = sanitize::line(wanted, 60);
    let gone =
        (document.eliminated.iter()).find(|gone| gone.reported.id.eq_ignore_ascii_case(wanted));
    if gone.is_some() {
        return Error::new(
            Kind::Input,
            format!("{shown} of {name} did not remain, so there is nothing to dismiss"),
        )
        .named("unknown_id");
    }
    let error =
        Error::new(Kind::Input, format!("{name} has no finding `{shown}`")).named("unknown_id");
    let listed: Vec<String> = (document.findings.iter())
        .take(MOST_LISTED)
        .map(|finding| {
            let reported = &finding.reported;
            format!(
                "{} ({} {}: {})",
                sanitize::line(&reported.id, 20),
                reported.severity.name(),
                sanitize::line(&reported.file, 80),
                sanitize::line(&reported.title, 60)
            )
        })
        .collect();
    if listed.is_empty() {
        return error
            .hint("it has none at all; name another review: `--session ID` or `--report FILE`");
    }
    let more = match document.findings.len().saturating_sub(MOST_LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    error.hint(format!("it has {}{more}", listed.join(", ")))
}

/// Adds a dismissal to the file. Returns what stands there, and whether it did before.
fn add(root: &Path, path: &Path, new: Dismissal) -> Result<(Dismissal, bool), Error> {
    let _held = lock(root)?;
    let mut all = current(path)?;
    if let Some(old) = (all.iter()).find(|old| old.fingerprint == new.fingerprint) {
        return Ok((old.clone(), true));
    }
    all.push(new.clone());
    // Sorted, so that the dismissals of two branches merge.
    all.sort_by(|a, b| (&a.file, &a.fingerprint).cmp(&(&b.file, &b.fingerprint)));
    let file = Dismissals { version: VERSION, dismissals: all };
    let text = to_json(&file).map_err(|error| {
        Error::new(Kind::Bug, "the dismissals cannot be written as JSON").because(error)
    })?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::new(
            Kind::State,
            format!("{FILE} would have more than {MAX_BYTES} bytes, which is not read again"),
        )
        .hint("remove dismissals of code that is gone"));
    }
    write_atomic(path, text.as_bytes(), 0o644, Existing::Replace).map_err(|error| {
        Error::new(Kind::State, format!("failed to write {}", path.display())).because(error)
    })?;
    Ok((new, false))
}

/// Reads what the file holds now; no file holds nothing.
fn current(path: &Path) -> Result<Vec<Dismissal>, Error> {
    let unreadable = || {
        Error::new(Kind::Input, format!("failed to read {}", path.display())).named("dismissals")
    };
    if let Err(error) = path.symlink_metadata()
        && error.kind() == std::io::ErrorKind::NotFound
    {
        return Ok(Vec::new());
    }
    let text = read_text(path, Links::Refuse).map_err(|error| unreadable().because(error))?;
    parse(text.as_bytes()).map_err(|error: DismissalsError| {
        unreadable()
            .because(error)
            .hint("mend that place by hand, or restore the file from version control; it was left as it is")
    })
}

/// Keeps two processes from losing each other's dismissals: a lock on the project's folder itself, which
/// leaves no file behind. Where the file system has no locks, there is none.
fn lock(root: &Path) -> Result<Option<File>, Error> {
    let failed = |error: std::io::Error| {
        Error::new(Kind::State, format!("failed to lock {}", root.display())).because(error)
    };
    let folder = File::open(root).map_err(failed)?;
    for _ in 0..PATIENCE.0 {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) => sleep(PATIENCE.1),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(Error::new(Kind::State, format!("another process has been changing {FILE} for 2 s"))
        .named("locked")
        .hint("try again when it has ended"))
}

#[cfg(test)]
mod tests;
