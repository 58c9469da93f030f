//! One file as stored in a commit.

use super::call::Subcommand;
use super::{CommitId, Git, GitError, parse};

impl Git {
    /// Returns a file from a commit, byte for byte; `None` if there is none, or the entry is not a
    /// file.
    ///
    /// `path` starts at the top of the repository, with `/`. `most`: the maximum size in bytes.
    ///
    /// # Errors
    /// git failed, or the file is larger.
    pub async fn file_at(
        &self,
        commit: &CommitId,
        path: &str,
        most: u64,
    ) -> Result<Option<Vec<u8>>, GitError> {
        // It begins with the digits of the commit, so no path can turn it into an option.
        let name = format!("{}:{path}", commit.as_str());
        let args = ["--verify", "--quiet", "--end-of-options", name.as_str()];
        let Some(printed) = self.caller.call(Subcommand::RevParse, &args).await?.if_any()? else {
            return Ok(None);
        };
        let named = printed.trim_ascii_end();
        let id =
            CommitId::read(named).ok_or_else(|| parse::unreadable(Subcommand::RevParse, named))?;
        let kind = ["--batch-check=%(objecttype)"];
        let asked = format!("{}\n", id.as_str()).into_bytes();
        match &*self.ask(Subcommand::CatFile, &kind, asked).await? {
            b"blob\n" => {}
            // The commit names it, so it is there, elsewhere.
            printed if printed.ends_with(b" missing\n") => {
                return Err(GitError::NotFetched { command: Subcommand::CatFile.name() });
            }
            _ => return Ok(None),
        }
        let mut found = self.contents(std::slice::from_ref(&id), most, most).await?;
        match found.remove(id.as_str()) {
            Some(bytes) => Ok(Some(bytes)),
            None => {
                Err(GitError::TooMuchOutput { command: Subcommand::CatFile.name(), bytes: most })
            }
        }
    }
}
