//! What the live view shows in the middle of a run and at its end: the events of a golden run of each protocol, at
//! fixed times, drawn into an emulated terminal of three sizes. `docs/watching.md` has the middle at 80 columns,
//! `screens/NAME.txt` the others.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use chrono::DateTime;
use debate_agent::app::prioritize::Items;
use debate_agent::app::workspace::{StartContext, Workspace};
use debate_agent::app::{
    Caller, Input, UseCase, block_on, discuss, planning, prioritize, review, sessions, topic,
};
use debate_agent::engine::events::{Event, EventKind, Reporter};
use debate_agent::env::Env;
use debate_agent::report::Look;
use debate_agent::report::live::LiveProgress;
use debate_agent::report::session_result::SessionResult;

use crate::NOW;
use crate::case::Case;
use crate::sandbox::{Sandbox, lock};

/// Columns and rows.
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 20)];

/// The name of a screen, its golden run, the turn before which it is taken, and the step whose turns run then.
const SCREENS: [(&str, &str, &str, &str); 7] = [
    ("review", "review-three-agents", "r2/cross/s2", "r2/cross"),
    ("plan", "plan-accepted", "r2/cross/s1", "r2/cross"),
    ("dialogue", "dialogue-deadlocked", "r2/rebuttal", "r2/rebuttal"),
    ("argument", "argument-accepted", "r1/reply", "r1/reply"),
    ("panel", "panel-judged", "r2/vote/s2", "r2/vote"),
    ("discuss", "discuss-coverage", "r1/technical", "r1/"),
    ("prioritize", "prioritize-consensus", "r1/critic", "r1/critic"),
];

/// What agents say while they run, in turn.
const PHASES: [&str; 4] = [
    "Reading what the others wrote",
    "The index is past the end: `items[len(items)]` is never there, so the loop ends with an IndexError",
    "",
    "Writing the answer",
];

/// Rows of the block at the end of a run.
const END_ROWS: usize = 15;

/// Longer than the shortest time between two redraws.
const PAUSE: Duration = Duration::from_millis(250);

/// The instant at which everything happens.
static INSTANT: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The columns and rows of the terminal.
static SIZE: Mutex<(usize, usize)> = Mutex::new((0, 0));

/// Compares the screens and their page with the records, or records them. Returns the files that differed.
pub(crate) fn differing(record: bool) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let _one = lock();
    let page = fs::read_to_string(root.join("docs/watching.md")).unwrap();
    let mut files = Vec::new();
    let mut drawn = page;
    for (name, run, turn, step) in SCREENS {
        let (middle, end, result) = events(root, name, run, turn, step);
        let mut all = String::new();
        for (columns, rows) in SIZES {
            let result = result.brief(Look::plain(columns.into()), END_ROWS);
            let (middle, end) =
                (frame(&middle, "", columns, rows), frame(&end, &result, columns, rows));
            if columns == 80 {
                drawn = shown(&drawn, name, &middle);
            } else {
                writeln!(all, "--- {columns} x {rows}\n{middle}").unwrap();
            }
            writeln!(all, "--- {columns} x {rows}, end\n{end}").unwrap();
        }
        files.push((format!("tests/golden/screens/{name}.txt"), all));
    }
    files.push(("docs/watching.md".to_owned(), drawn));
    files.retain(|(path, text)| fs::read_to_string(root.join(path)).ok().as_ref() != Some(text));
    for (path, text) in files.iter().filter(|_| record) {
        fs::create_dir_all(root.join("tests/golden/screens")).unwrap();
        fs::write(root.join(path), text).unwrap();
    }
    files.into_iter().map(|(path, _)| path).collect()
}

/// The page with this frame in place of its old one.
fn shown(page: &str, name: &str, frame: &str) -> String {
    let fence = format!("```text {name}\n");
    let (before, rest) = page.split_once(&fence).unwrap_or_else(|| panic!("no block for {name}"));
    let (_, after) = rest.split_once("```\n").unwrap();
    format!("{before}{fence}{frame}```\n{after}")
}

#[derive(Default, Clone)]
struct Recorder(Rc<RefCell<Vec<EventKind>>>);

impl Reporter for Recorder {
    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.0.borrow_mut().push(event.kind.clone());
        Ok(())
    }
}

/// The events of a run up to this turn, whose step's turns then run all at once, as without a limit; those of the whole
/// run; and its result.
fn events(
    root: &Path,
    name: &str,
    run: &str,
    turn: &str,
    step: &str,
) -> (Vec<EventKind>, Vec<EventKind>, SessionResult) {
    let file = root.join(format!("tests/golden/runs/{run}.txt"));
    let case = Case::parse(&format!("screen-{name}"), &fs::read_to_string(file).unwrap());
    let sandbox = Sandbox::new(&case);
    let words = || Input::words("Should the cache move to Redis?");
    let agents = |names: &str| names.split(' ').map(str::to_owned).collect();
    let style = |style: &str| serde_json::from_value(style.into()).unwrap();
    let (mut all, result) = match name {
        "review" => recorded(
            &sandbox,
            review::Request { agents: agents("codex claude gemini"), ..review::Request::default() },
        ),
        "plan" => {
            let task = Input::words("Move the store to SQLite");
            recorded(&sandbox, planning::Request { task, ..planning::Request::default() })
        }
        "panel" => recorded(
            &sandbox,
            topic::Request {
                topic: Input::words("Which cache?"),
                style: style("panel"),
                participants: agents("claude claude codex"),
                ..topic::Request::default()
            },
        ),
        "discuss" => recorded(
            &sandbox,
            discuss::Request {
                artifact: Some("docs/brief.md".into()),
                context: Some("spec/discovery-context.json".into()),
                ..discuss::Request::default()
            },
        ),
        "prioritize" => {
            let (name, bytes) =
                ("backlog.json".to_owned(), fs::read(sandbox.at("project/backlog.json")).unwrap());
            recorded(&sandbox, prioritize::Request::of(Items::Of(Input::Given { name, bytes })))
        }
        _ => recorded(
            &sandbox,
            topic::Request { topic: words(), style: style(name), ..topic::Request::default() },
        ),
    };
    fs::remove_dir_all(sandbox.at("")).ok();
    let of = |kind: &EventKind| match kind {
        EventKind::TurnStarted { turn, .. } => Some(turn.clone()),
        _ => None,
    };
    let cut = all.iter().position(|kind| of(kind).is_some_and(|id| id.starts_with(turn)));
    let cut = cut
        .unwrap_or_else(|| panic!("{name}: {:?}", all.iter().filter_map(of).collect::<Vec<_>>()));
    let mut ages = [75, 45, 15].into_iter();
    for (at, kind) in all.iter_mut().enumerate() {
        match kind {
            EventKind::SessionStarted { course, .. } => course.since = Duration::from_secs(164),
            EventKind::TurnStarted { since, .. } => {
                *since = Duration::from_secs(if at < cut { 0 } else { ages.next().unwrap_or(15) });
            }
            EventKind::TurnFinished { took, .. } => *took = Duration::from_millis(38_200),
            _ => {}
        }
    }
    let (before, after) = all.split_at(cut);
    let running = after.iter().filter(|kind| of(kind).is_some_and(|id| id.starts_with(step)));
    let mut events: Vec<EventKind> = before.iter().chain(running).cloned().collect();
    let turns: Vec<String> = events[cut..].iter().filter_map(of).collect();
    for ((turn, phase), bytes) in turns.into_iter().zip(PHASES).zip(2_150..) {
        let phase = Some(phase.to_owned()).filter(|phase| !phase.is_empty());
        events.push(EventKind::TurnOutput { turn, bytes, phase });
    }
    (events, all, result)
}

/// The events of a run, but for those of output: their number is chance; and its result.
fn recorded(sandbox: &Sandbox, mut request: impl UseCase) -> (Vec<EventKind>, SessionResult) {
    let now = DateTime::from_timestamp(NOW, 0).unwrap();
    let vars = sandbox.vars(1).into_iter().collect();
    let start = StartContext::of(sandbox.at("project"), vars, Env::fixed(now, 1));
    let workspace = Workspace::open(start, request.flags(Caller::Client)).unwrap();
    request.read(&workspace).unwrap();
    let recorder = Recorder::default();
    block_on(request.run(&workspace, vec![Box::new(recorder.clone())])).unwrap().unwrap();
    let mut events = recorder.0.take();
    events.retain(|kind| !matches!(kind, EventKind::TurnOutput { .. }));
    (events, block_on(sessions::show(&workspace, "@last")).unwrap().unwrap())
}

/// A terminal that is written to.
#[derive(Clone)]
struct Screen(Arc<Mutex<vt100::Parser>>);

impl io::Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
        self.0.lock().unwrap().process(text.as_bytes());
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The whole screen after these events and this result.
fn frame(events: &[EventKind], result: &str, columns: u16, rows: u16) -> String {
    let mut screen = Screen(Arc::new(Mutex::new(vt100::Parser::new(
        rows.try_into().unwrap(),
        columns.try_into().unwrap(),
        0,
    ))));
    let size = (usize::from(columns), usize::from(rows));
    *SIZE.lock().unwrap() = size;
    let look = Look { live: true, ..Look::plain(size.0) };
    let of = || Some(*SIZE.lock().unwrap());
    let mut live = LiveProgress::new(Box::new(screen.clone()), look, of, || true, || *INSTANT);
    let mut play = |kind: &EventKind| {
        let (at, kind) = (DateTime::UNIX_EPOCH, kind.clone());
        live.event(&Event { seq: 1, at, elapsed: Duration::ZERO, kind }).unwrap();
    };
    events.iter().for_each(&mut play);
    if let Some(last @ EventKind::TurnOutput { .. }) = events.last() {
        // Redraws are limited; this one comes late enough.
        thread::sleep(PAUSE);
        play(last);
    }
    screen.write_all(result.as_bytes()).unwrap();
    let shown = screen.0.lock().unwrap().screen().contents();
    shown.lines().fold(String::new(), |all, line| all + line.trim_end() + "\n")
}
