//! Which files of a tree are the project's own.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use proptest::prelude::*;

use super::*;
use crate::text::generated::is_generated_text;

struct Place(tempfile::TempDir);

impl Place {
    fn new(files: &[&str]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        for file in files {
            place.write(file, "x\n");
        }
        place
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn names(&self, exclude: &[&str]) -> Vec<String> {
        let exclude: Vec<String> = exclude.iter().map(|&pattern| pattern.to_owned()).collect();
        let (tree, _) = Tree::read(self.0.path(), &exclude).unwrap();
        tree.files.into_iter().map(|file| file.name).collect()
    }

    fn left_out(&self) -> Vec<String> {
        let (_, left) = Tree::read(self.0.path(), &[]).unwrap();
        left.into_iter().map(|left| format!("{}: {}", left.what, left.why)).collect()
    }
}

#[test]
fn the_files_are_sorted_and_have_size_and_time() {
    let place = Place::new(&["b.rs", "a/z.rs", "a.rs"]);
    let (tree, left) = Tree::read(place.0.path(), &[]).unwrap();
    let names: Vec<_> = tree.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["a/z.rs", "a.rs", "b.rs"]);
    assert_eq!(tree.files[0].bytes, 2);
    assert!(tree.files[0].modified > DateTime::UNIX_EPOCH);
    assert!(left.is_empty() && !tree.incomplete);
}

#[test]
fn gits_ignore_rules_hold_without_git() {
    let place = Place::new(&["keep.rs", "drop.log", "sub/x.tmp", "sub/keep.tmp", "gen/a.rs"]);
    place.write(".gitignore", "*.log\n/gen/\n");
    place.write("sub/.gitignore", "*.tmp\n!keep.tmp\n");
    place.write(".git/info/exclude", "excluded.rs\n");
    place.write("excluded.rs", "x\n");
    assert_eq!(place.names(&[]), ["keep.rs", "sub/keep.tmp"]);
}

#[test]
fn rules_above_a_repository_do_not_reach_into_it() {
    let place = Place::new(&["inner/a.rs"]);
    place.write(".gitignore", "*.rs\n");
    fs::create_dir(place.0.path().join("inner/.git")).unwrap();
    let (tree, _) = Tree::read(&place.0.path().join("inner"), &[]).unwrap();
    assert_eq!(tree.files.len(), 1);
    // Nor do those of a folder that is not in any repository.
    fs::remove_dir(place.0.path().join("inner/.git")).unwrap();
    let (tree, _) = Tree::read(&place.0.path().join("inner"), &[]).unwrap();
    assert_eq!(tree.files.len(), 1);
}

#[test]
fn a_root_in_a_dot_folder_works_and_hidden_entries_below_it_are_skipped() {
    let place = Place::new(&[".cache/work/a.rs", ".cache/work/.hidden/b.rs"]);
    let (tree, _) = Tree::read(&place.0.path().join(".cache/work"), &[]).unwrap();
    assert_eq!(tree.files.len(), 1);
    assert_eq!(tree.files[0].name, "a.rs");
}

#[test]
fn links_are_not_followed() {
    let outside = Place::new(&["secret.rs"]);
    let place = Place::new(&["a.rs"]);
    symlink(outside.0.path(), place.0.path().join("dir")).unwrap();
    symlink(outside.0.path().join("secret.rs"), place.0.path().join("b.rs")).unwrap();
    symlink(place.0.path(), place.0.path().join("loop")).unwrap();
    assert_eq!(place.names(&[]), ["a.rs"]);
}

#[test]
fn names_that_are_not_utf8_are_shown_by_their_bytes() {
    let place = Place::new(&[]);
    let name = OsStr::from_bytes(b"caf\xe9.rs");
    if fs::write(place.0.path().join(name), "x").is_err() {
        return; // A file system that takes only UTF-8 names.
    }
    let (tree, _) = Tree::read(place.0.path(), &[]).unwrap();
    assert_eq!(tree.files[0].name, "caf\\xE9.rs");
    assert_eq!(tree.files[0].path.as_os_str(), name);
}

#[test]
fn vendored_and_built_folders_are_left_out_where_they_are_what_they_seem() {
    let place = Place::new(&[
        "Cargo.toml",
        "package.json",
        "node_modules/x/index.js",
        "sub/node_modules/x/index.js",
        "vendor/github.com/x/a.go",
        "src/vendor/mod.rs",
        "src/vendor/api.rs",
        "lib/vendor/left-pad/package.json",
        "src/target/aim.rs",
        "src/build/step.rs",
        "src/dist/km.rs",
        "target/debug/a.rs",
        "dist/index.js",
        "build/webpack.config.js",
        "env2/pyvenv.cfg",
        "env2/lib/a.py",
        "module/.git",
        "module/a.rs",
        "coverage/lcov.info",
        "coverage/prettify.js",
    ]);
    assert_eq!(
        place.names(&[]),
        [
            "Cargo.toml",
            "build/webpack.config.js",
            "package.json",
            "src/build/step.rs",
            "src/dist/km.rs",
            "src/target/aim.rs",
            "src/vendor/api.rs",
            "src/vendor/mod.rs",
        ]
    );
    assert_eq!(
        place.left_out(),
        [
            "coverage/: a coverage report",
            "dist/: build output",
            "env2/: a Python environment",
            "lib/vendor/: vendored code",
            "module/: another repository",
            "node_modules/: vendored code",
            "sub/node_modules/: vendored code",
            "target/: build output",
            "vendor/: vendored code",
        ]
    );
}

#[test]
fn generated_names_are_left_out_unless_the_project_says_otherwise() {
    let place = Place::new(&[
        "a.min.js",
        "b_pb2.py",
        "c.pb.go",
        "own.min.js",
        "api/schema.ts",
        "api/hand.ts",
        "a b.rs",
    ]);
    place.write(
        ".gitattributes",
        "# rules\nown.min.js -linguist-generated\napi/*.ts linguist-generated=true\n\
         *.png binary\n\"a b.rs\" linguist-vendored\n",
    );
    place.write("api/.gitattributes", "hand.ts linguist-generated=false\n");
    assert_eq!(place.names(&[]), ["api/hand.ts", "own.min.js"]);
}

#[test]
fn excluded_patterns_are_those_of_a_gitignore() {
    let place = Place::new(&["a.rs", "docs/b.rs", "src/docs/c.rs", "x.gen.rs", "y.gen.rs"]);
    assert_eq!(
        place.names(&["/docs/", "*.gen.rs", "!y.gen.rs"]),
        ["a.rs", "src/docs/c.rs", "y.gen.rs"]
    );
    let wrong = Tree::read(place.0.path(), &["[z-a].rs".to_owned()]).unwrap_err();
    assert!(wrong.to_string().contains("`[z-a].rs`"), "{wrong}");
}

#[test]
fn a_root_that_cannot_be_read_is_an_error_and_a_folder_below_it_is_not() {
    let place = Place::new(&["a.rs", "locked/b.rs"]);
    let missing = Tree::read(&place.0.path().join("missing"), &[]).unwrap_err();
    assert!(missing.to_string().contains("missing"), "{missing}");
    let file = Tree::read(&place.0.path().join("a.rs"), &[]).unwrap_err();
    assert!(matches!(file, TreeError::Root { .. }));
    let locked = place.0.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let readable = fs::read_dir(&locked).is_ok(); // As root, every folder is.
    let (tree, left) = Tree::read(place.0.path(), &[]).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    if !readable {
        assert!(tree.incomplete);
        assert_eq!(left[0].what, "locked");
        assert!(left[0].why.starts_with("not readable"), "{left:?}");
    }
}

#[test]
fn the_first_lines_tell_a_generated_file() {
    for text in [
        "// Code generated by protoc-gen-go. DO NOT EDIT.\npackage a",
        "/* automatically generated by rust-bindgen 0.69 */\n",
        "/**\n * @generated SignedSource<<abc>>\n */",
        "# Generated by the protocol buffer compiler.  DO NOT EDIT!\n",
        "# -*- coding: utf-8 -*-\n# @generated\n",
    ] {
        assert!(is_generated_text(text.as_bytes()), "{text}");
    }
    for text in [
        "let mark = \"@generated\";\n",
        "// Reads files; those that are generated come last.\n",
        "// Tells whether a file holds `@generated`.\n",
        "fn main() {}\n",
    ] {
        assert!(!is_generated_text(text.as_bytes()), "{text}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_the_look_at_the_first_lines_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        is_generated_text(&bytes);
    }

    #[test]
    fn no_attributes_make_the_walk_panic(text in ".{0,200}") {
        let place = Place::new(&["a.rs"]);
        place.write(".gitattributes", &text);
        prop_assert!(Tree::read(place.0.path(), &[]).is_ok());
    }
}
