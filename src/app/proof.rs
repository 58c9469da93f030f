//! `review show`: one finding of a review with its proof, as a patch too, or with its test put into the working tree.

use std::fmt::Write as _;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::dismissals;
use crate::app::run::git::open_git;
use crate::app::run::workspace::Workspace;
use crate::engine::switch::Switch;
use crate::error::{Error, Kind, git_error};
use crate::files::{Folder, IfExists};
use crate::protocol::review::proof::{self, Proof, TestFile};
use crate::protocol::review::{ReportedFinding, Severity};
use crate::report::document::SCHEMA_VERSION;
use crate::text::sanitize;

/// The mode of a file that is put into the working tree.
const MODE: u32 = 0o644;

/// The result of `review show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProofDocument {
    /// The finding: `F2`.
    pub id: String,
    /// How bad it is.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// What came of testing it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Its test as a patch of new files; empty if it has none.
    pub patch: String,
    /// Files that were put into the working tree.
    pub applied: Vec<String>,
    /// Which review was looked at.
    pub review: String,
    /// The version of this document.
    pub schema_version: u32,
}

impl ProofDocument {
    /// Returns the result as text, with a newline at the end.
    pub fn render(&self) -> String {
        let line = |text: &str| sanitize::line(text, 400);
        let mut text = format!("{} {}: {}\n", self.id, self.severity.name(), line(&self.title));
        let Some(proof) = &self.proof else {
            text.push_str("It was not tested: `review --prove` tests P0 and P1.\n");
            return text;
        };
        let (status, reason) = (proof.status.name().replace('_', " "), line(&proof.reason));
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{status}: {reason}");
        if !self.patch.is_empty() {
            let _ = write!(text, "The test, written by {}:\n\n{}", line(&proof.by), self.patch);
        }
        for file in &self.applied {
            let _ = writeln!(text, "Written: {}", line(file));
        }
        text
    }
}

/// Looks a finding of a review up. `session`: the review's; `None` for the newest. `apply`: puts its test into the working
/// tree, where no file is replaced.
///
/// # Errors
/// There is no such review or finding; it has no test to apply; a file is there already or cannot be written.
pub async fn show(
    workspace: &Workspace,
    id: &str,
    session: Option<&str>,
    apply: bool,
) -> Result<ProofDocument, Error> {
    let (found, review) = dismissals::finding(workspace, id, session).await?;
    let ReportedFinding { id, finding, proof, .. } = found;
    let said = proof.as_ref().and_then(|proof| proof.reproduction.as_ref());
    // A stored result may come from somebody else: its paths are as good as those of an answer, or none.
    let said = said.filter(|said| proof::check(said).is_ok());
    let files: &[TestFile] = said.map_or(&[], |said| &said.files);
    let patch = sanitize::terminal(&files.iter().map(added).collect::<String>());
    let applied = if apply { write(workspace, files).await? } else { Vec::new() };
    Ok(ProofDocument {
        id,
        severity: finding.severity,
        title: finding.title,
        proof,
        patch,
        applied,
        review,
        schema_version: SCHEMA_VERSION,
    })
}

/// Returns a new file as a patch that git takes; its last line has an end.
fn added(TestFile { path, content }: &TestFile) -> String {
    let lines = content.lines().count();
    let body = content.lines().flat_map(|line| ["+", line, "\n"]).collect::<String>();
    format!(
        "diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n{body}"
    )
}

async fn write(workspace: &Workspace, files: &[TestFile]) -> Result<Vec<String>, Error> {
    if files.is_empty() {
        return Err(Error::new(Kind::Input, "this finding has no test").named("no_test"));
    }
    let switch = Switch::default();
    let git = open_git(workspace, &switch).await.map_err(|error| git_error(error, &switch))?;
    let put = |TestFile { path, content }: &TestFile| {
        let (top, file) = (Folder::open(git.root())?, Path::new(path));
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            top.make(folder)?;
        }
        top.write(file, content.as_bytes(), MODE, IfExists::Keep)
    };
    for file in files {
        put(file).map_err(|error| {
            let what = format!("failed to write {}", sanitize::line(&file.path, 400));
            let hint = "a file that is there already is not replaced: move it, or take the patch";
            Error::new(Kind::State, what).because(error).hint(hint)
        })?;
    }
    Ok(files.iter().map(|file| file.path.clone()).collect())
}
