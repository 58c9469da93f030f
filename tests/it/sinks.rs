//! Results go to the sinks that people configure: once, whatever is cut off; no failure of a sink changes a result.

use std::fs;

use serde_json::{Value, json};

use crate::support::Sandbox;
use crate::support::debates::TOPIC;
use crate::support::styles::DEAD;

/// A debate that belongs to issue 7.
pub(crate) const DEBATE: [&str; 5] = ["debate", TOPIC, "--style", "dialogue", "--metadata=issue=7"];

pub(crate) fn github() -> Value {
    json!({"kind": "github", "repo": "acme/app", "pull_request": true, "close": true})
}

pub(crate) fn bigquery() -> Value {
    json!({"kind": "bigquery", "project": "acme", "dataset": "debates"})
}

pub(crate) fn gcs() -> Value {
    json!({"kind": "gcs", "bucket": "acme-debates", "prefix": "kept"})
}

pub(crate) fn rag() -> Value {
    json!({"kind": "vertex-rag", "bucket": "acme-rag",
        "import_command": ["gcloud", "auth", "list", "--filter={uri}"]})
}

/// Asserts that the fakes have all data of one session, each piece once.
#[track_caller]
pub(crate) fn assert_once(sandbox: &Sandbox, sinks: &Value) {
    let state = sandbox.sinks_state();
    let session = sandbox.sessions()[0].file_name().unwrap().to_string_lossy().into_owned();
    if sinks.get("board").is_some() {
        let repo = &state["repos"]["acme/app"];
        let [comment] = &sandbox.comments()[..] else { panic!("{:#}", sandbox.issue()) };
        assert!(comment.starts_with(&format!("<!-- debate-agent session {session} -->")));
        assert!(comment.contains("**ADOPTED"), "{comment}");
        assert_eq!(sandbox.issue()["state"], "closed");
        assert_eq!(sandbox.issue()["closings"], 1);
        let [pull] = &repo["pulls"].as_array().unwrap()[..] else { panic!("{repo:#}") };
        let branch = format!("debate/{session}");
        assert_eq!((&pull["head"], &pull["draft"]), (&json!(branch), &json!(true)));
        let commit = repo["refs"][&format!("heads/{branch}")].as_str().unwrap();
        let tree = repo["commits"][commit]["tree"].as_str().unwrap();
        let files = repo["trees"][tree]["files"].as_object().unwrap();
        assert_eq!(files.len(), 1, "{files:?}");
        assert!(files.values().all(|text| text.as_str().unwrap().contains("## Decision")));
    }
    if sinks.get("warehouse").is_some() {
        let rows = |table: &str| state["tables"][&format!("acme:debates.{table}")].clone();
        let sessions = rows("sessions");
        assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions:#}");
        assert_eq!(sessions[0]["session_id"], json!(session));
        assert_eq!(sessions[0]["decided"], true);
        let turns = rows("turns");
        let status: Vec<&Value> =
            turns.as_array().unwrap().iter().map(|turn| &turn["status"]).collect();
        assert_eq!(status, ["answered", "answered", "skipped"]);
    }
    let objects = state["objects"].as_object().cloned().unwrap_or_default();
    assert!(objects.values().all(|object| object["uploads"] == 1), "{:?}", objects.keys());
    let of = |bucket: &str| objects.keys().filter(|name| name.starts_with(bucket)).count();
    // Two answers, the journal, the result and the record.
    let kept = if sinks.get("bucket").is_some() { 5 } else { 0 };
    assert_eq!(of(&format!("gs://acme-debates/kept/{session}/")), kept, "{:?}", objects.keys());
    let imported = usize::from(sinks.get("rag").is_some());
    assert_eq!(of("gs://acme-rag/"), imported);
}

#[test]
fn a_result_goes_to_every_sink_once() {
    let mut sinks =
        json!({"board": github(), "warehouse": bigquery(), "bucket": gcs(), "rag": rag()});
    let sandbox = Sandbox::agreeing();
    let got = sandbox.tmp().join("got.json");
    sinks["mine"] = json!({"kind": "command", "command": ["/usr/bin/tee", got]});
    let sandbox = sandbox.sinks(&sinks);
    let run = sandbox.run(&[&DEBATE[..], &["--json"]].concat());
    run.exits(0);
    let shown = run.json();
    let states: Vec<(&str, &str)> = (shown["sinks"].as_array().unwrap().iter())
        .map(|sink| (sink["sink"].as_str().unwrap(), sink["state"].as_str().unwrap()))
        .collect();
    let names = ["board", "bucket", "mine", "rag", "warehouse"];
    assert_eq!(states, names.map(|name| (name, "sent")));
    assert_once(&sandbox, &sinks);
    let given: Value = serde_json::from_slice(&fs::read(&got).unwrap()).unwrap();
    assert_eq!(given["session_id"], shown["session_id"]);
    assert_eq!(given["decision"], shown["decision"]);
    // Each of them has the head, with which the session can be checked from then on.
    let head = shown["journal_head"].as_str().unwrap();
    let verify = ["sessions", "verify", "@last", "--head", head];
    sandbox.run(&verify).exits(0).prints("that is the head that was kept");
    let check = format!("--head {head}`");
    let state = sandbox.sinks_state();
    assert_eq!(given["journal_head"], head);
    assert_eq!(state["tables"]["acme:debates.sessions"][0]["journal_head"], head);
    assert!(sandbox.comments()[0].contains(&check), "{:#}", sandbox.issue());
    for kept in [&state["repos"]["acme/app"]["trees"], &state["objects"]] {
        assert!(kept.to_string().contains(head), "{kept:#}");
    }

    let calls = sandbox.sink_calls().len();
    for args in [&["sessions", "sync"][..], &["sessions", "sync", "--all"]] {
        let synced = sandbox.run(args);
        synced.exits(0);
        assert_eq!(synced.stdout, "Nothing is pending.\n");
    }
    assert_eq!(sandbox.sink_calls().len(), calls, "nothing was asked again");
    let id = shown["session_id"].as_str().unwrap();
    let after = sandbox.run(&["sessions", "status", id, "--json"]).json();
    assert!(after["sinks"].as_array().unwrap().iter().all(|sink| sink["state"] == "sent"));
}

#[test]
fn a_sink_that_fails_changes_no_result_and_stays_pending() {
    let sandbox = Sandbox::agreeing().sinks(&json!({"board": github(), "warehouse": bigquery()}));
    let plain = Sandbox::agreeing().run(&DEBATE);
    sandbox.fail_always(&["gh", "bq"]);
    let run = sandbox.run(&DEBATE);
    run.exits(plain.code);
    let headline = |run: &crate::support::Run| run.stdout.lines().next().unwrap().to_owned();
    assert_eq!(headline(&run), headline(&plain));
    let told: Vec<&str> = run.stderr.lines().filter(|line| line.contains("is pending")).collect();
    assert_eq!(told.len(), 2, "{}", run.stderr);
    let id = sandbox.sessions()[0].file_name().unwrap().to_string_lossy().into_owned();
    let status = sandbox.run(&["sessions", "status", &id]);
    assert!(status.stdout.contains("pending: gh failed (exit 1)"), "{}", status.stdout);
    assert!(status.stdout.contains("sessions sync"), "{}", status.stdout);
    let gone = sandbox.run(&["sessions", "gc", "--older-than", "0", "--json"]).json();
    assert_eq!(gone["removed"].as_array().map(Vec::len), Some(2), "spools alone: {gone:#}");

    sandbox.fail_always(&["bq"]);
    let synced = sandbox.run(&["sessions", "sync", "--json"]);
    synced.exits(5);
    assert_eq!(synced.json()["pending"], 1);
    sandbox.misbehave(&[]);
    sandbox.run(&["sessions", "sync", &id[..13]]).exits(0);
    assert_once(&sandbox, &json!({"board": 1, "warehouse": 1}));
}

#[test]
fn a_server_that_is_down_for_a_moment_is_asked_again() {
    let sandbox = Sandbox::agreeing().sinks(&json!({"board": github()}));
    sandbox.misbehave(&[(1, "fail")]);
    let run = sandbox.run(&DEBATE);
    run.exits(0);
    assert!(run.stderr.contains("board: sent"), "{}", run.stderr);
    assert_once(&sandbox, &json!({"board": 1}));
}

#[test]
fn a_sink_that_hangs_ends_with_its_time_and_leaves_nothing_running() {
    let mut board = github();
    board["timeout_seconds"] = json!(1);
    let sandbox = Sandbox::agreeing().sinks(&json!({"board": board}));
    sandbox.misbehave(&[(1, "hang")]);
    let run = sandbox.run(&DEBATE);
    run.exits(0);
    assert!(run.stderr.contains("gh did not end in time"), "{}", run.stderr);
    let home = format!("HOME={}", sandbox.home().display());
    let running = fs::read_dir("/proc").unwrap().filter_map(Result::ok).filter(|entry| {
        fs::read(entry.path().join("environ"))
            .is_ok_and(|env| env.split(|byte| *byte == 0).any(|it| it == home.as_bytes()))
    });
    assert_eq!(running.count(), 0);
}

#[test]
fn what_agents_say_is_inert_on_github_and_no_token_is_told() {
    // In two parts, so that no scanner mistakes it for a leaked one.
    let token = &["ghp", "_0123456789abcdefghijABCDEFGHIJ012345"].concat();
    let said = "@octocat closes #12 and acme/app#3, see https://github.com/acme/app/issues/9 <img src=x> ![a](b)";
    let sandbox = Sandbox::new().proposes(&[said]).reviews(&[("A1", "agree")]);
    let sandbox = sandbox.sinks(&json!({"board": github()})).env("GH_TOKEN", token.as_str());
    fs::create_dir_all(sandbox.sinks_dir()).unwrap();
    sandbox.set_sinks_state(&Sandbox::agreeing().sinks_state());
    sandbox.misbehave(&[(1, "leak")]);
    let leaked = sandbox.run(&[&DEBATE[..], &["--json"]].concat());
    leaked.exits(0);
    assert!(leaked.stderr.contains("Bad credentials"), "{}", leaked.stderr);
    assert!(!leaked.stdout.contains(token.as_str()) && !leaked.stderr.contains(token.as_str()));
    sandbox.misbehave(&[]);
    let run = sandbox.run(&DEBATE);
    run.exits(0);
    let [comment] = &sandbox.comments()[..] else { panic!("{}", run.stderr) };
    assert!(comment.contains("octocat closes"), "{comment}");
    for live in ["@octocat", "#12", "#3,", "https://github.com", "<img", "![a]"] {
        assert!(!comment.contains(live), "{live}: {comment}");
    }
    let env = fs::read_to_string(sandbox.sinks_dir().join("calls/1/env")).unwrap();
    assert!(env.contains(token.as_str()), "gh has its token");
    let looked = sandbox.run(&["doctor"]);
    let told = [run.stdout, run.stderr, comment.clone(), looked.stdout, looked.stderr];
    for text in told {
        assert!(!text.contains(token.as_str()) && !text.contains("gho_canary"));
    }
    let folders = sandbox.sessions();
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    for entry in entries.filter_map(Result::ok) {
        let text = fs::read(entry.path()).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&text).contains(token.as_str()), "{:?}", entry.path());
    }
}

#[test]
fn nothing_of_a_rehearsal_is_ever_sent() {
    let sandbox = Sandbox::agreeing().sinks(&json!({"board": github()}));
    sandbox.run(&[&DEBATE[..], &["--rehearse"]].concat());
    sandbox.run(&["sessions", "sync", "--all"]).exits(0);
    assert_eq!(sandbox.sink_calls(), [""; 0]);
}

#[test]
fn sinks_of_later_are_sent_to_on_demand_alone() {
    let sandbox = Sandbox::agreeing();
    sandbox.run(&DEBATE).exits(0);
    let sandbox = sandbox.sinks(&json!({"warehouse": bigquery()}));
    sandbox.run(&["sessions", "sync"]).exits(0);
    assert_eq!(sandbox.sink_calls(), [""; 0]);
    sandbox.run(&["sessions", "sync", "--all"]).exits(0);
    assert_once(&sandbox, &json!({"warehouse": 1}));
}

#[test]
fn the_sinks_of_a_project_need_trust_and_a_session_of_a_repository_is_not_sent() {
    let sandbox = Sandbox::agreeing();
    sandbox.write("debate-agent.config.json", json!({"sinks": {"board": github()}}).to_string());
    let refused = sandbox.run(&DEBATE);
    refused.exits(3);
    assert!(refused.stderr.contains("sinks.board"), "{}", refused.stderr);
    assert_eq!(sandbox.ledger(), [""; 0]);
    fs::remove_file(sandbox.project().join("debate-agent.config.json")).unwrap();

    let sandbox = sandbox.sinks(&json!({"board": github()}));
    sandbox.misbehave(&[(1, "refuse")]);
    sandbox.run(&DEBATE).exits(0);
    sandbox.git(&["init", "--quiet"]);
    sandbox.git(&["add", "--force", ".debate"]);
    let calls = sandbox.sink_calls().len();
    let synced = sandbox.run(&["sessions", "sync"]);
    synced.exits(5);
    assert!(synced.stdout.contains("it came with the repository"), "{}", synced.stdout);
    assert_eq!(sandbox.sink_calls().len(), calls);
}

#[test]
fn what_a_person_ends_undecided_says_so_and_closes_nothing() {
    let sandbox = Sandbox::agreeing().sinks(&json!({"board": github(), "warehouse": bigquery()}));
    sandbox.run(&[&DEBATE[..], &["--budget", "0.15"]].concat()).exits(4);
    assert_eq!(sandbox.sink_calls(), [""; 0], "it can go on, so it is not over");
    let id = sandbox.sessions()[0].file_name().unwrap().to_string_lossy().into_owned();
    sandbox.run(&["sessions", "terminate", &id]).exits(0);
    let [comment] = &sandbox.comments()[..] else { panic!("{:#}", sandbox.issue()) };
    assert!(comment.contains("Nothing was decided."), "{comment}");
    assert_eq!(sandbox.issue()["state"], "open");
    let state = sandbox.sinks_state();
    assert_eq!(state["tables"]["acme:debates.sessions"][0]["decided"], false);
    assert_eq!(state["repos"]["acme/app"]["pulls"], json!([]));
}

#[test]
fn progress_is_one_comment_that_changes_and_anothers_is_left_alone() {
    let mut board = github();
    board["progress"] = json!(true);
    let sandbox = Sandbox::disputing().sinks(&json!({"board": board}));
    fs::create_dir_all(sandbox.sinks_dir()).unwrap();
    let mut state = Sandbox::agreeing().sinks_state();
    state["page"] = json!(1);
    sandbox.set_sinks_state(&state);
    let run = sandbox.run(&DEBATE);
    run.exits(0);
    let comments = sandbox.issue()["comments"].clone();
    let [comment] = &comments.as_array().unwrap()[..] else { panic!("{comments:#}") };
    assert!(comment["edits"].as_u64().unwrap() >= 1, "{comment:#}");
    assert!(comment["body"].as_str().unwrap().contains("Record of the debate"));

    // Another user copies the marker: that comment is not touched, and ours is a new one.
    let body = comment["body"].as_str().unwrap().to_owned();
    let mut state = sandbox.sinks_state();
    state["repos"]["acme/app"]["issues"]["7"]["comments"] =
        json!([{"id": 1, "body": body, "user": {"login": "mallory"}, "edits": 0}]);
    sandbox.set_sinks_state(&state);
    let owed = sandbox.sessions()[0].join("sinks.json");
    fs::write(&owed, r#"{"version": 1, "issue": 7, "sinks": {"board": {}}}"#).unwrap();
    sandbox.run(&["sessions", "sync"]).exits(0);
    let comments = sandbox.issue()["comments"].clone();
    assert_eq!(comments[0]["edits"], 0);
    assert_eq!(comments[1]["user"]["login"], "me", "{comments:#}");
}

#[test]
fn a_load_that_failed_is_made_again_under_the_next_number() {
    let sandbox = Sandbox::agreeing().sinks(&json!({"warehouse": bigquery()}));
    sandbox.misbehave(&[(1, "broken"), (2, "refuse"), (3, "refuse"), (4, "refuse")]);
    let run = sandbox.run(&DEBATE);
    run.exits(0);
    assert!(run.stderr.contains("warehouse is pending: bq failed (exit 1)"), "{}", run.stderr);
    sandbox.misbehave(&[]);
    sandbox.run(&["sessions", "sync"]).exits(0);
    assert_once(&sandbox, &json!({"warehouse": 1}));
    let jobs = sandbox.sinks_state()["jobs"].clone();
    let numbers: Vec<&str> = (jobs.as_object().unwrap().keys())
        .filter(|job| job.contains("_sessions_"))
        .filter_map(|job| job.rsplit('_').next())
        .collect();
    assert_eq!(numbers, ["1", "2"]);
}

/// The class of a failure is a text in its row, as the table wants it.
#[test]
fn a_session_with_a_failed_turn_is_loaded() {
    let sandbox = Sandbox::agreeing().sinks(&json!({"warehouse": bigquery()}));
    let sandbox = sandbox.fake("r1_review.json", DEAD);
    let run = sandbox.run(&DEBATE);
    assert!(run.stderr.contains("warehouse: sent"), "{}", run.stderr);
    let turns = sandbox.sinks_state()["tables"]["acme:debates.turns"].clone();
    let failed = turns.as_array().unwrap().iter().find(|turn| turn["status"] == "failed");
    assert_eq!(failed.unwrap()["failure"], "not_logged_in", "{turns:#}");
}

/// A folder of sessions that came in an archive says what it likes.
#[test]
fn what_a_session_owes_counts_only_where_it_was_run() {
    let sandbox = Sandbox::agreeing().sinks(&json!({"board": github()}));
    sandbox.fail_always(&["gh"]);
    sandbox.run(&DEBATE).exits(0);
    sandbox.misbehave(&[]);
    fs::remove_dir_all(sandbox.home().join(".local/state/debate-agent/owed")).unwrap();
    let refused = sandbox.run(&["sessions", "sync"]);
    refused.exits(5);
    assert!(refused.stdout.contains("was not run here"), "{}", refused.stdout);
    assert_eq!(sandbox.sink_calls(), [""; 0], "nothing was sent");
    sandbox.run(&["sessions", "sync", &sandbox.only_session(), "--all"]).exits(0);
    assert_once(&sandbox, &json!({"board": github()}));
}

#[test]
fn the_doctor_says_what_a_sink_lacks() {
    let sinks = json!({"board": github(), "warehouse": bigquery(),
        "mine": {"kind": "command", "command": ["no-such-program"]}});
    let sandbox = Sandbox::agreeing().sinks(&sinks);
    let look = |sandbox: &Sandbox| {
        let report = sandbox.run(&["doctor", "--json"]).json();
        let sinks = report["sinks"].as_array().unwrap().clone();
        let usable = |sink: &Value| {
            let name = sink["name"].as_str().unwrap().to_owned();
            (name, sink["usable"] == true, sink["problems"].to_string())
        };
        sinks.iter().map(usable).collect::<Vec<_>>()
    };
    let found = look(&sandbox);
    let usable: Vec<bool> = found.iter().map(|(_, usable, _)| *usable).collect();
    assert_eq!(usable, [true, false, true], "{found:?}");
    assert!(found[1].2.contains("no-such-program is not on PATH"), "{found:?}");
    fs::write(sandbox.sinks_dir().join("logged_out"), "").unwrap();
    let found = look(&sandbox);
    assert!(found[0].2.contains("gh is not logged in: `gh auth login`"), "{found:?}");
    assert!(found[2].2.contains("gcloud is not logged in"), "{found:?}");
}
