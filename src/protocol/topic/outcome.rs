//! Builds the result from the machine's state: the decision, open points, dissent, and silent seats.

use std::collections::{BTreeMap, BTreeSet};

use super::contract::{EXPERT, Side};
use super::machine::{Machine, RulingResult};
use super::table::{GivenStances, ProposedPosition, of_a_participant, participants};
use crate::kernel::{Attendance, Ended, Failure, Respondent, Run, Seat};
use crate::protocol::debate::consensus::Basis;
use crate::protocol::debate::outcome::{
    self, DebateResult, Decision, Dissent, ExpertRecord, FinalPosition, OpenPoint,
};
use crate::protocol::debate::{DebateOutcome, Outcome, Point, Stance, StanceEntry};

/// Both participants must answer (`docs/exit-codes.md`, quorum).
const NEEDED: u32 = 2;

impl Machine {
    /// Builds the outcome of a dialogue that ended as `ended`.
    pub(super) fn outcome(&self, ended: Ended<DebateOutcome>, run: &Run) -> Outcome {
        let decision = decision(self, ended);
        let result = DebateResult {
            consensus: (self.rounds.iter().rev())
                .find_map(|round| round.consensus.as_ref()?.decisive),
            rounds: self.rounds.clone(),
            final_positions: final_positions(self),
            code_change_required: code_change(self, decision.as_ref()),
            decision,
            open_points: open_points(self, ended),
            dissent: dissent(self, ended),
            expert: self.ruled.as_ref().map(|ruled| expert(ruled, run)),
            by_text: self.input.settings.consensus == Basis::Text,
            ..DebateResult::default()
        };
        let (seats, failure) = (seats(self, ended, run), failure(self, ended, run));
        outcome::outcome(ended, (NEEDED, vendors(run)), seats, failure, run.warnings(), result)
    }
}

fn decision(machine: &Machine, ended: Ended<DebateOutcome>) -> Option<Decision> {
    match ended {
        // For a partial agreement, this is the text that a person is asked to approve.
        Ended::Closed(DebateOutcome::Adopted | DebateOutcome::Partial) => {
            let put = machine.puts.last()?;
            let mut position = put.position.clone();
            let mut amendments = Vec::new();
            for point in &mut position.points {
                let said = put.stance(&point.id).and_then(|said| said.amendment.clone());
                if let Some(amended) = said {
                    amendments.push(format!("{}: {amended}", point.id));
                    point.claim = amended;
                }
            }
            // The summary was written before the amendments, and may say the opposite.
            let claims = || position.points.iter().map(|point| format!("* {}", point.claim));
            let text = if amendments.is_empty() {
                position.summary.clone()
            } else {
                claims().collect::<Vec<_>>().join("\n")
            };
            let (withdrawn, agreed) = (withdrawn(machine, put), agreed(put));
            let by = put.by().to_owned();
            Some(Decision { text, by, position: Some(position), amendments, withdrawn, agreed })
        }
        Ended::Closed(DebateOutcome::Expert) => {
            let judgement = machine.ruled.as_ref()?.result.as_ref().ok()?;
            Some(Decision {
                text: judgement.position.clone(),
                by: EXPERT.to_owned(),
                ..Decision::default()
            })
        }
        _ => None,
    }
}

/// Returns what the side that did not write the position gave up on the way: what it concedes in its last position, and
/// points of an earlier one that are not in it.
fn withdrawn(machine: &Machine, put: &ProposedPosition) -> Vec<String> {
    let Some(last) = machine.held.get(&put.reader()).map(|held| &held.position) else {
        return Vec::new();
    };
    let put = machine.puts.iter().filter(|earlier| earlier.author == put.reader());
    let points = put.flat_map(|earlier| &earlier.position.points);
    let gone = points.filter(|point| last.points.iter().all(|kept| kept.id != point.id));
    let gone = gone.map(|point| format!("{}: {}", point.id, point.claim));
    last.concedes.iter().cloned().chain(gone).collect()
}

/// Returns the reasons for which the other side agrees to points: what it has to add stands there.
fn agreed(put: &ProposedPosition) -> Vec<String> {
    let said = put.stances().stances.into_iter();
    let agreed = said.filter(|said| said.stance == Stance::Agree && !said.reason.trim().is_empty());
    agreed.map(|said| format!("{}: {}", said.point, said.reason)).collect()
}

/// Returns whether code must change: according to the decision's author, else to any participant.
fn code_change(machine: &Machine, decision: Option<&Decision>) -> bool {
    let judged = machine.ruled.as_ref().and_then(|ruled| ruled.result.as_ref().ok());
    let own = match (decision, judged) {
        (Some(Decision { position: Some(position), .. }), _) => position.code_change_required,
        (Some(_), Some(judgement)) => judgement.code_change_required,
        (Some(_) | None, _) => None,
    };
    own.unwrap_or_else(|| {
        let mut held = machine.held.values();
        held.any(|held| held.position.code_change_required == Some(true))
    })
}

fn final_positions(machine: &Machine) -> BTreeMap<String, FinalPosition> {
    let position = |(side, held): (&Side, &super::table::OwnPosition)| {
        let by = (&*held.seated.agent, &*held.seated.vendor);
        let last = FinalPosition::new(side.seat(), by, &held.position.summary, held.round);
        let position = Some(held.position.clone());
        (side.seat().to_owned(), FinalPosition { position, ..last })
    };
    machine.held.iter().map(position).collect()
}

fn open_points(machine: &Machine, ended: Ended<DebateOutcome>) -> Vec<OpenPoint> {
    let Some(put) = machine.puts.last() else {
        return Vec::new();
    };
    let judgement = machine.ruled.as_ref().and_then(|ruled| ruled.result.as_ref().ok());
    let open = |point: &Point| {
        let open = OpenPoint::new(&point.id, &point.claim, point.importance, put.stance(&point.id));
        let ruling = judgement.and_then(|judgement| {
            let ruling = judgement.points.iter().find(|ruling| ruling.id == point.id)?;
            Some(format!("{} ({})", ruling.ruling, ruling.reason))
        });
        OpenPoint { ruling, ..open }
    };
    // What was said of it is met by how the point reads in what was adopted.
    let is_met = |said: &StanceEntry| ended == DebateOutcome::Adopted && said.amendment.is_some();
    let is_open = |point: &&&Point| !put.stance(&point.id).is_some_and(is_met);
    put.open().iter().filter(is_open).map(|point| open(point)).collect()
}

/// Returns the objections that remain: those to the last position put and, unless that was adopted, each side's
/// latest ones to the other's positions.
fn dissent(machine: &Machine, ended: Ended<DebateOutcome>) -> Vec<Dissent> {
    let last = machine.puts.len().saturating_sub(1);
    let mut all = Vec::new();
    for (at, put) in machine.puts.iter().enumerate() {
        let Some(judged) = &put.judged else { continue };
        let reader = put.reader();
        let later = machine.puts.iter().skip(at + 1);
        // A side that has judged a later position of the other's has stated there which objections remain.
        let repeated =
            later.filter(|later| later.reader() == reader).any(|later| later.judged.is_some());
        let stands = at == last || (!repeated && ended != DebateOutcome::Adopted);
        if stands {
            all.extend(objections(put, judged, reader));
        }
    }
    all
}

fn objections(put: &ProposedPosition, judged: &GivenStances, reader: Side) -> Vec<Dissent> {
    let Respondent { agent, .. } = &judged.seated;
    let dissent = |about: String, reason: String| Dissent {
        seat: reader.seat().to_owned(),
        agent: agent.clone(),
        about,
        reason,
    };
    let stances = put.stances();
    let points = put.position.points.iter().filter_map(|point| {
        let said = stances.on(&point.id)?;
        let word = match said.stance {
            Stance::Agree => return None,
            Stance::Partly => "agrees in part only",
            Stance::Disagree => "disagrees",
        };
        let about = format!("{} of {} ({word}): {}", point.id, put.noun(), point.claim);
        Some(dissent(about, said.reason.clone()))
    });
    let missing = (stances.missing.iter())
        .map(|missing| dissent(format!("missing in {}", put.noun()), missing.clone()));
    points.chain(missing).collect()
}

fn expert(ruled: &RulingResult, run: &Run) -> ExpertRecord {
    ExpertRecord {
        agent: ruled.seated.agent.clone(),
        vendor: ruled.seated.vendor.clone(),
        of_a_participant: of_a_participant(run, &ruled.seated.vendor),
        judgement: ruled.result.as_ref().ok().cloned(),
        failure: ruled.result.as_ref().err().map(ToString::to_string),
        ..ExpertRecord::default()
    }
}

fn failure(machine: &Machine, ended: Ended<DebateOutcome>, run: &Run) -> Option<Failure> {
    match ended {
        Ended::Closed(DebateOutcome::Failed) => participants(run)
            .filter(|seat| seat.misses() > 0)
            .max_by_key(|seat| seat.misses())
            .and_then(|seat| seat.failures().next_back().cloned()),
        Ended::Closed(DebateOutcome::Deadlocked) => {
            let ruled = machine.ruled.as_ref()?;
            ruled.result.as_ref().err().cloned()
        }
        _ => None,
    }
}

/// Counts the vendors of the participants that answered.
fn vendors(run: &Run) -> u32 {
    let vendors: BTreeSet<&str> = participants(run).flat_map(Attendance::vendors).collect();
    u32::try_from(vendors.len()).unwrap_or(u32::MAX)
}

/// Reports a participant that gave a position as having answered, with its failed turns listed, unless its silence
/// ended the debate.
fn seats(machine: &Machine, ended: Ended<DebateOutcome>, run: &Run) -> Vec<Seat> {
    let seat = |seat: &Attendance| {
        let holds = machine.held.keys().any(|side| side.seat() == seat.name);
        let silenced = ended == DebateOutcome::Failed && seat.misses() > 0;
        seat.seat(seat.is_intact() || (holds && !silenced), seat.failed())
    };
    run.seats().iter().map(seat).collect()
}

#[cfg(test)]
mod tests;
