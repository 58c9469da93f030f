//! `standing`: what the stored sessions say of each agent and model. Nothing here weighs anything: no rule reads it.

mod alpha;

use crate::app::dismissals;
use crate::app::run::workspace::Workspace;
use crate::app::run::{foreign, stored};
use crate::app::sessions;
use crate::error::{Error, store_error};
use crate::kernel::{Basis, Cost, count};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::debate::outcome::DebateResult;
use crate::protocol::review::proof::ProofStatus;
use crate::protocol::review::{EliminatedStatus, ReviewFindings, Stance, Status};
use crate::report::debate::DebateDocument;
use crate::report::document::SCHEMA_VERSION;
use crate::report::review::ReviewDocument;
use crate::report::standing::{
    AgentStanding, AgreementBeyondChance, Judged, SessionNotRead, StandingDocument,
};
use crate::session::{Body, CallResult, StoredSession};

/// Counts over all sessions of the project, which are read one after the other.
///
/// # Errors
/// The sessions cannot be listed, or the file of known findings is invalid.
pub(crate) async fn standing(workspace: &Workspace) -> Result<StandingDocument, Error> {
    let store = foreign::store(workspace)?;
    let known = dismissals::current(&workspace.root().join(dismissals::FILE))?;
    let mut fold = Fold {
        dismissed: known.into_iter().map(|known| known.fingerprint).gather(),
        agents: BTreeMap::new(),
        pairs: BTreeMap::new(),
    };
    let (mut sessions, mut rehearsals, mut not_read) = (0, 0, Vec::new());
    for id in store.ids().map_err(store_error)? {
        let read = async {
            let stored = store.read(&id).map_err(store_error)?;
            let is_rehearsal = stored::opened(&stored)?.rehearsal;
            let shown = sessions::shown(workspace, &stored).await?;
            Ok::<_, Error>((is_rehearsal, shown, stored))
        };
        match read.await {
            Ok((true, ..)) => rehearsals += 1,
            Ok((false, shown, stored)) => {
                sessions += 1;
                let models = fold.calls(&stored);
                if let Some(review) = shown.document::<ReviewDocument>() {
                    fold.findings(&review.result, &models);
                } else if let Some(debate) = shown.document::<DebateDocument>() {
                    fold.votes(&debate.result, &models);
                }
            }
            Err(error) => {
                not_read.push(SessionNotRead { session_id: id, problem: error.sentence() });
            }
        }
    }
    let agreement = fold.pairs.into_iter().map(|((about, agents), units)| AgreementBeyondChance {
        about,
        agents,
        units: count(units.len()),
        alpha: alpha::alpha(&units),
    });
    Ok(StandingDocument {
        sessions,
        rehearsals,
        not_read,
        agreement: agreement.collect(),
        agents: fold.agents.into_values().collect(),
        schema_version: SCHEMA_VERSION,
    })
}

/// The model of each agent in one session.
type Models<'a> = BTreeMap<&'a str, &'a String>;

struct Fold {
    /// The fingerprints of the findings that people dismissed.
    dismissed: BTreeSet<String>,
    agents: BTreeMap<(String, Option<String>), AgentStanding>,
    /// By pair of agents, what both said of each unit that they judged.
    pairs: BTreeMap<(Judged, [String; 2]), Vec<[bool; 2]>>,
}

impl Fold {
    /// Returns the agent with this name in a result, where its seat may follow: `claude (s2)`.
    fn of(&mut self, name: &str, own: Option<&String>, models: &Models<'_>) -> &mut AgentStanding {
        let agent = name.split(" (").next().unwrap_or(name).to_owned();
        let model = own.or(models.get(&*agent).copied()).cloned();
        let fresh = AgentStanding { agent, model, ..AgentStanding::default() };
        self.agents.entry((fresh.agent.clone(), fresh.model.clone())).or_insert(fresh)
    }

    /// Counts the calls of a session, kept ones excepted: they are counted where they were made.
    fn calls<'a>(&mut self, stored: &'a StoredSession) -> Models<'a> {
        let mut asked = BTreeMap::new();
        let mut ended: Vec<(&str, &CallResult)> = Vec::new();
        for record in &stored.records {
            if let Body::Intent(call) = &record.body {
                asked.insert((&*call.key, call.run), &*call.intent.agent);
            } else if let Body::Result(result) = &record.body {
                let agent = asked.remove(&(&*result.key, result.run));
                ended.extend(agent.map(|agent| (agent, &**result)));
            }
        }
        let named = ended.iter().map(|(agent, result)| Some((*agent, result.model.as_ref()?)));
        let models: Models<'_> = named.flatten().gather();
        for (agent, result) in ended.into_iter().filter(|(_, result)| result.kept.is_none()) {
            let one = self.of(agent, result.model.as_ref(), &models);
            one.calls += 1;
            one.seconds += f64::from(u32::try_from(result.took_ms).unwrap_or(u32::MAX)) / 1000.0;
            if let Some(failure) = &result.failure {
                *one.failures.entry(failure.class.name().to_owned()).or_default() += 1;
            }
            match result.cost.basis {
                Basis::Declared => one.cost_unknown += 1,
                _ => one.cost = Cost::sum(one.cost.into_iter().chain([result.cost])),
            }
        }
        for agent in asked.into_values() {
            let one = self.of(agent, None, &models);
            one.calls += 1;
            one.cost_unknown += 1;
            *one.failures.entry("cut_off".to_owned()).or_default() += 1;
        }
        models
    }

    fn findings(&mut self, review: &ReviewFindings, models: &Models<'_>) {
        let remaining = review.findings.iter().map(|one| {
            (&one.reported, matches!(one.status, Status::Confirmed | Status::Reproduced), false)
        });
        let gone = (review.eliminated.iter())
            .map(|one| (&one.reported, false, one.status == EliminatedStatus::Refuted));
        for (finding, confirmed, refuted) in remaining.chain(gone) {
            let proof = finding.proof.as_ref().map(|proof| proof.status);
            let is_dismissed = self.dismissed.contains(&finding.fingerprint);
            for author in &finding.found_by {
                let one = self.of(author, None, models);
                one.raised += 1;
                one.confirmed += u32::from(confirmed);
                one.refuted += u32::from(refuted);
                one.reproduced += u32::from(proof == Some(ProofStatus::Reproduced));
                one.dismissed += u32::from(is_dismissed);
            }
            for said in finding.rebuttals.iter().filter(|said| said.stance == Stance::Disagree) {
                self.of(&said.agent, None, models).changes_of_mind += 1;
            }
            let said = finding.judgements.iter().filter(|said| said.stance != Stance::Unsure);
            let judges = said.map(|said| (&*said.agent, said.stance == Stance::Agree));
            let authors = finding.found_by.iter().map(|author| (&**author, true));
            self.pair(Judged::Findings, &judges.chain(authors).gather());
        }
        for author in review.suppressed.iter().flat_map(|known| &known.found_by) {
            let one = self.of(author, None, models);
            one.raised += 1;
            one.dismissed += 1;
        }
    }

    fn votes(&mut self, debate: &DebateResult, models: &Models<'_>) {
        let choices: BTreeSet<&str> = debate.first_votes.iter().map(|vote| &*vote.choice).gather();
        for choice in choices {
            let votes = debate.first_votes.iter();
            let said = votes.map(|vote| (&*vote.agent, vote.choice == choice));
            self.pair(Judged::Votes, &said.gather());
        }
        for vote in debate.rounds.iter().flat_map(|round| &round.votes) {
            if vote.moved_by.is_some() && !vote.stands {
                self.of(&vote.agent, None, models).changes_of_mind += 1;
            }
        }
    }

    /// Notes what each two agents said of one finding or answer: whether it is right.
    fn pair(&mut self, about: Judged, said: &BTreeMap<&str, bool>) {
        for (at, (one, says)) in said.iter().enumerate() {
            for (other, answers) in said.iter().skip(at + 1) {
                let agents = [one, other].map(|agent| (*agent).to_owned());
                self.pairs.entry((about, agents)).or_default().push([*says, *answers]);
            }
        }
    }
}
