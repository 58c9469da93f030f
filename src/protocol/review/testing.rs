//! Changes, answers and a driver for this protocol's tests.

use std::collections::BTreeMap;

use super::Role;
use super::input::{Compose, Input, Rules, Settings};
use super::machine::Machine;
use super::model::{
    Ballot, CompositionBlock, Content, CrossReviewBlock, Eliminate, Finding, Judgement, Outcome,
    ReviewBlock, Severity, Stance, ValidationBlock, Verdict,
};
use crate::change::{Batch, Change, ChangeKind, ChangedFile, Hunk, Part, Totals};
use crate::kernel::{Driver, Event, Respondent, Turn};
use crate::protocol::conformance::Subject;
use crate::protocol::prompt::Prompts;
pub(crate) use crate::protocol::testing::{BOUNDARY, asked, done, failed, failure, judged, raw};

/// The agents and vendors of the tests, in the order of the seats.
pub(crate) const AGENTS: [(&str, &str); 4] =
    [("claude", "anthropic"), ("codex", "openai"), ("gemini", "google"), ("qwen", "alibaba")];

pub(crate) fn seated(seat: usize) -> Respondent {
    let (agent, vendor) = AGENTS[seat];
    Respondent { agent: agent.to_owned(), vendor: vendor.to_owned(), fell_back_from: None }
}

/// Returns a new file of the given lines, all in one hunk.
pub(crate) fn file(path: &str, lines: &[&str]) -> ChangedFile {
    let count = u32::try_from(lines.len()).unwrap();
    ChangedFile {
        path: path.to_owned(),
        old_path: None,
        kind: ChangeKind::Added,
        modes: None,
        hunks: vec![Hunk {
            old_start: 0,
            old_lines: 0,
            new_start: 1,
            new_lines: count,
            heading: String::new(),
            body: format!("+{}\n", lines.join("\n+")),
        }],
        lines: Some(count),
        text: Some(format!("{}\n", lines.join("\n"))),
    }
}

/// Returns a change of these files, with one batch per file if `batches`, otherwise with a single one.
pub(crate) fn change(files: Vec<ChangedFile>, batches: bool) -> Change {
    let parts: Vec<Part> = files
        .iter()
        .enumerate()
        .map(|(at, file)| Part { file: at, first: 0, end: file.hunks.len() })
        .collect();
    let batches = if batches {
        parts.into_iter().map(|part| Batch { parts: vec![part] }).collect()
    } else {
        vec![Batch { parts }]
    };
    Change {
        scope: "working tree against HEAD".to_owned(),
        base: None,
        totals: Totals { files: u64::try_from(files.len()).unwrap(), ..Totals::default() },
        files,
        batches,
        not_reviewed: Vec::new(),
    }
}

/// Returns `src/a.rs` and `src/b.rs`, forty lines each: `let a07 = compute_a(07);`.
pub(crate) fn files() -> Vec<ChangedFile> {
    ["a", "b"]
        .map(|name| {
            let lines: Vec<String> = (1..=40)
                .map(|line| format!("let {name}{line:02} = compute_{name}({line:02});"))
                .collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            file(&format!("src/{name}.rs"), &lines)
        })
        .to_vec()
}

/// Returns an input whose result is always composed, so that each step of the pipeline is taken.
pub(crate) fn input(seats: usize) -> Input {
    Input {
        question: String::new(),
        pull_request: None,
        change: change(files(), false),
        rules: Rules::default(),
        known: BTreeMap::new(),
        seats: (0..seats).map(seated).collect(),
        settings: Settings { compose: Compose::Always, ..Settings::default() },
        prompts: Prompts::new(BOUNDARY),
        seed: 7,
    }
}

pub(crate) fn machine(seats: usize) -> Driver<Machine> {
    Machine::open(input(seats)).unwrap()
}

/// Returns a line of code of [`files`].
pub(crate) fn code(name: &str, line: u32) -> String {
    format!("let {name}{line:02} = compute_{name}({line:02});")
}

/// Returns a complete, located finding; `words` distinguish it from others.
pub(crate) fn finding(severity: Severity, name: &str, line: u32, words: &str) -> Finding {
    Finding {
        severity,
        title: format!("{words} breaks"),
        file: format!("src/{name}.rs"),
        line: Some(line),
        quote: Some(code(name, line)),
        trigger: Some(format!("{words}, at the largest value")),
        detail: format!("{words} goes wrong here."),
        fix: format!("Use `compute_{name}({line} + 1)`."),
        ..Finding::default()
    }
}

pub(crate) fn review(findings: Vec<Finding>) -> Content {
    Content::Review(ReviewBlock {
        findings,
        residual_risks: Vec::new(),
        open_questions: Vec::new(),
    })
}

pub(crate) fn judgement(id: &str, stance: Stance, evidence: Option<String>) -> Judgement {
    Judgement {
        id: id.to_owned(),
        stance,
        reason: format!("It is {} on {id}.", stance.name()),
        evidence,
        only: None,
        severity: None,
        same_as: None,
        lines: None,
    }
}

/// Gives every finding that the turn shows the same judgement, with its own code as evidence, and the severity that it
/// is shown with.
pub(crate) fn judges(turn: &Turn, stance: Stance) -> Content {
    let judge = |id: &String| {
        let evidence = (stance != Stance::Unsure).then(|| shown_quote(turn, id));
        let severity = (stance == Stance::Agree).then(|| shown_severity(turn, id)).flatten();
        Judgement { severity, ..judgement(id, stance, evidence) }
    };
    Content::Cross(CrossReviewBlock {
        judgements: ids(turn).iter().map(judge).collect(),
        missed_issues: Vec::new(),
    })
}

/// Returns the value of a finding's key as a turn shows it.
fn shown(turn: &Turn, id: &str, key: &str) -> Option<String> {
    let (_, finding) = turn.prompt.varying.split_once(&format!("\"id\": \"{id}\""))?;
    let finding = finding.split("\"id\":").next()?;
    let (_, value) = finding.split_once(&format!("\"{key}\": \""))?;
    Some(value.split("\",\n").next()?.replace("\\\"", "\""))
}

/// Returns the code that a finding quotes; a line of the change if it quotes none.
pub(crate) fn shown_quote(turn: &Turn, id: &str) -> String {
    shown(turn, id, "quote").unwrap_or_else(|| code("a", 1))
}

fn shown_severity(turn: &Turn, id: &str) -> Option<Severity> {
    let shown = shown(turn, id, "severity")?;
    Severity::ALL.into_iter().find(|severity| severity.name() == shown)
}

pub(crate) fn eliminates(ids: &[&str]) -> Content {
    Content::Composition(CompositionBlock {
        eliminate: ids
            .iter()
            .map(|id| Eliminate { id: (*id).to_owned(), reason: "It is no defect.".to_owned() })
            .collect(),
        ..CompositionBlock::default()
    })
}

/// Gives every decision that the turn shows the same vote.
pub(crate) fn votes(turn: &Turn, approve: bool) -> Content {
    Content::Validation(ValidationBlock {
        votes: ids(turn).iter().map(|id| Ballot::on(id, approve)).collect(),
    })
}

/// Returns the ids that a turn's contract names, in the order shown.
pub(crate) fn ids(turn: &Turn) -> Vec<String> {
    let after = turn.prompt.contract.split(": F").nth(1);
    let list = after.and_then(|rest| rest.split('.').next());
    list.map(|list| format!("F{list}").split(", ").map(str::to_owned).collect()).unwrap_or_default()
}

/// Returns the role of a turn.
pub(crate) fn role(turn: &Turn) -> Role {
    let played = Role::ALL.into_iter().find(|role| role.config_name() == &*turn.plays);
    played.unwrap_or(Role::Sandbox)
}

pub(crate) fn nothing() -> Content {
    review(Vec::new())
}

/// Returns the reviews in which seat 0 finds the P1 in a.rs, seat 1 the P2 in b.rs.
pub(crate) fn two_findings(turn: &Turn) -> Content {
    review(match seat(turn) {
        0 => vec![finding(Severity::P1, "a", 7, "Overflow of the counter")],
        1 => vec![finding(Severity::P2, "b", 30, "Rounding towards zero")],
        _ => Vec::new(),
    })
}

/// Answers as a panel in which every seat agrees with and approves everything; the composer keeps all.
#[expect(clippy::unnecessary_wraps, reason = "scripts can fail a turn; this one never does")]
pub(crate) fn agreeable(turn: &Turn) -> Option<Content> {
    Some(match role(turn) {
        Role::Reviewer => two_findings(turn),
        Role::CrossReviewer => judges(turn, Stance::Agree),
        Role::Composer => Content::Composition(CompositionBlock::default()),
        Role::Validator | Role::Prover | Role::Sandbox => votes(turn, true),
    })
}

/// Returns the seat of a turn, from 0.
pub(crate) fn seat(turn: &Turn) -> usize {
    turn.role[1..].parse::<usize>().unwrap() - 1
}

/// Answers the open step turn by turn; `None` is a failure.
pub(crate) fn step(
    machine: &mut Driver<Machine>,
    mut say: impl FnMut(&Turn) -> Option<Content>,
) -> (Vec<String>, Vec<Event>) {
    let turns = asked(machine);
    let answers = turns
        .iter()
        .map(|turn| match say(turn) {
            Some(said) => judged(machine, turn, &said.render()),
            None => failed(machine, turn),
        })
        .collect();
    let ids = turns.into_iter().map(|turn| turn.id.into()).collect();
    (ids, machine.apply(answers))
}

/// Runs a review to its end, and returns the ids of all turns by step, with the outcome.
pub(crate) fn run(
    machine: &mut Driver<Machine>,
    mut say: impl FnMut(&Turn) -> Option<Content>,
) -> (Vec<String>, Outcome) {
    let mut steps = Vec::new();
    for _ in 0..30 {
        if asked(machine).is_empty() {
            return (steps, done(machine));
        }
        let (ids, _) = step(machine, &mut say);
        steps.push(ids.join(" "));
    }
    panic!("it does not end: {steps:?}")
}

/// Returns an input with two or three seats, one part or two, one to five rounds.
fn sized(size: u32) -> Input {
    let mut input = input(if size.is_multiple_of(2) { 2 } else { 3 });
    input.change = change(files(), size & 2 > 0);
    input.settings.max_rounds = 1 + size % 5;
    let compose = usize::try_from(size).unwrap() % Compose::ALL.len();
    input.settings.compose = Compose::ALL[compose];
    input
}

impl Subject for Machine {
    fn open(size: u32) -> Driver<Self> {
        Self::open(sized(size)).unwrap()
    }

    fn most_turns(size: u32) -> u32 {
        let Input { seats, change, settings, .. } = sized(size);
        let judged = seats.len() * change.batches.len() * (1 + settings.max_rounds as usize);
        let composed = match settings.compose {
            Compose::Never => 0,
            Compose::Auto if seats.len() < 4 => 0,
            _ => 2 * seats.len() - 1,
        };
        (judged + composed).try_into().unwrap()
    }

    fn decides(outcome: &Outcome) -> bool {
        outcome.outcome.closes()
            || outcome.verdict != Verdict::Undecided
            || outcome.result.composed_by.is_some()
    }
}
