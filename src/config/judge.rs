//! Judges values: types and unknown keys, ranges, names that must exist, keys that only the user may set.

use serde_json::Value;

use super::error::{ConfigError, FaultLocation, nearest};
use super::key::{KeyPath, Segment};
use super::layers::{Layer, at, leaves};
use super::schema::Config;
use super::setting::{bounds, known_keys, project};
use super::words::plain;
use super::{DEFAULT, document, validate};

pub(super) type LocationOf<'a> = &'a dyn Fn(&KeyPath) -> FaultLocation;

/// Refuses dangerous flags outside the user's own file.
pub(super) fn refuse_dangerous(
    value: &Value,
    layer: Layer,
    place: LocationOf<'_>,
) -> Result<(), ConfigError> {
    let refused = |path: &KeyPath| {
        project(path) == Some("refused") && at(value, path) == Some(&Value::Bool(true))
    };
    match leaves(value).into_iter().find(refused).filter(|_| layer != Layer::User) {
        Some(path) => Err(ConfigError::UserOnly { place: place(&path), path, layer }),
        None => Ok(()),
    }
}

/// Judges the result of all layers.
pub(super) fn judge_all(value: &Value, place: LocationOf<'_>) -> Result<Config, ConfigError> {
    let config = judged(value, place)?;
    validate::references(&config).map_err(|fault| invalid(fault, place))?;
    Ok(config)
}

pub(super) fn invalid(
    fault: validate::Fault,
    place: &dyn Fn(&KeyPath) -> FaultLocation,
) -> ConfigError {
    ConfigError::Invalid { place: place(&fault.path), path: fault.path, message: fault.message }
}

/// Refuses `null`: the types would read it as absent, which a reader of the file cannot see. Expected values of
/// `output` may be null.
pub(super) fn refuse_null(
    value: &Value,
    path: &KeyPath,
    place: &dyn Fn(&KeyPath) -> FaultLocation,
) -> Result<(), ConfigError> {
    match value {
        Value::Null if !matches!(path.keys()[..], ["agents", _, "output", ..]) => {
            Err(ConfigError::Invalid {
                place: place(path),
                path: path.clone(),
                message: "is null; leave the key out instead".to_owned(),
            })
        }
        Value::Object(members) => {
            members.iter().try_for_each(|(key, member)| refuse_null(member, &path.key(key), place))
        }
        Value::Array(elements) => elements
            .iter()
            .enumerate()
            .try_for_each(|(index, element)| refuse_null(element, &path.index(index), place)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}

/// Converts JSON to the types, and judges each value by itself. Values that are not set have their defaults.
pub(super) fn judged(value: &Value, place: LocationOf<'_>) -> Result<Config, ConfigError> {
    let config = typed(value, place)?;
    within_bounds(value, &KeyPath::root())
        .and_then(|()| validate::values(&config))
        .map_err(|fault| invalid(fault, place))?;
    Ok(config)
}

/// Judges the numbers by their declared bounds.
fn within_bounds(value: &Value, path: &KeyPath) -> Result<(), validate::Fault> {
    match value {
        Value::Object(members) => {
            members.iter().try_for_each(|(key, member)| within_bounds(member, &path.key(key)))
        }
        Value::Number(number) => match (bounds(path), number.as_f64()) {
            (Some((least, most)), Some(found)) if !(least..=most).contains(&found) => {
                let message = format!("must be between {least} and {most}, {number} found");
                Err(validate::Fault { path: path.clone(), message })
            }
            _ => Ok(()),
        },
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) => Ok(()),
    }
}

/// Adds the values that are not set, from the default.
fn with_defaults(value: &Value, default: &Value) -> Value {
    let (Value::Object(set), Value::Object(all)) = (value, default) else {
        return value.clone();
    };
    let mut whole = set.clone();
    for (key, usual) in all {
        let filled =
            set.get(key).map_or_else(|| usual.clone(), |value| with_defaults(value, usual));
        whole.insert(key.clone(), filled);
    }
    Value::Object(whole)
}

/// Converts JSON to the types. Unknown keys are looked for first: the hint needs the schema, not serde's message.
fn typed(value: &Value, place: LocationOf<'_>) -> Result<Config, ConfigError> {
    let error = match serde_path_to_error::deserialize::<_, Config>(&with_defaults(value, &DEFAULT))
    {
        Ok(config) => return Ok(config),
        Err(error) => error,
    };
    if let Some((path, known)) = unknown_key(value, &KeyPath::root()) {
        let wrong = match path.segments().last() {
            Some(Segment::Key(key)) => key.as_str(),
            Some(Segment::Index(_)) | None => "",
        };
        return Err(ConfigError::UnknownKey {
            place: place(&path),
            nearest: nearest(wrong, known.iter().map(String::as_str)),
            path,
        });
    }
    let path = KeyPath::from(error.path());
    Err(ConfigError::Invalid {
        place: place(&path),
        message: format!(
            "is wrong: {}",
            plain(&document::without_place(&error.inner().to_string()))
        ),
        path,
    })
}

fn unknown_key(value: &Value, path: &KeyPath) -> Option<(KeyPath, Vec<String>)> {
    let members = value.as_object()?;
    let known = known_keys(path);
    members.iter().find_map(|(key, member)| {
        let here = path.key(key);
        match &known {
            Some(known) if !known.contains(key) => Some((here, known.clone())),
            Some(_) | None => unknown_key(member, &here),
        }
    })
}
