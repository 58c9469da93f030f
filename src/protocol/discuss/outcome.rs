//! From the machine's state to the result: who answered for whom, what the ladder says, everything that was said in its place.

use std::collections::BTreeSet;

use super::input::Perspective;
use super::machine::{Heard, Machine};
use super::model::{Basics, DiscussOutcome, Outcome, RiskLevel, Severity, Voice};
use super::{actions, basics, divergence, ladder, themes};
use crate::kernel::{Failure, Seat, SeatStatus, Warning};
use crate::text::Note;

/// A critique as it stands: what its outcome is made of.
pub(super) struct View<'a> {
    machine: &'a Machine,
    /// Those that answered, in the order asked.
    voices: Vec<Voice>,
    grouped: themes::Grouped,
}

impl<'a> View<'a> {
    /// Reads the state.
    pub(super) fn new(machine: &'a Machine) -> Self {
        let perspectives = machine.input.task.perspectives.iter().enumerate();
        let voices: Vec<Voice> = perspectives
            .filter_map(|(at, perspective)| voice(perspective, machine.heard.get(&at)?))
            .collect();
        Self { grouped: themes::group(&voices), machine, voices }
    }

    /// Returns the rung of the ladder; `None` where too few answered.
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
        Some(ladder::severity(ladder::Standing {
            ratings: &ratings,
            risk,
            gap: said().any(|critique| !critique.missing_requirements.is_empty()),
            raised: points || !self.grouped.views.is_empty() || risk == Some(RiskLevel::Medium),
        }))
    }

    /// Builds the outcome of a critique that ended so.
    pub(super) fn outcome(&self, ended: DiscussOutcome) -> Outcome {
        let task = &self.machine.input.task;
        let severity = match ended {
            DiscussOutcome::ConsensusReached | DiscussOutcome::ConsensusBlocked => self.severity(),
            DiscussOutcome::Undecided
            | DiscussOutcome::Budget
            | DiscussOutcome::Interrupted
            | DiscussOutcome::Running
            | DiscussOutcome::Terminated => None,
        };
        let gaps = actions::gaps(&self.voices);
        let mut warnings = self.machine.warnings();
        warnings.extend(self.one_vendor().map(|note| Warning {
            code: note.code,
            turn: None,
            message: note.message,
        }));
        Outcome {
            outcome: ended,
            severity,
            recommendation: severity
                .map(|severity| ladder::recommendation(severity, task.sign_off, task.revisions)),
            seats: self.seats(),
            needed: number(self.machine.needed()),
            vendors: number(self.vendors().len()),
            ratings: (self.voices.iter())
                .map(|voice| (voice.perspective.clone(), voice.critique.rating))
                .collect(),
            average_rating: self.average_rating(),
            divergences: divergence::all(&self.voices, &self.grouped.views),
            convergent_themes: self.grouped.themes.clone(),
            divergent_views: self.grouped.views.clone(),
            action_items: actions::items(&self.voices, &gaps),
            coverage_gaps: gaps,
            basics: self.basics(),
            failure: self.failure(ended),
            voices: self.voices.clone(),
            warnings,
        }
    }

    /// Says that what looks like several opinions is one vendor's.
    pub(super) fn one_vendor(&self) -> Option<Note> {
        let vendors = self.vendors();
        let (1, Some(vendor), answered @ 2..) = (vendors.len(), vendors.first(), self.voices.len())
        else {
            return None;
        };
        let message = format!(
            "all {answered} perspectives that answered were answered by {vendor}: read them as one opinion, not as {answered}"
        );
        Some(Note::new("one_vendor", message))
    }

    fn vendors(&self) -> BTreeSet<&str> {
        self.voices.iter().map(|voice| &*voice.vendor).collect()
    }

    /// The mean of those that answered, to the nearest hundredth.
    fn average_rating(&self) -> Option<f64> {
        let ratings = self.voices.iter().map(|voice| u32::from(voice.critique.rating));
        let (sum, count) = (ratings.sum::<u32>(), number(self.voices.len()));
        let hundredths = (sum * 200 + count).checked_div(count * 2)?;
        Some(f64::from(hundredths) / 100.0)
    }

    fn basics(&self) -> Option<Basics> {
        let task = &self.machine.input.task;
        (self.voices.is_empty()).then(|| basics::basics(&task.artifact, &task.broken_links))
    }

    /// The perspectives in the order asked, and then those that were not asked at all.
    fn seats(&self) -> Vec<Seat> {
        let task = &self.machine.input.task;
        let asked = task.perspectives.iter().enumerate();
        let asked = asked.filter_map(|(at, perspective)| {
            let own = self.machine.input.seats.get(&perspective.name)?;
            let (agent, vendor) = match &perspective.stands_in {
                Some(away) => (&away.agent, &away.vendor),
                None => (&own.agent, &own.vendor),
            };
            let (status, failure, fell_back_to) = match self.machine.heard.get(&at) {
                None => (SeatStatus::Skipped, None, None),
                Some(heard) => attended(perspective, heard),
            };
            Some(Seat {
                role: perspective.name.clone(),
                agent: agent.clone(),
                vendor: vendor.clone(),
                status,
                failure,
                fell_back_to,
            })
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

    /// The failure that left too few.
    fn failure(&self, ended: DiscussOutcome) -> Option<Failure> {
        if ended != DiscussOutcome::Undecided {
            return None;
        }
        let mut failures = self.machine.heard.values();
        failures.find_map(|heard| heard.result.as_ref().err().cloned())
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Returns the agent that should have answered, where another one did.
fn instead_of(perspective: &Perspective, heard: &Heard) -> Option<String> {
    let away = perspective.stands_in.as_ref().map(|away| &away.agent);
    away.or(heard.seated.fell_back_from.as_ref()).cloned()
}

fn voice(perspective: &Perspective, heard: &Heard) -> Option<Voice> {
    let critique = heard.result.as_ref().ok()?;
    Some(Voice {
        perspective: perspective.name.clone(),
        title: perspective.title.clone(),
        agent: heard.seated.agent.clone(),
        vendor: heard.seated.vendor.clone(),
        instead_of: instead_of(perspective, heard),
        critique: critique.clone(),
    })
}

/// What became of a seat: its status, why it failed, who answered instead.
fn attended(
    perspective: &Perspective,
    heard: &Heard,
) -> (SeatStatus, Option<String>, Option<String>) {
    let agent = &heard.seated.agent;
    match &heard.result {
        Ok(_) => match instead_of(perspective, heard) {
            Some(_) => (SeatStatus::FellBack, None, Some(agent.clone())),
            None => (SeatStatus::Answered, None, None),
        },
        Err(failure) => {
            let mut why = format!("{}: {}", failure.class.name(), failure.message);
            if let Some(away) = &perspective.stands_in {
                why = format!("{why} ({agent} stood in: {})", away.why);
            }
            (SeatStatus::Failed, Some(why), None)
        }
    }
}

#[cfg(test)]
mod tests;
