//! Finding, listing, refusing, cleaning up.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;

use chrono::TimeDelta;
use proptest::prelude::*;

use super::*;
use crate::agent::attempts::Kind;
use crate::env::Env;
use crate::session::memfs::{Fault, Plan};
use crate::session::testing::*;
use crate::session::{GcPolicy, MemFs, RealFs};

fn real(root: &Path) -> Store {
    Store::new(Arc::new(RealFs::default()), root.join(".debate"), Env::fixed(clock(), 0))
}

#[test]
fn only_ids_are_ids() {
    // S14.
    for bad in
        ["", "..", "/etc", "a/b", "a\0b", "CON", "a.", ".a", "-a", "é", " a", &"a".repeat(65)]
    {
        assert!(!is_id(bad), "{bad:?}");
        let fs = disk();
        assert!(matches!(store(&fs).create(opened(bad)), Err(StoreError::InvalidId { .. })));
        assert!(matches!(store(&fs).read(bad), Err(StoreError::InvalidId { .. })));
        assert!(fs.tree(Path::new(ROOT)).is_empty(), "touched the disk");
    }
    assert!(is_id(&"a".repeat(64)) && is_id("0190-abc"));
}

#[test]
fn the_start_of_an_id_is_enough_where_it_names_one() {
    let fs = disk();
    for id in ["abc1", "abc2", "abc", "x"] {
        drop(store(&fs).create(opened(id)).unwrap());
    }
    assert_eq!(store(&fs).resolve("x").unwrap(), "x");
    assert_eq!(store(&fs).resolve("abc2").unwrap(), "abc2");
    assert_eq!(store(&fs).resolve("abc").unwrap(), "abc");
    let error = store(&fs).resolve("ab").unwrap_err();
    assert!(
        matches!(&error, StoreError::AmbiguousId { matches, .. } if matches.len() == 3),
        "{error}"
    );
    let error = store(&fs).resolve("y").unwrap_err();
    assert!(error.is_usage() && matches!(error, StoreError::UnknownId { .. }));
    assert!(matches!(store(&fs).create(opened("x")), Err(StoreError::Exists { .. })));
}

proptest! {
    #[test]
    fn no_name_leads_out_of_the_session(turn in any::<String>(), role in any::<String>(), id in any::<String>()) {
        // P16, F82.
        let fs = disk();
        let mut opened = opened(ID);
        opened.title = id.clone();
        let mut session = store(&fs).create(opened).unwrap();
        let intent = crate::agent::attempts::Intent { turn, role, ..intent("../../x", Kind::First, 1) };
        let call = session.begin(&intent, b"prompt", usd(1)).unwrap();
        session.spool_writer(&call).unwrap().write(b"x").unwrap();
        session.settle(&call, &answered(&id, 1), reported(1)).unwrap();
        for path in fs.tree(Path::new("/")).into_keys() {
            prop_assert!(
                Path::new(ROOT).starts_with(&path) || path == Path::new(ROOT).join(".gitignore")
                    || path == Path::new(ROOT).join("sessions") || path.starts_with(session_dir()),
                "{}", path.display()
            );
        }
    }
}

#[test]
fn a_list_tells_live_suspended_interrupted_closed_and_unreadable_apart() {
    let fs = disk();
    let store = store(&fs);
    let live = store.create(opened("live")).unwrap();
    store
        .create(opened("suspended"))
        .unwrap()
        .suspend("budget", Vec::new(), Vec::new(), Some(Limit::Budget), None)
        .unwrap();
    drop(store.create(opened("interrupted")).unwrap());
    // Its lock is held until its report is written.
    let mut closed = store.create(opened("closed")).unwrap();
    closed.close("consensus", "decided").unwrap();
    drop(store.create(opened("unreadable")).unwrap());
    let journal = Path::new(ROOT).join("sessions/unreadable/journal.jsonl");
    fs.overwrite(&journal, b"junk\n{}\n").unwrap();
    let listed: Vec<(String, Status)> =
        store.list().unwrap().into_iter().map(|listed| (listed.id, listed.status)).collect();
    let names: Vec<&str> = listed.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(names, ["closed", "interrupted", "live", "suspended", "unreadable"]);
    assert!(matches!(&listed[0].1, Status::Closed { outcome, .. } if outcome == "consensus"));
    assert_eq!(listed[1].1, Status::Interrupted);
    assert!(matches!(&listed[2].1, Status::Live(Some(holder)) if holder.pid == std::process::id()));
    assert_eq!(
        listed[3].1,
        Status::Suspended { outcome: "budget".to_owned(), limit: Some(Limit::Budget) }
    );
    assert!(matches!(&listed[4].1, Status::Unreadable(why) if why.contains("record 1")));
    drop(live);
}

#[test]
fn without_locks_a_session_is_refused() {
    let fs = disk();
    fs.without_locks();
    assert!(matches!(store(&fs).create(opened(ID)), Err(StoreError::LockUnsupported { .. })));
}

#[test]
fn a_disk_that_takes_no_writes_shows_before_anything_is_spent() {
    // F22: the start, and the probe of a resume.
    let fs = disk();
    fs.plan(Some(Plan { at: 0, fault: Fault::NoSpace, under: None }));
    assert!(store(&fs).create(opened(ID)).is_err());
    let fs = disk();
    drop(store(&fs).create(opened(ID)).unwrap());
    fs.plan(Some(Plan { at: 0, fault: Fault::NoSpace, under: Some(session_dir().join(PROBE)) }));
    let error = store(&fs).open(ID).unwrap_err();
    assert!(error.to_string().contains("free some space"), "{error}");
}

#[test]
fn gc_removes_litter_and_what_was_asked_for_and_nothing_else() {
    let later = Env::fixed(clock() + TimeDelta::days(10), 0);
    let fs = disk();
    play(&store(&fs), &mut TestWorld::default()).unwrap();
    let answers = session_dir().join("answers");
    let orphan = answers.join("ab".repeat(32));
    for path in [
        session_dir().join(".session.json.tmp"),
        answers.join(".x.tmp"),
        session_dir().join(PROBE),
        orphan,
    ] {
        fs.write_new(&path, b"x").unwrap();
    }
    let live = store(&fs).create(opened("live")).unwrap();
    let before = fs.tree(Path::new(ROOT));
    let dry = store(&fs).gc(GcPolicy { dry_run: true, ..GcPolicy::default() }).unwrap();
    assert_eq!(fs.tree(Path::new(ROOT)), before);
    assert_eq!(dry.removed.len(), 4 + script().len());
    let done = store(&fs).gc(GcPolicy::default()).unwrap();
    assert_eq!(done.removed, dry.removed);
    assert_eq!(done.kept.len(), 1, "the live one");
    assert_eq!(play(&store(&fs), &mut TestWorld::default()).unwrap().len(), script().len());
    let store = Store::new(Arc::new(fs.clone()), ROOT.into(), later);
    let old = GcPolicy { closed_older_than: Some(TimeDelta::days(30)), dry_run: false };
    store.gc(old).unwrap();
    assert!(store.read(ID).is_ok(), "not old enough");
    let old = GcPolicy { closed_older_than: Some(TimeDelta::days(9)), dry_run: false };
    store.gc(old).unwrap();
    assert_eq!(store.ids().unwrap(), ["live"]);
    drop(live);
}

#[test]
fn an_answer_must_be_what_its_name_says() {
    let fs = disk();
    let mut session = store(&fs).create(opened(ID)).unwrap();
    let sha = session.put_answer(b"one").unwrap();
    assert_eq!(session.answer(&sha).unwrap(), b"one");
    let path = session_dir().join("answers").join(&sha);
    fs.overwrite(&path, b"two").unwrap();
    assert!(matches!(session.answer(&sha), Err(StoreError::AnswerDamaged { .. })));
    assert!(matches!(session.answer("../lock"), Err(StoreError::AnswerDamaged { .. })));
    // Storing it again repairs it.
    session.put_answer(b"one").unwrap();
    assert_eq!(session.answer(&sha).unwrap(), b"one");
}

#[test]
fn deleting_the_snapshot_loses_nothing() {
    // P19, F24.
    let fs = disk();
    let session = store(&fs).create(opened(ID)).unwrap();
    session.write_result(&serde_json::json!({"n": 1}), "# A").unwrap();
    let path = session_dir().join("session.json");
    let old = fs.tree(&path);
    for at in 0..3 {
        fs.plan(Some(Plan { at, fault: Fault::Io, under: Some(path.clone()) }));
        if session.write_result(&serde_json::json!({"n": 2}), "# A").is_err() {
            assert_eq!(fs.tree(&path), old, "the old one is intact");
        }
    }
    let ledger = session.ledger().clone();
    drop(session);
    fs.plan(None);
    fs.remove_file(&path).unwrap();
    assert_eq!(store(&fs).read(ID).unwrap().ledger, ledger);
}

#[test]
fn clocks_that_jump_change_no_order_and_no_duration_below_zero() {
    // F51, P18.
    let yesterday = Env::fixed(clock() - TimeDelta::days(1), 0);
    let fs = disk();
    drop(store(&fs).create(opened(ID)).unwrap());
    let back = Store::new(Arc::new(fs.clone()), ROOT.into(), yesterday);
    let (mut session, ..) = back.open(ID).unwrap();
    session.resume(resumed()).unwrap();
    assert_eq!(session.ledger().elapsed(), TimeDelta::zero());
    drop(session);
    let seqs: Vec<u64> = back.read(ID).unwrap().records.iter().map(|record| record.seq).collect();
    assert_eq!(seqs, [1, 2]);
}

#[test]
fn links_and_other_things_in_the_way_are_refused_by_name() {
    // S15, F28.
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), dir.path().join(".debate")).unwrap();
    let error = real(dir.path()).create(opened("a")).unwrap_err();
    assert!(matches!(&error, StoreError::WrongKind { found: "a symbolic link", .. }), "{error}");
    std::fs::remove_file(dir.path().join(".debate")).unwrap();

    drop(real(dir.path()).create(opened("a")).unwrap());
    let session = dir.path().join(".debate/sessions/a");
    let target = elsewhere.path().join("target");
    std::fs::write(&target, "untouched").unwrap();
    for name in ["journal.jsonl", "lock", "answers", ".session.json.tmp"] {
        let path = session.join(name);
        let aside = session.join("aside");
        let was_there = std::fs::rename(&path, &aside).is_ok();
        symlink(&target, &path).unwrap();
        match real(dir.path()).open("a") {
            Ok((session, ..)) => session.write_result(&serde_json::json!({}), "# A").unwrap(),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "untouched", "{name}");
        drop(std::fs::remove_file(&path));
        if was_there {
            std::fs::rename(&aside, &path).unwrap();
        }
    }
    std::fs::remove_file(session.join("journal.jsonl")).unwrap();
    std::fs::create_dir(session.join("journal.jsonl")).unwrap();
    let error = real(dir.path()).open("a").unwrap_err();
    assert!(matches!(&error, StoreError::WrongKind { found: "a directory", .. }), "{error}");
}

/// The first runs of a project may begin together: each finds the folder as it should be, and is told of no change.
#[test]
fn runs_that_begin_together_make_one_private_folder() {
    for _ in 0..100 {
        let dir = tempfile::tempdir().unwrap();
        let folder = || real(dir.path()).folder().unwrap();
        std::thread::scope(|runs| {
            let runs: Vec<_> = (0..4).map(|_| runs.spawn(folder)).collect();
            assert!(runs.into_iter().all(|run| run.join().unwrap().is_none()));
        });
        let ignore = std::fs::read_to_string(dir.path().join(".debate/.gitignore")).unwrap();
        assert_eq!(ignore.matches("\n*\n").count(), 1, "{ignore}");
    }
}

#[test]
fn the_real_file_system_plays_the_same_debate() {
    let dir = tempfile::tempdir().unwrap();
    let mut world = TestWorld::default();
    let first = play(&real(dir.path()), &mut world).unwrap();
    assert_eq!(play(&real(dir.path()), &mut world).unwrap(), first);
    assert_eq!(world.paid.len(), script().len());
    let ignore = std::fs::read_to_string(dir.path().join(".debate/.gitignore")).unwrap();
    assert!(ignore.lines().any(|line| line == "*"));
    // F29 on the real file system: the directory is removed while it is open.
    let mut session = real(dir.path()).create(opened("gone")).unwrap();
    std::fs::remove_dir_all(session.dir()).unwrap();
    session.resume(resumed()).unwrap_err();
    let memory = MemFs::new(Path::new("/project"));
    assert_eq!(play(&store(&memory), &mut TestWorld::default()).unwrap(), first);
}
