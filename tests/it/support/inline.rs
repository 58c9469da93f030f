//! Agents without a process, for the crash-point tests: they play one whole debate of three rounds.

use std::cell::RefCell;
use std::fs;
use std::rc::Rc;
use std::time::Duration;

use debate_agent::agent::attempts::{Intent, Kind};
use debate_agent::app::launch::Launch;
use debate_agent::process::{Control, Ending, ProcessResult, Sink, Spec};
use futures_util::future::LocalBoxFuture;
use serde_json::json;
use tokio::sync::watch;

use super::fixture;

/// A call that was really made: turn, attempt, and the prompt's hash.
pub(crate) type Paid = (String, u32, String);

/// Agents without a process. Clones share one ledger.
#[derive(Debug, Clone, Default)]
pub(crate) struct Agents {
    pub(crate) paid: Rc<RefCell<Vec<Paid>>>,
}

impl Launch for Agents {
    fn launch<'a>(
        &'a self,
        intent: &'a Intent,
        spec: &'a Spec,
        _: watch::Receiver<Control>,
        sink: &'a mut dyn Sink,
    ) -> LocalBoxFuture<'a, ProcessResult> {
        Box::pin(async move {
            self.paid.borrow_mut().push((
                intent.turn.clone(),
                intent.attempt,
                intent.prompt_sha.clone(),
            ));
            let (stdout, code) = answer(intent, spec.program.ends_with("codex"));
            // In pieces, so that a crash can come between two of them.
            let (head, tail) = stdout.split_at(stdout.len() / 2);
            sink.stdout(head.as_bytes());
            sink.stdout(tail.as_bytes());
            ProcessResult {
                ending: Ending::Exited { code },
                survivors_killed: 0,
                unkillable: 0,
                leaked_output: false,
                took: Duration::from_millis(1),
                stdout_seen: stdout.len() as u64,
            }
        })
    }
}

/// The output of an agent: r2/critic is overloaded once, r1/moderator must be asked again.
fn answer(intent: &Intent, codex: bool) -> (String, i32) {
    if intent.turn == "r2/critic" && intent.attempt == 1 {
        let message = "Selected model is at capacity. Please try a different model.";
        let failed = json!({"type": "turn.failed", "error": {"message": message}});
        return (format!("{failed}\n"), 1);
    }
    let text = if intent.turn == "r1/moderator" && intent.kind == Kind::First {
        "I would rather not put this into blocks.".to_owned()
    } else {
        let name = format!("scenarios/backlog/stalemate/{}.txt", intent.turn.replace('/', "_"));
        fs::read_to_string(fixture(&name)).unwrap()
    };
    let stdout = if codex {
        let item = json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}});
        let usage = json!({"type": "turn.completed", "usage": {"input_tokens": 9000, "cached_input_tokens": 0, "output_tokens": 900}});
        format!("{item}\n{usage}\n")
    } else {
        let result = json!({
            "type": "result", "subtype": "success", "is_error": false, "result": text,
            "total_cost_usd": 0.02, "num_turns": 1, "session_id": "s",
            "usage": {"input_tokens": 900, "output_tokens": 90},
        });
        format!("{result}\n")
    };
    (stdout, 0)
}
