//! Names come back, risks stand once, and the paragraph says what the figures say.

use super::super::testing::*;
use super::*;
use crate::kernel::{Protocol as _, Stop};

#[test]
fn names_come_back_and_each_risk_stands_once() {
    let mut machine = machine(3);
    plans(&mut machine, &["ab", "c", "d"]);
    says(&mut machine, "adm");
    says(&mut machine, "adm");
    says(&mut machine, "aar");
    let end = done(&machine);
    assert_eq!(end.winner.as_deref(), Some("codex"));
    assert_eq!(end.risks, ["It may be slow."]);
    assert_eq!(end.open_questions, ["How large may it grow?"]);
    // `a` was refuted by one and wanted otherwise by another; `c` is the base, and voted down by one.
    let left = end.left_out.iter().find(|step| step.title == "Do a").unwrap();
    assert_eq!((&*left.proposed_by, left.status), (&["claude".to_owned()][..], Status::Refuted));
    assert_eq!((&*left.votes.disagree[0], &*left.votes.modify[0]), ("codex", "gemini"));
    let kinds = |objections: &[Objection]| -> Vec<(String, ObjectionKind)> {
        objections.iter().map(|each| (each.agent.clone(), each.kind)).collect()
    };
    assert_eq!(
        kinds(&left.objections),
        [
            ("codex".to_owned(), ObjectionKind::Disagree),
            ("gemini".to_owned(), ObjectionKind::Modify)
        ]
    );
    let base = end.steps.iter().find(|step| step.id == "c").unwrap();
    assert_eq!(
        kinds(&base.objections),
        [
            ("gemini".to_owned(), ObjectionKind::Modify),
            ("gemini".to_owned(), ObjectionKind::Reject)
        ]
    );
    assert_eq!(base.objections[0].suggestion.as_deref(), Some("Half of it."));
    assert_eq!(end.seats.iter().map(|seat| &*seat.role).collect::<Vec<_>>(), ["s1", "s2", "s3"]);
}

#[test]
fn the_paragraph_is_composed_by_rule() {
    let mut machine = machine(2);
    let said = |machine: &Machine| machine.stop(Stop::Budget).recommendation;
    assert_eq!(
        said(&machine),
        "There is no plan yet. Without a complete answer from claude, codex."
    );
    plans(&mut machine, &["ab", "bc"]);
    assert_eq!(
        said(&machine),
        "The plan of 2 steps is a draft: the planning was stopped before its end. \
         By cross-examination: 1 confirmed, 1 unverified."
    );
    says(&mut machine, "aa");
    says(&mut machine, "ar");
    assert_eq!(
        done(&machine).recommendation,
        "The plan of 3 steps can be followed. By cross-examination: 3 confirmed. 1 step rejected in the final vote. \
         Nobody could vote on 2 steps. 1 step came from other plans. Read the objections to 1 step first."
    );
}
