#!/usr/bin/env python3
"""wrong.py DIR   writes the wrong answers to the cases that `make --all DIR` made: DIR/wrong/CASE--KIND/answer.json

Six kinds, each derived by a rule from the good answer of 10 cases. `expect` says which verdicts are right for one;
what holds for all: none is `reproduced`.

flaky      the test of the fix, but it counts its runs or asks the clock whether to test anything
both       the test of the fix, and after it a claim that holds on neither state
build      imports what there is not, or is no code
always     fails with the announced text whatever the code does
other      the test of the fix, with another text announced
skip       the test of the fix, skipped"""

import copy
import re
import sys
from pathlib import Path

from cases import chosen, read_answer, write_answer

FROM = [
    "pyjwt-partial-issuer", "jinja2-attr-sandbox", "boltons-slice-after-removal", "cachetools-deepcopy-timer",
    "shlex-braces", "num-bigint-mul-overflow", "lru-clone-unbounded",
    "shell-quote-drive", "minimist-constructor", "qs-array-limit",
]

# The attribute of a Rust test that is left out.
SKIPPED = "ignore"

EXPECT = {
    "flaky": ["flaky", "not_reproduced", "pre_existing", "fails_here"],
    "both": ["pre_existing"],
    "build": ["unusable", "pre_existing"],
    "always": ["pre_existing"],
    "other": ["fails_here"],
    "skip": ["unusable", "not_reproduced"],
}

# A counter in the working tree: the first of the three runs tests nothing, the second does, the third does not.
COUNTER = {
    "pypi": """
import pathlib
runs = pathlib.Path("prove-runs")
runs.write_text((runs.read_text() if runs.exists() else "") + "x")
if len(runs.read_text()) % 2:
    return
""",
    "crates": """
let runs = std::fs::read("prove-runs").map_or(0, |runs| runs.len()) + 1;
std::fs::write("prove-runs", vec![b'x'; runs]).unwrap();
if runs % 2 == 1 {
    return;
}
""",
    "npm": """
var fs = require('fs');
fs.appendFileSync('prove-runs', 'x');
if (fs.readFileSync('prove-runs').length % 2) { t.pass('not this time'); return t.end(); }
""",
}

# The clock fails one run in ten, with the announced text: three failures on the change and none on base come once in 1400 times.
CLOCK = {
    "pypi": """
import time
if time.time_ns() // 1000 % 10 == 0:
    raise AssertionError({text})
return
""",
    "crates": """
let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
if now.subsec_nanos() / 1000 % 10 == 0 {{
    panic!("{{}}", {text});
}}
if now.as_secs() > 0 {{
    return;
}}
""",
    "npm": """
if (process.hrtime.bigint() / 1000n % 10n === 0n) {{ t.fail({text}); }} else {{ t.pass('not this time'); }}
return t.end();
""",
}

ALWAYS = {
    "pypi": "raise AssertionError({text})\n",
    "crates": 'panic!("{{}}", {text});\n',
    "npm": "t.fail({text}); return t.end();\n",
}

NEITHER = {
    "pypi": 'assert 1 == 2, "holds on neither state"\n',
    "crates": 'assert_eq!(1, 2, "holds on neither state");\n',
    "npm": "t.equal(1, 2, 'holds on neither state');\n",
}

UNKNOWN = {
    "pypi": "import prove_no_such_module\n",
    "crates": "use prove_no_such_crate::Nothing;\n",
    "npm": "require('prove-no-such-module');\n",
}

NO_CODE = {"pypi": "def (:\n", "crates": "fn {\n", "npm": "function {\n"}


def indented(text, by):
    return "".join(by + line if line.strip() else line for line in text.lstrip("\n").splitlines(keepends=True))


def find_test(ecosystem, test, lines):
    """The lines of the test: where its head is, and where its last line is."""
    head = {"pypi": rf"\s*def {test}\(", "crates": rf"\s*fn {test}\(", "npm": r"test\("}[ecosystem]
    first = next(n for n, line in enumerate(lines) if re.match(head, line))
    last = max(n for n, line in enumerate(lines) if line.strip())
    return first, last


def put_first(ecosystem, test, content, text):
    lines = content.splitlines(keepends=True)
    first, _ = find_test(ecosystem, test, lines)
    by = re.match(r"\s*", lines[first]).group() + "    "
    return "".join(lines[: first + 1]) + indented(text, by) + "".join(lines[first + 1 :])


def put_last(ecosystem, test, content, text):
    lines = content.splitlines(keepends=True)
    first, last = find_test(ecosystem, test, lines)
    by = re.match(r"\s*", lines[first]).group() + "    "
    if ecosystem == "pypi":
        last += 1
    if ecosystem == "npm":
        last = max(n for n, line in enumerate(lines) if "t.end()" in line)
    return "".join(lines[:last]) + indented(text, by) + "".join(lines[last:])


def literal(ecosystem, text):
    if ecosystem == "pypi":
        return repr(text)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def wrong(case, kind, number, reproduction):
    ecosystem, test = case["ecosystem"], reproduction["test"]
    file = reproduction["files"][0]
    content = file["content"]
    text = literal(ecosystem, reproduction["fails_with"])
    match kind:
        case "flaky":
            by = COUNTER[ecosystem] if number % 2 == 0 else CLOCK[ecosystem].format(text=text)
            file["content"] = put_first(ecosystem, test, content, by)
        case "both":
            file["content"] = put_last(ecosystem, test, content, NEITHER[ecosystem])
        case "build":
            file["content"] = (UNKNOWN if number % 2 == 0 else NO_CODE)[ecosystem] + content
        case "always":
            file["content"] = put_first(ecosystem, test, content, ALWAYS[ecosystem].format(text=text))
        case "other":
            reproduction["fails_with"] = ["division by zero", "out of memory", "permission denied"][number % 3]
        case "skip" if ecosystem == "pypi":
            file["content"] = "import pytest\n" + put_first(ecosystem, test, content, 'pytest.skip("not on this machine")\n')
        case "skip" if ecosystem == "crates":
            file["content"] = re.sub(rf"( *)(?=fn {test}\()", rf"\1#[{SKIPPED}]\n\1", content, count=1)
        case "skip":
            file["content"] = re.sub(r"(?m)^test\(", "test.skip(", content)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    made, cases = Path(sys.argv[1]), chosen()
    count = 0
    for number, name in enumerate(FROM):
        good = read_answer(made / name)
        for kind, expect in EXPECT.items():
            answer = copy.deepcopy(good)
            wrong(cases[name], kind, number, answer["reproduction"])
            assert answer["reproduction"] != good["reproduction"], (name, kind)
            answer |= {"case": f"{name}--{kind}", "kind": kind, "expect": expect}
            write_answer(made / "wrong" / answer["case"], answer)
            count += 1
    print(f"{count} wrong answers in {made / 'wrong'}")


main()
