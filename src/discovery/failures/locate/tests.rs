//! Where reports are looked for, and where not.

use std::os::unix::fs::symlink;

use ignore::gitignore::GitignoreBuilder;
use tempfile::TempDir;

use super::*;

fn project(files: &[&str]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    dir
}

fn names(dir: &TempDir, exclude: &[&str]) -> Vec<String> {
    let mut builder = GitignoreBuilder::new(dir.path());
    for pattern in exclude {
        builder.add_line(None, pattern).unwrap();
    }
    let found = find(dir.path(), &builder.build().unwrap());
    found.candidates.into_iter().map(|found| found.name).collect()
}

#[test]
fn reports_are_found_at_the_root_and_in_projects_below() {
    let files = [
        ".pytest_cache/v/cache/lastfailed",
        "TEST-a.xml",
        "build/test-results/test/TEST-a.xml",
        "junit-unit.xml",
        "junit.xml",
        "packages/web/junit.xml",
        "packages/web/target/surefire-reports/TEST-b.xml",
        "pytest-output.txt",
        "target/nextest/default/junit.xml",
        "test-results/deep/er/any.xml",
        "test-results/out.jsonl",
    ];
    let mut all = files.to_vec();
    all.extend([
        "a/b/c/junit.xml",
        "node_modules/x/junit.xml",
        "vendor/junit.xml",
        "fixtures/junit.xml",
        ".git/junit.xml",
        "target/debug/junit.xml",
        "src/junit.rs",
        "readme.txt",
        "pom.xml",
    ]);
    let dir = project(&all);
    assert_eq!(names(&dir, &[]), files);
    assert_eq!(
        names(&dir, &["packages/", "*.jsonl", "/target", "/build", ".pytest_cache"]),
        [
            "TEST-a.xml",
            "junit-unit.xml",
            "junit.xml",
            "pytest-output.txt",
            "test-results/deep/er/any.xml"
        ]
    );
}

#[test]
fn no_link_is_followed() {
    let outside = project(&["junit.xml", "results/a.xml"]);
    let dir = project(&["a.txt"]);
    symlink(outside.path().join("junit.xml"), dir.path().join("junit.xml")).unwrap();
    symlink(outside.path().join("results"), dir.path().join("test-results")).unwrap();
    symlink(outside.path(), dir.path().join("sub")).unwrap();
    let found = find(dir.path(), &Gitignore::empty());
    assert_eq!(found.candidates, []);
    assert_eq!(found.left_out[0].what, "junit.xml");
    assert!(found.left_out[0].why.contains("symbolic link"));
}
