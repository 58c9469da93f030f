//! Keys, words and numbers in the other forms in which models write them. None is a guess: an ambiguous form is not
//! read.

/// Continuations that make a text's first word conditional or take it back: `agree, but only for reads`.
const QUALIFIED: [&str; 14] = [
    "although", "apart", "but", "except", "however", "if", "not", "once", "only", "provided",
    "though", "unless", "when", "with",
];

/// Returns a key without case, underscores and decoration, so that two spellings of one key are equal.
pub fn plain_key(key: &str) -> String {
    let kept = key.chars().filter(char::is_ascii_alphanumeric);
    kept.map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns the intended word, without decoration and explanation: `**P0** (critical)`, `reject - because`.
pub fn word<T>(written: &str, find: impl Fn(&str) -> Option<T>) -> Option<T> {
    let bare = |text: &str| {
        let text = text.trim_matches(|c: char| c.is_whitespace() || "*_`\".'\\".contains(c));
        text.to_ascii_lowercase()
    };
    if let Some(found) = find(&bare(written)) {
        return Some(found);
    }
    let ends = ["(", ":", ",", ";", " - ", " \u{2013} ", " \u{2014} ", "\n"];
    let end = ends.iter().filter_map(|end| written.find(end)).min()?;
    let mut after =
        written[end..].split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_qualified =
        after.next().is_some_and(|next| QUALIFIED.contains(&&*next.to_ascii_lowercase()));
    if is_qualified { None } else { find(&bare(&written[..end])) }
}

/// Returns the number at the start of a text if only its maximum or an explanation follows: `4/5` if 5 is the
/// maximum, `4 - good`.
pub fn number(text: &str, most: f64) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let rest = rest.trim();
    let of = rest.strip_prefix('/').and_then(|of| of.trim().parse::<f64>().ok());
    let of_most = of.is_some_and(|of| (of - most).abs() < f64::EPSILON);
    let explained = rest.starts_with(['-', '\u{2013}', '\u{2014}', ':', '(']);
    // `4-5` is a range.
    let after = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
    let is_range = explained && after.starts_with(|c: char| c.is_ascii_digit());
    let ends = rest.is_empty() || of_most || (explained && !is_range);
    ends.then(|| number.parse().ok())?
}

/// Returns a number as a whole number if it is one.
pub fn whole(number: f64) -> Option<u8> {
    (number.fract() == 0.0).then(|| format!("{number:.0}").parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_decorated_and_explained_but_not_qualified() {
        let find = |word: &str| (word == "agree").then_some(());
        for written in [
            "**Agree**",
            "agree.",
            "agree (fully)",
            "agree: so it is",
            "agree - so it is",
            "agree; yes",
            "agree\nyes",
        ] {
            assert!(word(written, find).is_some(), "{written}");
        }
        for written in [
            "agree, but only for reads",
            "agree (if it is measured)",
            "agree - except for P2",
            "agree: not as it stands",
            "agree, with one change",
            "Agree; unless it is slow",
            "agree fully",
            "disagree",
        ] {
            assert!(word(written, find).is_none(), "{written}");
        }
    }

    #[test]
    fn a_number_may_be_out_of_the_most_and_explained() {
        for (text, of) in [
            ("4", 4.0),
            (" 4/5 ", 4.0),
            ("4.5", 4.5),
            ("4 - good", 4.0),
            ("4 (good)", 4.0),
            ("4: good", 4.0),
        ] {
            assert_eq!(number(text, 5.0), Some(of), "{text}");
        }
        for text in ["", "4/10", "4-5", "4 out of 5", "four", "4 - 5", "-4", "4.5.6", "good: 4"] {
            assert_eq!(number(text, 5.0), None, "{text}");
        }
        assert_eq!((whole(4.0), whole(4.5), whole(300.0)), (Some(4), None, None));
    }

    #[test]
    fn a_key_may_be_written_otherwise() {
        for key in ["risk_level", "riskLevel", "Risk Level", "**risk-level**"] {
            assert_eq!(plain_key(key), "risklevel");
        }
    }
}
