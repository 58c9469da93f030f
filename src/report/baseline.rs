//! What an earlier review already holds (`review --baseline FILE`): its fingerprints.
//!
//! | file | what counts as known |
//! |---|---|
//! | our JSON (document `review`) | what remained, and what that review itself had as known by its baseline |
//! | SARIF 2.1.0 with runs of ours | the same: results without a suppression, and those that the baseline suppressed |
//!
//! What was thrown out or dismissed is not known: if it is found again and confirmed, it is new,
//! and dismissals are read from their own file. A result that decided nothing is accepted, with a
//! warning: what it does not hold is reported, so nothing is lost by it. But what is no result of a
//! review at all is an error, never an empty baseline, which would look like one.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::document::SCHEMA_VERSION;
use super::review::sarif::{IN_BASELINE, REHEARSED, SUPPRESSED_AS};
use super::review::{FINGERPRINT, TOOL};
use crate::protocol::review::{Known, ReviewOutcome};
use crate::text::{Note, json, sanitize};

/// Names of other tools that an error holds.
const NAMED: usize = 5;

/// Most bytes of a baseline: 64 MiB.
pub const MAX_BYTES: usize = 64 << 20;

/// What an earlier result holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    /// The fingerprints of its findings; none where an earlier review found nothing.
    pub fingerprints: BTreeSet<String>,
    /// What is to be known of it: `baseline_undecided`, `baseline_degraded`, `baseline_rehearsal`.
    pub warnings: Vec<Note>,
}

/// Why a file is no baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaselineError {
    /// It is too large to be one.
    #[error("it has more than {MAX_BYTES} bytes, which no result of a review has")]
    TooLarge,
    /// Its bytes are no UTF-8.
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    /// It is no JSON.
    #[error("it is not JSON: {0}")]
    NotJson(#[from] json::JsonError),
    /// It is JSON, but holds no result of a review.
    #[error(
        "it holds no result of a review ({found}); give the JSON that `debate-agent review` wrote, or its SARIF"
    )]
    NoReview {
        /// What it is instead.
        found: String,
    },
    /// A field is not what it must be.
    #[error("{place}: {problem}")]
    Malformed {
        /// Where: `findings[3].fingerprint`.
        place: String,
        /// What is wrong.
        problem: String,
    },
    /// It was written by a later version.
    #[error(
        "it is of version {found}, and this program knows {SCHEMA_VERSION}; update debate-agent"
    )]
    Newer {
        /// Its version.
        found: u32,
    },
    /// SARIF of other tools alone.
    #[error(
        "it is SARIF of {tools}, without the fingerprints (`{FINGERPRINT}`) by which debate-agent knows its findings again; give the SARIF or JSON of an earlier `debate-agent review`"
    )]
    Foreign {
        /// The names of the tools.
        tools: String,
    },
}

/// What is read of our own document; the rest may change from version to version.
#[derive(Deserialize)]
struct Earlier {
    schema_version: u32,
    outcome: ReviewOutcome,
    #[serde(default)]
    degraded: bool,
    rehearsal: bool,
    findings: Vec<Held>,
    suppressed: Vec<HeldKnown>,
}

#[derive(Deserialize)]
struct Held {
    fingerprint: String,
}

#[derive(Deserialize)]
struct HeldKnown {
    fingerprint: String,
    known: Known,
}

/// Reads an earlier result.
///
/// # Errors
/// It is none, or cannot be understood. The error does not name the file: the caller knows it.
pub fn read(bytes: &[u8]) -> Result<Baseline, BaselineError> {
    if bytes.len() > MAX_BYTES {
        return Err(BaselineError::TooLarge);
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| BaselineError::NotUtf8(error.valid_up_to()))?;
    let value = json::parse(text.strip_prefix('\u{feff}').unwrap_or(text))?;
    let member = |name: &str| value.get(name).and_then(Value::as_str);
    if value.get("runs").is_some() {
        return sarif(&value);
    }
    match member("protocol") {
        Some("review") => document(&value),
        Some(other) => Err(no_review(&format!("a document of `{other}`"))),
        None if value.get("error").is_some() => Err(no_review("the message of a run that failed")),
        None => Err(no_review(match &value {
            Value::Object(_) => "an object without `protocol` and `runs`",
            Value::Array(_) => "an array",
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => "a single value",
        })),
    }
}

fn no_review(found: &str) -> BaselineError {
    BaselineError::NoReview { found: sanitize::line(found, 100) }
}

fn document(value: &Value) -> Result<Baseline, BaselineError> {
    // The version decides before the shape: a later one may have another.
    let version = value.get("schema_version").and_then(Value::as_u64);
    if let Some(version) = version
        && version > u64::from(SCHEMA_VERSION)
    {
        return Err(BaselineError::Newer { found: u32::try_from(version).unwrap_or(u32::MAX) });
    }
    let earlier: Earlier =
        serde_path_to_error::deserialize(value).map_err(|error| BaselineError::Malformed {
            place: sanitize::line(&error.path().to_string(), 200),
            problem: sanitize::line(&error.inner().to_string(), 300),
        })?;
    if earlier.schema_version == 0 {
        return Err(malformed("schema_version", "there is no version 0"));
    }
    let mut baseline = Baseline::default();
    for (index, held) in earlier.findings.iter().enumerate() {
        baseline.hold(&held.fingerprint, || format!("findings[{index}].fingerprint"))?;
    }
    for (index, held) in earlier.suppressed.iter().enumerate() {
        match held.known {
            Known::Baseline => {
                baseline.hold(&held.fingerprint, || format!("suppressed[{index}].fingerprint"))?;
            }
            Known::Dismissed { .. } => {}
        }
    }
    if !earlier.outcome.closes() {
        baseline.warn(UNDECIDED);
    }
    if earlier.degraded {
        baseline.warn(DEGRADED);
    }
    if earlier.rehearsal {
        baseline.warn(REHEARSAL);
    }
    Ok(baseline)
}

const UNDECIDED: (&str, &str) = (
    "baseline_undecided",
    "the baseline's review came to no verdict: what it did not find counts as new",
);
const DEGRADED: (&str, &str) = (
    "baseline_degraded",
    "in the baseline's review fewer than two agents answered: nobody confirmed what it holds as known",
);
const REHEARSAL: (&str, &str) =
    ("baseline_rehearsal", "the baseline is of a rehearsal: its findings were invented");

fn malformed(place: &str, problem: &str) -> BaselineError {
    BaselineError::Malformed { place: place.to_owned(), problem: problem.to_owned() }
}

impl Baseline {
    fn hold(
        &mut self,
        fingerprint: &str,
        place: impl FnOnce() -> String,
    ) -> Result<(), BaselineError> {
        if !is_fingerprint(fingerprint) {
            let problem = "a fingerprint has 16 hexadecimal digits";
            return Err(malformed(&place(), problem));
        }
        self.fingerprints.insert(fingerprint.to_owned());
        Ok(())
    }

    fn warn(&mut self, (code, message): (&str, &str)) {
        let note = Note::new(code, message);
        if !self.warnings.contains(&note) {
            self.warnings.push(note);
        }
    }
}

/// Whether this is the fingerprint of a finding: 16 hexadecimal digits, small letters.
pub fn is_fingerprint(text: &str) -> bool {
    text.len() == 16
        && (text.bytes()).all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn sarif(log: &Value) -> Result<Baseline, BaselineError> {
    match log.get("version").and_then(Value::as_str) {
        Some("2.1.0") => {}
        Some(_) | None => return Err(malformed("version", "only SARIF 2.1.0 is read")),
    }
    let runs = (log.get("runs").and_then(Value::as_array))
        .ok_or_else(|| malformed("runs", "it must be an array"))?;
    let mut baseline = Baseline::default();
    let mut others = BTreeSet::new();
    let mut ours = 0;
    for (index, run) in runs.iter().enumerate() {
        let name = run.pointer("/tool/driver/name").and_then(Value::as_str);
        if name == Some(TOOL) {
            ours += 1;
            baseline.take(run, index)?;
        } else {
            others.insert(sanitize::line(name.unwrap_or("an unnamed tool"), 60));
        }
    }
    if ours > 0 {
        return Ok(baseline);
    }
    if others.is_empty() {
        return Err(no_review("SARIF without a run"));
    }
    let more = match others.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names: Vec<String> = others.into_iter().take(NAMED).collect();
    Err(BaselineError::Foreign { tools: names.join(", ") + &more })
}

impl Baseline {
    /// Takes over one of our own runs.
    fn take(&mut self, run: &Value, run_index: usize) -> Result<(), BaselineError> {
        // A run without `results` was not carried out (SARIF 2.1.0, 3.14.23): that is no result.
        let results = (run.get("results").and_then(Value::as_array)).ok_or_else(|| {
            malformed(
                &format!("runs[{run_index}].results"),
                "there are none: the run was not carried out",
            )
        })?;
        for (index, result) in results.iter().enumerate() {
            let suppressed = (result.get("suppressions").and_then(Value::as_array))
                .is_some_and(|all| !all.is_empty());
            let property = result.pointer(&format!("/properties/{SUPPRESSED_AS}"));
            if suppressed && property.and_then(Value::as_str) != Some(IN_BASELINE) {
                continue;
            }
            let place = || format!("runs[{run_index}].results[{index}].partialFingerprints");
            let fingerprint = (result.get("partialFingerprints"))
                .and_then(|all| all.get(FINGERPRINT))
                .and_then(Value::as_str)
                .ok_or_else(|| malformed(&place(), &format!("there is no `{FINGERPRINT}`")))?;
            self.hold(fingerprint, place)?;
        }
        let flag = |name: &str| {
            let property = run.get("properties").and_then(|all| all.get(name));
            property.and_then(Value::as_bool).unwrap_or(false)
        };
        let invocations = run.get("invocations").and_then(Value::as_array);
        let failed = invocations.into_iter().flatten().any(|invocation| {
            invocation.get("executionSuccessful").and_then(Value::as_bool) != Some(true)
        });
        // A rehearsal is unsuccessful for being one; that is said in its own words.
        if failed && !flag(REHEARSED) {
            self.warn(UNDECIDED);
        }
        if flag("degraded") {
            self.warn(DEGRADED);
        }
        if flag(REHEARSED) {
            self.warn(REHEARSAL);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
