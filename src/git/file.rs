//! Files of a working tree, read without following links out of it or within it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::Git;
use crate::files::Folder;

/// Maximum size of a file whose lines are counted, in bytes.
const COUNTED: u64 = 64 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkFile {
    /// Its first bytes; for a link its target, as git stores it.
    pub bytes: Vec<u8>,
    pub size: u64,
    /// Its number of lines; `None` for a file of more than 64 MiB.
    pub lines: Option<u32>,
    /// Its mode as git writes it: `100644`, `100755`, `120000`.
    pub mode: &'static str,
}

impl WorkFile {
    /// Whether [`bytes`](Self::bytes) is the whole file.
    pub fn is_whole(&self) -> bool {
        u64::try_from(self.bytes.len()) == Ok(self.size)
    }
}

impl Git {
    /// Returns the mode of the entry at a path, as git writes it; `None` if it is neither a file nor a
    /// link.
    pub fn mode(&self, path: &[u8]) -> Option<&'static str> {
        let root = Folder::open(self.root()).ok()?;
        let found = root.look(Path::new(OsStr::from_bytes(path))).ok()??;
        if found.kind.is_symlink() {
            Some("120000")
        } else {
            found.kind.is_file().then(|| mode_of(found.mode))
        }
    }

    /// Reads at most the first `most` bytes of a file.
    ///
    /// # Errors
    /// It does not exist, is neither a file nor a link, is behind a link, or cannot be read.
    pub fn file(&self, path: &[u8], most: usize) -> io::Result<WorkFile> {
        let path = Path::new(OsStr::from_bytes(path));
        let root = Folder::open(self.root())?;
        if root.look(path)?.is_some_and(|found| found.kind.is_symlink()) {
            let target = root.read_link(path)?;
            return Ok(WorkFile {
                size: u64::try_from(target.len()).unwrap_or(u64::MAX),
                lines: Some(1),
                bytes: target,
                mode: "120000",
            });
        }
        // A link that has just been put there is not followed.
        read(root.file(path)?, most)
    }
}

fn read(mut file: File, most: usize) -> io::Result<WorkFile> {
    use std::os::unix::fs::PermissionsExt as _;
    let meta = file.metadata()?;
    let (mut bytes, mut size, mut breaks, mut last) = (Vec::new(), 0_u64, 0_u32, b'\n');
    let mut chunk = vec![0; 64 << 10];
    while size < COUNTED {
        let count = match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = &chunk[..count];
        let newlines = read.split(|byte| *byte == b'\n').count() - 1;
        breaks = breaks.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
        last = read[count - 1];
        size += u64::try_from(count).unwrap_or(u64::MAX);
        bytes.extend_from_slice(&read[..count.min(most - bytes.len())]);
    }
    let whole = size < COUNTED;
    Ok(WorkFile {
        bytes,
        size: if whole { size } else { meta.len().max(size) },
        lines: whole.then(|| breaks.saturating_add(u32::from(last != b'\n'))),
        mode: mode_of(meta.permissions().mode()),
    })
}

/// Permission bits have 16 bits on some systems and 32 on others.
fn mode_of(bits: impl Into<u32>) -> &'static str {
    if bits.into() & 0o100 == 0 { "100644" } else { "100755" }
}
