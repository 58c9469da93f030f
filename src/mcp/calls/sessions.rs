//! `session_status`, `session_result`, `session_resume`, `session_cancel`: the state and result of a run that its
//! caller did not wait for, and of every stored session.
//!
//! A live run of this server answers for its session. All others are read from the store, so the answer is the same
//! whichever process ran them. A session that another process is running is reported as such: this server neither
//! waits for it nor stops it.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::session::{Wait, seconds};
use super::{Call, aside, block_on, refusal, topic};
use crate::app::sessions::{self, ResumeRequest};
use crate::app::workspace::Workspace;
use crate::app::{Order, UseCase as _};
use crate::error::Error;
use crate::kernel::Usd;
use crate::mcp::answer::Answer;
use crate::mcp::compact::{self, SessionPhase};
use crate::mcp::find::{self, Found};
use crate::mcp::runs::{Context, Run};
use crate::mcp::schema::output;
use crate::mcp::tool::{Effect, Tool, input};
use crate::mcp::wait::{follow, running, wait_for};
use crate::report::debate::DebateDocument;
use crate::report::sessions::{SessionState, SessionStatusDocument};
use crate::text::sanitize;

/// Maximum wait of a cancellation for the end of its run: longer than the default grace of agents, and shorter than
/// clients wait.
const CANCELLED_WITHIN: Duration = Duration::from_secs(45);

/// The outcome of a cancelled session.
const INTERRUPTED: &str = "interrupted";

/// Maximum number of characters of a summary.
const SUMMARY: usize = 2_000;

pub(in crate::mcp) const STATUS: Tool = Tool {
    name: "session_status",
    title: "Session status",
    description: "Tells at once how far along a session is. Costs nothing. Poll it every 30 s or so.",
    input: input!(SessionArguments, status),
    output: output::<compact::Session>,
    effect: Effect::Reads,
};

pub(in crate::mcp) const RESULT: Tool = Tool {
    name: "session_result",
    title: "Session result",
    description: "Returns a session's result, and waits for one that is running here. Asks nobody, costs nothing.",
    input: input!(WaitArguments, result),
    output: output::<compact::Session>,
    effect: Effect::Reads,
};

pub(in crate::mcp) const RESUME: Tool = Tool {
    name: "session_resume",
    title: "Resume a session",
    description: "Continues a session that is `resumable`: only what is missing is asked and paid for. For a closed one: its result, for free.",
    input: input!(WaitArguments, resume),
    output: output::<compact::Session>,
    effect: Effect::Asks,
};

pub(in crate::mcp) const CANCEL: Tool = Tool {
    name: "session_cancel",
    title: "Cancel a session",
    description: "Stops a session that this server is running. What was answered is kept: session_resume continues it.",
    input: input!(SessionArguments, cancel),
    output: output::<compact::Session>,
    effect: Effect::Stops,
};

/// Its id, or the start of it.
#[derive(Debug, Deserialize, JsonSchema)]
struct SessionId(
    // A shorter start would be a guess.
    #[schemars(regex(pattern = "^[a-z0-9][a-z0-9-]{3,63}$"))] String,
);

#[derive(Debug, Deserialize, JsonSchema)]
struct SessionArguments {
    session_id: SessionId,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WaitArguments {
    session_id: SessionId,
    wait_seconds: Option<Wait>,
}

async fn status(call: &Call<'_>, arguments: SessionArguments) -> Result<Answer, Answer> {
    let found = find(call, arguments.session_id).await?;
    if let Some(run) = live(call, &found) {
        let state = run.state().borrow().clone();
        return Ok(state.ended.clone().unwrap_or_else(|| running(&run, &state)));
    }
    aside(move || standing(&found).map(Answer::Result)).await
}

/// Returns the result of a session; waits for one that runs here, without owning it.
async fn result(call: &Call<'_>, arguments: WaitArguments) -> Result<Answer, Answer> {
    let wait = seconds(arguments.wait_seconds);
    let found = find(call, arguments.session_id).await?;
    let last = call.server.runs().of_session(&found.id);
    if let Some(run) = last.as_ref().filter(|run| run.is_live()) {
        return Ok(follow(run, wait, call.progress).await);
    }
    let ended = last.and_then(|run| run.state().borrow().ended.clone());
    aside(move || stored(&found, ended).map(Answer::Result)).await
}

async fn resume(call: &Call<'_>, arguments: WaitArguments) -> Result<Answer, Answer> {
    let wait = seconds(arguments.wait_seconds);
    let found = find(call, arguments.session_id).await?;
    if let Some(run) = live(call, &found) {
        return Ok(follow(&run, wait, call.progress).await);
    }
    let (place, rehearse) = (found.clone(), call.server.rehearse());
    let left = aside(move || resumable(&place, rehearse)).await;
    // Another call may have resumed it in the meantime; from this point on, none can.
    if let Some(run) = live(call, &found) {
        return Ok(follow(&run, wait, call.progress).await);
    }
    let left = left?;
    let run = call.server.runs().start(
        "session_resume",
        found.around.clone(),
        Some(found.id.clone()),
        left.wanted,
        Box::new(move |context| go_on(found, left, context).map_or_else(refusal, Answer::Result)),
    )?;
    Ok(wait_for(run, wait, call.progress).await)
}

/// Stops a session that this server runs, and waits for its end.
async fn cancel(call: &Call<'_>, arguments: SessionArguments) -> Result<Answer, Answer> {
    let found = find(call, arguments.session_id).await?;
    let Some(run) = live(call, &found) else {
        return aside(move || Err(not_here(&found))).await;
    };
    run.order(Order::Stop);
    let Some(answer) = run.wait(CANCELLED_WITHIN).await else {
        let state = run.state().borrow().clone();
        return Ok(state.ended.clone().unwrap_or_else(|| ending(&run)));
    };
    let Answer::Refused(why) = answer else {
        return Ok(answer);
    };
    // It broke off without a result; the store shows how much was kept.
    aside(move || {
        let mut value = standing(&found)?;
        compact::warn(&mut value, &why);
        Ok(Answer::Result(value))
    })
    .await
}

fn ending(run: &Run) -> Answer {
    let mut answer = running(run, &run.state().borrow());
    if let Answer::Result(value) = &mut answer {
        value["summary"] = "STOPPING: it was told to stop, and its agents get a moment to finish; what was answered is kept. `session_status` tells when it is over.".into();
    }
    answer
}

async fn find(call: &Call<'_>, SessionId(id): SessionId) -> Result<Found, Answer> {
    let places = call.server.places();
    aside(move || {
        find::session(places(), &id).map_err(|error| match error.code {
            "unknown_id" => Answer::field("session_id", error.sentence()),
            _ => refusal(error),
        })
    })
    .await
}

fn live(call: &Call<'_>, found: &Found) -> Option<Arc<Run>> {
    let run = call.server.runs().of_session(&found.id);
    run.filter(|run| run.is_live())
}

fn open(found: &Found) -> Result<Workspace, Answer> {
    Workspace::open(found.around.clone(), Vec::new()).map_err(refusal)
}

fn document(workspace: &Workspace, found: &Found) -> Result<SessionStatusDocument, Answer> {
    block_on(sessions::status(workspace, &found.id)).and_then(|document| document).map_err(refusal)
}

/// The state of a stored session, in the shared form.
fn standing(found: &Found) -> Result<Value, Answer> {
    let workspace = open(found)?;
    let document = document(&workspace, found)?;
    let holder = sessions::holder(&workspace, &found.id).map_err(refusal)?;
    Ok(status_answer(&document, holder.as_deref()))
}

fn status_answer(document: &SessionStatusDocument, holder: Option<&str>) -> Value {
    let session = &document.session;
    let id = &session.session_id;
    let outcome = session.outcome.as_deref().unwrap_or_default();
    let why = session.stopped_by.map_or(outcome, |limit| limit.name());
    let (status, summary) = match session.status {
        SessionState::Running => (
            SessionPhase::Running,
            format!(
                "RUNNING ELSEWHERE: held by {}. This server can neither wait for it nor stop it; ask again later.",
                holder.unwrap_or("another process")
            ),
        ),
        SessionState::Suspended => (
            // The same word as in its result: a cancelled session and one that died are both "interrupted".
            if outcome == INTERRUPTED {
                SessionPhase::Interrupted
            } else {
                SessionPhase::Suspended
            },
            format!(
                "SUSPENDED ({why}): nothing is decided. What was answered is kept; `session_resume` continues{}.{}",
                next(document),
                spent_up(document)
            ),
        ),
        SessionState::Interrupted => (
            SessionPhase::Interrupted,
            format!(
                "INTERRUPTED: its process ended midway, nothing is decided. What was answered is kept; `session_resume` continues{}.{}",
                next(document),
                spent_up(document)
            ),
        ),
        SessionState::Closed => (
            SessionPhase::Done,
            format!(
                "CLOSED: the outcome is {outcome}, the verdict {}. `session_result` has the rest.",
                session.verdict.as_deref().unwrap_or("missing")
            ),
        ),
        SessionState::Unreadable => (
            SessionPhase::Unreadable,
            format!(
                "UNREADABLE: {}",
                session.problem.as_deref().unwrap_or("its journal is damaged")
            ),
        ),
    };
    let mut value = json!({
        "status": status,
        "session_id": id,
        "summary": sanitize::line(&summary, SUMMARY),
        "cost_usd": session.cost.map_or(Usd::ZERO, |cost| cost.usd),
        "rehearsal": session.rehearsal.unwrap_or_default(),
        "resumable": session.status.resumable(),
        "transcript": format!("debate://sessions/{id}"),
    });
    for (name, text) in [
        ("protocol", &session.protocol),
        ("outcome", &session.outcome),
        ("verdict", &session.verdict),
    ] {
        if let Some(text) = text {
            value[name] = sanitize::line(text, 200).into();
        }
    }
    if session.status != SessionState::Closed {
        value["decided"] = false.into();
    }
    value
}

/// The first step of a resume.
fn next(document: &SessionStatusDocument) -> String {
    match document.next_turns.first() {
        Some(turn) => format!(" with {turn}"),
        None => String::new(),
    }
}

/// Reports that a session has nothing left to spend: no client can raise its budget.
fn spent_up(document: &SessionStatusDocument) -> String {
    if left_of(document) != Some(Usd::ZERO) {
        return String::new();
    }
    format!(
        " Its budget is spent: {}.",
        compact::raise(&document.session.session_id, document.short)
    )
}

/// The rest of the session's own budget, if it has one.
fn left_of(document: &SessionStatusDocument) -> Option<Usd> {
    let spent = (document.session.cost).map_or(Usd::ZERO, |cost| cost.usd);
    Some(document.budget_usd?.saturating_sub(spent))
}

/// The result of a session that does not run here. `ended`: the answer of its last run here, if remembered.
fn stored(found: &Found, ended: Option<Answer>) -> Result<Value, Answer> {
    let workspace = open(found)?;
    let document = document(&workspace, found)?;
    match (document.session.status, ended) {
        (SessionState::Running | SessionState::Unreadable, _) => standing(found),
        // A closed session stays closed: the run's own answer also includes the path of its report.
        (SessionState::Closed, Some(Answer::Result(value))) if value["status"] == "done" => {
            Ok(value)
        }
        (SessionState::Suspended | SessionState::Interrupted | SessionState::Closed, ended) => {
            let shown = block_on(sessions::show(&workspace, &found.id));
            let result = shown.and_then(|shown| shown).map_err(refusal)?;
            let mut value = compact::session(&*result);
            if let Some(Answer::Refused(why)) = ended {
                compact::warn(&mut value, &format!("its last run here was cut short: {why}"));
            }
            Ok(value)
        }
    }
}

/// The amount that a resume may spend.
#[derive(Debug, Clone, Copy)]
struct Allowance {
    /// Spent by the session so far.
    spent: Usd,
    /// The rest of the session's own budget.
    wanted: Usd,
}

/// Returns the allowance of a resume, or the reason why the session cannot be resumed from here.
fn resumable(found: &Found, rehearse: bool) -> Result<Allowance, Answer> {
    let workspace = open(found)?;
    let document = document(&workspace, found)?;
    let session = &document.session;
    let spent = session.cost.map_or(Usd::ZERO, |cost| cost.usd);
    let wanted = match session.status {
        SessionState::Running => return Err(not_here(found)),
        SessionState::Closed => Usd::ZERO,
        SessionState::Suspended | SessionState::Interrupted | SessionState::Unreadable => {
            if rehearse && session.rehearsal != Some(true) {
                return Err(Answer::field(
                    "session_id",
                    format!(
                        "{} asks real agents, and this server rehearses: nobody is asked (start it without `--rehearse`)",
                        found.id
                    ),
                ));
            }
            let configured = workspace.effective.config.limits.budget_usd;
            left_of(&document).unwrap_or_else(|| configured.saturating_sub(spent))
        }
    };
    Ok(Allowance { spent, wanted })
}

/// Resumes a session, on the thread of its run.
fn go_on(found: Found, left: Allowance, context: Context) -> Result<Value, Error> {
    let Context { stops, reporters, budget } = context;
    let workspace = Workspace::open(found.around, Vec::new())?.stopped_by(stops);
    let request = ResumeRequest {
        id: found.id,
        // Only ever less than the session's own budget: a client cannot raise it.
        budget: (budget < left.wanted).then(|| left.spent + budget),
        ..ResumeRequest::default()
    };
    let finished = block_on(request.run(&workspace, reporters))??;
    let mut document = finished.document;
    // A decision made after a resume is logged like any other.
    if let Some(debate) = document.document_mut::<DebateDocument>() {
        topic::log(&workspace, debate);
    }
    Ok(compact::session(&*document))
}

/// Reports that no run of this server has the session.
fn not_here(found: &Found) -> Answer {
    let told = standing(found);
    let said = match &told {
        Ok(value) => value["summary"].as_str().unwrap_or_default(),
        Err(Answer::Refused(said)) => said,
        Err(Answer::Result(_)) => "",
    };
    Answer::field("session_id", format!("{} is not running in this server. {said}", found.id))
}

#[cfg(test)]
mod tests {
    //! Tests of stored sessions in the shared form. Live ones are tested on the program: `tests/it/mcp_runs.rs`.

    use super::*;
    use crate::kernel::{Basis, Cost, Shortfall};
    use crate::report::sessions::SessionEntry;

    fn cents(amount: u64) -> Usd {
        Usd::from_micros(amount * 10_000)
    }

    fn document(status: SessionState, spent: u64) -> SessionStatusDocument {
        SessionStatusDocument {
            session: SessionEntry {
                session_id: "019-a".to_owned(),
                protocol: Some("review".to_owned()),
                status,
                outcome: Some("budget\u{1b}[31m".to_owned()),
                verdict: None,
                stopped_by: None,
                title: None,
                rehearsal: Some(false),
                started_at: None,
                updated_at: None,
                cost: Some(Cost { usd: cents(spent), basis: Basis::Reported }),
                calls: Some(1),
                parent: None,
                problem: None,
            },
            round: Some(2),
            next_turns: vec!["r2/cross/s1".to_owned()],
            budget_usd: Some(cents(50)),
            short: (spent > 50)
                .then(|| Shortfall { reserve_usd: cents(15), budget_usd: cents(66) }),
            sinks: Vec::new(),
            schema_version: 1,
        }
    }

    #[test]
    fn only_what_is_closed_is_done_and_nothing_else_may_be_decided() {
        for (state, status, resumable, begins) in [
            (SessionState::Running, "running", false, "RUNNING ELSEWHERE: held by process 7"),
            (SessionState::Suspended, "suspended", true, "SUSPENDED (budget): nothing is decided"),
            (SessionState::Interrupted, "interrupted", true, "INTERRUPTED: "),
            (SessionState::Closed, "done", false, "CLOSED: the outcome is budget"),
            (SessionState::Unreadable, "unreadable", false, "UNREADABLE: "),
        ] {
            let told = status_answer(&document(state, 11), Some("process 7"));
            assert_eq!(told["status"], status);
            assert_eq!(told["resumable"], resumable, "{status}");
            assert!(told["summary"].as_str().unwrap().starts_with(begins), "{told}");
            let decided = &told["decided"];
            assert!(decided == false || status == "done" && decided.is_null(), "{told}");
            assert_eq!(told["cost_usd"], 0.11);
            assert_eq!(told["outcome"], "budget", "no escape of a journal gets out");
            assert_eq!(told["transcript"], "debate://sessions/019-a");
        }
    }

    #[test]
    fn a_session_says_what_comes_next_and_who_can_give_it_more() {
        let summary = |spent| {
            let told = status_answer(&document(SessionState::Suspended, spent), None);
            told["summary"].as_str().unwrap().to_owned()
        };
        assert!(summary(11).contains("continues with r2/cross/s1"));
        assert!(!summary(49).contains("--budget"));
        assert!(summary(50).contains("only the user can raise"));
        assert!(summary(50).contains("`debate-agent sessions resume 019-a --budget USD`"));
        assert!(summary(51).contains("`debate-agent sessions resume 019-a --budget 0.66`"));
    }

    #[test]
    fn a_warning_stands_first_and_there_are_never_too_many() {
        let mut value = json!({ "status": "done" });
        compact::warn(&mut value, "a");
        assert_eq!(value["warnings"], json!(["a"]));
        for n in 0..30 {
            compact::warn(&mut value, &format!("w{n}\n"));
        }
        assert_eq!(value["warnings"].as_array().unwrap().len(), 20);
        assert_eq!(value["warnings"][0], "w29");
    }
}
