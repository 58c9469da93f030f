//! Tests of the list at several widths, and with untrusted text.

use proptest::prelude::*;

use super::*;
use crate::protocol::backlog::model::{ActionabilityScore, Disposition, Effort, Reversibility};
use crate::report::{backlog_item, example};

fn some() -> BacklogDocument {
    let mut first = example::opportunity(
        "opp-tf-0a1b2c3d4e5f",
        "Fix the failing test of the login that times out on slow machines",
        Some(1),
    );
    first.status = OpportunityStatus::Actionable;
    first.disposition = Some(Disposition::Prioritize);
    first.actionability = Some(ActionabilityScore {
        clarity: 0.8,
        evidence: 0.9,
        effort: Effort::Small,
        reversibility: Reversibility::Full,
    });
    let mut gone = example::opportunity("opp-cx-1a1b2c3d4e5f", "Simplify `parse`", None);
    gone.resolved_at = Some(example::at(9));
    let mut document = BacklogDocument::new(vec![first, gone], &[]);
    document.hidden = Some(HiddenCounts { rejected: 2, resolved: 1, ..HiddenCounts::default() });
    document
}

proptest! {
    #[test]
    fn whatever_others_wrote_is_text(evil in example::evil_text(), width in 20_usize..160) {
        let mut document = some();
        for item in &mut document.opportunities {
            item.title.clone_from(&evil);
            item.opportunity_id.clone_from(&evil);
            item.description.clone_from(&evil);
            item.suggested_fix = Some(evil.clone());
            item.affected_files = vec![evil.clone()];
            item.discovered_by.clone_from(&evil);
        }
        let look = Look::plain(width);
        let mut text = document.render(look) + &document.render_changed();
        text.push_str(&backlog_item::render(&document.opportunities[0], look));
        prop_assert!(example::is_inert(&text), "{:?}", text);
    }
}
