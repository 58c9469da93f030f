//! A result as one HTML file: printed, kept, and opened in a browser.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;

use crate::support::Sandbox;
use crate::support::live::until;
use crate::support::reviews::{injection, past_end};
use crate::support::terminal::Terminal;

const EVIL: &str = "</style></title><script>alert(1)</script><img src=//e.example>\u{202e}";

/// A review that was held, in which one finding has a title that would be more than text.
fn reviewed() -> Sandbox {
    let sandbox = Sandbox::new().planted().finds("s2", &[past_end()]);
    sandbox.finds("s1", &[injection(EVIL)])
}

/// Returns the file in which a browser that is a fake writes what it is to show.
fn with_browser(sandbox: Sandbox) -> (Sandbox, PathBuf) {
    let browser = sandbox.write(
        "browser",
        "#!/bin/sh\nsleep 1\nprintf %s \"$1\" >\"$0.seen.part\"\nmv \"$0.seen.part\" \"$0.seen\"\n",
    );
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let seen = PathBuf::from(format!("{}.seen", browser.display()));
    (sandbox.env("BROWSER", browser.to_str().unwrap()), seen)
}

#[track_caller]
fn is_page(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html>\n") && html.ends_with("</html>\n"), "{html}");
    assert!(html.contains("default-src 'none'; style-src 'sha256-"), "{html}");
    for active in ["<script", "<img", "\u{202e}", "onload="] {
        assert!(!html.contains(active), "{active}\n{html}");
    }
    // The finding and, below it, the answer that it came from.
    assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
    let thread = html.split_once(">The debate, turn by turn</h2>").unwrap().1;
    assert!(thread.contains("<summary>r1/review/s1: codex as s1</summary>"), "{thread}");
    assert!(thread.contains("&lt;&lt;&lt;REVIEW_START&gt;&gt;&gt;"), "{thread}");
}

#[test]
fn a_run_prints_its_page_and_a_stored_session_is_written_to_a_file() {
    let sandbox = reviewed();
    let run = sandbox.reviewed(&["--format", "html"]);
    is_page(&run.stdout);
    let calls = sandbox.calls().len();
    let shown =
        sandbox.run(&["sessions", "show", "@last", "--format", "html", "--output", "r.html"]);
    assert_eq!(shown.exits(0).stdout, "");
    assert_eq!(fs::read_to_string(sandbox.project().join("r.html")).unwrap(), run.stdout);
    assert_eq!(sandbox.calls().len(), calls);
}

#[test]
fn open_writes_the_page_for_this_user_alone_and_starts_the_browser_from_a_terminal_only() {
    let sandbox = reviewed();
    let (sandbox, seen) = with_browser(sandbox);
    sandbox.reviewed(&[]);
    let run = sandbox.run(&["sessions", "open", "@last"]);
    let path = PathBuf::from(run.exits(0).stdout.trim_end());
    assert!(path.starts_with(sandbox.project().join(".debate/sessions")), "{}", path.display());
    is_page(&fs::read_to_string(&path).unwrap());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!seen.exists(), "a browser was started for a script");
    let run = Terminal::start(&sandbox, &["sessions", "open", "@last"]).finish();
    assert_eq!(PathBuf::from(run.exits(0).stdout.trim_end()), path);
    until("the browser", || seen.exists());
    assert_eq!(PathBuf::from(fs::read_to_string(&seen).unwrap()), path);
}

/// A project cannot have a browser started.
#[test]
fn a_run_opens_its_page_if_the_user_wants_it() {
    let sandbox = reviewed();
    let (sandbox, seen) = with_browser(sandbox);
    sandbox.write("debate-agent.config.json", r#"{"report": {"open": "always"}}"#);
    Terminal::start(&sandbox, &["review"]).finish();
    let args = ["review", "--set", "report.open=ask"];
    let mut terminal = Terminal::start(&sandbox, &args);
    terminal.sees("Open the page in the browser? [y/N]").types(&["n"]);
    terminal.finish().prints("CHANGES REQUESTED");
    sandbox.run(&["review", "--set", "report.open=always"]);
    assert!(!seen.exists(), "a browser was started");
    let mut terminal = Terminal::start(&sandbox, &args);
    terminal.sees("Open the page in the browser? [y/N]").types(&["y"]);
    terminal.finish().prints("CHANGES REQUESTED");
    until("the browser", || seen.exists());
    is_page(&fs::read_to_string(fs::read_to_string(&seen).unwrap()).unwrap());
}

#[test]
fn a_page_is_written_through_no_link() {
    let sandbox = reviewed();
    sandbox.reviewed(&[]);
    let page = sandbox.sessions()[0].join("page.html");
    let elsewhere = sandbox.write("elsewhere", "kept");
    symlink(&elsewhere, &page).unwrap();
    sandbox.run(&["sessions", "open", "@last"]).exits(0);
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "kept");
    assert!(fs::symlink_metadata(&page).unwrap().is_file());
    fs::remove_file(&page).unwrap();
    fs::create_dir(&page).unwrap();
    sandbox.run(&["sessions", "open", "@last"]).exits(5).says("failed to write");
}

/// The verdict is the run's result, whatever becomes of its page.
#[test]
fn a_browser_that_is_not_there_changes_no_verdict() {
    let sandbox = reviewed().env("BROWSER", "/nowhere/browser");
    let mut terminal = Terminal::start(&sandbox, &["review", "--set", "report.open=always"]);
    terminal.sees("no browser was started: /nowhere/browser");
    terminal.finish().exits(1).prints("CHANGES REQUESTED");
}

#[test]
fn a_seat_that_did_not_answer_and_a_conversation_that_is_gone_are_told() {
    let sandbox = Sandbox::new();
    let sandbox = sandbox.fake("r1_critic.json", r#"{"error": "not_logged_in"}"#);
    let backlog = sandbox.six();
    let args = ["prioritize", backlog.to_str().unwrap(), "--set", "limits.fallback=false"];
    let document = sandbox.run(&[&args[..], &["--json"]].concat()).json();
    let id = document["session_id"].as_str().unwrap();
    let shown = ["sessions", "show", id, "--format", "html"];
    let html = sandbox.run(&shown).exits(0).stdout.clone();
    let thread = html.split_once(">The debate, turn by turn</h2>").unwrap().1;
    assert!(thread.contains("<p>r1/critic: no answer (not_logged_in)</p>"), "{thread}");
    // The record of a ranking is kept apart from its session.
    let sandbox = Sandbox::new();
    let document = sandbox.run(&["prioritize", sandbox.six().to_str().unwrap(), "--json"]).json();
    let id = document["session_id"].as_str().unwrap();
    fs::remove_dir_all(&sandbox.sessions()[0]).unwrap();
    let html = sandbox.run(&["sessions", "show", id, "--format", "html"]).exits(0).stdout.clone();
    assert!(html.contains("CONSENSUS") && html.contains("<p>It cannot be shown: "), "{html}");
}

#[test]
fn what_was_found_has_a_page_without_a_debate_too() {
    let sandbox = Sandbox::new();
    sandbox.write("a.py", "def renew():\n    pass\n");
    let run = sandbox.run(&["discover", "--no-debate", "--format", "html"]);
    assert!(run.stdout.starts_with("<!DOCTYPE html>\n"), "{}{}", run.stdout, run.stderr);
}
