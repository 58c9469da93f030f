//! The state machine: the questions, the person's answers, then the protocol itself.

use std::fmt::Debug;

use serde_json::{Value, json};

use super::contract::{self, CLARIFIER, CLARIFY, FACTS, FACTS_TASK};
use super::model::{Answer as FactAnswer, MAX_QUESTIONS, Mode, Question, question_id};
use crate::contract::{ReplyReader, ReplyRules};
use crate::kernel::{
    Answer, Answers, Chance, Defect, Draft, Driver, Prompt, Protocol, Query, RawReply, Reply, Run,
    Seat, SessionOutcome, Step, Stop, Turn, TurnId, Warning, round_of,
};
use crate::protocol::debate::PERSON;
use crate::protocol::facts::{Fact, Facts};
use crate::protocol::prompt::{Asked, Prompts};
use crate::text::{Note, fence};

/// A protocol that can be opened again with more facts.
pub(crate) trait Informed: Protocol + Clone {
    type Input: Clone + Debug;

    /// Opens it from this input with these facts; `None` if that fails.
    fn informed(input: &Self::Input, facts: &Facts) -> Option<Self>;
}

/// A protocol with the questions before it.
#[derive(Debug, Clone)]
pub(crate) struct Clarified<P: Informed> {
    inner: P,
    input: P::Input,
    facts: Facts,
    mode: Mode,
    stage: Stage,
    prompts: Prompts,
}

/// The stage that a session has reached.
#[derive(Debug, Clone)]
enum Stage {
    /// The questions are asked for; the text that all agents are shown.
    Asking(String),
    /// The person is asked.
    Answering(Vec<Question>),
    /// The protocol runs.
    Open,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Purpose<A> {
    Questions,
    /// The person is asked.
    Facts,
    /// As the protocol says.
    Own(A),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content<C> {
    Questions(Vec<Question>),
    /// A reply that could not be read, with the reason.
    Unreadable(String),
    /// The person's answers.
    Facts(Vec<FactAnswer>),
    /// As the protocol says.
    Own(C),
}

/// The outcome of the protocol, and the facts on which it was reached.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome<O> {
    pub(crate) inner: O,
    /// What was known and what was assumed.
    pub(crate) facts: Facts,
}

/// Puts the questions before a protocol that was opened from `input`, if `mode` says that they are asked. `facts`:
/// those in the input.
pub(crate) fn open<P: Informed>(
    inner: Driver<P>,
    input: P::Input,
    facts: &Facts,
    mode: Option<Mode>,
    prompts: &Prompts,
) -> Driver<Clarified<P>> {
    let first = match inner.step() {
        Step::Ask { turns, .. } => turns.first().map(|query| query.turn.prompt.stable.clone()),
        Step::Done(_) => None,
    };
    let clarified = |inner: P, stage: Stage| Clarified {
        inner,
        input,
        facts: facts.clone(),
        mode: mode.unwrap_or(Mode::List),
        stage,
        prompts: prompts.clone(),
    };
    if let (Some(_), Some(shown)) = (mode, first) {
        let machine = clarified(inner.protocol().clone(), Stage::Asking(shown));
        return Driver::new(machine, inner.run().clone(), &[], &prompts.boundary);
    }
    let outcome = |inner| Outcome { inner, facts: facts.clone() };
    inner.wrap(|inner| clarified(inner, Stage::Open), Purpose::Own, outcome)
}

impl<P: Informed> Clarified<P> {
    fn ask_for_questions(&self, shown: &str) -> Query<Purpose<P::Ask>> {
        let draft = self.prompts.draft(Asked {
            turn: &TurnId::in_round(0, "clarify"),
            role: CLARIFIER,
            stable: shown,
            blocks: &[&CLARIFY.outline],
            data: json!({ "most_questions": MAX_QUESTIONS }),
            shown: None,
        });
        draft.to(CLARIFIER, Purpose::Questions)
    }

    fn ask_the_person(&self, questions: &[Question]) -> Query<Purpose<P::Ask>> {
        let id = TurnId::in_round(0, FACTS_TASK);
        let questions = questions.iter().enumerate().map(|(index, question)| {
            let Question { question, why, assume } = question;
            json!({ "id": question_id(index), "question": question, "why": why, "assume": assume })
        });
        let data = json!({ "questions": questions.collect::<Vec<_>>() });
        let (data, _) =
            fence::fence("questions of an agent", &format!("{data:#}"), &self.prompts.boundary);
        let prompt = Prompt {
            stable: String::new(),
            varying: format!(
                "turn: {id}\n\n# This turn\n\nAnswer each question, or skip it.\n\n{}",
                data.trim_end()
            ),
            contract: contract::answers(),
        };
        let blocks = vec![FACTS.outline.want()];
        let (plays, notes, shown) = (PERSON.to_owned(), Vec::new(), Value::Null);
        Draft { id, plays, prompt, blocks, notes, shown }.to(PERSON, Purpose::Facts)
    }

    /// Opens the protocol with what is known now.
    fn begin(&mut self, run: &mut Run) {
        if let Some(informed) = P::informed(&self.input, &self.facts) {
            self.inner = informed;
        } else {
            let message = "the facts could not be put into the prompts; agents answer without those asked for";
            run.warn(&Note::new("facts_not_shown", message), None);
        }
        self.stage = Stage::Open;
    }

    /// Takes the answers to the questions; a question without one is an assumption.
    fn learn(&mut self, questions: &[Question], answers: &[FactAnswer]) {
        for (index, Question { question, assume, .. }) in questions.iter().enumerate() {
            let id = question_id(index);
            match answers.iter().find(|answer| answer.id == id) {
                Some(answer) => self.facts.told.push(Fact::on(question, &answer.answer)),
                None => self.facts.assumed.push(Fact::on(question, assume)),
            }
        }
    }

    fn own(answers: Answers<Self>) -> Answers<P> {
        let own = answers.into_iter().filter_map(|(ask, answer)| {
            let Purpose::Own(ask) = ask else { return None };
            let result = match answer.result.clone() {
                Ok(Content::Own(said)) => Ok(said),
                Ok(_) => return None,
                Err(failure) => Err(failure),
            };
            Some((ask, answer.map(|_| result)))
        });
        own.collect()
    }
}

/// Reads the questions or the answers; nothing in them is worth a second call.
fn read<T>(reply: &RawReply, block: &crate::contract::Block<T>) -> Result<(T, Vec<Note>), Defect> {
    let rules = ReplyRules { chance: Chance::Last, ..ReplyRules::default() };
    let mut reading = ReplyReader::of(reply, &[&block.outline], rules)?;
    let said = reading.read(block, |_, said| Some(said));
    reading.close(said)
}

fn unreadable<C>(defect: &Defect) -> Reply<Content<C>> {
    let why = defect.problems.first().map(|problem| problem.message.clone()).unwrap_or_default();
    Reply { content: Content::Unreadable(why), notes: Vec::new() }
}

impl<P: Informed> Protocol for Clarified<P> {
    type Ask = Purpose<P::Ask>;
    type Content = Content<P::Content>;
    type Outcome = Outcome<P::Outcome>;

    const STAGES: &'static [crate::kernel::Stage] = P::STAGES;
    const DEFUSED: &'static str = P::DEFUSED;

    fn next(&self, run: &Run) -> Step<Self::Outcome, Query<Self::Ask>> {
        match &self.stage {
            Stage::Asking(shown) => {
                Step::Ask { opens_round: None, turns: vec![self.ask_for_questions(shown)] }
            }
            Stage::Answering(questions) => {
                Step::Ask { opens_round: None, turns: vec![self.ask_the_person(questions)] }
            }
            Stage::Open => match self.inner.next(run) {
                Step::Ask { opens_round, turns } => {
                    let turns = turns.into_iter().map(|query| query.map(Purpose::Own)).collect();
                    Step::Ask { opens_round, turns }
                }
                Step::Done(inner) => Step::Done(Outcome { inner, facts: self.facts.clone() }),
            },
        }
    }

    fn read(
        &self,
        ask: &Self::Ask,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Self::Content>, Defect> {
        match ask {
            Purpose::Questions => Ok(match read(reply, &CLARIFY) {
                Ok((said, notes)) => Reply { content: Content::Questions(said.questions), notes },
                Err(defect) => unreadable(&defect),
            }),
            Purpose::Facts => Ok(match read(reply, &FACTS) {
                Ok((said, notes)) => Reply { content: Content::Facts(said.facts), notes },
                Err(defect) => unreadable(&defect),
            }),
            Purpose::Own(ask) => {
                self.inner.read(ask, reply, chance).map(|reply| reply.map(Content::Own))
            }
        }
    }

    fn data(&self, ask: &Self::Ask, turn: &Turn, run: &Run) -> Value {
        match ask {
            Purpose::Questions => json!({ "clarify": { "ask": "questions" } }),
            Purpose::Facts => Value::Null,
            Purpose::Own(ask) => self.inner.data(ask, turn, run),
        }
    }

    fn gist(&self, ask: &Self::Ask, said: &Self::Content) -> Vec<String> {
        match (ask, said) {
            (Purpose::Own(ask), Content::Own(said)) => self.inner.gist(ask, said),
            (_, Content::Questions(questions)) => {
                questions.iter().map(|asked| asked.question.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    fn quoted(&self, said: &Self::Content) -> Option<String> {
        match said {
            Content::Questions(questions) => {
                let texts = questions.iter().flat_map(|asked| [&*asked.question, &*asked.assume]);
                Some(texts.collect::<Vec<_>>().join("\n"))
            }
            Content::Facts(facts) => {
                Some(facts.iter().map(|fact| &*fact.answer).collect::<Vec<_>>().join("\n"))
            }
            Content::Unreadable(_) => None,
            Content::Own(said) => self.inner.quoted(said),
        }
    }

    fn attends<'a>(&self, ask: &Self::Ask, role: &'a str) -> &'a str {
        match ask {
            // Neither has a seat in the protocol.
            Purpose::Questions | Purpose::Facts => role,
            Purpose::Own(ask) => self.inner.attends(ask, role),
        }
    }

    fn quorum(&self) -> usize {
        match self.stage {
            Stage::Asking(_) | Stage::Answering(_) => usize::MAX,
            Stage::Open => self.inner.quorum(),
        }
    }

    fn keeps_part(&self) -> bool {
        matches!(self.stage, Stage::Open) && self.inner.keeps_part()
    }

    fn apply(&mut self, mut answers: Answers<Self>, run: &mut Run) {
        if let Stage::Open = self.stage {
            self.inner.apply(Self::own(answers), run);
            return;
        }
        let said = answers.pop().map(|(_, answer)| (answer.turn, answer.result));
        let (turn, result) = said.map_or((None, None), |(turn, said)| (Some(turn), Some(said)));
        let failed = match &result {
            Some(Ok(Content::Unreadable(why))) => Some(format!("the reply cannot be read: {why}")),
            Some(Err(failure)) => Some(failure.to_string()),
            Some(Ok(_)) | None => None,
        };
        let stage = std::mem::replace(&mut self.stage, Stage::Open);
        match (stage, result) {
            (Stage::Asking(_), Some(Ok(Content::Questions(questions))))
                if !questions.is_empty() =>
            {
                match self.mode {
                    Mode::Ask => {
                        self.stage = Stage::Answering(questions);
                        return;
                    }
                    Mode::List => self.learn(&questions, &[]),
                }
            }
            (Stage::Answering(questions), Some(Ok(Content::Facts(facts)))) => {
                self.learn(&questions, &facts);
            }
            (Stage::Answering(questions), _) => {
                self.learn(&questions, &[]);
                let why = failed.unwrap_or_default();
                let message =
                    format!("nobody answered the questions, which are assumptions now: {why}");
                run.warn(&Note::new("not_answered", message), turn.as_ref());
            }
            (_, _) => {
                if let Some(why) = failed {
                    let message = format!("no questions were asked before the first round: {why}");
                    run.warn(&Note::new("not_clarified", message), turn.as_ref());
                }
            }
        }
        self.begin(run);
    }

    fn stop(
        &self,
        why: Stop,
        part: &[(Self::Ask, Answer<Self::Content>)],
        run: &Run,
    ) -> Self::Outcome {
        let inner = self.inner.stop(why, &Self::own(part.to_vec()), run);
        Outcome { inner, facts: self.facts.clone() }
    }
}

impl<O: SessionOutcome> SessionOutcome for Outcome<O> {
    fn name(&self) -> String {
        self.inner.name()
    }

    fn verdict(&self) -> &str {
        self.inner.verdict()
    }

    fn closes(&self) -> bool {
        self.inner.closes()
    }

    /// The session went on without the questions: asked again, they would change every prompt after them.
    fn again(&self, mut failed: Vec<String>) -> Vec<String> {
        failed.retain(|turn| round_of(turn) != Some(0));
        self.inner.again(failed)
    }

    fn seats(&mut self) -> &mut [Seat] {
        self.inner.seats()
    }

    fn warnings(&self) -> &[Warning] {
        self.inner.warnings()
    }
}

#[cfg(test)]
mod tests;
