//! The prompts: rules and change first, the turn's own material next, the contract last.
//!
//! The stable part is the same text in a seat's review of a batch and in all its judgements on it, so that providers
//! can cache it; it is also the same for all seats. A reviewer gets the platform's rules with its task: to judge a
//! finding takes none of them. Composer and validators get the frame without the diff, and instead the code around the
//! findings, each line once, with the risks and questions that the reviewers named.
//!
//! Everything that came from the repository or from an agent is fenced and defused. Findings are JSON, which has no
//! line breaks of its own; the lines of a diff begin with their mark; any other text of several lines has `| ` before
//! each. So no line of it can be the `turn:` line, a marker or a heading.
//!
//! No seat learns who wrote or said what: findings carry neutral ids in an order specific to the seat, reasons are
//! sorted by content, and no agent, vendor or seat is named in the material to be judged.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::compose::Decision;
use super::contract::{MAX_FINDINGS, MAX_MISSED};
use super::model::Group;
use crate::change::Change;
use crate::kernel::fit::{FitCuts, fit, without_nulls};

mod excerpt;
mod stable;
mod view;

pub(crate) use excerpt::asked_for;
pub(crate) use stable::stable;

/// Maximum number of characters of findings and code in one prompt, unless there are so many findings that even
/// [`FINDING_CHARS`] of each need more.
const DATA_CHARS: usize = 200_000;

const FINDING_CHARS: usize = 2_000;

/// Maximum number of characters of the code among them, unless there are so many findings that even their own lines
/// need more.
const CODE_CHARS: usize = 100_000;

/// Numbers of lines of code on either side of a finding, from generous to none.
const AROUND: [u32; 5] = [12, 8, 4, 2, 0];

/// The material that composer and validators are shown beside the findings.
#[derive(Debug, Clone)]
pub(crate) struct Material<'a> {
    pub change: &'a Change,
    /// What the reviewers named as risks, in an order that tells nothing of the seats.
    pub risks: BTreeSet<&'a String>,
    /// What they could not find out, likewise.
    pub questions: BTreeSet<&'a String>,
}

/// What the templates of a turn are filled with, its longest texts cut so that it fits.
pub(crate) type Words = (Value, FitCuts);

/// Returns the words of an independent review. `part` is the batch's number, from 1.
pub(crate) fn review(platform: &str, part: usize, parts: usize) -> Words {
    let platform: Vec<&str> = platform.trim().lines().collect();
    let words = json!({
        "part": part, "parts": parts, "platform": platform, "most_findings": MAX_FINDINGS,
    });
    (words, FitCuts::default())
}

/// Returns the words of a cross-examination. `groups` are in the order in which they are shown, `others` the findings
/// of which the judge sees the titles; `change` is where the lines are that judges of an examination before asked for.
pub(crate) fn cross(
    seat: usize,
    change: Option<&Change>,
    groups: &[&Group],
    others: &[&Group],
) -> Words {
    let is_own = |group: &&&Group| group.authors().contains(&seat);
    let words = json!({
        "shown": groups.iter().map(|group| view::for_judge(group, seat, change)).collect::<Value>(),
        "own": groups.iter().filter(is_own).count(),
        "others": others.iter().map(|group| view::title(group)).collect::<Value>(),
        "again": change.is_some(), "most_missed": MAX_MISSED,
    });
    fitted(words, groups.len() + others.len())
}

/// Returns the composer's words. `groups` are those that can be decided on.
pub(crate) fn compose(material: &Material<'_>, groups: &[&Group]) -> Words {
    let shown = groups.iter().map(|group| view::for_composer(group)).collect();
    with_code(&shown, material, groups)
}

/// Returns a validator's words. `decisions` are those it may vote on, in the order in which they are shown.
pub(crate) fn validate(
    material: &Material<'_>,
    decisions: &[&Decision],
    groups: &[Group],
) -> Words {
    let about = |decision: &&Decision| [Some(decision.id.clone()), decision.into.clone()];
    let about: Vec<&Group> = (decisions.iter().flat_map(about).flatten())
        .filter_map(|id| groups.iter().find(|group| group.id == id))
        .collect();
    let shown = decisions.iter().map(|decision| decided(decision, groups)).collect();
    with_code(&shown, material, &about)
}

/// Returns the words of the author of a test. `command`: the one that runs it.
pub(crate) fn prove(material: &Material<'_>, group: &Group, command: &[String]) -> Words {
    let (mut words, cut) =
        with_code(&Value::from(vec![view::for_composer(group)]), material, &[group]);
    words["command"] = json!(command);
    // Only what was run is shown again, with what it printed.
    let before = group.proof.as_ref().filter(|proof| proof.reproduction.is_some());
    words["before"] = json!(before);
    (words, cut)
}

/// Adds the code around some findings, and the reviewers' risks and questions.
fn with_code(shown: &Value, material: &Material<'_>, groups: &[&Group]) -> Words {
    let placed: Vec<_> =
        groups.iter().filter_map(|group| Some(&group.members.first()?.placed)).collect();
    let mut code = Value::Null;
    for lines in AROUND {
        code = excerpt::excerpts(material.change, &placed, lines);
        if format!("{code:#}").chars().count() <= CODE_CHARS {
            break;
        }
    }
    let Material { risks, questions, .. } = material;
    let told = json!({ "residual_risks": risks, "open_questions": questions });
    let told = Some(told).filter(|_| !risks.is_empty() || !questions.is_empty());
    fitted(json!({ "shown": shown, "code": code, "told": told }), groups.len())
}

fn fitted(mut words: Value, findings: usize) -> Words {
    let cut = fit(&mut words, DATA_CHARS.max(findings * FINDING_CHARS));
    (words, cut)
}

/// Returns one decision as a validator sees it.
fn decided(decision: &Decision, groups: &[Group]) -> Value {
    let view = |id: &str| groups.iter().find(|group| group.id == id).map(view::for_validator);
    without_nulls(json!({
        "id": decision.id, "decision": decision.kind, "because": decision.reason, "new_title": decision.title,
        "new_detail": decision.detail, "new_fix": decision.fix, "finding": view(&decision.id),
        "into": decision.into.as_deref().and_then(view),
    }))
}

#[cfg(test)]
mod tests;
