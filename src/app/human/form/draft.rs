//! The answers so far, and the argument they make up.

use serde_json::{Map, Value, json};

use crate::protocol::debate::Stance;
use crate::protocol::debate::typed::ArgumentType;

#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub(super) text: String,
    pub(super) points: Vec<(String, u8)>,
    /// The point whose importance is being asked for.
    pub(super) point: String,
    pub(super) concerns: Vec<String>,
    pub(super) met: Vec<(String, String)>,
    pub(super) evidence: Vec<String>,
    pub(super) feasibility: Option<u8>,
    pub(super) percent: Option<u8>,
    pub(super) stances: Vec<Value>,
    pub(super) stance: Option<Stance>,
    pub(super) reason: String,
    pub(super) missing: Vec<String>,
    pub(super) facts: Vec<Value>,
}

impl Draft {
    /// Returns the argument. The order of its members matters: a resumed session compares it.
    pub(super) fn argument(&self, kind: ArgumentType) -> Value {
        let mut content = Map::new();
        content.insert("text".to_owned(), self.text.trim_end().into());
        if kind == ArgumentType::Resolution {
            let points = (self.points.iter().zip(1..)).map(|((claim, importance), place)| {
                json!({ "id": format!("P{place}"), "claim": claim, "importance": importance })
            });
            content.insert("points".to_owned(), points.collect());
        }
        let evidence = (self.evidence.iter())
            .map(|data| json!({ "type": evidence_type(data), "data": data.trim_matches('"') }));
        let concerns = (self.concerns.iter().zip(1..))
            .map(|(text, place)| json!({ "id": format!("N{place}"), "text": text }));
        let addresses = (self.met.iter()).map(|(id, how)| json!({ "id": id, "how": how }));
        let mut argument = json!({
            "type": kind.name(), "content": content, "references": [], "evidence": evidence.collect::<Vec<_>>(),
        });
        if let Some(percent) = self.percent {
            argument["confidence_score"] = (f64::from(percent) / 100.0).into();
        }
        argument["impact_areas"] = json!([]);
        argument["concerns"] = concerns.collect();
        argument["addresses"] = addresses.collect();
        argument["risks"] = json!([]);
        if let Some(feasibility) = self.feasibility {
            argument["feasibility"] = feasibility.into();
        }
        argument
    }
}

/// Returns the type of a piece of evidence by its form: a quotation, a file with or without a line, else a source.
fn evidence_type(data: &str) -> &'static str {
    let quoted = data.len() > 1 && data.starts_with('"') && data.ends_with('"');
    let path = data.split_once(':').map_or(data, |(path, _)| path);
    let is_path = !data.contains("://")
        && !data.contains(char::is_whitespace)
        && path.contains(['/', '.'])
        && !path.ends_with(['/', '.']);
    match (quoted, is_path) {
        (true, _) => "quote",
        (false, true) => "file",
        (false, false) => "source",
    }
}
