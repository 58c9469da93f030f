//! Builds the result from the machine's state: which agent answered for which perspective, the ladder's verdict, and
//! every point in its list.

use std::collections::BTreeSet;

use super::input::Perspective;
use super::machine::Machine;
use super::model::{
    Basics, Critique, Critiques, Outcome, PerspectiveReply, RiskLevel, Severity, Verdict,
};
use super::{actions, basics, divergence, ladder, themes};
use crate::kernel::{Answer, EndWord as _, Ended, Failure, Quorum, Run, Seat, SeatStatus, count};
use crate::text::Note;

/// The data from which an outcome is built.
pub(super) struct View<'a> {
    machine: &'a Machine,
    answers: &'a [(Perspective, Answer<Critique>)],
    /// The perspectives that answered, in the order asked.
    voices: Vec<PerspectiveReply>,
    grouped: themes::ThemeGroups,
}

impl Machine {
    pub(super) fn view<'a>(&'a self, answers: &'a [(Perspective, Answer<Critique>)]) -> View<'a> {
        let voices: Vec<PerspectiveReply> = answers.iter().filter_map(voice).collect();
        let task = &self.input.task;
        let shown: Vec<_> = [&task.artifact].into_iter().chain(&task.context).collect();
        View { grouped: themes::group(&voices, &shown), machine: self, answers, voices }
    }
}

impl View<'_> {
    /// Returns the rung of the ladder; `None` if too few answered.
    pub(super) fn severity(&self) -> Option<Severity> {
        if self.voices.len() < self.machine.needed() {
            return None;
        }
        let said = || self.voices.iter().map(|voice| &voice.critique);
        let ratings: Vec<u8> = said().map(|critique| critique.rating).collect();
        let risk = said().filter_map(|critique| critique.risk_level).max();
        let points = said().any(|critique| {
            let lists = [&critique.weaknesses, &critique.suggestions, &critique.risks];
            lists.iter().any(|list| !list.is_empty())
        });
        Some(ladder::severity(ladder::LadderInput {
            ratings: &ratings,
            risk,
            gap: said().any(|critique| !critique.missing_requirements.is_empty()),
            raised: points || !self.grouped.views.is_empty() || risk == Some(RiskLevel::Medium),
        }))
    }

    pub(super) fn outcome(&self, ended: Ended<Verdict>, run: &Run) -> Outcome {
        let task = &self.machine.input.task;
        let verdict = match ended {
            Ended::Closed(verdict) => verdict,
            Ended::Stopped(_) => Verdict::Undecided,
        };
        let severity = self.severity().filter(|_| verdict.closes());
        let gaps = actions::gaps(&self.grouped.groups);
        let seats = self.seats(run);
        // The seats name the configured agents; only the protocol knows their stand-ins.
        let quorum = Quorum {
            vendors: count(self.vendors().len()),
            ..Quorum::of(&seats, count(self.machine.needed()))
        };
        Outcome {
            outcome: ended,
            verdict,
            seats,
            quorum,
            // There is one round, complete when every perspective asked has answered or failed.
            rounds_used: u32::from(matches!(ended, Ended::Closed(_))),
            failure: self.failure(ended),
            warnings: run.warnings().to_vec(),
            result: Critiques {
                severity,
                recommendation: severity.map(|severity| {
                    ladder::recommendation(severity, task.sign_off, task.revisions)
                }),
                ratings: (self.voices.iter())
                    .map(|voice| (voice.perspective.clone(), voice.critique.rating))
                    .collect(),
                average_rating: self.average_rating(),
                divergences: divergence::all(&self.voices, &gaps, &self.grouped.views),
                convergent_themes: self.grouped.themes.clone(),
                divergent_views: self.grouped.views.clone(),
                action_items: actions::items(&self.voices, &self.grouped.groups),
                coverage_gaps: gaps,
                basics: self.basics(),
                perspectives: self.voices.clone(),
            },
        }
    }

    /// Returns a note if all answers are one vendor's, although they look like several opinions.
    pub(super) fn one_vendor(&self) -> Option<Note> {
        let vendors = self.vendors();
        let (1, Some(vendor), answered @ 2..) = (vendors.len(), vendors.first(), self.voices.len())
        else {
            return None;
        };
        let message = format!(
            "all {answered} perspectives that answered used {vendor}: read them as one opinion, not as {answered}"
        );
        Some(Note::new("one_vendor", message))
    }

    fn vendors(&self) -> BTreeSet<&str> {
        self.voices.iter().map(|voice| &*voice.vendor).collect()
    }

    /// Returns the mean of the given ratings, to the nearest hundredth.
    fn average_rating(&self) -> Option<f64> {
        let ratings = self.voices.iter().map(|voice| u32::from(voice.critique.rating));
        let (sum, count) = (ratings.sum::<u32>(), count(self.voices.len()));
        let hundredths = (sum * 200 + count).checked_div(count * 2)?;
        Some(f64::from(hundredths) / 100.0)
    }

    fn basics(&self) -> Option<Basics> {
        let task = &self.machine.input.task;
        (self.voices.is_empty()).then(|| basics::basics(&task.artifact))
    }

    /// Returns the perspectives in the order asked, followed by those that were not asked at all.
    fn seats(&self, run: &Run) -> Vec<Seat> {
        let task = &self.machine.input.task;
        let asked = task.perspectives.iter().filter_map(|perspective| {
            let own = run.seats().named(&perspective.name)?;
            let mut seat = own.seat(own.is_intact(), self.failed(perspective));
            if let Some(away) = &perspective.stands_in {
                if seat.status == SeatStatus::Answered {
                    seat.status = SeatStatus::FellBack;
                    seat.fell_back_to = Some(seat.agent.clone());
                }
                seat.agent.clone_from(&away.agent);
                seat.vendor.clone_from(&away.vendor);
            }
            Some(seat)
        });
        let skipped = task.skipped.iter().map(|skipped| Seat {
            role: skipped.name.clone(),
            agent: skipped.agent.clone(),
            vendor: skipped.vendor.clone(),
            status: SeatStatus::Skipped,
            failure: Some(skipped.why.clone()),
            fell_back_to: None,
        });
        asked.chain(skipped).collect()
    }

    /// Explains why a perspective has no answer, and for which agent the failed one stood in.
    fn failed(&self, perspective: &Perspective) -> Option<String> {
        let (_, answer) = self.answers.iter().find(|(asked, _)| asked.name == perspective.name)?;
        let failure = answer.result.as_ref().err()?;
        Some(match &perspective.stands_in {
            Some(away) => format!("{failure} ({} stood in: {})", answer.respondent.agent, away.why),
            None => failure.to_string(),
        })
    }

    /// Returns the failure that left too few answers.
    fn failure(&self, ended: Ended<Verdict>) -> Option<Failure> {
        if ended != Verdict::Undecided {
            return None;
        }
        self.answers.iter().find_map(|(_, answer)| answer.result.as_ref().err().cloned())
    }
}

fn voice((perspective, answer): &(Perspective, Answer<Critique>)) -> Option<PerspectiveReply> {
    let critique = answer.result.as_ref().ok()?;
    let away = perspective.stands_in.as_ref().map(|away| &away.agent);
    Some(PerspectiveReply {
        perspective: perspective.name.clone(),
        title: perspective.title.clone(),
        agent: answer.respondent.agent.clone(),
        vendor: answer.respondent.vendor.clone(),
        instead_of: away.or(answer.respondent.fell_back_from.as_ref()).cloned(),
        critique: critique.clone(),
    })
}

#[cfg(test)]
mod tests {
    //! Which agent answered for which perspective, what is counted, and the warnings and failures of the result.

    use super::super::input::Input;
    use super::super::testing::*;
    use super::*;
    use crate::kernel::{Event, FailureClass, Stop};

    fn ended(input: Input, scripts: &str) -> Outcome {
        let mut machine = Machine::open(input).unwrap();
        let answers = answers(&machine, scripts);
        machine.apply(answers);
        done(&machine)
    }

    fn codes(outcome: &Outcome) -> Vec<&str> {
        outcome.warnings.iter().map(|each| &*each.code).collect()
    }

    /// Returns role, agent, vendor, status, and the agent that answered instead.
    fn seat(seat: &Seat) -> (&str, &str, &str, SeatStatus, Option<&str>) {
        let instead = seat.fell_back_to.as_deref();
        (&seat.role, &seat.agent, &seat.vendor, seat.status, instead)
    }

    #[test]
    fn seats_say_who_should_have_answered_and_who_did() {
        let mut input = input("product technical quality risk own");
        stand_in(&mut input, "product", seated("codex", "openai"));
        stand_in(&mut input, "technical", seated("claude", "anthropic"));
        stand_in(&mut input, "quality", seated("codex", "openai"));
        input.task.skipped = vec![skipped("coverage", "there is no context")];
        // The stand-in answers; another agent steps in for the stand-in; the stand-in fails; an agent steps in; one
        // answers.
        let outcome = ended(input, "4 4! ? 4! 5");
        let seats: Vec<_> = outcome.seats.iter().map(seat).collect();
        assert_eq!(
            seats,
            [
                ("product", "gemini", "google", SeatStatus::FellBack, Some("codex")),
                ("technical", "codex", "openai", SeatStatus::FellBack, Some("opus")),
                ("quality", "claude", "anthropic", SeatStatus::Failed, None),
                ("risk", "gemini", "google", SeatStatus::FellBack, Some("opus")),
                ("own", "local", "home", SeatStatus::Answered, None),
                ("coverage", "gemini", "google", SeatStatus::Skipped, None),
            ]
        );
        let failures: Vec<Option<&str>> =
            (outcome.seats.iter()).map(|seat| seat.failure.as_deref()).collect();
        assert_eq!((failures[0], failures[4]), (None, None));
        let failed = failures[2].unwrap();
        assert!(failed.starts_with("unreadable: "), "{failed}");
        assert!(failed.ends_with("(codex stood in: `claude` is not installed)"));
        assert_eq!(failures[5], Some("there is no context"));
        let voices: Vec<_> = (outcome.result.perspectives.iter())
            .map(|each| {
                let instead = each.instead_of.as_deref();
                (&*each.perspective, &*each.agent, &*each.vendor, instead)
            })
            .collect();
        assert_eq!(
            voices,
            [
                ("product", "codex", "openai", Some("gemini")),
                ("technical", "opus", "anthropic", Some("codex")),
                ("risk", "opus", "anthropic", Some("gemini")),
                ("own", "local", "home", None),
            ]
        );
        assert_eq!((outcome.quorum.vendors, outcome.quorum.needed), (3, 3));
    }

    /// After a stop: who answered, who failed, who had not answered yet; none of them is "answered" by default.
    #[test]
    fn a_seat_that_had_not_answered_says_so() {
        let mut machine = machine("product technical quality");
        let came = answers(&machine, "4 . 5");
        machine.part(came.into_iter().take(2).map(Some));
        let outcome = machine.stop(Stop::Budget);
        let seats: Vec<_> = (outcome.seats.iter())
            .map(|seat| (seat.status, seat.failure.as_deref().unwrap_or("-")))
            .collect();
        assert_eq!(seats[0], (SeatStatus::Answered, "-"));
        assert_eq!(seats[1].0, SeatStatus::Failed);
        assert_eq!(seats[2], (SeatStatus::Skipped, "-"));
    }

    #[test]
    fn the_mean_is_of_those_that_answered_to_the_nearest_hundredth() {
        let eight = "p1 p2 p3 p4 p5 p6 p7 p8";
        for (names, scripts, expected) in [
            ("product", "4", Some(4.0)),
            ("product technical quality", "4 4 3", Some(3.67)),
            ("product technical quality", "4 3 3", Some(3.33)),
            ("product technical", "1 2", Some(1.5)),
            // Not 3, not 0, not the middle: a perspective that did not rate is not averaged in.
            ("product technical quality", "5 . 5", Some(5.0)),
            ("product technical quality", "1 ? .", Some(1.0)),
            ("product technical quality", ". . ?", None),
            // 33 of 8 are 4.125.
            (eight, "4 4 4 4 4 4 4 5", Some(4.13)),
        ] {
            let outcome = run(names, scripts);
            assert_eq!(outcome.result.average_rating, expected, "{scripts}");
            let words = names.split(' ').zip(scripts.split(' '));
            let rated: Vec<(String, u8)> = words
                .filter_map(|(name, word)| Some((name.to_owned(), word.parse().ok()?)))
                .collect();
            assert_eq!(outcome.result.ratings, rated.into_iter().collect(), "{scripts}");
        }
    }

    /// Product, risk and coverage are google's; `!` is an answer by anthropic, whose seat quality is too.
    #[test]
    fn one_vendor_for_all_is_never_unnoticed() {
        for (names, scripts, vendor) in [
            ("product risk", "4 4", Some("google")),
            ("product risk coverage", "4 4 .", Some("google")),
            ("product technical quality", "4! 4! 4", Some("anthropic")),
            ("product technical quality", ". 4! 4", Some("anthropic")),
            ("product technical", "4! 4!", Some("anthropic")),
            // Worth knowing even if nothing is decided.
            ("product risk own technical", "4 4 . .", Some("google")),
            ("product technical", "4 4", None),
            ("product risk own", "4 4 4", None),
            ("product risk", "4 4!", None),
            // A single answer cannot look like several opinions.
            ("product", "4", None),
            ("product risk", "4 .", None),
            ("product risk", ". .", None),
        ] {
            let mut machine = machine(names);
            let answers = answers(&machine, scripts);
            let facts = machine.apply(answers);
            let outcome = done(&machine);
            let warned: Vec<&str> = (outcome.warnings.iter())
                .filter(|each| each.code == "one_vendor" && each.turn.is_none())
                .map(|each| &*each.message)
                .collect();
            let count = outcome.result.perspectives.len();
            let expected: Vec<String> = (vendor.iter())
            .map(|vendor| format!("all {count} perspectives that answered used {vendor}: read them as one opinion, not as {count}"))
            .collect();
            assert_eq!(warned, expected, "{names}: {scripts}");
            let told = facts
                .iter()
                .map(Event::fact)
                .filter(|fact| fact.code == "one_vendor" && fact.warning);
            assert_eq!(told.count(), expected.len(), "{names}: {scripts}");
            assert_eq!(vendor.is_some(), count > 1 && outcome.quorum.vendors == 1);
        }
        // A stand-in counts as itself.
        let mut input = input("technical quality");
        stand_in(&mut input, "technical", seated("claude", "anthropic"));
        assert_eq!(codes(&ended(input, "4 4")), ["one_vendor"]);
    }

    #[test]
    fn where_nobody_answered_there_is_what_the_artifact_says_of_itself() {
        for (scripts, bare) in [(". ?", true), ("4 .", false), ("4 4", false)] {
            let outcome = run("product technical", scripts);
            let bytes = outcome.result.basics.map(|basics| basics.bytes);
            assert_eq!(bytes, bare.then_some(61), "{scripts}");
        }
    }

    #[test]
    fn the_failure_that_left_too_few_is_that_of_the_first_seat_that_failed() {
        let outcome = run("product technical quality", "5 ? .");
        let failure = outcome.failure.unwrap();
        assert_eq!(failure.class, FailureClass::Unreadable);
        // If enough answered there is no failure; the seat reports its own.
        let outcome = run("product technical quality", "5 ? 5");
        assert_eq!(outcome.failure, None);
        assert_eq!(outcome.seats[1].status, SeatStatus::Failed);
    }
}
