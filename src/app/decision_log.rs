//! The files of the decision log: read strictly, changed under a lock, replaced as a whole.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::app::run::workspace::Workspace;
use crate::app::shared_file::{self, state};
use crate::env;
use crate::error::{Error, Kind, store_error};
use crate::kernel::Warning;
use crate::report::debate::{DebateDocument, Logged};
use crate::report::decisions::{DecisionLog, Entry, VERSION};
use crate::report::document::to_json;
use crate::report::page::ToPage as _;
use crate::session::Store;
use crate::session::fs::{EntryKind, Fs};
use crate::text::{json, sanitize};

const FILE: &str = "decisions.json";
/// The Markdown page generated from the log.
const PAGE: &str = "decisions.md";
/// The lock file, held while the log is changed; never deleted.
const LOCK: &str = "decisions.lock";
/// The suffix of files that are being written.
const TEMP: &str = ".tmp";
/// Maximum bytes of the log.
const MOST_BYTES: u64 = 16 << 20;

#[derive(Debug)]
pub(crate) struct File {
    fs: Arc<dyn Fs>,
    store: Store,
    dir: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LogError {
    /// It is not UTF-8.
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    #[error("it is not JSON: {0}")]
    NotJson(#[from] json::JsonError),
    #[error("its version is {found}, but this program knows {VERSION}; update debate-agent")]
    Version {
        /// The version in the file.
        found: String,
    },
    #[error("{place}: {problem}")]
    Malformed {
        /// The field, for example `decisions[3].title`.
        place: String,
        problem: String,
    },
}

impl File {
    /// Returns the log of a project without touching the disk.
    pub(crate) fn of(workspace: &Workspace) -> Self {
        Self {
            fs: Arc::clone(&workspace.fs),
            store: workspace.store(),
            dir: (workspace.root()).join(&workspace.effective.config.paths.debate),
        }
    }

    /// Returns the path of the log, which need not exist.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(FILE)
    }

    /// Reads the log. A missing file is an empty log; an invalid one is an error.
    pub(crate) fn read(&self) -> Result<DecisionLog, Error> {
        let path = self.path();
        if !shared_file::is_file(self.fs.as_ref(), &path)? {
            return Ok(DecisionLog::default());
        }
        let bytes = self
            .fs
            .read(&path, MOST_BYTES)
            .map_err(|error| state(format!("failed to read {}", path.display())).because(error))?;
        parse(&bytes).map_err(|error| {
            Error::new(Kind::State, format!("failed to read {}", path.display()))
                .named("damaged_decisions")
                .because(error)
                .hint("the file was left unchanged; fix that place by hand, or restore it")
        })
    }

    /// Changes the log under the lock, and writes what changed. An error from `edit` leaves everything unchanged.
    pub(crate) fn change<T>(
        &self,
        edit: impl FnOnce(&mut DecisionLog) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.store.folder().map_err(store_error)?;
        let _held = shared_file::lock(self.fs.as_ref(), &self.dir.join(LOCK), self.store.now())?;
        self.sweep()?;
        let before = self.read()?;
        let mut log = before.clone();
        let result = edit(&mut log)?;
        if log != before {
            let text = to_json(&log).map_err(|error| {
                Error::new(Kind::Bug, "the log of decisions cannot be written as JSON")
                    .because(error)
            })?;
            let path = self.path();
            // A log that cannot be read again would be lost.
            parse(text.as_bytes()).map_err(|error| {
                Error::new(Kind::Bug, "the log of decisions could not be read back").because(error)
            })?;
            self.replace(&path, text.as_bytes())?;
        }
        let page = log.markdown();
        if !self.holds(&self.dir.join(PAGE), page.as_bytes())? {
            self.replace(&self.dir.join(PAGE), page.as_bytes())?;
        }
        Ok(result)
    }

    /// Removes unfinished files of killed processes. The lock excludes every other writer.
    fn sweep(&self) -> Result<(), Error> {
        let failed = |error| state(format!("failed to tidy {}", self.dir.display())).because(error);
        for entry in self.fs.list(&self.dir).map_err(failed)? {
            let ours = [FILE, PAGE].iter().any(|name| {
                let rest = entry.name.strip_prefix(name);
                rest.is_some_and(|rest| rest.starts_with('.') && rest.ends_with(TEMP))
            });
            if ours && entry.kind == EntryKind::File {
                self.fs.remove_file(&self.dir.join(entry.name)).map_err(failed)?;
            }
        }
        Ok(())
    }

    fn holds(&self, path: &Path, bytes: &[u8]) -> Result<bool, Error> {
        if !shared_file::is_file(self.fs.as_ref(), path)? {
            return Ok(false);
        }
        let limit = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        match self.fs.read(path, limit) {
            Ok(held) => Ok(held == bytes),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(false),
            Err(error) => Err(state(format!("failed to read {}", path.display())).because(error)),
        }
    }

    /// Writes a file so that a crash leaves either the old one or the new one.
    fn replace(&self, path: &Path, bytes: &[u8]) -> Result<(), Error> {
        if bytes.len() as u64 > MOST_BYTES {
            return Err(state(format!(
                "{} would have more than {MOST_BYTES} bytes, which is too large to read back",
                path.display()
            ))
            .hint("move the file away to start a new log"));
        }
        // A link there would be replaced, not followed; it belongs to the user, so it is refused.
        shared_file::is_file(self.fs.as_ref(), path)?;
        let mut temp = path.as_os_str().to_owned();
        temp.push(format!(".{}{TEMP}", env::unique()));
        let temp = PathBuf::from(temp);
        let fs = self.fs.as_ref();
        let written = (fs.write_new(&temp, bytes))
            .and_then(|()| fs.sync_file(&temp))
            .and_then(|()| fs.rename(&temp, path));
        if written.is_err() {
            // If it cannot be removed, the next change sweeps it away.
            fs.remove_file(&temp).ok();
        }
        written
            .and_then(|()| fs.sync_dir(&self.dir))
            .map_err(|error| state(format!("failed to write {}", path.display())).because(error))
    }
}

/// Reads the log. A missing file is an empty log.
///
/// # Errors
/// The file cannot be read or is invalid.
pub(crate) fn list(workspace: &Workspace) -> Result<DecisionLog, Error> {
    File::of(workspace).read()
}

/// Marks a stored debate's result as logged if it was. An unreadable log becomes a warning and does not fail the
/// result.
pub(crate) fn mark(workspace: &Workspace, document: &mut DebateDocument) {
    match list(workspace) {
        Ok(log) => {
            let entry = of_session(&log, &document.header.session_id);
            document.logged = entry.map(Logged::from);
        }
        Err(error) => document.header.warnings.push(Warning {
            code: "decisions_unread".to_owned(),
            turn: None,
            message: format!(
                "cannot tell whether it was logged as a decision: {}",
                error.sentence()
            ),
        }),
    }
}

pub(crate) fn of_session<'a>(log: &'a DecisionLog, session: &str) -> Option<&'a Entry> {
    let mut entries = log.decisions.iter();
    entries.find(|entry| entry.session_id.as_deref() == Some(session))
}

pub(crate) fn next_id(log: &DecisionLog) -> String {
    let highest = log.decisions.iter().filter_map(|entry| number(&entry.id));
    format!("D{}", highest.max().unwrap_or(0).saturating_add(1))
}

/// Returns the number of an id such as `D7`; `None` unless it is in canonical form.
fn number(id: &str) -> Option<u32> {
    let digits = id.strip_prefix('D')?;
    let number = digits.parse::<u32>().ok()?;
    (number > 0 && number < u32::MAX && number.to_string() == digits).then_some(number)
}

pub(crate) fn parse(bytes: &[u8]) -> Result<DecisionLog, LogError> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| LogError::NotUtf8(error.valid_up_to()))?;
    let value = json::parse(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    // The version is checked before the form: another version may have other fields.
    match value.get("schema_version") {
        Some(version) if version.as_u64() == Some(u64::from(VERSION)) => {}
        None => return Err(malformed("schema_version", "it is missing")),
        Some(Value::Number(other)) => {
            return Err(LogError::Version { found: other.to_string() });
        }
        Some(_) => return Err(malformed("schema_version", "it must be a number")),
    }
    let log: DecisionLog = serde_path_to_error::deserialize(&value).map_err(|error| {
        malformed(
            &sanitize::line(&error.path().to_string(), 200),
            &sanitize::line(&error.inner().to_string(), 300),
        )
    })?;
    let mut seen = BTreeSet::new();
    for (index, entry) in log.decisions.iter().enumerate() {
        let at = |field: &str| format!("decisions[{index}].{field}");
        if number(&entry.id).is_none() {
            return Err(malformed(&at("id"), "an id is D followed by a number from 1"));
        }
        if !seen.insert(&entry.id) {
            return Err(malformed(&at("id"), "another decision has the same one"));
        }
        if entry.decision.trim().is_empty() {
            return Err(malformed(&at("decision"), "it says nothing"));
        }
    }
    Ok(log)
}

fn malformed(place: &str, problem: &str) -> LogError {
    LogError::Malformed { place: place.to_owned(), problem: problem.to_owned() }
}

#[cfg(test)]
mod tests {
    //! The log's files: in a real folder with links, damage and several writers, and on a disk where everything
    //! fails.

    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use serde_json::json;

    use super::*;
    use crate::app::decisions::entry::of_person;
    use crate::app::decisions::tests::{Project, by_hand, workspace};
    use crate::app::decisions::{LogMode, list, manual};
    use crate::env::Env;
    use crate::protocol::debate::DebateOutcome;
    use crate::report::debate::example::ended;
    use crate::session::MemFs;
    use crate::session::memfs::{Fault, Plan, TornWrite};

    #[test]
    fn the_files_are_private_and_the_page_is_made_anew_where_it_was_lost() {
        let project = Project::new();
        let document = ended(DebateOutcome::Adopted);
        project.log(&document, LogMode::Automatic).unwrap();
        let page = fs::read_to_string(project.path("decisions.md")).unwrap();
        assert!(page.contains("## D1 REST or gRPC between our services?"), "{page}");
        for name in ["decisions.json", "decisions.md", "decisions.lock"] {
            let mode = fs::metadata(project.path(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        assert!(project.path(".gitignore").exists(), "as for sessions: private by default");
        for spoil in [None, Some("changed by hand")] {
            match spoil {
                None => fs::remove_file(project.path("decisions.md")).unwrap(),
                Some(text) => fs::write(project.path("decisions.md"), text).unwrap(),
            }
            assert!(project.log(&document, LogMode::Automatic).unwrap().already);
            assert_eq!(fs::read_to_string(project.path("decisions.md")).unwrap(), page);
        }
        let left = fs::read_dir(project.path("")).unwrap().count();
        assert_eq!(left, 4, "log, page, lock, .gitignore and nothing else");
    }

    #[test]
    fn links_and_other_things_in_a_file_s_place_are_refused_and_untouched() {
        for name in ["decisions.json", "decisions.md", "decisions.lock"] {
            let project = Project::new();
            let target = project.dir.path().join("target");
            fs::write(&target, "mine").unwrap();
            fs::create_dir(project.path("")).unwrap();
            symlink(&target, project.path(name)).unwrap();
            let error = manual(&project.workspace, &by_hand("x")).unwrap_err();
            assert_eq!(error.status().code(), 5, "{name}");
            assert!(error.what.contains("a symbolic link"), "{name}: {}", error.what);
            assert_eq!(fs::read_to_string(&target).unwrap(), "mine", "{name}");
            assert!(project.path(name).is_symlink(), "{name}");
        }
        let project = Project::new();
        let target = project.dir.path().join("target");
        fs::create_dir(&target).unwrap();
        symlink(&target, project.dir.path().join(".debate")).unwrap();
        assert!(manual(&project.workspace, &by_hand("x")).is_err());
        assert_eq!(fs::read_dir(&target).unwrap().count(), 0);
    }

    #[test]
    fn a_log_that_is_not_understood_is_named_and_left_as_it_is() {
        let project = Project::new();
        manual(&project.workspace, &by_hand("x")).unwrap();
        let path = project.path("decisions.json");
        let good: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let with = |change: &dyn Fn(&mut Value)| {
            let mut value = good.clone();
            change(&mut value);
            value.to_string()
        };
        for (text, says) in [
            (String::new(), "it is not JSON"),
            ("[]".to_owned(), "schema_version: it is missing"),
            (
                with(&|log| log["schema_version"] = json!(2)),
                "its version is 2, but this program knows 1",
            ),
            (
                with(&|log| log["schema_version"] = json!("1")),
                "schema_version: it must be a number",
            ),
            (with(&|log| log["more"] = json!(1)), "unknown field `more`"),
            (with(&|log| log["decisions"][0]["more"] = json!(1)), "unknown field `more`"),
            (with(&|log| log["decisions"][0]["id"] = json!("D01")), "decisions[0].id: an id is D"),
            (with(&|log| log["decisions"][0]["id"] = json!("D0")), "decisions[0].id: an id is D"),
            (with(&|log| log["decisions"][0]["id"] = json!("7")), "decisions[0].id: an id is D"),
            (
                with(&|log| {
                    let again = log["decisions"][0].clone();
                    log["decisions"].as_array_mut().unwrap().push(again);
                }),
                "decisions[1].id: another decision has the same one",
            ),
            (
                with(&|log| log["decisions"][0]["decision"] = json!(" ")),
                "decisions[0].decision: it says nothing",
            ),
            (with(&|log| log["decisions"][0]["consensus"] = json!(1.5)), "decisions[0].consensus"),
            (
                with(&|log| log["decisions"][0]["priority"] = json!("urgent")),
                "decisions[0].priority",
            ),
        ] {
            fs::write(&path, &text).unwrap();
            for error in [
                manual(&project.workspace, &by_hand("y")).unwrap_err(),
                list(&project.workspace).unwrap_err(),
            ] {
                assert_eq!((error.code, error.status().code()), ("damaged_decisions", 5));
                let shown = error.text(false);
                assert!(shown.contains(says), "{text}: {shown}");
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn several_writers_lose_nothing_and_give_no_id_twice() {
        let project = Project::new();
        let dir = project.dir.path();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                scope.spawn(move || {
                    let workspace = workspace(dir);
                    for number in 0..5 {
                        let title = format!("{writer}.{number}");
                        manual(&workspace, &by_hand(&title)).unwrap();
                    }
                });
            }
        });
        let wanted: Vec<String> = (1..=20).map(|number| format!("D{number}")).collect();
        assert_eq!(project.ids(), wanted);
        let page = fs::read_to_string(project.path("decisions.md")).unwrap();
        assert_eq!(page.matches("\n## D").count(), 20);
    }

    #[test]
    fn an_id_is_not_given_again_after_a_decision_was_taken_out_by_hand() {
        let project = Project::new();
        for title in ["a", "b", "c"] {
            manual(&project.workspace, &by_hand(title)).unwrap();
        }
        let path = project.path("decisions.json");
        let mut log: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        log["decisions"].as_array_mut().unwrap().remove(0);
        fs::write(&path, log.to_string()).unwrap();
        manual(&project.workspace, &by_hand("d")).unwrap();
        assert_eq!(project.ids(), ["D2", "D3", "D4"]);
    }

    const DIR: &str = "/project/.debate";

    /// Returns the log of a project on this disk.
    fn on(fs: &MemFs) -> File {
        let fs: Arc<dyn Fs> = Arc::new(fs.clone());
        let dir = PathBuf::from(DIR);
        File { store: Store::new(Arc::clone(&fs), dir.clone(), Env::system()), fs, dir }
    }

    /// Adds a decision as [`manual`] does.
    fn add(fs: &MemFs, title: &str) -> Result<(), Error> {
        let now = Env::system().now();
        let mut entry = of_person(&by_hand(title), now)?;
        on(fs).change(|log| {
            entry.id = next_id(log);
            log.decisions.push(entry);
            Ok(())
        })
    }

    /// Every operation of a change fails in every way: either the old or the new log remains, and it can be written.
    #[test]
    fn a_crash_leaves_the_old_log_or_the_new_one() {
        const FAULTS: [Fault; 5] = [
            Fault::AbortBefore,
            Fault::AbortAfter,
            Fault::Torn(TornWrite::Half),
            Fault::NoSpace,
            Fault::Io,
        ];
        let begun = || {
            let fs = MemFs::new(Path::new("/project"));
            add(&fs, "One").unwrap();
            fs
        };
        let titles = |fs: &MemFs| -> Vec<String> {
            let log = on(fs).read().unwrap();
            log.decisions.into_iter().map(|entry| entry.title).collect()
        };
        let judge = |fs: &MemFs, finished: bool, what: &str| {
            fs.plan(None);
            let there = titles(fs);
            let whole = there == ["One"] || there == ["One", "Two"];
            assert!(whole, "{what}: {there:?}");
            assert!(!finished || there.len() == 2, "{what}: said done, and lost");
            add(fs, "Three").unwrap();
            assert_eq!(titles(fs).last().unwrap(), "Three", "{what}");
            let mut files = fs.tree(Path::new(DIR));
            for path in files.keys() {
                let left = path.extension().is_some_and(|end| end == "tmp");
                assert!(!left, "{what}: {path:?}");
            }
            let page = files.remove(&Path::new(DIR).join(PAGE)).flatten().unwrap();
            let page = String::from_utf8(page).unwrap();
            assert_eq!(page.matches("\n## D").count(), there.len() + 1, "{what}");
        };
        let fs = begun();
        fs.plan(None);
        add(&fs, "Two").unwrap();
        let ops = fs.ops();
        assert!(ops > 10, "{ops}");
        for at in 0..ops {
            for fault in FAULTS {
                let fs = begun();
                fs.plan(Some(Plan { at, fault, under: None }));
                let done = add(&fs, "Two");
                let what = format!("op {at} {fault:?} {:?}", fs.trace().last());
                judge(&fs.kill(), done.is_ok(), &what);
                judge(&fs.crash(|_| false), done.is_ok(), &format!("{what}, power cut"));
                judge(&fs.crash(|_| true), done.is_ok(), &format!("{what}, all kept"));
            }
        }
    }
}
