//! The launcher that asks a person, at a pipe in place of a terminal: typed lines, and the ends of questions.

use std::cell::RefCell;
use std::io::{self, PipeWriter, Write};
use std::path::PathBuf;

use super::*;
use crate::process::Limits;
use crate::process::OutputBuffer;
use crate::protocol::debate::typed::Side;

/// The text shown.
#[derive(Debug, Clone, Default)]
struct Screen(Rc<RefCell<Vec<u8>>>);

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Screen {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().clone()).unwrap()
    }
}

/// Records the agents it was asked to start.
#[derive(Debug, Default)]
struct Others(RefCell<Vec<String>>);

impl Launch for Others {
    fn launch<'a>(
        &'a self,
        intent: &'a Intent,
        _: &'a Spec,
        _: watch::Receiver<Control>,
        sink: &'a mut dyn Sink,
    ) -> LocalBoxFuture<'a, ProcessResult> {
        Box::pin(async move {
            self.0.borrow_mut().push(intent.agent.clone());
            sink.stdout(b"theirs");
            ran(Ending::Exited { code: 0 }, 6, std::time::Duration::ZERO)
        })
    }
}

const ARGUES: Seat = Seat { side: Some(Side::Primary), facts: false, rounds: 3 };

fn at_terminal() -> (Person, PipeWriter, Screen) {
    let (input, typed) = io::pipe().unwrap();
    let screen = Screen::default();
    let terminal = Terminal::new(input.into(), Box::new(screen.clone()));
    (Person::from(Seat::of_facts(), None, Some(terminal)).unwrap(), typed, screen)
}

fn intent(agent: &str, turn: &str, kind: attempts::Kind) -> Intent {
    Intent {
        turn: turn.to_owned(),
        role: "primary".to_owned(),
        kind,
        attempt: 1,
        agent: agent.to_owned(),
        prompt_sha: String::new(),
        prompt_bytes: 0,
        effort_above: 0,
        agent_digest: String::new(),
    }
}

fn spec() -> Spec {
    let asked = serde_json::json!({"questions": [{"id": "Q1", "question": "Where?"}, {"id": "Q2", "question": "Who?"}]});
    let stdin = format!("turn: r0/facts\n\n{asked:#}\n");
    Spec {
        guard: PathBuf::new(),
        program: PathBuf::new(),
        args: Vec::new(),
        depth: crate::process::Depth::Counts,
        env: std::collections::BTreeMap::new(),
        cwd: PathBuf::new(),
        scratch: None,
        stdin: stdin.into_bytes(),
        tag: "x".to_owned(),
        limits: Limits::default(),
    }
}

/// Launches one attempt; returns how it ended and its output.
async fn launched(
    launcher: &WithPerson,
    intent: &Intent,
    control: watch::Receiver<Control>,
) -> (Ending, Option<PersonReply>) {
    let mut sink = OutputBuffer::default();
    let ran = launcher.launch(intent, &spec(), control, &mut sink).await;
    (ran.ending, PersonReply::read(&sink.stdout))
}

fn launcher(person: Person) -> WithPerson {
    WithPerson { inner: Rc::new(Others::default()), person: Rc::new(person) }
}

#[tokio::test]
async fn a_person_is_asked_and_everybody_else_is_started() {
    let (person, mut typed, screen) = at_terminal();
    let launcher = launcher(person);
    let (_sender, control) = watch::channel(Control::Run);
    let long = "x".repeat(crate::protocol::facts::FACT_CHARS + 1);
    write!(typed, "{long}\n\u{1b}[A In one rack. \n\n").unwrap();
    let facts = intent(HUMAN, "r0/facts", attempts::Kind::First);
    let (ending, said) = launched(&launcher, &facts, control.clone()).await;
    assert_eq!(ending, Ending::Exited { code: 0 });
    let Some(PersonReply::Reply(text)) = said else { panic!("{said:?}") };
    assert!(text.contains(r#"{"facts":[{"id":"Q1","answer":"In one rack."}]}"#), "{text}");
    let shown = screen.text();
    assert!(shown.contains("Q1: Where?\n") && shown.contains("Q2: Who?\n"), "{shown}");
    assert!(shown.contains("That is more than"), "{shown}");

    let mut sink = OutputBuffer::default();
    let theirs = intent("claude", "r1/challenge", attempts::Kind::First);
    launcher.launch(&theirs, &spec(), control, &mut sink).await;
    assert_eq!(sink.stdout, b"theirs");
}

/// Facts are owed by nobody; an argument is.
#[tokio::test]
async fn the_end_of_the_input_is_no_answer_where_one_is_owed() {
    let (person, typed, _) = at_terminal();
    let launcher = launcher(person);
    let (_sender, control) = watch::channel(Control::Run);
    drop(typed);
    let facts = intent(HUMAN, "r0/facts", attempts::Kind::First);
    let (ending, said) = launched(&launcher, &facts, control.clone()).await;
    assert_eq!(ending, Ending::Exited { code: 0 });
    assert!(matches!(said, Some(PersonReply::Reply(text)) if text.contains(r#"{"facts":[]}"#)));
    let owed = intent(HUMAN, "r1/proposal", attempts::Kind::First);
    let (_, said) = launched(&launcher, &owed, control).await;
    assert!(matches!(said, Some(PersonReply::Nothing(_))), "{said:?}");
}

#[test]
fn a_stop_ends_a_question_at_once_and_leaves_nothing_waiting() {
    for stop in [Control::Stop, Control::Kill] {
        let (person, mut typed, screen) = at_terminal();
        let launcher = launcher(person);
        let (sender, control) = watch::channel(Control::Run);
        let owed = intent(HUMAN, "r0/facts", attempts::Kind::First);
        let stops = async {
            while screen.text().is_empty() {
                tokio::task::yield_now().await;
            }
            // A pause does not end the question: the person may still be asked when the run continues.
            sender.send_replace(Control::Pause);
            tokio::task::yield_now().await;
            sender.send_replace(stop);
        };
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        let (ended, ()) =
            runtime.block_on(async { tokio::join!(launched(&launcher, &owed, control), stops) });
        assert_eq!(ended, (Ending::Cancelled, None));
        // This waits for every thread of the runtime: one still reading would block it for ever.
        drop(runtime);
        drop(launcher);
        assert!(typed.write_all(b"x").is_err(), "nobody reads any more");
    }
}

#[tokio::test]
async fn a_line_that_was_refused_is_not_read_again() {
    let words = br#"{"type": "proposal", "content": {"text": "x"}, "confidence_score": 1}"#;
    let person = Person::from(ARGUES, Some(("words.jsonl", words)), None).unwrap();
    let launcher = launcher(person);
    let (_sender, control) = watch::channel(Control::Run);
    let (_, said) =
        launched(&launcher, &intent(HUMAN, "r1/proposal", attempts::Kind::First), control.clone())
            .await;
    assert!(matches!(said, Some(PersonReply::Reply(_))));
    let (_, said) =
        launched(&launcher, &intent(HUMAN, "r1/proposal", attempts::Kind::Repair), control).await;
    assert!(matches!(said, Some(PersonReply::Refused(why)) if why.starts_with("words.jsonl:1: ")));
    assert_eq!(launcher.person.left(), None);
}

#[test]
fn a_person_needs_a_terminal_or_a_file_and_a_file_a_person() {
    let error = Person::from(ARGUES, None, None).unwrap_err();
    assert_eq!((error.kind, error.code), (Kind::Usage, "no_person"));
    let error = Person::from(Seat::of_facts(), None, None).unwrap_err();
    assert_eq!((error.kind, error.code), (Kind::Usage, "no_person"));
    let nobody = Seat { side: None, facts: false, rounds: 3 };
    let error = Person::from(nobody, Some(("words.jsonl", b"{}")), None).unwrap_err();
    assert_eq!(error.kind, Kind::Usage);
    assert!(error.to_string().contains("no person takes part"), "{error}");
}
