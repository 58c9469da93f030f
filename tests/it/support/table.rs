//! Runs cases of the decision table through the binary, and reports the rows that fail.
//!
//! Every reply comes in the envelope of the turn's vendor: the champion is claude, the critic codex, the moderator
//! gemini. Repeated calls are read from the fakes' own ledger.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use super::replies::{SIX, champion, critic, each, list, moderator, ranking, status, warned};
use super::{Call, Run, Sandbox};

/// The treatment of a reply.
pub(crate) enum End {
    /// Accepted: one call, no warning.
    Accepted,
    /// One call, and the warning with this code.
    Noted(&'static str),
    /// One re-ask that names this problem; the second reply is good.
    Repaired(&'static str),
    /// Equally bad the second time: completed by rule, under a warning that contains this text.
    ByRule(&'static str),
    /// Equally bad the second time: the turn failed, and nothing is decided.
    Failed,
}

/// One case of one row.
pub(crate) struct Case {
    row: &'static str,
    role: &'static str,
    reply: String,
    end: End,
}

pub(crate) fn case(
    row: &'static str,
    role: &'static str,
    reply: impl Into<String>,
    end: End,
) -> Case {
    Case { row, role, reply: reply.into(), end }
}

/// Runs all cases, a few at a time, and prints every one that fails.
#[track_caller]
pub(crate) fn hold(cases: &[Case]) {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = Vec::new();
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Err(why) = holds(case) {
                wrong.push(format!("row {}, {}: {why}", case.row, case.role));
            }
        }
        wrong
    };
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

/// Runs `check` over the cases on a few threads.
pub(crate) fn each_of<T: Sync>(cases: &[T], check: impl Fn(&T) + Sync) {
    std::thread::scope(|scope| {
        for part in 0..4 {
            let check = &check;
            scope.spawn(move || cases.iter().skip(part).step_by(4).for_each(check));
        }
    });
}

/// Ends a check with a message unless the condition holds.
macro_rules! must {
    ($holds:expr, $($why:tt)+) => {
        if !$holds {
            return Err(format!($($why)+));
        }
    };
}

fn holds(case: &Case) -> Result<(), String> {
    let again = matches!(case.end, End::ByRule(_) | End::Failed);
    let file = |number: &str| format!("r1_{}{number}.txt", case.role);
    let sandbox = Sandbox::new().fake(&file(if again { "" } else { ".1" }), &case.reply);
    // The reformatted answer has the same content.
    let sandbox = match (again, case.role) {
        (true, _) => sandbox,
        (_, "champion") => sandbox.fake(&file(".2"), &champion(&list(&SIX))),
        (_, "critic") => sandbox.fake(&file(".2"), &critic(&list(&SIX))),
        _ => {
            let all = each("\"defer\"");
            sandbox.fake(&file(".2"), &moderator(&all, &list(&SIX), &status(false, true)))
        }
    };
    sandbox.six();
    let mut args = vec!["prioritize", "backlog.json", "--json", "--max-rounds", "1"];
    args.extend(["--seat", "moderator=gemini"]);
    let run = sandbox.run(&args);
    let turn = format!("r1/{}", case.role);
    let calls: Vec<Call> = sandbox.calls().into_iter().filter(|call| call.turn == turn).collect();
    let codes = |document: &Value| warned(document, &turn);
    let expected_calls = match case.end {
        End::Accepted | End::Noted(_) => 1,
        End::Repaired(_) | End::ByRule(_) | End::Failed => 2,
    };
    must!(calls.len() == expected_calls, "{} calls\n{}", calls.len(), run.stderr);
    let Ok(document) = serde_json::from_str::<Value>(&run.stdout) else {
        return Err(format!("no result document\n{}{}", run.stdout, run.stderr));
    };
    if let [first, second] = calls.as_slice() {
        re_asked(&document, first, second, case)?;
    }
    if matches!(case.end, End::Failed) {
        return failed(&sandbox, &run, &document, &turn, &case.reply);
    }
    decided(&run, &document)?;
    let codes = codes(&document);
    match case.end {
        End::Accepted | End::Repaired(_) => must!(codes.is_empty(), "warnings {codes:?}"),
        End::Noted(code) => must!(codes.iter().any(|each| each == code), "warnings {codes:?}"),
        End::ByRule(text) => {
            let warnings = document["warnings"].to_string();
            must!(codes.iter().any(|each| each == "completed_by_rule"), "warnings {codes:?}");
            must!(warnings.contains(text), "no {text} in {warnings}");
        }
        End::Failed => {}
    }
    Ok(())
}

/// A result in which ranks were applied is a permutation with one disposition each (P1, P2).
fn decided(run: &Run, document: &Value) -> Result<(), String> {
    must!(matches!(run.code, 0 | 1), "exit {}\n{}", run.code, run.stderr);
    must!(document["verdict"] == "decided", "verdict {}", document["verdict"]);
    let ids: BTreeSet<String> = ranking(document).into_iter().collect();
    must!(ids == SIX.map(str::to_owned).into(), "not the ids of the input: {ids:?}");
    let items = document["ranked_opportunities"].as_array().unwrap();
    for (place, item) in items.iter().enumerate() {
        must!(item["priority_rank"] == place + 1, "rank of {item}");
        must!(item["disposition"].is_string(), "disposition of {item}");
    }
    Ok(())
}

/// The beginning of a repair.
const WHOLE: &str = "# Your last reply could not be used";

/// Checks that the repair call describes the fault, names the wanted ids, and quotes the reply as data.
fn re_asked(document: &Value, first: &Call, second: &Call, case: &Case) -> Result<(), String> {
    let (before, prompt) = (first.read("stdin"), second.read("stdin"));
    must!(!before.contains(WHOLE), "the first prompt is no re-ask");
    let Some(section) = prompt.split(WHOLE).nth(1) else {
        return Err("the second prompt is no re-ask".to_owned());
    };
    if let End::Repaired(code) = case.end {
        must!(section.contains(&format!("- {code}")), "no problem {code} in\n{section}");
    }
    must!(section.contains("Each of these 6 ids"), "no expected ids in\n{section}");
    for id in SIX {
        must!(section.contains(&format!("\"{id}\"")), "{id} is not expected in\n{section}");
    }
    let label = "faulty reply";
    let fenced = section.split(&format!("BEGIN untrusted data: {label}")).nth(1);
    let fenced = fenced.and_then(|rest| rest.split(&format!("END untrusted data: {label}")).next());
    must!(fenced.is_some(), "the fault is not fenced in\n{section}");
    let quoted = fenced.unwrap();
    must!(!quoted.contains("<<<"), "a marker stands in the quoted fault\n{quoted}");
    // The stable part comes first and unchanged, the contract last.
    let stable = before.split("\nturn: r1/").next().unwrap();
    let contract = before.rsplit("\n# Your answer\n").next().unwrap();
    must!(prompt.starts_with(stable), "the stable part differs");
    must!(prompt.ends_with(contract), "the contract is not last");
    must!(document["cost"]["total_usd"] != 0.0, "both calls cost");
    Ok(())
}

/// Checks that a failed turn decides nothing, is kept, and can be resumed without paying the others again.
fn failed(
    sandbox: &Sandbox,
    run: &Run,
    document: &Value,
    turn: &str,
    reply: &str,
) -> Result<(), String> {
    must!(run.code == 4, "exit {}\n{}", run.code, run.stderr);
    must!(document["outcome"] == "agent_failure", "outcome {}", document["outcome"]);
    must!(document["verdict"] == "undecided", "verdict {}", document["verdict"]);
    must!(ranking(document) == SIX, "ranks were not left as they were");
    must!(document["ranked_opportunities"][0]["priority_rank"].is_null(), "a rank was invented");
    let role = turn.trim_start_matches("r1/");
    let seats = document["seats"].as_array().unwrap();
    let seat = seats.iter().find(|seat| seat["role"] == role).unwrap();
    must!(seat["status"] == "failed", "seat {seat}");
    must!(seat["failure"].as_str().unwrap().starts_with("unreadable: "), "seat {seat}");
    let kept = sandbox.answers();
    must!(
        kept.iter().any(|each| each.trim() == reply.trim()),
        "the raw answer is not kept: {kept:?}"
    );
    sandbox.heal();
    let before = sandbox.calls().len();
    let id = document["session_id"].as_str().unwrap();
    let resumed = sandbox.run(&["sessions", "resume", id, "--json", "--seat", "moderator=gemini"]);
    must!(resumed.code == 0, "resume: exit {}\n{}", resumed.code, resumed.stderr);
    let asked: Vec<String> =
        sandbox.calls()[before..].iter().map(|call| call.turn.clone()).collect();
    let order = ["r1/champion", "r1/critic", "r1/moderator"];
    let from = order.iter().position(|each| *each == turn).unwrap();
    must!(asked == order[from..], "the resume asked {asked:?}");
    Ok(())
}
