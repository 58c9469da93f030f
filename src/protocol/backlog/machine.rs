//! The debate's state machine: whose turn it is, and when it is over.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::model::{
    BacklogOutcome, DebateRound, Disposition, Opportunity, RoundWarning, Seat, SeatStatus,
};
use super::prompt::{self, Stable};
use super::reply::{self, ChampionReply, CriticReply, ModeratorReply, Reply, Said, Terms};
use super::{Role, contract, scoring};
use crate::protocol::{
    Answer, Chance, Defect, Fact, Failure, Protocol, RawReply, Seated, Step, Stop, Turn, Usd,
};
use crate::text::ids::IdIndex;
use crate::text::{Note, fence};

/// Opportunities of one debate at most: a ranking has to fit into one reply.
pub const MAX_OPPORTUNITIES: usize = 1_000;

/// Rounds of one debate at most.
pub const MAX_ROUNDS: u32 = 20;

/// The rules' numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Tau-b of two successive final rankings from which they count as stable.
    pub rank_stability: f64,
    /// Tau-b of champion and critic from which they agree, in round 1.
    pub partner_agreement: f64,
    /// Share of ids that may be missing or unknown in a ranking.
    pub max_missing_share: f64,
    /// Whether anything that would be normalised is a defect instead.
    pub strict: bool,
    /// Characters of the prompt's stable part at most.
    pub prompt_chars: usize,
}

impl Default for Settings {
    /// The figures of `spec/backlog.md`.
    fn default() -> Self {
        Self {
            rank_stability: 0.8,
            partner_agreement: 0.6,
            max_missing_share: 0.34,
            strict: false,
            prompt_chars: prompt::STABLE_CHARS,
        }
    }
}

/// Which agent has which role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seats {
    /// Who champions.
    pub champion: Seated,
    /// Who criticises.
    pub critic: Seated,
    /// Who moderates.
    pub moderator: Seated,
}

impl Seats {
    /// Returns who has a role.
    pub const fn of(&self, role: Role) -> &Seated {
        match role {
            Role::Champion => &self.champion,
            Role::Critic => &self.critic,
            Role::Moderator => &self.moderator,
        }
    }
}

/// Everything that the debate depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// What is ranked, in input order.
    pub opportunities: Vec<Opportunity>,
    /// 1 to [`MAX_ROUNDS`].
    pub max_rounds: u32,
    /// The rules' numbers.
    pub settings: Settings,
    /// The session's boundary for untrusted text.
    pub boundary: String,
    /// Who sits where.
    pub seats: Seats,
    /// Whether champion and critic may be of one vendor.
    pub same_vendor_allowed: bool,
}

/// Why there can be no debate on an input.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// Rounds out of range.
    #[error("{0} rounds are not possible: choose 1 to {MAX_ROUNDS}")]
    Rounds(u32),
    /// More opportunities than a debate can rank.
    #[error("{0} opportunities are too many for one debate: at most {MAX_OPPORTUNITIES}")]
    TooMany(usize),
    /// The same id twice.
    #[error("two opportunities have the id `{0}`")]
    DuplicateId(String),
    /// Champion and critic of one vendor.
    #[error(
        "the critic (agent `{critic}`) must not be of the champion's vendor, and both are of `{vendor}`: choose another agent for one of \
         them, or allow it with --allow-same-vendor"
    )]
    SameVendor {
        /// The critic's agent.
        critic: String,
        /// The vendor of both.
        vendor: String,
    },
    /// A share or correlation out of range.
    #[error("the setting `{name}` must be between {low} and 1, not {value}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// The lower bound.
        low: &'static str,
        /// What was given.
        value: String,
    },
}

/// What the next answer is expected to be.
#[derive(Debug, Clone, PartialEq)]
enum State {
    Champion,
    Critic(ChampionReply),
    Moderator(ChampionReply, CriticReply),
    Closed(BacklogOutcome),
}

/// How often a seat was asked and what came of it.
#[derive(Debug, Clone, Default, PartialEq)]
struct Attendance {
    asked: bool,
    failure: Option<Failure>,
    fell_back_to: Option<String>,
    vendors: BTreeSet<String>,
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
    pub warnings: Vec<RoundWarning>,
    /// The failure behind `agent_failure`.
    pub failure: Option<Failure>,
}

impl Outcome {
    /// Returns `decided` when there is a ranking to apply, else `undecided`.
    pub fn verdict(&self) -> &'static str {
        if self.final_rankings.is_empty() {
            "undecided"
        } else {
            "decided"
        }
    }
}

/// Attendance in numbers.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Quorum {
    /// Seats that must answer every time.
    pub needed: usize,
    /// Seats that did.
    pub answered: usize,
    /// Vendors among those.
    pub vendors: usize,
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
    pending: Vec<RoundWarning>,
    pending_costs: BTreeMap<Role, Usd>,
    warnings: Vec<RoundWarning>,
    attendance: BTreeMap<Role, Attendance>,
}

impl Machine {
    /// Prepares a debate.
    pub fn new(input: Input) -> Result<Self, InputError> {
        check(&input)?;
        let ids: Vec<String> = input
            .opportunities
            .iter()
            .map(|each| each.opportunity_id.clone())
            .collect();
        let Stable {
            text: stable,
            notes,
        } = prompt::stable(
            &input.opportunities,
            &input.boundary,
            input.settings.prompt_chars,
        );
        let mut warnings: Vec<RoundWarning> =
            notes.iter().map(|note| warning(note, None)).collect();
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
            attendance: Role::ALL
                .into_iter()
                .map(|role| (role, Attendance::default()))
                .collect(),
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

    fn turn(&self) -> Option<Turn> {
        let (count, last, boundary) = (self.ids.len(), self.rounds.last(), &*self.input.boundary);
        let (role, prompt) = match &self.state {
            State::Champion => (
                Role::Champion,
                prompt::champion(&self.stable, self.round, count, last, boundary),
            ),
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
            State::Closed(_) => return None,
        };
        // Independence is the point of the critic's seat, so neither side's fallback may undo it.
        let apart_from = match role {
            Role::Champion => Some(Role::Critic),
            Role::Critic => Some(Role::Champion),
            Role::Moderator => None,
        };
        let apart_from = apart_from.filter(|_| !self.input.same_vendor_allowed);
        Some(Turn {
            id: role.turn_id(self.round),
            role: role.name().to_owned(),
            prompt,
            blocks: contract::names(role),
            not_vendor_of: apart_from
                .map(|role| role.name().to_owned())
                .into_iter()
                .collect(),
        })
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
            seats: self.seats(),
            quorum: self.quorum(),
            warnings,
            failure: self
                .attendance
                .values()
                .find_map(|seat| seat.failure.clone()),
        }
    }

    fn seats(&self) -> Vec<Seat> {
        let seat = |(role, attendance): (&Role, &Attendance)| {
            let configured = self.input.seats.of(*role);
            let status = match attendance {
                Attendance { asked: false, .. } => SeatStatus::Skipped,
                Attendance {
                    failure: Some(_), ..
                } => SeatStatus::Failed,
                Attendance {
                    fell_back_to: Some(_),
                    ..
                } => SeatStatus::FellBack,
                Attendance { .. } => SeatStatus::Answered,
            };
            Seat {
                role: role.name().to_owned(),
                agent: configured.agent.clone(),
                vendor: configured.vendor.clone(),
                status,
                failure: attendance
                    .failure
                    .as_ref()
                    .map(|failure| format!("{}: {}", failure.class.name(), failure.message)),
                fell_back_to: attendance.fell_back_to.clone(),
            }
        };
        self.attendance.iter().map(seat).collect()
    }

    fn quorum(&self) -> Quorum {
        let answered = self
            .attendance
            .values()
            .filter(|seat| seat.asked && seat.failure.is_none());
        let vendors: BTreeSet<&String> = answered.clone().flat_map(|seat| &seat.vendors).collect();
        Quorum {
            needed: Role::ALL.len(),
            answered: answered.count(),
            vendors: vendors.len(),
        }
    }

    fn attend(&mut self, role: Role, answer: &Answer<Reply>) {
        let attendance = self.attendance.entry(role).or_default();
        attendance.asked = true;
        match &answer.result {
            Ok(_) => {
                attendance.vendors.insert(answer.seated.vendor.clone());
                if answer.seated.fell_back_from.is_some() {
                    attendance.fell_back_to = Some(answer.seated.agent.clone());
                }
            }
            Err(failure) => attendance.failure = Some(failure.clone()),
        }
    }

    /// Records what a turn's notes say, in this round's warnings and as facts.
    fn warn(&mut self, turn: &str, notes: &[Note]) -> Vec<Fact> {
        self.pending
            .extend(notes.iter().map(|note| warning(note, Some(turn))));
        let fact = |note: &Note| Fact {
            code: note.code.clone(),
            turn: Some(turn.to_owned()),
            message: note.message.clone(),
            data: serde_json::Value::Null,
            warning: true,
        };
        notes.iter().map(fact).collect()
    }

    fn take(&mut self, answer: Answer<Reply>) -> Vec<Fact> {
        let expected = self
            .expects()
            .filter(|role| role.turn_id(self.round) == answer.turn);
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
                turn: Some(answer.turn),
                data: serde_json::Value::Null,
                warning: true,
            }];
        };
        self.attend(role, &answer);
        self.pending_costs
            .insert(role, answer.cost.map_or(Usd::ZERO, |cost| cost.usd));
        let mut notes = answer.notes;
        let reply = match answer.result {
            Ok(reply) => reply,
            Err(_) => {
                self.state = State::Closed(BacklogOutcome::AgentFailure);
                return self.warn(&answer.turn, &notes);
            }
        };
        notes.extend(reply.notes);
        notes.extend(self.forged(&reply.said));
        let mut facts = self.warn(&answer.turn, &notes);
        let state = std::mem::replace(&mut self.state, State::Champion);
        match (state, reply.said) {
            (State::Champion, Said::Champion(said)) => self.state = State::Critic(said),
            (State::Critic(champion), Said::Critic(said)) => {
                self.state = State::Moderator(champion, said)
            }
            (State::Moderator(champion, critic), Said::Moderator(said)) => {
                facts.extend(self.close_round(&answer.turn, champion, critic, said));
            }
            (state, Said::Champion(_) | Said::Critic(_) | Said::Moderator(_)) => self.state = state,
        }
        facts
    }

    /// Notes marker-like text in an answer that other agents will read: it is defused there.
    fn forged(&self, said: &Said) -> Option<Note> {
        let defused = |text: &str| fence::defuse(text, &self.input.boundary).1;
        let places: usize = match said {
            Said::Champion(said) => defused(&said.argument),
            Said::Critic(said) => said
                .concerns
                .values()
                .flatten()
                .map(|text| defused(text))
                .sum(),
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
        let check = self.check_consensus(&champion, &critic, &moderator);
        let mut facts = Vec::new();
        if moderator.consensus_claimed && !check.failed.is_empty() {
            let message = format!(
                "the moderator claims consensus, but {}",
                check.failed.join(", and ")
            );
            self.pending.push(warning(
                &Note::new("consensus_overridden", &message),
                Some(turn),
            ));
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
                if reached {
                    "consensus"
                } else {
                    "no consensus yet"
                }
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

    /// The tests that a claim of consensus must pass (`spec/backlog.md`, "Consensus is checked, not believed").
    fn check_consensus(
        &self,
        champion: &ChampionReply,
        critic: &CriticReply,
        moderator: &ModeratorReply,
    ) -> Check {
        let settings = &self.input.settings;
        let (stability, wanted, what) = match self.rounds.last() {
            Some(last) => (
                scoring::tau_b(&last.moderator_final_rankings, &moderator.rankings),
                settings.rank_stability,
                "the moderator's ranking against its last one",
            ),
            None => (
                scoring::tau_b(&champion.rankings, &critic.rankings),
                settings.partner_agreement,
                "champion against critic",
            ),
        };
        let open = |id: &&String| {
            moderator
                .dispositions
                .get(*id)
                .is_none_or(|word| *word == Disposition::Investigate)
        };
        let investigate = self.ids.iter().filter(open).count();
        let mut failed = Vec::new();
        if moderator.continue_debate {
            failed.push("it asks to continue".to_owned());
        }
        if investigate > 0 {
            failed.push(format!(
                "{investigate} opportunities are still at investigate"
            ));
        }
        if stability.is_none_or(|tau| tau < wanted) {
            let tau = stability.map_or("undefined".to_owned(), |tau| format!("{tau:.2}"));
            failed.push(format!(
                "the ranking is not stable (tau-b {tau}, {what}; {wanted} is needed)"
            ));
        }
        Check {
            stability,
            investigate,
            failed,
        }
    }
}

/// What the consensus check measured.
struct Check {
    stability: Option<f64>,
    investigate: usize,
    failed: Vec<String>,
}

fn warning(note: &Note, turn: Option<&str>) -> RoundWarning {
    RoundWarning {
        code: note.code.clone(),
        turn: turn.map(str::to_owned),
        message: note.message.clone(),
    }
}

fn check(input: &Input) -> Result<(), InputError> {
    if !(1..=MAX_ROUNDS).contains(&input.max_rounds) {
        return Err(InputError::Rounds(input.max_rounds));
    }
    if input.opportunities.len() > MAX_OPPORTUNITIES {
        return Err(InputError::TooMany(input.opportunities.len()));
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = input
        .opportunities
        .iter()
        .find(|each| !seen.insert(&each.opportunity_id))
    {
        return Err(InputError::DuplicateId(twice.opportunity_id.clone()));
    }
    let settings = &input.settings;
    for (name, low, bound, value) in [
        ("rank_stability", "-1", -1.0, settings.rank_stability),
        ("partner_agreement", "-1", -1.0, settings.partner_agreement),
        ("max_missing_share", "0", 0.0, settings.max_missing_share),
    ] {
        if !(bound..=1.0).contains(&value) {
            let value = value.to_string();
            return Err(InputError::Setting { name, low, value });
        }
    }
    let Seats {
        champion, critic, ..
    } = &input.seats;
    if champion.vendor == critic.vendor && !input.same_vendor_allowed {
        return Err(InputError::SameVendor {
            critic: critic.agent.clone(),
            vendor: critic.vendor.clone(),
        });
    }
    Ok(())
}

impl Protocol for Machine {
    type Reply = Reply;
    type Outcome = Outcome;

    fn next(&self) -> Step<Outcome> {
        match (&self.state, self.turn()) {
            (_, Some(turn)) => Step::Ask {
                opens_round: (self.state == State::Champion).then_some(self.round),
                turns: vec![turn],
            },
            (State::Closed(outcome), None) => Step::Done(self.outcome(*outcome)),
            (State::Champion | State::Critic(_) | State::Moderator(..), None) => {
                Step::Done(self.outcome(BacklogOutcome::Interrupted))
            }
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
            order: self
                .rounds
                .last()
                .map_or(&self.ids, |last| &last.moderator_final_rankings),
            max_missing_share: self.input.settings.max_missing_share,
            strict: self.input.settings.strict,
        };
        reply::parse(role, reply, chance, terms)
    }

    fn apply(&mut self, answers: Vec<Answer<Reply>>) -> Vec<Fact> {
        answers
            .into_iter()
            .flat_map(|answer| self.take(answer))
            .collect()
    }

    fn stop(&self, why: Stop) -> Outcome {
        match (&self.state, why) {
            // A debate that is over stays what it is.
            (State::Closed(outcome), _) => self.outcome(*outcome),
            (_, Stop::Budget) => self.outcome(BacklogOutcome::Budget),
            (_, Stop::Deadline | Stop::Cancelled(_)) => self.outcome(BacklogOutcome::Interrupted),
        }
    }
}
