//! The fingerprints of an earlier review (`review --baseline FILE`).
//!
//! | file | what counts as known |
//! |---|---|
//! | our JSON (document `review`) | findings that remained, and those that were in that review's own baseline |
//! | SARIF 2.1.0 with runs of ours | the same: results without a suppression, and those suppressed by the baseline |
//!
//! Rejected and dismissed findings are not known: if found again and confirmed, they are new, and dismissals are read
//! from their own file. A result that decided nothing is accepted with a warning: a finding that it does not contain
//! is reported, so nothing is lost. A file that is not a result of a review at all is an error, never an empty
//! baseline: that would look like a review without findings.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::document::SCHEMA_VERSION;
use super::review::sarif::{IN_BASELINE, REHEARSED, SUPPRESSED_AS};
use super::review::{FINGERPRINT, TOOL};
use crate::protocol::review::{ReviewOutcome, SuppressionReason};
use crate::text::{Note, json, sanitize};

/// Maximum number of other tools named in an error.
const NAMED: usize = 5;

/// Maximum size of a baseline in bytes: 64 MiB.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// The content of an earlier result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Baseline {
    /// The fingerprints of its findings; empty if the earlier review found nothing.
    pub fingerprints: BTreeSet<String>,
    /// Warnings about the baseline: `baseline_undecided`, `baseline_degraded`, `baseline_rehearsal`.
    pub warnings: Vec<Note>,
}

/// The reason why a file is not a baseline.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BaselineError {
    /// The file is larger than a baseline may be.
    #[error("it has more than {MAX_BYTES} bytes, which is too large for the result of a review")]
    TooLarge,
    /// The file is not UTF-8; the offset of the first invalid byte.
    #[error("it is not UTF-8 (at byte {0})")]
    NotUtf8(usize),
    /// The file is not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(#[from] json::JsonError),
    /// The file is JSON, but not a result of a review.
    #[error(
        "it contains no review result ({found}); give the JSON or SARIF that `debate-agent review` wrote"
    )]
    NoReview {
        /// A description of what it is instead.
        found: String,
    },
    /// A field has an invalid value.
    #[error("{place}: {problem}")]
    Malformed {
        /// The path of the field: `findings[3].fingerprint`.
        place: String,
        /// The fault.
        problem: String,
    },
    /// A later version wrote the file.
    #[error("its version is {found}, but this program knows {SCHEMA_VERSION}; update debate-agent")]
    Newer {
        /// The version found.
        found: u32,
    },
    /// The file contains only SARIF of other tools.
    #[error(
        "it is SARIF from {tools}, without the fingerprints (`{FINGERPRINT}`) by which debate-agent recognises its findings; give the SARIF or JSON of an earlier `debate-agent review`"
    )]
    Foreign {
        /// The names of the tools.
        tools: String,
    },
}

/// The parts of our own document that are read; the rest may change between versions.
#[derive(Deserialize)]
struct KnownFindings {
    schema_version: u32,
    outcome: ReviewOutcome,
    #[serde(default)]
    degraded: bool,
    rehearsal: bool,
    findings: Vec<BaselineFile>,
    suppressed: Vec<BaselineEntry>,
}

#[derive(Deserialize)]
struct BaselineFile {
    fingerprint: String,
}

#[derive(Deserialize)]
struct BaselineEntry {
    fingerprint: String,
    known: SuppressionReason,
}

/// Reads an earlier result.
///
/// # Errors
/// The bytes are not a result of a review, or cannot be understood. The error does not name the file, which the
/// caller knows.
pub(crate) fn read(bytes: &[u8]) -> Result<Baseline, BaselineError> {
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
    // The version decides before the shape: a later version may have another shape.
    let version = value.get("schema_version").and_then(Value::as_u64);
    if let Some(version) = version
        && version > u64::from(SCHEMA_VERSION)
    {
        return Err(BaselineError::Newer { found: u32::try_from(version).unwrap_or(u32::MAX) });
    }
    let earlier: KnownFindings =
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
            SuppressionReason::Baseline => {
                baseline.hold(&held.fingerprint, || format!("suppressed[{index}].fingerprint"))?;
            }
            SuppressionReason::Dismissed { .. } => {}
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
    "the baseline's review reached no verdict: what it did not find counts as new",
);
const DEGRADED: (&str, &str) = (
    "baseline_degraded",
    "fewer than two agents answered in the baseline's review: nobody confirmed what it lists as known",
);
const REHEARSAL: (&str, &str) =
    ("baseline_rehearsal", "the baseline is from a rehearsal: its findings were invented");

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

/// Whether this is the fingerprint of a finding: 16 lower-case hexadecimal digits.
pub(crate) fn is_fingerprint(text: &str) -> bool {
    text.len() == 16
        && (text.bytes()).all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn sarif(log: &Value) -> Result<Baseline, BaselineError> {
    match log.get("version").and_then(Value::as_str) {
        Some("2.1.0") => {}
        Some(_) | None => return Err(malformed("version", "only SARIF 2.1.0 is supported")),
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
    /// Takes over the results of one of our own runs.
    fn take(&mut self, run: &Value, run_index: usize) -> Result<(), BaselineError> {
        // A run without `results` was not carried out (SARIF 2.1.0, 3.14.23), so it is not a result.
        let results = (run.get("results").and_then(Value::as_array)).ok_or_else(|| {
            malformed(
                &format!("runs[{run_index}].results"),
                "they are missing: the run was not carried out",
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
        // A rehearsal counts as unsuccessful in SARIF; it has a warning of its own.
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
mod tests {
    //! Tests with earlier results, ours and those of other tools.

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::report::document::to_json;
    use crate::report::review::{ReviewDocument, example, sarif};

    fn of_json(document: &ReviewDocument) -> Result<Baseline, BaselineError> {
        read(to_json(document).unwrap().as_bytes())
    }

    fn of_sarif(document: &ReviewDocument) -> Result<Baseline, BaselineError> {
        read(sarif::log(document).to_string().as_bytes())
    }

    fn codes(baseline: &Baseline) -> Vec<&str> {
        let notes = baseline.warnings.iter();
        notes.map(|note| note.code.as_str()).collect()
    }

    #[test]
    fn json_and_sarif_of_every_example_hold_the_same() {
        for (name, document) in example::all() {
            let (json, sarif) = (of_json(&document).unwrap(), of_sarif(&document).unwrap());
            assert_eq!(json, sarif, "{name}");
        }
    }

    #[test]
    fn what_remained_and_what_the_baseline_had_is_known_and_nothing_else() {
        let held = of_json(&example::changes_requested()).unwrap();
        // F1 to F3 remained and one was in the baseline. F4 was refuted, F5 was outside the change, one was
        // dismissed.
        let expected: BTreeSet<String> =
            ["f1f1f1f1f1f1f1f1", "f2f2f2f2f2f2f2f2", "f3f3f3f3f3f3f3f3", "bbbbbbbbbbbbbbbb"]
                .map(str::to_owned)
                .into();
        assert_eq!(held.fingerprints, expected);
        assert!(held.warnings.is_empty());
    }

    #[test]
    fn a_clean_review_holds_nothing_and_is_a_baseline() {
        assert_eq!(of_json(&example::clean()).unwrap(), Baseline::default());
        assert_eq!(of_sarif(&example::clean()).unwrap(), Baseline::default());
    }

    #[test]
    fn a_review_that_decided_nothing_is_taken_with_a_warning() {
        for (document, expected) in [
            (example::undecided(), &["baseline_undecided", "baseline_degraded"][..]),
            (example::degraded(), &["baseline_undecided", "baseline_degraded"]),
            (example::budget(), &["baseline_undecided"]),
        ] {
            assert_eq!(codes(&of_json(&document).unwrap()), expected);
            assert_eq!(codes(&of_sarif(&document).unwrap()), expected);
        }
        let mut document = example::clean();
        document.header.rehearsal = true;
        assert_eq!(codes(&of_json(&document).unwrap()), ["baseline_rehearsal"]);
        assert_eq!(codes(&of_sarif(&document).unwrap()), ["baseline_rehearsal"]);
    }

    /// None of these may be read as a baseline without findings.
    #[test]
    fn what_holds_no_result_of_a_review_is_an_error_that_says_why() {
        let run = |name: &str| json!({"tool": {"driver": {"name": name}}, "results": []});
        let log = |runs: Value| json!({"version": "2.1.0", "runs": runs}).to_string();
        let mut newer = serde_json::to_value(example::clean()).unwrap();
        newer["schema_version"] = json!(SCHEMA_VERSION + 1);
        let changed = |pointer: &str, value: Value| {
            let mut document = serde_json::to_value(example::changes_requested()).unwrap();
            *document.pointer_mut(pointer).unwrap() = value;
            document.to_string()
        };
        let unmarked = {
            let mut log = sarif::log(&example::changes_requested());
            log["runs"][0]["results"][0]["partialFingerprints"] = json!({"other/v1": "x"});
            log.to_string()
        };
        for (text, says) in [
            (String::new(), "it is not JSON"),
            ("{}".to_owned(), "an object without `protocol` and `runs`"),
            ("[]".to_owned(), "an array"),
            ("null".to_owned(), "a single value"),
            (json!({"error": {"code": "x"}}).to_string(), "the message of a run that failed"),
            (json!({"protocol": "backlog"}).to_string(), "a document of `backlog`"),
            (json!({"protocol": "review"}).to_string(), "missing field"),
            (newer.to_string(), "version is 2, but this program knows 1"),
            (changed("/findings", json!({})), "findings: invalid type"),
            (
                changed("/findings/1/fingerprint", json!("F2")),
                "findings[1].fingerprint: a fingerprint has 16",
            ),
            (changed("/findings/1/fingerprint", json!(5)), "findings[1].fingerprint: invalid type"),
            (changed("/schema_version", json!(0)), "schema_version: there is no version 0"),
            (changed("/outcome", json!("fine")), "outcome: unknown variant"),
            ("{\"protocol\": \"review\", \"protocol\": \"review\"}".to_owned(), "it is not JSON"),
            (log(json!([])), "SARIF without a run"),
            (log(json!({})), "runs: it must be an array"),
            (json!({"version": "2.0.0", "runs": []}).to_string(), "version: only SARIF 2.1.0"),
            (
                log(json!([run("CodeQL"), run("Semgrep OSS")])),
                "SARIF from CodeQL, Semgrep OSS, without the fingerprints",
            ),
            (
                log(json!([{"tool": {"driver": {"name": TOOL}}}])),
                "runs[0].results: they are missing",
            ),
            (unmarked, "runs[0].results[0].partialFingerprints: there is no `debateAgent/v1`"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        let error = read(b"\xff{}").unwrap_err();
        assert_eq!(error, BaselineError::NotUtf8(0));
    }

    #[test]
    fn runs_of_other_tools_beside_ours_are_passed_over() {
        let mut log = sarif::log(&example::changes_requested());
        let other =
            json!({"tool": {"driver": {"name": "Other"}}, "results": [{"message": {"text": "x"}}]});
        log["runs"].as_array_mut().unwrap().insert(0, other);
        let baseline = read(log.to_string().as_bytes()).unwrap();
        assert_eq!(baseline.fingerprints.len(), 4);
    }

    #[test]
    fn a_byte_order_mark_is_no_fault() {
        let text = format!("\u{feff}{}", to_json(&example::comments()).unwrap());
        assert_eq!(read(text.as_bytes()).unwrap().fingerprints.len(), 1);
    }

    proptest! {
        #[test]
        fn any_bytes_end_in_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            // Foreign bytes are never a baseline, and never cause a panic.
            prop_assert!(read(&bytes).is_err());
        }

        #[test]
        fn a_cut_or_changed_result_never_holds_what_was_not_there(at in 0_usize..8_000, byte in any::<u8>()) {
            let whole = of_json(&example::changes_requested()).unwrap();
            let mut bytes = to_json(&example::changes_requested()).unwrap().into_bytes();
            let at = at % bytes.len();
            prop_assert!(read(&bytes[..at.saturating_sub(1)]).is_err());
            bytes[at] = byte;
            if let Ok(held) = read(&bytes) {
                prop_assert!(held.fingerprints.difference(&whole.fingerprints).count() <= 1);
                prop_assert!(held.fingerprints.len() + 1 >= whole.fingerprints.len());
            }
        }
    }
}
