//! `--deep`: asks for a suggested fix for each kept item.

use super::context::Context;
use super::inquiry;
use super::keep;
use super::run::{Run, charge, left, note, of_one_part};
use crate::error::Error;
use crate::files::Folder;
use crate::kernel::warning::warning;
use crate::protocol::backlog::model::{Opportunity, OpportunityType};
use crate::protocol::inquiry::Question;
use crate::report::discovery::DiscoveryDocument;

/// Lines of code before and after the line in question.
const AROUND: usize = 20;
/// Maximum bytes of a file read to quote those lines.
const MOST_BYTES: u64 = 1 << 20;

/// Asks for fixes and stores the suggestions, in the backlog and in the result.
pub(super) async fn suggest(
    run: &Run<'_>,
    context: &Context<'_>,
    document: &mut DiscoveryDocument,
) -> Result<(), Error> {
    let redactor = run.workspace.redactor();
    let questions: Vec<Question> = (document.opportunities.iter())
        .filter(|item| item.suggested_fix.is_none())
        .filter(|item| item.opportunity_type != OpportunityType::FeatureOpportunity)
        .map(|item| Question::Fix {
            opportunity: Box::new(item.clone()),
            excerpt: excerpt(item, context).map(|text| redactor.text(&text)),
        })
        .collect();
    if questions.is_empty() {
        return Ok(());
    }
    let title = format!("fixes of {} items", questions.len());
    let left = left(run.workspace, document.cost_usd);
    let asked = match of_one_part(inquiry::ask(run, questions, title, left).await)? {
        Ok(asked) => asked,
        Err(error) => {
            let why = format!("no fixes were suggested: {}", error.what);
            document.warnings.push(warning(&note("no_fixes", why)));
            return Ok(());
        }
    };
    charge(document, &asked.finished.document);
    let missing = asked.outcome.result.failures.len() + asked.outcome.result.open.len();
    if missing > 0 {
        let why = asked.outcome.result.failures.first().map_or_else(
            || asked.outcome.outcome.name().to_owned(),
            |(_, failure)| failure.message.clone(),
        );
        let message = format!("{missing} items have no suggested fix: {why}");
        document.warnings.push(warning(&note("no_fixes", message)));
    }
    for (id, fix) in asked.outcome.result.fixes() {
        let items = document.opportunities.iter_mut();
        for item in items.filter(|item| item.opportunity_id == id) {
            item.suggested_fix = Some(fix.to_owned());
        }
    }
    keep::keep_fixes(run.workspace, &asked.outcome, run.request.options.rehearse)
}

/// Returns the lines around the one that an item's evidence names, if the file is in the tree.
fn excerpt(item: &Opportunity, context: &Context<'_>) -> Option<String> {
    let (name, line) = (item.evidence.iter())
        .find_map(|evidence| Some((evidence.file_path.as_deref()?, evidence.line_number?)))?;
    let file = context.tree.files.iter().find(|file| file.name == name)?;
    let root = Folder::open(&context.root).ok()?;
    let bytes = root.head(&file.path, MOST_BYTES).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let at = usize::try_from(line).ok()?;
    let from = at.saturating_sub(AROUND + 1);
    let lines: Vec<&str> = text.lines().skip(from).take(2 * AROUND + 1).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
