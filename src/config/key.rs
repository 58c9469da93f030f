//! Keys of a configuration: `agents.claude.args[1]`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// All variables that are read, with the keys they set.
///
/// `DEBATE_AGENT_TIMEOUT` corresponds to `--timeout`: it overrides every configured time limit.
pub const NAMES: [(&str, &str); 7] = [
    ("DEBATE_AGENT_BUDGET", "limits.budget_usd"),
    ("DEBATE_AGENT_TIMEOUT", "limits.timeout_seconds"),
    ("DEBATE_AGENT_DEADLINE", "limits.deadline_seconds"),
    ("DEBATE_AGENT_MAX_PARALLEL", "limits.max_parallel"),
    ("DEBATE_AGENT_MAX_ROUNDS", "backlog.max_rounds"),
    ("DEBATE_AGENT_REPAIR", "limits.repair"),
    ("DEBATE_AGENT_FALLBACK", "limits.fallback"),
];

/// One step into a JSON value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A member of an object.
    Key(String),
    /// An element of an array, from 0.
    Index(usize),
}

/// The path from the root of a configuration to one value. The empty path is the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct KeyPath(Vec<Segment>);

impl KeyPath {
    /// Returns the empty path.
    pub const fn root() -> Self {
        Self(Vec::new())
    }

    /// Creates a path of object keys.
    pub fn of<S: AsRef<str>>(keys: impl IntoIterator<Item = S>) -> Self {
        Self(keys.into_iter().map(|key| Segment::Key(key.as_ref().to_owned())).collect())
    }

    /// Returns the path of a member.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        self.push(Segment::Key(name.to_owned()))
    }

    /// Returns the path of an array's element.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.push(Segment::Index(index))
    }

    fn push(&self, segment: Segment) -> Self {
        let mut segments = self.0.clone();
        segments.push(segment);
        Self(segments)
    }

    /// Returns the path of the enclosing value; `None` at the root.
    pub fn parent(&self) -> Option<Self> {
        let (_, rest) = self.0.split_last()?;
        Some(Self(rest.to_vec()))
    }

    /// Returns the steps from the root.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Returns the object keys of the path, up to the first array index.
    pub fn keys(&self) -> Vec<&str> {
        self.0
            .iter()
            .map_while(|segment| match segment {
                Segment::Key(key) => Some(key.as_str()),
                Segment::Index(_) => None,
            })
            .collect()
    }

    /// Returns whether this path equals `other` or is below it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0)
    }
}

impl fmt::Display for KeyPath {
    /// Writes `a.b[0]`; a key that is not a plain word is quoted, so that no two paths look alike.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("(the whole file)");
        }
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) => {
                    if at > 0 {
                        f.write_str(".")?;
                    }
                    if !key.is_empty()
                        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
                    {
                        f.write_str(key)?;
                    } else {
                        write!(f, "{key:?}")?;
                    }
                }
                Segment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl JsonSchema for KeyPath {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "KeyPath".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "description": "A key, as in `agents.claude.path`" })
    }
}

impl Serialize for KeyPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl From<&serde_path_to_error::Path> for KeyPath {
    fn from(path: &serde_path_to_error::Path) -> Self {
        use serde_path_to_error::Segment as From;
        Self(
            path.iter()
                .filter_map(|segment| match segment {
                    From::Seq { index } => Some(Segment::Index(*index)),
                    From::Map { key } => Some(Segment::Key(key.clone())),
                    From::Enum { .. } | From::Unknown => None,
                })
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_reads_as_in_javascript_and_is_never_ambiguous() {
        let path = KeyPath::of(["agents", "claude", "args"]).index(1);
        assert_eq!(path.to_string(), "agents.claude.args[1]");
        assert_eq!(KeyPath::of(["agents", "gpt.5", "path"]).to_string(), r#"agents."gpt.5".path"#);
        assert_ne!(KeyPath::of(["a.b"]).to_string(), KeyPath::of(["a", "b"]).to_string());
        assert_eq!(
            KeyPath::of(["\u{1b}[31m"]).to_string(),
            r#""\u{1b}[31m""#,
            "a key cannot colour the terminal"
        );
    }

    #[test]
    fn a_value_lies_within_what_holds_it() {
        let path = KeyPath::of(["agents", "claude"]);
        assert!(path.key("path").is_within(&path));
        assert!(path.is_within(&path));
        assert!(!KeyPath::of(["agents", "claude2"]).is_within(&path));
        assert_eq!(path.key("path").parent(), Some(path));
    }
}
