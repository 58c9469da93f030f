//! Tables, which are not backlogs: how to recognise one, and how the user can convert it.

/// Names of columns with a title, as trackers and people write them.
const TITLES: [&str; 4] = ["title", "summary", "name", "subject"];
/// Names of columns with a description.
const DESCRIPTIONS: [&str; 4] = ["description", "body", "details", "text"];
/// Names of columns with the tracker's name for the item.
const KEYS: [&str; 4] = ["issue key", "key", "identifier", "number"];

/// Returns advice on converting the file into a backlog; `None` if it is not a table.
pub(super) fn advice(name: &str, text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let header = text.lines().find(|line| !line.trim().is_empty())?.trim();
    let is_named = [".csv", ".tsv"].into_iter().any(|end| name.to_lowercase().ends_with(end));
    if header.starts_with(['[', '{']) {
        return None;
    }
    let separator =
        [',', ';', '\t'].into_iter().max_by_key(|separator| header.matches(*separator).count())?;
    let columns: Vec<&str> =
        (header.split(separator)).map(|column| column.trim().trim_matches('"')).collect();
    let is_table = columns.len() > 1
        && (columns.iter()).any(|column| TITLES.contains(&&*column.to_lowercase()));
    if !is_named && !is_table {
        return None;
    }
    let column = |wanted: &[&str]| {
        let is_wanted = |column: &&&str| wanted.contains(&&*column.to_lowercase());
        columns.iter().find(is_wanted).copied().filter(|column| is_plain(column))
    };
    let title = column(&TITLES).unwrap_or("Title");
    let others = [("description", column(&DESCRIPTIONS)), ("key", column(&KEYS))];
    let others: String = (others.into_iter())
        .filter_map(|(field, column)| Some(format!(", \"{field}\": r[\"{}\"]", column?)))
        .collect();
    let delimiter = match separator {
        '\t' => ", delimiter=\"\\t\"",
        ';' => ", delimiter=\";\"",
        _ => "",
    };
    let file =
        Some(name).filter(|name| is_plain(&name.replace(['/', '.'], "")) && !name.contains(' '));
    let file = file.unwrap_or("FILE.csv");
    Some(format!(
        "a JSON array or JSON Lines of objects with a `title` is accepted, as is the JSON that GitHub, GitLab and Jira export; this converts a table: \
         python3 -c 'import csv,json; print(json.dumps([{{\"title\": r[\"{title}\"]{others}}} for r in \
         csv.DictReader(open(0, encoding=\"utf-8-sig\", newline=\"\"){delimiter})]))' < {file} > backlog.json"
    ))
}

/// Whether a name can be quoted in a command.
fn is_plain(column: &str) -> bool {
    (column.chars()).all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
}
