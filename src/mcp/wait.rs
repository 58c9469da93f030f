//! Waits for a run on behalf of a call: progress while it waits, the run's end when it is cancelled, its id when it
//! goes on.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;
use tokio::time::Instant;

use super::answer::{Answer, Progress};
use super::runs::{Run, State};
use crate::app::Order;

/// Stops the run of a call that was dropped.
struct RunGuard(Option<Arc<Run>>);

impl Drop for RunGuard {
    fn drop(&mut self) {
        if let Some(run) = &self.0 {
            run.order(Order::Stop);
        }
    }
}

/// Waits for a run that this call began, at most this long. Dropped before it is ready, it stops the run.
pub(crate) async fn wait_for(
    run: Arc<Run>,
    at_most: Duration,
    progress: &watch::Sender<Progress>,
) -> Answer {
    let mut owned = RunGuard(Some(Arc::clone(&run)));
    let answer = follow(&run, at_most, progress).await;
    owned.0 = None;
    answer
}

/// Waits for a run that another call began, at most this long, and hands on its progress. Dropped, it lets the run go
/// on: an onlooker may not end it.
pub(crate) async fn follow(
    run: &Run,
    at_most: Duration,
    progress: &watch::Sender<Progress>,
) -> Answer {
    let until = Instant::now() + at_most;
    let mut state = run.state();
    loop {
        let seen = state.borrow_and_update().clone();
        if let Some(answer) = seen.ended {
            return answer;
        }
        progress
            .send_replace(Progress { done: seen.course.lines, message: seen.course.last.clone() });
        let changed = state.changed();
        // Until the run has a session there is nothing to poll.
        let known = !seen.course.sessions.is_empty();
        let waited = tokio::select! {
            biased;
            changed = changed => changed.is_err(),
            () = tokio::time::sleep_until(until), if known => true,
        };
        if waited {
            let seen = run.state().borrow().clone();
            return seen.ended.clone().unwrap_or_else(|| running(run, &seen));
        }
    }
}

pub(crate) fn running(run: &Run, state: &State) -> Answer {
    Answer::Result(json!({
        "status": "running",
        "session_id": state.course.sessions.first().or(run.session.as_ref()),
        "cost_usd": state.course.spent,
        "progress": { "done": state.course.lines, "message": state.course.last },
        "summary": format!(
            "`{}` is still running: poll with `session_status`, read the result with `session_result`, end it with `session_cancel`",
            run.tool
        ),
    }))
}
