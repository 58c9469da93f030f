//! The three prompts of a round: rules and opportunities first, then the changing part, the contract last.
//!
//! | role | sees of this round | sees of the round before |
//! |---|---|---|
//! | champion | nothing | all answers, its own among them |
//! | critic | the champion's argument and ranking; in a blind first round nothing | its own answer; the moderator's |
//! | moderator | the champion's and the critic's answers | its own answer |
//!
//! The stable part is the same text in every turn of a session, so providers can cache it. All text from a file or
//! from another agent is JSON inside a fence: it has no line breaks of its own, cannot start a line with a marker,
//! and is also defused.

use serde_json::{Value, json};

use super::model::{DebateRound, Opportunity};
use super::reply::{ChampionReply, CriticReply, MET};
use super::{Input, Role, contract};
use crate::kernel::fit::{self, FitCuts, fit_value, without_nulls};
use crate::kernel::{Draft, TurnId};
use crate::ordered::{BTreeMap, BTreeSet, Gather};
use crate::protocol::opening::Opening;
use crate::protocol::prompt::{Asked, Filled};

/// Maximum characters of the opportunities in a prompt.
///
/// A prompt of 1,000,000 characters must work; the rest is for the skill, the others' answers and the contract.
const LIST_CHARS: usize = 895_000;

/// Maximum characters of others' answers in one prompt.
const PEER_CHARS: usize = 60_000;

/// Maximum entries of a list (evidence, files) shown per opportunity, from generous to none.
const LIST_LENGTHS: [usize; 4] = [20, 8, 3, 0];

/// Below this many characters per text, shorter lists are better than shorter texts.
const READABLE: usize = 200;

/// Builds the part that all prompts of a session share.
///
/// The longest texts are cut first and to one common length, so that a huge description costs no other opportunity its
/// words. The opportunities themselves are not changed.
pub(crate) fn stable(input: &Input) -> Filled {
    let Input { opportunities, settings, .. } = input;
    let (list, cut) = fit(opportunities, LIST_CHARS);
    let data = json!({
        "count": opportunities.len(), "blind": settings.opening == Opening::Blind, "today": settings.today,
        "opportunities": list,
    });
    let mut filled = input.prompts.fill("session/backlog", data);
    filled.notes.splice(..0, cut.note());
    filled
}

/// Renders the opportunities in at most `room` characters.
pub(in crate::protocol) fn fit(opportunities: &[Opportunity], room: usize) -> (String, FitCuts) {
    let mut best = (String::new(), FitCuts::default());
    for length in LIST_LENGTHS {
        let (views, entries): (Vec<Value>, Vec<usize>) =
            opportunities.iter().map(|each| view(each, length)).unzip();
        let (text, mut cut) = fit_value(&Value::Array(views), room);
        cut.entries = entries.iter().sum();
        let fits = cut.texts == 0 || cut.waterline >= READABLE;
        best = (text, cut);
        if fits {
            break;
        }
    }
    best
}

/// Returns the fields of an opportunity that a model needs, and the number of list entries left out.
fn view(each: &Opportunity, entries: usize) -> (Value, usize) {
    let mut score = json!(each.actionability);
    if let Some(known) = &each.actionability {
        score["overall"] = json!((known.overall() * 100.0).round() / 100.0);
    }
    let evidence = each.evidence.get(..entries).unwrap_or(&each.evidence);
    let files = each.affected_files.get(..entries).unwrap_or(&each.affected_files);
    let view = json!({
        "opportunity_id": each.opportunity_id, "opportunity_type": each.opportunity_type, "title": each.title,
        "description": Some(&each.description).filter(|text| !text.is_empty()), "actionability": score,
        "evidence": Some(evidence).filter(|list| !list.is_empty()),
        "affected_files": Some(files).filter(|list| !list.is_empty()), "suggested_fix": each.suggested_fix,
    });
    let left_out = each.evidence.len() - evidence.len() + each.affected_files.len() - files.len();
    (without_nulls(view), left_out)
}

/// What a turn's prompt depends on besides the answers of its round.
#[derive(Debug, Clone)]
pub(crate) struct Scene<'a> {
    pub input: &'a Input,
    /// The part that all prompts share.
    pub stable: &'a str,
    pub turn: TurnId,
    /// The round, from 1.
    pub round: u32,
    /// The round before, if there was one.
    pub last: Option<&'a DebateRound>,
}

/// Others' answers in a prompt: texts, which may be cut, and ids, which may not.
struct Said {
    texts: Value,
    ids: Value,
}

/// Returns the moderator's reasons of a round, if it gave any.
fn reasons(last: &DebateRound) -> Option<Value> {
    (!last.moderator_reasons.is_empty()).then(|| json!(last.moderator_reasons))
}

/// Returns the critic's concerns, each as it is to be given in an answer: [`MET`] where they are met.
fn concerns(said: &BTreeMap<String, Vec<String>>, met: &BTreeSet<String>) -> Value {
    let met = met.iter().map(|id| (id, json!([MET])));
    let all: BTreeMap<&String, Value> =
        said.iter().map(|(id, texts)| (id, json!(texts))).chain(met).gather();
    json!(all)
}

pub(crate) fn champion(scene: &Scene<'_>) -> Draft {
    let said = scene.last.map(|last| Said {
        texts: json!({
            "critic_concerns": concerns(&last.critic_concerns, &last.critic_met),
            "moderator_reasons": reasons(last), "your_last_argument": last.champion_argument,
        }),
        ids: json!({
            "critic_counter_rankings": last.critic_counter_rankings,
            "moderator_ranking": last.moderator_final_rankings,
            "moderator_dispositions": last.moderator_dispositions,
            "your_last_ranking": last.champion_rankings,
        }),
    });
    draft(Role::Champion, scene, said)
}

/// Builds the critic's prompt; without the champion's answer in a blind first round.
pub(crate) fn critic(scene: &Scene<'_>, champion: Option<&ChampionReply>) -> Draft {
    let last = scene.last;
    let said = champion.map(|champion| Said {
        texts: json!({
            "champion_argument": champion.argument, "moderator_reasons": last.and_then(reasons),
            "your_last_concerns": last.map(|last| concerns(&last.critic_concerns, &last.critic_met)),
        }),
        ids: json!({
            "champion_rankings": champion.rankings,
            "moderator_ranking": last.map(|last| &last.moderator_final_rankings),
            "moderator_dispositions": last.map(|last| &last.moderator_dispositions),
            "your_last_ranking": last.map(|last| &last.critic_counter_rankings),
        }),
    });
    draft(Role::Critic, scene, said)
}

pub(crate) fn moderator(
    scene: &Scene<'_>,
    champion: &ChampionReply,
    critic: &CriticReply,
) -> Draft {
    let last = scene.last;
    let said = Said {
        texts: json!({
            "champion_argument": champion.argument,
            "critic_concerns": concerns(&critic.concerns, &critic.met),
            "your_last_reasons": last.and_then(reasons),
        }),
        ids: json!({
            "round_number": scene.round, "champion_rankings": champion.rankings,
            "critic_counter_rankings": critic.rankings,
            "your_last_ranking": last.map(|last| &last.moderator_final_rankings),
            "your_last_dispositions": last.map(|last| &last.moderator_dispositions),
        }),
    };
    draft(Role::Moderator, scene, Some(said))
}

fn draft(role: Role, scene: &Scene<'_>, said: Option<Said>) -> Draft {
    let mut cut = FitCuts::default();
    let said = said.map(|Said { texts, ids }| {
        let mut all = without_nulls(texts);
        cut = fit::fit(&mut all, PEER_CHARS);
        if let (Some(all), Value::Object(ids)) = (all.as_object_mut(), without_nulls(ids)) {
            all.extend(ids);
        }
        all
    });
    let Scene { input, stable, turn, round, last } = scene;
    let mut draft = input.prompts.draft(Asked {
        turn,
        role: role.config_name(),
        stable,
        blocks: contract::outlines(role),
        data: json!({
            "said": said, "again": last.is_some(), "count": input.opportunities.len(), "round": round,
            "most_rounds": input.settings.max_rounds,
        }),
        shown: None,
    });
    // Forged markers in answers are told when they come in.
    draft.notes.retain(|note| note.code != "forged_marker");
    draft.notes.extend(cut.note());
    Draft { shown: said.unwrap_or_default(), ..draft }
}

#[cfg(test)]
mod tests;
