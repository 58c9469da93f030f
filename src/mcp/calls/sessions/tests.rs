//! Stored sessions in the shared form. Live ones are tried on the program: `tests/it/mcp_runs.rs`.

use super::*;
use crate::kernel::{Basis, Cost, Shortfall};
use crate::report::sessions::SessionEntry;

fn cents(amount: u64) -> Usd {
    Usd::from_micros(amount * 10_000)
}

fn document(status: SessionState, spent: u64) -> SessionStatusDocument {
    SessionStatusDocument {
        session: SessionEntry {
            session_id: "019-a".to_owned(),
            protocol: Some("review".to_owned()),
            status,
            outcome: Some("budget\u{1b}[31m".to_owned()),
            verdict: None,
            stopped_by: None,
            title: None,
            rehearsal: Some(false),
            started_at: None,
            updated_at: None,
            cost: Some(Cost { usd: cents(spent), basis: Basis::Reported }),
            calls: Some(1),
            parent: None,
            problem: None,
        },
        round: Some(2),
        next_turns: vec!["r2/cross/s1".to_owned()],
        budget_usd: Some(cents(50)),
        short: (spent > 50).then(|| Shortfall { reserve_usd: cents(15), budget_usd: cents(66) }),
        sinks: Vec::new(),
        schema_version: 1,
    }
}

#[test]
fn only_what_is_closed_is_done_and_nothing_else_may_be_decided() {
    for (state, status, resumable, begins) in [
        (SessionState::Running, "running", false, "RUNNING ELSEWHERE: held by process 7"),
        (SessionState::Suspended, "suspended", true, "SUSPENDED (budget): nothing is decided"),
        (SessionState::Interrupted, "interrupted", true, "INTERRUPTED: "),
        (SessionState::Closed, "done", false, "CLOSED: the outcome is budget"),
        (SessionState::Unreadable, "unreadable", false, "UNREADABLE: "),
    ] {
        let told = told(&document(state, 11), Some("process 7"));
        assert_eq!(told["status"], status);
        assert_eq!(told["resumable"], resumable, "{status}");
        assert!(told["summary"].as_str().unwrap().starts_with(begins), "{told}");
        let decided = &told["decided"];
        assert!(decided == false || status == "done" && decided.is_null(), "{told}");
        assert_eq!(told["cost_usd"], 0.11);
        assert_eq!(told["outcome"], "budget", "no escape of a journal gets out");
        assert_eq!(told["transcript"], "debate://sessions/019-a");
    }
}

#[test]
fn a_session_says_what_comes_next_and_who_can_give_it_more() {
    let summary = |spent| {
        let told = told(&document(SessionState::Suspended, spent), None);
        told["summary"].as_str().unwrap().to_owned()
    };
    assert!(summary(11).contains("goes on with r2/cross/s1"));
    assert!(!summary(49).contains("--budget"));
    assert!(summary(50).contains("only the user can raise"));
    assert!(summary(50).contains("`debate-agent sessions resume 019-a --budget USD`"));
    assert!(summary(51).contains("`debate-agent sessions resume 019-a --budget 0.66`"));
}

#[test]
fn a_warning_stands_first_and_there_are_never_too_many() {
    let mut value = json!({ "status": "done" });
    compact::warn(&mut value, "a");
    assert_eq!(value["warnings"], json!(["a"]));
    for n in 0..30 {
        compact::warn(&mut value, &format!("w{n}\n"));
    }
    assert_eq!(value["warnings"].as_array().unwrap().len(), 20);
    assert_eq!(value["warnings"][0], "w29");
}
