//! A repository of our own, made of files.

use std::path::Path;

use super::call::{Caller, Subcommand};
use super::{Git, GitError, Host};

/// Makes a repository in the empty folder `dir`, commits the files of the folder `base`, checks them out, and applies
/// `patch` to the working tree; an empty one changes nothing.
///
/// # Errors
/// git failed: the patch does not apply.
pub async fn seeded(host: Host, dir: &Path, base: &Path, patch: Vec<u8>) -> Result<(), GitError> {
    let caller = Caller::new(host.clone(), dir.to_owned());
    // Without a template there is no hook either.
    caller.call(Subcommand::Init, &["--quiet", "--template="]).await?.whole()?;
    // Opened anew: now the filters of the user's configuration are switched off.
    let mut git = Git::open(host, dir).await?.caller;
    git.shields.extend(["user.name=debate-agent", "user.email=nobody"].map(str::to_owned));
    let places = [("GIT_DIR", dir.join(".git")), ("GIT_WORK_TREE", base.to_owned())];
    let places = places.map(|(name, path)| (name, path.display().to_string()));
    // Files that the user's own rules ignore are part of it, too.
    git.run(Subcommand::Add, &["--all", "--force"], Vec::new(), &places).await?.whole()?;
    let args = ["--quiet", "--allow-empty", "--no-gpg-sign", "--message=base"];
    git.call(Subcommand::Commit, &args).await?.whole()?;
    git.call(Subcommand::Checkout, &["--quiet", "--force", "--detach"]).await?.whole()?;
    if !patch.is_empty() {
        let args = ["--whitespace=nowarn", "-"];
        git.call_with(Subcommand::Apply, &args, patch).await?.whole()?;
    }
    Ok(())
}
