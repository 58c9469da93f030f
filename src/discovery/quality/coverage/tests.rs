//! Coverage reports as written by their tools, and malformed ones.

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::discovery::tree::{Tree, TreeFile};

fn fixture(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/coverage").join(name)).unwrap()
}

fn counts(report: &Report) -> Vec<(&str, (u64, u64))> {
    (report.files.iter()).map(|(file, lines)| (file.as_str(), lines.counts())).collect()
}

#[test]
fn both_reports_of_coverage_py_say_the_same() {
    let xml = parse(&fixture("coveragepy/coverage.xml")).unwrap();
    let lcov = parse(&fixture("coveragepy/lcov.info")).unwrap();
    let expected =
        vec![("pkg/__init__.py", (0, 0)), ("pkg/cart.py", (20, 6)), ("pkg/tax.py", (10, 5))];
    assert_eq!(counts(&xml), expected);
    assert_eq!(counts(&lcov), expected);
    assert_eq!(xml.sources, ["/tmp/covpy"]);
}

#[test]
fn both_reports_of_c8_say_the_same() {
    let xml = parse(&fixture("c8/cobertura-coverage.xml")).unwrap();
    let lcov = parse(&fixture("c8/lcov.info")).unwrap();
    assert_eq!(counts(&xml), [("src/price.js", (13, 9)), ("src/stock.js", (28, 11))]);
    assert_eq!(counts(&xml), counts(&lcov));
}

#[test]
fn parts_of_one_file_are_put_together() {
    let lcov = "SF:a.c\nDA:1,0\nDA:2,1,abc\nend_of_record\nSF:a.c\nDA:1,3\nDA:3,-1\nend_of_record\nSF:b.c\nLF:10\nLH:4\nend_of_record\n";
    assert_eq!(counts(&parse(lcov.as_bytes()).unwrap()), [("a.c", (3, 2)), ("b.c", (10, 4))]);
    let xml = "<coverage><packages><class filename=\"A.java\"><lines><line number=\"1\" hits=\"0\"/></lines></class>\
        <class filename=\"A.java\"><methods><method><lines><line number=\"9\" hits=\"1\"/></lines></method></methods>\
        <lines><line number=\"1\" hits=\"2\"/><line number=\"2\" hits=\"0\"/></lines></class></packages></coverage>";
    assert_eq!(counts(&parse(xml.as_bytes()).unwrap()), [("A.java", (2, 1))]);
}

#[test]
fn a_broken_report_is_refused_with_its_line() {
    for (text, line, message) in [
        ("SF:a.c\nDA:1,1\n", 2, "ends inside a record"),
        ("SF:a.c\nDA:x,1\nend_of_record\n", 2, "`x,1` is not a line and count"),
        ("SF:a.c\nSF:b.c\n", 2, "before the last one ended"),
        ("DA:1,1\n", 1, "outside a record"),
        ("hello\n", 1, "is not a line of an LCOV report"),
        ("", 1, "has no record"),
        ("<coverage>\n<packages>\n", 3, "ends before its last element"),
        ("<coverage>\n<class name=\"a\"/></coverage>", 2, "no `filename`"),
        (
            "<coverage>\n<class filename=\"a\"><lines>\n<line number=\"x\" hits=\"1\"/></lines></class></coverage>",
            3,
            "no `number` or no `hits`",
        ),
        ("<coverage>\n</packages></coverage>", 2, ""),
        ("<html></html>", 1, "is no Cobertura report"),
    ] {
        let error = parse(text.as_bytes()).expect_err(text);
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
}

#[test]
fn entities_of_a_report_never_grow() {
    let mut text = "<!DOCTYPE coverage [<!ENTITY a \"aaaaaaaaaa\">".to_owned();
    for level in 0..20 {
        for part in ["<!ENTITY a", &level.to_string(), " \"&a;&a;&a;&a;&a;&a;&a;&a;\">"] {
            text.push_str(part);
        }
    }
    text.push_str("]><coverage><class filename=\"&a19;\"/></coverage>");
    assert!(parse(text.as_bytes()).is_err());
}

fn tree(names: &[&str]) -> Tree {
    Tree {
        root: "/work/shop".into(),
        files: (names.iter())
            .map(|name| TreeFile {
                path: name.into(),
                name: (*name).to_owned(),
                bytes: 1,
                modified: DateTime::UNIX_EPOCH,
            })
            .collect(),
        incomplete: false,
    }
}

#[test]
fn paths_of_reports_find_their_files() {
    let tree = tree(&[
        "src/a.py",
        "src/main/java/com/acme/A.java",
        "web/src/b.ts",
        "os.py",
        "x/same.c",
        "y/same.c",
    ]);
    let paths = Paths::new(&tree);
    let none: &[String] = &[];
    let find = |path: &str, sources: &[&str], folder: &str| {
        let sources: Vec<String> = sources.iter().map(|&source| source.to_owned()).collect();
        paths.find(path, &sources, folder)
    };
    assert_eq!(find("src/a.py", &[], ""), Some("src/a.py"));
    assert_eq!(find("./src/a.py", &[], ""), Some("src/a.py"));
    assert_eq!(find("/work/shop/src/a.py", &[], ""), Some("src/a.py"));
    assert_eq!(find("a.py", &["/work/shop/src"], ""), Some("src/a.py"));
    assert_eq!(find("src\\a.py", &[], ""), Some("src/a.py"));
    assert_eq!(
        find("com/acme/A.java", &[], "target/site/cobertura"),
        Some("src/main/java/com/acme/A.java")
    );
    assert_eq!(find("src/b.ts", &[], "web/coverage"), Some("web/src/b.ts"));
    // From another machine, down to two parts.
    assert_eq!(find("/home/ci/build/src/a.py", &[], ""), Some("src/a.py"));
    assert_eq!(find("a.py", &["/home/ci/build/src"], ""), Some("src/a.py"));
    assert_eq!(find("/usr/lib/python3/os.py", &[], ""), None);
    assert_eq!(find("same.c", &[], ""), None);
    assert_eq!(find("../other/src/a.py", &[], ""), None);
    assert_eq!(paths.find("gone.py", none, ""), None);
}

#[test]
fn reports_are_found_at_their_places_and_links_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in [
        "coverage.xml",
        "coverage/lcov.info",
        "coverage/unit/cobertura-coverage.xml",
        "target/site/coverage.xml",
        "module/target/site/coverage.xml",
        "build/reports/a/b/cobertura.xml",
        "src/coverage.xml.txt",
        "src/lcov.info",
    ] {
        fs::create_dir_all(root.join(name).parent().unwrap()).unwrap();
        fs::write(root.join(name), "x").unwrap();
    }
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("lcov.info"), "x").unwrap();
    std::os::unix::fs::symlink(outside.path(), root.join("reports")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("lcov.info"), root.join("lcov.info")).unwrap();
    let found: Vec<String> =
        find(&root, &["module".to_owned()]).into_iter().map(|place| place.name).collect();
    assert_eq!(
        found,
        [
            "build/reports/a/b/cobertura.xml",
            "coverage.xml",
            "coverage/lcov.info",
            "coverage/unit/cobertura-coverage.xml",
            "module/target/site/coverage.xml",
            "target/site/coverage.xml",
        ]
    );
}

proptest! {
    #[test]
    fn no_bytes_make_the_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        drop(parse(&bytes));
    }

    #[test]
    fn no_text_like_a_report_makes_it_panic(
        text in "(SF:|DA:|LF:|end_of_record|\n|1|,|-|<coverage>|</coverage>|<class filename=\"a\">|<line number=\"1\" hits=\"|\"|/>|&a;|<!\\[CDATA\\[|<!--){0,40}"
    ) {
        drop(parse(text.as_bytes()));
        drop(parse(format!("<coverage>{text}").as_bytes()));
        drop(parse(format!("<report>{text}").as_bytes()));
    }
}
