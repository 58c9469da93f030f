"""What `make`, `hunt` and `check` share: the sources of published packages, their diffs, and whether a file parses."""

import ast
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
KEPT = HERE / "cases"
ARCHIVES = HERE / "archives.txt"
MUTANTS = HERE / "mutants.json"

# Functions of the collection of real bugs are used as they are.
sys.path.append(str(HERE.parent / "prove"))
import cases as historical  # noqa: E402, F401
import registry  # noqa: E402

LANGUAGES = {".py": "python", ".rs": "rust", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".ts": "typescript"}
TYPESCRIPT = {"ecosystem": "npm", "package": "typescript", "version": "5.9.3"}


def table(name):
    with open(HERE / name, "rb") as file:
        return tomllib.load(file)


def chosen():
    return table("chosen.toml")["change"]


class Sources:
    """Unpacked archives in one folder. An archive that is not the recorded one is refused."""

    def __init__(self, folder, keep=False):
        self.folder = Path(folder)
        self.keep = keep
        self.lock = threading.Lock()
        self.recorded = {}
        if ARCHIVES.exists() and not keep:
            lines = (line.split() for line in ARCHIVES.read_text().splitlines())
            self.recorded = {tuple(name): digest for digest, *name in lines}

    def tree(self, source, version):
        """The sources of one version: fetched once, and never changed."""
        with self.lock:
            return self.fetched(source, version)

    def fetched(self, source, version):
        name = (source["ecosystem"], source["package"], version)
        folder = self.folder / "-".join(name).replace("/", "_")
        if not (folder / "sha256").exists():
            shutil.rmtree(folder, ignore_errors=True)
            archive = registry.fetch(source, version, folder / "tree")
            (folder / "sha256").write_text(hashlib.sha256(archive.read_bytes()).hexdigest())
        digest = (folder / "sha256").read_text()
        if self.keep:
            self.recorded[name] = digest
        elif self.recorded.get(name) != digest:
            raise RuntimeError(f"{' '.join(name)}: the registry gives {digest}, and archives.txt has {self.recorded.get(name)}")
        return folder / "tree"

    def record(self):
        ARCHIVES.write_text("".join(f"{digest} {' '.join(name)}\n" for name, digest in sorted(self.recorded.items())))


def diff(before, after, folder):
    """The unified diff of two sets of files ({path: bytes}), as git writes it without anybody's settings."""
    for side, files in (("a", before), ("b", after)):
        shutil.rmtree(folder / side, ignore_errors=True)
        write(folder / side, files)
    plain = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "diff", "--no-index", "--no-prefix", "--no-color", "--abbrev=7", "a", "b"]
    done = subprocess.run(command, cwd=folder, env=plain, capture_output=True)
    if done.returncode > 1:
        raise RuntimeError(done.stderr.decode())
    return done.stdout.decode()


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def added(text, around_removed=False):
    """The lines of each file that a diff adds, by number after the change; with `around_removed` also the two around a removal."""
    lines, file, number = {}, None, 0
    for line in text.splitlines():
        if line.startswith("diff --git "):
            file = line.rsplit(" b/", 1)[1]
            lines[file] = set()
            number = 0
        elif found := HUNK.match(line):
            number = int(found[1])
        elif number and line.startswith("+"):
            lines[file].add(number)
            number += 1
        elif number and line.startswith("-"):
            if around_removed:
                lines[file] |= {max(number - 1, 1), number}
        elif number and not line.startswith("\\"):
            number += 1
    return lines


def parses(path, content, sources):
    """None, or what the language's own reader says against a file."""
    match LANGUAGES[Path(path).suffix]:
        case "python":
            try:
                ast.parse(content)
            except SyntaxError as error:
                return str(error)
            return None
        case "rust":
            command = ["rustfmt", "--edition", "2021"]
        case "javascript":
            # A module and a script are different languages, and a name ending in .js says nothing of which.
            command = ["node", "--check", "-"]
            module = re.search(rb"^(import|export)\b", content, re.M)
            command[1:1] = ["--input-type=module"] if module else []
        case "typescript":
            tree = sources.tree(TYPESCRIPT, TYPESCRIPT["version"])
            script = (
                f"const ts = require({json.dumps(str(tree / 'lib/typescript.js'))});"
                "const text = require('fs').readFileSync(0, 'utf8');"
                "const errors = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest).parseDiagnostics;"
                "for (const error of errors) console.error(error.messageText);"
                "process.exit(errors.length ? 1 : 0);"
            )
            command = ["node", "-e", script]
    done = subprocess.run(command, input=content, capture_output=True)
    return done.stderr.decode() or "refused" if done.returncode else None


def part(name):
    return "tuning" if hashlib.sha256(name.encode()).digest()[0] < 128 else "held-out"


def name(prefix, key):
    """A case's name tells nothing of what is in it."""
    return f"{prefix}-{hashlib.sha256(key.encode()).hexdigest()[:6]}"
