//! Tables, which are not backlogs: how to recognise one, and how the user can convert it.

/// Names of columns with a title, as trackers and people write them.
const TITLES: [&str; 4] = ["title", "summary", "name", "subject"];

/// The command that converts a table whose columns are named as trackers name them.
pub(super) const ADVICE: &str = "a JSON array or JSON Lines of objects with a `title` is accepted, as is the JSON that GitHub, GitLab and Jira export; this converts a table: \
     python3 -c 'import csv,json; rows = [{k.lower(): v for k, v in r.items() if k} for r in csv.DictReader(open(0, encoding=\"utf-8-sig\", newline=\"\"))]; \
     print(json.dumps([{\"title\": r.get(\"title\") or r.get(\"summary\") or r.get(\"name\") or r.get(\"subject\"), \
     \"description\": r.get(\"description\") or r.get(\"body\"), \"key\": r.get(\"issue key\") or r.get(\"key\")} for r in rows]))' < FILE.csv > backlog.json";

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
