//! Finds every error of a document, not just the first.
//!
//! A refused value is removed and the rest judged again, until nothing is refused. So each judge stays a function
//! that stops at its first error, and together they report all errors. A value that lost a part this way is not
//! refused for lacking it.

use serde_json::Value;

use super::document::Position;
use super::error::{ConfigError, FaultLocation};
use super::key::{KeyPath, Segment};

/// Maximum number of errors of one file; further ones are reported once these are fixed.
const MOST: usize = 50;

/// The rest of a document after a survey, and its errors.
#[derive(Debug)]
pub(super) struct Survey<T> {
    /// The judge's result for the rest; `None` if a refused value could not be removed.
    pub(super) judged: Option<T>,
    /// The document without refused values.
    pub(super) value: Value,
    /// The errors, in the order in which they were found.
    pub(super) errors: Vec<ConfigError>,
    /// Paths of the removed values in the original document.
    pub(super) taken: Vec<KeyPath>,
}

/// Returns the location of the value at a path.
pub(super) type LocationOf<'a> = &'a dyn Fn(&KeyPath) -> FaultLocation;

/// Judges a value, given the locations of its parts and the paths removed from it; stops at its first error.
pub(super) type SettingCheck<'a, T> =
    &'a dyn Fn(&Value, LocationOf<'_>, &[KeyPath]) -> Result<T, ConfigError>;

/// Judges a value, removes what is refused, and judges the rest. `taken`: the paths removed before.
pub(super) fn survey<T>(
    value: &Value,
    taken: Vec<KeyPath>,
    place: LocationOf<'_>,
    judge: SettingCheck<'_, T>,
) -> Survey<T> {
    let mut survey = Survey { judged: None, value: value.clone(), errors: Vec::new(), taken };
    let nowhere = |_: &KeyPath| FaultLocation::File(None, Position { line: 1, column: 1 });
    while survey.errors.len() < MOST {
        let error = match judge(&survey.value, &nowhere, &survey.taken) {
            Ok(judged) => {
                survey.judged = Some(judged);
                break;
            }
            Err(error) => error,
        };
        let Some(now) = error.path().cloned() else {
            survey.errors.push(error);
            break;
        };
        let path = survey.original(&now);
        if !survey.taken.iter().any(|taken| taken.is_within(&path)) {
            survey.errors.push(error.at(&path, place));
        }
        if !survey.take(&now) {
            break;
        }
    }
    survey
}

impl<T> Survey<T> {
    /// Converts a path within the rest to its path in the original document.
    fn original(&self, path: &KeyPath) -> KeyPath {
        let mut original = KeyPath::root();
        for segment in path.segments() {
            original = match segment {
                Segment::Key(key) => original.key(key),
                Segment::Index(index) => {
                    let mut gone: Vec<usize> = (self.taken.iter())
                        .filter(|taken| taken.parent().as_ref() == Some(&original))
                        .filter_map(|taken| match taken.segments().last() {
                            Some(Segment::Index(index)) => Some(*index),
                            Some(Segment::Key(_)) | None => None,
                        })
                        .collect();
                    gone.sort_unstable();
                    let shift = |at: usize, gone: usize| if gone <= at { at + 1 } else { at };
                    original.index(gone.into_iter().fold(*index, shift))
                }
            };
        }
        original
    }

    /// Removes the value at a path, or the value that should have contained it; `false` if that is the whole
    /// document.
    fn take(&mut self, path: &KeyPath) -> bool {
        let Some((last, above)) = path.segments().split_last() else {
            return false;
        };
        let original = self.original(path);
        let holder = above.iter().try_fold(&mut self.value, |value, segment| match segment {
            Segment::Key(key) => value.get_mut(key),
            Segment::Index(index) => value.get_mut(*index),
        });
        let is_gone = match (holder, last) {
            (Some(Value::Object(members)), Segment::Key(key)) => {
                members.shift_remove(key).is_some()
            }
            (Some(Value::Array(elements)), Segment::Index(index)) if *index < elements.len() => {
                elements.remove(*index);
                true
            }
            _ => false,
        };
        if is_gone {
            self.taken.push(original);
            return true;
        }
        path.parent().is_some_and(|parent| self.take(&parent))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Refuses every text `bad`, in order, and every object without members.
    fn judge(value: &Value, place: LocationOf<'_>, _: &[KeyPath]) -> Result<(), ConfigError> {
        fn find(value: &Value, path: &KeyPath) -> Option<KeyPath> {
            match value {
                Value::String(text) if text == "bad" => Some(path.clone()),
                Value::Object(members) if members.is_empty() => Some(path.clone()),
                Value::Object(members) => {
                    (members.iter()).find_map(|(key, value)| find(value, &path.key(key)))
                }
                Value::Array(elements) => (elements.iter().enumerate())
                    .find_map(|(index, value)| find(value, &path.index(index))),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            }
        }
        find(value, &KeyPath::root()).map_or(Ok(()), |path| {
            Err(ConfigError::Invalid { place: place(&path), path, message: String::new() })
        })
    }

    fn found(value: &Value) -> (Vec<String>, Value) {
        let place = |path: &KeyPath| FaultLocation::Flag(path.to_string());
        let survey = survey(value, Vec::new(), &place, &judge);
        let paths = survey.errors.iter().map(|error| {
            // The location was requested with the same path.
            assert!(error.to_string().starts_with(&error.path().unwrap().to_string()));
            error.path().unwrap().to_string()
        });
        (paths.collect(), survey.value)
    }

    #[test]
    fn elements_keep_the_numbers_that_they_have_in_the_file() {
        let value =
            json!({ "a": ["bad", 1, "bad", "bad", 2], "b": "bad", "c": [["x", "bad"], "bad"] });
        let (paths, rest) = found(&value);
        assert_eq!(paths, ["a[0]", "a[2]", "a[3]", "b", "c[0][1]", "c[1]"]);
        assert_eq!(rest, json!({ "a": [1, 2], "c": [["x"]] }));
    }

    #[test]
    fn what_is_empty_only_because_of_another_error_is_not_blamed() {
        let (paths, rest) = found(&json!({ "a": { "b": "bad" }, "c": {}, "d": 1 }));
        assert_eq!(paths, ["a.b", "c"]);
        assert_eq!(rest, json!({ "d": 1 }));
    }

    #[test]
    fn there_is_an_end_of_it() {
        let many = Value::from(vec!["bad"; 10_000]);
        assert_eq!(found(&many).0.len(), MOST);
    }
}
