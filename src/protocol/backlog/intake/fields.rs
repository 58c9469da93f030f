//! Turns one item's fields into an opportunity, naming the field that cannot be used.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::super::model::{
    ActionabilityScore, Disposition, Effort, Evidence, Opportunity, OpportunityStatus,
    OpportunityType, Reversibility,
};
use super::locate::kind;
use super::tracker::Issue;
use super::{FilePosition, IntakeError, Names, Origin, id_defect, nearest, stable_id};
use crate::protocol::backlog::time::time;
use crate::text::sanitize;

/// The program's own fields, for messages about fields that resemble one of them.
const FIELDS: [&str; 18] = [
    "opportunity_id",
    "opportunity_type",
    "status",
    "title",
    "description",
    "evidence",
    "actionability",
    "suggested_fix",
    "affected_files",
    "created_at",
    "updated_at",
    "last_seen_at",
    "resolved_at",
    "discovered_by",
    "priority_rank",
    "debate_session_id",
    "disposition",
    "linked_issue",
];

/// Further fields that this program writes.
const WRITTEN: [&str; 5] = [
    Opportunity::RULE,
    Opportunity::SYMBOL,
    Opportunity::MEASURE,
    Opportunity::REJECTED_WHY,
    Opportunity::EDITED,
];

/// One item of a file, whose fields are taken one by one.
pub(super) struct Item<'a> {
    file: &'a str,
    place: FilePosition,
    number: usize,
    id: String,
    map: Map<String, Value>,
}

/// An object within an item, such as `evidence[2]`.
struct ItemPart<'i, 'a> {
    item: &'i Item<'a>,
    path: String,
    map: Map<String, Value>,
}

/// An item after reading.
pub(super) struct ItemRead {
    pub(super) place: FilePosition,
    pub(super) opportunity: Opportunity,
    /// Whether its id was given in the file.
    pub(super) has_id: bool,
    /// The tracker's name for it, if any.
    pub(super) issue: Option<String>,
    /// Its unread fields.
    pub(super) unread: BTreeSet<String>,
}

impl<'a> Item<'a> {
    pub(super) fn new(
        file: &'a str,
        place: FilePosition,
        number: usize,
        map: Map<String, Value>,
    ) -> Self {
        let id = map.get("opportunity_id").and_then(Value::as_str);
        let id = id.map(|id| format!(" (`{}`)", sanitize::line(id, 128))).unwrap_or_default();
        Self { file, place, number, id, map }
    }

    fn error(&self, field: &str, detail: impl Into<String>) -> IntakeError {
        IntakeError::Field {
            file: self.file.to_owned(),
            place: self.place,
            item: self.number,
            id: self.id.clone(),
            field: field.to_owned(),
            detail: detail.into(),
        }
    }

    /// Reads the item. Only a file from another source is read as a tracker's export.
    pub(super) fn read(
        mut self,
        now: DateTime<Utc>,
        origin: Origin,
    ) -> Result<ItemRead, IntakeError> {
        let map = std::mem::take(&mut self.map);
        let item = &self;
        let mut unread = BTreeSet::new();
        let issue = match origin {
            Origin::Elsewhere => Issue::of(&map),
            Origin::Store => Issue::default(),
        };
        let mut part = ItemPart { item, path: String::new(), map };
        let Some(title) = part
            .text("title")?
            .or_else(|| issue.title.clone())
            .map(|title| title.trim().to_owned())
            .filter(|title| !title.is_empty())
        else {
            let hint = nearest_key(&part.map, "title");
            return Err(item.error("title", format!("is required and must not be empty{hint}")));
        };
        let given = part.text("opportunity_id")?.map(|id| id.trim().to_owned());
        if let Some(defect) = given.as_deref().and_then(id_defect) {
            return Err(item.error("opportunity_id", defect));
        }
        let kind = part.word("opportunity_type", &types())?.unwrap_or_default();
        let status = part.word("status", &statuses())?.unwrap_or_default();
        let own = part.text("description")?.filter(|text| !text.trim().is_empty());
        if own.is_some() && issue.description.is_some() && own != issue.description {
            unread.insert(Issue::described_by(&part.map).to_owned());
        }
        let description = own.or_else(|| issue.description.clone()).unwrap_or_default();
        let mut evidence = part.evidence(&mut unread)?;
        for each in issue.evidence() {
            if !evidence.contains(&each) {
                evidence.push(each);
            }
        }
        let actionability = part.actionability(&mut unread)?;
        let suggested_fix = part.text("suggested_fix")?;
        let affected_files = part.texts("affected_files")?;
        let created_at = (part.time("created_at")?.or(issue.created_at)).unwrap_or(now);
        let updated_at = (part.time("updated_at")?.or(issue.updated_at)).unwrap_or(created_at);
        let closed_at = issue.is_closed.then(|| issue.closed_at.unwrap_or(now));
        let file = affected_files.first().map_or("", String::as_str);
        let has_id = given.is_some();
        let opportunity = Opportunity {
            opportunity_id: given.unwrap_or_else(|| stable_id(kind, file, &title)),
            opportunity_type: kind,
            status,
            title,
            description,
            evidence,
            actionability,
            suggested_fix,
            affected_files,
            created_at,
            updated_at,
            last_seen_at: part.time("last_seen_at")?,
            resolved_at: part.time("resolved_at")?.or(closed_at),
            discovered_by: part.text("discovered_by")?.unwrap_or_default(),
            priority_rank: part
                .whole("priority_rank", 1, u64::from(u32::MAX))?
                .and_then(|rank| u32::try_from(rank).ok()),
            debate_session_id: part.text("debate_session_id")?,
            disposition: part.word("disposition", &dispositions())?,
            linked_issue: part.whole("linked_issue", 1, u64::MAX)?.or(issue.number),
            extra: part.map,
        };
        issue.unread(&opportunity.extra, &mut unread);
        for field in WRITTEN {
            unread.remove(field);
        }
        Ok(ItemRead { place: self.place, opportunity, has_id, issue: issue.name(), unread })
    }
}

impl ItemPart<'_, '_> {
    fn path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn wrong(&self, key: &str, wanted: &str, value: &Value) -> IntakeError {
        self.item.error(&self.path(key), format!("must be {wanted}, not {}", kind(value)))
    }

    /// Removes and returns a field; `null` counts as absent.
    fn take(&mut self, key: &str) -> Option<Value> {
        self.map.shift_remove(key).filter(|value| !value.is_null())
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, IntakeError> {
        match self.take(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong(key, "text", &other)),
        }
    }

    fn list(&mut self, key: &str) -> Result<Vec<Value>, IntakeError> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Value::Array(values)) => Ok(values),
            Some(other) => Err(self.wrong(key, "an array", &other)),
        }
    }

    fn texts(&mut self, key: &str) -> Result<Vec<String>, IntakeError> {
        let mut texts = Vec::new();
        for (index, value) in self.list(key)?.into_iter().enumerate() {
            let Value::String(text) = value else {
                return Err(self.wrong(&format!("{key}[{index}]"), "text", &value));
            };
            texts.push(text);
        }
        Ok(texts)
    }

    fn word<T: Copy>(&mut self, key: &str, names: &Names<T>) -> Result<Option<T>, IntakeError> {
        let Some(written) = self.text(key)? else {
            return Ok(None);
        };
        if let Some(value) = names.get(&*written) {
            return Ok(Some(*value));
        }
        let all: Vec<&str> = names.keys().copied().collect();
        let hint = nearest(&written, all.iter().copied());
        let detail =
            format!("`{}` is not one of {}{hint}", sanitize::line(&written, 64), all.join(", "));
        Err(self.item.error(&self.path(key), detail))
    }

    fn time(&mut self, key: &str) -> Result<Option<DateTime<Utc>>, IntakeError> {
        let Some(written) = self.text(key)? else {
            return Ok(None);
        };
        let time = time(&written).map_err(|detail| self.item.error(&self.path(key), detail))?;
        Ok(Some(time))
    }

    fn whole(&mut self, key: &str, low: u64, high: u64) -> Result<Option<u64>, IntakeError> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let number = value.as_u64().filter(|number| (low..=high).contains(number));
        number.map(Some).ok_or_else(|| {
            let shown = sanitize::line(&value.to_string(), 64);
            let detail = format!("must be a whole number from {low} to {high}, not {shown}");
            self.item.error(&self.path(key), detail)
        })
    }

    fn share(&mut self, key: &str) -> Result<f64, IntakeError> {
        let Some(value) = self.take(key) else {
            return Ok(0.0);
        };
        value.as_f64().filter(|number| (0.0..=1.0).contains(number)).ok_or_else(|| {
            let shown = sanitize::line(&value.to_string(), 64);
            self.item.error(&self.path(key), format!("must be a number from 0 to 1, not {shown}"))
        })
    }

    fn evidence(&mut self, unread: &mut BTreeSet<String>) -> Result<Vec<Evidence>, IntakeError> {
        let mut all = Vec::new();
        for (index, value) in self.list("evidence")?.into_iter().enumerate() {
            let path = format!("evidence[{index}]");
            let Value::Object(map) = value else {
                return Err(self.wrong(&path, "an object with `content`", &value));
            };
            let mut part = ItemPart { item: self.item, path, map };
            let Some(content) = part.text("content")? else {
                let hint = nearest_key(&part.map, "content");
                return Err(self.item.error(&part.path("content"), format!("is required{hint}")));
            };
            all.push(Evidence {
                source: part.text("source")?.unwrap_or_default(),
                content,
                file_path: part.text("file_path")?,
                line_number: part.whole("line_number", 1, u64::MAX)?,
                timestamp: part.time("timestamp")?,
            });
            part.left_over("evidence[]", &[], unread);
        }
        Ok(all)
    }

    fn actionability(
        &mut self,
        unread: &mut BTreeSet<String>,
    ) -> Result<Option<ActionabilityScore>, IntakeError> {
        let map = match self.take("actionability") {
            None => return Ok(None),
            Some(Value::Object(map)) => map,
            Some(other) => return Err(self.wrong("actionability", "an object", &other)),
        };
        let mut part = ItemPart { item: self.item, path: "actionability".to_owned(), map };
        let score = ActionabilityScore {
            clarity: part.share("clarity")?,
            evidence: part.share("evidence")?,
            effort: part.word("effort", &efforts())?.unwrap_or_default(),
            reversibility: part.word("reversibility", &reversibilities())?.unwrap_or_default(),
        };
        // `overall` is computed from the rest, so the file's value does not matter.
        part.left_over("actionability", &["overall"], unread);
        Ok(Some(score))
    }

    /// Records fields of a part that have no counterpart in the model.
    fn left_over(&self, path: &str, expected: &[&str], unread: &mut BTreeSet<String>) {
        let keys = self.map.keys().filter(|key| !expected.contains(&key.as_str()));
        unread.extend(keys.map(|key| format!("{path}.{key}")));
    }
}

/// Returns a hint if one of the item's keys resembles the missing one.
fn nearest_key(map: &Map<String, Value>, wanted: &str) -> String {
    let near = map
        .keys()
        .find(|key| strsim::normalized_damerau_levenshtein(&key.to_lowercase(), wanted) >= 0.6);
    near.map(|key| format!(" (the item has `{}`)", sanitize::line(key, 64))).unwrap_or_default()
}

/// Returns a hint if a foreign field resembles one of the program's; foreign fields as such are fine.
pub(super) fn nearest_strict(key: &str) -> String {
    let near = FIELDS
        .into_iter()
        .find(|name| strsim::normalized_damerau_levenshtein(&key.to_lowercase(), name) >= 0.75);
    near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Returns the values by their serialised names.
fn names<T: Copy>(values: &[(&'static str, T)]) -> Names<T> {
    values.iter().copied().collect()
}

pub(super) fn types() -> Names<OpportunityType> {
    names(&[
        ("test_failure", OpportunityType::TestFailure),
        ("stalled_work", OpportunityType::StalledWork),
        ("code_quality", OpportunityType::CodeQuality),
        ("coverage_gap", OpportunityType::CoverageGap),
        ("complexity", OpportunityType::Complexity),
        ("feature_opportunity", OpportunityType::FeatureOpportunity),
    ])
}

pub(super) fn statuses() -> Names<OpportunityStatus> {
    names(&[
        ("discovered", OpportunityStatus::Discovered),
        ("debating", OpportunityStatus::Debating),
        ("actionable", OpportunityStatus::Actionable),
        ("accepted", OpportunityStatus::Accepted),
        ("rejected", OpportunityStatus::Rejected),
        ("deferred", OpportunityStatus::Deferred),
    ])
}

pub(super) fn dispositions() -> Names<Disposition> {
    names(&[
        ("prioritize", Disposition::Prioritize),
        ("investigate", Disposition::Investigate),
        ("defer", Disposition::Defer),
        ("reject", Disposition::Reject),
    ])
}

fn efforts() -> Names<Effort> {
    names(&[("small", Effort::Small), ("medium", Effort::Medium), ("large", Effort::Large)])
}

fn reversibilities() -> Names<Reversibility> {
    names(&[
        ("full", Reversibility::Full),
        ("partial", Reversibility::Partial),
        ("none", Reversibility::None),
    ])
}
