//! The messages between the owner of a run and its guard over their socket.
//!
//! In: one request (a header and the prompt's bytes), then commands of one byte each. Out: framed reports. The end of
//! the stream is a message too: to the guard it means that the owner died, to the owner that the guard did.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{Depth, Limits, Spec};

/// Maximum size of an accepted frame. It contains the arguments and variables of one program, never a prompt.
const FRAME_LIMIT: usize = 8 << 20;

/// The request's header; `prompt_bytes` bytes of standard input follow it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) depth: Depth,
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: PathBuf,
    pub(super) scratch: Option<PathBuf>,
    pub(super) tag: String,
    pub(super) limits: Limits,
    pub(super) prompt_bytes: u64,
}

/// The owner's commands to the guard, one byte each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Command {
    Stop,
    Kill,
    Pause,
    Resume,
}

impl Command {
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::Stop => b's',
            Self::Kill => b'k',
            Self::Pause => b'p',
            Self::Resume => b'r',
        }
    }

    /// Returns the command of a byte; `None` if it is not a command (both ends are the same binary, so there is
    /// nothing to negotiate).
    pub(super) fn of(byte: u8) -> Option<Self> {
        [Self::Stop, Self::Kill, Self::Pause, Self::Resume]
            .into_iter()
            .find(|command| command.byte() == byte)
    }
}

/// The guard's reports.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "snake_case")]
pub(super) enum Report {
    /// The program runs and leads the process group of its own id.
    Started { pid: i32 },
    /// It never ran; the guard is about to end.
    NotStarted { not_found: bool, message: String },
    /// The program and everything it left are gone; the guard is about to end.
    Ended(EndReport),
}

/// The last report of a run.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EndReport {
    pub(super) exit: Exit,
    /// Why the guard ended it, if it did.
    pub(super) forced: Option<KillReason>,
    pub(super) survivors_killed: u32,
    pub(super) unkillable: u32,
    pub(super) leaked_output: bool,
    pub(super) took: Duration,
}

/// The program's own end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Exit {
    Code(i32),
    Signal(i32),
    /// Not even KILL ended it in time (for example in a call into a dead disk).
    Stuck,
}

/// Why the guard ended the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KillReason {
    TimedOut,
    Stopped,
}

/// Encodes a run's request, prompt included.
pub(super) fn request(spec: &Spec) -> io::Result<Vec<u8>> {
    let header = Request {
        program: spec.program.clone(),
        args: spec.args.clone(),
        depth: spec.depth,
        env: spec.env.clone().into_iter().collect(),
        cwd: spec.cwd.clone(),
        scratch: spec.scratch.clone(),
        tag: spec.tag.clone(),
        limits: spec.limits,
        prompt_bytes: spec.stdin.len() as u64,
    };
    let mut bytes = frame(&header)?;
    bytes.extend_from_slice(&spec.stdin);
    Ok(bytes)
}

/// Reads a request and its prompt, blocking until both are complete.
pub(super) fn read_request(from: &mut impl Read) -> io::Result<(Request, Vec<u8>)> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut body = vec![0; checked(length)?];
    from.read_exact(&mut body)?;
    let header: Request = serde_json::from_slice(&body)?;
    let mut prompt = Vec::new();
    from.take(header.prompt_bytes).read_to_end(&mut prompt)?;
    if (prompt.len() as u64) < header.prompt_bytes {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok((header, prompt))
}

pub(super) fn send(to: &mut impl Write, report: &Report) -> io::Result<()> {
    to.write_all(&frame(report)?)
}

/// Removes the first complete report from the front of `bytes`; `None` if none exists yet.
pub(super) fn take_report(bytes: &mut Vec<u8>) -> io::Result<Option<Report>> {
    take(bytes)
}

fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len())
        .ok()
        .filter(|length| *length as usize <= FRAME_LIMIT)
        .ok_or_else(|| {
            io::Error::other("arguments and environment are too large for one program")
        })?;
    let mut bytes = length.to_le_bytes().to_vec();
    bytes.extend(body);
    Ok(bytes)
}

fn take<M: DeserializeOwned>(bytes: &mut Vec<u8>) -> io::Result<Option<M>> {
    let Some(length) = bytes.first_chunk::<4>() else {
        return Ok(None);
    };
    let end = 4 + checked(*length)?;
    let Some(body) = bytes.get(4..end) else {
        return Ok(None);
    };
    let message = serde_json::from_slice(body)?;
    bytes.drain(..end);
    Ok(Some(message))
}

fn checked(length: [u8; 4]) -> io::Result<usize> {
    let length = u32::from_le_bytes(length) as usize;
    if length > FRAME_LIMIT {
        return Err(io::Error::other("a frame longer than any of ours"));
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn spec(stdin: Vec<u8>) -> Spec {
        Spec {
            guard: "/g".into(),
            program: "/bin/true".into(),
            args: vec!["-x".into(), "ä\n".into()],
            depth: Depth::Counts,
            env: BTreeMap::from([("A".into(), "1".into())]),
            cwd: "/".into(),
            scratch: None,
            stdin,
            tag: "t".into(),
            limits: Limits::default(),
        }
    }

    #[test]
    fn a_request_arrives_with_its_prompt_and_leaves_the_rest() {
        let spec = spec(b"a\0b\xff".to_vec());
        let mut bytes = request(&spec).unwrap();
        bytes.push(Command::Stop.byte());
        let mut from = bytes.as_slice();
        let (header, prompt) = read_request(&mut from).unwrap();
        assert_eq!(prompt, spec.stdin);
        assert_eq!(header.args, spec.args);
        assert_eq!(header.limits, spec.limits);
        assert_eq!(from.first().copied().and_then(Command::of), Some(Command::Stop));
    }

    #[test]
    fn a_request_that_was_cut_is_none() {
        let bytes = request(&spec(vec![7; 100])).unwrap();
        for cut in [0, 3, 4, 40, bytes.len() - 1] {
            assert!(read_request(&mut &bytes[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn reports_are_taken_whole_however_they_arrive() {
        let report = Report::Ended(EndReport {
            exit: Exit::Signal(11),
            forced: Some(KillReason::TimedOut),
            survivors_killed: 2,
            unkillable: 0,
            leaked_output: true,
            took: Duration::from_millis(12),
        });
        let mut sent = Vec::new();
        send(&mut sent, &Report::Started { pid: 7 }).unwrap();
        send(&mut sent, &report).unwrap();
        let mut held = Vec::new();
        let mut got = Vec::new();
        for byte in sent {
            held.push(byte);
            got.extend(take_report(&mut held).unwrap());
        }
        assert_eq!(got, [Report::Started { pid: 7 }, report]);
        assert!(take_report(&mut vec![255; 8]).is_err());
    }
}
