//! A person at a terminal: writes questions, reads lines.
//!
//! Lines are read once the terminal has one; waiting for it ends with the question. So a signal or the run's deadline
//! ends a question at once, and nothing keeps the program from ending. A terminal delivers at most one line per read,
//! and at most 4,095 bytes of it (the kernel's limit). Closing the terminal during a question stops the run: nothing
//! is sent.

use std::fmt;
use std::io::{self, Write};
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::tcgetattr;

use serde_json::json;

use super::questions;
use crate::agent::person::PersonReply;
use crate::app::run::{keys, signals};
use crate::contract::template::block;
use crate::protocol::clarify::FACTS;
use crate::protocol::facts::FACT_CHARS;
use crate::text::sanitize;

/// Maximum bytes of one line; a terminal's own limit is lower.
const LINE_BYTES: usize = 64 << 10;

/// The input and the output of a terminal.
pub struct Terminal {
    input: OwnedFd,
    output: Box<dyn Write>,
    /// Bytes read beyond the last line.
    ahead: Vec<u8>,
}

impl fmt::Debug for Terminal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Terminal").field("input", &self.input).finish_non_exhaustive()
    }
}

impl Terminal {
    /// Reads lines from `input` and writes questions to `output`; the caller has checked that they are a terminal.
    pub fn new(input: OwnedFd, output: Box<dyn Write>) -> Self {
        Self { input, output, ahead: Vec::new() }
    }

    /// Asks the questions of a turn one by one. Each may be skipped; the end of the input skips the rest.
    pub(super) async fn ask(&mut self, turn: &str, prompt: &str) -> PersonReply {
        self.say("\nBefore it begins: what is not known, and would change the answer.\n");
        let mut facts = Vec::new();
        for question in questions::read(turn, prompt) {
            self.say(&format!("\n{}\n", question.text));
            match self.fact().await {
                Ok(None) => break,
                Ok(Some(answer)) if answer.is_empty() => {}
                Ok(Some(answer)) => facts.push(json!({ "id": question.id, "answer": answer })),
                Err(error) => {
                    return PersonReply::Nothing(format!("the terminal cannot be read: {error}"));
                }
            }
        }
        PersonReply::Reply(block(FACTS.name(), &json!({ "facts": facts }).to_string()))
    }

    /// Reads an answer, which may be empty; `None` at the end of the input.
    async fn fact(&mut self) -> io::Result<Option<String>> {
        loop {
            self.say("Your answer, or Enter to skip it > ");
            let Some(line) = self.line().await? else {
                // The question's line has no line end yet.
                self.say("\n");
                return Ok(None);
            };
            // Arrow keys and the like arrive as control sequences, which the person did not mean to enter.
            let answer = sanitize::terminal(&line).trim().to_owned();
            if answer.chars().count() <= FACT_CHARS {
                return Ok(Some(answer));
            }
            self.say(&format!("That is more than {FACT_CHARS} characters.\n"));
        }
    }

    /// Shows a text. A closed terminal is noticed when the answer is read.
    fn say(&mut self, text: &str) {
        let shown = self.output.write_all(text.as_bytes());
        shown.and_then(|()| self.output.flush()).ok();
    }

    /// Reads a line; `None` at the end of the input.
    async fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            if let Some(end) = self.ahead.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.ahead.drain(..=end).collect();
                return Ok(Some(String::from_utf8_lossy(&line[..end]).into_owned()));
            }
            if self.ahead.len() > LINE_BYTES {
                self.ahead.clear();
                return Err(io::Error::other("a line is too long"));
            }
            readable(&self.input).await?;
            let mut chunk = [0_u8; 4096];
            let count = match rustix::io::read(&self.input, &mut chunk) {
                Ok(0) | Err(Errno::IO) if is_closed(&self.input) => {
                    signals::hang_up().await;
                    return Err(io::Error::other("it was closed"));
                }
                Ok(count) => count,
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Err(error) => return Err(error.into()),
            };
            if count == 0 {
                // Ctrl-D ends the line if letters precede it, and otherwise the input.
                let rest = std::mem::take(&mut self.ahead);
                let line = String::from_utf8_lossy(&rest).into_owned();
                return Ok((!rest.is_empty()).then_some(line));
            }
            self.ahead.extend_from_slice(&chunk[..count]);
        }
    }
}

/// Whether a terminal was closed. Reading it looks like the end of the input, which would send the typed lines.
fn is_closed(input: &OwnedFd) -> bool {
    match tcgetattr(input) {
        Ok(_) => {
            let mut watched = [PollFd::new(input, PollFlags::IN)];
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            poll(&mut watched, Some(&now)).is_ok() && watched[0].revents().contains(PollFlags::HUP)
        }
        Err(Errno::NOTTY) => false,
        Err(_) => true,
    }
}

/// Waits until a read would not block.
async fn readable(input: &OwnedFd) -> io::Result<()> {
    while !keys::is_readable(input)? {
        tokio::time::sleep(keys::PAUSE).await;
    }
    Ok(())
}
