//! Open pull requests, from the output of `gh pr list --json`.

use serde_json::Value;

use super::{GH, Reading, Rules, Source, Stall, named, when};
use crate::discovery::finding::{Finding, Rule};
use crate::protocol::backlog::model::Effort;
use crate::text::{json, sanitize};

/// Maximum number of pull requests requested.
pub const LIMIT: usize = 100;

/// Reads pull requests and finds stale ones.
pub fn pull_requests(printed: &[u8], rules: Rules<'_>) -> Source {
    let text = String::from_utf8_lossy(printed);
    let listed = match json::parse(text.trim()) {
        Ok(Value::Array(listed)) => listed,
        Ok(_) => return Source::unusable(GH, "`gh pr list` did not print an array"),
        Err(error) => {
            return Source::unusable(GH, format!("`gh pr list` did not print JSON: {error}"));
        }
    };
    let mut source = Source::new(GH);
    if listed.len() >= LIMIT {
        source.leave_out(GH, format!("only the first {LIMIT} open pull requests were asked for"));
    }
    let mut used = 0;
    for (index, value) in listed.iter().enumerate() {
        match judge(value, rules) {
            Ok(found) => {
                used += 1;
                source.findings.extend(found);
            }
            Err(why) => {
                let which = (value.get("number").and_then(Value::as_u64))
                    .map_or_else(|| format!("entry {}", index + 1), |number| format!("#{number}"));
                source.leave_out(format!("{GH} {which}"), why);
            }
        }
    }
    let mut source = source.counted(used, "open pull request");
    if listed.is_empty() {
        // gh was asked, and reported none.
        source.reading = Reading::Read;
    }
    source
}

fn judge(value: &Value, rules: Rules<'_>) -> Result<Option<Finding>, String> {
    let number = value.get("number").and_then(Value::as_u64);
    let number = number.ok_or("it has no `number`")?;
    let at = value.get("updatedAt").ok_or("it has no `updatedAt`")?;
    let at = when::past(at, rules.now).map_err(|why| format!("`updatedAt`: {why}"))?;
    if !rules.is_stale(at) {
        return Ok(None);
    }
    let text = |key| text_of(value, key).and_then(named);
    let title = text("title").unwrap_or_else(|| "without a title".to_owned());
    let draft = match value.get("isDraft").and_then(Value::as_bool) {
        Some(true) => "draft ",
        Some(false) | None => "",
    };
    let author = value.get("author").and_then(|author| text_of(author, "login"));
    let author = author.and_then(named).unwrap_or_else(|| "somebody".to_owned());
    let branch = text("headRefName").unwrap_or_else(|| "an unnamed branch".to_owned());
    let url = text_of(value, "url").map_or_else(String::new, |url| sanitize::line(url, 300));
    let stall = Stall {
        rule: Rule::StalePullRequest,
        symbol: format!("#{number}"),
        title: format!(
            "Pull request #{number} has not been updated for {}: {title}",
            rules.ago(at)
        ),
        description: format!(
            "A {draft}pull request of {branch} by {author}. Review, merge or close it."
        ),
        source: GH,
        content: format!("open {draft}pull request, last update {} {url}", at.to_rfc3339()),
        file: None,
        at: Some(at),
        clarity: 0.7,
        evidence: 0.8,
        effort: Effort::Small,
    };
    Ok(Some(stall.finding()))
}

/// Returns a text member of an object.
fn text_of<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str().filter(|text| !text.trim().is_empty())
}
