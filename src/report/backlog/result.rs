//! Converts a partner debate to the common result of sessions.

use crate::protocol::backlog::model::{BacklogOutcome, ModeratorReason, Opportunity};
use crate::report::compact::{Compact, Item, files, labelled};
use crate::report::document::{HeaderView, Notes, PrioritizeDocument};
use crate::report::session_result::SessionDocument;

impl SessionDocument for PrioritizeDocument {
    fn header(&self) -> HeaderView<'_> {
        self.header.view()
    }

    fn notes(&mut self) -> Notes<'_> {
        self.header.notes()
    }

    fn compact(&self) -> Compact {
        let (essentials, items) = points(self);
        Compact {
            suspended: self.suspended(),
            nothing: self.header.outcome == BacklogOutcome::NothingToRank,
            essentials,
            items,
            ..Compact::default()
        }
    }
}

/// Items are ranked only if ranks were applied: an old order would look like a result.
fn points(document: &PrioritizeDocument) -> (Vec<String>, Vec<Item>) {
    if !document.decided() {
        return (Vec::new(), Vec::new());
    }
    let item = |(place, item): (u32, &Opportunity)| {
        let rank = item.priority_rank.unwrap_or(place);
        let concern = document.session.rounds.last();
        let concern = concern
            .and_then(|round| round.critic_concerns.get(&item.opportunity_id))
            .and_then(|concerns| concerns.first());
        let reasons = document.session.rounds.last().map(|round| &round.moderator_reasons);
        let reason = reasons.and_then(|reasons| reasons.get(&item.opportunity_id));
        let mut detail = vec![format!("Rank {rank}.")];
        let parts = reason.into_iter().flat_map(ModeratorReason::parts);
        detail.extend(parts.map(|(label, text)| labelled(label, text)));
        detail.extend([
            labelled("Concern", concern.map_or("", String::as_str)),
            item.description.clone(),
            files(&item.affected_files),
        ]);
        Item {
            status: item.disposition.map(|disposition| disposition.name().to_owned()),
            ..Item::new(&item.opportunity_id, "opportunity", &item.title)
        }
        .detailed(&detail.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let ranked = (1..).zip(&document.ranked_opportunities);
    let items: Vec<Item> = ranked.map(item).collect();
    let first: Vec<&str> = items.iter().take(3).map(|item| &*item.title).collect();
    (vec![format!("First: {}.", first.join("; "))], items)
}
