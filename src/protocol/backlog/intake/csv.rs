//! A table (CSV) as issue trackers export it: Linear, Jira, GitLab, and people's own. A row becomes an item with the
//! fields of [`tracker`](super::tracker); columns are known by their names.

use serde_json::{Map, Value};

use super::fields::FIELDS;

/// The columns that are read, each with the field that it becomes: the first one that a table has counts.
const COLUMNS: [(&str, &[&str]); 7] = [
    ("title", &TITLES),
    ("description", &["description", "body"]),
    ("key", &["issue key", "key", "identifier", "id", "issue id", "number"]),
    ("html_url", &["url", "link", "issue url", "web url"]),
    ("labels", &["labels", "label", "tags"]),
    ("priority", &["priority"]),
    ("stage", &["status", "state"]),
];

/// Names of columns with a title, as trackers and people write them.
const TITLES: [&str; 4] = ["title", "summary", "name", "subject"];

/// Columns with a date, or a category, that only closed issues have.
const CLOSED: [&str; 6] =
    ["completed", "canceled", "archived", "resolved", "closed at", "closed at (utc)"];

/// Names of the states in which trackers close an issue.
const DONE: [&str; 10] = [
    "done",
    "closed",
    "resolved",
    "completed",
    "canceled",
    "cancelled",
    "duplicate",
    "won't do",
    "won't fix",
    "released",
];

/// Whether a file is a table: by its name, or by a first line with the name of a column of titles.
pub(super) fn is_table(name: &str, text: &str) -> bool {
    let header = text.trim_start().lines().next().unwrap_or_default().to_lowercase();
    if header.starts_with(['[', '{']) {
        return false;
    }
    let columns: Vec<&str> =
        header.split([',', ';', '\t']).map(|column| column.trim().trim_matches('"')).collect();
    let name = name.to_lowercase();
    [".csv", ".tsv"].iter().any(|end| name.ends_with(end))
        || (columns.len() > 1 && columns.iter().any(|column| TITLES.contains(column)))
}

/// Returns the rows of a table as items, or what is wrong with it.
pub(super) fn items(text: &str) -> Result<Vec<Map<String, Value>>, String> {
    let first = text.lines().next().unwrap_or_default();
    let count = |mark: &u8| first.bytes().filter(|byte| byte == mark).count();
    let delimiter = [b',', b';', b'\t'].into_iter().max_by_key(count).unwrap_or(b',');
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let wrong = |error: csv::Error| format!("not a table: {error}");
    let header = reader.headers().map_err(wrong)?.clone();
    let header: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    let fields: Vec<Option<&str>> = header.iter().map(|name| field(name, &header)).collect();
    if !fields.contains(&Some("title")) {
        return Err(format!(
            "the table has no column with a title: name one {}",
            TITLES.map(|name| format!("`{name}`")).join(" or ")
        ));
    }
    let mut items = Vec::new();
    for record in reader.records() {
        let mut item = Map::new();
        for ((name, field), cell) in header.iter().zip(&fields).zip(&record.map_err(wrong)?) {
            if !cell.trim().is_empty() {
                put(&mut item, name, *field, cell);
            }
        }
        if !item.is_empty() {
            items.push(item);
        }
    }
    Ok(items)
}

/// Returns the field that a column becomes.
fn field(name: &str, header: &[String]) -> Option<&'static str> {
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    COLUMNS.iter().find_map(|(field, names)| {
        let has = |wanted: &&&str| header.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        names.iter().find(has).is_some_and(|first| is(first)).then_some(*field)
    })
}

fn put(item: &mut Map<String, Value>, column: &str, field: Option<&str>, cell: &str) {
    let lower = column.to_lowercase();
    let state = cell.trim().to_lowercase();
    if CLOSED.contains(&lower.as_str())
        || (matches!(&*lower, "status" | "state" | "status category") && DONE.contains(&&*state))
    {
        item.insert("state".to_owned(), "closed".into());
    }
    match field {
        Some("labels") => {
            let labels = item.entry("labels").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(labels) = labels {
                labels.extend(cell.split(',').map(|label| label.trim().into()));
            }
        }
        Some("key") => match cell.trim().trim_start_matches('#').parse::<u64>() {
            Ok(number) => drop(item.insert("number".to_owned(), number.into())),
            Err(_) => drop(item.insert("key".to_owned(), cell.trim().into())),
        },
        Some(field) => drop(item.entry(field).or_insert_with(|| cell.into())),
        // A column of the same name as a field of ours is of another meaning, but for an id.
        None => {
            let name = match &*lower {
                "opportunity_id" => lower,
                field if FIELDS.contains(&field) => format!("{column} (column)"),
                _ => column.to_owned(),
            };
            match item.get_mut(&name) {
                Some(Value::String(text)) => text.extend(["\n", cell]),
                _ => drop(item.insert(name, cell.into())),
            }
        }
    }
}
