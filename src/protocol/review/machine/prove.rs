//! The tests of grave findings: who writes them, and what follows from them.

use serde_json::json;

use super::ask::{Ask, Purpose};
use super::{Machine, Phase};
use crate::kernel::{Answer, Answers, Draft, Prompt, Run, TurnId};
use crate::protocol::review::proof::{self, MAX_PROOFS, Proof, ProofStatus, Reproduction, TRIES};
use crate::protocol::review::reply::Statement;
use crate::protocol::review::{Content, Group, Location, Role, SANDBOX, Severity};
use crate::protocol::review::{prompt, repeats, status, verdict};
use crate::text::Note;

/// Why a test that was written has no result yet: what a run says that was stopped then.
const NOT_RUN: &str = "the test was not run yet";

impl Machine {
    /// Whether there is a finding to test, and the means to do so. Warns of those that are too many.
    pub(super) fn is_proven(&self, run: &mut Run) -> bool {
        let all = self.grave().len();
        let is_proven = self.state.input.settings.prove.is_some() && all > 0;
        let beyond = all.saturating_sub(MAX_PROOFS as usize);
        if is_proven && beyond > 0 {
            let message =
                format!("{beyond} more P0 and P1 are not tested: {MAX_PROOFS} are at most");
            run.warn(&Note::new("not_tested", message), None);
        }
        is_proven
    }

    /// Returns every P0 and P1 that is in the change: those that remain first, the worst of them first.
    fn grave(&self) -> Vec<&Group> {
        let repeats = repeats::repeats(&self.state.counted());
        let mut groups: Vec<&Group> = (self.state.visible())
            .filter(|group| group.severity() < Severity::P2)
            .filter(|group| group.location() != Location::Outside)
            .filter(|group| !repeats.contains_key(&group.id))
            .collect();
        groups.sort_by_key(|group| (!verdict::remains(status::status(group)), group.severity()));
        groups
    }

    /// Returns the groups that are tested; for the second time those whose first test could not be used.
    fn to_prove(&self, attempt: u32) -> Vec<&Group> {
        let groups = self.grave().into_iter().take(MAX_PROOFS as usize);
        let may = |proof: &Proof| attempt == 1 || may_be_mended(proof);
        groups.filter(|group| group.proof.as_ref().map_or(attempt == 1, may)).collect()
    }

    /// Returns the seat that writes the test of a group: the author with the best score.
    fn prover(&self, group: &Group) -> usize {
        let authors = group.authors();
        let best = self.state.ranking.iter().find(|seat| authors.contains(seat));
        best.or_else(|| authors.first()).copied().unwrap_or_default()
    }

    fn ask(&self, role: Role, group: &Group) -> Ask {
        Ask {
            role,
            seat: self.prover(group),
            batch: self.state.home(group),
            shown: vec![group.id.clone()],
            named: Vec::new(),
        }
    }

    pub(super) fn proofs(&self, attempt: u32) -> Vec<Purpose> {
        let Some(prove) = &self.state.input.settings.prove else { return Vec::new() };
        let turn = |group: &&Group| {
            let id = id(Role::Prover, group, attempt);
            let words = prompt::prove(&self.material(), group, &prove.test.command);
            let (query, shown) = self.purpose(&id, self.ask(Role::Prover, group), words);
            (query.spare(), shown)
        };
        self.to_prove(attempt).iter().map(turn).collect()
    }

    pub(super) fn tests(&self, attempt: u32) -> Vec<Purpose> {
        let Some(prove) = &self.state.input.settings.prove else { return Vec::new() };
        let turn = |group: &Group| {
            let said = group.proof.as_ref()?.reproduction.as_ref()?;
            let request = json!({ "prove": prove, "reproduction": said, "runs": proof::RUNS });
            let draft = Draft {
                id: id(Role::Sandbox, group, attempt),
                plays: SANDBOX.to_owned(),
                prompt: Prompt {
                    stable: String::new(),
                    varying: String::new(),
                    contract: request.to_string(),
                },
                blocks: Vec::new(),
                notes: Vec::new(),
                shown: json!(null),
            };
            let ask = self.ask(Role::Sandbox, group);
            Some((draft.to(SANDBOX, ask), json!(null)))
        };
        self.state.visible().filter(|group| awaits_test(group)).filter_map(turn).collect()
    }

    fn proof_of(&mut self, ask: &Ask) -> Option<&mut Option<Proof>> {
        let id = ask.shown.first()?;
        let group = self.state.groups.iter_mut().find(|group| group.id == *id)?;
        Some(&mut group.proof)
    }

    pub(super) fn count_reproductions(&mut self, attempt: u32, answers: Answers<Self>) -> Phase {
        for (ask, answer) in answers {
            let said = written(answer);
            if let Some(proof) = self.proof_of(&ask) {
                // Of a second test that nobody wrote, the first one stays.
                if proof.is_none() || said.reproduction.is_some() {
                    *proof = Some(said);
                }
            }
        }
        if self.state.visible().any(awaits_test) {
            Phase::Testing(attempt)
        } else {
            self.after_proofs()
        }
    }

    pub(super) fn count_tests(
        &mut self,
        attempt: u32,
        answers: Answers<Self>,
        run: &mut Run,
    ) -> Phase {
        for (ask, answer) in answers {
            let Some(Some(proof)) = self.proof_of(&ask) else { continue };
            (proof.status, proof.reason) = match answer.result {
                Ok(Statement { said: Content::Test(report), .. }) => {
                    let judged = proof::judge(&report);
                    proof.runs = report.runs;
                    for run in &mut proof.runs {
                        run.output = proof::tail(&run.output);
                    }
                    judged
                }
                Ok(_) => (ProofStatus::Unusable, "the sandbox gave no report".to_owned()),
                Err(failure) => (ProofStatus::Unusable, failure.message),
            };
            let id = ask.shown.first().map_or("", String::as_str);
            let message = format!("{id}: {}: {}", proof.status.name(), proof.reason);
            let data = json!({ "finding": id, "status": proof.status });
            run.state("proof", Some(&answer.turn), message, data);
        }
        if attempt < TRIES && !self.to_prove(attempt + 1).is_empty() {
            Phase::Proving(attempt + 1)
        } else {
            self.after_proofs()
        }
    }

    /// What a test shows counts in the scores and in the confidence too, not in the rounds before it.
    fn after_proofs(&mut self) -> Phase {
        self.state.record(0, (0, 0));
        self.state.score();
        self.after_judging()
    }
}

fn id(role: Role, group: &Group, attempt: u32) -> TurnId {
    let id = TurnId::of(role.word()).part(&group.id);
    if attempt == 1 { id } else { id.part("again") }
}

/// Whether a group has a test that was not run yet.
fn awaits_test(group: &Group) -> bool {
    group.proof.as_ref().is_some_and(|proof| proof.reason == NOT_RUN)
}

/// Whether its author may write another test: this one was run, and could not be used.
fn may_be_mended(proof: &Proof) -> bool {
    proof.status == ProofStatus::Unusable && proof.reproduction.is_some()
}

/// Returns what an author wrote as a proof without a result.
fn written(answer: Answer<Statement>) -> Proof {
    let (reason, reproduction): (String, Option<Reproduction>) = match answer.result {
        Ok(Statement { said: Content::Reproduction(said), .. }) => match said.declined() {
            Some(why) => (format!("its author says that no test can show it: {why}"), None),
            None => (NOT_RUN.to_owned(), Some(said)),
        },
        Ok(_) => ("its author wrote no test".to_owned(), None),
        Err(failure) => (format!("its author wrote no test: {}", failure.message), None),
    };
    let by = answer.respondent.agent;
    Proof { status: ProofStatus::Unusable, reason, by, reproduction, runs: Vec::new() }
}
