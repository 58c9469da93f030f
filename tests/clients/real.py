"""The real Claude Code, Codex and Gemini CLI as agents of debate-agent, each behind `recorded.py`.

The packages are kept where `registration` keeps them ($DEBATE_AGENT_CLIENTS, default ~/.cache/debate-agent-clients), in the
versions that the profiles were measured with.
"""

import base64
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
# What the profiles (`src/agent/profile/`) name as measured.
PACKAGES = {
    "claude": ("@anthropic-ai/claude-code", "2.1.330"),
    "codex": ("@openai/codex", "0.169.0"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
}
# Codex reports no model, and gemini without one asks a router first.
MODELS = {"codex": "gpt-6.1-sol", "gemini": "gemini-2.5-pro"}


def installed():
    """Installs what is missing of the packages; returns their programs."""
    cache = Path(os.environ.get("DEBATE_AGENT_CLIENTS") or Path.home() / ".cache/debate-agent-clients")

    def version(package):
        file = cache / "node_modules" / package / "package.json"
        return json.loads(file.read_text())["version"] if file.exists() else None

    missing = [f"{package}@{wanted}" for package, wanted in PACKAGES.values() if version(package) != wanted]
    if missing:
        cache.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(cache), *missing]
        subprocess.run(command, check=True, stdout=sys.stderr)
    return {cli: cache / "node_modules/.bin" / cli for cli in PACKAGES}


def wrapped(programs, folder, kept):
    """Writes programs of the CLIs' names that record their calls below `kept`; returns their paths."""
    folder.mkdir(parents=True)
    paths = {}
    for cli, program in programs.items():
        paths[cli] = folder / cli
        recorder = HERE / "recorded.py"
        paths[cli].write_text(f'#!/bin/sh\nexec python3 "{recorder}" "{kept}" {cli} "{program}" "$@"\n')
        paths[cli].chmod(0o755)
    return paths


def configured(home, paths, **more):
    """Writes the user's configuration with these programs as agents."""
    agents = {
        name: {"path": str(path)} | ({"model": MODELS[name]} if name in MODELS else {}) for name, path in paths.items()
    }
    folder = home / ".config/debate-agent"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps({"agents": agents} | more, indent=1))


def token(**claims):
    """A token of a login that was made up: nobody has signed it."""
    parts = [{"alg": "none"}, {"exp": int(time.time()) + 86_400} | claims]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*encoded, "c2ln"])


def on_loopback(home, url):
    """Settings and logins of the CLIs that lead them to the models at `url`; returns the variables that do."""
    codex, gemini = home / ".codex", home / ".gemini"
    codex.mkdir()
    # As with a ChatGPT login, with which codex offers more than with a key; its requests can be read without compression.
    (codex / "config.toml").write_text(
        f'openai_base_url = "{url}/v1"\nchatgpt_base_url = "{url}"\nfeatures.enable_request_compression = false\n'
    )
    account = {"chatgpt_plan_type": "plus", "chatgpt_user_id": "u", "chatgpt_account_id": "a"}
    tokens = {
        "id_token": token(email="t@example.org", **{"https://api.openai.com/auth": account}),
        "access_token": token(), "refresh_token": "none", "account_id": "a",
    }
    refreshed = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    login = {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": tokens, "last_refresh": refreshed}
    (codex / "auth.json").write_text(json.dumps(login))
    gemini.mkdir()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    (gemini / "settings.json").write_text(json.dumps(settings))
    return {
        "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "none",
    }


def repository(folder):
    """Makes a repository with a change that holds two bugs."""
    folder.mkdir(parents=True)
    git = ["git", "-C", str(folder), "-c", "user.name=T", "-c", "user.email=t@example.org"]
    subprocess.run([*git, "-c", "init.defaultBranch=main", "init", "--quiet"], check=True)
    store = folder / "store.py"
    store.write_text("def last(items):\n    return items[len(items) - 1]\n")
    (folder / "design.md").write_text("# Design\n\nItems are kept in one table. There is one writer.\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message", "Begin"], check=True)
    store.write_text("def last(items):\n    return items[len(items)]\n")


def answered(request):
    """What the fakes of fixtures/bin would say to this prompt."""
    turn = re.search(r"^turn: *(\S+)", request.prompt, re.M)
    turn = turn[1].replace("/", "_") if turn else "none"
    awk = ["awk", "-v", f"turn={turn}", "-f", str(REPOSITORY / "fixtures/bin/fake-answers.awk")]
    return subprocess.run(awk, input=request.prompt, capture_output=True, text=True, check=True).stdout


def environment(home, **more):
    """Nothing of the caller's but where programs are."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR") if name in os.environ}
    return kept | {"HOME": str(home), "LANG": "C.UTF-8"} | more


def without(value, texts):
    """A request without our texts, wherever they stand in it; `texts` counts how often each was found."""
    if isinstance(value, str):
        for text in texts:
            texts[text] += value.count(text)
            value = value.replace(text, "")
        return value
    if isinstance(value, list):
        return [without(each, texts) for each in value]
    if isinstance(value, dict):
        return {key: without(each, texts) for key, each in value.items()}
    return value


def size(value):
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode())


def texts_of(call):
    """What a recorded call was given: the system prompt and the prompt."""
    return [(call / name).read_text().strip() for name in ("system", "stdin")]
