//! The inquiry's state machine: which questions are still open, and what came of the others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::input::{self, Input, InputError};
use super::reply::{self, Features, Reply, Said, Terms};
use super::{Role, contract, prompt};
use crate::kernel::{
    Answer, Chance, Defect, Fact, Failure, Protocol, RawReply, Seat, SeatStatus, Step, Stop, Turn,
    Warning,
};
use crate::text::block::BlockLimits;
use crate::text::{Note, Problem};

/// How an inquiry ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InquiryOutcome {
    /// Every question has an answer.
    Answered,
    /// Some questions have an answer, others failed.
    Partial,
    /// Every question failed.
    AgentFailure,
    /// The next call did not fit into the budget.
    Budget,
    /// Stopped by a signal, a client or the deadline.
    Interrupted,
    /// No end: a process is still running it.
    Running,
    /// A person closed the session before it was decided (`sessions terminate`).
    Terminated,
}

impl InquiryOutcome {
    /// Returns the outcome's name as it stands in JSON and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Partial => "partial",
            Self::AgentFailure => "agent_failure",
            Self::Budget => "budget",
            Self::Interrupted => "interrupted",
            Self::Running => "running",
            Self::Terminated => "terminated",
        }
    }

    /// Returns whether the session is over; the others leave it open, so that a resume asks what has no answer.
    pub const fn closes(self) -> bool {
        match self {
            Self::Answered => true,
            Self::Partial
            | Self::AgentFailure
            | Self::Budget
            | Self::Interrupted
            | Self::Running
            | Self::Terminated => false,
        }
    }
}

/// How the inquiry ended, and what was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub outcome: InquiryOutcome,
    /// Turn ids and their answers, in the order of the questions.
    pub answers: Vec<(String, Reply)>,
    /// Turn ids and why they have no answer, in the order of the questions.
    pub failures: Vec<(String, Failure)>,
    /// Turn ids of the questions that nobody answered and that did not fail: a stop came first.
    pub open: Vec<String>,
    /// Who sat where and answered; only roles that a question was for.
    pub seats: Vec<Seat>,
    /// All warnings: of the prompts and of every reply.
    pub warnings: Vec<Warning>,
}

impl Outcome {
    /// Returns the analyst's answer. `None` is no answer, which is not the answer that there is no idea.
    pub fn features(&self) -> Option<&Features> {
        self.answers.iter().find_map(|(_, reply)| match &reply.said {
            Said::Features(features) => Some(features),
            Said::Fix(_) => None,
        })
    }

    /// Returns the suggested fixes by the ids of their opportunities.
    pub fn fixes(&self) -> impl Iterator<Item = (&str, &str)> {
        self.answers.iter().filter_map(|(turn, reply)| match &reply.said {
            Said::Fix(text) => Some((turn.strip_prefix("fix/")?, text.as_str())),
            Said::Features(_) => None,
        })
    }
}

/// What came of one question.
#[derive(Debug, Clone, PartialEq)]
struct Answered {
    result: Result<Reply, Failure>,
    fell_back_to: Option<String>,
}

/// The inquiry.
#[derive(Debug, Clone)]
pub struct Machine {
    input: Input,
    turns: Vec<Turn>,
    /// One entry a question; `None` while it is open.
    answered: Vec<Option<Answered>>,
    warnings: Vec<Warning>,
}

impl Machine {
    /// Prepares an inquiry: all prompts are made now.
    pub fn new(input: Input) -> Result<Self, InputError> {
        input::check(&input)?;
        let mut turns = Vec::with_capacity(input.questions.len());
        let mut warnings = Vec::new();
        for question in &input.questions {
            let (id, role) = (question.turn_id(), question.role());
            let (prompt, notes) =
                prompt::prompt(question, &input.boundary, input.settings.prompt_chars);
            warnings.extend(notes.iter().map(|note| warning(note, &id)));
            turns.push(Turn {
                id,
                role: role.name().to_owned(),
                plays: role.config_name().into(),
                prompt,
                blocks: vec![contract::name(role)],
                not_vendor_of: Vec::new(),
                not_vendors: Vec::new(),
            });
        }
        Ok(Self { answered: vec![None; turns.len()], turns, warnings, input })
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// Returns the turns that have no answer yet.
    fn open(&self) -> impl Iterator<Item = &Turn> {
        self.turns
            .iter()
            .zip(&self.answered)
            .filter(|(_, answered)| answered.is_none())
            .map(|(turn, _)| turn)
    }

    /// Returns how it ended, if every question has come to its end.
    fn ended(&self) -> Option<InquiryOutcome> {
        let mut failed = 0;
        for answered in &self.answered {
            failed += usize::from(answered.as_ref()?.result.is_err());
        }
        Some(match failed {
            0 => InquiryOutcome::Answered,
            all if all == self.answered.len() => InquiryOutcome::AgentFailure,
            _ => InquiryOutcome::Partial,
        })
    }

    fn outcome(&self, outcome: InquiryOutcome) -> Outcome {
        let (mut answers, mut failures, mut open) = (Vec::new(), Vec::new(), Vec::new());
        for (turn, answered) in self.turns.iter().zip(&self.answered) {
            let id = turn.id.clone();
            match answered.as_ref().map(|answered| &answered.result) {
                Some(Ok(reply)) => answers.push((id, reply.clone())),
                Some(Err(failure)) => failures.push((id, failure.clone())),
                None => open.push(id),
            }
        }
        Outcome {
            outcome,
            answers,
            failures,
            open,
            seats: Role::ALL.into_iter().filter_map(|role| self.seat(role)).collect(),
            warnings: self.warnings.clone(),
        }
    }

    /// Returns a role's seat, if a question is for it. One failed turn of many is a failed seat: it names how many.
    fn seat(&self, role: Role) -> Option<Seat> {
        let asked: Vec<Option<&Answered>> = self
            .input
            .questions
            .iter()
            .zip(&self.answered)
            .filter(|(question, _)| question.role() == role)
            .map(|(_, answered)| answered.as_ref())
            .collect();
        if asked.is_empty() {
            return None;
        }
        let ended = || asked.iter().flatten();
        let failed: Vec<&Failure> =
            ended().filter_map(|answered| answered.result.as_ref().err()).collect();
        let failure = failed.first().map(|first| {
            let first = format!("{}: {}", first.class.name(), first.message);
            if asked.len() == 1 {
                first
            } else {
                format!("{} of {} turns failed; {first}", failed.len(), asked.len())
            }
        });
        let fell_back_to = ended().find_map(|answered| answered.fell_back_to.clone());
        let status = if failure.is_some() {
            SeatStatus::Failed
        } else if ended().next().is_none() {
            SeatStatus::Skipped
        } else if fell_back_to.is_some() {
            SeatStatus::FellBack
        } else {
            SeatStatus::Answered
        };
        let configured = self.input.seats.of(role);
        Some(Seat {
            role: role.name().to_owned(),
            agent: configured.agent.clone(),
            vendor: configured.vendor.clone(),
            status,
            failure,
            fell_back_to,
        })
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let open = self
            .turns
            .iter()
            .position(|turn| turn.id == answer.turn)
            .filter(|at| self.answered[*at].is_none());
        let fits = |at: &usize| match &answer.result {
            Ok(reply) => reply.said.role() == self.input.questions[*at].role(),
            Err(_) => true,
        };
        let Some(at) = open.filter(fits) else {
            let message = format!(
                "an answer to {} came, which was not asked now; it is ignored",
                answer.turn
            );
            return vec![fact("unexpected_answer", &answer.turn, message)];
        };
        let mut notes = answer.notes;
        if let Ok(reply) = &answer.result {
            notes.extend(reply.notes.iter().cloned());
        }
        self.warnings.extend(notes.iter().map(|note| warning(note, &answer.turn)));
        let answered_by = answer.seated;
        self.answered[at] = Some(Answered {
            fell_back_to: (answer.result.is_ok() && answered_by.fell_back_from.is_some())
                .then_some(answered_by.agent),
            result: answer.result,
        });
        notes.into_iter().map(|note| fact(&note.code, &answer.turn, note.message)).collect()
    }
}

fn warning(note: &Note, turn: &str) -> Warning {
    Warning { code: note.code.clone(), turn: Some(turn.to_owned()), message: note.message.clone() }
}

fn fact(code: &str, turn: &str, message: String) -> Fact {
    Fact {
        code: code.to_owned(),
        turn: Some(turn.to_owned()),
        message,
        data: Value::Null,
        warning: true,
    }
}

impl Protocol for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        match self.ended() {
            Some(outcome) => Step::Done(self.outcome(outcome)),
            None => Step::Ask { opens_round: None, turns: self.open().cloned().collect() },
        }
    }

    fn quorum(&self) -> usize {
        1
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let question = self.input.questions.iter().find(|question| question.turn_id() == turn.id);
        let Some(question) = question else {
            let message = format!("`{}` is no question of this inquiry", turn.id);
            return Err(Defect {
                problems: vec![Problem::new("unknown_turn", None, message)],
                expected_ids: Vec::new(),
            });
        };
        let terms = Terms {
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        reply::parse(question, reply, chance, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Fact> {
        answers.into_iter().flat_map(|answer| self.take(answer)).collect()
    }

    /// No answer depends on another, so each that came counts.
    fn part(&mut self, answers: Vec<Answer<Reply>>) {
        self.apply(answers);
    }

    fn stop(&self, why: Stop) -> Outcome {
        match (self.ended(), why) {
            (_, Stop::Running) => self.outcome(InquiryOutcome::Running),
            (_, Stop::Terminated) => self.outcome(InquiryOutcome::Terminated),
            // An inquiry that is over stays what it is.
            (Some(outcome), _) => self.outcome(outcome),
            (None, Stop::Budget) => self.outcome(InquiryOutcome::Budget),
            (None, Stop::Deadline | Stop::Cancelled(_)) => {
                self.outcome(InquiryOutcome::Interrupted)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Each arrow of the table in `inquiry/mod.rs`, what a stop says, and who counts as having answered.

    use proptest::prelude::*;
    use serde_json::json;

    use super::super::testing::*;
    use super::super::{InputError, Question, Settings};
    use super::*;

    fn three() -> Machine {
        machine(vec![features(5), fix("opp-tf-1"), fix("opp-tf-2")])
    }

    fn good(turn: &Turn) -> String {
        if turn.id == "features" {
            proposal(&json!([feature("Undo", [7, 3, 8, 2])]))
        } else {
            suggestion("Compare with the limit.")
        }
    }

    fn fail(turn: &Turn) -> Answer<Reply> {
        answer(turn, Err(failure()))
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
        assert_eq!(turns[0].blocks, ["FEATURE_OPPORTUNITIES"]);
        assert_eq!(turns[1].blocks, ["FIX_SUGGESTION"]);
        assert!(
            turns.iter().all(|turn| turn.not_vendors.is_empty() && turn.not_vendor_of.is_empty())
        );
        assert_eq!(machine.next(), machine.next());
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
                .map(
                    |(turn, fails)| {
                        if fails { fail(turn) } else { judged(&machine, turn, &good(turn)) }
                    },
                )
                .collect();
            assert!(machine.apply(answers).is_empty());
            let end = done(&machine);
            assert_eq!(end.outcome, outcome, "{failing:?}");
            assert_eq!(end.failures.len(), failing.iter().filter(|fails| **fails).count());
            assert_eq!(end.answers.len() + end.failures.len(), 3);
            assert!(end.open.is_empty());
            // Over is over, whatever stops the run now.
            assert_eq!(machine.stop(Stop::Budget), end);
            assert_eq!(machine.stop(Stop::Cancelled(2)), end);
            assert_eq!(
                end.features().is_some(),
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
        let fixes: Vec<_> = end.fixes().collect();
        assert_eq!(
            fixes,
            [
                ("opp-tf-1", "Compare with the fix/opp-tf-1."),
                ("opp-tf-2", "Compare with the fix/opp-tf-2.")
            ]
        );
        assert_eq!(end.features().unwrap().features[0].title, "Undo");
    }

    #[test]
    fn what_is_open_is_asked_again_and_a_stop_says_what_is_open() {
        let mut machine = three();
        let turns = asked(&machine);
        machine.apply(vec![judged(&machine, &turns[1], &good(&turns[1]))]);
        let open: Vec<String> = asked(&machine).into_iter().map(|turn| turn.id).collect();
        assert_eq!(open, ["features", "fix/opp-tf-2"]);
        for (why, outcome) in [
            (Stop::Budget, InquiryOutcome::Budget),
            (Stop::Deadline, InquiryOutcome::Interrupted),
            (Stop::Cancelled(15), InquiryOutcome::Interrupted),
        ] {
            let end = machine.stop(why);
            assert_eq!((end.outcome, &end.open), (outcome, &open));
            assert_eq!(end.answers.len(), 1, "what was answered is kept");
            assert!(!end.outcome.closes());
        }
    }

    #[test]
    fn an_answer_that_was_not_asked_for_changes_nothing() {
        let mut machine = three();
        let turns = asked(&machine);
        let mut stranger = fail(&turns[0]);
        stranger.turn = "fix/opp-tf-9".to_owned();
        let mut crossed = judged(&machine, &turns[1], &good(&turns[1]));
        crossed.turn = "features".to_owned();
        for odd in [stranger, crossed] {
            let before = machine.next();
            let facts = machine.apply(vec![odd]);
            assert_eq!(facts[0].code, "unexpected_answer");
            assert_eq!(machine.next(), before);
        }
        let all = || turns.iter().map(|turn| judged(&three(), turn, &good(turn)));
        machine.apply(all().collect());
        let end = done(&machine);
        let facts = machine.apply(turns.iter().map(fail).collect());
        assert_eq!(facts.len(), 3);
        assert_eq!(done(&machine), end, "an answer is never overwritten");
    }

    #[test]
    fn seats_say_who_answered() {
        let mut machine = three();
        let skipped = machine.stop(Stop::Budget).seats;
        assert!(skipped.iter().all(|seat| seat.status == SeatStatus::Skipped));
        let turns = asked(&machine);
        let mut fallen_back = judged(&machine, &turns[0], &good(&turns[0]));
        fallen_back.seated.agent = "gemini".to_owned();
        fallen_back.seated.fell_back_from = Some("claude".to_owned());
        let answers =
            vec![fallen_back, judged(&machine, &turns[1], &good(&turns[1])), fail(&turns[2])];
        machine.apply(answers);
        let seats = done(&machine).seats;
        assert_eq!(
            (seats[0].status, seats[0].fell_back_to.as_deref()),
            (SeatStatus::FellBack, Some("gemini"))
        );
        assert_eq!(seats[1].status, SeatStatus::Failed);
        assert_eq!(seats[1].failure.as_deref(), Some("1 of 2 turns failed; timed_out: no answer"));
        // A role that no question is for has no seat.
        let alone = Machine::new(input(vec![fix("a")])).unwrap();
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
        assert_eq!(facts[0].code, "risk_raised");
        let warnings = done(&machine).warnings;
        let codes: Vec<&str> = warnings.iter().map(|each| &*each.code).collect();
        assert_eq!(codes, ["forged_marker", "risk_raised"]);
        assert!(warnings.iter().all(|each| each.turn.as_deref() == Some("features")));
    }

    #[test]
    fn inputs_that_are_refused() {
        let refused = |questions| Machine::new(input(questions)).map(|_| ()).unwrap_err();
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
        for id in ["a b", "a\u{2028}b", "@file", "<<<X_START>>>", "", &"x".repeat(129)] {
            let mut question = fix("a");
            if let Question::Fix { opportunity, .. } = &mut question {
                opportunity.opportunity_id = id.to_owned();
            }
            assert_eq!(refused(vec![question]), InputError::Id(id.to_owned()));
        }
        let many = (0..1_002).map(|n| fix(&format!("opp-{n}"))).collect();
        assert_eq!(refused(many), InputError::TooMany(1_002));
        let mut small = input(vec![features(1)]);
        small.settings = Settings { prompt_chars: 3_999, ..Settings::default() };
        assert!(Machine::new(small).is_err());
    }

    #[test]
    fn questions_survive_a_journal() {
        for question in [features(3), fix("opp-tf-1")] {
            let text = serde_json::to_string(&question).unwrap();
            assert_eq!(serde_json::from_str::<Question>(&text).unwrap(), question, "{text}");
        }
    }

    proptest! {
        /// Any replies, good, empty or garbage: the inquiry is over after one step, and nothing is lost or invented.
        #[test]
        fn one_step_ends_it(texts in proptest::collection::vec(prop_oneof![
            Just(None),
            Just(Some(proposal(&json!([])))),
            Just(Some(suggestion("Do it."))),
            "[<A-Z_>\n{}\"a]{0,60}".prop_map(Some),
        ], 3)) {
            let mut machine = three();
            let answers: Vec<_> = asked(&machine)
                .iter()
                .zip(&texts)
                .map(|(turn, text)| text.as_ref().map_or_else(|| fail(turn), |text| judged(&machine, turn, text)))
                .collect();
            let valid = answers.iter().filter(|answer| answer.result.is_ok()).count();
            machine.apply(answers);
            let end = done(&machine);
            prop_assert_eq!((end.answers.len(), end.failures.len()), (valid, 3 - valid));
            prop_assert_eq!(end.outcome, match valid {
                0 => InquiryOutcome::AgentFailure,
                3 => InquiryOutcome::Answered,
                _ => InquiryOutcome::Partial,
            });
        }
    }
}
