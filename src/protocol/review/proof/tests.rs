//! Tests of [`super`]: what is a reproduction, and what only looks like one.

use super::*;
use ProofStatus::{FailsHere, Flaky, NotReproduced, PreExisting, Reproduced, Unusable};

const PASSED: &str = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out";
const FAILED: &str = "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured";

/// Runs in short: `f` a failure with the text, `o` one without, `p` passed, `b` not built, `s` skipped, `t` too long.
pub(in crate::protocol::review) fn runs(side: TestedSide, short: &str) -> Vec<TestRun> {
    let run = |c| {
        let (code, output, ended) = match c {
            'f' | 'o' => (Some(101), FAILED, None),
            'p' => (Some(0), PASSED, None),
            'b' => (Some(101), "error: could not compile `a`", None),
            's' => {
                (Some(0), "running 1 test\ntest result: ok. 0 passed; 0 failed; 1 ignored", None)
            }
            _ => (None, FAILED, Some("it took longer than 60 s".to_owned())),
        };
        TestRun { side, code, ended, has_text: c == 'f', output: output.to_owned() }
    };
    short.chars().map(run).collect()
}

fn status(change: &str, base: &str) -> ProofStatus {
    let runs = [runs(TestedSide::Change, change), runs(TestedSide::Base, base)].concat();
    judge(&TestReport { runs, failure: None }).0
}

#[test]
fn only_a_test_that_fails_here_as_announced_and_passes_there_each_time_is_a_reproduction() {
    for (change, base, expected) in [
        ("fff", "ppp", Reproduced),
        ("fff", "", FailsHere),
        ("fff", "bbb", FailsHere),
        ("fff", "sss", FailsHere),
        ("fff", "ttt", FailsHere),
        ("fff", "fff", PreExisting),
        ("fff", "ooo", PreExisting),
        ("fff", "ppf", Flaky),
        ("fff", "pp", FailsHere),
        ("ffp", "ppp", Flaky),
        ("pff", "", Flaky),
        ("ff", "ppp", Unusable),
        ("ppp", "", NotReproduced),
        ("ooo", "ppp", NotReproduced),
        ("ffo", "ppp", NotReproduced),
        ("bbb", "ppp", Unusable),
        ("sss", "ppp", Unusable),
        ("ttt", "ppp", Unusable),
        ("ffb", "ppp", Unusable),
        ("", "", Unusable),
    ] {
        assert_eq!(status(change, base), expected, "{change} {base}");
    }
    let failed = TestReport { runs: Vec::new(), failure: Some("no sandbox".to_owned()) };
    assert_eq!(judge(&failed), (Unusable, "no sandbox".to_owned()));
}

#[test]
fn a_runner_says_what_it_ran() {
    for (output, expected) in [
        ("1 failed in 0.02s", Some((0, 1))),
        ("===== 1 failed, 2 passed, 1 warning in 1.20s =====", Some((2, 1))),
        ("1 skipped in 0.01s", Some((0, 0))),
        ("1 error in 0.05s", Some((0, 0))),
        ("no tests ran in 0.00s", None),
        (FAILED, Some((0, 1))),
        (&format!("{PASSED}\n{PASSED}"), Some((2, 0))),
        ("     Summary [   0.004s] 1 test run: 0 passed, 1 failed, 2 skipped", Some((0, 1))),
        ("Tests:       1 failed, 3 skipped, 1 passed, 5 total", Some((1, 1))),
        (
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[31m1 failed\u{1b}[39m | 2 passed (3)",
            Some((2, 1)),
        ),
        ("  1 passing (5ms)\n  2 failing", Some((1, 2))),
        ("# tests 1\n# pass 1\n# fail 0", Some((1, 0))),
        ("ℹ pass 0\nℹ fail 1", Some((0, 1))),
        ("[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1", Some((1, 1))),
        ("=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\nexit status 1", Some((0, 1))),
        ("--- SKIP: TestA (0.00s)\nPASS\nok  \tx\t0.1s", None),
        ("PoolTest > closes() FAILED", Some((0, 1))),
        ("error[E0425]: cannot find value `x` in this scope", None),
        ("SyntaxError: 1 failed to parse", None),
    ] {
        let found = summary::read(output).map(|found| (found.passed, found.failed));
        assert_eq!(found, expected, "{output}");
    }
}

/// A reproduction that can be run.
pub(in crate::protocol::review) fn reproduction() -> Reproduction {
    Reproduction {
        files: vec![TestFile {
            path: "tests/overflow.rs".to_owned(),
            content: "#[test]\nfn overflow() { assert_eq!(add(1), 2); }\n".to_owned(),
        }],
        file: "tests/overflow.rs".to_owned(),
        test: "overflow".to_owned(),
        fails_with: "left: 3".to_owned(),
        cannot: String::new(),
    }
}

#[test]
fn a_reproduction_adds_test_files_and_names_a_test_of_theirs() {
    let said = |path: &str, test: &str, text: &str| Reproduction {
        files: vec![TestFile {
            path: path.to_owned(),
            content: "def test_overflow():\n    assert add(1) == 2\n".to_owned(),
        }],
        file: path.to_owned(),
        test: test.to_owned(),
        fails_with: text.to_owned(),
        cannot: String::new(),
    };
    for test in ["test_overflow", "TestAdd::test_overflow", "add.tests.test_overflow"] {
        assert_eq!(check(&said("tests/test_add.py", test, "assert 3 == 2")), Ok(()), "{test}");
    }
    for (path, test, text) in [
        ("../x.py", "test_overflow", "assert"),
        ("/etc/cron.d/x", "test_overflow", "assert"),
        (".github/workflows/x.yml", "test_overflow", "assert"),
        ("tests/.hidden/x.py", "test_overflow", "assert"),
        ("tests//x.py", "test_overflow", "assert"),
        ("-rf", "test_overflow", "assert"),
        ("c:\\x.py", "test_overflow", "assert"),
        ("tests/conftest.py", "test_overflow", "assert"),
        ("build.rs", "test_overflow", "assert"),
        ("a/Package.json", "test_overflow", "assert"),
        ("vitest.config.ts", "test_overflow", "assert"),
        ("tests/x.py", "test_other", "assert"),
        ("tests/x.py", "; rm -rf /", "assert"),
        ("tests/x.py", "-k", "assert"),
        ("tests/x.py", "--rootdir=/::test_overflow", "assert"),
        ("tests/x.py", "", "assert"),
        ("tests/x.py", "test_overflow", "== "),
    ] {
        assert!(check(&said(path, test, text)).is_err(), "{path} {test} {text}");
    }
    let elsewhere =
        Reproduction { file: "b.py".to_owned(), ..said("a.py", "test_overflow", "assert") };
    assert!(check(&elsewhere).unwrap_err().contains("not one of `files`"));
    let declined = Reproduction { cannot: "a race".to_owned(), ..Reproduction::default() };
    assert_eq!(declined.declined(), Some("a race"));
    assert!(check(&Reproduction::default()).is_err());
}
