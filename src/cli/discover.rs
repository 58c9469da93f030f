//! `discover`: finds work, prints it, and asks in a terminal what to do with it.

use super::args::DiscoverArgs;
use super::format::Format;
use super::options::Global;
use super::output::Output;
use super::session::Session;
use super::{result, surroundings, triage};
use crate::app::discover::Request;
use crate::app::sessions::{self, Part};
use crate::error::Error;
use crate::exit::ExitStatus;
use crate::report::backlog_export;
use crate::report::page::ToPage as _;

impl DiscoverArgs {
    fn request(&self) -> Result<Request, Error> {
        Ok(Request {
            agents: self.types.iter().copied().flatten().copied().collect(),
            deep: self.deep,
            no_debate: self.no_debate,
            max: self.max,
            max_rounds: self.max_rounds,
            opening: None,
            options: self.run.options()?,
        })
    }
}

pub(super) fn discover(
    global: &Global,
    args: &DiscoverArgs,
    output: &Output,
) -> Result<ExitStatus, Error> {
    let call = &args.run.call;
    let session = Session::open(surroundings(global)?, args.request()?, call, output)?;
    let Some(finished) = session.run_or_dry_run()? else {
        return Ok(ExitStatus::Success);
    };
    let document = &finished.document;
    let items = &document.opportunities;
    let text = match (output.format(), &document.debate_session_id) {
        _ if result::is_told(call) => String::new(),
        (Format::Json, _) => Output::json_of(document)?,
        (Format::Markdown, _) => backlog_export::markdown(items),
        (Format::Transcript, Some(debate)) => {
            sessions::transcript(&session.workspace, debate, Some(&Part::default()))?
        }
        (Format::Html, Some(debate)) => sessions::html_page(&session.workspace, document, debate),
        (Format::Html, None) => document.html(),
        _ => document.render(output.look()),
    };
    let status = output.result_as(&text, finished.status)?;
    if call.events.is_none() && triage::wanted(document, output) {
        triage::triage(&session.workspace, document, output)?;
    }
    Ok(status)
}
