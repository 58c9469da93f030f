//! A state of the repository written out as files, elsewhere.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use super::call::Subcommand;
use super::{Git, GitError, Side};

/// Maximum size of a file of the working tree that is written out, in bytes.
const FILE_BYTES: usize = 256 << 20;

impl Git {
    /// Writes the files of a side into the empty folder `into`. The working tree is what git does not ignore there;
    /// submodules stay empty. No filter is run, and neither the repository nor its index is written to.
    ///
    /// # Errors
    /// git failed, or a file cannot be read or written.
    pub async fn write_out(&self, side: &Side, into: &Path) -> Result<(), GitError> {
        let target = into.to_str().ok_or_else(|| GitError::Hostile {
            what: "the path of a private folder is not UTF-8".to_owned(),
        })?;
        match side {
            Side::WorkTree => {
                let flags = ["-z", "--cached", "--others", "--exclude-standard", "--full-name"];
                let printed = self.read(Subcommand::LsFiles, &flags, &[], &[]).await?;
                let mut names: Vec<&[u8]> =
                    printed.split(|byte| *byte == 0).filter(|name| !name.is_empty()).collect();
                names.sort_unstable();
                names.dedup();
                self.copy(&names, into).map_err(|error| GitError::Hostile {
                    what: format!("a file of the working tree cannot be copied: {error}"),
                })
            }
            Side::Index => {
                let index = self.host().vars.get("GIT_INDEX_FILE").cloned();
                let vars: Vec<_> =
                    index.into_iter().map(|index| ("GIT_INDEX_FILE", index)).collect();
                let prefix = format!("--prefix={target}/");
                let args = ["--all", "--quiet", &prefix];
                let run = self.caller.run(Subcommand::CheckoutIndex, &args, Vec::new(), &vars);
                run.await?.whole().map(drop)
            }
            Side::Commit(commit) => {
                let apart = self.apart().await?;
                let vars = [&apart.vars[..], &[("GIT_WORK_TREE", target.to_owned())]].concat();
                let args = ["--quiet", "--force", "--detach", commit.as_str()];
                let run = self.caller.run(Subcommand::Checkout, &args, Vec::new(), &vars);
                run.await?.whole().map(drop)
            }
        }
    }

    /// Copies files of the working tree. Links come last, so that none of them leads a file elsewhere.
    fn copy(&self, names: &[&[u8]], into: &Path) -> io::Result<()> {
        let mut links = Vec::new();
        for name in names {
            let file = match self.file(name, FILE_BYTES) {
                Ok(file) => file,
                // Listed, but deleted; or a submodule.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(_) if self.mode(name).is_none() => continue,
                Err(error) => return Err(error),
            };
            if !file.is_whole() {
                return Err(io::Error::other(format!(
                    "{} has more than {FILE_BYTES} bytes",
                    String::from_utf8_lossy(name)
                )));
            }
            let path = into.join(OsStr::from_bytes(name));
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            if file.mode == "120000" {
                links.push((file.bytes, path));
                continue;
            }
            let mode = if file.mode == "100755" { 0o700 } else { 0o600 };
            let mut new = fs::OpenOptions::new();
            new.write(true).create_new(true).mode(mode).open(&path)?.write_all(&file.bytes)?;
        }
        links.iter().try_for_each(|(target, path)| {
            std::os::unix::fs::symlink(OsStr::from_bytes(target), path)
        })
    }
}
