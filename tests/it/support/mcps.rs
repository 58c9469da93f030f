//! A client of the MCP server, over the real program: every line that it writes must be JSON-RPC.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{Run, Sandbox};

/// Maximum wait of any test for something that must happen.
const PATIENCE: Duration = Duration::from_mins(1);

/// The newest revision that has `initialize`.
pub(crate) const REVISION: &str = "2025-11-25";

/// A running server, and its client.
pub(crate) struct Mcp {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Value>,
    errors: thread::JoinHandle<String>,
    next_id: i64,
    /// Answers that came while another was waited for, by the JSON of their id.
    answers: BTreeMap<String, Value>,
    /// Notifications, in order of arrival.
    pub(crate) notifications: Vec<Value>,
    /// Second answers to one id: a test that uses an id twice takes them out.
    pub(crate) again: Vec<Value>,
    /// The server's output has ended.
    silent: bool,
}

/// Reads every line of a server; a line that is not a JSON-RPC message is a broken promise.
fn read(output: ChildStdout) -> Receiver<Value> {
    let (send, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n') {
            let line = line.unwrap();
            let message = serde_json::from_slice::<Value>(&line)
                .ok()
                .filter(|message| message["jsonrpc"] == "2.0");
            let message = message.unwrap_or_else(
                || json!({ "not JSON-RPC": String::from_utf8_lossy(&line).into_owned() }),
            );
            if send.send(message).is_err() {
                return;
            }
        }
    });
    lines
}

impl Sandbox {
    /// Starts `mcp serve` in the project and shakes hands.
    pub(crate) fn mcp(&self) -> Mcp {
        self.mcp_with(&["mcp", "serve"])
    }

    /// The same with stand-ins that cost nothing: `mcp serve --rehearse`.
    pub(crate) fn mcp_rehearsed(&self) -> Mcp {
        self.mcp_with(&["mcp", "serve", "--rehearse"])
    }

    /// The same with arguments of the test's own.
    pub(crate) fn mcp_with(&self, args: &[&str]) -> Mcp {
        let mut mcp = self.mcp_raw(args);
        let answer = mcp.initialize(REVISION);
        assert_eq!(answer["result"]["protocolVersion"], REVISION, "{answer}");
        mcp
    }

    /// Starts a server without a handshake.
    pub(crate) fn mcp_raw(&self, args: &[&str]) -> Mcp {
        Mcp::of(self.command(args))
    }
}

#[expect(clippy::needless_pass_by_value, reason = "tests write what they send in place")]
impl Mcp {
    /// Starts a command as a server.
    pub(crate) fn of(mut command: std::process::Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        Self {
            input: child.stdin.take(),
            lines: read(child.stdout.take().unwrap()),
            errors: thread::spawn(move || {
                let mut bytes = Vec::new();
                std::io::Read::read_to_end(&mut stderr, &mut bytes).unwrap();
                String::from_utf8_lossy(&bytes).into_owned()
            }),
            child,
            next_id: 0,
            answers: BTreeMap::new(),
            notifications: Vec::new(),
            again: Vec::new(),
            silent: false,
        }
    }

    /// Requests a revision, and reports that the client is ready.
    pub(crate) fn initialize(&mut self, revision: &str) -> Value {
        let answer = self.ask(
            "initialize",
            json!({
                "protocolVersion": revision,
                "capabilities": {},
                "clientInfo": { "name": "a test", "version": "1" },
            }),
        );
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// Writes raw bytes. A server that no longer reads is not a failure.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).ok();
    }

    /// Writes one message as a line.
    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and does not wait; returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and waits for its answer, the whole message.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Begins a call of a tool, with a progress token that is its id; returns the id.
    pub(crate) fn begin(&mut self, tool: &str, arguments: Value) -> i64 {
        let token = self.next_id + 1;
        self.request(
            "tools/call",
            json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": token } }),
        )
    }

    /// Calls a tool; returns the result of the call: `content`, `structuredContent`, `isError`.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let id = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// Calls a tool that must succeed; returns its structured content, which its text repeats.
    #[track_caller]
    pub(crate) fn result(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let structured = result["structuredContent"].clone();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), structured);
        structured
    }

    /// Calls a tool that must refuse; returns the reason.
    #[track_caller]
    pub(crate) fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{tool}: {result}");
        assert!(result.get("structuredContent").is_none(), "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    pub(crate) fn cancel(&mut self, id: i64) {
        self.notify("notifications/cancelled", json!({ "requestId": id, "reason": "a test" }));
    }

    /// Waits for the answer to a request; others are kept.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into().to_string();
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(answer) = self.answers.remove(&id) {
                return answer;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(
                self.receive(left) && !self.silent,
                "no answer to request {id}; answers to {:?}",
                self.answers.keys()
            );
        }
    }

    /// Waits until a condition holds, receiving messages in the meantime.
    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, happened: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !happened(self) {
            assert!(Instant::now() < deadline, "waited in vain for {what}");
            self.receive(Duration::from_millis(20));
        }
    }

    /// Whether the answer to a request has arrived.
    pub(crate) fn has_answer(&self, id: i64) -> bool {
        self.answers.contains_key(&id.to_string())
    }

    /// Receives one message, if one comes in time.
    #[track_caller]
    fn receive(&mut self, within: Duration) -> bool {
        match self.lines.recv_timeout(within) {
            Ok(message) => {
                self.keep(message);
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                self.silent = true;
                // So that a caller that waits for something else does not spin.
                thread::sleep(within.min(Duration::from_millis(20)));
                false
            }
        }
    }

    #[track_caller]
    fn keep(&mut self, message: Value) {
        assert!(message.get("not JSON-RPC").is_none(), "{message}");
        match message.get("id") {
            Some(id) if message.get("method").is_none() => {
                let first = self.answers.insert(id.to_string(), message);
                self.again.extend(first);
            }
            Some(_) => panic!("the server asks something: {message}"),
            None => self.notifications.push(message),
        }
    }

    /// The progress reported for a request, in order.
    pub(crate) fn progress_of(&self, id: i64) -> Vec<f64> {
        let told = self.notifications.iter();
        told.filter(|told| told["method"] == "notifications/progress")
            .filter(|told| told["params"]["progressToken"] == id)
            .map(|told| told["params"]["progress"].as_f64().unwrap())
            .collect()
    }

    /// Closes the client's output to the server.
    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    /// Waits until the server ends by itself, while its client is still connected.
    #[track_caller]
    pub(crate) fn ends(&mut self) {
        self.until("the server's end", |mcp| mcp.silent);
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// A figure of the server in `/proc/PID/status`: `VmRSS` and `VmHWM` in KiB, `Threads`.
    pub(crate) fn figure(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    /// Disconnects and waits for the server's end. The rest of its answers is in `stdout`, one per line.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Run {
        use std::os::unix::process::ExitStatusExt as _;
        self.close_input();
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        };
        while self.receive(Duration::from_secs(5)) {}
        assert!(self.again.is_empty(), "answered twice: {:?}", self.again);
        let left = std::mem::take(&mut self.answers);
        Run {
            code: status.code().unwrap_or_else(|| -status.signal().unwrap_or(0)),
            stdout: left
                .into_values()
                .flat_map(|answer| [answer.to_string(), "\n".to_owned()])
                .collect(),
            stderr: self.errors.join().unwrap(),
        }
    }
}
