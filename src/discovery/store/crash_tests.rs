//! Every operation of a change fails in every way: the result is the old backlog or the new one. What holds here holds
//! for every [`SharedFolder`]: the log of decisions and that of follow-ups are changed in the same way.

use super::tests::*;
use super::*;
use crate::session::MemFs;
use crate::session::memfs::{Fault, Plan, TornWrite};

const FAULTS: [Fault; 7] = [
    Fault::AbortBefore,
    Fault::AbortAfter,
    Fault::Torn(TornWrite::Half),
    Fault::Torn(TornWrite::Before(1)),
    Fault::NoSpaceOnce,
    Fault::NoSpace,
    Fault::Io,
];

fn session() -> DebateSession {
    serde_json::from_value(serde_json::json!({
        "session_id": "01900000-0000-7000-8000-000000000001",
        "started_at": "2026-06-01T00:00:00Z",
    }))
    .unwrap()
}

/// A change and a debate's record: everything that is ever written.
fn play(store: &BacklogStore) -> Result<(), BacklogError> {
    add(store, "Two")?;
    let ranked = Opportunity { priority_rank: Some(1), ..item("One") };
    store.apply_debate(&session(), [&ranked]).map(|_| ())
}

fn begun() -> MemFs {
    let fs = MemFs::new(Path::new(ROOT));
    add(&store(&fs), "One").unwrap();
    fs
}

/// Checks a disk after a fault: complete, usable, and without leftovers after the next change.
fn judge(fs: &MemFs, finished: bool, what: &str) {
    fs.plan(None);
    let store = store(fs);
    let there = titles(&store);
    let whole = there == ["One"] || there == ["One", "Two"];
    assert!(whole, "{what}: {there:?}");
    if finished {
        let items = store.read().unwrap().opportunities;
        assert_eq!(
            (items.len(), items[0].priority_rank),
            (2, Some(1)),
            "{what}: said done, and lost"
        );
    }
    add(&store, "Three").unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(titles(&store).last().unwrap(), "Three", "{what}");
    store.record_debate(&session()).unwrap();
    for path in fs.tree(Path::new(ROOT)).keys() {
        assert!(!path.to_string_lossy().ends_with(".tmp"), "{what}: {path:?}");
    }
}

#[test]
fn every_operation_may_fail_in_every_way() {
    let fs = begun();
    fs.plan(None);
    play(&store(&fs)).unwrap();
    let ops = fs.ops();
    assert!(ops > 15, "{ops}");
    for at in 0..ops {
        for fault in FAULTS {
            let fs = begun();
            fs.plan(Some(Plan { at, fault, under: None }));
            let finished = play(&store(&fs)).is_ok();
            let what = format!("op {at} {fault:?} {:?}", fs.trace().last());
            // A killed process, and a power cut that keeps none, all, or every other change.
            judge(&fs.kill(), finished, &what);
            judge(&fs.crash(|_| false), finished, &format!("{what}, power cut"));
            judge(&fs.crash(|_| true), finished, &format!("{what}, all kept"));
            judge(&fs.crash(|nth| nth % 2 == 0), finished, &format!("{what}, even"));
            judge(&fs.crash(|nth| nth % 2 == 1), finished, &format!("{what}, odd"));
        }
    }
}
