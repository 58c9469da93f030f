//! Inputs, critiques and a driver for this protocol's tests.

use super::input::{Artifact, Input, Perspective, SkippedPerspective, Substitute, Task};
use super::machine::Machine;
use super::model::{Critique, Outcome, RiskLevel};
use crate::kernel::{Answer, Driver, Reply, Respondent, Turn};
use crate::protocol::conformance::Subject;
use crate::protocol::prompt::Prompts;
pub(crate) use crate::protocol::testing::{BOUNDARY, asked, done, raw, said, seated};

/// The five perspectives: name, agent, vendor, title, aspects examined.
pub(crate) const FIVE: [(&str, &str, &str, &str, &[&str]); 5] = [
    ("product", "gemini", "google", "product manager", &["market fit", "user value"]),
    ("technical", "codex", "openai", "tech lead", &["feasibility", "tech debt"]),
    ("quality", "claude", "anthropic", "QA lead", &["completeness", "testability"]),
    ("risk", "gemini", "google", "risk analyst", &["risks", "dependencies"]),
    (
        "coverage",
        "gemini",
        "google",
        "requirements analyst",
        &["completeness of requirements", "traceability"],
    ),
];

/// Returns a perspective by name; an unknown name is a user's own perspective, answered by `local` of `home`.
pub(crate) fn perspective(name: &str) -> Perspective {
    let known = FIVE.iter().find(|(known, ..)| *known == name);
    Perspective {
        name: name.to_owned(),
        title: known.map_or("passer-by", |known| known.3).to_owned(),
        looks_at: known.map_or_else(
            || vec!["anything".to_owned()],
            |known| known.4.iter().map(|&thing| thing.to_owned()).collect(),
        ),
        rates_risk: name == "risk",
        needs_context: name == "coverage",
        plays: known
            .map_or_else(|| "discuss-perspective".to_owned(), |_| format!("discuss-{name}")),
        stands_in: None,
    }
}

/// Returns the respondent of a perspective.
pub(crate) fn sits(name: &str) -> Respondent {
    let known = FIVE.iter().find(|(known, ..)| *known == name);
    known.map_or_else(|| seated("local", "home"), |known| seated(known.1, known.2))
}

pub(crate) fn artifact(name: &str, text: &str) -> Artifact {
    Artifact {
        name: name.to_owned(),
        text: text.to_owned(),
        sha256: "0".repeat(64),
        bytes: text.len().try_into().unwrap(),
    }
}

/// Returns the input of a critique from perspectives by name: `input("product risk")`.
pub(crate) fn input(names: &str) -> Input {
    let names: Vec<&str> = names.split_whitespace().collect();
    Input {
        task: Task {
            round_id: "DISCUSS-002".to_owned(),
            preset: None,
            artifact: artifact(
                "spec/product-brief.md",
                "# Product brief\n\nOne shop for bicycle parts.\n\nTBD: who pays?\n",
            ),
            context: Some(artifact(
                "spec/discovery-context.json",
                "{\n  \"requirements\": [\"Orders can be returned\"]\n}\n",
            )),
            perspectives: names.iter().map(|name| perspective(name)).collect(),
            skipped: Vec::new(),
            sign_off: false,
            revisions: 0,
            role: None,
            task_id: None,
            folder: None,
            apply_policy: false,
            notes: Vec::new(),
        },
        seats: names.iter().map(|name| ((*name).to_owned(), sits(name))).collect(),
        prompts: Prompts::new(BOUNDARY),
    }
}

pub(crate) fn machine(names: &str) -> Driver<Machine> {
    Machine::open(input(names)).unwrap()
}

pub(crate) fn skipped(name: &str, why: &str) -> SkippedPerspective {
    let seated = sits(name);
    SkippedPerspective {
        name: name.to_owned(),
        agent: seated.agent,
        vendor: seated.vendor,
        why: why.to_owned(),
    }
}

/// Replaces a perspective's agent by a stand-in.
pub(crate) fn stand_in(input: &mut Input, name: &str, by: Respondent) {
    let own = input.seats.insert(name.to_owned(), by).unwrap();
    let mut perspectives = input.task.perspectives.iter_mut();
    let perspective = perspectives.find(|each| each.name == name).unwrap();
    perspective.stands_in = Some(Substitute {
        why: format!("`{}` is not installed", own.agent),
        agent: own.agent,
        vendor: own.vendor,
    });
}

/// Returns a critique that raises nothing.
pub(crate) fn critique(rating: u8) -> Critique {
    Critique { rating, ..Critique::default() }
}

/// Returns the critique of a script: a rating, then `w` for a weakness, `s` for a suggestion, `+` for a strength, `r`
/// for a risk, `g` for a missing requirement of the context, and `l`, `m`, `h`, `c` for a risk level: `2wh`. Fields that a
/// perspective owes are present; the level is `low` by default. The texts share no words, not even between
/// perspectives.
pub(crate) fn said_by(name: &str, script: &str) -> Critique {
    let mut critique = critique(script[..1].parse().unwrap());
    if name == "risk" {
        critique.risk_level = Some(RiskLevel::Low);
    }
    for letter in script[1..].chars() {
        let point = |kind: &str| vec![format!("{name}{kind} {name}{kind}ed {kind}{name}")];
        match letter {
            '+' => critique.strengths = point("praise"),
            'w' => critique.weaknesses = point("fault"),
            's' => critique.suggestions = point("change"),
            'r' => critique.risks = point("danger"),
            'g' => {
                let gap = point("gap").concat();
                critique.missing_requirements = vec![format!("'Orders can be returned': {gap}")];
            }
            'l' => critique.risk_level = Some(RiskLevel::Low),
            'm' => critique.risk_level = Some(RiskLevel::Medium),
            'h' => critique.risk_level = Some(RiskLevel::High),
            'c' => critique.risk_level = Some(RiskLevel::Critical),
            other => panic!("{other}"),
        }
    }
    critique
}

/// Returns the answers of a step, one word each in the order of the turns: a script as in [`said_by`]; `.` fails, `?`
/// is unreadable, and a word that ends with `!` was given by the fallback agent `opus` of `anthropic`.
pub(crate) fn answers(machine: &Driver<Machine>, scripts: &str) -> Vec<Answer<Reply<Critique>>> {
    let turns = asked(machine);
    let scripts: Vec<&str> = scripts.split_whitespace().collect();
    assert_eq!(turns.len(), scripts.len());
    let answer = |(turn, script): (&Turn, &str)| {
        let (script, fell_back) = match script.strip_suffix('!') {
            Some(script) => (script, true),
            None => (script, false),
        };
        let text = match script {
            "." => None,
            "?" => Some("I would rather not say.".to_owned()),
            script => Some(said_by(&turn.role, script).render()),
        };
        let mut answer = said(machine, turn, text.as_deref());
        if fell_back {
            let own = answer.respondent.agent;
            answer.respondent = seated("opus", "anthropic");
            answer.respondent.fell_back_from = Some(own);
        }
        answer
    };
    turns.iter().zip(scripts).map(answer).collect()
}

/// Runs a critique to its end.
pub(crate) fn run(names: &str, scripts: &str) -> Outcome {
    let mut machine = machine(names);
    let answers = answers(&machine, scripts);
    machine.apply(answers);
    done(&machine)
}

impl Subject for Machine {
    fn open(size: u32) -> Driver<Self> {
        let count = 1 + usize::try_from(size).unwrap() % 5;
        let names: Vec<&str> = FIVE.iter().take(count).map(|five| five.0).collect();
        machine(&names.join(" "))
    }

    /// One step asks each perspective once.
    fn most_turns(size: u32) -> u32 {
        1 + size % 5
    }

    fn decides(outcome: &Outcome) -> bool {
        outcome.outcome.closes()
            || outcome.result.severity.is_some()
            || outcome.result.recommendation.is_some()
    }
}
