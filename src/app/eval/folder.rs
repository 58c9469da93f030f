//! The folder of an evaluation: what was asked for, and the sessions of its cases.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Request, arms};
use crate::agent::roster::{guess, key_and_model};
use crate::app::run::workspace::Workspace;
use crate::config::Config;
use crate::config::agents::ProfileName;
use crate::config::file::make_private_folder;
use crate::env::Env;
use crate::error::{Error, Kind, store_error};
use crate::eval::Part;
use crate::eval::case::Case;
use crate::eval::score::{CaseResult, tables};
use crate::ordered::{BTreeMap, BTreeSet, Gather as _};
use crate::report::document::SCHEMA_VERSION;
use crate::report::eval::{EvalDocument, NotScored};
use crate::session::shared::SharedFolder;
use crate::session::{RealFs, Store, StoredSession};
use crate::text::json::versioned;

const RECORD: &str = "eval.json";
/// The copy of a case, which is written last.
pub(super) const CASE: &str = "case.json";
/// The repository of a case.
pub(super) const PROJECT: &str = "project";
/// The folder of a case's session, whatever is configured: other machines read it.
pub(super) const DEBATE: &str = ".debate";

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    schema_version: u32,
    cases: String,
    rehearsal: bool,
    /// Its number, and how many there are.
    shard: Option<[u32; 2]>,
    /// The names of all cases that were chosen in any run.
    names: BTreeSet<String>,
    /// Agents whose programs are no vendor's CLI.
    scripted: BTreeSet<String>,
    /// How often the held-out part was scored, by version of this program.
    held_out: BTreeMap<String, u32>,
}

/// The folder of an evaluation.
pub(super) struct EvalFolder {
    /// Canonical.
    pub(super) dir: PathBuf,
    fs: RealFs,
    plan: Plan,
}

pub(super) fn unreadable(
    path: &Path,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> Error {
    Error::new(Kind::Input, format!("failed to read {}", path.display())).because(error)
}

impl EvalFolder {
    /// Opens the folder for these cases, or begins it. That of a shard is within the one of all.
    pub(super) fn new(
        workspace: &Workspace,
        from: &Path,
        request: &Request,
    ) -> Result<Self, Error> {
        let from = from.canonicalize().map_err(|error| unreadable(from, error))?;
        let cases = from.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let debate = &workspace.effective.config.paths.debate;
        let usual = || workspace.root().join(debate).join("eval").join(&cases);
        let out = request.out.as_ref().map(|out| workspace.around.dir.join(out));
        let mut dir = out.unwrap_or_else(usual);
        // No part of what is paid for.
        if request.options.rehearse {
            dir.push("_rehearsal");
        }
        if let Some([number, of]) = request.shard {
            dir.push(format!("shard-{number}-of-{of}"));
        }
        make_private_folder(&dir).map_err(|error| {
            Error::new(Kind::State, format!("failed to make {}", dir.display())).because(error)
        })?;
        let (dir, fs, plan) = open(&dir)?;
        let plan = plan.unwrap_or_else(|| Plan {
            schema_version: SCHEMA_VERSION,
            cases: cases.clone(),
            rehearsal: request.options.rehearse,
            shard: request.shard,
            names: BTreeSet::new(),
            scripted: BTreeSet::new(),
            held_out: BTreeMap::new(),
        });
        if plan.cases != cases {
            let what = format!("{} has an evaluation of `{}`", dir.display(), plan.cases);
            return Err(Error::new(Kind::Usage, what).hint("give another `--out`"));
        }
        Ok(Self { dir, fs, plan })
    }

    /// Opens a folder that has an evaluation.
    pub(super) fn existing(dir: &Path) -> Result<Self, Error> {
        let (dir, fs, plan) = open(dir)?;
        let plan = plan.ok_or_else(|| {
            Error::new(Kind::Input, format!("{} has no {RECORD}", dir.display()))
                .hint("give the folders that `debate-agent eval --out` has written")
        })?;
        Ok(Self { dir, fs, plan })
    }

    pub(super) fn shared(&self) -> SharedFolder<'_> {
        SharedFolder::new(&self.fs, &self.dir, &self.dir)
    }

    fn write(&self) -> Result<(), Error> {
        let bytes = serde_json::to_vec_pretty(&self.plan).unwrap_or_default();
        self.shared().replace(RECORD, &bytes).map_err(store_error)
    }

    /// Records what is asked for.
    pub(super) fn note(&mut self, cases: &[(String, Case)], config: &Config) -> Result<(), Error> {
        let unknown = config.agents.iter().filter(|(_, agent)| {
            agent.profile.unwrap_or_else(|| guess(&agent.path)) == ProfileName::Generic
        });
        self.plan.scripted.extend(unknown.map(|(name, _)| name.clone()));
        self.plan.names.extend(cases.iter().map(|(name, _)| name.clone()));
        self.write()
    }

    /// Returns the session of a case; `None`: it has not begun.
    pub(super) fn session(&self, env: &Env, name: &str) -> Result<Option<StoredSession>, Error> {
        let project = self.dir.join(name).join(PROJECT);
        let fs = Arc::new(RealFs::below(&project));
        let store = Store::new(fs, project.join(DEBATE), env.clone());
        let last = store.ids().map_err(store_error)?.pop();
        last.map(|id| store.read(&id).map_err(store_error)).transpose()
    }

    /// Scores this folder alone, and counts that its held-out part was.
    pub(super) async fn read(&mut self, env: &Env, held_out: bool) -> Result<EvalDocument, Error> {
        let is_shown = |name: &String| held_out || Part::of(name) == Part::Tuning;
        let mut document = document(env, slice::from_ref(self), &is_shown).await;
        if document.results.iter().any(|result| result.part == Part::HeldOut) {
            let times = self.plan.held_out.entry(document.version.clone()).or_default();
            *times += 1;
            document.held_out_scored = *times;
            self.write()?;
        }
        Ok(document)
    }

    /// Reads what each arm made of a case, or why it does not count.
    async fn scored(&self, env: &Env, name: &str) -> Result<CaseResult, String> {
        let session = self.session(env, name).map_err(|error| error.sentence())?;
        let stored = session.ok_or("it was not run")?;
        let text = std::fs::read_to_string(self.dir.join(name).join(CASE));
        let case = Case::read(&text.map_err(|error| error.to_string())?);
        let case = case.map_err(|error| error.to_string())?;
        let read = arms::read(name, &case, &stored).await.map_err(|error| error.sentence())?;
        read.ok_or_else(|| "its session has not ended, or a seat did not answer".to_owned())
    }
}

/// Opens a folder, and reads what it was for; `None`: it is new.
fn open(dir: &Path) -> Result<(PathBuf, RealFs, Option<Plan>), Error> {
    let dir = dir.canonicalize().map_err(|error| unreadable(dir, error))?;
    let fs = RealFs::below(&dir);
    let bytes = SharedFolder::new(&fs, &dir, &dir).read(RECORD).map_err(store_error)?;
    let plan = bytes.map(|bytes| versioned(&bytes, "schema_version", SCHEMA_VERSION)).transpose();
    let plan = plan.map_err(|error| unreadable(&dir.join(RECORD), error))?;
    Ok((dir, fs, plan))
}

/// Scores the folders of several shards of one evaluation together, and says which are missing.
pub(super) async fn merged(env: &Env, all: &[EvalFolder]) -> Result<EvalDocument, Error> {
    let about = |plan: &Plan| (plan.cases.clone(), plan.rehearsal, plan.shard.map(|[_, of]| of));
    let mut seen = BTreeSet::new();
    for EvalFolder { dir, plan, .. } in all {
        if about(plan) != about(&all[0].plan) || plan.names.iter().any(|name| !seen.insert(name)) {
            let what = format!("{} is of other cases, or has one of another folder", dir.display());
            return Err(
                Error::new(Kind::Usage, what).hint("give each shard of one evaluation once")
            );
        }
    }
    let mut document = document(env, all, &|_| true).await;
    let shards: Vec<[u32; 2]> = all.iter().filter_map(|folder| folder.plan.shard).collect();
    let of = shards.first().map_or(0, |[_, of]| *of);
    let missing = (1..=of).filter(|number| !shards.contains(&[*number, of]));
    document.missing_shards = missing.map(|number| format!("{number}/{of}")).collect();
    let times = all.iter().filter_map(|folder| folder.plan.held_out.get(&document.version));
    document.held_out_scored = times.max().copied().unwrap_or(0);
    Ok(document)
}

async fn document(
    env: &Env,
    all: &[EvalFolder],
    is_shown: &dyn Fn(&String) -> bool,
) -> EvalDocument {
    let (mut results, mut not_scored): (Vec<CaseResult>, _) = (Vec::new(), Vec::new());
    for folder in all {
        for name in folder.plan.names.iter().filter(|name| is_shown(name)) {
            let scored = folder.scored(env, name).await.and_then(|result| {
                let first = results.iter().find(|first| first.kind == result.kind);
                match first.filter(|first| first.agents != result.agents) {
                    None => Ok(result),
                    Some(_) => Err(format!("by another panel: {}", result.agents.join(", "))),
                }
            });
            match scored {
                Ok(result) => results.push(result),
                Err(why) => not_scored.push(NotScored { name: name.clone(), why }),
            }
        }
    }
    let is_scripted = |agent: &&String| {
        let key = key_and_model(agent).0;
        all.iter().any(|of| of.plan.rehearsal || of.plan.scripted.contains(key))
    };
    let agents = results.iter().flat_map(|result| &result.agents);
    let scripted: BTreeSet<String> = agents.filter(is_scripted).cloned().gather();
    let first = &all[0].plan;
    let shard = first.shard.filter(|_| all.len() == 1);
    EvalDocument {
        cases: first.cases.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        scripted: scripted.into_iter().collect(),
        tables: tables(&results),
        results,
        not_scored,
        left_out: Vec::new(),
        shard: shard.map(|[number, of]| format!("{number}/{of}")),
        missing_shards: Vec::new(),
        held_out_scored: 0,
        stopped_by: None,
        schema_version: SCHEMA_VERSION,
    }
}
