//! A finding as other seats see it: its text and its status, without the names of those who wrote or judged it.

use serde_json::{Map, Value, json};

use crate::protocol::review::model::{Group, Location, SeatJudgement, Stance};
use crate::protocol::review::status;

#[derive(Debug, Clone, Copy)]
pub(super) struct FindingDetail {
    /// Maximum number of characters of a text.
    pub(super) text: usize,
    /// Number of lines of code on either side.
    pub(super) context: u32,
}

pub(super) fn for_judge(group: &Group, seat: usize, room: FindingDetail) -> Value {
    let mut map = finding(group, room);
    let others = group.judged.iter().filter(|(judge, _)| **judge != seat).map(|(_, judged)| judged);
    let others = reasons(others, room);
    if !others.is_empty() {
        map.insert("others".into(), Value::Array(others));
    }
    if let Some(own) = group.judged.get(&seat) {
        map.insert("yours".into(), reason(own, room));
    }
    Value::Object(map)
}

/// Returns a finding that is not to be judged: enough to recognise the same defect.
pub(super) fn title(group: &Group) -> Value {
    let Some(first) = group.members.first() else {
        return json!({ "id": group.id });
    };
    let finding = &first.placed.finding;
    match finding.line {
        Some(line) => {
            json!({ "id": group.id, "file": finding.file, "line": line, "title": finding.title })
        }
        None => json!({ "id": group.id, "file": finding.file, "title": finding.title }),
    }
}

/// Returns a finding as the composer sees it: with the votes and the reasons.
pub(super) fn for_composer(group: &Group, room: FindingDetail) -> Value {
    let mut map = finding(group, room);
    map.insert("status".into(), json!(status::status(group).name()));
    let count =
        |stance: Stance| group.judged.values().filter(|judged| judged.stance == stance).count();
    map.insert(
        "votes".into(),
        json!({
            "wrote_it": group.authors().len(), "agree": count(Stance::Agree),
            "disagree": count(Stance::Disagree), "unsure": count(Stance::Unsure),
        }),
    );
    with_reasons(map, group, room)
}

/// Returns a finding as a validator sees it: with the reasons, but without the votes, which it judges anew.
pub(super) fn for_validator(group: &Group, room: FindingDetail) -> Value {
    with_reasons(finding(group, room), group, room)
}

fn with_reasons(mut map: Map<String, Value>, group: &Group, room: FindingDetail) -> Value {
    let reasons = reasons(group.judged.values(), room);
    if !reasons.is_empty() {
        map.insert("reasons".into(), Value::Array(reasons));
    }
    Value::Object(map)
}

fn finding(group: &Group, room: FindingDetail) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("id".into(), json!(group.id));
    map.insert("severity".into(), json!(group.severity().name()));
    let Some(first) = group.members.first() else {
        return map;
    };
    let finding = &first.placed.finding;
    map.insert("title".into(), json!(finding.title));
    map.insert("file".into(), json!(finding.file));
    for (key, line) in [("line", finding.line), ("end_line", finding.end_line)] {
        map.extend(line.map(|line| (key.to_owned(), json!(line))));
    }
    if group.location() == Location::Mislocated {
        let what = "the line or the quote was not found in this file";
        map.insert("place".into(), json!(what));
    }
    if let Some(quote) = &finding.quote {
        map.insert("quote".into(), json!(cut(quote, room.text)));
    }
    if let Some(trigger) = group.trigger() {
        map.insert("trigger".into(), json!(cut(trigger, room.text)));
    }
    map.insert("detail".into(), json!(cut(&finding.detail, room.text)));
    if !finding.fix.is_empty() {
        map.insert("fix".into(), json!(cut(&finding.fix, room.text)));
    }
    map
}

/// Returns the judgements sorted by content: the order of the seats would reveal who is who.
fn reasons<'a>(judged: impl Iterator<Item = &'a SeatJudgement>, room: FindingDetail) -> Vec<Value> {
    let mut judged: Vec<&SeatJudgement> = judged.collect();
    judged.sort_by(|one, other| {
        let key = |each: &SeatJudgement| (each.stance, each.reason.clone(), each.evidence.clone());
        key(one).cmp(&key(other))
    });
    judged.into_iter().map(|judged| reason(judged, room)).collect()
}

fn reason(judged: &SeatJudgement, room: FindingDetail) -> Value {
    let mut map = Map::new();
    map.insert("stance".into(), json!(judged.stance.name()));
    if judged.said != judged.stance {
        map.insert("said".into(), json!(judged.said.name()));
    }
    map.insert("reason".into(), json!(cut(&judged.reason, room.text)));
    if let Some(evidence) = &judged.evidence {
        map.insert("evidence".into(), json!(cut(evidence, room.text)));
    }
    if let Some(only) = &judged.only {
        map.insert("only".into(), json!(cut(only, room.text)));
    }
    if let Some(severity) = judged.severity {
        map.insert("severity".into(), json!(severity.name()));
    }
    Value::Object(map)
}

pub(super) fn cut(text: &str, max: usize) -> String {
    let total = text.chars().count();
    if total <= max {
        return text.to_owned();
    }
    let kept: String = text.chars().take(max).collect();
    format!("{kept} [cut; {total} characters in all]")
}
