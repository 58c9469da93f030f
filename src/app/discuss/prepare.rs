//! Reads everything that a critique needs before any agent is asked; writes nothing.

use std::io;
use std::path::{Path, PathBuf};

use super::request::Request;
use super::{artifact, folder_of, policy, seating};
use crate::app::run::panel::SeatHolder;
use crate::app::run::workspace::Workspace;
use crate::config::discuss::PresetConfig;
use crate::config::error::nearest;
use crate::env::Env;
use crate::error::{Error, Kind};
use crate::protocol::discuss::Task;
use crate::protocol::discuss::input::{Artifact, is_round_id};
use crate::text::redact::Redactor;
use crate::text::{Note, sanitize};

/// An artifact that is ready to be discussed.
#[derive(Debug)]
pub(super) struct PreparedArtifact {
    pub(super) seating: Vec<SeatHolder>,
    pub(super) task: Task,
}

/// Reads artifact and context, and seats the perspectives.
pub(super) fn prepare(workspace: &Workspace, request: &Request) -> Result<PreparedArtifact, Error> {
    let preset = preset(workspace, request)?;
    check_usage(request)?;
    let (file, below) = match (&request.artifact, preset) {
        (None, Some(preset)) => {
            let (path, base) = of_preset(workspace, request, &preset.artifact);
            (path, Some(base))
        }
        (named, _) => (named.clone().unwrap_or_default(), None),
    };
    let (context, context_notes) = context(workspace, request, preset)?;
    let names = match (&request.perspectives[..], preset) {
        ([], Some(preset)) => &preset.perspectives,
        ([], None) => &workspace.effective.config.discuss.default_perspectives,
        (given, _) => given,
    };
    let by_hand = !request.perspectives.is_empty();
    let round_id = round_id(request, &workspace.redactor(), workspace.env())?;
    let records = folder_of(workspace, request.folder.as_deref());
    let mut taken = artifact::read(workspace, &file, below.as_deref(), &mut io::stdin().lock())?;
    let seated = seating::seat(workspace, request, names, by_hand, context.is_some())?;
    let revisions = if file == Path::new("-") {
        0
    } else {
        taken.artifact.name = name(workspace, &file);
        policy::revisions(workspace.fs.as_ref(), &records, &taken.artifact.name)?
    };
    let mut notes = context_notes;
    notes.extend(taken.notes);
    notes.extend(seated.notes);
    Ok(PreparedArtifact {
        seating: seated.places,
        task: Task {
            round_id,
            preset: request.preset.clone(),
            artifact: taken.artifact,
            context,
            perspectives: seated.perspectives,
            skipped: seated.skipped,
            sign_off: preset.is_some_and(|preset| preset.sign_off),
            revisions,
            role: (request.role.clone()).or_else(|| {
                let role = preset.map(|preset| preset.role.clone());
                role.filter(|role| !role.is_empty())
            }),
            task_id: request.task_id.clone(),
            folder: (request.folder.as_ref()).map(|folder| folder.display().to_string()),
            apply_policy: request.apply_policy,
            notes,
        },
    })
}

/// Returns an artifact's name in records: its path within the project, however and through whatever link it was
/// typed; outside of the project, the path as typed. Revisions are counted by this name.
fn name(workspace: &Workspace, file: &Path) -> String {
    // It was just read, so it has a real path.
    let real = workspace.around.dir.join(file).canonicalize().ok();
    let root = workspace.root().canonicalize().ok();
    let within = (real.as_deref().zip(root.as_deref()))
        .and_then(|(real, root)| real.strip_prefix(root).ok().map(Path::to_owned));
    let shown = within.as_deref().unwrap_or(file).display();
    sanitize::line(&workspace.redactor().text(&shown.to_string()), 200)
}

/// Returns the requested preset; `None` if none was requested.
fn preset<'a>(
    workspace: &'a Workspace,
    request: &Request,
) -> Result<Option<&'a PresetConfig>, Error> {
    let Some(name) = &request.preset else {
        return Ok(None);
    };
    let presets = &workspace.effective.config.discuss.presets;
    if let Some(preset) = presets.get(name) {
        return Ok(Some(preset));
    }
    let known: Vec<&str> = presets.keys().map(String::as_str).collect();
    let meant = nearest(name, known.iter().copied())
        .map(|name| format!("did you mean `{name}`? "))
        .unwrap_or_default();
    Err(Error::new(Kind::Usage, format!("there is no preset `{name}`"))
        .named("preset")
        .hint(format!("{meant}configured are {}; `discuss.presets` adds others", known.join(", "))))
}

/// Refuses combinations of options that make no sense.
fn check_usage(request: &Request) -> Result<(), Error> {
    let usage =
        |what: &str, hint: &str| Err(Error::new(Kind::Usage, what).named("artifact").hint(hint));
    if request.artifact.is_none() && request.preset.is_none() {
        return usage(
            "there is nothing to discuss",
            "name a file or `-`, or a preset: `debate-agent discuss docs/design.md`",
        );
    }
    let from_stdin = (request.artifact.iter().chain(&request.context))
        .filter(|path| path.as_path() == Path::new("-"))
        .count();
    if from_stdin > 1 {
        return usage(
            "standard input can be read only once, but two arguments are `-`",
            "put one of them into a file",
        );
    }
    if request.apply_policy && request.artifact.as_deref() == Some(Path::new("-")) {
        return usage(
            "a policy counts the revisions of an artifact by its name, but standard input has none",
            "put the artifact into a file, or leave `--apply-policy` out",
        );
    }
    Ok(())
}

/// Returns the path of a preset's file, in the session folder named on the command line if it exists there, else in
/// the project; and the folder that it must not lead out of.
fn of_preset(workspace: &Workspace, request: &Request, path: &str) -> (PathBuf, PathBuf) {
    let named = request.folder.as_deref();
    let folder = named.map(|folder| workspace.around.dir.join(folder));
    if let Some(folder) = folder.filter(|folder| !is_absent(&folder.join(path))) {
        return (folder.join(path), folder);
    }
    let root = workspace.root().to_owned();
    (root.join(path), root)
}

fn context(
    workspace: &Workspace,
    request: &Request,
    preset: Option<&PresetConfig>,
) -> Result<(Option<Artifact>, Vec<Note>), Error> {
    let (path, below) = match (&request.context, preset) {
        (Some(path), _) => (path.clone(), None),
        (None, Some(preset)) => {
            let (path, base) = of_preset(workspace, request, &preset.context);
            // A preset's context is used if it exists; one that exists but cannot be read is an error.
            if preset.context.is_empty() || is_absent(&path) {
                return Ok((None, Vec::new()));
            }
            (path, Some(base))
        }
        (None, None) => return Ok((None, Vec::new())),
    };
    let (mut context, notes) =
        artifact::context(workspace, &path, below.as_deref(), Some(&mut io::stdin().lock()))?;
    if path != Path::new("-") {
        context.name = name(workspace, &path);
    }
    Ok((Some(context), notes))
}

/// Whether nothing exists at a path. A dangling link or an inaccessible folder does not count as absent: reading the
/// file reports what is wrong with it.
fn is_absent(path: &Path) -> bool {
    path.symlink_metadata().is_err_and(|error| crate::files::is_absent(&error))
}

/// Returns the round's id: the one given, the preset's name, or a new one.
fn round_id(request: &Request, redactor: &Redactor, env: &Env) -> Result<String, Error> {
    if let Some(id) = &request.round_id {
        // It names files.
        let id = redactor.text(id);
        if is_round_id(&id) {
            return Ok(id);
        }
        return Err(Error::new(
            Kind::Usage,
            format!(
                "`{}` is not a valid id of a round",
                sanitize::line(&id, 80)
            ),
        )
        .named("round_id")
        .hint("1 to 64 letters, digits, `-`, `_` and `.`, a letter or digit first: it names the record"));
    }
    if let Some(preset) = &request.preset {
        return Ok(preset.clone());
    }
    let random: String = env.token().chars().take(4).collect();
    Ok(format!("DISCUSS-{}-{random}", env.now().format("%Y%m%dT%H%M%SZ")))
}
