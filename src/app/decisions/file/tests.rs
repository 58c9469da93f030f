//! The log's files: on a real folder with links, damage and several writers, and on one where everything fails.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use serde_json::json;

use super::*;
use crate::app::decisions::entry::of_person;
use crate::app::decisions::tests::{Project, by_hand, workspace};
use crate::app::decisions::{How, list, manual};
use crate::env::Env;
use crate::protocol::debate::DebateOutcome;
use crate::report::debate::example::ended;
use crate::session::MemFs;
use crate::session::memfs::{Cut, Fault, Plan};
use crate::text::redact::Redactor;

#[test]
fn the_files_are_private_and_the_page_is_made_anew_where_it_was_lost() {
    let project = Project::new();
    let document = ended(DebateOutcome::Adopted);
    project.log(&document, How::Automatic).unwrap();
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
        assert!(project.log(&document, How::Automatic).unwrap().already);
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
            "it is of version 2, and this program knows 1",
        ),
        (with(&|log| log["schema_version"] = json!("1")), "schema_version: it must be a number"),
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
            "decisions[1].id: another decision has it as well",
        ),
        (
            with(&|log| log["decisions"][0]["decision"] = json!(" ")),
            "decisions[0].decision: it says nothing",
        ),
        (with(&|log| log["decisions"][0]["consensus"] = json!(1.5)), "decisions[0].consensus"),
        (with(&|log| log["decisions"][0]["priority"] = json!("urgent")), "decisions[0].priority"),
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

/// The log of a project on this disk.
fn on(fs: &MemFs) -> File {
    let fs: Arc<dyn Fs> = Arc::new(fs.clone());
    let dir = PathBuf::from(DIR);
    File { store: Store::new(Arc::clone(&fs), dir.clone(), Env::system()), fs, dir }
}

/// Adds a decision as [`manual`] does.
fn add(fs: &MemFs, title: &str) -> Result<(), Error> {
    let now = Env::system().now();
    let mut entry = of_person(&by_hand(title), &Redactor::new(&[]), now)?;
    on(fs).change(|log| {
        entry.id = next_id(log);
        log.decisions.push(entry);
        Ok(())
    })
}

/// Every operation of a change fails in every way: what is left is the old log or the new one, and it can be written.
#[test]
fn a_crash_leaves_the_old_log_or_the_new_one() {
    const FAULTS: [Fault; 5] =
        [Fault::AbortBefore, Fault::AbortAfter, Fault::Torn(Cut::Half), Fault::NoSpace, Fault::Io];
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
