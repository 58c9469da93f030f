//! git without a clone's own settings: its configuration, `info/exclude`, `info/attributes`.
//!
//! git has no option to ignore `info/attributes`. So git runs in a separate repository that has only the objects of
//! this one: then only commits, the working tree and the user's own settings count.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

use super::call::Subcommand;
use super::{Git, GitError, parse};

/// A repository without settings, in a scratch folder that is deleted with it.
pub(super) struct ScratchRepository {
    folder: TempDir,
    /// The variables that point git there.
    pub(super) vars: [(&'static str, String); 2],
}

impl ScratchRepository {
    /// Returns a link in the scratch folder to another file, so that the file can be passed to git whatever its name.
    pub(super) fn leads_to(&self, file: &Path, name: &str) -> Result<String, GitError> {
        let link = self.folder.path().join(name);
        std::os::unix::fs::symlink(file, &link).map_err(|error| failed(&error))?;
        text(&link)
    }
}

impl Git {
    /// Creates a repository that has this one's objects and no settings.
    pub(super) async fn apart(&self) -> Result<ScratchRepository, GitError> {
        let args = ["--show-object-format", "--git-path", "objects"];
        let printed = self.caller.call(Subcommand::RevParse, &args).await?.whole()?;
        let lines = std::str::from_utf8(&printed).ok();
        let two = lines.and_then(|lines| lines.strip_suffix('\n')?.split_once('\n'));
        let (format, objects) =
            two.ok_or_else(|| parse::unreadable(Subcommand::RevParse, &printed))?;
        let folder = made(format).map_err(|error| failed(&error))?;
        // Absolute: git changes into a working tree that is elsewhere.
        let objects = text(&self.caller.dir.join(objects))?;
        let vars = [("GIT_DIR", text(folder.path())?), ("GIT_OBJECT_DIRECTORY", objects)];
        Ok(ScratchRepository { folder, vars })
    }

    /// Runs a subcommand there, at the top of the working tree, and returns its output.
    pub(super) async fn ask_apart(
        &self,
        apart: &ScratchRepository,
        read: Subcommand,
        args: &[&str],
        stdin: Vec<u8>,
    ) -> Result<Vec<u8>, GitError> {
        let run = self.caller.run(read, args, stdin, &apart.vars);
        run.await?.whole()
    }
}

fn made(format: &str) -> io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("debate-agent-git-").tempdir()?;
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("refs"))?;
    fs::write(at("HEAD"), "ref: refs/heads/none\n")?;
    if format != "sha1" {
        let config = "[core]\nrepositoryformatversion = 1\n[extensions]\nobjectformat = ";
        fs::write(at("config"), format!("{config}{format}\n"))?;
    }
    Ok(folder)
}

fn text(path: &Path) -> Result<String, GitError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| failed(&io::Error::other("the scratch folder's name is not UTF-8")))
}

fn failed(error: &io::Error) -> GitError {
    GitError::Failed {
        command: Subcommand::RevParse.name(),
        ending: "not asked".to_owned(),
        stderr: format!("no scratch folder could be made for it: {error}"),
    }
}
