//! Perspectives' answers on one artifact, their failures, and a meeting point for all of them.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Run, Sandbox};

/// The path of the artifact.
pub(crate) const BRIEF: &str = "docs/brief.md";

/// The context that `coverage` checks it against.
pub(crate) const CONTEXT: &str = "spec/discovery-context.json";

/// The default perspectives, in order, with a context.
pub(crate) const FIVE: [&str; 5] = ["product", "technical", "quality", "risk", "coverage"];

/// The perspectives that need no context.
pub(crate) const FOUR: [&str; 4] = ["product", "technical", "quality", "risk"];

/// A critique with this rating that raises nothing; it includes the required risks and coverage of those that have to
/// give them.
pub(crate) fn critique(rating: u8) -> Value {
    json!({
        "strengths": [], "weaknesses": [], "suggestions": [], "rating": rating,
        "risk_level": "low", "risks": [], "covered": [], "missing_requirements": [],
    })
}

/// The same with some fields given.
pub(crate) fn critique_with(rating: u8, fields: Value) -> Value {
    let mut critique = critique(rating);
    let Value::Object(fields) = fields else {
        panic!("fields of a critique are an object: {fields}");
    };
    let object = critique.as_object_mut().unwrap();
    for (name, value) in fields {
        // `null` means that the field is missing.
        if value.is_null() {
            object.remove(&name);
        } else {
            object.insert(name, value);
        }
    }
    critique
}

fn file(perspective: &str, extension: &str) -> String {
    format!("r1_{perspective}.{extension}")
}

impl Sandbox {
    /// Creates a project with an artifact and a context. By default, every perspective rates 4 and raises nothing.
    pub(crate) fn discussing() -> Self {
        let sandbox = Self::new().env("DEBATE_AGENT_FALLBACK", "true");
        sandbox.artifact(
            BRIEF,
            "# Product brief\n\n## Goals\n\nMove the cache out of the process, so that it survives a restart.\n\n## Risks\n\nTBD\n",
        );
        sandbox.context(&["The cache survives a restart.", "Two processes share it."]);
        sandbox
    }

    pub(crate) fn artifact(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        self.write(name, text)
    }

    /// Writes the context with these requirements.
    pub(crate) fn context(&self, requirements: &[&str]) -> PathBuf {
        let context = json!({"seed_analysis": {"constraints": requirements}});
        self.write(CONTEXT, context.to_string())
    }

    /// Makes a perspective give this critique.
    pub(crate) fn critic(self, perspective: &str, critique: &Value) -> Self {
        self.says(&format!("r1/{perspective}"), "CRITIQUE", critique)
    }

    /// Makes perspectives give these ratings, and raise nothing: `&[("product", 4), ("risk", 2)]`.
    pub(crate) fn rates(self, ratings: &[(&str, u8)]) -> Self {
        (ratings.iter()).fold(self, |sandbox, (perspective, rating)| {
            sandbox.critic(perspective, &critique(*rating))
        })
    }

    /// Makes a perspective answer this text, whichever agent is asked and however often.
    pub(crate) fn babbles(self, perspective: &str, text: &str) -> Self {
        self.fake(&file(perspective, "txt"), text)
    }

    /// Makes a CLI fail at a perspective (`not_logged_in`, `server_error`, ...); others answer it.
    pub(crate) fn fails_at(self, cli: &str, perspective: &str, error: &str) -> Self {
        let script = format!("[ \"$cli\" != {cli} ] || error={error}");
        self.fake(&file(perspective, "sh"), &script)
    }

    /// Makes a perspective fail, whichever agent is asked.
    pub(crate) fn fails(self, perspective: &str, error: &str) -> Self {
        self.fake(&file(perspective, "sh"), &format!("error={error}"))
    }

    /// Makes a CLI fail at everything.
    pub(crate) fn breaks(self, cli: &str, error: &str) -> Self {
        self.fake(&format!("{cli}.json"), &json!({ "error": error }).to_string())
    }

    /// Makes each of these perspectives answer only when all of them have been asked; if they are not within two
    /// minutes, each fails, so that a run which asks them one after the other ends undecided.
    pub(crate) fn meet(self, perspectives: &[&str]) -> Self {
        let script = format!(
            "mkdir -p \"$fake/met\"; : >\"$fake/met/$turn\"; waited=0\n\
             until [ \"$(ls \"$fake/met\" | wc -l)\" -ge {} ]; do\n\
             waited=$((waited + 1)); [ $waited -lt 2400 ] || exit 9; sleep 0.05\n\
             done",
            perspectives.len()
        );
        (perspectives.iter())
            .fold(self, |sandbox, perspective| sandbox.fake(&file(perspective, "sh"), &script))
    }

    /// Counts the calls whose result is in the newest session's journal.
    pub(crate) fn results(&self) -> usize {
        let Some(session) = self.sessions().pop() else {
            return 0;
        };
        let text = std::fs::read_to_string(session.join("journal.jsonl")).unwrap_or_default();
        text.matches("\"call.result\"").count()
    }

    /// Discusses the artifact with JSON as the result.
    pub(crate) fn discuss(&self, more: &[&str]) -> Run {
        self.run(&[&["discuss", BRIEF, "--json"], more].concat())
    }

    /// Discusses the artifact and returns the document, which fits the published schema.
    #[track_caller]
    pub(crate) fn discussed(&self, more: &[&str], code: i32) -> Value {
        let run = self.discuss(more);
        let document = run.exits(code).json();
        self.is_of("discuss", &document);
        document
    }

    /// Asserts that a document matches `schema NAME`.
    #[track_caller]
    pub(crate) fn is_of(&self, name: &str, document: &Value) {
        let schema = self.run(&["schema", name]).exits(0).json();
        let schema = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            (schema.iter_errors(document)).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }

    /// Returns the lines of the follow-up policy's file in a folder of the project.
    pub(crate) fn policy(&self, folder: &str) -> Vec<Value> {
        let path = self.project().join(folder).join("policy.jsonl");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Returns a perspective's seat in a document.
pub(crate) fn seat<'a>(document: &'a Value, perspective: &str) -> &'a Value {
    let mut seats = document["seats"].as_array().unwrap().iter();
    let found = seats.find(|seat| seat["role"] == perspective);
    found.unwrap_or_else(|| panic!("no seat `{perspective}`: {}", document["seats"]))
}
