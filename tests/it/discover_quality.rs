//! `discover --type quality` end to end: the findings about code, the parts left out, and what an absent finding
//! settles.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::support::Sandbox;

const QUALITY: [&str; 5] = ["discover", "--type", "quality", "--no-debate", "--json"];

/// A Python function of this complexity.
fn function(name: &str, complexity: usize) -> String {
    let body = "    if x:\n        x -= 1\n".repeat(complexity - 1);
    format!("def {name}(x):\n{body}    return x\n\n\n")
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

/// A project with something of every kind: `shop/orders.py` is long, complex, uncovered and untested.
fn shop() -> Sandbox {
    let sandbox = Sandbox::new();
    let mut long = function("ship_everything", 17) + &function("bill_everyone", 12);
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
fn a_file_with_every_weakness_gives_an_item_of_each_kind() {
    let document = look(&shop(), &[]);
    assert_eq!(
        found(&document),
        set([
            "complexity shop/orders.py bill_everyone",
            "complexity shop/orders.py ship_everything",
            "line_coverage shop/orders.py",
            "long_file shop/orders.py",
            "missing_test shop/orders.py",
        ])
    );
    let kinds: BTreeSet<&str> =
        (items(&document).iter()).map(|item| text(item, "opportunity_type")).collect();
    assert_eq!(kinds, ["code_quality", "complexity", "coverage_gap"].into());
    for item in items(&document) {
        assert_eq!(item["status"], "actionable", "{item}");
        assert_eq!(item["discovered_by"], "code-quality");
        assert_eq!(item["evidence"].as_array().unwrap().len(), 1, "{item}");
        assert_eq!(item["evidence"][0]["file_path"], "shop/orders.py");
    }
    let shipped =
        (items(&document).iter()).find(|item| text(item, "symbol") == "ship_everything").unwrap();
    assert_eq!(shipped["evidence"][0]["line_number"], 1);
    assert_eq!(shipped["actionability"]["effort"], "large", "17 is above 15");
    assert!(text(shipped, "title").contains("17"), "{shipped}");
}

#[test]
fn one_kind_never_uses_up_the_cap() {
    let sandbox = shop();
    for n in 0..30 {
        sandbox.write(&format!("shop/part{n}.py"), function(&format!("do_part_{n}"), 20));
        sandbox.write(
            &format!("tests/test_part{n}.py"),
            format!("from shop.part{n} import do_part_{n}\n"),
        );
    }
    let document = look(&sandbox, &["--max", "4"]);
    let rules: BTreeSet<&str> = (items(&document).iter()).map(|item| text(item, "rule")).collect();
    assert_eq!(
        rules,
        ["complexity", "line_coverage", "long_file", "missing_test"].into(),
        "thirty complex functions leave room for the others"
    );
    assert_eq!(document["total_candidates"], 35);
    assert_eq!(document["beyond_cap"], 31);
}

#[test]
fn of_equal_scores_the_worst_are_kept() {
    let sandbox = Sandbox::new();
    for complexity in 16..40 {
        sandbox.write(&format!("part{complexity}.py"), function("work", complexity));
    }
    let document = look(&sandbox, &["--max", "2"]);
    let kept: Vec<&str> =
        (items(&document).iter()).map(|item| item["affected_files"][0].as_str().unwrap()).collect();
    assert_eq!(kept, ["part39.py", "part38.py"]);
}

#[test]
fn vendored_generated_and_ignored_files_are_left_out() {
    let sandbox = Sandbox::new();
    let bad = function("bad", 20);
    sandbox.write("app.py", function("good", 2));
    sandbox.write(".gitignore", "scratch/\n");
    for name in [
        "vendor/lib/code.py",
        "node_modules/x/setup.py",
        "api_pb2.py",
        "scratch/try.py",
        ".hidden/code.py",
        "named/attributes.py",
        "vendored/lib.min.js",
    ] {
        sandbox.write(name, &bad);
    }
    sandbox.write(".gitattributes", "named/* linguist-generated\n");
    sandbox.write("client.py", format!("# Code generated by x. DO NOT EDIT.\n{bad}"));
    let document = look(&sandbox, &[]);
    assert_eq!(found(&document), set([]));
    let why = left_out(&document);
    assert!(why.contains("1 source files: generated"), "{why}");
    // And each of them would have been found.
    sandbox.write("src/own.py", &bad);
    assert_eq!(found(&look(&sandbox, &[])), set(["complexity src/own.py bad"]));
}

#[test]
fn a_repository_in_a_dot_folder_is_read_as_any_other() {
    let sandbox = Sandbox::new();
    let name = ".work/repo";
    sandbox.write(&format!("{name}/app.py"), function("bad", 11));
    fs::create_dir_all(sandbox.project().join(name).join(".git")).unwrap();
    let mut command = sandbox.command(&QUALITY);
    let run = Sandbox::finish(command.current_dir(sandbox.project().join(name)).output().unwrap());
    assert_eq!(found(&run.exits(0).json()), set(["complexity app.py bad"]));
}

#[test]
fn names_that_are_not_utf8_are_reported_by_their_bytes() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"caf\xe9.py");
    fs::write(sandbox.project().join(name), function("bad", 11)).unwrap();
    let first = look(&sandbox, &[]);
    assert_eq!(found(&first), set([r"complexity caf\xE9.py bad"]));
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

#[test]
fn an_old_report_is_used_with_a_warning() {
    let sandbox = shop();
    assert_eq!(warnings(&look(&sandbox, &[])), [""; 0], "it was written last");
    let report =
        fs::File::options().write(true).open(sandbox.project().join("coverage.xml")).unwrap();
    report.set_modified(SystemTime::UNIX_EPOCH + Duration::from_hours(48)).unwrap();
    let document = look(&sandbox, &[]);
    assert_eq!(warnings(&document), ["stale_report"]);
    assert!(found(&document).contains("line_coverage shop/orders.py"));
}

fn warnings(document: &Value) -> Vec<&str> {
    (document["warnings"].as_array().unwrap().iter()).map(|warning| text(warning, "code")).collect()
}

#[test]
fn a_second_run_finds_the_same_items_and_reads_the_cache() {
    let sandbox = shop();
    sandbox.write(".debate/.gitignore", "*\n");
    let first = look(&sandbox, &[]);
    let second = look(&sandbox, &[]);
    assert_eq!(ids(&first), ids(&second));
    assert_eq!(second["new_items"], 0);
    // The cache is believed for exactly the same bytes of a file: its values are reported.
    let cache = sandbox.project().join(".debate/cache/complexity.json");
    let text = fs::read_to_string(&cache).unwrap();
    assert!(text.contains("\"complexity\":17"), "{text}");
    fs::write(&cache, text.replace("\"complexity\":17", "\"complexity\":99")).unwrap();
    assert!(titles(&look(&sandbox, &[])).contains("complexity 99"));
    // Changed bytes are measured again.
    let orders = sandbox.project().join("shop/orders.py");
    let changed = fs::read_to_string(&orders).unwrap() + "x = 2\n";
    fs::write(&orders, changed).unwrap();
    assert!(titles(&look(&sandbox, &[])).contains("complexity 17"));
    // A broken cache is treated as missing.
    fs::write(&cache, b"{\"version\":2,\"files\":{").unwrap();
    assert!(titles(&look(&sandbox, &[])).contains("complexity 17"));
}

fn titles(document: &Value) -> String {
    let lines: Vec<&str> = (items(document).iter()).map(|item| text(item, "title")).collect();
    lines.join("\n")
}

#[test]
fn what_was_mended_is_resolved() {
    let sandbox = shop();
    let first = look(&sandbox, &[]);
    sandbox.write("shop/orders.py", function("ship_everything", 2));
    sandbox.write("coverage.xml", cobertura(&[("shop/orders.py", 4, 4)]));
    sandbox.write("tests/test_orders.py", "import shop.orders\n");
    let second = look(&sandbox, &[]);
    assert_eq!(found(&second), set([]));
    let resolved: BTreeSet<&str> =
        (second["resolved"].as_array().unwrap().iter()).map(|id| id.as_str().unwrap()).collect();
    assert_eq!(resolved, ids(&first));
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
