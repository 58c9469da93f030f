//! Restores text that agents quote to its form in the files.
//!
//! Prompts show code in a defused form (`text::fence`): `(at)` for an `@` that could attach a file, a space between
//! brackets that could open a marker. A reviewer that copies `(at)/etc/hosts` letter by letter quotes correctly, and
//! must not be told that the quote does not exist. So a place is looked for first as the agent wrote it, then in its
//! restored form.

use super::locate;
use super::model::{Finding, LocatedFinding, Location};
use crate::change::Change;

/// Checks the location of a finding in either form; the best location counts, and the form as written is preferred to
/// a restored one.
pub fn place(change: &Change, finding: &Finding) -> LocatedFinding {
    let files = forms(&finding.file);
    let quotes: Vec<Option<String>> = match &finding.quote {
        None => vec![None],
        Some(quote) => forms(quote).into_iter().map(Some).collect(),
    };
    let as_written = locate::place(change, finding.clone());
    let mut best = as_written;
    for file in files {
        for quote in &quotes {
            if best.location == Location::Located {
                return best;
            }
            let form = Finding { file: file.clone(), quote: quote.clone(), ..finding.clone() };
            let placed = locate::place(change, form);
            if placed.location < best.location {
                best = placed;
            }
        }
    }
    best
}

/// Returns the evidence of a judgement in the form in which it was found in the change; `None` if it was not found.
pub fn evidence(change: &Change, text: &str) -> Option<String> {
    forms(text).into_iter().find(|form| locate::evidence(change, form))
}

/// Returns a text unchanged and, if that differs, as it was before it was defused.
fn forms(text: &str) -> Vec<String> {
    let mut forms = vec![text.to_owned()];
    if text.contains("(at)") {
        forms.push(text.replace("(at)", "@"));
    }
    if text.contains("< < <") {
        for form in forms.clone() {
            forms.push(joined(&form));
        }
    }
    forms
}

/// Joins brackets that are separated by one space: `< < <` becomes `<<<`.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("< < <") {
            while let Some(after) = rest.strip_prefix("< <") {
                out.push('<');
                rest = &rest[rest.len() - after.len() - 1..];
            }
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    //! Tests that text quoted as shown is found in its original form.

    use super::super::testing::{change, code, file, files, finding};
    use super::*;
    use crate::protocol::review::model::Severity;
    use crate::text::fence;

    fn java() -> Change {
        let lines = [
            "class Job implements Runnable {",
            "    go(\"@/etc/hosts\");",
            "    // <<<EOF",
            "    int mask = a <<< 3;",
            "}",
        ];
        change(vec![file("packages/@scope/Job.java", &lines)], false)
    }

    fn quoting(path: &str, quote: &str) -> Finding {
        Finding {
            file: path.to_owned(),
            line: None,
            quote: Some(quote.to_owned()),
            ..finding(Severity::P1, "a", 1, "Overflow")
        }
    }

    #[test]
    fn quotes_and_paths_are_found_in_the_form_in_which_they_were_shown() {
        let change = java();
        let boundary = "b0unda7y";
        for (line, text) in
            [(2, "    go(\"@/etc/hosts\");"), (3, "    // <<<EOF"), (4, "    int mask = a <<< 3;")]
        {
            let shown = fence::defuse(text, boundary).0;
            assert_ne!(shown, text);
            let path = fence::defuse("packages/@scope/Job.java", boundary).0;
            for (path, quote) in [
                ("packages/@scope/Job.java", text),
                ("packages/@scope/Job.java", shown.as_str()),
                (path.as_str(), shown.as_str()),
                (path.as_str(), text),
            ] {
                let placed = place(&change, &quoting(path, quote));
                assert_eq!(placed.location, Location::Located, "{path} {quote}");
                assert_eq!(placed.finding.file, "packages/@scope/Job.java");
                assert_eq!(placed.finding.line, Some(line));
            }
            assert_eq!(evidence(&change, &shown).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_stands_there_as_written_is_not_restored() {
        let change =
            change(vec![file("mail(at)home.txt", &["write to me (at) home please"])], false);
        let placed = place(&change, &quoting("mail(at)home.txt", "write to me (at) home please"));
        assert_eq!(placed.location, Location::Located);
        assert_eq!(placed.finding.quote.as_deref(), Some("write to me (at) home please"));
    }

    #[test]
    fn what_is_nowhere_stays_as_it_was_written() {
        let change = change(files(), false);
        let placed = place(&change, &quoting("src/(at)a.rs", "(at)nothing of the kind"));
        assert_eq!(placed.location, Location::Outside);
        assert_eq!(placed.finding.file, "src/(at)a.rs");
        assert_eq!(evidence(&change, "no such (at)code at all"), None);
        assert_eq!(evidence(&change, &code("a", 3)), Some(code("a", 3)));
    }

    #[test]
    fn brackets_are_joined_in_runs() {
        assert_eq!(joined("a < < <b < < < < c < < d"), "a <<<b <<<< c < < d");
        assert_eq!(joined("< < <"), "<<<");
        assert_eq!(joined("é< < <ü"), "é<<<ü");
    }
}
