//! The driver of a protocol: the part common to all protocols.
//!
//! # Theory of operation
//!
//! A protocol is a set of rules. [`Driver`] keeps their state and never decides: the current step, attendance,
//! warnings. It passes the rules the answers of a whole step, in the order of its turns, each with its query, so
//! that no rule has to check whether an answer fits. A step cut short by a limit is never applied: its answers
//! go to [`Protocol::stop`], which decides nothing.
//!
//! ```text
//!            turns                      answers of the whole step
//!   next ---------------> agents ------------------------------------> apply --> next
//!     \                        \  some answers, a stop
//!      \--> Done(outcome)       \------------------------------------> stop  --> outcome
//! ```
//!
//! It knows no clock, file or process. [`crate::kernel::Driver::apply`] returns what happened as [`Event`]s.

use std::any::Any;

use serde_json::Value;

use super::protocol::{Answers, Protocol, Query, Step, Stop};
use super::turn::{Answer, Chance, Defect, Failure, FailureClass, RawReply, Reply, Turn};
use super::{End, Event, Run, SessionOutcome};
use crate::text::{Note, fence, sanitize};

/// Maximum number of lines that tell people what an answer says.
const GIST_LINES: usize = 6;
/// Maximum number of characters of such a line.
const GIST_CHARS: usize = 160;

/// A reply as its protocol read it, whatever its type.
pub type AnyReply = Reply<Box<dyn Any>>;

/// The driver of any protocol, so that what runs one is compiled once. Each method is the one of that name of
/// [`Driver`].
pub trait DynDriver {
    fn step(&self) -> Step<&dyn SessionOutcome, &Turn>;
    fn quorum(&self) -> usize;
    fn read(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<AnyReply, Defect>;
    fn data(&self, turn: &Turn) -> Value;
    fn gist(&self, turn: &Turn, reply: &AnyReply) -> Vec<String>;
    fn apply(&mut self, answers: Vec<Answer<AnyReply>>) -> Vec<Event>;
    fn part(&mut self, answers: Vec<Option<Answer<AnyReply>>>);
    fn end(&self, why: Stop) -> End;
    fn outcome(&self, end: End) -> Box<dyn SessionOutcome + '_>;
}

impl<P: Protocol> DynDriver for Driver<P> {
    fn step(&self) -> Step<&dyn SessionOutcome, &Turn> {
        match &self.step {
            Step::Ask { opens_round, turns } => Step::Ask {
                opens_round: *opens_round,
                turns: turns.iter().map(|query| &query.turn).collect(),
            },
            Step::Done(outcome) => Step::Done(outcome),
        }
    }

    fn quorum(&self) -> usize {
        self.protocol.quorum()
    }

    fn read(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<AnyReply, Defect> {
        Ok(self.read(turn, reply, chance)?.map(|said| Box::new(said) as Box<dyn Any>))
    }

    fn data(&self, turn: &Turn) -> Value {
        self.data(turn)
    }

    fn gist(&self, turn: &Turn, reply: &AnyReply) -> Vec<String> {
        reply.content.downcast_ref().map(|said| self.gist(turn, said)).unwrap_or_default()
    }

    fn apply(&mut self, answers: Vec<Answer<AnyReply>>) -> Vec<Event> {
        self.apply(answers.into_iter().map(typed).collect())
    }

    fn part(&mut self, answers: Vec<Option<Answer<AnyReply>>>) {
        self.part(answers.into_iter().map(|answer| answer.map(typed)));
    }

    fn end(&self, why: Stop) -> End {
        self.end(why)
    }

    fn outcome(&self, end: End) -> Box<dyn SessionOutcome + '_> {
        Box::new(self.outcome(end))
    }
}

#[derive(Debug, Clone)]
pub struct Driver<P: Protocol> {
    protocol: P,
    run: Run,
    /// The current step, built once, since prompts are long.
    step: Step<P::Outcome, Query<P::Ask>>,
    /// The answers of a step that was cut short.
    part: Answers<P>,
    /// The session's boundary around untrusted text.
    boundary: String,
}

impl<P: Protocol> Driver<P> {
    /// Starts the protocol. `notes`: notes on the input, placed before all other warnings. `boundary`: the session's,
    /// around untrusted text.
    pub fn new(protocol: P, mut run: Run, notes: &[Note], boundary: &str) -> Self {
        for note in notes {
            run.warn(note, None);
        }
        let step = protocol.next(&run);
        let mut driver =
            Self { protocol, run, step, part: Vec::new(), boundary: boundary.to_owned() };
        driver.warn_of_prompts();
        // Nobody listens yet: they appear in the result.
        drop(driver.run.take_events());
        driver
    }

    /// Wraps a protocol as a part of one with an outcome of its own.
    pub fn wrap<Q: Protocol>(
        self,
        protocol: impl FnOnce(P) -> Q,
        ask: impl Fn(P::Ask) -> Q::Ask,
        outcome: impl FnOnce(P::Outcome) -> Q::Outcome,
    ) -> Driver<Q> {
        let step = match self.step {
            Step::Ask { opens_round, turns } => {
                let turns = turns.into_iter().map(|query| query.map(&ask)).collect();
                Step::Ask { opens_round, turns }
            }
            Step::Done(done) => Step::Done(outcome(done)),
        };
        Driver {
            protocol: protocol(self.protocol),
            run: self.run,
            step,
            part: Vec::new(),
            boundary: self.boundary,
        }
    }

    /// Returns the rules, for inspection.
    pub fn protocol(&self) -> &P {
        &self.protocol
    }

    /// Returns attendance and warnings.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Returns the turns to ask now, or the outcome, without copying the prompts.
    pub fn step(&self) -> &Step<P::Outcome, Query<P::Ask>> {
        &self.step
    }

    /// Returns the turns to ask now, or the outcome.
    pub fn next(&self) -> Step<P::Outcome> {
        match &self.step {
            Step::Ask { opens_round, turns } => Step::Ask {
                opens_round: *opens_round,
                turns: turns.iter().map(|query| query.turn.clone()).collect(),
            },
            Step::Done(outcome) => Step::Done(outcome.clone()),
        }
    }

    /// Returns the minimum number of the step's turns that must be answered for the step to be
    /// worth asking.
    pub fn quorum(&self) -> usize {
        self.protocol.quorum()
    }

    /// Reads a reply to a turn of this step.
    pub fn read(
        &self,
        turn: &Turn,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<P::Content>, Defect> {
        match self.query(turn) {
            Some(query) => self.protocol.read(&query.ask, reply, chance),
            None => Err(Defect::of("unknown_turn", format!("`{}` is not asked now", turn.id))),
        }
    }

    /// Returns the subject of a turn of this step as data.
    pub fn data(&self, turn: &Turn) -> Value {
        self.query(turn)
            .map_or(Value::Null, |query| self.protocol.data(&query.ask, &query.turn, &self.run))
    }

    /// Returns what an answer to a turn of this step says, a short line each: [`GIST_LINES`] at most, and how many more
    /// there are.
    pub fn gist(&self, turn: &Turn, said: &P::Content) -> Vec<String> {
        let Some(query) = self.query(turn) else { return Vec::new() };
        let said = self.protocol.gist(&query.ask, said);
        let more = said.len().saturating_sub(GIST_LINES);
        let mut lines: Vec<String> =
            said.iter().take(GIST_LINES).map(|line| sanitize::line(line, GIST_CHARS)).collect();
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lines
    }

    fn query(&self, turn: &Turn) -> Option<&Query<P::Ask>> {
        match &self.step {
            Step::Ask { turns, .. } => turns.iter().find(|query| query.turn.id == turn.id),
            Step::Done(_) => None,
        }
    }

    /// Applies the answers of the whole step, in the order of its turns, and moves to the next. A finished protocol
    /// stays finished.
    pub fn apply(&mut self, answers: Vec<Answer<Reply<P::Content>>>) -> Vec<Event> {
        if let Step::Done(_) = self.step {
            return Vec::new();
        }
        let answers = self.attend(answers.into_iter().map(Some).collect());
        self.protocol.apply(answers, &mut self.run);
        self.step = self.protocol.next(&self.run);
        self.warn_of_prompts();
        self.run.take_events()
    }

    /// Accepts the answers of a step cut short by a limit: `None` for a turn without an answer. Only
    /// [`Driver::stop`] may follow.
    pub fn part(&mut self, answers: impl IntoIterator<Item = Option<Answer<Reply<P::Content>>>>) {
        if self.protocol.keeps_part() {
            self.part = self.attend(answers.into_iter().collect());
            drop(self.run.take_events());
        }
    }

    /// Wraps up early. A finished protocol keeps its outcome, unless a person closed the session or
    /// a process still runs it.
    pub fn stop(&self, why: Stop) -> P::Outcome {
        match (&self.step, why) {
            (Step::Done(outcome), Stop::Budget | Stop::Deadline | Stop::Cancelled(_)) => {
                outcome.clone()
            }
            (_, _) => self.protocol.stop(why, &self.part, &self.run),
        }
    }

    /// Returns how a run ends that has finished or was stopped by `why`.
    pub fn end(&self, why: Stop) -> End {
        match &self.step {
            Step::Done(outcome) if outcome.closes() => End::Closed,
            Step::Done(_) => End::Failed,
            Step::Ask { .. } => End::Stopped(why),
        }
    }

    /// Returns the outcome of a run that ended like this.
    pub fn outcome(&self, end: End) -> P::Outcome {
        match (&self.step, end) {
            (_, End::Stopped(why)) => self.stop(why),
            (Step::Done(outcome), _) => outcome.clone(),
            (Step::Ask { .. }, End::Closed | End::Failed) => self.stop(Stop::Running),
        }
    }

    /// Records attendance and notes, and pairs each answer with its query.
    fn attend(&mut self, answers: Vec<Option<Answer<Reply<P::Content>>>>) -> Answers<P> {
        let Step::Ask { turns, .. } = &self.step else {
            return Vec::new();
        };
        let mut all = Vec::with_capacity(turns.len());
        for (query, answer) in turns.iter().zip(answers) {
            let Some(answer) = answer else { continue };
            let seat = self.protocol.attends(&query.ask, &query.turn.role);
            self.run.seats_mut().attend(seat, &answer.respondent, answer.result.as_ref().err());
            let mut notes = answer.notes.clone();
            let result = match &answer.result {
                Ok(reply) => {
                    notes.extend(reply.notes.iter().cloned());
                    let quoted = self.protocol.quoted(&reply.content);
                    notes.extend(forged(quoted, &self.boundary, P::DEFUSED));
                    Ok(reply.content.clone())
                }
                Err(failure) => Err(failure.clone()),
            };
            for note in &notes {
                self.run.warn(note, Some(&query.turn.id));
            }
            all.push((query.ask.clone(), answer.map(|_| result)));
        }
        all
    }

    /// Warns of text that was cut or defused in the prompts of this step.
    fn warn_of_prompts(&mut self) {
        if let Step::Ask { turns, .. } = &self.step {
            for query in turns {
                for note in &query.notes {
                    self.run.warn(note, Some(&query.turn.id));
                }
            }
        }
    }
}

/// Returns an answer with the reply that its protocol read.
fn typed<C: 'static>(answer: Answer<AnyReply>) -> Answer<Reply<C>> {
    let other = |_| Failure {
        class: FailureClass::Unreadable,
        message: "the reply was read by another protocol".to_owned(),
    };
    answer.map(|result| {
        let Reply { content, notes } = result?;
        content.downcast().map(|content| Reply { content: *content, notes }).map_err(other)
    })
}

/// Notes marker-like text in an answer that other agents will read, where it is defused.
fn forged(quoted: Option<String>, boundary: &str, defused: &str) -> Option<Note> {
    let (_, places) = fence::defuse(&quoted?, boundary);
    let message = format!(
        "the answer contains text that looks like our markers in {places} places; {defused}"
    );
    (places > 0).then(|| Note::new("forged_marker", message))
}

#[cfg(test)]
mod tests {
    //! A tiny protocol: both seats are asked at once, then a guest, then it ends.

    use std::fmt::Debug;
    use std::time::Duration;

    use super::*;
    use crate::kernel::{
        Failure, FailureClass, Prompt, Query, Respondent, Seat, TurnId, Warning, seat_name,
    };

    const BOUNDARY: &str = "b-3f9c27aa";

    const STOPS: [Stop; 5] =
        [Stop::Budget, Stop::Deadline, Stop::Cancelled(15), Stop::Running, Stop::Terminated];

    #[derive(Debug, Clone, PartialEq)]
    struct Outcome {
        closes: bool,
        stopped: Option<Stop>,
        heard: Vec<String>,
    }

    impl SessionOutcome for Outcome {
        fn name(&self) -> String {
            "relay".to_owned()
        }
        fn verdict(&self) -> &'static str {
            "none"
        }
        fn closes(&self) -> bool {
            self.closes
        }
        fn seats(&mut self) -> &mut [Seat] {
            &mut []
        }
        fn warnings(&self) -> &[Warning] {
            &[]
        }
    }

    #[derive(Debug, Clone, PartialEq)]
    struct Rules {
        closes: bool,
        keeps_part: bool,
        heard: Vec<Vec<String>>,
    }

    const RULES: Rules = Rules { closes: true, keeps_part: true, heard: Vec::new() };

    fn query(id: TurnId, role: &str, ask: &'static str) -> Query<&'static str> {
        let notes = vec![Note::new("cut", format!("the prompt of {id} was cut"))];
        let prompt =
            Prompt { stable: ask.to_owned(), varying: String::new(), contract: String::new() };
        let turn = Turn {
            id,
            role: role.to_owned(),
            plays: role.to_owned().into(),
            prompt,
            blocks: Vec::new(),
            not_vendor_of: Vec::new(),
            not_vendors: Vec::new(),
            spare: false,
        };
        Query { turn, ask, notes }
    }

    fn heard<A: Debug>(answers: &[(A, Answer<String>)]) -> Vec<String> {
        let line = |(ask, answer): &(A, Answer<String>)| match &answer.result {
            Ok(said) => format!("{} for {ask:?}: {said}", answer.turn),
            Err(failure) => format!("{} for {ask:?} failed, {failure}", answer.turn),
        };
        answers.iter().map(line).collect()
    }

    impl Protocol for Rules {
        type Ask = &'static str;
        type Content = String;
        type Outcome = Outcome;

        const DEFUSED: &'static str = "the guest reads it defused";

        fn next(&self, _: &Run) -> Step<Outcome, Query<&'static str>> {
            let open =
                |seat, ask| query(TurnId::in_round(1, "open").seat(seat), &seat_name(seat), ask);
            match self.heard.len() {
                0 => Step::Ask {
                    opens_round: Some(1),
                    turns: vec![open(0, "a claim"), open(1, "a doubt")],
                },
                1 => Step::Ask {
                    opens_round: None,
                    turns: vec![query(TurnId::of("close"), "guest", "a word")],
                },
                _ => Step::Done(Outcome {
                    closes: self.closes,
                    stopped: None,
                    heard: self.heard.concat(),
                }),
            }
        }

        fn read(
            &self,
            ask: &&'static str,
            reply: &RawReply,
            chance: Chance,
        ) -> Result<Reply<String>, Defect> {
            match chance {
                Chance::First => Err(Defect::of("doubtful", format!("{ask} is missing"))),
                Chance::Last => Ok(reply_of(&format!("{ask} of {} bytes", reply.bytes.len()))),
            }
        }

        fn quoted(&self, said: &String) -> Option<String> {
            Some(said.clone())
        }

        fn attends<'a>(&self, ask: &&'static str, role: &'a str) -> &'a str {
            if *ask == "a word" { "s2" } else { role }
        }

        fn quorum(&self) -> usize {
            2
        }

        fn keeps_part(&self) -> bool {
            self.keeps_part
        }

        fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
            run.warn(&Note::new("rule", "the rules say so"), None);
            run.close_round(1, None, "it is over".to_owned(), Value::Null);
            self.heard.push(heard(&answers));
        }

        fn stop(&self, why: Stop, part: &[(&'static str, Answer<String>)], _: &Run) -> Outcome {
            Outcome { closes: false, stopped: Some(why), heard: heard(part) }
        }
    }

    #[derive(Debug, Clone)]
    struct Chosen(Rules);

    impl Protocol for Chosen {
        type Ask = (u8, &'static str);
        type Content = String;
        type Outcome = Outcome;

        fn next(&self, run: &Run) -> Step<Outcome, Query<Self::Ask>> {
            self.0.next(run).map(|query| query.map(|ask| (2, ask)))
        }

        fn read(
            &self,
            (_, ask): &Self::Ask,
            reply: &RawReply,
            chance: Chance,
        ) -> Result<Reply<String>, Defect> {
            self.0.read(ask, reply, chance)
        }

        fn quoted(&self, said: &String) -> Option<String> {
            self.0.quoted(said)
        }

        fn apply(&mut self, answers: Answers<Self>, _: &mut Run) {
            self.0.heard.push(heard(&answers));
        }

        fn stop(&self, why: Stop, part: &[(Self::Ask, Answer<String>)], _: &Run) -> Outcome {
            Outcome { closes: false, stopped: Some(why), heard: heard(part) }
        }
    }

    fn seated(agent: &str) -> Respondent {
        Respondent { agent: agent.to_owned(), vendor: "vendor".to_owned(), fell_back_from: None }
    }

    fn begun(rules: Rules, notes: &[Note]) -> Driver<Rules> {
        let run = Run::new([0, 1].map(|seat| (seat_name(seat), seated("agent"))));
        Driver::new(rules, run, notes, BOUNDARY)
    }

    fn reply_of(said: &str) -> Reply<String> {
        Reply { content: said.to_owned(), notes: Vec::new() }
    }

    fn answer(turn: &str, result: Result<Reply<String>, Failure>) -> Answer<Reply<String>> {
        Answer {
            turn: TurnId::read(turn),
            role: "whoever".to_owned(),
            respondent: seated("agent"),
            result,
            cost: None,
            attempts: 1,
            took: Duration::ZERO,
            notes: Vec::new(),
        }
    }

    fn says(turn: &str, said: &str) -> Answer<Reply<String>> {
        answer(turn, Ok(reply_of(said)))
    }

    fn fails(turn: &str) -> Answer<Reply<String>> {
        answer(turn, Err(Failure { class: FailureClass::TimedOut, message: "late".to_owned() }))
    }

    fn opened(driver: &mut Driver<Rules>) -> Vec<Event> {
        driver.apply(vec![says("r1/open/s1", "yes"), says("r1/open/s2", "no")])
    }

    fn over(rules: Rules) -> Driver<Rules> {
        let mut driver = begun(rules, &[]);
        opened(&mut driver);
        driver.apply(vec![says("close", "enough")]);
        driver
    }

    fn asked<P: Protocol>(driver: &Driver<P>) -> Vec<String> {
        match driver.next() {
            Step::Ask { turns, .. } => turns.iter().map(|turn| turn.id.to_string()).collect(),
            Step::Done(_) => Vec::new(),
        }
    }

    fn warned(run: &Run) -> Vec<(&str, Option<&str>)> {
        let warnings = run.warnings().iter();
        warnings.map(|warning| (warning.code.as_str(), warning.turn.as_deref())).collect()
    }

    fn told(events: &[Event]) -> Vec<(&str, Option<&str>)> {
        let facts = events.iter().map(Event::fact);
        facts.map(|fact| (fact.code.as_str(), fact.turn.as_deref())).collect()
    }

    fn turns_of<P: Protocol>(driver: &Driver<P>) -> Vec<(&str, usize)> {
        driver.run().seats().iter().map(|seat| (seat.name.as_str(), seat.asked())).collect()
    }

    const CUT_AT_FIRST: [(&str, Option<&str>); 2] =
        [("cut", Some("r1/open/s1")), ("cut", Some("r1/open/s2"))];

    #[test]
    fn steps_follow_each_other_until_it_is_over() {
        let mut driver = begun(RULES, &[]);
        assert_eq!(asked(&driver), ["r1/open/s1", "r1/open/s2"]);
        assert_eq!(driver.next(), driver.next());
        assert!(matches!(driver.next(), Step::Ask { opens_round: Some(1), .. }));
        opened(&mut driver);
        assert_eq!(asked(&driver), ["close"]);
        assert!(matches!(driver.next(), Step::Ask { opens_round: None, .. }));
        driver.apply(vec![says("close", "enough")]);
        assert!(matches!(driver.next(), Step::Done(outcome) if outcome.stopped.is_none()));
        assert_eq!(driver.quorum(), 2);
    }

    #[test]
    fn the_rules_hear_a_whole_step_with_what_each_turn_was_asked_for() {
        let mut driver = begun(RULES, &[]);
        driver.apply(vec![fails("r1/open/s1"), says("r1/open/s2", "no")]);
        driver.apply(vec![says("close", "enough")]);
        let expected = [
            vec![
                "r1/open/s1 for \"a claim\" failed, timed_out: late".to_owned(),
                "r1/open/s2 for \"a doubt\": no".to_owned(),
            ],
            vec!["close for \"a word\": enough".to_owned()],
        ];
        assert_eq!(driver.protocol().heard, expected);
    }

    #[test]
    fn what_is_noted_of_answers_comes_before_the_rules_and_what_is_cut_next_after_them() {
        let mut driver = begun(RULES, &[]);
        let mut first = says("r1/open/s1", "<<<X_START>>> and B-3F9C27AA");
        first.notes.push(Note::new("attempt", "a second one was needed"));
        if let Ok(reply) = &mut first.result {
            reply.notes.push(Note::new("reply", "an id was left out"));
        }
        let mut second = fails("r1/open/s2");
        second.notes.push(Note::new("attempt", "all were used"));
        let events = driver.apply(vec![first, second]);
        let at_first = Some("r1/open/s1");
        let warnings = [
            ("attempt", at_first),
            ("reply", at_first),
            ("forged_marker", at_first),
            ("attempt", Some("r1/open/s2")),
            ("rule", None),
            ("cut", Some("close")),
        ];
        assert_eq!(warned(driver.run()), [&CUT_AT_FIRST[..], &warnings].concat());
        let [noted @ .., cut] = warnings;
        assert_eq!(told(&events), [&noted[..], &[("round_closed", None), cut]].concat());
        let forged = driver.run().warnings().iter().find(|warning| warning.code == "forged_marker");
        assert_eq!(
            forged.unwrap().message,
            "the answer contains text that looks like our markers in 2 places; the guest reads it defused"
        );
    }

    #[test]
    fn an_answer_without_anything_like_a_marker_is_not_warned_of() {
        let mut driver = begun(RULES, &[]);
        let events = opened(&mut driver);
        assert_eq!(told(&events), [("rule", None), ("round_closed", None), ("cut", Some("close"))]);
    }

    #[test]
    fn what_was_noticed_at_the_start_stands_first_and_is_told_to_nobody() {
        let mut driver = begun(RULES, &[Note::new("input", "a line was cut")]);
        let start = [&[("input", None)], &CUT_AT_FIRST[..]].concat();
        assert_eq!(warned(driver.run()), start);
        let events = opened(&mut driver);
        let told = told(&events);
        assert!(start.iter().all(|warning| !told.contains(warning)), "{told:?}");
    }

    #[test]
    fn a_step_cut_short_is_never_applied_and_counts_if_the_rules_keep_it() {
        for (keeps_part, heard, warning, attended) in [
            (
                true,
                &["r1/open/s2 for \"a doubt\": <<<no"][..],
                &[("forged_marker", Some("r1/open/s2"))][..],
                1,
            ),
            (false, &[], &[], 0),
        ] {
            let mut driver = begun(Rules { keeps_part, ..RULES }, &[]);
            driver.part([None, Some(says("r1/open/s2", "<<<no"))]);
            assert_eq!(driver.stop(Stop::Budget).heard, heard);
            assert_eq!(warned(driver.run()), [&CUT_AT_FIRST[..], warning].concat());
            assert_eq!(turns_of(&driver), [("s1", 0), ("s2", attended)]);
            assert!(driver.protocol().heard.is_empty());
        }
    }

    #[test]
    fn a_run_that_is_stopped_is_wrapped_up_by_its_rules_unless_it_is_over() {
        for why in STOPS {
            let open = begun(RULES, &[]);
            assert_eq!(open.stop(why).stopped, Some(why));
            assert_eq!(open.end(why), End::Stopped(why));
            let kept = matches!(why, Stop::Budget | Stop::Deadline | Stop::Cancelled(_));
            for (closes, end) in [(true, End::Closed), (false, End::Failed)] {
                let over = over(Rules { closes, ..RULES });
                let outcome = over.stop(why);
                assert_eq!(outcome.stopped, (!kept).then_some(why));
                assert_eq!(Step::Done(outcome) == over.next(), kept, "{why:?}");
                assert_eq!(over.end(why), end, "{why:?}");
            }
        }
    }

    #[test]
    fn what_is_over_stays_over() {
        let mut driver = over(RULES);
        let (rules, run, step) = (driver.protocol().clone(), driver.run().clone(), driver.next());
        assert_eq!(driver.apply(vec![says("close", "<<<more")]), []);
        driver.part([Some(says("close", "<<<more"))]);
        assert_eq!((driver.protocol(), driver.run(), driver.next()), (&rules, &run, step));
    }

    #[test]
    fn a_turn_counts_for_the_seat_that_the_rules_name() {
        let driver = over(RULES);
        assert_eq!(turns_of(&driver), [("s1", 1), ("s2", 2)]);
        let mut driver = begun(RULES, &[]);
        driver.apply(vec![fails("r1/open/s1"), says("r1/open/s2", "no")]);
        let present = [0, 1].map(|place| driver.run().seats().at(place).unwrap().is_present());
        assert_eq!(present, [false, true]);
    }

    #[test]
    fn a_reply_is_read_for_what_its_turn_was_asked_for() {
        let driver = begun(RULES, &[]);
        let Step::Ask { turns, .. } = driver.next() else { panic!("nothing is asked") };
        let reply = RawReply { bytes: b"four".to_vec(), cut: false };
        for (turn, ask) in turns.iter().zip(["a claim", "a doubt"]) {
            let doubtful = Defect::of("doubtful", format!("{ask} is missing"));
            assert_eq!(driver.read(turn, &reply, Chance::First), Err(doubtful));
            let said = reply_of(&format!("{ask} of 4 bytes"));
            assert_eq!(driver.read(turn, &reply, Chance::Last), Ok(said));
        }
    }

    #[test]
    fn a_reply_to_a_turn_that_is_not_asked_is_refused() {
        let close = query(TurnId::of("close"), "guest", "a word").turn;
        let refused = Defect::of("unknown_turn", "`close` is not asked now".to_owned());
        for driver in [begun(RULES, &[]), over(RULES)] {
            for chance in [Chance::First, Chance::Last] {
                let read = driver.read(&close, &RawReply::default(), chance);
                assert_eq!(read, Err(refused.clone()));
            }
        }
    }

    #[test]
    fn a_protocol_that_is_wrapped_goes_on_where_it_stood() {
        let mut driver = begun(RULES, &[Note::new("input", "a line was cut")]);
        opened(&mut driver);
        let (run, step) = (driver.run().clone(), driver.next());
        let mut driver = driver.wrap(Chosen, |ask| (1, ask), |outcome| outcome);
        assert_eq!((driver.run(), driver.next()), (&run, step));
        let events = driver.apply(vec![says("close", "<<<enough, b-3f9c27aa")]);
        assert_eq!(told(&events), [("forged_marker", Some("close"))]);
        assert!(events[0].fact().message.contains("in 2 places"));
        let heard = driver.protocol().0.heard.last().unwrap();
        assert_eq!(heard, &["close for (1, \"a word\"): <<<enough, b-3f9c27aa"]);
        assert!(matches!(driver.next(), Step::Done(_)));
    }
}
