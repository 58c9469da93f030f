//! Texts that the redactor removes or leaves: secret formats, honest texts, this repository, the program's own words.

use std::fs;
use std::path::{Path, PathBuf};

use debate_agent::text::fence;
use debate_agent::text::markers;
use debate_agent::text::redact::{REDACTED, Redactor};

use crate::support::{Sandbox, fixture};

/// Random enough, and the same in every run.
struct Dice(u64);

impl Dice {
    fn pick<'a>(&mut self, of: &'a [u8]) -> &'a u8 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let at = usize::try_from(self.0 >> 33).unwrap() % of.len();
        &of[at]
    }

    /// Generates a secret as `formats.tsv` describes it.
    fn secret(&mut self, pattern: &str) -> String {
        const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        const DIGITS: &str = "0123456789";
        let mut made = String::new();
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            let (inside, after) = after.split_once('}').unwrap();
            made.push_str(before);
            rest = after;
            let (class, length) = inside.split_at(1);
            let class = match class {
                "=" => {
                    made.push_str(length);
                    continue;
                }
                "A" => format!("{LETTERS}{DIGITS}"),
                "a" => LETTERS.to_owned(),
                "H" => format!("{DIGITS}abcdef"),
                "U" => format!("{}{DIGITS}", &LETTERS[..26]),
                "L" => format!("{}{DIGITS}", &LETTERS[26..]),
                "D" => DIGITS[1..].to_owned(),
                "T" => format!("{}234567", &LETTERS[..26]),
                "W" => format!("{LETTERS}{DIGITS}_-"),
                "B" => format!("{LETTERS}{DIGITS}+/"),
                "G" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L".to_owned(),
                "P" => format!("{LETTERS}{DIGITS}!!!"),
                other => panic!("{other}"),
            };
            let length: usize = length.parse().unwrap();
            let letters = class.as_bytes();
            // The last one belongs to every class of tokens, so that the end of the token is the secret's.
            made.extend((1..length).map(|_| char::from(*self.pick(letters))));
            made.push(char::from(letters[length % 5 + usize::from(letters[0] == b'A')]));
        }
        made + rest
    }
}

fn formats() -> Vec<(String, String, String)> {
    let text = fs::read_to_string(fixture("secrets/formats.tsv")).unwrap();
    let mut dice = Dice(0x2545_F491_4F6C_DD1D);
    text.lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [name, around, pattern] = fields[..] else {
                panic!("{line}");
            };
            (name.to_owned(), around.to_owned(), dice.secret(pattern))
        })
        .collect()
}

/// The text in the places where secrets occur: bare, assigned, in JSON, in JSON inside JSON, in a diff, in a call.
fn contexts(text: &str) -> Vec<String> {
    let json = serde_json::json!({ "text": text, "more": format!("a\n{text}\n") }).to_string();
    let nested = serde_json::Value::from(json.as_str()).to_string();
    let mut all = vec![
        format!("see {text} here"),
        format!("{text}\n"),
        format!("+{text}\n+next: 1\n"),
        json,
        nested,
    ];
    if !text.contains([' ', '=', ':']) {
        all.push(format!("X_VALUE={text}\n"));
        all.push(format!("x = \"{text}\";"));
        all.push(format!("f({text}), and {text}."));
    }
    all
}

#[test]
fn every_format_is_taken_out_in_every_context_and_at_every_split() {
    let redactor = Redactor::new(&[]);
    let mut missed = Vec::new();
    let (mut formats_known, mut tried) = (0, 0);
    for (name, around, secret) in formats() {
        formats_known += 1;
        for (context, text) in contexts(&around.replace('%', &secret)).into_iter().enumerate() {
            tried += 1;
            let redacted = redactor.text(&text);
            // A rule that stops too early leaves the end of the secret.
            let left = [&secret[secret.len() / 2..], secret.as_str()];
            if left.iter().any(|part| redacted.contains(part)) {
                missed.push(format!("{name}: {text} => {redacted}"));
            }
            if text.starts_with(['{', '"']) && text.ends_with(['}', '"']) {
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(&redacted);
                assert!(parsed.is_ok(), "{name}: {redacted}");
            }
            // At every byte in plain text and in JSON; elsewhere at every seventh, from another one each time.
            let (from, step) = if matches!(context, 0 | 3) { (0, 1) } else { (tried % 7, 7) };
            for split in (from..text.len()).step_by(step) {
                let mut stream = redactor.stream();
                let mut written = stream.push(&text.as_bytes()[..split]);
                written.extend(stream.push(&text.as_bytes()[split..]));
                written.extend(stream.finish());
                assert_eq!(String::from_utf8(written).unwrap(), redacted, "{name} at {split}");
            }
        }
    }
    assert!(formats_known >= 70 && tried >= 3 * formats_known);
    assert_eq!(missed, [""; 0]);
}

#[test]
fn honest_texts_stay_as_they_are() {
    let redactor = Redactor::new(&[]);
    let texts = fs::read_to_string(fixture("secrets/honest.txt")).unwrap();
    let texts: Vec<&str> = texts.lines().collect();
    assert!(texts.len() >= 57);
    let mut changed = Vec::new();
    for text in texts {
        for text in contexts(text) {
            let redacted = redactor.text(&text);
            if redacted != text {
                changed.push(format!("{text} => {redacted}"));
            }
        }
    }
    assert_eq!(changed, [""; 0]);
}

/// Variables whose names led to no warning before (L5), and ones that only look like them (M7).
#[test]
fn a_variable_counts_by_the_words_of_its_name() {
    let secret = [
        ("PASSPHRASE", "p1-Zq8xKd03mVbT"),
        ("PGPASS", "p2-Hw7yPc14nWcU"),
        ("MYSQL_PWD", "p3-Jv6zQe25oXdV"),
        ("SENTRY_DSN", "https://p4Ku5aRf36pYeW@o1.ingest.sentry.io/2"),
        ("SLACK_WEBHOOK", "p5/Lt4bSg47qZfX/hook"),
        ("SIGNING_CERT", "p6-Ms3cTh58rAgY"),
    ];
    let plain = [
        ("GIT_AUTHOR_NAME", "Jane Developer"),
        ("HF_TOKENIZER", "p7-Nr2dUi69sBhZ"),
        ("KEYBOARD_LAYOUT", "p8-Oq1eVj70tCiA"),
        ("MONKEY_PATCH", "p9-Pp0fWk81uDjB"),
        ("KEY_ENVIRONMENT", "production"),
        ("GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D"),
    ];
    let url = ("DATABASE_URL", "postgres://app:p0Qo9gXl92vEkC@db/x");
    let values: Vec<&str> = secret.iter().chain(&plain).map(|(_, value)| *value).collect();
    let answer = format!("{} p0Qo9gXl92vEkC", values.join(" "));
    let tell = format!("echo '{answer}' >\"$ledger/telling\"\nanswer=$ledger/telling\n");
    let mut sandbox = Sandbox::new().fake("claude.sh", &tell);
    for (name, value) in secret.iter().chain(&plain).chain([&url]) {
        sandbox = sandbox.env(name, value);
    }
    let run = sandbox.run(&["run", "claude", "hello"]);
    let told = &run.exits(0).stdout;
    for (name, value) in secret.iter().chain([&("DATABASE_URL", "p0Qo9gXl92vEkC")]) {
        assert!(!told.contains(value), "{name}: {told}");
    }
    for (name, value) in plain {
        assert!(told.contains(value), "{name}: {told}");
    }
}

/// L5: `config show` and `doctor` show the same arguments, without the secret, which the agent gets.
#[test]
fn arguments_are_shown_without_their_secrets() {
    const SECRET: &str = "q8Zr41xWvLongEnough";
    let sandbox = Sandbox::new();
    let folder = sandbox.home().join(".config/debate-agent");
    fs::create_dir_all(&folder).unwrap();
    let config = format!(
        r#"{{"agents": {{"claude": {{"args": ["--api-key", "{SECRET}", "--debug-token={SECRET}"]}}}}}}"#
    );
    fs::write(folder.join("config.json"), config).unwrap();
    let runs = [
        sandbox.run(&["config", "show"]),
        sandbox.run(&["config", "show", "--json"]),
        sandbox.run(&["doctor", "--json"]),
    ];
    for run in &runs {
        assert!(!run.stdout.contains(SECRET), "{}", run.stdout);
        assert!(run.stdout.contains("--debug-token=[redacted]"), "{}", run.stdout);
    }
}

fn below(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            below(&path, into);
        } else {
            into.push(path);
        }
    }
}

/// This repository, its lock file with all its checksums, and its copies of other people's code and reports. The rule
/// set itself is left out, and so are the tests that contain what looks like a secret.
#[test]
fn of_this_repository_hardly_a_line_is_touched() {
    const TESTS: [&str; 5] =
        ["redact", "redaction.rs", "security.rs", "secrets", "review-secrets.txt"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("Cargo.lock"), root.join("README.md")];
    for folder in ["src", "crates", "tests", "fixtures", "skills", "benches", "examples"] {
        below(&root.join(folder), &mut files);
    }
    files.retain(|file| {
        let below = file.strip_prefix(root).unwrap();
        let parts: Vec<_> = below.iter().filter_map(|part| part.to_str()).collect();
        !TESTS.iter().any(|test| parts.contains(test))
    });
    let redactor = Redactor::new(&[]);
    let (mut lines, mut touched) = (0, Vec::new());
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let redacted = redactor.text(&text);
        lines += text.lines().count();
        assert_eq!(redacted.lines().count(), text.lines().count(), "{}", file.display());
        let both = text.lines().zip(redacted.lines());
        touched.extend(
            both.filter(|(before, after)| before != after)
                .map(|(line, _)| format!("{}: {line}", file.display())),
        );
    }
    assert!(lines > 50_000, "{lines}");
    assert!(touched.len() <= 4, "{touched:#?}");
}

/// Markers, boundaries, ids and a journal of a whole debate pass unchanged: no rule may break the program's own
/// input.
#[test]
fn what_the_program_writes_itself_is_never_touched() {
    let sandbox = Sandbox::new();
    sandbox.six();
    sandbox.run(&["prioritize", "backlog.json", "--events", "events.jsonl"]).exits(0);
    let redactor = Redactor::new(&[]);
    let mut files = Vec::new();
    below(&sandbox.project(), &mut files);
    let mut journals = 0;
    for file in &files {
        let Ok(text) = fs::read_to_string(file) else {
            continue;
        };
        journals += usize::from(file.ends_with("journal.jsonl"));
        assert_eq!(redactor.text(&text), text, "{}", file.display());
        assert!(!text.contains(std::str::from_utf8(REDACTED).unwrap()));
    }
    assert_eq!(journals, 1);
    for call in sandbox.calls() {
        let prompt = call.read("stdin");
        assert_eq!(redactor.text(&prompt), prompt);
    }
    for name in ["OPPORTUNITY_RANKINGS", "API_TOKEN_FINDINGS", "KEY_SECRETS"] {
        let block = format!(
            "{}\n{{\"key\": \"0a1b2c3d4e5f60718293a4b5c6d7e8f9\", \"token\": \"FND-12\", \"auth\": null}}\n{}\n",
            markers::start_marker(name),
            markers::end_marker(name)
        );
        assert_eq!(redactor.text(&block), block);
    }
    let boundary = "key-boundary: 0a1b2c3d4e5f6071";
    let (fenced, _) = fence::defuse(boundary, "9f8e7d6c5b4a39281706f5e4d3c2b1a0");
    assert_eq!(redactor.text(&fenced), fenced);
}
