//! The debate's state machine: whose turn it is, and when it is over.

use std::collections::BTreeMap;

use serde_json::json;

use super::attendance::{Panel, Quorum};
use super::input::{Input, InputError};
use super::model::{BacklogOutcome, DebateRound, Disposition};
use super::prompt::{self, Stable};
use super::reply::{self, ChampionReply, CriticReply, ModeratorReply, Reply, Said, Terms};
use super::{Role, consensus, contract, input};
use crate::kernel::{
    Answer, Chance, Defect, Drive, Event, Fact, Failure, RawReply, Seat, Step, Stop, Turn, Usd,
    Warning,
};
use crate::text::block::BlockLimits;
use crate::text::ids::IdIndex;
use crate::text::{Note, fence};

/// What the next answer is expected to be.
#[derive(Debug, Clone, PartialEq)]
enum State {
    Champion,
    Critic(ChampionReply),
    Moderator(ChampionReply, CriticReply),
    Closed(BacklogOutcome),
}

/// How the debate ended, with everything the result document needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub outcome: BacklogOutcome,
    /// The complete rounds.
    pub rounds: Vec<DebateRound>,
    /// The ranking to apply: the last complete round's; empty if there is none.
    pub final_rankings: Vec<String>,
    /// That round's dispositions; empty if there is none.
    pub dispositions: BTreeMap<String, Disposition>,
    /// Whether consensus was reached, by the check.
    pub consensus_reached: bool,
    /// Whether money or rounds ran out.
    pub stalemate: bool,
    /// Who sat where and answered.
    pub seats: Vec<Seat>,
    /// How many had to answer and did.
    pub quorum: Quorum,
    /// All warnings: of the prompt, of every reply, of the check.
    pub warnings: Vec<Warning>,
    /// The failure behind `agent_failure`.
    pub failure: Option<Failure>,
}

impl Outcome {
    /// Returns `decided` when there is a ranking to apply, else `undecided`.
    pub fn verdict(&self) -> &'static str {
        if self.final_rankings.is_empty() { "undecided" } else { "decided" }
    }
}

/// The partner debate.
#[derive(Debug, Clone)]
pub struct Machine {
    input: Input,
    ids: Vec<String>,
    index: IdIndex,
    stable: String,
    state: State,
    round: u32,
    rounds: Vec<DebateRound>,
    /// Warnings of the round that is not complete yet.
    pending: Vec<Warning>,
    pending_costs: BTreeMap<Role, Usd>,
    warnings: Vec<Warning>,
    panel: Panel,
}

impl Machine {
    /// Prepares a debate.
    pub fn new(input: Input) -> Result<Self, InputError> {
        input::check(&input)?;
        let ids: Vec<String> =
            input.opportunities.iter().map(|each| each.opportunity_id.clone()).collect();
        let Stable { text: stable, notes } =
            prompt::stable(&input.opportunities, &input.boundary, input.settings.prompt_chars);
        let mut warnings: Vec<Warning> = notes.iter().map(|note| warning(note, None)).collect();
        let (champion, critic) = (&input.seats.champion, &input.seats.critic);
        if champion.vendor == critic.vendor {
            let message = format!(
                "champion and critic are both of {}: their agreement is one vendor's, not two",
                champion.vendor
            );
            warnings.push(warning(&Note::new("same_vendor", message), None));
        }
        let state = if ids.len() < 2 {
            State::Closed(BacklogOutcome::NothingToRank)
        } else {
            State::Champion
        };
        Ok(Self {
            index: IdIndex::new(&ids),
            ids,
            stable,
            state,
            round: 1,
            rounds: Vec::new(),
            pending: Vec::new(),
            pending_costs: BTreeMap::new(),
            warnings,
            panel: Panel::new(),
            input,
        })
    }

    /// Returns the input, for whoever builds the result document.
    pub fn input(&self) -> &Input {
        &self.input
    }

    fn expects(&self) -> Option<Role> {
        match self.state {
            State::Champion => Some(Role::Champion),
            State::Critic(_) => Some(Role::Critic),
            State::Moderator(..) => Some(Role::Moderator),
            State::Closed(_) => None,
        }
    }

    /// Returns the turn to ask now and what was cut in its prompt, or how the debate was closed.
    fn turn(&self) -> Result<(Turn, Option<Note>), BacklogOutcome> {
        let (count, last, boundary) = (self.ids.len(), self.rounds.last(), &*self.input.boundary);
        let (role, (prompt, note)) = match &self.state {
            State::Champion => {
                (Role::Champion, prompt::champion(&self.stable, self.round, count, last, boundary))
            }
            State::Critic(champion) => (
                Role::Critic,
                prompt::critic(&self.stable, self.round, count, champion, last, boundary),
            ),
            State::Moderator(champion, critic) => {
                let rounds = (self.round, self.input.max_rounds);
                (
                    Role::Moderator,
                    prompt::moderator(
                        &self.stable,
                        rounds,
                        count,
                        champion,
                        critic,
                        last,
                        boundary,
                    ),
                )
            }
            State::Closed(outcome) => return Err(*outcome),
        };
        // Independence is the point of the critic's seat, so neither side's fallback may undo it.
        let apart_from = match role {
            Role::Champion => Some(Role::Critic),
            Role::Critic => Some(Role::Champion),
            Role::Moderator => None,
        };
        let apart_from = apart_from.filter(|_| !self.input.same_vendor_allowed);
        let turn = Turn {
            id: crate::kernel::TurnId::read(&role.turn_id(self.round)),
            role: role.name().to_owned(),
            plays: role.config_name().into(),
            prompt,
            blocks: contract::names(role),
            not_vendors: apart_from.map(|role| self.panel.vendors(role)).unwrap_or_default(),
            not_vendor_of: apart_from.map(|role| role.name().to_owned()).into_iter().collect(),
        };
        Ok((turn, note))
    }

    fn outcome(&self, outcome: BacklogOutcome) -> Outcome {
        let last = self.rounds.last();
        let mut warnings = self.warnings.clone();
        warnings.extend(self.pending.iter().cloned());
        Outcome {
            outcome,
            rounds: self.rounds.clone(),
            final_rankings: last
                .map(|round| round.moderator_final_rankings.clone())
                .unwrap_or_default(),
            dispositions: last
                .map(|round| round.moderator_dispositions.clone())
                .unwrap_or_default(),
            consensus_reached: outcome == BacklogOutcome::Consensus,
            stalemate: outcome.is_stalemate(),
            seats: self.panel.seats(&self.input.seats),
            quorum: self.panel.quorum(),
            warnings,
            failure: self.panel.failure().cloned(),
        }
    }

    /// Records what a turn's notes say, in this round's warnings and as facts.
    fn warn(&mut self, turn: &str, notes: &[Note]) -> Vec<Fact> {
        self.pending.extend(notes.iter().map(|note| warning(note, Some(turn))));
        (notes.iter()).map(|note| Fact::warning(note, Some(turn))).collect()
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let expected = self.expects().filter(|role| role.turn_id(self.round) == answer.turn);
        let fits = |role: &Role| match &answer.result {
            Ok(reply) => reply.said.role() == *role,
            Err(_) => true,
        };
        let Some(role) = expected.filter(fits) else {
            return vec![Fact {
                code: "unexpected_answer".to_owned(),
                message: format!(
                    "an answer to {} came, which was not asked now; it is ignored",
                    answer.turn
                ),
                turn: Some(answer.turn.into()),
                data: serde_json::Value::Null,
                warning: true,
            }];
        };
        self.panel.attend(role, &answer.seated, answer.result.as_ref().err());
        self.pending_costs.insert(role, answer.cost.map_or(Usd::ZERO, |cost| cost.usd));
        let mut notes = answer.notes;
        let Ok(reply) = answer.result else {
            self.state = State::Closed(BacklogOutcome::AgentFailure);
            return self.warn(&answer.turn, &notes);
        };
        notes.extend(reply.notes);
        notes.extend(self.forged(&reply.said));
        let mut facts = self.warn(&answer.turn, &notes);
        let state = std::mem::replace(&mut self.state, State::Champion);
        match (state, reply.said) {
            (State::Champion, Said::Champion(said)) => self.state = State::Critic(said),
            (State::Critic(champion), Said::Critic(said)) => {
                self.state = State::Moderator(champion, said);
            }
            (State::Moderator(champion, critic), Said::Moderator(said)) => {
                facts.extend(self.close_round(&answer.turn, champion, critic, said));
            }
            (state, Said::Champion(_) | Said::Critic(_) | Said::Moderator(_)) => self.state = state,
        }
        if let Ok((next, Some(note))) = self.turn() {
            facts.extend(self.warn(&next.id, &[note]));
        }
        facts
    }

    /// Notes marker-like text in an answer that other agents will read: it is defused there.
    fn forged(&self, said: &Said) -> Option<Note> {
        let defused = |text: &str| fence::defuse(text, &self.input.boundary).1;
        let places: usize = match said {
            Said::Champion(said) => defused(&said.argument),
            Said::Critic(said) => said.concerns.values().flatten().map(|text| defused(text)).sum(),
            Said::Moderator(_) => 0,
        };
        let message = format!(
            "the answer holds text that looks like our markers in {places} places; it was defused for the others"
        );
        (places > 0).then(|| Note::new("forged_marker", message))
    }

    fn close_round(
        &mut self,
        turn: &str,
        champion: ChampionReply,
        critic: CriticReply,
        moderator: ModeratorReply,
    ) -> Vec<Fact> {
        let check = consensus::check(
            &self.input.settings,
            self.rounds.last(),
            &champion,
            &critic,
            &moderator,
        );
        let mut facts = Vec::new();
        if moderator.consensus_claimed && !check.failed.is_empty() {
            let message =
                format!("the moderator claims consensus, but {}", check.failed.join(", and "));
            self.pending.push(warning(&Note::new("consensus_overridden", &message), Some(turn)));
            facts.push(Fact {
                code: "consensus_overridden".to_owned(),
                turn: Some(turn.to_owned()),
                message,
                data: json!({ "failed": check.failed, "rank_stability": check.stability }),
                warning: true,
            });
        }
        let reached = moderator.consensus_claimed && check.failed.is_empty();
        let stops = !moderator.consensus_claimed && !moderator.continue_debate;
        let (round, costs) = (self.round, std::mem::take(&mut self.pending_costs));
        let cost = |role: Role| costs.get(&role).copied().unwrap_or_default();
        let warnings = std::mem::take(&mut self.pending);
        self.warnings.extend(warnings.iter().cloned());
        self.rounds.push(DebateRound {
            round_number: round,
            champion_argument: champion.argument,
            champion_rankings: champion.rankings,
            champion_cost_usd: cost(Role::Champion),
            critic_concerns: critic.concerns,
            critic_counter_rankings: critic.rankings,
            critic_cost_usd: cost(Role::Critic),
            moderator_dispositions: moderator.dispositions,
            moderator_final_rankings: moderator.rankings,
            moderator_cost_usd: cost(Role::Moderator),
            continue_debate: moderator.continue_debate,
            consensus_reached: reached,
            warnings,
            rank_stability: check.stability,
            consensus_claimed: moderator.consensus_claimed,
        });
        facts.push(Fact {
            code: "round_closed".to_owned(),
            turn: Some(turn.to_owned()),
            message: format!(
                "round {round}: {}",
                if reached { "consensus" } else { "no consensus yet" }
            ),
            data: json!({
                "round": round, "rank_stability": check.stability, "investigate": check.investigate,
                "consensus_claimed": moderator.consensus_claimed, "consensus_reached": reached,
                "continue_debate": moderator.continue_debate,
            }),
            warning: false,
        });
        self.state = if reached {
            State::Closed(BacklogOutcome::Consensus)
        } else if stops {
            State::Closed(BacklogOutcome::ModeratorStop)
        } else if round >= self.input.max_rounds {
            State::Closed(BacklogOutcome::MaxRounds)
        } else {
            self.round += 1;
            State::Champion
        };
        facts
    }
}

fn warning(note: &Note, turn: Option<&str>) -> Warning {
    Warning {
        code: note.code.clone(),
        turn: turn.map(str::to_owned),
        message: note.message.clone(),
    }
}

impl Machine {
    pub(crate) fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Fact> {
        answers.into_iter().flat_map(|answer| self.take(answer)).collect()
    }
}

impl Drive for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        match self.turn() {
            Ok((turn, _)) => Step::Ask {
                opens_round: (self.state == State::Champion).then_some(self.round),
                turns: vec![turn],
            },
            Err(outcome) => Step::Done(self.outcome(outcome)),
        }
    }

    fn parse(&self, turn: &Turn, reply: &RawReply, chance: Chance) -> Result<Reply, Defect> {
        let Some(role) = Role::from_name(&turn.role) else {
            let message = format!("`{}` is no role of this debate", turn.role);
            return Err(Defect {
                problems: vec![crate::text::Problem::new("unknown_role", None, message)],
                expected_ids: self.ids.clone(),
            });
        };
        let terms = Terms {
            ids: &self.ids,
            index: &self.index,
            order: self.rounds.last().map_or(&self.ids, |last| &last.moderator_final_rankings),
            max_missing_share: self.input.settings.max_missing_share,
            strict: self.input.settings.strict,
            limits: BlockLimits { block_bytes: self.input.settings.block_bytes },
        };
        reply::parse(role, reply, chance, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Event> {
        Self::apply(self, answers).into_iter().map(Event::of).collect()
    }

    fn stop(&self, why: Stop) -> Outcome {
        match (&self.state, why) {
            (_, Stop::Running) => self.outcome(BacklogOutcome::Running),
            (_, Stop::Terminated) => self.outcome(BacklogOutcome::Terminated),
            // A debate that is over stays what it is.
            (State::Closed(outcome), _) => self.outcome(*outcome),
            (_, Stop::Budget) => self.outcome(BacklogOutcome::Budget),
            (_, Stop::Deadline | Stop::Cancelled(_)) => self.outcome(BacklogOutcome::Interrupted),
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
