//! A home, a repository and a project file on disk, for the tests of `config`.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::load::{Effective, Request, load};
use super::store::TrustStore;
use super::trust::{AgentUse, TrustRefusal, check};
use super::{ConfigError, FILE_NAME};
use crate::skill::{self, BUILTIN};

/// A temporary world: `home/`, and `repo/` with `.git` in it.
pub(crate) struct World {
    dir: TempDir,
    pub(crate) vars: BTreeMap<String, String>,
}

impl World {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("repo/.git")).unwrap();
        fs::create_dir_all(dir.path().join("home")).unwrap();
        let home = dir.path().join("home").to_str().unwrap().to_owned();
        Self { vars: BTreeMap::from([("HOME".to_owned(), home)]), dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn user(&self, text: &str) -> &Self {
        self.write("home/.config/debate-agent/config.json", text)
    }

    pub(crate) fn project(&self, text: &str) -> &Self {
        self.write(&format!("repo/{FILE_NAME}"), text)
    }

    pub(crate) fn request(&self) -> Request {
        Request { dir: self.path("repo"), vars: self.vars.clone(), ..Request::default() }
    }

    pub(crate) fn load(&self) -> Result<Effective, ConfigError> {
        load(&self.request())
    }

    /// Returns the error's text with the path of the temporary folder cut.
    pub(crate) fn refusal(&self) -> String {
        let text = self.load().unwrap_err().to_string();
        text.replace(&format!("{}/", self.path("").display()).replace("//", "/"), "")
    }

    /// Runs the trust check of a command that uses everything.
    pub(crate) fn check(&self) -> Result<(), TrustRefusal> {
        self.check_as(&self.request(), AgentUse::Everything)
    }

    pub(crate) fn check_as(&self, request: &Request, used: AgentUse) -> Result<(), TrustRefusal> {
        let effective = load(request).unwrap();
        let skills = skill::load(&effective, BUILTIN.iter().map(|(role, _)| *role)).unwrap();
        check(&effective, &skills, &TrustStore::open(&self.vars).unwrap(), used)
    }
}
