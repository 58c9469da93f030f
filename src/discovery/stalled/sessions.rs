//! Sessions: `.swarm/sessions/**/*.json`.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Rules, Source, Stall, files, named, when};
use crate::discovery::finding::{Finding, Rule};
use crate::protocol::backlog::model::Effort;

/// The folder of sessions.
const FOLDER: &str = ".swarm/sessions";

/// A session from its file.
struct Session {
    id: String,
    feature: Option<String>,
    state: String,
    at: Option<DateTime<Utc>>,
    file: String,
}

/// Reads the sessions and finds paused or interrupted ones. If several files describe one session,
/// the newest counts.
pub fn sessions(root: &Path, rules: Rules<'_>) -> Source {
    let mut source = Source::new(FOLDER);
    let mut newest: BTreeMap<String, Session> = BTreeMap::new();
    let used = files::json_files(root, FOLDER, true, &mut source, |file, value| {
        let session = read(file, value, rules.now)?;
        let known = newest.get(&session.id);
        if known.is_none_or(|known| known.at <= session.at) {
            newest.insert(session.id.clone(), session);
        }
        Ok(())
    });
    source.findings = (newest.into_values()).filter_map(|session| judge(session, rules)).collect();
    source.counted(used, "file")
}

fn read(file: &str, value: &Value, now: DateTime<Utc>) -> Result<Session, String> {
    if !value.is_object() {
        return Err("it is not an object".to_owned());
    }
    let state = files::text(value, "state").ok_or("it has no `state`")?;
    // A session without a time is still paused; one with an invalid time cannot be trusted.
    let at = files::first(value, &["updated_at", "timestamp"])
        .map(|at| when::past(at, now).map_err(|why| format!("its time: {why}")))
        .transpose()?;
    let id = files::text(value, "session_id").unwrap_or_else(|| files::stem(file));
    Ok(Session {
        id: named(id).ok_or("its `session_id` is blank")?,
        feature: files::text(value, "feature_id").and_then(named),
        state: state.trim().to_lowercase(),
        at,
        file: file.to_owned(),
    })
}

fn judge(session: Session, rules: Rules<'_>) -> Option<Finding> {
    let (rule, clarity, effort) = match session.state.as_str() {
        "paused" => (Rule::PausedSession, 0.8, Effort::Small),
        "interrupted" => (Rule::InterruptedSession, 0.6, Effort::Medium),
        _ => return None,
    };
    let (id, state) = (&session.id, &session.state);
    let of = session.feature.map_or_else(String::new, |feature| format!(" of feature {feature}"));
    let (since, last) = session.at.map_or_else(
        || (String::new(), "it has no time".to_owned()),
        |at| (format!(" for {}", rules.ago(at)), format!("last update {}", at.to_rfc3339())),
    );
    let stall = Stall {
        rule,
        title: format!("Session {id}{of} has been {state}{since}"),
        description: format!("Nobody has continued this session{of}. Resume it, or end it."),
        source: FOLDER,
        content: format!("state {state}, {last}"),
        file: Some(session.file.clone()),
        at: session.at,
        clarity,
        evidence: 0.7,
        effort,
        symbol: session.id,
    };
    Some(stall.finding())
}
