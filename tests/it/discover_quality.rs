//! `discover --type quality` end to end: the findings about code, the parts left out, and what an absent finding
//! settles.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::Sandbox;

const QUALITY: [&str; 5] = ["discover", "--type", "quality", "--no-debate", "--json"];

/// A Python function of this many lines.
fn function(name: &str, lines: usize) -> String {
    format!("def {name}(x):\n{}    return x\n\n\n", "    x -= 1\n".repeat(lines - 2))
}

/// A Cobertura report: each file with its number of covered lines, and of all lines.
fn cobertura(files: &[(&str, usize, usize)]) -> String {
    let classes: Vec<String> = (files.iter())
        .map(|(file, hit, all)| {
            let lines: Vec<String> = (1..=*all)
                .map(|line| {
                    format!("<line number=\"{line}\" hits=\"{}\"/>", u8::from(line <= *hit))
                })
                .collect();
            format!(
                "<class name=\"c\" filename=\"{file}\"><lines>{}</lines></class>\n",
                lines.concat()
            )
        })
        .collect();
    format!(
        "<?xml version=\"1.0\"?>\n<coverage><packages><package name=\"p\"><classes>\n{}</classes></package></packages></coverage>\n",
        classes.concat()
    )
}

/// A project with something of every kind: `shop/orders.py` is long, with long functions, uncovered and untested.
fn shop() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut long = function("ship_everything", 100) + &function("bill_everyone", 81);
    long.push_str(&"x = 1\n".repeat(520));
    sandbox.write("shop/orders.py", long);
    sandbox.write("shop/cart.py", function("add_to_cart", 3));
    sandbox.write("tests/test_cart.py", "from shop.cart import add_to_cart\n");
    sandbox.write("coverage.xml", cobertura(&[("shop/orders.py", 2, 40), ("shop/cart.py", 9, 10)]));
    sandbox
}

fn look(sandbox: &Sandbox, more: &[&str]) -> Value {
    let args: Vec<&str> = QUALITY.iter().chain(more).copied().collect();
    sandbox.run(&args).exits(0).json()
}

fn items(document: &Value) -> &Vec<Value> {
    document["opportunities"].as_array().unwrap()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// Rules with files and symbols, sorted.
fn found(document: &Value) -> BTreeSet<String> {
    (items(document).iter())
        .map(|item| {
            let file = item["affected_files"][0].as_str().unwrap();
            let symbol = text(item, "symbol");
            format!("{} {file} {symbol}", text(item, "rule")).trim_end().to_owned()
        })
        .collect()
}

fn ids(document: &Value) -> BTreeSet<&str> {
    (items(document).iter()).map(|item| text(item, "opportunity_id")).collect()
}

/// The parts that the agent left out, and the reasons, one per line.
fn left_out(document: &Value) -> String {
    let lines: Vec<String> = (document["agents"][0]["skipped"].as_array().unwrap().iter())
        .map(|one| format!("{}: {}\n", text(one, "what"), text(one, "why")))
        .collect();
    lines.concat()
}

fn set<const N: usize>(lines: [&str; N]) -> BTreeSet<String> {
    lines.map(str::to_owned).into()
}

#[test]
fn one_kind_never_uses_up_the_cap() {
    let sandbox = shop();
    for n in 0..30 {
        sandbox.write(&format!("shop/part{n}.py"), function(&format!("do_part_{n}"), 90));
        sandbox.write(
            &format!("tests/test_part{n}.py"),
            format!("from shop.part{n} import do_part_{n}\n"),
        );
    }
    let document = look(&sandbox, &["--max", "4"]);
    let rules: BTreeSet<&str> = (items(&document).iter()).map(|item| text(item, "rule")).collect();
    assert_eq!(
        rules,
        ["line_coverage", "long_file", "long_function", "missing_test"].into(),
        "thirty long functions leave room for the others"
    );
    assert_eq!(document["total_candidates"], 35);
    assert_eq!(document["beyond_cap"], 31);
}

#[test]
fn names_that_are_not_utf8_are_reported_by_their_bytes() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"caf\xe9.py");
    fs::write(sandbox.project().join(name), function("bad", 90)).unwrap();
    let first = look(&sandbox, &[]);
    assert_eq!(found(&first), set([r"long_function caf\xE9.py bad"]));
    assert_eq!(ids(&look(&sandbox, &[])), ids(&first));
}

#[test]
fn a_malformed_report_is_left_out_with_its_line_and_spoils_nothing_else() {
    let sandbox = shop();
    // A second report, broken in its third line.
    sandbox.write("coverage/lcov.info", "TN:\nSF:shop/cart.py\nDA:one,0\nend_of_record\n");
    let document = look(&sandbox, &[]);
    assert_eq!(document["agents"][0]["status"], "completed");
    assert_eq!(items(&document).len(), 5);
    let why = left_out(&document);
    assert!(why.contains("coverage/lcov.info: line 3: "), "{why}");
    // Broken and alone, it takes nothing from the findings in the sources, and settles nothing.
    fs::remove_dir_all(sandbox.project().join("coverage")).unwrap();
    let whole = cobertura(&[("shop/orders.py", 2, 40)]);
    sandbox.write("coverage.xml", &whole[..whole.len() - 40]);
    let second = look(&sandbox, &[]);
    let why = left_out(&second);
    assert!(why.contains("coverage.xml: line "), "{why}");
    assert_eq!(second["agents"][0]["status"], "completed");
    assert_eq!(second["resolved"], serde_json::json!([]));
    assert!(!found(&second).contains("line_coverage shop/orders.py"));
    assert!(found(&second).contains("long_file shop/orders.py"));
    // With nothing else to read, the agent failed: it has not found "nothing".
    let alone = Sandbox::new();
    alone.write("coverage.xml", "<coverage><packages>");
    let run = alone.run(&QUALITY);
    assert_ne!(run.code, 0, "{}", run.stdout);
    assert_eq!(run.json()["agents"][0]["status"], "failed");
    assert_eq!(run.json()["verdict"], "undecided");
}

/// A program called lizard, first on PATH.
fn with_lizard(script: &str) -> Sandbox {
    let sandbox = shop();
    let bin = sandbox.home().join("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("lizard"), format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(bin.join("lizard"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), sandbox.vars()["PATH"]);
    sandbox.env("PATH", &path)
}

#[test]
fn complexity_is_what_lizard_says_where_it_is_installed() {
    let sandbox = with_lizard(
        r#"echo "$@" >"$TMPDIR/args"; env >"$TMPDIR/env"
printf '9,17,80,0,9,"x","./shop/orders.py","ship_everything","ship_everything( x )",1,9\n'"#,
    )
    .env("GH_TOKEN", "a-token");
    let document = look(&sandbox, &[]);
    assert!(found(&document).contains("complexity shop/orders.py ship_everything"));
    let args = fs::read_to_string(sandbox.tmp().join("args")).unwrap();
    assert_eq!(args.trim(), "--csv ./shop/orders.py ./shop/cart.py");
    assert!(!fs::read_to_string(sandbox.tmp().join("env")).unwrap().contains("a-token"));
    // One that fails has not found that nothing is complex.
    let document = look(&with_lizard("echo broken >&2; exit 3"), &[]);
    assert!(
        left_out(&document).contains("`lizard` failed (exit 3): broken"),
        "{}",
        left_out(&document)
    );
    assert_eq!(document["agents"][0]["status"], "completed");
}

#[test]
fn a_folder_that_cannot_be_read_lets_nothing_be_resolved() {
    let sandbox = shop();
    let first = look(&sandbox, &[]);
    let closed = too_deep(&sandbox);
    for mended in ["shop/orders.py", "shop/cart.py"] {
        sandbox.write(mended, "x = 1\n");
    }
    sandbox.write("coverage.xml", cobertura(&[("shop/orders.py", 1, 1)]));
    let second = look(&sandbox, &[]);
    assert_eq!(second["resolved"], serde_json::json!([]));
    let why = left_out(&second);
    assert!(why.contains("nothing that was found before"), "{why}");
    fs::remove_dir_all(closed).unwrap();
    let third = look(&sandbox, &[]);
    assert_eq!(third["resolved"].as_array().unwrap().len(), items(&first).len());
}

/// Creates a folder that not even root can read: its path is longer than the system's limit.
fn too_deep(sandbox: &Sandbox) -> PathBuf {
    let chain = |name: &str| {
        let mut path = sandbox.project().join(name);
        path.extend(std::iter::repeat_n("d".repeat(200), 12));
        fs::create_dir_all(&path).unwrap();
        path
    };
    let inner = chain("first");
    chain("second");
    // Neither half is too long, only both together.
    fs::rename(sandbox.project().join("second"), inner.join("second")).unwrap();
    sandbox.project().join("first")
}
