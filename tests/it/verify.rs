//! `sessions verify`: each way of changing a session is seen, and nothing that a crash leaves is taken for one.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use debate_agent::journal::key::sha;
use serde_json::Value;

use crate::damage::sealed;
use crate::resume::{finished, session};
use crate::support::Sandbox;
use crate::support::styles::three;

fn lines(sandbox: &Sandbox) -> Vec<String> {
    let text = fs::read_to_string(sandbox.journal_path()).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn write(sandbox: &Sandbox, lines: &[String]) {
    fs::write(sandbox.journal_path(), lines.join("\n") + "\n").unwrap();
}

/// The entry of the only session.
#[track_caller]
fn verified(sandbox: &Sandbox, more: &[&str], code: i32) -> Value {
    session(sandbox, "verify", &[more, &["--json"]].concat()).exits(code).json()["sessions"][0]
        .clone()
}

/// Puts the right checksum on one changed line, and nothing else.
fn with_checksum(line: &str) -> String {
    let head = &line[..line.len() - ",\"crc\":\"00000000\"}".len()];
    let crc = crc32fast::hash(format!("{head}}}").as_bytes());
    format!("{head},\"crc\":\"{crc:08x}\"}}")
}

#[test]
fn every_change_of_the_journal_is_seen_and_named() {
    let (sandbox, _) = finished();
    let good = lines(&sandbox);
    let last = good.len();
    let changed = |at: usize| good[at].replacen("r1", "r2", 1);
    let with = |at: usize, line: String| {
        let mut lines = good.clone();
        lines[at] = line;
        lines
    };
    let without = |at: usize| [&good[..at], &good[at + 1..]].concat();
    let moved = {
        let mut lines = good.clone();
        lines.swap(4, 5);
        lines
    };
    // Numbered anew, with the right checksums: the numbers and the checksums say nothing.
    let renumbered = |lines: Vec<String>| -> Vec<String> {
        let each = lines.iter().enumerate().map(|(at, line)| {
            let (_, rest) = line.split_once(",\"type\"").unwrap();
            with_checksum(&format!("{{\"v\":2,\"seq\":{},\"type\"{rest}", at + 1))
        });
        each.collect()
    };
    for (what, lines, record, says) in [
        ("changed", with(4, changed(4)), 5, "its checksum does not match"),
        (
            "changed, checksum too",
            with(4, with_checksum(&changed(4))),
            6,
            "the one before was changed",
        ),
        (
            "the last one",
            with(last - 1, good[last - 1].replacen("at\":\"2", "at\":\"3", 1)),
            last,
            "checksum",
        ),
        ("removed", without(4), 5, "says it is number 6"),
        ("removed, numbered anew", renumbered(without(4)), 5, "missing or put in"),
        ("put in twice", [&good[..5], &good[4..]].concat(), 6, "says it is number 5"),
        ("put in, numbered anew", renumbered([&good[..5], &good[4..]].concat()), 6, "put in"),
        ("moved", moved.clone(), 5, "says it is number 6"),
        ("moved, numbered anew", renumbered(moved), 5, "written after other records"),
        (
            "without hashes from there on",
            {
                let old = |line: &String| line.replacen("\"v\":2", "\"v\":1", 1);
                let tail = good[4..].iter().map(|line| with_checksum(&old(line)));
                good[..4].iter().cloned().chain(tail).collect()
            },
            5,
            "written after other records",
        ),
    ] {
        write(&sandbox, &lines);
        let found = verified(&sandbox, &[], 5);
        assert_eq!(
            (&found["state"], &found["record"]),
            (&"broken".into(), &record.into()),
            "{what}"
        );
        assert!(found["problem"].as_str().unwrap().contains(says), "{what}: {found}");
        let run = session(&sandbox, "verify", &[]);
        run.exits(5).prints(&format!("broken at record {record}"));
        session(&sandbox, "resume", &[]).exits(5);
    }
    write(&sandbox, &good);
    assert_eq!(verified(&sandbox, &[], 0)["records"], last);
    fs::remove_file(sandbox.journal_path()).unwrap();
    assert_eq!(verified(&sandbox, &[], 5)["state"], "broken");
}

#[test]
fn what_is_cut_off_or_written_anew_is_seen_by_who_kept_the_head() {
    let (sandbox, document) = finished();
    let head = document["journal_head"].as_str().unwrap().to_owned();
    let good = lines(&sandbox);
    let said = format!("{} records, head {head}", good.len());
    session(&sandbox, "verify", &[]).exits(0).prints(said.split(' ').next_back().unwrap());
    assert_eq!(verified(&sandbox, &["--head", &head], 0)["newer"], 0);
    // As `sha256sum` says it.
    assert_eq!(head, sha(format!("{}\n", good[good.len() - 1]).as_bytes()));

    let earlier = sha(format!("{}\n", good[2]).as_bytes());
    assert_eq!(verified(&sandbox, &["--head", &earlier], 0)["newer"], good.len() - 3);
    let text = session(&sandbox, "verify", &["--head", &earlier]);
    text.exits(0).prints(&format!("{} records old", good.len() - 3));
    session(&sandbox, "verify", &["--head", "4f1d"]).exits(2).says("64 hexadecimal digits");

    let anew: Vec<String> =
        (good.iter()).map(|line| line.replacen("\"at\":\"2", "\"at\":\"3", 1)).collect();
    let anew: Vec<String> = sealed(&anew).lines().map(str::to_owned).collect();
    for lines in [&good[..good.len() - 1], &anew[..1], &anew[..]] {
        write(&sandbox, lines);
        let found = verified(&sandbox, &["--head", &head], 5);
        assert!(found["problem"].as_str().unwrap().contains("no record has the hash"), "{found}");
    }
    // Without it nothing is missed: the docs say so.
    write(&sandbox, &good[..good.len() - 1]);
    verified(&sandbox, &[], 0);
}

#[test]
fn a_changed_or_missing_answer_or_prompt_is_named_with_its_record() {
    let (sandbox, _) = finished();
    let dir = sandbox.sessions()[0].clone();
    let name = |at: usize, field: &str| {
        let record = sandbox.journal()[at]["body"][field].as_str().unwrap().to_owned();
        (at + 1, record)
    };
    let kind = |kind: &str| sandbox.journal().iter().position(|one| one["type"] == kind).unwrap();
    for (folder, (record, sha)) in [
        ("answers", name(kind("call.result"), "answer")),
        ("prompts", name(kind("call.intent"), "prompt")),
    ] {
        let file = dir.join(folder).join(sha);
        let good = fs::read(&file).unwrap();
        fs::write(&file, [&good[..], b" "].concat()).unwrap();
        let found = verified(&sandbox, &[], 5);
        assert_eq!(found["record"], record, "{found}");
        assert!(
            found["problem"].as_str().unwrap().contains("does not contain what its name promises")
        );
        fs::remove_file(&file).unwrap();
        let found = verified(&sandbox, &[], 5);
        assert_eq!(found["record"], record, "{found}");
        assert!(found["problem"].as_str().unwrap().contains("No such file"), "{found}");
        fs::write(&file, good).unwrap();
        verified(&sandbox, &[], 0);
    }
}

#[test]
fn a_crash_a_resume_and_a_fork_leave_whole_chains() {
    let sandbox = Sandbox::new().scenario("backlog/consensus");
    fs::write(sandbox.home().join(".fake/delay"), "0.3").unwrap();
    sandbox.six();
    let mut child = sandbox.spawn(&["prioritize", "backlog.json"]);
    for _ in 0..200 {
        std::thread::sleep(Duration::from_millis(20));
        if sandbox.sessions().first().is_some_and(|dir| answers(dir) > 0) {
            break;
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // And a record that the crash tore.
    let path = sandbox.journal_path();
    let whole = fs::read_to_string(&path).unwrap();
    let lines = whole.lines().count();
    fs::write(&path, format!("{whole}{{\"v\":2,\"seq\":")).unwrap();
    let torn = verified(&sandbox, &[], 0);
    assert_eq!((&torn["state"], &torn["records"]), (&"intact".into(), &lines.into()));
    assert!(torn["problem"].as_str().unwrap().contains("cut short by a crash"), "{torn}");

    let resumed = session(&sandbox, "resume", &["--json"]).exits(0).json();
    let kept = torn["head"].as_str().unwrap();
    assert!(verified(&sandbox, &["--head", kept], 0)["newer"].as_u64().unwrap() > 0);
    assert_eq!(verified(&sandbox, &[], 0)["head"], resumed["journal_head"]);
}

#[test]
fn a_fork_has_a_chain_of_its_own() {
    let sandbox = three(["Redis", "Files", "Files"]).casts("r3/cross/s1", "Redis", None, &[]);
    let first = sandbox.debated("panel", &[], 0);
    let id = first["session_id"].as_str().unwrap();
    let again = ["sessions", "resume", id, "--from-round", "2", "--json"];
    let forked = sandbox.run(&again).exits(0).json();
    let all = sandbox.run(&["sessions", "verify", "--all", "--json"]).exits(0).json();
    let all = all["sessions"].as_array().unwrap();
    let heads: Vec<&Value> = all.iter().map(|one| &one["head"]).collect();
    assert_eq!(heads, [&forked["journal_head"], &first["journal_head"]]);
    sandbox.run(&["sessions", "verify", "--all"]).exits(0).prints("records, head");
}

fn answers(dir: &Path) -> usize {
    fs::read_dir(dir.join("answers")).map_or(0, Iterator::count)
}

#[test]
fn an_older_session_is_shown_and_said_to_have_no_chain() {
    let sandbox = three(["Redis", "Files", "Files"]).casts("r3/cross/s1", "Redis", None, &[]);
    let document = sandbox.debated("panel", &[], 0);
    let old = lines(&sandbox).into_iter().map(|line| {
        let (record, _) = line.rsplit_once(",\"prev\":").unwrap();
        with_checksum(&format!(
            "{},\"crc\":\"00000000\"}}",
            record.replacen("\"v\":2", "\"v\":1", 1)
        ))
    });
    write(&sandbox, &old.collect::<Vec<_>>());
    let found = verified(&sandbox, &[], 1);
    assert_eq!((&found["state"], &found["head"]), (&"no_chain".into(), &Value::Null));
    session(&sandbox, "verify", &[]).exits(1).prints("without a chain of hashes");
    sandbox.run(&["sessions", "verify", "--all"]).exits(1);
    let shown = session(&sandbox, "show", &["--json"]).exits(0).json();
    assert_eq!((&shown["verdict"], &shown["journal_head"]), (&document["verdict"], &Value::Null));
    session(&sandbox, "show", &["--format", "transcript"]).exits(0).prints("r1/answer");
    let before = fs::read(sandbox.journal_path()).unwrap();
    for (command, more) in [("resume", &["--from-round", "2"][..]), ("terminate", &[])] {
        session(&sandbox, command, more).exits(5).says("has no chain of hashes");
    }
    assert_eq!(sandbox.sessions().len(), 1);
    assert_eq!(fs::read(sandbox.journal_path()).unwrap(), before);
}

#[test]
fn a_logged_decision_has_the_head_of_its_session() {
    let sandbox = Sandbox::agreeing();
    let topic = crate::support::debates::TOPIC;
    sandbox.run(&["debate", topic, "--style", "dialogue"]).exits(0);
    let log = sandbox.run(&["decisions", "list", "--json"]).exits(0).json();
    let head = log["decisions"][0]["journal_head"].as_str().unwrap();
    session(&sandbox, "verify", &["--head", head])
        .exits(0)
        .prints("that is the head that was kept");
}
