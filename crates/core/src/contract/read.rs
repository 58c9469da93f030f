//! Reads the value of a field by its declaration.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::entry::Entry;
use super::field::{Absence, Class, Field, Item, Kind, Overflow, Spec, Word};
use super::generous;
use crate::kernel::share::Share;
use crate::text::{fence, sanitize, written};

/// Why a value is rejected.
pub struct Rejection {
    /// A stable name.
    pub code: &'static str,
    /// The expected and the given value; begins with the key.
    pub message: String,
}

impl Rejection {
    /// Creates a fault.
    pub const fn new(code: &'static str, message: String) -> Self {
        Self { code, message }
    }
}

/// A type that a field can hold.
pub trait FieldType: Sized {
    /// Whether the type has an empty value; if not, a field that may be missing declares its default.
    const HAS_NONE: bool = true;

    /// Reads a value that is not `null`. `Ok(None)`: it counts as missing.
    ///
    /// # Errors
    /// The value is rejected.
    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection>;

    /// Returns the value of a field that is missing, or of an entry that is left out.
    fn none(spec: &Spec) -> Self;
}

/// An object declared with [`declare!`](crate::declare).
pub trait Declaration: Sized + 'static {
    /// Its declaration.
    const ITEM: &'static Item;

    /// Reads it; if something required is missing, the entry has a fault.
    fn read(entry: &mut Entry<'_>) -> Self;
}

/// Declares an object together with its Rust type: each field with the values it accepts.
///
/// ```
/// use debate_core::contract::field::{line, texts, word};
///
/// debate_core::words! {
///     enum Size { Small = "small", Large = "large" }
/// }
///
/// debate_core::declare! {
///     /// One thing to do.
///     struct Task as "task" {
///         /// What it is called.
///         title: String = line(80).shown("<one line>"),
///         /// How large it is.
///         size: Size = word(),
///         /// What it touches.
///         files: Vec<String> = texts(20, 200).shown("<path>"),
///     }
/// }
/// ```
///
/// A function after the noun (`as "task", then checked`) checks each object that was read, and may change it or
/// report its faults: `fn(&mut Task, &mut Entry<'_>)`.
#[macro_export]
macro_rules! declare {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(as $noun:literal)? $(, then $check:path)? {
            $($(#[$doc:meta])* $field_vis:vis $field:ident: $type:ty = $declared:expr),* $(,)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$doc])* $field_vis $field: $type,)*
        }

        impl $crate::contract::Declaration for $name {
            const ITEM: &'static $crate::contract::field::Item = &$crate::contract::field::Item {
                noun: concat!($($noun)?),
                fields: &[$({
                    const FIELD: $crate::contract::field::Field<$type> = $declared;
                    FIELD.named(stringify!($field)).spec
                }),*],
            };

            fn read(entry: &mut $crate::contract::Entry<'_>) -> Self {
                let said = Self {
                    $($field: {
                        const FIELD: $crate::contract::field::Field<$type> = $declared;
                        entry.field(&FIELD.named(stringify!($field)))
                    },)*
                };
                $(let said = $crate::contract::read::checked(said, entry, $check);)?
                said
            }
        }
    };
}

/// Checks an object that was read.
#[doc(hidden)]
pub fn checked<T>(mut said: T, entry: &mut Entry<'_>, check: fn(&mut T, &mut Entry<'_>)) -> T {
    check(&mut said, entry);
    said
}

/// Describes the values a field accepts.
pub(super) fn must_be(spec: &Spec) -> String {
    let key = spec.key;
    match spec.kind {
        Kind::Line(_) | Kind::Text(_) | Kind::Code(_) | Kind::Id(_) => {
            format!("`{key}` must be text")
        }
        Kind::Name(most) => format!("`{key}` must be text of 1 to {most} characters"),
        Kind::Word(words) => format!("`{key}` must be one of {}", words().join(", ")),
        Kind::Number { least, most, .. } => {
            format!("`{key}` must be a number from {least} to {most}")
        }
        Kind::Whole { least, most } => {
            format!("`{key}` must be a whole number from {least} to {most}")
        }
        Kind::Share => format!("`{key}` must be a number from 0 to 1"),
        Kind::Flag => format!("`{key}` must be true or false"),
        Kind::LineNumber => format!("`{key}` must be a line number from 1"),
        Kind::Texts { .. } => format!("`{key}` must be an array of strings"),
        Kind::Entries { .. } => format!("`{key}` must be a JSON array"),
        Kind::Groups(_) => format!("`{key}` must be an array of arrays of strings"),
        Kind::Map => format!("`{key}` must be a JSON object"),
        Kind::Json => format!("`{key}` must be given: text, or any other JSON"),
        Kind::Ours => format!("`{key}` is set by the program; ignored"),
    }
}

/// Formats the fault of a text that repeats the template.
pub(super) fn repeated(key: &str) -> String {
    format!("`{key}` repeats what the template shows")
}

/// Creates the fault of a value of the wrong type.
pub fn wrong_type(spec: &Spec) -> Rejection {
    Rejection::new("wrong_type", must_be(spec))
}

/// Creates the fault of a value that is none of those accepted, and names it.
fn not_one(code: &'static str, value: &Value, spec: &Spec) -> Rejection {
    let given = sanitize::line(&written_as(value), 40);
    Rejection::new(code, format!("{}, not `{given}`", must_be(spec)))
}

fn written_as(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl FieldType for String {
    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        let text = match (value, spec.kind) {
            (Value::String(text), _) => text,
            (Value::Number(number), Kind::Name(_)) if number.is_u64() => {
                entry.note("id_normalised", &format!("the {} {number} is a number", spec.key));
                number.to_string()
            }
            (other, _) => match generous::text(&other, spec) {
                Some((text, was)) => {
                    let message = format!("`{}` was given as {was} and read as text", spec.key);
                    entry.note("text_normalised", &message);
                    text
                }
                None => return Err(wrong_type(spec)),
            },
        };
        let text = match spec.kind {
            Kind::Text(most) => shortened(&as_written(&text), most, spec, entry),
            Kind::Line(most) => sanitize::line(&as_written(&text), most),
            Kind::Id(most) => sanitize::line(&text, most),
            Kind::Code(most) => code(&text, most, spec, entry),
            Kind::Name(most) => {
                let name = sanitize::line(&text, most + 1);
                if name.chars().count() > most {
                    return Err(wrong_type(spec));
                }
                name
            }
            _ => text,
        };
        Ok((!text.trim().is_empty()).then_some(text))
    }

    fn none(_: &Spec) -> Self {
        Self::new()
    }
}

/// Restores the original spelling of a text that an agent copied from its prompt. Code stays as shown: whoever looks
/// it up knows both forms.
fn as_written(text: &str) -> String {
    fence::restore_references(text).into_owned()
}

fn shortened(text: &str, most: usize, spec: &Spec, entry: &mut Entry<'_>) -> String {
    let clean = sanitize::terminal(text);
    let clean = clean.trim();
    let chars = clean.chars().count();
    if chars <= most {
        return clean.to_owned();
    }
    too_long(chars, most, spec, entry);
    clean.chars().take(most - 1).chain(['…']).collect()
}

fn too_long(chars: usize, most: usize, spec: &Spec, entry: &mut Entry<'_>) {
    let key = spec.key;
    entry.note("shortened", &format!("`{key}` has {chars} characters, over the limit of {most}"));
}

fn code(text: &str, most: usize, spec: &Spec, entry: &mut Entry<'_>) -> String {
    let text = text.trim_end().trim_start_matches(['\n', '\r']);
    let chars = text.chars().count();
    if chars <= most {
        return text.to_owned();
    }
    too_long(chars, most, spec, entry);
    let head: String = text.chars().take(most).collect();
    let whole = head.rsplit_once('\n').map_or(&*head, |(whole, _)| whole);
    whole.trim_end().to_owned()
}

impl<T: FieldType> FieldType for Option<T> {
    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        Ok(T::read(value, spec, entry)?.map(Some))
    }

    fn none(_: &Spec) -> Self {
        None
    }
}

impl<T: Word> FieldType for T {
    const HAS_NONE: bool = false;

    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        let written = written_as(&value);
        let plain = |word: &str, other: fn(&str) -> Option<T>| {
            let word = word.trim().to_ascii_lowercase();
            let found = T::WORDS.iter().find(|each| each.word().eq_ignore_ascii_case(&word));
            found.copied().or_else(|| other(&word))
        };
        let other = |word: &str| T::alias(word).or_else(|| T::synonym(word));
        let found = plain(&written, T::alias)
            .or_else(|| written::word(&written, |word| plain(word, other)));
        let found = found.ok_or_else(|| not_one("unknown_word", &value, spec))?;
        let (key, word) = (spec.key, found.word());
        if written != word {
            let shown = sanitize::line(&written, 40);
            entry.note("word_normalised", &format!("`{key}` `{shown}` was read as `{word}`"));
        }
        Ok(Some(found))
    }

    fn none(_: &Spec) -> Self {
        // An entry without its word is left out, so this never counts.
        T::WORDS[0]
    }
}

impl FieldType for bool {
    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        if let Some(flag) = value.as_bool() {
            return Ok(Some(flag));
        }
        let said = generous::flag(&value);
        let said = said.ok_or_else(|| wrong_type(spec))?;
        let message = format!("`{}` was given as text and read as {said}", spec.key);
        entry.note("flag_normalised", &message);
        Ok(Some(said))
    }

    fn none(_: &Spec) -> Self {
        false
    }
}

/// Reads a number in its range, also one written as a text: `"4"`, `"4/5"` if 5 is the maximum, `"4 - good"`.
fn number(
    value: &Value,
    (least, most): (f64, f64),
    spec: &Spec,
    entry: &mut Entry<'_>,
) -> Result<f64, Rejection> {
    let number = match value {
        Value::String(text) => written::number(text, most),
        other => other.as_f64(),
    };
    let number = number.filter(|number| (least..=most).contains(number));
    let number = number.ok_or_else(|| not_one("out_of_range", value, spec))?;
    if value.is_string() {
        entry.note("number_normalised", &format!("`{}` was read as {number}", spec.key));
    }
    Ok(number)
}

impl FieldType for f64 {
    const HAS_NONE: bool = false;

    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        let Kind::Number { least, most, raised } = spec.kind else {
            return Err(wrong_type(spec));
        };
        let lowest = if raised { 0.0 } else { least };
        let number = number(&value, (lowest, most), spec, entry)?;
        if number < least {
            let key = spec.key;
            entry.note("number_raised", &format!("`{key}` is {number}, which counts as {least}"));
        }
        Ok(Some(number.max(least)))
    }

    fn none(spec: &Spec) -> Self {
        if let Kind::Number { least, .. } = spec.kind { least } else { 0.0 }
    }
}

impl FieldType for u8 {
    const HAS_NONE: bool = false;

    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        let Kind::Whole { least, most } = spec.kind else {
            return Err(wrong_type(spec));
        };
        let number = number(&value, (least.into(), most.into()), spec, entry)?;
        let whole = written::whole(number);
        whole.map(Some).ok_or_else(|| not_one("out_of_range", &value, spec))
    }

    fn none(spec: &Spec) -> Self {
        spec.usual.unwrap_or(0)
    }
}

impl FieldType for u32 {
    const HAS_NONE: bool = false;

    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        let (line, as_text) = match &value {
            Value::Number(number) => (number.as_u64().and_then(|line| line.try_into().ok()), false),
            Value::String(text) => (line_range(text).map(|(first, _)| first), true),
            Value::Array(lines) if lines.len() <= 2 => {
                (lines.first().and_then(Value::as_u64).and_then(|line| line.try_into().ok()), true)
            }
            _ => (None, false),
        };
        let line = line.filter(|line| *line > 0);
        let line = line.ok_or_else(|| Rejection::new("wrong_line", must_be(spec)))?;
        if as_text {
            entry.note("number_normalised", &format!("`{}` was read as {line}", spec.key));
        }
        Ok(Some(line))
    }

    fn none(_: &Spec) -> Self {
        0
    }
}

/// Reads `42`, `L42`, and `42-48`, which also names the last line.
pub fn line_range(text: &str) -> Option<(u32, Option<u32>)> {
    let line = |text: &str| {
        let text = text.trim();
        let digits = text.strip_prefix(['L', 'l']).unwrap_or(text);
        let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse::<u32>().ok())?
    };
    match text.split_once(['-', '–']) {
        Some((first, last)) => Some((line(first)?, Some(line(last)?))),
        None => Some((line(text)?, None)),
    }
}

impl FieldType for Share {
    const HAS_NONE: bool = false;

    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        let share = value.as_f64().and_then(Self::nearest);
        if share.is_some() {
            return Ok(share);
        }
        let said = generous::share(&value);
        let said = said.ok_or_else(|| not_one("out_of_range", &value, spec))?;
        let message = format!("`{}` was read as {said}", spec.key);
        entry.note("number_normalised", &message);
        Ok(Self::nearest(said))
    }

    fn none(_: &Spec) -> Self {
        Self::ZERO
    }
}

impl FieldType for Value {
    fn read(value: Value, _: &Spec, _: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        Ok(Some(value))
    }

    fn none(_: &Spec) -> Self {
        Self::Null
    }
}

impl FieldType for Map<String, Value> {
    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        match value {
            Value::Object(map) => Ok(Some(map)),
            Value::String(_) => {
                let message = format!("`{}` is only text; read as its `text`", spec.key);
                entry.note("unwrapped", &message);
                Ok(Some(std::iter::once(("text".to_owned(), value)).collect()))
            }
            _ => Err(wrong_type(spec)),
        }
    }

    fn none(_: &Spec) -> Self {
        Self::new()
    }
}

impl FieldType for Vec<String> {
    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        match spec.kind {
            Kind::Texts { most, chars, whole } => {
                let class = if whole { Class::Required } else { of_entry(spec.class) };
                texts(value, (most, chars, class), spec, entry)
            }
            _ => Err(wrong_type(spec)),
        }
    }

    fn none(_: &Spec) -> Self {
        Self::new()
    }
}

fn texts(
    value: Value,
    (most, chars, class): (usize, usize, Class),
    spec: &Spec,
    entry: &mut Entry<'_>,
) -> Result<Option<Vec<String>>, Rejection> {
    let key = spec.key;
    let values = match value {
        Value::Array(values) => values,
        Value::String(text) => {
            entry.note("unwrapped", &one_text(key));
            vec![Value::String(text)]
        }
        _ => return Err(wrong_type(spec)),
    };
    let given = values.len();
    let mut lines = Vec::with_capacity(given.min(most));
    let (mut seen, mut cut, mut joined, mut lost) = (HashSet::new(), false, false, false);
    for value in values.into_iter().take(most) {
        if generous::is_nothing(&value) {
            entry.note_nothing(key);
            continue;
        }
        let text = match &value {
            Value::String(text) if entry.is_template(spec, text) => {
                lost = true;
                entry.fail(class, "template", &repeated(key));
                continue;
            }
            Value::String(text) => Some(text.clone()),
            other => generous::entry_of_texts(other),
        };
        joined |= !value.is_string() && text.is_some();
        let line = sanitize::line(&as_written(&text.unwrap_or_default()), usize::MAX);
        if line.is_empty() {
            lost = true;
            let message = format!("`{key}` must contain only text that says something");
            entry.fail(class, "wrong_type", &message);
            continue;
        }
        cut |= line.chars().count() > chars;
        if seen.insert(line.clone()) {
            lines.push(sanitize::line(&line, chars));
        }
    }
    if lost && lines.is_empty() {
        return Err(wrong_type(spec));
    }
    if joined {
        let message = format!("entries of `{key}` were not text; their contents were joined");
        entry.note("text_normalised", &message);
    }
    if cut {
        let message =
            format!("`{key}` has entries of more than {chars} characters, which were cut");
        entry.note("shortened", &message);
    }
    if given > most {
        let message = format!("`{key}` has {given} entries; only the first {most} count");
        entry.note("too_many", &message);
    }
    Ok(Some(lines))
}

fn one_text(key: &str) -> String {
    format!("`{key}` is a single text; read as a list of one")
}

impl FieldType for Vec<Vec<String>> {
    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        if generous::is_nothing(&value) {
            entry.note_nothing(spec.key);
            return Ok(Some(Self::new()));
        }
        let Ok(groups) = serde_json::from_value::<Vec<Vec<Value>>>(value) else {
            return Err(wrong_type(spec));
        };
        if let Kind::Groups(most) = spec.kind
            && groups.len() > most
        {
            let (key, given) = (spec.key, groups.len());
            let message = format!("`{key}` has {given} entries, over the limit of {most}");
            return Err(Rejection::new("too_many", message));
        }
        let name = |name: Value| name.as_str().unwrap_or_default().to_owned();
        let groups =
            groups.into_iter().map(|names| names.into_iter().map(name).collect()).collect();
        Ok(Some(groups))
    }

    fn none(_: &Spec) -> Self {
        Self::new()
    }
}

/// Returns the class of single entries of a list: they count, unless the whole list decides nothing.
const fn of_entry(class: Class) -> Class {
    match class {
        Class::Extra => Class::Extra,
        Class::Required | Class::Counts => Class::Counts,
    }
}

impl<T: Declaration> FieldType for Vec<T> {
    fn read(value: Value, spec: &Spec, entry: &mut Entry<'_>) -> Result<Option<Self>, Rejection> {
        let Kind::Entries { item, noun, most, over, .. } = spec.kind else {
            return Err(wrong_type(spec));
        };
        let class = entry.class(spec);
        // A text can be an entry, or can say that an optional list is empty.
        let is_text = generous::alone(item).is_some();
        let may_be_none = is_text || spec.absent != Absence::Wrong;
        let mut values = match value {
            Value::Array(values) => values,
            Value::String(text) if may_be_none && (is_text || generous::says_nothing(&text)) => {
                entry.note("unwrapped", &one_text(spec.key));
                vec![Value::String(text)]
            }
            other if let Some(values) = generous::by_id(&other, item) => {
                let message = format!("`{}` has ids as keys; read as a list", spec.key);
                entry.note("unwrapped", &message);
                values
            }
            _ => return Err(wrong_type(spec)),
        };
        if may_be_none && values.iter().any(generous::is_nothing) {
            entry.note_nothing(spec.key);
            values.retain(|value| !generous::is_nothing(value));
        }
        let given = values.len();
        if given > most {
            let key = spec.key;
            if over == Overflow::None {
                let message = format!("`{key}` has {given} entries, over the limit of {most}");
                return Err(Rejection::new("too_many", message));
            }
            let message = format!("`{key}` has {given} entries; only the first {most} count");
            entry.fail(of_entry(class), "too_many", &message);
            entry.left_out(noun, given - most);
            values.truncate(most);
        }
        let empty = values.is_empty();
        let read = entry.entries((item, noun), values, class);
        if read.is_empty() && !empty {
            entry.unread.push(spec.key);
        }
        Ok(Some(read))
    }

    fn none(_: &Spec) -> Self {
        Self::new()
    }
}

/// Reads a field that the program sets: a value from an agent is ignored, with a note unless it may have one.
pub(super) fn ours<T: FieldType>(field: &Field<T>, entry: &mut Entry<'_>) -> T {
    let spec = &field.spec;
    let is_noted = spec.shown.is_empty() && spec.absent != Absence::Fine;
    if entry.take(spec.key).is_some() && is_noted {
        let code = format!("{}_ignored", spec.key);
        entry.note(&code, &must_be(spec));
    }
    T::none(spec)
}
