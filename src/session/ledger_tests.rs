//! The fold: money, keys, and the calls that a resume asks again.

use std::collections::HashSet;

use proptest::prelude::*;

use crate::agent::attempts::Intent;
use crate::agent::attempts::Kind;
use crate::journal::key;
use crate::kernel::{Basis, FailureClass};
use crate::session::testing::*;
use crate::session::*;

fn run(session: &mut Session, intent: &Intent, class: Option<FailureClass>) -> Call {
    let call = session.begin(intent, b"prompt", usd(RESERVED)).unwrap();
    let result = match class {
        None => answered("x", PRICE),
        Some(class) => failed(class, PRICE),
    };
    session.settle(&call, &result, reported(PRICE)).unwrap();
    call
}

#[test]
fn reserved_money_becomes_spent_money() {
    let mut session = store(&disk()).create(opened(ID)).unwrap();
    let intent = intent("r1/critic", Kind::First, 1);
    assert_eq!(session.ledger().spent(), None);
    let call = session.begin(&intent, b"prompt", usd(150)).unwrap();
    assert_eq!(session.ledger().reserved(), usd(150));
    session.settle(&call, &answered("x", 7), reported(7)).unwrap();
    assert_eq!(session.ledger().reserved(), usd(0));
    assert_eq!(session.ledger().spent(), Some(reported(7)));
    assert_eq!(session.ledger().largest("critic"), Some(usd(7)));
    assert_eq!(session.ledger().largest("champion"), None);
}

#[test]
fn a_call_left_in_flight_counts_as_spent_until_it_is_adopted() {
    let fs = disk();
    let intent = intent("r1/critic", Kind::First, 1);
    let mut session = store(&fs).create(opened(ID)).unwrap();
    session.begin(&intent, b"prompt", usd(150)).unwrap();
    drop(session);
    let listed = store(&fs).list().unwrap().remove(0);
    assert_eq!(listed.status, Status::Interrupted);
    assert_eq!(listed.summary.unwrap().spent.unwrap().usd, usd(150));
    let (mut session, ..) = store(&fs).open(ID).unwrap();
    session.resume(resumed()).unwrap();
    assert_eq!(session.ledger().spent().unwrap().basis, Basis::Declared);
    let Found::Interrupted { call, .. } = session.ledger().look(&intent) else {
        panic!("not interrupted");
    };
    session.adopt(&call, &answered("x", 7), reported(7)).unwrap();
    assert_eq!(session.ledger().spent(), Some(reported(7)));
    assert!(matches!(session.ledger().look(&intent), Found::Result(found) if found.adopted));
}

#[test]
fn no_key_is_asked_twice_unless_it_is_marked() {
    // P8.
    let fs = disk();
    let mut session = store(&fs).create(opened(ID)).unwrap();
    let first = intent("r1/critic", Kind::First, 1);
    run(&mut session, &first, None);
    assert!(matches!(session.begin(&first, b"prompt", usd(1)), Err(StoreError::Misuse { .. })));
    let second = intent("r1/critic", Kind::Retry, 2);
    session.begin(&second, b"prompt", usd(150)).unwrap();
    assert!(matches!(session.begin(&second, b"prompt", usd(1)), Err(StoreError::Misuse { .. })));
    drop(session);
    let (mut session, ..) = store(&fs).open(ID).unwrap();
    assert!(
        matches!(session.begin(&first, b"prompt", usd(1)), Err(StoreError::Misuse { .. })),
        "before resumed"
    );
    session.resume(resumed()).unwrap();
    assert!(session.begin(&second, b"prompt", usd(1)).is_err(), "not accounted for yet");
    let Found::Interrupted { call, reservation } = session.ledger().look(&second) else {
        panic!("not interrupted");
    };
    session.charge_ambiguous(&call, reservation).unwrap();
    assert_eq!(session.ledger().look(&second), Found::Nothing);
    assert_eq!(session.begin(&second, b"prompt", usd(1)).unwrap().run, 2);
    assert_eq!(session.ledger().spent().unwrap().usd, usd(PRICE + 150));
}

#[test]
fn a_failed_turn_that_stopped_the_run_is_asked_again_from_its_first_attempt() {
    let fs = disk();
    let mut session = store(&fs).create(opened(ID)).unwrap();
    let (gave_up, went_on) = (intent("r1/a", Kind::First, 1), intent("r1/b", Kind::First, 1));
    for intent in [&gave_up, &went_on] {
        run(&mut session, intent, Some(FailureClass::NotLoggedIn));
        session.append(turn_closed(&intent.turn, TurnStatus::Failed)).unwrap();
    }
    session.suspend("agent_failure", vec!["r1/a".to_owned()], Vec::new(), None, None).unwrap();
    assert!(session.begin(&gave_up, b"prompt", usd(1)).is_err(), "after suspended");
    let before = session.ledger().key(&gave_up);
    drop(session);
    let (mut session, ..) = store(&fs).open(ID).unwrap();
    session.resume(resumed()).unwrap();
    assert_eq!(session.ledger().look(&gave_up), Found::Nothing);
    assert_ne!(session.ledger().key(&gave_up), before);
    assert!(!session.ledger().turns().contains_key("r1/a"));
    assert!(matches!(session.ledger().look(&went_on), Found::Result(_)), "history stays");
    run(&mut session, &gave_up, None);
    assert_eq!(session.ledger().spent().unwrap().usd, usd(3 * PRICE));
}

/// Its wording changes between versions, and it was paid for.
#[test]
fn a_repair_is_found_whatever_words_ask_for_it_today() {
    let fs = disk();
    let mut session = store(&fs).create(opened(ID)).unwrap();
    let (first, repair) = (intent("r1/a", Kind::First, 1), intent("r1/a", Kind::Repair, 2));
    run(&mut session, &first, None);
    let today = Intent { prompt_sha: "5f".repeat(32), ..repair.clone() };
    assert_eq!(session.ledger().look(&today), Found::Nothing);
    run(&mut session, &repair, None);
    assert!(matches!(session.ledger().look(&today), Found::Result(_)));
    let other = Intent { turn: "r1/b".to_owned(), ..today.clone() };
    for intent in [
        other,
        Intent { attempt: 3, ..today.clone() },
        Intent { kind: Kind::Retry, ..today.clone() },
    ] {
        assert_eq!(session.ledger().look(&intent), Found::Nothing, "{intent:?}");
    }
    // The question itself was asked again after accepted drift: the repair of the earlier one does not answer it.
    let anew = Intent { prompt_sha: "a0".repeat(32), ..first };
    run(&mut session, &anew, None);
    assert_eq!(session.ledger().look(&today), Found::Nothing);
}

#[test]
fn a_cancelled_attempt_is_made_again_and_the_finished_ones_before_it_are_replayed() {
    let fs = disk();
    let mut session = store(&fs).create(opened(ID)).unwrap();
    let (first, repair) = (intent("r1/a", Kind::First, 1), intent("r1/a", Kind::Repair, 2));
    run(&mut session, &first, None);
    run(&mut session, &repair, Some(FailureClass::Cancelled));
    session.append(turn_closed("r1/a", TurnStatus::Failed)).unwrap();
    session.suspend("interrupted", Vec::new(), Vec::new(), None, None).unwrap();
    drop(session);
    let (mut session, ..) = store(&fs).open(ID).unwrap();
    session.resume(resumed()).unwrap();
    assert!(matches!(session.ledger().look(&first), Found::Result(_)), "never paid again");
    assert_eq!(session.ledger().look(&repair), Found::Nothing);
    run(&mut session, &repair, None);
    assert!(matches!(session.ledger().look(&repair), Found::Result(_)));
}

#[test]
fn every_part_of_an_attempt_is_in_its_key() {
    let base = intent("r1/a", Kind::First, 1);
    let mut keys = HashSet::new();
    let ledger = Ledger::new(ID);
    keys.insert(Ledger::new("other").key(&base));
    let mut others = vec![base.clone(); 6];
    others[1].turn = "r1/b".to_owned();
    others[2].kind = Kind::Repair;
    others[3].attempt = 2;
    others[4].prompt_sha.push('x');
    others[5].agent_digest.push('x');
    keys.extend(others.iter().map(|intent| ledger.key(intent)));
    keys.insert(key::of(ID, &base, 1));
    assert_eq!(keys.len(), 8);
    // Any change by a fallback or a renamed agent is in its digest; the name itself is only for
    // people.
    let mut renamed = base.clone();
    renamed.agent = "codex".to_owned();
    assert_eq!(ledger.key(&renamed), ledger.key(&base));
}

#[test]
fn a_resume_sets_budget_and_digests() {
    let fs = disk();
    drop(store(&fs).create(opened(ID)).unwrap());
    let (mut session, ..) = store(&fs).open(ID).unwrap();
    let mut now = session.ledger().digests().clone();
    now.config = "changed".to_owned();
    now.skills.insert("critic".to_owned(), "s".to_owned());
    let drift = session.ledger().digests().drift(&now);
    assert_eq!(drift.changed, ["config", "skill critic"]);
    session
        .resume(SessionResumed {
            budget: Some(usd(9)),
            accepted_drift: drift.changed,
            digests: Some(now.clone()),
            ..resumed()
        })
        .unwrap();
    assert_eq!(session.ledger().budget(), Some(usd(9)));
    assert!(session.ledger().digests().drift(&now).is_empty());
}

#[test]
fn what_changed_under_readers_is_never_forgotten() {
    let fs = disk();
    let mut session = store(&fs).create(opened(ID)).unwrap();
    let changed = vec!["src/a.rs".to_owned()];
    session.suspend("undecided", vec![], changed.clone(), None, None).unwrap();
    drop(session);
    let (mut session, ..) = store(&fs).open(ID).unwrap();
    session.resume(resumed()).unwrap();
    // A second run that finds nothing changed does not validate the first run's answers.
    session.suspend("undecided", vec![], vec![], None, None).unwrap();
    drop(session);
    let (mut session, ..) = store(&fs).open(ID).unwrap();
    session.resume(resumed()).unwrap();
    session.close("clean", "clean").unwrap();
    assert_eq!(store(&fs).read(ID).unwrap().ledger.tree_changed(), changed);
}

#[test]
fn nothing_follows_the_end() {
    let fs = disk();
    let mut session = store(&fs).create(opened(ID)).unwrap();
    session.close("consensus", "decided").unwrap();
    drop(session);
    let (mut session, ..) = store(&fs).open(ID).unwrap();
    assert!(session.is_closed());
    assert!(matches!(session.resume(resumed()), Err(StoreError::Misuse { .. })));
}

proptest! {
    #[test]
    fn spent_is_the_sum_of_the_journal(costs in prop::collection::vec((0_u64..1_000_000, any::<bool>()), 0..20)) {
        // P6: even if the process dies after every other call.
        let fs = disk();
        let mut session = store(&fs).create(opened(ID)).unwrap();
        let mut sum = 0;
        for (n, (micros, dies)) in costs.iter().enumerate() {
            let intent = intent(&format!("r{n}/a"), Kind::First, 1);
            let call = session.begin(&intent, b"prompt", usd(*micros)).unwrap();
            if *dies {
                drop(session);
                session = store(&fs).open(ID).unwrap().0;
                session.resume(resumed()).unwrap();
                if n % 2 == 0 {
                    session.charge_ambiguous(&call, usd(*micros)).unwrap();
                }
            } else {
                session.settle(&call, &answered("x", *micros), reported(*micros)).unwrap();
            }
            sum += micros;
        }
        let ledger = session.ledger().clone();
        prop_assert_eq!(ledger.spent().map_or(0, |cost| cost.usd.micros()), sum);
        prop_assert_eq!(ledger.reserved(), usd(0));
        prop_assert_eq!(ledger.calls_made() as usize, costs.len());
        // P19: the fold of the journal on disk equals the ledger in memory.
        drop(session);
        prop_assert_eq!(store(&fs).read(ID).unwrap().ledger, ledger);
    }
}
