//! Reads source files, within bounds, and extracts the facts that the rules need.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::facts::Facts;
use super::{functions, newlines, paths};
use crate::discovery::tree::{Tree, TreeFile};
use crate::files::Folder;
use crate::text::generated;

/// Maximum total size of source text read in one run, in bytes: some 1.5 million lines.
pub const MAX_TOTAL_BYTES: u64 = 64 << 20;
/// Maximum size of a source file, in bytes; a larger one was not written by hand.
pub const MAX_FILE_BYTES: u64 = 2 << 20;
/// Maximum length of a line, in bytes; a file with a longer one is minified or data.
pub const MAX_LINE_BYTES: usize = 10_000;
/// Maximum number of distinct words kept from tests.
const MAX_WORDS: usize = 2_000_000;

/// The result of reading the sources.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) files: BTreeMap<String, Facts>,
    pub(super) words: HashSet<String>,
    /// Files that were not read, and why.
    pub(super) left_out: BTreeMap<String, String>,
    /// Files beyond [`MAX_TOTAL_BYTES`].
    pub(super) beyond: BTreeSet<String>,
    /// Whether every test was read: otherwise no file can be said to lack one.
    pub(super) all_tests_read: bool,
}

/// Reads the sources of a tree: recently changed ones first, then the largest, up to `budget` bytes.
pub(super) fn scan(tree: &Tree, changed: &BTreeMap<String, u32>, budget: u64) -> Scan {
    let mut order: Vec<&TreeFile> =
        (tree.files.iter()).filter(|file| paths::is_code(&file.name)).collect();
    order.sort_by(|a, b| {
        (!changed.contains_key(&a.name), std::cmp::Reverse(a.bytes), &a.name).cmp(&(
            !changed.contains_key(&b.name),
            std::cmp::Reverse(b.bytes),
            &b.name,
        ))
    });
    let mut scan = Scan { all_tests_read: true, ..Scan::default() };
    let mut total = 0_u64;
    order.retain(|file| {
        let too_large = file.bytes > MAX_FILE_BYTES;
        if too_large {
            scan.left_out
                .insert(file.name.clone(), format!("larger than {} MiB", MAX_FILE_BYTES >> 20));
        } else if total + file.bytes > budget {
            scan.beyond.insert(file.name.clone());
        } else {
            total += file.bytes;
            return true;
        }
        scan.all_tests_read &= !paths::is_test(&file.name);
        false
    });
    let next = AtomicUsize::new(0);
    let done = Mutex::new(scan);
    let root = Folder::open(&tree.root).map_err(|error| format!("not readable: {error}"));
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers.min(order.len()) {
            scope.spawn(|| {
                while let Some(file) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let read =
                        root.as_ref().map_err(String::clone).and_then(|root| read(root, file));
                    done.lock().unwrap_or_else(PoisonError::into_inner).take(file, read);
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(PoisonError::into_inner)
}

struct FileScan {
    facts: Facts,
    words: HashSet<String>,
}

impl Scan {
    fn take(&mut self, file: &TreeFile, read: Result<FileScan, String>) {
        match read {
            Ok(read) => {
                if self.words.len() + read.words.len() <= MAX_WORDS {
                    self.words.extend(read.words);
                } else {
                    self.all_tests_read = false;
                }
                self.files.insert(file.name.clone(), read.facts);
            }
            Err(why) => {
                self.all_tests_read &= !paths::is_test(&file.name);
                self.left_out.insert(file.name.clone(), why);
            }
        }
    }
}

fn read(root: &Folder, file: &TreeFile) -> Result<FileScan, String> {
    let bytes = load(root, &file.path)?;
    let mut words = HashSet::new();
    if paths::is_test(&file.name) {
        words = words_of(&bytes);
        words.insert(paths::stem(&file.name).to_owned());
    }
    Ok(FileScan { facts: measure(&bytes), words })
}

/// Reads a regular file that is not behind a link, up to the maximum size.
fn load(root: &Folder, path: &Path) -> Result<Vec<u8>, String> {
    root.read(path, MAX_FILE_BYTES).map_err(|error| {
        if error.kind() == io::ErrorKind::FileTooLarge {
            format!("larger than {} MiB", MAX_FILE_BYTES >> 20)
        } else if error.kind() == io::ErrorKind::InvalidInput {
            // It was a file when the tree was read.
            "no longer a file".to_owned()
        } else {
            format!("not readable: {error}")
        }
    })
}

fn measure(bytes: &[u8]) -> Facts {
    let lines = || bytes.split(|byte| *byte == b'\n');
    let count = |lines: usize| u32::try_from(lines).unwrap_or(u32::MAX);
    let ends_open = usize::from(bytes.last().is_some_and(|last| *last != b'\n'));
    let mut facts = Facts { lines: count(newlines(bytes) + ends_open), ..Facts::default() };
    if generated::is_generated_text(bytes) || lines().any(|line| line.len() > MAX_LINE_BYTES) {
        facts.generated = true;
        return facts;
    }
    facts.code_lines = count(lines().filter(|line| is_code_line(line)).count());
    let text = String::from_utf8_lossy(bytes);
    facts.functions = functions::functions(&text);
    // Tests in Rust and in doc comments.
    facts.tests_inside = ["#[cfg(test)]", "#[test]", "/// ```", "//! ```", ">>> "]
        .iter()
        .any(|mark| text.contains(mark));
    facts
}

fn is_code_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    !(line.is_empty()
        || [&b"//"[..], b"/*", b"*", b"#"].iter().any(|comment| line.starts_with(comment)))
}

/// Returns the words of a test: identifiers, and file names with a dash.
fn words_of(bytes: &[u8]) -> HashSet<String> {
    let mut words = HashSet::new();
    let mut add = |word: &[u8]| {
        if (2..=100).contains(&word.len())
            && let Ok(word) = std::str::from_utf8(word)
        {
            words.insert(word.to_owned());
        }
    };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    bytes.split(|byte| !is_word(*byte)).for_each(&mut add);
    for word in bytes.split(|byte| !is_word(*byte) && *byte != b'-' && *byte != b'.') {
        if let Some(last) = word.iter().rposition(|byte| matches!(byte, b'-' | b'.')) {
            add(word);
            // Without an extension: `user.service.js`.
            add(&word[..last]);
        }
    }
    words
}
