//! The table at the end of a discovery.

use crate::protocol::backlog::model::{Effort, Opportunity, OpportunityType};
use crate::report::table::Table;
use crate::report::words;

/// Width from which types have a column of their own; the ids contain them too.
const TYPES_FROM: usize = 100;

/// Returns the table of the items found; the review prompt refers to its numbers.
pub(super) fn table(items: &[Opportunity], width: usize) -> String {
    let ranked = items.iter().any(|item| item.priority_rank.is_some());
    let typed = width >= TYPES_FROM;
    // A rank may come from an earlier debate: it does not give the place in this table.
    let rows = (1_u32..).zip(items).map(|(place, item)| {
        let mut row = vec![place.to_string(), item.opportunity_id.clone()];
        if typed {
            row.push(kind(item.opportunity_type).to_owned());
        }
        row.push(item.title.clone());
        row.push(
            item.actionability
                .map_or("-".to_owned(), |score| format!("{:.0}%", score.overall() * 100.0)),
        );
        row.push((item.actionability.map_or("-", |score| effort(score.effort))).to_owned());
        if ranked {
            row.push(item.disposition.map_or("-", words::disposition).to_owned());
        }
        row
    });
    let mut headers = vec!["#", "Id", "Title", "Score", "Effort"];
    if typed {
        headers.insert(2, "Type");
    }
    if ranked {
        headers.push("Do");
    }
    let title = if typed { 3 } else { 2 };
    let fixed: Vec<usize> = (0..headers.len()).filter(|column| *column != title).collect();
    Table::new(&headers, rows).unbroken(&fixed).render(width)
}

const fn effort(effort: Effort) -> &'static str {
    match effort {
        Effort::Small => "small",
        Effort::Medium => "medium",
        Effort::Large => "large",
    }
}

/// A type as a word short enough for a narrow column.
pub(in crate::report) const fn kind(kind: OpportunityType) -> &'static str {
    match kind {
        OpportunityType::TestFailure => "test",
        OpportunityType::StalledWork => "stalled",
        OpportunityType::CodeQuality => "quality",
        OpportunityType::CoverageGap => "coverage",
        OpportunityType::Complexity => "complexity",
        OpportunityType::FeatureOpportunity => "feature",
    }
}
