//! The record of a run, as text that two runs can be compared by: everything that may differ from one to the next is
//! replaced.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use regex::Regex;
use sha2::{Digest as _, Sha256};

/// Minimum length in bytes of a line that is broken before it is compared with another.
const LONG: usize = 200;

/// The record of a run.
#[derive(Default)]
pub(crate) struct Played {
    /// The compared text.
    pub(crate) text: String,
    /// The shared texts that it names by their hashes.
    pub(crate) texts: BTreeMap<String, String>,
}

impl Played {
    /// Adds a titled part.
    pub(crate) fn part(&mut self, title: &str, text: &str) {
        let end = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            "\n% no line feed at the end\n"
        };
        write!(self.text, "=== {title}\n{text}{end}").unwrap();
    }

    /// Stores a text separately and returns its hash.
    pub(crate) fn apart(&mut self, text: String) -> String {
        let digest = Sha256::digest(text.as_bytes());
        let mut hash = String::new();
        for byte in digest.iter().take(8) {
            write!(hash, "{byte:02x}").unwrap();
        }
        self.texts.insert(hash.clone(), text);
        hash
    }
}

/// The folder of the texts that runs share.
pub(crate) struct Texts(PathBuf);

impl Texts {
    pub(crate) const fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    fn path(&self, hash: &str) -> PathBuf {
        self.0.join(format!("{hash}.txt"))
    }

    fn read(&self, hash: &str) -> Option<String> {
        fs::read_to_string(self.path(hash)).ok()
    }

    /// Lists the files that no run refers to.
    pub(crate) fn unused(&self, used: &[String]) -> Vec<PathBuf> {
        let paths: Vec<PathBuf> = used.iter().map(|hash| self.path(hash)).collect();
        crate::play::stale(&self.0, &paths)
    }
}

/// The recorded form of one run.
pub(crate) struct Golden<'a> {
    pub(crate) path: PathBuf,
    pub(crate) texts: &'a Texts,
}

impl Golden<'_> {
    pub(crate) fn write(&self, played: &Played) {
        for folder in [self.path.parent().unwrap(), &*self.texts.0] {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(&self.path, &played.text).unwrap();
        for (hash, text) in &played.texts {
            fs::write(self.texts.path(hash), text).unwrap();
        }
    }

    /// Returns the lines in which a run differs from its record.
    pub(crate) fn difference(&self, played: &Played) -> Option<String> {
        let Ok(held) = fs::read_to_string(&self.path) else {
            return Some("it was never recorded".to_owned());
        };
        if held == played.text {
            return None;
        }
        // Prompts come first: other differences often follow from them.
        let mut texts = held.lines().zip(played.text.lines()).filter_map(|(old, new)| {
            let hash = |line: &str| line.rsplit_once(" = ").map(|(_, hash)| hash.to_owned());
            let old = self.texts.read(&hash(old)?)?;
            let new = played.texts.get(&hash(new)?)?;
            (old != *new).then(|| patch(&old, new))
        });
        Some(texts.next().unwrap_or_default() + &patch(&held, &played.text))
    }
}

fn patch(old: &str, new: &str) -> String {
    diffy::create_patch(&folded(old), &folded(new)).to_string()
}

/// Breaks long lines of JSON, so that a difference within one is easy to find.
fn folded(text: &str) -> String {
    let fold = |line: &str| line.replace(",\"", ",\n    \"").replace("\\n", "\\n\n    ");
    text.lines()
        .map(|line| if line.len() > LONG { fold(line) + "\n" } else { format!("{line}\n") })
        .collect()
}

/// Patterns of everything that differs from run to run, and their replacements: durations, checksums over them,
/// process ids.
static DIFFERS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (
            r#"("(?:[a-z_]*(?:elapsed|duration|milliseconds|wall|latency|took|active)[a-z_]*)": ?)[0-9.]+"#,
            "${1}0",
        ),
        (r#"("(?:crc|pid)": ?)(?:[0-9]+|"[0-9a-f]+")"#, "${1}0"),
        (r#"("seconds": ?)[0-9.]+"#, "${1}0"),
        (r"\b[0-9]+\.[0-9]( ?)s\b", "0.0${1}s"),
        (r"\b[0-9]+ ms\b", "0 ms"),
        (r"\bpid [0-9]+", "pid 0"),
        (r"/tmp/debate-agent-(?:doctor-)?[A-Za-z0-9]{6}\b", "/tmp/debate-agent-000000"),
    ]
    .into_iter()
    .map(|(pattern, with)| (Regex::new(pattern).unwrap(), with))
    .collect()
});

/// Replaces everything that differs from run to run: durations, process ids, checksums over them.
pub(crate) fn settle(text: &str) -> String {
    DIFFERS.iter().fold(text.to_owned(), |text, (pattern, with)| {
        pattern.replace_all(&text, *with).into_owned()
    })
}

/// Events without those about the pieces in which output arrived, which no two runs share.
pub(crate) fn events(text: &str) -> String {
    let kept = text.lines().filter(|line| !line.contains(r#""type":"turn.output""#));
    let numbered = kept.enumerate().map(|(index, line)| match line.split_once(r#""seq":"#) {
        Some((before, after)) => {
            let after = after.trim_start_matches(|digit: char| digit.is_ascii_digit());
            format!("{before}\"seq\":{}{after}\n", index + 1)
        }
        None => format!("{line}\n"),
    });
    settle(&numbered.collect::<String>())
}
