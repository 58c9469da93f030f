//! Addresses, pages, and what is read of a session.

use std::fs;
use std::time::Duration;

use super::*;
use crate::agent::attempts::{AttemptResult, Intent, Kind};
use crate::kernel::{Cost, Usd};
use crate::session::testing::opened;

/// A server in a repository of its own.
struct Place {
    dir: tempfile::TempDir,
    server: Server,
}

impl Place {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".git")).unwrap();
        let home = dir.path().join("home").display().to_string();
        let around = Surroundings {
            dir: dir.path().to_owned(),
            config: None,
            vars: [("HOME".to_owned(), home)].into(),
            group: 0,
            groups: String::new(),
            nested: false,
            env: crate::env::Env::system(),
        };
        Self { server: Server::new(around, true), dir }
    }

    /// Keeps a session in which one call was answered and one is open.
    fn session(&self, id: &str, answer: &str) {
        let workspace = open(self.server.around().clone()).unwrap();
        let mut session = workspace.store(false).create(opened(id)).unwrap();
        let intent = |turn: &str| Intent {
            turn: turn.to_owned(),
            role: "champion".to_owned(),
            kind: Kind::First,
            attempt: 1,
            agent: "claude".to_owned(),
            prompt_sha: turn.to_owned(),
            prompt_bytes: 1,
            agent_digest: "d".to_owned(),
        };
        let call = session.begin(&intent("r1/champion"), Usd::ZERO).unwrap();
        let result = AttemptResult {
            answer: Some(answer.as_bytes().to_vec()),
            cut: false,
            failure: None,
            ending: "exited(0)".to_owned(),
            cost: None,
            usage: None,
            model: None,
            took: Duration::ZERO,
            notes: Vec::new(),
            stderr_tail: Vec::new(),
        };
        session.settle(&call, &result, Cost::declared(Usd::ZERO)).unwrap();
        session.begin(&intent("r1/critic"), Usd::ZERO).unwrap();
    }

    fn list(&self, cursor: Option<&str>) -> Result<Page, Refusal> {
        on(list(&self.server, cursor))
    }

    fn read(&self, uri: &str) -> Result<Contents, Refusal> {
        on(read(&self.server, uri))
    }
}

fn on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    runtime.block_on(future)
}

#[test]
fn two_shapes_of_address_and_nothing_else() {
    let id64 = "a".repeat(64);
    for (uri, expected) in [
        ("debate://sessions/0190-ab", Some(("0190-ab", Text::Transcript))),
        ("debate://sessions/0190-ab/report", Some(("0190-ab", Text::Report))),
        ("debate://sessions/report", Some(("report", Text::Transcript))),
        (&format!("debate://sessions/{id64}"), Some((id64.as_str(), Text::Transcript))),
        (&format!("debate://sessions/{id64}a"), None),
        ("", None),
        ("debate://sessions/", None),
        ("debate://sessions//report", None),
        ("debate://sessions/a/", None),
        ("debate://sessions/a/report/", None),
        ("debate://sessions/a/report/report", None),
        ("debate://sessions/a/REPORT", None),
        ("debate://sessions/../a", None),
        ("debate://sessions/..", None),
        ("debate://sessions/%2e%2e", None),
        ("debate://sessions/a%2freport", None),
        ("debate://sessions/a?x=1", None),
        ("debate://sessions/a#x", None),
        ("debate://sessions/A", None),
        ("debate://sessions/-a", None),
        ("debate://sessions/a b", None),
        ("debate://sessions/a\0", None),
        ("debate://sessions/a\n", None),
        ("debate://sessions/ä", None),
        ("debate://session/a", None),
        ("DEBATE://sessions/a", None),
        ("file:///etc/passwd", None),
        ("debate:sessions/a", None),
        (" debate://sessions/a", None),
    ] {
        assert_eq!(parse(uri), expected, "{uri:?}");
    }
}

#[test]
fn a_transcript_shows_the_answer_as_data_and_what_is_open() {
    let place = Place::new();
    place.session("0190-ab", "```\n# I am the heading now\n");
    let found = place.read("debate://sessions/0190-ab").unwrap();
    assert_eq!(found.uri, "debate://sessions/0190-ab");
    for part in [
        "# Transcript: Six items\n",
        "- Session: 0190-ab\n",
        "- State: interrupted\n",
        "## r1/champion: claude as champion\n",
        "````\n```\n# I am the heading now\n````\n",
        "its process died): r1/critic.",
    ] {
        assert!(found.text.contains(part), "{part}\n{}", found.text);
    }
}

#[test]
fn what_is_not_there_is_unknown_and_what_is_broken_is_said() {
    let place = Place::new();
    place.session("0190-ab", "x");
    for uri in ["debate://sessions/0191", "debate://sessions/0191/report", "file:///etc/passwd"] {
        assert!(matches!(place.read(uri), Err(Refusal::Unknown(_))), "{uri}");
    }
    let journal = place.dir.path().join(".debate/sessions/0190-ab/journal.jsonl");
    fs::write(&journal, "{}\n{}\n").unwrap();
    for uri in ["debate://sessions/0190-ab", "debate://sessions/0190-ab/report"] {
        assert!(matches!(place.read(uri), Err(Refusal::Failed(_))), "{uri}");
    }
    // It is listed all the same: one broken session hides no other.
    assert_eq!(place.list(None).unwrap().resources.len(), 2);
}

#[test]
fn the_list_goes_page_by_page_from_the_newest_and_takes_no_cursor_of_others() {
    let place = Place::new();
    assert_eq!(place.list(None), Ok(Page { resources: Vec::new(), next: None }));
    let workspace = open(place.server.around().clone()).unwrap();
    for n in 0..101 {
        drop(workspace.store(false).create(opened(&format!("s{n:03}"))).unwrap());
    }
    let first = place.list(None).unwrap();
    assert_eq!((first.resources.len(), first.next.as_deref()), (100, Some("s051")));
    assert_eq!(first.resources[0].uri, "debate://sessions/s100");
    assert_eq!(first.resources[0].title, "Transcript: Six items");
    assert_eq!(first.resources[1].uri, "debate://sessions/s100/report");
    let second = place.list(first.next.as_deref()).unwrap();
    assert_eq!((second.resources.len(), second.next.as_deref()), (100, Some("s001")));
    let third = place.list(second.next.as_deref()).unwrap();
    assert_eq!((third.resources.len(), third.next), (2, None));
    assert_eq!(third.resources[1].uri, "debate://sessions/s000/report");
    for cursor in ["", "../x", "S1", "-", &"a".repeat(65), "s1\n"] {
        assert!(matches!(place.list(Some(cursor)), Err(Refusal::Cursor(_))), "{cursor:?}");
    }
}

#[test]
fn a_long_report_is_cut_and_says_so_where_it_begins() {
    let whole = "ä line\n".repeat(1 << 18);
    let cut = bounded(whole.clone(), "0190-ab");
    assert!(cut.len() <= transcript::MOST_BYTES && cut.len() > transcript::MOST_BYTES - 200);
    assert!(cut.starts_with(&format!(
        "This report is cut: it has {} bytes. `debate-agent sessions export 0190-ab`",
        whole.len()
    )));
    assert!(cut.ends_with("ä line\n"));
    assert_eq!(bounded("short\n".to_owned(), "x"), "short\n");
}
