//! Files, and what does not lead out of the root.

use std::os::unix::fs::symlink;

use super::*;
use crate::discovery::failures::testing::project;

#[test]
fn manifests_say_where_packages_and_modules_are() {
    let cargo = project("cargo");
    let packages: Vec<_> = cargo
        .packages()
        .iter()
        .map(|package| (package.name.as_str(), package.dir.as_str()))
        .collect();
    assert_eq!(packages, [("calc", "calc"), ("other-kit", "other-kit")]);
    let go = project("go");
    assert_eq!(go.go_folder("example.com/shop/calc").as_deref(), Some("calc"));
    assert_eq!(go.go_folder("example.com/shop").as_deref(), Some(""));
    assert_eq!(go.go_folder("example.com/shopping"), None);
    assert_eq!(go.listing("calc", "_test.go", 9), ["calc/calc_test.go"]);
}

#[test]
fn no_path_leads_out_of_the_root_or_over_a_link() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::write(dir.path().join("outside.py"), "").unwrap();
    fs::write(root.join("sub/in.py"), "").unwrap();
    symlink(dir.path(), root.join("up")).unwrap();
    symlink(dir.path().join("outside.py"), root.join("link.py")).unwrap();
    let layout = Layout::new(&root, []);
    let bases = [String::new()];
    for path in [
        "../outside.py",
        "up/outside.py",
        "link.py",
        "/etc/passwd",
        "sub",
        "",
        "a\0b",
        "sub/../../outside.py",
    ] {
        assert_eq!(layout.find(path, &bases), None, "{path:?}");
    }
    let own = root.join("sub/in.py");
    for path in ["sub/in.py", "./sub/in.py", "sub\\in.py", own.to_str().unwrap()] {
        assert_eq!(layout.find(path, &bases).as_deref(), Some("sub/in.py"), "{path}");
    }
}

#[test]
fn an_ending_leads_to_a_file_only_if_it_is_the_only_one() {
    let names = ["a/tests/x.py", "b/tests/x.py", "b/tests/y.py"].map(str::to_owned);
    let layout = Layout::new(Path::new("/nowhere"), names);
    assert_eq!(layout.find("tests/x.py", &[]), None);
    assert_eq!(layout.find("tests/y.py", &[]).as_deref(), Some("b/tests/y.py"));
    assert_eq!(folders("a/b/c.xml"), ["a/b", "a", ""]);
    assert_eq!(folders("c.xml"), [""]);
}
