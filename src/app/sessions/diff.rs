//! What differs between the results of two stored sessions of a kind, and why.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::app::run::{foreign, workspace::Workspace};
use crate::error::{Error, Kind};
use crate::ordered::BTreeMap;
use crate::report::{Look, document::SCHEMA_VERSION, short_id, table::Table};
use crate::session::record::Body;

/// What entries are, where they are in a session's `[result, first record]`, what tells them apart, their title, and
/// what is compared of them: everything if nothing is named. Results of other kinds have nothing there.
/// Another round alone is no difference.
const RESULTS: &[[&str; 5]] = &[
    ["result", "0", "", "", "outcome verdict"],
    ["finding", "0/findings 0/eliminated", "fingerprint", "title", "file status severity"],
    ["finding", "0/suppressed", "fingerprint", "title", "file status severity"],
    ["step", "0/steps 0/left_out", "title", "title", "status"],
    ["rank", "0/ranked_opportunities", "opportunity_id", "title", "priority_rank disposition"],
    ["decision", "0/decision", "", "", "text by"],
    ["vote", "0/last_votes", "seat", "seat", "choice"],
    ["open point", "0/open_points", "text", "text", "stance ruling"],
    ["stance", "3", "title", "title", "stance round"],
    ["rating", "0/perspectives", "perspective", "perspective", "critique/rating"],
];
const REASONS: &[[&str; 5]] = &[
    ["seat", "0/seats", "role", "role", "agent fell_back_to"],
    ["model", "0/seats", "role", "role", "model"],
    ["rules", "1/settings 1/settings/protocol", "", "", ""],
    ["input", "1/input 1/digests/tree", "opportunity_id", "title", ""],
    ["prompts", "1/digests/skills", "", "", ""],
];
/// Members that have rows of their own, and those that each run writes anew.
const LEFT_OUT: [&str; 5] = ["seats", "protocol", "created_at", "updated_at", "round_id"];

/// Something that differs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Difference {
    /// `result`, `finding`, `step`, `rank`, ...; of the reasons `seat`, `model`, `rules`, `input`, `prompts`.
    pub what: &'static str,
    /// Which one.
    pub title: String,
    #[serde(skip)]
    key: String,
    /// The fields that differ, with their values in both sessions; null in a session that lacks it.
    pub fields: BTreeMap<String, [Value; 2]>,
}

/// The result of `sessions diff`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionDiff {
    /// The ids of both sessions.
    pub sessions: [String; 2],
    /// What differs in their results.
    pub differences: Vec<Difference>,
    /// How many entries of their results are equal; how they ended is one.
    pub equal: usize,
    /// What differs in that on which they rest; the seats alone if one of them has no journal.
    pub reasons: Vec<Difference>,
    /// How many turns were answered in both, and how many of those differently; null if one of them has no journal.
    pub answers: Option<[usize; 2]>,
    /// The version of this document.
    pub schema_version: u32,
}

/// Compares two sessions, which must be of one kind. Nobody is asked and nothing is written.
pub async fn diff(workspace: &Workspace, a: &str, b: &str) -> Result<SessionDiff, Error> {
    let both = [read(workspace, a).await?, read(workspace, b).await?];
    let text = |name| both.each_ref().map(|one| one[0][name].as_str().unwrap_or("?").to_owned());
    let (sessions, [kind, other]) = (text("session_id"), text("protocol"));
    if kind != other {
        let what = format!("session {a} is of {kind}, session {b} of {other}");
        let hint = "give two of one kind: `debate-agent sessions list` says which are";
        return Err(Error::new(Kind::Usage, what).named("other_kind").hint(hint));
    }
    let recorded = both.iter().all(|one| one[1].is_object());
    let known = if recorded { REASONS } else { &REASONS[..1] };
    let ((differences, equal), (reasons, _)) = (compare(&both, RESULTS), compare(&both, known));
    let answers = both[0][2].as_object().into_iter().flatten();
    let same = answers.filter_map(|(turn, sha)| Some(both[1][2].get(turn)? == sha));
    let (same, other): (Vec<_>, Vec<_>) = same.partition(|same| *same);
    let answers = recorded.then(|| [same.len() + other.len(), other.len()]);
    let schema_version = SCHEMA_VERSION;
    Ok(SessionDiff { sessions, differences, equal, reasons, answers, schema_version })
}

/// Returns a session's result and, if it has a journal, its first record, its answers' digests by turn and its seats'
/// models; then a debate's stances.
async fn read(workspace: &Workspace, id: &str) -> Result<Value, Error> {
    let stored = foreign::store(workspace)?.read(id).ok();
    let (mut asked, mut answers, mut models) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for record in stored.iter().flat_map(|stored| &stored.records) {
        if let Body::Intent(call) = &record.body {
            asked.insert(&call.key, &call.intent);
        } else if let Body::Result(call) = &record.body
            && let Some(intent) = asked.get(&call.key)
        {
            answers.extend(call.answer.as_ref().map(|sha| (&intent.turn, sha)));
            models.extend(call.model.as_ref().map(|model| (intent.role.as_str(), model)));
        }
    }
    let opened = stored.as_ref().and_then(|stored| stored.ledger.opened());
    let bug = |error| Error::new(Kind::Bug, "a session cannot be compared").because(error);
    let mut shown = serde_json::to_value(&*super::show(workspace, id).await?).map_err(bug)?;
    for seat in shown["seats"].as_array_mut().into_iter().flatten() {
        seat["model"] = json!(models.get(seat["role"].as_str().unwrap_or_default()));
    }
    let said = stances(&shown);
    serde_json::to_value((shown, opened, answers, said)).map_err(bug)
}

/// Returns what each seat of a debate last thought of each claim, and in which round.
fn stances(debate: &Value) -> Vec<Value> {
    let (mut claims, mut last) = (BTreeMap::new(), BTreeMap::new());
    for round in debate["rounds"].as_array().into_iter().flatten() {
        let written = round["arguments"].as_array().into_iter().flatten();
        let written = written.map(|argument| &argument["content"]);
        let positions = round["positions"].as_object().into_iter().flatten();
        let points =
            positions.map(|(_, all)| all).chain(written).map(|all| all["points"].as_array());
        claims.extend(points.flatten().flatten().map(|one| (one["id"].as_str(), &one["claim"])));
        for (seat, said) in round["stances"].as_object().into_iter().flatten() {
            for one in said["stances"].as_array().into_iter().flatten() {
                let claim = claims.get(&one["point"].as_str()).and_then(|claim| claim.as_str());
                let title = format!("{seat}: {}", claim.unwrap_or_default());
                let (stance, round) = (&one["stance"], &round["round"]);
                let entry = json!({ "title": title, "stance": stance, "round": round });
                last.insert(title, entry);
            }
        }
    }
    last.into_values().collect()
}

/// Returns what differs, and how many entries do not.
fn compare(sessions: &[Value; 2], rows: &[[&'static str; 5]]) -> (Vec<Difference>, usize) {
    let mut all: Vec<Difference> = Vec::new();
    let places = rows.iter().flat_map(|row| row[1].split(' ').map(move |place| (row, place)));
    for (([what, _, key, title, fields], place), side) in places.flat_map(|at| [(at, 0), (at, 1)]) {
        let found = sessions[side].pointer(&format!("/{place}")).into_iter();
        let found = found.flat_map(|at| at.as_array().map_or(vec![at], |all| all.iter().collect()));
        for entry in found {
            let [title, key] =
                [title, key].map(|name| entry[name].as_str().unwrap_or("").to_owned());
            let free = |one: &Difference| one.fields.values().all(|both| both[side].is_null());
            let is_it = |one: &Difference| one.what == *what && one.key == key && free(one);
            let at = all.iter().position(is_it).unwrap_or(all.len());
            if at == all.len() {
                all.push(Difference { what, title, key, fields: BTreeMap::new() });
            }
            let named = fields.split(' ').map(|field| (field, entry.pointer(&format!("/{field}"))));
            let members = entry.as_object().filter(|_| fields.is_empty()).into_iter().flatten();
            let members = members.map(|(name, value)| (name.as_str(), Some(value)));
            for (name, value) in named.chain(members).filter(|(name, _)| !LEFT_OUT.contains(name)) {
                // Each session draws the letters of its choices.
                let mut choices = sessions[side][0]["choices"].as_array().into_iter().flatten();
                let choice = choices.find(|one| name == "choice" && Some(&one["id"]) == value);
                let value = choice.map(|one| &one["text"]).or(value).cloned().unwrap_or_default();
                let digest = || crate::config::file::sha256(value.to_string().as_bytes()).into();
                let value = if value.is_array() || value.is_object() { digest() } else { value };
                all[at].fields.entry(name.to_owned()).or_default()[side] = value;
            }
        }
    }
    for one in &mut all {
        let is_same = one.fields.iter().all(|(name, [a, b])| a == b || name == "round");
        one.fields.retain(|name, [a, b]| !is_same && (a != b || name == "round"));
    }
    let (equal, differences) = all.into_iter().partition::<Vec<_>, _>(|one| one.fields.is_empty());
    (differences, equal.len())
}

impl SessionDiff {
    /// Returns the comparison for people, in at most so many lines where they are wide enough, with a newline at the end.
    pub fn render(&self, look: Look, most: usize) -> String {
        let [a, b] = self.sessions.each_ref().map(|id| short_id(id));
        let answers = self.answers.map_or_else(
            || "One of them has no journal here: its answers and settings are not compared.".into(),
            |[both, other]| format!("Other answers in {other} of {both} turns."),
        );
        let drawn = |of_each: usize| {
            let lists = [("", &self.differences), ("why: ", &self.reasons)].into_iter();
            let shown = lists
                .flat_map(|(why, list)| list.iter().take(of_each).map(move |one| one.row(why)));
            let shown: Vec<_> = shown.collect();
            let more = match self.differences.len() + self.reasons.len() - shown.len() {
                0 => String::new(),
                more => format!("... and {more} more, with --json\n"),
            };
            let table = Table::new(&["", "", &a, &b], shown).unbroken(&[0]).render(look.width);
            format!("{table}{more}Equal: {}. {answers}\n", self.equal)
        };
        let mut all = (1..=most).rev().map(drawn);
        all.find(|text| text.lines().count() <= most).unwrap_or_else(|| drawn(1))
    }
}

impl Difference {
    fn row(&self, why: &str) -> Vec<String> {
        let [a, b] = [0, 1].map(|side| {
            let fields = self.fields.iter().filter(|(_, values)| !values[side].is_null());
            let said = fields.map(|(name, values)| format!("{name}: {}", values[side]));
            said.collect::<Vec<_>>().join(", ").replace('"', "")
        });
        vec![format!("{why}{}", self.what), self.title.clone(), a, b]
    }
}
