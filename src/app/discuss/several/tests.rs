//! What ends a run over several artifacts early, and how the program ends then.

use super::*;
use crate::error::Kind;

/// A stop that comes while an artifact is being written down finds it decided: the artifacts behind it were not discussed all
/// the same, and that is never a 0.
#[test]
fn whatever_ends_a_run_early_is_no_success() {
    use DiscussOutcome::{Budget, ConsensusBlocked, ConsensusReached, Interrupted, Undecided};
    let all = [ConsensusReached, ConsensusBlocked, Undecided, Budget, Interrupted];
    let mut halts = 0;
    for (stopped, code, exit) in [
        (Some(Stop::Cancelled(1)), "interrupted", 129),
        (Some(Stop::Cancelled(2)), "interrupted", 130),
        (Some(Stop::Cancelled(15)), "interrupted", 143),
        (Some(Stop::Deadline), "deadline", 4),
        (Some(Stop::Budget), "budget", 4),
    ] {
        for outcome in all {
            for silent in [false, true] {
                let halt = halt_after(stopped, outcome, silent).unwrap();
                assert_eq!((halt.code, halt.status.code()), (code, exit), "{outcome}");
                halts += 1;
            }
        }
    }
    assert_eq!(halts, 50);
    // Without a stop: a budget that is gone, and an artifact that nobody answered for.
    let next = |outcome, silent| halt_after(None, outcome, silent).map(|halt| halt.code);
    for silent in [false, true] {
        assert_eq!(next(Budget, silent), Some("budget"));
        assert_eq!(next(ConsensusReached, silent), None);
        assert_eq!(next(ConsensusBlocked, silent), None);
    }
    assert_eq!(next(Undecided, true), Some("nobody_answers"));
    assert_eq!(next(Undecided, false), None);
}

#[test]
fn what_broke_off_says_that_its_cost_is_not_in_the_total() {
    let error = Error::new(Kind::State, "failed to keep the session's state")
        .named("state")
        .because("disk full");
    let told = broke_off("docs/b.md", &error);
    assert_eq!((&*told.artifact, &*told.code), ("docs/b.md", "state"));
    assert_eq!(
        told.why,
        "failed to keep the session's state: disk full; what it cost before is not in the total: `debate-agent sessions list` shows it"
    );
}
