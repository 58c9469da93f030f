//! The rules of the rehearsal's reviewers: each looks at one line, or at it and the one before.

use super::diff::DiffLine;
use crate::protocol::review::{Finding, Severity};

/// The places to which a rule applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Production code only.
    Code,
    /// Tests as well.
    Tests,
    /// Tests and comments as well.
    Everywhere,
}

/// A lexical rule.
pub(super) struct Rule {
    /// The finding's title; unique, since judges recognise the rule by it.
    pub(super) title: &'static str,
    severity: Severity,
    /// The consequence of the fault.
    pub(super) why: &'static str,
    /// Whether the line matches. The second text is the line before, trimmed.
    hit: fn(&str, &str) -> bool,
    /// Returns the suggested replacement.
    fix: fn(&str) -> String,
    /// The places to which it applies; a seat ignores this as a reviewer.
    pub(super) scope: Scope,
    /// Whether the line alone decides.
    pub(super) certain: bool,
    /// Whether only the cross-examination notices it.
    pub(super) late: bool,
}

impl Rule {
    /// Whether it matches an added line.
    pub(super) fn finds(&self, places: &[DiffLine<'_>], at: usize) -> bool {
        let Some(place) = places.get(at).filter(|place| place.added) else {
            return false;
        };
        let before = at
            .checked_sub(1)
            .and_then(|before| places.get(before))
            .filter(|before| before.file == place.file && before.line.is_some())
            .map_or("", |before| before.text.trim());
        (self.hit)(place.text.trim(), before)
    }

    /// Builds the finding.
    pub(super) fn finding(&self, place: &DiffLine<'_>) -> Finding {
        Finding {
            severity: self.severity,
            title: self.title.to_owned(),
            file: place.file.to_owned(),
            line: place.line,
            end_line: None,
            quote: Some(place.text.trim().to_owned()),
            trigger: Some(format!("Line {} runs: {}", place.line.unwrap_or_default(), self.why)),
            // Words shared by all details would make different findings in nearby lines look alike.
            detail: self.why.to_owned(),
            fix: format!("{} (rehearsal)", (self.fix)(place.text.trim())),
        }
    }
}

/// The defaults of a rule: not for comments and tests, decided by the line.
const PLAIN: Rule = Rule {
    title: "",
    severity: Severity::P1,
    why: "",
    hit: |_, _| false,
    fix: |_| String::new(),
    scope: Scope::Code,
    certain: true,
    late: false,
};

/// All rules. A seat leaves out every third, so neighbours in this list are split between two seats.
pub(super) const RULES: [Rule; 12] = [
    Rule {
        title: "A query is put together from text",
        severity: Severity::P0,
        why: "a value that comes from outside becomes a part of the query (SQL injection).",
        hit: |line, _| query(line),
        fix: |_| "Bind the value: `execute(\"... WHERE id = ?\", [id])`.".to_owned(),
        ..PLAIN
    },
    Rule {
        title: "Text is run as code",
        severity: Severity::P0,
        why: "whoever writes the text decides what runs.",
        hit: |line, _| calls(line, "eval"),
        fix: |_| "Parse it: `JSON.parse(text)`, or `ast.literal_eval(text)` in Python.".to_owned(),
        ..PLAIN
    },
    Rule {
        title: "A failed read or write ends the program",
        why: "a file or a connection that is not there is an ordinary day, and nobody handles it.",
        hit: |line, _| unwrapped(line),
        fix: |line| format!("Hand the error on: `{}`.", line.replace(".unwrap()", "?")),
        ..PLAIN
    },
    Rule {
        title: "A credential stands in the code",
        severity: Severity::P0,
        why: "everybody who can read the repository has it, and it cannot be changed without a release.",
        hit: |line, _| credential(line),
        fix: |_| {
            "Read it at run time, `os.environ[\"APP_PASSWORD\"]` or the like, and replace the old one.".to_owned()
        },
        ..PLAIN
    },
    Rule {
        title: "Text becomes HTML",
        severity: Severity::P0,
        why: "markup in the text runs in the reader's browser (XSS).",
        hit: |line, _| html(line),
        fix: |_| "Set it as text: `element.textContent = text`.".to_owned(),
        ..PLAIN
    },
    Rule {
        title: "The loop runs one past the end",
        why: "the last index is the length less one.",
        hit: |line, _| past_the_end(line),
        fix: |line| format!("`{}`.", line.replacen("<=", "<", 1)),
        certain: false,
        ..PLAIN
    },
    Rule {
        title: "An error is swallowed",
        why: "what failed looks as if it had gone well.",
        hit: swallowed,
        fix: |_| {
            "Let it through, or handle it where something can be done: `raise` in place of `pass`."
                .to_owned()
        },
        ..PLAIN
    },
    Rule {
        title: "Only one test is run",
        why: "all the others of the file are skipped, and the run is green.",
        hit: |line, _| line.contains(".only("),
        fix: |line| format!("`{}`.", line.replacen(".only(", "(", 1)),
        scope: Scope::Tests,
        ..PLAIN
    },
    Rule {
        title: "Certificates are not verified",
        severity: Severity::P0,
        why: "anybody on the way can read and change what is sent.",
        hit: |line, _| unverified(line),
        fix: |_| {
            "Leave it on (`verify=True`), and add the missing authority to the trusted ones."
                .to_owned()
        },
        ..PLAIN
    },
    Rule {
        title: "Fractions are compared for equality",
        severity: Severity::P2,
        why: "0.1 + 0.2 is not 0.3 in binary floating point.",
        hit: |line, _| fraction(line),
        fix: |_| "Compare with a tolerance: `(a - b).abs() < 1e-9`.".to_owned(),
        ..PLAIN
    },
    Rule {
        title: "A comparison with NULL is never true",
        why: "NULL equals nothing, not even NULL: no row is found.",
        hit: |line, _| null(line),
        fix: |_| "Write `IS NULL` in place of `= NULL`.".to_owned(),
        ..PLAIN
    },
    Rule {
        title: "Work that is left undone ships",
        severity: Severity::P1,
        why: "the line says itself that something is missing.",
        hit: |line, _| {
            // Assembled from parts, so that a search for work left undone does not find this line.
            [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")]
                .iter()
                .any(|word| line.contains(word))
        },
        fix: |line| format!("Do it, or open an issue and remove `{line}`."),
        scope: Scope::Everywhere,
        late: true,
        ..PLAIN
    },
];

/// Whether a function of this name is called, and not one whose name merely ends with it.
fn calls(line: &str, name: &str) -> bool {
    let call = format!("{name}(");
    line.match_indices(&call).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
    })
}

fn query(line: &str) -> bool {
    let verb = ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM "]
        .iter()
        .any(|verb| line.to_ascii_uppercase().contains(verb));
    let quoted = line.contains(['"', '\'', '`']);
    let joined =
        ["\" +", "' +", "+ \"", "+ '", "\" %", "' %", "format(", "format!(", "f\"", "f'", "${"]
            .iter()
            .any(|join| line.contains(join));
    verb && quoted && joined
}

fn unwrapped(line: &str) -> bool {
    let io = ["File::", "fs::", ".read", ".write", "connect(", "stdin()", ".send(", ".recv("]
        .iter()
        .any(|call| line.contains(call));
    io && line.contains(".unwrap()")
}

fn credential(line: &str) -> bool {
    let lower = line.to_lowercase();
    let named = ["password", "passwd", "secret", "api_key", "apikey", "auth_token"]
        .iter()
        .find_map(|word| lower.find(word).map(|at| at + word.len()));
    let Some(rest) = named.and_then(|at| lower.get(at..)) else {
        return false;
    };
    let name = |c: char| c.is_alphanumeric() || "_\"']".contains(c);
    let rest = rest.trim_start_matches(name).trim_start();
    let Some(value) = rest.strip_prefix(['=', ':']).filter(|rest| !rest.starts_with('=')) else {
        return false;
    };
    let value = value.trim();
    let Some(quote) = value.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        return false;
    };
    let inner = value[1..].split(quote).next().unwrap_or_default();
    inner.len() >= 4 && !inner.contains(['$', '{', '<', '*', ' '])
}

fn html(line: &str) -> bool {
    let set =
        ["innerHTML =", "innerHTML=", "innerHTML +="].iter().find_map(|set| line.split_once(set));
    let constant = |value: &str| {
        let value = value.trim().trim_end_matches(';');
        matches!(value, "\"\"" | "''" | "``") || value.starts_with('=')
    };
    set.is_some_and(|(_, value)| !constant(value)) || line.contains("dangerouslySetInnerHTML=")
}

fn swallowed(line: &str, before: &str) -> bool {
    let squeezed: String = line.split_whitespace().collect();
    let empty = squeezed.contains("catch") && squeezed.ends_with("{}");
    let passes = line == "pass" && before.starts_with("except");
    let closes = line == "}" && before.contains("catch") && before.ends_with('{');
    empty || passes || closes
}

fn past_the_end(line: &str) -> bool {
    let bound = line
        .split_once("<=")
        .map(|(_, bound)| bound.split([';', '{', ')']).next().unwrap_or_default());
    let loops = line.starts_with("for") || line.starts_with("while");
    let length =
        |bound: &str| ["len(", ".len", ".length", ".size"].iter().any(|word| bound.contains(word));
    loops && bound.is_some_and(|bound| length(bound) && !bound.contains('-'))
}

fn unverified(line: &str) -> bool {
    let squeezed: String = line.split_whitespace().collect();
    [
        "verify=False",
        "InsecureSkipVerify:true",
        "rejectUnauthorized:false",
        "danger_accept_invalid_certs(true)",
    ]
    .iter()
    .any(|off| squeezed.contains(off))
}

fn fraction(line: &str) -> bool {
    line.match_indices("==").any(|(at, _)| {
        let side = |text: &str| {
            let word: String =
                text.trim().chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
            word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit())
        };
        let before = line[..at].trim().rsplit(|c: char| c.is_whitespace() || c == '(').next();
        side(&line[at + 2..]) || before.is_some_and(side)
    })
}

fn null(line: &str) -> bool {
    let upper = line.to_ascii_uppercase();
    // `SET total = NULL WHERE ...` is not a comparison.
    let clause = ["WHERE ", "AND ", " ON "].iter().filter_map(|word| upper.find(word)).min();
    clause.and_then(|at| upper.get(at..)).is_some_and(|clause| {
        clause.contains(" = NULL") || clause.contains("<> NULL") || clause.contains("!= NULL")
    })
}
