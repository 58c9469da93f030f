//! The state machine of a debate: the order of the turns, and when the debate is over.

use serde_json::{Value, json};

use super::input::{Input, InputError};
use super::model::{BacklogOutcome, BacklogVerdict, DebateRound, Disposition, ModeratorReason};
use super::prompt;
use super::reply::{self, ChampionReply, Content, CriticReply, ModeratorReply, ReplyContext};
use super::{Role, consensus, input};
use crate::kernel::{
    self, Answer, Answers, Attendance, Chance, Defect, Draft, Driver, Ended, Failure, Protocol,
    Query, Quorum, RawReply, Reply, Respondent, Run, Seat, Stage, Step, Stop, Turn, TurnId, Usd,
};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::opening::Opening;
use crate::protocol::prompt::Filled;
use crate::protocol::seats::respondent;
use crate::text::Note;

/// The reply that is expected next.
#[derive(Debug, Clone, PartialEq)]
enum State {
    /// Both partners', neither of whom sees the other's.
    Partners,
    Champion,
    Critic(ChampionReply),
    /// The critic's once more: a stand-in of the champion's vendor gave the last one.
    CriticAgain(ChampionReply),
    Moderator(ChampionReply, CriticReply),
    Closed(BacklogOutcome),
}

/// How a partner debate ended, with its result.
pub(crate) type Outcome = kernel::Outcome<Ended<BacklogOutcome>, BacklogVerdict, Ranked>;

/// The result of a partner debate.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ranked {
    pub rounds: Vec<DebateRound>,
    /// The ranking to apply: the last complete round's; empty if there is none.
    pub final_rankings: Vec<String>,
    /// That round's dispositions; empty if there is none.
    pub dispositions: BTreeMap<String, Disposition>,
}

/// The state of the partner debate.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    input: Input,
    ids: Vec<String>,
    stable: String,
    state: State,
    round: u32,
    rounds: Vec<DebateRound>,
    /// Costs of the incomplete round.
    costs: BTreeMap<Role, Usd>,
    /// Number of warnings when the last round was closed.
    warned: usize,
    /// Whether champion and critic are of one vendor from the start.
    one_vendor: bool,
}

impl Machine {
    /// Opens a debate.
    ///
    /// # Errors
    /// An input that allows no debate.
    pub(crate) fn open(input: Input) -> Result<Driver<Self>, InputError> {
        input::check(&input)?;
        let ids: Vec<String> =
            input.opportunities.iter().map(|each| each.opportunity_id.clone()).collect();
        let Filled { text: stable, mut notes } = prompt::stable(&input);
        let mut seats = Vec::new();
        for name in Role::ALL.map(Role::name) {
            seats.push((name.to_owned(), respondent(&input.seats, name)?));
        }
        let vendor = &seats[0].1.vendor;
        let one_vendor = *vendor == seats[1].1.vendor;
        if one_vendor {
            let message = format!(
                "champion and critic are both from {vendor}: their agreement is one vendor's, not two vendors'"
            );
            notes.push(Note::new("same_vendor", message));
        }
        let state = match input.settings.opening {
            _ if ids.len() < 2 => State::Closed(BacklogOutcome::NothingToRank),
            Opening::Sequential => State::Champion,
            Opening::Blind => State::Partners,
        };
        let run = Run::new(seats);
        let boundary = input.prompts.boundary.clone();
        let machine = Self {
            ids,
            stable,
            state,
            round: 1,
            rounds: Vec::new(),
            costs: BTreeMap::new(),
            warned: notes.len(),
            one_vendor,
            input,
        };
        Ok(Driver::new(machine, run, &notes, &boundary))
    }

    /// Returns the roles that are asked now, or the outcome that closed the debate.
    fn asked(&self) -> Result<&'static [Role], BacklogOutcome> {
        Ok(match &self.state {
            State::Partners => &[Role::Champion, Role::Critic],
            State::Champion => &[Role::Champion],
            State::Critic(_) | State::CriticAgain(_) => &[Role::Critic],
            State::Moderator(..) => &[Role::Moderator],
            State::Closed(outcome) => return Err(*outcome),
        })
    }

    /// Builds the prompt of a role that is asked now.
    fn draft(&self, role: Role) -> Draft {
        let scene = prompt::Scene {
            input: &self.input,
            stable: &self.stable,
            turn: self.turn_id(role),
            round: self.round,
            last: self.rounds.last(),
        };
        match (&self.state, role) {
            (State::Moderator(champion, critic), _) => prompt::moderator(&scene, champion, critic),
            (State::Critic(champion), _) => prompt::critic(&scene, Some(champion)),
            (State::CriticAgain(_), _) | (State::Partners, Role::Critic) => {
                prompt::critic(&scene, None)
            }
            (State::Partners | State::Champion | State::Closed(_), _) => prompt::champion(&scene),
        }
    }

    fn turn_id(&self, role: Role) -> TurnId {
        let id = role.turn_id(self.round);
        if let State::CriticAgain(_) = self.state { id.part("again") } else { id }
    }

    fn query(&self, role: Role, run: &Run) -> Query<Role> {
        let mut query = self.draft(role).to(role.name(), role);
        // The critic's seat exists for independence, so neither side's fallback may undo it.
        let apart_from = match role {
            Role::Champion => Some(Role::Critic),
            Role::Critic => Some(Role::Champion),
            Role::Moderator => None,
        };
        let apart_from = apart_from.filter(|_| !self.one_vendor);
        let vendors = apart_from.and_then(|role| run.seats().named(role.name()));
        let vendors = vendors.into_iter().flat_map(Attendance::vendors);
        query.turn.not_vendors = vendors.map(str::to_owned).collect();
        query.turn.not_vendor_of =
            apart_from.map(|role| role.name().to_owned()).into_iter().collect();
        query
    }

    fn outcome(&self, ended: Ended<BacklogOutcome>, run: &Run) -> Outcome {
        let outcome = match ended {
            Ended::Closed(BacklogOutcome::Consensus) if partners(run).len() < 2 => {
                Ended::Closed(BacklogOutcome::OneVendor)
            }
            other => other,
        };
        let last = self.rounds.last();
        let absent = |seat: &&Attendance| seat.asked() > 0 && !seat.is_present();
        let failure =
            run.seats().iter().filter(absent).find_map(|seat| seat.failures().next_back());
        Outcome {
            outcome,
            verdict: BacklogVerdict::of(outcome, last.is_some()),
            seats: run.seats().iter().map(seat).collect(),
            quorum: quorum(run),
            rounds_used: u32::try_from(self.rounds.len()).unwrap_or(u32::MAX),
            failure: failure.cloned(),
            warnings: run.warnings().to_vec(),
            result: Ranked {
                rounds: self.rounds.clone(),
                final_rankings: last
                    .map(|round| round.moderator_final_rankings.clone())
                    .unwrap_or_default(),
                dispositions: last
                    .map(|round| round.moderator_dispositions.clone())
                    .unwrap_or_default(),
            },
        }
    }

    /// Whether a stand-in of one vendor answers for both partners. Neither can be kept from it while both are asked at
    /// the same time; one after the other, the critic's fallback avoids the vendor that the champion's came from.
    fn fell_back_together(&self, critic: &Respondent, run: &Run) -> bool {
        let champion = run.seats().named(Role::Champion.name());
        let mut vendors = champion.into_iter().flat_map(Attendance::vendors);
        !self.one_vendor
            && self.is_blind()
            && critic.fell_back_from.is_some()
            && vendors.any(|vendor| vendor == critic.vendor)
    }

    /// Whether the partners of this round do not see each other.
    fn is_blind(&self) -> bool {
        self.round == 1 && self.input.settings.opening == Opening::Blind
    }

    /// Checks the moderator's claim, records the round, and determines the next state.
    fn close_round(
        &mut self,
        turn: &TurnId,
        champion: ChampionReply,
        critic: CriticReply,
        moderator: ModeratorReply,
        run: &mut Run,
    ) -> State {
        let check = consensus::check(
            &self.input.settings,
            self.rounds.last(),
            &champion,
            &critic,
            &moderator,
        );
        if moderator.consensus_claimed && !check.failed.is_empty() {
            let message = format!(
                "round {}: the moderator claimed consensus, but {}",
                self.round,
                check.failed.join(", and ")
            );
            let note = Note::new("consensus_overridden", message);
            let data = json!({ "failed": check.failed, "rank_stability": check.stability });
            run.warn_with(&note, Some(turn), data);
        }
        let reached = moderator.consensus_claimed && check.failed.is_empty();
        let stops = !moderator.consensus_claimed && !moderator.continue_debate;
        let (round, costs) = (self.round, std::mem::take(&mut self.costs));
        let cost = |role: Role| costs.get(&role).copied().unwrap_or_default();
        let warnings = run.warnings().get(self.warned..).unwrap_or_default().to_vec();
        self.warned = run.warnings().len();
        run.close_round(
            round,
            Some(turn),
            format!("round {round}: {}", if reached { "consensus" } else { "no consensus yet" }),
            json!({
                "round": round, "rank_stability": check.stability, "investigate": check.investigate,
                "consensus_claimed": moderator.consensus_claimed, "consensus_reached": reached,
                "continue_debate": moderator.continue_debate,
            }),
        );
        self.rounds.push(DebateRound {
            round_number: round,
            champion_argument: champion.argument,
            champion_rankings: champion.rankings,
            champion_cost_usd: cost(Role::Champion),
            critic_concerns: critic.concerns,
            critic_met: critic.met,
            critic_counter_rankings: critic.rankings,
            critic_cost_usd: cost(Role::Critic),
            moderator_dispositions: moderator.dispositions,
            moderator_reasons: moderator.reasons,
            moderator_final_rankings: moderator.rankings,
            moderator_cost_usd: cost(Role::Moderator),
            continue_debate: moderator.continue_debate,
            consensus_reached: reached,
            warnings,
            rank_stability: check.stability,
            consensus_claimed: moderator.consensus_claimed,
        });
        if reached {
            State::Closed(BacklogOutcome::Consensus)
        } else if stops {
            State::Closed(BacklogOutcome::ModeratorStop)
        } else if round >= self.input.settings.max_rounds {
            State::Closed(BacklogOutcome::MaxRounds)
        } else {
            self.round += 1;
            State::Champion
        }
    }
}

/// Returns a seat for the result: it answered if its last turn was answered.
fn seat(seat: &Attendance) -> Seat {
    let failure = seat.failures().next_back().filter(|_| !seat.is_present());
    seat.seat(seat.is_present(), failure.map(Failure::to_string))
}

/// Returns the vendors that answered for champion and critic.
fn partners(run: &Run) -> BTreeSet<&str> {
    let seat = |role: Role| run.seats().named(role.name());
    let seats = [Role::Champion, Role::Critic].into_iter().filter_map(seat);
    seats.flat_map(Attendance::vendors).gather()
}

/// Returns the attendance. All three roles are needed, every round.
fn quorum(run: &Run) -> Quorum {
    let answered = || run.seats().iter().filter(|seat| seat.is_present());
    let vendors: BTreeSet<&str> = answered().flat_map(Attendance::vendors).gather();
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Quorum {
        needed: number(Role::ALL.len()),
        answered: number(answered().count()),
        vendors: number(vendors.len()),
    }
}

impl Protocol for Machine {
    type Ask = Role;
    type Content = Content;
    type Outcome = Outcome;

    const STAGES: &'static [Stage] = &[
        Stage::new("champion", "ranking", "ranks"),
        Stage::new("critic", "objections", "objects"),
        Stage::new("moderator", "ruling", "moderates"),
    ];

    /// The wording of journals and results since the first version.
    const DEFUSED: &'static str = "it was defused for the others";

    fn next(&self, run: &Run) -> Step<Outcome, Query<Role>> {
        match self.asked() {
            Ok(roles) => Step::Ask {
                opens_round: roles.contains(&Role::Champion).then_some(self.round),
                turns: roles.iter().map(|role| self.query(*role, run)).collect(),
            },
            Err(outcome) => Step::Done(self.outcome(Ended::Closed(outcome), run)),
        }
    }

    fn read(
        &self,
        role: &Role,
        reply: &RawReply,
        chance: Chance,
    ) -> Result<Reply<Content>, Defect> {
        let terms = ReplyContext {
            ids: &self.ids,
            order: self.rounds.last().map_or(&self.ids, |last| &last.moderator_final_rankings),
        };
        reply::parse(*role, reply, chance, terms)
    }

    fn data(&self, role: &Role, _: &Turn, _: &Run) -> Value {
        json!({ "backlog": {
            "role": role.name(), "round": self.round, "opportunities": self.input.opportunities,
            "shown": self.draft(*role).shown,
        } })
    }

    fn gist(&self, _: &Role, said: &Content) -> Vec<String> {
        let title = |id: &String| {
            let each = self.input.opportunities.iter().find(|each| each.opportunity_id == *id);
            each.map_or(id.clone(), |each| each.title.clone())
        };
        match said {
            Content::Champion(said) => {
                let ranked = said.rankings.iter().zip(1..);
                ranked.map(|(id, rank)| format!("{rank}. {}", title(id))).collect()
            }
            Content::Critic(said) => {
                let concerns =
                    said.rankings.iter().filter_map(|id| Some((id, said.concerns.get(id)?)));
                concerns
                    .flat_map(|(id, all)| {
                        all.iter().map(move |each| format!("{}: {each}", title(id)))
                    })
                    .collect()
            }
            Content::Moderator(said) => {
                let ruled =
                    said.rankings.iter().filter_map(|id| Some((id, said.dispositions.get(id)?)));
                ruled.map(|(id, ruling)| format!("{}: {}", ruling.name(), title(id))).collect()
            }
        }
    }

    fn quoted(&self, said: &Content) -> Option<String> {
        match said {
            Content::Champion(said) => Some(said.argument.clone()),
            Content::Critic(said) => {
                let concerns: Vec<&str> =
                    said.concerns.values().flatten().map(String::as_str).collect();
                Some(concerns.join("\n"))
            }
            Content::Moderator(said) => {
                let reasons = said.reasons.values().flat_map(ModeratorReason::parts);
                let texts: Vec<&str> = reasons.map(|(_, text)| text).collect();
                (!texts.is_empty()).then(|| texts.join("\n"))
            }
        }
    }

    fn apply(&mut self, answers: Answers<Self>, run: &mut Run) {
        for (role, Answer { turn, result, cost, respondent, .. }) in answers {
            let cost = cost.map_or(Usd::ZERO, |cost| cost.usd);
            *self.costs.entry(role).or_default() += cost;
            let failed = State::Closed(BacklogOutcome::AgentFailure);
            let state = std::mem::replace(&mut self.state, failed);
            let Ok(said) = result else { continue };
            self.state = match (state, said) {
                (State::Champion | State::Partners, Content::Champion(said)) => State::Critic(said),
                (State::Critic(champion), Content::Critic(_))
                    if self.fell_back_together(&respondent, run) =>
                {
                    State::CriticAgain(champion)
                }
                (State::Critic(champion) | State::CriticAgain(champion), Content::Critic(said)) => {
                    State::Moderator(champion, said)
                }
                (State::Moderator(champion, critic), Content::Moderator(said)) => {
                    self.close_round(&turn, champion, critic, said, run)
                }
                (state, Content::Champion(_) | Content::Critic(_) | Content::Moderator(_)) => state,
            };
        }
    }

    fn stop(&self, why: Stop, _: &[(Role, Answer<Content>)], run: &Run) -> Outcome {
        self.outcome(why.into(), run)
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
