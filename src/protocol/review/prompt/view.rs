//! A finding as other seats see it: its text and its status, without the names of those who wrote or judged it.

use serde_json::{Value, json};

use super::excerpt;
use crate::change::Change;
use crate::kernel::fit::without_nulls;
use crate::ordered::{BTreeSet, Gather};
use crate::protocol::review::model::{Group, Location, SeatJudgement, Stance};
use crate::protocol::review::status;

/// Returns a finding as a seat sees it that judges it, or that is to answer the refutation of its own. `change` is where
/// the lines are that judges asked for.
pub(super) fn for_judge(group: &Group, seat: usize, change: Option<&Change>) -> Value {
    let mut view = finding(group);
    if group.authors().contains(&seat) {
        view["written_by"] = json!("you");
    }
    let wanted: BTreeSet<&str> =
        group.judged.values().filter_map(|judged| judged.lines.as_deref()).gather();
    let shown = wanted
        .into_iter()
        .flat_map(|lines| change.into_iter().flat_map(|change| excerpt::asked_for(change, lines)));
    let code: Vec<String> = shown.collect();
    if !code.is_empty() {
        view["code"] = json!(code);
    }
    let others = group.judged.iter().filter(|(judge, _)| **judge != seat).map(|(_, judged)| judged);
    let others = reasons(others);
    if !others.is_empty() {
        view["others"] = json!(others);
    }
    if let Some(own) = group.judged.get(&seat) {
        view["yours"] = reason(own);
    }
    view
}

/// Returns a finding that is not to be judged: enough to recognise the same defect.
pub(super) fn title(group: &Group) -> Value {
    let finding = group.members.first().map(|first| &first.placed.finding);
    without_nulls(json!({
        "id": group.id, "file": finding.map(|finding| &finding.file),
        "line": finding.map(|finding| finding.line), "title": finding.map(|finding| &finding.title),
    }))
}

/// Returns a finding as the composer sees it: with the votes and the reasons.
pub(super) fn for_composer(group: &Group) -> Value {
    let mut view = finding(group);
    let count =
        |stance: Stance| group.judged.values().filter(|judged| judged.stance == stance).count();
    view["status"] = json!(status::status(group).name());
    view["votes"] = json!({
        "wrote_it": group.authors().len(), "agree": count(Stance::Agree),
        "disagree": count(Stance::Disagree), "unsure": count(Stance::Unsure),
    });
    with_reasons(view, group)
}

/// Returns a finding as a validator sees it: with the reasons, but without the votes, which it judges anew.
pub(super) fn for_validator(group: &Group) -> Value {
    with_reasons(finding(group), group)
}

fn with_reasons(mut view: Value, group: &Group) -> Value {
    let reasons = reasons(group.judged.values());
    if !reasons.is_empty() {
        view["reasons"] = json!(reasons);
    }
    view
}

fn finding(group: &Group) -> Value {
    let mut view = json!({ "id": group.id });
    if let (Some(view), Value::Object(words)) = (view.as_object_mut(), json!(group.shown())) {
        view.extend(words);
    }
    if group.location() == Location::Mislocated {
        view["place"] = json!("the line or the quote was not found in this file");
    }
    view
}

/// Returns the judgements sorted by content: the order of the seats would reveal who is who.
fn reasons<'a>(judged: impl Iterator<Item = &'a SeatJudgement>) -> Vec<Value> {
    let mut judged: Vec<&SeatJudgement> = judged.collect();
    judged.sort_by_key(|each| (each.stance, &each.reason, &each.evidence));
    judged.into_iter().map(reason).collect()
}

fn reason(judged: &SeatJudgement) -> Value {
    let SeatJudgement { stance, said, reason, evidence, only, severity, .. } = judged;
    without_nulls(json!({
        "stance": stance, "said": Some(said).filter(|said| *said != stance), "reason": reason, "evidence": evidence,
        "only": only, "severity": severity,
    }))
}
