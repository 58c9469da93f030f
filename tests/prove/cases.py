"""What `make`, `wrong` and `check` share: the chosen bugs, and how one test is run by plain means."""

import json
import os
import re
import signal
import subprocess
import tempfile
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE / "cases"
RUNS = 3
SECONDS = 300

# What each runner says when a test ran. A run that exits with an error and says none of this did not build, or died.
COUNTS = [
    (re.compile(r"(\d+) passed"), re.compile(r"(\d+) failed")),  # pytest, libtest
    (re.compile(r"^# pass +(\d+)", re.M), re.compile(r"^# fail +(\d+)", re.M)),  # tape, node:test
    (re.compile(r"^ℹ pass (\d+)", re.M), re.compile(r"^ℹ fail (\d+)", re.M)),  # node:test on a terminal
]


def chosen():
    with open(HERE / "chosen.toml", "rb") as file:
        return {case["id"]: case for case in tomllib.load(file)["case"]}


def picked(path, ranges):
    lines = path.read_text().splitlines(keepends=True)
    return {number for first, last in spans(ranges) for number in range(first, last + 1)}, lines


def spans(ranges):
    for part in ranges.split():
        first, _, last = part.partition("-")
        yield int(first), int(last or first)


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def git(repo, *args):
    return run("git", "-C", repo, "-c", "user.name=prove", "-c", "user.email=prove@localhost", *args)


def test_run(answer, tree):
    """One run of the answer's test: ("passed" | "failed" | "broken", what it printed)."""
    reproduction = answer["reproduction"]
    command = [
        part.replace("{file}", reproduction["file"]).replace("{test}", reproduction["test"])
        for part in answer["command"]
    ]
    process = subprocess.Popen(
        command, cwd=tree, env=os.environ | answer["env"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return "broken", output
    passed = sum(int(n) for ok, _ in COUNTS for n in ok.findall(output))
    failed = sum(int(n) for _, bad in COUNTS for n in bad.findall(output))
    if process.returncode != 0:
        return ("failed" if failed else "broken"), output
    return ("passed" if passed else "broken"), output


def runs(answer, state):
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        git(answer["repo"], "worktree", "add", "-q", "--detach", tree, state)
        try:
            for file in answer["reproduction"]["files"]:
                path = tree / file["path"]
                if path.exists():
                    raise RuntimeError(f"{file['path']} exists on {state}: an answer may only add files")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file["content"])
            return [test_run(answer, tree) for _ in range(RUNS)]
        finally:
            git(answer["repo"], "worktree", "remove", "--force", tree)


def verdict(base, change, text):
    """The rules of `review --prove`, said once more in a few lines so that the two can be compared."""
    on_base, on_change = {outcome for outcome, _ in base}, {outcome for outcome, _ in change}
    if "broken" in on_change or "broken" in on_base:
        return "unusable"
    if len(on_change) > 1 or len(on_base) > 1:
        return "flaky"
    if on_change == {"passed"}:
        return "not_reproduced"
    if on_base == {"failed"}:
        return "pre_existing"
    return "reproduced" if all(text in output for _, output in change) else "fails_here"


def read_answer(folder):
    return json.loads((Path(folder) / "answer.json").read_text())


def write_answer(folder, answer):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "answer.json").write_text(json.dumps(answer, indent=1, ensure_ascii=False) + "\n")
