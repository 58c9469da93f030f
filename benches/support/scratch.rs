//! Whole commands in a scratch project: the fakes on PATH, a home of its own, and measurements of each run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The measured program: the release build.
pub(crate) const BIN: &str = env!("CARGO_BIN_EXE_debate-agent");

/// Returns a path below `fixtures/`.
pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path)
}

/// A scratch project with its own home.
pub(crate) struct Scratch {
    dir: TempDir,
}

/// The measurements of one run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    pub(crate) wall: Duration,
    /// Peak memory (`VmHWM`) in bytes; zero if it was not watched.
    pub(crate) peak: u64,
    pub(crate) code: Option<i32>,
}

impl Scratch {
    /// Creates a project with the backlog of six in it. The disk is the machine's own, like that of a user's project:
    /// no tmpfs makes the syncs free.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for sub in ["home/.fake/scenario", "home/.fake/ledger", "project", "tmp"] {
            fs::create_dir_all(dir.path().join(sub)).unwrap();
        }
        let scratch = Self { dir };
        let six = fs::read(fixture("opportunities/six.json")).unwrap();
        fs::write(scratch.path("project/six.json"), six).unwrap();
        scratch
    }

    /// Returns a path below the scratch directory.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.dir.path().join(below)
    }

    /// Copies a scenario of `fixtures/scenarios/` to the folder that the fakes read.
    pub(crate) fn scenario(self, name: &str) -> Self {
        for entry in fs::read_dir(fixture("scenarios").join(name)).unwrap() {
            let entry = entry.unwrap();
            let to = self.path("home/.fake/scenario").join(entry.file_name());
            fs::copy(entry.path(), to).unwrap();
        }
        self
    }

    /// Writes a file below the scratch directory.
    pub(crate) fn file(self, path: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Returns the variables of every run.
    pub(crate) fn variables(&self) -> BTreeMap<String, String> {
        let fakes = fixture("bin");
        BTreeMap::from([
            ("HOME".to_owned(), self.path("home").display().to_string()),
            ("TMPDIR".to_owned(), self.path("tmp").display().to_string()),
            ("PATH".to_owned(), format!("{}:/usr/local/bin:/usr/bin:/bin", fakes.display())),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("NO_COLOR".to_owned(), "1".to_owned()),
        ])
    }

    /// Runs the program and only waits for its end.
    pub(crate) fn time(&self, args: &[&str]) -> Took {
        let start = Instant::now();
        let mut child = self.start(args);
        let status = child.wait().unwrap();
        Took { wall: start.elapsed(), peak: 0, code: status.code() }
    }

    /// Runs the program and reads its peak memory every millisecond: the kernel keeps the peak, so only a peak in its
    /// very last millisecond could be missed.
    pub(crate) fn watch(&self, args: &[&str]) -> Took {
        let start = Instant::now();
        let mut child = self.start(args);
        let mut peak = 0;
        let status = loop {
            peak = peak.max(peak_of(&child));
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        Took { wall: start.elapsed(), peak, code: status.code() }
    }

    #[expect(clippy::disallowed_methods, reason = "a benchmark starts the program itself")]
    fn start(&self, args: &[&str]) -> Child {
        Command::new(BIN)
            .args(args)
            .env_clear()
            .envs(self.variables())
            .current_dir(self.path("project"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    /// Returns the start and end of each call, from the fakes' own ledger, and clears it.
    pub(crate) fn calls(&self) -> Vec<(f64, f64)> {
        let ledger = self.path("home/.fake/ledger");
        let read =
            |path: PathBuf| -> Option<f64> { fs::read_to_string(path).ok()?.trim().parse().ok() };
        let calls = fs::read_dir(&ledger)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter_map(|call| Some((read(call.join("start"))?, read(call.join("end"))?)))
            .collect();
        for sub in ["ledger", "claims", "attempts"] {
            let path = self.path("home/.fake").join(sub);
            fs::remove_dir_all(&path).ok();
            fs::create_dir_all(&path).unwrap();
        }
        calls
    }
}

/// Returns a process's peak memory so far; 0 once it is gone.
pub(crate) fn peak_of(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|figure| figure.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}
