"""Runs an AI CLI and keeps what it was given and what it printed: recorded.py FOLDER CLI PROGRAM [ARGUMENTS...].

Each call gets a folder FOLDER/CLI-NUMBER: `argv`, `env` (names alone), `system` (the file with the system prompt), `stdin`,
`stdout`, `stderr`, `code`. What asks no model (`--version`, a login check) is run without a trace.
"""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path


def system_file(cli, arguments):
    """Where a CLI's system prompt stands, if it was given one."""
    if cli == "claude" and "--system-prompt-file" in arguments:
        return arguments[arguments.index("--system-prompt-file") + 1]
    for argument in arguments:
        key, _, value = argument.partition("=")
        if cli == "codex" and key == "model_instructions_file":
            return json.loads(value)
    return os.environ.get("GEMINI_SYSTEM_MD") if cli == "gemini" else None


def is_call(cli, arguments):
    """Whether it is asked to answer a prompt."""
    stream = {"claude": "--output-format", "codex": "--json", "gemini": "-o"}
    return stream[cli] in arguments


def own_folder(folder, cli):
    """Makes the next folder; calls are made at the same time."""
    number = 1
    while True:
        made = folder / f"{cli}-{number}"
        try:
            made.mkdir(parents=True)
            return made
        except FileExistsError:
            number += 1


def copied(source, to, kept):
    """Passes everything on at once, and keeps it."""
    with kept.open("wb") as file:
        while chunk := source.read1(65536):
            file.write(chunk)
            to.buffer.write(chunk)
            to.buffer.flush()


def main():
    folder, cli, program, *arguments = sys.argv[1:]
    if not is_call(cli, arguments):
        os.execv(program, [program, *arguments])
    made = own_folder(Path(folder), cli)
    (made / "argv").write_text(json.dumps(arguments, indent=1))
    (made / "env").write_text("\n".join(sorted(os.environ)))
    system = system_file(cli, arguments)
    (made / "system").write_bytes(Path(system).read_bytes() if system else b"")
    prompt = sys.stdin.buffer.read()
    (made / "stdin").write_bytes(prompt)
    process = subprocess.Popen([program, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    streams = [
        threading.Thread(target=copied, args=(process.stdout, sys.stdout, made / "stdout")),
        threading.Thread(target=copied, args=(process.stderr, sys.stderr, made / "stderr")),
    ]
    for stream in streams:
        stream.start()
    try:
        process.stdin.write(prompt)
        process.stdin.close()
    except BrokenPipeError:
        pass
    for stream in streams:
        stream.join()
    code = process.wait()
    (made / "code").write_text(str(code))
    sys.exit(code if code >= 0 else 128 - code)


main()
