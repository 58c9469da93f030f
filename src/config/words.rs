//! Rephrases the JSON reader's messages for people.

/// Rewrites `invalid type: string "x", expected f64` as `expected a number, found "x"`; leaves our own sentences
/// unchanged.
pub(super) fn plain(message: &str) -> String {
    if let Some(rest) = message.strip_prefix("missing field ") {
        return format!("{rest} is missing");
    }
    let rest = ["invalid type: ", "invalid value: ", "invalid length ", "unknown variant "]
        .into_iter()
        .find_map(|begin| message.strip_prefix(begin));
    let Some((found, expected)) = rest.and_then(|rest| rest.rsplit_once(", expected ")) else {
        return message.to_owned();
    };
    format!("expected {}, found {}", wanted(expected), got(found))
}

fn wanted(expected: &str) -> &str {
    match expected {
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => {
            "a whole number"
        }
        "a string" | "string" | "a borrowed string" => "text",
        "path string" => "a path",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        other if other.starts_with("struct ") => "an object",
        other => other,
    }
}

fn got(found: &str) -> &str {
    match found {
        "sequence" => "a list",
        "map" => "an object",
        // `string "x"`, `integer `5``, `boolean `true``, `floating point `1.5``.
        other => (["string ", "integer ", "boolean ", "floating point "].into_iter())
            .find_map(|kind| other.strip_prefix(kind))
            .map_or(other, |value| value.trim_matches('`')),
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn people_read_no_types() {
        for (said, plain_words) in [
            (r#"invalid type: string "x", expected f64"#, r#"expected a number, found "x""#),
            ("invalid type: integer `5`, expected a string", "expected text, found 5"),
            ("invalid value: integer `-1`, expected u32", "expected a whole number, found -1"),
            ("invalid type: sequence, expected a map", "expected an object, found a list"),
            ("invalid type: map, expected a boolean", "expected true or false, found an object"),
            (
                "invalid type: boolean `true`, expected struct Limits",
                "expected an object, found true",
            ),
            (
                "unknown variant `x`, expected one of `a`, `b`",
                "expected one of `a`, `b`, found `x`",
            ),
            ("missing field `path`", "`path` is missing"),
            ("`-1` is not an amount", "`-1` is not an amount"),
        ] {
            assert_eq!(plain(said), plain_words);
        }
    }
}
