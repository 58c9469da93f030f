//! Reads a file whole, if it is one and not too large.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Largest report: 64 MiB.
pub const MAX_BYTES: u64 = 64 << 20;

/// Reads a file that is no symbolic link and has at most `most` bytes.
///
/// # Errors
/// Says why not, in words that follow a file's name.
pub fn file(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let meta = path.symlink_metadata().map_err(|error| error.to_string())?;
    if meta.is_symlink() {
        return Err("it is a symbolic link, which is not followed".to_owned());
    }
    if !meta.is_file() {
        return Err("it is no file".to_owned());
    }
    let too_large = || {
        format!(
            "it has more than {} MiB, the most that is read",
            (most >> 20).max(1)
        )
    };
    if meta.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may have grown since.
    let file = File::open(path).map_err(|error| error.to_string())?;
    file.take(most.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > most {
        return Err(too_large());
    }
    Ok(bytes)
}
