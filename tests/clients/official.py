"""Holds the MCP server against the official Python SDK; `tests/clients/official` starts it.

The SDK itself checks every structured result against the output schema that the tool declares. Whether agents were
asked, and whether they are gone, the fakes' own ledger says.
"""

import asyncio
import json
import os
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import answers
import mcp.client.session
from mcp import Client, ClientSession, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

PROGRAM, OPPORTUNITIES = sys.argv[1], Path(sys.argv[2])
FAKE = Path(os.environ["HOME"]) / ".fake"
TOOLS = {
    "list_agents", "read_diff", "run_agent", "debate_review", "debate_plan", "debate_360", "debate_topic",
    "prioritize_backlog", "discuss_artifact", "session_status", "session_result", "session_resume", "session_cancel",
}


def calls():
    """The calls that the fakes have on record."""
    ledger = FAKE / "ledger"
    return sorted(ledger.iterdir()) if ledger.is_dir() else []


def live():
    """The fakes of this home that run now."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                variables = (process / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            ours = b"HOME=" + os.fsencode(os.environ["HOME"]) in variables
            if ours and any(word.endswith(b"/fixtures/bin/fake-agent") for word in words):
                found.append(int(process.name))
    return found


async def until(what, holds, seconds=20):
    """Waits until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, what
        await asyncio.sleep(0.05)


def server(*arguments):
    """How the SDK starts a server."""
    environment = {name: os.environ[name] for name in ("HOME", "PATH")}
    return StdioServerParameters(command=PROGRAM, args=["mcp", "serve", *arguments], env=environment)


class Sent:
    """The writing end of a connection, which keeps the methods of all that went out."""

    def __init__(self, stream):
        self.stream, self.methods = stream, []

    async def send(self, message):
        self.methods.append(message.message.model_dump().get("method"))
        await self.stream.send(message)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await self.stream.aclose()

    def __getattr__(self, name):
        return getattr(self.stream, name)


@asynccontextmanager
async def connected(*arguments):
    """A session with a server of its own, after the handshake; `session.sent`: the methods that went out."""
    async with stdio_client(server(*arguments)) as (read, write):
        write = Sent(write)
        async with ClientSession(read, write) as session:
            await session.initialize()
            session.sent = write.methods
            yield session


def says(kind):
    """Lets the fakes answer a kind of debate."""
    answers.write(FAKE / "scenario", kind)


class Steps(list):
    """The progress of one call."""

    async def __call__(self, progress, total, message):
        self.append((progress, message))


def content(result):
    """The structured content of a result that is no error."""
    assert not result.is_error, result.content
    # The text is the same document, for clients that know no structured content.
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def every_tool(session):
    listed = (await session.list_tools()).tools
    assert {tool.name for tool in listed} == TOOLS, sorted(tool.name for tool in listed)
    held = {}
    for kind, name, arguments, verdict in [
        ("review", "debate_review", {"question": "Is this safe?"}, "changes_requested"),
        ("review", "debate_360", {"question": "Is this safe?"}, "changes_requested"),
        ("plan", "debate_360", {"question": "Move to SQLite", "mode": "plan", "maxRounds": 2}, "accepted"),
        ("debate", "debate_topic", {"topic": "REST or gRPC?", "style": "dialogue", "max_rounds": 2}, "consensus"),
        ("debate", "prioritize_backlog", {"opportunities": json.loads(OPPORTUNITIES.read_text())}, None),
        ("debate", "discuss_artifact", {"artifact": "design.md"}, None),
    ]:
        says(kind)
        steps = Steps()
        found = content(await session.call_tool(name, arguments, progress_callback=steps))
        assert found["status"] == "done" and found["decided"], (name, found)
        assert verdict is None or found["verdict"] == verdict, (name, found)
        numbers = [number for number, _ in steps]
        assert len(numbers) > 1 and numbers == sorted(set(numbers)), (name, steps)
        held[name] = found["session_id"]
        print(f"{name}: {found['outcome']}, {found['verdict']}; {len(steps)} steps of progress")
    for name, arguments in [
        ("list_agents", {}),
        ("read_diff", {}),
        ("debate_plan", {"topic": "REST or gRPC?", "rounds": 3}),
        ("session_status", {"session_id": held["debate_360"]}),
        ("session_result", {"session_id": held["discuss_artifact"]}),
        ("session_resume", {"session_id": held["debate_topic"]}),
    ]:
        found = content(await session.call_tool(name, arguments))
        print(f"{name}: {', '.join(found)}")
    refused = await session.call_tool("run_agent", {"agent": "claude", "prompt": "Say hello"})
    assert refused.is_error and "allow_run_agent" in refused.content[0].text, refused
    refused = await session.call_tool("session_cancel", {"session_id": held["debate_topic"]})
    assert refused.is_error, refused


async def refusals(session):
    asked = len(calls())
    for name, arguments, word in [
        ("debate_360", {"question": "x", "max_rounds": 10**9}, "max_rounds"),
        ("debate_360", {"question": "x", "agents": ["claude"]}, "agents"),
        ("debate_review", {}, "question"),
        ("debate_review", {"question": "x", "rounds": 1}, "rounds"),
        ("debate_review", {"question": ["x"]}, "question"),
        ("debate_review", {"question": "x" * 20_000_000}, "question"),
        ("read_diff", {"path": "/etc"}, "path"),
        ("discuss_artifact", {"artifact": "../../../etc/passwd"}, "artifact"),
    ]:
        result = await session.call_tool(name, arguments)
        assert result.is_error and word in result.content[0].text, (name, word, result.content)
    try:
        await session.call_tool("rm", {})
        raise AssertionError("an unknown tool was called")
    except MCPError as error:
        assert error.error.code == -32602, error
    assert len(calls()) == asked, "a refused call asked an agent"


async def long_runs(session):
    (FAKE / "delay").write_text("60")
    asked = len(calls())
    running = content(await session.call_tool("debate_topic", {"topic": "Slow?", "wait_seconds": 0}))
    assert running["status"] == "running", running
    await until("an agent is asked", lambda: len(calls()) > asked)
    status = content(await session.call_tool("session_status", {"session_id": running["session_id"]}))
    assert status["status"] == "running", status
    ended = content(await session.call_tool("session_cancel", {"session_id": running["session_id"]}))
    assert ended["status"] == "interrupted" and not ended["decided"] and not live(), (ended, live())
    kept = content(await session.call_tool("session_result", {"session_id": running["session_id"]}))
    assert not kept["decided"], kept

    asked = len(calls())
    await cancelled(session)
    assert "notifications/cancelled" in session.sent, session.sent
    assert len(calls()) == asked + 1, "the debate went on after it was cancelled"
    listed = (await session.list_resources()).resources
    print(f"cancelled by the tool and by the protocol, nothing runs; {len(listed)} resources")


async def cancelled(session):
    """Begins a call that waits, and gives it up when an agent is at work."""
    (FAKE / "delay").write_text("60")
    asked = len(calls())
    waiting = asyncio.create_task(session.call_tool("debate_topic", {"topic": "Slow again?", "wait_seconds": 600}))
    await until("an agent is asked", lambda: len(calls()) > asked)
    waiting.cancel()
    await until("the agents of a cancelled call end", lambda: not live())
    assert all((call / "exit").exists() for call in calls()), "an agent left no record of its end"
    (FAKE / "delay").write_text("0")
    content(await session.call_tool("list_agents", {}))


async def older_revisions():
    newest = mcp.client.session.LATEST_HANDSHAKE_VERSION
    for revision in HANDSHAKE_PROTOCOL_VERSIONS:
        # The SDK offers only its newest one by itself.
        mcp.client.session.LATEST_HANDSHAKE_VERSION = revision
        async with connected() as session:
            assert session.protocol_version == revision, (revision, session.protocol_version)
            assert len((await session.list_tools()).tools) == len(TOOLS)
            content(await session.call_tool("list_agents", {}))
    mcp.client.session.LATEST_HANDSHAKE_VERSION = newest
    print(f"handshakes: {', '.join(HANDSHAKE_PROTOCOL_VERSIONS)}")


async def without_handshake():
    says("review")
    async with Client(server()) as client:
        assert client.protocol_version == LATEST_MODERN_VERSION, client.protocol_version
        assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
        steps = Steps()
        found = content(await client.call_tool("debate_360", {"question": "Is this safe?"}, progress_callback=steps))
        assert found["verdict"] == "changes_requested" and len(steps) > 1, (found, steps)
        refused = await client.call_tool("debate_360", {"question": "x", "max_rounds": 10**9})
        assert refused.is_error and "max_rounds" in refused.content[0].text, refused
        assert (await client.read_resource(found["transcript"])).contents[0].text
        assert len((await client.list_prompts()).prompts) == 4
        await cancelled(client)
        print(f"{client.protocol_version}, which has no handshake: {found['verdict']}; {len(steps)} steps; cancelled")


async def content_of(session):
    resources = (await session.list_resources()).resources
    read = await session.read_resource(resources[0].uri)
    assert read.contents[0].text, resources[0]
    assert (await session.list_resource_templates()).resource_templates
    prompts = (await session.list_prompts()).prompts
    assert {prompt.name for prompt in prompts} == {"review", "plan", "debate", "discuss"}
    message = (await session.get_prompt("debate", {"topic": "REST or gRPC?"})).messages[0]
    assert "debate_topic" in message.content.text, message
    print(f"{len(resources)} resources, {len(prompts)} prompts")


async def end_of_input():
    (FAKE / "delay").write_text("60")
    asked = len(calls())
    async with connected() as session:
        content(await session.call_tool("debate_topic", {"topic": "Abandoned?", "wait_seconds": 0}))
        await until("an agent is asked", lambda: len(calls()) > asked)
    await until("the agents end with their server", lambda: not live())
    (FAKE / "delay").write_text("0")
    print("the client went away in the middle of a debate: nothing runs")


async def main():
    FAKE.mkdir(exist_ok=True)
    async with connected() as session:
        await every_tool(session)
        await refusals(session)
        await content_of(session)
        await long_runs(session)
    await end_of_input()
    await older_revisions()
    await without_handshake()
    async with connected("--rehearse") as session:
        asked = len(calls())
        found = content(await session.call_tool("debate_360", {"question": "Is it right?"}))
        assert found["rehearsal"] and len(calls()) == asked, found
        print(f"a rehearsal: {found['verdict']}, nobody was asked")


asyncio.run(main())
