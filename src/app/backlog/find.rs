//! Finds the item that a user's input refers to.

use crate::error::{Error, Kind};
use crate::protocol::backlog::model::Opportunity;
use crate::text::sanitize;

/// Maximum ids named in one message.
const MOST_NAMED: usize = 5;
/// Minimum similarity of an id suggested for an unknown one.
const LIKE: f64 = 0.5;

/// Returns the index of the item with this id or with any unambiguous prefix of it; `opp-` may be omitted.
pub(super) fn find(items: &[Opportunity], written: &str) -> Result<usize, Error> {
    let id = |place: usize| items[place].opportunity_id.as_str();
    let written = written.trim();
    if let Some(place) = (0..items.len()).find(|&place| id(place) == written) {
        return Ok(place);
    }
    let start = written.to_lowercase();
    let matches: Vec<usize> = (0..items.len())
        .filter(|&place| {
            let id = id(place).to_lowercase();
            let rest = id.strip_prefix("opp-").unwrap_or(&id);
            !start.is_empty() && (id.starts_with(&start) || rest.starts_with(&start))
        })
        .collect();
    let shown = sanitize::line(written, 60);
    let error = match &matches[..] {
        [one] => return Ok(*one),
        [] => unknown(items, &shown, &start),
        several => {
            let names: Vec<&str> =
                (several.iter().take(MOST_NAMED)).map(|&place| id(place)).collect();
            let more = if several.len() > names.len() { ", ..." } else { "" };
            Error::new(
                Kind::Input,
                format!(
                    "`{shown}` is the start of {} items ({}{more})",
                    several.len(),
                    names.join(", ")
                ),
            )
            .hint("give more of the id")
        }
    };
    Err(error.named("unknown_id"))
}

fn unknown(items: &[Opportunity], shown: &str, start: &str) -> Error {
    let likeness = |item: &Opportunity| {
        let id = item.opportunity_id.to_lowercase();
        let short = id.strip_prefix("opp-").unwrap_or(&id);
        // A prefix is compared with prefixes of its own length.
        let head = |text: &str| text.chars().take(start.chars().count()).collect::<String>();
        let like = |text: &str| strsim::normalized_damerau_levenshtein(start, &head(text));
        like(&id).max(like(short))
    };
    let mut near: Vec<(f64, &Opportunity)> = (items.iter())
        .map(|item| (likeness(item), item))
        .filter(|(like, _)| *like >= LIKE)
        .collect();
    near.sort_by(|(a, of_a), (b, of_b)| {
        (b.total_cmp(a)).then_with(|| of_a.opportunity_id.cmp(&of_b.opportunity_id))
    });
    let error = Error::new(Kind::Input, format!("there is no item `{shown}` in the backlog"));
    if near.is_empty() {
        return error.hint("`debate-agent backlog --status all --resolved` lists all items");
    }
    let names: Vec<String> = (near.iter().take(3))
        .map(|(_, item)| {
            let title = sanitize::line(&item.title, 60);
            format!("`{}` ({title})", item.opportunity_id)
        })
        .collect();
    error.hint(format!("the nearest: {}", names.join(", ")))
}
