//! Starting a session from another one: what is kept, what is not, and what a crash leaves.

use serde_json::json;

use super::super::memfs::{Fault, MemFs, Plan, TornWrite};
use super::super::testing::*;
use super::super::*;
use crate::agent::attempts::{Intent, Kind};
use crate::kernel::FailureClass;

const NEW: &str = "0191-new";

fn child(from_round: u32) -> SessionOpened {
    SessionOpened {
        session: NEW.to_owned(),
        parent: Some(Parent { session: ID.to_owned(), from_round }),
        ..opened(ID)
    }
}

/// A closed session of two rounds with a retry in the first.
fn parent(fs: &MemFs) -> StoredSession {
    let store = store(fs);
    let mut session = store.create(opened(ID)).unwrap();
    for (intent, result) in script() {
        let call = session.begin(&intent, b"prompt", usd(RESERVED)).unwrap();
        session.settle(&call, &result, reported(PRICE)).unwrap();
        let over = intent.attempt == 2 || intent.turn == "r1/champion";
        if over {
            session.append(turn_closed(&intent.turn, TurnStatus::Answered)).unwrap();
        }
    }
    let round = |round| Body::RoundClosed(RoundClosed { round, facts: Vec::new() });
    session.append(round(1)).unwrap();
    let second = intent("r2/champion", Kind::First, 1);
    let call = session.begin(&second, b"prompt", usd(RESERVED)).unwrap();
    session.settle(&call, &answered("ranking C", PRICE), reported(PRICE)).unwrap();
    session.append(turn_closed("r2/champion", TurnStatus::Answered)).unwrap();
    session.append(round(2)).unwrap();
    session.close("consensus", "decided").unwrap();
    drop(session);
    store.read(ID).unwrap()
}

fn first_round(turn: &str) -> bool {
    turn.starts_with("r1/")
}

#[test]
fn what_is_kept_answers_again_and_costs_nothing() {
    let fs = disk();
    let parent = parent(&fs);
    let before = fs.tree(parent.dir());
    let session = store(&fs).fork(&parent, &first_round, child(2)).unwrap();
    let ledger = session.ledger();
    assert_eq!(ledger.spent(), None, "nothing was paid for here");
    assert_eq!(ledger.calls_made(), 0);
    assert_eq!(ledger.kept(), (5, Some(reported(5 * PRICE))));
    assert_eq!(ledger.largest("critic"), Some(usd(PRICE)), "what is known is reserved");
    assert_eq!(ledger.rounds(), 1);
    assert_eq!(*ledger.state(), State::Running);
    assert_eq!(ledger.opened().unwrap().parent, child(2).parent);
    for (intent, result) in script() {
        let Found::Result(found) = ledger.look(&intent) else {
            panic!("{intent:?} is not found under its new key");
        };
        let again = session.replay(found).unwrap();
        assert_eq!(again.answer, result.answer, "{intent:?}");
        assert_eq!(again.failure, result.failure, "{intent:?}");
        assert_eq!(again.cost, None, "{intent:?}");
    }
    assert_eq!(ledger.look(&intent("r2/champion", Kind::First, 1)), Found::Nothing);
    assert!(ledger.turns().contains_key("r1/moderator"));
    assert!(!ledger.turns().contains_key("r2/champion"));
    // The next process reads the same state.
    drop(session);
    let read = store(&fs).read(NEW).unwrap();
    assert_eq!(read.ledger.kept(), (5, Some(reported(5 * PRICE))));
    // Adding up the journal's prices counts nothing twice.
    let paid = read.records.iter().filter_map(|record| {
        let Body::Result(result) = &record.body else {
            return None;
        };
        Some(result.cost.usd)
    });
    assert_eq!(paid.collect::<Vec<_>>(), [usd(0); 5]);
    assert_eq!(fs.tree(parent.dir()), before, "the parent was written to");
}

#[test]
fn a_kept_answer_is_found_whatever_would_ask_today() {
    let fs = disk();
    let parent = parent(&fs);
    let session = store(&fs).fork(&parent, &first_round, child(2)).unwrap();
    let found = |turn, kind, attempt| {
        let other = Intent {
            prompt_sha: "another skill".to_owned(),
            agent_digest: "another model".to_owned(),
            ..intent(turn, kind, attempt)
        };
        matches!(session.ledger().look(&other), Found::Result(_))
    };
    assert!(found("r1/champion", Kind::First, 1));
    assert!(found("r1/critic", Kind::Retry, 2));
    assert!(!found("r1/critic", Kind::Repair, 2));
    assert!(!found("r2/champion", Kind::First, 1));
}

#[test]
fn a_failed_turn_stays_failed_and_is_asked_again_only_where_a_resume_voids_it() {
    let fs = disk();
    let store = store(&fs);
    let mut session = store.create(opened(ID)).unwrap();
    let asked = intent("r1/critic", Kind::First, 1);
    let call = session.begin(&asked, b"prompt", usd(RESERVED)).unwrap();
    session.settle(&call, &failed(FailureClass::TimedOut, PRICE), reported(PRICE)).unwrap();
    session.append(turn_closed("r1/critic", TurnStatus::Failed)).unwrap();
    session.suspend("agent_failure", vec!["r1/critic".to_owned()], Vec::new(), None, None).unwrap();
    drop(session);
    let parent = store.read(ID).unwrap();
    let mut session = store.fork(&parent, &first_round, child(2)).unwrap();
    assert!(matches!(session.ledger().look(&asked), Found::Result(_)));
    assert_eq!(session.ledger().turns()["r1/critic"].status, TurnStatus::Failed);
    session.suspend("agent_failure", vec!["r1/critic".to_owned()], Vec::new(), None, None).unwrap();
    session.resume(resumed()).unwrap();
    assert_eq!(session.ledger().look(&asked), Found::Nothing);
    // If the parent's own resume voided it and went no further, there is nothing to keep.
    let (mut old, ..) = store.open(ID).unwrap();
    old.resume(resumed()).unwrap();
    drop(old);
    let parent = store.read(ID).unwrap();
    let again = SessionOpened { session: "0192-again".to_owned(), ..child(2) };
    let session = store.fork(&parent, &first_round, again).unwrap();
    assert_eq!(session.ledger().kept(), (0, None));
    assert!(session.ledger().turns().is_empty());
}

#[test]
fn what_was_cut_off_or_cancelled_is_not_kept() {
    let fs = disk();
    let store = store(&fs);
    let mut session = store.create(opened(ID)).unwrap();
    let cut = intent("r1/critic", Kind::First, 1);
    session.begin(&cut, b"prompt", usd(RESERVED)).unwrap();
    let stopped = intent("r1/champion", Kind::First, 1);
    let call = session.begin(&stopped, b"prompt", usd(RESERVED)).unwrap();
    session.settle(&call, &failed(FailureClass::Cancelled, PRICE), reported(PRICE)).unwrap();
    drop(session);
    let parent = store.read(ID).unwrap();
    let session = store.fork(&parent, &first_round, child(2)).unwrap();
    assert_eq!(session.ledger().spent(), None, "its reservation is the parent's");
    assert_eq!(session.ledger().look(&cut), Found::Nothing);
    assert_eq!(session.ledger().look(&stopped), Found::Nothing);
}

#[test]
fn of_a_call_that_a_crash_doubled_the_answer_is_kept_once() {
    let fs = disk();
    let store = store(&fs);
    let mut session = store.create(opened(ID)).unwrap();
    let asked = intent("r1/critic", Kind::First, 1);
    session.begin(&asked, b"prompt", usd(RESERVED)).unwrap();
    drop(session);
    let (mut session, ..) = store.open(ID).unwrap();
    session.resume(resumed()).unwrap();
    let Found::Interrupted { call, reservation } = session.ledger().look(&asked) else {
        panic!("it was cut off");
    };
    session.charge_ambiguous(&call, reservation).unwrap();
    let call = session.begin(&asked, b"prompt", usd(RESERVED)).unwrap();
    session.settle(&call, &answered("late", PRICE), reported(PRICE)).unwrap();
    drop(session);
    let parent = store.read(ID).unwrap();
    let session = store.fork(&parent, &first_round, child(2)).unwrap();
    assert!(matches!(session.ledger().look(&asked), Found::Result(_)));
    assert_eq!(session.ledger().kept(), (1, Some(reported(PRICE))));
    assert_eq!(session.ledger().ambiguous().count(), 0);
}

#[test]
fn a_grandchild_is_not_paid_for_either() {
    let fs = disk();
    let parent = parent(&fs);
    drop(store(&fs).fork(&parent, &first_round, child(2)).unwrap());
    let middle = store(&fs).read(NEW).unwrap();
    let grandchild = SessionOpened {
        session: "0192-grandchild".to_owned(),
        parent: Some(Parent { session: NEW.to_owned(), from_round: 2 }),
        ..opened(ID)
    };
    let session = store(&fs).fork(&middle, &first_round, grandchild).unwrap();
    assert_eq!(session.ledger().spent(), None);
    assert_eq!(session.ledger().kept(), (5, Some(reported(5 * PRICE))));
}

#[test]
fn a_parent_that_is_not_named_or_an_id_in_use_is_refused() {
    let fs = disk();
    let parent = parent(&fs);
    for wrong in [
        opened(NEW),
        SessionOpened {
            parent: Some(Parent { session: "0193-other".to_owned(), from_round: 2 }),
            ..opened(NEW)
        },
    ] {
        let error = store(&fs).fork(&parent, &first_round, wrong).unwrap_err();
        assert!(matches!(error, StoreError::Misuse { .. }), "{error}");
    }
    let twice = SessionOpened { session: ID.to_owned(), ..child(2) };
    let error = store(&fs).fork(&parent, &first_round, twice).unwrap_err();
    assert!(matches!(error, StoreError::Exists { .. }), "{error}");
    assert_eq!(store(&fs).ids().unwrap(), [ID]);
    assert_eq!(store(&fs).read(ID).unwrap().records, parent.records);
}

#[test]
fn a_damaged_answer_is_never_copied_and_leaves_no_session() {
    let fs = disk();
    let parent = parent(&fs);
    let sha = parent.ledger.answers().next().unwrap().to_owned();
    let path = parent.dir().join("answers").join(&sha);
    fs.remove_file(&path).unwrap();
    fs.write_new(&path, b"forged").unwrap();
    let error = store(&fs).fork(&parent, &|_| true, child(3)).unwrap_err();
    assert!(matches!(error, StoreError::AnswerDamaged { .. }), "{error}");
    assert_eq!(store(&fs).ids().unwrap(), [ID]);
}

#[test]
fn a_kept_result_needs_a_parent() {
    let mut ledger = Ledger::new(ID);
    let at = clock();
    let mut seq = 0;
    let mut fold = |ledger: &mut Ledger, body| {
        seq += 1;
        ledger.fold(&Record { seq, at, body })
    };
    fold(&mut ledger, Body::Opened(Box::new(opened(ID)))).unwrap();
    let asked = intent("r1/critic", Kind::First, 1);
    let key = ledger.key(&asked);
    let begun = CallIntent {
        key: key.clone(),
        run: 1,
        epoch: 0,
        intent: asked,
        prompt: None,
        reservation: usd(1),
    };
    fold(&mut ledger, Body::Intent(Box::new(begun))).unwrap();
    let result: CallResult = serde_json::from_value(json!({
        "key": key, "run": 1, "ending": "exited(0)", "took_ms": 1,
        "cost": {"usd": 0.0, "basis": "declared"}, "kept": {"usd": 5.0, "basis": "reported"},
    }))
    .unwrap();
    let why = fold(&mut ledger, Body::Result(Box::new(result))).unwrap_err();
    assert!(why.contains("parent"), "{why}");
}

/// Every operation of a fork fails in every way, and every crash may lose any unsynced change: the result is
/// either no session or a complete one, and the parent is unchanged.
#[test]
fn a_crash_leaves_no_session_or_a_whole_one() {
    let fs = disk();
    let whole = parent(&fs);
    let count = {
        let fs = disk();
        let whole = parent(&fs);
        fs.plan(None);
        drop(store(&fs).fork(&whole, &first_round, child(2)).unwrap());
        fs.ops()
    };
    assert!(count > 20, "{count}");
    let judge = |next: &MemFs, what: &str| {
        let store = store(next);
        let old = store.read(ID).unwrap();
        assert_eq!(old.records, whole.records, "{what}: the parent changed");
        for sha in old.ledger.answers() {
            old.answer(sha).unwrap();
        }
        match store.read(NEW) {
            Ok(stored) => {
                for record in &stored.records {
                    if let Body::Intent(call) = &record.body {
                        assert!(stored.prompt_bytes(call).is_some(), "{what}: {call:?}");
                    }
                }
                assert_eq!(stored.ledger.kept(), (5, Some(reported(5 * PRICE))), "{what}");
                let (mut session, ..) = store.open(NEW).unwrap();
                session.resume(resumed()).unwrap();
                for (intent, result) in script() {
                    let Found::Result(found) = session.ledger().look(&intent) else {
                        panic!("{what}: {intent:?} is gone");
                    };
                    assert_eq!(session.replay(found).unwrap().answer, result.answer, "{what}");
                }
            }
            Err(StoreError::UnknownId { .. }) => {}
            Err(StoreError::NeverOpened { .. }) => {
                store.gc(GcPolicy::default()).unwrap();
                assert_eq!(store.ids().unwrap(), [ID], "{what}");
                drop(store.fork(&store.read(ID).unwrap(), &first_round, child(2)).unwrap());
            }
            Err(error) => panic!("{what}: {error}"),
        }
    };
    for at in 0..count {
        for fault in [
            Fault::AbortBefore,
            Fault::AbortAfter,
            Fault::Torn(TornWrite::Half),
            Fault::NoSpace,
            Fault::Io,
        ] {
            let fs = disk();
            let stored = parent(&fs);
            fs.plan(Some(Plan { at, fault, under: None }));
            drop(store(&fs).fork(&stored, &first_round, child(2)));
            // None, all, every other one, and two subsets scattered by a fixed rule.
            let scattered = 0x9e37_79b9_7f4a_7c15_u64;
            let subsets = if matches!(fault, Fault::AbortAfter | Fault::Io) {
                vec![0, u64::MAX, 0x5555_5555_5555_5555, scattered, !scattered]
            } else {
                Vec::new()
            };
            for subset in subsets {
                let next = fs.crash(|change| subset >> (change % 64) & 1 == 1);
                judge(&next, &format!("op {at} {fault:?}, kept {subset:b}"));
            }
            let next = fs.kill();
            next.plan(None);
            judge(&next, &format!("op {at} {fault:?}"));
        }
    }
}
