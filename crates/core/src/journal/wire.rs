//! The form of a record on disk: one checksummed JSON object per line, each with the hash of the line before.
//!
//! ```text
//! {"v":2,"seq":7,"type":"call.result","at":"2026-11-21T22:00:00Z","body":{...},"prev":"9f86d0...","crc":"1c291ca3"}
//! ```
//!
//! `seq` is dense from 1 and gives the order; `at` is for people. `prev` is the SHA-256 of the line before with its
//! line feed, or [`START`]: so the hash of the last line, the *head*, depends on every byte before it. `crc` is the
//! CRC-32 of the line's bytes without the `crc` member; it always comes last, in every version, so a reader can tell
//! damage from a format it does not know. Unknown members are ignored: the bytes stay in the file, which is never
//! rewritten. Records of version 1 have no `prev`; they are read, never written.

use std::fmt;

use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::record::{Body, Record};

/// The version of the records that this program writes.
pub const VERSION: u64 = 2;

/// The version without a chain.
const UNCHAINED: u64 = 1;

/// `prev` of the first record.
pub const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The result of reading a line.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "made one at a time, and taken apart at once")]
pub enum Line {
    /// A record of a known version and type, and the hash of the line before; `None` in version 1.
    Known(Record, Option<String>),
    /// A record of a later version.
    Newer {
        /// The version that it declares.
        v: u64,
    },
    /// A record of this version, but of an unknown type.
    Unknown {
        /// The type that it declares.
        kind: String,
    },
}

const CRC_OPEN: &str = ",\"crc\":\"";
/// `,"crc":"` + 8 digits + `"}`.
const CRC_LEN: usize = CRC_OPEN.len() + 8 + 2;

impl Record {
    /// Encodes the record as a line, including the line feed. `prev`: the hash of the line before, or [`START`].
    pub fn encode(&self, prev: &str) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = serde_json::to_vec(self)?;
        line.pop();
        line.extend_from_slice(format!(",\"prev\":\"{prev}\"}}").as_bytes());
        let crc = crc32fast::hash(&line);
        line.pop();
        line.extend_from_slice(format!("{CRC_OPEN}{crc:08x}\"}}\n").as_bytes());
        Ok(line)
    }
}

/// Parses one line, without its line feed. `Err` describes the damage.
pub fn parse_line(line: &[u8]) -> Result<Line, String> {
    let head = checked(line)?;
    let mut bytes = Vec::with_capacity(head.len() + 1);
    bytes.extend_from_slice(head);
    bytes.push(b'}');
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

fn checked(line: &[u8]) -> Result<&[u8], String> {
    let (head, tail) = line
        .len()
        .checked_sub(CRC_LEN)
        .map(|at| line.split_at(at))
        .filter(|(_, tail)| tail.starts_with(CRC_OPEN.as_bytes()) && tail.ends_with(b"\"}"))
        .ok_or("it does not end in a checksum")?;
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(b"}");
    let written = &tail[CRC_OPEN.len()..CRC_OPEN.len() + 8];
    if written == format!("{:08x}", hasher.finalize()).as_bytes() {
        Ok(head)
    } else {
        Err("its checksum does not match".to_owned())
    }
}

/// Returns the version that a damaged line claims, if it is complete JSON from a later version.
///
/// A later format must not be mistaken for a torn record and cut off.
pub fn claimed_newer(line: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Claim {
        v: u64,
    }
    serde_json::from_slice(line).ok().map(|claim: Claim| claim.v).filter(|v| *v > VERSION)
}

impl Serialize for Record {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("Record", 5)?;
        out.serialize_field("v", &VERSION)?;
        out.serialize_field("seq", &self.seq)?;
        out.serialize_field("type", self.body.kind())?;
        out.serialize_field("at", &self.at)?;
        match &self.body {
            Body::Opened(body) => out.serialize_field("body", body)?,
            Body::Resumed(body) => out.serialize_field("body", body)?,
            Body::Intent(body) => out.serialize_field("body", body)?,
            Body::Result(body) => out.serialize_field("body", body)?,
            Body::Ambiguous(body) => out.serialize_field("body", body)?,
            Body::Parsed(body) => out.serialize_field("body", body)?,
            Body::TurnClosed(body) => out.serialize_field("body", body)?,
            Body::RoundClosed(body) => out.serialize_field("body", body)?,
            Body::Suspended(body) => out.serialize_field("body", body)?,
            Body::Closed(body) => out.serialize_field("body", body)?,
        }
        out.end()
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LineVisitor)
    }
}

/// Reads `v`, `seq`, `type`, `at` before `body`, so that the body is parsed directly into its type. serde's tagged
/// enums would buffer each body twice and take three times as long.
struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a journal record")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line, A::Error> {
        let (mut v, mut seq, mut kind, mut at, mut prev) = (None, None, None, None, None);
        let mut body: Option<Option<Body>> = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "v" => v = Some(map.next_value::<u64>()?),
                "seq" => seq = Some(map.next_value::<u64>()?),
                "type" => kind = Some(map.next_value::<String>()?),
                "at" => at = Some(map.next_value()?),
                "prev" if v == Some(VERSION) => prev = Some(map.next_value()?),
                "body" if matches!(v, Some(UNCHAINED | VERSION)) && body.is_none() => {
                    let kind = kind
                        .as_deref()
                        .ok_or_else(|| A::Error::custom("`type` must come before `body`"))?;
                    body = Some(read_body(kind, &mut map)?);
                }
                "body" if body.is_some() => return Err(A::Error::duplicate_field("body")),
                // A body of another version, or an unknown member.
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        match v {
            Some(VERSION) if prev.is_none() => return Err(A::Error::missing_field("prev")),
            Some(UNCHAINED | VERSION) => {}
            Some(v) if v > VERSION => return Ok(Line::Newer { v }),
            Some(_) => return Err(A::Error::custom("there is no such version")),
            None => return Err(A::Error::missing_field("v")),
        }
        match body.ok_or_else(|| A::Error::missing_field("body"))? {
            None => Ok(Line::Unknown { kind: kind.unwrap_or_default() }),
            Some(body) => {
                let seq = seq.ok_or_else(|| A::Error::missing_field("seq"))?;
                let at = at.ok_or_else(|| A::Error::missing_field("at"))?;
                Ok(Line::Known(Record { seq, at, body }, prev))
            }
        }
    }
}

/// Parses a body of the given type; `None` if the type is unknown.
fn read_body<'de, A: MapAccess<'de>>(kind: &str, map: &mut A) -> Result<Option<Body>, A::Error> {
    Ok(Some(match kind {
        "session.opened" => Body::Opened(map.next_value()?),
        "session.resumed" => Body::Resumed(map.next_value()?),
        "call.intent" => Body::Intent(map.next_value()?),
        "call.result" => Body::Result(map.next_value()?),
        "call.ambiguous" => Body::Ambiguous(map.next_value()?),
        "parse.result" => Body::Parsed(map.next_value()?),
        "turn.closed" => Body::TurnClosed(map.next_value()?),
        "round.closed" => Body::RoundClosed(map.next_value()?),
        "session.suspended" => Body::Suspended(map.next_value()?),
        "session.closed" => Body::Closed(map.next_value()?),
        _ => {
            map.next_value::<IgnoredAny>()?;
            return Ok(None);
        }
    }))
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
