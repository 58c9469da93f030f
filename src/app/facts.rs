//! Facts for a debate or a plan: stated beforehand (`--facts`), or asked for (`--clarify`).
//!
//! A file of facts has one fact a line. A list mark at the beginning of a line is dropped; blank lines and headings
//! are skipped.

use clap::{Args, ValueHint};

use crate::app::input::Input;
use crate::app::run::panel::SeatHolder;
use crate::app::run::workspace::Workspace;
use crate::app::show::Gate;
use crate::app::word::some;
use crate::error::{Error, Kind};
use crate::kernel::{HUMAN, round_of, task_of};
use crate::protocol::clarify::{CLARIFIER, FACTS_TASK, Mode};
use crate::protocol::debate::PERSON;
use crate::protocol::facts::{FACT_CHARS, Fact, Facts, MAX_FACTS};
use crate::session::StoredSession;
use crate::text::sanitize;

/// What becomes of the questions.
const MODES: [(Mode, &str); 2] =
    [(Mode::Ask, "You are asked at the terminal"), (Mode::List, "They are kept as assumptions")];

/// Facts that only the person knows.
#[derive(Debug, Clone, Default, Args)]
pub struct FactsRequest {
    /// Facts that you state beforehand, one a line; `-` reads them from standard input.
    #[arg(long = "facts", hide_short_help = true, value_name = "FACTS", value_parser = Input::file(), value_hint = ValueHint::AnyPath)]
    pub stated: Option<Input>,
    /// Have at most five questions asked first, about facts that would change the answer: `ask` you at the terminal
    /// (the default), or `list` them as assumptions.
    #[arg(long, hide_short_help = true, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "ask", value_parser = some(&MODES))]
    pub clarify: Option<Mode>,
}

/// Maximum bytes of a file of facts.
const MOST_BYTES: u64 = 64 << 10;

/// Reads the file of facts, if one is given.
///
/// # Errors
/// It cannot be read or is too large.
pub(crate) fn read(facts: Option<&mut Input>, workspace: &Workspace) -> Result<(), Error> {
    let Some(facts) = facts else { return Ok(()) };
    let given = matches!(facts, Input::File(_));
    facts.read(workspace, MOST_BYTES + 1, "facts, one a line")?;
    let (name, bytes) = facts.named();
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST_BYTES {
        let what = format!("{name} has more than {MOST_BYTES} bytes");
        return Err(refused(what, "a fact is a sentence; a document goes with `--file`"));
    }
    let text = str::from_utf8(bytes).map_err(|error| {
        refused(format!("{name} is not UTF-8"), "save it as UTF-8").because(error)
    })?;
    if let Some(why) = Gate::secret_text(text).filter(|_| given) {
        let what = format!("{name} would be shown to every agent: {why}");
        return Err(refused(what, "leave it out, or copy what matters into another file"));
    }
    if given && lines(text).next().is_none() {
        return Err(refused(format!("{name} contains no fact"), "write one fact a line"));
    }
    Ok(())
}

/// Returns facts that a program gives one by one, as an input.
pub(crate) fn listed(facts: &[String]) -> Input {
    let lines = facts.iter().map(|fact| format!("- {}\n", sanitize::line(fact, usize::MAX)));
    Input::words(lines.collect::<String>())
}

fn refused(what: String, hint: &str) -> Error {
    Error::new(Kind::Input, what).named("facts").hint(hint)
}

/// Parses facts that were read.
///
/// # Errors
/// There are too many, or one is too long for a prompt.
pub(crate) fn parse(facts: Option<&Input>) -> Result<Facts, Error> {
    let mut told = Vec::new();
    for (number, line) in lines(facts.map_or("", Input::text)) {
        if line.chars().count() > FACT_CHARS {
            let what = format!("the fact in line {number} has more than {FACT_CHARS} characters");
            return Err(refused(what, "a fact is a sentence; a document goes with `--file`"));
        }
        told.push(Fact::stated(line));
    }
    if told.len() > MAX_FACTS {
        let what = format!("{} facts are given; at most {MAX_FACTS} are allowed", told.len());
        return Err(refused(what, "name those on which the answer depends"));
    }
    Ok(Facts { told, ..Facts::default() })
}

/// Returns the lines with facts, numbered from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let facts = lines.filter(|(_, line)| !line.starts_with('#'));
    let facts = facts.map(|(number, line)| {
        let marked = ["- ", "* "].iter().find_map(|mark| line.strip_prefix(mark));
        (number, marked.unwrap_or(line).trim())
    });
    facts.filter(|(_, line)| !line.is_empty())
}

/// Seats the agent that asks for facts, and the person who states them. The agent is the one that the role names,
/// else the first participant.
pub(crate) fn seat(workspace: &Workspace, mode: Option<Mode>, places: &mut Vec<SeatHolder>) {
    let Some(mode) = mode else {
        return;
    };
    let own = workspace.effective.config.roles.get(CLARIFIER).and_then(|role| role.agent.clone());
    let first = places.iter().map(|place| &place.agent).find(|agent| *agent != HUMAN);
    let Some(agent) = own.or_else(|| first.cloned()) else {
        return;
    };
    let has_person = places.iter().any(|place| place.seat == PERSON);
    places.push(SeatHolder::new(CLARIFIER, &agent, CLARIFIER));
    if mode == Mode::Ask && !has_person {
        places.push(SeatHolder::new(PERSON, HUMAN, PERSON));
    }
}

/// Whether a resume may still have to ask the person of a stored session for facts. `from_round`: the round from which
/// on it is asked again; 1 keeps nothing.
pub(crate) fn asks_person(
    stored: &StoredSession,
    mode: Option<Mode>,
    from_round: Option<u32>,
) -> bool {
    let known = stored.ledger.turns();
    let answered = known
        .keys()
        .any(|turn| task_of(turn) == FACTS_TASK || round_of(turn).is_some_and(|round| round > 0));
    mode == Some(Mode::Ask) && (from_round == Some(1) || !answered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_fact() {
        let text = "# What we know\n\n- The workers run in one rack.\n* Twelve people\n  #3 is open\n-5 degrees\n";
        let facts = parse(Some(&Input::words(text))).unwrap();
        let told: Vec<&str> = facts.told.iter().map(|fact| &*fact.text).collect();
        assert_eq!(told, ["The workers run in one rack.", "Twelve people", "-5 degrees"]);
        assert!(facts.assumed.is_empty());
        assert!(parse(Some(&Input::default())).unwrap().is_empty());
        let given = ["#3 is open".to_owned(), "two\nlines".to_owned()];
        let facts = parse(Some(&listed(&given))).unwrap();
        let told: Vec<&str> = facts.told.iter().map(|fact| &*fact.text).collect();
        assert_eq!(told, ["#3 is open", "two lines"]);
    }

    #[test]
    fn what_does_not_fit_is_refused_and_not_cut() {
        let long = "x".repeat(FACT_CHARS + 1);
        assert!(parse(Some(&Input::words(long))).unwrap_err().to_string().contains("line 1"));
        let many = "a fact\n".repeat(MAX_FACTS + 1);
        assert!(parse(Some(&Input::words(many))).unwrap_err().to_string().contains("51 facts"));
    }
}
