//! What the CLIs last reported of their vendors' quotas, to any command of this user.

use std::cell::RefCell;
use std::path::PathBuf;

use super::workspace::Workspace;
use crate::agent::roster::key_and_model;
use crate::config::file::{IfExists, Links, make_private_folder, read_text, write_atomic};
use crate::env::Env;
use crate::kernel::Quota;

/// The last reports, and how much of each quota the user keeps.
pub(crate) struct Quotas {
    file: PathBuf,
    env: Env,
    /// In percent; 0 where nothing is kept.
    keep: u32,
    known: RefCell<Vec<Quota>>,
}

impl Quotas {
    pub(crate) fn read(workspace: &Workspace) -> Self {
        let keep = workspace.effective.config.limits.keep_quota_percent;
        Self::at(workspace.around.state_dir().join("quotas.json"), workspace.env().clone(), keep)
    }

    /// Reads the last reports; without windows that have been reset since. If the file cannot be read, nothing is known.
    pub(crate) fn at(file: PathBuf, env: Env, keep: u32) -> Self {
        let text = read_text(&file, Links::Refuse).unwrap_or_default();
        let mut known: Vec<Quota> = serde_json::from_str(&text).unwrap_or_default();
        let now = env.now();
        for quota in &mut known {
            quota.windows.retain(|window| now < window.resets_at);
            quota.windows.iter_mut().for_each(|window| window.before_percent = None);
        }
        known.retain(|quota| !quota.windows.is_empty());
        Self { file, env, keep, known: RefCell::new(known) }
    }

    /// Returns the last reports of these agents' CLIs, each once.
    pub(crate) fn of<'a>(&self, agents: impl Iterator<Item = &'a str>) -> Vec<Quota> {
        let agents: Vec<&str> = agents.map(|agent| key_and_model(agent).0).collect();
        let known = self.known.borrow();
        known.iter().filter(|quota| agents.contains(&&*quota.agent)).cloned().collect()
    }

    /// Takes a new report, and returns it with what was used before this run.
    pub(crate) fn take(&self, quota: Quota) -> Option<Quota> {
        let (agent, mut known) = (quota.agent.clone(), self.known.borrow_mut());
        quota.put(&mut known);
        // If it cannot be written, the next command does not know it.
        let folder = self.file.parent().map(make_private_folder);
        if let (Some(Ok(())), Ok(bytes)) = (folder, serde_json::to_vec(&*known)) {
            write_atomic(&self.file, &bytes, 0o600, IfExists::Replace).ok();
        }
        known.iter().find(|known| known.agent == agent).cloned()
    }

    /// Says why an agent may not be asked: less is left of a window than the user keeps.
    pub(crate) fn refusal(&self, agent: &str) -> Option<String> {
        let quota = self.of([agent].into_iter()).pop()?;
        let low = quota.low(self.keep, self.env.now()).filter(|_| self.keep > 0)?;
        let (key, keep, until) = (&quota.agent, self.keep, low.resets_at.format("%F %H:%M UTC"));
        let (window, used) = (&low.window, low.used_percent);
        Some(format!(
            "{key}: {used}% of its {window} quota is used, and `limits.keep_quota_percent` keeps {keep}%; it is full again at {until}"
        ))
    }
}
