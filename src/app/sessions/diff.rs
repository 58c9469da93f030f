//! Compares two stored sessions of a kind: their results, and what they rest on.

use std::collections::BTreeMap;

use serde_json::Value;

use super::result_of;
use crate::app::run::workspace::Workspace;
use crate::config::file::sha256;
use crate::error::{Error, Kind};
use crate::report::document::HeaderView;
use crate::report::session_diff::{AGENT, ANSWER, MODEL, RESULT, Row, SessionDiff};
use crate::report::session_result::SessionResult;
use crate::report::short_id;
use crate::report::stored_result::StoredResult;
use crate::session::record::Body;
use crate::session::{State, StoredSession};

/// Digits of a digest that are shown.
const DIGITS: usize = 12;

/// Returns in what two sessions differ, and why. Nobody is asked and nothing is written.
///
/// # Errors
/// As [`show`](super::show); they are of different kinds.
pub async fn diff(workspace: &Workspace, ids: [&str; 2]) -> Result<SessionDiff, Error> {
    let (a, stored_a) = result_of(workspace, ids[0]).await?;
    let (b, stored_b) = result_of(workspace, ids[1]).await?;
    let [head_a, head_b] = [a.header(), b.header()];
    if head_a.protocol != head_b.protocol {
        let of = |head: &HeaderView<'_>| {
            format!("{} is of {}", short_id(head.session_id), head.protocol)
        };
        let what = format!("session {} and session {}", of(&head_a), of(&head_b));
        let hint = "compare sessions of one kind; `debate-agent sessions list` says which they are";
        return Err(Error::new(Kind::Usage, what).named("other_kind").hint(hint));
    }
    let mut notes = Vec::new();
    let sides = [(&head_a, &a, &stored_a), (&head_b, &b, &stored_b)];
    for (head, result, stored) in sides {
        let id = short_id(head.session_id);
        match stored.as_ref().map(|stored| stored.ledger.state()) {
            None => notes
                .push(format!("Of {id} only the record is here: what it rests on is not known.")),
            Some(State::Running | State::Suspended { .. }) => {
                notes.push(format!("{id} is not over: it is compared as far as it goes."));
            }
            Some(State::Closed { .. }) => {}
        }
        if result.document::<StoredResult>().is_some() {
            notes.push(format!(
                "Another version made {id}: of the results, only how they ended is compared."
            ));
        }
    }
    let both = |known: fn(&SessionResult) -> bool| known(&a) && known(&b);
    let whole = both(|result| result.document::<StoredResult>().is_none());
    let rows = sides.map(|(head, result, _)| results(head, result, whole));
    let facts = match (&stored_a, &stored_b) {
        (Some(a), Some(b)) => [facts(a), facts(b)],
        _ => [Vec::new(), Vec::new()],
    };
    let ids = [head_a.session_id, head_b.session_id];
    Ok(SessionDiff::new(head_a.protocol, ids, rows, facts, notes))
}

/// Returns the result; if it is not read as a `whole`, how it ended.
fn results(head: &HeaderView<'_>, result: &SessionResult, whole: bool) -> Vec<Row> {
    let short = result.compact();
    let mut ends = vec![("outcome", head.outcome.clone()), ("verdict", head.verdict.clone())];
    if whole {
        ends.extend([
            ("decided", Some(head.decided.to_string())),
            ("confidence", short.confidence.map(|confidence| confidence.to_string())),
            ("winner", short.winner),
            ("severity", short.severity.map(str::to_owned)),
            ("recommendation", short.recommendation.map(str::to_owned)),
        ]);
    }
    let ends = ends.into_iter().filter_map(|(title, value)| Some(Row::new(RESULT, title, value?)));
    let parts = whole.then(|| result.rows());
    ends.chain(parts.into_iter().flatten()).collect()
}

/// Returns what a session rests on.
fn facts(stored: &StoredSession) -> Vec<Row> {
    let mut rows = Vec::new();
    let digest = |sha: &str| sha.chars().take(DIGITS).collect::<String>();
    if let Some(opened) = stored.ledger.opened() {
        let digests = &opened.digests;
        let mut input = opened.input.clone();
        unstamp(&mut input);
        rows.push(Row::new("input", "", digest(&sha256(input.to_string().as_bytes()))));
        let trees = digests.tree.iter().map(|(tree, sha)| Row::new("input", tree, digest(sha)));
        rows.extend(trees);
        let mut settings = opened.settings.clone();
        let seats = settings.as_object_mut().and_then(|settings| settings.remove("seats"));
        rules("", &settings, &mut rows);
        let budget = stored.ledger.budget();
        rows.extend(budget.map(|budget| Row::new("rule", "budget", budget.to_string())));
        rows.push(Row::new("rule", "rehearsal", opened.rehearsal.to_string()));
        let seats = seats.as_ref().and_then(Value::as_object).into_iter().flatten();
        rows.extend(seats.map(|(role, seat)| {
            let spare = seat["fallbacks"].as_array().into_iter().flatten();
            let agents: Vec<String> =
                [&seat["agent"]].into_iter().chain(spare).map(agent).collect();
            Row::new("seat", role, agents.join(", else "))
        }));
        rows.extend(digests.agents.iter().map(|(name, sha)| Row::new(AGENT, name, digest(sha))));
        let skills = opened.skills.iter();
        rows.extend(skills.map(|skill| Row::new("skill", &skill.name, digest(&skill.sha256))));
    }
    let (mut intents, mut answers, mut models) =
        (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for record in &stored.records {
        match &record.body {
            Body::Intent(call) => {
                intents.insert(call.key.as_str(), &call.intent);
            }
            Body::Result(result) => {
                let Some(intent) = intents.get(result.key.as_str()) else { continue };
                // The last attempt is the one that counts.
                answers.insert(
                    &intent.turn,
                    result.answer.as_deref().map_or_else(String::new, digest),
                );
                models.extend(result.model.as_ref().map(|model| (&intent.role, model)));
            }
            _ => {}
        }
    }
    rows.extend(models.into_iter().map(|(role, model)| Row::new(MODEL, role, model.as_str())));
    rows.extend(answers.into_iter().map(|(turn, answer)| Row::new(ANSWER, turn, answer)));
    rows
}

/// Takes out what a run writes into its input, which no other has: when items were read, the round's id.
fn unstamp(input: &mut Value) {
    match input {
        Value::Object(fields) => {
            fields.retain(|name, _| !["created_at", "updated_at", "round_id"].contains(&&**name));
            fields.values_mut().for_each(unstamp);
        }
        Value::Array(entries) => entries.iter_mut().for_each(unstamp),
        _ => {}
    }
}

/// Adds every setting, by the path of its name.
fn rules(path: &str, value: &Value, rows: &mut Vec<Row>) {
    let Value::Object(settings) = value else {
        let name = path.strip_prefix("protocol.").unwrap_or(path);
        rows.push(Row::new("rule", name, value.to_string()));
        return;
    };
    for (name, value) in settings {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        rules(&path, value, rows);
    }
}

fn agent(seated: &Value) -> String {
    let text = |name: &str| seated[name].as_str().unwrap_or_default();
    format!("{} ({})", text("agent"), text("vendor"))
}
