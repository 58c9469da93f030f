//! The question that ends `discover` in a terminal: open an item, accept what is actionable, or leave.

use super::format::Format;
use super::options::Progress;
use super::output::{Output, ask, can_ask};
use crate::app::backlog::{self, Decision};
use crate::app::workspace::Workspace;
use crate::error::Error;
use crate::protocol::backlog::model::{Opportunity, OpportunityStatus};
use crate::report::backlog_item;
use crate::report::discovery::DiscoveryDocument;

/// Whether there is a person to ask, and an item of the backlog to decide about.
pub(super) fn wanted(document: &DiscoveryDocument, output: &Output) -> bool {
    output.format() == Format::Text
        && output.progress != Progress::Off
        && !document.rehearsal
        && !document.opportunities.is_empty()
        && can_ask()
}

/// Asks until there is nothing left to decide, or the person leaves.
pub(super) fn triage(
    workspace: &Workspace,
    document: &DiscoveryDocument,
    output: &Output,
) -> Result<(), Error> {
    let mut open: Vec<(usize, &Opportunity)> = (1..).zip(&document.opportunities).collect();
    while !open.is_empty() {
        let actionable = open.iter().filter(|(_, item)| is_actionable(item)).count();
        let all = match actionable {
            0 => String::new(),
            1 => "a: accept the actionable one, ".to_owned(),
            _ => format!("a: accept the {actionable} actionable, "),
        };
        let Some(answer) = ask(&format!("Number: open one, {all}Enter: leave >")) else {
            return Ok(());
        };
        match (answer.as_str(), answer.parse::<usize>()) {
            ("" | "q" | "Q", _) => return Ok(()),
            ("a" | "A", _) if actionable > 0 => {
                let ids: Vec<String> = (open.iter())
                    .filter(|(_, item)| is_actionable(item))
                    .map(|(_, item)| item.opportunity_id.clone())
                    .collect();
                backlog::decide(workspace, &ids, &Decision::Accept(None))?;
                output.notice(&format!("accepted: {}", ids.join(", ")));
                open.retain(|(_, item)| !is_actionable(item));
            }
            (_, Ok(number)) => match open.iter().position(|(place, _)| *place == number) {
                Some(at) => match decided(workspace, &open[at].1.opportunity_id, output)? {
                    Some(true) => drop(open.remove(at)),
                    Some(false) => {}
                    None => return Ok(()),
                },
                None => output.notice(&format!("there is no open item {number} in this list")),
            },
            (other, Err(_)) => output.notice(&format!("`{other}` is not one of these answers")),
        }
    }
    Ok(())
}

fn is_actionable(item: &Opportunity) -> bool {
    item.status == OpportunityStatus::Actionable
}

/// Shows an item and asks what to do with it; returns whether a decision was made, `None` at the end of the input: a
/// terminal reports that once, and a person who left must not be asked again.
fn decided(workspace: &Workspace, id: &str, output: &Output) -> Result<Option<bool>, Error> {
    let shown = backlog::show(workspace, id)?;
    for item in &shown.opportunities {
        output.result(&backlog_item::render(item, output.look()))?;
    }
    let decision = loop {
        let Some(answer) = ask("a: accept, r: reject, d: defer, Enter: back >") else {
            return Ok(None);
        };
        break match answer.to_lowercase().as_str() {
            "" => return Ok(Some(false)),
            "a" => Decision::Accept(issue(output)),
            "d" => Decision::Defer,
            "r" => match ask("Why? (Enter: do not reject) >") {
                Some(why) if !why.is_empty() => Decision::Reject(why),
                Some(_) => return Ok(Some(false)),
                None => return Ok(None),
            },
            other => {
                output.notice(&format!("`{other}` is not one of these answers"));
                continue;
            }
        };
    };
    let changed = backlog::decide(workspace, &[id.to_owned()], &decision)?;
    output.notice(changed.render_changed().trim_end());
    Ok(Some(true))
}

/// Asks for the issue that tracks an accepted item.
fn issue(output: &Output) -> Option<u64> {
    let answer = ask("Issue number? (Enter: none) >")?;
    if answer.is_empty() {
        return None;
    }
    let number = answer.trim_start_matches('#').parse().ok();
    if number.is_none() {
        output.notice(&format!("`{answer}` is not an issue number: accepted without one"));
    }
    number
}
