//! The MCP server as a client sees it: its first answer, its calls, its memory.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::scratch::{BIN, Scratch, peak_of};

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A server that answered `initialize`.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// Time from the spawn to the answer.
    pub(crate) first_answer: Duration,
}

impl Server {
    #[expect(clippy::disallowed_methods, reason = "a benchmark starts the program itself")]
    pub(crate) fn start(scratch: &Scratch) -> Self {
        let begun = Instant::now();
        let mut child = Command::new(BIN)
            .args(["mcp", "serve"])
            .env_clear()
            .envs(scratch.variables())
            .current_dir(scratch.path("project"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, input, output, first_answer: Duration::ZERO };
        server.send(INITIALIZE);
        assert!(server.line().contains("\"serverInfo\""));
        server.first_answer = begun.elapsed();
        server.send(INITIALIZED);
        server
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input.as_mut().unwrap(), "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    /// Makes one request and returns its answer. Nothing else may be in flight.
    pub(crate) fn ask(&mut self, method: &str, params: &str) -> String {
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#));
        self.line()
    }

    /// Returns its peak memory so far, in bytes.
    pub(crate) fn peak(&self) -> u64 {
        peak_of(&self.child)
    }

    /// Closes its input and waits for its end.
    pub(crate) fn end(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }
}
