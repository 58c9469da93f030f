//! The files of the decision log: read strictly, changed under a lock, replaced as a whole.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::app::run::workspace::Workspace;
use crate::error::{Error, Kind, store_error};
use crate::kernel::Warning;
use crate::report::debate::{DebateDocument, Logged};
use crate::report::decisions::{DecisionLog, Entry, VERSION};
use crate::report::document::to_json;
use crate::report::page::ToPage as _;
use crate::session::Store;
use crate::session::fs::Fs;
use crate::session::shared::SharedFolder;
use crate::text::json::{self, Malformed, VersionedError};

const FILE: &str = "decisions.json";
/// The Markdown page generated from the log.
const PAGE: &str = "decisions.md";
/// The lock file, held while the log is changed; never deleted.
const LOCK: &str = "decisions.lock";

#[derive(Debug)]
pub(crate) struct File {
    fs: Arc<dyn Fs>,
    store: Store,
    root: PathBuf,
    dir: PathBuf,
}

impl File {
    /// Returns the log of a project without touching the disk.
    pub(crate) fn of(workspace: &Workspace) -> Self {
        Self {
            fs: Arc::clone(&workspace.fs),
            store: workspace.store(),
            root: workspace.root().to_owned(),
            dir: workspace.root().join(&workspace.effective.config.paths.debate),
        }
    }

    fn shared(&self) -> SharedFolder<'_> {
        SharedFolder::new(self.fs.as_ref(), &self.root, &self.dir)
    }

    /// Returns the path of the log, which need not exist.
    pub(crate) fn path(&self) -> PathBuf {
        self.dir.join(FILE)
    }

    /// Reads the log. A missing file is an empty log; an invalid one is an error.
    pub(crate) fn read(&self) -> Result<DecisionLog, Error> {
        let Some(bytes) = self.shared().read(FILE).map_err(store_error)? else {
            return Ok(DecisionLog::default());
        };
        parse(&bytes).map_err(|error| {
            Error::new(Kind::State, format!("failed to read {}", self.path().display()))
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
        let shared = self.shared();
        let _held = shared.lock(LOCK, self.store.now()).map_err(store_error)?;
        let before = self.read()?;
        let mut log = before.clone();
        let result = edit(&mut log)?;
        if log != before {
            let text = to_json(&log).map_err(|error| {
                Error::new(Kind::Bug, "the log of decisions cannot be written as JSON")
                    .because(error)
            })?;
            // A log that cannot be read again would be lost.
            parse(text.as_bytes()).map_err(|error| {
                Error::new(Kind::Bug, "the log of decisions could not be read back").because(error)
            })?;
            shared.replace(FILE, text.as_bytes()).map_err(store_error)?;
        }
        shared.replace(PAGE, log.markdown().as_bytes()).map_err(store_error)?;
        Ok(result)
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

pub(crate) fn parse(bytes: &[u8]) -> Result<DecisionLog, VersionedError> {
    let log: DecisionLog = json::versioned(bytes, "schema_version", VERSION)?;
    let mut seen = BTreeSet::new();
    for (index, entry) in log.decisions.iter().enumerate() {
        let at = |field: &str, problem: &str| {
            Err(Malformed::at(&format!("decisions[{index}].{field}"), problem).into())
        };
        if number(&entry.id).is_none() {
            return at("id", "an id is D followed by a number from 1");
        }
        if !seen.insert(&entry.id) {
            return at("id", "another decision has the same one");
        }
        if entry.decision.trim().is_empty() {
            return at("decision", "it says nothing");
        }
    }
    Ok(log)
}

#[cfg(test)]
mod tests {
    //! The log's files: in a real folder with links, damage and several writers, and on a disk where everything
    //! fails.

    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use serde_json::{Value, json};

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
            (with(&|log| log["schema_version"] = json!("1")), "its version is \"1\", but"),
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
        let root = PathBuf::from("/project");
        File { store: Store::new(Arc::clone(&fs), dir.clone(), Env::system()), fs, root, dir }
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
