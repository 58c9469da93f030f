//! The crash-point method for the store alone: every operation fails in every way; a resume must
//! then give the same answers, pay nothing twice and understate nothing.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::memfs::{Fault, Plan, TornWrite};
use super::testing::*;
use super::*;

const FAULTS: [Fault; 8] = [
    Fault::AbortBefore,
    Fault::AbortAfter,
    Fault::Torn(TornWrite::At(1)),
    Fault::Torn(TornWrite::Half),
    Fault::Torn(TornWrite::Before(1)),
    Fault::NoSpaceOnce,
    Fault::NoSpace,
    Fault::Io,
];

fn golden() -> Vec<Option<Vec<u8>>> {
    script().into_iter().map(|(_, result)| result.answer).collect()
}

/// Runs with one operation failing; returns the disk that the next process finds.
fn run_with(fs: &MemFs, world: &mut TestWorld, at: u64, fault: Fault) -> MemFs {
    fs.plan(Some(Plan { at, fault, under: None }));
    // An error here is caused by the fault: only the resulting state matters.
    drop(play(&store(fs), world));
    let next = fs.kill();
    next.plan(None);
    next
}

/// Resumes without faults and checks everything that must hold.
fn resume_and_judge(fs: &MemFs, world: &mut TestWorld, what: &str) {
    let store = store(fs);
    let answers = play(&store, world).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(answers, golden(), "{what}");
    judge(&store, world, what);
    // A resume of a closed session calls nobody and gives the same result.
    let calls = world.paid.len();
    assert_eq!(play(&store, world).unwrap(), golden(), "{what}");
    assert_eq!(world.paid.len(), calls, "{what}: paid after the end");
    // Nothing superfluous is left after gc.
    store.gc(GcPolicy::default()).unwrap();
    let litter: Vec<_> = fs
        .tree(Path::new(ROOT))
        .into_keys()
        .filter(|path| {
            let name = path.file_name().unwrap().to_str().unwrap();
            [".tmp", ".out", ".probe"].iter().any(|end| name.ends_with(end))
        })
        .collect();
    assert!(litter.is_empty(), "{what}: {litter:?}");
}

/// Compares the journal with the real requests and payments.
fn judge(store: &Store, world: &TestWorld, what: &str) {
    let stored = store.read(ID).unwrap();
    let mut real: HashMap<&str, usize> = HashMap::new();
    for call in &world.paid {
        *real.entry(&call.key).or_default() += 1;
    }
    let (mut ambiguous, mut spent) = (HashMap::<&str, usize>::new(), 0);
    for record in &stored.records {
        if let Body::Ambiguous(call) = &record.body {
            *ambiguous.entry(&call.key).or_default() += 1;
            spent += call.charged.usd.micros();
        } else if let Body::Intent(call) = &record.body {
            // As it was given: on disk before the record that names it.
            let prompt = stored.prompt_bytes(call).unwrap();
            assert_eq!(prompt, call.intent.prompt_sha.as_bytes(), "{what}");
        } else if let Body::Result(result) = &record.body {
            spent += result.cost.usd.micros();
        }
    }
    // P8: payments made twice are marked, and only calls in flight are.
    for (key, times) in &real {
        let marked = ambiguous.get(key).copied().unwrap_or_default();
        assert!(*times <= 1 + marked, "{what}: {key} paid {times} times, {marked} marked");
    }
    assert!(ambiguous.values().sum::<usize>() <= 2, "{what}: {ambiguous:?}");
    // P6, and never less than the real payments.
    let said = stored.ledger.spent().unwrap().usd.micros();
    assert_eq!(said, spent, "{what}");
    assert!(said >= world.paid.len() as u64 * PRICE, "{what}: {said}");
}

fn count_ops() -> u64 {
    let fs = disk();
    play(&store(&fs), &mut TestWorld::default()).unwrap();
    fs.ops()
}

#[test]
fn every_operation_may_fail_in_every_way() {
    let ops = count_ops();
    assert!(ops > 80, "{ops}");
    for at in 0..ops {
        for fault in FAULTS {
            let fs = disk();
            let mut world = TestWorld::default();
            let next = run_with(&fs, &mut world, at, fault);
            let what =
                format!("op {at} {fault:?} ({:?})", fs.trace().get(usize::try_from(at).unwrap()));
            resume_and_judge(&next, &mut world, &what);
        }
    }
}

#[test]
fn a_crash_in_the_recovery_changes_nothing() {
    let ops = count_ops();
    for at in (0..ops).step_by(5) {
        for fault in [Fault::AbortBefore, Fault::AbortAfter, Fault::Torn(TornWrite::Half)] {
            let fs = disk();
            let mut world = TestWorld::default();
            let broken = run_with(&fs, &mut world, at, fault);
            for again in (at % 7..ops).step_by(7) {
                let mut world = world.clone();
                let twice = run_with(&broken.kill(), &mut world, again, Fault::AbortAfter);
                resume_and_judge(&twice, &mut world, &format!("op {at} {fault:?}, then {again}"));
            }
        }
    }
}

#[test]
fn a_power_cut_may_lose_any_unsynced_change() {
    let ops = count_ops();
    for at in 0..ops {
        let fs = disk();
        let mut world = TestWorld::default();
        fs.plan(Some(Plan { at, fault: Fault::AbortAfter, under: None }));
        drop(play(&store(&fs), &mut world));
        let pending = fs.pending();
        // All subsets if there are few, else 10 scattered by a fixed rule.
        let subsets: Vec<u64> = if pending <= 3 {
            (0..1 << pending).collect()
        } else {
            (0..8_u64)
                .map(|n| (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .chain([0, u64::MAX])
                .collect()
        };
        for subset in subsets {
            let next = fs.crash(|change| subset >> (change % 64) & 1 == 1);
            let what = format!("power cut after op {at}, kept {subset:b}");
            resume_and_judge(&next, &mut world.clone(), &what);
        }
    }
}

#[test]
fn a_reply_that_cannot_be_recorded_is_kept_elsewhere() {
    // F19, F20, F21: the session's disk is full or broken, the state directory's is not.
    let ops = count_ops();
    let mut rescued = 0;
    for at in 0..ops {
        for fault in [Fault::NoSpace, Fault::Io] {
            let fs = disk();
            fs.plan(Some(Plan { at, fault, under: Some(ROOT.into()) }));
            let mut world = TestWorld::default();
            let Err(error) = play(&store(&fs), &mut world) else {
                continue;
            };
            if let StoreError::Unkept { saved, .. } = &error {
                rescued += 1;
                let saved = saved.as_ref().unwrap();
                assert!(error.to_string().contains(saved.to_str().unwrap()), "{error}");
                let copy = fs.tree(saved).remove(saved).unwrap().unwrap();
                let reply = copy.splitn(2, |byte| *byte == b'\n').last().map(<[u8]>::to_vec);
                assert!(golden().contains(&reply), "op {at} {fault:?}");
                // With room again it is taken from there, and no call is paid twice.
                fs.plan(None);
                resume_and_judge(&fs, &mut world, &format!("rescued at op {at} {fault:?}"));
                let paid: BTreeSet<_> = world.paid.iter().map(|call| &call.key).collect();
                assert_eq!(paid.len(), world.paid.len(), "op {at} {fault:?}: {:?}", world.paid);
            }
        }
    }
    assert!(rescued >= 8, "{rescued}");
}

#[test]
fn after_a_failed_write_nothing_more_is_written_or_tried_again() {
    for fault in [Fault::Io, Fault::NoSpaceOnce] {
        let fs = disk();
        let mut session = store(&fs).create(opened(ID)).unwrap();
        for nth in 0..3 {
            let before = fs.tree(&journal_path());
            // len, append, sync: each may be the one that fails.
            fs.plan(Some(Plan { at: nth, fault, under: Some(journal_path()) }));
            let intent = intent("r1/champion", crate::agent::attempts::Kind::First, 1);
            session.begin(&intent, b"prompt", usd(1)).unwrap_err();
            fs.plan(None);
            let error = session.begin(&intent, b"prompt", usd(1)).unwrap_err();
            assert!(matches!(error, StoreError::Poisoned { .. }), "{error}");
            assert!(matches!(session.put_answer(b"x"), Err(StoreError::Poisoned { .. })));
            assert_eq!(fs.ops(), 0, "touched the disk after a failure");
            drop(session);
            session = store(&fs).open(ID).unwrap().0;
            session.resume(resumed()).unwrap();
            assert!(fs.tree(&journal_path()) != before || nth == 0);
            if session.ledger().calls_made() > 0 {
                break;
            }
        }
    }
}
