//! Builds the result from the machine's state: seats are named again, and every statement is included.

use std::collections::BTreeMap;

use super::input::Judge;
use super::letters::{letter, place_of};
use super::machine::{Machine, State};
use super::model::{Ballot, CountedVote};
use super::tally::Choices;
use crate::kernel::share::Share;
use crate::kernel::{self, Ended, Failure, Run, Seat, seat_name};
use crate::protocol::debate::ballot::{Choice, VoteRecord};
use crate::protocol::debate::outcome::{
    self, DebateResult, Decision, Dissent, ExpertRecord, FinalPosition, OpenPoint, RoundRecord,
};
use crate::protocol::debate::{DebateOutcome, Outcome};
use crate::text::counted;

impl Machine {
    /// Builds the outcome of a panel that ended as `ended`.
    pub(super) fn outcome(&self, ended: Ended<DebateOutcome>, run: &Run) -> Outcome {
        let view = View { machine: self, ended, run };
        let seats = self.seats.len();
        let (first, last) = (self.ballots.first(), self.ballots.last());
        let votes = |ballot: Option<&Ballot>| ballot.map(|ballot| view.votes(ballot));
        let choices = view.choices();
        let chosen = view.chosen();
        let leading = choices
            .iter()
            .map(|choice| choice.votes)
            .max()
            .filter(|_| chosen.is_some() || last.is_some());
        let result = DebateResult {
            consensus: leading
                .and_then(|votes| Share::of(votes.into(), u64::from(kernel::count(seats)))),
            rounds: view.rounds(),
            final_positions: view.positions(),
            decision: chosen.and_then(|choice| {
                let given = self.answers.get(choice)?;
                let of_it = view.grouped().answers(choice);
                let of_it: Vec<_> = of_it.iter().filter_map(|at| self.answers.get(*at)).collect();
                let with = of_it.iter().filter_map(|given| {
                    Some(format!("{}: {}", seat_name(given.seat), given.said.with.as_ref()?))
                });
                let agreed = of_it.iter().flat_map(|given| {
                    let reasons = given.said.reasons.iter();
                    reasons.map(|reason| format!("{}: {reason}", seat_name(given.seat)))
                });
                Some(Decision {
                    text: given.said.answer.clone(),
                    by: if ended == DebateOutcome::Judged {
                        "judge".to_owned()
                    } else {
                        "panel".to_owned()
                    },
                    position: None,
                    amendments: with.collect(),
                    agreed: agreed.collect(),
                    ..Decision::default()
                })
            }),
            open_points: view.open_points(&choices),
            dissent: view.dissent(),
            expert: view.expert(),
            first_votes: votes(first).unwrap_or_default(),
            last_votes: votes(last).unwrap_or_default(),
            code_change_required: ended == DebateOutcome::Judged
                && self.rulings().any(|said| said.code_change_required == Some(true)),
            choices,
            ..DebateResult::default()
        };
        let quorum = (kernel::count(seats / 2 + 1), kernel::count(self.vendors()));
        outcome::outcome(ended, quorum, view.seats(), view.failure(), run.warnings(), result)
    }
}

#[derive(Clone, Copy)]
struct View<'a> {
    machine: &'a Machine,
    ended: Ended<DebateOutcome>,
    run: &'a Run,
}

impl View<'_> {
    /// Returns the choices that the answers form: those of the last ballot or, before the first, of the options that
    /// they take.
    fn grouped(self) -> Choices {
        let last = self.machine.ballots.last();
        last.map_or_else(
            || Choices::new(self.machine.answers.len(), &[]).joined(&self.machine.one_option()),
            |ballot| ballot.choices.clone(),
        )
    }

    fn without_vote(self) -> bool {
        self.ended == DebateOutcome::Settled && self.machine.ballots.is_empty()
    }

    /// Returns the choice that was decided on, if any.
    fn chosen(self) -> Option<usize> {
        match self.ended {
            // All answers are the first choice.
            Ended::Closed(DebateOutcome::Settled) if self.without_vote() => Some(0),
            Ended::Closed(DebateOutcome::Settled) => self.machine.ballots.last()?.tally.leading(),
            Ended::Closed(DebateOutcome::Judged) => {
                let ruling = self.machine.rulings().next()?;
                place_of(&ruling.position)
            }
            _ => None,
        }
    }

    fn choices(self) -> Vec<Choice> {
        let (grouped, given) = (self.grouped(), &self.machine.answers);
        let last = self.machine.ballots.last();
        let choice = |choice: usize| {
            let answers = grouped.answers(choice);
            let counted = last.and_then(|ballot| ballot.tally.by_choice.get(&choice)).copied();
            let named = self.without_vote().then(|| (answers.len(), self.machine.vendors()));
            let (votes, vendors) = counted.or(named).unwrap_or_default();
            Choice {
                id: letter(choice),
                seats: answers.iter().map(|at| seat_name(given[*at].seat)).collect(),
                said: answers.iter().map(|at| given[*at].said.clone()).collect(),
                text: given[choice].said.answer.clone(),
                option: given[choice]
                    .said
                    .option
                    .clone()
                    .filter(|_| self.machine.taken(choice).is_some()),
                votes: kernel::count(votes),
                vendors: kernel::count(vendors),
                answers: answers.into_iter().map(letter).collect(),
            }
        };
        grouped.all().into_iter().map(choice).collect()
    }

    fn votes(self, ballot: &Ballot) -> Vec<VoteRecord> {
        let record = |(seat, vote): (&usize, &CountedVote)| {
            let choice = ballot.choices.of(vote.answer);
            VoteRecord {
                seat: seat_name(*seat),
                agent: vote.by.0.clone(),
                vendor: vote.by.1.clone(),
                choice: letter(choice),
                own: (self.machine.answer_by(*seat))
                    .is_some_and(|own| ballot.choices.of(own) == choice),
                reason: vote.reason.clone(),
                moved_by: vote.moved_by.clone(),
                stands: vote.stands,
                not_counted: (vote.wanted.as_ref())
                    .map(|(wanted, _)| letter(ballot.choices.of(*wanted))),
            }
        };
        ballot.votes.iter().map(record).collect()
    }

    /// Returns the closed rounds, without the judge's.
    fn rounds(self) -> Vec<RoundRecord> {
        let round = |round, votes| RoundRecord { round, votes, ..RoundRecord::default() };
        let answers = (self.machine.state != State::Answers).then(|| round(1, Vec::new()));
        let ballots = self.machine.ballots.iter();
        let ballots = ballots.map(|ballot| round(ballot.round, self.votes(ballot)));
        answers.into_iter().chain(ballots).collect()
    }

    fn positions(self) -> BTreeMap<String, FinalPosition> {
        let position = |given: &super::model::PanelAnswer| {
            let (seat, by) = (seat_name(given.seat), (&*given.by.0, &*given.by.1));
            let last = FinalPosition::new(&seat, by, &given.said.answer, 1);
            (seat, last)
        };
        self.machine.answers.iter().map(position).collect()
    }

    /// Returns the choices that have votes, unless one was decided on.
    fn open_points(self, choices: &[Choice]) -> Vec<OpenPoint> {
        if self.chosen().is_some() {
            return Vec::new();
        }
        let ruling = |id: &str| {
            let mut points = self.machine.rulings().flat_map(|said| &said.points);
            points.find(|point| point.id == id)
        };
        let open = choices.iter().filter(|choice| choice.votes > 0);
        open.map(|choice| OpenPoint {
            reason: format!(
                "{} of {}",
                counted(choice.votes, "vote"),
                counted(choice.vendors, "vendor")
            ),
            ruling: ruling(&choice.id).map(|point| point.ruling.clone()),
            // Each of them answers the whole question.
            ..OpenPoint::new(&choice.id, &choice.text, 3, None)
        })
        .collect()
    }

    /// Returns the dissent: the seats that did not agree with the decision or, without one, with the leading choice;
    /// without that either, all seats that ever voted. Each seat's last vote counts, of whichever ballot, and the
    /// choice it named without evidence.
    fn dissent(self) -> Vec<Dissent> {
        let leads = (self.machine.ballots.last()).and_then(|ballot| ballot.tally.leads());
        let (grouped, given) = (self.grouped(), &self.machine.answers);
        let with = self.chosen().or(leads);
        let about = with.and_then(|choice| Some((choice, given.get(choice)?)));
        let about = about.map_or_else(
            || "no answer leads".to_owned(),
            |(choice, given)| format!("{}: {}", letter(choice), given.said.answer),
        );
        let mut all = Vec::new();
        for seat in 0..self.machine.seats.len() {
            let Some(vote) = self.machine.vote_of(seat) else {
                continue;
            };
            let says = |reason: String| Dissent {
                seat: seat_name(seat),
                agent: vote.by.0.clone(),
                about: about.clone(),
                reason,
            };
            let choice = grouped.of(vote.answer);
            if Some(choice) != with {
                let reason = format!("votes for {}: {}", letter(choice), vote.reason);
                all.push(says(reason));
            }
            if let Some((wanted, reason)) = &vote.wanted {
                let choice = grouped.of(*wanted);
                if Some(choice) != with {
                    let choice = letter(choice);
                    all.push(says(format!(
                        "would have changed to {choice} without naming evidence: {reason}"
                    )));
                }
            }
        }
        all
    }

    fn expert(self) -> Option<ExpertRecord> {
        let bench = &self.machine.bench;
        if bench.own.is_none() && bench.failure.is_none() {
            return None;
        }
        let seated = match (&self.machine.judge, bench.seat) {
            (Judge::Named(judge), _) => Some(judge),
            (Judge::Nobody | Judge::Seat, seat) => {
                seat.and_then(|seat| self.machine.seats.get(seat))
            }
        };
        let seated = seated.map(|seated| (seated.agent.clone(), seated.vendor.clone()));
        let own = bench.own.as_ref();
        let (agent, vendor) = own.map(|(by, _)| by.clone()).or(seated)?;
        let of_seats = self.machine.seats.iter().map(|seat| &seat.vendor);
        let of_answers = self.machine.answers.iter().map(|given| &given.by.1);
        let (judgement, choices) = match &bench.rulings {
            [Some(first), Some(second)] => {
                (Some(first.clone()), vec![first.position.clone(), second.position.clone()])
            }
            // Half a test is not a test; its result is in the transcript.
            [_, _] => (None, Vec::new()),
        };
        Some(ExpertRecord {
            of_a_participant: of_seats.chain(of_answers).any(|of| *of == vendor),
            agent,
            vendor,
            judgement,
            own_answer: own.map(|(_, said)| said.answer.clone()),
            choices,
            failure: bench.failure.clone(),
        })
    }

    /// Returns the seats, and the judge if it has a seat of its own. A seat has answered if it answered its last turn
    /// due; earlier failures are listed with it.
    fn seats(self) -> Vec<Seat> {
        self.run.seats().iter().map(|seat| seat.seat(seat.is_present(), seat.failed())).collect()
    }

    /// Returns the failure that left too few seats or vendors.
    fn failure(self) -> Option<Failure> {
        if self.ended != DebateOutcome::Failed {
            return None;
        }
        let absent = self.run.seats().iter().filter(|seat| !seat.is_present());
        let mut failures = absent.filter_map(|seat| seat.failures().next_back());
        failures.next().cloned()
    }
}

#[cfg(test)]
mod tests;
