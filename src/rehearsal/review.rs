//! The stand-ins of a review: a handful of lexical rules over the diff.
//!
//! As reviewers the seats know overlapping but different rules, and look at single lines, so they raise false alarms
//! as well. As judges they look again at the place: they agree if the rule applies there, disagree with the line as
//! evidence if it is a comment or in a test, and are unsure if the line does not decide it. Every second seat notices
//! in the first cross-examination what all reviewers leave out, so that a rehearsal shows a missed issue too. A
//! finding may even be true; the absence of one means nothing.

use serde::Deserialize;
use serde_json::Value;

use super::BANNER;
use crate::protocol::review::{
    Ballot, CompositionBlock, Content, CrossReviewBlock, Eliminate, Finding, Judgement, KeptGroup,
    Merge, ReviewBlock, Severity, Stance, ValidationBlock,
};

mod diff;
mod rules;

use diff::{DiffLine, places};
use rules::{RULES, Rule, Scope};

/// Maximum findings of one answer.
const MOST: usize = 40;

/// Maximum distance in lines of two findings of one rule that the composer merges.
const NEAR: u64 = 20;

/// The data of a turn.
#[derive(Deserialize)]
struct TurnData {
    ask: String,
    /// The seat's number, from 1.
    seat: usize,
    round: Option<u32>,
    diff: Option<String>,
    /// The prompt's view of the others.
    shown: Value,
}

/// Answers a turn; `None` if it does not belong to a review.
pub(super) fn answer(data: &Value) -> Option<Content> {
    let TurnData { ask, seat, round, diff, shown } = TurnData::deserialize(data).ok()?;
    let diff = diff.unwrap_or_default();
    let lines: Vec<&str> = diff.lines().collect();
    let places = places(&lines);
    let shown = shown.as_array().map_or(&[][..], Vec::as_slice);
    match &*ask {
        "review" => Some(Content::Review(review(&places, seat))),
        "cross" => {
            let notices = round == Some(2) && seat.is_multiple_of(2);
            Some(Content::Cross(cross(&places, shown, notices)))
        }
        "compose" => Some(Content::Composition(compose(shown))),
        "validate" => Some(Content::Validation(validate(shown))),
        _ => None,
    }
}

/// Whether a seat looks for a rule as a reviewer: each seat leaves out a third.
fn looks_for(seat: usize, index: usize) -> bool {
    index % 3 != seat % 3
}

fn review(places: &[DiffLine<'_>], seat: usize) -> ReviewBlock {
    let known = |(index, rule): &(usize, &Rule)| !rule.late && looks_for(seat, *index);
    let rules: Vec<&Rule> = RULES.iter().enumerate().filter(known).map(|(_, rule)| rule).collect();
    let mut findings: Vec<Finding> = found(places, &rules).collect();
    findings.sort_by_key(|finding| finding.severity);
    let added = places.iter().filter(|place| place.added).count();
    ReviewBlock {
        findings,
        residual_risks: vec![format!(
            "{BANNER} {} fixed rules looked at {added} added lines, each by itself; what they do not know they do not see.",
            rules.len()
        )],
        open_questions: Vec::new(),
    }
}

/// Returns the findings of some rules in the added lines.
fn found<'a>(
    places: &'a [DiffLine<'a>],
    rules: &'a [&'a Rule],
) -> impl Iterator<Item = Finding> + 'a {
    let hits = places.iter().enumerate().flat_map(move |(at, place)| {
        let hits = rules.iter().filter(move |rule| rule.finds(places, at));
        hits.map(move |rule| rule.finding(place))
    });
    hits.take(MOST)
}

fn cross(places: &[DiffLine<'_>], groups: &[Value], notices: bool) -> CrossReviewBlock {
    let late: Vec<&Rule> = RULES.iter().filter(|rule| rule.late).collect();
    let known = |finding: &Finding| {
        groups.iter().any(|group| {
            group["file"] == finding.file.as_str()
                && group["line"].as_u64() == finding.line.map(u64::from)
        })
    };
    let missed_issues = if notices {
        found(places, &late).filter(|finding| !known(finding)).collect()
    } else {
        Vec::new()
    };
    CrossReviewBlock {
        judgements: groups.iter().filter_map(|group| judge(places, group)).collect(),
        missed_issues,
    }
}

fn judge(places: &[DiffLine<'_>], group: &Value) -> Option<Judgement> {
    let text = |key: &str| group[key].as_str().unwrap_or_default();
    let rule = RULES.iter().find(|rule| rule.title == text("title"));
    let line = group["line"].as_u64();
    let hit = places.iter().enumerate().find(|(at, place)| {
        place.file == text("file")
            && place.line.map(u64::from) == line
            && rule.is_some_and(|rule| rule.finds(places, *at))
    });
    let (stance, reason, evidence) = match (rule, hit) {
        (Some(rule), Some((_, place))) if rule.scope != Scope::Everywhere && place.is_comment() => {
            (
                Stance::Disagree,
                "The line is a comment: nothing of it runs.".to_owned(),
                Some(place.text.trim().to_owned()),
            )
        }
        (Some(rule), Some((_, place))) if rule.scope == Scope::Code && place.is_test() => (
            Stance::Disagree,
            format!("`{}` is a test: it fails where it should, and no user meets it.", place.file),
            Some(place.text.trim().to_owned()),
        ),
        (Some(rule), Some(_)) if !rule.certain => (
            Stance::Unsure,
            "The line has this form; whether it does harm, the lines around it do not tell."
                .to_owned(),
            None,
        ),
        (Some(rule), Some((_, place))) => (
            Stance::Agree,
            format!("Line {} has it, in code that runs: {}", line.unwrap_or_default(), rule.why),
            Some(place.text.trim().to_owned()),
        ),
        (Some(_) | None, Some(_) | None) => {
            (Stance::Unsure, "No rule of this rehearsal finds it at that place.".to_owned(), None)
        }
    };
    Some(Judgement {
        id: group["id"].as_str()?.to_owned(),
        stance,
        reason: format!("{reason} (rehearsal)"),
        evidence,
        only: (stance == Stance::Agree && text("severity") == Severity::P2.name())
            .then(|| "What happens at this line; the rule knows no other. (rehearsal)".to_owned()),
        severity: Severity::ALL
            .into_iter()
            .find(|severity| severity.name() == text("severity"))
            .filter(|_| stance == Stance::Agree),
        same_as: None,
    })
}

/// Keeps all groups, except that findings of one rule at nearby places are merged into one, and a minor finding with
/// disagreement is dropped.
fn compose(groups: &[Value]) -> CompositionBlock {
    let mut said = CompositionBlock::default();
    let text = |group: &Value, key: &str| group[key].as_str().unwrap_or_default().to_owned();
    // The groups are shown in random order; the order of the lines is not random.
    let mut groups: Vec<&Value> = groups.iter().collect();
    groups.sort_by_key(|group| (text(group, "file"), group["line"].as_u64(), text(group, "id")));
    let mut last: Vec<&Value> = Vec::new();
    for group in groups {
        let id = text(group, "id");
        let against = group["reasons"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|reason| reason["stance"] == Stance::Disagree.name());
        let minor = group["severity"] == Severity::P2.name();
        if let (Some(against), true) = (against, minor) {
            said.eliminate.push(Eliminate { id, reason: text(against, "reason") });
            continue;
        }
        let near = last.iter().find(|kept| {
            let gap = kept["line"].as_u64().zip(group["line"].as_u64());
            ["file", "title", "severity"].iter().all(|key| kept[*key] == group[*key])
                && gap.is_some_and(|(one, other)| one.abs_diff(other) <= NEAR)
        });
        let into = near.map(|kept| text(kept, "id"));
        match into {
            Some(into) => match said.merge.iter_mut().find(|merge| merge.into == into) {
                Some(merge) => merge.ids.push(id),
                None => said.merge.push(Merge {
                    into,
                    ids: vec![id],
                    reason: Some("One rule found them, a few lines apart. (rehearsal)".to_owned()),
                }),
            },
            None => last.push(group),
        }
    }
    let target = |id: &String| said.merge.iter().any(|merge| merge.into == *id);
    said.keep = last
        .iter()
        .map(|group| text(group, "id"))
        .filter(|id| !target(id))
        .map(|id| KeptGroup { id, title: None, detail: None, fix: None })
        .collect();
    said
}

/// Approves everything except the elimination of a grave finding.
fn validate(decisions: &[Value]) -> ValidationBlock {
    let vote = |decision: &Value| {
        let grave = decision["finding"]["severity"] != Severity::P2.name();
        let approve = !(grave && decision["decision"] == "eliminate");
        let reason = if approve {
            "It follows from the reasons that are given."
        } else {
            "A rehearsal throws out nothing grave."
        };
        Some(Ballot {
            id: decision["id"].as_str()?.to_owned(),
            approve,
            reason: format!("{reason} (rehearsal)"),
        })
    };
    ValidationBlock { votes: decisions.iter().filter_map(vote).collect() }
}

#[cfg(test)]
mod tests;
