//! Paths that a client may name, and all others.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

/// A folder for everything: `work` is a repository, `other` a root with a repository in it, `out` is neither.
struct Ground {
    dir: tempfile::TempDir,
}

impl Ground {
    fn new() -> Self {
        let ground = Self { dir: tempfile::tempdir().unwrap() };
        for folder in [
            "work/.git",
            "work/src/deep",
            "work/sub/.git",
            "other/repo/.git",
            "other/repo/docs",
            "other/plain",
            "otherwise/.git",
            "out",
            "workshop",
            "home/mine/.git",
        ] {
            fs::create_dir_all(ground.at(folder)).unwrap();
        }
        for file in [
            "work/a.rs",
            "work/.git/config",
            "work/src/b.rs",
            "other/repo/docs/x.md",
            "out/secret.txt",
            "otherwise/y",
        ] {
            fs::write(ground.at(file), "text").unwrap();
        }
        ground
    }

    /// Below the real path of the folder.
    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn around(&self, dir: &str) -> Surroundings {
        let vars = [("HOME", "home"), ("XDG_STATE_HOME", "state")];
        Surroundings {
            dir: self.at(dir),
            config: None,
            vars: vars
                .map(|(name, path)| (name.to_owned(), self.at(path).display().to_string()))
                .into(),
            group: 0,
            groups: String::new(),
            nested: false,
            env: crate::env::Env::system(),
        }
    }

    fn places(&self, dir: &str, roots: &[&str]) -> Places {
        let root = |root: &&str| {
            if root.starts_with('~') {
                (*root).to_owned()
            } else {
                self.at(root).display().to_string()
            }
        };
        let roots: Vec<String> = roots.iter().map(root).collect();
        Places::new(&self.around(dir), &roots)
    }

    /// Where the workspace is opened and what of it is meant, below the ground; else the refusal.
    fn find(&self, places: &Places, text: &str) -> Result<(String, Option<String>), String> {
        let below = |path: &Path| {
            let path = path.strip_prefix(self.at("")).unwrap_or(path);
            path.display().to_string()
        };
        match places.resolve("path", text) {
            Ok(place) => Ok((below(&place.around.dir), place.narrowed.map(|path| below(&path)))),
            Err(Answer::Refused(why)) => Err(why),
            Err(Answer::Result(_)) => panic!("a refusal that is a result"),
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with results")]
fn narrowed(dir: &str, path: &str) -> Result<(String, Option<String>), String> {
    Ok((dir.to_owned(), Some(path.to_owned())))
}

#[test]
fn a_path_within_the_repository_narrows_it_and_its_top_is_all_of_it() {
    let ground = Ground::new();
    let places = ground.places("work/src", &[]);
    for (text, path) in [
        ("b.rs", "work/src/b.rs"),
        ("./b.rs", "work/src/b.rs"),
        ("deep/", "work/src/deep"),
        ("deep/../b.rs", "work/src/b.rs"),
        ("../a.rs", "work/a.rs"),
        ("..//./a.rs", "work/a.rs"),
        (".", "work/src"),
        // Deleted files: only git knows whether they were there.
        ("gone.rs", "work/src/gone.rs"),
        ("gone/and/more.rs", "work/src/gone/and/more.rs"),
        ("b.rs/was/a/folder", "work/src/b.rs/was/a/folder"),
        ("-x", "work/src/-x"),
        ("*", "work/src/*"),
        // Another repository within is a folder of this one.
        ("../sub", "work/sub"),
    ] {
        assert_eq!(ground.find(&places, text), narrowed("work/src", path), "{text}");
    }
    let absolute = ground.at("work/a.rs").display().to_string();
    assert_eq!(ground.find(&places, &absolute), narrowed("work/src", "work/a.rs"));
    assert_eq!(ground.find(&places, ".."), Ok(("work/src".to_owned(), None)));
}

#[test]
fn what_leads_out_is_refused_in_the_same_words_whether_it_is_there_or_not() {
    let ground = Ground::new();
    symlink(ground.at("out"), ground.at("work/link")).unwrap();
    symlink("/etc/passwd", ground.at("work/passwd")).unwrap();
    symlink("../../out/secret.txt", ground.at("work/src/near")).unwrap();
    symlink(ground.at("work"), ground.at("out/back")).unwrap();
    let places = ground.places("work", &[]);
    let outside = format!(
        "is outside the repository ({}) and of `mcp.roots` (none are set)",
        ground.at("work").display()
    );
    let out = ground.at("out").display().to_string();
    let prefix = ground.at("workshop").display().to_string();
    for text in [
        "/",
        "/etc",
        "/etc/passwd",
        "/etc/there-is-none",
        "/nowhere/at/all",
        "..",
        "../out",
        "../out/secret.txt",
        "../out/none.txt",
        "../otherwise",
        "../../../../../../../../../../../../etc/passwd",
        "src/../../out",
        "link",
        "link/secret.txt",
        "link/none.txt",
        "link/../out",
        "passwd",
        "src/near",
        "sub/../../out",
        &out,
        &prefix,
        "../work/../out",
    ] {
        assert_eq!(
            ground.find(&places, text),
            Err(format!("`path`: `{text}` {outside}")),
            "{text}"
        );
    }
    // By way of a link that leads back in, it is where it really is.
    let back = ground.at("out/back/a.rs").display().to_string();
    assert_eq!(ground.find(&places, &back), narrowed("work", "work/a.rs"));
}

#[test]
fn what_cannot_be_resolved_is_refused() {
    let ground = Ground::new();
    symlink("nothing-here", ground.at("work/dangling")).unwrap();
    symlink("/nowhere/at/all", ground.at("work/dangling-out")).unwrap();
    symlink("loop", ground.at("work/loop")).unwrap();
    let places = ground.places("work", &[]);
    let long = "x".repeat(300);
    for (text, why) in [
        ("dangling", "is a link that leads nowhere"),
        ("dangling-out", "is a link that leads nowhere"),
        ("dangling/x", "is a link that leads nowhere"),
        ("loop", "cannot be found: "),
        ("loop/x", "cannot be found: "),
        ("gone/../a.rs", "cannot be found: "),
        ("a.rs/../../out", "cannot be found: "),
        ("a.rs/..", "cannot be found: "),
        ("a\0b", "holds a NUL, which no path can"),
        (&long, "cannot be found: "),
        (".git", "belongs to git itself"),
        (".git/config", "belongs to git itself"),
        (".GIT/none", "belongs to git itself"),
        ("sub/.git", "belongs to git itself"),
        ("src/../.git/hooks/pre-commit", "belongs to git itself"),
    ] {
        let said = ground.find(&places, text).unwrap_err();
        assert!(said.starts_with("`path`: `"), "{said}");
        assert!(said.contains(why), "{text:?}: {said}");
    }
}

#[test]
fn a_refusal_repeats_a_path_inert_and_short() {
    let ground = Ground::new();
    let places = ground.places("work", &[]);
    let said = ground.find(&places, &format!("/\u{1b}[31m\n{}", "y/".repeat(2_000))).unwrap_err();
    assert!(!said.contains(['\u{1b}', '\n']), "{said}");
    assert!(said.len() < 700, "{}", said.len());
}

#[test]
fn a_root_opens_the_repository_that_lies_in_it() {
    let ground = Ground::new();
    let places = ground.places("work", &["other", "gone", "~/mine"]);
    assert_eq!(
        ground.find(&places, "../other/repo/docs/x.md"),
        narrowed("other/repo", "other/repo/docs/x.md")
    );
    assert_eq!(
        ground.find(&places, "../other/repo/docs/deleted.md"),
        narrowed("other/repo", "other/repo/docs/deleted.md")
    );
    assert_eq!(ground.find(&places, "../other/repo"), Ok(("other/repo".to_owned(), None)));
    assert_eq!(ground.find(&places, "../home/mine/x"), narrowed("home/mine", "home/mine/x"));
    assert_eq!(
        ground.find(&places, "../other/plain"),
        Err("`path`: `../other/plain` lies in a folder of `mcp.roots`, but in no git repository inside of it".to_owned())
    );
    assert_eq!(
        ground.find(&places, "../other/repo/.git/config"),
        Err("`path`: `../other/repo/.git/config` belongs to git itself, which nobody is shown"
            .to_owned())
    );
    // Components are compared, not letters; and what is gone is named.
    let said = ground.find(&places, "../otherwise/y").unwrap_err();
    assert_eq!(
        said,
        format!(
            "`path`: `../otherwise/y` is outside the repository ({}) and of `mcp.roots` ({}; {}; {} does not exist)",
            ground.at("work").display(),
            ground.at("other").display(),
            ground.at("home/mine").display(),
            ground.at("gone").display(),
        )
    );
}

#[test]
fn a_repository_that_holds_the_root_is_not_opened_for_it() {
    let ground = Ground::new();
    let places = ground.places("out", &["work/src"]);
    let said = ground.find(&places, "../work/src/b.rs").unwrap_err();
    assert!(said.ends_with("in no git repository inside of it"), "{said}");
    // With a second root that holds it, it is.
    let places = ground.places("out", &["work/src", "work"]);
    assert_eq!(ground.find(&places, "../work/src/b.rs"), narrowed("work", "work/src/b.rs"));
}

#[test]
fn a_relative_root_allows_nothing() {
    let ground = Ground::new();
    let around = ground.around("work");
    // It leads there from wherever this test runs.
    let other = ground.at("other");
    let relative = format!("{}{}", "../".repeat(64), other.display());
    assert_eq!(real(Path::new(&relative)).unwrap(), real(&other).unwrap());
    let places = Places::new(&around, &[relative, String::new()]);
    assert!(ground.find(&places, "../other/repo").is_err());
}

#[test]
fn outside_any_repository_only_roots_and_the_state_folder_are_left() {
    let ground = Ground::new();
    let places = ground.places("out", &["other"]);
    let said = places.start().unwrap_err();
    assert_eq!(
        said,
        Answer::Refused(format!(
            "the server was started in {}, outside any git repository: give `path` in a folder of `mcp.roots` ({}), or start the server in the repository",
            ground.at("out").display(),
            ground.at("other").display(),
        ))
    );
    let said = ground.find(&places, "secret.txt").unwrap_err();
    assert_eq!(
        said,
        format!(
            "`path`: `secret.txt` is outside of `mcp.roots` ({}), and the server was started outside any git repository ({})",
            ground.at("other").display(),
            ground.at("out").display(),
        )
    );
    assert!(ground.find(&places, "../other/repo/docs").is_ok());
    assert_eq!(places.known().len(), 0);
    let place = places.anywhere().unwrap();
    assert_eq!(place.around.dir, ground.at("state/debate-agent/mcp"));
    let mode = fs::metadata(&place.around.dir).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // Once there, it stays usable, and its sessions are known.
    assert!(places.anywhere().is_ok());
    assert_eq!(places.known().len(), 1);
}

#[test]
fn inside_a_repository_all_start_there() {
    let ground = Ground::new();
    let places = ground.places("work/src", &["other", "otherwise", "work"]);
    for place in [places.start().unwrap(), places.anywhere().unwrap()] {
        assert_eq!(place.around.dir, ground.at("work/src"));
        assert_eq!(place.narrowed, None);
    }
    assert!(!ground.at("state").exists());
    let known: Vec<PathBuf> = (places.known().into_iter()).map(|at| at.dir).collect();
    assert_eq!(known, [ground.at("work/src"), ground.at("otherwise")]);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests make their own pipes")]
fn a_file_must_be_one() {
    let ground = Ground::new();
    let made = std::process::Command::new("mkfifo").arg(ground.at("work/pipe")).status();
    assert!(made.unwrap().success());
    let places = ground.places("work", &[]);
    let (place, file) = places.file("artifact", "src/b.rs").unwrap();
    assert_eq!(file, ground.at("work/src/b.rs"));
    assert_eq!(place.around.dir, ground.at("work"));
    for (text, why) in [
        ("src", "is a folder; name one file (the command line discusses folders)"),
        ("pipe", "is no plain file; name a text file"),
        ("none.md", "is not there; paths count from the folder in which the server was started"),
    ] {
        let Err(Answer::Refused(said)) = places.file("artifact", text) else {
            panic!("{text} was taken");
        };
        assert_eq!(said, format!("`artifact`: `{text}` {why}"));
    }
}

#[test]
fn vars_are_those_of_the_start() {
    let ground = Ground::new();
    let places = ground.places("work", &["other"]);
    let place = places.resolve("path", "../other/repo").unwrap();
    let expected: BTreeMap<String, String> = ground.around("work").vars;
    assert_eq!(place.around.vars, expected);
}
