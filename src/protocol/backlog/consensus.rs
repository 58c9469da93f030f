//! The consensus check: a claim is checked, not believed.

use super::input::Settings;
use super::model::{DebateRound, Disposition};
use super::reply::{ChampionReply, CriticReply, ModeratorReply};
use super::scoring;

pub(super) struct Check {
    /// The measure of the round: see [`DebateRound::rank_stability`]; `None` if it is not defined.
    pub(super) stability: Option<f64>,
    /// Number of undecided opportunities: at `investigate`, without a first step.
    pub(super) investigate: usize,
    /// The failed tests, in words; empty if the claim of consensus passes.
    pub(super) failed: Vec<String>,
}

/// Tests a claim of consensus (`docs/prioritize.md`, "Consensus is checked, not believed").
///
/// `last` is the previous round, if there was one.
pub(super) fn check(
    settings: &Settings,
    last: Option<&DebateRound>,
    champion: &ChampionReply,
    critic: &CriticReply,
    moderator: &ModeratorReply,
) -> Check {
    let (stability, wanted, what) = match last {
        Some(last) => (
            scoring::tau_b(&last.moderator_final_rankings, &moderator.rankings),
            settings.rank_stability,
            "the ranking is not stable: tau-b of the moderator's and its last one",
        ),
        None => (
            scoring::same_half(&champion.rankings, &critic.rankings),
            settings.partner_agreement,
            "champion and critic differ on what belongs into the upper half: the share on which they agree",
        ),
    };
    let open = |id: &&String| match moderator.dispositions.get(*id) {
        // With a first step there is nothing left to argue about: the work of finding out can start.
        Some(Disposition::Investigate) => {
            let reason = moderator.reasons.get(*id);
            reason.is_none_or(|reason| reason.start_with.is_none())
        }
        Some(Disposition::Prioritize | Disposition::Defer | Disposition::Reject) => false,
        None => true,
    };
    // A ranking is a permutation of the ids, so this covers each of them.
    let investigate = moderator.rankings.iter().filter(open).count();
    let mut failed = Vec::new();
    if moderator.continue_debate {
        failed.push("it asks to continue".to_owned());
    }
    if investigate > 0 {
        failed.push(format!(
            "{investigate} opportunities are still at investigate without a first step"
        ));
    }
    if stability.is_none_or(|measured| measured < wanted) {
        let measured =
            stability.map_or("undefined".to_owned(), |measured| format!("{measured:.2}"));
        failed.push(format!("{what} is {measured}, {wanted} is needed"));
    }
    Check { stability, investigate, failed }
}
