//! `review --prove`: tests of findings, run in real sandboxes. What this machine has no sandbox for is left out, as those of
//! a shell that is missing are.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use serde_json::{Value, json};

use crate::foreign::prepare;
use crate::support::live::until;
use crate::support::reviews::{PAST_END, past_end};
use crate::support::{Run, Sandbox};

/// The code under review: a library of the shell.
const BEFORE: &str = "half() {\n  echo $(($1 / 2))\n}\n";
const AFTER: &str = "half() {\n  echo $(($1 / 3))\n}\n";
const DEFECT: &str = "echo $(($1 / 3))";

/// The test command: it runs a function of a file, and sums up as pytest does.
const RUNNER: &str = "set -u
. ./src/half.sh
. \"./$1\"
if \"$2\"; then echo '1 passed in 0.01s'; else echo '1 failed in 0.01s'; exit 1; fi
";

const GOOD: &str =
    "test_half() {\n  [ \"$(half 6)\" = 3 ] || { echo \"half of 6 is $(half 6)\"; false; }\n}\n";
const ANNOUNCED: &str = "half of 6 is 2";

fn has_sandbox() -> bool {
    which::which("bwrap").is_ok()
}

/// Runs a test in each sandbox of this machine.
fn in_each(test: impl Fn(&dyn Fn(Sandbox) -> Sandbox)) {
    if has_sandbox() {
        test(&|sandbox| sandbox);
    }
    let bounds = r#"{"read": ["/"], "write": []}"#;
    if Sandbox::new().run(&["__confined", bounds, "/bin/true"]).code == 0 {
        test(&|sandbox| sandbox.without_bubblewrap("setting up uid map: Permission denied"));
    }
}

fn reproduction(test: &str, fails_with: &str) -> Value {
    json!({
        "files": [{ "path": "tests/half_test.sh", "content": test }],
        "file": "tests/half_test.sh", "test": "test_half", "fails_with": fails_with,
    })
}

/// A repository with a defect, that both reviewers see differently: the second one refutes it.
fn planted(stance: &str) -> Sandbox {
    let finding = json!({
        "severity": "P1", "title": "Half is a third", "file": "src/half.sh", "line": 2, "quote": DEFECT,
        "trigger": "Call `half 6`.", "detail": "It divides by three.", "fix": "Divide by two.",
    });
    let judgement = json!({
        "id": "F1", "stance": stance, "reason": "So I see it.", "evidence": DEFECT,
    });
    let sandbox = Sandbox::new();
    sandbox.git(&["init", "--quiet"]);
    sandbox.write("src/half.sh", BEFORE);
    sandbox.write("check.sh", RUNNER);
    sandbox.commit("Begin");
    sandbox.write("src/half.sh", AFTER);
    sandbox
        .finds("s1", &[finding])
        .finds("s2", &[])
        .judges(2, "s2", &[judgement])
        .config(r#"{"review": {"compose": "never", "prove": {"command": ["sh", "check.sh", "{file}", "{test}"], "timeout_seconds": 5, "memory_mb": 256}}}"#)
}

impl Sandbox {
    fn proves(self, test: &str, fails_with: &str) -> Self {
        self.says("prove/F1", "REPRODUCTION", &reproduction(test, fails_with))
    }

    /// Gives it a bubblewrap that is installed and does not work, as on Ubuntu 24.04.
    fn without_bubblewrap(self, why: &str) -> Self {
        let bin = self.home().join("broken");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join("bwrap"), format!("#!/bin/sh\necho 'bwrap: {why}' >&2; exit 1\n"))
            .unwrap();
        fs::set_permissions(bin.join("bwrap"), fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", bin.display(), self.vars()["PATH"]);
        self.env("PATH", &path)
    }

    /// Whether a sandbox of this project runs.
    fn is_testing(&self) -> bool {
        let own = self.tmp().display().to_string();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let mut lines =
            processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
        lines.any(|line| {
            let line = String::from_utf8_lossy(&line).into_owned();
            line.contains("__sandbox") && line.contains(&own)
                || line.contains("__confined") && line.contains(&own)
        })
    }

    fn proven(&self) -> Run {
        self.run(&["review", "--prove", "--json"])
    }
}

/// Returns the finding of a result, whether it remains or not.
fn finding(document: &Value) -> &Value {
    let kept = &document["findings"][0];
    if kept.is_null() { &document["eliminated"][0] } else { kept }
}

#[test]
fn a_test_that_fails_here_and_passes_there_stands_above_the_votes_that_refute() {
    in_each(|within| {
        let sandbox = within(planted("disagree")).proves(GOOD, ANNOUNCED);
        let before = sandbox.git(&["status", "--porcelain=v2", "--branch"]);
        let run = sandbox.proven();
        let document = run.exits(1).json();
        let found = finding(&document);
        assert_eq!(
            (&found["status"], &found["proof"]["status"]),
            (&json!("reproduced"), &json!("reproduced")),
            "{found:#}"
        );
        assert_eq!(document["verdict"], "changes_requested");
        let runs = found["proof"]["runs"].as_array().unwrap();
        let sides: Vec<_> = runs.iter().map(|run| run["side"].as_str().unwrap()).collect();
        assert_eq!(sides, ["change", "change", "change", "base", "base", "base"]);
        assert_eq!(found["disputed_by"].as_array().unwrap().len(), 1, "the vote is still told");
        assert_eq!(sandbox.git(&["status", "--porcelain=v2", "--branch"]), before);
        // The seat that wrote it is asked once; nobody is asked to run it.
        let asked: Vec<_> = sandbox.calls().iter().map(|call| call.turn.clone()).collect();
        assert_eq!(asked.iter().filter(|turn| turn.starts_with("prove")).count(), 1, "{asked:?}");
        assert!(!asked.iter().any(|turn| turn.starts_with("test/")), "{asked:?}");
        // Without it the finding is refuted by one seat, and nothing is run.
        let plain = sandbox.run(&["review", "--json"]).exits(0).json();
        assert_eq!(plain["findings"][0]["status"], "disputed");
        assert!(plain["findings"][0]["proof"].is_null());
    });
}

#[test]
fn a_proof_is_shown_as_text_as_a_patch_and_applied() {
    if !has_sandbox() {
        return;
    }
    let sandbox = planted("agree").proves(GOOD, ANNOUNCED);
    let run = sandbox.run(&["review", "--prove", "--full"]);
    run.exits(1)
        .prints("reproduced")
        .prints("test_half")
        .prints("fails on the change and passes without it");
    sandbox.run(&["review", "show", "F1"]).exits(0).prints("reproduced").prints("+test_half() {");
    let patch = sandbox.run(&["review", "show", "f1", "--patch"]);
    assert!(
        patch.exits(0).stdout.starts_with("diff --git a/tests/half_test.sh"),
        "{}",
        patch.stdout
    );
    sandbox.write("test.patch", &patch.stdout);
    sandbox.git(&["apply", "--check", "test.patch"]);
    sandbox
        .run(&["review", "show", "F1", "--apply"])
        .exits(0)
        .prints("Written: tests/half_test.sh");
    assert_eq!(fs::read_to_string(sandbox.project().join("tests/half_test.sh")).unwrap(), GOOD);
    sandbox.run(&["review", "show", "F1", "--apply"]).exits(5).says("is not replaced");
    sandbox.run(&["review", "show", "F9"]).exits(2).says("no finding `F9`");
}

#[test]
fn only_a_reproduction_changes_a_finding() {
    in_each(|within| {
        for (test, fails_with, status, why) in [
            (GOOD, "half of 6 is 7", "not_reproduced", "not with the text"),
            ("test_half() { true; }\n", "half of 6", "not_reproduced", "passes"),
            (
                "test_half() { echo half of 6; false; }\n",
                "half of 6",
                "pre_existing",
                "without the change too",
            ),
            ("test_half( {\n", "half of 6", "unusable", "does not say that a test was run"),
            (
                "test_half() { echo '1 skipped in 0.1s'; exit 0; }\n",
                "half of 6",
                "unusable",
                "skipped",
            ),
            ("test_half() { sleep 60; }\n", "half of 6", "unusable", "longer than 5 s"),
            (
                "test_half() { [ -e \"$TMPDIR/ran\" ] && return; : > \"$TMPDIR/ran\"; echo half of 6; false; }\n",
                "half of 6",
                "flaky",
                "some runs",
            ),
        ] {
            let sandbox = within(planted("agree")).proves(test, fails_with);
            let document = sandbox.proven().exits(1).json();
            let found = finding(&document);
            assert_eq!(found["proof"]["status"], status, "{test}: {found:#}");
            assert!(found["proof"]["reason"].as_str().unwrap().contains(why), "{test}: {found:#}");
            assert_eq!(found["status"], "confirmed", "{test}");
        }
    });
}

#[test]
fn an_author_may_mend_its_test_once_and_may_say_that_there_is_none() {
    if !has_sandbox() {
        return;
    }
    let sandbox = planted("disagree").proves("test_half( {\n", ANNOUNCED).says(
        "prove/F1/again",
        "REPRODUCTION",
        &reproduction(GOOD, ANNOUNCED),
    );
    let document = sandbox.proven().exits(1).json();
    assert_eq!(finding(&document)["status"], "reproduced");
    let again = sandbox.calls().into_iter().find(|call| call.turn == "prove/F1/again").unwrap();
    assert!(again.read("stdin").contains("does not say that a test was run"));

    let none = json!({ "files": [], "cannot": "It is a race." });
    let sandbox = planted("agree").says("prove/F1", "REPRODUCTION", &none);
    let document = sandbox.proven().exits(1).json();
    let found = finding(&document);
    assert!(found["proof"]["reason"].as_str().unwrap().contains("It is a race."), "{found:#}");
    assert_eq!(found["status"], "confirmed");
}

/// What a hostile test tries; each leaves a trace where it succeeds, or says so.
const ATTACKS: &[(&str, &str)] = &[
    (
        "deletes",
        "rm -rf /usr /work /home /root /etc /source 2>/dev/null; rm -rf \"$OUT\" /tmp/../home",
    ),
    (
        "writes outside",
        "echo x > \"$OUT/new\" || echo x > /usr/new || echo x > /etc/new || echo x > /source/new",
    ),
    ("writes through a link", "ln -s \"$OUT\" /work/link; echo x > /work/link/new"),
    ("reads home", "cat \"$HOMES/.ssh/id_rsa\" /root/.ssh/id_rsa; ls \"$HOMES\""),
    ("reads the environment", "cat /proc/*/environ; env"),
    (
        "reads sessions",
        "find / -name journal.jsonl 2>/dev/null; cat \"$OUT/.debate\"/sessions/*/journal.jsonl",
    ),
    (
        "opens sockets",
        "exec 3<>/dev/tcp/127.0.0.1/PORT; python3 -c 'import socket; socket.create_connection((\"127.0.0.1\", PORT))'",
    ),
    ("kills its parent", "kill -9 $PPID; kill -9 1; kill -9 -1"),
    (
        "hooks",
        "mkdir -p /work/.git/hooks; echo x > /work/.git/hooks/pre-commit; echo x > \"$OUT/.git/hooks/pre-commit\"",
    ),
    ("forks", "f() { f | f & }; f"),
    (
        "starts threads",
        "python3 -c 'import threading, time; [threading.Thread(target=time.sleep, args=(60,)).start() for _ in range(9999)]'",
    ),
    (
        "fills the disk",
        "cat /dev/zero > /work/zero; cat /dev/zero > /tmp/zero; cat /dev/zero > /dev/shm/zero",
    ),
    ("fills memory", "x=a; while :; do x=$x$x; done"),
    ("prints without end", "yes"),
    ("stays behind", "(setsid sleep 300 &) ; setsid sh -c 'sleep 300' &"),
    (
        "changes modes and times",
        "chmod -R 777 \"$OUT\" \"$HOMES\"; touch -d 2001-01-01 \"$OUT/src/half.sh\"",
    ),
    (
        "sends a datagram",
        "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b\"x\", (\"127.0.0.1\", PORT))'",
    ),
    ("mounts", "mount -t tmpfs none /mnt; unshare -Ur echo UNSHA''RED"),
];

#[test]
fn a_hostile_test_does_nothing_outside() {
    in_each(|within| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let datagrams = std::net::UdpSocket::bind(("127.0.0.1", port)).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        let port = port.to_string();
        for (name, attack) in ATTACKS {
            let sandbox = within(planted("agree")).env("CANARY_TOKEN", "canary-7f3a");
            let (out, home) = (sandbox.project(), sandbox.home());
            fs::create_dir_all(home.join(".ssh")).unwrap();
            fs::write(home.join(".ssh/id_rsa"), "canary-7f3a").unwrap();
            let body = attack.replace("PORT", &port);
            let test = format!(
                "test_half() {{\nOUT='{}' HOMES='{}'\n({body})\necho half of 6; false\n}}\n",
                out.display(),
                home.display()
            );
            let sandbox = sandbox.proves(&test, "half of 6");
            let (before, files) = (sandbox.git(&["status", "--porcelain"]), tree(&out));
            let document = sandbox.proven().exits(1).json();
            let proof = &finding(&document)["proof"];
            assert_ne!(proof["status"], "reproduced", "{name}: {proof:#}");
            assert_eq!(sandbox.git(&["status", "--porcelain"]), before, "{name}");
            assert_eq!(tree(&out), files, "{name}");
            assert!(!document.to_string().contains("canary-7f3a"), "{name}: {proof:#}");
            assert!(!document.to_string().contains("UNSHARED"), "{name}: {proof:#}");
            assert!(listener.accept().is_err(), "{name}: a socket reached this test");
            assert!(datagrams.recv(&mut [0]).is_err(), "{name}: a datagram reached this test");
            sandbox.nobody_is_left();
            assert!(!sandbox.is_testing(), "{name}");
            let left: Vec<_> = fs::read_dir(sandbox.tmp())
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            assert!(left.is_empty(), "{name}: {left:?}");
            assert_eq!(
                fs::read_to_string("/proc/self/mounts").unwrap().matches("debate-it-").count(),
                0,
                "{name}"
            );
        }
    });
}

/// Returns the files of a project with their modes, times and contents, `.debate` aside.
fn tree(root: &Path) -> Vec<(String, u32, i64, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if name == ".debate" {
                continue;
            }
            if path.is_dir() {
                open.push(path);
            } else {
                let meta = fs::metadata(&path).unwrap();
                // Git writes its index anew when it is asked for the status.
                let time = if name == ".git/index" { 0 } else { meta.mtime() };
                found.push((name, meta.mode(), time, fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_proof_that_was_cut_off_is_run_again_and_nobody_is_asked_again() {
    in_each(|within| {
        let slow =
            "test_half() { sleep 2; [ \"$(half 6)\" = 3 ] || { echo half of 6 is 2; false; }; }\n";
        let sandbox = within(planted("disagree")).proves(slow, ANNOUNCED);
        let mut child = sandbox.spawn(&["review", "--prove", "--json"]);
        sandbox.until_asked("prove/F1");
        until("the test runs", || sandbox.is_testing());
        child.kill().unwrap();
        child.wait().unwrap();
        until("everything of it is gone", || sandbox.alive().is_empty() && !sandbox.is_testing());
        until("its folder is gone", || fs::read_dir(sandbox.tmp()).unwrap().count() == 0);
        let document = sandbox.resume(&[]).exits(1).json();
        assert_eq!(finding(&document)["status"], "reproduced");
        assert_eq!(sandbox.asked("prove/F1"), 1);
    });
}

#[test]
fn a_budget_that_does_not_cover_a_test_leaves_the_verdict_as_it_is() {
    if !has_sandbox() {
        return;
    }
    let sandbox = planted("agree").proves(GOOD, ANNOUNCED);
    let run = sandbox.run(&["review", "--prove", "--json", "--budget", "0.30"]);
    let document = run.exits(1).json();
    let found = finding(&document);
    assert_eq!(
        (&document["verdict"], &found["status"]),
        (&json!("changes_requested"), &json!("confirmed"))
    );
    assert!(
        found["proof"]["reason"].as_str().unwrap().contains("the budget does not cover"),
        "{found:#}"
    );
    let again =
        sandbox.run(&["sessions", "show", document["session_id"].as_str().unwrap(), "--json"]);
    assert_eq!(again.exits(0).json()["findings"], document["findings"]);
}

#[test]
fn what_is_missing_is_said_before_anything_is_paid() {
    let sandbox = planted("agree");
    let asks_nobody = |args: &[&str], code: i32, text: &str| {
        let run = sandbox.run(&[&["review", "--prove"], args].concat());
        run.exits(code).says(text);
        assert_eq!(sandbox.calls().len(), 0, "{args:?}");
    };
    asks_nobody(&["--set", "review.prove.command=[]"], 2, "review.prove.command");
    asks_nobody(&["--set", r#"review.prove.command=["cargo", "test"]"#], 2, "review.prove.command");
    asks_nobody(&["--set", r#"review.prove.read=["~/"]"#], 2, "holds your home");
    asks_nobody(
        &["--set", r#"review.prove.read=[".debate"]"#],
        2,
        "belongs to git or to debate-agent",
    );
    asks_nobody(&["--patch", "x.patch"], 2, "--patch");
    let own = planted("agree");
    own.write(
        "debate-agent.config.json",
        r#"{"review": {"prove": {"command": ["sh", "{test}"]}}}"#,
    );
    own.run(&["review", "--prove"]).exits(3).says("review.prove.command");
    assert_eq!(own.calls().len(), 0);
    // A review that runs nothing needs no such trust.
    own.run(&["review"]).exits(1);
}

/// A journal says which command is to be run; the user's own configuration decides.
#[test]
fn a_session_of_somebody_else_chooses_no_command() {
    if !has_sandbox() {
        return;
    }
    let slow = "test_half() { sleep 3; echo half of 6 is 2; false; }\n";
    let sandbox = planted("disagree").proves(slow, ANNOUNCED);
    let mut child = sandbox.spawn(&["review", "--prove", "--json"]);
    until("the test runs", || sandbox.is_testing());
    child.kill().unwrap();
    child.wait().unwrap();
    until("everything of it is gone", || sandbox.alive().is_empty() && !sandbox.is_testing());
    let config = r#"{"review": {"compose": "never", "prove": {"command": ["false", "{test}"], "timeout_seconds": 5, "memory_mb": 256}}}"#;
    let sandbox = sandbox.config(config);
    let document = sandbox.resume(&[]).exits(0).json();
    let proof = &finding(&document)["proof"];
    assert_eq!(proof["status"], "unusable");
    assert!(
        proof["reason"].as_str().unwrap().contains("not what it was when the review began"),
        "{proof:#}"
    );
}

/// A stored result of another version is shown as it is; its test is put nowhere but where an answer's could be.
#[test]
fn a_stored_result_puts_no_file_where_git_runs_it() {
    if !has_sandbox() {
        return;
    }
    let sandbox = planted("agree").proves(GOOD, ANNOUNCED);
    sandbox.proven().exits(1);
    let folder = &sandbox.sessions()[0];
    prepare(folder, |opened| opened["program_version"] = json!("0.0.9"));
    let result = folder.join("session.json");
    let text = fs::read_to_string(&result).unwrap();
    let hostile = text.replace("tests/half_test.sh", ".git/hooks/post-checkout");
    assert_ne!(text, hostile);
    fs::write(&result, hostile).unwrap();
    let id = sandbox.only_session();
    sandbox
        .run(&["review", "show", "F1", "--session", &id, "--apply"])
        .exits(2)
        .says("is not a review");
    assert!(!sandbox.project().join(".git/hooks/post-checkout").exists());
}

#[test]
fn doctor_says_which_sandbox_works_and_whether_the_command_starts_there() {
    in_each(|within| {
        let sandbox = within(planted("agree"));
        let report = sandbox.run(&["doctor", "--live", "--json"]).json();
        let proof = &report["proof"];
        assert_eq!((&proof[0]["what"], &proof[0]["status"]), (&json!("sandbox"), &json!("ok")));
        let said = proof[1]["message"].as_str().unwrap();
        assert!(said.contains("starts, and says: check.sh: "), "{said}");
        let other = r#"{"review": {"prove": {"command": ["no-such-runner", "{test}"]}}}"#;
        let report = sandbox.config(other).run(&["doctor", "--live", "--json"]).json();
        let said = &report["proof"][1];
        assert_eq!(said["status"], "failed", "{said:#}");
        assert!(said["message"].as_str().unwrap().contains("is not in the sandbox"), "{said:#}");
    });
}

/// The packages are in the user's project; the change is in a folder of our own.
#[test]
fn a_test_of_a_pull_request_reads_the_packages_of_the_project() {
    in_each(|within| {
        let sandbox = within(Sandbox::new()).pulled().agree_on(&[past_end()]);
        let command = r#"["sh", "packages/check.sh", "{file}", "{test}"]"#;
        let config = format!(
            r#"{{"review": {{"compose": "never", "prove": {{"command": {command}, "read": ["packages"], "timeout_seconds": 5}}}}}}"#
        );
        let check = format!(
            "if grep -qF '{PAST_END}' src/store.py; then echo off by one; echo '1 failed in 0.01s'; exit 1; fi\necho '1 passed in 0.01s'\n"
        );
        sandbox.write("packages/check.sh", check);
        let sandbox = sandbox.config(&config).proves("test_half() { :; }\n", "off by one");
        let document = sandbox.run(&["review", "--pr", "12", "--prove", "--json"]).exits(1).json();
        assert_eq!(finding(&document)["status"], "reproduced", "{document:#}");
    });
}

#[test]
fn a_client_may_ask_for_tests_of_a_review_and_not_of_a_plan() {
    if !has_sandbox() {
        return;
    }
    let sandbox = planted("disagree").proves(GOOD, ANNOUNCED);
    let mut client = sandbox.mcp();
    let asked = json!({ "question": "Is it right?", "prove": true, "wait_seconds": 600 });
    let result = client.result("debate_360", asked);
    let found = (&result["items"][0]["status"], &result["confidence"]);
    assert_eq!(found, (&json!("reproduced"), &json!(100)), "{result:#}");
    let refused =
        client.refusal("debate_360", json!({ "question": "x", "mode": "plan", "prove": true }));
    assert!(refused.contains("prove"), "{refused}");
}
