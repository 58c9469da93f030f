//! A case: a task, and what is right. `docs/eval.md` has the form of its file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ordered::BTreeMap;
use crate::protocol::review::Severity;
use crate::text::json::{Malformed, parse, typed};

/// A case by what is asked. All have a stratum, by which results are grouped, and a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the members are those of the file")]
pub enum Case {
    /// A change, and what is wrong with it: nothing with a clean one.
    Review { stratum: String, source: BTreeMap<String, String>, defects: Vec<Defect> },
    /// A question, and which of its options is right.
    Question {
        stratum: String,
        source: BTreeMap<String, String>,
        question: String,
        options: Vec<String>,
        answer: String,
    },
    /// Items, and which are better: not evaluated yet.
    Ranking { stratum: String, source: BTreeMap<String, String>, items: Value, pairs: Value },
    /// A document, and what it lacks: not evaluated yet.
    Document { stratum: String, source: BTreeMap<String, String>, gaps: Value },
}

/// A defect of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Defect {
    /// The path from the top, after the change.
    pub file: String,
    /// The first line after the change, from 1.
    pub from: u32,
    /// The last line, inclusive.
    pub to: u32,
    pub what: String,
    pub severity: Severity,
}

impl Case {
    /// Reads the text of a `case.json`.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn read(text: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let case: Self = typed(&parse(text)?)?;
        let fault = match &case {
            Self::Question { options, answer, .. } if !options.contains(answer) => {
                Malformed::at("answer", "it is not one of the options")
            }
            Self::Review { defects, .. }
                if defects.iter().any(|defect| defect.from == 0 || defect.to < defect.from) =>
            {
                Malformed::at("defects", "lines count from 1, and `to` is not before `from`")
            }
            _ => return Ok(case),
        };
        Err(fault.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_read_strictly() {
        let read = |rest: &str| {
            Case::read(&format!(r#"{{"stratum": "s", "source": {{"how": "h"}}, {rest}}}"#))
        };
        assert!(read(r#""kind": "review", "defects": []"#).is_ok());
        assert!(read(r#""kind": "document", "gaps": [{"quote": null, "what": "w"}]"#).is_ok());
        for (rest, says) in [
            (r#""kind": "review", "defects": [], "more": 1"#, "unknown field `more`"),
            (r#""kind": "essay""#, "unknown variant `essay`"),
            (
                r#""kind": "question", "question": "q", "options": ["a", "b"], "answer": "c""#,
                "answer: it is not one of the options",
            ),
            (
                r#""kind": "review", "defects": [{"file": "f", "from": 3, "to": 2, "what": "w", "severity": "P1"}]"#,
                "defects: lines count",
            ),
        ] {
            let error = read(rest).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
