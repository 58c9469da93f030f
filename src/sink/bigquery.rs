//! `bigquery`: one row per session and one per turn, each table by one load job.
//!
//! A job's id is derived from the session and the content, and a project accepts an id only once: an interrupted load
//! is found by its id, whether it succeeded or not. Only if it failed is there another one, with the next number in
//! its id.

use serde_json::{Value, json};

use super::shell::{Call, Failure, Shell};
use super::{Export, Step, StepAction};
use crate::config::file::sha256;
use crate::config::sinks::SinkConfig;

/// Maximum number of load jobs for one content, all of which have failed when it is reached.
const MOST_JOBS: u32 = 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    /// `sessions`.
    Sessions,
    /// `turns`.
    Turns,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Turns => "turns",
        }
    }

    /// Returns the schema, as read by `bq load` and printed by `debate-agent schema`.
    pub(crate) fn schema(self) -> &'static str {
        match self {
            Self::Sessions => include_str!("../schemas/bigquery-sessions.json"),
            Self::Turns => include_str!("../schemas/bigquery-turns.json"),
        }
    }

    /// Returns the rows of a session as JSON Lines.
    fn rows(self, export: &Export) -> String {
        let rows = match self {
            Self::Sessions => std::slice::from_ref(&export.row),
            Self::Turns => &export.turns[..],
        };
        let mut text = String::new();
        for row in rows {
            text.push_str(&row.to_string());
            text.push('\n');
        }
        text
    }
}

pub(super) fn steps(config: &SinkConfig, export: &Export) -> Vec<Step> {
    [Table::Sessions, Table::Turns]
        .into_iter()
        .filter(|table| !table.rows(export).is_empty())
        .map(|table| {
            let rows = table.rows(export);
            let parts = [&dataset(config), table.name(), &rows];
            Step::new(StepAction::Load(table), table.name(), &parts)
        })
        .collect()
}

fn dataset(config: &SinkConfig) -> String {
    let dataset = config.dataset.as_deref().unwrap_or_default();
    match &config.project {
        Some(project) => format!("{project}:{dataset}"),
        None => dataset.to_owned(),
    }
}

/// The flags of every call, before its command.
fn bq(config: &SinkConfig, more: &[String]) -> Vec<String> {
    let mut args = vec!["--headless".to_owned(), "--quiet".to_owned(), "--format=json".to_owned()];
    if let Some(project) = &config.project {
        args.push(format!("--project_id={project}"));
    }
    if let Some(location) = &config.location {
        args.push(format!("--location={location}"));
    }
    args.extend_from_slice(more);
    args
}

async fn call(shell: &Shell<'_>, args: Vec<String>) -> Result<Vec<u8>, Failure> {
    let stdin = Vec::new();
    let program = "bq";
    shell.run(Call { program, args, stdin }).await
}

/// Loads the rows of a session into a table, once.
pub(super) async fn load(
    config: &SinkConfig,
    shell: &Shell<'_>,
    export: &Export,
    table: Table,
) -> Result<(), Failure> {
    let rows = table.rows(export);
    let name = table.name();
    let content = sha256(format!("{}\0{name}\0{rows}", dataset(config)).as_bytes());
    let data = shell.file(&format!("{name}.jsonl"), rows.as_bytes())?;
    let schema = shell.file(&format!("{name}.schema.json"), table.schema().as_bytes())?;
    for number in 1..=MOST_JOBS {
        let job = format!("debate_agent_{}_{name}_{}_{number}", export.session, &content[..16]);
        let mut args = bq(config, &[format!("--job_id={job}")]);
        args.extend([
            "load".to_owned(),
            "--source_format=NEWLINE_DELIMITED_JSON".to_owned(),
            format!("{}.{name}", dataset(config)),
            data.display().to_string(),
            schema.display().to_string(),
        ]);
        let Err(failure) = call(shell, args).await else {
            return Ok(());
        };
        if !says_exists(&failure) {
            return Err(failure);
        }
        match state(config, shell, &job).await? {
            Job::Done => return Ok(()),
            Job::Runs => return Err(Failure::passing("an earlier load is still running")),
            Job::Failed => {}
        }
    }
    Err(Failure::lasting(format!("{MOST_JOBS} loads of these rows have already failed")))
}

/// bq reports errors on standard output.
fn says_exists(failure: &Failure) -> bool {
    let said = String::from_utf8_lossy(&failure.stdout);
    [&*said, &failure.stderr].iter().any(|text| text.contains("Already Exists: Job"))
}

/// The result of an earlier load.
enum Job {
    Done,
    Failed,
    Runs,
}

async fn state(config: &SinkConfig, shell: &Shell<'_>, job: &str) -> Result<Job, Failure> {
    let mut args = bq(config, &[]);
    args.extend(["show", "--job=true", job].map(str::to_owned));
    let shown = call(shell, args).await?;
    let shown: Value = serde_json::from_slice(&shown)
        .map_err(|error| Failure::lasting(format!("bq printed no job: {error}")))?;
    let status = &shown["status"];
    Ok(match status["state"].as_str() {
        Some("DONE") if status.get("errorResult").is_none_or(Value::is_null) => Job::Done,
        Some("DONE") => Job::Failed,
        Some(_) | None => Job::Runs,
    })
}

/// The version of the tables' schema, a column of both.
const SCHEMA: u32 = 1;

pub(crate) fn row(session: &str, more: Value) -> Value {
    let mut row = json!({ "schema_version": SCHEMA, "session_id": session });
    if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
        row.extend(more);
    }
    row
}
