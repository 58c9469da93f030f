//! Features: `.swarm/state/*.json`.

use std::collections::BTreeMap;
use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::{Rules, Source, Stall, files, named, when};
use crate::discovery::finding::{Finding, Rule};
use crate::protocol::backlog::model::Effort;

/// The folder of features.
const FOLDER: &str = ".swarm/state";

/// Words for a finished phase or issue.
const FINISHED: [&str; 4] = ["completed", "complete", "done", "shipped"];

/// A feature from its file.
struct Feature {
    id: String,
    phase: String,
    finished: bool,
    /// Always set if it is not finished.
    updated: Option<DateTime<Utc>>,
    done: usize,
    issues: usize,
    file: String,
}

/// Reads the features and finds stalled ones.
pub fn features(root: &Path, rules: Rules<'_>) -> Source {
    let mut source = Source::new(FOLDER);
    let mut newest: BTreeMap<String, Feature> = BTreeMap::new();
    let used = files::json_files(root, FOLDER, false, &mut source, |file, value| {
        let feature = read(file, value, rules.now)?;
        let known = newest.get(&feature.id);
        if known.is_none_or(|known| known.updated <= feature.updated) {
            newest.insert(feature.id.clone(), feature);
        }
        Ok(())
    });
    source.findings = (newest.into_values()).filter_map(|feature| judge(feature, rules)).collect();
    source.counted(used, "file")
}

fn read(file: &str, value: &Value, now: DateTime<Utc>) -> Result<Feature, String> {
    if !value.is_object() {
        return Err("it is not an object".to_owned());
    }
    let phase = files::text(value, "phase").ok_or("it has no `phase`")?;
    let finished = is_finished(phase);
    let updated = match value.get("updated_at") {
        None | Some(Value::Null) if finished => None,
        None | Some(Value::Null) => return Err("it has no `updated_at`".to_owned()),
        Some(at) => match when::past(at, now) {
            Ok(at) => Some(at),
            Err(_) if finished => None,
            Err(why) => return Err(format!("`updated_at`: {why}")),
        },
    };
    let issues = match value.get("issues") {
        None | Some(Value::Null) => &Vec::new(),
        Some(Value::Array(issues)) => issues,
        Some(_) => return Err("its `issues` are not an array".to_owned()),
    };
    let done =
        issues.iter().filter(|issue| files::text(issue, "status").is_some_and(is_finished)).count();
    let id = files::text(value, "feature_id").unwrap_or_else(|| files::stem(file));
    Ok(Feature {
        id: named(id).ok_or("its `feature_id` is blank")?,
        phase: named(phase).ok_or("its `phase` is blank")?,
        finished,
        updated,
        done,
        issues: issues.len(),
        file: file.to_owned(),
    })
}

fn is_finished(word: &str) -> bool {
    let word = word.trim().to_lowercase();
    FINISHED.contains(&word.as_str())
}

fn judge(feature: Feature, rules: Rules<'_>) -> Option<Finding> {
    let updated = feature.updated.filter(|at| rules.has_stalled(*at))?;
    if feature.finished {
        return None;
    }
    let (clarity, effort) = by_progress(feature.done, feature.issues);
    let (id, phase) = (&feature.id, &feature.phase);
    let progress = match feature.issues {
        0 => "no issues are listed".to_owned(),
        issues => format!("{} of {issues} issues are done", feature.done),
    };
    let stall = Stall {
        rule: Rule::StalledFeature,
        title: format!("Feature {id} has not moved for {}", rules.ago(updated)),
        description: format!(
            "It is in the phase {phase}, and {progress}. Continue it, or mark it finished in its state."
        ),
        source: FOLDER,
        content: format!("phase {phase}, {progress}, last update {}", updated.to_rfc3339()),
        file: Some(feature.file.clone()),
        at: Some(updated),
        clarity,
        evidence: 0.8,
        effort,
        symbol: feature.id,
    };
    Some(stall.finding())
}

/// The more is done, the clearer the rest (`docs/discover.md`). Uses counts, so that 4 of 5 is exactly
/// 80%.
fn by_progress(done: usize, issues: usize) -> (f64, Effort) {
    let at_least = |percent: usize| issues > 0 && done * 100 >= issues * percent;
    if at_least(80) {
        (0.9, Effort::Small)
    } else if at_least(50) {
        (0.7, Effort::Medium)
    } else if at_least(30) {
        (0.5, Effort::Medium)
    } else {
        (0.3, Effort::Large)
    }
}
