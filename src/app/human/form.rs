//! Plain questions whose answers become the reply that a turn requires.
//!
//! | turn | questions, in this order |
//! |---|---|
//! | a reply to a defense | accept it (a resolution) or counter it; then as below |
//! | argument | its text; a resolution's points; concerns (challenge, counter); how open concerns are met (defense, resolution); evidence; feasibility; confidence |
//! | stances | for each point and concern: agree, partly or disagree, why, and for partly the wording required; what is missing |
//! | remark | the remark |
//! | facts | for each question: what holds, or nothing |
//!
//! A form is a pure state machine from lines to a reply: it does not know about terminals. An invalid line is asked
//! for again, and the entries can be made anew before they are sent. The end of the input (Ctrl-D) sends the entries
//! if they make a valid answer: an argument needs its text, a resolution a point, stances one on each item. Anything
//! less is not an answer, since silence is not a stance.

use serde_json::json;

use super::seat::{Word, owed};
use crate::agent::person::PersonReply;
use crate::contract::template::block;
use crate::protocol::argument::contract::ARGUMENT;
use crate::protocol::clarify::FACTS;
use crate::protocol::debate::Stance;
use crate::protocol::debate::contract::STANCES;
use crate::protocol::debate::model::{MAX_POINTS, TEXT_CHARS};
use crate::protocol::debate::typed::ArgumentType;
use crate::protocol::facts::FACT_CHARS;
use crate::report::human::{self, PersonQuestion};
use crate::text::sanitize;
use draft::Draft;
use line::{ListState, listed, number, rating, stance};

mod draft;
mod line;

/// Maximum characters of a one-line answer.
const LINE_CHARS: usize = 500;

/// The effect of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// The next question follows.
    Ask,
    /// The same question is repeated, with the reason.
    Again(String),
    /// The reply is complete, or there will be none.
    Done(PersonReply),
}

/// The field that is being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    /// Whether a defense is accepted.
    Choice,
    Text,
    Point,
    Importance,
    Concern,
    /// The answer to the open concern at this index.
    Met(usize),
    Evidence,
    Feasibility,
    Confidence,
    /// The stance on the item at this index.
    Stance(usize),
    Reason(usize),
    Amendment(usize),
    Missing,
    Remark,
    /// The answer to the question at this index.
    Fact(usize),
    Send,
}

/// The questions of one turn.
#[derive(Debug, Clone)]
pub(super) struct Form {
    asked: PersonQuestion,
    /// The kinds of reply allowed: one, or two to choose from.
    words: Vec<Word>,
    word: Option<Word>,
    field: Field,
    draft: Draft,
}

impl Form {
    /// Starts the form of a turn.
    pub(super) fn new(asked: PersonQuestion) -> Self {
        let words = owed(&asked.turn);
        let mut form =
            Self { asked, words, word: None, field: Field::Choice, draft: Draft::default() };
        form.restart();
        form
    }

    fn restart(&mut self) {
        self.draft = Draft::default();
        self.word = match self.words.as_slice() {
            [word] => Some(*word),
            _ => None,
        };
        self.field = self.first();
    }

    fn first(&self) -> Field {
        match self.word {
            None => Field::Choice,
            Some(Word::Argument(_)) => Field::Text,
            Some(Word::Stances) => self.stance_at(0),
            Some(Word::Remark) => Field::Remark,
            Some(Word::Facts) => self.fact_at(0),
        }
    }

    /// Returns the text before the first question.
    pub(super) fn opening(&self) -> String {
        human::opening(&self.asked)
    }

    /// Returns the question; it does not end with a newline if the answer goes on the same line.
    pub(super) fn question(&self) -> String {
        let list = |count: usize, what: &str| {
            if count == 0 {
                format!("{what} One per line; end with an empty line.\n> ")
            } else {
                "> ".to_owned()
            }
        };
        match self.field {
            Field::Choice => "Does the defense convince you? a: accept it and write the resolution; c: counter it > ".to_owned(),
            Field::Text if self.draft.text.is_empty() => {
                format!("{} End with an empty line.\n> ", self.task())
            }
            Field::Text => "> ".to_owned(),
            Field::Point => list(
                self.draft.points.len(),
                "Its points, each of which the other side will agree to or not.",
            ),
            Field::Importance => "  How much depends on it, 1 to 3? Enter: 2 > ".to_owned(),
            Field::Concern => list(self.draft.concerns.len(), "Your concerns."),
            Field::Met(at) => {
                let concern = self.to_meet().nth(at).map(human::item);
                let concern = concern.unwrap_or_default();
                format!("How is this concern met? Enter: it is not.\n{concern}\n> ")
            }
            Field::Evidence => list(
                self.draft.evidence.len(),
                "Evidence: `path:line`, a \"quoted passage\", a source, or nothing.",
            ),
            Field::Feasibility => {
                "How feasible is what is on the table, 1 (hardly) to 5 (easily)? Enter: no rating > "
                    .to_owned()
            }
            Field::Confidence => "How sure are you, 0 to 100 %? Enter: no answer > ".to_owned(),
            Field::Stance(at) => {
                let item = self.item(at).map(human::item).unwrap_or_default();
                format!("{item}\na: agree as it stands; p: partly; d: disagree > ")
            }
            Field::Reason(_) => "Why? > ".to_owned(),
            Field::Amendment(_) => "How would it have to read? Enter: no answer > ".to_owned(),
            Field::Missing => list(
                self.draft.missing.len(),
                "What does the resolution leave out?",
            ),
            Field::Remark => "A remark for both sides, or Enter to continue: ".to_owned(),
            Field::Fact(at) => {
                let asked = self.asked.questions.get(at).map(human::question).unwrap_or_default();
                format!("{asked}\nYour answer, or Enter to skip it > ")
            }
            Field::Send => "Enter: send it; `again`: start over > ".to_owned(),
        }
    }

    /// Returns the prompt for an argument's text.
    fn task(&self) -> &'static str {
        match self.word {
            Some(Word::Argument(ArgumentType::Proposal)) => {
                "PROPOSAL: what should be done, and why?"
            }
            Some(Word::Argument(ArgumentType::Challenge)) => {
                "CHALLENGE: what speaks against the proposal?"
            }
            Some(Word::Argument(ArgumentType::Defense)) => {
                "DEFENSE: what do you answer to the challenge?"
            }
            Some(Word::Argument(ArgumentType::Counter)) => {
                "COUNTER: what does the defense leave open?"
            }
            Some(Word::Argument(ArgumentType::Resolution)) => {
                "RESOLUTION: what could both sides accept?"
            }
            Some(Word::Stances | Word::Remark | Word::Facts) | None => "",
        }
    }

    /// Returns the item that a stance is asked on.
    fn item(&self, at: usize) -> Option<&human::Item> {
        self.asked.judge.get(at)
    }

    /// Returns the concerns that an argument can meet: those of the other side, and in a resolution its own too.
    fn to_meet(&self) -> impl Iterator<Item = &human::Item> {
        let all = self.word == Some(Word::Argument(ArgumentType::Resolution));
        let concerns = self.asked.concerns.iter();
        concerns.filter(move |concern| all || !self.asked.own.contains(&concern.id))
    }

    /// Processes a line; `None` is the end of the input.
    pub(super) fn take(&mut self, line: Option<&str>) -> Next {
        if self.words.is_empty() {
            let what = format!("a person cannot be asked {}", self.asked.turn);
            return Next::Done(PersonReply::Refused(what));
        }
        let Some(line) = line else {
            return Next::Done(self.end());
        };
        // Arrow keys and the like arrive as control sequences, which the person did not mean to enter.
        let line = sanitize::terminal(line);
        let line = line.trim();
        let (before, most) = match self.word {
            Some(Word::Argument(_)) if self.field == Field::Text => {
                (self.draft.text.chars().count(), TEXT_CHARS)
            }
            Some(Word::Remark) => (0, TEXT_CHARS),
            Some(Word::Facts) => (0, FACT_CHARS),
            Some(Word::Argument(_) | Word::Stances) | None => (0, LINE_CHARS),
        };
        if before + line.chars().count() > most {
            let message =
                format!("That is more than {most} characters: the line was not accepted.");
            return Next::Again(message);
        }
        match self.enter(line) {
            Ok(Some(next)) => {
                self.field = next;
                Next::Ask
            }
            Ok(None) => Next::Done(self.reply()),
            Err(why) => Next::Again(why.to_owned()),
        }
    }

    /// Handles the end of the input: the entries are sent if they make a valid answer.
    fn end(&mut self) -> PersonReply {
        if self.field == Field::Importance {
            let point = std::mem::take(&mut self.draft.point);
            self.draft.points.push((point, 2));
        } else if let Field::Amendment(at) = self.field {
            self.field = self.taken(at, "");
        }
        let draft = &self.draft;
        let is_answer = match self.word {
            Some(Word::Argument(ArgumentType::Resolution)) => {
                !draft.text.is_empty() && !draft.points.is_empty()
            }
            Some(Word::Argument(_)) => !draft.text.is_empty(),
            Some(Word::Stances) => matches!(self.field, Field::Missing | Field::Send),
            Some(Word::Remark | Word::Facts) => true,
            None => false,
        };
        if is_answer {
            self.reply()
        } else {
            let turn = &self.asked.turn;
            PersonReply::Nothing(format!("the input ended before {turn} was complete"))
        }
    }

    /// Returns the turn's id.
    pub(super) fn turn(&self) -> &str {
        &self.asked.turn
    }

    /// Enters a line in the current field. Returns the next field, `None` if the reply is complete.
    #[expect(clippy::too_many_lines, reason = "an arm for each field")]
    fn enter(&mut self, line: &str) -> Result<Option<Field>, &'static str> {
        let draft = &mut self.draft;
        let next = match self.field {
            Field::Choice => {
                let kind = match &*line.to_lowercase() {
                    "a" | "accept" => ArgumentType::Resolution,
                    "c" | "counter" => ArgumentType::Counter,
                    _ => return Err("Please type a or c."),
                };
                self.word = Some(Word::Argument(kind));
                Field::Text
            }
            Field::Text if !line.is_empty() => {
                draft.text.push_str(line);
                draft.text.push('\n');
                Field::Text
            }
            Field::Text if draft.text.is_empty() => return Err("An argument needs some text."),
            Field::Text => self.after_text(),
            Field::Point if line.is_empty() => {
                if draft.points.is_empty() {
                    return Err("A resolution needs a point.");
                }
                self.met_at(0)
            }
            Field::Point if draft.points.len() == MAX_POINTS => {
                return Err("That is enough: continue with an empty line.");
            }
            Field::Point => {
                line.clone_into(&mut draft.point);
                Field::Importance
            }
            Field::Importance => {
                let importance = rating(line, 3, "Please type 1, 2 or 3, or just press Enter.")?;
                draft.points.push((draft.point.clone(), importance.unwrap_or(2)));
                Field::Point
            }
            Field::Concern => match listed(&mut draft.concerns, line)? {
                ListState::Yes => Field::Concern,
                ListState::No => Field::Evidence,
            },
            Field::Met(at) => {
                let id = self.to_meet().nth(at).map(|concern| concern.id.clone());
                if let Some(id) = id.filter(|_| !line.is_empty()) {
                    self.draft.met.push((id, line.to_owned()));
                }
                self.met_at(at + 1)
            }
            Field::Evidence => match listed(&mut draft.evidence, line)? {
                ListState::Yes => Field::Evidence,
                ListState::No => Field::Feasibility,
            },
            Field::Feasibility => {
                draft.feasibility = rating(line, 5, "Please type 1 to 5, or just press Enter.")?;
                Field::Confidence
            }
            Field::Confidence => {
                let percent = line.trim_end_matches('%').trim_end();
                draft.percent = match percent {
                    "" => None,
                    percent => {
                        let why = "Please type 0 to 100, or just press Enter.";
                        Some(number(percent, 0, 100).ok_or(why)?)
                    }
                };
                Field::Send
            }
            Field::Stance(at) => {
                draft.stance = Some(stance(line)?);
                Field::Reason(at)
            }
            Field::Reason(_) if line.is_empty() => return Err("A stance needs a reason."),
            Field::Reason(at) => {
                line.clone_into(&mut draft.reason);
                match draft.stance {
                    Some(Stance::Partly) => Field::Amendment(at),
                    Some(Stance::Agree | Stance::Disagree) | None => self.taken(at, ""),
                }
            }
            Field::Amendment(at) => self.taken(at, line),
            Field::Missing => match listed(&mut draft.missing, line)? {
                ListState::Yes => Field::Missing,
                ListState::No => Field::Send,
            },
            Field::Remark => {
                line.clone_into(&mut draft.text);
                return Ok(None);
            }
            Field::Fact(at) => {
                let id = self.asked.questions.get(at).map(|asked| asked.id.clone());
                if let Some(id) = id.filter(|_| !line.is_empty()) {
                    draft.facts.push(json!({ "id": id, "answer": line }));
                }
                self.fact_at(at + 1)
            }
            Field::Send => match &*line.to_lowercase() {
                "" => return Ok(None),
                "again" => {
                    self.restart();
                    self.field
                }
                _ => return Err("Please press Enter, or type `again`."),
            },
        };
        Ok(Some(next))
    }

    /// Returns the field that follows an argument's text.
    fn after_text(&self) -> Field {
        match self.word {
            Some(Word::Argument(ArgumentType::Challenge | ArgumentType::Counter)) => Field::Concern,
            Some(Word::Argument(ArgumentType::Resolution)) => Field::Point,
            Some(Word::Argument(ArgumentType::Defense)) => self.met_at(0),
            Some(
                Word::Argument(ArgumentType::Proposal) | Word::Stances | Word::Remark | Word::Facts,
            )
            | None => Field::Evidence,
        }
    }

    fn met_at(&self, at: usize) -> Field {
        if self.to_meet().nth(at).is_some() { Field::Met(at) } else { Field::Evidence }
    }

    fn stance_at(&self, at: usize) -> Field {
        if self.item(at).is_some() { Field::Stance(at) } else { Field::Missing }
    }

    fn fact_at(&self, at: usize) -> Field {
        if at < self.asked.questions.len() { Field::Fact(at) } else { Field::Send }
    }

    /// Records the stance that was collected in parts, and returns the next field.
    fn taken(&mut self, at: usize, amendment: &str) -> Field {
        let id = self.item(at).map(|item| item.id.clone());
        if let (Some(id), Some(stance)) = (id, self.draft.stance.take()) {
            let mut said =
                json!({ "point": id, "stance": stance.name(), "reason": self.draft.reason });
            if !amendment.is_empty() {
                said["amendment"] = amendment.into();
            }
            self.draft.stances.push(said);
        }
        self.stance_at(at + 1)
    }

    /// Returns the reply.
    fn reply(&self) -> PersonReply {
        match self.word {
            Some(Word::Argument(kind)) => {
                PersonReply::Reply(block(ARGUMENT.name(), &self.draft.argument(kind).to_string()))
            }
            Some(Word::Stances) => {
                let body = json!({ "stances": self.draft.stances, "missing": self.draft.missing });
                PersonReply::Reply(block(STANCES.name(), &body.to_string()))
            }
            Some(Word::Remark) => crate::app::human::lines::remark(&self.draft.text),
            Some(Word::Facts) => {
                let body = json!({ "facts": self.draft.facts });
                PersonReply::Reply(block(FACTS.name(), &body.to_string()))
            }
            None => PersonReply::Refused("nothing was chosen".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
