//! `gcs` and `vertex-rag`: objects in a bucket, each under a name derived from its content.

use super::shell::{Call, Failure, Shell};
use super::{Export, Step, StepAction};
use crate::config::file::sha256;
use crate::config::sinks::SinkConfig;

/// Maximum number of objects per call: far below the limit of a command line.
const MOST_FILES: usize = 100;

/// Returns the steps that store the files of a session.
pub(super) fn keep(config: &SinkConfig, export: &Export) -> Vec<Step> {
    let names: Vec<String> = export.files.keys().cloned().collect();
    (names.chunks(MOST_FILES))
        .map(|names| {
            let mut parts = vec![folder(config, export)];
            parts.extend(names.iter().filter_map(|name| object(export, name)));
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            Step::new(StepAction::Upload(names.to_vec()), "files", &parts)
        })
        .collect()
}

pub(crate) const RECORD: &str = "record.md";

pub(super) fn import(config: &SinkConfig, export: &Export) -> Result<Vec<Step>, String> {
    let Some(object) = object(export, RECORD) else {
        return Err("the session has no record".to_owned());
    };
    let uri = format!("{}{object}", folder(config, export));
    let upload = StepAction::Upload(vec![RECORD.to_owned()]);
    let command = config.import_command.join("\0");
    Ok(vec![
        Step::new(upload, "record", &[&uri]),
        Step::new(StepAction::Import(uri.clone()), "import", &[&uri, &command]),
    ])
}

/// Returns the path of a session's objects, with a trailing slash.
fn folder(config: &SinkConfig, export: &Export) -> String {
    let bucket = config.bucket.as_deref().unwrap_or_default();
    let prefix = config.prefix.as_deref().unwrap_or_default().trim_end_matches('/');
    let slash = if prefix.is_empty() { "" } else { "/" };
    format!("gs://{bucket}{slash}{prefix}/{}/", export.session)
}

/// Returns the name of a file's object: `record-1f3a….md`.
fn object(export: &Export, name: &str) -> Option<String> {
    let hash = sha256(export.files.get(name)?);
    Some(match name.rsplit_once('.') {
        Some((stem, end)) => format!("{stem}-{hash}.{end}"),
        None => format!("{name}-{hash}"),
    })
}

/// Uploads files; an existing object is left alone, since its name implies the same content.
pub(super) async fn upload(
    config: &SinkConfig,
    shell: &Shell<'_>,
    export: &Export,
    names: &[String],
) -> Result<(), Failure> {
    let mut args: Vec<String> = ["storage", "cp", "--no-clobber"].map(str::to_owned).into();
    for name in names {
        if let (Some(object), Some(bytes)) = (object(export, name), export.files.get(name)) {
            args.push(shell.file(&object, bytes)?.display().to_string());
        }
    }
    args.push(folder(config, export));
    let program = "gcloud";
    let stdin = Vec::new();
    shell.run(Call { program, args, stdin }).await.map(drop)
}

/// Runs the user's program that imports an object.
pub(super) async fn import_object(
    config: &SinkConfig,
    shell: &Shell<'_>,
    export: &Export,
    uri: &str,
) -> Result<(), Failure> {
    let filled = |word: &String| word.replace("{uri}", uri).replace("{session}", &export.session);
    let mut words = config.import_command.iter();
    let program = words.next().map_or("", String::as_str);
    let args = words.map(filled).collect();
    let stdin = Vec::new();
    shell.run(Call { program, args, stdin }).await.map(drop)
}
