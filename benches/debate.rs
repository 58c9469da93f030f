//! The promised figures of speed and memory, each measured and compared with its target: whole commands of the
//! release build, and the two inner figures that they rest on.
//!
//! `cargo bench --bench debate` prints the table in Markdown, as in the README, and fails if a target is missed.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints its figures and may fail"
)]

#[path = "support/hundred.rs"]
mod hundred;
#[path = "support/reply.rs"]
mod reply;
#[path = "support/scratch.rs"]
mod scratch;
#[path = "support/server.rs"]
mod server;
#[path = "support/session.rs"]
mod session;

use std::fs;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use debate_agent::text::block::extract;
use scratch::Scratch;
use server::Server;

const MB: u64 = 1_000_000;
/// The limits on a call's output and on the part of it that is kept: 8 MiB and 1 MiB, the defaults.
const CAPS: u64 = 9 << 20;

const PRIORITIZE: [&str; 4] = ["prioritize", "six.json", "--budget", "50"];
/// Three whole rounds without agreement: decided, and the answer is "no".
const NO_CONSENSUS: i32 = 1;
const UNDECIDED: i32 = 4;
const DISCUSS: [&str; 4] = ["discuss", "brief.md", "--context", "context.json"];
const REHEARSE: [&str; 3] = ["prioritize", "six.json", "--rehearse"];

/// The table, printed line by line.
#[derive(Default)]
struct Table {
    missed: u32,
}

impl Table {
    fn begin() -> Self {
        println!("| What | Target | Measured | |");
        println!("|---|---|---|---|");
        Self::default()
    }

    fn row(&mut self, what: &str, target: &str, measured: &str, met: bool) {
        self.missed += u32::from(!met);
        let verdict = if met { "met" } else { "**not met**" };
        println!("| {what} | {target} | {measured} | {verdict} |");
    }

    /// Compares the median time of some runs with a limit.
    fn time(&mut self, what: &str, limit: Duration, runs: usize, mut go: impl FnMut() -> Duration) {
        go();
        let median = median((0..runs).map(|_| go()).collect());
        let target = format!("under {} ms", limit.as_millis());
        self.row(what, &target, &millis(median), median < limit);
    }

    fn memory(&mut self, what: &str, limit: u64, peak: u64) {
        let target = format!("under {} MB", limit / MB);
        self.row(what, &target, &megabytes(peak), 0 < peak && peak < limit);
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below 2^53")]
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn timed(go: impl FnOnce()) -> Duration {
    let start = Instant::now();
    go();
    start.elapsed()
}

/// The machine and its load, in one line: next to other work, times mean little.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = info
        .lines()
        .find(|line| line.starts_with("model name"))
        .and_then(|line| line.split_once(": "))
        .map_or("an unknown CPU", |(_, name)| name);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    format!("{cores} cores ({cpu}), kernel {}, load {load}", kernel.trim())
}

fn start_up(table: &mut Table) {
    let scratch = Scratch::new();
    table.time("`--version`", Duration::from_millis(5), 50, || scratch.time(&["--version"]).wall);
    table.time(
        "a whole `--rehearse` debate of six items (6 calls)",
        Duration::from_millis(200),
        20,
        || {
            let took = scratch.time(&REHEARSE);
            assert_eq!(took.code, Some(0));
            took.wall
        },
    );
}

/// Three rounds of agents that take half a second each, one after the other.
fn debate(table: &mut Table) {
    let scratch = Scratch::new().scenario("backlog/stalemate").file("home/.fake/delay", "0.5");
    let mut ratios: Vec<f64> = (0..5)
        .map(|_| {
            let took = scratch.time(&PRIORITIZE);
            assert_eq!(took.code, Some(NO_CONSENSUS));
            let calls = scratch.calls();
            assert_eq!(calls.len(), 9);
            let critical: f64 = calls.iter().map(|(start, end)| end - start).sum();
            took.wall.as_secs_f64() / critical
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    table.row(
        "three rounds of 0.5 s agents: wall time / critical path (9 calls)",
        "at most 1.03",
        &format!("{ratio:.3}"),
        ratio <= 1.03,
    );
}

/// Five perspectives at once, of which one takes two seconds and the others less.
fn critique(table: &mut Table) {
    let requirement = r#"{"seed_analysis": {"constraints": ["It survives a restart."]}}"#;
    let mut scratch = Scratch::new()
        .file("project/brief.md", "# Brief\n\nIt survives a restart.\n")
        .file("project/context.json", requirement);
    for (perspective, seconds) in [
        ("product", "0.5"),
        ("technical", "1.0"),
        ("quality", "2.0"),
        ("risk", "1.5"),
        ("coverage", "0.2"),
    ] {
        let control = format!("{{\"delay\": \"{seconds}\"}}");
        let file = format!("home/.fake/scenario/r1_{perspective}.json");
        scratch = scratch.file(&file, control);
    }
    let mut ratios: Vec<f64> = (0..10)
        .map(|_| {
            let took = scratch.time(&DISCUSS);
            assert_eq!(took.code, Some(0));
            let calls = scratch.calls();
            assert_eq!(calls.len(), 5);
            let slowest = (calls.iter().map(|(start, end)| end - start)).fold(0.0, f64::max);
            took.wall.as_secs_f64() / slowest
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let [fast, median, slow] = [0, ratios.len() / 2, ratios.len() - 1].map(|at| ratios[at]);
    table.row(
        "a critique from five perspectives, the slowest 2 s: wall time / that call (ten runs)",
        "at most 1.05",
        &format!("{median:.3} ({fast:.3} to {slow:.3})"),
        median <= 1.05,
    );
}

fn memory(table: &mut Table) {
    let rehearsal = Scratch::new().watch(&REHEARSE);
    assert_eq!(rehearsal.code, Some(0));
    table.memory("peak memory of a rehearsal", 10 * MB, rehearsal.peak);

    let debate = || Scratch::new().scenario("backlog/stalemate");
    let unpriced = debate().watch(&PRIORITIZE);
    assert_eq!(unpriced.code, Some(NO_CONSENSUS));
    table.memory("peak memory of a debate whose CLIs report their cost", 10 * MB, unpriced.peak);

    let config = r#"{"agents": {"codex": {"path": "codex", "model": "gpt-5"}}}"#;
    let priced = debate().file("home/.config/debate-agent/config.json", config).watch(&PRIORITIZE);
    assert_eq!(priced.code, Some(NO_CONSENSUS));
    table.memory("peak memory of a debate that needs the price table", 30 * MB, priced.peak);

    let endless = "head -c 500000000 /dev/zero | tr '\\000' x\n";
    let flooded = debate().file("home/.fake/scenario/r1_champion.sh", endless).watch(&PRIORITIZE);
    // The first agent was cut off: undecided, and not a success.
    assert_eq!(flooded.code, Some(UNDECIDED));
    let raised = flooded.peak.saturating_sub(unpriced.peak);
    table.row(
        "what an answer of 500 MB raises it by",
        &format!("at most the caps, {}", megabytes(CAPS)),
        &megabytes(raised),
        raised <= CAPS,
    );
}

/// The MCP server: the time that a client waits for its start, and the cost of leaving it running.
fn serving(table: &mut Table) {
    let scratch = Scratch::new();
    table.time(
        "MCP server: spawn to the answer to `initialize`",
        Duration::from_millis(15),
        50,
        || {
            let server = Server::start(&scratch);
            let took = server.first_answer;
            server.end();
            took
        },
    );
    let mut server = Server::start(&scratch);
    let list = r#"{"name":"list_agents","arguments":{}}"#;
    table.time("MCP server: a call of `list_agents`", Duration::from_millis(20), 50, || {
        timed(|| {
            assert!(server.ask("tools/call", list).contains("\"default_agents\""));
        })
    });
    assert!(server.ask("tools/list", "{}").contains("debate_360"));
    table.memory("peak memory of the MCP server after these calls", 15 * MB, server.peak());
    server.end();
}

fn inner(table: &mut Table) {
    let text = reply::reply();
    table.time(
        "marker scan and parse of 10 MiB with a block of 1 MiB",
        Duration::from_millis(50),
        20,
        || {
            timed(|| {
                let bytes = black_box(text.as_bytes());
                let found = extract(bytes, false, &[reply::WANT], &[]);
                assert!(black_box(found).is_ok());
            })
        },
    );
    let (_dir, store) = session::stored();
    table.time("fold of a journal of 10,000 records", Duration::from_millis(100), 20, || {
        timed(|| session::fold(&store))
    });
    table.time(
        "the same with its 2,500 answers read and hashed again",
        Duration::from_millis(200),
        20,
        || timed(|| assert!(session::fold_with_answers(&store) > 0)),
    );
}

fn main() -> ExitCode {
    // `cargo test --benches` starts this too; figures of a debug build would be meaningless.
    if !std::env::args().any(|arg| arg == "--bench") {
        return ExitCode::SUCCESS;
    }
    println!("Measured on {}, medians:\n", machine());
    let mut table = Table::begin();
    start_up(&mut table);
    debate(&mut table);
    critique(&mut table);
    memory(&mut table);
    serving(&mut table);
    inner(&mut table);
    let (answered, at_once) = hundred::run_hundred();
    table.row(
        "fake agents alive at once, of 100 asked together",
        "100",
        &format!("{at_once}, {answered} answered"),
        at_once == 100 && answered == 100,
    );
    if table.missed > 0 {
        println!("\n{} of the targets are not met.", table.missed);
        return ExitCode::FAILURE;
    }
    println!("\nAll targets are met.");
    ExitCode::SUCCESS
}
