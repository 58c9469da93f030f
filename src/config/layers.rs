//! Layers of configuration, and how they are merged.
//!
//! Objects are merged key by key; everything else, arrays included, is replaced as a whole. Each leaf (a value that
//! is not an object, or an empty object) remembers the layer that set it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::document::Position;
use super::key::KeyPath;

/// The layers, low to high. The order is the precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The defaults inside the program.
    Embedded,
    /// `$XDG_CONFIG_HOME/debate-agent/config.json`.
    User,
    /// `debate-agent.config.json`, from the working directory up to the repository's root.
    Project,
    /// `--config FILE`.
    File,
    /// `DEBATE_AGENT_*`.
    Variable,
    /// The command line.
    Flag,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Embedded => "the embedded default",
            Self::User => "the user's file",
            Self::Project => "the project's file",
            Self::File => "the file of --config",
            Self::Variable => "the environment",
            Self::Flag => "the command line",
        })
    }
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Source {
    /// The layer.
    pub layer: Layer,
    /// The file, where the layer is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The variable or flag, where the layer is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, &self.name) {
            (Some(file), _) => {
                write!(f, "{}", file.display())?;
                match self.position {
                    Some(at) => write!(f, ":{}", at.line),
                    None => Ok(()),
                }
            }
            (None, Some(name)) => f.write_str(name),
            (None, None) => f.write_str("default"),
        }
    }
}

/// A value with the source of each of its leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct MergedValue<S> {
    /// The merged value.
    pub value: Value,
    /// The source of each leaf.
    pub sources: BTreeMap<KeyPath, S>,
}

impl<S: Clone> MergedValue<S> {
    /// Creates the lowest layer; `source` returns the source of each leaf.
    pub fn new(value: Value, source: impl Fn(&KeyPath) -> S) -> Self {
        let mut sources = BTreeMap::new();
        for leaf in leaves(&value) {
            let from = source(&leaf);
            sources.insert(leaf, from);
        }
        Self { value, sources }
    }

    /// Lays `upper` over this value. Associative for layers that agree on which values are objects, as they do once
    /// each has been judged against the schema.
    #[must_use]
    pub fn under(mut self, upper: Self) -> Self {
        lay(&mut self.value, upper.value, &KeyPath::root(), &mut self.sources, &upper.sources);
        self
    }
}

fn lay<S: Clone>(
    lower: &mut Value,
    upper: Value,
    path: &KeyPath,
    sources: &mut BTreeMap<KeyPath, S>,
    from: &BTreeMap<KeyPath, S>,
) {
    match (lower, upper) {
        (Value::Object(below), Value::Object(above)) => {
            if !above.is_empty() {
                // An empty object that gets members is no longer a leaf.
                sources.remove(path);
            } else if below.is_empty() {
                sources.extend(from.get_key_value(path).map(|(k, s)| (k.clone(), s.clone())));
            }
            for (key, value) in above {
                let member = path.key(&key);
                if let Some(old) = below.get_mut(&key) {
                    lay(old, value, &member, sources, from);
                } else {
                    adopt(&member, sources, from);
                    below.insert(key, value);
                }
            }
        }
        (slot, value) => {
            sources.retain(|leaf, _| !leaf.is_within(path));
            adopt(path, sources, from);
            *slot = value;
        }
    }
}

/// Takes over the sources of everything at or below `path`.
fn adopt<S: Clone>(
    path: &KeyPath,
    sources: &mut BTreeMap<KeyPath, S>,
    from: &BTreeMap<KeyPath, S>,
) {
    for (leaf, source) in from.range(path.clone()..) {
        if !leaf.is_within(path) {
            break;
        }
        sources.insert(leaf.clone(), source.clone());
    }
}

/// Returns the leaves of a value: everything that is not an object with members.
pub fn leaves(value: &Value) -> Vec<KeyPath> {
    fn walk(value: &Value, path: KeyPath, found: &mut Vec<KeyPath>) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (key, member) in members {
                    walk(member, path.key(key), found);
                }
            }
            _ => found.push(path),
        }
    }
    let mut found = Vec::new();
    walk(value, KeyPath::root(), &mut found);
    found
}

/// Returns the value at a path.
pub fn at<'a>(value: &'a Value, path: &KeyPath) -> Option<&'a Value> {
    use super::key::Segment;
    path.segments().iter().try_fold(value, |here, segment| match segment {
        Segment::Key(key) => here.get(key),
        Segment::Index(index) => here.get(index),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn layer(value: Value, name: char) -> MergedValue<char> {
        MergedValue::new(value, |_| name)
    }

    #[test]
    fn objects_are_merged_and_everything_else_is_replaced() {
        let low = layer(json!({"a": {"x": 1, "y": [1, 2]}, "b": {"c": 1}, "e": {}}), 'l');
        let high = layer(json!({"a": {"y": [3]}, "b": 7, "e": {"f": {}}}), 'h');
        let merged = low.under(high);
        assert_eq!(merged.value, json!({"a": {"x": 1, "y": [3]}, "b": 7, "e": {"f": {}}}));
        let sources: Vec<String> =
            merged.sources.iter().map(|(path, source)| format!("{path}={source}")).collect();
        assert_eq!(sources, ["a.x=l", "a.y=h", "b=h", "e.f=h"]);
    }

    /// Generates layers of one schema: `x` and `y` are never objects, `o` and `p` always are.
    fn objects() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            (0..3_i32).prop_map(Value::from),
            prop::collection::vec(0..3_i32, 0..2).prop_map(Value::from),
        ];
        let flat = prop::collection::btree_map("[xy]", leaf.clone(), 0..3)
            .prop_map(|members| Value::Object(members.into_iter().collect()));
        flat.prop_recursive(3, 12, 2, move |inner| {
            let leaves = prop::collection::btree_map("[xy]", leaf.clone(), 0..3);
            let objects = prop::collection::btree_map("[op]", inner, 0..3);
            (leaves, objects).prop_map(|(leaves, objects)| {
                Value::Object(leaves.into_iter().chain(objects).collect())
            })
        })
    }

    proptest! {
        #[test]
        fn laying_layers_over_each_other_is_associative(a in objects(), b in objects(), c in objects()) {
            let (a, b, c) = (layer(a, 'a'), layer(b, 'b'), layer(c, 'c'));
            let left = a.clone().under(b.clone()).under(c.clone());
            let right = a.under(b.under(c));
            prop_assert_eq!(&left.value, &right.value);
            prop_assert_eq!(&left.sources, &right.sources);
        }

        #[test]
        fn every_leaf_has_exactly_one_source(a in objects(), b in objects()) {
            let merged = layer(a, 'a').under(layer(b, 'b'));
            let mut found = leaves(&merged.value);
            found.sort();
            prop_assert_eq!(found, merged.sources.keys().cloned().collect::<Vec<_>>());
        }

        #[test]
        fn a_layer_over_itself_changes_nothing(a in objects()) {
            let a = layer(a, 'a');
            prop_assert_eq!(a.clone().under(a.clone()), a);
        }
    }
}
