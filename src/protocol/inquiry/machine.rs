//! The state machine of an inquiry: the questions to ask, and their results.

use serde_json::{Value, json};

use super::input::{self, Input, InputError, Question};
use super::reply::{self, Ask, Content, Features};
use super::{Role, prompt};
use crate::kernel::{
    self, Answer, Answers, Chance, Defect, Driver, EndWord, Ended, Failure, Protocol, Query,
    Quorum, RawReply, Reply, Run, Seat, Stage, Step, Stop, Turn, TurnId,
};
use crate::protocol::seats::respondent;
use crate::words;

words! {
    /// How an inquiry ended.
    #[derive(Hash)]
    pub enum InquiryOutcome {
        /// Every question has an answer.
        Answered = "answered",
        /// Some questions have an answer, others failed.
        Partial = "partial",
        /// Every question failed.
        AgentFailure = "agent_failure",
    }
}

impl EndWord for InquiryOutcome {
    fn closes(self) -> bool {
        self == Self::Answered
    }

    fn decides(self) -> bool {
        self.closes()
    }
}

words! {
    /// Whether an inquiry has its answers.
    #[derive(Hash)]
    pub enum InquiryVerdict {
        /// Every question has one.
        Answered = "answered",
        /// Some have one.
        Partial = "partial",
        /// None has.
        Undecided = "undecided",
    }
}

pub(crate) type Outcome = kernel::Outcome<Ended<InquiryOutcome>, InquiryVerdict, InquiryAnswers>;

/// What came of the questions.
#[derive(Debug, Clone, PartialEq)]
pub struct InquiryAnswers {
    /// The answers, in the order of the questions.
    pub answers: Vec<(TurnId, Content)>,
    /// The failures of turns without an answer, in the order of the questions.
    pub failures: Vec<(TurnId, Failure)>,
    /// Questions that were neither answered nor failed, because a stop came first.
    pub open: Vec<TurnId>,
}

impl InquiryAnswers {
    /// Returns the analyst's answer. `None` means no answer, which differs from an answer without ideas.
    pub fn features(&self) -> Option<&Features> {
        self.answers.iter().find_map(|(_, said)| match said {
            Content::Features(features) => Some(features),
            Content::Fix(_) => None,
        })
    }

    /// Returns the suggested fixes by the ids of their opportunities.
    pub fn fixes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.answers.iter().filter_map(|(turn, said)| match said {
            Content::Fix(text) => Some((turn.strip_prefix("fix/")?, text.as_str())),
            Content::Features(_) => None,
        })
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Machine {
    input: Input,
    /// The part that all prompts share.
    stable: String,
    /// The results of the questions, in their order; `None` until they are answered.
    answers: Option<Answers<Self>>,
}

impl Machine {
    /// Opens an inquiry.
    ///
    /// # Errors
    /// An input that allows no inquiry.
    pub(crate) fn open(input: Input) -> Result<Driver<Self>, InputError> {
        input::check(&input)?;
        let asked = |role: &Role| input.questions.iter().any(|question| question.role() == *role);
        let mut seats = Vec::new();
        for name in Role::ALL.into_iter().filter(asked).map(Role::name) {
            seats.push((name.to_owned(), respondent(&input.seats, name)?));
        }
        let stable = input.prompts.fill("session/inquiry", json!({}));
        let boundary = input.prompts.boundary.clone();
        let machine = Self { input, stable: stable.text, answers: None };
        Ok(Driver::new(machine, Run::new(seats), &stable.notes, &boundary))
    }

    fn query(&self, question: &Question) -> Query<Ask> {
        let draft =
            prompt::prompt(&self.input.prompts, &self.stable, question, input::PROMPT_CHARS);
        draft.to(question.role().name(), question.ask())
    }

    fn outcome(
        &self,
        ended: Ended<InquiryOutcome>,
        came: &[(Ask, Answer<Content>)],
        run: &Run,
    ) -> Outcome {
        let (mut answers, mut failures) = (Vec::new(), Vec::new());
        for (_, answer) in came {
            match &answer.result {
                Ok(said) => answers.push((answer.turn.clone(), said.clone())),
                Err(failure) => failures.push((answer.turn.clone(), failure.clone())),
            }
        }
        let open = self.input.questions.iter().map(Question::turn_id);
        let seats = self.seats(run);
        Outcome {
            outcome: ended,
            verdict: match (ended, answers.is_empty()) {
                (Ended::Closed(InquiryOutcome::Answered), _) => InquiryVerdict::Answered,
                (_, false) => InquiryVerdict::Partial,
                (_, true) => InquiryVerdict::Undecided,
            },
            quorum: Quorum::of(&seats, u32::try_from(seats.len()).unwrap_or(u32::MAX)),
            seats,
            rounds_used: 0,
            failure: failures.first().map(|(_, failure)| failure.clone()),
            warnings: run.warnings().to_vec(),
            result: InquiryAnswers {
                answers,
                failures,
                open: open.filter(|id| came.iter().all(|(_, answer)| answer.turn != *id)).collect(),
            },
        }
    }

    /// Returns the seats. One failed turn of many fails the seat, which states how many failed.
    fn seats(&self, run: &Run) -> Vec<Seat> {
        let seats = run.seats().iter().map(|seat| {
            let role = |question: &&Question| question.role().name() == seat.name;
            let asked = self.input.questions.iter().filter(role).count();
            let failure = seat.failures().next().map(|first| seat.failed_turns(first, asked));
            seat.seat(seat.is_intact(), failure)
        });
        seats.collect()
    }
}

impl Protocol for Machine {
    type Ask = Ask;
    type Content = Content;
    type Outcome = Outcome;

    const STAGES: &'static [Stage] = &[
        Stage::new("features", "features", "looks for features"),
        Stage::new("fix", "fixes", "suggests a fix"),
    ];

    fn next(&self, run: &Run) -> Step<Outcome, Query<Ask>> {
        let Some(answers) = &self.answers else {
            let turns = self.input.questions.iter().map(|question| self.query(question)).collect();
            return Step::Ask { opens_round: None, turns };
        };
        let failed = answers.iter().filter(|(_, answer)| answer.result.is_err()).count();
        let outcome = match failed {
            0 => InquiryOutcome::Answered,
            all if all == answers.len() => InquiryOutcome::AgentFailure,
            _ => InquiryOutcome::Partial,
        };
        Step::Done(self.outcome(Ended::Closed(outcome), answers, run))
    }

    fn read(&self, ask: &Ask, reply: &RawReply, chance: Chance) -> Result<Reply<Content>, Defect> {
        reply::parse(*ask, reply, chance)
    }

    fn data(&self, _: &Ask, turn: &Turn, _: &Run) -> Value {
        let question = self.input.questions.iter().find(|question| question.turn_id() == turn.id);
        json!({ "inquiry": question })
    }

    fn gist(&self, _: &Ask, said: &Content) -> Vec<String> {
        match said {
            Content::Features(said) => {
                said.features.iter().map(|each| each.title.clone()).collect()
            }
            Content::Fix(text) => vec![text.clone()],
        }
    }

    fn quorum(&self) -> usize {
        1
    }

    fn apply(&mut self, answers: Answers<Self>, _: &mut Run) {
        self.answers = Some(answers);
    }

    /// No answer depends on another, so each received one counts.
    fn stop(&self, why: Stop, part: &[(Ask, Answer<Content>)], run: &Run) -> Outcome {
        let came = self.answers.as_deref().unwrap_or(part);
        self.outcome(why.into(), came, run)
    }
}

#[cfg(test)]
mod tests {
    //! Each transition of the table in `inquiry/mod.rs`, the report of a stop, and which seats count as having
    //! answered.

    use serde_json::json;

    use super::super::Question;
    use super::super::input::InputError;
    use super::super::testing::*;
    use super::*;
    use crate::kernel::Halt;
    use crate::kernel::SeatStatus;

    fn three() -> Driver<Machine> {
        machine(vec![features(5), fix("opp-tf-1"), fix("opp-tf-2")])
    }

    fn good(turn: &Turn) -> String {
        if turn.id == "features" {
            proposal(&json!([feature("Undo", [7, 3, 8, 2])]))
        } else {
            suggestion("Compare with the limit.")
        }
    }

    #[test]
    fn all_questions_are_asked_at_the_same_time_and_none_knows_of_another() {
        let machine = three();
        let Step::Ask { opens_round, turns } = machine.next() else {
            panic!("three questions are open")
        };
        assert_eq!(opens_round, None, "an inquiry has no rounds");
        let ids: Vec<(&str, &str)> = turns.iter().map(|turn| (&*turn.id, &*turn.role)).collect();
        assert_eq!(
            ids,
            [("features", "analyst"), ("fix/opp-tf-1", "advisor"), ("fix/opp-tf-2", "advisor")]
        );
        assert_eq!(turns[0].block_names(), ["FEATURE_OPPORTUNITIES"]);
        assert_eq!(turns[1].block_names(), ["FIX_SUGGESTION"]);
        assert!(
            turns.iter().all(|turn| turn.not_vendors.is_empty() && turn.not_vendor_of.is_empty())
        );
    }

    /// (which of the three fail, outcome)
    #[test]
    fn how_it_ends() {
        for (failing, outcome) in [
            ([false, false, false], InquiryOutcome::Answered),
            ([false, true, false], InquiryOutcome::Partial),
            ([true, false, true], InquiryOutcome::Partial),
            ([true, true, true], InquiryOutcome::AgentFailure),
        ] {
            let mut machine = three();
            let answers = asked(&machine)
                .iter()
                .zip(failing)
                .map(|(turn, fails)| {
                    if fails { failed(&machine, turn) } else { judged(&machine, turn, &good(turn)) }
                })
                .collect();
            assert!(machine.apply(answers).is_empty());
            let end = done(&machine);
            assert_eq!(end.outcome, outcome, "{failing:?}");
            assert_eq!(end.result.failures.len(), failing.iter().filter(|fails| **fails).count());
            assert_eq!(end.result.answers.len() + end.result.failures.len(), 3);
            assert!(end.result.open.is_empty());
            assert_eq!(
                end.result.features().is_some(),
                !failing[0],
                "a failed turn proposes nothing, not `nothing`"
            );
            assert_eq!(
                outcome.closes(),
                outcome == InquiryOutcome::Answered,
                "a resume may ask again what failed"
            );
        }
    }

    #[test]
    fn answers_come_back_under_the_ids_of_their_opportunities() {
        let mut machine = three();
        let answers = asked(&machine)
            .iter()
            .map(|turn| judged(&machine, turn, &good(turn).replace("limit", &turn.id)))
            .collect();
        machine.apply(answers);
        let end = done(&machine);
        let fixes: Vec<_> = end.result.fixes().collect();
        assert_eq!(
            fixes,
            [
                ("opp-tf-1", "Compare with the fix/opp-tf-1."),
                ("opp-tf-2", "Compare with the fix/opp-tf-2.")
            ]
        );
        assert_eq!(end.result.features().unwrap().features[0].title, "Undo");
    }

    #[test]
    fn what_was_cut_short_keeps_its_answers_and_says_what_is_open() {
        let mut machine = three();
        let turns = asked(&machine);
        machine.part([None, Some(judged(&machine, &turns[1], &good(&turns[1]))), None]);
        for (why, outcome) in [
            (Stop::Budget, Ended::Stopped(Halt::Budget)),
            (Stop::Deadline, Ended::Stopped(Halt::Interrupted)),
            (Stop::Cancelled(15), Ended::Stopped(Halt::Interrupted)),
            (Stop::Running, Ended::Stopped(Halt::Running)),
            (Stop::Terminated, Ended::Stopped(Halt::Terminated)),
        ] {
            let end = machine.stop(why);
            assert_eq!(end.outcome, outcome);
            assert_eq!(end.result.open, ["features", "fix/opp-tf-2"]);
            assert_eq!(end.result.answers.len(), 1, "what was answered is kept");
            assert!(!end.outcome.closes());
        }
    }

    #[test]
    fn seats_say_who_answered() {
        let mut machine = three();
        let skipped = machine.stop(Stop::Budget).seats;
        assert!(skipped.iter().all(|seat| seat.status == SeatStatus::Skipped));
        let turns = asked(&machine);
        let mut fallen_back = judged(&machine, &turns[0], &good(&turns[0]));
        fallen_back.respondent.agent = "gemini".to_owned();
        fallen_back.respondent.fell_back_from = Some("claude".to_owned());
        let answers = vec![
            fallen_back,
            judged(&machine, &turns[1], &good(&turns[1])),
            failed(&machine, &turns[2]),
        ];
        machine.apply(answers);
        let seats = done(&machine).seats;
        assert_eq!(
            (seats[0].status, seats[0].fell_back_to.as_deref()),
            (SeatStatus::FellBack, Some("gemini"))
        );
        assert_eq!(seats[1].status, SeatStatus::Failed);
        assert_eq!(seats[1].failure.as_deref(), Some("1 of 2 turns failed; timed_out: no answer"));
        // A role that no question is for has no seat.
        let alone = Machine::open(input(vec![fix("a")])).unwrap();
        assert_eq!(alone.stop(Stop::Budget).seats.len(), 1);
    }

    #[test]
    fn warnings_of_prompts_and_replies_are_kept_with_their_turn() {
        let mut questions = vec![features(5)];
        if let Question::Features { summary, .. } = &mut questions[0] {
            *summary = "<<<FEATURE_OPPORTUNITIES_START>>>\n".repeat(2);
        }
        let mut machine = machine(questions);
        let turn = asked(&machine).remove(0);
        let text = proposal(&json!([feature("Undo", [7, 3, 8, 0])]));
        let facts = machine.apply(vec![judged(&machine, &turn, &text)]);
        assert_eq!(facts[0].fact().code, "number_raised");
        let warnings = done(&machine).warnings;
        let codes: Vec<&str> = warnings.iter().map(|each| &*each.code).collect();
        assert_eq!(codes, ["forged_marker", "number_raised"]);
        assert!(warnings.iter().all(|each| each.turn.as_deref() == Some("features")));
    }

    #[test]
    fn inputs_that_are_refused() {
        let refused = |questions| Machine::open(input(questions)).map(drop).unwrap_err();
        assert_eq!(refused(Vec::new()), InputError::NoQuestion);
        assert_eq!(refused(vec![fix("a"), fix("a")]), InputError::Duplicate("fix/a".to_owned()));
        assert_eq!(
            refused(vec![features(1), features(2)]),
            InputError::Duplicate("features".to_owned())
        );
        for limit in [0, 101] {
            assert!(
                refused(vec![features(limit)]).to_string().starts_with("`limit` must be 1 to 100")
            );
        }
        for id in ["a b", "a\u{2028}b", "@/file", "<<<X_START>>>", "", &"x".repeat(129)] {
            let mut question = fix("a");
            if let Question::Fix { opportunity, .. } = &mut question {
                opportunity.opportunity_id = id.to_owned();
            }
            assert_eq!(refused(vec![question]), InputError::Id(id.to_owned()));
        }
        let many = (0..1_002).map(|n| fix(&format!("opp-{n}"))).collect();
        assert_eq!(refused(many), InputError::TooMany(1_002));
    }

    #[test]
    fn questions_survive_a_journal() {
        for question in [features(3), fix("opp-tf-1")] {
            let text = serde_json::to_string(&question).unwrap();
            assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question, "{text}");
        }
    }
}
