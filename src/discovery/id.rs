//! The identity of a finding, by which it is recognised as the same item in a later run.

use super::finding::{Finding, Rule};
use crate::protocol::backlog::intake::hashed_id;

/// Returns a finding's id: a hash of type, file, symbol and rule, none of which changes from run to run.
///
/// A feature has neither file nor symbol, and a model never phrases one the same way twice: its title, without
/// case and punctuation, is used instead. The same applies to anything else that has neither.
pub fn of(finding: &Finding) -> String {
    let (file, symbol) = match (finding.rule, &finding.file, &finding.symbol) {
        (Rule::Feature, _, _) | (_, None, None) => ("", normalised(&finding.title)),
        (_, file, symbol) => {
            (file.as_deref().unwrap_or_default(), symbol.clone().unwrap_or_default())
        }
    };
    hashed_id(finding.rule.kind(), &[file, &symbol, finding.rule.name()])
}

/// Returns a title in lower case with one space between words; the title itself if that is empty.
fn normalised(title: &str) -> String {
    let lower = title.to_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    if words.is_empty() { title.to_owned() } else { words.join(" ") }
}
